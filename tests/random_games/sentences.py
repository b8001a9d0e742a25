"""Expressions of random games: numbers, conditions, dice, sets, rows and patterns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from attrs import evolve

from tests.random_games.world import World

SIGNS = ("=", ">=", "<", "<=", ">", "!=")


def number(world: World, depth: int = 2) -> str:
    """Return an expression that is a number; compound ones stand in brackets."""
    draws = world.draws
    simple: list[Callable[[], str]] = [
        lambda: draws.one(["1", "2", "0", "3"]),
        *[lambda: draws.one(world.numbers)] * 4,
        lambda: "round",
    ]
    if world.known("number"):
        simple += [lambda: draws.one(world.known("number"))] * 3
    if world.thrown:
        simple += [lambda: of_dice(world)] * 3
    if world.array:
        simple += [lambda: f"(arr of {draws.one(['1', '2', '3'])})"]
    if world.tiles:
        simple += [lambda: f"({draws.one(['size', 'sum'])} of up)"]
    if world.players > 1:
        simple += [lambda: "seat", lambda: "(size of players)", lambda: of_player(world)]
        simple += [lambda: f"(place of {player(world)})"] * world.ranking
    if world.boxes:
        simple.append(lambda: "(size of open card)")
    if world.thrown and (world.boxes or world.hand):
        simple.append(lambda: f"(points of {row(world)})")
    if world.bag and world.thrown:
        simple += [lambda: f"(size of {draws.one(['cup', 'drawn'])})"]
        simple += [lambda: f"(number of {draws.one(['green', 'blue'])} in drawn)"]
    simple += [lambda: f"({draws.one(['size', 'sum'])} of seen)"] * world.seen
    simple += [partial(str, name) for name in ("calc", "grade") if name in world.means]
    if depth <= 0 or draws.often(60):
        return draws.one(simple)()
    return draws.one(_compound(world, depth - 1))()


def _compound(world: World, depth: int) -> list[Callable[[], str]]:
    draws = world.draws
    few: list[Callable[[], str]] = [
        *[lambda: f"({number(world, depth)} {draws.one('+-*')} {number(world, depth)})"] * 4,
        lambda: f"({number(world, depth)} {draws.one(['div', 'mod'])} {draws.one('23')})",
        lambda: (
            f"({number(world, depth)} if {condition(world, depth)} else {number(world, depth)})"
        ),
        lambda: f"(-{number(world, 0)})",
        lambda: over(world, depth),
    ]
    if world.thrown:
        few.append(lambda: f"(2 ^ (size of {dice(world, 0)}))")
    if world.map:
        few.append(lambda: f"(jump of {number(world, depth)})")
    few.append(lambda: f"({draws.one(['highest', 'lowest'])} of ({_two(world, depth)}))")
    if "gain" in world.means:
        few.append(lambda: f"(gain of ({_two(world, depth)}))")
    if "twice" in world.means:
        few.append(lambda: f"(twice of {number(world, depth)})")
    return few


def _two(world: World, depth: int) -> str:
    return f"{number(world, depth)}, {number(world, 0)}"


def of_dice(world: World) -> str:
    draws, some = world.draws, dice(world, 1)
    if world.is_word:
        return draws.one([f"(size of {some})", f"(distinct of {some})", _number_of(world, some)])
    measure = draws.one(["sum", "sum", "highest", "lowest", "size", "distinct"])
    some = world.dice if measure in ("highest", "lowest") and draws.often(80) else some
    return draws.one([f"({measure} of {some})", _number_of(world, some)])


def _number_of(world: World, some: str) -> str:
    if world.draws.often(5):
        some = f"{{{' '.join(world.faces)}}}"
    return f"(number of {face(world)} in {some})"


def of_player(world: World) -> str:
    return f"({whose(world)})"


def whose(world: World) -> str:
    """Return a variable of some player, or one of its values."""
    draws, who = world.draws, player(world)
    if world.array and draws.often(30):
        return f"arr of ({draws.one(['1', '2', '3'])}, {who})"
    return f"{draws.one(list(world.own))} of {who}"


def over(world: World, depth: int) -> str:
    """Return what is added up, or the most, over players, dice or numbers."""
    measure = world.draws.one(["sum", "sum", "highest", "lowest"])
    if world.players > 1 and world.draws.often(40):
        name = world.new("p")
        inner = number(world.knowing(name, "player"), depth)
        return f"({measure} of ({inner}) over {name} in players)"
    name = world.new("f")
    if world.thrown and world.draws.often(60):
        inner = number(world.knowing(name, "face" if world.is_word else "number"), depth)
        how = world.draws.one(["", "each die "]) if measure == "sum" else ""
        return f"({measure} of ({inner}) over {how}{name} in {world.dice})"
    inner = number(world.knowing(name, "number"), depth)
    return f"({measure} of ({inner}) over {name} in {numbers(world)})"


def face(world: World) -> str:
    known = world.known("face")
    return world.draws.one([*world.faces, *known, *known])


def dice(world: World, depth: int = 1) -> str:
    """Return an expression that is some of the dice."""
    draws = world.draws
    few: list[Callable[[], str]] = [lambda: world.dice] * 3
    few += [lambda: draws.one(world.known("dice"))] * (2 * bool(world.known("dice")))
    few += [lambda: "kept"] * world.pile
    if depth > 0 and draws.often(40):
        name = world.new("f")
        inner = world.knowing(name, "face" if world.is_word else "number")
        few = [
            lambda: f"(those {name} in {world.dice} where ({condition(inner, 0)}))",
            lambda: f"({world.dice} {draws.one('-+')} {dice(world, 0)})",
        ]
        if not world.is_word:
            few.append(
                lambda: (
                    f"({draws.one(['highest', 'lowest'])} {draws.one(['1', '2', '(3 - 1)'])}"
                    f" of {world.dice})"
                )
            )
    return draws.one(few)()


def numbers(world: World) -> str:
    """Return an expression that is a set of numbers."""
    few = ["(1 to 2)", "(0 to 1)", "(2 to 3)", "(1, 3)"] + ["seen", "seen"] * world.seen
    few += ["up", "up"] * world.tiles + world.known("set")
    return world.draws.one(few)


def row(world: World) -> str:
    draws = world.draws
    few = ['"Low"', '"High"'] * world.boxes + ['"Pair"', '"Rest"', "best of hand"] * world.hand
    few = [f"({each})" if each.startswith("best") else each for each in few]
    return draws.one([*world.known("row"), *world.known("row"), *few])


def player(world: World) -> str:
    few = ["left of mover", "right of mover", "mover"]
    return world.draws.one([*[f"({p})" for p in few[:2]], "mover", *world.known("player")])


def condition(world: World, depth: int = 1) -> str:
    """Return a condition; a compound one needs brackets around it."""
    draws = world.draws
    if depth > 0 and draws.often(25):
        join = draws.one(["and", "or", "not"])
        if join == "not":
            return f"not ({condition(world, depth - 1)})"
        return f"(({condition(world, depth - 1)}) {join} ({condition(world, depth - 1)}))"
    return draws.one(_conditions(world, depth))()


def _conditions(world: World, depth: int) -> list[Callable[[], str]]:
    draws = world.draws
    few: list[Callable[[], str]] = [
        *[lambda: f"{number(world, depth)} {draws.one(SIGNS)} {number(world, depth)}"] * 6,
        lambda: f"{number(world, 0)} {draws.one(['in', 'not in'])} {numbers(world)}",
    ]
    if world.thrown:
        few += [
            lambda: f"{face(world)} {draws.one(['in', 'not in'])} {dice(world)}",
            lambda: f"{dice(world)} {draws.one(['is empty', 'is not empty'])}",
            *[lambda: f"{world.dice} show {pattern(world)}"] * 2,
            lambda: _quantified(world),
        ]
        shown = ['"Low"', '"High"'] * world.boxes + ['"Pair"'] * world.hand + world.known("row")
        few += [lambda: f"{world.dice} shows {draws.one(shown)}"] * bool(shown)
        few += [lambda: f"{world.dice} + kept show {pattern(world)}"] * world.pile
    few += [lambda: draws.one(["done", "not done"])] * world.flag
    few += [lambda: f"mode {draws.one(['=', '!='])} {draws.one(['low', 'mid'])}"] * world.mode
    few += [lambda: f"level {draws.one(['=', '!='])} {draws.one('12')}"] * world.level
    few += [lambda: f"seen is {draws.one(['empty', 'not empty'])}"] * world.seen
    few += [lambda: f"{number(world, 0)} in ({_two(world, 0)})"]
    few += [lambda: draws.one(["wild", "not wild"])] * ("wild" in world.options)
    few += [lambda: "mood = calm"] * ("mood" in world.options)
    few += [lambda: f"up is {draws.one(['empty', 'not empty'])}"] * world.tiles
    few += [lambda: draws.one(["lucky", "lucky", "not lucky"])] * ("lucky" in world.means)
    if world.boxes:
        box = [lambda: f"{_box(world)} is {draws.one(['open', 'used', 'not open', 'not used'])}"]
        few += [
            *box,
            lambda: f"all {draws.one(['boxes', 'card'])} are {draws.one(['used', 'open'])}",
        ]
        if world.known("row"):
            few.append(lambda: f"{draws.one(world.known('row'))} in card")
    if world.players > 1:
        few += [lambda: _of_players(world, depth)] * 2
        known = world.known("player")
        few += [lambda: f"{draws.one(known)} {draws.one(['=', '!='])} mover"] * bool(known)
    return few


def _box(world: World) -> str:
    return world.draws.one(['"Low"', '"High"', *world.known("box")])


def _quantified(world: World) -> str:
    draws, how = world.draws, world.draws.one(["some", "every", "no"])
    if world.boxes and draws.often(30):
        name = world.new("b")
        inner = f"points of {name} {draws.one(SIGNS)} {number(world, 0)}"
        return f"{how} {name} in open card has ({inner})"
    name = world.new("f")
    inside = world.knowing(name, "face" if world.is_word else "number")
    return f"{how} {name} in {dice(world)} has ({condition(inside, 0)})"


def _of_players(world: World, depth: int) -> str:
    draws = world.draws
    if draws.often(50):
        return f"{draws.one(['any', 'every', 'no'])} player has ({condition(world, depth - 1)})"
    name = world.new("p")
    inside = world.knowing(name, "player")
    how = draws.one(["some", "every", "no"])
    return f"{how} {name} in players has ({condition(inside, depth - 1)})"


# ---- patterns


def pattern(world: World) -> str:
    """Return a pattern without a condition on its letters."""
    draws = world.draws
    some = [face(evolve(world, names=())) for _ in range(2)]
    few = [some[0], f"any {some[0]}", "any dice", "x", "x ...", f"{some[0]} ..."]
    if world.count > 1:
        few += ["x x", "x x ...", "x y", f"{some[0]} {some[1]}", f"{some[0]} {some[0]} ..."]
        few += ["run of 2"] * (not world.is_word) + [f"x {some[0]}", f"{some[0]} any {some[1]}"]
        few += [f"x any {some[0]}", f"x {some[0]} ..."]
    if world.count > 2:
        few += ["x x y", "x y y ...", "x x x", f"x x any {some[0]}"]
    return draws.one(few)


def alternative(world: World) -> str:
    """Return one alternative of a row, with conditions."""
    draws, found = world.draws, pattern(world)
    letters = [letter for letter in "xy" if letter in found.split()]
    if letters and not world.is_word and draws.often(30):
        other = "x + 1" if letters == ["x", "y"] else draws.one("12")
        found += f" where {letters[-1]} {draws.one(['=', '>=', '!='])} {other}"
    if draws.often(15):
        found += f" if ({condition(world, 0)})"
    return found


def pays(world: World, found: str) -> str:
    """Return what a row pays."""
    draws = world.draws
    few = ["1", "2", "4", "0 - 1", "u" if "u" in world.turn else "3", "1 each", "2 each"]
    if not world.is_word:
        few += ["sum", "sum of dice", "4 - sum", "sum"]
        few += ["2 * x"] * ("x" in found.split() and "|" not in found)
    return draws.one(few)

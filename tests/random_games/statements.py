"""Statements of random games: what is done in a turn."""

from __future__ import annotations

from collections.abc import Callable

from tests.random_games.sentences import (
    condition,
    number,
    numbers,
    pattern,
    player,
    whose,
)
from tests.random_games.world import Pick, World

STEP = "    "
Lines = list[str]


def block(world: World, depth: int, indent: str, most: int = 3) -> Lines:
    """Return the lines of a block: at least one statement."""
    lines: Lines = []
    for _ in range(world.draws.one(range(1, most + 1))):
        if world.draws.often(4):
            name = world.new("v")
            lines.append(f"{indent}let {name} = {number(world, 1)}")
            world = world.knowing(name, "number")
        lines += statement(world, depth, indent)
    return lines


def statement(world: World, depth: int, indent: str) -> Lines:
    draws = world.draws
    if depth <= 0 or draws.often(45):
        return [indent + simple(world)]
    few: list[Callable[[World, int, str], Lines]] = [if_, choose, choose, repeat, each, throw, stop]
    return draws.one(few)(world, depth - 1, indent)


def simple(world: World) -> str:
    """Return a statement of one line that changes something."""
    draws = world.draws
    name = draws.one(world.numbers)
    few: list[Callable[[], str]] = [
        *[lambda: f"{name} + {number(world, 1)}"] * 5,
        lambda: f"{name} - {number(world, 1)}",
        *[lambda: f"{name} = {number(world)}"] * 2,
        lambda: f"note {note(world)}",
    ]
    few += [lambda: f"score + {number(world, 1)}"] * (6 * world.score)
    few += [lambda: f"done = {draws.one(['yes', 'no', condition(world, 0)])}"] * world.flag
    few += [lambda: f"mode = {draws.one(['low', 'mid', 'top'])}"] * world.mode
    few += [
        lambda: f"arr of {number(world, 0)} {draws.one('+-=')} {number(world, 0)}"
    ] * world.array
    few += [lambda: f"level = {draws.one('12')}"] * world.level
    few += [lambda: f"seen {draws.one('+-=')} {draws.one(['(1, 3)', '(1 to 2)'])}"] * world.seen
    few += [lambda: f"seen {draws.one('+-')} {draws.one('123')}"] * world.seen
    if world.tiles:
        few += [lambda: f"up {draws.one('+-')} {draws.one('123')}"]
        few += [lambda: "up = (1 to 2)", lambda: f"up {draws.one('+-')} (2 to 3)"]
    if world.players > 1:
        few += [lambda: f"{whose(world)} {draws.one('+-=')} {number(world, 0)}"]
    few += [lambda: f"pay {number(world, 0)} from {payment(world)}"] * (2 * world.money)
    return draws.one(few)()


def payment(world: World) -> str:
    draws, other = world.draws, f"left of {player(world)}"
    few = ["others to mover", "mover to others", f"mover to {other}", f"{other} to mover"]
    return draws.one([*few, f"others of ({other}) to {other}"])


def note(world: World) -> str:
    few = ['"event"', '"other"'] + ["best of hand"] * (world.hand and world.thrown)
    rows = ['"Low"', '"High"'] * world.boxes + ['"Pair"', '"Rest"'] * world.hand
    if rows:
        few.append(f"({rows[0]} if {condition(world, 0)} else {rows[1]})")
    return world.draws.one([*few, *world.known("row")])


def if_(world: World, depth: int, indent: str) -> Lines:
    lines = [f"{indent}if {condition(world)}", *block(world, depth, indent + STEP)]
    if world.draws.often(25):
        lines += [f"{indent}else if {condition(world)}", *block(world, depth, indent + STEP)]
    if world.draws.often(40):
        lines += [f"{indent}else", *block(world, depth, indent + STEP)]
    return lines


def stop(world: World, _depth: int, indent: str) -> Lines:
    """Return a condition under which something ends or goes elsewhere."""
    few = ["end turn", "end turn", "end game"]
    few += ["leave", "next"] * 2 * world.in_loop
    few += [f"go to {step}" for step in world.steps]
    few += ["choose again"] * world.in_choice
    return [f"{indent}if {condition(world)}: {world.draws.one(few)}"]


def throw(world: World, _depth: int, indent: str) -> Lines:
    draws, name = world.draws, world.new("f")
    inside = world.knowing(name, "face" if world.is_word else "number")
    few = ["roll all", f"roll {world.dice}", "roll 1 dice"]
    few += [f"roll {draws.one('01')} more dice"]
    few += [f"roll those {name} in {world.dice} where ({condition(inside, 0)})"]
    few += [f"roll {draws.one(['highest', 'lowest'])} 1 of {world.dice}"] * (not world.is_word)
    if world.bag:
        few += [
            "draw 1 to drawn",
            "draw lowest of (2, size of cup) to drawn",
            "move drawn to cup",
        ] * 2
        few += [f"move {{{draws.one(['blue', 'green', 'blue times 0'])}}} from drawn to cup"]
        few += ["move {green times (number of green in drawn)} from drawn to cup"]
    if world.second:
        few += ["roll red", "roll 1 red", "roll 0 more red"]
    if world.pile:
        few += [f"move (those {name} in {world.dice} where ({condition(inside, 0)})) to kept"] * 2
        few += [f"move kept from kept to {world.dice}"]
    return [indent + draws.one(few)]


def repeat(world: World, depth: int, indent: str) -> Lines:
    draws = world.draws
    inside = world.inside(loop=True, choice=False)
    how = draws.one(["2 times", "2 times", f"{number(world, 0)} times", "until", "roll", "stop"])
    if how == "roll":  # push one's luck, or stop
        stop_if = f"{indent}{STEP}if {condition(inside)}: {draws.one(['end turn', 'leave'])}"
        label = world.new("Go")
        lines = [f"{indent}repeat 2 times", f"{indent}{STEP}roll all", stop_if]
        lines += block(inside, 0, indent + STEP, most=1)
        world.moves += [label, f"Bank{label}"]
        lines += [f"{indent}{STEP}choose", f'{indent}{STEP * 2}"Bank{label}": leave']
        return [*lines, f'{indent}{STEP * 2}"{label}": pass']
    if how == "until":
        lines = [f"{indent}repeat until {condition(world)}", f"{indent}{STEP}roll all"]
        return [*lines, *block(inside, depth, indent + STEP, most=2)]
    if how == "stop":
        lines = [f"{indent}repeat", f"{indent}{STEP}roll all"]
        lines += block(inside, depth, indent + STEP, most=1)
        return [*lines, f"{indent}{STEP}if {condition(inside)}: leave"]
    return [f"{indent}repeat {how}", *block(inside, depth, indent + STEP)]


def each(world: World, depth: int, indent: str) -> Lines:
    draws = world.draws
    few = ["number", "face" if world.thrown else "number", "die" if world.thrown else "number"] + [
        "player"
    ] * (2 * (world.players > 1))
    few += ["row"] * world.boxes
    few += ["kind"] * (2 * world.second)
    kind = draws.one(few)
    if kind == "kind":
        return _each_kind(world, indent)
    inside = world.inside(loop=True, choice=False)
    name = world.new(kind[0])
    where = {
        "number": draws.one(["(1 to 2)", "1 to 3", numbers(world)]),
        "face": world.dice,
        "die": world.dice,
        "player": "players",
        "row": draws.one(["card", "open card"]),
    }[kind]
    its = {"face": "face", "die": "face"}.get(kind, kind)
    its = "number" if its == "face" and not world.is_word else its
    kind = "each die" if kind == "die" else "each"
    body = block(inside.knowing(name, its), depth, indent + STEP, most=2)
    return [f"{indent}{kind} {name} in {where}", *body]


def _each_kind(world: World, indent: str) -> Lines:
    """Return a loop over the two kinds of dice, of which it says the same."""
    name = world.new("k")
    few = ["roll {k}", "roll 1 {k}", "roll 0 more {k}", "a + number of 1 in {k}", "a + size of {k}"]
    few += ["if {k} = red: roll 0 {k}", "if {k} show 1: a + 1", "a + 2 * number of 2 in {k}"]
    few += [f"if {{k}} show {pattern(world)}: a + 3"] * 2  # the other kind may lack its faces
    body = [world.draws.one(few).format(k=name) for _ in range(world.draws.one([1, 2]))]
    return [f"{indent}each {name} in ({world.dice}, red)", *[f"{indent}{STEP}{b}" for b in body]]


def choose(world: World, depth: int, indent: str) -> Lines:
    """Return a choice of one to three moves."""
    draws, inner = world.draws, indent + STEP
    lines = [f"{indent}choose"]
    for at in range(draws.one([1, 2, 2, 3])):
        kind = draws.one(["plain", "again", "plain", "tiles", "box", "hand", "number"])
        if kind in ("box", "hand") and at > 0:
            kind = "plain"
        lines += _MOVES[kind](world, depth, inner)
    if draws.often(80):
        lines.append(f"{inner}otherwise: {draws.one(['pass', 'pass', 'end turn', simple(world)])}")
    return lines


def clauses(world: World) -> str:
    """Return conditions and prices of a move."""
    draws = world.draws
    if draws.often(60):
        return ""
    few: list[Callable[[], str]] = [
        lambda: f" {draws.one(['when', 'unless'])} ({condition(world)})",
        lambda: f" for {draws.one('12')} {draws.one(world.numbers)}",
    ]
    few += [lambda: f" for 1 arr of {draws.one('12')}"] * world.array
    found = draws.one(few)()
    return found + (draws.one(few)() if draws.often(15) else "")


def _plain(world: World, depth: int, indent: str) -> Lines:
    label = world.new("Move")
    world.moves.append(label)
    return [
        f'{indent}"{label}"{clauses(world)}',
        *block(world.inside(choice=True), depth, indent + STEP, most=2),
    ]


def _again(world: World, depth: int, indent: str) -> Lines:
    draws, name, label = world.draws, world.new("k"), world.new("Keep")
    many = draws.one(["some", "any", "one", "at least 1", "at most 1", "1", "2", "(2 - 1)"])
    world.picks.append(Pick(name, "dice", label))
    inside = world.knowing(name, "dice")
    where = f" where ({condition(inside)})" if draws.often(25) else ""
    moves = [f"roll {name}", f"roll {name}", f"roll {world.dice} - {name}"]
    moves += [f"move {name} to kept"] * (2 * world.pile)
    lines = [f'{indent}"{label}" {many} of {world.dice} as {name}{where}{clauses(inside)}']
    lines.append(f"{indent}{STEP}{draws.one(moves)}")
    if depth > 0 and draws.often(30):
        lines += block(inside.inside(choice=True), 0, indent + STEP, most=2)
    return lines


def _tiles(world: World, depth: int, indent: str) -> Lines:
    if not world.tiles:
        return _plain(world, depth, indent)
    draws, name, label = world.draws, world.new("t"), world.new("Shut")
    world.picks.append(Pick(name, "set", label))
    if draws.often(40):
        inside = world.knowing(name, "number")
        return [f'{indent}"{label}" one of up as {name}{clauses(inside)}: up - {name}']
    inside = world.knowing(name, "set")
    many = draws.one(["some", "any", "2", "at most 2"])
    where = f" where sum of {name} {draws.one(['=', '<=', '>='])} {number(world, 0)}"
    return [f'{indent}"{label}" {many} of up as {name}{where}: up - {name}']


def _box(world: World, depth: int, indent: str) -> Lines:
    if not world.boxes:
        return _plain(world, depth, indent)
    draws, name = world.draws, world.new("c")
    world.picks.append(Pick(name, "row"))
    naming = " naming its faces" if draws.often(25) else ""
    inside = world.knowing(name, "row").knowing(name, "box")
    where = f" where dice show {name}" if draws.often(30) else ""
    lines = [f"{indent}one of open card as {name}{naming}{where}{clauses(inside)}"]
    if naming:
        lines += [
            f"{indent}{STEP}if spare of {name} is not empty: roll spare of {name}"
        ] * draws.often(60)
    lines += [f"{indent}{STEP}a + points of {name}"]
    return lines + [f"{indent}{STEP}use {name}"] * draws.often(85)


def _hand(world: World, depth: int, indent: str) -> Lines:
    if not world.hand:
        return _plain(world, depth, indent)
    name, label = world.new("h"), world.new("Take")
    world.picks.append(Pick(name, "row", label))
    inside = world.knowing(name, "row")
    lines = [f'{indent}"{label}" one of hand as {name}{clauses(inside)}']
    return [*lines, *block(inside, 0, indent + STEP, most=2)]


def _number(world: World, _depth: int, indent: str) -> Lines:
    name, label = world.new("n"), world.new("Count")
    world.picks.append(Pick(name, "number", label))
    inside, also = world.knowing(name, "number"), ""
    if world.draws.often(25):
        other = world.new("m")
        inside, also = inside.knowing(other, "number"), f" and one of (1, 3) as {other}"
    where = f" where ({condition(inside)})" if world.draws.often(30) else ""
    lines = [f'{indent}"{label}" one of (1 to 2) as {name}{also}{where}{clauses(inside)}']
    return [*lines, *block(inside, 0, indent + STEP, most=2)]


_MOVES = {
    "plain": _plain,
    "again": _again,
    "tiles": _tiles,
    "box": _box,
    "hand": _hand,
    "number": _number,
}

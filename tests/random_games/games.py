"""Whole random games: their declarations, a turn, an end, a goal, strategies.

Small and often odd on purpose. All that the language has comes up, alone and together.
"""

from __future__ import annotations

from random import Random

from attrs import evolve
from hypothesis import strategies as st

from tests.random_games.draws import ByHypothesis, BySeed, Draws
from tests.random_games.sentences import alternative, condition, face, number, pays
from tests.random_games.statements import STEP, Lines, block, simple
from tests.random_games.world import RANGES, Pick, World


def by_seed(seed: int) -> str:
    """Return the text of a rules file; the same for the same seed."""
    return rules(BySeed(Random(seed)))


@st.composite
def any_rules(draw: st.DrawFn) -> str:
    """Return the text of a rules file of hypothesis's choice."""
    return rules(ByHypothesis(draw))


def rules(draws: Draws) -> str:
    world = _world(draws)
    head = _declared(world)
    rows = _tables(evolve(world, names=()))
    means = _means(world)
    turn = [f"{STEP}roll all", *block(world, draws.one([1, 2, 2, 3]), STEP)]
    turn += [f"{STEP}go to {step}" for step in world.steps]
    steps = [line for step in world.steps for line in _step(world, step)]
    goal = _goal(world)
    after = [*steps, _end(world), *goal, *_strategies(world)]
    lines = [*head, *rows, *means, "turn", *_before_the_throw(world), *turn, *after]
    return "\n".join(lines) + "\n"


def _world(draws: Draws) -> World:
    world = World(draws, players=draws.one([1, 1, 2, 2, 2, 3]), count=draws.one([1, 2, 1, 2, 3]))
    sides = draws.one([2, 2, 3, 2, 4]) if world.count < 3 else 2
    world.faces = tuple(map(str, range(1, sides + 1)))
    if draws.often(15):
        world.faces, world.is_word = draws.one([("dot", "side"), ("anchor", "crown", "sun")]), True
    world.weights = (1,) * len(world.faces)
    if draws.often(25):
        world.weights = tuple(draws.one([1, 2]) for _ in world.faces)
    world.own = {"a": draws.one(RANGES)} | ({"b": draws.one(RANGES)} if draws.often(45) else {})
    world.table = {"t": draws.one(RANGES)} if draws.often(30) else {}
    world.turn = {"u": draws.one(RANGES)} if draws.often(35) else {}
    for name, percent in _PARTS.items():
        setattr(world, name, draws.often(percent))
    world.score = draws.often(20)
    world.money = world.players > 1 and draws.often(20)
    world.ranking = draws.often(60) if world.players > 1 else draws.often(20)
    world.options = tuple(o for o in ("wild", "mood", "lot") if draws.often(12))
    world.means = tuple(m for m in ("calc", "twice", "lucky", "gain", "grade") if draws.often(15))
    world.steps = ("later",) if draws.often(15) else ()
    return world


_PARTS = {
    "second": 12,
    "pile": 20,
    "flag": 20,
    "mode": 15,
    "array": 15,
    "tiles": 20,
    "seen": 12,
    "bag": 12,
    "level": 10,
    "boxes": 30,
    "hand": 25,
    "map": 12,
}


# ---- declarations


def _declared(world: World) -> Lines:
    draws, lines = world.draws, ['game "By chance"']
    lines += [f"option players = {world.players} from 1 to 3"] if world.players > 1 else []
    lines += ["option wild = yes"] * ("wild" in world.options)
    lines += ["option mood = calm | angry"] * ("mood" in world.options)
    lines += [f"option lot = {world.count} from {world.count} to 3"] * ("lot" in world.options)
    lines.append(_dice(world))
    lines += ["bag cup with green times 2, blue", "pile drawn of cup"] * world.bag
    lines += ["dice red = 1d2"] * world.second + ["pile kept"] * world.pile
    lines += ["each player", *_variables(world.own)]
    lines += [f"{STEP}money = 0"] * world.money + [f"{STEP}score = 0"] * world.score
    lines += [f"{STEP}done = no"] * world.flag
    lines += [f"{STEP}mode = low | mid | top"] * world.mode
    if world.array:
        index = draws.one(["", "z in "])
        most = " to z capped" if index else draws.one(["", " to 3 capped"])
        lines.append(f"{STEP}arr of {index}(1 to 3) = 0{most}")
    lines += [f"{STEP}level = 1 | 2"] * world.level
    lines += [f"{STEP}seen = {draws.one(['()', '(1, 2)'])} from (1 to 3)"] * world.seen
    own_tiles = world.tiles and draws.often(40)
    tiles = [f"{STEP}up = (1 to 3)"]
    lines += tiles * own_tiles
    if world.table or (world.tiles and not own_tiles):
        lines += ["table", *_variables(world.table), *tiles * (world.tiles and not own_tiles)]
    return lines + (["this turn", *_variables(world.turn)] if world.turn else [])


def _variables(variables: dict[str, str]) -> Lines:
    return [f"{STEP}{name} = {values}" for name, values in variables.items()]


def _dice(world: World) -> str:
    count = "lot" if "lot" in world.options else str(world.count)
    if world.is_word or set(world.weights) != {1}:
        weighted = zip(world.faces, world.weights, strict=True)
        faces = ", ".join(f if w == 1 else f"{f} times {w}" for f, w in weighted)
        return f"dice {count} with faces {faces}"
    if count == "lot":
        return f"dice lot with {len(world.faces)} sides"
    return f"dice {count}d{len(world.faces)}"


def _tables(world: World) -> Lines:
    """Return tables of rows; the last row of the patterns is shown by every throw."""
    lines: Lines = []
    draws = world.draws
    if world.boxes:
        lines.append("boxes card")
        lines += [_row(world, label) for label in ("Low", "High")]
        if draws.often(20):
            lines.append(f'{STEP}each n in 1 to 2: "Number n"  any n  pays n each')
            lines[-1] = lines[-1] if not world.is_word else _row(world, "Third")
    if world.hand:
        lines += ["patterns hand", _row(world, "Pair"), f'{STEP}"Rest"  any dice  pays 1']
    return lines


def _row(world: World, label: str) -> str:
    """Return a row; its conditions may ask for the first row, but not for itself."""
    world = evolve(world, boxes=False, hand=False)
    if label == "High":
        world = world.knowing('"Low"', "row")
    found = alternative(world)
    if world.draws.often(30):
        found += f" | {alternative(world)}"
    return f'{STEP}"{label}"  {found}  pays {pays(world, found)}'


def _means(world: World) -> Lines:
    lines = ["map jump", f"{STEP}1 -> 2", f"{STEP}3 -> 0", f"{STEP}otherwise -> 1"] * world.map
    inside = evolve(world, means=())
    lines += [f"calc means {number(inside, 1)}"] * ("calc" in world.means)
    lines += ["twice of v means 2 * v + 1"] * ("twice" in world.means)
    if "gain" in world.means:
        known = inside.knowing("v", "number").knowing("w", "number")
        lines += [f"gain of (v, w) means {number(known, 1)}"]
    if "grade" in world.means:
        lines += ["grade means", f"{STEP}{number(inside, 0)} if {condition(inside, 0)}"]
        lines += [f"{STEP}3 otherwise"]
    if "lucky" in world.means:
        kind = world.draws.one(["any", "all"])
        lines += ["lucky means", f"{STEP}{kind} of"]
        lines += [f"{STEP * 2}{condition(inside, 0)}" for _ in range(2)]
    return lines


def _before_the_throw(world: World) -> Lines:
    """Return how a turn is passed over, or what is chosen first in it; mostly nothing.

    It is drawn after all else, so that the other games stay the same.
    """
    draws = world.draws
    if not draws.often(12):
        return []
    early = evolve(world, thrown=False, names=())
    if draws.often(70):
        passed = condition(early, 1)
        passed = draws.one([passed, f"round >= 2 and ({passed})", f"round = 2 and ({passed})"])
        lines = [f"{STEP}if {passed}: end turn"]
    else:
        lines = []
    if draws.often(60):
        lines += [f"{STEP}choose", f'{STEP * 2}"First": {simple(early)}', f'{STEP * 2}"Wait": pass']
    return lines


def _step(world: World, name: str) -> Lines:
    inside = evolve(world, steps=(), names=())
    return [f"step {name}", *block(inside, 1, STEP, most=2)]


# ---- the end and the goal


def _end(world: World) -> str:
    draws = world.draws
    often = draws.one(["1", "2", "2", "3"])
    few = [f"ends after {often} rounds"] * 4
    few += [f"ends when ({condition(world)}) or round >= {often}"] * 2
    few += [f"ends after the round when ({condition(world)}) or round >= {often}"] * 2
    few += ["ends when all boxes are used or round >= 3"] * (2 * world.boxes)
    return draws.one(few)


def _goal(world: World) -> Lines:
    """Return the ranking, the settlement and the payoff."""
    draws = world.draws
    dice_count = world.players == 1 and draws.often(15)
    world = evolve(world, thrown=dice_count, turn={} if world.players > 1 else world.turn)
    ranked = evolve(world, ranking=False, names=())
    best = draws.one(["highest", "highest", "lowest"])
    lines: Lines = []
    if world.ranking:
        ties = draws.one(["", ", ties share", ", ties earlier"])
        if "wild" in world.options and draws.often(30):
            ties = ", ties earlier if wild else share"
        lines.append(f"ranking {best} {_counted(ranked)}{ties}")
    if draws.often(25):
        lines += ["at the end", *_settlement(world)]
    if world.money:
        return [*lines, "payoff money"]
    if world.ranking and world.players > 1 and draws.often(50):
        return [*lines, "payoff win"]
    goal = f"payoff {best} {_counted(ranked)}"
    if "wild" in world.options and draws.often(30):
        goal = f"payoff highest a if wild else {best} {_counted(ranked)}"
    return [*lines, goal]


def _counted(world: World) -> str:
    if world.score and world.draws.often(80):
        return "score"
    return number(world, 1) if world.draws.often(40) else "a"


def _settlement(world: World) -> Lines:
    draws = world.draws
    if not world.money:
        changes = f"a {draws.one('+-')} {number(evolve(world, ranking=False), 0)}"
        condition_ = condition(evolve(world, ranking=False), 0)
        return [draws.one([f"{STEP}{changes}", f"{STEP}if {condition_}: {changes}"])]
    inside = world.knowing("q", "player")
    payments = [
        "pay 1 from q to others of q",
        "pay 2 from others of q to q",
        "pay 1 from q to mover",
    ]
    payments += ["pay 3 from q to winner", "pay seat from q to winner"] * world.ranking
    lines = [f"{STEP}each q in players"]
    if draws.often(70):
        return [*lines, f"{STEP * 2}if {condition(inside, 0)}: {draws.one(payments)}"]
    return [*lines, f"{STEP * 2}{draws.one(payments)}"]


# ---- strategies


def _strategies(world: World) -> Lines:
    draws = world.draws
    if not (world.moves or world.picks) or draws.often(50):
        return []
    lines: Lines = []
    has_points = world.ranking or not world.money
    for name, last in (("S", "best"), ("T", "best turn" if has_points else "best")):
        lines.append(f'strategy "{name}"')
        lines += [f"{STEP}{_advice(world)}" for _ in range(draws.one([0, 1, 2, 3]))]
        lines.append(f"{STEP}otherwise: {last}")
    return lines


def _advice(world: World) -> str:
    draws = world.draws
    few = [f'"{label}"' for label in world.moves]
    for pick in world.picks:
        if pick.type in ("dice", "set"):
            few += [f"pick {pick.name} with {_rank(world, pick)}"] * 2
        if pick.type == "number":
            few.append(f"pick {pick.name} with {draws.one(['highest', 'lowest'])} {pick.name}")
        if pick.type == "row" and world.boxes:
            few += ['"Low"', '"High"'] * (not pick.label)
    when = condition(evolve(world, names=()), 1)
    if any(pick.type == "dice" for pick in world.picks) and draws.often(50):
        few_shown = [(when, face(world)), (when, "x"), ("dice show x ...", "x")]
        if world.count > 1:
            few_shown += [("dice show x x", "x x"), ("dice show x y", "x"), (when, "x ...")]
        when, shown = draws.one(few_shown)
        where = draws.one(["", "highest ", ""]) if "x" in shown else ""
        few = [f"{draws.one(['keep', 'roll'])} {where}{shown}"]
    return f"when {when}: {draws.one(few or ['best'])}"


def _rank(world: World, pick: Pick) -> str:
    draws = world.draws
    measures = [f"size of {pick.name}"]
    measures += [f"sum of {pick.name}"] * (pick.type == "set" or not world.is_word)
    measures += [f"distinct of {pick.name}"] * (pick.type == "dice")
    found = f"{draws.one(['highest', 'lowest'])} {draws.one(measures)}"
    if draws.often(30):
        found += f", {draws.one(['highest', 'lowest'])} {draws.one(measures)}"
    return found

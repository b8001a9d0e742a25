"""Do the players leave each other alone, so that one player's game tells all?

They do if no sentence of the turn looks at another player, at the table, or at who sits where, and
if the game is equally long for all: no turn ends it, and it ends after so many rounds, or when all
boxes are used and every turn uses one.
"""

from __future__ import annotations

from dicegames.compiler.open_values.tables import atoms_of, slots_of
from dicegames.rules.parts.flow import (
    Choose,
    Expression,
    Finish,
    Instruction,
    Pay,
    Set,
    Test,
    TurnEnds,
    reachable,
    reads_of,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.rows import Boxes
from dicegames.rules.parts.types import BOXES
from dicegames.rules.parts.unknown import NeedsValue, compare, has_bits, unknown

SEVERAL = 2
"""So many boxes, or more, that a turn uses."""


def is_independent(game: Rules) -> bool:
    """Tell whether the players do not interact."""
    return not why_dependent(game)


def why_dependent(game: Rules) -> str:
    """Say why the game of one player does not tell all; nothing where it does."""
    if game.payoff_is_win or not game.payoffs:
        return "the rules say who wins"
    of_turn = {s for s, v in enumerate(game.names.slots) if v.scope == "turn"}
    if game.payoffs[0].reads & of_turn:
        return "what the last turn was like counts for all"
    if any(payoff.reads & _foreign(game, seat) for seat, payoff in enumerate(game.payoffs)):
        return "what a player gets depends on the others or on the table"
    turn = _turn(game)
    between = reachable(game.flow, game.end_turn, {game.turn}) - {game.turn}
    if turn & between:
        return "a turn may end the game for all"
    if game.names.settles_by_players:
        return "what happens at the end has to do with who the players are"
    if not turns_are_own(game):
        return "a turn has to do with the other players or with the table"
    if not all(_is_common(game, game.flow[n], turn) for n in between):
        return "players may have different numbers of turns"
    return ""


def turns_are_own(game: Rules) -> bool:
    """Tell whether turns of a player who sits alone go and count as they do in company."""
    counted = (*game.payoffs[:1], *game.turn_points[:1])
    foreign = _foreign(game)
    if game.names.asks_players or any(e.reads & foreign for e in counted):
        return False
    return all(_is_own(game, game.flow[n]) for n in _turn(game))


def _turn(game: Rules) -> set[int]:
    """Return the instructions of a turn."""
    return reachable(game.flow, game.turn, {game.end_turn}) - {game.end_turn}


def _used(game: Rules) -> range:
    """Return the slots of the used boxes of all players."""
    found = game.names.variables.get("used")
    return range(0) if found is None else range(found.base, found.base + found.width)


def _foreign(game: Rules, seat: int = 0) -> frozenset[int]:
    """Return the slots of the table and of other players, and who is the player.

    The player is that in `seat`, counted from the mover.
    """
    return frozenset(
        s
        for s, v in enumerate(game.names.slots)
        if (v.scope == "table" and v.name != "round")
        or (v.scope == "player" and (s - v.base - seat) % game.players)
    )


def _is_own(game: Rules, instruction: Instruction) -> bool:
    """Tell whether a sentence of the turn is about its player alone.

    Strategies may differ by seat, and are shown all that the end of the game asks for.
    """
    foreign = _foreign(game)
    if isinstance(instruction, Choose):
        shown = {game.names.variables["seat"].base, *_used(game)}
        if instruction.decision is not None and instruction.decision.reads & foreign - shown:
            return False
        instruction = Choose(instruction.span, -1, options=instruction.options)
    touched = reads_of(instruction).union(instruction.targets)
    return not isinstance(instruction, Pay) and not touched & foreign


def _is_common(game: Rules, instruction: Instruction, turn: set[int]) -> bool:
    """Tell whether what happens between turns is the same for all players."""
    counted = {game.names.variables[name].base for name in ("seat", "round")}
    match instruction:
        case Finish() | TurnEnds():
            return True
        case Set(slot=slot):
            return slot in counted
        case Test(condition=condition):
            return _comes_for_all(game, condition, turn)
    return False


def _comes_for_all(game: Rules, condition: Expression, turn: set[int]) -> bool:
    """Tell whether an end comes when all players have had the same number of turns.

    That is after some round, or when everybody has used all boxes, one in each turn.
    """
    slots = _used(game)
    seat, round_ = (game.names.variables[name].base for name in ("seat", "round"))
    if not condition.reads <= {*slots, seat, round_}:
        return False
    env = [unknown("slot", slot) for slot in range(len(game.names.slots))]
    full = {has_bits(env[s], (1 << len(game.names.slots[s].type.of)) - 1) for s in slots}
    try:
        found = set(atoms_of((condition.run(env),)))
    except NeedsValue:  # the value at such a place, say: no atoms tell what is asked
        return False
    last = compare("eq", env[seat], game.players - 1)
    if last in found and all(slots_of(atom) == (round_,) for atom in found - {last}):
        return True
    return bool(full) and found - {last} == full and _uses_one_box(game, turn)


def _uses_one_box(game: Rules, turn: set[int]) -> bool:
    """Tell whether every way through a turn uses one open box: counted along the instructions."""
    counts: dict[int, set[int]] = {number: set() for number in turn}
    counts[game.end_turn] = set()
    pending = [(game.turn, 0)]
    while pending:
        at, count = pending.pop()
        if count in counts[at]:
            continue
        counts[at].add(count)
        if at == game.end_turn:
            continue
        instruction = game.flow[at]
        if isinstance(instruction, Set) and instruction.slot in _used(game):
            count = min(count + 1, SEVERAL) if _is_of_open_box(game, instruction, turn) else SEVERAL
        pending += [(target, count) for target in instruction.successors()]
    return counts[game.end_turn] == {1}


def _is_of_open_box(game: Rules, use: Set, turn: set[int]) -> bool:
    """Tell whether the box that is used was picked from open ones, and from nothing else."""
    assert use.value is not None
    picked = use.value.reads - {use.slot}
    if len(picked) != 1:
        return False
    for instruction in (game.flow[number] for number in turn):
        if not picked.isdisjoint(instruction.targets):
            return False
        if isinstance(instruction, Choose):
            wholes = [o.whole for o in instruction.options if o.slot in picked]
            if not all(_are_open(game, whole) for whole in wholes):
                return False
    return True


def _are_open(game: Rules, whole: Expression | None) -> bool:
    if whole is None or whole.type is not BOXES or not whole.reads <= set(_used(game)):
        return False
    boxes = whole.run(game.start())
    return isinstance(boxes, Boxes) and boxes.state == "open"

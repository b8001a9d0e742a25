"""What a position cannot be: with more dice than there are, or where play cannot have come to.

Nor may it hold fewer dice than always lie there.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable
from functools import lru_cache

from dicegames.ground.graphs import reached
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Test, Throw, TurnEnds, written_by
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import DiceKind, Value
from dicegames.rules.parts.value_text import PositionError
from dicegames.rules.running.fields import Field, Notation, fields_text
from dicegames.rules.running.referee import Position, start


def check_dice(notation: Notation, at: int, env: list[Value]) -> None:
    """Refuse more dice than there are, and fewer where the rules always have all of them."""
    names = notation.game.names
    for kind_name, kind in names.kinds.items():
        fields = [f for f in notation.moments[at] if _holds(notation.game, f, kind_name)]
        there = sum(dice_in(env[f.variable.base]) for f in fields)
        plural = "things" if kind.is_drawn else "dice" if kind.count > 1 else "die"
        if kind.is_drawn:
            _check_things(kind, [env[f.variable.base] for f in fields])
        if there > kind.count:
            raise PositionError(
                f"there are {there} {kind_name}, the game has {kind.count}"
                if kind_name != "dice"
                else f"these are {there} dice, the game has {kind.count} {plural}"
            )
        if fields and there < kind.count:
            usual = usual_dice(notation.game, at, tuple(f.variable.base for f in fields))
            if usual is not None and there < usual:
                shown = " | ".join(fields_text(seen_at(notation.game, at)[0], fields))
                where = f'in "{kind_name}" and its piles' if kind.is_drawn else "on the table"
                message = f"{usual} {plural} are {where} here, these are {there}"
                raise PositionError(message, f"give all of them, for instance: {shown}")
    throw = notation.game.flow[at]
    if isinstance(throw, Throw) and throw.source >= 0:
        drawn, there = env[throw.count], dice_in(env[throw.source])
        if drawn > there:
            pile = names.slots[throw.source].name
            raise PositionError(f'{drawn} are drawn here, and "{pile}" holds {there}')


def _check_things(bag: DiceKind, piles: Iterable[Value]) -> None:
    """Refuse more of what is drawn from a bag than it has: each thing lies in one place."""
    for face, most, *there in zip(bag.faces, bag.weights, *piles, strict=True):
        if sum(there) > most:
            message = f"{face} is there {sum(there)} times here, the game has it {most} times"
            hint = f'say what is left in "{bag.name}"; where that is left out, it is full'
            raise PositionError(message.replace(" 1 times", " once"), hint)


def _holds(game: Rules, of: Field, kind: str) -> bool:
    """Tell whether a field shows dice of a kind, on a pile or in the hand."""
    name, drawn = of.variable.name, game.names.kinds[kind].is_drawn  # what is drawn lies there yet
    return (name == f"{kind}.thrown" and not drawn) or game.names.piles.get(name) == kind


# ---- where play cannot stand


def is_shut_off(position: Position, known: Container[int]) -> bool:
    """Tell whether play cannot stand at a position: a condition on the way there does not hold.

    That is seen of conditions which every way through the turn passes, and which read nothing but
    `known` slots that no instruction between changes.
    """
    game, at = position.game, position.at
    for number in _ways(game, game.turn):
        test = game.flow[number]
        if not isinstance(test, Test) or not all(slot in known for slot in test.condition.reads):
            continue
        if at not in _ways(game, game.turn, number) and not _leads_there(position, number, test):
            return True
    return False


def _leads_there(position: Position, number: int, test: Test) -> bool:
    """Tell whether a condition, where play came past it last, can have led to a position."""
    game = position.game
    try:
        holds = bool(test.condition.run([*position.env]))
    except RuleBroken:
        return True
    for first, agrees in ((test.next, holds), (test.other, not holds)):
        behind = _ways(game, first, number)
        between = [n for n in behind if position.at in _ways(game, n, number)]
        changed = (test.condition.reads & written_by(game.flow[n]) for n in between)
        if between and (agrees or any(changed)):
            return True
    return False


def _ways(game: Rules, start: int, without: int = -1) -> dict[int, None]:
    """Return the instructions that play may come to in the same turn, not past one of them."""

    def after(number: int) -> list[int]:
        over = number == without or isinstance(game.flow[number], TurnEnds)
        return [] if over else game.flow[number].successors()

    return reached([start], after)


# ---- what random games show


MOST_SEEN = 1500
OPTIONS_SEEN = 3000
ENOUGH_SEEN = 40


def usual_dice(game: Rules, at: int, slots: tuple[int, ...]) -> int | None:
    """Return the number of dice in some slots at a place, if it is the same in random games."""
    seen = seen_at(game, at)
    counts = {sum(dice_in(position.env[slot]) for slot in slots) for position in seen}
    return counts.pop() if len(seen) >= ENOUGH_SEEN and len(counts) == 1 else None


def seen_at(game: Rules, at: int) -> list[Position]:
    """Return the positions of random games at a place in the turn, none where play never came."""
    return [position for position in _sample(game) if position.at == at]


def dice_in(value: Value) -> int:
    """Return how many dice a value is: that of a pile, or a number."""
    return sum(value) if isinstance(value, tuple) else int(value)


@lru_cache(maxsize=4)
def _sample(game: Rules) -> list[Position]:
    chance = random.Random(1)  # noqa: S311 - a sample, the same each time
    position = start(game)
    seen: list[Position] = []
    options = 0
    while len(seen) < MOST_SEEN and options < OPTIONS_SEEN:
        node = position.node
        seen.append(node)
        try:
            if node.is_over:
                position = start(game)
            elif node.is_chance:
                position = node.after(node.throw(chance))
            else:
                moves = node.moves()
                options += len(moves)
                position = node.after(chance.choice(moves))
        except RuleBroken:
            position = start(game)
    return seen

"""Which places of a turn play cannot have come to with the values that a position has."""

from __future__ import annotations

from collections.abc import Container

from dicegames.ground.graphs import reached
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Test, TurnEnds, written_by
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Position


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

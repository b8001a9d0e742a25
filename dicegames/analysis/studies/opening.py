"""How a game opens: the first choice, or the first throws, best and worst, with the best answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, islice

from attrs import frozen

from dicegames.analysis.solution import Solution
from dicegames.rules.parts.flow import Throw
from dicegames.rules.running.playing import OPTIMAL
from dicegames.rules.running.referee import Outcome, Position, start

MOST_MOVES = 5
EACH_END = 3
MOST_OUTCOMES = 500


@frozen
class OpeningLine:
    """What may happen first, the best answer to it (if there is one), and the value then."""

    what: str
    move: str
    value: float


@frozen
class _Roll:
    """What may be rolled: all dice as text, the last throw of them, and what it brings."""

    text: str
    last: Position
    outcome: Outcome


@frozen
class Opening:
    """A few lines that show how a game opens."""

    title: str
    lines: tuple[OpeningLine, ...]


def opening(solution: Solution) -> Opening | None:
    """Return how the game opens, None where there is little to say."""
    node = start(solution.game).node
    if node.is_over:
        return None
    if node.is_chance:
        return _throws(solution, node)
    choices = solution.options(node)
    lines = [OpeningLine(choice.name, "", choice.value) for choice in choices[:MOST_MOVES]]
    title, many = "The first choice", len(choices)
    title += f", the best {MOST_MOVES} of {many} moves" if many > MOST_MOVES else ""
    return Opening(title, tuple(lines)) if many > 1 else None


def _throws(solution: Solution, node: Position) -> Opening | None:
    rolls = list(islice(_rolls(node), MOST_OUTCOMES + 1))
    if len(rolls) > MOST_OUTCOMES:
        return None
    found: list[tuple[_Roll, float]] = []
    for last, same in groupby(rolls, key=lambda roll: roll.last):
        group = list(same)
        values = solution.values_after(last, [roll.outcome for roll in group])
        found += zip(group, values, strict=True)
    found.sort(key=lambda pair: pair[1], reverse=solution.maximise)
    many = len(found)
    if many > 2 * EACH_END:
        found = [*found[:EACH_END], found[many // 2], *found[-EACH_END:]]
    lines = tuple(
        OpeningLine(roll.text, _answer(solution, node.seat, roll), value) for roll, value in found
    )
    cut = f", {len(found)} of {many}" if len(found) < many else ""
    title = f"First throws{cut}, the luckiest first"
    if any(line.move for line in lines):
        best = set(solution.strategies) == {OPTIMAL}
        title += f", and {'the best answer' if best else 'what is played'}"
    return Opening(title, lines)


def _rolls(node: Position, before: Mapping[str, str] | None = None) -> Iterator[_Roll]:
    """Yield what may be rolled first; dice of kinds that follow each other are one roll."""
    kind = _kind(node)
    for outcome in node.outcomes():
        reached, shown = node.after(outcome), {**(before or {}), kind: outcome.text}
        if not reached.starts_turn and _kind(reached) not in ("", *shown):
            yield from _rolls(reached, shown)
        else:
            named = " | ".join(f"{name} {text}" for name, text in shown.items())
            yield _Roll(named if len(node.game.names.kinds) > 1 else outcome.text, node, outcome)


def _kind(node: Position) -> str:
    """Return the name of the dice that are thrown now, "" where none are."""
    throw = node.game.flow[node.at]
    return throw.kind.name if isinstance(throw, Throw) else ""


def _answer(solution: Solution, seat: int, roll: _Roll) -> str:
    reached = roll.last.after(roll.outcome)
    best = solution.best(reached) if reached.seat == seat and reached.moves() else None
    return best.name if best is not None else ""

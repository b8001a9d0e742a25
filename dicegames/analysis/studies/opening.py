"""How a game opens: the first choice, or the first throws, best and worst, with the best answer."""

from __future__ import annotations

from attrs import frozen

from dicegames.analysis.solution import Solution
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
    return Opening("The first choice", tuple(lines)) if len(choices) > 1 else None


def _throws(solution: Solution, node: Position) -> Opening | None:
    outcomes = node.outcomes()
    if len(outcomes) > MOST_OUTCOMES:
        return None
    found = list(zip(outcomes, solution.values_after(node, outcomes), strict=True))
    found.sort(key=lambda pair: pair[1], reverse=solution.maximise)
    if len(found) > 2 * EACH_END:
        found = [*found[:EACH_END], found[len(found) // 2], *found[-EACH_END:]]
    lines = [_answer(solution, node, outcome, value) for outcome, value in found]
    best = set(solution.strategies) == {OPTIMAL}
    title = (
        f"First throws, the luckiest first, and {'the best answer' if best else 'what is played'}"
    )
    return Opening(title, tuple(lines))


def _answer(solution: Solution, node: Position, outcome: Outcome, value: float) -> OpeningLine:
    reached = node.after(outcome)
    best = solution.best(reached) if reached.seat == node.seat and reached.moves() else None
    return OpeningLine(outcome.text, best.name if best is not None else "", value)

"""The kinds of random games, each with how it is compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.random_games.games import by_seed
from tests.random_games.keeping import keeping_by_seed
from tests.random_games.lasting import lasting_by_seed
from tests.random_games.usual import points_by_seed, usual_by_seed
from tests.reference.against import PARTS, Comparison

ODD, KEEPING, USUAL, POINTS = "odd", "keeping", "usual", "points"
LASTING = "lasting"


def comparison(kind: str, seed: int, parts: Sequence[str] = PARTS) -> Comparison:
    """Return the comparison of the game of a kind that has a seed."""
    return KINDS[kind](seed, parts)


def _odd(seed: int, parts: Sequence[str]) -> Comparison:
    return Comparison(by_seed(seed), parts=parts)


def _keeping(seed: int, parts: Sequence[str]) -> Comparison:
    return Comparison(keeping_by_seed(seed), parts=parts)


def _usual(seed: int, parts: Sequence[str]) -> Comparison:
    text, limited = usual_by_seed(seed), usual_by_seed(seed, limited=True)
    return Comparison(text, limited * (limited != text), most=3_000, parts=parts)


def _points(seed: int, parts: Sequence[str]) -> Comparison:
    return Comparison(points_by_seed(seed), most=3_000, parts=parts)


def _lasting(seed: int, parts: Sequence[str]) -> Comparison:
    return Comparison(lasting_by_seed(seed), parts=parts)


KINDS: dict[str, Callable[[int, Sequence[str]], Comparison]] = {
    ODD: _odd, KEEPING: _keeping, USUAL: _usual, POINTS: _points, LASTING: _lasting,
}  # fmt: skip
"""All grammar, alone and together; many small dice; the forms that people play; those for points,
which players may play to win; those that have a long run."""

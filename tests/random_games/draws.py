"""Where the choices of a random game come from: a seed, or hypothesis, which can shrink them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeVar

from attrs import frozen
from hypothesis import strategies as st

T = TypeVar("T")


class Draws(Protocol):
    """Makes choices; the first of the options, and no, are the simplest."""

    def one(self, options: Sequence[T]) -> T: ...

    def often(self, percent: int) -> bool: ...


@frozen
class BySeed:
    """Choices that depend on a seed alone."""

    random: Random

    def one(self, options: Sequence[T]) -> T:
        return self.random.choice(options)

    def often(self, percent: int) -> bool:
        return self.random.randrange(100) < percent


@frozen
class ByHypothesis:
    """Choices that hypothesis makes, and makes simpler where a test fails."""

    draw: st.DrawFn

    def one(self, options: Sequence[T]) -> T:
        return self.draw(st.sampled_from(options))

    def often(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

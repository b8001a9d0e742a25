"""What every method tells: whether it fits a model, what it will cost, the solution, its values.

`solve`, `inspect` and whatever refuses a game ask the same object, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from math import inf
from typing import ClassVar, Protocol, Self

import numpy as np
from attrs import frozen

from dicegames.ground.arguments import OnProgress
from dicegames.solver.blocks.pieces import Keeping
from dicegames.solver.graph.states import MOST_LISTED_STATES
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Model
from dicegames.solver.solved import Solve, Solved

OPERATION_SECONDS = 2e-10
"""Of processor time, for an operation on one point."""


def _nothing(model: Model) -> Solved:
    raise AssertionError(f"{model.name} is only looked at")


@frozen
class Asked:
    """How a model is to be solved: limits, and `solve` for the parts of which it is made up."""

    workers: Workers
    memory: int | None = None  # bytes, for tables and scratch
    states: int = MOST_LISTED_STATES  # that are listed at most
    progress: OnProgress | None = None
    goes_on: bool = True  # whether another method goes on where sweeps do not settle
    keeping: Keeping | None = None  # where the values go, if not to memory
    in_folder: bool = False  # whether they do, or would
    counted: float = inf  # entries of tables of which it is found out how many can come up
    solve: Solve = _nothing


@frozen
class Cost:
    """What is known of a solve before it starts.

    `reachable` is -1 where it is not known; then memory (bytes) and time (seconds) are for all
    states that could be, an upper bound, and `least` is the memory that is needed in any case.
    `impossible` says why the model cannot be solved, whatever is allowed; `at_any_size`:
    a smaller one could not be either. `disk` is what the values take if they are kept in a folder,
    0 where they are not, or need not be. A point leads on to later layers in so many `ways`, such
    as one for each box.
    """

    form: str
    why: str
    nodes: int
    edges: int
    reduced_nodes: int
    table_states: int
    memory: int
    seconds: float
    reachable: int = -1
    layers: int = -1
    progress: str = ""
    cyclic: bool = True
    least: int = 0
    impossible: str = ""
    at_any_size: bool = False
    disk: int = 0
    ways: int = 1
    layer_sizes: tuple[int, ...] = ()  # points, in the order of play; of inner ones each counts
    images: int = 0  # points that have the values of others, with axes renamed


class Method(Protocol):
    """One way to solve, made ready for a model."""

    form: ClassVar[str]
    """Its name, for people; the method of a solution may say more."""
    mark: ClassVar[str]
    """The array by which its values are known when they are saved; empty: there is no other."""
    values: ClassVar[type]
    """What evaluates its solutions."""

    @classmethod
    def fit(cls, model: Model, asked: Asked, why: str) -> Self:
        """Make it ready; SolveError(UNSUPPORTED) where it does not fit.

        `why` says why the method before it does not fit.
        """

    def cost(self, asked: Asked) -> Cost:
        """What solving will take; SolveError where that is not known in time."""

    def solve(self, asked: Asked) -> Solved:
        """Solve; SolveError where that is not possible."""

    @classmethod
    def pack(cls, solved: Solved, inside: Pack) -> dict[str, Array]:
        """Return the values as arrays by name; `inside` does so for a solved part."""

    @classmethod
    def unpack(cls, bare: Solved, arrays: Packed, inside: Unpack, solve: Solve) -> Solved:
        """Return a solved model with its values, from the same without them; raises Unfit.

        `inside` does so for a part, and `solve` solves one. The method is told as `solve` tells it.
        """


# ---- values as arrays


class Unfit(ValueError):
    """Arrays that are not what a model asks for; the message says in what."""


class Packed(Protocol):
    """Arrays by name, each of which is unpacked in the form that is asked for, or not at all."""

    @property
    def names(self) -> AbstractSet[str]:
        """The names of the arrays."""

    def take(self, name: str, kind: str, *shape: int | None) -> Array:
        """Return an array of floats ("f") or whole numbers ("i"); None is any length."""

    def without(self, *names: str) -> Packed:
        """Return the others."""


Pack = Callable[[Solved], dict[str, Array]]
Unpack = Callable[[Solved, Packed], Solved]


def demand_names(arrays: Packed, *names: str) -> None:
    """Raise Unfit unless these are the arrays."""
    if arrays.names != set(names):
        raise Unfit("its arrays are not those of the game")


def ascending(numbers: Array, end: int) -> Array:
    """Return whole numbers that rise, from 0 up to, but not including, `end`; raises Unfit."""
    if not numbers.size or numbers[0] < 0 or numbers[-1] >= end or not (np.diff(numbers) > 0).all():
        raise Unfit("a state is listed twice, or is none of the game")
    return numbers


def finite(values: Array) -> Array:
    """Return values, none of which is infinite or unknown; raises Unfit."""
    if not np.isfinite(values).all():
        raise Unfit("a value is not finite")
    return values

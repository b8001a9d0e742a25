"""What a solve returns: the value at the start, its bounds, the tables, and values on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from attrs import field, frozen

from dicegames.solver.model import Array, Model
from dicegames.solver.status import State, Status

Value = float | tuple[float, ...]


class Evaluator(Protocol):
    """Gives the value of any state of a solved model."""

    def value_at(self, node: int, point: tuple[int, ...]) -> Value:
        """The value; LookupError where it is not known."""


@runtime_checkable
class ReadBetween(Evaluator, Protocol):
    """Gives values by tables that are read between their points, too."""

    def value_between(self, node: int, point: tuple[int, ...]) -> Value:
        """The value of a state in which a turn begins, as the turn before reads it."""


@frozen(eq=False)
class Solved:
    """A solved model; values are for seat 0, the mover of a state, or a tuple by seat.

    `lower` and `upper` enclose `value` at the distance `error_bound`: the gap of the cycles, and
    the rounding (depth x unit in the last place x largest number).  Tables have the shape of the
    axes and hold NaN at points that cannot be reached.
    """

    model: Model
    status: Status
    value: Value
    error_bound: float
    method: str
    seconds: float
    detail: str = ""
    trouble: tuple[State, ...] = ()  # states in which it lies that there is no value
    stuck: int | None = None  # the node of a choice at which there may be no legal move
    states_stored: int = 0
    states_reachable: int = 0
    layers: int = 0
    cycles: int = 0
    tables: Mapping[int, Array] = field(factory=dict, repr=False)
    gains: tuple[float, ...] = ()  # what each seat could still gain alone, where it was computed
    estimate: float = float("nan")  # on a grid: what twice the step changes at the start
    estimate_anywhere: float = float("nan")  # the same, where it changes most; see `grid`
    counting: int = 0  # in how many states best play goes by how often it has come back there
    residual: float = 0.0  # what rounds differ by there; on a grid: the error bound of the model
    evaluator: Evaluator | None = field(default=None, repr=False)

    @property
    def lower(self) -> Value:
        """The lower bound of the value."""
        return away(self.value, -self.error_bound)

    @property
    def upper(self) -> Value:
        """The upper bound of the value."""
        return away(self.value, self.error_bound)

    def value_at(self, node: int, point: tuple[int, ...], *, between: bool = False) -> Value:
        """Value of the state (node, point); LookupError where it is not known.

        Stored nodes are read from their tables, other nodes are evaluated from them. On a grid the
        turn is played out; `between`: where one begins, the value that the turn before reads.
        """
        if self.evaluator is None:
            raise LookupError(f"there are no values: {self.status.value}")
        if not 0 <= node < self.model.nodes:
            raise LookupError(f"there is no node {node}")
        if len(point) != len(self.model.axes):
            raise LookupError(f"a point has {len(self.model.axes)} indices, not {len(point)}")
        for axis, index in zip(self.model.axes, point, strict=True):
            if not (0 <= index < axis.size or (axis.unbounded and index >= 0)):
                raise LookupError(f"index {index} is outside axis {axis.name!r}")
        if between and isinstance(self.evaluator, ReadBetween):
            return self.evaluator.value_between(node, point)
        return self.evaluator.value_at(node, point)


Solve = Callable[[Model], Solved]
"""Solves a model, by whatever method fits it."""


def away(value: Value, by: float) -> Value:
    """Return a value with something added, for every seat."""
    return tuple(v + by for v in value) if isinstance(value, tuple) else value + by

"""The model: a control graph over axes, the only thing the solver is given.

A state is a pair (node, point); a point holds one index per axis.  With `V` the value seen by the
mover, `r` the reward of an edge read at the old point and `p'` the point after its effect::

    CHANCE   V(n, p) = sum over edges of weight * (r(p) + V(target, p'))
    CHOICE   V(n, p) = best over edges whose guard holds at p of r(p) + V(target, p')
    BRANCH   V(n, p) = r(p) + V(target, p') of the one edge whose guard holds at p
    END      V(n, p) = 0

*Best* is the maximum, or the minimum where the model minimises.  On an edge with `rotate` = k the
seats move on: seat j of the source is seat (j - k) mod seats of the target.  With two seats whose
payoffs add up to C from every position a single number suffices, and V(target, p') is replaced by
C - V(target, p').

This module imports no compiled code; it describes and checks data only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from math import prod
from typing import Any, Final

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from dicegames.solver.status import SolveError, Status

CHANCE: Final = 0
CHOICE: Final = 1
BRANCH: Final = 2
END: Final = 3

VALUE_BYTES: Final = 8
"""A value in double precision."""
MANY_ENTRIES: Final = 1 << 16
"""Entries from which on a lookup of few different ones is kept by codes."""
CODED_AT_ONCE: Final = 1 << 15  # entries that are coded at once
FEW_ENTRIES: Final = 16  # different entries at most
TIE: Final = 1e-9
"""Moves whose values differ by no more are equally good: the first in the rules is played."""


def as_good(value: Any, best: Any, sense: float) -> Any:
    """Whether a move is as good as the best one: numbers or arrays; sense -1 if little is best."""
    return sense * value >= sense * best - TIE


Array = NDArray[Any]


@frozen
class Axis:
    """A variable of a point: an index from 0 up to, but not including, `size`."""

    name: str
    size: int
    kind: str  # "set" (the index is a bit mask), "counter", "flag", "enum"
    offset: int = 0  # a counter shows offset + step * index
    step: int = 1
    inner: bool = False  # changes inside a turn, strictly in one direction; these axes are last
    unbounded: bool = False  # a counter without upper limit, closed by an affine tail


@frozen(eq=False)
class Lookup:
    """A table over named axes (ascending), shape = their sizes, in C order.

    `values` is bool for a guard, int32 for a new index of an axis (-1 where the guard excludes
    it, at or above the size where it runs over an unbounded axis), float64 for a reward. Large
    rewards of `few` different entries, such as what a place in the ranking pays, are `kept` by
    codes of a byte that number these; else they are kept as they are.
    """

    axes: tuple[int, ...]
    kept: Array
    few: Array | None = None  # in the order in which they come up

    @classmethod
    def of(cls, axes: tuple[int, ...], values: Array) -> Lookup:
        """The lookup of some values, by codes where that takes less."""
        coded = values.size >= MANY_ENTRIES and values.dtype == np.float64 and _coded(values)
        return cls(axes, *coded) if coded else cls(axes, values)

    @cached_property
    def _key(self) -> Hashable:
        few = None if self.few is None else self.few.tobytes()
        entries = sha256(np.ascontiguousarray(self.kept).data).digest()
        return self.axes, self.dtype.str, few, entries

    def __eq__(self, other: object) -> bool:
        """Whether all entries are the same."""
        return isinstance(other, Lookup) and self._key == other._key

    def __hash__(self) -> int:
        """The same for equal lookups."""
        return hash(self._key)

    @property
    def values(self) -> Array:
        """The entries; those kept by codes are read anew each time."""
        return self.kept if self.few is None else self.few[self.kept]

    @property
    def dtype(self) -> np.dtype[Any]:
        """What it holds: bool, int32 or float64."""
        return (self.kept if self.few is None else self.few).dtype


def _coded(values: Array) -> tuple[Array, Array] | None:
    """The codes of the entries of a table, and what they stand for; None if these are not few.

    A piece at a time, which stays in memory that is at hand.
    """
    flat, kept, few = values.ravel(), np.zeros(values.size, np.uint8), list[Any]()
    for at in range(0, flat.size, CODED_AT_ONCE):
        part, codes = flat[at : at + CODED_AT_ONCE], kept[at : at + CODED_AT_ONCE]
        left, code = np.ones(part.size, np.bool_), 0
        while left.any():
            if code == len(few):
                if code == FEW_ENTRIES:
                    return None
                few.append(part[left.argmax()])
            here = part == few[code]
            np.putmask(codes, here, code)
            left &= ~here
            code += 1
    return kept.reshape(values.shape), np.array(few)


Columns = Mapping[int, Array]
"""Axis -> the values that it shows, in arrays that broadcast."""
Shared = dict[int, Any]
"""What has been computed already for the same columns."""


@frozen(eq=False)
class Formula:
    """A lookup over more points than a table could hold, computed where it is needed.

    A guard gives truth values and a reward numbers; an effect gives what the axis shows, not its
    index. `text` tells formulas apart. `sums` are pairs of axes of which only the sum is read.
    """

    axes: tuple[int, ...]
    compute: Callable[[Columns, Shared], Any]
    text: str
    dtype: np.dtype[Any]
    sums: frozenset[frozenset[int]] = frozenset()
    few: None = None

    @property
    def values(self) -> Array:
        """There is no table: SolveError."""
        raise SolveError(Status.UNSUPPORTED, "what the rules compare has too many values")

    kept = values


@frozen
class Effect:
    """New indices by axis, as pairs (axis, lookup number); all of them read the old point."""

    assign: tuple[tuple[int, int], ...] = ()


@frozen
class Reward:
    """A constant plus the sum of float lookups at the old point, for a seat of the source."""

    constant: float = 0.0
    lookups: tuple[int, ...] = ()


@frozen(eq=False)
class Settled:
    """What is known beforehand: far down and far up one outer counter the value is a constant.

    At an outer point the value is `below` where the counter's index is under `first`, and `above`
    from `last` on. Both arrays are int32 and have the shape of a table without that axis.
    """

    axis: int
    first: Array
    last: Array
    below: float
    above: float


@frozen(eq=False)
class Model:
    """A control graph of N nodes and E edges over axes (see the module's text)."""

    name: str
    axes: tuple[Axis, ...]
    lookups: tuple[Lookup | Formula, ...]
    guards: tuple[tuple[int, ...], ...]  # conjunctions of bool lookups; guard 0 = () = always
    effects: tuple[Effect, ...]  # effect 0 = identity
    rewards: tuple[Reward, ...]  # reward 0 = zero
    kind: Array  # int8[N]
    chooser: Array  # int8[N], seat that chooses relative to the mover (CHOICE), else 0
    stored: Array  # bool[N], nodes whose values are kept in tables; never END
    first_edge: Array  # int64[N + 1]
    target: Array  # int32[E]
    weight: Array  # float64[E], probability at CHANCE, 1 elsewhere
    guard: Array  # int32[E]
    effect: Array  # int32[E]
    reward: Array  # int32[E]
    rotate: Array  # int8[E]
    start: int
    start_point: tuple[int, ...]
    seats: int = 1
    maximise: bool = True
    constant_sum: float | None = None
    drawn: Array | None = None  # bool[N], chance nodes that `sampled` estimates
    settled: Settled | None = None  # saves work, changes no value
    average: bool = False  # the value is the reward per turn in the long run; see `turns`
    other_rewards: Array | None = None  # int32[E, seats - 1], of the seats after seat 0; None: 0

    @property
    def nodes(self) -> int:
        """Number of control nodes."""
        return len(self.kind)

    @property
    def edges(self) -> int:
        """Number of edges."""
        return len(self.target)

    @property
    def sources(self) -> Array:
        """The source node of every edge: int64[E]."""
        return np.repeat(np.arange(self.nodes), np.diff(self.first_edge))

    @property
    def end(self) -> int:
        """The first node at which play ends."""
        return int(np.flatnonzero(self.kind == END)[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes: the shape of a full table."""
        return tuple(axis.size for axis in self.axes)

    @property
    def unbounded(self) -> bool:
        """Whether a counter is without upper limit."""
        return any(axis.unbounded for axis in self.axes)

    @property
    def points(self) -> int:
        """Number of points: the entries of a full table."""
        return prod(self.shape)

    def position(self, point: Sequence[int]) -> int:
        """Where a point stands in a full table."""
        return int(np.ravel_multi_index(point, self.shape)) if self.axes else 0

    def point_at(self, position: int) -> tuple[int, ...]:
        """The point that stands at a position in a full table."""
        return tuple(int(i) for i in np.unravel_index(position, self.shape)) if self.axes else ()

    @property
    def rewards_by_seat(self) -> Array:
        """The rewards of every edge, of each seat: int32[E, seats]."""
        others = self.other_rewards
        if others is None:
            others = np.zeros((self.edges, self.seats - 1), np.int32)
        return np.column_stack([self.reward, others])

    @property
    def sense(self) -> float:
        """1 where much is best, else -1."""
        return 1.0 if self.maximise else -1.0

    @property
    def scalar(self) -> bool:
        """Whether one number tells the values of all seats."""
        return self.seats == 1 or (self.seats == 2 and self.constant_sum is not None)

    def with_edges(self, kept: Array, **changes: Any) -> Model:
        """The model with some edges only: bool[E], or numbers that ascend by source.

        `changes` take the place of the arrays of these edges, or of other parts of the model.
        """
        first = rows_begin(np.bincount(self.sources[kept], minlength=self.nodes))
        arrays = {name: getattr(self, name)[kept] for name in EDGE_ARRAYS}
        if self.other_rewards is not None:
            arrays["other_rewards"] = self.other_rewards[kept]
        return evolve(self, first_edge=first, **(arrays | changes))

    def begun_at(self, nodes: Array) -> Model:
        """The model that begins with a choice, its last node, of some nodes.

        So the values of all of these are found, not only of those to which the best play leads.
        """
        zeros, others = np.zeros(len(nodes), np.int32), self.other_rewards
        arrays: dict[str, Any] = {
            name: np.append(getattr(self, name), zeros.astype(dtype))
            for name, dtype in EDGE_ARRAYS.items()
        }
        arrays["target"][self.edges :], arrays["weight"][self.edges :] = nodes, 1.0
        if others is not None:
            arrays["other_rewards"] = np.pad(others, [(0, len(nodes)), (0, 0)])
        return evolve(
            self,
            kind=np.append(self.kind, np.int8(CHOICE)),
            chooser=np.append(self.chooser, np.int8(0)),
            stored=np.append(self.stored, False),
            first_edge=np.append(self.first_edge, self.edges + len(nodes)),
            start=self.nodes,
            **arrays,
        )


@frozen(eq=False)
class Grid:
    """What is kept: `kept` has the values shown by each thinned axis, ascending, from the first on.

    A value beyond the last one counts as the last. `levels` is how many values the counter inside
    a turn has; more counts as the last. Where a turn is played out by itself there are `farthest`.
    `balanced`: what all seats gain adds up to nothing. `turns` are the axes that count rounds and
    seats, if any; `sums` are groups of axes, one for each variable.
    """

    kept: Mapping[int, Array]
    levels: int
    farthest: int
    balanced: bool = False
    turns: tuple[int, int] | None = None
    sums: tuple[tuple[int, ...], ...] = ()


def over(axes: Iterable[int], own: tuple[int, ...], values: Array) -> Array:
    """Values over their `own` axes with a dimension for each of `axes`; both ascend."""
    sizes = iter(values.shape)
    return values.reshape([next(sizes) if axis in own else 1 for axis in axes])


def rows_begin(lengths: Array) -> Array:
    """Where each of some rows begins that lie one after the other, and the end: int64[rows + 1]."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def rows_taken(first: Array, rows: Array) -> tuple[Array, Array]:
    """Where each of some rows begins that are put one after the other, and their old entries."""
    lengths = first[rows + 1] - first[rows]
    begin = rows_begin(lengths)
    return begin, np.repeat(first[rows] - begin[:-1], lengths) + np.arange(begin[-1])


def met_along(begun: Array, source: Array, target: Array) -> Array:
    """Which nodes edges lead to from some, and these: bool[N]."""
    met, count = begun.copy(), 0
    while count != (count := int(np.count_nonzero(met))):
        met[target[met[source]]] = True
    return met


NODE_ARRAYS: Final = {"kind": np.int8, "chooser": np.int8, "stored": np.bool_}
EDGE_ARRAYS: Final = {
    "target": np.int32,
    "weight": np.float64,
    "guard": np.int32,
    "effect": np.int32,
    "reward": np.int32,
    "rotate": np.int8,
}


def fingerprint(model: Model) -> str:
    """Hash of everything that can change a value: 64 hexadecimal digits (SHA-256)."""
    digest = sha256()

    def add(*parts: object) -> None:
        digest.update(repr(parts).encode())

    def add_array(array: Array) -> None:
        add(array.dtype.str, array.shape)
        digest.update(np.ascontiguousarray(array).data)

    add("model 1", model.axes, model.guards, model.effects, model.rewards)
    for lookup in model.lookups:
        add(lookup.axes)
        if isinstance(lookup, Formula):
            add(lookup.text)
        else:
            add_array(lookup.values)
    for name in (*NODE_ARRAYS, "first_edge", *EDGE_ARRAYS):
        add_array(getattr(model, name))
    if model.other_rewards is not None:
        add_array(model.other_rewards)
    add(int(model.start), tuple(int(i) for i in model.start_point))
    add(int(model.seats), bool(model.maximise), model.constant_sum, bool(model.average))
    return digest.hexdigest()

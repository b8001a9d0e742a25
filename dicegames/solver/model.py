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

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from dicegames.solver.status import SolveError, Status

CHANCE: Final = 0
CHOICE: Final = 1
BRANCH: Final = 2
END: Final = 3

TIE: Final = 1e-9
"""Moves whose values differ by no more are equally good: the first in the rules is played."""


def as_good(value: Any, best: Any, sense: float) -> Any:
    """Whether a move is as good as the best one: numbers or arrays; sense -1 if little is best."""
    return sense * value >= sense * best - TIE


AXIS_KINDS: Final = frozenset({"set", "counter", "flag", "enum"})

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


@frozen
class Lookup:
    """A small table over named axes (ascending), shape = their sizes, in C order.

    `values` is bool for a guard, int32 for a new index of an axis (-1 where the guard excludes
    it, at or above the size where it runs over an unbounded axis), float64 for a reward.
    """

    axes: tuple[int, ...]
    values: Array = field(eq=False)

    @property
    def dtype(self) -> np.dtype[Any]:
        """What it holds: bool, int32 or float64."""
        return self.values.dtype


Columns = Mapping[int, Array]
"""Axis -> the values that it shows, in arrays that broadcast."""
Shared = dict[int, Any]
"""What has been computed already for the same columns."""


@frozen(eq=False)
class Formula:
    """A lookup over more points than a table could hold, computed where it is needed.

    A guard gives truth values and a reward numbers; an effect gives what the axis shows, not its
    index. `text` tells formulas apart.
    """

    axes: tuple[int, ...]
    compute: Callable[[Columns, Shared], Any]
    text: str
    dtype: np.dtype[Any]

    @property
    def values(self) -> Array:
        """There is no table: SolveError."""
        raise SolveError(Status.UNSUPPORTED, "what the rules compare has too many values")


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
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes: the shape of a full table."""
        return tuple(axis.size for axis in self.axes)

    @property
    def scalar(self) -> bool:
        """Whether one number tells the values of all seats."""
        return self.seats == 1 or (self.seats == 2 and self.constant_sum is not None)


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


def validate(model: Model) -> None:
    """Raise ValueError, saying what and where, unless the model is well formed."""
    _check_axes(model)
    _check_lookups(model)
    _check_parts(model)
    _check_nodes(model)
    _check_edges(model)
    _check_other_rewards(model)
    _check_chances(model)
    if model.settled is not None:
        rest = list(model.shape)
        del rest[model.settled.axis]
        for array in (model.settled.first, model.settled.last):
            _need(array.shape == tuple(rest), f"settled: shape {array.shape}")
            _need(array.dtype == np.dtype(np.int32), f"settled: dtype {array.dtype}")


def _need(condition: object, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _check_axes(model: Model) -> None:
    for axis in model.axes:
        _need(axis.kind in AXIS_KINDS, f"axis {axis.name!r}: unknown kind {axis.kind!r}")
        _need(axis.size >= 1, f"axis {axis.name!r}: size {axis.size} is below 1")
        _need(
            axis.kind != "set" or axis.size & (axis.size - 1) == 0,
            f"axis {axis.name!r}: the size of a set must be a power of two, not {axis.size}",
        )
        _need(
            not axis.unbounded or axis.kind == "counter",
            f"axis {axis.name!r}: only a counter can be unbounded",
        )
    inner = [axis.inner for axis in model.axes]
    _need(inner == sorted(inner), "axes: the inner ones come last")
    _need(len(model.start_point) == len(model.axes), "start_point: one index per axis is needed")
    for axis, index in zip(model.axes, model.start_point, strict=True):
        _need(0 <= index < axis.size, f"start_point: index {index} is outside {axis.name!r}")


def _check_lookups(model: Model) -> None:
    for number, lookup in enumerate(model.lookups):
        where = f"lookup {number}"
        _need(list(lookup.axes) == sorted(set(lookup.axes)), f"{where}: axes must ascend")
        _need(all(0 <= a < len(model.axes) for a in lookup.axes), f"{where}: there is no such axis")
        shape = tuple(model.axes[a].size for a in lookup.axes)
        if isinstance(lookup, Formula):
            continue
        values = lookup.values
        _need(values.shape == shape, f"{where}: shape {values.shape} instead of {shape}")
        _need(values.flags.c_contiguous, f"{where}: values must be in C order")
        _need(
            values.dtype in (np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.float64)),
            f"{where}: dtype {values.dtype} is not bool, int32 or float64",
        )
        if values.dtype == np.float64:
            _need(bool(np.isfinite(values).all()), f"{where}: a reward is not finite")


def _check_kind(model: Model, number: int, dtype: type, where: str) -> None:
    _need(0 <= number < len(model.lookups), f"{where}: there is no lookup {number}")
    found = model.lookups[number].dtype
    _need(found == np.dtype(dtype), f"{where}: lookup {number} is {found}")


def _check_parts(model: Model) -> None:
    _need(model.guards[:1] == ((),), "guards: guard 0 must be the empty conjunction")
    _need(len(model.effects) > 0 and not model.effects[0].assign, "effects: 0 must be identity")
    _need(len(model.rewards) > 0 and model.rewards[0] == Reward(0.0, ()), "rewards: 0 must be 0")
    for number, guard in enumerate(model.guards):
        for lookup in guard:
            _check_kind(model, lookup, np.bool_, f"guard {number}")
    for number, effect in enumerate(model.effects):
        changed = [axis for axis, _ in effect.assign]
        _need(len(set(changed)) == len(changed), f"effect {number}: an axis is assigned twice")
        for axis, lookup in effect.assign:
            _check_kind(model, lookup, np.int32, f"effect {number}")
            _need(0 <= axis < len(model.axes), f"effect {number}: there is no axis {axis}")
            if isinstance(model.lookups[lookup], Formula):
                continue
            values = model.lookups[lookup].values
            size = model.axes[axis].size
            _need(int(values.min(initial=0)) >= -1, f"effect {number}: an index is below -1")
            _need(
                model.axes[axis].unbounded or int(values.max(initial=0)) < size,
                f"effect {number}: an index of {model.axes[axis].name!r} is not below {size}",
            )
    for number, reward in enumerate(model.rewards):
        _need(bool(np.isfinite(reward.constant)), f"reward {number}: it is not finite")
        for lookup in reward.lookups:
            _check_kind(model, lookup, np.float64, f"reward {number}")


_NODE_ARRAYS: Final = {"kind": np.int8, "chooser": np.int8, "stored": np.bool_}
_EDGE_ARRAYS: Final = {
    "target": np.int32,
    "weight": np.float64,
    "guard": np.int32,
    "effect": np.int32,
    "reward": np.int32,
    "rotate": np.int8,
}


def _check_nodes(model: Model) -> None:
    for name, dtype in _NODE_ARRAYS.items():
        array = getattr(model, name)
        _need(array.dtype == np.dtype(dtype), f"{name}: dtype {array.dtype}")
        _need(array.shape == (model.nodes,), f"{name}: shape {array.shape}")
    first = model.first_edge
    _need(first.dtype == np.dtype(np.int64), f"first_edge: dtype {first.dtype}")
    _need(first.shape == (model.nodes + 1,), f"first_edge: shape {first.shape}")
    _need(int(first[0]) == 0 and int(first[-1]) == model.edges, "first_edge: wrong ends")
    counts = np.diff(first)
    _need(bool((counts >= 0).all()), "first_edge: it must not fall")
    _need(bool(((model.kind >= CHANCE) & (model.kind <= END)).all()), "kind: unknown node kind")
    ends = model.kind == END
    _need(not bool(counts[ends].any()), "an END node has edges")
    bare = np.flatnonzero(~ends & (counts == 0))
    _need(bare.size == 0, f"node {bare[:1]} has no edges")
    _need(not bool((model.stored & ends).any()), "stored: an END node is stored")
    _need(
        bool(((model.chooser >= 0) & (model.chooser < model.seats)).all()), "chooser: no such seat"
    )
    _need(0 <= model.start < model.nodes, f"start: there is no node {model.start}")
    _need(bool(model.stored[model.start]), "start: the start node must be stored")
    _need(model.seats >= 1, "seats: at least one is needed")
    _need(
        model.constant_sum is None or model.seats == 2, "constant_sum: it needs exactly two seats"
    )


def _check_edges(model: Model) -> None:
    limits = {
        "target": model.nodes,
        "guard": len(model.guards),
        "effect": len(model.effects),
        "reward": len(model.rewards),
        "rotate": model.seats,
    }
    for name, dtype in _EDGE_ARRAYS.items():
        array = getattr(model, name)
        _need(array.dtype == np.dtype(dtype), f"{name}: dtype {array.dtype}")
        _need(array.shape == (model.edges,), f"{name}: shape {array.shape}")
        if name in limits:
            wrong = np.flatnonzero((array < 0) | (array >= limits[name]))
            _need(wrong.size == 0, f"{name}: edge {wrong[:1]} is out of range")


def _check_other_rewards(model: Model) -> None:
    others = model.other_rewards
    if others is None:
        return
    shape = (model.edges, model.seats - 1)
    _need(others.dtype == np.dtype(np.int32), f"other_rewards: dtype {others.dtype}")
    _need(others.shape == shape, f"other_rewards: shape {others.shape} instead of {shape}")
    _need(bool(((others >= 0) & (others < len(model.rewards))).all()), "other_rewards: no reward")
    _need(not model.scalar, "other_rewards: one number tells the values of all seats")


def _check_chances(model: Model) -> None:
    source = np.repeat(np.arange(model.nodes), np.diff(model.first_edge))
    chance = model.kind[source] == CHANCE
    guarded = np.flatnonzero(chance & (model.guard != 0))
    _need(guarded.size == 0, f"edge {guarded[:1]}: a chance edge carries a guard")
    wrong = np.flatnonzero(chance & ~((model.weight > 0) & (model.weight <= 1 + 1e-12)))
    _need(wrong.size == 0, f"edge {wrong[:1]}: its weight is not a probability above zero")
    total = np.bincount(source, model.weight, model.nodes)
    off = np.flatnonzero((model.kind == CHANCE) & (np.abs(total - 1) > 1e-9))
    _need(off.size == 0, f"node {off[:1]}: the weights add up to {total[off[:1]]}")
    odd = np.flatnonzero(~chance & (model.weight != 1))
    _need(odd.size == 0, f"edge {odd[:1]}: only a chance edge has a weight other than 1")


def fingerprint(model: Model) -> str:
    """Hash of everything that can change a value: 64 hexadecimal digits (SHA-256)."""
    digest = hashlib.sha256()

    def add(*parts: object) -> None:
        digest.update(repr(parts).encode())

    def add_array(array: Array) -> None:
        add(array.dtype.str, array.shape)
        digest.update(np.ascontiguousarray(array).tobytes())

    add("model 1", model.axes, model.guards, model.effects, model.rewards)
    for lookup in model.lookups:
        add(lookup.axes)
        if isinstance(lookup, Formula):
            add(lookup.text)
        else:
            add_array(lookup.values)
    for name in (*_NODE_ARRAYS, "first_edge", *_EDGE_ARRAYS):
        add_array(getattr(model, name))
    if model.other_rewards is not None:
        add_array(model.other_rewards)
    add(int(model.start), tuple(int(i) for i in model.start_point))
    add(int(model.seats), bool(model.maximise), model.constant_sum, bool(model.average))
    return digest.hexdigest()

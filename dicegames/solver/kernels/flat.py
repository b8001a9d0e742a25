"""The model laid out in plain arrays, the way the kernels read it.

All lookups of one type share one pool; lookup k reads ``pool[offset[k] + sum(index * stride)]``
over its axes.  Large rewards of few different entries have codes among the bools, and what these
mean among the floats.  Indices above the size of an unbounded axis are clamped in guards, and
extended by the last step in effects and rewards (see `tail`).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.model import EDGE_ARRAYS, Array, Model, rows_begin


class Flat(NamedTuple):
    """Arrays of a model; `*_first` arrays are offsets in the manner of compressed rows."""

    kind: Vector[np.int8]  # [N]
    first_edge: Vector[np.int64]  # [N + 1]
    target: Vector[np.int32]  # [E]
    weight: Vector[np.float64]  # [E]
    guard: Vector[np.int32]  # [E]
    effect: Vector[np.int32]  # [E]
    reward: Vector[np.int32]  # [E]
    rotate: Vector[np.int8]  # [E]
    guard_first: Vector[np.int32]  # [guards + 1]
    guard_lookup: Vector[np.int32]
    effect_first: Vector[np.int32]  # [effects + 1]
    effect_axis: Vector[np.int32]
    effect_lookup: Vector[np.int32]
    reward_constant: Vector[np.float64]  # [rewards]
    reward_first: Vector[np.int32]  # [rewards + 1]
    reward_lookup: Vector[np.int32]
    lookup_first: Vector[np.int32]  # [lookups + 1]
    lookup_axis: Vector[np.int32]
    lookup_stride: Vector[np.int64]
    lookup_offset: Vector[np.int64]  # [lookups]
    meaning: Vector[np.int64]  # [lookups]: where in `floats` stands what codes mean; -1: no codes
    bools: Vector[np.uint8]
    indices: Vector[np.int32]
    floats: Vector[np.float64]
    size: Vector[np.int64]  # [axes]
    stride: Vector[np.int64]  # [axes], of a full table


def rows(parts: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Compressed rows: offsets int32[len + 1] and the entries, int32."""
    first = rows_begin(np.array([len(part) for part in parts], np.int64)).astype(np.int32)
    return first, np.array([entry for part in parts for entry in part], np.int32)


def strides(shape: Sequence[int]) -> Array:
    """Strides in elements of a C-ordered array, int64."""
    out = np.ones(len(shape), np.int64)
    for axis in range(len(shape) - 2, -1, -1):
        out[axis] = out[axis + 1] * shape[axis + 1]
    return out


POOLS = {"b": np.uint8, "i": np.int32, "f": np.float64}


def _pools(model: Model, wanted: Container[int]) -> tuple[Array, Array, Array, Array, Array]:
    """Where lookups begin, and their meanings; the pools of bools and codes, indices, floats."""
    pools: dict[str, list[Array]] = {sort: [np.empty(0, dtype)] for sort, dtype in POOLS.items()}
    offset = np.zeros(len(model.lookups), np.int64)
    meaning = np.full(len(model.lookups), -1)
    lengths = dict.fromkeys(POOLS, 0)

    def put(sort: str, entries: Array) -> int:
        pools[sort].append(entries)
        lengths[sort] += entries.size
        return lengths[sort] - entries.size

    for number, lookup in enumerate(model.lookups):
        if number not in wanted:
            continue
        sort = lookup.dtype.kind
        if lookup.few is not None:
            sort, meaning[number] = "b", put("f", lookup.few)
        offset[number] = put(sort, lookup.kept.ravel())
    bools, indices, floats = (np.concatenate(parts, dtype=POOLS[s]) for s, parts in pools.items())
    return offset, meaning, bools, indices, floats


def flatten(model: Model, wanted: Container[int] | None = None) -> Flat:
    """The arrays of `model`, all copied, so that the kernels meet one type only.

    `wanted` are the lookups that will be read, where not all.
    """
    guard_first, guard_lookup = rows(model.guards)
    effect_first, effect_axis = rows([[a for a, _ in e.assign] for e in model.effects])
    _, effect_lookup = rows([[k for _, k in e.assign] for e in model.effects])
    reward_first, reward_lookup = rows([r.lookups for r in model.rewards])
    lookup_first, lookup_axis = rows([k.axes for k in model.lookups])
    steps = [strides([model.axes[a].size for a in k.axes]) for k in model.lookups]
    wanted = range(len(model.lookups)) if wanted is None else wanted
    offset, meaning, bools, indices, floats = _pools(model, wanted)
    return Flat(
        **{name: np.array(getattr(model, name)) for name in ("kind", "first_edge", *EDGE_ARRAYS)},
        guard_first=guard_first,
        guard_lookup=guard_lookup,
        effect_first=effect_first,
        effect_axis=effect_axis,
        effect_lookup=effect_lookup,
        reward_constant=np.array([r.constant for r in model.rewards], np.float64),
        reward_first=reward_first,
        reward_lookup=reward_lookup,
        lookup_first=lookup_first,
        lookup_axis=lookup_axis,
        lookup_stride=np.concatenate([np.zeros(0, np.int64), *steps]),
        lookup_offset=offset,
        meaning=meaning,
        bools=bools,
        indices=indices,
        floats=floats,
        size=np.array(model.shape, np.int64),
        stride=strides(model.shape),
    )

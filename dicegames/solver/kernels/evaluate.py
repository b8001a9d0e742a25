"""Kernels that read the model at one point: guards, effects, rewards of an edge.

They take the arrays of `flat.Flat` and a point (one index per axis) and know nothing else.
"""

from __future__ import annotations

from typing import Any

from dicegames.solver.kernels.flat import Flat
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

KERNEL_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
# Kernels that allocate nothing go without reference counts, which cost more than the work itself.
PURE: dict[str, Any] = {**KERNEL_OPTIONS, "allocates": False}
INLINE: dict[str, Any] = {**PURE, "inline": "always"}
# Kernels that only kernels call have no use for a way in from Python, which takes long to compile.
INNER: dict[str, Any] = {**PURE, "from_python": False}


@njit(**INLINE)
def lookup_position(f: Flat, lookup: int, point: Array) -> int:
    """Position of a lookup's entry in its pool."""
    position = f.lookup_offset[lookup]
    for k in range(f.lookup_first[lookup], f.lookup_first[lookup + 1]):
        position += point[f.lookup_axis[k]] * f.lookup_stride[k]
    return position


@njit(**INLINE)
def reward_position(f: Flat, lookup: int, position: int) -> int:
    """Position among the floats of what a reward's lookup says at a position in its pool."""
    meaning = f.meaning[lookup]
    return position if meaning < 0 else meaning + f.bools[position]


@njit(**INLINE)
def guard_holds(f: Flat, guard: int, point: Array) -> bool:
    """Whether all bool lookups of a guard are true at the point."""
    for k in range(f.guard_first[guard], f.guard_first[guard + 1]):
        if f.bools[lookup_position(f, f.guard_lookup[k], point)] == 0:
            return False
    return True


@njit(**INLINE)
def move(f: Flat, effect: int, point: Array, out: Array) -> bool:
    """Write the point after an effect to `out`; False where the effect is not defined."""
    for axis in range(point.size):
        out[axis] = point[axis]
    for k in range(f.effect_first[effect], f.effect_first[effect + 1]):
        index = f.indices[lookup_position(f, f.effect_lookup[k], point)]
        if index < 0:
            return False
        out[f.effect_axis[k]] = index
    return True


@njit(**INLINE)
def reward_at(f: Flat, reward: int, point: Array, constant: Array, pool: Array) -> Any:
    """The reward at the point: `f.reward_constant` and `f.floats`, or both in other units."""
    total = constant[reward]
    for k in range(f.reward_first[reward], f.reward_first[reward + 1]):
        lookup = f.reward_lookup[k]
        total += pool[reward_position(f, lookup, lookup_position(f, lookup, point))]
    return total


@njit(**INLINE)
def flat_index(f: Flat, point: Array) -> int:
    """Position of a point in a full table."""
    position = 0
    for axis in range(point.size):
        position += point[axis] * f.stride[axis]
    return position


@njit(**INLINE)
def unflatten(f: Flat, position: int, out: Array) -> None:
    """Write the point at a position of a full table to `out`."""
    for axis in range(out.size):
        index = position // f.stride[axis]
        position -= index * f.stride[axis]
        out[axis] = index

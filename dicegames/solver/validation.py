"""Is a model well formed? What is given to the solver is looked at before it is solved."""

from __future__ import annotations

from typing import Final

import numpy as np

from dicegames.solver.model import (
    CHANCE,
    EDGE_ARRAYS,
    END,
    NODE_ARRAYS,
    Array,
    Formula,
    Model,
    Reward,
)

AXIS_KINDS: Final = frozenset({"set", "counter", "flag", "enum"})


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
            _check_array("settled", array, np.int32, tuple(rest))


def _need(condition: object, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _check_array(name: str, array: Array, dtype: type, shape: tuple[int, ...]) -> None:
    _need(array.dtype == np.dtype(dtype), f"{name}: dtype {array.dtype}")
    _need(array.shape == shape, f"{name}: shape {array.shape} instead of {shape}")


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


def _check_nodes(model: Model) -> None:
    for name, dtype in NODE_ARRAYS.items():
        _check_array(name, getattr(model, name), dtype, (model.nodes,))
    first = model.first_edge
    _check_array("first_edge", first, np.int64, (model.nodes + 1,))
    _need(int(first[0]) == 0 and int(first[-1]) == model.edges, "first_edge: wrong ends")
    counts = np.diff(first)
    _need(bool((counts >= 0).all()), "first_edge: it must not fall")
    _need(bool(((model.kind >= CHANCE) & (model.kind <= END)).all()), "kind: unknown node kind")
    ends = model.kind == END
    _need(not bool(counts[ends].any()), "an END node has edges")
    bare = np.flatnonzero(~ends & (counts == 0))
    _need(bare.size == 0, f"node {bare[:1]} has no edges")
    _need(not bool((model.stored & ends).any()), "stored: an END node is stored")
    _need(model.seats >= 1, "seats: at least one is needed")
    _need(
        bool(((model.chooser >= 0) & (model.chooser < model.seats)).all()), "chooser: no such seat"
    )
    _need(0 <= model.start < model.nodes, f"start: there is no node {model.start}")
    _need(bool(model.stored[model.start]), "start: the start node must be stored")
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
    for name, dtype in EDGE_ARRAYS.items():
        array = getattr(model, name)
        _check_array(name, array, dtype, (model.edges,))
        if name in limits:
            wrong = np.flatnonzero((array < 0) | (array >= limits[name]))
            _need(wrong.size == 0, f"{name}: edge {wrong[:1]} is out of range")


def _check_other_rewards(model: Model) -> None:
    others = model.other_rewards
    if others is None:
        return
    _check_array("other_rewards", others, np.int32, (model.edges, model.seats - 1))
    _need(bool(((others >= 0) & (others < len(model.rewards))).all()), "other_rewards: no reward")
    _need(not model.scalar, "other_rewards: one number tells the values of all seats")


def _check_chances(model: Model) -> None:
    source = model.sources
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

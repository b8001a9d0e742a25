"""One name for equal parts: lookups, guards, effects and rewards of a model in a normal form.

A lookup loses the axes on which it does not depend.  A reward lookup is split into its first entry,
which joins the constant, and the rest, where that is exact; so "goods + 36" and "goods + 50" differ
in their constants only, and edges can be compared by them.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

import numpy as np
from attrs import evolve

from dicegames.solver.graph.turn import trim
from dicegames.solver.model import Array, Effect, Formula, Lookup, Model, Reward

T = TypeVar("T", bound=Hashable)


def canonical(model: Model) -> Model:
    """The model with equal parts under one number; nodes and edges keep theirs."""
    names: dict[Lookup, int] = {}
    slim = [_slim(lookup) for lookup in model.lookups]
    plain: dict[int, int] = {}
    split: dict[int, tuple[float, int | None]] = {}
    for k, lookup in enumerate(slim):
        if lookup.dtype == np.float64:
            split[k] = _split(names, lookup)
        else:
            plain[k] = names.setdefault(lookup, len(names))
    asked = {k: plain[k] for k in plain if not bool(slim[k].values.all())}
    guards, guard = _numbered([_guard(g, asked) for g in model.guards])
    effects, effect = _numbered([_effect(model, e, plain) for e in model.effects])
    rewards, reward = _numbered([_reward(r, split) for r in model.rewards])
    others = model.other_rewards
    return evolve(
        model,
        lookups=tuple(names),
        guards=tuple(guards),
        effects=tuple(effects),
        rewards=tuple(rewards),
        guard=guard[model.guard],
        effect=effect[model.effect],
        reward=reward[model.reward],
        other_rewards=None if others is None else reward[others],
    )


def _numbered(parts: list[T]) -> tuple[list[T], Array]:
    numbers: dict[T, int] = {}
    where = [numbers.setdefault(part, len(numbers)) for part in parts]
    return list(numbers), np.array(where, np.int32)


def _slim(lookup: Lookup | Formula) -> Lookup:
    """The lookup without axes on which it does not depend."""
    axes, values, few = list(lookup.axes), lookup.kept, lookup.few
    for place in range(len(axes) - 1, -1, -1):
        first = values.take([0], axis=place)
        if values.shape[place] > 1 and not bool((values != first).any()):
            values = values.take(0, axis=place)
            del axes[place]
    if few is not None and len(axes) == len(lookup.axes):
        return Lookup(lookup.axes, values, few)
    values = values if few is None else few[values]
    return Lookup.of(tuple(axes), np.asarray(values, order="C"))


def _split(names: dict[Lookup, int], lookup: Lookup) -> tuple[float, int | None]:
    """First entry and the lookup of the differences to it; None where all are 0."""
    entries = lookup.kept if lookup.few is None else lookup.few
    base = float(entries.flat[0])
    rest = entries - base
    if not bool((rest + base == entries).all()):
        base, rest = 0.0, entries
    if not rest.any():
        return base, None
    parts = (rest + 0.0,) if lookup.few is None else (lookup.kept, rest + 0.0)
    return base, names.setdefault(Lookup(lookup.axes, *parts), len(names))


def _guard(guard: tuple[int, ...], asked: dict[int, int]) -> tuple[int, ...]:
    return tuple(sorted({asked[k] for k in guard if k in asked}))


def _effect(model: Model, effect: Effect, plain: dict[int, int]) -> Effect:
    return Effect(tuple(sorted((a, plain[k]) for a, k in trim(model, effect).assign)))


def _reward(reward: Reward, split: dict[int, tuple[float, int | None]]) -> Reward:
    constant = reward.constant + sum(split[k][0] for k in reward.lookups)
    rest = [number for k in reward.lookups if (number := split[k][1]) is not None]
    return Reward(constant, tuple(sorted(rest)))

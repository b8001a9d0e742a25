"""What has been gained so far as an axis: the model of "does it come to T?".

The model of an expected payoff forgets what was gained, since it counts at once. Whether the sum
comes to a target depends on it. So an axis is added, the last one before the inner ones: an edge
with reward r moves it on by r, and at the end of the game the reward is 1 or 0. As long as nothing
is ever lost, the axis need not go further than the target: whoever has that much has it for good
(or, where few points are good, has failed for good).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, gcd
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from dicegames.rules.running.objectives import ObjectiveError
from dicegames.solver.model import (
    BRANCH,
    CHANCE,
    END,
    Array,
    Axis,
    Effect,
    Formula,
    Lookup,
    Model,
    Reward,
    over,
    rows_begin,
)

MOST_SUMS = 10_000_000
"""Sums on the way to a target: more would be refused as too many states in any case."""
MOST_TOLD_APART = 20_000_000
"""Amounts that may be gained at once, times the points at which it is asked which of them is."""

Edge = tuple[int, float, int, int, int, int]
"""Target, weight, guard, effect, reward, rotation."""


@frozen
class Total:
    """The axis of what has been gained: index i stands for i * step, the last one for more, too.

    Where it is `certain` at the start that the target is reached, or that it never is, there is
    no such axis.
    """

    axis: int
    step: int
    last: int
    target: Fraction
    at_least: bool  # else: at most
    certain: bool | None = None

    def index(self, gained: float) -> int:
        """Return where a sum lies on the axis."""
        return min(round(gained / self.step), self.last)

    def point(self, others: tuple[int, ...], gained: float) -> tuple[int, ...]:
        """Return a point of the model; LookupError where so much cannot have been gained."""
        if self.certain is None:
            return self.inserted(others, self.index(gained))
        if self.certain != self.at_least and bool(self.reached(np.asarray(gained))) != self.certain:
            raise LookupError("the rules cannot lead to this position")
        return others

    def inserted(self, parts: tuple[Any, ...], part: Any) -> tuple[Any, ...]:
        """Return what there is for the other axes with a part for this one."""
        return (*parts[: self.axis], part, *parts[self.axis :])

    def reached(self, gained: Array) -> NDArray[np.bool_]:
        """Tell for sums at the end of the game whether they are what is wanted."""
        target = float(self.target)
        return gained >= target if self.at_least else gained <= target


def only_grows(model: Model) -> bool:
    """Tell whether whole numbers are gained and nothing is ever lost."""
    for reward in model.rewards:
        tables = [model.lookups[k].values.ravel() for k in reward.lookups]
        amounts = np.concatenate([np.array([reward.constant]), *tables])
        if (amounts < 0).any() or (amounts != np.round(amounts)).any():
            return False
    return True


def counting(model: Model, target: Fraction, *, at_least: bool) -> tuple[Model, Total]:
    """Return the model whose value is the probability of the target, and its axis of the sum.

    `model` is for one player, and what it gains `only_grows`.
    """
    ends = model.kind[model.target] == END
    step = _step(model, np.unique(model.reward[~ends]).tolist())
    last = max(0, ceil(target / step) if at_least else floor(target / step) + 1)
    if last > MOST_SUMS:
        told = f"to reach {target} up to {last:,} sums would have to be told apart"
        raise ObjectiveError(f"{told}: at most {MOST_SUMS:,} are")
    outer = sum(not axis.inner for axis in model.axes)
    total = Total(outer, step, last, target, at_least)
    return _Counting(model, total).model(), total


def told_at_once(model: Model, total: Total) -> Model:
    """Return the model whose value is 1 if a target is reached for certain, else 0."""
    ends = model.kind[model.target] == END
    brings = (Reward(0.0, ()), Reward(float(bool(total.certain)), ()))
    return evolve(model, rewards=brings, reward=ends.astype(np.int32))


def _step(model: Model, rewards: list[int]) -> int:
    """Return the greatest number of which all gains are multiples."""
    step = 0
    for number in rewards:
        reward = model.rewards[number]
        step = gcd(step, int(reward.constant))
        for lookup in reward.lookups:
            step = gcd(
                step, int(np.gcd.reduce(model.lookups[lookup].values.astype(np.int64).ravel()))
            )
    return step or 1


@define
class _Counting:
    """Builds the new model: its edges, and lookups, guards, effects and rewards, each once."""

    old: Model
    total: Total
    lookups: list[Lookup] = field(factory=list)
    guards: dict[tuple[int, ...], int] = field(factory=dict)
    effects: dict[Effect, int] = field(factory=dict)
    rewards: dict[Reward, int] = field(factory=dict)
    moved: dict[int, int] = field(factory=dict)  # gain -> lookup of the new sum
    ended: dict[int, int] = field(factory=dict)  # gain -> reward at the end of the game
    split: dict[int, list[tuple[int, int]]] = field(factory=dict)  # reward -> (gain, bool lookup)

    def model(self) -> Model:
        """Return the new model."""
        old = self.old
        self.lookups = [self._moved_axes(lookup) for lookup in old.lookups]
        self.guards = {guard: n for n, guard in enumerate(old.guards)}
        for number, before in enumerate(old.effects):
            assign = tuple((self._moved_axis(axis), k) for axis, k in before.assign)
            self.effects[Effect(assign)] = number
        self.rewards = {Reward(0.0, ()): 0}
        nodes, extra = self._edges()
        kind = np.append(old.kind, np.full(len(extra), BRANCH, np.int8)).astype(np.int8)
        stored = np.append(old.stored, np.zeros(len(extra), np.bool_)).astype(np.bool_)
        edges = [edge for node in (*nodes, *extra) for edge in node]
        target, weight, guard, effect, reward, rotate = zip(*edges, strict=True)
        for to, number in zip(target, effect, strict=True):
            if number >= len(old.effects):
                stored[to] = True
        axis = Axis("gained so far", self.total.last + 1, "counter", 0, self.total.step)
        return evolve(
            old,
            axes=self.total.inserted(old.axes, axis),
            lookups=tuple(self.lookups),
            guards=tuple(self.guards),
            effects=tuple(self.effects),
            rewards=tuple(self.rewards),
            kind=kind,
            chooser=np.append(old.chooser, np.zeros(len(extra), np.int8)).astype(np.int8),
            stored=stored,
            first_edge=rows_begin(np.array([len(n) for n in (*nodes, *extra)])),
            target=np.asarray(target, np.int32),
            weight=np.asarray(weight, np.float64),
            guard=np.asarray(guard, np.int32),
            effect=np.asarray(effect, np.int32),
            reward=np.asarray(reward, np.int32),
            rotate=np.asarray(rotate, np.int8),
            start_point=self.total.inserted(old.start_point, 0),
        )

    def _moved_axis(self, axis: int) -> int:
        return axis + (axis >= self.total.axis)

    def _moved_axes(self, lookup: Lookup | Formula) -> Lookup:
        axes = tuple(self._moved_axis(a) for a in lookup.axes)
        return Lookup(axes, lookup.kept, lookup.few)

    def _edges(self) -> tuple[list[list[Edge]], list[list[Edge]]]:
        """Return the edges of the old nodes, and of branches behind chances."""
        old = self.old
        columns = (old.target, old.weight, old.guard, old.effect, old.reward, old.rotate)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        nodes: list[list[Edge]] = []
        extra: list[list[Edge]] = []
        for node in range(old.nodes):
            own: list[Edge] = []
            for edge in rows[old.first_edge[node] : old.first_edge[node + 1]]:
                parts = self._parts(edge)
                if len(parts) > 1 and old.kind[node] == CHANCE:
                    extra.append([(part[0], 1.0, *part[2:]) for part in parts])
                    parts = [(old.nodes + len(extra) - 1, edge[1], 0, 0, 0, 0)]
                own.extend(parts)
            nodes.append(own)
        return nodes, extra

    def _parts(self, edge: Edge) -> list[Edge]:
        """Return an edge once for every amount that it may bring."""
        target, weight, guard, effect, reward, rotate = edge
        found: list[Edge] = []
        for gain, holds in self._gains(reward):
            own = self._guard(guard, holds)
            if self.old.kind[target] == END:
                found.append((target, weight, own, effect, self._end(gain), rotate))
            else:
                found.append((target, weight, own, self._effect(effect, gain), 0, rotate))
        return found

    def _gains(self, number: int) -> list[tuple[int, int]]:
        """Return the amounts of a reward, each with a bool lookup: where it is so (-1: ever)."""
        if number not in self.split:
            reward, old = self.old.rewards[number], self.old
            axes = tuple(sorted({a for k in reward.lookups for a in old.lookups[k].axes}))
            gained = np.full([old.axes[a].size for a in axes], reward.constant)
            for k in reward.lookups:
                lookup = old.lookups[k]
                gained = gained + over(axes, lookup.axes, lookup.values)
            amounts = np.unique(gained)
            if len(amounts) * gained.size > MOST_TOLD_APART:
                told = f"what is gained at once takes {len(amounts):,} values"
                raise ObjectiveError(f"{told}, too many to be told apart on the way to a target")
            self.split[number] = []
            for amount in amounts:
                holds = -1
                if len(amounts) > 1:
                    holds = len(self.lookups)
                    where = np.ascontiguousarray(gained == amount)
                    self.lookups.append(self._moved_axes(Lookup(axes, where)))
                self.split[number].append((int(amount), holds))
        return self.split[number]

    def _guard(self, guard: int, holds: int) -> int:
        if holds < 0:
            return guard
        both = tuple(sorted({*self.old.guards[guard], holds}))
        return self.guards.setdefault(both, len(self.guards))

    def _effect(self, effect: int, gain: int) -> int:
        """Return the effect that adds an amount to the sum."""
        if gain == 0:
            return effect
        if gain not in self.moved:
            index = np.arange(self.total.last + 1) + gain // self.total.step
            self.moved[gain] = len(self.lookups)
            moved = np.minimum(index, self.total.last).astype(np.int32)
            self.lookups.append(Lookup((self.total.axis,), moved))
        own = tuple((self._moved_axis(a), k) for a, k in self.old.effects[effect].assign)
        both = Effect((*own, (self.total.axis, self.moved[gain])))
        return self.effects.setdefault(both, len(self.effects))

    def _end(self, gain: int) -> int:
        """Return the reward at the end of the game: 1 if the target is reached, else 0."""
        if gain not in self.ended:
            sums = gain + self.total.step * np.arange(self.total.last + 1)
            wanted = self.total.reached(sums).astype(np.float64)
            own = Reward(float(wanted[0]), ())
            if (wanted != wanted[0]).any():
                own = Reward(0.0, (len(self.lookups),))
                self.lookups.append(Lookup((self.total.axis,), wanted))
            self.ended[gain] = self.rewards.setdefault(own, len(self.rewards))
        return self.ended[gain]

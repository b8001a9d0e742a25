"""Fold branches into the edges that read tables.

After a score is written down, a model often branches: is this the last box, has the bonus been
reached?  If all edges of such a BRANCH read one table through one effect, or end the game, then the
branch is one edge:

* its reward is a sum of lookups, if the rewards of the edges are additive in the bool lookups of
  their guards (found by a small linear system, then checked exactly);
* where the game ends, a *gate* closes the read: an entry (GATE, lookup) of the effect, with 0 where
  the table is read and GATE_ENDS where the value is 0 instead.

The result is a model for the stages behind this one only; GATE is no axis of the public model.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from math import prod
from typing import Any, Final

import numpy as np

from dicegames.solver.model import BRANCH, END, Array, Effect, Lookup, Model, Reward, over

GATE: Final = -1
GATE_ENDS: Final = -2
LARGEST_GATE_GRID: Final = 1 << 20
LARGEST_FOLDED: Final = 1 << 15


def fold(model: Model) -> Model:
    """The model with every branch folded for which that is possible."""
    return _Folder(model).run()


class _Folder:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.lookups = list(model.lookups)
        self.effects = {effect: i for i, effect in enumerate(model.effects)}
        self.rewards = {reward: i for i, reward in enumerate(model.rewards)}
        self.added: dict[Lookup, int] = {}
        self.knowledge: dict[tuple[int, tuple[int, ...]], bool | None] = {}
        self.gone: list[int] = []
        self.several = np.count_nonzero(model.stored) > 1
        first = model.first_edge.tolist()
        self.rows = {
            n: range(first[n], first[n + 1])
            for n in np.flatnonzero((model.kind == BRANCH) & ~model.stored).tolist()
        }
        self.guard, self.effect = model.guard.copy(), model.effect.copy()
        self.reward, self.target = model.reward.copy(), model.target.copy()

    def run(self) -> Model:
        """Fold all branches."""
        for row in self.rows.values():
            self._fold(row)
        kept = np.ones(self.model.edges, np.bool_)
        kept[self.gone] = False
        return self.model.with_edges(
            kept,
            lookups=tuple(self.lookups),
            effects=tuple(self.effects),
            rewards=tuple(self.rewards),
            target=self.target[kept],
            guard=self.guard[kept],
            effect=self.effect[kept],
            reward=self.reward[kept],
        )

    def _fold(self, row: range) -> None:
        model = self.model
        ends = [e for e in row if model.kind[model.target[e]] == END]
        reads = [e for e in row if e not in ends]
        if not reads or len(row) < 2:
            return
        lead = reads[0]
        same = {(int(model.target[e]), int(model.effect[e]), int(model.rotate[e])) for e in reads}
        if len(same) > 1 or not model.stored[model.target[lead]]:
            return
        if self.several and not model.effect[lead] and not model.rotate[lead]:
            return  # it stays at its point, and if another node is read there, it reads no table
        gate = self._gate(ends, reads) if ends else 0
        if gate is None:
            return
        reward = self._additive(row) or self._tabulated(row)
        if reward is None:
            return
        effect = model.effects[model.effect[lead]]
        if ends:
            effect = Effect((*effect.assign, (GATE, gate)))
        self.gone.extend(e for e in row if e != lead)
        self.guard[lead] = 0
        self.effect[lead] = self.effects.setdefault(effect, len(self.effects))
        self.reward[lead] = self.rewards.setdefault(reward, len(self.rewards))

    def _bools(self, edge: int) -> tuple[int, ...]:
        return self.model.guards[self.model.guard[edge]]

    def _gate(self, ends: list[int], reads: list[int]) -> int | None:
        """A gate that is closed exactly where an edge into END is taken."""
        for k in sorted({k for e in ends for k in self._bools(e)}):
            closed = all(self._known(k, e) is True for e in ends)
            if closed and all(self._known(k, e) is False for e in reads):
                gate = self.model.lookups[k]
                return self._add(gate.axes, np.where(gate.values, GATE_ENDS, 0).astype(np.int32))
        return None

    def _add(self, axes: tuple[int, ...], values: Array) -> int:
        """The number of a new lookup, the same for equal ones."""
        lookup = Lookup.of(axes, values)
        number = self.added.setdefault(lookup, len(self.lookups))
        if number == len(self.lookups):
            self.lookups.append(lookup)
        return number

    def _over(self, names: Iterable[int], most: int) -> tuple[list[int], list[int]] | None:
        """The axes that some lookups read and their sizes; None where they have too many points."""
        grid = sorted({a for k in names for a in self.lookups[k].axes})
        sizes = [self.model.axes[a].size for a in grid]
        return (grid, sizes) if prod(map(float, sizes)) <= most else None

    def _spread(self, lookup: int, grid: list[int]) -> Array:
        return over(grid, self.lookups[lookup].axes, self.lookups[lookup].values)

    def _additive(self, row: range) -> Reward | None:
        """Constant and multiples of bool lookups that add up to the reward of every edge."""
        own = [self.model.rewards[self.model.reward[e]] for e in row]
        if any(reward.lookups != own[0].lookups for reward in own):
            return None
        rewards = np.array([reward.constant for reward in own])
        if (rewards == rewards[0]).all():
            return own[0]
        columns: dict[tuple[bool | None, ...], int] = {}
        for k in sorted({k for e in row for k in self._bools(e)}):
            said = (self._known(k, e) for e in row)
            truth = tuple(takewhile(lambda value: value is not None, said))
            opposite = tuple(not value for value in truth)
            if len(truth) == len(row) and len(set(truth)) > 1 and opposite not in columns:
                columns.setdefault(truth, k)
        names = list(columns.values())
        matrix = np.array([[True] * len(row), *columns]).T.astype(np.float64)
        found: Any = np.round(np.linalg.lstsq(matrix, rewards, rcond=None)[0], 6) + 0.0
        if not np.array_equal(matrix @ found, rewards):
            return None
        parts = [
            self._add(self.lookups[k].axes, np.where(self.lookups[k].values, float(f), 0.0))
            for k, f in zip(names, found[1:], strict=True)
            if f != 0
        ]
        return Reward(float(found[0]), tuple(sorted((*own[0].lookups, *parts))))

    def _tabulated(self, row: range) -> Reward | None:
        """One lookup with the reward of the edge that is taken, over all axes concerned."""
        model = self.model
        own = [model.rewards[model.reward[e]] for e in row]
        names = {k for e in row for k in self._bools(e)} | {k for r in own for k in r.lookups}
        if (found := self._over(names, LARGEST_FOLDED)) is None:
            return None
        grid, sizes = found
        table, taken = np.zeros(sizes), np.zeros(sizes, np.bool_)
        for edge, reward in zip(row, own, strict=True):
            here = ~taken
            for k in self._bools(edge):
                here &= self._spread(k, grid)
            parts = [self._spread(k, grid) for k in reward.lookups]
            amount = reward.constant + sum(parts, np.zeros(sizes))
            np.copyto(table, amount, where=here)
            taken |= here
        return Reward(0.0, (self._add(tuple(grid), table),))

    def _known(self, lookup: int, edge: int) -> bool | None:
        """Truth of a bool lookup where an edge is taken; None if its guard does not tell."""
        bools = self._bools(edge)
        if lookup in bools:
            return True
        axes = set(self.model.lookups[lookup].axes)
        near = tuple(k for k in bools if axes & set(self.model.lookups[k].axes))
        if (lookup, near) not in self.knowledge:
            self.knowledge[lookup, near] = self._looked(lookup, near)
        return self.knowledge[lookup, near]

    def _looked(self, lookup: int, given: tuple[int, ...]) -> bool | None:
        """Truth of a bool lookup wherever all the given ones are true."""
        found = self._over((lookup, *given), LARGEST_GATE_GRID) if given else None
        if found is None:
            return None
        grid, _ = found
        region = self._spread(given[0], grid)
        for k in given[1:]:
            region = region & self._spread(k, grid)
        here = region & self._spread(lookup, grid)
        if not here.any():
            return False
        return None if bool((here != region).any()) else True

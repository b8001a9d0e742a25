"""The lookups of a program, numbered, and the rows it fetches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Protocol

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.gather import Fetches
from dicegames.solver.blocks.lookups import GIVEN_BELOW, NOWHERE, TO_THE_END, Points
from dicegames.solver.blocks.program import Layout
from dicegames.solver.blocks.terms import NOTHING, Fetch
from dicegames.solver.graph.fold import GATE
from dicegames.solver.graph.must import Musts
from dicegames.solver.graph.turn import Assign, Turn, trim
from dicegames.solver.kernels.flat import rows, strides
from dicegames.solver.model import MANY_ENTRIES, Array, Model

NO_FETCH = Fetch(NOTHING, 0, 0, 0, ())
Look = tuple[tuple[int, ...], Callable[[], Array]]
"""Axes, and what makes int64 over their grid, or uint8 where codes are kept."""


class Places(Protocol):
    """Where the values of a table stand."""

    @property
    def size(self) -> int:
        """How far two tables are apart."""

    @property
    def inner_step(self) -> int:
        """How far two inner points are apart."""

    def parts(self, pairs: Assign) -> list[Assign]:
        """Assignments in parts, the moves of which add up."""

    def stand(self, positions: Array) -> Array:
        """Where the values of outer points (positions in a full table) stand."""

    def looks(self, model: Model, part: Assign) -> list[Look]:
        """Lookups that add up to how far a part moves the place of a value."""


@frozen(eq=False)
class FullTables:
    """A place for every point of the axes."""

    model: Model

    @property
    def inner_step(self) -> int:
        """Inner points are neighbours."""
        return 1

    @property
    def size(self) -> int:
        """Points of a table."""
        return self.model.points

    def parts(self, pairs: Assign) -> list[Assign]:
        """Axis by axis."""
        return [(pair,) for pair in pairs]

    def stand(self, positions: Array) -> Array:
        """The positions themselves."""
        return positions

    def looks(self, model: Model, part: Assign) -> list[Look]:
        """How far one axis moves."""
        return axis_looks(model, *part[0], int(strides(model.shape)[part[0][0]]))


def axis_looks(model: Model, axis: int, number: int, step: int) -> list[Look]:
    """Lookups that add up to how far an assignment to one axis goes, its points `step` apart."""
    lookup = model.lookups[number]
    if axis == GATE:
        return [(lookup.axes, lambda: np.where(lookup.values >= 0, 0, TO_THE_END))]
    away = -step * np.arange(model.axes[axis].size)
    if lookup.axes == (axis,):
        return [((axis,), partial(_gone, lookup.values, step, away))]
    return [(lookup.axes, partial(_gone, lookup.values, step, 0)), ((axis,), lambda: away)]


def _gone(index: Array, step: int, away: Array | int) -> Array:
    return np.where(index >= 0, index * np.int64(step) + away, NOWHERE)


class Looks:
    """Lookups in the order in which they are asked for; those of the guards first.

    They are large together, so each is made when it is put into the pool. Large ones of few
    different entries (guards; what a place in the ranking pays) are bytes that number these.
    """

    def __init__(self, model: Model, musts: Musts, places: Places) -> None:
        self.model, self.places = model, places
        self.all: list[Look] = []
        self.few: list[Array | None] = []  # by lookup, the entries that its codes number
        self.parts: dict[Assign, list[int]] = {}
        self.rewards: dict[int, int] = {}
        for k in musts.lookups:
            lookup = model.lookups[k]
            truths = np.array([0, 1]) if lookup.values.size >= MANY_ENTRIES else None
            self._add((lookup.axes, partial(lookup.values.astype, np.int64)), truths)

    def _add(self, look: Look, few: Array | None = None) -> int:
        self.all.append(look)
        self.few.append(few)
        return len(self.all) - 1

    def moves(self, pairs: Assign) -> list[int]:
        """Lookups that add up to how far an effect moves the place of a value."""
        found = []
        for part in self.places.parts(pairs):
            if part not in self.parts:
                self.parts[part] = [self._add(look) for look in self.places.looks(self.model, part)]
            found += self.parts[part]
        return found

    @property
    def bytes(self) -> int:
        """Memory for the pools."""
        return sum(sum(room) for room in self._rooms())

    def _rooms(self) -> list[tuple[int, int]]:
        """By lookup, the bytes that it takes in the pool, and among the codes."""
        sizes = [prod(self.model.axes[a].size for a in axes) for axes, _ in self.all]
        return [
            (8 * size, 0) if few is None else (8 * len(few), size)
            for size, few in zip(sizes, self.few, strict=True)
        ]

    def pooled(self) -> tuple[Array, Array, Array, Array]:
        """Where each lookup begins, and where its meanings; the pool of both, and that of codes.

        A lookup of codes begins in the pool of codes; one without has its meanings at -1. int64,
        but for the codes: uint8.
        """
        ends = np.cumsum([(0, 0), *self._rooms()], axis=0)
        pool, codes = np.empty(ends[-1, 0] // 8, np.int64), np.empty(ends[-1, 1], np.uint8)
        begin, meaning = ends[:-1, 0] // 8, np.full(len(self.all), -1)
        for k, ((_, made), few) in enumerate(zip(self.all, self.few, strict=True)):
            entries = made().ravel()
            pool[begin[k] : ends[k + 1, 0] // 8] = entries if few is None else few
            if few is not None:
                begin[k], meaning[k] = ends[k, 1], begin[k]
                codes[ends[k, 1] : ends[k + 1, 1]] = entries
        return begin, meaning, pool, codes

    def reward(self, number: int) -> int:
        """The lookup of a reward."""
        if number not in self.rewards:
            lookup = self.model.lookups[number]
            few = None if lookup.few is None else lookup.few.view(np.int64)
            kept = lookup.kept if lookup.few is not None else lookup.kept.view(np.int64)
            self.rewards[number] = self._add((lookup.axes, lambda: kept), few)
        return self.rewards[number]


def points_of(looks: Looks, turn: Turn, layout: Layout) -> Points:
    """How points are looked up."""
    model = looks.model
    inner = set(turn.inner)
    axes = [look[0] for look in looks.all]
    again = np.array([bool(inner & set(own)) for own in axes], np.bool_)
    look_first, look_axis = rows(axes)
    steps = [strides([model.axes[a].size for a in own]) for own in axes]
    after = [turn.shifts[effect] for effect in layout.shifts]
    begin, meaning, pool, codes = looks.pooled()
    return Points(
        stride=strides(model.shape),
        inner=np.array(turn.inner, np.int64),
        inner_step=strides(turn.inner_shape),
        ranked=turn.ranked,
        rank=turn.rank,
        shift_after=np.array(after, np.int64).reshape(len(after), turn.rank.size),
        once=np.flatnonzero(~again).astype(np.int32),
        again=np.flatnonzero(again).astype(np.int32),
        even=np.array([set(own) <= inner for own in axes], np.uint8),
        look_first=look_first,
        look_axis=look_axis,
        look_step=np.concatenate([np.zeros(0, np.int64), *steps]),
        look_begin=begin,
        meaning=meaning,
        pool=pool,
        codes=codes,
    )


def fetches_of(
    looks: Looks, layout: Layout, tables: Mapping[tuple[int, int], int] | None
) -> Fetches:
    """The rows fetched, the lookups of which are numbered in `looks`; `tables` as in `LaidOut`."""
    model = looks.model
    trimmed = [trim(model, effect).assign for effect in model.effects]
    stored = np.flatnonzero(model.stored)
    entries = looks.places.size
    table, sign, plus, move, reward = [], [], [], [], []
    for operation in layout.fetches:
        fetch = operation.fetch or NO_FETCH
        own = fetch.target == NOTHING
        place = fetch.component * len(stored) + int(np.searchsorted(stored, fetch.target))
        at = place * entries if tables is None else tables.get((fetch.target, fetch.component), -1)
        given = fetch.end != NOTHING
        table.append(GIVEN_BELOW - 1 - fetch.end if given else -1 if own else at)
        turned = fetch.rotate != 0 and model.constant_sum is not None
        sign.append(-1.0 if turned else 1.0)
        plus.append((model.constant_sum or 0.0) if turned else 0.0)
        pairs = () if own else trimmed[fetch.effect]
        move.append(looks.moves(pairs))
        reward.append([looks.reward(k) for k in fetch.rewards])
    move_first, moves = rows(move)
    reward_first, rewards = rows(reward)
    program = layout.program
    return Fetches(
        table=np.array(table, np.int64),
        sign=np.array(sign, np.float64),
        plus=np.array(plus, np.float64),
        move_first=move_first,
        move=moves,
        reward_first=reward_first,
        reward=rewards,
        cond=program.cond[program.kind.size :],
        home=program.home[program.kind.size :],
    )

"""The operations of a block as arrays, in the order in which they are carried out.

Operations are sorted by level, kind and number of operands (alike loops are predicted well by the
processor).  Rows are numbered: operations first, then fetches; every row has a home in the scratch
array, ``LANES`` doubles long.  An operation is *dynamic* if guards decide what it does: then it is
rewritten whenever the pattern of guards changes (see `specialise`); all others are laid out here
once.  `cond` numbers the sets of bool lookups without which a row is not needed.

An operation's home is used again when its row is dead: it lives to the last one that may read it,
and where that may become another name for it, as long as the name.  The home freed last is taken
first: it is the likeliest to be in the nearest cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.execute import (
    DO_ADD,
    DO_BLEND,
    DO_COPY,
    DO_FIRST_MAX,
    DO_FIRST_MIN,
    DO_FOLLOW_MAX,
    DO_FOLLOW_MIN,
    DO_MAX,
    DO_MIN,
    DO_SUM,
)
from dicegames.solver.blocks.needs import link
from dicegames.solver.blocks.terms import (
    BLEND,
    COPY,
    FETCH,
    FIRST_BEST,
    FOLLOW,
    LEAF,
    MAX,
    MIN,
    NOTHING,
    SUM,
    Operation,
    Terms,
)
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.flat import rows
from dicegames.solver.model import Array, rows_begin, rows_taken

LANES = 32
_CODE = {
    SUM: DO_SUM,
    COPY: DO_COPY,
    LEAF: DO_ADD,
    MAX: DO_MAX,
    MIN: DO_MIN,
    FOLLOW: DO_FOLLOW_MAX,
    BLEND: DO_BLEND,
    FIRST_BEST: DO_FIRST_MAX,
}
_CODE_OF_MIN = {**_CODE, FOLLOW: DO_FOLLOW_MIN, FIRST_BEST: DO_FIRST_MIN}


class Program(NamedTuple):
    """Operations by position; n operations, then fetches, are the rows."""

    kind: Vector[np.int8]  # [n]
    first: Vector[np.int32]  # [n + 1]
    operand: Vector[np.int32]  # rows
    weight: Vector[np.float64]  # with `operand`
    constant: Vector[np.float64]  # [n]
    guard: Vector[np.int32]  # [n]
    mask: Vector[np.int32]  # [n]: offset of the mask row of a leaf, or -1
    base: Vector[np.int32]  # [n]: 0, or 1 + number of the shift its operands are read through
    cond: Vector[np.int32]  # [rows]
    keeps: Vector[np.uint8]  # [n]: its own row must be written
    skip: Vector[np.int32]  # [n]: end of a run of settled operations of a cond, or the place itself
    home: Vector[np.int32]  # [rows]: offset of the row
    ring: Vector[np.int32]  # [n]: offset in the bank of an inner point, or -1
    guard_first: Vector[np.int32]  # [guards + 1]
    guard_bool: Vector[np.int32]  # numbers of bool lookups
    cond_first: Vector[np.int32]  # [conds + 1]
    cond_bool: Vector[np.int32]
    mask_guard: Vector[np.int32]  # [masks]
    mask_at: Vector[np.int32]  # [masks]: offset of the row
    mask_value: Vector[np.float64]  # [masks]: what stands where the guard fails
    code: Vector[np.int8]  # [n], a first layout of what `execute` reads
    last: Vector[np.int32]  # [n]
    offset: Vector[np.int32]  # with `operand`


class Ring(NamedTuple):
    """Where the rows of earlier inner points lie, in one bank for each."""

    at: int  # offset of the first bank
    bank: int  # length of a bank
    banks: int


@frozen(eq=False)
class Layout:
    """A program, and where things lie in its scratch array."""

    program: Program
    fetches: tuple[Operation, ...]  # in the order of their rows
    row_of: dict[tuple[int, int], int]  # model node, component -> row
    shifts: tuple[int, ...]  # effects
    ring: Ring
    size: int  # length of the scratch array
    levels: int
    settled: bool  # no operation depends on guards


def lay_out(
    terms: Terms, lookups: Sequence[int], need: Array | None = None, *, alone: bool = False
) -> Layout:
    """Order the operations and fill the arrays.

    `lookups` are the bool lookups in use; `need` is what `settle_guards` gives: uint64[operations,
    words], bits by place in `lookups`. None: nothing is taken for granted. `alone`: all lanes are
    for one point, so that choices need not read what is out there.
    """
    words = max(1, -(-len(lookups) // 64))
    nothing = np.zeros((len(terms.operations), words), np.uint64)
    return _ProgramBuilder(terms, lookups, nothing if need is None else need, alone).build()


class _ProgramBuilder:
    def __init__(
        self,
        terms: Terms,
        lookups: Sequence[int],
        need: Array,
        alone: bool,  # noqa: FBT001
    ) -> None:
        self.guards, self.lookups, self.need = terms.model.guards, lookups, need
        self.alone = alone
        self.all = terms.operations
        self.count = len(self.all)
        links = link(self.all)
        self.kinds, self.first, self.operand = links.kinds, links.first, links.operand
        self.source, self.same, self.level = links.source, links.same, links.level
        self.shifts = tuple(sorted({o.shift for o in self.all if o.shift != NOTHING}))
        self.terms = terms
        used = {0, *(o.guard for o in self.all)}
        self.guard_of = {guard: number for number, guard in enumerate(sorted(used))}

    def build(self) -> Layout:
        """All arrays, by position."""
        level = self.level
        fetch = self.kinds == FETCH
        cond, cond_first, cond_bool = self._conds()
        order = np.lexsort([cond, np.diff(self.first), self.kinds, level, fetch])
        n = int(np.count_nonzero(~fetch))
        place = np.empty(self.count, np.int64)
        place[order] = np.arange(self.count)
        keeps, ring, dynamic = self._flags(level)
        own = order[:n]
        first, picked = rows_taken(self.first, own)
        slot = self._slots(own, first, place[self.operand[picked]], keeps[own])
        slots = int(slot.max(initial=-1)) + 1
        home = (1 + np.concatenate([slot, slots + np.arange(self.count - n)])) * LANES
        ring_nodes = [int(o) for o in own if ring[o]]
        ring_at = np.full(self.count, -1, np.int64)
        ring_at[ring_nodes] = np.arange(len(ring_nodes)) * LANES
        masks, mask_of = self._masks(own)
        mask_at = (1 + slots + self.count - n + np.arange(len(masks))) * LANES
        begin = (1 + slots + self.count - n + len(masks)) * LANES
        ring_ = Ring(begin, len(ring_nodes) * LANES, self.terms.turn.banks)
        program = Program(
            keeps=keeps[own].astype(np.uint8),
            skip=_skips(dynamic[own], cond[own]),
            cond=cond[order].astype(np.int32),
            cond_first=cond_first,
            cond_bool=cond_bool,
            home=home.astype(np.int32),
            ring=ring_at[own].astype(np.int32),
            mask=np.array([mask_at[m] if m >= 0 else -1 for m in mask_of], np.int32),
            mask_guard=np.array([g for g, _ in masks], np.int32),
            mask_at=mask_at.astype(np.int32),
            mask_value=np.array([-np.inf if largest else np.inf for _, largest in masks]),
            **self._terms_of(own, first, picked, place, home, ring_at),
            **self._guards(),
        )
        return Layout(
            program=program,
            fetches=tuple(self.all[o] for o in order[n:]),
            row_of={key: int(place[o]) for key, o in self.terms.row_of.items()},
            shifts=self.shifts,
            ring=ring_,
            size=begin + LANES + ring_.bank * ring_.banks,
            levels=int(level.max(initial=0)) + 1,
            settled=not dynamic.any(),
        )

    def _terms_of(
        self, own: Array, first: Array, picked: Array, place: Array, home: Array, ring_at: Array
    ) -> dict[str, Array]:
        """Kinds, constants and operands.

        A leaf has room for the offset of its mask row, the number of a move for those of all moves.
        """
        kinds, degree = self.kinds[own], np.diff(first)
        size = np.where(kinds == FIRST_BEST, 2 * degree - 1, degree)
        wide = rows_begin(np.where(kinds == LEAF, 2, size))
        at = np.repeat(wide[:-1] - first[:-1], np.diff(first)) + np.arange(len(picked))
        operand = place[self.operand[picked]]
        late = ~self.same[picked]
        weight = np.ones(len(picked))
        weight[self.kinds[self.source[picked]] == SUM] = np.array(
            [w for o in own if self.kinds[o] == SUM for w in self.all[o].weights]
        )
        offset = np.where(late, ring_at[self.operand[picked]], home[operand])
        shift_of = {effect: i + 1 for i, effect in enumerate(self.shifts)}
        total = int(wide[-1])
        offset = _spread(total, at, offset, np.int32)
        for k in np.flatnonzero(kinds == FIRST_BEST).tolist():
            offset[wide[k] + degree[k] : wide[k] + size[k]] = np.arange(degree[k] - 1)
        return {
            "kind": kinds.astype(np.int8),
            "first": wide.astype(np.int32),
            "last": (wide[:-1] + size).astype(np.int32),
            "operand": _spread(total, at, operand, np.int32),
            "weight": _spread(total, at, weight, np.float64),
            "offset": offset,
            "constant": np.array([self.all[o].constant for o in own], np.float64),
            "guard": np.array([self.guard_of[self.all[o].guard] for o in own], np.int32),
            "base": np.array([shift_of.get(self.all[o].shift, 0) for o in own], np.int32),
            "code": np.array(self._does(own), np.int8),
        }

    def _does(self, own: Array) -> list[int]:
        """What operations do; those that are told of a choice depend on what it is."""
        return [(_CODE if o.largest else _CODE_OF_MIN)[o.kind] for o in (self.all[k] for k in own)]

    def _guards(self) -> dict[str, Array]:
        """Guards as rows of numbers of bool lookups."""
        number = {lookup: i for i, lookup in enumerate(self.lookups)}
        guards = [[number[k] for k in self.guards[g] if k in number] for g in self.guard_of]
        first, entries = rows(guards)
        return {"guard_first": first, "guard_bool": entries}

    def _slots(self, own: Array, first: Array, operand: Array, keeps: Array) -> Array:
        """Slots of the operations; rows read at later inner points come from the banks."""
        n = len(own)
        source = np.repeat(np.arange(n), np.diff(first))
        late = np.array([self.all[o].shift != NOTHING for o in own], np.bool_)[source]
        kept = self.terms.kept()
        forever = np.array([int(o) in kept for o in own], np.bool_)
        return assign_slots(source[~late], operand[~late], ~keeps, forever, n)

    def _flags(self, level: Array) -> tuple[Array, Array, Array]:
        """Which rows must be written, are kept for later, are dynamic."""
        ring = np.zeros(self.count, np.bool_)
        ring[self.operand[~self.same]] = True
        keeps = ring | np.isin(self.kinds, (SUM, COPY, FETCH, FOLLOW, FIRST_BEST, BLEND))
        keeps[self.operand[self.same & np.isin(self.kinds[self.source], (SUM, BLEND))]] = True
        keeps[list(self.terms.kept())] = True
        keeps |= np.array([o.node >= 0 and not o.branch for o in self.all], np.bool_)
        # A guarded leaf, and what rests on a row that may not be written, is dynamic.
        guarded = np.array([o.kind == LEAF and o.guard != 0 for o in self.all])
        shaky = ~keeps
        dynamic = guarded.copy()
        if self.alone:
            out = ((self.kinds == FETCH) & self.need.any(axis=1))[self.operand]
            dynamic[self.source[out & np.isin(self.kinds[self.source], (MAX, MIN))]] = True
        for depth in range(1, int(level.max(initial=0)) + 1):
            own = self.same & (level[self.source] == depth)
            weak = own & (guarded | shaky & dynamic)[self.operand]
            dynamic[self.source[weak & ~np.isin(self.kinds[self.source], (SUM, BLEND))]] = True
        keeps |= ~dynamic
        return keeps, ring, dynamic

    def _conds(self) -> tuple[Array, Array, Array]:
        """The needs, numbered; 0 is nothing."""
        need = self.need.copy()
        need[self.kinds == COPY] = 0
        found, cond = np.unique(need, axis=0, return_inverse=True)
        sets = [self._bools(row) for row in found]
        if not sets or sets[0]:
            sets.insert(0, [])
            cond = cond + 1
        first, entries = rows(sets)
        return cond.ravel(), first, entries

    def _bools(self, row: Array) -> list[int]:
        bits = np.unpackbits(row.copy().view(np.uint8), bitorder="little")
        return [int(i) for i in np.flatnonzero(bits[: len(self.lookups)])]

    def _masks(self, own: Array) -> tuple[list[tuple[int, bool]], list[int]]:
        """Mask rows: one for each guard and sense of a leaf."""
        numbers: dict[tuple[int, bool], int] = {}
        of = []
        for o in own:
            operation = self.all[o]
            if operation.kind != LEAF or operation.guard == 0:
                of.append(-1)
                continue
            key = (self.guard_of[operation.guard], operation.largest)
            of.append(numbers.setdefault(key, len(numbers)))
        return list(numbers), of


def _spread(total: int, at: Array, values: Array, dtype: type) -> Array:
    out: Array = np.zeros(total, dtype)
    out[at] = values
    return out


def _skips(dynamic: Array, cond: Array) -> Array:
    """For each position the end of the run of settled operations under one condition, or itself."""
    n = dynamic.size
    border = np.ones(n + 1, np.bool_)
    border[1:n] = dynamic[1:] | dynamic[:-1] | (cond[1:] != cond[:-1])
    ends = np.flatnonzero(border)
    after = ends[np.searchsorted(ends, np.arange(n), side="right")]
    skip: Array = np.where(dynamic, np.arange(n), after).astype(np.int32)
    return skip


# ---- homes of rows


def assign_slots(source: Array, operand: Array, names: Array, forever: Array, count: int) -> Array:
    """Slot of each of `count` operations, by position.

    `source` reads `operand` (positions; operands beyond `count` are fetched and not ours); `names`
    marks operations that may be names, `forever` rows that live to the end.
    """
    ends = np.arange(count)
    ends[forever] = count
    inside = operand < count
    source, operand = source[inside], operand[inside]
    order = np.argsort(-source, kind="stable")
    last, named = ends.tolist(), names.tolist()
    for user, used in zip(source[order].tolist(), operand[order].tolist(), strict=True):
        until = last[user] if named[user] else user
        last[used] = max(last[used], until)
    dying: list[list[int]] = [[] for _ in range(count + 1)]
    slot, free, taken = np.zeros(count, np.int64), list[int](), 0
    for position in range(count):
        if not free:
            free.append(taken)
            taken += 1
        slot[position] = free.pop()
        dying[last[position]].append(position)
        free.extend(int(slot[dead]) for dead in dying[position])
    return slot

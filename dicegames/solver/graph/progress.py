"""Progress: the layers in which outer points can be solved, read off the effects.

A *form* is a sum of measures of outer axes (the index of a counter, the number of elements of a
set), taken with one sign.  Every edge that reads a table is looked at over the joint grid of the
axes it concerns: the least change of the form tells whether the form never falls, or always rises.
The layers are the level sets of a lexicographic vector of forms: a form that never falls on the
reads still open, and rises on as many of them as possible, is chosen; reads on which it always
rises are settled.  A form that always rises on none of them (a capped counter stays at its cap) but
somewhere on some still cuts the points into smaller layers.  Reads that no form settles stay in
their layer: it is cyclic. Before that is said, the values that axes may have on each edge are
looked at as well (`Allowed`), and what conditions imply of each other (`must`).

Which values an axis may have on an edge, whatever way led there: where nodes are merged that were
reached under different conditions (a row's last number was below 6, or below 7), no condition holds
on all ways to them, but the values that fulfil one of them are still not all. For every node these
are the values of each small outer axis that some path from a stored node leaves possible, inside
one turn: all but those that are excluded on every path.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import takewhile
from math import prod

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.graph.must import FULL, Musts, bit_rows, find_musts, on_all_paths
from dicegames.solver.graph.turn import READ, Assign, Turn, trim
from dicegames.solver.model import Array, Model, over

LARGEST_AXIS = 256
"""Axes with more values are left out: there is one bit for each of them at every node."""


@frozen(eq=False)
class Allowed:
    """Rows of truth values, the axes one after another; `first` says where each begins."""

    first: dict[int, int]
    size: dict[int, int]
    node: Array  # bool[N, values]
    guard: Array  # bool[guards, values]

    def on_edge(
        self, source: int, guard: int, axes: frozenset[int]
    ) -> tuple[tuple[int, bytes], ...]:
        """Return the axes, of some, that cannot have all values on an edge, with those they may."""
        found = []
        for axis in sorted(axes & set(self.first)):
            at = slice(self.first[axis], self.first[axis] + self.size[axis])
            row = self.node[source, at] & self.guard[guard, at]
            if not row.all():
                found.append((axis, row.tobytes()))
        return tuple(found)


def find_allowed(model: Model, turn: Turn) -> Allowed:
    """Return the rows of all nodes and guards."""
    size = {a: model.axes[a].size for a in turn.outer if model.axes[a].size <= LARGEST_AXIS}
    begins = np.cumsum([0, *size.values()])
    first = dict(zip(size, begins.tolist(), strict=False))
    masks = np.ones((len(model.guards), int(begins[-1])), np.bool_)
    for number in np.unique(model.guard).tolist():
        for lookup in (model.lookups[k] for k in model.guards[number]):
            if len(lookup.axes) == 1 and lookup.axes[0] in size:
                (axis,) = lookup.axes
                masks[number, first[axis] : first[axis] + size[axis]] &= lookup.values
    outer = np.full(-(-masks.shape[1] // 64) or 1, FULL)
    excluded = on_all_paths(model, turn, bit_rows(~masks), outer)
    bits = np.unpackbits(excluded.view(np.uint8), axis=1, bitorder="little")
    return Allowed(first, size, bits[:, : masks.shape[1]] == 0, masks)


Within = tuple[tuple[int, bytes], ...]
"""Axes, each with one truth value (a byte) for every index."""
MAX_GRID = 4_000_000
"""Points at which it is looked at what a read changes; it is not known beyond."""


@frozen
class Form:
    """Sum of the measures of some axes, times a sign; it rises as the game goes on."""

    axes: tuple[int, ...]
    sign: int


@frozen
class Read:
    """Edges that read tables alike: an effect, and what holds on them.

    `holds` are bool lookups, `within` which indices an axis may have, where not all.
    """

    assign: Assign
    holds: tuple[int, ...]
    within: Within = ()


@frozen(eq=False)
class Progress:
    """Forms in order of weight, and the reads that may stay in their layer."""

    forms: tuple[Form, ...]
    reads: tuple[Read, ...]
    strict: tuple[bool, ...]  # by read
    read_of: Array  # int32[E], -1 where the edge reads no table
    changes: Changes

    @property
    def cyclic(self) -> bool:
        """Whether some layer may have to be iterated."""
        return not all(self.strict)


def measure(model: Model, axis: int) -> Array:
    """What an axis adds to a form, by index: int32."""
    index = np.arange(model.axes[axis].size, dtype=np.int32)
    if model.axes[axis].kind != "set":
        return index
    return np.bitwise_count(index).astype(np.int32)


def collect_reads(
    model: Model, turn: Turn, musts: Musts, allowed: Allowed | None = None
) -> tuple[tuple[Read, ...], Array]:
    """The reads of a model and the number of the read of every edge."""
    source = model.sources
    met = np.zeros(model.nodes, np.bool_)
    met[turn.nodes] = True
    edges = np.flatnonzero((turn.sort == READ) & met[source])
    read_of = np.full(model.edges, -1, np.int32)
    if edges.size == 0:
        return (), read_of
    rows = musts.node[source[edges]] | musts.guard[model.guard[edges]]
    assigns = [trim(model, effect).assign for effect in model.effects]
    still = np.array([not assign for assign in assigns])[model.effect[edges]]
    if still.any():  # to the same point: one read for all, where what all have in common holds
        rows[still] = np.bitwise_and.reduce(rows[still], axis=0)
    columns = np.column_stack([model.effect[edges].astype(np.uint64), rows])
    found, inverse = np.unique(columns, axis=0, return_inverse=True)
    reads = [Read(assigns[int(row[0])], musts.names(row[1:].copy())) for row in found]
    if allowed is None:
        read_of[edges] = inverse.ravel()
        return tuple(reads), read_of
    numbers: dict[Read, int] = {}
    for edge, number in zip(edges.tolist(), inverse.ravel().tolist(), strict=True):
        read = reads[number]
        within = allowed.on_edge(int(source[edge]), int(model.guard[edge]), _axes_of(model, read))
        read_of[edge] = numbers.setdefault(evolve(read, within=within), len(numbers))
    return tuple(numbers), read_of


def _axes_of(model: Model, read: Read) -> frozenset[int]:
    """Return the axes that a read changes or looks at to change them."""
    return frozenset(a for axis, k in read.assign for a in (axis, *model.lookups[k].axes))


def find_progress(model: Model, turn: Turn, musts: Musts) -> Progress:
    """Choose the forms; where some layer might be cyclic, look at more closely what is read."""
    progress = _progress(model, turn, *collect_reads(model, turn, musts))
    if not progress.cyclic:
        return progress
    allowed, musts = find_allowed(model, turn), find_musts(model, turn, with_implied=True)
    return _progress(model, turn, *collect_reads(model, turn, musts, allowed))


def _progress(model: Model, turn: Turn, reads: tuple[Read, ...], read_of: Array) -> Progress:
    changes = Changes(model)
    candidates = list(_candidates(model, turn, reads, changes))
    strict = [False] * len(reads)
    forms: list[Form] = []
    while not all(strict):
        waiting = [reads[r] for r in range(len(reads)) if not strict[r]]
        best, most = None, (0, 0)
        for form in candidates:
            found = (changes.least(form, read) for read in waiting)
            least = list(takewhile(lambda change: change >= 0, found))
            if len(least) < len(waiting):
                continue
            always = sum(change > 0 for change in least)
            gain = always, sum(changes.rises(form, read) for read in waiting)
            if gain > most:
                best, most = form, gain
            if always == len(waiting):
                break
        if best is None:
            break
        candidates.remove(best)
        forms.append(best)
        strict = [s or changes.least(best, r) > 0 for s, r in zip(strict, reads, strict=True)]
    return Progress(tuple(forms), reads, tuple(strict), read_of, changes)


def _candidates(
    model: Model, turn: Turn, reads: tuple[Read, ...], changes: Changes
) -> Iterator[Form]:
    """Single outer axes, groups that take each other's values, and all axes that never fall.

    With both signs. Where columns of a board are climbed one by one, none of them alone rises in
    every turn, but their sum does: its layers are wide, those of one column after the other hold
    a point each.
    """
    group = {axis: {axis} for axis in turn.outer}
    for read in reads:
        for axis, number in read.assign:
            for other in model.lookups[number].axes:
                alike = model.axes[axis].size == model.axes[other].size
                if axis in group and other in group and alike:
                    joined = group[axis] | group[other]
                    for member in joined:
                        group[member] = joined
    single = [(axis,) for axis in turn.outer]
    joint = sorted({tuple(sorted(members)) for members in group.values() if len(members) > 1})
    for axes in [*single, *joint]:
        yield Form(axes, 1)
        yield Form(axes, -1)
    for sign in (1, -1):
        forms = (Form((axis,), sign) for axis in turn.outer)
        steady = [f for f in forms if all(changes.least(f, read) >= 0 for read in reads)]
        together = tuple(axis for form in steady for axis in form.axes)
        if len(together) > 1 and together not in joint:
            yield Form(together, sign)


class Changes:
    """Least and largest changes of forms by reads, each looked up once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[tuple[tuple[int, ...], Read], tuple[int, int]] = {}
        self._measure = cache(partial(measure, model))

    def __reduce__(self) -> tuple[type[Changes], tuple[Model]]:
        """What was looked up stays behind."""
        return Changes, (self._model,)

    def least(self, form: Form, read: Read) -> int:
        """Least change of a form by a read; a large negative number where it is not known."""
        least = self.span(form, Read(read.assign, ()))[0]
        return least if least > 0 else self.span(form, read)[0]

    def rises(self, form: Form, read: Read) -> bool:
        """Whether a read raises a form at some point."""
        return self.span(form, read)[1] > 0

    def span(self, form: Form, read: Read) -> tuple[int, int]:
        """Least and largest change of a form by a read."""
        assign = tuple(pair for pair in read.assign if pair[0] in form.axes)
        if not assign:
            return 0, 0
        axes = set(form.axes).union(*(self._model.lookups[number].axes for _, number in assign))
        holds = tuple(k for k in read.holds if set(self._model.lookups[k].axes) <= axes)
        within = tuple(pair for pair in read.within if pair[0] in axes)
        known = Read(assign, holds, within)
        key = (form.axes, known)
        if key not in self._known:
            self._known[key] = self._range(known, sorted(axes))
        low, high = self._known[key]
        return (low, high) if form.sign > 0 else (-high, -low)

    def _range(self, read: Read, grid: list[int]) -> tuple[int, int]:
        """Least and largest change: axes that nothing looks at together are looked at apart."""
        terms, holds = self._terms(read.assign), self._holds(read, grid)
        low = high = 0
        for group in _linked([axes for axes, *_ in terms] + [axes for axes, _ in holds]):
            own = [
                term for term in terms if group.issuperset(term[0]) and bool(group) is bool(term[0])
            ]
            axes = sorted(group)
            if self._points(axes) > MAX_GRID:
                axes = sorted({axis for term in own for axis in term[0]})
            if self._points(axes) > MAX_GRID:
                return -(2**40), 2**40
            change = np.zeros([self._model.axes[a].size for a in axes], np.int32)
            for term_axes, amounts, sign in own:
                change += sign * over(axes, term_axes, amounts)
            valid = np.ones(change.shape, np.bool_)
            for hold_axes, truth in holds:
                if set(hold_axes) <= set(axes):
                    valid &= over(axes, hold_axes, truth)
            change = change[valid]
            if not change.size:
                return 2**40, -(2**40)  # it never comes to that
            low, high = low + int(change.min()), high + int(change.max())
        return low, high

    def _points(self, grid: list[int]) -> int:
        return prod(self._model.axes[a].size for a in grid)

    def _terms(self, assign: Assign) -> list[tuple[tuple[int, ...], Array, int]]:
        """What adds up to the change: axes, amounts over them, a sign.

        An axis that hands its value on unchanged is taken away and added: it is left out.
        """
        lost = {axis: self._measure(axis) for axis, _ in assign}
        gained: list[tuple[tuple[int, ...], Array, int]] = []
        for axis, number in assign:
            lookup = self._model.lookups[number]
            amounts = self._measure(axis).take(lookup.values, mode="clip")
            held = lost.get(lookup.axes[0]) if len(lookup.axes) == 1 else None
            if held is not None and np.array_equal(amounts, held):
                del lost[lookup.axes[0]]
            else:
                gained.append((lookup.axes, amounts, 1))
        return gained + [((axis,), amounts, -1) for axis, amounts in lost.items()]

    def _holds(self, read: Read, grid: list[int]) -> list[tuple[tuple[int, ...], Array]]:
        """Where a read may be: axes and truth over them; what reads other axes is left out."""
        lookups = self._model.lookups
        holds = [(lookups[k].axes, lookups[k].values) for k in read.holds]
        holds += [((axis,), np.frombuffer(row, np.bool_)) for axis, row in read.within]
        holds += [(lookups[k].axes, lookups[k].values >= 0) for _, k in read.assign]
        return [(axes, truth) for axes, truth in holds if set(axes) <= set(grid)]


def _linked(parts: list[tuple[int, ...]]) -> list[set[int]]:
    """The axes, those together that are in one part; no axes at all are a group as well."""
    groups: list[set[int]] = []
    for axes in map(set, parts):
        near = [group for group in groups if group & axes or not group | axes]
        groups = [group for group in groups if group not in near]
        groups.append(axes.union(*near))
    return groups


def comes_round(model: Model, progress: Progress) -> bool:
    """Whether many points of a layer may lead to each other.

    They do not where play returns to the same point, or to one with the same values, handed on from
    seat to seat.
    """
    staying = (
        read for read, strict in zip(progress.reads, progress.strict, strict=True) if not strict
    )
    return any(not _handed_on(model, number) for read in staying for _, number in read.assign)


def _handed_on(model: Model, number: int) -> bool:
    """Whether a lookup is the value of another axis."""
    axes, values = model.lookups[number].axes, model.lookups[number].values
    return len(axes) == 1 and np.array_equal(values, np.arange(len(values)))


def layer_shares(model: Model, turn: Turn, progress: Progress) -> dict[int, Array]:
    """By outer axis, what each index adds to the number of the layer; it rises along play."""
    shares = {axis: np.zeros(model.axes[axis].size, np.int64) for axis in turn.outer}
    for form in progress.forms:
        parts = {a: form.sign * measure(model, a).astype(np.int64) for a in form.axes}
        for axis, part in parts.items():
            parts[axis] = part - int(part.min())
        width = sum(int(part.max()) for part in parts.values()) + 1
        for axis, share in shares.items():
            shares[axis] = share * width + parts.get(axis, 0)
    return shares

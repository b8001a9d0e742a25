"""The turn of a grid as operations on rows: the same as those of blocks, level by level.

A level is an inner point. What a turn brings at its ends is fetched; what is entered from a lower
level is remembered in a bank of its level. Beyond the last level the counter stays there: a row of
the last level may read rows of the same level, and is computed until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.blocks.block import Ring
from dicegames.solver.blocks.program import Layout, lay_out
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.blocks.terms import COPY, FETCH, FOLLOW, LEAF, MAX, SUM, Fetch, Operation
from dicegames.solver.blocks.work import make_work
from dicegames.solver.grid.kernels import LANES, Fetched, run_turns
from dicegames.solver.grid.turn import MergedTurn
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array
from dicegames.solver.status import SolveError, Status


@define
class _Terms:
    """The operations of a turn, for so many components; then, if told, of the moves."""

    turn: MergedTurn
    told: int
    moves: bool
    paid: int  # components with rewards; 0: without guards, too
    operations: list[Operation] = field(factory=list)
    row_of: dict[tuple[int, int], int] = field(factory=dict)
    wanted: dict[int, int] = field(factory=dict)
    known: dict[object, int] = field(factory=dict)

    def kept(self) -> set[int]:
        """The rows that are asked for."""
        return set(self.wanted)

    def build(self) -> None:
        """Make the operations of all nodes."""
        graph, moves = self.turn.graph, self.told
        for component in range(self.told + self.moves):
            for node in range(self.turn.nodes):
                chance = graph.chance[node] != 0
                if component == moves and chance:
                    continue
                what = SUM if chance else FOLLOW if component > 0 else MAX
                self.row_of[node, component] = len(self.operations)
                self.operations.append(Operation(what))
        for component in range(self.told):
            for node in range(self.turn.nodes):
                own = self.operations[self.row_of[node, component]]
                edges = range(int(graph.first[node]), int(graph.first[node + 1]))
                if own.kind == SUM:
                    self._chance(own, edges, component)
                    continue
                leaves = [self._leaf(edge, component) for edge in edges]
                own.operands = (*self._chosen(node, component), *leaves)
        for (node, component), row in self.row_of.items():
            if component == moves:
                chosen = self._chosen(node, component)
                numbers = [self._number(k) for k in range(len(chosen) - 1)]
                self.operations[row].operands = (*chosen, *numbers)

    def _chosen(self, node: int, component: int) -> tuple[int, ...]:
        """What a component follows at a choice: the choice, and what it chooses from."""
        if component == 0:
            return ()
        row = self.row_of[node, 0]
        return row, *self.operations[row].operands

    def _chance(self, own: Operation, edges: range, component: int) -> None:
        graph = self.turn.graph
        own.weights = tuple(graph.weight[edges].tolist())
        own.constant = sum(float(graph.weight[e]) * self._reward(e, component) for e in edges)
        rises = set(graph.rise[edges].tolist())
        if rises != {0} and len(rises) == 1:
            own.shift = rises.pop()
            own.operands = tuple(self._kept_row(int(graph.target[e]), component) for e in edges)
        else:
            own.operands = tuple(self._row(edge, component) for edge in edges)

    def _leaf(self, edge: int, component: int) -> int:
        row, reward = self._row(edge, component), self._reward(edge, component)
        guard = 0 if not self.paid else int(self.turn.graph.guard[edge]) + 1
        if guard == 0 and reward == 0:
            return row
        leaf = Operation(LEAF, (row,), constant=reward, guard=guard)
        return self._add(("leaf", row, reward, guard), leaf)

    def _reward(self, edge: int, component: int) -> float:
        return float(self.turn.graph.reward[edge, component]) if component < self.paid else 0.0

    def _row(self, edge: int, component: int) -> int:
        """The row of the target of an edge."""
        target, up = int(self.turn.graph.target[edge]), int(self.turn.graph.rise[edge])
        if up:
            kept = self._kept_row(target, component)
            return self._add(("copy", kept, up), Operation(COPY, (kept,), shift=up))
        return self._end(target, component) if target < 0 else self.row_of[target, component]

    def _kept_row(self, target: int, component: int) -> int:
        """A row that lower levels may read: of a node, or the same as that of an end."""
        if target >= 0:
            return self.row_of[target, component]
        end = self._end(target, component)
        return self._add(("kept", end), Operation(SUM, (end,), (1.0,)))

    def _end(self, target: int, component: int) -> int:
        fetch = Fetch(-1 - target, component, 0, 0, ())
        return self._add(("end", target, component), Operation(FETCH, fetch=fetch))

    def _number(self, number: int) -> int:
        return self._add(("number", number), Operation(SUM, constant=float(number)))

    def _add(self, key: object, operation: Operation) -> int:
        if key not in self.known:
            self.known[key] = len(self.operations)
            self.operations.append(operation)
        return self.known[key]


@frozen(eq=False)
class Machine:
    """A turn laid out, and the rows that are asked for."""

    turn: MergedTurn
    layout: Layout
    banks: int
    fetched: Fetched
    rises: Array  # int64
    rows: Array  # int64: positions of the rows that are told

    def run(
        self, levels: int, ends: Array, guards: Array, workers: Workers | None = None, *,
        every: bool = False, lanes: int = LANES,
    ) -> Array:  # fmt: skip
        """Evaluate turns: float64[vectors, levels told, rows, lanes], the rows that are asked for.

        `ends` (float64[vectors, ends, levels, components, LANES]) is what turns bring at their
        ends, `guards` (float64[vectors, guards, levels, LANES]) is 1 where a guard fails, else 0.
        Told is the first level, or with `every` all of them, for so many lanes. Raises SolveError
        if the last level does not settle.
        """
        out = np.empty((len(ends), levels if every else 1, self.rows.size, lanes))
        stop = np.zeros(1, np.uint8) if workers is None else workers.stop
        layout, ring = self.layout, Ring(0, self.layout.bank, self.banks, self.layout.spare)
        ring = ring._replace(at=layout.ring_at)
        if not run_turns(
            layout.program, ring, self.work(), self.fetched, self.rises, levels, ends, guards,
            self.rows, out, np.zeros(layout.bank), stop,
        ) and not stop[0]:  # fmt: skip
            raise SolveError(Status.NOT_CONVERGED, "the last level inside a turn")
        return out

    def work(self) -> Work:
        """Scratch memory of one thread."""
        guards = len(self.turn.guards)
        return make_work(self.layout, LANES, 0, guards, guards)


def machine(
    turn: MergedTurn, told: int, wanted: Iterable[tuple[int, int]], *, paid: int | None = None
) -> Machine:
    """Lay out a turn for values with so many components.

    `wanted` are the rows asked for: nodes of the graph and components, of which number `told` is
    that of the moves: the number of the edge that is taken, counted within its node. A `bare` turn
    has no guards and no rewards.
    """
    asked, paid = list(wanted), told if paid is None else paid
    terms = _Terms(turn, told, any(component == told for _, component in asked), paid)
    terms.build()
    terms.wanted = {terms.row_of[key]: key[0] for key in asked}
    guards: Sequence[Sequence[int]] = [(), *((k,) for k in range(len(turn.guards)))]
    words = max(1, -(-len(turn.guards) // 64))
    need = np.zeros((len(terms.operations), words), np.uint64)
    banks = int(turn.graph.rise.max(initial=0)) + 1
    layout = lay_out(terms, guards, range(len(turn.guards)), need, banks)
    fetches = [operation.fetch for operation in layout.fetches]
    place = [(0, 0) if f is None else (f.target, f.component) for f in fetches]
    end, component = np.array(place, np.int64).reshape(-1, 2).T
    count = layout.program.kind.size
    home = layout.program.home[count:].astype(np.int64)
    rows = np.array([layout.row_of[key] for key in asked], np.int64)
    rises = np.array(layout.shifts, np.int64)
    return Machine(turn, layout, banks, Fetched(end.copy(), component.copy(), home), rises, rows)

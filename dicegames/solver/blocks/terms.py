"""From the control graph to operations on rows: sums, maxima and guarded leaves.

A block is evaluated by operations on rows of lanes.  Nodes of the model become

* FETCH: a row gathered from a table, or of rewards that depend on the point;
* SUM: a chance node, constants of rewards added up beforehand;
* COPY: a row of an earlier inner point;
* LEAF: an operand plus a constant, where a guard holds (elsewhere minus or plus infinity);
* MAX, MIN: a choice among leaves; a BRANCH is a choice of which one leaf is alive;
* BLEND: the sum of products of rows, the first half of the operands being the factors: a chance
  node that is estimated from samples (see `sampled`);
* FOLLOW: what a component has at the move that another one has chosen: its operands are that
  choice, a leaf of the choice for each edge in the order of the rules, and its own leaves;
* FIRST_BEST: the number of that move: its operands are the choice and a leaf of it for each edge.

There are such rows for every component of the value.

Equal operations are built once.  Leaves under the same guard are joined first; then the leaves of
all choices are joined by halves of the list of guards, so that choices which agree on one half
share it.  A half used once dissolves into its user.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby
from typing import Final

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.blocks.components import Components
from dicegames.solver.graph.turn import FINISH, GIVEN, LOCAL, SHIFT, Turn
from dicegames.solver.model import BRANCH, CHANCE, CHOICE, END, Model

FETCH: Final = 0
SUM: Final = 1
COPY: Final = 2
LEAF: Final = 3
MAX: Final = 4
MIN: Final = 5
FOLLOW: Final = 6
BLEND: Final = 7
FIRST_BEST: Final = 8
NOTHING: Final = -1


@frozen
class Fetch:
    """What a fetched row holds: a table read through an effect, and rewards; or a given value."""

    target: int  # stored node, NOTHING for rewards alone and given values
    component: int  # of the value read there
    effect: int
    rotate: int
    rewards: tuple[int, ...]
    end: int = NOTHING  # number of the given value


@frozen
class Draw:
    """What a fetched row holds: the share of an outcome among the samples of a chance node."""

    outcomes: tuple[int, ...]
    weights: tuple[float, ...]
    place: int


@define
class Operation:
    """One row: its kind, operands, and what belongs to the kind."""

    kind: int
    operands: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()  # SUM
    constant: float = 0.0  # SUM, LEAF
    guard: int = 0  # LEAF
    shift: int = NOTHING  # COPY, SUM: effect by which the operands' rows are earlier ones
    fetch: Fetch | None = None
    draw: Draw | None = None
    largest: bool = (
        True  # LEAF: which infinity stands where the guard fails; FOLLOW, FIRST_BEST: of a maximum
    )
    node: int = NOTHING  # model node it stands for
    branch: bool = False  # whether that is a branch: one leaf alone is alive


@define
class Terms:
    """All operations of a model."""

    model: Model
    turn: Turn
    components: Components
    operations: list[Operation] = field(factory=list)
    row_of: dict[tuple[int, int], int] = field(factory=dict)  # model node, component -> operation
    _known: dict[object, int] = field(factory=dict)

    def kept(self) -> set[int]:
        """The rows that are asked for when all is carried out.

        They are those of the stored nodes, and of all choices whose moves are told.
        """
        told, stored = [c.tells_moves for c in self.components], self.model.stored
        return {row for (n, c), row in self.row_of.items() if told[c] or stored[n]}

    def known(self, key: object) -> int:
        """The number of the operation with this key, NOTHING if there is none."""
        return self._known.get(key, NOTHING)

    def add(self, key: object, operation: Operation) -> int:
        """The number of an operation, built once for each key."""
        if key not in self._known:
            self._known[key] = len(self.operations)
            self.operations.append(operation)
        return self._known[key]


def build_terms(model: Model, turn: Turn, components: Components) -> Terms:
    """Operations of all nodes that can be reached; those of the nodes themselves come first."""
    terms = Terms(model, turn, components)
    kind, opposed = model.kind.tolist(), (model.chooser == 1).tolist()
    nodes = turn.nodes[model.kind[turn.nodes] != END].tolist()
    for number, component in enumerate(components):
        for node in nodes:
            if component.tells_moves and kind[node] == CHANCE:
                continue
            largest = model.maximise != (kind[node] == CHOICE and opposed[node])
            what = MAX if largest else MIN
            if kind[node] == CHANCE:
                what = SUM
            elif component.follows != number:
                what = FIRST_BEST if component.tells_moves else FOLLOW
            terms.row_of[node, number] = len(terms.operations)
            branch = kind[node] == BRANCH
            terms.operations.append(Operation(what, node=node, largest=largest, branch=branch))
    first = model.first_edge.tolist()
    choices: list[tuple[int, list[int]]] = []
    edges = [
        _Edges(terms, n) for n, component in enumerate(components) if not component.tells_moves
    ]
    for number, component in enumerate(components):
        for node in nodes:
            if (node, number) not in terms.row_of:
                continue
            operation = terms.operations[terms.row_of[node, number]]
            own = slice(first[node], first[node + 1])
            if operation.kind == SUM:
                edges[number].chance(operation, own)
            elif component.follows != number:
                chosen = terms.row_of[node, component.follows]
                leaves = edges[component.follows].in_order(operation, own)
                if operation.kind == FOLLOW:
                    leaves += edges[number].in_order(operation, own)
                operation.operands = (chosen, *leaves)
            else:
                leaves = edges[number].leaves(operation, own)
                operation.operands = tuple(leaves)
                if kind[node] == CHOICE:
                    choices.append((terms.row_of[node, number], leaves))
    _share(terms, choices)
    _join_twins(terms)
    return terms


def _join_twins(terms: Terms) -> None:
    """Let equal sums be one: a node with a table of its own may be equal to one without."""
    first: dict[object, int] = {}
    other: dict[int, int] = {}
    for number, o in enumerate(terms.operations):
        if o.kind == SUM:
            key = (o.operands, o.weights, o.constant, o.shift)
            if first.setdefault(key, number) != number:
                other[number] = first[key]
                o.operands, o.weights = (), ()
    if other:
        for operation in terms.operations:
            operation.operands = tuple([other.get(k, k) for k in operation.operands])
        terms.row_of = {key: other.get(n, n) for key, n in terms.row_of.items()}


class _Edges:
    """The columns of the edges as lists, and the operations that edges need for a component."""

    def __init__(self, terms: Terms, number: int) -> None:
        model, turn = terms.model, terms.turn
        self.terms, self.number = terms, number
        self.component = terms.components[number]
        ends = self.component.ends
        sort = turn.sort if ends is None else np.where(ends >= 0, GIVEN, turn.sort)
        self.sort, self.effect = sort.tolist(), model.effect.tolist()
        self.ends = [NOTHING] * model.edges if ends is None else ends.tolist()
        self.weight, self.guard = model.weight.tolist(), model.guard.tolist()
        self.target = model.target.tolist()
        constants = [reward.constant for reward in model.rewards]
        self.reward = self.component.rewards.tolist()
        self.constant = [constants[r] for r in self.reward]
        self.extra = [bool(reward.lookups) for reward in model.rewards]
        self.operand = self._operands()

    def _operands(self) -> list[int]:
        """The row each edge reads, rewards that depend on the point included; NOTHING if none."""
        model, known = self.terms.model, dict[object, int]()
        met, row = np.zeros(model.nodes, np.bool_), np.full(model.nodes, NOTHING)
        met[self.terms.turn.nodes] = True
        own = [(node, place) for (node, c), place in self.terms.row_of.items() if c == self.number]
        row[[node for node, _ in own]] = [place for _, place in own]
        used = np.repeat(met, np.diff(model.first_edge))
        extra = np.array(self.extra)[self.component.rewards]
        plain = used & (np.array(self.sort) == LOCAL) & ~extra
        out: list[int] = np.where(plain, row[model.target], NOTHING).tolist()
        rotate = model.rotate.tolist()
        for e in np.flatnonzero(used & ~plain).tolist():
            if self.sort[e] == GIVEN:
                given = Operation(FETCH, fetch=Fetch(NOTHING, 0, 0, 0, (), self.ends[e]))
                out[e] = self.terms.add(("given", self.ends[e]), given)
                continue
            lookups = model.rewards[self.reward[e]].lookups
            place = (self.sort[e], self.target[e], self.effect[e], rotate[e], lookups)
            if place not in known:
                known[place] = self._operand(*place)
            out[e] = known[place]
        return out

    def _operand(
        self, sort: int, target: int, effect: int, rotate: int, extra: tuple[int, ...]
    ) -> int:
        terms = self.terms
        if sort == LOCAL:
            return self._plus(terms.row_of[target, self.number], extra)
        if sort == SHIFT:
            key = ("copy", target, effect, self.number)
            row = terms.row_of[target, self.number]
            own = terms.add(key, Operation(COPY, (row,), shift=effect))
            return own if not extra else self._plus(own, extra)
        if sort == FINISH:
            return self._rewards(extra)
        seen = self.component.seen[rotate]
        fetch = Fetch(target, seen, effect, rotate, extra)
        return terms.add((target, seen, effect, rotate, extra), Operation(FETCH, fetch=fetch))

    def _rewards(self, extra: tuple[int, ...]) -> int:
        fetch = Fetch(NOTHING, 0, 0, 0, extra)
        return self.terms.add(("rewards", extra), Operation(FETCH, fetch=fetch))

    def _plus(self, own: int, extra: tuple[int, ...]) -> int:
        operands = (own, self._rewards(extra))
        return self.terms.add(("plus", operands), Operation(SUM, operands, (1.0, 1.0)))

    def chance(self, operation: Operation, own: slice) -> None:
        """Fill in a SUM; if all of its rows are earlier by one effect, it reads them in place."""
        row = range(own.start, own.stop)
        drawn = self.terms.model.drawn
        if self.component.drawn and drawn is not None and drawn[operation.node]:
            pairs = zip(self.operand[own], self.constant[own], strict=True)
            parts = [self._leaf(o, c, 0, True) for o, c in pairs]
            outcomes = (tuple(parts), tuple(self.weight[own]))
            shares = [self._share_of(outcomes, k) for k in range(len(parts))]
            operation.kind, operation.operands = BLEND, (*shares, *parts)
            return
        operation.constant = sum(
            w * c for w, c in zip(self.weight[own], self.constant[own], strict=True)
        )
        plain = [e for e in row if self.sort[e] != FINISH or self.extra[self.reward[e]]]
        operation.weights = tuple([self.weight[e] for e in plain])
        effects = {self.effect[e] for e in plain}
        whole = all(self.sort[e] == SHIFT and not self.extra[self.reward[e]] for e in plain)
        if whole and len(effects) == 1:
            operation.shift = effects.pop()
            row_of, number = self.terms.row_of, self.number
            operation.operands = tuple([row_of[self.target[e], number] for e in plain])
        else:
            operation.operands = tuple([self.operand[e] for e in plain])

    def _share_of(self, outcomes: tuple[tuple[int, ...], tuple[float, ...]], place: int) -> int:
        """The row with the share that one of the outcomes has among the samples of a node.

        Nodes with the same outcomes have the same samples.
        """
        draw = Draw(outcomes[0], outcomes[1], place)
        return self.terms.add(("share", draw), Operation(FETCH, draw=draw))

    def in_order(self, operation: Operation, own: slice) -> list[int]:
        """One leaf for each edge, in the order of the rules."""
        columns = (self.operand[own], self.constant[own], self.guard[own])
        return [self._leaf(o, c, g, operation.largest) for o, c, g in zip(*columns, strict=True)]

    def leaves(self, operation: Operation, own: slice) -> list[int]:
        """One leaf for each guard of a choice, one for each edge where there are no guards."""
        largest = operation.largest
        entries = set(zip(self.guard[own], self.operand[own], self.constant[own], strict=True))
        ordered = sorted(entries)
        guards = [entry[0] for entry in ordered]
        if guards[-1] == 0 or len(set(guards)) == len(guards):
            return [self._leaf(o, c, g, largest) for g, o, c in ordered]
        out = []
        for guard, group in groupby(ordered, key=lambda entry: entry[0]):
            inner = [(o, c) for _, o, c in group]
            operand, constant = inner[0]
            if len(inner) > 1:
                operands = tuple(sorted([self._leaf(o, c, 0, largest) for o, c in inner]))
                key = (operation.kind, operands)
                operand = self.terms.add(key, Operation(operation.kind, operands))
                constant = 0.0
            out.append(self._leaf(operand, constant, guard, largest))
        return out

    def _leaf(self, operand: int, constant: float, guard: int, largest: bool) -> int:  # noqa: FBT001
        if guard == 0 and constant == 0:
            return operand
        key = ("leaf", operand, constant, guard, largest)
        found = self.terms.known(key)
        if found != NOTHING:
            return found
        leaf = Operation(LEAF, (operand,), constant=constant, guard=guard, largest=largest)
        return self.terms.add(key, leaf)


def _share(terms: Terms, choices: list[tuple[int, list[int]]]) -> None:
    """Join the leaves of the choices by halves of the guards."""
    all_of_them = terms.operations
    for kind in (MAX, MIN):
        own = [(n, leaves) for n, leaves in choices if all_of_them[n].kind == kind]
        leaves_of: dict[int, set[int]] = {}
        for leaf in {leaf for _, leaves in own for leaf in leaves}:
            leaves_of.setdefault(_guard_of(all_of_them[leaf]), set()).add(leaf)
        order = sorted(leaves_of, key=lambda guard: (len(leaves_of[guard]), guard))
        place = {leaf: i for i, guard in enumerate(order) for leaf in leaves_of[guard]}
        halves = _Halves(terms, kind, place)
        for number, leaves in own:
            if len({place[leaf] for leaf in leaves}) == len(leaves):
                ordered = tuple(sorted(leaves, key=place.__getitem__))
                halves.count(ordered, 0, len(order))
                halves.roots.append((number, ordered))
        halves.join()


def _guard_of(operation: Operation) -> int:
    return operation.guard if operation.kind == LEAF else 0


class _Halves:
    """Counts how often halves of choices occur, then builds the ones that occur again."""

    def __init__(self, terms: Terms, kind: int, place: dict[int, int]) -> None:
        self.terms, self.kind, self.place = terms, kind, place
        self.uses: dict[tuple[int, ...], int] = {}
        self.split: dict[tuple[int, ...], tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.roots: list[tuple[int, tuple[int, ...]]] = []

    def count(self, leaves: tuple[int, ...], low: int, high: int) -> None:
        """Take a list of leaves, sorted by their guards, apart; once for each list."""
        met = self.uses.get(leaves, 0)
        self.uses[leaves] = met + 1
        if met or len(leaves) < 2:
            return
        places = [self.place[leaf] for leaf in leaves]
        first, last = places[0], places[-1]
        middle = (low + high) // 2
        while first >= middle or last < middle:
            low, high = (middle, high) if first >= middle else (low, middle)
            middle = (low + high) // 2
        cut = bisect_left(places, middle)
        left, right = leaves[:cut], leaves[cut:]
        self.split[leaves] = (left, right)
        self.count(left, low, middle)
        self.count(right, middle, high)

    def join(self) -> None:
        """Build the shared halves and give each choice its operands."""
        for number, leaves in self.roots:
            operands: list[int] = []
            self.gather(leaves, operands, top=True)
            self.terms.operations[number].operands = tuple(operands)

    def gather(self, leaves: tuple[int, ...], out: list[int], *, top: bool = False) -> None:
        """Append the operands that stand for a list of leaves."""
        if len(leaves) == 1:
            out.append(leaves[0])
            return
        shared = self.uses[leaves] > 1 and not top
        found = self.terms.known((self.kind, "half", leaves)) if shared else NOTHING
        if found != NOTHING:
            out.append(found)
            return
        inner: list[int] = [] if shared else out
        for part in self.split[leaves]:
            self.gather(part, inner)
        if shared:
            key = (self.kind, "half", leaves)
            out.append(self.terms.add(key, Operation(self.kind, tuple(inner))))

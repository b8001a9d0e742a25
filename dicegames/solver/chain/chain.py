"""The chain of a solved model: what play does once every choice is made as the values say.

Under a fixed policy the *landing* states of a model form a Markov chain: the stored states, in most
games one for each turn, and what is entered in the middle of a turn by an edge that pays or bears a
label. Between two of them lies a piece of a turn. The *law* of a landing state is the list of
(probability, next landing state, label); the label of an edge stands for what it pays and for
what happens on it. Seats are counted from the one to move; payments and values are told for each.

This module prepares a model for the kernels, which find the laws by one forward pass over the graph
of a turn (`forward`); the choices are those of the greedy policy (`blocks.choices`). Nodes that
behave alike are merged first, as in `reduce`, but nothing is averaged: a law keeps every single
payment.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod
from typing import Final, NamedTuple

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.blocks.choices import Greedy, make_greedy
from dicegames.solver.blocks.components import moves_chosen, moves_for_ends
from dicegames.solver.blocks.in_pieces import TableInPieces
from dicegames.solver.blocks.pieces import Pieces
from dicegames.solver.chain.by_seat import by_seat, write_seats
from dicegames.solver.chain.units import Units, find_units
from dicegames.solver.graph.canonical import canonical
from dicegames.solver.graph.expand import components
from dicegames.solver.graph.fold import fold
from dicegames.solver.graph.ordered import merge_by_seat
from dicegames.solver.graph.turn import LOCAL, READ, SHIFT, Turn, plan_turn, reachable_nodes, unfit
from dicegames.solver.kernels.arrays import Matrix, Vector
from dicegames.solver.kernels.flat import Flat, flatten, strides
from dicegames.solver.model import BRANCH, CHOICE, END, Array, Model, rows_begin

CHAIN_LANES: Final = 8
MOST_CHAIN_STATES: Final = 400_000_000
WIDEST_CHOICE: Final = 32_000
NOT_YET: Final = np.zeros(0, np.int64)
OFF_TABLES: Final = 1 << 30
"""The label of a step beyond the tables: its payment is a value, not a sum."""


class Walk(NamedTuple):
    """How the kernels walk through a turn; numbers of edges and nodes are the merged model's."""

    sort: Vector[np.uint8]  # [E]
    shift: Vector[np.int32]  # [E]: row of `after` of a SHIFT edge, -1 otherwise
    after: Matrix[np.int64]  # [shifts, inner points]: flat inner point after a shift, -1: none
    slot: Vector[np.int32]  # [N]: number of a CHOICE or BRANCH node, -1 otherwise
    table: Vector[np.int64]  # [N]: offset of a stored node's tables in `values`, by seat, or -1
    landing: Vector[np.int64]  # [N]: number of a landing node, -1 otherwise
    hub: Vector[np.int32]  # [N]: number of a node from which pieces of a turn begin, -1 otherwise
    hub_first: Vector[np.int32]  # [hubs + 1]: the nodes behind a hub, in the order of play
    hub_nodes: Vector[np.int32]
    slots: int  # how many there are
    onward: Vector[np.int32]  # [E]: of the target's row on LOCAL edges within a piece, else -1
    exit: Vector[np.int32]  # [E]: how the edges that end a piece of a turn do so, -1 otherwise
    exit_edge: Vector[np.int32]  # [exits]: one edge of those that end a piece alike
    label: Vector[np.int32]  # [each]: what a reward stands for, beside the number that it pays
    each: int  # number of rewards of one seat; those of the next are that many further on
    seats: int
    inner: Vector[np.int64]  # inner axes
    inner_step: Vector[np.int64]
    inner_at: Vector[np.int64]  # [inner points]: what an inner point adds to a position in a table
    ranked: Vector[np.int64]  # flat inner points in order of progress
    rank: Vector[np.int64]  # its inverse
    values: Vector[np.float64]  # the tables of the stored nodes
    entries: int  # of one table
    paid: Vector[np.int64]  # [rewards]: `reward_constant` in units
    paid_pool: Vector[np.int64]  # the pool of reward lookups in units


@frozen(eq=False, slots=False)
class Chain:
    """A model made ready for walking under the policy of its values."""

    model: Model  # merged
    flat: Flat
    turn: Turn
    walk: Walk
    start: int  # key of the start: landing number * entries + position in a table
    landing_nodes: Array  # int64: nodes of the merged model, by landing number
    node_of: Array  # int64: from nodes of the original to merged ones
    units: Units  # in which it pays
    pieces: Pieces | None  # where values are read from, if they are not all in memory

    @property
    def states(self) -> int:
        """Number of keys of landing states."""
        return len(self.landing_nodes) * self.walk.entries

    @cached_property
    def greedy(self) -> Greedy:
        """How the moves are found at all choices and branches."""
        return _greedy(self, self.model, self.turn, _in_slots(self.walk))

    def ready(self, outer: Array, inner: Array) -> bool:
        """Have values at hand at outer points (positions in a table), at flat inner points.

        Tells whether all of these have values.
        """
        if self.pieces is not None:
            return self.pieces.ready(outer, inner)
        walk = self.walk
        known = np.zeros(outer.size, np.bool_)
        for table in np.unique(walk.table[walk.table >= 0]).tolist():
            for position in walk.inner_at:
                known |= np.isfinite(walk.values[table + outer + position])
        return bool(known.all())


def make_chain(
    model: Model,
    tables: Mapping[int, Array] | Mapping[int, TableInPieces],
    labels: Array | None = None,
    *,
    missing: float = np.nan,
) -> Chain:
    """Prepare a solved model.

    `tables` are the values of the stored nodes (float64, shape of the axes, then the seats if each
    has a value of its own; or where they are read from), `labels` an integer for every edge (0:
    none). States without a value have the one that is `missing`: a number where they are only met
    when all moves are as good. Raises SolveError where the graph does not fall into turns.
    """
    if bool((model.chooser != 0).any()):
        raise unfit("it is walked where the player to move chooses")
    labels = np.zeros(model.edges, np.int64) if labels is None else labels
    merged, node_of, label_of = merge_by_seat(by_seat(model), labels)
    turn = _turn(merged)
    on_disk = {n: table for n, table in tables.items() if isinstance(table, TableInPieces)}
    pieces = next(iter(on_disk.values())).pieces if on_disk else None
    if pieces is None:
        own = {n: np.asarray(table) for n, table in tables.items()}
        table, values = _tables(model, merged, node_of, own, missing)
    else:
        where = {(int(node_of[n]), each.table) for n, each in on_disk.items()}
        table, values = _tables_in_pieces(merged, turn, where, pieces)
    walk, landing = _walk(merged, turn, table, values, label_of)
    if pieces is None and len(landing) * walk.entries > MOST_CHAIN_STATES:
        raise unfit(f"{len(landing) * walk.entries:.3g} states between turns")
    flat, used = flatten(merged), np.zeros((merged.seats, walk.each), np.bool_)
    used[:, merged.reward] = True
    used[:, label_of == OFF_TABLES] = False
    units = find_units(merged, flat.floats, used.ravel())
    walk = walk._replace(paid=units.constant, paid_pool=units.floats)
    start = int(walk.landing[merged.start]) * walk.entries + merged.position(merged.start_point)
    return Chain(merged, flat, turn, walk, start, landing, node_of, units, pieces)


def _turn(model: Model) -> Turn:
    """The turn of a model, which ends wherever a stored node is entered."""
    turn = plan_turn(model)
    turn.sort[(turn.sort != READ) & model.stored[model.target]] = READ
    return turn


def _greedy(chain: Chain, model: Model, turn: Turn, slots: Array) -> Greedy:
    """How the moves are found at some choices and branches, by a model with the same nodes."""
    walk, pieces = chain.walk, chain.pieces
    tables = {
        (node, seat): int(walk.table[node]) + seat * walk.entries
        for node in np.flatnonzero(walk.table >= 0).tolist()
        for seat in range(walk.seats)
    }
    places = None if pieces is None else pieces.places
    return make_greedy(model, turn, moves_chosen(model), slots, walk.values, tables, places)


def greedy_for_choices(chain: Chain) -> Greedy:
    """How the moves are found at choices alone, which is faster where branches can be folded."""
    model, slots = chain.model, _in_slots(chain.walk)
    slots = slots[model.kind[slots] == CHOICE]
    if model.seats > 1:
        return _greedy(chain, model, chain.turn, slots)
    folded = fold(canonical(model))
    return _greedy(chain, folded, _turn(folded), slots)


def greedy_for_exits(chain: Chain) -> Greedy:
    """How the moves are found where the worth of every exit is given; more is better."""
    model = evolve(chain.model, maximise=True)
    told = moves_for_ends(model, chain.walk.exit)
    return make_greedy(model, chain.turn, told, _in_slots(chain.walk))


def _in_slots(walk: Walk) -> Array:
    """The choices and branches, by slot."""
    nodes = np.flatnonzero(walk.slot >= 0)
    return nodes[np.argsort(walk.slot[nodes])]


def step_by_step(model: Model) -> Model:
    """The model with values stored wherever a point changes and wherever a turn goes round.

    So every model falls into pieces without cycles; there are more landing states than turns.
    """
    moving = np.array([bool(effect.assign) for effect in model.effects])[model.effect]
    moving |= model.rotate != 0
    stored = model.stored.copy()
    stored[model.target[moving]] = True
    source = model.sources
    within = ~moving & ~stored[model.target]
    first = rows_begin(np.bincount(source[within], minlength=model.nodes))
    found, component = components(first, model.target[within])
    sizes = np.bincount(component, minlength=found)
    stored |= sizes[component] > 1
    stored[source[within & (source == model.target)]] = True
    stored[model.kind == END] = False
    axes = tuple(evolve(axis, inner=False) for axis in model.axes)
    return evolve(model, axes=axes, stored=stored)


def _walk(
    model: Model, turn: Turn, table: Array, values: Array, label_of: Array
) -> tuple[Walk, Array]:
    met = reachable_nodes(model, model.stored | (np.arange(model.nodes) == model.start))
    met &= np.isin(np.arange(model.nodes), turn.nodes)
    live = met[model.sources]
    landing_node, leaves, hub_node = _cut(model, turn, live, label_of)
    hub_first, hub_nodes = _behind(model, turn, hub_node, leaves)
    exit_, exit_edge = _exits(model, leaves)
    shift, after = _shifts(model, turn)
    row = model.target.astype(np.int64) * CHAIN_LANES
    if int(np.diff(model.first_edge).max(initial=0)) > WIDEST_CHOICE:
        raise unfit("a choice has too many moves")
    walk = Walk(
        sort=turn.sort,
        shift=shift,
        after=after,
        slot=_slots(model, met).astype(np.int32),
        slots=int(np.count_nonzero(met & np.isin(model.kind, (CHOICE, BRANCH)))),
        onward=np.where((turn.sort == LOCAL) & ~leaves, row, -1).astype(np.int32),
        table=table,
        landing=_numbers(landing_node),
        hub=_numbers(hub_node).astype(np.int32),
        hub_first=hub_first,
        hub_nodes=hub_nodes,
        exit=exit_,
        exit_edge=exit_edge,
        label=label_of,
        each=len(label_of),
        seats=model.seats,
        inner=np.array(turn.inner, np.int64),
        inner_step=strides(turn.inner_shape),
        inner_at=_inner_positions(model, turn),
        ranked=turn.ranked,
        rank=turn.rank,
        values=values,
        entries=model.points,
        paid=NOT_YET,
        paid_pool=NOT_YET,
    )
    return walk, np.flatnonzero(landing_node)


def _cut(model: Model, turn: Turn, live: Array, label_of: Array) -> tuple[Array, Array, Array]:
    """Cut turns into pieces: landing nodes, the edges that end pieces, nodes that begin them."""
    paying = np.array([bool(r.lookups) or r.constant != 0 for r in model.rewards])
    told = (paying.reshape(model.seats, -1).any(axis=0) | (label_of != 0))[model.reward]
    within = (turn.sort == LOCAL) | (turn.sort == SHIFT)
    ends = model.kind[model.target] == END
    landing = np.zeros(model.nodes, np.bool_)
    landing[turn.nodes] = model.stored[turn.nodes]
    landing[model.target[live & within & told & ~ends]] = True
    leaves = live & (landing[model.target] | ~within | ends)
    hubs = landing.copy()
    hubs[model.target[live & ~leaves & (turn.sort == SHIFT)]] = True
    return landing, leaves, hubs


def _exits(model: Model, leaves: Array) -> tuple[Array, Array]:
    """Number the edges that end pieces, those alike that pay and lead the same; one of each."""
    edges = np.flatnonzero(leaves)
    ends = model.kind[model.target[edges]] == END
    target, effect = (np.where(ends, -1, a[edges]) for a in (model.target, model.effect))
    columns = np.column_stack([target, effect, model.rotate[edges], model.reward[edges]])
    _, one, number = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    numbers = np.full(model.edges, -1, np.int32)
    numbers[edges] = number.ravel()
    return numbers, edges[one].astype(np.int32)


def _shifts(model: Model, turn: Turn) -> tuple[Array, Array]:
    """The row of every SHIFT edge, and the inner points after each inner point, by row."""
    effects = sorted(turn.shifts)
    row_of = np.full(len(model.effects), -1, np.int32)
    row_of[effects] = np.arange(len(effects))
    shift = np.where(turn.sort == SHIFT, row_of[model.effect], -1).astype(np.int32)
    after = np.array([turn.shifts[e] for e in effects], np.int64)
    after = after.reshape(len(effects), turn.rank.size)
    return shift, np.where(after < turn.rank.size, after, -1)


def _numbers(chosen: Array) -> Array:
    """Numbers of the chosen places in order, -1 elsewhere: int64."""
    return np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int64)


def _slots(model: Model, met: Array) -> Array:
    """Numbers of the choices, then of the branches."""
    choices, branches = (met & (model.kind == kind) for kind in (CHOICE, BRANCH))
    behind = np.where(branches, _numbers(branches) + np.count_nonzero(choices), -1)
    return np.where(choices, _numbers(choices), behind)


def _inner_positions(model: Model, turn: Turn) -> Array:
    grid = np.indices(turn.inner_shape).reshape(len(turn.inner), turn.rank.size)
    step = strides(model.shape)[list(turn.inner)]
    positions: Array = (grid * step[:, None]).sum(axis=0).astype(np.int64)
    return positions


def _tables(
    model: Model, merged: Model, node_of: Array, tables: dict[int, Array], missing: float
) -> tuple[Array, Array]:
    """Where the tables of merged nodes begin, and the values themselves.

    What is known of one of the nodes that became one is known.
    """
    table, shape = np.full(merged.nodes, -1, np.int64), (merged.seats, merged.points)
    table[merged.stored] = 0
    met = np.unique(node_of[np.array([*tables], np.int64)])
    table[met] = prod(shape) * np.arange(1, 1 + len(met))
    whole = np.empty((1 + len(met)) * prod(shape))
    whole[: prod(shape)] = np.nan  # of stored nodes that no play enters
    filled: set[int] = set()
    for node, values in tables.items():  # one after the other: they are large
        number = int(node_of[node])
        own = whole[table[number] :][: prod(shape)].reshape(shape)
        found = np.empty(shape) if number in filled else own
        write_seats(model, values, found)
        if number in filled:
            np.copyto(own, found, where=np.isnan(own))
        filled.add(number)
    if not np.isnan(missing):
        np.nan_to_num(whole, copy=False, nan=missing)
    return table, whole


def _tables_in_pieces(
    model: Model, turn: Turn, tables: set[tuple[int, int]], pieces: Pieces
) -> tuple[Array, Array]:
    """Where the tables of nodes begin in the files of a folder, and all their values.

    `tables` are the numbers of nodes, each with that of its table.
    """
    read = model.target[(turn.sort == READ) & np.isin(model.sources, turn.nodes)]
    own = dict(tables)
    whole = len(own) == len(tables) and {*read.tolist()} <= {*own}
    if model.seats > 1 or pieces.places.inner != turn.inner or not whole:
        raise unfit("what a folder has is not what games are played with")
    table = np.full(model.nodes, -1, np.int64)
    table[[*own]] = np.array([*own.values()]) * pieces.places.size
    return table, pieces.space.values


def _behind(model: Model, turn: Turn, hubs: Array, leaves: Array) -> tuple[Array, Array]:
    """For every hub the nodes to which LOCAL edges lead from it, in the order of play."""
    place = np.zeros(model.nodes, np.int64)
    place[turn.nodes] = np.arange(len(turn.nodes))
    inside = (turn.sort == LOCAL) & ~leaves
    first, found = [0], []
    for hub in np.flatnonzero(hubs).tolist():
        met, pending = {hub}, [hub]
        while pending:
            node = pending.pop()
            edges = np.arange(model.first_edge[node], model.first_edge[node + 1])
            for target in np.unique(model.target[edges[inside[edges]]]).tolist():
                if target not in met:
                    met.add(target)
                    pending.append(target)
        found.extend(sorted(met, key=lambda n: -place[n]))
        first.append(len(found))
    return np.array(first, np.int32), np.array(found, np.int32)

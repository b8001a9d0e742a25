"""What solving will take, told before it starts: the form used, sizes, memory and time.

The estimates are for refusing what does not fit, not for comparing: memory counts the tables, the
scratch rows of the threads and the program itself; time counts operations, as if no guard ever
saved one, and is therefore too large rather than too small.
"""

from __future__ import annotations

from math import prod

import numpy as np
from attrs import evolve, frozen

from dicegames.compiler.compiled import Compiled
from dicegames.solver.blocks import make_plan
from dicegames.solver.model import Model
from dicegames.solver.plan import Plan
from dicegames.solver.progress import Form
from dicegames.solver.reach import Reach
from dicegames.solver.status import SolveError, Status
from dicegames.solver.workers import Workers, available_threads

PROGRAM_BYTES = 230_000_000
OPERATION_SECONDS = 2e-10
LANE_BYTES = 256
STATE_BYTES = 60
"""Memory for one state and its edges in the explicit form."""
STATE_SECONDS = 2e-6
TURN_BYTES = 2_000_000
"""Memory for the values inside one turn that is solved by itself."""
TURN_SECONDS = 0.2
ROUNDS = 20
"""How often turns are solved until a long run is known."""


@frozen
class Outlook:
    """What is known of a solve before it starts.

    `reachable` is -1 where it is known only by exploring; then memory and time are for all states
    that could be, an upper bound.
    """

    form: str
    why: str
    nodes: int
    edges: int
    reduced_nodes: int
    table_states: int
    reachable: int
    layers: int
    progress: str
    cyclic: bool
    memory: int
    seconds: float
    layer_sizes: tuple[int, ...] = ()  # points, in the order of play


def outlook(compiled: Compiled, threads: int | None = None) -> Outlook:
    """Return what solving a compiled game will take."""
    count = threads or available_threads()
    model = compiled.model
    if model.average:
        return _turns(model, "turns come again; in the long run they bring so much each")
    if len(model.axes) > 1 and any(axis.unbounded for axis in model.axes):
        return _turns(model, "a counter without limit lives inside a turn")
    if any(axis.unbounded for axis in model.axes):
        return _explicit(model, "a counter without limit is closed by a tail that is proven")
    if not model.axes:
        return _explicit(model, "nothing outlives a turn")
    try:
        with Workers(count) as workers:
            plan = make_plan(model, workers)
    except SolveError as error:
        if error.status is not Status.UNSUPPORTED:
            raise
        return _explicit(model, error.detail)
    return _blocks(model, plan, count)


def blame(compiled: Compiled) -> str:
    """Say which variable makes a game large."""
    axes = compiled.model.axes
    if not axes:
        return "the turn itself has very many situations"
    largest = max(axes, key=lambda axis: axis.size)
    return f'the largest part is "{largest.name}" with {largest.size:,} values'


def refusal(compiled: Compiled, found: Outlook, memory: int | None, seconds: float | None) -> str:
    """Say why a game does not fit the memory (bytes) or time given; nothing if it does.

    What is only an upper bound refuses nothing.
    """
    if found.reachable < 0:
        return ""
    if memory is not None and found.memory > memory:
        needs = f"about {found.memory / 1e6:,.0f} MB, allowed are {memory / 1e6:,.0f} MB"
        return f"solving needs {needs}; {blame(compiled)}"
    if seconds is not None and found.seconds > seconds:
        takes = f"about {found.seconds:,.1f} s, allowed are {seconds:,.1f} s"
        return f"solving takes {takes}; {blame(compiled)}"
    return ""


def _blocks(model: Model, plan: Plan, threads: int) -> Outlook:
    small, cyclic = plan.model, plan.progress.cyclic
    tables = int(small.stored.sum()) * prod(small.shape)
    sizes = _layer_sizes(plan.reach)
    operations = small.edges * sum(sizes)
    scratch = (small.nodes + small.edges) * LANE_BYTES * threads
    return Outlook(
        form="blocks",
        why="every turn leads on to a later layer" + (" or round a cycle" if cyclic else ""),
        nodes=model.nodes,
        edges=model.edges,
        reduced_nodes=small.nodes,
        table_states=tables,
        reachable=int(np.unpackbits(plan.reach.entered.view(np.uint8)).sum()),
        layers=len(sizes),
        progress=", then ".join(_form(small, form) for form in plan.progress.forms),
        cyclic=cyclic,
        memory=PROGRAM_BYTES + 9 * tables + scratch,
        seconds=operations * OPERATION_SECONDS / threads * (20 if cyclic else 1),
        layer_sizes=sizes,
    )


def _layer_sizes(reach: Reach) -> tuple[int, ...]:
    """Return the points of each layer, the first of the game first."""
    sizes: dict[int, int] = {}
    for row, layer in zip(reach.closure, reach.layer.tolist(), strict=True):
        found, counts = np.unique(reach.minor_layer[reach.bits(row)], return_counts=True)
        for share, count in zip(found.tolist(), counts.tolist(), strict=True):
            sizes[layer + share] = sizes.get(layer + share, 0) + count
    return tuple(sizes[layer] for layer in sorted(sizes))


def _form(model: Model, form: Form) -> str:
    """Say what rises or falls as play goes on."""
    names = " and ".join(f'"{model.axes[axis].name}"' for axis in form.axes)
    sets = any(model.axes[axis].kind == "set" for axis in form.axes)
    if form.sign > 0:
        return f"more in {names}" if sets else f"a higher {names}"
    return f"less in {names}" if sets else f"a lower {names}"


def _turns(model: Model, why: str) -> Outlook:
    """Turns are solved one by one; how many differ is known only by following them."""
    most = int(model.stored.sum()) * prod(axis.size for axis in model.axes if not axis.inner)
    return evolve(
        _explicit(model, why),
        form="turn by turn",
        table_states=most,
        memory=PROGRAM_BYTES + TURN_BYTES * most,
        seconds=TURN_SECONDS * most * (ROUNDS if model.average else 1),
    )


def _explicit(model: Model, why: str) -> Outlook:
    states = model.nodes * prod(model.shape)
    return Outlook(
        form="explicit",
        why=why,
        nodes=model.nodes,
        edges=model.edges,
        reduced_nodes=model.nodes,
        table_states=int(model.stored.sum()) * prod(model.shape),
        reachable=-1,
        layers=-1,
        progress="",
        cyclic=True,
        memory=PROGRAM_BYTES + STATE_BYTES * states,
        seconds=states * STATE_SECONDS,
    )

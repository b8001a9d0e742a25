"""What solving will take, told before it starts: the form used, sizes, memory and time.

The estimates are for refusing what does not fit, not for comparing: memory counts the tables, the
scratch rows of the threads and the program itself; time counts operations, as if no guard ever
saved one, and is therefore too large rather than too small.

Where states are solved one by one, they are counted up to a limit; where turns are, the turns.
"""

from __future__ import annotations

from math import prod

import numpy as np
from attrs import evolve, frozen

from dicegames.compiler.compiled import Compiled
from dicegames.compiler.limits import PROGRAM_BYTES
from dicegames.rules.parts.flow import Set
from dicegames.solver.blocks.blocks import make_plan
from dicegames.solver.blocks.components import numbers_kept
from dicegames.solver.blocks.plan import Plan
from dicegames.solver.explicit.explicit import BYTES_PER_STATE
from dicegames.solver.explicit.turns import Turns
from dicegames.solver.graph.progress import Form
from dicegames.solver.graph.reach import Reach
from dicegames.solver.graph.states import MAX_STATES, MoreStates, expand_states, most_listed
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Axis, Model
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

OPERATION_SECONDS = 2e-10
LANE_BYTES = 256
STATE_SECONDS = 2e-6
"""Time for one state in the explicit form, for each time that its value is looked at."""
MOST_COUNTED = 1_000_000
"""States that are counted before a game is solved."""
TURN_BYTES = 3_000_000
"""Memory for the values inside one turn that is solved by itself."""
TURN_SECONDS = 0.2
ROUNDS = 20
"""How often turns are solved until a long run is known."""


@frozen
class Outlook:
    """What is known of a solve before it starts.

    `reachable` is -1 where it is not known; then memory and time are for all states that could be,
    an upper bound, and `least` is the memory that is needed in any case. `impossible` says why the
    game cannot be solved, whatever is allowed.
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
    least: int = PROGRAM_BYTES
    impossible: str = ""
    layer_sizes: tuple[int, ...] = ()  # points, in the order of play


def outlook(
    compiled: Compiled,
    threads: int | None = None,
    memory: int | None = None,
    time: float | None = None,
) -> Outlook:
    """Return what solving a compiled game will take.

    States are not counted beyond the memory (bytes) allowed; no more time (seconds) than allowed is
    spent, SolveError where that is not enough.
    """
    with Workers(threads, time) as workers:
        return _outlook(compiled.model, workers, memory)


def _outlook(model: Model, workers: Workers, memory: int | None) -> Outlook:
    if model.average:
        return _turns(model, "turns come again; in the long run they bring so much each")
    if len(model.axes) > 1 and any(axis.unbounded for axis in model.axes):
        return _turns(model, "a counter without limit lives inside a turn")
    if any(axis.unbounded for axis in model.axes):
        found = _explicit(model, "a counter without limit is closed by a tail that is proven")
        return evolve(found, form="tail")
    if not model.axes:
        return _counted(_explicit(model, "nothing outlives a turn"), model, workers, memory)
    try:
        plan = make_plan(model, workers)
    except SolveError as error:
        if error.status is not Status.UNSUPPORTED:
            raise
        return _counted(_explicit(model, error.detail), model, workers, memory)
    return _blocks(model, plan, workers.threads)


def without_limit(compiled: Compiled) -> list[tuple[str, int, str]]:
    """Return the counters without limit: name, and the line and the words by which they grow."""
    game, found = compiled.game, []
    for axis, slot in zip(compiled.emitter.axes, compiled.emitter.slots, strict=True):
        if not axis.unbounded:
            continue
        for instruction in game.flow:
            if isinstance(instruction, Set) and instruction.addition and instruction.slot == slot:
                span = instruction.span
                line, _ = game.source.line_column(span.start)
                words = " ".join(game.source.text[span.start : span.end].split())
                found.append((axis.name, line, words))
                break
    return found


def blame(compiled: Compiled) -> str:
    """Say which variable makes a game large."""
    axes = compiled.model.axes
    if not axes:
        return f"all of it is one turn with {compiled.model.nodes:,} situations"
    for name, line, words in without_limit(compiled):
        return f'"{name}" has no limit: line {line}, {words}'
    own = {axis.name: axis.name for axis in axes}  # that of what has been gained is not declared
    slots = compiled.game.names.slots
    for axis, slot in zip(compiled.emitter.axes, compiled.emitter.slots, strict=True):
        own[axis.name] = slots[slot].name
    parts: dict[str, list[Axis]] = {}
    for axis in axes:
        parts.setdefault(own[axis.name], []).append(axis)
    name, largest = max(parts.items(), key=lambda part: prod(axis.size for axis in part[1]))
    if len(largest) == 1:
        return f'the largest part is "{largest[0].name}" with {largest[0].size:,} values'
    size = prod(axis.size for axis in largest)
    return f'the largest part is "{name}" with {size:,} values, all {len(largest)} together'


def refusal(compiled: Compiled, found: Outlook, memory: int | None, seconds: float | None) -> str:
    """Say why a game does not fit the memory (bytes) or time given; nothing if it does.

    What is only an upper bound refuses nothing.
    """
    if found.impossible:
        return f"{found.impossible}; {blame(compiled)}"
    known = found.reachable >= 0
    needed = found.memory if known else found.least
    if memory is not None and needed > memory:
        allowed = f"{memory / 1e6:,.0f} MB"
        needs = f"about {needed / 1e6:,.0f} MB, allowed are {allowed}"
        return f"solving needs {needs if known else f'more than {allowed}'}; {blame(compiled)}"
    if known and seconds is not None and found.seconds > seconds:
        takes = f"about {found.seconds:,.1f} s, allowed are {seconds:,.1f} s"
        return f"solving takes {takes}; {blame(compiled)}"
    return ""


def _blocks(model: Model, plan: Plan, threads: int) -> Outlook:
    small, cyclic = plan.model, plan.progress.cyclic
    tables = int(small.stored.sum()) * prod(small.shape)
    sizes = _layer_sizes(plan.reach)
    operations = small.edges * sum(sizes) * len(plan.components)
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
        memory=PROGRAM_BYTES + 9 * tables * numbers_kept(small) + scratch,
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
    """Turns are solved one by one: they are counted by following them."""
    found = evolve(_explicit(model, why), form="turn by turn")
    try:
        starts = len(Turns(model, _not_now).all_starts())
    except SolveError as error:
        too_many = error.status is Status.TOO_MANY_STATES
        return evolve(found, impossible=str(error)) if too_many else found
    return evolve(
        found,
        table_states=starts,
        reachable=starts,
        memory=PROGRAM_BYTES + TURN_BYTES * starts,
        seconds=TURN_SECONDS * starts * (ROUNDS if model.average else 1),
    )


def _not_now(model: Model) -> Solved:
    raise AssertionError(f"{model.name} is only looked at")


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
        memory=PROGRAM_BYTES + BYTES_PER_STATE * states,
        seconds=states * STATE_SECONDS,
    )


def _counted(found: Outlook, model: Model, workers: Workers, memory: int | None) -> Outlook:
    """Return the same with the states that can come up, as far as they are counted."""
    listed = most_listed(model)
    most = MOST_COUNTED if listed == MAX_STATES else listed
    if memory is not None:
        most = max(1, min(most, (memory - PROGRAM_BYTES) // BYTES_PER_STATE + 1))
    try:
        states = expand_states(model, workers, most).states
    except MoreStates as more:
        least = PROGRAM_BYTES + BYTES_PER_STATE * most
        return evolve(found, least=least, impossible=str(more) if most == listed else "")
    except SolveError as error:
        if error.status is Status.TOO_LONG:
            raise
        too_many = error.status is Status.TOO_MANY_STATES
        return evolve(found, impossible=str(error)) if too_many else found
    return evolve(
        found,
        reachable=states,
        memory=PROGRAM_BYTES + BYTES_PER_STATE * states,
        seconds=states * STATE_SECONDS,
    )

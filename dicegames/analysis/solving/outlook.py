"""What solving will take, told before it starts; and which rule makes a game large.

The estimates are for refusing what does not fit, not for comparing: memory counts the tables, the
scratch rows of the threads and the program itself; time counts operations, as if no guard ever
saved one, and is therefore too large rather than too small.

Where states are solved one by one, they are counted up to a limit; where turns are, the turns.
"""

from __future__ import annotations

from math import inf, prod

from attrs import evolve, frozen

from dicegames.compiler.compiled import Compiled
from dicegames.ground.limits import PROGRAM_BYTES, UNLIMITED, Limits
from dicegames.rules.parts.flow import Set
from dicegames.solver.blocks.tasks import parts_of
from dicegames.solver.methods.method import Cost
from dicegames.solver.model import Axis
from dicegames.solver.solve import cost_of

NETWORK = 1e9
"""Bytes a second from the disk that all workers share: a network of 10 Gbit/s."""
SUMMED = 5e8
"""Bytes a second that one process sums up and brings to disk."""
HANDED_OVER = 2e-3
"""Seconds that a scheduler takes for a task."""
SETTING_UP = 2e-9
"""Seconds in which a worker finds the places of a value."""


def outlook(
    compiled: Compiled, limits: Limits = UNLIMITED, *, in_folder: bool = False, counted: float = inf
) -> Cost:
    """Return what solving a compiled game will take, as `cost_of`, the program included."""
    return with_program(
        cost_of(compiled.model, limits.for_tables, in_folder=in_folder, counted=counted)
    )


@frozen
class Crewed:
    """What it takes with so many workers, all seconds one after the other; see `with_workers`."""

    workers: int
    computing: float
    preparing: float
    moving: float
    waiting: float
    tasks: int
    moved: float  # bytes

    @property
    def seconds(self) -> float:
        """In all."""
        return self.computing + self.preparing + self.moving + self.waiting


def with_workers(cost: Cost, threads: int, workers: int, planned: float) -> Crewed:
    """Return what solving into a folder takes with so many workers; `planned` are seconds.

    computing: the work by `cost`, shared out, and the last task of each layer, for which all wait.
    preparing: each worker makes the plan, and the points of every layer.
    moving: what is read of the layers behind through the network, and what is written and summed.
    waiting: for the scheduler to hand over each task.
    """
    sizes, work = cost.layer_sizes, cost.seconds * threads
    each = work / sum(sizes)
    tasks = [parts_of(size, workers) for size in sizes]
    rounds = [each * size / n * -(-n // workers) for size, n in zip(sizes, tasks, strict=True)]
    copies = min(workers, cost.ways)  # of a layer, that are read in all
    moved = copies * cost.disk if workers > threads else 0.0
    return Crewed(
        workers=workers,
        computing=sum(rounds),
        preparing=planned + SETTING_UP * sum(sizes),
        moving=moved / NETWORK + cost.disk / SUMMED,
        waiting=HANDED_OVER * sum(tasks),
        tasks=sum(tasks),
        moved=moved,
    )


def with_program(cost: Cost) -> Cost:
    """Return a cost with the memory that the program itself takes."""
    memory, least = cost.memory + PROGRAM_BYTES, cost.least + PROGRAM_BYTES
    return evolve(cost, memory=memory, least=least)


def without_limit(compiled: Compiled) -> list[tuple[str, int, str]]:
    """Return the counters without limit: name, and the line and the words by which they grow."""
    game, found = compiled.game, []
    for axis, slot in zip(compiled.emitter.axes, compiled.emitter.slots, strict=True):
        if not axis.unbounded:
            continue
        for instruction in game.flow:
            if isinstance(instruction, Set) and instruction.addition and instruction.slot == slot:
                line, _ = game.source.line_column(instruction.span.start)
                found.append((axis.name, line, game.source.words(instruction.span)))
                break
    return found


def blame(compiled: Compiled) -> str:
    """Say which variable makes a game large."""
    axes = compiled.model.axes
    if not axes:
        return f"all of it is one turn with {compiled.model.nodes:,} situations"
    pairs = zip(compiled.emitter.axes, compiled.emitter.slots, strict=True)
    variables = {axis.name: compiled.game.names.slots[slot] for axis, slot in pairs}
    for name, line, words in without_limit(compiled):
        told = f'"{name}" has no limit: line {line}, {words}'
        return f"{told}; give it one, such as: {variables[name].with_limit}"
    parts: dict[str, list[Axis]] = {}
    for axis in axes:  # that of what has been gained is not declared
        own = variables[axis.name].name if axis.name in variables else axis.name
        parts.setdefault(own, []).append(axis)
    name, largest = max(parts.items(), key=lambda part: prod(axis.size for axis in part[1]))
    if len(largest) == 1:
        return f'the largest part is "{largest[0].name}" with {largest[0].size:,} values'
    size = prod(axis.size for axis in largest)
    return f'the largest part is "{name}" with {size:,} values, all {len(largest)} together'


def refusal(compiled: Compiled, found: Cost, limits: Limits) -> str:
    """Say why a game does not fit the limits; nothing if it does.

    What is only an upper bound refuses nothing.
    """
    if found.impossible:
        blamed = "" if found.at_any_size else f"; {blame(compiled)}"
        return found.impossible + blamed
    known = found.reachable >= 0
    needed, memory, seconds = found.memory if known else found.least, limits.memory, limits.time
    if memory is not None and needed > memory:
        allowed = f"{memory / 1e6:,.0f} MB"
        needs = f"about {needed / 1e6:,.0f} MB, allowed are {allowed}"
        return f"solving needs {needs if known else f'more than {allowed}'}; {blame(compiled)}"
    if known and seconds is not None and found.seconds > seconds:
        takes = f"about {found.seconds:,.1f} s, allowed are {seconds:,.1f} s"
        return f"solving takes {takes}; {blame(compiled)}"
    return ""

"""`dicegames inspect`: what is state and why, how large, and what solving will take."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import process_time
from typing import Any

from attrs import asdict

from dicegames.analysis.solving.extremes import prepared
from dicegames.analysis.solving.gridding import nearest, on_grid
from dicegames.analysis.solving.outlook import Crewed, outlook, refusal, with_workers, without_limit
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, about, heading, told_of
from dicegames.cli.solving import progress
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.form import GridForm
from dicegames.compiler.goal import NeedsGrid, TooMany
from dicegames.ground.limits import LimitReached, Limits
from dicegames.loading import Game
from dicegames.solver.kernels.compilers import available_threads
from dicegames.solver.methods.method import Cost
from dicegames.solver.status import SolveError

COUNTED_AT_ONCE = 16_000_000
"""Entries of tables of which it is counted how many can come up, if nothing is said of the time."""


def run(
    game: Game, objective: str, threads: int | None, memory: int | None, time: float | None,
    workers: int | None,
) -> Answer:  # fmt: skip
    """Return what solving will take; with an error if it does not fit the limits."""
    crewed, began, bounds = None, process_time(), Limits(time, memory, threads)
    try:
        with progress(f"Inspecting {game.title}"):
            try:
                compiled = compile_game(game.rules, objective, limits=bounds)
                compiled = prepared(compiled, threads)
                in_folder = workers is not None
                counted = COUNTED_AT_ONCE if time is None and not in_folder else inf
                found = outlook(compiled, bounds, in_folder=in_folder, counted=counted)
            except NeedsGrid:
                compiled = compile_game(game.rules, form=GridForm(), limits=bounds)
                found = on_grid(compiled, threads)
    except TooMany as many:
        return _not_inspected(game, objective, f"{many}{nearest(game.rules, memory)}")
    except (LimitReached, SolveError) as reached:
        return _not_inspected(game, objective, str(reached))
    if workers is not None:
        own = threads or available_threads()
        crewed = with_workers(found, own, workers, process_time() - began)
    refused = refusal(compiled, found, bounds)
    if refused and not compiled.model.scalar:
        refused += nearest(game.rules, memory)
    endless = without_limit(compiled)
    told = _for_programs(game, compiled, found)
    told |= {"crew": None if crewed is None else {**asdict(crewed), "all": crewed.seconds}}
    told |= {"without_limit": [{"variable": n, "line": at} for n, at, _ in endless]}
    told |= {"errors": [{"message": refused}]} if refused else {}
    texts = [f"{name}: line {at}, {words}" for name, at, words in endless]
    return Answer(told, _for_people(game, compiled, found, texts, crewed), error=refused)


def _not_inspected(game: Game, objective: str, why: str) -> Answer:
    """Say why even the model of a game does not fit the limits."""
    return Answer(about(game, objective, errors=[{"message": why}]), error=why)


def _for_programs(game: Game, compiled: Compiled, found: Cost) -> dict[str, Any]:
    ranges = _ranges(compiled)
    roles = [
        {"variable": r.name, "role": r.role, "range": ranges.get(r.name, ""), "reason": r.reason}
        for r in compiled.roles
    ]
    axes = [told_of(axis, "name kind size inner") for axis in compiled.model.axes]
    return about(game, compiled.objective) | {
        "roles": roles,
        "axes": axes,
        **told_of(found, "form nodes edges"),
        "states_stored": found.table_states,
        "states_reachable": found.reachable if found.reachable >= 0 else None,
        "layers": found.layers if found.layers >= 0 else None,
        "cyclic": found.cyclic,
        "memory_mb": found.memory / 1e6,
        "disk_mb": found.disk / 1e6,
        "seconds": found.seconds,
    }


def _for_people(
    game: Game, compiled: Compiled, found: Cost, endless: list[str], crewed: Crewed | None
) -> Iterator[Block]:
    yield heading(game)
    ranges = _ranges(compiled)
    roles = [(r.name, r.role, ranges.get(r.name, ""), r.reason) for r in compiled.roles]
    yield Rows("llll", roles, styles=("", "bold", "", "dim"))
    yield ""
    exact = found.reachable >= 0
    reduced = found.reduced_nodes
    same = "" if reduced == found.nodes else f", {reduced:,} that differ"
    listed = found.form == "explicit"
    unknown = "known only by solving" if listed else "counted only with --time, such as --time 1m"
    reached = f"{found.reachable:,}" if exact else unknown
    rows = [
        ("objective", compiled.objective),
        ("graph of a turn", f"{found.nodes:,} nodes{same}, {found.edges:,} edges"),
        ("axes", _axes(compiled)),
        *(("no limit", text) for text in endless),
        ("states", f"{found.table_states:,} in the tables, can come up: {reached}"),
        ("form", f"{found.form}: {found.why}" if found.why else found.form),
        ("layers", _layers(found)),
        *([("disk", f"about {output.bytes_text(found.disk)}, with --store")] if found.disk else []),
        ("memory", f"{'about' if exact else 'at most'} {output.bytes_text(found.memory)}"),
        ("time", f"{'about' if exact else 'at most'} {output.duration(found.seconds)}"),
        *([] if crewed is None else [("cluster", _crewed(crewed))]),
    ]
    yield Pairs(rows)


def _crewed(crewed: Crewed) -> str:
    names = ("computing", "preparing", "moving", "waiting")
    parts = ", ".join(f"{name} {output.duration(getattr(crewed, name))}" for name in names)
    size = f"{crewed.tasks:,} tasks, {output.bytes_text(crewed.moved)} moved"
    many = output.counted(crewed.workers, "worker")
    return f"{many}: about {output.duration(crewed.seconds)}: {parts}; {size}"


def _ranges(compiled: Compiled) -> dict[str, str]:
    """Return the values of variables in words: those of an axis as found, others as declared."""
    found = {}
    for role in compiled.roles:
        variable = compiled.game.names.slots[role.slot]
        if variable.within is not None:
            found[role.name] = f"{variable.within[0]} to {variable.within[-1]}"
        elif variable.type.kind in ("truth", "word"):
            found[role.name] = " or ".join(map(str, variable.type.of or ("yes", "no")))
    for axis in compiled.model.axes:
        if axis.kind == "set":
            found[axis.name] = f"a set of {axis.size.bit_length() - 1}"
        if axis.kind == "counter":
            last = axis.offset + axis.step * (axis.size - 1)
            upper = "" if axis.unbounded else f" to {last}"
            steps = f" in steps of {axis.step}" if axis.step > 1 else ""
            found[axis.name] = f"{'from ' if axis.unbounded else ''}{axis.offset}{upper}{steps}"
    return found


def _axes(compiled: Compiled) -> str:
    shown = []
    for axis in compiled.model.axes:
        size = f"{axis.size:,} values" if not axis.unbounded else "no limit"
        if axis.kind == "set":
            size = f"a set of {axis.size.bit_length() - 1}"
        shown.append(f"{axis.name} ({size})")
    if compiled.model.stored.sum() > 1:
        return ", ".join(shown) or "none: every position is a node of the graph"
    return ", ".join(shown) or "none: all is in the graph of a turn"


def _layers(found: Cost) -> str:
    if found.layers < 0:
        return "none are needed"
    cycles = "with cycles inside" if found.cyclic else "no cycles"
    progress = f": play leads to {found.progress}" if found.progress else ""
    return f"{found.layers:,}{progress}; {cycles}"

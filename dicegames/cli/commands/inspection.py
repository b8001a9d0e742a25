"""`dicegames inspect`: what is state and why, how large, and what solving will take."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import process_time
from typing import Any

from attrs import asdict, define

from dicegames.analysis.solving.extremes import prepared
from dicegames.analysis.solving.gridding import nearest, on_grid
from dicegames.analysis.solving.outlook import Crewed, outlook, refusal, with_workers, without_limit
from dicegames.analysis.solving.unlisted import Unlisted, unlisted
from dicegames.cli.failure import Failure, failure_of
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import ROOMY, Answer, Block, Pairs, Rows, about, heading, told_of
from dicegames.cli.solving import Solving, progress
from dicegames.cli.watch import SOON_AFTER, computed, within
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.effort import Effort, Listed
from dicegames.compiler.form import GridForm
from dicegames.compiler.goal import NeedsGrid, TooMany
from dicegames.ground.limits import LimitReached, Limits
from dicegames.ground.numbers import bytes_text, many
from dicegames.loading import Game
from dicegames.rules.parts.broken import NotShown
from dicegames.solver.kernels.compilers import available_threads
from dicegames.solver.methods.method import Cost
from dicegames.solver.status import SolveError, Status

COMPILING = SOON_AFTER - 0.8
"""Seconds of computing until the model is there: the rest is for what is known without it."""
GRID_IN_FOLDER = "such a game is solved on a grid: what workers bring there is not known"
COUNTED_AT_ONCE = 16_000_000
"""Entries of tables of which it is counted how many can come up, if nothing is said of the time."""

ALIKE = "{:,} points have the values of others: what they hold is the same in another order"


@define
class _Inspected:
    """What was found until all was known, or the limits were reached: then `why` says so."""

    game: Game
    objective: str
    effort: Effort
    compiled: Compiled | None = None
    found: Cost | None = None
    why: str | Failure = ""

    def look(self, *, counted: float, in_folder: bool) -> None:
        """Compile the game and find out what solving takes; raises LimitReached."""
        rules, limits = self.game.rules, self.effort
        try:
            self._look(counted=counted, in_folder=in_folder)
        except NotShown as large:
            self.why = failure_of(large) or str(large)
        except TooMany as found:
            self.why = f"{found}{nearest(rules, limits.memory)}"
        except SolveError as unfit:
            self.why = str(unfit)
        if self.compiled is None or self.found is None or self.why:
            return
        self.why = refusal(self.compiled, self.found, limits)
        if self.why and not self.compiled.model.scalar:
            self.why += nearest(rules, limits.memory)

    def _look(self, *, counted: float, in_folder: bool) -> None:
        rules, limits = self.game.rules, self.effort
        try:
            compiled = compile_game(rules, self.objective, limits=limits)
            self.compiled = compiled = prepared(compiled, limits.threads)
            if in_folder:
                self._look_into_folder(compiled, counted)
            self.found = self.found or outlook(compiled, limits, counted=counted)
        except NeedsGrid:
            self.compiled = compile_game(rules, form=GridForm(), limits=limits)
            self.found = on_grid(self.compiled, limits.threads)
            if in_folder:
                self.why = GRID_IN_FOLDER

    def _look_into_folder(self, compiled: Compiled, counted: float) -> None:
        """Find out what solving into a folder takes, or say why that is not possible."""
        try:
            self.found = outlook(compiled, self.effort, in_folder=True, counted=counted)
        except SolveError as unfit:
            if unfit.status is not Status.NOT_IN_FOLDER:
                raise
            self.why = str(unfit)


def run(game: Game, workers: int | None, solving: Solving) -> Answer:
    """Return what solving will take; with an error if it does not fit the limits."""
    crewed, began, in_folder = None, process_time(), workers is not None
    soon = max(COMPILING / 4, COMPILING - computed()) if solving.time is None else None
    seen = _Inspected(game, solving.objective, Effort.within(Limits(**solving.limits)))
    counted = COUNTED_AT_ONCE if solving.time is None and not in_folder else inf
    try:
        with progress(f"Inspecting {game.title}"), within(None, None, soon):
            seen.look(counted=counted, in_folder=in_folder)
    except LimitReached as reached:
        if seen.found is None:  # else it is what would fit that was not found in time
            seen.why = seen.why or str(reached)
    compiled, found, refused = seen.compiled, seen.found, seen.why
    if compiled is None or found is None:
        return _not_listed(game, solving.objective, seen.effort.listed, refused)
    if found.disk and workers is not None:
        own = solving.threads or available_threads()
        crewed = with_workers(found, own, workers, process_time() - began)
    endless = without_limit(compiled)
    told = _for_programs(game, compiled, found)
    told |= {"crew": None if crewed is None else {**asdict(crewed), "all": crewed.seconds}}
    told |= {"without_limit": [{"variable": n, "line": at} for n, at, _ in endless]}
    told |= {"errors": [{"message": refused}]} if refused else {}
    texts = [f"{name}: line {at}, {words}" for name, at, words in endless]
    return Answer(told, _for_people(game, compiled, found, texts, crewed), error=refused)


def _not_listed(game: Game, objective: str, listed: Listed, why: str | Failure) -> Answer:
    """Tell what is known of a game that was not compiled; `why` says why it was not."""
    errors = why.listed() if isinstance(why, Failure) else [{"message": why}]
    known = unlisted(game.rules, objective, listed)
    between = known.between
    told = {
        "lasting": [told_of(lasting, "name slots values") for lasting in between.lasting],
        "product_of_ranges": between.product,
        "states_at_most": between.states,
        "values_at_most_bytes": known.bytes,
        "situations_listed": listed.nodes,
        "edges_listed": listed.edges,
        "seconds_for_these": known.seconds,
        "smaller": [told_of(smaller, "option value states") for smaller in known.smaller],
        "errors": errors,
    }
    return Answer(about(game, objective, **told), _of_unlisted(game, objective, known), error=why)


def _of_unlisted(game: Game, objective: str, known: Unlisted) -> Iterator[Block]:
    yield heading(game)
    between, listed = known.between, known.listed
    parts: dict[str, list[str]] = {}
    for lasting in between.lasting:
        if lasting.values == 1:
            continue
        values = "no range" if lasting.values is None else many(lasting.values)
        times = f"^{lasting.slots}" if lasting.slots > 1 and lasting.values is not None else ""
        parts.setdefault(lasting.name, []).append(values + times)
    lasts = [f"{name} ({' x '.join(sizes)})" for name, sizes in parts.items()]
    undeclared = ", ".join(dict.fromkeys(between.without_range))
    if between.states is None:
        states = f"not known: no range is declared for {undeclared}"
        if between.product > 1:
            states += f"; the others have {many(between.product)} combinations"
    else:
        states = f"at most {many(between.states)} between turns"
        if between.states < between.product:
            states += f": of {many(between.product)} combinations, play is over in the others"
    turn = f"at least {listed.nodes:,} situations, {listed.edges:,} edges: so many were listed"
    if not listed.nodes:
        turn = "not listed"
    memory = time = "not known, since the number of states is not"
    if known.bytes is not None and known.seconds is not None:
        memory = f"for the values at most {bytes_text(known.bytes)}, as well on disk"
        time = "not known: nothing of a turn was listed"
        if listed.edges:
            time = f"an estimate, if all of them come up: {output.duration(known.seconds)} of the "
            time += "processor for one look at what was listed of a turn; the rest comes on top"
    rows = [
        ("objective", objective),
        ("lasts", ", ".join(lasts) or "nothing between turns"),
        ("states", states),
        ("graph of a turn", turn),
        ("memory", memory),
        ("time", time),
    ]
    for less in known.smaller:
        setting = f"--set {less.option}={less.value}"
        rows.append(("smaller", f"{setting}: at most {many(less.states)} states; not tried"))
    yield Pairs(rows)


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
        "images": found.images,
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
    if output.console().width < ROOMY:
        for name, role, values, why in roles:
            known = f" {values}" * bool(values)
            yield [(f"{name}: ", ""), (role, "bold"), (known, ""), (f"; {why}", "dim")]
    else:
        yield Rows("llll", roles, styles=("", "bold", "", "dim"))
    yield ""
    exact = found.reachable >= 0
    reduced = found.reduced_nodes
    same = "" if reduced == found.nodes else f", {reduced:,} that differ"
    listed = found.form == "explicit"
    unknown = "known only by solving" if listed else "counted only with --time, such as --time 1m"
    reached = f"{found.reachable:,}" if exact else unknown
    tables = f"{found.table_states:,} in the tables"
    if listed:  # states inside a turn come on top
        tables = f"at most {found.table_states:,} between turns"
        reached += " in all" if exact else ""
    rows = [
        ("objective", compiled.objective),
        ("graph of a turn", f"{found.nodes:,} nodes{same}, {found.edges:,} edges"),
        ("axes", _axes(compiled)),
        *(("no limit", text) for text in endless),
        ("states", f"{tables}, can come up: {reached}"),
        *([("alike", ALIKE.format(found.images))] if found.images else []),
        ("form", f"{found.form}: {found.why}" if found.why else found.form),
        ("layers", _layers(found)),
        *([("disk", f"about {bytes_text(found.disk)}, with --store")] if found.disk else []),
        ("memory", f"{'about' if exact else 'at most'} {bytes_text(found.memory)}"),
        ("time", f"{'about' if exact else 'at most'} {output.duration(found.seconds)}"),
        *([] if crewed is None else [("cluster", _crewed(crewed))]),
    ]
    yield Pairs(rows)


def _crewed(crewed: Crewed) -> str:
    names = ("computing", "preparing", "moving", "waiting")
    parts = ", ".join(f"{name} {output.duration(getattr(crewed, name))}" for name in names)
    size = f"{output.counted(crewed.tasks, 'task')}, {bytes_text(crewed.moved)} moved"
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
    for slot, values in compiled.emitter.values.items():
        axis = compiled.emitter.axes[compiled.emitter.axis_of(slot)]
        if axis.kind == "enum" and compiled.game.names.slots[slot].type.kind == "number":
            found[axis.name] = f"{axis.size:,} values from {values[0]} to {values[-1]}"
    for axis in compiled.model.axes:
        if axis.kind == "set":
            found[axis.name] = f"a set of {axis.size.bit_length() - 1}"
        if axis.kind == "counter":
            last = axis.offset + axis.step * (axis.size - 1)
            upper = "" if axis.unbounded or axis.size == 1 else f" to {last}"
            steps = f" in steps of {axis.step}" if axis.step > 1 else ""
            found[axis.name] = f"{'from ' if axis.unbounded else ''}{axis.offset}{upper}{steps}"
    return found


def _axes(compiled: Compiled) -> str:
    shown = []
    for axis in compiled.model.axes:
        if axis.size == 1 and not axis.unbounded:
            continue
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

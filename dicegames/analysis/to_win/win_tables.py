"""The tables that playing to win goes by: kept from the last time, or found if they fit.

What they take is told beforehand: a row is about WIDE times as wide as the results of GAMES games
lie apart, less by the root of the turns that are left. Large ones are kept in the user's cache.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import frozen

from dicegames.analysis.chances.policy import Policy, policies
from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.saved.identity import program_version
from dicegames.analysis.solution import Solution
from dicegames.ground.arguments import OnProgress
from dicegames.ground.cache import cache_folder, kept_file
from dicegames.ground.limits import PROGRAM_BYTES, UNLIMITED, Limits
from dicegames.ground.writing import UnwritableFile
from dicegames.solver.chain.chain import greedy_for_exits
from dicegames.solver.chain.layer_sweep import turns_left
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, fingerprint
from dicegames.solver.results.curves import Curves
from dicegames.solver.results.rivals import ChainTables, find_distributions
from dicegames.solver.results.targets import find_targets
from dicegames.solver.solve import cost_of

MEMORY = 4_000_000_000
"""Bytes, unless more or less is allowed."""
WIN_TABLES_FORMAT = 1
WIDE = 1.2
"""Measured in three large games: 0.9, 0.95 and 1.3."""
CELL = 4
CELL_SECONDS = 0.8e-6
"""Of one thread for a cell of both tables; measured: 0.83e-6 and, rows being shared, 0.61e-6."""
PER_STATE = 32
SCRATCH = 0.3
"""Of both tables; while the second one is found the first lies in a file."""
GAMES = 2000
FEW_STATES = 50_000
"""So few are not looked at beforehand."""


@frozen
class Outlook:
    """What the tables will take, as an estimate: bytes of memory with the program, and seconds."""

    memory: float
    seconds: float

    def demand(self, memory: int, seconds: float | None) -> None:
        """Raise SolutionError where that is more than allowed."""
        if self.memory > memory:
            raise SolutionError(
                f"the chance to win takes tables of about {self.memory / 1e6:,.0f} MB, allowed are "
                f"{memory / 1e6:,.0f} MB (--memory)"
            )
        if seconds is not None and self.seconds > seconds:
            raise SolutionError(
                f"the tables for the chance to win take about {self.seconds:,.0f} s, allowed are "
                f"{seconds:,.0f} s (--time)"
            )


def outlook(points: Solution, limits: Limits = UNLIMITED) -> Outlook:
    """Estimate what the tables take that go with the solution for the best mean."""
    cost = cost_of(points.compiled.model, Limits(threads=limits.threads))
    layers = np.array(cost.layer_sizes or (cost.table_states,), np.float64)
    if layers.sum() < FEW_STATES:
        return Outlook(PROGRAM_BYTES, cost.seconds)
    policy = next(policies(points.compiled, points.solved))
    results = points.simulate(GAMES, 0, threads=limits.threads).results
    apart = float(np.ptp(results)) / float(policy.chain.units.unit)
    left = np.arange(len(layers), 0, -1) / len(layers)
    cells = float(layers @ (WIDE * apart * np.sqrt(left)))
    tables = 2 * (cells * CELL + layers.sum() * PER_STATE)
    with Workers(limits.threads) as workers:
        seconds = cost.seconds + CELL_SECONDS * cells / workers.threads
    return Outlook(PROGRAM_BYTES + float((1 + SCRATCH) * tables), seconds)


def find_tables(points: Solution, limits: Limits) -> ChainTables:
    """Return the tables that go with the best mean: from the cache, or find them.

    Raises SolveError where there are none, and SolutionError where they do not fit.
    """
    policy = next(policies(points.compiled, points.solved))
    model, chain = points.compiled.model, policy.chain
    key = f"win-{WIN_TABLES_FORMAT}-{program_version()}-{fingerprint(model)}"
    kept = _kept(key) or {}
    names = [f"{table} {name}" for table in ("coming", "best") for name in Curves._fields]
    if sorted(kept) != sorted(names) or len(kept["best at"]) != chain.states:
        memory = limits.memory or MEMORY
        outlook(points, limits).demand(memory, limits.time)
        with Workers(limits.threads, limits.left) as workers:
            rows = _found(points, policy, workers, memory, limits.progress)
        kept = dict(zip(names, [array for table in rows for array in table], strict=True))
        _keep(key, kept)
    parts = [kept[name] for name in names]
    coming, best = Curves(*parts[:4]), Curves(*parts[4:])
    greedy, left = greedy_for_exits(chain), turns_left(chain)
    return ChainTables(chain, coming, best, greedy, left)


def _found(
    points: Solution, policy: Policy, workers: Workers, memory: int, progress: OnProgress | None
) -> tuple[Curves, Curves]:
    """Find the rows of what is to come, and those of the best chances."""
    model, chain, cells = points.compiled.model, policy.chain, memory // (2 * CELL)
    coming, _ = find_distributions(chain, cells, workers, progress)
    with tempfile.TemporaryFile() as aside:
        is_aside = False
        with suppress(OSError):
            np.save(aside, coming.cells)
            coming, is_aside = coming._replace(cells=np.zeros(0, np.float32)), True
        plan, best = find_targets(model, float(1 / chain.units.unit), cells, workers, progress)
        best = _by_key(chain.walk.landing[chain.node_of], plan.node_of, model.stored,
                       plan.model.stored, best, chain.states)  # fmt: skip
        del plan
        if is_aside:
            aside.seek(0)
            coming = coming._replace(cells=np.load(aside))
    return coming, best


def _by_key(
    landing: Array, node_of: Array, stored: Array, reduced: Array, rows: Curves, states: int
) -> Curves:
    """Return rows by landing key that stand by the stored nodes of the reduced model."""
    place = np.cumsum(reduced) - 1
    entries = states // max(1, int(landing.max()) + 1)
    olds: tuple[Array, ...] = rows[:3]
    at, low, length = (np.full(states, k, t) for k, t in ((0, "i8"), (0, "i4"), (-1, "i4")))
    news: tuple[Array, ...] = at, low, length
    for node in np.flatnonzero(stored & (landing >= 0)).tolist():
        new, old = int(landing[node]) * entries, int(place[node_of[node]]) * entries
        for to, source in zip(news, olds, strict=True):
            to[new : new + entries] = source[old : old + entries]
    return Curves(at, low, length, rows.cells)


SMALLEST_KEPT = 20_000_000
"""Bytes below which tables are found anew."""
MOST_KEPT = 8_000_000_000
"""Bytes of all tables; beyond that those go that were used longest ago."""


def _file(key: str) -> Path:
    return cache_folder("results") / f"{key}.npz"


def _kept(key: str) -> dict[str, Array] | None:
    """Return the arrays that are kept under a key; None if they are not there, or not these."""
    file = _file(key)
    try:
        with np.load(file, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}  # checks the sums of the archive
        if arrays.pop("key").tobytes() != key.encode():
            return None
        os.utime(file)
    except (OSError, ValueError, EOFError, LookupError, RuntimeError, zipfile.BadZipFile):
        return None
    return arrays


def _keep(key: str, arrays: Mapping[str, Array]) -> None:
    """Keep arrays, if they are large and there is room for them."""
    if sum(array.nbytes for array in arrays.values()) < SMALLEST_KEPT:
        return
    with suppress(OSError, UnwritableFile), kept_file(_file(key), MOST_KEPT) as file:
        named = np.frombuffer(key.encode(), np.uint8)
        np.savez(file, allow_pickle=False, key=named, **arrays)

"""Solutions that are kept in the user's cache folder, so that a game is solved once.

A solution is kept under what it depends on, and on nothing else: the rules, the options, the
objective, who plays, what was asked of a grid, and the sources of all that solves. Whatever changes
there makes another name: nothing stale is found. What is found is looked at like any solution file,
and solved anew where it is damaged. What has not been used for the longest time goes first, once
all files together are larger than `most_bytes`; nothing is lost when the folder is removed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from attrs import evolve, frozen

from dicegames.analysis import solution
from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.saved import identity, store
from dicegames.analysis.saved.restoring import restored
from dicegames.analysis.saved.store import StoreError
from dicegames.analysis.solution import Playing, Solution
from dicegames.ground.cache import cache_folder, make_folder, tidy
from dicegames.ground.numbers import amount_of_bytes
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.playing import name_of, seats_of
from dicegames.solver.kernels.sources import key_of

LARGEST = 1_000_000_000
"""Bytes of all files, where the environment says nothing else."""
VARIABLE = "DICEGAMES_CACHE"
"""The environment variable that says how many bytes may be kept, such as 200MB; 0 keeps nothing."""
WORTH_KEEPING = 0.1
"""Seconds of solving below which a game is solved again as fast as it is read."""
LONGEST_SLUG = 30
NEAR_ONE = 1e-6
"""How far the probabilities that are kept may be from 1 together."""
SOLUTION, DISTRIBUTION = ".solution", ".distribution"
Steps = Mapping[str, int]
Found = TypeVar("Found")


def folder() -> Path:
    """Return the folder of the files, the user's own."""
    return cache_folder("solutions")


def most_bytes() -> int:
    """Return how many bytes may be kept; what the environment says wrongly is not obeyed."""
    said = amount_of_bytes(os.environ.get(VARIABLE, ""))
    return LARGEST if said is None else said


@frozen
class Wanted:
    """What is to be solved.

    `grid` is None where the solution is to be exact, else the steps; without any, the finest grid
    for which there is time: `time` seconds, None for what is usual.
    """

    game: Rules
    objective: str = "payoff"
    playing: Playing = None
    grid: Steps | None = None
    time: float | None = None

    @property
    def exactly(self) -> Wanted:
        """The same, to be solved exactly."""
        return evolve(self, grid=None)

    def file(self, kind: str = SOLUTION) -> Path | None:
        """Return the file in which the answer is kept; None where none is."""
        seats = seats_of(self.game, self.playing)
        if any(callable(given) for given in seats) or not most_bytes():
            return None
        parts: list[Any] = [identity.rules_hash(self.game), self.game.option_values()]
        parts += [str(objective_of(self.objective)), [name_of(given) for given in seats]]
        if self.grid is not None:
            parts.append(sorted(self.grid.items()) or ["finest", self.time])
        try:
            parts.append(key_of(str(Path(solution.__file__).resolve())))
        except OSError:  # a source was edited while this runs: what it solves belongs to no source
            return None
        slug = re.sub(r"[^a-z0-9]+", "-", self.game.title.lower())[:LONGEST_SLUG].strip("-")
        return folder() / f"{slug or 'game'}-{identity.digest(parts)[:32]}{kind}"


def find(wanted: Wanted) -> Solution | None:
    """Return a solution that is kept; None where there is none that can be used.

    One that is exact goes before one on the finest grid.
    """
    if wanted.grid is not None and not wanted.grid:
        exact = find(wanted.exactly)
        if exact is not None:
            return exact
    seats = seats_of(wanted.game, wanted.playing)
    return _found(
        wanted.file(),
        lambda name: Solution(wanted.game, *restored(name, wanted.game, wanted.objective, seats)),
    )


def _found(file: Path | None, read: Callable[[str], Found]) -> Found | None:
    """Return what is read from a file; None where it is not there, or damaged: then it goes."""
    if file is None or not file.is_file():
        return None
    try:
        found = read(str(file))
    except StoreError:
        file.unlink(missing_ok=True)
        return None
    with suppress(OSError):
        os.utime(file)  # it is in use
    return found


def keep(wanted: Wanted, found: Solution) -> None:
    """Keep a solution, if it took its time; where it cannot be written nothing is said."""
    if not found.grid:
        wanted = wanted.exactly
    file = wanted.file()
    if file is None or found.seconds < WORTH_KEEPING:
        return
    _kept(file, found.save)


def _kept(file: Path, write: Callable[[str], None]) -> None:
    with suppress(OSError, StoreError):
        make_folder(file.parent)
        write(str(file))
        tidy(file.parent, most_bytes())


# ---- distributions


def find_distributions(wanted: Wanted) -> list[Distribution] | None:
    """Return the distributions that are kept of a solution, by seat; None where there are none."""
    return _found(wanted.file(DISTRIBUTION), _distributions)


def keep_distributions(wanted: Wanted, found: Sequence[Distribution]) -> None:
    """Keep the distributions of a solution; where they cannot be written nothing is said."""
    file = wanted.file(DISTRIBUTION)
    if file is None:
        return
    seats = [{"tail": one.tail, "bounded": one.bounded} for one in found]
    header: dict[str, Any] = {"game": wanted.game.title, "options": wanted.game.option_values()}
    header |= {"objective": str(objective_of(wanted.objective)), "seats": seats}
    header["kept_as"] = file.name
    arrays = {f"values{n}": one.values for n, one in enumerate(found)}
    arrays |= {f"masses{n}": one.masses for n, one in enumerate(found)}
    _kept(file, lambda name: store.write(name, header, arrays))


def _distributions(file: str) -> list[Distribution]:
    stored, found = store.read(file), []
    try:
        seats = [(float(seat["tail"]), bool(seat["bounded"])) for seat in stored.header["seats"]]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise store.DamagedFile(file) from None
    if stored.header.get("kept_as") != Path(file).name:
        raise store.DamagedFile(file, "it belongs to another solution")
    for number, seat in enumerate(seats):
        values = stored.take(f"values{number}", "f", None)
        masses = stored.take(f"masses{number}", "f", len(values))
        is_whole = abs(masses.sum() + seat[0] - 1) < NEAR_ONE
        is_one = is_whole and np.isfinite(values).all() and (np.diff(values) > 0).all()
        if not is_one or not (masses > 0).all():
            raise store.DamagedFile(file, "it is no distribution")
        found.append(Distribution(values, masses, *seat))
    return found


# ---- what is there


@frozen
class KeptFile:
    """A file that is kept: what it is for people and programs, its size and when it was used."""

    file: Path
    kind: str
    game: str
    options: Mapping[str, Any]
    objective: str
    bytes: int
    used: float


def entries() -> list[KeptFile]:
    """Return what is kept, the last used first; files that are damaged are named as that."""
    found = []
    for path in sorted(folder().glob("*")):
        if path.suffix not in (SOLUTION, DISTRIBUTION):
            continue
        with suppress(OSError):
            status = path.stat()
            found.append(_entry(path, status.st_size, status.st_mtime))
    return sorted(found, key=lambda entry: -entry.used)


def _entry(path: Path, size: int, used: float) -> KeptFile:
    kind = path.suffix.removeprefix(".")
    try:
        header = store.read(str(path)).header
        what = str(header["game"]), dict(header["options"]), str(header["objective"])
    except (StoreError, KeyError, TypeError, ValueError):
        return KeptFile(path, "damaged", path.stem, {}, "", size, used)
    return KeptFile(path, kind, *what, size, used)


def clear() -> list[Path]:
    """Remove all that is kept; return the files that were removed."""
    removed = []
    for entry in entries():
        with suppress(OSError):
            entry.file.unlink()
            removed.append(entry.file)
    return removed

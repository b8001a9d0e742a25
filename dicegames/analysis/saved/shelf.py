"""The files of a folder in which a solve on a grid is kept: see `solver/grid/kept`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from dicegames.analysis.saved import identity, store
from dicegames.analysis.saved.store import MissingFile, StaleFile, Stored, StoreError
from dicegames.solver.grid.grid import Filling
from dicegames.solver.grid.kept import KeptGrid
from dicegames.solver.grid.solve_on_grids import ON_GRID
from dicegames.solver.grid.values import GridValues
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Grid, Model
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status


def _is_finite(told: object) -> bool:
    return isinstance(told, float) and isfinite(told)


ALL_THERE = "result"
"""The file that says that all values are there."""
MOST_GRIDS = 100
RESULT_FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "solution": identity.FIELDS["model"],
    "number": lambda number: type(number) is int and 0 <= number < MOST_GRIDS,
    "gains": lambda gains: isinstance(gains, list) and all(map(_is_finite, gains)),
    **{name: identity.FIELDS[name] for name in (*identity.NUMBERS, "value")},
}
"""What the header of `ALL_THERE` says, and how that looks if it is in order."""
WRITE_ANEW = "remove it and solve with --store {}: it is written anew"
"""What to do where a file of a folder cannot be used."""
WHEN_MENDED = "what is done stays: solve again when that is mended"
"""What to do where a file cannot be written."""


@frozen
class FolderShelf:
    """The files of a folder, each of which says what it belongs to."""

    folder: Path
    identity: str

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return (self.folder / name).exists()

    def put(self, name: str, says: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        """Write a file; raises StoreError."""
        try:
            store.write(str(self.folder / name), {"solution": self.identity, **says}, arrays)
        except StoreError as error:
            raise MissingFile(error.what, WHEN_MENDED) from None

    def take(self, name: str) -> Shelved:
        """Read a file that is there; raises StoreError."""
        path = self.folder / name
        with self.telling():
            stored = store.read(str(path))
        if stored.header.get("solution") != self.identity:
            raise self._stale(f"{path} belongs to another solution")
        return Shelved(self, stored)

    def damaged(self, name: str, what: str) -> StoreError:
        """Return the error that says what is wrong with a file."""
        return self._stale(f"{self.folder / name} is damaged: {what}")

    def note(self, solved: Solved, number: int) -> None:
        """Write that all values are there, those of the grid of this number being the solution."""
        header = {name: getattr(solved, name) for name in (*identity.NUMBERS, "value", "gains")}
        self.put(ALL_THERE, {"number": number, **header}, {})

    def found(self, model: Model, grid: Callable[[], Grid]) -> Solved | None:
        """Return the solution, None if some of it is missing; raises StoreError."""
        if not self.has(ALL_THERE):
            return None
        header = self.take(ALL_THERE).header
        with self.telling():
            identity.demand_sense(str(self.folder / ALL_THERE), header, RESULT_FIELDS)
        with Workers(1) as workers:
            table = KeptGrid(Filling(model, grid(), workers), self, header["number"]).table()
        if table is None:
            return None
        value, seats = header["value"], table.values.shape[1]
        fits = np.size(value) == seats and len(header["gains"]) in (0, seats)
        if not fits or not np.isfinite(table.values).all():
            raise self.damaged(ALL_THERE, "its values are not those of the game")
        return Solved(
            model=model,
            status=Status.APPROXIMATE,
            value=tuple(value) if isinstance(value, list) else value,
            method=ON_GRID,
            evaluator=GridValues(model, table),
            gains=tuple(header["gains"]),
            **{name: header[name] for name in identity.NUMBERS},
        )

    def _stale(self, what: str) -> StaleFile:
        return StaleFile(what, WRITE_ANEW.format(self.folder))

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Say of a file that cannot be used what to do."""
        try:
            yield
        except StoreError as error:
            raise self._stale(error.what) from None


@frozen
class Shelved:
    """A file of a shelf."""

    shelf: FolderShelf
    stored: Stored

    @property
    def header(self) -> Mapping[str, Any]:
        """What it says."""
        return self.stored.header

    def take(self, name: str, kind: str, *shape: int | None) -> Array:
        """Return an array, as `Stored` does; raises StoreError."""
        with self.shelf.telling():
            return self.stored.take(name, kind, *shape)

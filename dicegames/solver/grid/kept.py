"""A solve on a grid that keeps what is done in files, and hands its work to an executor.

The points are kept first, then the values of one layer after the other, some layers to a file.
Whoever is interrupted goes on after the last of the files, and comes to the same bits. A task is to
evaluate some rows; whoever carries it out reads later layers from the files, and is sent the values
that no file has yet, those of the layers that are being solved.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from attrs import asdict, define, field, frozen

from dicegames.solver.blocks.pieces import Crew
from dicegames.solver.blocks.tasks import in_turn
from dicegames.solver.grid.grid import GRID_CHUNK, Filling, GridTable
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Grid, Model
from dicegames.solver.solved import Solved

FILE_ROWS = 1 << 16
"""With so many rows a file is written; a layer is never divided."""
FEW_ROWS = 4 * GRID_CHUNK
"""Fewer are evaluated here: that takes less time than to hand them over."""
TASKS_EACH = 4
"""Tasks of a sweep for each worker, where they have rows enough."""


@define
class LayersSolved:
    """How layers have been solved."""

    change: float = 0.0  # what one more sweep would change
    layers: int = 0
    cycles: int = 0
    counting: int = 0  # points where rounds are counted
    differ: float = 0.0  # by how much values differ with that
    seconds: float = 0.0


class FileOfNumbers(Protocol):
    """What a file says, and its arrays, which are looked at before they are unpacked."""

    @property
    def header(self) -> Mapping[str, Any]:
        """What it says."""

    def take(self, name: str, kind: str, *shape: int | None) -> Array:
        """As `Packed` does."""


class Shelf(Protocol):
    """Files by name, each of which is whole or not there; it can be sent to other processes."""

    def has(self, name: str) -> bool:
        """Whether there is such a file."""

    def put(self, name: str, says: Mapping[str, float | str], arrays: Mapping[str, Array]) -> None:
        """Write one."""

    def take(self, name: str) -> FileOfNumbers:
        """Read one that is there."""

    def damaged(self, name: str, what: str) -> Exception:
        """Return the error that says so."""


class Nowhere:
    """A shelf on which nothing stays."""

    def has(self, _name: str) -> bool:
        """No."""
        return False

    def put(self, name: str, says: Mapping[str, float | str], arrays: Mapping[str, Array]) -> None:
        """Do nothing."""

    def take(self, name: str) -> FileOfNumbers:
        """Fail."""
        raise AssertionError(name)

    def damaged(self, name: str, _what: str) -> Exception:
        """Fail."""
        raise AssertionError(name)


@frozen
class GridKeeping:
    """Where what is done of a solve on grids is kept, and who does it."""

    shelf: Shelf = field(factory=Nowhere)
    note: Callable[[Solved, int], None] = lambda solved, number: None
    """Called with the solution when all is there, and the number of its grid."""
    found: Callable[[Model, Callable[[], Grid]], Solved | None] = lambda model, grid: None
    """Returns what `note` was told of, with the values on that grid."""
    crew: Crew | None = None  # evaluates in place of threads


NOT_KEPT = GridKeeping()


@define(eq=False)
class KeptGrid:
    """The files of one of the grids of a solve, and how far they go."""

    filling: Filling
    shelf: Shelf = field(factory=Nowhere)
    number: int = 0  # the widest
    crew: Crew | None = None
    row: int = field(init=False, default=0)  # all before it are in files

    def __attrs_post_init__(self) -> None:
        if self.crew is not None:
            self.filling.evaluate = self._by_crew

    @property
    def _points(self) -> str:
        return f"grid-{self.number}-points"

    @property
    def _next(self) -> str:
        return f"grid-{self.number}-from-{self.row:010}"

    def find(self, memory: float = np.inf) -> None:
        """Find the points, in the file or as `Filling` does, which are kept then."""
        filling = self.filling
        if filling.begins:
            return
        if not self.shelf.has(self._points):
            filling.find(memory)
            begins = np.array(filling.begins)
            arrays = {"points": filling.rows, "begins": begins}
            self.shelf.put(self._points, {"beyond": filling.beyond}, arrays)
            return
        file = self.shelf.take(self._points)
        rows, begins = (file.take(name, "i", None) for name in ("points", "begins"))
        places = filling.points.count * len(filling.turn.stored)
        ordered = np.sort(rows)
        if not rows.size or ordered[0] < 0 or ordered[-1] >= places or not np.diff(ordered).all():
            raise self.shelf.damaged(self._points, "its points are not those of a grid")
        if not {0, rows.size} <= {*begins[:1], *begins[-1:]} or not (np.diff(begins) > 0).all():
            raise self.shelf.damaged(self._points, "its layers are not in order")
        names = ["", *(axis.name for axis in filling.model.axes)]
        if (beyond := file.header.get("beyond")) not in names:
            raise self.shelf.damaged(self._points, "it names a variable that is none of the game")
        filling.beyond = str(beyond)
        filling.demand_room(rows.size, memory)
        filling.take_points(rows, begins.tolist())

    def restore(self, last: int | None = None) -> LayersSolved:
        """Take the values from files, up to a row or as far as they go; how they were found."""
        found, rows = LayersSolved(), self.filling.rows.size if last is None else last
        while self.row < rows and self.shelf.has(self._next):
            file = self.shelf.take(self._next)
            says: dict[str, Any] = {n: file.header.get(n) for n in ("to", *asdict(found))}
            end = says.pop("to")
            ends = type(end) is int and end > self.row and end in self.filling.begins
            if not ends or not all(map(_is_amount, says.values())):
                raise self.shelf.damaged(self._next, "it says nothing sensible of its layers")
            values = file.take("values", "f", end - self.row, self.filling.seats)
            self.filling.values[self.row : end] = values
            found, self.row = LayersSolved(**says), end
        return found

    def keep(self, found: LayersSolved, row: int) -> None:
        """Note that all before a row is solved; it is written when there is enough of it."""
        values = self.filling.values
        if row - self.row >= FILE_ROWS or row == len(values):
            says = {"to": row, **asdict(found)}
            self.shelf.put(self._next, says, {"values": values[self.row : row]})
            self.row = row

    def table(self) -> GridTable | None:
        """Return what the files tell; None if some of it is missing."""
        if not self.shelf.has(self._points):
            return None
        self.find()
        self.restore()
        return self.filling.table if self.row == self.filling.rows.size else None

    def _by_crew(self, rows: Array) -> Array:
        """Evaluate rows by tasks."""
        crew, filling = self.crew, self.filling
        assert crew is not None
        if rows.size < FEW_ROWS:
            return filling.by_threads(rows)
        filling.workers.look()
        end = filling.begins[np.searchsorted(filling.begins, rows[-1], "right")]
        met = filling.values[self.row : end]
        parts = filling.parts(rows, max(GRID_CHUNK, rows.size // (TASKS_EACH * crew.workers)))
        about = crew.model, self.shelf, filling.grid, self.number, self.row, met
        tasks = {n: RowsTask(*about, rows[part]) for n, part in enumerate(parts)}
        found = dict(in_turn(crew.executor, evaluate_rows, tasks, crew.workers))
        return filling.together(parts, [found[number] for number in tasks])


def _is_amount(said: Any) -> bool:
    return type(said) in (int, float) and said >= 0


# ---- where tasks are carried out


@frozen(eq=False)
class RowsTask:
    """Rows that are to be evaluated: all that is needed for it, wherever that is done."""

    model: Callable[[], Model]
    shelf: Shelf
    grid: Grid
    number: int  # of the grid
    begin: int  # all rows before it are in files
    values: Array  # float64[rows, seats] of those that follow, as far as they are known
    rows: Array


_own = threading.local()


def evaluate_rows(task: RowsTask) -> Array:
    """Return the values of the rows of a task: float64[rows, seats]."""
    kept = _opened(task)
    kept.row = min(kept.row, task.begin)  # what follows may be what another task was sent
    kept.restore(task.begin)
    if kept.row < task.begin:
        raise FileNotFoundError("values of later layers are not there")  # it may be tried again
    values = kept.filling.values
    values[task.begin : task.begin + len(task.values)] = task.values
    return kept.filling.by_threads(task.rows)


def _opened(task: RowsTask) -> KeptGrid:
    """Return the grid of a task, its points found; each thread has one."""
    about = task.shelf, task.number
    if _own.__dict__.get("about") != about:
        model = _own.model if _own.__dict__.get("shelf") == task.shelf else task.model()
        _own.__dict__.clear()
        kept = KeptGrid(Filling(model, task.grid, Workers(1)), task.shelf, task.number)
        kept.find()
        _own.about, _own.shelf, _own.model, _own.kept = about, task.shelf, model, kept
    return _own.kept

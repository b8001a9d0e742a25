"""A folder with the values of a solution, a file for each layer: see `solver/blocks/pieces`.

On a grid a file has several layers: see `shelf`.

`solution.json` says what they belong to; it is written first, and compared with what is asked for
before anything in the folder is used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from dicegames.analysis.saved import identity, store
from dicegames.analysis.saved.shelf import WRITE_ANEW, FolderShelf
from dicegames.analysis.saved.store import (
    DamagedFile,
    ForeignFile,
    MissingFile,
    StaleFile,
    Stored,
    StoreError,
)
from dicegames.analysis.solving.solve_compiled import Recipe
from dicegames.compiler.compiled import Compiled
from dicegames.ground.arguments import expect
from dicegames.ground.reading import UnreadableFile, read_file, told
from dicegames.ground.writing import (
    UnwritableFile,
    demand_writable,
    folder_to_write,
    is_empty,
    write_text,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import name_of
from dicegames.solver.blocks.by_layers import Layer, LayerPlaces
from dicegames.solver.blocks.in_pieces import IN_PIECES, TableInPieces
from dicegames.solver.blocks.pieces import Crew, Keeping, locked, open_pieces
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.grid.kept import GridKeeping
from dicegames.solver.model import Grid, Model
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status

ABOUT = "solution.json"
PLACES = "places"
"""The file that says where each value stands, which takes seconds to find."""
KIND = "dicegames values"
LARGEST_ABOUT = 1_000_000
SOLVE_ANEW = "solve with --store and a new folder"
"""What to do where a folder does not say what its values belong to."""
GO_ON = "solve with --store {} to go on"
"""What to do where some of the values are missing."""


@frozen
class ValueFolder:
    """A folder for the values of a solution, and what solves in place of threads, if anything.

    `value_only`: what is no longer needed for the value of the game is removed from it.
    """

    path: str | PathLike[str]
    value_only: bool = False
    executor: Executor | None = None

    def __attrs_post_init__(self) -> None:
        expect(self.path, (str, PathLike), "the name of a folder")

    def made_ready(self, game: Rules, tasks: int, compiled: Compiled) -> Keeping:
        """Return where the values go.

        Raises StoreError where that is not a folder for this solution, UnwritableFile where it is
        none. `game` is the one that was asked for, `compiled` may be that of a single player. An
        executor has so many `tasks` at a time.
        """
        folder, says = self._of_solution(game, compiled)
        own = identity.digest(says)
        make, note = partial(_make, folder, says), partial(_note, folder, own)
        crew = self._crew(tasks, Recipe.of(game, compiled.objective, compiled.seats))
        return Keeping(folder, own, self.value_only, make, note, crew)

    @contextmanager
    def for_grid(
        self, game: Rules, tasks: int, steps: Mapping[str, int], compiled: Compiled
    ) -> Iterator[GridKeeping]:
        """Give where the values on a grid go, while nobody else writes there; as `made_ready`."""
        folder, says = self._of_solution(game, compiled, steps)
        _make(folder, says)
        shelf = FolderShelf(folder, identity.digest(says))
        recipe = Recipe.of(game, compiled.objective, compiled.seats, frozenset(steps))
        with locked(folder):
            yield GridKeeping(shelf, shelf.note, shelf.found, self._crew(tasks, recipe))

    def _crew(self, tasks: int, recipe: Recipe) -> Crew | None:
        """Return who solves in place of threads, if anybody does."""
        return None if self.executor is None else Crew(self.executor, tasks, recipe)

    def _of_solution(
        self, game: Rules, compiled: Compiled, steps: Mapping[str, int] | None = None
    ) -> tuple[Path, Mapping[str, Any]]:
        """Return the folder, and what it says; raises as `made_ready`."""
        folder, says = folder_to_write(self.path), _says(game, compiled, steps)
        with _telling(folder):
            if (folder / ABOUT).exists():
                _demand(folder, says, game)
            elif folder.exists() and not is_empty(folder):
                raise ForeignFile(f"{folder} has other things in it: name a new or an empty folder")
        return folder, says


def _make(folder: Path, says: Mapping[str, Any]) -> None:
    """Make a folder, and write what it belongs to."""
    with _telling(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / ABOUT).exists():
            write_text(folder / ABOUT, json.dumps(says, indent=1) + "\n")
        demand_writable(folder / PLACES)


@contextmanager
def _telling(folder: Path) -> Iterator[None]:
    """Turn errors of the system into messages."""
    try:
        yield
    except (OSError, ValueError, UnwritableFile) as error:  # ValueError: no name of a file
        reason = str(error) if isinstance(error, UnwritableFile) else told(error)
        raise MissingFile(f"{folder} cannot be written to: {reason}") from None


def _note(
    folder: Path, identity_: str, places: LayerPlaces, solved: Solved, tables: Mapping[int, int]
) -> None:
    """Write where the values of a folder stand, so that whoever reads them need not find it."""
    header = {name: getattr(solved, name) for name in identity.NUMBERS}
    header |= {name: getattr(places, name) for name in (*AXES, *LENGTHS)}
    layers = places.layers
    inside = np.zeros((2, len(layers), places.inner_points), np.int64)
    for layer in layers:
        inside[0, layer.number, layer.inner] = inside[1, layer.number, layer.entered] = 1
    arrays = {
        "tables": np.array(list(tables.items()), np.int64),
        "closure": places.closure.view(np.int64),
        "start": places.start,
        "layers": np.array([(each.begin, each.end) for each in layers], np.int64),
        "inside": inside,
    }
    says = {"solution": identity_, "stuck": solved.stuck}
    store.write(str(folder / PLACES), {**says, **header}, arrays)


def read(path: str, game: Rules, compiled: Compiled) -> Solved:
    """Return the solution in a folder, its values being read when asked for; raises StoreError."""
    folder, says = Path(path), _says(game, compiled)
    _demand(folder, says, game)
    if not (folder / PLACES).exists():
        raise StaleFile(f"{folder} has no whole solution", GO_ON.format(folder))
    try:
        stored = store.read(str(folder / PLACES))
    except StoreError as error:
        raise StaleFile(error.what, WRITE_ANEW.format(folder)) from None
    header = stored.header
    identity.demand_sense(stored.path, header, PLACED)
    own = identity.digest(says)
    if header["solution"] != own:
        told_so = f"{folder / PLACES} belongs to another solution"
        raise StaleFile(told_so, WRITE_ANEW.format(folder))
    tables = stored.take("tables", "i", None, 2).tolist()
    nodes, numbers = {node for node, _ in tables}, sorted(table for _, table in tables)
    if compiled.model.start not in nodes or numbers != [*range(len(nodes))]:
        raise DamagedFile(stored.path, "its tables are not in order")
    if (header["stuck"] or 0) not in range(compiled.model.nodes):
        raise DamagedFile(stored.path, "it names a node that the game has not")
    pieces = open_pieces(folder, own, _places(stored, compiled.model), len(tables))
    missing = [layer for layer in pieces.places.layers if not pieces.has(layer)]
    if missing:
        done = f"{len(pieces.places.layers) - len(missing)} of {len(pieces.places.layers)} layers"
        raise StaleFile(f"{folder} has {done}", GO_ON.format(folder))
    model, values = compiled.model, {node: TableInPieces(pieces, table) for node, table in tables}
    return Solved(
        model=model,
        status=Status.SOLVED,
        value=values[model.start][model.start_point],
        method=IN_PIECES,
        stuck=header["stuck"],
        evaluator=Subgames(model, values, in_pieces=True),
        **{name: header[name] for name in identity.NUMBERS},
    )


AXES = ("inner", "major", "minor")
LENGTHS = ("strip", "furthest")
PLACED: Mapping[str, Callable[[Any], bool]] = {
    "solution": identity.FIELDS["model"],
    "stuck": lambda node: node is None or type(node) is int,
    **{name: identity.FIELDS[name] for name in identity.NUMBERS},
    **dict.fromkeys(
        AXES, lambda axes: isinstance(axes, list) and all(type(a) is int for a in axes)
    ),
    **dict.fromkeys(LENGTHS, lambda length: type(length) is int and 0 < length < 2**48),
}
"""What the header of `PLACES` says, and how that looks if it is in order."""


def _places(stored: Stored, model: Model) -> LayerPlaces:
    """Return the places that a file tells of, as `_note` wrote them."""
    inner, major, minor = (tuple(stored.header[name]) for name in AXES)
    if sorted((*inner, *major, *minor)) != [*range(len(model.shape))] or len(minor) > 1:
        raise DamagedFile(stored.path, "its axes are not those of the game")
    rows, bits = (prod(model.shape[axis] for axis in axes) for axes in (major, minor))
    layers = stored.take("layers", "i", None, 2).tolist()
    inside = stored.take("inside", "i", 2, len(layers), prod(model.shape[axis] for axis in inner))
    none = np.zeros(0, np.int64)
    return LayerPlaces(
        shape=model.shape,
        inner=inner,
        major=major,
        minor=minor,
        closure=stored.take("closure", "i", rows, -(-bits // 64)).view(np.uint64),
        start=stored.take("start", "i", rows),
        strip=stored.header["strip"],
        layers=tuple(
            Layer(number, none, begin, end, np.flatnonzero(own), np.flatnonzero(entered), none)
            for number, ((begin, end), own, entered) in enumerate(zip(layers, *inside, strict=True))
        ),
        furthest=stored.header["furthest"],
    )


def read_grid(
    path: str, game: Rules, compiled: Compiled, steps: Mapping[str, int], grid: Grid
) -> Solved:
    """Return the solution on a grid in a folder; raises StoreError."""
    folder, says = Path(path), _says(game, compiled, steps)
    _demand(folder, says, game)
    found = FolderShelf(folder, identity.digest(says)).found(compiled.model, lambda: grid)
    if found is None:
        raise StaleFile(f"{folder} has no whole solution", GO_ON.format(folder))
    return found


def is_folder(path: str) -> bool:
    """Tell whether a name is that of a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - that of pathlib raises for names of no file


def _says(
    game: Rules, compiled: Compiled, steps: Mapping[str, int] | None = None
) -> dict[str, Any]:
    says = identity.identity_of(game, compiled.objective, compiled.model)
    names = [name_of(given) for given in compiled.seats or (None,)]
    grid = {} if steps is None else {"grid": dict(steps)}
    return {"kind": KIND, **says, "strategies": names, **grid}


@contextmanager
def _anew() -> Iterator[None]:
    """Say of a folder that cannot be used that another is wanted: solving there changes nothing."""
    try:
        yield
    except (DamagedFile, ForeignFile, StaleFile) as error:
        raise StaleFile(error.what, SOLVE_ANEW) from None


@_anew()
def header_of(folder: Path) -> dict[str, Any]:
    """Return what a folder says that its values belong to; raises StoreError."""
    about = folder / ABOUT
    try:
        says = json.loads(read_file(about, LARGEST_ABOUT, "a description of values"))
    except UnreadableFile as error:
        raise MissingFile(f"{folder} has no values of a solution: {error}", SOLVE_ANEW) from None
    except (ValueError, RecursionError):
        raise DamagedFile(str(about)) from None
    if not isinstance(says, dict) or says.get("kind") != KIND:
        raise DamagedFile(str(about), "it says other things")
    fields = (*identity.BELONGS, "strategies", *(("grid",) if "grid" in says else ()))
    identity.demand_sense(str(about), says, {name: identity.FIELDS[name] for name in fields})
    return says


@_anew()
def _demand(folder: Path, wanted: Mapping[str, Any], game: Rules) -> None:
    """Raise StoreError where a folder is not that of a solution, of which it is to say this."""
    path = str(folder)
    says = header_of(folder)
    identity.demand_same(path, says, game, wanted["objective"], wanted["strategies"])
    if (found := says.get("grid")) != (asked := wanted.get("grid")):
        raise StaleFile(f"{path} was solved {_on(found)}, not {_on(asked)}")
    if says["program"] != wanted["program"]:
        raise ForeignFile(f"{path} was written by version {says['program']} of the program")
    identity.demand_model(path, says, wanted["model"])


def _on(steps: Mapping[str, int] | None) -> str:
    """Say on which grid something was solved."""
    grid = " ".join(f"--grid {name}={step}" for name, step in (steps or {}).items())
    return f"with {grid}" if grid else "without a grid"

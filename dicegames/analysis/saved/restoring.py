"""A solution from a file: looked at from all sides before a number of it is used."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from dicegames.analysis.saved import folder, identity
from dicegames.analysis.saved.store import DamagedFile, Stored
from dicegames.analysis.solving.extremes import prepared
from dicegames.analysis.solving.gridding import grid_of_steps
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.form import GridForm
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.objectives import ObjectiveError, objective_of
from dicegames.rules.running.playing import Seats, name_of
from dicegames.solver.methods.method import Unfit
from dicegames.solver.model import Grid, fingerprint
from dicegames.solver.packing import unpacked
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status


def header_of(path: str) -> Mapping[str, Any]:
    """Return what a file, or a folder of values, says of the solution in it; raises StoreError."""
    return folder.header_of(Path(path)) if folder.is_folder(path) else identity.read(path).header


def restored(
    path: str, game: Rules, objective: str, seats: Seats
) -> tuple[Compiled, Solved, Mapping[str, int]]:
    """Return what a file holds of a game, an objective and who plays; raises StoreError.

    The last is the step of each variable that is on a grid.
    """
    if folder.is_folder(path):
        return _from_folder(path, game, objective, seats)
    stored = identity.read(path)
    names = [name_of(given) for given in seats]
    identity.demand_same(path, stored.header, game, str(objective_of(objective)), names)
    steps, grid = stored.header["grid"], None
    if steps is None:
        compiled = compile_game(game, objective, seats, noted=stored.header["noted"])
    else:
        compiled, grid = _on_grid(path, game, seats, steps)
    identity.demand_model(path, stored.header, fingerprint(compiled.model))
    compiled = prepared(compiled)  # where play was not followed
    return compiled, _solved(stored, compiled, grid), steps or {}


def _from_folder(
    path: str, game: Rules, objective: str, seats: Seats
) -> tuple[Compiled, Solved, Mapping[str, int]]:
    steps = folder.header_of(Path(path)).get("grid")
    if steps is None:
        compiled = compile_game(game, objective, seats)
        return compiled, folder.read(path, game, compiled), {}
    compiled, grid = _on_grid(path, game, seats, steps)
    return compiled, folder.read_grid(path, game, compiled, steps, grid), steps


def _on_grid(
    path: str, game: Rules, seats: Seats, steps: Mapping[str, int]
) -> tuple[Compiled, Grid]:
    try:
        compiled = compile_game(game, seats=seats, form=GridForm(names=frozenset(steps)))
        return compiled, grid_of_steps(compiled, steps)
    except (ObjectiveError, SolveError, LookupError):
        raise DamagedFile(path, "the game has no such grid") from None


def _solved(stored: Stored, compiled: Compiled, grid: Grid | None) -> Solved:
    header = stored.header
    value = header["value"]
    if isinstance(value, list) and len(value) != compiled.model.seats:
        raise DamagedFile(stored.path, "its value is not that of so many seats")
    status = Status[header["status"]]
    if (status is Status.APPROXIMATE) != (grid is not None):
        raise DamagedFile(stored.path, 'its "status" does not go with its grid')
    bounded = {Status.SOLVED: True, Status.APPROXIMATE: False}.get(status)
    if bounded not in (None, isfinite(header["error_bound"])):
        raise DamagedFile(stored.path, 'its "error_bound" does not go with its "status"')
    bare = Solved(
        model=compiled.model,
        status=status,
        value=tuple(value) if isinstance(value, list) else value,
        method="",  # the values tell
        **{name: header[name] for name in identity.NUMBERS},
    )
    try:
        return unpacked(bare, stored, grid)
    except (Unfit, SolveError, LookupError) as error:
        raise DamagedFile(stored.path, str(error)) from None

"""A folder with the values of a solution, a file for each layer: see `solver/blocks/pieces`.

`solution.json` says what they belong to; it is written first, and compared with what is asked for
before anything in the folder is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from dicegames.analysis.saved import identity
from dicegames.analysis.saved.store import DamagedFile, ForeignFile, MissingFile, StaleFile
from dicegames.compiler.compiled import Compiled
from dicegames.ground.reading import UnreadableFile, read_file, told
from dicegames.ground.writing import UnwritableFile, whole_file
from dicegames.rules.parts.game import Game
from dicegames.rules.running.playing import name_of
from dicegames.solver.blocks.in_pieces import solved_from
from dicegames.solver.blocks.pieces import Keeping, open_pieces
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.methods.by_blocks import planned_by_layers
from dicegames.solver.solved import Solved

ABOUT = "solution.json"
KIND = "dicegames values"
LARGEST = 1_000_000


def made_ready(
    path: str | PathLike[str], game: Game, compiled: Compiled, *, value_only: bool
) -> Keeping:
    """Return where the values go, the folder being there and of this solution; raises StoreError.

    `game` is the one that was asked for, `compiled` may be that of a single player.
    """
    folder = Path(path)
    says = _says(game, compiled)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / ABOUT).exists():
            if any(folder.iterdir()):
                raise ForeignFile(f"{folder} has other things in it: name a new or an empty folder")
            with whole_file(folder / ABOUT) as file:
                file.write((json.dumps(says, indent=1) + "\n").encode())
    except (OSError, UnwritableFile) as error:
        reason = told(error) if isinstance(error, OSError) else str(error)
        raise MissingFile(f"{folder} cannot be written to: {reason}") from None
    _demand(folder, game, compiled)
    return Keeping(folder, _hash(says), value_only)


def read(path: str, game: Game, compiled: Compiled) -> Solved:
    """Return the solution in a folder, its values being read when asked for; raises StoreError."""
    folder = Path(path)
    _demand(folder, game, compiled)
    with Workers(1) as workers:
        plan = planned_by_layers(compiled.model, workers)
    assert plan.places is not None
    tables = int(plan.model.stored.sum())
    pieces = open_pieces(folder, _hash(_says(game, compiled)), plan.places, tables)
    missing = [layer for layer in plan.places.layers if not pieces.has(layer)]
    if missing:
        done = f"{len(plan.places.layers) - len(missing)} of {len(plan.places.layers)} layers"
        raise StaleFile(f"{folder} has {done}: solve with --store {folder} to have all of them")
    return solved_from(plan, pieces, 0.0)


def is_folder(path: str) -> bool:
    """Tell whether a name is that of a folder."""
    try:
        return Path(path).is_dir()
    except OSError:  # no name that a file could have
        return False


def _says(game: Game, compiled: Compiled) -> dict[str, Any]:
    says = identity.identity_of(game, compiled.objective, compiled.model)
    names = [name_of(given) for given in compiled.seats or (None,)]
    return {"kind": KIND, **says, "strategies": names}


def _hash(says: Mapping[str, Any]) -> str:
    return sha256(json.dumps(says, sort_keys=True).encode()).hexdigest()


def _demand(folder: Path, game: Game, compiled: Compiled) -> None:
    """Raise StoreError where a folder is not that of a solution."""
    path, wanted = str(folder), _says(game, compiled)
    try:
        says = json.loads(read_file(folder / ABOUT, LARGEST, "a description of values"))
    except UnreadableFile as error:
        raise MissingFile(f"{folder} has no values of a solution: {error}") from None
    except ValueError:
        raise DamagedFile(str(folder / ABOUT)) from None
    fits = isinstance(says, dict) and says.keys() == wanted.keys() and says["kind"] == KIND
    if not fits or not isinstance(says["options"], dict):
        raise DamagedFile(str(folder / ABOUT), "it says other things")
    identity.demand_game(path, says, game)
    identity.demand_objective(path, says, compiled.objective)
    if says["strategies"] != wanted["strategies"]:
        raise StaleFile(f"{path} was solved with other strategies playing")
    if says["program"] != wanted["program"]:
        raise ForeignFile(
            f"{path} was written by version {says['program']} of the program; name another folder"
        )
    identity.demand_model(path, says, compiled.model)

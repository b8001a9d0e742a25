"""Tables that take minutes to find, kept in the user's cache: whole or not at all."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from dicegames.ground.reading import cache_folder
from dicegames.ground.writing import UnwritableFile, whole_file
from dicegames.solver.kernels.code_cache import tidy
from dicegames.solver.model import Array

SMALLEST = 20_000_000
"""Bytes below which tables are found anew."""
LARGEST = 8_000_000_000
"""Bytes of all tables; beyond that those go that were used longest ago."""


def folder() -> Path:
    """Return the folder, which may be removed at any time."""
    return cache_folder("results")


def read(key: str) -> dict[str, Array] | None:
    """Return the arrays that are kept under a key; None if they are not there, or damaged."""
    file = folder() / f"{key}.npz"
    try:
        with np.load(file, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}  # checks the sums of the archive
        os.utime(file)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return None
    return arrays


def write(key: str, arrays: Mapping[str, Array]) -> None:
    """Keep arrays, if they are large and there is room for them."""
    if sum(array.nbytes for array in arrays.values()) < SMALLEST:
        return
    with suppress(OSError, UnwritableFile):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(folder() / f"{key}.npz") as file:
            np.savez(file, allow_pickle=False, **arrays)
        tidy(folder(), LARGEST)

"""Tables that take minutes to find, kept in the user's cache: whole or not at all."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from dicegames.ground.cache import cache_folder, kept_file
from dicegames.ground.writing import UnwritableFile
from dicegames.solver.model import Array

SMALLEST = 20_000_000
"""Bytes below which tables are found anew."""
LARGEST = 8_000_000_000
"""Bytes of all tables; beyond that those go that were used longest ago."""


def _file(key: str) -> Path:
    return cache_folder("results") / f"{key}.npz"


def read(key: str) -> dict[str, Array] | None:
    """Return the arrays that are kept under a key; None if they are not there, or damaged."""
    file = _file(key)
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
    with suppress(OSError, UnwritableFile), kept_file(_file(key), LARGEST) as file:
        np.savez(file, allow_pickle=False, **arrays)

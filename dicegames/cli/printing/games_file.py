"""What simulated games came to, in a file: lines for people, or an array for NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dicegames.ground.writing import whole_file

AT_A_TIME = 10_000
"""Lines that are put together before they are written."""


def write_games(out: str, heads: Sequence[str], results: NDArray[np.float64]) -> None:
    """Write one line for each game, in order, or for .npy the array; raises UnwritableFile."""
    with whole_file(out) as file:
        if out.endswith(".npy"):
            np.save(file, results)
            return
        file.write(f"game,{','.join(heads)}\n".encode())
        rows = results.reshape(len(results), -1)
        for first in range(0, len(rows), AT_A_TIME):
            part = enumerate(rows[first : first + AT_A_TIME].tolist(), first + 1)
            text = "".join(f"{number},{','.join(map(repr, row))}\n" for number, row in part)
            file.write(text.encode())

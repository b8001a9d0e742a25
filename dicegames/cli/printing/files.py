"""Drawings, tables and games in files; what cannot be written is told before any work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from numpy.typing import NDArray

from dicegames.analysis.solution import SolutionError
from dicegames.ground.writing import (
    STANDARD_OUTPUT,
    UnwritableFile,
    demand_writable,
    whole_file,
    write_text,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dicegames.cli.printing.answer import Block

DRAWINGS = (".png", ".svg", ".pdf")
RESULTS = (".csv", ".npy")
LINES_AT_A_TIME = 10_000
"""Lines that are put together before they are written."""


def demand_csv(path: str | None, rules: str, *, json: bool) -> None:
    """Raise, before any work, where lines of CSV are to be printed with JSON, or cannot be written.

    `path` is what `--csv` names, STANDARD_OUTPUT where that is no file.
    """
    if path == STANDARD_OUTPUT and json:
        raise click.UsageError("give --json or --csv, or name a file: --csv FILE")
    demand_writable(None if path == STANDARD_OUTPUT else path, rules)


def with_csv(path: str | None, text: Callable[[], str], blocks: Iterable[Block]) -> Iterable[Block]:
    """Write lines of CSV, and return the answer for people; where no file is named, the lines."""
    if path == STANDARD_OUTPUT:
        return [text().rstrip("\n")]
    if path is not None:
        write_text(path, text())
    return blocks


def demand_drawable(path: str | None, rules: str) -> None:
    """Raise UnwritableFile or SolutionError, before any work, where it (if any) cannot be drawn."""
    if path is None:
        return
    if Path(path).suffix.lower() not in DRAWINGS:
        ends = ", ".join(DRAWINGS)
        raise UnwritableFile(f'"{path}": a plot is a file with an end such as {ends}')
    if find_spec("matplotlib") is None:
        message = 'plots need matplotlib, which is not installed: pip install "dicegames[plot]"'
        raise SolutionError(message)
    demand_writable(path, rules)


def save_drawn(path: str, figure: Figure) -> None:
    """Write what was drawn into a file; raises UnwritableFile."""
    with whole_file(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower())


def write_games(out: str, heads: Sequence[str], results: NDArray[np.float64]) -> None:
    """Write one line for each game, in order, or for .npy the array; raises UnwritableFile."""
    with whole_file(out) as file:
        if out.lower().endswith(".npy"):
            np.save(file, results)
            return
        file.write(f"game,{','.join(heads)}\n".encode())
        rows = results.reshape(len(results), -1)
        for first in range(0, len(rows), LINES_AT_A_TIME):
            part = enumerate(rows[first : first + LINES_AT_A_TIME].tolist(), first + 1)
            text = "".join(f"{number},{','.join(map(repr, row))}\n" for number, row in part)
            file.write(text.encode())

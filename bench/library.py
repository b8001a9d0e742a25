"""The record of the library: what its games are worth as they stand, and how long solving took.

Writes `games/values.toml`, which `dicegames games` shows. A game that is not solved within the time
allowed has no entry. The times are the least of several runs, with all kernels compiled.

    python -m bench.library
    python -m bench.library --only pig zilch
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import tomllib
from pathlib import Path
from typing import Any

import dicegames
from dicegames.cli.commands.library import RECORD, text_hash
from dicegames.library import supplied

LONGEST = 30.0
RUNS = 3


def solved(path: Path) -> dict[str, Any] | None:
    """Return the record of one game, None where it is not solved."""
    game = dicegames.load(path)
    try:
        solution = dicegames.solve(game, time=LONGEST)
        seconds = min(timed(game) for _ in range(RUNS))
    except dicegames.DicegamesError as error:
        print(f"{path.stem}: {error}")
        return None
    value = solution.value
    shown = list(value) if isinstance(value, tuple) else value
    print(f"{path.stem}: {shown} in {seconds:.3f} s")
    return {
        "rules": text_hash(path),
        "value": shown,
        "error_bound": solution.error_bound,
        "seconds": round(seconds, 3),
    }


def timed(game: dicegames.Game) -> float:
    """Return the seconds that solving takes."""
    began = time.perf_counter()
    dicegames.solve(game, time=LONGEST)
    return time.perf_counter() - began


def processor() -> str:
    """Return what the machine calls its processor, as far as it says so."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def text(machine: str, games: dict[str, dict[str, Any]]) -> str:
    """Return the text of the record."""
    lines = ["# Written by `python -m bench.library`.", "", f'machine = "{machine}"']
    for name, entry in sorted(games.items()):
        lines += ["", f"[games.{name}]"]
        lines += [f"{key} = {_toml(value)}" for key, value in entry.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def main() -> None:
    """Solve the games and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="solve these, keep the others")
    only = parser.parse_args().only
    record = supplied() / RECORD
    kept = tomllib.loads(record.read_text("utf-8"))["games"] if record.is_file() else {}
    paths = sorted(supplied().glob("*.dg"))
    found = {p.stem: kept.get(p.stem) if only and p.stem not in only else solved(p) for p in paths}
    threads = os.cpu_count() or 1
    machine = f"{processor()}, {threads} threads, dicegames {dicegames.__version__}"
    record.write_text(text(machine, {n: e for n, e in found.items() if e is not None}), "utf-8")


if __name__ == "__main__":
    main()

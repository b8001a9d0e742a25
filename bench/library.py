"""The record of the library: what its games are worth as they stand, and how long solving took.

Writes `games/values.toml`, which `dicegames games` and the index of games show. A game that is not
solved within the time allowed has no entry. The times are the least of several runs, with all
kernels compiled. `--more` leaves values and times as they are and looks for the rest: the spread of
results, the number of states, and what each option is worth when it alone is set otherwise.

    python -m bench.library
    python -m bench.library --more --only pig zilch
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import dicegames
from dicegames.cli.commands.library import RECORD, text_hash
from dicegames.library import supplied

LONGEST = 30.0
LONGEST_SETTING = "20s"
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


def more(path: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a game with spread, size, and the values under other settings.

    Values are those of seat 1, and of numbers the neighbour of the default is looked at.
    """
    found: dict[str, float] = {}
    options = dicegames.load(path).rules.names.options.values()
    for option in options:
        default, others = option.value, [v for v in option.values if v != option.value]
        if isinstance(default, int) and not isinstance(default, bool):
            near = (default - 1, default + 1)
            low = default if option.low is None else option.low
            high = default if option.high is None else option.high
            others = [v for v in near if low <= v <= high][:1] if option.name != "players" else []
        for other in others:
            shown = {True: "yes", False: "no"}[other] if isinstance(other, bool) else other
            numbers = swept(path, f"{option.name}={shown}", "value")
            values = [v for name, v in numbers.items() if name in ("value", "value of seat 1")]
            found |= {f"{option.name}={shown}": value for value in values}
    first = next(iter(options), None)
    if first is not None:
        default = first.value
        shown = {True: "yes", False: "no"}[default] if isinstance(default, bool) else default
        entry |= swept(path, f"{first.name}={shown}", "sd,states")
    print(f"{path.stem}: {entry.get('sd')}, {entry.get('states')}, {found}")
    return entry | ({"options": found} if found else {})


def swept(path: Path, setting: str, statistics: str) -> dict[str, Any]:
    """Return numbers of a game with a setting; those that take too long are left out."""
    words = [sys.executable, "-m", "dicegames", "sweep", str(path), "--set", setting]
    words += ["--stats", statistics, "--time", LONGEST_SETTING, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    points = json.loads(done.stdout).get("points") or [{"numbers": {}}]
    return {name: number for name, number in points[0]["numbers"].items() if number is not None}


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
    if isinstance(value, dict):
        return "{ " + ", ".join(f'"{key}" = {number!r}' for key, number in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def main() -> None:
    """Look at the games one by one and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="solve these, keep the others")
    parser.add_argument("--more", action="store_true", help="spread, size and options instead")
    asked = parser.parse_args()
    record = supplied() / RECORD
    before = tomllib.loads(record.read_text("utf-8")) if record.is_file() else {"games": {}}
    threads = os.cpu_count() or 1
    machine = f"{processor()}, {threads} threads, dicegames {dicegames.__version__}"
    games: dict[str, dict[str, Any]] = before["games"]
    for path in sorted(supplied().glob("*.dg")):
        if asked.only and path.stem not in asked.only:
            continue
        entry = games.pop(path.stem, None) if asked.more else solved(path)
        if entry is not None:
            games[path.stem] = more(path, entry) if asked.more else entry
        record.write_text(text(before["machine"] if asked.more else machine, games), "utf-8")


if __name__ == "__main__":
    main()

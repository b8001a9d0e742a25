"""The record of the library: what its games are worth as they stand, and how long solving took.

Writes `games/values.toml`, which `dicegames games` and the index of games show. A game that is not
solved within the time allowed has no entry. The times are the least of several runs, with all
kernels compiled. `--more` leaves values and times as they are and looks for the rest: the spread of
results, the number of states, and what each option is worth when it alone is set otherwise.
`--reports` keeps the main numbers of `dicegames report`, which the page of each game shows; of a
game that takes too long those of one turn. Options that `--set` names are kept, and hold again the
next time: so a game too large for a report has that of a smaller one.

    python -m bench.library
    python -m bench.library --more --only pig zilch
    python -m bench.library --reports
    python -m bench.library --reports --only zombie_dice --set greens=2 --set yellows=1
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dicegames
from dicegames.authoring.reports.worth import settings
from dicegames.cli.commands.library import VALUES_FILE, text_hash
from dicegames.library import supplied
from dicegames.rules.reading.house_rules import option_text

LONGEST = 30.0
LONGEST_SETTING = "20s"
LONGEST_REPORT = 600
REPORTED_GAMES = "60"
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
    rules = dicegames.load(path).rules
    for name, other in settings(rules):
        setting = f"{name}={option_text(other)}"
        numbers = swept(path, setting, "value")
        values = [v for name, v in numbers.items() if name in ("value", "value of seat 1")]
        found |= dict(zip([setting], values, strict=False))
    first = next(iter(rules.names.options.values()), None)
    if first is not None:
        entry |= swept(path, f"{first.name}={option_text(first.value)}", "sd,states")
    print(f"{path.stem}: {entry.get('sd')}, {entry.get('states')}, {found}")
    return entry | ({"options": found} if found else {})


def swept(path: Path, setting: str, statistics: str) -> dict[str, Any]:
    """Return numbers of a game with a setting; those that take too long are left out."""
    words = [sys.executable, "-m", "dicegames", "sweep", str(path), "--set", setting]
    words += ["--stats", statistics, "--time", LONGEST_SETTING, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    points = json.loads(done.stdout).get("points") or [{"numbers": {}}]
    return {name: number for name, number in points[0]["numbers"].items() if number is not None}


def reported(path: Path, settings: list[str]) -> dict[str, Any]:
    """Return the main numbers of the report on a game, or on one turn of it, or why there are none.

    `settings` are those of the options, as `--set` has them.
    """
    kept: dict[str, Any] = {}
    why = ""
    for objective in ("payoff", "turn"):
        words = [sys.executable, "-m", "dicegames", "report", str(path), "--json"]
        words += ["--objective", objective, "--games", REPORTED_GAMES]
        words += [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=_limit)  # noqa: S603
        kept = {"rules": text_hash(path), "objective": objective, "settings": settings}
        if done.returncode == 0:
            rows = [list(row) for row in main_numbers(json.loads(done.stdout)["sections"])]
            print(f"{path.stem}: {objective}, {len(rows)} numbers")
            return kept | {"rows": rows}
        reason = " ".join((done.stdout + done.stderr).split())
        if done.returncode < 0:
            reason = f"more than {LONGEST_REPORT} seconds of processor time"
        why = why or reason
        print(f"{path.stem}: {objective}: {reason}")
    return kept | {"rows": [], "why": why}


def _limit() -> None:
    """Let a report take so much processor time, however busy the machine is."""
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_REPORT, LONGEST_REPORT))


def main_numbers(sections: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Give what a report says in short: what, the number, whether it is exact or estimated."""

    def rows(name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = sections.get(name, {"rows": []})["rows"]
        return found

    def basis(name: str) -> str:
        return str(sections[name]["basis"])

    for row in rows("length"):
        if row["who plays"] == "best play":
            most = "any number" if row["most"] is None else row["most"]
            told = f"{row['mean']:.1f} ({row['least']} to {most})"
            yield f"{row['in a game']} in a game", told, basis("length")
    for row in rows("decisions")[:1]:
        yield "decisions that matter", f"{row['that matter']:.1f}", basis("decisions")
    for name in ("skill", "random"):
        for row in rows(name):
            choice = row["choice"]
            more = "" if choice is None else f", choice {choice:.1%} of the variance"
            error = row.get("standard error")
            about = "" if error is None else f" (standard error {error:.2g})"
            told = f"loses {row['loss']:.4g}{about}{more}"
            yield f"{row['strategy']}, seat {row['seat']}", told, basis(name)
    yield from _worth([row for row in rows("worth") if row["worth"] is not None])
    half = next((row for row in rows("drama") if row["share settled"] >= 0.5), None)
    if half is not None:
        shown = f"{half['share settled']:.0%} of the variance"
        yield f"settled after {half['turns']} turns", shown, basis("drama")
    for row in rows("leads")[-1:]:
        yield "changes of the lead", f"{row['changes of the lead']:.1f}", basis("leads")
    for row in rows("hardest")[:1]:
        told = f"{row['best']}, the second best loses {row['second loses']:.3g}"
        yield f"a hard decision: `{row['position'].replace('|', '/')}`", told, "exact"


def _worth(worth: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for row in sorted(worth, key=lambda row: -row["worth"])[:1]:
        yield f"worth most: {row['what']} {row['name']}", f"{row['worth']:.4g}", "exact"
    idle = [f"{row['what']} {row['name']}" for row in worth if abs(row["worth"]) < 1e-9]
    if idle:
        yield f"never needed: {', '.join(idle)}", "0", "exact"


def processor() -> str:
    """Return what the machine calls its processor, as far as it says so."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def text(machine: str, games: dict[str, Any], reports: dict[str, Any]) -> str:
    """Return the text of the record."""
    lines = ["# Written by `python -m bench.library`.", "", f'machine = "{machine}"']
    for name, entry in sorted(games.items()):
        lines += ["", f"[games.{name}]"]
        lines += [f"{key} = {_toml(value)}" for key, value in entry.items()]
    for name, entry in sorted(reports.items()):
        lines += ["", f"[reports.{name}]"]
        lines += [
            f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()
        ]
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
    parser.add_argument(
        "--reports", action="store_true", help="the main numbers of reports instead"
    )
    parser.add_argument(
        "--set", nargs="+", action="extend", metavar="OPTION=VALUE", help="for the reports"
    )
    asked = parser.parse_args()
    record = supplied() / VALUES_FILE
    before = tomllib.loads(record.read_text("utf-8")) if record.is_file() else {"games": {}}
    threads = os.cpu_count() or 1
    machine = f"{processor()}, {threads} threads, dicegames {dicegames.__version__}"
    games, reports = before["games"], before.get("reports", {})
    kept = asked.more or asked.reports
    for path in sorted(supplied().glob("*.dg")):
        if asked.only and path.stem not in asked.only:
            continue
        table = reports if asked.reports else games
        entry = table.pop(path.stem, None)
        if asked.reports:
            entry = reported(path, asked.set or (entry or {}).get("settings", []))
        elif not asked.more:
            entry = solved(path)
        elif entry is not None:
            entry = more(path, entry)
        if entry is not None:
            table[path.stem] = entry
        record.write_text(text(before["machine"] if kept else machine, games, reports), "utf-8")


if __name__ == "__main__":
    main()

"""The ledger of timings: an entry for each commit that was measured, and the change since the last.

A figure is a speed: seconds of a yardstick divided by our seconds, both of the same round, the
median over the rounds. The yardsticks are the peer's solver and a fixed piece of work
(`calibration`). An entry is held against the last one of the same machine; a figure may fall by
15%.

    pip install '.[bench]'
    python -m bench.ledger --check
    python -m bench.ledger --record
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

FILE = Path(__file__).with_name("ledger.jsonl")
KEPT = 0.85
"""The share of a figure that has to be left."""
EDITED = "+edits"
VERSIONS = ("numba", "llvmlite", "numpy")


class LedgerError(Exception):
    """An entry cannot be read or made; the message says why."""


@frozen
class Entry:
    """What was measured at a commit.

    Attributes:
        commit: its name, and `date` its time.
        machine: processor, cores, system: only entries of one machine can be compared.
        versions: of Python and of what compiles and runs the kernels.
        rounds: how often everything was measured.
        figures: speeds by name, larger is better.
    """

    commit: str
    date: str
    machine: dict[str, Any]
    versions: dict[str, str]
    rounds: int
    figures: dict[str, float]


@frozen
class Change:
    """A figure now and in an earlier entry; None where one of the two does not have it."""

    name: str
    now: float | None
    before: float | None

    @property
    def share(self) -> float | None:
        """What was gained or lost, as a share of the earlier figure."""
        return None if self.now is None or self.before is None else self.now / self.before - 1.0

    @property
    def fell(self) -> bool:
        """Whether the figure is lower than it may be, or is no longer measured."""
        return self.before is not None and (self.now is None or self.now < KEPT * self.before)


# --- arithmetic


def figures(
    rounds: Sequence[Mapping[str, float]], pairs: Iterable[tuple[str, str]]
) -> dict[str, float]:
    """Return the median speeds of pairs (our work, yardstick) from the seconds of each round."""
    return {
        f"{ours} : {yardstick}": statistics.median(r[yardstick] / r[ours] for r in rounds)
        for ours, yardstick in pairs
    }


def changes(now: Entry, before: Entry | None) -> list[Change]:
    """Return every figure of two entries, those of the first one first."""
    earlier = {} if before is None else before.figures
    return [Change(n, now.figures.get(n), earlier.get(n)) for n in {**now.figures, **earlier}]


def last_of(entries: Iterable[Entry], machine: Mapping[str, Any]) -> Entry | None:
    """Return the last entry of a machine, None if it has none."""
    return next((e for e in reversed(list(entries)) if e.machine == machine), None)


# --- the file


def read(file: Path) -> list[Entry]:
    """Return the entries of a ledger, the oldest first; raises LedgerError."""
    if not file.exists():
        return []
    entries = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            entries.append(Entry(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise LedgerError(f"{file.name}, line {number}: {error}") from None
    return entries


def record(file: Path, entry: Entry) -> None:
    """Write an entry at the end, in the place of one of the same commit and machine."""
    same = (entry.commit, entry.machine)
    entries = [e for e in read(file) if (e.commit, e.machine) != same]
    lines = [json.dumps(asdict(e)) + "\n" for e in (*entries, entry)]
    file.write_text("".join(lines), encoding="utf-8")


# --- what is measured where


def machine() -> dict[str, Any]:
    """Describe this machine."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor()


def _git(*words: str) -> str:
    command = ["git", *words]
    return subprocess.run(  # noqa: S603 - our own words
        command, cwd=FILE.parent, capture_output=True, text=True, check=True
    ).stdout.strip()


def commit() -> tuple[str, str]:
    """Return the name and the time of the commit that is checked out; raises LedgerError."""
    try:
        name, date = _git("show", "-s", "--format=%h %cI").split()
        edited = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        raise LedgerError("an entry belongs to a commit, and this is no repository") from None
    return name + EDITED if edited else name, date


def measured(rounds: int, *, record: bool) -> Entry:
    """Measure everything; raises LedgerError."""
    name, date = commit()
    if record and name.endswith(EDITED):
        raise LedgerError("an entry belongs to a commit: commit the edits first")
    try:
        from bench.rounds import PAIRS, seconds_of  # noqa: PLC0415 - the peer is not always there
    except ImportError as error:
        raise LedgerError(f"{error}; pip install '.[bench]'") from None
    versions = {"python": platform.python_version(), **{name: version(name) for name in VERSIONS}}
    here = machine()
    return Entry(name, date, here, versions, rounds, figures(seconds_of(rounds), PAIRS))


# --- the front end


def print_table(now: Entry, before: Entry | None) -> None:
    """Print a line for each figure."""
    print(
        f"{now.machine['processor']}, {now.machine['cores']} cores; medians of {now.rounds} rounds"
    )
    if before is None:
        print("the ledger has no entry of this machine: nothing to hold against")
    else:
        print(f"against {before.commit} of {before.date}")
    print(f"{'speed : yardstick':52} {'now':>9} {'before':>9}  change")
    for change in changes(now, before):
        numbers = ["-" if x is None else f"{x:.4g}" for x in (change.now, change.before)]
        share = "" if change.share is None else f"{change.share:+.1%}"
        fell = "  too slow" if change.fell else ""
        print(f"{change.name:52} {numbers[0]:>9} {numbers[1]:>9} {share:>7}{fell}")


def main() -> int:
    """Measure, compare, and do what the options say."""
    parser = argparse.ArgumentParser(description="Timings by commit, and what changed.")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is timed")
    parser.add_argument("--record", action="store_true", help="write an entry into the ledger")
    parser.add_argument("--check", action="store_true", help="exit 1 where a figure fell by 15%%")
    arguments = parser.parse_args()
    try:
        entries = read(FILE)
        now = measured(arguments.rounds, record=arguments.record)
        before = last_of((e for e in entries if e.commit != now.commit), now.machine)
        print_table(now, before)
        if arguments.record:
            record(FILE, now)
    except LedgerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 1 if arguments.check and any(c.fell for c in changes(now, before)) else 0


if __name__ == "__main__":
    sys.exit(main())

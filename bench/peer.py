"""Our solver against yatzy-solver, in turn, in one process, each on all cores it is given.

Both sides build the whole exact table of a game in memory: ours from a rules file, the peer from
a variant that is compiled into it. A round solves every rules file once and builds every variant
once; the ratio of a contest is the median over the rounds of ours / peer of the same round, so
that a machine that slows down slows both. Kernels are compiled, or read from their cache, before
the first round.

    pip install '.[bench]'
    python bench/peer.py --rounds 5 --check
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import yatzy_solver
from attrs import field, frozen

import dicegames

GAMES = Path(__file__).parents[1] / "games"


@frozen
class Contest:
    """A rules file with its options, the peer's variant, and the largest ratio that is allowed."""

    file: str
    variant: str
    ratio: float
    options: dict[str, str] = field(factory=dict)

    @property
    def name(self) -> str:
        """The file and its options in one word."""
        return " ".join([self.file, *(f"{k}={v}" for k, v in self.options.items())])


CONTESTS = [
    Contest("despirala", "american", 1 / 8),
    Contest("despirala", "american", 1 / 6, {"misere": "yes"}),
    Contest("yahtzee", "american", 1 / 12, {"jokers": "free"}),
    Contest("yatzy", "yatzy-scandinavian", 1 / 12),
]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds on the wall, and what came out."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


Seconds = dict[str, dict[str, float]]
"""Of one round: "solve", ours alone, and "whole", from rules to value, by contest; "peer"."""


def one_round(contests: list[Contest], games: dict[str, Any]) -> tuple[Seconds, dict[str, Any]]:
    """Seconds of each, and our solutions."""
    solutions: dict[str, Any] = {}
    solve: dict[str, float] = {}
    whole: dict[str, float] = {}
    peer: dict[str, float] = {}
    for contest in contests:
        if contest.variant not in peer:
            variant = yatzy_solver.Variant(contest.variant)
            peer[contest.variant], _ = timed(partial(yatzy_solver.Solver.build, variant))
        name = contest.name
        whole[name], solutions[name] = timed(partial(dicegames.solve, games[name]))
        solve[name] = solutions[name].seconds
    return {"solve": solve, "whole": whole, "peer": peer}, solutions


def row(contest: Contest, rounds: list[Seconds]) -> dict[str, Any]:
    """The medians of one contest."""
    ours = [r["solve"][contest.name] for r in rounds]
    peer = [r["peer"][contest.variant] for r in rounds]
    ratio = statistics.median(a / b for a, b in zip(ours, peer, strict=True))
    return {
        "rules": contest.name,
        "solve_seconds": statistics.median(ours),
        "compile_and_solve_seconds": statistics.median(r["whole"][contest.name] for r in rounds),
        "peer_variant": contest.variant,
        "peer_seconds": statistics.median(peer),
        "ratio": ratio,
        "required_ratio": contest.ratio,
        "fast_enough": ratio <= contest.ratio,
    }


def loaded(contests: list[Contest]) -> dict[str, Any]:
    """The games of all contests by name, each solved once, which warms the kernels."""
    games = {c.name: dicegames.load(GAMES / f"{c.file}.dg", **c.options) for c in contests}
    for game in games.values():
        dicegames.solve(game)
    return games


def measure(contests: list[Contest], rounds: int) -> list[dict[str, Any]]:
    """All contests, `rounds` times in turn."""
    games = loaded(contests)
    results = [one_round(contests, games)[0] for _ in range(rounds)]
    return [row(contest, results) for contest in contests]


def print_table(rows: list[dict[str, Any]]) -> None:
    """A line for each contest."""
    print("rules                           solve       all   peer variant           build", end="")
    print("    ratio required")
    for r in rows:
        ratio = f"1/{1 / r['ratio']:.1f}"
        required = f"1/{1 / r['required_ratio']:.0f}"
        print(
            f"{r['rules']:28} {r['solve_seconds']:7.3f} s {r['compile_and_solve_seconds']:7.3f} s"
            f"   {r['peer_variant']:18} {r['peer_seconds']:7.3f} s {ratio:>8} {required:>8}"
            f"{'' if r['fast_enough'] else '  too slow'}"
        )


def main() -> int:
    """Measure what is asked for; with --check, fail where a ratio is not reached."""
    parser = argparse.ArgumentParser(description="Our solver against yatzy-solver, in turn.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side is timed")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--check", action="store_true", help="exit 1 where a ratio is not reached")
    arguments = parser.parse_args()
    rows = measure(CONTESTS, arguments.rounds)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if arguments.json:
        print(json.dumps({"rounds": arguments.rounds, "cores": cores, "contests": rows}))
    else:
        print(f"medians of {arguments.rounds} rounds, {cores} cores on both sides")
        print_table(rows)
    return 1 if arguments.check and not all(r["fast_enough"] for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())

"""What the ledger measures: rounds of our work and of the yardsticks, in turn in one process.

A machine that slows down slows both; the speed of a round is what counts.
"""

from __future__ import annotations

from functools import partial

from bench.calibration import calibrate
from bench.peer import CONTESTS, loaded, one_round, timed
from dicegames.solver.kernels.compilers import available_threads

SAMPLED = 100_000
"""Games that are simulated."""
FOLLOWED = ("despirala", "yatzy")
"""The contests whose play is followed: the exact distribution, and simulated games."""

PAIRS = [
    *((f"solve {c.name}", f"peer {c.variant}") for c in CONTESTS),
    *((f"solve {c.name}", "calibration") for c in CONTESTS),
    *((f"rules to value {c.name}", "calibration") for c in CONTESTS),
    *((f"distribution {name}", "calibration") for name in FOLLOWED),
    *((f"simulate {name}", "calibration") for name in FOLLOWED),
]
"""Our work, and the yardstick it is held against."""


def seconds_of(rounds: int) -> list[dict[str, float]]:
    """Return the seconds of every piece of work in each round, after one that is not counted."""
    games = loaded(CONTESTS)
    return [_round(games) for _ in range(rounds + 1)][1:]


def _round(games: dict[str, object]) -> dict[str, float]:
    seconds = {"calibration": calibrate(available_threads())}
    found, solutions = one_round(CONTESTS, games)
    for part, name in (("solve", "solve"), ("whole", "rules to value"), ("peer", "peer")):
        seconds |= {f"{name} {what}": value for what, value in found[part].items()}
    for name in FOLLOWED:
        solution = solutions[name]
        seconds[f"distribution {name}"], _ = timed(solution.distribution)
        seconds[f"simulate {name}"], _ = timed(partial(solution.simulate, SAMPLED, 1))
    return seconds

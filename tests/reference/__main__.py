"""Compare many random games with the reference, and tell what was really compared.

python -m tests.reference --games 5000 --seed 0 [--pairs]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.random_games.games import by_seed
from tests.reference.against import Comparison
from tests.reference.features import Tally


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reference")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--pairs", action="store_true", help="list pairs of features, too")
    wanted = parser.parse_args()
    compared, refused, tally = Counter[str](), Counter[tuple[str, str]](), Tally()
    differing = 0
    for seed in range(wanted.seed, wanted.seed + wanted.games):
        report = Comparison(by_seed(seed)).run()
        compared.update(set(report.compared))
        refused.update((what, reason[:60]) for what, reason in report.refused)
        if report.compared:
            tally.add(by_seed(seed))
        if report.differences:
            differing += 1
            _say(f"seed {seed}", *map(str, report.differences), by_seed(seed))
    _say(f"{tally.games} of {wanted.games} games compared, {differing} differ", "")
    _say(*(f"{count:7}  {what}" for what, count in compared.most_common()), "", "refused")
    _say(*(f"{count:7}  {': '.join(what)}" for what, count in refused.most_common(40)), "")
    _say("features", *(f"{count:7}  {name}" for name, count in tally.single.most_common()))
    _say(f"{len(tally.pairs)} pairs of features")
    if wanted.pairs:
        _say(*(f"{count:7}  {' + '.join(pair)}" for pair, count in tally.pairs.most_common()))
    return min(1, differing)


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

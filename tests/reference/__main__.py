"""Compare many random games with the reference, and tell what was really compared.

python -m tests.reference --games 5000 --seed 0 [--minutes 10] [--kind usual] [--one-part]
    [--small-limits]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import suppress
from time import monotonic

from attrs import define, field

from tests.reference.against import AUTHORS, PARTS
from tests.reference.features import Tally
from tests.reference.kinds import KINDS, ODD, comparison
from tests.reference.limit import TooLong, within
from tests.reference.report import BY_REFERENCE, Report
from tests.reference.small_limits import SHARE, small_limits

LONGEST = 120
"""Seconds of processor time after which a game is given up, and told."""


@define
class Account:
    """What came of all games."""

    games: int = 0
    differing: int = 0
    given_up: int = 0
    compared: Counter[str] = field(factory=Counter)
    refused: Counter[tuple[str, str]] = field(factory=Counter)
    unknown: Counter[str] = field(factory=Counter)
    """What the reference itself has no answer to, by the reason."""
    tally: Tally = field(factory=Tally)

    def add(self, text: str, report: Report) -> None:
        self.games += 1
        self.compared.update(set(report.compared))
        for what, reason in set(report.refused):
            if reason.startswith(BY_REFERENCE):
                self.unknown[f"{what}: {reason.removeprefix(BY_REFERENCE)}"] += 1
            else:
                self.refused[what, reason[:60]] += 1
        if report.compared:
            self.tally.add(text)
        self.differing += bool(report.differences)

    def tell(self, *, pairs: bool) -> None:
        told = f"{self.tally.games} of {self.games} games compared, {self.differing} differ"
        _say(f"{told}, {self.given_up} took too long", "")
        _say(*_rows(self.compared), "")
        _say("refused by the program, of all games")
        _say(*(f"{n / self.games:8.2%}  {': '.join(w)}" for w, n in self.refused.most_common(40)))
        _say("", "without an answer of the reference", *_rows(self.unknown), "")
        _say("features", *_rows(self.tally.single), f"{len(self.tally.pairs)} pairs of features")
        if pairs:
            _say(*_rows(Counter({" + ".join(p): n for p, n in self.tally.pairs.items()})))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reference")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no game after so many")
    parser.add_argument("--kind", choices=KINDS, default=ODD, help="what games they are")
    parser.add_argument("--one-part", action="store_true", help="each in one part, as every day")
    parser.add_argument("--small-limits", action="store_true", help="draw limits of size, too")
    parser.add_argument("--pairs", action="store_true", help="list pairs of features, too")
    wanted = parser.parse_args()
    account, until = Account(), monotonic() + 60 * wanted.minutes
    with suppress(KeyboardInterrupt):  # what was compared until then is told
        for seed in range(wanted.seed, wanted.seed + wanted.games):
            if monotonic() > until:
                break
            parts = [PARTS[seed % len(PARTS)]] if wanted.one_part else (*PARTS, AUTHORS)
            asked = comparison(wanted.kind, seed, parts)
            share = SHARE if wanted.small_limits else 0
            try:
                with within(LONGEST), small_limits(seed, share) as drawn:
                    report = asked.run()
            except TooLong:
                account.given_up += 1
                _say(f"seed {seed} takes longer than {LONGEST} s")
                continue
            account.add(asked.text, report)
            if report.differences:
                told = f" with {drawn}" if drawn else ""
                _say(f"seed {seed}{told}", *map(str, report.differences), asked.text)
    account.tell(pairs=wanted.pairs)
    return min(1, account.differing)


def _rows(counter: Counter[str]) -> list[str]:
    return [f"{count:7}  {what}" for what, count in counter.most_common()]


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""How somebody plays: the decisions of all games together, by kind and over time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import nan, sqrt
from statistics import NormalDist

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from dicegames.ground.numbers import mean_and_error
from dicegames.play.judge import Ledger
from dicegames.play.levels import level_played
from dicegames.play.transcript import BOT

EQUAL = 1e-9
"""Results and losses that differ by no more are the same."""

FACES_ALONE = re.compile(r"[\d\s]+$")
Numbers = NDArray[np.float64]


@frozen
class JudgedChoice:
    """A choice that was made: its kind, what it lost, and what every move would have lost."""

    kind: str
    lost: float
    losses: NDArray[np.float64] = field(eq=False)


@frozen
class PersonalResult:
    """What a person did in one game that is over; `luck` is that of all own throws."""

    decisions: tuple[JudgedChoice, ...]
    luck: float


@frozen
class Mean:
    """What a decision loses on average, its standard error, and how many there are."""

    loss: float
    error: float
    count: int


def played_by_people(ledger: Ledger, seats: Sequence[str]) -> list[PersonalResult]:
    """Return what each person did in a game that was judged; `seats` as a transcript has them."""
    return [
        PersonalResult(_decisions(ledger, seat), ledger.account(seat).luck)
        for seat, spec in enumerate(seats)
        if not spec.startswith(BOT)
    ]


def mean_of(decisions: Sequence[JudgedChoice]) -> Mean:
    """Return the mean loss of decisions; the error is nan where there are fewer than two."""
    lost = np.array([decision.lost for decision in decisions])
    return Mean(*(mean_and_error(lost) if lost.size else (0.0, nan)), int(lost.size))


def by_kind(decisions: Sequence[JudgedChoice]) -> dict[str, Mean]:
    """Return the mean losses by kind, that which cost the most in all first."""
    groups: dict[str, list[JudgedChoice]] = {}
    for decision in decisions:
        groups.setdefault(decision.kind, []).append(decision)
    found = {kind: mean_of(group) for kind, group in groups.items()}
    return dict(sorted(found.items(), key=lambda pair: -pair[1].loss * pair[1].count))


def luck_percentile(
    lucks: Sequence[float], values: Numbers, masses: Numbers, *, maximise: bool
) -> float:
    """Return in which share of as many games of best play there is less luck.

    `values` and `masses` are the results of best play and their probabilities: there luck is what
    a result is above their mean. Of one game the share is exact, half of the equal ones counting;
    of several it is that of the normal distribution with the same variance.
    """
    total, luck = sum(lucks), (values - masses @ values) * (1 if maximise else -1)
    if len(lucks) > 1:
        sd = sqrt(masses @ luck**2)
        return NormalDist().cdf(total / (sd * sqrt(len(lucks)))) if sd else 0.5
    same = np.abs(luck - total) < EQUAL
    return float(masses[(luck < total) & ~same].sum() + masses[same].sum() / 2)


def share_of(decisions: Sequence[JudgedChoice]) -> float | None:
    """Return at which level somebody plays, as the share of `levels`; None where it cannot show."""
    return level_played([(decision.losses, decision.lost) for decision in decisions])


def _decisions(ledger: Ledger, seat: int) -> tuple[JudgedChoice, ...]:
    found = []
    for event in ledger.events:
        if event.seat == seat and event.is_decision:
            best, most = event.options[0]
            losses = np.abs(np.array([value for _, value in event.options]) - most)
            found.append(JudgedChoice(FACES_ALONE.sub("", best) or best, event.loss, losses))
    return tuple(found)

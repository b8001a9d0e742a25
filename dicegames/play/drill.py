"""Positions to be drilled: what is asked when, and what is known of the answers.

A card is a position. Whoever answers it well is asked again after a longer interval, whoever does
not the next day. New cards are the own mistakes, then positions of games of best play, in which
they come up as often as at the table; the more a careless move costs there, the sooner they are
taken.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import date, timedelta

from attrs import define, evolve, field, frozen

from dicegames.play.judge import Judge, Ledger
from dicegames.play.levels import BY_NAME, given_away, losses_of
from dicegames.play.match import Match
from dicegames.rules.parts.game import Rules

DRILL_FORMAT = 1
INTERVALS = (1, 3, 7, 16, 35, 80)
"""Days until a card is asked again, by how often it was answered well in succession."""
LONGEST_DRILL = 5000
CARELESS = BY_NAME["easy"]


class DamagedDrill(ValueError):
    """What is kept of a drill cannot be read."""


@frozen
class Flashcard:
    """A position with what is known of the answers: well answered `step` times in succession."""

    position: str
    step: int
    due: date
    asked: int = 1


@define
class Drill:
    """The cards of a game."""

    cards: dict[str, Flashcard] = field(factory=dict)

    def due(self, today: date) -> list[Flashcard]:
        """Return the cards that are to be asked again, those that have waited longest first."""
        return sorted((c for c in self.cards.values() if c.due <= today), key=lambda c: c.due)

    def answered(self, position: str, today: date, *, well: bool) -> Flashcard:
        """Note an answer, and when the position is asked again."""
        old = self.cards.get(position, Flashcard(position, 0, today, 0))
        days = INTERVALS[min(old.step, len(INTERVALS) - 1)] if well else INTERVALS[0]
        new = evolve(
            old, step=old.step + 1 if well else 0, due=today + timedelta(days), asked=old.asked + 1
        )
        self.cards[position] = new
        return new

    def text(self) -> str:
        """Return the cards as they are kept."""
        cards = {
            c.position: {"step": c.step, "due": c.due.isoformat(), "asked": c.asked}
            for c in self.cards.values()
        }
        return json.dumps({"format": DRILL_FORMAT, "cards": cards}, ensure_ascii=False, indent=1)


def drill_of(text: str) -> Drill:
    """Return the cards that were kept; raises DamagedDrill."""
    try:
        kept = json.loads(text)
        if kept["format"] != DRILL_FORMAT:
            raise DamagedDrill("it is of another version")
        cards = {
            position: Flashcard(
                position, int(c["step"]), date.fromisoformat(c["due"]), int(c["asked"])
            )
            for position, c in kept["cards"].items()
        }
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as bad:
        raise DamagedDrill(str(bad)) from None
    if any(card.step < 0 for card in cards.values()):
        raise DamagedDrill("a number in it is below zero")
    return Drill(cards)


def mistakes(ledger: Ledger, seat: int) -> list[tuple[float, str]]:
    """Return the mistakes of a seat: what they lost, and the positions."""
    return [
        (event.loss, str(ledger.match.steps[event.first].before))
        for event in ledger.events
        if event.seat == seat and event.is_decision and event.loss >= ledger.scale.thresholds[0]
    ]


def coming_up(game: Rules, judge: Judge, seed: int) -> Iterator[str]:
    """Give positions of games of best play, one of each game; none where nothing can be lost.

    Of the positions of a game one is drawn in proportion to what a careless player loses in it.
    """
    for number in range(seed, seed + LONGEST_DRILL):
        match = Match(game, number)
        found: list[tuple[str, float]] = []
        for position in match.choices(LONGEST_DRILL):
            options = judge.options(position)
            lost = given_away(losses_of(options), CARELESS)
            if lost > 0:
                found.append((str(position), lost))
            match.play(options[0].move)
        if not found:
            return
        drawn = random.Random(f"{number}:drill")  # noqa: S311 - no secret
        yield drawn.choices([text for text, _ in found], [lost for _, lost in found])[0]

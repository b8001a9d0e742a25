"""What a player may want of a game, as one writes it: "payoff", "turns", "reach:300 minimised"."""

from __future__ import annotations

import re
from fractions import Fraction

from attrs import frozen

from dicegames.ground.numbers import LONGEST_NUMBER

KINDS = {
    "payoff": "what the rules play for",
    "turn": "points of one turn",
    "turns": "turns to the end of the game",
    "average": "points of a turn in the long run",
    "reach:T": "probability of T points",
}
SENSES = {"maximised": True, "minimised": False}


class ObjectiveError(ValueError):
    """An objective that does not make sense for a game; the message says why."""


@frozen
class Aim:
    """An objective: its kind, the target of `reach`, and whether it is to be large.

    `maximise` is None where the kind says it: few turns, a large probability; points as the rules
    have it.
    """

    kind: str
    target: Fraction | None = None
    maximise: bool | None = None

    @classmethod
    def parse(cls, text: str) -> Aim:
        """Return the aim that is written as "payoff", "reach:300", "turns maximised"."""
        words = str(text).split()
        sense = SENSES.get(words.pop()) if len(words) == 2 else None
        name, colon, number = (words[0] if len(words) == 1 else "").partition(":")
        if name == "reach":
            if not re.fullmatch(r"-?[0-9]+(/[1-9][0-9]*|\.[0-9]+)?", number):
                raise ObjectiveError('write how much is to be reached: "reach:300"')
            if len(number) > LONGEST_NUMBER:
                raise ObjectiveError(f"what is to be reached has at most {LONGEST_NUMBER} digits")
            return cls(name, Fraction(number), sense)
        if name not in KINDS or colon or (sense is None and str(text).split() != words):
            raise ObjectiveError(f'there is no objective "{text}"; there are: {", ".join(KINDS)}')
        return cls(name, None, sense)

    def __str__(self) -> str:
        what = self.kind if self.target is None else f"{self.kind}:{self.target}"
        if self.maximise is None:
            return what
        return f"{what} {'maximised' if self.maximise else 'minimised'}"

"""Ways to play to win: by what lies between the bounds U0 and U1 of the chance to win.

Both are those of `solver.results.given_ends`: U0 if play goes on for the best mean after the turn,
U1 if the best result of the others were known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from dicegames.ground.arguments import ArgumentError
from dicegames.ground.diagnostic import did_you_mean, folded
from dicegames.solver.model import Array


@frozen
class Style:
    """How a seat plays: by U0 + w (U1 - U0). Without `weight` w depends on seat and turns left.

    U1 takes the others' result for known. At an own turn only the share is known that they have got
    in the turns behind them: w is the mean of that share over the own turns still to come.
    """

    name: str
    weight: float | None  # below 0: for the best mean
    rule: str

    def of(self, seat: int, players: int, turns: int) -> Array:
        """Return w of a seat (from 0) by how many own turns are still to come, at most `turns`."""
        left = np.arange(turns + 1)
        if self.weight is not None:
            return np.full(len(left), self.weight)
        before = seat / (players - 1)  # the share of the others who have their turns before
        return 0.5 + 0.5 * before / np.maximum(1, left)


MEAN = Style("mean", -1.0, "for the best mean")
PLAIN = Style("plain", 0.0, "by U0: as if all went on for the best mean afterwards")
WIN = Style("win", None, "by what lies between U0 and U1, as `play --seat bot:win` does")
KNOWING = Style("knowing", 1.0, "by U1: as if the best result of the others were known")

STYLES = {style.name: style for style in (MEAN, PLAIN, WIN, KNOWING)}


def styles_of(names: Sequence[str], players: int) -> list[Style]:
    """Return how all seats play; raises ArgumentError."""
    if len(names) > players:
        raise ArgumentError(f"there is no seat {len(names)}: the game has {players}")
    return [style_of(name) for name in (*names, *["mean"] * (players - len(names)))]


def style_of(name: str) -> Style:
    """Return the style of a name, in any case; raises ArgumentError."""
    found = STYLES.get(folded(name))
    if found is None:
        hint = did_you_mean(name, list(STYLES)) or f"there are {', '.join(STYLES)}"
        hint += "; strategies of the rules file do not play to win"
        raise ArgumentError(f'nobody plays "{name}" here: {hint}')
    return found

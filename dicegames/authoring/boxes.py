"""What each box of a score card brings under best play, seen in games that are played.

A box brings what is counted between the moment at which it is used and the end of that turn: its
points, with a bonus that they complete, less what was paid for throws.
"""

from __future__ import annotations

import numpy as np
from attrs import define, field

from dicegames.authoring.table import Table
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.value_text import box_rows
from dicegames.rules.running.objectives import ObjectiveError, measure
from dicegames.rules.running.referee import Position


@define
class Filled:
    """The boxes of a game for one player, and what they brought in each of some games."""

    game: Game
    games: list[list[float]] = field(factory=list)
    current: int = -1

    @classmethod
    def of(cls, game: Game) -> Filled | None:
        """Return one for a game, None where it has no boxes, no points, or several players."""
        try:
            measure(game)
        except ObjectiveError:
            return None
        return cls(game) if game.names.boxes and game.players == 1 else None

    def begin(self) -> None:
        """Begin another game."""
        self.games.append([0.0] * len(box_rows(self.game.names)))

    def step(self, before: Position, after: Position) -> None:
        """Count what a move or a throw brought."""
        used = self.game.names.variables["used"].base
        if before.starts_turn:
            self.current = -1
        fresh = after.env[used] & ~before.env[used]
        if fresh:
            self.current = fresh.bit_length() - 1
        if self.current >= 0:
            points = measure(self.game)
            gained = points.run(list(after.env)) - points.run(list(before.env))
            self.games[-1][self.current] += float(gained)

    def table(self, games: int) -> Table:
        """Return for each box how often it brought points in so many games, and how many."""
        brought = np.array(self.games[:games])
        error = brought.std(axis=0, ddof=1 if len(brought) > 1 else 0) / np.sqrt(len(brought))
        columns = zip((brought > 0).mean(axis=0), brought.mean(axis=0), error, strict=True)
        rows = [
            (row.label, float(often), float(points), float(wide))
            for row, (often, points, wide) in zip(box_rows(self.game.names), columns, strict=True)
        ]
        head = ("box", "brings points", "points", "standard error")
        return Table("The boxes under best play, in a game", head, tuple(rows))

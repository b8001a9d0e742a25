"""A tutor at the table: a word before a mistake is made, and clues in steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, field

from dicegames.play.judge import GRADES, MARKS, Ledger, Scale
from dicegames.play.wording import GRADE_STYLES, Line
from dicegames.rules.running.referee import Move, Position

BACK = ("", "y", "yes", "back", "undo")
ON = ("n", "no", "play")
BACK_QUESTION = "take it back? yes, no, or why> "


@define
class Tutor:
    """Warns of moves that lose at least `size`; None for mistakes and worse, as graded."""

    size: float | None = None
    warns: bool = False
    _asked: dict[str, int] = field(factory=dict)  # clues that were given, by position

    def warning(self, ledger: Ledger, position: Position, move: Move) -> Line | None:
        """Return what is said before a move is made; None where it is good enough."""
        if not self.warns:
            return None
        loss = ledger.loss_of(move.label, ledger.options(position))
        if loss is None:
            return None
        least = ledger.scale.thresholds[0] if self.size is None else self.size
        grade = ledger.scale.grade(loss)
        if grade < 0 or loss < least:
            return None
        told = f"{move.label} {MARKS[grade]} {GRADES[grade]}, would lose {ledger.scale.lost(loss)}"
        return [(told, GRADE_STYLES[grade])]

    def clue(self, ledger: Ledger, position: Position) -> Line:
        """Return the next clue for a position: how much is at stake, which kind, which move."""
        options = ledger.options(position)
        if len(options) <= 1:
            return [("there is nothing to choose here", "dim")]
        step = self._asked[str(position)] = self._asked.get(str(position), 0) + 1
        best = options[0]
        if step == 1:
            losses = [ledger.sign * (best.value - option.value) for option in options]
            return [(_stake(losses, ledger.scale), "")]
        kind = best.move.label.partition(" ")[0]
        alike = sum(o.move.label.partition(" ")[0] == kind for o in options)
        if step == 2 and alike < len(options):
            of = f", one of {alike}" if alike > 1 else ""
            return [(f"the best move begins with {kind}{of}; clue once more names it", "")]
        if step == 2 and len(options) > 2:
            one, two = sorted(o.move.label for o in options[:2])
            return [(f"the best move is {one} or {two}; clue once more names it", "")]
        return [(f"the best move is {best.move.label}", "")]


def _stake(losses: Sequence[float], scale: Scale) -> str:
    """Say how much hangs on a choice."""
    mean = sum(losses) / len(losses)
    told = f"the next best move loses {scale.amount(losses[1])}, a move by chance"
    return f"{told} {scale.amount(mean)} on average; clue again says more"


def stands_by(ask: Callable[[str, Sequence[str]], str], reasons: Callable[[], None]) -> bool:
    """Ask whether a move is meant after a warning; give reasons as often as that is wanted."""
    while True:
        answer = ask(BACK_QUESTION, ["yes", "no", "why"]).strip().lower()
        if answer in BACK or answer in ON:
            return answer in ON
        if answer == "why":
            reasons()

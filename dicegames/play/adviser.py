"""What players are told of their moves when they ask: by whoever judges the game, or without.

A game that nobody can judge still has rules: what its strategies play is known, and so is the
chance that the next throw ends the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import comb
from typing import Any

from attrs import define, field

from dicegames.ground.diagnostic import named
from dicegames.ground.errors import DicegamesError
from dicegames.ground.limits import UNLIMITED, LimitReached, Limits
from dicegames.ground.numbers import percent
from dicegames.play import screen
from dicegames.play.commands import Unclear, chosen, keeping, number_behind
from dicegames.play.judge import Ledger
from dicegames.play.match import NO_MOVE, Match
from dicegames.play.screen import Terminal
from dicegames.play.tutor import Tutor, stands_by
from dicegames.play.wording import Line
from dicegames.rules.parts.flow import Throw
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import left_by
from dicegames.rules.running.referee import Move, Outcome, Position

Explain = Callable[[Ledger, Position, Move | None], list[Line]]
"""Says by a ledger's judge why the best move is better than one (None: the next best)."""
MOST_THROWS = 3000
"""Throws beyond which it is not looked at what each of them leads to."""
LONGEST_LOOK = 2.0
"""Seconds in which it is looked at where moves may lead; then those that are left are not."""
MOVES_TOLD = 4
MOST_HINTS = 12


@define
class Adviser:
    """Who judges a game, and how that is written.

    `ledger` is None where nobody can judge: then `without` says why. `better` returns a ledger, its
    unit and what is said of it, if somebody knows more by now; `pending` says what is being done so
    that somebody will, nothing if nothing is. `strategies` are those of the rules,
    by their names: what each plays, None where it leaves the choice to the best move.
    """

    terminal: Terminal
    ledger: Ledger | None = None
    without: str = "nobody judges this game"
    better: Callable[[], tuple[Ledger, str] | None] = lambda: None
    pending: Callable[[], str] = lambda: ""
    explain: Explain | None = None
    tutor: Tutor = field(factory=Tutor)
    strategies: Mapping[str, Callable[[Position], str | None]] = field(factory=dict)

    @property
    def reason(self) -> str:
        """Why nobody judges, or what is being done about it."""
        return self.pending() or self.without

    def improve(self) -> None:
        """Have whoever knows more by now judge from here on."""
        if (better := self.better()) is None:
            return
        self.ledger, told = better
        self.ledger.update()
        self.terminal.say([(told, "dim")])

    def tell(self, word: str, rest: str, match: Match, names: list[str]) -> None:
        """Answer a question about the moves, or about luck; raises Unclear."""
        self.improve()
        match word:
            case "hint":
                most = 10**6 if rest == "all" else number_behind(word, rest, MOST_HINTS)
                self._hint(match.position, most)
            case "clue":
                self._clue(match.position)
            case "why":
                self._why(match.position, rest)
            case "luck":
                self._luck(match, names)

    def _hint(self, position: Position, most: int) -> None:
        """Say what moves are worth, or what else is known of them."""
        if self.ledger is not None:
            lines = screen.hint(self.ledger, position, self.terminal, most)
        else:
            lines = [[(f"no values: {self.reason}", "red")]]
            lines += unjudged(position, self.strategies)
        self.terminal.say(*lines)

    def _clue(self, position: Position) -> None:
        """Say a little more of the best move each time."""
        if self.ledger is None:
            self._hint(position, 1)
        else:
            self.terminal.say(self.tutor.clue(self.ledger, position))

    def _why(self, position: Position, rest: str) -> None:
        """Say what makes the best move better than another one; raises Unclear."""
        moves = position.moves()
        if len(moves) < 2:
            raise Unclear("there is nothing to choose here")
        instead = (keeping(rest, position, moves) or chosen(rest, moves)) if rest else None
        self._reasons(position, instead)

    def _luck(self, match: Match, names: list[str]) -> None:
        """Show luck and losses."""
        if self.ledger is None:
            self.terminal.say([(f"luck and losses are not known: {self.reason}", "red")])
            return
        self.terminal.say(*screen.luck(match, names, self.ledger, self.terminal))

    def allows(
        self, ask: Callable[[str, Sequence[str]], str], position: Position, move: Move
    ) -> bool:
        """Ask whether a move is meant of which the tutor warns."""
        if self.ledger is None:
            return True
        warning = self.tutor.warning(self.ledger, position, move)
        if warning is None:
            return True
        self.terminal.say(warning)
        return stands_by(ask, lambda: self._reasons(position, move))

    def _reasons(self, position: Position, instead: Move | None) -> None:
        """Say why the best move is better than another, or why that is not known."""
        if self.ledger is None or self.explain is None:
            self.terminal.say([(f"no reasons: {self.reason}", "red")])
            return
        try:
            lines = self.explain(self.ledger, position, instead)
        except DicegamesError as error:
            lines = [[(str(error), "red")]]
        self.terminal.say(*lines)


# ---- where nobody judges


def strategies_of(game: Rules) -> dict[str, Callable[[Position], str | None]]:
    """Return what the strategies of a game play, those that do not look ahead."""
    named = [title for title, given in game.strategies.items() if not given.looks_ahead]
    return {title: partial(_only, left_by(game, title)) for title in named}


def _only(left: Callable[[Position], list[Move]], position: Position) -> str | None:
    """Return the one move that is left; None where several are, or there is no line for it."""
    with suppress(DicegamesError):
        labels = {move.label for move in left(position)}
        return labels.pop() if len(labels) == 1 else None
    return None


def unjudged(
    position: Position, strategies: Mapping[str, Callable[[Position], str | None]]
) -> list[Line]:
    """Return what is known of moves without a judge, all of it exact.

    Where it takes too long to look at the throws behind all moves, it says how many are left.
    """
    moves = position.moves()
    if len(moves) < 2:
        return []
    lines: list[Line] = []
    for title, choose in strategies.items():
        if (played := choose(position)) is not None:
            lines.append([(f'the strategy "{title}" plays ', ""), (played, "bold")])
    ends, limits = dict[str, Any](), Limits(LONGEST_LOOK)
    with suppress(LimitReached):
        for move in moves:
            ends[move.label] = risk_of(position.after(move), limits)
    for chance in sorted({chance for chance in ends.values() if chance not in (None, 1)}):
        labels = [label for label, other in ends.items() if other == chance]
        told = f": the next throw ends the turn in {percent(float(chance))} of cases"
        if not chance:
            told = ": the next throw cannot end the turn"
        lines.append([(named(labels, MOVES_TOLD) + told, "")])
    if left := len(moves) - len(ends):
        what = "this move" if left == 1 else f"these {left} moves"
        told = f"the throws after {what} take longer than {LONGEST_LOOK:g} s to look at: "
        lines.append([(told + named([m.label for m in moves[-left:]], MOVES_TOLD), "dim")])
    return lines


def risk_of(position: Position, limits: Limits = UNLIMITED) -> Any:
    """Return the exact probability that the throw made here ends the turn, as a fraction.

    None where no throw follows in this turn, or too many different ones. Raises LimitReached.
    """
    throw = position.instruction
    if not isinstance(throw, Throw) or position.starts_turn:
        return None
    faces, count = len(throw.kind.weights), int(position.node.env[throw.count])
    if comb(faces + count - 1, count) > MOST_THROWS:
        return None
    return sum(o.probability for o in position.outcomes() if _ends_turn(position, o, limits))


def _ends_turn(position: Position, outcome: Outcome, limits: Limits) -> bool:
    limits.look()
    after = position.after(outcome)
    if not (after.starts_turn or after.is_over):
        moves = after.moves()
        if [move.label for move in moves] != [NO_MOVE]:
            return False
        after = after.after(moves[0])
    return after.starts_turn or after.is_over

"""What a session shows at its moments, as lines of styled text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dicegames.play.commands import WORDS
from dicegames.play.judge import Ledger
from dicegames.play.match import Match
from dicegames.play.picture import (
    account_lines,
    course_picture,
    decisions_lines,
    dice_picture,
    options_picture,
    sheet_picture,
)
from dicegames.play.players import Player
from dicegames.play.standing import rank, scores
from dicegames.play.transcript import Header
from dicegames.play.wording import Line, Part, Unit, exact
from dicegames.rules.running.referee import Position

WIDEST = 100
__all__ = ["Line", "Part", "Terminal"]


class Terminal(Protocol):
    """Where a session is shown and where moves come from."""

    plain: bool
    """Whether only linear text is wanted, for a screen reader."""

    @property
    def width(self) -> int:
        """The columns there are."""

    def say(self, line: Line) -> None:
        """Show a line."""

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        """Return what is typed, any of the words completed; EOFError when no more will come."""


def heading(text: str, terminal: Terminal) -> list[Line]:
    """Return a line that begins a section."""
    if terminal.plain:
        return [[("", "")], [(text, "")]]
    rule = "─" * max(2, min(terminal.width, WIDEST) - len(text) - 4)
    return [[("", "")], [("── ", "dim"), (text, "bold"), (f" {rule}", "dim")]]


def turn_begins(
    match: Match, names: list[str], ledger: Ledger | None, unit: Unit, terminal: Terminal
) -> list[Line]:
    """Return what the start of a turn shows: score, expected result, rank."""
    position = match.position
    seat = position.node.seat
    who = f", {names[seat]}" if len(names) > 1 else ""
    standing = scores(position)
    told = []
    if standing is not None:
        told.append(f"score {exact(standing[seat])}")
    if ledger is not None and ledger.is_whole:
        value = ledger.value_at(len(match.steps))[seat]
        told.append(f"{unit.title} {unit.value(value)}")
    if standing is not None and len(names) > 1:
        told.append(f"rank {rank(match.game, standing, seat)} of {len(names)}")
    lines = heading(f"Turn {match.turn}{who}", terminal)
    return [*lines, [(", ".join(told), "")]] if told else lines


def dice(position: Position, terminal: Terminal) -> list[Line]:
    """Return the dice on the table as a picture; nothing where only linear text is wanted."""
    return [] if terminal.plain else dice_picture(position.node, terminal.width)


def hint(
    ledger: Ledger, position: Position, unit: Unit, terminal: Terminal, most: int
) -> list[Line]:
    """Return what the moves are worth."""
    valued = ledger.options(position)
    options = [(choice.move.label, choice.value) for choice in valued]
    if not options and not ledger.is_whole:
        return [[("what moves are worth here is not known", "dim")]]
    if not options:
        seat = position.node.seat
        value = ledger.value_of(position)[seat]
        return [[(f"dice are thrown here; expected {unit.value(value)}", "dim")]]
    good = "more is better" if ledger.judge.maximise else "less is better"
    lines: list[Line] = [[(f"{unit.title}, {good}", "dim")]]
    lines += options_picture(
        options[:most], unit, width=terminal.width, plain=terminal.plain, sign=ledger.sign
    )
    if len(options) > most:
        lines.append([(f"and {len(options) - most} more: hint all", "dim")])
    return lines


def luck(
    match: Match, names: list[str], ledger: Ledger, unit: Unit, terminal: Terminal
) -> list[Line]:
    """Return luck, losses and the course of the game for every player."""
    over = match.position.is_over
    accounts = [(name, ledger.account(seat)) for seat, name in enumerate(names)]
    if not ledger.is_whole:
        told = "moves by the points of their turn; luck and the result are not judged"
        return [[(told, "dim")], *decisions_lines(accounts, unit, ledger.scale, terminal.width)]
    lines = account_lines(
        accounts, unit, maximise=ledger.judge.maximise, over=over, width=terminal.width
    )
    lines += [[("", "")], *decisions_lines(accounts, unit, ledger.scale, terminal.width)]
    shown = range(len(names)) if len(names) < 3 and not unit.is_share else range(1)
    for seat in shown:
        who = f" of {names[seat]}" if len(names) > 1 else ""
        lines += [[("", "")], [(f"{unit.title}{who} over the game", "dim")]]
        lines += course_picture(ledger, seat, unit, width=terminal.width, plain=terminal.plain)
    return lines


def score(match: Match, names: list[str], terminal: Terminal) -> list[Line]:
    """Return the score sheet and the scores."""
    lines = sheet_picture(match, names, terminal.width)
    standing = scores(match.position)
    if standing is not None:
        ranks = [rank(match.game, standing, seat) for seat in range(len(names))]
        if len(names) == 1:
            what = "score" if match.game.standings else "if the game ended here:"
            lines.append([(f"{what} {exact(standing[0])}", "bold")])
        else:
            told = [
                f"{place}. {name} {exact(value)}"
                for place, name, value in sorted(zip(ranks, names, standing, strict=True))
            ]
            lines.append([(", ".join(told), "bold")])
    return lines


def seats(players: Sequence[Player], header: Header) -> list[Line]:
    """Return who plays, and whose dice are typed in."""
    lines: list[Line] = []
    for seat, player in enumerate(players):
        how = ", dice typed in" if seat in header.typed else ""
        is_what = header.seats[seat] if player.is_bot else "at the keyboard"
        lines.append([(f"{seat + 1} {player.name} ({is_what}{how})", "")])
    return lines


def help_lines() -> list[Line]:
    """Return what may be typed."""
    lines: list[Line] = [
        [("Type a move: its name, the beginning of its name, or its number.", "")],
        [("Words (with a slash in front they are never a move):", "")],
    ]
    for word, meaning in WORDS.items():
        lines.append([(f"  {word:<9}", "bold"), (meaning, "")])
    lines.append([("Dice that are typed in: 1 2 2 5, or summed up: 2 sixes, took 3 rolls,", "")])
    lines.append([("not completed; Enter lets the program throw them.", "")])
    return lines


def end(
    match: Match, names: list[str], ledger: Ledger | None, unit: Unit, terminal: Terminal
) -> list[Line]:
    """Return what is shown when the game is over."""
    lines = heading("The game is over", terminal)
    lines += sheet_picture(match, names, terminal.width)
    for name, value in zip(names, match.result, strict=True):
        who = f"{name}: " if len(names) > 1 else "result "
        lines.append([(f"{who}{exact(value)}", "bold")])
    if ledger is not None:
        ledger.update()
        lines += [[("", "")], *luck(match, names, ledger, unit, terminal)]
    return lines

"""What a session shows at its moments, as lines of styled text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from dicegames.play.columns import wrapped
from dicegames.play.commands import SHORTCUTS, TYPED
from dicegames.play.judge import Ledger
from dicegames.play.match import Match, Player
from dicegames.play.picture import (
    account_lines,
    course_picture,
    decisions_lines,
    dice_picture,
    dice_shown,
    options_picture,
)
from dicegames.play.score_card import board_lines, card_lines, gains_of
from dicegames.play.standing import (
    BOARD,
    Thing,
    counted_as,
    entries,
    owned,
    rank,
    scores,
    things,
    used,
)
from dicegames.play.transcript import Header
from dicegames.play.wording import Line, exact, verdict, whose
from dicegames.rules.parts.flow import Throw
from dicegames.rules.running.referee import Position
from dicegames.rules.running.throw_numbers import throw_number
from dicegames.solver.model import TIE

WIDEST_SCREEN = 100
MOST_WORST = 3


class Terminal(Protocol):
    """Where a session is shown and where moves come from."""

    plain: bool
    """Whether only linear text is wanted, for a screen reader."""

    @property
    def width(self) -> int:
        """The columns there are."""

    def say(self, *lines: Line) -> None:
        """Show lines."""

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        """Return what is typed, any of the words completed; EOFError when no more will come."""


def heading(text: str, terminal: Terminal) -> list[Line]:
    """Return a line that begins a section."""
    if terminal.plain:
        return [[("", "")], [(text, "")]]
    rule = "─" * max(2, min(terminal.width, WIDEST_SCREEN) - len(text) - 4)
    return [[("", "")], [("── ", "dim"), (text, "bold"), (f" {rule}", "dim")]]


def turn_begins(
    match: Match, names: list[str], ledger: Ledger | None, terminal: Terminal
) -> list[Line]:
    """Return what the start of a turn shows: whose it is, all scores, the expected result."""
    position = match.position
    seat = position.node.seat
    who = (f", {names[seat]}" if len(names) > 1 else "") + throw_told(match)
    told = score_parts(position, names)
    if ledger is not None and ledger.is_whole:
        value = ledger.value_at(len(match.steps))[seat]
        told.append(f"{ledger.scale.title} {ledger.scale.value(value)}")
    lines = heading(f"Turn {match.turn}{who}", terminal)
    return lines + [[(line, "")] for line in wrapped(told, terminal.width, ", ")]


def throw_told(match: Match) -> str:
    """Return which throw of the turn the dice are, of how many; nothing before the first."""
    number = _throw_number(match)
    verbs = {step.verb for step in match.game.flow if isinstance(step, Throw)}
    word = "draw" if verbs == {"draw"} else "throw"
    return f", {word} {number[0]} of {number[1]}" if number and number[0] else ""


def _throw_number(match: Match) -> tuple[int, int] | None:
    """Return how many throws of the turn were made, and how many there are at most.

    Where one may come to a position after fewer throws, too, it is known by the throw before it.
    """
    position, last = match.position, match.steps[-1] if match.steps else None
    number = throw_number(position)
    if number or last is None or not last.is_throw or position.starts_turn:
        return number
    before = throw_number(last.before)
    return (before[0] + 1, before[1]) if before else None


def score_parts(position: Position, names: list[str]) -> list[str]:
    """Return the scores of all players; none where the rules know none before the end."""
    standing, what = scores(position), counted_as(position.game)
    if standing is None:
        return []
    if len(names) == 1:
        return [f"{what} {exact(standing[0])}"]
    told = [f"{name} {exact(value)}" for name, value in zip(names, standing, strict=True)]
    return [f"{what}: {told[0]}", *told[1:]]


def turn_ends(match: Match) -> list[Line]:
    """Return what the turn that is over brought its player; nothing where no turn is over."""
    if not match.steps or not (match.position.starts_turn or match.position.is_over):
        return []
    first = max(n for n, step in enumerate(match.steps) if step.begins_turn)
    turn = match.steps[first:]
    seat, before, after = turn[0].seat, turn[0].before, turn[-1].after
    told, gains = [], [gain for step in turn for gain in gains_of(step) if gain.seat == seat]
    for label, words in dict.fromkeys((gain.box, gain.words) for gain in gains):
        amount = sum(g.amount for g in gains if (g.box, g.words) == (label, words))
        if amount:
            told.append(f"{label or words.removeprefix('+')} {amount:+}")
    paid = {gain.box for gain in gains if gain.amount}
    missed = [label for label in used(after, seat) if label not in {*used(before, seat), *paid}]
    told = [f"{label} missed" for label in missed] + told
    old, new = scores(before), scores(after)
    if old is None or new is None:
        return [[(", ".join(told), "")]] if told else []
    change = new[seat] - old[seat]
    if not told and not change and owned(before, seat) == owned(after, seat):
        told = ["nothing won"]
    told.append(f"{counted_as(match.game)} {exact(new[seat])}")
    if change and change != sum(gain.amount for gain in gains):
        told[-1] += f" ({'+' if change > 0 else ''}{exact(change)})"
    return [[(", ".join(told), "")]]


def stands(
    position: Position, names: list[str], shown: dict[str, Thing], terminal: Terminal
) -> list[Line]:
    """Return what has changed of the things of the player to move, and the dice.

    `shown` is what was seen before, and is brought up to date.
    """
    now = things(position)
    fresh = [thing for name, thing in now.items() if shown.get(name) != thing]
    shown.clear()
    shown.update(now)
    told = [thing.text for thing in fresh if terminal.plain or not thing.drawn]
    lines: list[Line] = [[(line, "dim")] for line in wrapped(told, terminal.width)]
    if terminal.plain:
        return lines
    if any(thing.drawn == BOARD for thing in fresh):
        lines += board_lines(position, names, terminal.width)
    return lines + dice_picture(position.node, terminal.width)


def hint(ledger: Ledger, position: Position, terminal: Terminal, most: int) -> list[Line]:
    """Return what the moves are worth."""
    valued, scale = ledger.options(position), ledger.scale
    options = [(choice.move.label, choice.value) for choice in valued]
    if not options and not ledger.is_whole:
        return [[("what moves are worth here is not known", "dim")]]
    if not options:
        seat = position.node.seat
        value = ledger.value_of(position)[seat]
        return [[(f"dice are thrown here; expected {scale.value(value)}", "dim")]]
    good = "more is better" if ledger.judge.maximise else "less is better"
    lines = options_picture(
        options[:most], scale, width=terminal.width, plain=terminal.plain, sign=ledger.sign
    )
    bars = "; bars show what is lost" if any(len(line) > 1 for line in lines) else ""
    lines.insert(0, [(f"{scale.title}, {good}{bars}", "dim")])
    if len(options) > most:
        lines.append([(f"and {len(options) - most} more: hint all", "dim")])
    return lines


def luck(match: Match, names: list[str], ledger: Ledger, terminal: Terminal) -> list[Line]:
    """Return luck, losses and the course of the game for every player."""
    over, scale = match.position.is_over, ledger.scale
    accounts = [(name, ledger.account(seat)) for seat, name in enumerate(names)]
    if not ledger.is_whole:
        told = "moves by the points of their turn; luck and the result are not judged"
        return [[(told, "dim")], *decisions_lines(accounts, scale, terminal.width)]
    lines = account_lines(
        accounts, scale, maximise=ledger.judge.maximise, over=over, width=terminal.width
    )
    lines += [[("", "")], *decisions_lines(accounts, scale, terminal.width)]
    shown = range(len(names)) if len(names) < 3 and not scale.is_share else range(1)
    for seat in shown:
        told = whose(scale.title, names[seat], len(names))
        lines += [[("", "")], [(f"{told} over the game", "dim")]]
        lines += course_picture(ledger, seat, width=terminal.width, plain=terminal.plain)
    return lines


def score(match: Match, names: list[str], terminal: Terminal) -> list[Line]:
    """Return the score card and the scores."""
    lines = card_lines(match, names, terminal.width)
    if counted_as(match.game) in [entry.name for entry in entries(match.position)[0]]:
        return lines
    told = wrapped(score_parts(match.position, names), terminal.width, ", ")
    if len(names) == 1 and told and not match.game.standings:
        told[0] += "" if match.position.is_over else ", if the game ended here"
    return lines + [[(line, "bold")] for line in told]


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
    letters = sorted(short for short in SHORTCUTS if len(short) == 1 and short.isalpha())
    words = ", ".join(f"{letter} for {SHORTCUTS[letter]}" for letter in letters)
    lines: list[Line] = [
        [("Type a move: its name, the beginning of its name, or its number.", "")],
        [("Words (with a slash in front they are never a move):", "")],
    ]
    return [
        *lines,
        *words_lines(TYPED),
        [(f"In short {words}, even where a move begins with that letter.", "")],
        [
            ("Dice that are typed in: 1 2 2 5, or summed up: 2 sixes, took 3 rolls, ", ""),
            ("not completed; Enter lets the program throw them.", ""),
        ],
    ]


def words_lines(words: Mapping[str, str]) -> list[Line]:
    """Return words, and what they mean."""
    wide = max(map(len, words)) + 2
    return [[(f"  {word:<{wide}}", "bold"), (meaning, "")] for word, meaning in words.items()]


def end(
    match: Match, players: Sequence[Player], ledger: Ledger | None, terminal: Terminal
) -> list[Line]:
    """Return what is shown when the game is over."""
    names = [player.name for player in players]
    lines = heading("The game is over", terminal)
    lines += [[(line, "bold green")] for line in wrapped(winners(match, names), terminal.width, "")]
    lines += card_lines(match, names, terminal.width)
    results = [exact(value) for value in match.result]
    if len(names) == 1:
        lines.append([(f"result {results[0]}", "bold")])
    elif not match.game.payoff_is_win:
        told = [f"{name} {value}" for name, value in zip(names, results, strict=True)]
        told[0] = f"result: {told[0]}"
        lines += [[(line, "bold")] for line in wrapped(told, terminal.width, ", ")]
    if ledger is not None:
        ledger.update()
        lines += worst_moves(match, players, ledger)
        lines += [[("", "")], *luck(match, names, ledger, terminal)]
    return lines


def winners(match: Match, names: list[str]) -> list[str]:
    """Return who has won and by how much, in pieces of a line; nothing of a single player."""
    position = match.position
    standing = scores(position)
    if len(names) == 1 or standing is None:
        return []
    of = match.result if match.game.payoff_is_win else None
    ranks = [rank(match.game, standing, seat) for seat in range(len(names))]
    first = [s for s in range(len(names)) if (of[s] == max(of) if of else ranks[s] == 1)]
    told = " and ".join(names[seat] for seat in first)
    if len(first) > 1:
        return [f"{told} share the first place ", f"with {exact(standing[first[0]])}"]
    verb = "win" if told == "You" else "wins"
    second = min((s for s in range(len(names)) if s not in first), key=lambda s: ranks[s])
    margin = abs(standing[first[0]] - standing[second])
    by = f" by {exact(margin)}" if margin else ""
    return [
        f"{told} {verb}{by}: ",
        f"{counted_as(match.game)} {exact(standing[first[0]])} to {exact(standing[second])}",
    ]


def worst_moves(match: Match, players: Sequence[Player], ledger: Ledger) -> list[Line]:
    """Return the moves of each person that lost most, the worst first, with the dice there."""
    lines: list[Line] = []
    for seat, player in enumerate(players):
        lost = [event for event in ledger.events if event.seat == seat and event.loss > TIE]
        if player.is_bot or not lost:
            continue
        told = whose("moves", player.name, len(players))
        told = told if told.startswith("your") else f"the {told}"
        lines += [[("", "")], [(f"{told} that lost most", "dim")]]
        for event in sorted(lost, key=lambda event: -event.loss)[:MOST_WORST]:
            turn = sum(s.begins_turn and s.seat == seat for s in match.steps[: event.end])
            dice = [" ".join(faces) for _, faces in dice_shown(match.steps[event.first].before)]
            where = ", ".join([f"turn {turn}", *dice])
            line: Line = [(f"{where}: {event.played}  ", "")]
            lines.append([*line, *verdict(event, ledger.scale)])
    return lines

"""`dicegames drill`: positions to be answered, again at growing intervals."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import chain, islice
from pathlib import Path
from typing import Any

import platformdirs

from dicegames.analysis.saved.identity import rules_hash
from dicegames.cli.commands.play import game_of
from dicegames.cli.playing import saves
from dicegames.cli.playing.seating import ledger_of
from dicegames.cli.playing.why import told
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import heading, show
from dicegames.cli.printing.terminal import Seat
from dicegames.cli.solving import Solving, obtained, progress
from dicegames.ground.errors import DicegamesError
from dicegames.ground.reading import NoSuchFile, read_file
from dicegames.ground.writing import write_kept
from dicegames.loading import Game
from dicegames.play.columns import listed
from dicegames.play.commands import Unclear, chosen, keeping
from dicegames.play.drill import Drill, Flashcard, coming_up, drill_of, mistakes
from dicegames.play.judge import Event, Ledger
from dicegames.play.match import Match
from dicegames.play.picture import dice_picture
from dicegames.play.transcript import BOT
from dicegames.play.wording import verdict

DRILL_WORDS = ("why", "list", "skip", "quit")
LARGEST_CARDS = 20_000_000
HELP = f"type the best move; or {', '.join(DRILL_WORDS)}"


def run(game: Game, count: int, seed: int | None, solving: Solving) -> None:
    """Ask for the best move in positions."""
    terminal = Seat(plain=False)
    solution = obtained(game, solving)
    ledger = ledger_of(Match(game.rules, 0), solution, None)
    path = _path(game)
    today = date.today()  # noqa: DTZ011 - days as the player counts them
    drill = _read(path, game, today)
    seed = secrets.randbelow(10**6) if seed is None else seed
    show([heading(game)])
    terminal.say([(HELP, "dim")])
    well = asked = 0
    with suppress(EOFError):
        for text in islice(_positions(game, solution, drill, today, seed), count):
            right = _asked(game, text, ledger, terminal)
            if right is None:
                continue
            asked, well = asked + 1, well + right
            card = drill.answered(text, today, well=right)
            write_kept(path, drill.text())
            days = output.counted((card.due - today).days, "day")
            terminal.say([(f"again in {days}", "dim")])
    left = len(drill.due(today))
    terminal.say(
        [(f"{well} of {asked} right; {left} more due, {len(drill.cards)} kept for practice", "")]
    )


def _positions(game: Game, solution: Any, drill: Drill, today: date, seed: int) -> Iterator[str]:
    """Give what is due, then own mistakes, the worst first, then what comes up."""
    met = set()
    due = (card.position for card in drill.due(today))
    for text in chain(due, _own_mistakes(game, solution), coming_up(game.rules, solution, seed)):
        known: Flashcard | None = drill.cards.get(text)
        if text not in met and (known is None or known.due <= today):
            met.add(text)
            yield text


def _own_mistakes(game: Game, solution: Any) -> list[str]:
    """Return the positions of mistakes in the games of these rules that are kept."""
    found: list[tuple[float, str]] = []
    own = rules_hash(game.rules)
    with progress("Looking at your games"):
        for path in saves.saves():
            with suppress(DicegamesError):
                transcript = saves.read(path)
                played = game_of(transcript)
                if rules_hash(played.rules) == own and played.options == game.options:
                    ledger = ledger_of(transcript.match(game.rules), solution, None)
                    ledger.update()
                    for seat, spec in enumerate(transcript.header.seats):
                        found += [] if spec.startswith(BOT) else mistakes(ledger, seat)
    return [text for _, text in sorted(found, key=lambda pair: -pair[0])]


def _asked(game: Game, text: str, ledger: Ledger, terminal: Seat) -> bool | None:
    """Ask for the best move in a position: was it well answered? None where it was skipped."""
    position = game.position(text)
    moves, options = position.moves(), ledger.options(position)
    rows = listed(moves, terminal.width, {}, whole=False)
    dice = dice_picture(position.node, terminal.width)
    terminal.say([("", "")], [(text, "")], *dice, *([(row, "")] for row in rows))
    while True:
        answer = terminal.ask("> ", [*(move.label for move in moves), *DRILL_WORDS]).strip()
        if answer == "quit":
            raise EOFError
        if answer == "skip":
            return None
        if answer in ("list", "help"):
            rows = [HELP] if answer == "help" else listed(moves, terminal.width, {}, whole=True)
            terminal.say(*([(row, "")] for row in rows))
            continue
        try:
            if answer == "why":
                terminal.say(*told(ledger, position, None))
                return False
            move = keeping(answer, position, moves) or chosen(answer, moves)
        except (Unclear, DicegamesError) as error:
            terminal.say([(str(error), "red")])
            continue
        loss = ledger.loss_of(move.label, options)
        assert loss is not None
        named = tuple((option.name, option.value) for option in options)
        event = Event(0, 1, 0, (), (), loss=loss, played=move.label, options=named)
        terminal.say([(f"{move.label}: ", ""), *verdict(event, ledger.scale)])
        return ledger.scale.grade(loss) <= 0


def _path(game: Game) -> Path:
    """Return the file of a game's cards: its rules and options name it."""
    told = f"{rules_hash(game.rules)} {sorted(game.options.items())}"
    name = hashlib.sha256(told.encode()).hexdigest()[:24]
    return platformdirs.user_data_path("dicegames", appauthor=False) / "drills" / f"{name}.json"


def _read(path: Path, game: Game, today: date) -> Drill:
    """Return the cards that are kept; a damaged file is put aside, and said."""
    try:
        drill = drill_of(read_file(path, LARGEST_CARDS, "a file of cards").decode())
        for card in drill.due(today):
            game.position(card.position)
    except NoSuchFile:
        return Drill()
    except (DicegamesError, ValueError) as error:
        aside = path.with_suffix(".damaged")
        with suppress(OSError):
            os.replace(path, aside)  # noqa: PTH105 - over one that is there
        output.to_stderr(f"the cards in {path} are damaged ({error}): kept as {aside}, begun anew")
        return Drill()
    return drill

"""`dicegames play` and `replay`: a game at the keyboard, and looking back at it."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import rich_click as click
from attrs import evolve

from dicegames.analysis.saved.identity import rules_hash
from dicegames.cli.playing import saves
from dicegames.cli.playing.background import background_of
from dicegames.cli.playing.game_table import (
    GameTable,
    Wishes,
    settings_of,
    spread_lines,
    table_of,
    with_settings,
)
from dicegames.cli.playing.seating import NOBODY, are_placed, opponent, specs_for
from dicegames.cli.printing.answer import heading, show
from dicegames.cli.printing.in_words import settings_text
from dicegames.cli.solving import Solving, progress
from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import whole_number
from dicegames.ground.reading import is_regular
from dicegames.library import games, lasting_name
from dicegames.loading import Game, load
from dicegames.play.judge import Ledger
from dicegames.play.match import Match
from dicegames.play.replay import Replay
from dicegames.play.session import Session
from dicegames.play.summed_throws import PositionWords
from dicegames.play.transcript import AS_IT_IS, Header, Transcript, TranscriptError
from dicegames.play.tutor import Tutor
from dicegames.rules.reading.house_rules import OptionError, option_text

HASH_SHOWN = 16
WAIT = 2.0
"""Seconds for which a game that is over waits for the distribution of all results: half of them for
what is computed in the background, which is then taken over."""


def run(
    file: str | None, settings: Mapping[str, str], seats: Sequence[str], seed: int | None,
    dice: Sequence[str], tutor: Tutor | None, solving: Solving, *, resume: bool, **given: Any,
) -> None:  # fmt: skip
    """Play a new game, or go on with one that was left."""
    wishes = Wishes(solving=solving, tutor=tutor or Tutor(), **given)
    if resume:
        if settings or seats or seed is not None or dice:
            raise click.UsageError("a game is resumed with the seats, options and dice it has")
        _resumed(file, wishes)
        return
    if file is None:
        raise click.UsageError("say which game: dicegames play GAME, or: dicegames play --resume")
    game = load(file, **_with_players(file, settings, seats))
    specs = specs_for(seats, game.players)
    if seed is None:
        seed = secrets.randbelow(10**6)
    header = header_of(game, file, seed, specs, _typed(dice, game.players))
    session(game, Match(game.rules, seed), header, saves.new_save(game.title), wishes)


def _resumed(file: str | None, wishes: Wishes) -> None:
    """Go on with a game that was left."""
    if file is not None and (whole_number(file) is not None or _is_transcript(file)):
        path, chosen = saves.found(file), True
    else:
        path, chosen = saves.unfinished(file), False
    transcript, whole = saves.offered(path)
    try:
        game = game_of(transcript)
        match = transcript.match(game.rules)
    except TranscriptError as error:
        if chosen or (older := _older(path, transcript.header, file)) is None:
            raise
        told = f"{error.help}; an older game goes on: dicegames play --resume {older}"
        raise TranscriptError(error.message, told) from None
    if match.position.is_over:
        raise TranscriptError("this game is over", f"look back at it: dicegames replay {file}")
    own = whole and path.parent == saves.directory()
    kept = path if own else saves.new_save(game.title)
    wishes = with_settings(wishes, transcript.header.settings)
    session(game, match, transcript.header, kept, wishes)


def _older(path: Path, header: Header, file: str | None) -> int | None:
    """Return the number of a game to go on with in place of one whose rules are others now.

    It is the latest before it that is not over, and of the same file if one is named.
    """
    kept, given_up = saves.saves(), {(header.file, header.rules)}
    for number, older in list(enumerate(kept, 1))[kept.index(path) + 1 :]:
        with suppress(DicegamesError):
            transcript, _ = saves.so_far(older)
            its = transcript.header
            if transcript.result is not None or (file and its.file != header.file):
                continue
            if (its.file, its.rules) in given_up or saves.is_played(older):
                continue
            given_up.add((its.file, its.rules))
            transcript.match(game_of(transcript).rules)
            return number
    return None


def _is_transcript(file: str) -> bool:
    if not is_regular(file):
        return False
    with suppress(OSError), Path(file).open("rb") as stream:
        return stream.read(20) == b"dicegames transcript"
    return False


def looked_at(path: Path, wishes: Wishes) -> tuple[GameTable, Match]:
    """Return a game that was played, and who judges it; raises TranscriptError."""
    transcript, _ = saves.offered(path)
    game = game_of(transcript)
    with progress("Reading the game"):
        match = transcript.match(game.rules)
    kept = transcript.header.settings.items()
    settings = {name: wish for name, wish in kept if (name, wish) != ("judge", NOBODY)}
    wishes = with_settings(wishes, settings)
    table = table_of(game, match, transcript.header, wishes, bots=False)
    if table.ledger is not None:
        with progress("Judging the game"):
            table.ledger.update()
    return table, match


def game_of(transcript: Transcript) -> Game:
    """Return the game that a transcript was played by; raises TranscriptError."""
    header = transcript.header
    try:
        game = load(_rules_of(transcript), **header.options)
    except OptionError as error:
        raise TranscriptError(f"{transcript.name}: {error}", AS_IT_IS) from None
    if (rules_hash(game.rules)[:HASH_SHOWN], game.title.strip()) != (header.rules, header.title):
        raise TranscriptError(
            f"{transcript.name}: the rules in {header.file} have changed since",
            "the game can be gone on with by the rules it was begun with only",
        )
    if lost := sorted({*game.options} - {*header.options}):
        message = f'{transcript.name} is damaged: the line of the option "{lost[0]}" is missing'
        raise TranscriptError(message, AS_IT_IS)
    return game


def _rules_of(transcript: Transcript) -> str:
    """Return the rules file that a transcript names; raises TranscriptError.

    A transcript may come from anywhere. It names a game of the library, or rules in its own folder
    or the current one, or below; only those of the games that are kept here name any file.
    """
    folder, file = Path(transcript.name).parent, transcript.header.file
    if known := games().get(file):
        return str(known)
    own = os.path.realpath(folder)
    beside = str(folder / file)
    found = beside if is_regular(beside) else file
    given = [own, os.path.realpath(os.curdir)]
    if own != os.path.realpath(saves.directory()) and not any(
        map(Path(os.path.realpath(found)).is_relative_to, given)
    ):
        raise TranscriptError(
            f"{transcript.name} names rules outside of its folder: {file}",
            "put the transcript beside the rules, or go to a folder that they are in",
        )
    if not is_regular(found):
        raise TranscriptError(
            f"{transcript.name} names rules in {file}: there is no such file",
            "put the rules back, or beside the transcript",
        )
    return found


def header_of(
    game: Game, file: str, seed: int, specs: tuple[str, ...], typed: frozenset[int]
) -> Header:
    """Return what a transcript says of a game."""
    options = {name: option_text(value) for name, value in game.options.items()}
    rules = rules_hash(game.rules)[:HASH_SHOWN]
    return Header(game.title, lasting_name(file), rules, options, seed, specs, typed)


def _with_players(file: str, settings: Mapping[str, str], seats: Sequence[str]) -> dict[str, str]:
    """Return the house rules; as many players as seats are named, unless it is said otherwise."""
    given = dict(settings)
    if (
        seats
        and not are_placed(seats)
        and "players" not in given
        and "players" in load(file).options
    ):
        given["players"] = str(len(seats))
    return given


def _typed(dice: Sequence[str], players: int) -> frozenset[int]:
    """Return whose dice are typed in: `typed` are all, `2=typed` those of the second seat."""
    typed: set[int] = set()
    for wish in dice:
        place, equals, how = wish.rpartition("=")
        seats = range(players)
        if equals:
            seat = whole_number(place)
            if seat is None or not 1 <= seat <= players:
                raise click.UsageError(f'--dice {wish}: there is no seat "{place}"')
            seats = range(seat - 1, seat)
        if how not in ("typed", "virtual"):
            raise click.UsageError(f"--dice {wish}: say typed, virtual, or 2=typed")
        typed = typed | set(seats) if how == "typed" else typed - set(seats)
    return frozenset(typed)


def replay(transcript: str, solving: Solving, **given: Any) -> None:
    """Show a game, and play on from where that is wanted."""
    wishes = Wishes(solving=solving, **given)
    table, match = looked_at(saves.found(transcript), wishes)
    show([heading(table.game)])
    table.terminal.say([("Enter goes on; help explains", "dim")])
    if table.missing:
        table.terminal.say([(table.missing, "yellow")])
    going_on = Replay(match, table.names, table.adviser()).run()
    if going_on is not None:
        path = saves.new_save(table.game.title)
        session(table.game, going_on, table.header, path, wishes)


def session(game: Game, match: Match, header: Header, path: Path, wishes: Wishes) -> None:
    """Play a game to its end, or until it is left."""
    header = evolve(header, settings=settings_of(wishes))
    with ExitStack() as stack:
        keeper = stack.enter_context(closing(saves.GameSaver(path)))
        table = table_of(game, match, header, wishes, bots=True)
        beside = stack.enter_context(background_of(table, wishes))
        terminal, situations = table.terminal, PositionWords(game.rules, table.compiled)
        _greet(game, header, table, table.missing_yet if beside.is_busy else table.missing)

        def better() -> tuple[Ledger, str] | None:
            return table.better(match) if not table.is_judged and beside.has_news else None

        adviser = table.adviser(better=better, pending=lambda: beside.told, tutor=wishes.tutor)
        who = (match, terminal, table.players, header, adviser)
        played = Session(*who, keeper.keep, saves.export, situations)
        try:
            finished = played.run()
        except KeyboardInterrupt:
            terminal.say([("", "")], [(_left(keeper), "dim")])
            raise
        if finished:
            patience = WAIT if terminal.typing else None
            terminal.say(*spread_lines(table, match, patience, lambda: beside.end(WAIT / 2)))
        else:
            terminal.say([(_left(keeper), "dim")])


def _left(keeper: saves.GameSaver) -> str:
    if not keeper.works:
        return "The game is not over, and could not be kept."
    return "The game is not over: dicegames play --resume continues it."


def _greet(game: Game, header: Header, table: GameTable, missing: str) -> None:
    terminal = table.terminal
    if terminal.plain:
        terminal.say([(f"{game.title}  {settings_text(game.options)}".strip(), "")])
    else:
        show([heading(game)])
    seed = header.seed
    terminal.say([(f"seed {seed} (the same dice again: --seed {seed}); help explains", "dim")])
    if all(not seat.startswith("bot:") for seat in header.seats) and game.players > 1:
        bot = shlex.quote(opponent(game, solved=table.is_judged))
        told = f"{game.players} players at this keyboard; against bots: --seat me --seat {bot}"
        terminal.say([(told, "dim")])
    if header.typed:
        told = "type the dice that are thrown, or their sum, 2 sixes, took 3 rolls, not completed"
        terminal.say([(f"{told}; Enter throws them", "dim")])
    if missing:
        terminal.say([(missing, "yellow")])

"""`dicegames games`, `rules` and `new`: the library, a game's rules file, and a copy to edit."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import frozen

from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Rows
from dicegames.cli.printing.streams import write_utf8
from dicegames.ground.diagnostic import RulesError, printable
from dicegames.ground.writing import UnwritableFile, write_text
from dicegames.library import SUFFIX, file_of, games, supplied
from dicegames.loading import Game, load, read_source
from dicegames.rules.reading.house_rules import option_text, possible

if TYPE_CHECKING:
    from dicegames.play.wording import Line

VALUES_FILE = "values.toml"
"""The file of the library that says what its games are worth, and how long solving them took."""
FIRST_GAME = Path(__file__).with_name("first_game.dg")
WIDE_TERMINAL = 100
"""Columns from which on there is room for a table."""


@frozen
class LibraryGame:
    """A game of the library; `mistakes` counts those in its rules, `solved` is its record."""

    name: str
    path: Path
    game: Game | None
    mistakes: int
    solved: dict[str, Any]


def list_games() -> Answer:
    """List the games that have a name."""
    path = supplied() / VALUES_FILE
    record = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    entries = [_entry(name, path, record) for name, path in games().items()]
    told = {"games": [_for_programs(entry) for entry in entries]}
    return Answer(told, chain(_for_people(entries), _notes(record)))


def show_rules(file: str) -> None:
    """Print the rules file of a game."""
    source = read_source(file_of(file))
    if not sys.stdout.isatty():
        write_utf8(source.text)
        return
    from rich.syntax import Syntax  # noqa: PLC0415 - not needed in a pipe

    from dicegames.highlighting import RulesLexer  # noqa: PLC0415 - as above

    console = output.console()
    shown = Syntax(source.text.rstrip("\n"), RulesLexer(), theme="ansi_dark", word_wrap=True)
    with console.capture() as captured:
        console.print(shown)
    text = captured.get()
    if text.count("\n") < console.height:
        click.echo(text, nl=False)
    else:
        click.echo_via_pager(text)


def new_game(name: str, origin: str | None) -> None:
    """Write a rules file to begin with, or a copy of another game."""
    path = Path(name.removesuffix(SUFFIX) + SUFFIX)
    title = re.sub(r"[\W_]+", " ", path.name.removesuffix(SUFFIX)).strip().title()
    if not title or not name.isprintable():
        told = f'"{printable(name)}" is no name for a game'
        raise click.UsageError(f"{told}: write dicegames new my_game")
    if os.path.lexists(path):  # for any name, however long
        raise UnwritableFile(f"{path} is there already: choose another name, or remove it")
    source = read_source(FIRST_GAME if origin is None else file_of(origin))
    text = re.sub(r'^game "[^"\n]*"', f'game "{title}"', source.text, count=1, flags=re.MULTILINE)
    write_text(path, text)
    known = shlex.quote(str(path) if path.parent != Path() else path.stem)
    output.say(f"{path} is written. Edit it, then: dicegames check {known}, dicegames play {known}")
    if path.parent == Path() and path.stem in games():
        output.to_stderr(f'note: in this folder "{path.stem}" means this file from now on')


def text_hash(path: Path) -> str:
    """Return a hash of the text of a rules file, the same on every system."""
    return hashlib.sha256(read_source(path).text.encode()).hexdigest()[:16]


def _entry(name: str, path: Path, record: dict[str, Any]) -> LibraryGame:
    """Return a game with its record; one of other rules is none."""
    solved = record.get("games", {}).get(name, {})
    if solved and solved["rules"] != text_hash(path):
        solved = {}
    try:
        return LibraryGame(name, path, load(path), 0, solved)
    except RulesError as error:
        return LibraryGame(name, path, None, len(error.diagnostics), {})


def _for_programs(entry: LibraryGame) -> dict[str, Any]:
    answer: dict[str, Any] = {"name": entry.name, "file": str(entry.path)}
    if entry.game is None:
        return answer | {"mistakes": entry.mistakes}
    options = entry.game.rules.names.options
    answer |= {"title": entry.game.title, "players": _players(entry.game)}
    answer["options"] = {n: {"value": o.value, "possible": possible(o)} for n, o in options.items()}
    return answer | {key: entry.solved.get(key) for key in ("value", "error_bound", "seconds")}


def _players(game: Game) -> str:
    """Say how many play, and how many may: `2 (1 to 8)`."""
    option = game.rules.names.options.get("players")
    if option is None or (option.within is not None and len(option.within) == 1):
        return str(game.players)
    return f"{game.players} ({possible(option).removeprefix('a number from ')})"


def _options(game: Game) -> str:
    """Return the house rules as they are set, but for the number of players."""
    given = game.options.items()
    return ", ".join(f"{name}={option_text(value)}" for name, value in given if name != "players")


def _value(entry: LibraryGame) -> str:
    value = entry.solved.get("value")
    if value is None:
        return "-"
    values = value if isinstance(value, list) else [value]
    return " / ".join(output.number(each) for each in values)


def _seconds(entry: LibraryGame) -> str:
    seconds = entry.solved.get("seconds")
    return "-" if seconds is None else output.duration(seconds)


def _for_people(entries: list[LibraryGame]) -> Iterator[Block]:
    """Yield a table, or a list where there is no room for one."""
    narrow = output.console().width < WIDE_TERMINAL
    rows: list[list[str | Line]] = []
    for entry in entries:
        name: Line = [(entry.name, "bold")]
        mistakes = output.counted(entry.mistakes, "mistake")
        if entry.game is None:
            rows.append([name, "", "", "", f"{mistakes}: dicegames check {entry.name}"])
            lines = [mistakes]
        else:
            told = (_players(entry.game), _value(entry), _seconds(entry), _options(entry.game))
            rows.append([name, *told])
            value = f"value {told[1]}, solved in {told[2]}"
            known = value if "value" in entry.solved else "no value recorded"
            lines = [f"players {told[0]}, {known}", told[3]]
        if narrow:
            yield name
            yield Rows("ll", [["", [(line, "dim" * at)]] for at, line in enumerate(lines) if line])
    if not narrow:
        yield Rows("wwwwl", rows, ("name", "players", "value", "solved in", "options"))


def _notes(record: dict[str, Any]) -> Iterator[Block]:
    yield ""
    if "machine" in record:
        told = "Values of best play as the options stand, each solved in this time or less on"
        told += " a busy machine:"
        yield [(f"{told} {record['machine']}.", "")]
    yield [("Where no value is recorded, dicegames inspect GAME says what solving takes.", "")]
    yield [("dicegames rules GAME prints the rules, dicegames new NAME --from GAME copies.", "")]

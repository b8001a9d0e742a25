"""Where games are kept: one transcript for each, written anew before every question.

A file appears whole or not at all, and only the session that began a game writes to its file. What
cannot be read is told and left as it is.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

import click
import platformdirs

from dicegames.cli.printing.output import counted, to_stderr
from dicegames.ground.numbers import whole_number
from dicegames.ground.reading import UnreadableFile, is_regular, open_regular, read_file
from dicegames.ground.writing import UnwritableFile, lock, open_to_lock, write_kept, write_text
from dicegames.library import lasting_name
from dicegames.play.session import SaveError
from dicegames.play.transcript import (
    TITLE_LINE,
    CutOff,
    Transcript,
    TranscriptError,
    read_transcript,
)

LAST = "last"
TRANSCRIPT = "a transcript"
LARGEST_SAVE = 20_000_000
LONGEST_SAVE_NAME = 40
QUESTION = "take it so far? yes or no [yes]"
PLAYED = "this game is being played in another terminal"
YES, NO = ("y", "yes"), ("n", "no", "q", "quit")
CONTROL = re.compile(r"[^\n\r\t -~\xa0-\U0010ffff]")
"""What is in no text: it would steer the terminal on which it is shown."""


def directory() -> Path:
    """Return where games are kept."""
    return platformdirs.user_state_path("dicegames", appauthor=False) / "games"


def new_save(title: str) -> Path:
    """Return a file for a new game that is not there yet.

    Its name says when the game was begun, and what is played.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower())[:LONGEST_SAVE_NAME].strip("-") or "game"
    began = time.strftime("%Y%m%d-%H%M%S")
    name = f"{began}-{slug}-{os.getpid()}"
    names = (directory() / f"{name}{f'-{n}' if n else ''}.txt" for n in count())
    return next(path for path in names if not path.exists())


class GameSaver:
    """Keeps a game in its file; says once on stderr if that is not possible."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.works = True
        self._kept = ""
        self._lock = _locked(path)

    def close(self) -> None:
        """Let others go on with the game."""
        if self._lock is not None:
            with suppress(OSError):
                Path(self._lock.name).unlink()
            self._lock.close()

    def keep(self, text: str) -> None:
        """Write the game down."""
        if text == self._kept or not self.works:
            return
        try:
            write_kept(self.path, text)
            self._kept = text
        except UnwritableFile as error:
            self.works = False
            to_stderr(f"this game is not kept: {error}")


def _locked(path: Path) -> BinaryIO | None:
    """Lock a game until the program ends, however it ends; raises TranscriptError.

    Where there are no locks nothing is locked.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open_to_lock(path.with_suffix(".lock"))
    except OSError:  # told when the game is written
        return None
    try:
        lock(file)
    except BlockingIOError:
        file.close()
        remedy = "go on there, or begin another: dicegames play"
        raise TranscriptError(f"{PLAYED}: {path}", remedy) from None
    return file


def is_played(path: Path) -> bool:
    """Tell whether a game is being played in another terminal."""
    try:
        with open_regular(path.with_suffix(".lock")) as file:
            lock(file)
    except OSError as error:
        return isinstance(error, BlockingIOError)  # else nobody has ever locked it
    return False


def export(name: str, text: str) -> str:
    """Save a transcript where a player wants it; raises SaveError.

    A file that is there already is replaced only by a later state of the same game.
    """
    try:
        path = Path(name).expanduser()
        text = re.sub(r"^setting .*\n", "", _seen_from(path, text), flags=re.MULTILINE)
        if is_regular(path) and not _is_earlier(path, text):
            raise SaveError(f"{name} is there already and is left as it is: choose another name")
        write_text(path, text)
    except (UnwritableFile, UnreadableFile, RuntimeError) as error:
        raise SaveError(str(error)) from None
    return f"saved: dicegames replay {name}"


def _seen_from(path: Path, text: str) -> str:
    """Return a transcript that names its rules file as seen from where it lies."""
    found = re.search(r"^file +(.*)$", text, re.MULTILINE)
    if found is None or not Path(found[1]).is_absolute():  # a game of the library
        return text
    try:
        file = os.path.relpath(found[1], Path(os.path.realpath(path)).parent)
    except ValueError:  # on another drive
        return text
    return text[: found.start(1)] + Path(file).as_posix() + text[found.end(1) :]


def _is_earlier(path: Path, new: str) -> bool:
    """Tell whether a file is a transcript, and the beginning of another."""
    content = read_file(path, LARGEST_SAVE, TRANSCRIPT)
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    head = next((n for n, line in enumerate(lines) if not line), 0)
    return lines[:1] == [TITLE_LINE] and new.splitlines()[:head] == lines[:head] and head > 0


def read(path: Path, *, cut_off: bool = False) -> Transcript:
    """Return a transcript from a file; raises TranscriptError, UnreadableFile.

    One that is `cut_off` is read up to its last whole line.
    """
    content = read_file(path, LARGEST_SAVE, TRANSCRIPT)
    try:
        text = content.decode("utf-8-sig", "ignore" if cut_off else "strict")
    except UnicodeDecodeError:
        text = "\0"
    if CONTROL.search(text):
        raise TranscriptError(f"{path} is no text, or is damaged", "it is left as it is")
    return read_transcript(str(path), text, cut_off=cut_off)


def offered(path: Path) -> tuple[Transcript, bool]:
    """Return a transcript, and whether it is whole; one that is cut off only if that is wanted.

    Raises TranscriptError, UnreadableFile.
    """
    found, cut = so_far(path)
    if cut is None:
        return found, True
    to_stderr(f"{cut.message}; up to its last whole line it has {counted(found.steps, 'step')}")
    if _agrees():
        return found, False
    raise cut


def _agrees() -> bool:
    """Ask whether a game that is cut off is wanted; who does not answer, or leaves, wants none."""
    answer = "?"
    with suppress(click.Abort):  # there is nothing to read
        while answer not in YES and answer not in NO:
            told = click.prompt(QUESTION, "yes", err=True, show_default=False)
            answer = told.strip().lower()
    return answer in YES


def saves() -> list[Path]:
    """Return the games that are kept, those that were played last first."""
    with suppress(OSError):
        found = [path for path in directory().glob("*.txt") if is_regular(path)]
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
    return []


def found(name: str) -> Path:
    """Return the file that a name means: `last` is the game that was played last, 2 the one before.

    Raises TranscriptError.
    """
    number = 1 if name == LAST else whole_number(name)
    if number is None or is_regular(name):
        return Path(name)
    kept = saves()
    if not kept:
        raise TranscriptError("no game has been played yet", "dicegames play GAME")
    if not 1 <= number <= len(kept):
        few = "one game is" if len(kept) == 1 else f"{len(kept)} games are"
        raise TranscriptError(f"there is no game {name}: {few} kept", "dicegames saves lists them")
    return kept[number - 1]


def so_far(path: Path) -> tuple[Transcript, CutOff | None]:
    """Return a transcript up to its last whole line, and if it is cut off; raises as `read`."""
    try:
        return read(path), None
    except CutOff as cut:
        return read(path, cut_off=True), cut


def unfinished(rules_file: str | None) -> Path:
    """Return the game that was played last and is not over, by some rules if they are given.

    One that is cut off is not over; whoever goes on with it is asked. Those that are damaged, or
    played in another terminal, are left to themselves where there is an older one.
    """
    wanted = None if rules_file is None else lasting_name(rules_file)
    damaged, played = None, None
    for path in saves():
        try:
            transcript, _ = so_far(path)
        except (TranscriptError, UnreadableFile) as error:
            damaged = damaged or error
            continue
        if transcript.result is not None or wanted not in (None, transcript.header.file):
            continue
        if is_played(path):
            played = played or path
            continue
        if damaged is not None:
            to_stderr(f"note: {damaged}; it is left as it is, an older game goes on")
        if played is not None:
            to_stderr(f"note: {PLAYED}: {played}; an older game goes on")
        return path
    if played is not None:
        return played  # whoever locks it is told
    if damaged is not None:
        remedy = "it is left as it is; move it away, or resume another: play --resume GAME"
        raise TranscriptError(str(damaged), remedy)
    of = f" of {rules_file}" if rules_file else ""
    of += ", and it is no transcript" if rules_file and is_regular(rules_file) else ""
    raise TranscriptError(f"there is no unfinished game{of}", "begin one: dicegames play GAME")

"""Games by name: those that come with the program, and those in folders of one's own.

A name is that of a rules file without `.dg`; capital letters, spaces and signs do not count. A file
wins over a name, the current folder over folders of one's own, and these over what comes with the
program.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path

import platformdirs

from dicegames.configuration import setting
from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.reading import NoSuchFile

SUFFIX = ".dg"
HERE = Path(__file__).parent


def supplied() -> Path:
    """Return the folder of the games that come with the program.

    It lies in the package, or beside it where the program runs from a copy of the repository.
    """
    inside = HERE / "games"
    return inside if inside.is_dir() else HERE.parent / "games"


def own() -> list[Path]:
    """Return the folders of one's own: those that are configured, or else the usual one."""
    given = setting("games")
    if given is None:
        return [platformdirs.user_data_path("dicegames", appauthor=False) / "games"]
    return [Path(part).expanduser() for part in given[0].split(os.pathsep) if part]


def games() -> dict[str, Path]:
    """Return the rules files of the library by name, in the order of their names."""
    found: dict[str, Path] = {}
    for folder in (*own(), supplied()):
        found = {path.stem: path for path in _rules_in(folder)} | found
    return dict(sorted(found.items()))


def file_of(name: str | PathLike[str]) -> Path:
    """Return the rules file that is meant by its path, or by the name of a game.

    Raises NoSuchFile where a name is neither that of a game nor of a file, with what is nearly
    called so. Whether a path leads to a file is seen when it is read.
    """
    path, text = Path(name), os.fspath(name)
    if not text:
        raise NoSuchFile('"" is the name of no game; dicegames games lists all games')
    wanted = _key(text)
    if path.name != text or not wanted or _is_there(path):
        return path
    known = games()
    here = {file.stem: file for file in _rules_in(path.parent)}
    named = [*here.items(), *known.items()]
    named.sort(key=lambda found: found[0] != text)  # what is spelt so comes first
    for stem, file in named:
        if _key(stem) == wanted:
            return file
    if os.path.isdir(path):  # noqa: PTH112 - for any name, however long
        return path
    files = [file.name for file in here.values()]
    hint = did_you_mean(text, [*files, *known]) or "dicegames games lists all games"
    what = "file" if path.suffix else "game, and no such file"
    raise NoSuchFile(f"{text}: there is no such {what}; {hint}")


def is_game(name: str) -> bool:
    """Tell whether a game of the library is called so, however it is spelt."""
    return _key(name) in map(_key, games())


def _is_there(path: Path) -> bool:
    """Tell whether there is a file, a device or a pipe of this name."""
    return os.path.exists(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112 - as above


def lasting_name(name: str | PathLike[str]) -> str:
    """Return what stands for a game in a file that is kept: its name, or the path in full."""
    path = file_of(name)
    known = games().get(path.stem)
    with suppress(OSError):
        if known is not None and known.samefile(path):
            return path.stem
    return str(path.resolve())


def _rules_in(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(folder.glob(f"*{SUFFIX}"))


def _key(name: str) -> str:
    """Return what counts of a name: its letters and digits."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())

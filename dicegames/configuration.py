"""What a user has set once for all: one file, and environment variables that win over it.

The file is `config.toml` in the folder for configuration of the system, or what DICEGAMES_CONFIG
names. A setting `threads` is DICEGAMES_THREADS in the environment.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import platformdirs

from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.errors import DicegamesError
from dicegames.ground.reading import NoSuchFile, read_file

SETTINGS = {
    "games": "folders with rules files of one's own, which are found by their names",
    "threads": "how many threads to use",
    "memory": "the most memory for tables, such as 2GB",
    "level": "how well the bot of `--seat bot` plays: beginner to expert, or optimal",
}
"""What can be set, and what it is."""
LARGEST_SETTINGS = 100_000
PREFIX = "DICEGAMES_"
COMPLETING = "_DICEGAMES_COMPLETE"
"""The environment variable by which a shell asks what may stand next on a command line."""


class ConfigurationError(DicegamesError):
    """The configuration file is not in order; the message says where and what to write."""

    misused = True


def configuration_file() -> Path:
    """Return the configuration file, which need not be there."""
    named = os.environ.get(f"{PREFIX}CONFIG")
    if named:
        return Path(named)
    return platformdirs.user_config_path("dicegames", appauthor=False) / "config.toml"


def setting(name: str) -> tuple[str, str] | None:
    """Return what is set, as text, and where it is set; None where it is not set.

    Raises ConfigurationError, UnreadableFile.
    """
    variable = f"{PREFIX}{name.upper()}"
    if found := os.environ.get(variable):
        return found, variable
    path = configuration_file()
    given = _read(path, _stamp(path))
    return (given[name], str(path)) if name in given else None


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return what changes when a file does, None where it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=4)
def _read(path: Path, stamp: tuple[int, int] | None) -> dict[str, str]:
    """Return the settings of a file by name."""
    if stamp is None:
        return {}
    import tomllib  # noqa: PLC0415 - most have no such file

    try:
        given = tomllib.loads(
            read_file(path, LARGEST_SETTINGS, "a configuration file").decode("utf-8-sig")
        )
    except NoSuchFile:
        return {}
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not in order: it is no text in UTF-8") from None
    except ValueError as error:
        raise ConfigurationError(f"{path} is not in order: {error}") from None
    return {name: _text(path, name, value) for name, value in given.items()}


def _text(path: Path, name: str, value: Any) -> str:
    if name not in SETTINGS:
        hint = did_you_mean(name, SETTINGS) or f"there are: {', '.join(SETTINGS)}"
        raise ConfigurationError(f'{path}: there is no setting "{name}"; {hint}')
    if name == "games" and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return os.pathsep.join(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ConfigurationError(f'{path}: "{name}" is {SETTINGS[name]}, not {value!r}')
    return str(value)

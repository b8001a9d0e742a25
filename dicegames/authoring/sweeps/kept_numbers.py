"""Numbers of settings that have been looked at, kept in a file: a line of JSON, and its checksum.

A line is found again by the identity of rules, options, objective and program: a change in any of
them makes another key, so nothing stale is ever used. A line that was cut short or changed is
passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any
from zlib import crc32

from dicegames.ground.reading import NoSuchFile, read_file
from dicegames.ground.writing import writes
from dicegames.solver.kernels.sources import key_of

LARGEST_NUMBERS = 500_000_000
WHAT = "a file of a sweep"


def program_key() -> str:
    """Return the identity of the program: of all sources that a number may depend on; OSError."""
    return key_of(str(Path(__file__).with_name("sweep.py")))


class KeptNumbers:
    """The numbers by key; without a path they are kept as long as the program runs."""

    def __init__(self, path: str | PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._lock = Lock()
        self._found: dict[str, dict[str, Any]] = {}
        for line in self._lines():
            text, _, told_sum = line.rpartition(" ")
            if text and told_sum == _checksum(text):  # else the program was ended while it wrote
                with suppress(ValueError, TypeError, RecursionError):  # somebody else wrote it
                    key, numbers = json.loads(text)
                    self._found.setdefault(key, {}).update(numbers)

    def _lines(self) -> list[str]:
        if self.path is None:
            return []
        try:
            return (
                read_file(self.path, LARGEST_NUMBERS, WHAT).decode("utf-8", "replace").splitlines()
            )
        except NoSuchFile:
            return []

    def get(self, key: str) -> Mapping[str, Any]:
        """Return what is known under a key."""
        return self._found.get(key, {})

    def put(self, key: str, numbers: Mapping[str, Any]) -> None:
        """Keep numbers under a key, at once; raises UnwritableFile."""
        with self._lock:
            self._found.setdefault(key, {}).update(numbers)
            if self.path is None:
                return
            text = json.dumps([key, dict(numbers)])
            with writes(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(f"\n{text} {_checksum(text)}")


def _checksum(text: str) -> str:
    return f"{crc32(text.encode()):08x}"

"""Solutions on disk: one file, whole or not at all, and never used when it does not fit.

Layout: a first line that says what it is; the length of the header, 8 bytes, little end first; the
header, JSON in UTF-8, which lists the arrays with their types, shapes and packed lengths; the
arrays, little end first, packed by zlib; and the SHA-256 of all that. Nothing in it is code.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicegames.ground.writing import UnwritableFile, whole_file

FIRST_LINE = b"dicegames solution\n"
FORMAT = 2
LENGTH_BYTES = 8
DIGEST_BYTES = 32
LARGEST_HEADER = 10_000_000

TYPES = ("<f8", "<i8")

Arrays = Mapping[str, NDArray[Any]]


class StoreError(Exception):
    """A solution file that cannot be used or written; the message says why."""


class ForeignFile(StoreError):
    """A file that is no solution at all, or of another version of the program."""


class DamagedFile(StoreError):
    """A solution file that is cut off or changed."""


class StaleFile(StoreError):
    """A solution of another game, of other house rules, or of rules that have changed since."""


class MissingFile(StoreError):
    """A file that is not there or cannot be read or written."""


def write(path: str, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file; it appears under its name when it is complete, or not at all."""
    packed = {name: zlib.compress(_bytes(array), 1) for name, array in arrays.items()}
    listed = [
        {
            "name": name,
            "type": _type(arrays[name]),
            "shape": list(arrays[name].shape),
            "bytes": len(data),
        }
        for name, data in packed.items()
    ]
    text = json.dumps({"format": FORMAT, **header, "arrays": listed}).encode()
    content = b"".join(
        [FIRST_LINE, len(text).to_bytes(LENGTH_BYTES, "little"), text, *packed.values()]
    )
    try:
        with whole_file(path) as file:
            file.write(content)
            file.write(hashlib.sha256(content).digest())
    except UnwritableFile as error:
        raise MissingFile(str(error)) from None


def read(path: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a file; raises StoreError."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingFile(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MissingFile(f"{path} cannot be read: {reason}") from None
    start = len(FIRST_LINE) + LENGTH_BYTES
    if not content.startswith(FIRST_LINE):
        raise ForeignFile(f"{path} is no solution file")
    size = int.from_bytes(content[len(FIRST_LINE) : start], "little")
    if size > LARGEST_HEADER or len(content) < start + size + DIGEST_BYTES:
        raise DamagedFile(f"{path} is cut off or damaged; solve again")
    body, digest = content[:-DIGEST_BYTES], content[-DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise DamagedFile(f"{path} is cut off or damaged; solve again")
    header = json.loads(content[start : start + size])
    if header.get("format") != FORMAT:
        raise ForeignFile(f"{path} was written by another version of the program; solve again")
    return header, _unpacked(body, start + size, header.pop("arrays"))


def _type(array: NDArray[Any]) -> str:
    """Return how the numbers of an array are written: as 64-bit floats, or as whole numbers."""
    return TYPES[array.dtype.kind != "f"]


def _bytes(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array, dtype=_type(array)).tobytes()


def _unpacked(body: bytes, offset: int, listed: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    arrays = {}
    for entry in listed:
        data = zlib.decompress(body[offset : offset + entry["bytes"]])
        offset += entry["bytes"]
        array = np.frombuffer(data, dtype=entry["type"])
        native = array.astype(array.dtype.newbyteorder("="))
        arrays[entry["name"]] = native[: prod(entry["shape"])].reshape(entry["shape"])
    return arrays

"""Solutions on disk: one file, whole or not at all, and never used when it does not fit.

Layout: a first line that says what it is; the length of the header, 8 bytes, little end first; the
header, JSON in UTF-8, which lists the arrays with their types, shapes and packed lengths; the
arrays, little end first, packed by zlib; and the SHA-256 of all that. Nothing in it is code.

A file may come from anybody. Its size, its checksum and its header are looked at first, and nothing
is unpacked before whoever asks for an array has said which shape it must have.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from functools import partial
from itertools import chain
from math import prod
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

import numpy as np
from attrs import evolve, field, frozen

from dicegames.ground.errors import DicegamesError
from dicegames.ground.reading import open_regular, unreadable
from dicegames.ground.writing import UnwritableFile, whole_file
from dicegames.solver.model import Array

FIRST_LINE = b"dicegames solution\n"
FORMAT = 7
LENGTH_BYTES = 8
DIGEST_BYTES = 32
AT_A_TIME = 1 << 20
"""Bytes."""
NUMBERS_AT_A_TIME = AT_A_TIME // 8
KEPT_IN_MEMORY = 1 << 26
"""Bytes of packed arrays; more of them wait on the disk."""
LARGEST_HEADER = 10_000_000
LARGEST_FILE = 8_000_000_000
DENSEST = 64
"""How many times its packed length an array may have that does not know its own length."""

TYPES = {"f": "<f8", "i": "<i8"}
"""How numbers are written: as 64-bit floats, or as whole numbers."""

Arrays = Mapping[str, Array]


SOLVE_AGAIN = "solve again"
"""What helps where a file is damaged or stale."""


class StoreError(DicegamesError):
    """A solution file that cannot be used or written: what is wrong, and what to do, if known."""

    def __init__(self, what: str, cure: str = "") -> None:
        super().__init__(f"{what}; {cure}" if cure else what)
        self.what = what


class ForeignFile(StoreError):
    """A file that is no solution at all, or of another version of the program."""


class DamagedFile(StoreError):
    """A solution file that is cut off or changed."""

    def __init__(self, path: str, what: str = "") -> None:
        told = f": {what}" if what else ""
        super().__init__(f"{path} is cut off or damaged{told}", SOLVE_AGAIN)


class StaleFile(StoreError):
    """A solution of another game, of other house rules, or of rules that have changed since."""


class MissingFile(StoreError):
    """A file that is not there or cannot be read or written."""

    misused = True


# ---- writing


def write(path: str, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file; it appears under its name when it is complete, or not at all.

    Packed arrays come after a header that says how long they are: large ones wait on the disk.
    """
    digest = hashlib.sha256()
    try:
        with whole_file(path) as file, _waiting(path) as packed:
            listed = [_pack(name, array, packed) for name, array in arrays.items()]
            text = json.dumps({"format": FORMAT, **header, "arrays": listed}).encode()
            packed.seek(0)
            begin = (FIRST_LINE, len(text).to_bytes(LENGTH_BYTES, "little"), text)
            for part in chain(begin, iter(partial(packed.read, AT_A_TIME), b"")):
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
    except UnwritableFile as error:
        raise MissingFile(str(error)) from None


def _waiting(path: str) -> SpooledTemporaryFile[bytes]:
    """Return a file without a name, in the folder of another one if it grows large."""
    return SpooledTemporaryFile(KEPT_IN_MEMORY, dir=str(Path(path).resolve().parent))


def _pack(name: str, array: Array, packed: SpooledTemporaryFile[bytes]) -> Mapping[str, Any]:
    """Append an array, piece by piece, and return what the header says of it."""
    kind = TYPES["f" if array.dtype.kind == "f" else "i"]
    flat, packer, begin = array.reshape(-1), zlib.compressobj(1), packed.tell()
    for first in range(0, flat.size, NUMBERS_AT_A_TIME):
        piece = np.ascontiguousarray(flat[first : first + NUMBERS_AT_A_TIME], dtype=kind)
        packed.write(packer.compress(piece.data))
    packed.write(packer.flush())
    length = packed.tell() - begin
    return {"name": name, "type": kind, "shape": list(array.shape), "bytes": length}


# ---- reading


@frozen
class StoredArray:
    """An array as the header lists it, and where in the file it begins."""

    name: str
    type: str
    shape: tuple[int, ...]
    bytes: int
    offset: int


@frozen
class Stored:
    """A file whose checksum is right: its header, and its arrays when they are asked for."""

    path: str
    header: Mapping[str, Any]
    entries: Mapping[str, StoredArray] = field(repr=False)

    @property
    def names(self) -> frozenset[str]:
        """The names of the arrays."""
        return frozenset(self.entries)

    def without(self, *names: str) -> Stored:
        """Return the others."""
        return evolve(self, entries={n: e for n, e in self.entries.items() if n not in names})

    def take(self, name: str, kind: str, *shape: int | None) -> Array:
        """Return an array of this very form, which is checked before it is unpacked.

        `kind` is "f" or "i"; None stands for a length that is not known. Raises DamagedFile.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise DamagedFile(self.path, f'there is no "{name}" in it')
        fits = len(entry.shape) == len(shape) and entry.type == TYPES[kind]
        if not fits or any(n not in (None, m) for n, m in zip(shape, entry.shape, strict=True)):
            raise DamagedFile(self.path, f'"{name}" has another form than the game asks for')
        size = prod(entry.shape) * 8
        if None in shape and size > DENSEST * entry.bytes:
            raise DamagedFile(self.path, f'"{name}" would unpack to {size:,} bytes')
        array = np.frombuffer(self._unpacked(entry, size), dtype=entry.type).reshape(entry.shape)
        return array.astype(array.dtype.newbyteorder("="))

    def _unpacked(self, entry: StoredArray, size: int) -> bytes:
        try:
            with open_regular(self.path) as file:
                file.seek(entry.offset)
                packed = file.read(entry.bytes)
            unpacking = zlib.decompressobj()
            data = unpacking.decompress(packed, size + 1)
        except (OSError, zlib.error):
            raise DamagedFile(self.path) from None
        if len(data) != size or not unpacking.eof or unpacking.unused_data:
            raise DamagedFile(self.path, "an array is shorter or longer than is said of it")
        return data


def read(path: str) -> Stored:
    """Return what a file holds; raises StoreError."""
    try:
        with open_regular(path) as file:
            return _read(path, file)
    except (OSError, ValueError) as error:
        raise MissingFile(str(unreadable(path, error, "a solution file"))) from None


def _read(path: str, file: BinaryIO) -> Stored:
    if file.read(len(FIRST_LINE)) != FIRST_LINE:
        raise ForeignFile(f"{path} is no solution file")
    length = int.from_bytes(file.read(LENGTH_BYTES), "little")
    begin = len(FIRST_LINE) + LENGTH_BYTES + length
    end = file.seek(0, 2) - DIGEST_BYTES
    if length > LARGEST_HEADER or end < begin or end > LARGEST_FILE:
        raise DamagedFile(path)
    if _digest(file, end) != file.read(DIGEST_BYTES):
        raise DamagedFile(path)
    file.seek(begin - length)
    header = _header(path, file.read(length))
    if header.get("format") != FORMAT:
        raise ForeignFile(f"{path} was written by another version of the program", SOLVE_AGAIN)
    return Stored(path, header, _entries(path, header.pop("arrays", None), begin, end))


def _digest(file: BinaryIO, end: int) -> bytes:
    """Return the checksum of a file up to an offset, and stand there."""
    digest, at = hashlib.sha256(), file.seek(0)
    while at < end and (part := file.read(min(AT_A_TIME, end - at))):
        digest.update(part)
        at += len(part)
    return digest.digest()


def _header(path: str, text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedFile(path, "its header is no JSON") from None
    if not isinstance(header, dict):
        raise DamagedFile(path, "its header is no JSON object")
    return header


def _entries(path: str, listed: object, begin: int, end: int) -> dict[str, StoredArray]:
    """Return the arrays that a header lists, which fill the file from `begin` to `end`."""
    entries: dict[str, StoredArray] = {}
    for row in listed if isinstance(listed, list) else [None]:
        entry = _entry(row, begin)
        if entry is None or entry.name in entries:
            raise DamagedFile(path, "its list of arrays is not in order")
        entries[entry.name] = entry
        begin += entry.bytes
    if begin != end:
        raise DamagedFile(path, "its arrays do not fill it")
    return entries


def _entry(row: object, offset: int) -> StoredArray | None:
    if not isinstance(row, dict) or row.keys() != {"name", "type", "shape", "bytes"}:
        return None
    shape, size = row["shape"], row["bytes"]
    if not isinstance(row["name"], str) or row["type"] not in TYPES.values():
        return None
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in (*shape, size)):
        return None
    return StoredArray(row["name"], row["type"], tuple(shape), size, offset)

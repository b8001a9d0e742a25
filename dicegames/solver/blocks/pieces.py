"""Tables in pieces: a folder with a file for each layer and table, mapped into memory.

A file has a header that says what it belongs to, padded to `BLOCK` bytes; the strips of the layer
(see `by_layers`); a checksum for each `BLOCK` bytes of them; the largest value so far, and before
it its checksum. It is written under a temporary name, which it keeps until all of it is on disk: a
file under its own name is whole, whatever happened. Room is taken before anything is computed,
since writing to a mapped file on a full disk would end the program.

All files are mapped side by side (see `space`), where kernels find them as one array.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import numpy as np
from attrs import define, field, frozen

from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import bytes_text
from dicegames.ground.reading import open_regular, told
from dicegames.ground.scratch import take_room
from dicegames.ground.writing import CAN_LOCK, lock, open_to_lock
from dicegames.solver.blocks.by_layers import GRAIN, Layer, LayerPlaces
from dicegames.solver.blocks.space import BLOCK, Space
from dicegames.solver.model import VALUE_BYTES, Array, Model
from dicegames.solver.solved import Solved

PIECES_FORMAT = 2
VALUES_KIND = "dicegames values"
PART_ENDING = ".part"
OF_LARGEST = 4 + VALUE_BYTES
"""Bytes of the largest value and its checksum, with which a file ends."""


class PiecesError(DicegamesError):
    """A folder of values that cannot be used; the message says why, and what to do."""


@contextmanager
def _telling(what: Path) -> Iterator[None]:
    """Turn errors of the system into messages."""
    try:
        yield
    except OSError as error:
        no_file = isinstance(error, IsADirectoryError) or not error.errno
        cure = "; remove it and solve again, it is computed anew" if no_file else ""
        raise PiecesError(f"{what}: {told(error)}{cure}") from None


# ---- files


@frozen
class Piece:
    """What a file holds: a layer of a table."""

    layer: Layer = field(repr=False)
    table: int

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"layer-{self.layer.number:03}-table-{self.table}"

    @property
    def span(self) -> int:
        """Values of a strip, with what fills its last block."""
        return -(-(self.layer.end - self.layer.begin) // GRAIN) * GRAIN

    @property
    def blocks(self) -> int:
        """Blocks of values."""
        return self.span // GRAIN * int(self.layer.inner.size)

    @property
    def length(self) -> int:
        """Bytes of the file."""
        return self.sums + self.blocks * 4 + OF_LARGEST

    @property
    def sums(self) -> int:
        """Where the checksums begin."""
        return BLOCK * (1 + self.blocks)


@frozen
class Crew:
    """Who carries out tasks, so many at a time, and how they make the model."""

    executor: Executor
    workers: int
    model: Callable[[], Model]


@frozen
class Keeping:
    """That values are to be kept in a folder, and what they belong to there."""

    folder: Path
    identity: str
    value_only: bool  # layers go as soon as they are no longer needed
    make: Callable[[], None]  # makes the folder, once it is known that values can be kept there
    note: Callable[
        [LayerPlaces, Solved, Mapping[int, int]], None
    ]  # what there is, with tables by node
    crew: Crew | None = None  # solves in place of threads


@define(eq=False)
class Pieces:
    """The files of a folder, mapped; `identity` tells what they belong to."""

    folder: Path
    identity: str
    places: LayerPlaces
    tables: int
    space: Space
    _sums: dict[str, Array] = field(factory=dict)  # checksums of files that are mapped
    _sure: dict[str, Array] = field(factory=dict)  # bool: blocks that have been compared with them

    # ---- what there is

    def pieces_of(self, layer: Layer) -> list[Piece]:
        """The files of a layer."""
        return [Piece(layer, table) for table in range(self.tables)]

    def has(self, layer: Layer) -> bool:
        """Whether a layer is done."""
        return all((self.folder / piece.name).exists() for piece in self.pieces_of(layer))

    @property
    def newest(self) -> int:
        """The last layer that is done, in the order of solving; -1: none."""
        return max((layer.number for layer in self.places.layers if self.has(layer)), default=-1)

    def largest(self, layer: Layer) -> float:
        """The largest absolute value in a layer that is done, and in all before it."""
        piece = self.pieces_of(layer)[0]
        path = self.folder / piece.name
        with _telling(path), open_regular(path) as file:
            file.seek(piece.length - OF_LARGEST)
            found = file.read(OF_LARGEST)
        if len(found) < OF_LARGEST or crc32(found[4:]).to_bytes(4, "little") != found[:4]:
            raise _damaged(path, "a checksum is wrong")
        return float(np.frombuffer(found[4:], "<f8")[0])

    # ---- reading

    def values_of(self, layer: Layer) -> Iterator[Array]:
        """The values of a layer, a strip of a table at a time, where a turn may begin."""
        for piece in self.pieces_of(layer):
            for strip in np.searchsorted(layer.inner, layer.entered).tolist():
                at = self._begin(piece, strip)
                yield self.space.values[at : at + layer.end - layer.begin]

    def show(self, layer: Layer) -> None:
        """Map a layer that is done; raises PiecesError where it does not belong here."""
        for piece in self.pieces_of(layer):
            path = self.folder / piece.name
            if piece.name in self._sums:
                continue
            with _telling(path), open_regular(path) as file:
                if file.read(BLOCK) != self._header(piece) or path.stat().st_size != piece.length:
                    raise _damaged(path, "its header is not that of the game, or it is cut off")
                file.seek(piece.sums)
                sums = np.frombuffer(file.read(4 * piece.blocks), "<u4")
                self._map(piece, file.fileno(), write=False)
            self._sums[piece.name] = sums
            self._sure[piece.name] = np.zeros(sums.size, np.bool_)

    def check(self, layer: Layer) -> None:
        """Compare all of a layer with its checksums; raises PiecesError."""
        for piece in self.pieces_of(layer):
            for block in range(piece.blocks):
                self._demand(piece, block)

    def ready(self, outer: Array, inner: Array) -> bool:
        """Map and check all that turns from outer points (positions in a full table) read.

        Tells whether there are values at all of these, with the inner points `inner`.
        """
        places = self.places.stand(outer)
        if places.size and places.min() < 0:
            return False
        for layer, own in self.places.layers_at(places):
            if not np.isin(inner[own], layer.inner).all():
                return False
            for other in self.places.behind(layer):
                self.show(other)
                self.check(other)
        return True

    def take(self, table: int, positions: Array) -> Array:
        """The values of a table at positions in a full one, NaN where no turn begins.

        They are compared with their checksums; raises PiecesError.
        """
        places, inner = self.places.stand(positions), self.places.inner_of(positions)
        found = np.full(positions.size, np.nan)
        for layer, met in self.places.layers_at(places):
            self.show(layer)
            piece, own = Piece(layer, table), met[np.isin(inner[met], layer.entered)]
            strips = np.searchsorted(layer.inner, inner[own]) * (piece.span // GRAIN)
            for block in np.unique(strips + (places[own] - layer.begin) // GRAIN).tolist():
                self._demand(piece, block)
            at = table * self.places.size + inner[own] * self.places.strip + places[own]
            found[own] = self.space.values[at]
        return found

    def _demand(self, piece: Piece, block: int) -> None:
        sure = self._sure[piece.name]
        if not sure[block]:
            if self._sum(piece, block) != self._sums[piece.name][block]:
                raise _damaged(self.folder / piece.name, "a checksum is wrong")
            sure[block] = True

    def _sum(self, piece: Piece, block: int) -> int:
        """The checksum of a block of values as it stands."""
        strip, within = divmod(block, piece.span // GRAIN)
        at = self._begin(piece, strip) + within * GRAIN
        return crc32(self.space.values[at : at + GRAIN].data)

    # ---- writing

    def demand_room(self, layer: Layer) -> None:
        """Make files for a layer, with all the room that they will take."""
        for piece in self.pieces_of(layer):
            path = self._unfinished(piece)
            with _telling(path):
                path.unlink(missing_ok=True)  # a link is not followed
            with _telling(path), path.open("x+b") as file:
                try:
                    take_room(file.fileno(), piece.length)
                except OSError as error:
                    path.unlink()
                    needs = f"this layer needs {bytes_text(piece.length)} of disk"
                    message = f"{path}: {told(error)}; {needs}, and what is done stays: make room"
                    raise PiecesError(f"{message} and solve again") from None

    def show_unfinished(self, layer: Layer, *, write: bool) -> None:
        """Map the files that have been made for a layer."""
        for piece in self.pieces_of(layer):
            path = self._unfinished(piece)
            with _telling(path), path.open("r+b" if write else "rb") as file:
                self._map(piece, file.fileno(), write=write)

    def lend(self, layer: Layer) -> None:
        """Map memory for a layer, of which parts are then written to its files."""
        for piece in self.pieces_of(layer):
            for strip in range(layer.inner.size):
                self.space.lend(self._begin(piece, strip), piece.span)

    def write(self, layer: Layer, begin: int, end: int) -> None:
        """Write what memory has between two places of the strips of a layer to its files."""
        for piece in self.pieces_of(layer):
            path = self._unfinished(piece)
            with _telling(path), path.open("r+b") as file:
                for strip in range(layer.inner.size):
                    at = self._begin(piece, strip) - layer.begin
                    file.seek(BLOCK + (strip * piece.span + begin - layer.begin) * VALUE_BYTES)
                    file.write(self.space.values[at + begin : at + end].data)
                file.flush()
                os.fsync(file.fileno())

    def finish(self, layer: Layer, largest: float) -> None:
        """Give the files of a layer their names, when all of them is on disk."""
        for piece in self.pieces_of(layer):
            path = self._unfinished(piece)
            sums = np.array([self._sum(piece, k) for k in range(piece.blocks)], "<u4")
            with _telling(path), path.open("r+b") as file:
                file.write(self._header(piece))
                file.seek(piece.sums)
                number = np.array(largest, "<f8").tobytes()
                file.write(sums.tobytes() + crc32(number).to_bytes(4, "little") + number)
                file.flush()
                os.fsync(file.fileno())
                self._map(piece, file.fileno(), write=False)
                path.replace(self.folder / piece.name)
                sync_folder(self.folder)
            self._sums[piece.name] = sums
            self._sure[piece.name] = np.ones(sums.size, np.bool_)

    def drop(self, layer: Layer) -> None:
        """Remove a layer."""
        for piece in self.pieces_of(layer):
            self.forget(piece.layer)
            with _telling(self.folder):
                (self.folder / piece.name).unlink(missing_ok=True)

    def forget(self, layer: Layer) -> None:
        """Map a layer no longer."""
        for piece in self.pieces_of(layer):
            for strip in range(layer.inner.size):
                self.space.hide(self._begin(piece, strip), piece.span)
            self._sums.pop(piece.name, None)
            self._sure.pop(piece.name, None)

    # ---- inside

    def _unfinished(self, piece: Piece) -> Path:
        return self.folder / (piece.name + PART_ENDING)

    def _begin(self, piece: Piece, strip: int) -> int:
        inner = int(piece.layer.inner[strip])
        return piece.table * self.places.size + inner * self.places.strip + piece.layer.begin

    def _map(self, piece: Piece, file: int, *, write: bool) -> None:
        for strip in range(piece.layer.inner.size):
            offset = BLOCK + strip * piece.span * VALUE_BYTES
            self.space.show(self._begin(piece, strip), piece.span, file, offset, write=write)

    def _header(self, piece: Piece) -> bytes:
        layer = piece.layer
        says = {
            "kind": VALUES_KIND,
            "format": PIECES_FORMAT,
            "solution": self.identity,
            "layer": layer.number,
            "table": piece.table,
            "from": layer.begin,
            "to": layer.end,
            "inner": [int(layer.inner[0]), int(layer.inner[-1]), int(layer.inner.size)],
            "order": sys.byteorder,
        }
        return (json.dumps(says) + "\n").encode().ljust(BLOCK, b"\0")


def _damaged(path: Path, what: str) -> PiecesError:
    return PiecesError(f"{path} is damaged: {what}; remove it and solve again, it is computed anew")


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to disk."""
    file = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every file system does so
            os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others from writing to a folder; raises PiecesError where somebody does."""
    if not CAN_LOCK:  # such systems cannot map files side by side, either
        raise PiecesError("tables in pieces need a system that maps files side by side, as Linux")
    try:
        file = open_to_lock(folder / "lock")
    except OSError as error:
        raise PiecesError(f"{folder} cannot be written to: {told(error)}") from None
    with file:
        try:
            lock(file)
        except BlockingIOError:
            told_so = f"{folder} is in use: another solve writes there; wait for it to end"
            raise PiecesError(f"{told_so}, or give another folder") from None
        yield


def open_pieces(folder: Path, identity: str, places: LayerPlaces, tables: int) -> Pieces:
    """The files of a solution in a folder, which is there; `identity` tells what it belongs to."""
    if not CAN_LOCK:  # such systems cannot map files side by side, either
        raise PiecesError("tables in pieces need a system that maps files side by side, as Linux")
    width = max(places.shape, default=1)
    own = sha256(f"{identity} {places.fingerprint()}".encode()).hexdigest()
    return Pieces(folder, own, places, tables, Space(tables * places.size + width))

"""Pieces that were found on the way forward, kept for the way back: batch by batch of a chunk."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from dicegames.solver.chain.batch import Batch
from dicegames.solver.chain.chain import CHAIN_LANES
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit

MOST_PIECE_BYTES: Final = 600_000_000
"""Of all that is kept; what does not fit in is found again."""


class PieceStore(NamedTuple):
    """The pieces of the batches of a chunk, in order; no batches: nothing is kept."""

    piece: Vector[np.int64]  # [batches + 1]: the first piece
    hub: Vector[np.int32]  # [pieces]: destination number of its hub
    first: Vector[np.int64]  # [pieces + 1]: the first entry
    goal: Vector[np.int32]  # [entries]
    mass: Vector[np.float64]  # [entries * CHAIN_LANES]

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        return sum(array.nbytes for array in self)

    def trimmed(self) -> PieceStore:
        """The same without the room that is left."""
        pieces = int(self.piece[-1])
        entries = int(self.first[pieces])
        return PieceStore(
            self.piece,
            self.hub[:pieces].copy(),
            self.first[: pieces + 1].copy(),
            self.goal[:entries].copy(),
            self.mass[: entries * CHAIN_LANES].copy(),
        )

    def emptied(self, batches: int) -> PieceStore:
        """The same room for another chunk."""
        return self._replace(piece=np.zeros(batches + 1, np.int64))

    def larger(self) -> PieceStore:
        """An empty one with twice the room."""
        return make_piece_store(self.piece.size - 1, 2 * self.hub.size, 2 * self.goal.size)


def make_piece_store(batches: int, pieces: int, entries: int) -> PieceStore:
    """Room for so many pieces and entries."""
    return PieceStore(
        piece=np.zeros(batches + 1, np.int64),
        hub=np.zeros(pieces, np.int32),
        first=np.zeros(pieces + 1, np.int64),
        goal=np.zeros(entries, np.int32),
        mass=np.zeros(entries * CHAIN_LANES),
    )


NOTHING_KEPT: Final = make_piece_store(0, 0, 0)


@njit(**PURE)
def keep_pieces(b: Batch, kept: PieceStore, batch: int) -> bool:
    """Keep the pieces of a batch of the chunk, those before being kept; False for lack of room."""
    piece, pieces, entries = kept.piece[batch], b.count[1], b.count[2]
    at = kept.first[piece]
    if piece + pieces > kept.hub.size or at + entries > kept.goal.size:
        return False
    for k in range(pieces):
        kept.hub[piece + k] = b.piece_hub[k]
        kept.first[piece + k + 1] = at + b.piece_first[k + 1]
    for k in range(entries):
        kept.goal[at + k] = b.entry_goal[k]
    for k in range(entries * CHAIN_LANES):
        kept.mass[at * CHAIN_LANES + k] = b.entry_mass[k]
    kept.piece[batch + 1] = piece + pieces
    return True


@njit(**PURE)
def take_pieces(b: Batch, kept: PieceStore, batch: int) -> bool:
    """Take over the pieces of a batch of the chunk; False for lack of room."""
    piece, pieces = kept.piece[batch], kept.piece[batch + 1] - kept.piece[batch]
    at = kept.first[piece]
    entries = kept.first[piece + pieces] - at
    if entries > b.entry_goal.size:
        return False
    for k in range(pieces):
        hub = kept.hub[piece + k]
        b.piece_hub[k], b.piece_of[hub] = hub, k
        b.piece_first[k] = kept.first[piece + k] - at
    b.piece_first[pieces] = entries
    for k in range(entries):
        b.entry_goal[k] = kept.goal[at + k]
    for k in range(entries * CHAIN_LANES):
        b.entry_mass[k] = kept.mass[at * CHAIN_LANES + k]
    b.count[1], b.count[2] = pieces, entries
    return True

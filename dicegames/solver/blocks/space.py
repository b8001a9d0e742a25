"""One range of addresses in which parts of files lie side by side, as one array.

What is not there reads as zero, and costs no memory.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os

import numpy as np

from dicegames.solver.blocks.by_layers import GRAIN
from dicegames.solver.model import VALUE_BYTES, Array

BLOCK = GRAIN * VALUE_BYTES
MAP_EMPTY = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)  # 0: Windows
FIXED = 0x10
"""MAP_FIXED, which Python has no name for; the same on Linux, macOS and the BSDs."""


class Space:
    """An array of so many values, of which those are there that have been mapped."""

    def __init__(self, size: int) -> None:
        length = -(-max(size, 1) // GRAIN) * BLOCK
        self._range = mmap.mmap(-1, length, flags=MAP_EMPTY, prot=mmap.PROT_READ)
        self._address = int(np.frombuffer(self._range, np.uint8).ctypes.data)
        numbers = (ctypes.c_double * (length // VALUE_BYTES)).from_address(self._address)
        self.values: Array = np.ctypeslib.as_array(numbers)

    def show(self, at: int, size: int, file: int, offset: int, *, write: bool) -> None:
        """Map values of a file (offset in bytes); all but `file` are multiples of `GRAIN`."""
        prot = mmap.PROT_READ | (mmap.PROT_WRITE if write else 0)
        self._map(at, size, prot, mmap.MAP_SHARED, file, offset)

    def lend(self, at: int, size: int) -> None:
        """Map zeros that may be written to, and go with `hide`."""
        self._map(at, size, mmap.PROT_READ | mmap.PROT_WRITE, MAP_EMPTY, -1, 0)

    def hide(self, at: int, size: int) -> None:
        """Map nothing."""
        self._map(at, size, mmap.PROT_READ, MAP_EMPTY, -1, 0)

    def _map(self, at: int, size: int, prot: int, flags: int, file: int, offset: int) -> None:
        """Map a part of a file, or without one nothing, to where something is mapped already."""
        if not 0 <= at <= at + size <= self.values.size:
            raise OSError(errno.EINVAL, "values would lie outside of the tables")
        address, long = self._address + at * VALUE_BYTES, ctypes.c_size_t
        call = ctypes.CDLL(None, use_errno=True).mmap
        call.restype = ctypes.c_void_p
        call.argtypes = [ctypes.c_void_p, long, ctypes.c_int, ctypes.c_int, ctypes.c_int, long]
        if call(address, size * VALUE_BYTES, prot, flags | FIXED, file, offset) != address:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))

"""Large arrays in temporary files: the system takes them out of memory where it needs that."""

from __future__ import annotations

import mmap
import os
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def take_room(file: int, length: int) -> None:
    """Give a file all of its length in bytes on disk; OSError where there is no room."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, length)
        return
    for at in range(0, length, 1 << 20):
        os.write(file, bytes(min(1 << 20, length - at)))


def on_disk(size: int) -> NDArray[np.float64]:
    """Return zeros in a file that goes with the array; OSError where there is no room on disk."""
    import numpy as np  # noqa: PLC0415 - most of the program does without

    with TemporaryFile() as file:
        take_room(file.fileno(), size * 8)
        return np.frombuffer(mmap.mmap(file.fileno(), size * 8), np.float64)

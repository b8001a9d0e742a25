"""A fixed piece of work: what it takes says how fast a machine is at present, and nothing of us.

It is the work of a solver laid bare, weighted sums and maxima of rows of doubles that lie in a
table of 2 MB, on all cores that the process may use. It uses nothing of dicegames and is not to be
changed: figures before and after would not be comparable.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numba
import numpy as np

LANES, ROWS, SUMS, TERMS, PASSES = 64, 4096, 100_000, 8, 10


@numba.njit(nogil=True, fastmath={"contract"})
def weighted_rows(table: Any, row: Any, weight: Any, best: Any) -> None:
    """Write to each lane of `best` the largest of the weighted sums of rows."""
    total = np.empty(LANES)
    for k in range(row.shape[0]):
        for lane in range(LANES):
            total[lane] = 0.0
        for j in range(row.shape[1]):
            for lane in range(LANES):
                total[lane] += weight[k, j] * table[row[k, j], lane]
        for lane in range(LANES):
            best[lane] = max(best[lane], total[lane])


@cache
def _inputs() -> tuple[Any, Any, Any]:
    random = np.random.default_rng(1)
    weight = random.random((SUMS, TERMS))
    table, row = random.random((ROWS, LANES)), random.integers(0, ROWS, (SUMS, TERMS))
    weighted_rows(table, row[:1], weight[:1], np.zeros(LANES))  # is compiled here
    return table, row, weight


def _passes(*arrays: Any) -> None:
    for _ in range(PASSES):
        weighted_rows(*arrays)


def calibrate(cores: int) -> float:
    """Return the seconds that the work takes when every core has a share of its own."""
    inputs = _inputs()
    bests = [np.zeros(LANES) for _ in range(cores)]
    with ThreadPoolExecutor(cores) as pool:
        start = time.perf_counter()
        for done in [pool.submit(_passes, *inputs, best) for best in bests]:
            done.result()
        return time.perf_counter() - start

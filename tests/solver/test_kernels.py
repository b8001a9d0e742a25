"""The vector kernel does what plain loops do, at every width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dicegames.solver.blocks.execute import (
    DO_ADD,
    DO_BLEND,
    DO_COPY,
    DO_FILL,
    DO_FIRST_MAX,
    DO_FIRST_MIN,
    DO_FOLLOW_MAX,
    DO_FOLLOW_MIN,
    DO_MASK,
    DO_MAX,
    DO_MIN,
    DO_SUM,
    execute,
)
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import as_good

LANES = 32
OPERATIONS = [
    *(DO_SUM, DO_MAX, DO_MIN, DO_ADD, DO_MASK, DO_FILL, DO_COPY, DO_BLEND),
    *(DO_FOLLOW_MAX, DO_FOLLOW_MIN, DO_FIRST_MAX, DO_FIRST_MIN),
]


@njit()
def in_vectors(units: tuple[int, ...], rows: np.ndarray, arguments: tuple[object, ...]) -> None:
    execute(units, rows, *arguments)


def in_loops(n: int, rows: np.ndarray, arguments: tuple[Any, ...]) -> None:
    """Carry out the operations one by one, on n lanes."""
    runs, count, code, first, last, offset, weight, constant, base, bases, to, keep, current = (
        arguments
    )
    for i in (i for r in range(count) for i in range(runs[2 * r], runs[2 * r + 1])):
        do, terms = code[i], range(first[i], last[i])
        shift = bases[base[i]] if do in (DO_SUM, DO_COPY) else 0
        read = [rows[offset[k] + shift :][:n].copy() for k in terms]
        if do == DO_SUM:
            found = constant[i] + weight[first[i] : last[i]] @ np.array(read)
        elif do in (DO_MAX, DO_MIN):
            found = np.max(read, axis=0) if do == DO_MAX else np.min(read, axis=0)
        elif do in (DO_ADD, DO_COPY):
            found = read[0] + (constant[i] if do == DO_ADD else 0.0)
        elif do == DO_MASK:
            found = np.where(read[1] != 0.0, read[1], read[0] + constant[i])
        elif do == DO_FILL:
            found = np.full(n, constant[i])
        elif do == DO_BLEND:
            half = len(read) // 2
            found = np.sum(np.array(read[:half]) * read[half:], axis=0)
        else:
            if do in (DO_FIRST_MAX, DO_FIRST_MIN):
                numbers = range((first[i] + last[i] + 1) // 2, last[i])
                read = [*read[: -len(numbers)], *(np.full(n, float(offset[k])) for k in numbers)]
            found = followed(read, 1.0 if do in (DO_FOLLOW_MAX, DO_FIRST_MAX) else -1.0)
        for at in (to[i], current + keep[i] if keep[i] >= 0 else to[i]):
            rows[at : at + n] = found


def followed(read: list[np.ndarray], sense: float) -> np.ndarray:
    """What the first move has that is as good as the best one; the last where none is."""
    best, moves = read[0], (len(read) - 1) // 2
    found = read[-1].copy()
    for k in range(moves, 0, -1):
        good = [as_good(new, old, sense) for new, old in zip(read[k], best, strict=True)]
        found = np.where(good, read[k + moves], found)
    return found


@pytest.mark.parametrize("units", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_as_in_loops(units: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    inputs, count = 12, 40
    rows = random.normal(size=(inputs + count + 6) * LANES)
    masked = random.random(LANES) < 0.5
    rows[:LANES] = np.where(masked, -np.inf, 0.0)  # row 0 is a mask
    code = random.choice(OPERATIONS, count).astype(np.int8)
    width = random.integers(1, 7, count)
    width[(code == DO_ADD) | (code == DO_COPY)] = 1
    width[code == DO_MASK] = 2
    width[code == DO_BLEND] += width[code == DO_BLEND] % 2
    follows = (code >= DO_FOLLOW_MAX) & (code <= DO_FIRST_MIN)
    width[follows] = 1 + 2 * width[follows]
    first = np.zeros(count + 1, np.int32)
    np.cumsum(width, out=first[1:])
    total = int(first[-1])
    offset = random.integers(1, inputs, total).astype(np.int32) * LANES
    offset[first[:-1][code == DO_MASK] + 1] = 0
    best = first[:-1][follows]
    offset[best] = offset[best + random.integers(1, 3, best.size)]  # that of a move
    base = np.where((code == DO_SUM) | (code == DO_COPY), random.integers(0, 2, count), 0)
    arguments = (
        np.array([0, 15, 17, count], np.int32),
        2,
        code,
        first,
        first[1:].copy(),
        offset,
        random.random(total),
        random.normal(size=count),
        base.astype(np.int32),
        np.array([0, LANES], np.int64),
        ((inputs + np.arange(count)) * LANES).astype(np.int32),
        np.where(random.random(count) < 0.3, LANES, -1).astype(np.int32),
        (inputs + count) * LANES,
    )
    fast, plain = rows.copy(), rows.copy()
    in_vectors((0,) * units, fast, arguments)
    in_loops(8 * units, plain, arguments)
    own = slice(inputs * LANES, (inputs + count + 3) * LANES)
    one, other = fast[own].reshape(-1, LANES), plain[own].reshape(-1, LANES)
    lanes = 8 * units
    np.testing.assert_allclose(one[:, :lanes], other[:, :lanes], rtol=1e-13, atol=1e-13)
    untouched = rows[own].reshape(-1, LANES)[:, lanes:]
    np.testing.assert_array_equal(one[:, lanes:], untouched)

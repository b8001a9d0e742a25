"""The vector kernel and its plain twin do the same, at every width."""

from __future__ import annotations

import numpy as np
import pytest

from dicegames.solver.blocks.execute import (
    DO_ADD,
    DO_COPY,
    DO_FILL,
    DO_MASK,
    DO_MAX,
    DO_MIN,
    DO_SUM,
    code_of,
    execute,
    execute_plain,
)
from dicegames.solver.kernels.kernel import njit

LANES = 32


@njit()
def in_vectors(units: tuple[int, ...], rows: np.ndarray, arguments: tuple[object, ...]) -> None:
    execute(units, rows, *arguments)


@njit()
def in_loops(lanes: int, rows: np.ndarray, arguments: tuple[object, ...], spare: int) -> None:
    execute_plain(lanes, rows, *arguments, spare)


@pytest.mark.parametrize("units", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_twins(units: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    inputs, count = 12, 40
    rows = random.normal(size=(inputs + count + 6) * LANES)
    masked = random.random(LANES) < 0.5
    rows[:LANES] = np.where(masked, -np.inf, 0.0)  # row 0 is a mask
    code = random.choice([DO_SUM, DO_MAX, DO_MIN, DO_ADD, DO_MASK, DO_FILL, DO_COPY], count).astype(
        np.int8
    )
    width = random.integers(1, 7, count)
    width[(code == DO_ADD) | (code == DO_COPY)] = 1
    width[code == DO_MASK] = 2
    first = np.zeros(count + 1, np.int32)
    np.cumsum(width, out=first[1:])
    total = int(first[-1])
    offset = random.integers(1, inputs, total).astype(np.int32) * LANES
    offset[first[:-1][code == DO_MASK] + 1] = 0
    base = np.where((code == DO_SUM) | (code == DO_COPY), random.integers(0, 2, count), 0)
    arguments = (
        np.array([0, 15, 17, count], np.int32),
        2,
        np.array(
            [code_of(*pair) for pair in zip(code.tolist(), width.tolist(), strict=True)], np.int8
        ),
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
    in_loops(8 * units, plain, arguments, (inputs + count + 4) * LANES)
    own = slice(inputs * LANES, (inputs + count + 3) * LANES)
    one, other = fast[own].reshape(-1, LANES), plain[own].reshape(-1, LANES)
    lanes = 8 * units
    np.testing.assert_allclose(one[:, :lanes], other[:, :lanes], rtol=1e-13, atol=1e-13)
    untouched = rows[own].reshape(-1, LANES)[:, lanes:]
    np.testing.assert_array_equal(one[:, lanes:], untouched)

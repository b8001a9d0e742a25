"""Samples of chance nodes: which outcomes are drawn at a point, as shares of the outcomes.

For a chance node n that is drawn and a point p, N outcomes are drawn by their weights, once and for
all; the share of an outcome is how many of them it is, divided by N. Samples come from a hash of
the seed, the node, the point and the number of the sample, so that neither threads nor machines
change them. Nodes with the same outcomes have the same samples.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dicegames.solver.blocks.program import Layout
from dicegames.solver.blocks.specialise import Work
from dicegames.solver.blocks.terms import Draw
from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.generator import STEP, alias_table, mixed
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array, Model

LOW_WORD: Final = np.uint64(0xFFFFFFFF)
WORD_BITS: Final = np.uint64(32)


class Samples(NamedTuple):
    """The outcomes of every draw, as alias tables; draws are numbered by their first nodes."""

    first: Vector[np.int64]  # [draws + 1]
    row: Vector[np.int64]  # [outcomes]: number of the fetched row with the share of an outcome
    weight: Vector[np.float64]  # [outcomes]
    keep: Vector[np.uint64]  # [outcomes]: the outcome is taken if 32 random bits are below
    alias: Vector[np.int64]  # [outcomes]: the outcome taken otherwise
    samples: int
    seed: Any  # uint64
    root: int  # position of the start of the game, where nothing is drawn


def draws_of(model: Model, layout: Layout) -> dict[int, Draw]:
    """The draws of the nodes that the model wants estimated."""
    operations = layout.program.kind.size
    found: dict[int, Draw] = {}
    for node in [] if model.drawn is None else np.flatnonzero(model.drawn).tolist():
        at = layout.row_of.get((node, 0), -1)
        if 0 <= at < operations:
            share = int(layout.program.operand[layout.program.first[at]]) - operations
            if share >= 0 and (draw := layout.fetches[share].draw) is not None:
                found[node] = draw
    return found


def make_samples(model: Model, layout: Layout, samples: int, seed: int) -> Samples:
    """The alias tables of all draws, numbered by the first nodes that have them."""
    place = {o.draw: k for k, o in enumerate(layout.fetches) if o.draw is not None}
    found = dict.fromkeys(draws_of(model, layout).values())
    first, row, weight = [0], [np.zeros(0, np.int64)], [np.zeros(0)]
    keep, alias = [np.zeros(0)], [np.zeros(0, np.int64)]
    for draw in found:
        own = [place[Draw(draw.outcomes, draw.weights, k)] for k in range(len(draw.weights))]
        kept, other = alias_table(np.array(draw.weights))
        first.append(first[-1] + len(own))
        row.append(np.array(own, np.int64))
        weight.append(np.array(draw.weights))
        keep.append(kept)
        alias.append(other)
    bits = np.minimum(np.concatenate(keep) * 2.0**32, 2.0**32).astype(np.uint64)
    return Samples(
        np.array(first, np.int64), np.concatenate(row), np.concatenate(weight), bits,
        np.concatenate(alias), samples, np.uint64(seed % 2**64),
        model.position(model.start_point),
    )  # fmt: skip


@njit(**PURE)
def draw_outcome(d: Samples, number: int, point: int, sample: int) -> np.int64:
    """Which of its outcomes a draw takes at a point for one of the samples."""
    begin = d.first[number]
    terms = np.uint64(d.first[number + 1] - begin)
    key = mixed(d.seed + STEP * np.uint64(number + 1))
    bits = mixed(mixed(key ^ np.uint64(point)) + STEP * np.uint64(sample + 1))
    term = np.int64(((bits >> WORD_BITS) * terms) >> WORD_BITS)
    return term if (bits & LOW_WORD) < d.keep[begin + term] else d.alias[begin + term]


@njit(**PURE)
def draw_shares(d: Samples, cond: Array, inner: int, width: int, w: Work) -> None:
    """Fill the fetched rows of shares in all lanes; at the root of the game they are the odds."""
    for number in range(d.first.size - 1):
        begin, end = d.first[number], d.first[number + 1]
        if w.needed[cond[d.row[begin]]] == 0:
            continue
        for lane in range(width):
            point = w.home[lane] + inner
            for k in range(begin, end):
                w.fetched[d.row[k], lane] = d.weight[k] if point == d.root else 0.0
            for sample in range(0 if point == d.root else d.samples):
                k = begin + draw_outcome(d, number, point, sample)
                w.fetched[d.row[k], lane] += 1.0 / d.samples

"""Which edges of a choice can never be the only best ones.

Two nodes have the same *shape* if they have the same edges up to the constants of the rewards, into
targets of the same shape; stored and END nodes are shapes of their own.  For edges of one choice
with the same guard, effect and shape of target, the best by a rough score is compared with each
other one: starting from the pair of targets, edges are matched in the order of (shape, reward), and
every pair met must have rewards that are nowhere worse.  That set of pairs is a simulation.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from dicegames.solver.model import CHOICE, END, Array, Model, Reward

ODD = np.uint64(0x9E3779B97F4A7C15)


@frozen(eq=False)
class _Matched:
    """Edges of each node in the order (key, reward): what a match compares."""

    first: list[int]
    key: list[int]
    constant: list[float]
    target: list[int]
    fixed: list[bool]


def dominated(model: Model) -> Array:
    """Edges to drop: bool[E]."""
    source = model.sources
    fixed = _fixed(model)
    key = _shapes(model, source, fixed)
    gone = np.zeros(model.edges, np.bool_)
    constants = taken_apart(model.rewards)[0][model.reward]
    score = _scores(model, source, constants)
    sign = np.where(model.chooser[source] == 1, -model.sense, model.sense)
    edges, best = _candidates(model, source, key, sign * (constants + score[model.target]))
    fit = sign[edges] * (constants[best] - constants[edges]) >= 0
    edges, best = edges[fit], best[fit]
    if not edges.size:
        return gone
    order = np.lexsort([constants + score[model.target], key, source])
    columns = (model.first_edge, key[order], constants[order], model.target[order], fixed)
    rows = _Matched(*(column.tolist() for column in columns))
    ends = (model.target[best].tolist(), model.target[edges].tolist())
    pairs = zip(*ends, sign[edges].tolist(), strict=True)
    known: dict[tuple[int, int, float], bool] = {}
    proven: dict[float, set[tuple[int, int]]] = {1.0: set(), -1.0: set()}
    for edge, pair in zip(edges.tolist(), pairs, strict=True):
        if pair not in known:
            known[pair] = _beats(rows, *pair, proven[pair[2]])
        gone[edge] = known[pair]
    return gone


def _fixed(model: Model) -> Array:
    """Nodes that are shapes of their own: bool[N]."""
    fixed: Array = model.stored | (model.kind == END)
    return fixed if model.drawn is None else fixed | model.drawn


def mix(*parts: Array) -> Array:
    """A hash of rows of integers or floats, uint64."""
    out = np.full(len(parts[0]), 0x243F6A8885A308D3, np.uint64)
    for part in parts:
        bits = part.view(np.uint64) if part.dtype.itemsize == 8 else part.astype(np.uint64)
        out = (out ^ bits) * ODD
        out ^= out >> np.uint64(29)
        out *= np.uint64(0xBF58476D1CE4E5B9)
        out ^= out >> np.uint64(32)
    return out


def taken_apart(rewards: tuple[Reward, ...]) -> tuple[Array, Array]:
    """The constant of every reward, and a number for its lookups."""
    numbers: dict[tuple[int, ...], int] = {}
    kind = [numbers.setdefault(reward.lookups, len(numbers)) for reward in rewards]
    return np.array([reward.constant for reward in rewards]), np.array(kind)


def _shapes(model: Model, source: Array, fixed: Array) -> Array:
    """Hash of every edge with the shape of its target."""
    _, kinds = taken_apart(model.rewards)
    plain = mix(model.weight, model.guard, model.effect, model.rotate, kinds[model.reward])
    own = np.where(fixed, np.arange(model.nodes) + 7, 0)
    label = mix(model.kind, model.chooser, own)
    count = 0
    while True:
        key = mix(plain, label[model.target])
        found = len(np.unique(label))
        if found == count:
            return key
        count = found
        sums = np.zeros(model.nodes, np.uint64)
        np.add.at(sums, source, key)
        label = np.where(fixed, label, mix(label, sums))


def _candidates(model: Model, source: Array, key: Array, total: Array) -> tuple[Array, Array]:
    """Edges of choices, each with the best by `total` of those with the same source and key."""
    edges = np.flatnonzero(model.kind[source] == CHOICE)
    order = edges[np.lexsort([total[edges], key[edges], source[edges]])]
    last = np.ones(order.size, np.bool_)  # of its group, and so the best
    last[:-1] = (np.diff(source[order]) != 0) | (key[order][1:] != key[order][:-1])
    ends = np.flatnonzero(last)
    best = order[ends[np.searchsorted(ends, np.arange(order.size))]]
    return order[~last], best[~last]


def _scores(model: Model, source: Array, constants: Array) -> Array:
    """A rough order among nodes of one shape: the discounted rewards of a random walk."""
    counts = np.diff(model.first_edge)[source]
    share = np.where(model.kind[source] == 0, model.weight, 1.0 / counts)
    score: Array = np.zeros(model.nodes)
    for _ in range(12):
        score = np.bincount(source, share * (constants + 0.9 * score[model.target]), model.nodes)
    return score


def _beats(
    rows: _Matched, best: int, other: int, sign: float, proven: set[tuple[int, int]]
) -> bool:
    """Whether a node is nowhere worse than another, by a simulation from the pair."""
    pairs = [(best, other)]
    met = set(pairs)
    while pairs:
        a, b = pairs.pop()
        if a == b or (a, b) in proven:
            continue
        i, j = rows.first[a], rows.first[b]
        size = rows.first[a + 1] - i
        if rows.fixed[a] or rows.fixed[b] or size != rows.first[b + 1] - j:
            return False
        if rows.key[i : i + size] != rows.key[j : j + size]:
            return False
        for k in range(size):
            if sign * (rows.constant[i + k] - rows.constant[j + k]) < 0:
                return False
            pair = (rows.target[i + k], rows.target[j + k])
            if pair not in met:
                met.add(pair)
                pairs.append(pair)
    proven |= met
    return True

"""What the users of a row take for granted, and the guards that are left to rows fetched.

The *need* of a row is the set of bool lookups that hold wherever its value matters: on every path
to it stand these guards.  A fetched row holds the worst value outside its need, and so does what is
computed from it: a sum if one operand does, a choice if all of them do.  A leaf whose guard is seen
to by its operand in this way loses the guard; in most games no guard is left, and the operations
are the same at all points.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from dicegames.solver.blocks.terms import (
    FETCH,
    FOLLOW,
    LEAF,
    MAX,
    MIN,
    NOTHING,
    SUM,
    Operation,
    Terms,
)
from dicegames.solver.graph.must import FULL, Musts
from dicegames.solver.kernels.flat import rows
from dicegames.solver.model import Array


@frozen(eq=False)
class Links:
    """Which operation reads which: one entry for each operand, by reading operation."""

    kinds: Array  # int64[operations]
    first: Array  # int32[operations + 1]
    operand: Array  # int32
    source: Array  # int64
    same: Array  # bool: read at the same inner point
    level: Array  # int64[operations]: longest path to the rows fetched, at the same inner point


def link(operations: list[Operation]) -> Links:
    """The links of a list of operations."""
    first, operand = rows([o.operands for o in operations])
    source = np.repeat(np.arange(len(operations)), np.diff(first))
    late = np.array([o.shift != NOTHING for o in operations], np.bool_)
    same = ~late[source]
    level = np.zeros(len(operations), np.int64)
    while True:
        new = level.copy()
        np.maximum.at(new, source[same], level[operand[same]] + 1)
        if np.array_equal(new, level):
            break
        level = new
    kinds = np.array([o.kind for o in operations], np.int64)
    return Links(kinds, first, operand, source, same, level)


def settle_guards(terms: Terms, musts: Musts) -> Array:
    """Drop the guards that fetched rows see to; the needs: uint64[operations, words]."""
    links = link(terms.operations)
    before = _needs(terms, links, musts)
    if {MAX, MIN} <= set(links.kinds.tolist()):
        return before  # there is no value that is worst for both sides
    dead = _dead(terms, links, musts, before)
    for number in np.flatnonzero(links.kinds == LEAF).tolist():
        leaf = terms.operations[number]
        if leaf.guard and not (musts.guard[leaf.guard] & ~dead[leaf.operands[0]]).any():
            leaf.guard = 0
    kept = drop_names(terms)
    after = _needs(terms, link(terms.operations), musts)
    fetched = links.kinds[kept] == FETCH
    after[fetched] = before[kept][fetched]
    return after


def _guards(terms: Terms, musts: Musts) -> Array:
    """What the leaves add to the needs of their operands: uint64[operations, words]."""
    return musts.guard[[o.guard if o.kind == LEAF else 0 for o in terms.operations]]


def _needs(terms: Terms, links: Links, musts: Musts) -> Array:
    """What every use of a row takes for granted."""
    need = np.full((len(links.kinds), musts.node.shape[1]), FULL, np.uint64)
    need[np.bincount(links.operand, minlength=len(need)) == 0] = 0
    need[[row for row, _ in _fixed(terms, links)]] = FULL
    # Reads at other inner points and of the tables are not followed: there the nodes' sets count.
    for number, node in _fixed(terms, links):
        need[number] &= musts.node[node]
    passed = _guards(terms, musts)
    for depth in range(int(links.level.max(initial=0)), 0, -1):
        own = np.flatnonzero((links.level[links.source] == depth) & links.same)
        source = links.source[own]
        np.bitwise_and.at(need, links.operand[own], need[source] | passed[source])
    return need


def _fixed(terms: Terms, links: Links) -> list[tuple[int, int]]:
    """Rows that are read from outside the operations of their inner point, with their nodes."""
    read = terms.kept() | set(links.operand[~links.same].tolist())
    return [(row, node) for (node, _), row in terms.row_of.items() if row in read]


def _dead(terms: Terms, links: Links, musts: Musts, need: Array) -> Array:
    """By row the bool lookups outside of which it is sure to hold the worst value."""
    dead = np.where((links.kinds == FETCH)[:, None], need, 0).astype(np.uint64)
    choice = np.isin(links.kinds, (MAX, MIN, FOLLOW))
    passed = _guards(terms, musts)
    for depth in range(1, int(links.level.max(initial=0)) + 1):
        level = links.level == depth
        dead[level & choice] = FULL
        own = level[links.source] & links.same
        met = own & choice[links.source]
        np.bitwise_and.at(dead, links.source[met], dead[links.operand[met]])
        joined = own & np.isin(links.kinds, (SUM, LEAF))[links.source]
        np.bitwise_or.at(dead, links.source[joined], dead[links.operand[joined]])
        dead[level] |= passed[level]
    return dead


def drop_names(terms: Terms) -> Array:
    """Take out what is not used or only repeats its operand; the numbers of those that stay."""
    links = link(terms.operations)
    fixed = {row for row, _ in _fixed(terms, links)}
    stands_for = np.arange(len(terms.operations))
    for number in np.argsort(links.level, kind="stable").tolist():
        o = terms.operations[number]
        name = o.kind == LEAF and o.guard == 0 and o.constant == 0.0
        if o.kind in (MAX, MIN) and len(o.operands) == 1:
            name = terms.operations[o.operands[0]].guard == 0
        if o.kind == FOLLOW and len(o.operands) == 3:
            name = terms.operations[o.operands[1]].guard == 0
        if name and number not in fixed:
            stands_for[number] = stands_for[o.operands[-1]]
    stays = np.bincount(stands_for[links.operand], minlength=len(stands_for)) > 0
    stays[list(fixed)] = True
    stays &= stands_for == np.arange(len(stands_for))
    new = (np.cumsum(stays) - 1)[stands_for].tolist()
    kept = np.flatnonzero(stays)
    terms.operations = [terms.operations[n] for n in kept.tolist()]
    for operation in terms.operations:
        operation.operands = tuple([new[k] for k in operation.operands])
    terms.row_of = {key: new[n] for key, n in terms.row_of.items() if stays[stands_for[n]]}
    return kept

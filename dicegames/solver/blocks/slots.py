"""Homes of rows in the scratch array, used again when their content is dead.

An operation's row lives from the first operation that may write it to the last one that may read
it.  Where an operation may become another name for its operand, the operand lives on as long as the
name.  The slot freed last is taken first: it is the likeliest to be in the nearest cache.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.model import Array


def assign_slots(
    source: Array, operand: Array, names: Array, sink: Array, forever: Array, count: int
) -> Array:
    """Slot of each of `count` operations, by position.

    `source` reads `operand` (positions; operands beyond `count` are fetched and not ours); `names`
    marks operations that may be names, `sink` where an operation may write instead, `forever` rows
    that live to the end.
    """
    ends = np.arange(count)
    ends[forever] = count
    inside = operand < count
    source, operand = source[inside], operand[inside]
    order = np.argsort(-source, kind="stable")
    last, named = ends.tolist(), names.tolist()
    for user, used in zip(source[order].tolist(), operand[order].tolist(), strict=True):
        until = last[user] if named[user] else user
        last[used] = max(last[used], until)
    begins = list(range(count))
    for position, to in enumerate(sink.tolist()):
        if to >= 0:
            begins[to] = min(begins[to], begins[position])
            last[position] = max(last[position], to)
    return _scan(begins, last, count)


def _scan(begins: list[int], last: list[int], count: int) -> Array:
    """Linear scan: at each position free what has died, then take slots for what begins."""
    born: list[list[int]] = [[] for _ in range(count)]
    dying: list[list[int]] = [[] for _ in range(count + 1)]
    for position, begin in enumerate(begins):
        born[begin].append(position)
        dying[last[position]].append(position)
    slot = np.zeros(count, np.int64)
    free: list[int] = []
    used = 0
    for position in range(count):
        for new in born[position]:
            if free:
                slot[new] = free.pop()
            else:
                slot[new] = used
                used += 1
        free.extend(int(slot[dead]) for dead in dying[position])
    return slot

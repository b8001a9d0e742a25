"""Homes of rows in the scratch array, used again when their content is dead.

An operation's row lives from it to the last one that may read it.  Where an operation may become
another name for its operand, the operand lives on as long as the name.  The slot freed last is
taken first: it is the likeliest to be in the nearest cache.
"""

from __future__ import annotations

import numpy as np

from dicegames.solver.model import Array


def assign_slots(source: Array, operand: Array, names: Array, forever: Array, count: int) -> Array:
    """Slot of each of `count` operations, by position.

    `source` reads `operand` (positions; operands beyond `count` are fetched and not ours); `names`
    marks operations that may be names, `forever` rows that live to the end.
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
    dying: list[list[int]] = [[] for _ in range(count + 1)]
    slot, free, taken = np.zeros(count, np.int64), list[int](), 0
    for position in range(count):
        if not free:
            free.append(taken)
            taken += 1
        slot[position] = free.pop()
        dying[last[position]].append(position)
        free.extend(int(slot[dead]) for dead in dying[position])
    return slot

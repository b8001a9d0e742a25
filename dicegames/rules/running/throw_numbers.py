"""Which throw of its turn a position follows, and how many throws a turn has at most.

The instructions of a turn are followed with nothing known but the counters of its loops: any other
condition may hold or not. Where all ways to an instruction, with the same counters, lead past
equally many throws, their number is known: after the second of three throws one may be said to
stand at throw 2. A throw of no dice, since all are kept, counts.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import lru_cache

from dicegames.rules.parts.flow import (
    Choose,
    Environment,
    Finish,
    Instruction,
    Set,
    Test,
    Throw,
    TurnEnds,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.running.effects import assign
from dicegames.rules.running.liveness import live_in_play
from dicegames.rules.running.referee import Position

MOST_COUNTS = 5000
"""Instructions with counters that are looked at before throws are called uncountable."""

Counters = tuple[Value, ...]
Numbers = dict[tuple[int, Counters], int | None]
"""How many throws lie behind an instruction with these counters; None if that varies."""


def throw_number(position: Position) -> tuple[int, int] | None:
    """Return how many throws of the turn lie behind, and how many there are at most in a turn.

    None where either is not the same on all ways through the turn, and where nobody chooses
    between throws.
    """
    game, node = position.game, position.node
    read = [(n, s) for n, s in enumerate(loop_counters(game)) if s in live_in_play(game)[node.at]]
    most = _most(game)
    found = {
        number
        for (at, counts), number in _numbers(game).items()
        if at == node.at and all(counts[n] == node.env[s] for n, s in read)
    }
    number = found.pop() if len(found) == 1 else None
    return None if most is None or number is None else (number, most)


def counts_throws(game: Rules, slot: int, moments: Container[int]) -> bool:
    """Tell whether the counter of a loop is the number of throws, wherever it is asked for."""
    counters = loop_counters(game)
    if slot not in counters:
        return False
    place = counters.index(slot)
    found = [
        (number, counts[place]) for (at, counts), number in _numbers(game).items() if at in moments
    ]
    return bool(found) and all(number == count for number, count in found)


def most_passes(game: Rules, slot: int, env: Environment) -> int:
    """Return up to what the counter of a loop goes in a position."""
    step = next(i for i in game.flow if isinstance(i, Set) and i.counts and i.slot == slot)
    head = game.flow[step.next]
    assert isinstance(head, Test)
    tried = list(env)
    for number in range(1, MOST_COUNTS):
        tried[slot] = number
        if not head.condition.run(tried):
            return number - 1
    return MOST_COUNTS


@lru_cache(maxsize=16)
def loop_counters(game: Rules) -> list[int]:
    """Return the slots that count how often a loop is passed."""
    return sorted({i.slot for i in game.flow if isinstance(i, Set) and i.counts})


@lru_cache(maxsize=16)
def _most(game: Rules) -> int | None:
    """Return the most throws of a turn; None where it varies, or nobody chooses between them."""
    found = _numbers(game)
    before = [n for (at, _), n in found.items() if isinstance(game.flow[at], Throw)]
    known = [number for number in before if number is not None]
    if not known or len(known) < len(before):
        return None
    most = max(known) + 1
    between = [n for (at, _), n in found.items() if n and isinstance(game.flow[at], Choose)]
    return most if any(number < most for number in between) else None


@lru_cache(maxsize=16)
def _numbers(game: Rules) -> Numbers:
    counters = loop_counters(game)
    known: Numbers = {}
    pending: list[tuple[int, Counters, int | None]] = []
    pending.append((game.turn, tuple(game.names.slots[s].initial for s in counters), 0))
    while pending:
        at, counts, throws = pending.pop()
        if (at, counts) in known:
            if known[at, counts] in (throws, None):
                continue
            throws = None
        known[at, counts] = throws
        if len(known) > MOST_COUNTS:
            return {}
        instruction = game.flow[at]
        if throws is not None and isinstance(instruction, Throw):
            throws += 1
        pending += [(*after, throws) for after in _following(game, instruction, counters, counts)]
    return known


def _following(
    game: Rules, instruction: Instruction, counters: list[int], counts: Counters
) -> Iterator[tuple[int, Counters]]:
    env: list[Value] = [None] * len(game.names.slots)
    for slot, count in zip(counters, counts, strict=True):
        env[slot] = count
    match instruction:
        case TurnEnds() | Finish():
            return
        case Test(condition=condition) if condition.reads <= {*counters}:
            yield (instruction.next if condition.run(env) else instruction.other), counts
            return
        case Set(slot=slot) if slot in counters:
            assign(instruction, env)
            counts = tuple(env[s] for s in counters)
    for at in instruction.successors():
        yield at, counts

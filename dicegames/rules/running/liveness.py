"""Which slots matter from an instruction on: a backward analysis of the flow.

A slot is live before an instruction if what it holds may still be read. With L the live slots
after an instruction, the live ones before it are::

    s = e        (L without s) and the reads of e, these only if s is in L
    s + e        L, and the reads of e if s is in L
    if c         L of both ways and the reads of c
    turn ends    the players' slots of L one seat on; those of the turn start anew, none is live

The reads of an assignment count only if its target is live ("strongly live"): a counter that
nobody reads does not keep itself alive. The referee carries out every assignment, needed or not;
`every_read` asks on which values it depends whether the rules break.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from attrs import evolve

from dicegames.ground.graphs import components
from dicegames.rules.parts.flow import (
    Choose,
    Finish,
    Instruction,
    Note,
    Pay,
    Set,
    Test,
    Throw,
    TurnEnds,
    read_by,
    reads_of,
    written_by,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import TRUTH
from dicegames.rules.reading.derive import constant

Slots = frozenset[int]
NO_SLOTS: Slots = frozenset()


@lru_cache(maxsize=16)
def live_in_play(game: Rules) -> list[Slots]:
    """Return the slots that are live before each instruction where play ends as the rules say."""
    return live(game)


def live(
    game: Rules,
    *,
    every_read: bool = False,
    noted: bool = False,
    ends: Mapping[int, Slots] | None = None,
    watched: frozenset[int] = NO_SLOTS,
) -> list[Slots]:
    """Return for each instruction the slots that are live before it.

    `ends` are instructions at which play is said to end, with the slots that are read there.
    With `every_read` all that the referee reads counts; with `noted` what is noted does. The
    assignments at the instructions in `watched` count although nobody reads what they set.
    Where a strategy plays for the points of a turn, these are read when the turn is over.
    """
    at_end = game.final_reads
    points = read_by(game.turn_points[:1]) if looks_ahead(game) else NO_SLOTS
    before = [NO_SLOTS] * len(game.flow)
    parts = components(range(len(game.flow)), lambda at: game.flow[at].successors())
    backward = [number for part in parts for number in part]  # what follows mostly comes first
    changed = True
    while changed:
        changed = False
        for number in backward:
            found, instruction = at_end, game.flow[number]
            if ends is not None and number in ends:
                found = ends[number]
            elif not isinstance(instruction, Finish):
                every = every_read or number in watched
                found = _before(game, instruction, before, every_read=every)
                if noted and isinstance(instruction, Note):
                    found |= reads_of(instruction)
            if number == game.end_turn or isinstance(instruction, Finish):
                found |= points
            if found != before[number]:
                before[number], changed = found, True
    return before


def matters(instruction: Instruction, after: Slots) -> bool:
    """Tell whether anything depends on an instruction; `after` are the slots live behind it.

    Its reads are not live where nothing does: there it must not be carried out.
    """
    match instruction:
        case Test(next=yes, other=no):
            return yes != no
        case Set() | Pay():
            return not after.isdisjoint(written_by(instruction))
    return True


def without_idle(game: Rules, live: list[Slots]) -> Rules:
    """Return the game in which nothing is set that nobody reads, so that no value is missed there.

    `live` are the slots live before each instruction.
    """
    flow = list(game.flow)
    for at, instruction in enumerate(flow):
        if isinstance(instruction, Set) and not matters(instruction, live[instruction.next]):
            always = constant(TRUTH, True, instruction.span)
            flow[at] = Test(instruction.span, instruction.next, always, instruction.next)
    return evolve(game, flow=flow)


def looks_ahead(game: Rules) -> bool:
    """Tell whether a strategy that decides choices of the game plays for the points of a turn."""
    decisions = [i.decision for i in game.flow if isinstance(i, Choose)]
    return any(d is not None and d.look is not None for d in decisions)


def _before(
    game: Rules, instruction: Instruction, before: list[Slots], *, every_read: bool
) -> Slots:
    match instruction:
        case Set():
            return _before_set(instruction, before[instruction.next], every_read=every_read)
        case Test(next=yes, other=no):
            after = before[yes] | before[no]
            return after | reads_of(instruction) if matters(instruction, after) else after
        case Choose():
            return _before_choice(instruction, before)
        case Throw(count=count, source=source):
            return before[instruction.next] | {count, *([source] if source >= 0 else [])}
        case Note(what=what) if every_read and what is not None:
            return before[instruction.next] | what.reads
        case Pay(amount=amount):
            after = before[instruction.next]
            read = every_read or matters(instruction, after)
            return after | (amount.reads if read else NO_SLOTS)
        case TurnEnds():
            return _before_rotation(game, before[instruction.next])
    return before[instruction.next]


def _before_set(instruction: Set, after: Slots, *, every_read: bool) -> Slots:
    known = instruction.index is None
    if not every_read and not matters(instruction, after):
        return after
    kept = after
    if known and instruction.addition is None:
        kept = after - {instruction.slot}
    elif known and every_read and instruction.range_of(instruction.slot) is not None:
        kept = after | {instruction.slot}
    return kept | reads_of(instruction)


def _before_choice(choose: Choose, before: list[Slots]) -> Slots:
    found = before[choose.other] if choose.other >= 0 else NO_SLOTS
    found |= NO_SLOTS if choose.decision is None else choose.decision.reads
    for option in choose.options:
        inside = before[option.entry] | read_by(option.conditions)
        found |= (inside - {option.slot}) | option.reads
    return found


def _before_rotation(game: Rules, after: Slots) -> Slots:
    found = set()
    for slot in after:
        variable = game.names.slots[slot]
        if variable.scope == "player":
            offset, players = slot - variable.base, game.players
            seat = (offset + 1) % players
            found.add(variable.base + offset - offset % players + seat)
        elif variable.scope == "table":
            found.add(slot)
    return frozenset(found)

"""Open conditions: on which a path need not divide, and with which a value leaves its range."""

from __future__ import annotations

from collections.abc import Container
from math import prod

from attrs import evolve

from dicegames.compiler.graph import Overruns
from dicegames.compiler.open_values.joint import Possible
from dicegames.compiler.open_values.tables import slots_of
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Instruction, Pay, Set, Test
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import NeedsValue, Unknown, compare, either
from dicegames.rules.running.effects import pay

LARGEST_SETTLED = 1000
"""With more values than this, a condition is not asked whether the declared limits decide it."""


def changes_of_rewards(flow: list[Instruction], rewards: Container[int]) -> dict[int, Set]:
    """Return what adds to rewards, without their ranges: how much there is, is not known."""
    return {
        at: evolve(change, within=None, ranges=())
        for at, change in enumerate(flow)
        if isinstance(change, Set) and any(slot in rewards for slot in change.targets)
    }


def settled(game: Rules, condition: Unknown) -> bool | None:
    """Return whether a condition holds for all values that are declared; None if that varies."""
    ranges = {}
    for slot in slots_of(condition):
        variable = game.names.slots[slot]
        if variable.within is None:
            return None
        ranges[slot] = variable.within
    if prod(map(len, ranges.values())) > LARGEST_SETTLED:
        return None
    domain = {slot: tuple(values) for slot, values in ranges.items()}
    found = Possible(domain).values(condition)
    return bool(found.pop()) if len(found) == 1 else None


def pays_if(
    flow: list[Instruction], test: Test, holds: Unknown, env: Environment, rewards: Container[int]
) -> bool:
    """Carry out a case in which nothing happens but payments: outside of it, 0 is paid.

    Only where money is no state; False, with nothing changed, where that cannot be done.
    """
    at, payments = test.next, list[Pay]()
    while at != test.other:
        instruction = flow[at]
        if not isinstance(instruction, Pay) or instruction.money not in rewards:
            return False
        payments.append(instruction)
        at = instruction.next
    before = list(env)
    try:
        for payment in payments:
            pay(payment, env, holds=holds)
    except (NeedsValue, RuleBroken):  # what is due may make sense in this case only
        env[:] = before
        return False
    return True


def overruns_of(at: int, instruction: Set, slot: int, value: Value) -> Overruns:
    """Return how an open value that was assigned may leave its range; caps keep it inside."""
    within = instruction.range_of(slot)
    if instruction.capped or within is None or not isinstance(value, Unknown):
        return ()
    return ((at, either(compare("lt", value, within[0]), compare("gt", value, within[-1]))),)

"""Values with which the rules break: shown not to come up, or told with a way to them.

Where a value is open while the rules are explored, the explorer notes under which condition it
would leave the range of its variable, or the rules would break in another way or go round for ever.
Most of these conditions cannot hold for the values that the variables may have, and with what was
asked in the turn before. For the others the referee looks for a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from dicegames.compiler.explored.decided import not_excluded
from dicegames.compiler.explored.domains import Domains
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.roles import slot_name
from dicegames.compiler.graph import Overrun
from dicegames.compiler.open_values.cases import settled
from dicegames.compiler.open_values.facts import known_facts
from dicegames.compiler.open_values.joint import Possible, Values, combinations
from dicegames.compiler.open_values.ranges import LARGEST_JOINT
from dicegames.compiler.open_values.tables import atoms_of, slots_of
from dicegames.rules.parts.broken import NotShown
from dicegames.rules.parts.flow import Instruction
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import NUMBER, Value
from dicegames.rules.parts.unknown import Unknown, unknown

NOT_FOUND = """\
no game was found in which this happens, but not all were looked at: a condition on \
what is asked here, or narrower ranges, can show that it does not"""


def refuse_overruns(domains: Domains) -> None:
    """Raise RuleBroken unless no value can leave its range."""
    explorer = domains.explorer
    left = not_excluded({o.outside for o in explorer.overruns}, domains.ranges)
    overruns = [o for o in explorer.overruns if o.outside in left]
    if not overruns:
        return
    game, values = explorer.game, domains.known_of_seats
    suspects = _suspects(domains, overruns, None)
    if suspects:
        suspects = _suspects(domains, overruns, cache(lambda said: settled(game, said) is True))
    if not suspects:
        return
    found = explorer.find_break()
    found.demand()
    if not found.exhausted:
        first = min(suspects)
        if first in explorer.broken:
            raise explorer.broken[first].not_shown(NOT_FOUND)
        instruction = game.flow[first]
        if first not in explorer.endless:
            example = _example(game, suspects[first], values)
            raise _not_in_range(explorer, first, example)
        raise _not_ending(game, instruction, combinations(suspects[first], values))


def _suspects(
    domains: Domains, overruns: Iterable[Overrun], is_certain: Callable[[Unknown], bool] | None
) -> dict[int, list[Value]]:
    """Return what may come up for all that is known, by its instruction, with what is known."""
    nodes, first = domains.explorer.nodes, domains.explorer.first_node
    facts = known_facts(nodes, first, domains.explorer.at_start, is_certain=is_certain)
    asked = {(o.at, o.outside, facts[id(o.node)].union(atoms_of(o.guard))) for o in overruns}
    possible = Possible(domains.known_of_seats, domains.effort.work)

    @cache
    def may_hold(outside: Value, facts: tuple[Unknown, ...]) -> bool:
        return True in possible.values(outside, facts)

    return {
        at: [outside, *known]
        for at, outside, known in asked
        if may_hold(outside, _about(outside, known)) and may_hold(outside, _sorted(known))
    }


def _example(game: Rules, suspect: Sequence[Value], values: Values) -> str:
    """Return values of counters with which a condition holds, the first beside all others."""
    outside, *known = suspect
    at, told = dict(values), list[str]()
    for slot in slots_of(outside):
        found = Possible(at).values(unknown("slot", slot), [outside, *known])
        if game.names.slots[slot].type is NUMBER and found:
            at[slot] = (min(found),)
            told.append(f'"{slot_name(game, slot)}" is {min(found)}')
    return f": it would not where {' and '.join(told)}, if that comes up here" if told else ""


def _not_in_range(explorer: Explorer, at: int, example: str) -> NotShown:
    """Return the refusal where the referee found no value beyond a range, but did not see all."""
    game, instruction = explorer.game, explorer.game.flow[at]
    message = f"it cannot be shown that the value stays in its range here{example}"
    hint = "widen the range where it is declared, or write capped after it"
    counted = explorer.goal.objective.target is not None  # whatever is only added to
    if at in explorer.roles.watched and not counted:
        hint = "leave the range out where it is declared: it is not needed to solve the game"
    if explorer.goal.may_be_listed:
        hint += "; with --time 5m all positions are looked at, if there is time enough"
    return NotShown(message, instruction.span, game.source, "out-of-range", hint)


def _not_ending(game: Rules, instruction: Instruction, together: int) -> NotShown:
    """Return the refusal where the referee found no game that goes round, but did not see all.

    `together`: how many combinations of values the conditions look at.
    """
    if together > LARGEST_JOINT:
        message = "it cannot be shown that this comes to an end, with no throw and no choice: "
        message += f"it looks at {together:,} combinations of values"
        hint = "try fewer players, or narrower ranges of what it looks at"
        return NotShown(message, instruction.span, game.source, "goes-round", hint)
    message = "it cannot be shown that this does not go round for ever, with no throw and no choice"
    hint = "end the game when nobody can go on, such as: ends when ... <= 1 in place of = 1"
    return NotShown(message, instruction.span, game.source, "goes-round", hint)


def _about(outside: Value, known: frozenset[Unknown]) -> tuple[Unknown, ...]:
    """Return what is known of nothing but what a condition reads: it excludes most, and soon."""
    read = set(slots_of(outside))
    return _sorted(fact for fact in known if read.issuperset(slots_of(fact)))


def _sorted(facts: Iterable[Unknown]) -> tuple[Unknown, ...]:
    return tuple(sorted(facts, key=lambda fact: fact.number))

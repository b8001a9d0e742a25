"""What values the axes take: the rules are explored again until all that is asked is known."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicegames.compiler.explored.alike import alike_from
from dicegames.compiler.explored.units import unit_of
from dicegames.compiler.explored.uses import most_turns, most_turns_in_rounds
from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.exploring.refusals import grows_on
from dicegames.compiler.exploring.roles import Roles, slot_name
from dicegames.compiler.goal import Goal
from dicegames.compiler.limits import LimitReached, Limits
from dicegames.compiler.open_values.ranges import MOST_VALUES, Box, Counter, Grows, counter, infer
from dicegames.compiler.open_values.tables import LARGEST_TABLE, TableTooLarge, listed, slots_of
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import Value
from dicegames.solver.model import Axis

MOST_ROUNDS = 12
"""How often the rules are explored again because more values of an axis turned up."""
FAR_BEYOND = 64
"""How far a counter may go beyond the value from which on it does not matter."""
MOST_LISTED = 200
"""With more values than this, a variable that lasts is put on a grid where one is asked for."""
SAMPLE = 64
"""How many of these values are looked at to find out what else grows with them."""
MOST_APART = 20_000
"""With more nodes, values are told apart by the instruction at which play stands only."""
UNBOUNDED_SIZE = 16384
"""How many values of a counter without limit the tables hold."""


def explore_all(
    goal: Goal,
    roles: Roles,
    box: Box,
    fixed: dict[int, tuple[Value, ...]],
    unbounded: set[int],
    limits: Limits,
    *,
    both: bool,
    on_grid: bool = False,
    least: Box | None = None,
) -> tuple[Explorer, int, Box]:
    """Explore until the values of the axes on which the rules depend are all known.

    `unbounded` gets the counters without limit; those that outlast a turn are refused, but
    `on_grid`. Values in `least` belong to them in any case.
    """
    box = _joined(box, least)
    asked: set[int] = set()
    for _ in range(MOST_ROUNDS):
        domain = {**fixed, **{s: tuple(sorted(v)) for s, v in box.items()}}
        explorer = Explorer(goal, roles, domain, both=both, limits=limits)
        start = explorer.explore()
        box, grown = _ranges(explorer, start, box, fixed, unbounded, limits, on_grid=on_grid)
        box = _joined(box, least)
        if not explorer.asked or not grown:
            return explorer, start, box
        asked.update(slot for value in explorer.asked for slot in slots_of(value))
    raise grows_on(goal.game, goal.game.names.slots[min(asked)])


def _joined(box: Box, least: Box | None) -> Box:
    return {slot: values | (least or {}).get(slot, frozenset()) for slot, values in box.items()}


def values_listed(game: Game, slot: int) -> tuple[Value, ...]:
    """Return the values of an axis that is not a number."""
    kind = game.names.slots[slot].type
    if kind.kind == "truth":
        return (False, True)
    if kind.kind == "set":
        return tuple(range(1 << len(kind.of)))
    return tuple(kind.of)


def _ranges(
    explorer: Explorer,
    start: int,
    box: Box,
    fixed: dict[int, tuple[Value, ...]],
    unbounded: set[int],
    limits: Limits,
    *,
    on_grid: bool,
) -> tuple[Box, bool]:
    """Return the values of the counters, and whether there are more than before."""
    slots = explorer.game.names.slots
    sets = {s: len(slots[s].type.of) for s in fixed if slots[s].type.kind == "set"}
    first: Box = {s: frozenset({int(explorer.at_start[s] or 0)}) for s in box}
    seat = explorer.game.names.variables["seat"].base
    of_turn = frozenset(s for s in box if slots[s].scope == "turn")
    turns = most_turns(explorer, sets) or most_turns_in_rounds(explorer.game)
    steps, at, by_node = list(explorer.steps), explorer.nodes[start].at, False
    outlast = [s for s in box if slots[s].scope != "turn" and slots[s].low is None]
    alike = alike_from(explorer, outlast)
    suspect = {s: v + FAR_BEYOND for s, v in alike.items()}
    found: Box | None = None
    given: Box = {s: _multiples(explorer, s) for s in unbounded}  # not followed
    while found is None:
        try:
            bounded = {s: v for s, v in first.items() if s not in given}
            rest = {s: tuple(sorted(v)) for s, v in given.items()}
            known = {**fixed, **rest, **{s: rest[s][:SAMPLE] for s in unbounded}}
            found = infer(
                steps,
                at,
                bounded,
                known,
                turns,
                of_turn,
                _limits(slots),
                apart=seat,
                capped=explorer.roles.capped,
                suspect=suspect,
                most=MOST_LISTED if on_grid else MOST_VALUES,
                look=partial(_look, explorer.game, limits),
            )
        except Grows as grows:
            variable = slots[grows.slot]
            if grows.slot in alike:
                explorer.roles.capped[grows.slot] = alike.pop(grows.slot)
            elif variable.scope != "turn" and not on_grid:
                if by_node or len(explorer.nodes) > MOST_APART:
                    raise grows_on(explorer.game, variable) from None
                steps, at, by_node = explorer.apart(), start, True
            else:
                more = range(variable.base, variable.base + variable.width)
                whole = None if on_grid else _declared(variable)
                unbounded.update(more if whole is None else ())
                given |= dict.fromkeys(more, whole or _multiples(explorer, grows.slot))
    box = {**box, **given}
    found = _for_all_seats(explorer.game, {**found, **given})
    return found, any(not found[s] <= box[s] for s in box)


def _declared(variable: Variable) -> frozenset[int] | None:
    """Return all values of a declared range, None if there is none."""
    low, high = variable.low, variable.high
    return None if low is None or high is None else frozenset(range(low, high + 1))


def _look(game: Game, limits: Limits, slot: int) -> None:
    """Look at the limits while more and more values of a counter are found."""
    try:
        limits.look()
    except LimitReached as reached:
        told = f'there are ever more values of "{slot_name(game, slot)}"'
        raise LimitReached(f"{reached}: {told}") from None


def _for_all_seats(game: Game, found: Box) -> Box:
    """Give the seats the same values: they change places, and their axes with them."""
    joined: dict[tuple[int, int], frozenset[int]] = {}
    groups = {}
    for slot, values in found.items():
        variable = game.names.slots[slot]
        key = (slot - variable.base) // game.players if variable.scope == "player" else 0
        groups[slot] = (variable.base, key)
        joined[groups[slot]] = joined.get(groups[slot], frozenset()) | values
    return {slot: joined[group] for slot, group in groups.items()}


def _limits(slots: list[Variable]) -> dict[int, tuple[int, int]]:
    """Return the declared ranges of the slots that have one."""
    pairs = ((slot, variable.low, variable.high) for slot, variable in enumerate(slots))
    return {slot: (low, high) for slot, low, high in pairs if low is not None and high is not None}


def _multiples(explorer: Explorer, slot: int) -> frozenset[int]:
    """Return the first values of a counter without limit: multiples of what is added to it."""
    unit = unit_of(explorer, slot) or 1
    return frozenset(range(0, unit * UNBOUNDED_SIZE, unit))


def axes_of(
    game: Game,
    roles: Roles,
    box: Box,
    fixed: dict[int, tuple[Value, ...]],
    unbounded: set[int],
) -> tuple[list[Axis], dict[int, NDArray[Any]]]:
    """Return the axes of the variables that are state, and by slot the values of each."""
    axes, values = [], {}
    for slot in roles.axes:
        name, inner = slot_name(game, slot), slot in roles.inner
        if slot in box:
            found: Counter = counter(box[slot])
            if found.size > LARGEST_TABLE:
                raise TableTooLarge((slot,), found.size)
            values[slot] = found.offset + found.step * np.arange(found.size)
            shown = (found.size, "counter", found.offset, found.step)
            axes.append(Axis(name, *shown, inner, slot in unbounded))
            continue
        kind = {"truth": "flag", "set": "set"}.get(game.names.slots[slot].type.kind, "enum")
        values[slot] = listed(fixed[slot])
        axes.append(Axis(name, len(fixed[slot]), kind, inner=inner))
    return axes, values

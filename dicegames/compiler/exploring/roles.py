"""What each variable is for the objective at hand: control, axis, reward, or nothing.

* reward: it is only added to, and the payoff only adds it up; what is gained on the way counts at
  once and need not be remembered;
* axis: it outlives the turn (or grows inside it, with no limit declared), and is kept out of the
  control graph; an axis that changes in a loop of the turn is an inner axis;
* control: it lives inside a turn, and its values are explored one by one;
* nothing: no later choice, throw or payoff depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from attrs import define, field, frozen

from dicegames.compiler.goal import Goal
from dicegames.rules.parts.flow import (
    Instruction,
    Set,
    Test,
    in_cycles,
    reachable,
    reads_of,
    repeats_openly,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import smaller
from dicegames.rules.running.linear import linear_factor, seat_factors
from dicegames.rules.running.liveness import Slots, live, matters


@frozen
class Role:
    """The role of one slot, and why it has it."""

    slot: int
    name: str
    role: str
    reason: str


@frozen
class TurnVariables:
    """What has been found about variables of the turn.

    Those in `axes` (names) take so many values that they are axes; those in `kept_to` (slots) are
    none although they grow in a loop, since from that value on it does not matter how large they
    are. Those that are `endless` (slots) would have too many values up to there. At the
    instructions in `apart` the values of some slots, which outlast the turn, are told apart.
    """

    axes: tuple[str, ...] = ()
    kept_to: Mapping[int, int] = MappingProxyType({})
    endless: frozenset[int] = frozenset()
    apart: Mapping[int, Slots] = MappingProxyType({})


MOST_LIMITS = 2
"""Of so many variables at most, with which a loop compares, the values are told apart."""

NOTHING_FOUND = TurnVariables()


@define
class Roles:
    """The roles of all slots."""

    live: list[Slots]
    axes: list[int] = field(factory=list)  # slots, in order
    inner: set[int] = field(factory=set)
    carried: set[int] = field(factory=set)  # changed in loops, but set where the turn ends
    rewards: dict[int, tuple[int, ...]] = field(factory=dict)  # slot -> factor for each seat
    points: dict[int, int] = field(factory=dict)  # reward -> factor in the points of a turn
    capped: dict[int, int] = field(factory=dict)  # axis -> from this value on all are alike
    kept_to: Mapping[int, int] = MappingProxyType({})  # the same of variables of a turn: no axes
    apart: Mapping[int, Slots] = MappingProxyType({})  # slots told apart there, value by value
    watched: frozenset[int] = frozenset()  # carried out although nobody reads what they set
    listed: list[Role] = field(factory=list)

    def cap(self, env: list[Value]) -> None:
        """Cap, in place, what a position holds where larger values make no difference."""
        for slot, most in self.kept_to.items():
            env[slot] = smaller(env[slot], most)


def slot_name(game: Rules, slot: int) -> str:
    """Return a variable's name, with its key and its seat where it has several slots."""
    variable = game.names.slots[slot]
    name, offset = variable.name, slot - variable.base
    players = game.players if variable.scope == "player" else 1
    if variable.keys:
        name = f"{name} of {variable.keys[offset // players]}"
    if players > 1:
        seat = offset % players
        names = {0: "the player to move", 1: "the next player"}
        name = f"{name} of {names.get(seat, f'the player {seat} seats on')}"
    return name


def unwatched_changes(goal: Goal, roles: Roles) -> frozenset[int]:
    """Return the instructions at which the rules may break, with nobody looking.

    What nothing depends on is not carried out, and of a reward nobody knows how much there is. The
    referee carries all out, and stops where a declared range is left, or where there is no such
    key.
    """
    game, found = goal.game, set[int]()
    for number in reachable(game.flow, game.turn, goal.ends) - set(goal.ends):
        change = game.flow[number]
        if not isinstance(change, Set):
            continue
        if matters(change, roles.live[change.next]) and change.slot not in roles.rewards:
            continue
        anywhere = change.index is not None and not change.index.constant  # is there such a key?
        if anywhere or _may_leave(change):
            found.add(number)
    return frozenset(found)


def _may_leave(change: Set) -> bool:
    """Tell whether an assignment may leave a declared range, as far as can be seen at once."""
    found = [change.range_of(slot) for slot in change.targets]
    ranges = [within for within in found if within is not None]
    if change.capped or change.counts or not ranges:
        return False
    value = change.value
    if value is None or not value.constant:
        return True
    return any(value.value() not in within for within in ranges)


def assign_roles(
    goal: Goal,
    turn: TurnVariables = NOTHING_FOUND,
    watched: frozenset[int] = frozenset(),
    *,
    counted: bool = True,
) -> Roles:
    """Return the roles of all slots; variables of the turn that grow in a loop become axes.

    The instructions in `watched` are carried out even where nobody reads what they set, and what
    they change is known, so that it is no reward. Unless `counted`, what a fixed number of
    repetitions changes is followed from one to the next, and so is what outlasts the turn in any
    loop.
    """
    game = goal.game
    living = live(game, ends=goal.ends, noted=goal.noted, watched=watched)
    roles = Roles(living, watched=watched, kept_to=turn.kept_to, apart=turn.apart)
    flow = reachable(game.flow, game.turn, goal.ends)
    readers = _readers(game, flow - set(goal.ends))
    at_start = roles.live[game.turn] | frozenset().union(*goal.ends.values())
    cycles = in_cycles(game.flow, counted=counted or repeats_openly(game.flow))
    changed_in_cycles = {slot for n in cycles & flow for slot in game.flow[n].targets}
    grows = growing(game, flow) - turn.kept_to.keys()
    for slot, variable in enumerate(game.names.slots):
        if "." in variable.name:
            continue
        name = slot_name(game, slot)
        if variable.scope == "local":
            continue
        if variable.scope == "turn" and not (variable.name in turn.axes or slot in grows):
            role, reason = _of_turn(slot, roles.live)
            if slot in turn.kept_to:
                reason += f"; from {turn.kept_to[slot]} on it does not matter how large it is"
            roles.listed.append(Role(slot, name, role, reason))
            continue
        if variable.scope in ("player", "table") and slot not in at_start:
            roles.listed.append(Role(slot, name, "nothing", "no later decision depends on it"))
            continue
        if _is_reward(goal, roles, slot, readers):
            reason = "it is only added to, and the payoff adds it up"
            roles.listed.append(Role(slot, name, "reward", reason))
            continue
        roles.axes.append(slot)
        reason = _axis_reason(variable)
        if slot in changed_in_cycles:
            (roles.inner if counted or variable.scope == "turn" else roles.carried).add(slot)
            reason += "; it changes in a loop of the turn"
        roles.listed.append(Role(slot, name, "axis", reason))
    kinds = ("set", "word", "truth", "number")
    # counters last, those that change in loops at the very end: neighbours are solved together
    roles.axes.sort(key=lambda s: (s in roles.inner, kinds.index(game.names.slots[s].type.kind)))
    return roles


def roles_listed(goal: Goal, watched: frozenset[int] = frozenset()) -> Roles:
    """Return the roles where every position is a node; what only counts is reward there as well."""
    game = goal.game
    living = live(game, ends=goal.ends, noted=goal.noted, watched=watched)
    readers = _readers(game, reachable(game.flow, game.turn, goal.ends) - set(goal.ends))
    roles = Roles(living, watched=watched)
    at_start = living[game.turn] | frozenset().union(*goal.ends.values())
    for slot in sorted(at_start):
        variable = game.names.slots[slot]
        if variable.scope in ("player", "table") and "." not in variable.name:
            _is_reward(goal, roles, slot, readers)
    return roles


def _is_reward(goal: Goal, roles: Roles, slot: int, readers: dict[int, set[int]]) -> bool:
    """Tell whether a slot is a reward, and note by what factors it counts."""
    factors = _reward_factors(goal, slot, readers, roles.watched)
    if factors is None:
        return False
    roles.rewards[slot] = factors
    for counted in goal.counted:
        roles.points[slot] = linear_factor(counted, slot, goal.game) or 0
    return True


def growing(game: Rules, flow: set[int]) -> frozenset[int]:
    """Return the slots that grow in a loop of a turn by more than one, without a limit.

    `flow` are the instructions of the turn. Loops with a given number of repetitions are no reason:
    what they bring is explored.
    """
    found = set[int]()
    for number in in_cycles(game.flow, counted=False) & flow:
        instruction = game.flow[number]
        if isinstance(instruction, Set) and instruction.addition is not None:
            addition = instruction.addition
            by_one = addition.constant and abs(addition.value()) <= 1
            if instruction.within is None and not by_one:
                found.add(instruction.slot)
    return frozenset(found)


def limits_of_loops(goal: Goal) -> dict[int, Slots]:
    """Return the conditions that compare what a loop of a turn counts with slots that last.

    How often such a loop comes again, only the values of these slots tell. None, where that would
    be very many values together.
    """
    game = goal.game
    inside = in_cycles(game.flow, counted=False) & reachable(game.flow, game.turn, goal.ends)
    changed = {slot for n in inside for slot in game.flow[n].targets}
    counts = {slot for n in inside if _counts(game.flow[n]) for slot in game.flow[n].targets}
    found = {}
    for number in inside:
        test = game.flow[number]
        if isinstance(test, Test) and not counts.isdisjoint(test.condition.reads):
            others = ((s, game.names.slots[s].scope) for s in test.condition.reads - changed)
            if lasting := frozenset(s for s, scope in others if scope in ("player", "table")):
                found[number] = lasting
    return found if len(frozenset().union(*found.values())) <= MOST_LIMITS else {}


def _counts(instruction: Instruction) -> bool:
    """Tell whether a fixed number is added to something."""
    addition = instruction.addition if isinstance(instruction, Set) else None
    return addition is not None and addition.constant


def _of_turn(slot: int, live: Iterable[Slots]) -> tuple[str, str]:
    """Return the role of a variable of the turn, and why."""
    if all(slot not in slots for slots in live):
        return "nothing", "no later decision depends on it"
    return "control", "it lives inside a turn: its values are explored one by one"


def _axis_reason(variable: Variable) -> str:
    if variable.scope == "turn":
        return "it grows inside a turn, and no limit is declared"
    return "it outlives the turn, and later play depends on it"


def _readers(game: Rules, flow: set[int]) -> dict[int, set[int]]:
    """Return for each slot the instructions that read it other than to add to it."""
    readers: dict[int, set[int]] = {}
    for number in flow:
        for slot in reads_of(game.flow[number]):
            readers.setdefault(slot, set()).add(number)
    return readers


def _reward_factors(
    goal: Goal, slot: int, readers: dict[int, set[int]], watched: frozenset[int]
) -> tuple[int, ...] | None:
    """Return by what factor a slot counts in each seat's payoff, None if it is not a reward."""
    game, variable = goal.game, goal.game.names.slots[slot]
    slots = range(variable.base, variable.base + variable.width)  # the seats rotate
    counted = (*goal.linear, *goal.counted)
    if not counted or any(readers.get(s) for s in slots):
        return None
    if not goal.linear and any(slot in reads for reads in goal.ends.values()):
        return None
    if variable.type.kind != "number":
        return None
    for number, instruction in enumerate(game.flow):
        changed = not set(slots).isdisjoint(instruction.targets)
        if changed and (number in watched or not _adds(instruction)):
            return None
    if all(e.reads.isdisjoint(slots) for e in counted):
        return None
    if seat_factors(goal.counted, slot, game) is None:
        return None
    factors = seat_factors(goal.linear, slot, game)
    return factors if goal.linear else (0,) * game.players


def _adds(instruction: Instruction) -> bool:
    return (
        isinstance(instruction, Set) and instruction.addition is not None and not instruction.capped
    )

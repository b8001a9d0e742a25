"""What cannot be compiled, told with its place and what to do about it."""

from __future__ import annotations

from dicegames.compiler.exploring.control_nodes import MOST_NODES
from dicegames.compiler.exploring.roles import Roles, slot_name
from dicegames.compiler.exploring.turn_ends import ends_of
from dicegames.compiler.goal import FarTooMany, Goal, NeedsGrid, TooMany
from dicegames.compiler.graph import TooWide
from dicegames.compiler.open_values.tables import TableTooLarge
from dicegames.rules.parts.broken import NotShown, RuleBroken
from dicegames.rules.parts.flow import Set
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import NUMBER

USUAL_LIMIT = 100
"""The least end of ranges that are proposed; how far it goes the author has to say."""
OF_PLAY = ("player", "table", "turn")
"""The scopes of variables that the rules declare."""
MOST_NAMES = 6
"""So many variables are named that are looked at together."""


def too_large(game: Rules, large: TableTooLarge) -> TooMany:
    """Say which variables are looked at together and have too many values."""
    names = [slot_name(game, slot) for slot in large.slots]
    if len(names) > MOST_NAMES:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"]
    message = f"the rules look at {', '.join(names)} together: {large.size:,} combinations are "
    message += "too many; with smaller targets or fewer players they fit, --objective turn looks "
    message += "at one turn, and with --time 5m all positions are listed, if there is time enough"
    return TooMany(message)


def too_wide(game: Rules, wide: TooWide, *, listed: bool) -> NotShown:
    """Say what makes a turn too large; `listed`: every position is a node."""
    if listed:
        what = f"a function plays position by position, and here are more than {MOST_NODES:,}"
        remedy = "name the strategy in the rules file, or choose smaller options"
        return NotShown(what, None, game.source, "too-many-positions", remedy)
    differ = [f'"{name}" takes {values:,} values' for name, values in wide.varied]
    remedy = f"here {' and '.join(differ)}: " if differ else ""
    remedy += "try smaller options"
    met = {wide.name, *(name for name, _ in wide.varied)}
    grows = next((v for v in game.names.slots if v.name in met and _has_no_limit(v)), None)
    if grows is not None:
        remedy += f", or limit what grows: {_with_limit(game, grows)}"
    if wide.name:
        within = game.names.variables[wide.name].within
        what = f'"{wide.name}" takes too many values'
        if within is not None:
            what, remedy = _goes_too_far(wide.name, within)
    else:
        what = f"a turn has too many situations: {wide.why}"
        remedy += "; or say how long it may take: --time 1h"
    kind = FarTooMany if wide.hopeless else NotShown
    return kind(what, wide.span, game.source, "too-wide", remedy)


def no_way_out(game: Rules, at: int) -> RuleBroken:
    """Return what says that nothing leads from an instruction to the end of the game."""
    message = "play can go round for ever from here: no outcome leads to the end"
    remedy = "look at what ends the game, and whether it can come true"
    asked = {game.names.slots[slot].type for end in ends_of(game) for slot in end.reads}
    if any(game.names.kind_of(type_).is_drawn for type_ in asked if type_.kind == "dice"):
        remedy += ": a turn begins with all things in their bags"
    return RuleBroken(message, game.flow[at].span, game.source, "no-way-out", remedy)


def _has_no_limit(variable: Variable) -> bool:
    """Tell whether a variable that the rules declare is a number without a range."""
    declared = variable.scope in OF_PLAY and variable.span.start < variable.span.end
    number = variable.type is NUMBER and variable.within is None
    return declared and number and "." not in variable.name


def too_deep(game: Rules) -> NotShown:
    """Say that more is computed in a turn, step upon step, than can be followed."""
    message = "a turn computes too much, step upon step, each with the result of the last"
    remedy = "repeat less in one turn; or say how long it may take to list all positions: --time 1h"
    return NotShown(message, None, game.source, "too-wide", remedy)


def grows_on(game: Rules, variable: Variable) -> NotShown:
    """Say which variable that lasts takes ever more values."""
    name, within = variable.name, variable.within
    if within is not None:
        message, remedy = _goes_too_far(name, within)
        return NotShown(message, variable.span, game.source, "too-wide", remedy)
    message = f'"{name}" takes ever more values, and no limit is found'
    remedy = f"give it one, such as: {_with_limit(game, variable)}; where the game itself ends it, "
    remedy += "all positions are looked at with --time 5m, if there is time enough"
    if variable.span.start == variable.span.end:  # the number of the round
        remedy = "let the game end at some time: ends after 100 rounds; or count: --objective turns"
    return NotShown(message, variable.span, game.source, "grows-without-limit", remedy)


def _goes_too_far(name: str, within: range) -> tuple[str, str]:
    """Say that a variable has too wide a range, and what to do."""
    message = f'"{name}" takes too many values: {within[0]} to {within[-1]}'
    return message, "narrow its range, or let it go in larger steps"


def _with_limit(game: Rules, variable: Variable) -> str:
    """Return a declaration of a variable with a range, as it stands in a rules file."""
    own = range(variable.base, variable.base + variable.width)
    changes = [i for i in game.flow if isinstance(i, Set) and not {*own}.isdisjoint(i.targets)]
    numbers = (option.value for option in game.names.options.values())
    first, highest = variable.initial, max([USUAL_LIMIT, *(n for n in numbers if type(n) is int)])
    lowest = 0 if first >= 0 else -(10 ** len(str(-first)))
    if first > lowest and all(map(_lowers, changes)):
        return f"{variable.within_limits(lowest, first)} (it stays at {lowest})"
    if first == lowest and any(map(_may_lower, changes)):
        lowest = -highest
    ends = "both ends" if first > lowest else highest
    return f"{variable.within_limits(lowest, highest)} (it stays at {ends})"


def _lowers(change: Set) -> bool:
    """Tell whether a change takes a fixed number away."""
    by = change.addition
    return by is not None and by.constant and _may_lower(change)


def _may_lower(change: Set) -> bool:
    """Tell whether a change takes a number away, if that is more than 0."""
    by = change.addition
    return by is not None and (by.value() if by.constant else 1) * change.scale < 0


def needs_grid(goal: Goal, roles: Roles) -> NeedsGrid | None:
    """Return what to say where players look at each other and a turn brings any number.

    None where no variable of a turn grows, or one number tells what all of them are worth alone.
    """
    slots = goal.game.names.slots
    growing = [s for s in roles.axes if slots[s].scope == "turn"]
    if not goal.rotates or not growing:
        return None
    message = (
        f'"{slots[growing[0]].name}" grows without limit inside a turn, and so does what the '
        "players have: such a game can only be solved on a grid, and one turn alone: "
        "--objective turn"
    )
    return NeedsGrid(message)

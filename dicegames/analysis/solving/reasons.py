"""Why one move is better than another: the difference of their values, in parts.

Both values are expectations of what is paid from the move on, now and later; under the policy of a
solution that is a sum over everything that pays. So the difference of the values is the sum of the
differences of the parts, exactly:

    V(a) - V(b) = sum over what pays of E_a[now] - E_b[now] + E_a[later] - E_b[later]

Beside that stands how often everything pays, what is noted how often, and how many turns follow.

On a grid what comes after a turn is interpolated, so that it has no exact parts. The turn itself is
exact: the value of a move is the sum over the ways in which its turn may end of their probability
times their value (`TurnOutlook`). The likeliest ways are followed to their end; what is left when
MOST_ENDS positions have been looked at is one part, "the turn goes on", of which probability and
value are known too. The end of a turn is worth what the grid says there, between its points: as the
turn sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import NoneType

from attrs import define, frozen

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.solving.position_values import PositionValues
from dicegames.ground.arguments import expect
from dicegames.rules.parts.game import public
from dicegames.rules.parts.names import Names
from dicegames.rules.parts.types import Type, Value
from dicegames.rules.parts.value_text import value_text
from dicegames.rules.running.referee import Choice, Move, Outcome, Position
from dicegames.solver.model import as_good

Pair = tuple[float, float]
"""Something for the first move and for the second one."""
Ends = Mapping[str, Pair]
EXACT = 1e-9
"""By how much the parts may miss the difference, of 1 or of the larger value."""


@frozen
class Part:
    """What one thing pays, in this turn (`now`) and later, and how often (`times`)."""

    what: str
    now: Pair
    later: Pair
    times: Pair

    @property
    def paid(self) -> Pair:
        """What it pays in all."""
        return self.now[0] + self.later[0], self.now[1] + self.later[1]

    @property
    def difference(self) -> float:
        """How much more it pays with the first move."""
        return self.paid[0] - self.paid[1]


@frozen
class Happening:
    """How often something that the rules note comes up: its name and its form."""

    what: str
    form: str
    times: Pair


@frozen
class Why:
    """A move compared with another one; `values` are theirs, as in `Solution.options`.

    The differences of the parts add up to that of the values; `gap` is what rounding leaves. The
    parts are what pays, or `by_turn` the ways in which the turn may end.
    """

    move: str
    instead: str
    values: Pair
    parts: tuple[Part, ...]  # the largest difference first
    happenings: tuple[Happening, ...] = ()  # alike
    turns: Pair = (0.0, 0.0)  # how many are expected to begin after this one
    maximise: bool = True  # whether much is good
    by_turn: bool = False

    @property
    def difference(self) -> float:
        """How much more the first move is worth."""
        return self.values[0] - self.values[1]

    @property
    def gap(self) -> float:
        """By how much the parts miss the difference."""
        return abs(sum(part.difference for part in self.parts) - self.difference)


def demand_exact(why: Why) -> Why:
    """Return the same; raises SolutionError if the parts miss the difference."""
    if not why.gap <= EXACT * max(1.0, *map(abs, why.values)):
        raise SolutionError(f"the parts miss the difference of the values by {why.gap:.1e}")
    return why


def of_ends(
    moves: tuple[str, str], values: Pair, sides: tuple[Ends, Ends], *, maximise: bool = True
) -> Why:
    """Return the difference of two moves, with their values, by how their turn may end.

    `sides` have, by what an end is called, its probability times what it is worth, and its
    probability. Ends that are worth nothing are no parts: how often they come is told beside.
    """
    parts, happenings = [], []
    for what in dict.fromkeys([*sides[0], *sides[1]]):
        (worth, chance), (other, rarer) = (side.get(what, (0.0, 0.0)) for side in sides)
        parts.append(Part(what, (0.0, 0.0), (worth, other), (chance, rarer)))
        if not worth and not other:
            happenings.append(Happening(what, what, (chance, rarer)))
    parts.sort(key=lambda part: -abs(part.difference))
    told = (tuple(parts), tuple(happenings))
    return Why(*moves, values, *told, maximise=maximise, by_turn=True)


def compared_choices(
    position: Position,
    options: Sequence[Choice],
    instead: Move | str | None,
    move: Move | str | None,
) -> tuple[Choice, Choice]:
    """Return a move (the best one if none is given) and another one (the next best)."""
    if len(options) <= 1:
        raise SolutionError("there are no two moves to choose from here")

    def named(what: Move | str | None, usual: Choice) -> Choice:
        expect(what, (Move, str, NoneType), "a move, or its name,")
        if what is None:
            return usual
        label = position.named(what if isinstance(what, str) else what.label).label
        return next(choice for choice in options if choice.name == label)

    one = named(move, options[0])
    return one, named(instead, options[1] if one is options[0] else options[0])


def ranked(choices: list[Choice], *, maximise: bool) -> list[Choice]:
    """Return choices with the best first, those of equal value in their order."""
    sense = 1.0 if maximise else -1.0
    by_value = sorted(enumerate(choices), key=lambda pair: -sense * pair[1].value)
    found: list[Choice] = []
    while by_value:
        first = by_value[0][1].value
        equal = [pair for pair in by_value if as_good(pair[1].value, first, sense)]
        found.extend(choice for _, choice in sorted(equal, key=lambda pair: pair[0]))
        by_value = by_value[len(equal) :]
    return found


MOST_ENDS = 400
GOES_ON = "the turn goes on"


@define
class TurnEnd:
    """Where the turn may come, with how much probability, and that times what it is worth."""

    reached: Position
    notes: tuple[str, ...]
    chance: float = 0.0
    worth: float = 0.0


@define(eq=False)
class TurnOutlook:
    """Compares moves by how their turn may end."""

    evaluator: PositionValues

    def why(self, node: Position, moves: tuple[str, str], values: Pair) -> Why:
        """Compare two moves of a position of the compiled game; may raise SolutionError."""
        sides = [self._ends(node, name, value) for name, value in zip(moves, values, strict=True)]
        maximise = self.evaluator.compiled.goal.maximise
        return demand_exact(of_ends(moves, values, (sides[0], sides[1]), maximise=maximise))

    def _ends(self, node: Position, move: str, value: float) -> dict[str, Pair]:
        """Return by what an end is called its probability times its value, and its probability."""
        found: dict[str, Pair] = {}
        places: dict[object, TurnEnd] = {}
        first = TurnEnd(node, (), 1.0, value)
        self._add(places, first, node.named(move), 1.0, value)
        ends = self.evaluator.compiled.goal.ends
        for _ in range(MOST_ENDS):
            if not places:
                break
            place = places.pop(max(places, key=lambda key: places[key].chance))
            reached = place.reached
            if reached.starts_turn or reached.at in ends:
                name = _name(node, reached, place.notes)
                count(found, name, place.worth, place.chance)
                continue
            here = reached.node
            for what, share, worth in self.evaluator.onward(here):
                own = worth[(node.seat - here.seat) % len(worth)]
                self._add(places, place, what, share * place.chance, own)
        for place in places.values():
            count(found, GOES_ON, place.worth, place.chance)
        return found

    def _add(
        self, places: dict[object, TurnEnd], place: TurnEnd, what: Move | Outcome, chance: float,
        value: float,
    ) -> None:  # fmt: skip
        """Add what comes of a place; equal positions are one."""
        reached = place.reached.node.after(what, self.evaluator.compiled.goal.ends)
        notes = tuple(dict.fromkeys((*place.notes, *reached.notes)))
        key = (reached.at, reached.env, reached.starts_turn, notes)
        own = places.setdefault(key, TurnEnd(reached, notes))
        own.chance += chance
        own.worth += chance * value


def count(found: dict[str, Pair], name: str, worth: float, chance: float) -> None:
    """Add to what an end of some name is worth, times its probability, and to that."""
    before = found.get(name, (0.0, 0.0))
    found[name] = (before[0] + worth, before[1] + chance)


def _name(node: Position, reached: Position, notes: tuple[str, ...]) -> str:
    """Say how a turn ended: by what the rules note, else by what changed for the player.

    These are numbers; where none did, all else that outlasts the turn.
    """
    if notes:
        return ", ".join(notes)
    numbers, others = [], []
    names = node.game.names
    for name, variable in names.variables.items():
        if variable.scope not in ("player", "table"):
            continue
        first, away = variable.base, (node.seat - reached.seat) % variable.width
        before, after = node.env[first], reached.env[first + away]  # the player to move is first
        if before == after:
            continue
        if variable.type.kind != "number" and public(name):
            others += _changes(names, name, variable.type, before, after)
        if variable.type.kind == "number" and variable.scope == "player":
            numbers.append(f"{name} {float(after) - float(before):+g}")
    return ", ".join(numbers or others) or "nothing gained"


def _changes(names: Names, name: str, type: Type, before: Value, after: Value) -> list[str]:
    """Say how something changed that is no number; of a set, what has come and gone."""
    told = partial(value_text, names, name, type)
    if type.kind != "set":
        return [f"{name} {told(after)}"]
    ways = (("with", after & ~before), ("without", before & ~after))
    return [f"{name} {way} {told(members)}" for way, members in ways if members]

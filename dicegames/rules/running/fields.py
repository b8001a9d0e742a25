"""The fields of a position's text: what lasts, and what the rules still read at each moment.

`notation` writes positions with them, and reads them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from attrs import define, evolve, field, frozen

from dicegames.rules.parts.flow import Choose, Finish, Throw, reachable
from dicegames.rules.parts.game import Rules, public
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.value_text import value_text
from dicegames.rules.running.liveness import live
from dicegames.rules.running.referee import Position
from dicegames.rules.running.throw_numbers import counts_throws, loop_counters

OVER_FIELD = "over"
AT = "at"
THROW = "throw"
"""What the counter of a loop is called where it says how many throws there were."""
COUNTER = "repeat"
"""What it is called elsewhere."""


@frozen
class Field:
    """A part of a position's text: its name, and the variable that it shows."""

    name: str
    variable: Variable

    @property
    def is_count(self) -> bool:
        """Tell whether it says how many dice are to be thrown."""
        return self.variable.name.endswith(".thrown")

    @property
    def is_optional(self) -> bool:
        """Tell whether it may be left out: it then holds what a turn starts with."""
        return self.variable.initial is not None and not self.is_count


@define(eq=False)
class Notation:
    """The fields of a game: what lasts, and what is live at each choice, throw and end."""

    game: Rules
    lasting: list[Field] = field(factory=list)
    moments: dict[int, list[Field]] = field(factory=dict)
    at_names: dict[int, str] = field(factory=dict)


@lru_cache(maxsize=16)
def notation_of(game: Rules) -> Notation:
    """Return the fields of a game."""
    names = game.names
    notation = Notation(game)
    read = {names.slots[slot].name for slots in live(game) for slot in slots}
    counted = [names.variables["seat"]] if game.players > 1 else []
    counted += [names.variables["round"]] if "round" in read else []
    declared = [v for v in _distinct(names.slots) if v.scope in ("player", "table")]
    declared = [v for v in declared if v.name not in ("seat", "round") and public(v.name)]
    notation.lasting = [Field(v.name, v) for v in (*declared, *counted)]
    touched = live(game, every_read=True)
    stands = [
        number
        for number in sorted(reachable(game.flow, game.turn))
        if isinstance(game.flow[number], Choose | Throw | Finish)
    ]
    throws = {
        slot
        for slot in loop_counters(game)
        if counts_throws(game, slot, {n for n in stands if slot in touched[n]})
    }
    for number in stands:
        of_turn = [names.slots[slot] for slot in sorted(touched[number])]
        of_turn = [v for v in _distinct(of_turn) if v.scope in ("turn", "local")]
        of_turn = [evolve(v, name=THROW) if v.base in throws else v for v in of_turn]
        notation.moments[number] = list(_fields(game, of_turn, notation.lasting))
        instruction = game.flow[number]
        if isinstance(instruction, Choose | Throw):
            notation.at_names[number] = instruction.name
    return notation


def _distinct(variables: Iterable[Variable]) -> list[Variable]:
    return list({v.base: v for v in variables}.values())


def _fields(game: Rules, variables: list[Variable], lasting: list[Field]) -> Iterator[Field]:
    taken = {f.name for f in lasting} | {AT, OVER_FIELD}
    for variable in variables:
        name = variable.name
        if name.endswith(".thrown"):
            kind = name.removesuffix(".thrown")
            drawn = game.names.kinds[kind].is_drawn
            alone = len(game.names.kinds) == 1
            name = f"to draw {kind}" if drawn else "to throw" if alone else f"to throw {kind}"
        elif variable.scope == "local":
            name = name.replace(".", " ")
        number = 2
        while name in taken:
            name, number = f"{variable.name}{number}", number + 1
        taken.add(name)
        yield Field(name, variable)


def fields_text(position: Position, fields: Iterable[Field]) -> list[str]:
    """Return fields with what they hold in a position."""
    return [f"{f.name} {_shown(position, f)}" for f in fields]


def _shown(position: Position, of: Field) -> str:
    if of.variable.name == "seat":
        return str(position.whose_turn + 1)
    players = range(position.game.players if of.variable.scope == "player" else 1)
    return " / ".join(value_of(position, of.variable, p) for p in players)


def value_of(position: Position, variable: Variable, seat: int) -> str:
    """Return the value of a seat, or of the table; of several keys those that are told."""
    names = position.game.names
    slots = list(slots_of(position.game, variable, position.whose_turn, seat))
    shown = [value_text(names, variable.name, variable.type, position.env[s]) for s in slots]
    if not variable.keys:
        return shown[0]
    pairs = zip(variable.keys, shown, slots, strict=True)
    told = (  # zeros of the start go without saying
        f"{key}:{text}"
        for key, text, s in pairs
        if names.slots[s].initial or position.env[s] != names.slots[s].initial
    )
    return " ".join(told) or "none"


def slots_of(game: Rules, variable: Variable, mover: int, seat: int) -> Iterator[int]:
    """Yield the slots of a variable that belong to a seat, one for each key."""
    players = game.players if variable.scope == "player" else 1
    offset = (seat - mover) % players
    for key in range(max(1, len(variable.keys))):
        yield variable.base + key * players + offset

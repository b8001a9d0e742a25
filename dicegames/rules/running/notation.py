"""Positions as one line of text, and back.

Fields are joined by ` | `: first what lasts (of the players, by seat from seat 1; of the table;
`seat` and `round` where they matter), then what the turn holds at this moment, as far as the rules
still read it::

    score 115 | used Kamerun, General | goods 12 | dice 1 2 3 4 4 6

Without a field of the turn it is the start of a turn. Otherwise play stands at the one choice or
throw at which just these fields are live, at which there may be so many dice and a legal move, and
to which the conditions on the way lead; where there are several, `at NAME` says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial

from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.numbers import signed_number
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Choose, Environment, Finish, Throw
from dicegames.rules.parts.game import Rules, public
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import PositionError, parse_number, parse_value
from dicegames.rules.running.fields import (
    AT,
    COUNTER,
    OVER_FIELD,
    THROW,
    Field,
    Notation,
    fields_text,
    notation_of,
    slots_of,
)
from dicegames.rules.running.impossible import check_dice, is_shut_off, seen_at
from dicegames.rules.running.referee import Position, offers
from dicegames.rules.running.throw_numbers import loop_counters, most_passes

SHARE = re.compile(r"[+-]?[0-9]{1,18}/[1-9][0-9]{0,17}")
"""A part of what is shared at a tie: `-1/2`."""

# ---- a position to text


def position_text(position: Position) -> str:
    """Return a position as one line of text; `parse_position` is the inverse."""
    notation = notation_of(position.game)
    lasting = [f for f in notation.lasting if f.name != "seat" or position.whose_turn != 0]
    parts = fields_text(position, lasting)
    return " | ".join(parts if position.starts_turn else [*parts, *_turn_parts(position)])


def _turn_parts(position: Position) -> list[str]:
    notation, at, env = notation_of(position.game), position.at, position.env
    fields = notation.moments[at]
    if isinstance(position.game.flow[at], Throw):
        variables = [f.variable for f in fields]
        piles = {v.name for v in variables if v.type.kind == "dice" and env[v.base] == v.initial}
        fields = [f for f in fields if f.variable.name not in piles]
    parts = fields_text(position, fields)
    if isinstance(position.game.flow[at], Finish):
        parts.append(OVER_FIELD)
    elif not fields or _places(notation, {f.name for f in fields}) != [at]:
        parts.append(f"{AT} {notation.at_names[at]}")
    return parts


# ---- text to a position


def parse_position(game: Rules, text: str) -> Position:
    """Return the position that a text describes; raises PositionError.

    Fields may come in any order; those that are left out have their value at the start of the
    game or of the turn.
    """
    notation = notation_of(game)
    given = _given(notation, text)
    env = list(game.start())
    mover = _seat(game, given.pop("seat", "1"))
    is_settled = OVER_FIELD in given and game.names.has_payments
    for of in notation.lasting:
        if of.name in given:
            is_shared = is_settled and of.name == "money"
            _fill(game, of, given.pop(of.name), env, mover, is_shared=is_shared)
    env[game.names.variables["seat"].base] = mover
    if not given:
        return Position(game, game.turn, tuple(env), starts_turn=True)
    places = _meant(notation, given, env)
    stands = partial(_standing, notation, given=given, env=env, mover=mover)
    possible = [at for at in places if len(places) == 1 or _may_stand(stands, at)]
    if len(possible) > 1:
        open_ways = [n for n in possible if not is_shut_off(stands(n), _told(notation, n))]
        possible = open_ways or possible
    if len(possible) > 1:
        named = ", ".join(_told_apart(notation, number) for number in possible)
        raise PositionError("play may stand at several places here", f"add one of {named}")
    return stands((possible or places)[0])


def _told(notation: Notation, at: int) -> set[int]:
    """Return the slots whose values the fields of a position tell."""
    told = (of.variable for of in (*notation.lasting, *notation.moments[at]))
    return {slot for each in told for slot in range(each.base, each.base + each.width)}


def _standing(
    notation: Notation, at: int, given: dict[str, str], env: Environment, mover: int
) -> Position:
    """Return the position at a place with its fields filled; raises PositionError."""
    game, env = notation.game, list(env)
    there = [of for of in notation.moments[at] if of.name in given]
    for of in sorted(there, key=lambda of: _is_counter(game, of)):
        if _is_counter(game, of):
            _check_counter(game, of, given[of.name], env)
        _fill(game, of, given[of.name], env, mover)
    check_dice(notation, at, env)
    return Position(game, at, tuple(env))


def _may_stand(stands: Callable[[int], Position], at: int) -> bool:
    """Tell whether play may stand at a place: as many dice as are there, and a legal move."""
    try:
        position = stands(at)
        if isinstance(choose := position.instruction, Choose):
            offers(choose, [*position.env])
    except (PositionError, RuleBroken):
        return False
    return True


def other_choices(position: Position) -> list[tuple[str, tuple[str, ...]]]:
    """Return the choices of the turn that a position's fields would name with others beside them.

    Each with the moves that it has: `dice 1 2 3 4 4` is the choice of a box, and with `throw 1`
    that of the dice to keep.
    """
    notation, flow = notation_of(position.game), position.game.flow
    if position.starts_turn or not isinstance(flow[position.at], Choose):
        return []
    here = {f.name for f in notation.moments[position.at]}
    found = {}
    for number, fields in notation.moments.items():
        instruction = flow[number]
        more = [f for f in fields if f.name not in here and not f.is_optional]
        if isinstance(instruction, Choose) and more and here <= {f.name for f in fields}:
            labels = tuple(o.label for o in instruction.options if o.label)
            found[" | ".join(_to_add(position.game, f, [*position.env]) for f in more)] = labels
    return list(found.items())


def _given(notation: Notation, text: str) -> dict[str, str]:
    known = {f.name for f in notation.lasting}
    known |= {f.name for fields in notation.moments.values() for f in fields} | {AT, OVER_FIELD}
    by_length = sorted(known | {"seat"}, key=lambda name: (-len(name), name))
    given: dict[str, str] = {}
    for part in text.split("|"):
        words = " ".join(part.split())
        if not words:
            continue
        name = next((n for n in by_length if _begins(words, n)), None)
        if name is None:
            word = words.split()[0]
            shown = sorted(filter(public, known))
            hint = did_you_mean(word, shown) or f"the fields are {', '.join(shown)}"
            if word == COUNTER and THROW in known:
                hint = f"write how many throws there were: {THROW} 1 after the first one"
            raise PositionError(f'a position of this game has no field "{word}"', hint)
        if name in given:
            raise PositionError(f'the field "{name}" is given twice')
        given[name] = words[len(name) :].lstrip(" _")
    return given


def _begins(words: str, name: str) -> bool:
    start = words.lower().replace("_", " ") + " "
    return start.startswith(name.lower().replace("_", " ") + " ")


def _seat(game: Rules, text: str) -> int:
    seat = parse_number("seat", text)
    if not 1 <= seat <= game.players:
        hint = f"the seats are 1 to {game.players}" if game.players > 1 else "there is only seat 1"
        if "players" in game.names.options:
            hint += "; the option players sets how many play"
        raise PositionError(f"there is no seat {seat}", hint)
    return seat - 1


def _fill(
    game: Rules, of: Field, text: str, env: list[Value], mover: int, *, is_shared: bool = False
) -> None:
    """Set the slots of a field; what is shared may be fractions, `1/2 / 1/2 / -1`."""
    variable = of.variable
    players = game.players if variable.scope == "player" else 1
    between = " / " if is_shared and " / " in text else "/"
    parts = [part.strip() for part in text.split(between)]
    if len(parts) != players:
        sample = " / ".join([part or "..." for part in parts + parts[:1] * players][:players])
        values = f"{len(parts) if text else 'no'} value{'s'[: len(parts) > 1]}"
        message = f'"{of.name}" has {values} for {players} player{"s"[: players > 1]}'
        hint = f"write it by seat: {of.name} {sample}"
        if variable.scope == "player" and len(parts) > 1 and "players" not in game.names.options:
            hint = "there is one player only; for more declare, such as: option players = 2"
        raise PositionError(message, hint)
    for seat, part in enumerate(parts):
        slots = list(slots_of(game, variable, mover, seat))
        is_part = is_shared and SHARE.fullmatch(part)
        read = [Fraction(part)] if is_part else _values(game, of, part)
        for slot, value in zip(slots, read, strict=True):
            env[slot] = value


def _values(game: Rules, of: Field, text: str) -> list[Value]:
    variable = of.variable
    if not variable.keys:
        return [_in_range(of, parse_value(game.names, of.name, variable.type, text), variable)]
    own = [game.names.slots[slot] for slot in slots_of(game, variable, 0, 0)]
    values = [one.initial for one in own]
    seen: set[int] = set()
    is_none = text.lower() == "none"
    if is_none and any(values):  # what is left out is as at the start, and "none" may mean 0
        shown = " ".join(f"{key}:..." for key in variable.keys)
        raise PositionError(f'"{of.name}" does not begin with none', f"write: {of.name} {shown}")
    for pair in [] if is_none else text.split():
        key, _, shown = pair.partition(":")
        number = parse_number(of.name, key)
        if number not in variable.keys or not shown:
            keys = ", ".join(map(str, variable.keys))
            hint = f"write {of.name} {variable.keys[0]}:VALUE; there are {keys}"
            raise PositionError(f'"{of.name}" has nothing for "{pair}"', hint)
        if number in seen:
            raise PositionError(f'"{of.name}" has two values for {number}', "leave one of them out")
        seen.add(number)
        value = parse_value(game.names, of.name, variable.type, shown)
        place = variable.keys.index(number)
        values[place] = _in_range(of, value, own[place])
    return values


def _in_range(of: Field, value: Value, variable: Variable) -> Value:
    within = variable.within
    if within is not None and value not in within:
        hint = f"it can be from {within[0]} to {within[-1]}"
        raise PositionError(f'"{of.name}" is {value}', hint)
    if of.variable.name == "round" and value < 1:
        raise PositionError("rounds are counted from 1")
    if of.is_count and value < 1:
        raise PositionError("one die at least is thrown", f'leave "{of.name}" out')
    return value


# ---- where in the turn


def _meant(notation: Notation, given: dict[str, str], env: Environment) -> list[int]:
    """Return the instructions that go with these fields, one or more; `env` holds what lasts."""
    flow = notation.game.flow
    if OVER_FIELD in given or AT in given:
        return [_named_place(notation, given)]
    if places := _places(notation, set(given)):
        return places
    _ask_for_counter(notation, given, env)
    choices = [number for number in notation.moments if isinstance(flow[number], Choose)]
    lacking = [
        n for n, fields in notation.moments.items() if given.keys() < {f.name for f in fields}
    ]
    message = f"at no moment of a turn these fields go together: {', '.join(given)}"
    if lacking:
        message = f"this does not say where play stands: {', '.join(given)}"
    at_throws = _instances(notation, set(lacking).difference(choices))
    said = {"at a choice": _instances(notation, choices), "at a throw": at_throws}
    hint = "; ".join(
        f"{where} write, for instance: {shown}" for where, shown in said.items() if shown
    )
    raise PositionError(message, hint)


def _instances(notation: Notation, places: Iterable[int]) -> str:
    """Return what the turn holds at these places, each with one position of a random game."""
    seen = [position for at in places for position in seen_at(notation.game, at)[:1]]
    return " - or: ".join(dict.fromkeys(" | ".join(_turn_parts(each)) for each in seen))


def _ask_for_counter(notation: Notation, given: dict[str, str], env: Environment) -> None:
    """Raise PositionError where only the number of a loop is missing."""
    game = notation.game
    for fields in notation.moments.values():
        missing = [f for f in fields if f.name not in given and not f.is_optional]
        known = given.keys() <= {f.name for f in fields}
        if known and missing and all(_is_counter(game, f) for f in missing):
            here = list(env)
            for of in fields:
                if of.name in given:
                    _fill(game, of, given[of.name], here, 0)
            which = "throw" if missing[0].name == THROW else "repetition"
            add = " | ".join(_to_add(game, f, here) for f in missing)
            raise PositionError(f"it is not said which {which} this is", f"add: {add}")


def _told_apart(notation: Notation, number: int) -> str:
    """Describe a place by its name and by what may be done there."""
    instruction = notation.game.flow[number]
    doing = "dice are thrown"
    if isinstance(instruction, Choose):
        doing = "or ".join(f'"{o.label}" ' for o in instruction.options[:4] if o.label).strip()
    return f"{AT} {notation.at_names[number]}" + (f" ({doing})" if doing else "")


def _named_place(notation: Notation, given: dict[str, str]) -> int:
    """Return the place that is named, `at NAME` or `over`: its fields are given, and no others."""
    named = {name.lower(): number for number, name in notation.at_names.items()}
    if OVER_FIELD in given:
        word, where = OVER_FIELD, "when the game is over"
        at = next(n for n in notation.moments if isinstance(notation.game.flow[n], Finish))
        if said := given[OVER_FIELD]:
            raise PositionError(
                f'"{said}" is not part of "{OVER_FIELD}"', "write | between the fields"
            )
    elif (wanted := given[AT].lower()) in named:
        word, where, at = AT, f"{AT} {wanted}", named[wanted]
    else:
        hint = did_you_mean(wanted, named) or f"the places are {', '.join(sorted(named))}"
        raise PositionError(f'no place in the turn is called "{given[AT]}"', hint)
    fields = {f.name: f for f in notation.moments[at]}
    for name in given:
        if name not in (word, *fields):
            raise PositionError(f'"{name}" does not matter {where}', f'leave "{name}" out')
    for of in fields.values():
        if of.name not in given and not of.is_optional:
            shown = _instances(notation, [at])
            hint = f"write, for instance: {shown}" if shown else f"add: {of.name} ..."
            raise PositionError(f'"{of.name}" must be given {where}', hint)
    return at


def _places(notation: Notation, given: set[str]) -> list[int]:
    """Return the places that go with some fields: all of them live, none missing; else the best."""
    missing: dict[int, int] = {}
    for number, fields in notation.moments.items():
        names = {f.name for f in fields}
        needed = {f.name for f in fields if not f.is_optional}
        over = isinstance(notation.game.flow[number], Finish)
        if not over and needed <= given <= names:
            missing[number] = len(names - given)
    least = min(missing.values(), default=0)
    return [number for number, lacking in missing.items() if lacking == least]


def _is_counter(game: Rules, of: Field) -> bool:
    return of.variable.base in loop_counters(game)


def _check_counter(game: Rules, of: Field, text: str, env: list[Value]) -> None:
    """Refuse a number that a loop of a turn does not come to."""
    number = signed_number(text)
    most = most_passes(game, of.variable.base, env)
    if number is None or not 1 <= number <= most:
        given = f'"{text}"' if text and number is None else text or "not given"
        range_ = f"from 1 to {most}" if most > 1 else "1 only" if most else "nothing"
        raise PositionError(f'"{of.name}" is {given}', f"here it can be {range_}")


def _to_add(game: Rules, of: Field, env: Environment) -> str:
    """Return what is to be written of a field: a number, or whatever it may hold."""
    if not _is_counter(game, of):
        return f"{of.name} ..."
    most = most_passes(game, of.variable.base, env)
    return f"{of.name} 1" + (f" to {most}" if most > 2 else " or 2" if most == 2 else "")

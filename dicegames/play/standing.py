"""How the players stand: what lasts of a position by seat, their scores and ranks."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from fractions import Fraction

from attrs import frozen

from dicegames.ground.numbers import turned
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Variable
from dicegames.rules.parts.rows import Box
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import box_rows, value_text
from dicegames.rules.running.fields import Field, notation_of, slots_of, value_of
from dicegames.rules.running.referee import Move, Position
from dicegames.rules.running.throw_numbers import loop_counters, throw_number

EMPTY = ("none", "no")
OPEN_CELL = "-"
"""What stands where nothing is yet."""
LONGEST_WORDS = 30
PILE, BOARD = "pile", "board"
MEANS = re.compile(r"^(\w+) means\s*\Z", re.MULTILINE)


@frozen
class ScoreLine:
    """A line of the score card: a name, and what each seat (or the table) has there."""

    name: str
    values: tuple[str, ...]


def lasting(position: Position) -> dict[Hashable, Value]:
    """Return what outlives a turn, by name, key and seat."""
    game, node = position.game, position
    found: dict[Hashable, Value] = {}
    for field in notation_of(game).lasting:
        variable = field.variable
        seats = range(game.players) if variable.scope == "player" else [0]
        for seat in seats:
            for number, slot in enumerate(slots_of(game, variable, node.seat, seat)):
                found[field.name, number, seat] = node.env[slot]
    return found


def entries(position: Position) -> tuple[list[ScoreLine], list[ScoreLine]]:
    """Return what lasts, one line for each variable: of the players, and of the whole table.

    Boxes, and what is counted for each of several numbers, are shown in another way.
    """
    own: list[ScoreLine] = []
    shared: list[ScoreLine] = []
    for field in notation_of(position.game).lasting:
        variable = field.variable
        if field.name in ("used", "seat", "round") or variable.keys:
            continue
        is_own = variable.scope == "player"
        seats = range(position.game.players) if is_own else [0]
        shown = tuple(value_of(position, variable, seat) for seat in seats)
        limit = _limit(position.game, field)
        name = f"{field.name},{limit}" if limit else field.name
        (own if is_own else shared).append(ScoreLine(name, shown))
    return own, shared


def _limit(game: Rules, field: Field) -> str:
    """Return the goal of a number: the house rule beyond which the rules count no further."""
    variable = field.variable
    line = game.source.line_text(game.source.line_column(variable.span.start)[0])
    found = re.search(r"\bto (\w+) capped", line) if variable.capped else None
    if not found or variable.within is None or found[1] not in game.names.options:
        return ""
    return f" of {variable.within[-1]}"


@frozen
class Thing:
    """Something of a position in words; `drawn` says what shows it where there are pictures."""

    text: str
    drawn: str = ""


def things(position: Position) -> dict[str, Thing]:
    """Return by name what the player to move has, and what the turn holds.

    Left out are others' things, scores, the number of the throw, and what is empty as at the start.
    """
    game, node = position.game, position.node
    notation = notation_of(game)
    found = {}
    counters = loop_counters(game) if throw_number(node) else []
    for field in [*notation.lasting, *notation.moments.get(node.at, [])]:
        variable = field.variable
        if field.name in ("seat", counted_as(game)) or variable.base in counters:
            continue
        if variable.type.kind == "box":  # the move said it, and what is needed is told
            continue
        text = value_of(node, variable, node.seat)
        if text in EMPTY and node.env[variable.base] == variable.initial:
            continue
        drawn = PILE if variable.type.kind == "dice" else BOARD if variable.keys else ""
        found[field.name] = Thing(f"{field.name} {text}{_limit(game, field)}", drawn)
    return found


def owned(position: Position, seat: int) -> list[Value]:
    """Return what lasts of a player's things."""
    game = position.game
    own = [field.variable for field in notation_of(game).lasting]
    slots = [slots_of(game, v, position.whose_turn, seat) for v in own if v.scope == "player"]
    return [position.env[slot] for some in slots for slot in some]


@frozen
class Tracks:
    """What is counted for each of several numbers, such as progress in columns.

    `most` are the greatest values by number, empty where there are none or all are alike; `rows`
    have a name and a value for each number, those of the players in the order of the seats.
    """

    keys: tuple[int, ...]
    most: tuple[str, ...]
    rows: tuple[tuple[str, int | None, tuple[str, ...]], ...]


def boards(position: Position) -> list[Tracks]:
    """Return the boards of a game: variables with the same numbers share one."""
    game, node = position.game, position.node
    notation = notation_of(game)
    found: dict[tuple[int, ...], list[Variable]] = {}
    for field in [*notation.lasting, *notation.moments.get(node.at, [])]:
        if field.variable.keys:
            found.setdefault(field.variable.keys, []).append(field.variable)
    return [_board(node, keys, variables) for keys, variables in found.items()]


def _board(node: Position, keys: tuple[int, ...], variables: Sequence[Variable]) -> Tracks:
    game, most = node.game, tuple[str, ...]()
    rows: list[tuple[str, int | None, tuple[str, ...]]] = []
    for variable in variables:
        is_own = variable.scope == "player"
        for seat in range(game.players) if is_own else [None]:
            slots = list(slots_of(game, variable, node.seat, seat or 0))
            own = [game.names.slots[slot] for slot in slots]
            texts = [
                OPEN_CELL
                if node.env[s] == v.initial and not v.initial
                else value_text(game.names, variable.name, variable.type, node.env[s])
                for s, v in zip(slots, own, strict=True)
            ]
            rows.append((variable.name, seat, tuple(texts)))
            ends = tuple(str(v.within[-1]) for v in own if v.within is not None)
            if not most and len(ends) == len(own) and len(set(ends)) > 1:
                most = ends
    return Tracks(keys, most, tuple(rows))


def needs(position: Position) -> str:
    """Return the dice that the box which is being filled still needs, empty where there is none."""
    node = position.node
    for field in notation_of(position.game).moments.get(node.at, []):
        box = node.env[field.variable.base]
        if isinstance(box, Box):
            lacking = box.lacking(node.env[box.row.dice])
            return box.row.kind.text(lacking) if lacking and any(lacking) else ""
    return ""


def boxes(position: Position) -> list[tuple[str, tuple[bool, ...]]]:
    """Return every box with, for each seat, whether it is used."""
    game = position.game
    used = next((f.variable for f in notation_of(game).lasting if f.name == "used"), None)
    if used is None:
        return []
    seats = range(game.players if used.scope == "player" else 1)
    masks = [position.env[next(slots_of(game, used, position.whose_turn, s))] for s in seats]
    return [
        (row.label, tuple(bool(mask >> bit & 1) for mask in masks))
        for bit, row in enumerate(box_rows(game.names))
    ]


def used(position: Position, seat: int) -> list[str]:
    """Return the boxes that a player has used, or anybody where they are shared."""
    return [label for label, by in boxes(position) if by[seat if len(by) > 1 else 0]]


def counted_as(game: Rules) -> str:
    """Return what scores are, in the words of the rules where they are few."""
    if not game.turn_points:
        return "score"
    span = game.turn_points[0].span
    if (named := MEANS.search(game.source.text, 0, span.start)) is not None:
        return named[1].replace("_", " ")
    words = game.source.words(span)
    return words if 0 < len(words) <= LONGEST_WORDS and " if " not in words else "score"


def scores(position: Position) -> tuple[Fraction, ...] | None:
    """Return by seat what counts for the ranking, or what the payoff is if play ended here.

    None where the rules give no such number before the end.
    """
    game = position.game
    env = list(position.env)
    try:
        if game.standings:
            found = [Fraction(expression.run(env)) for expression in game.standings]
        else:
            found = [Fraction(game.payoff(env, seat)) for seat in range(game.players)]
    except (RuleBroken, TypeError, ValueError, ZeroDivisionError):
        return None
    return turned(found, -position.whose_turn)


def brings(position: Position, moves: Sequence[Move]) -> dict[str, str]:
    """Return what is said beside moves: what they add to the score, or where they lead.

    Moves that end the turn add to the score, `+8`; nothing is said where all add the same. Others
    may change what the turn counts for each of several numbers: `(4, 10)`.
    """
    before, seat = scores(position.node), position.node.seat
    found, ends = {}, {}
    for move in moves:
        after = position.after(move)
        if not after.starts_turn and not after.is_over:
            found[move.label] = _raised(position, after)
            continue
        now = scores(after)
        if before is not None and now is not None:
            change = now[seat] - before[seat]
            ends[move.label] = f"{'+' if change >= 0 else ''}{change}"
    if len(set(ends.values())) > 1 or len(ends) < len(moves):
        found |= ends
    return found


def _raised(position: Position, after: Position) -> str:
    """Return the numbers for which a move changes what the turn counts."""
    found = []
    for variable in {v.base: v for v in position.game.names.slots if v.keys}.values():
        if variable.scope != "turn":
            continue
        for slot, key in enumerate(variable.keys, variable.base):
            change = after.env[slot] - position.node.env[slot]
            if change:
                found.append(str(key) if change == 1 else f"{key} {change:+}")
    return f"({', '.join(found)})" if found else ""


def rank(game: Rules, standing: tuple[Fraction, ...], seat: int) -> int:
    """Return the rank of a seat, 1 for the best; equal scores share the better rank."""
    own = standing[seat]
    return 1 + sum(score > own if game.many_points else score < own for score in standing)

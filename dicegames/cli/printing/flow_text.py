"""The instructions of a game as text: the second stage of `dicegames show`."""

from __future__ import annotations

from collections.abc import Iterator

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
    reachable,
)
from dicegames.rules.parts.game import Game


def lines_of_flow(game: Game) -> Iterator[str]:
    """Yield the variables and the instructions of a game."""
    yield f"{game.title}, {game.players} player{'s'[: game.players > 1]}"
    yield ""
    seen = set()
    for variable in game.names.slots:
        if variable.base not in seen and "." not in variable.name and variable.scope != "local":
            seen.add(variable.base)
            limit = "" if variable.high is None else f", {variable.low} to {variable.high}"
            yield f"{variable.scope:<7} {variable.name}: {variable.type}{limit}"
    yield ""
    numbers = sorted(reachable(game.flow, game.turn))
    places = {number: place for place, number in enumerate(_in_order(game), 1)}
    width = len(str(len(numbers)))
    for number in sorted(numbers, key=places.__getitem__):
        yield f"{places[number]:>{width}}  {_told(game, game.flow[number], places)}"


def _in_order(game: Game) -> list[int]:
    """Return the instructions in the order in which a turn meets them."""
    order: list[int] = []
    pending = [game.turn]
    while pending:
        number = pending.pop()
        if number not in order:
            order.append(number)
            pending.extend(reversed(game.flow[number].successors()))
    return order


def _told(game: Game, instruction: Instruction, places: dict[int, int]) -> str:
    words = _words(game, instruction)
    match instruction:
        case Test(next=yes, other=no):
            return f"if {words}: {places[yes]}, else {places[no]}"
        case Choose(options=options, other=other):
            parts = [f'"{o.label}" {places[o.entry]}'.removeprefix('"" ') for o in options]
            parts += [f"otherwise {places[other]}"] if other >= 0 else []
            return f"choose ({instruction.name}): " + ", ".join(parts)
        case Finish():
            return "the game is over"
        case TurnEnds():
            return f"the turn is over, the next begins -> {places[instruction.next]}"
    return f"{words} -> {places[instruction.next]}"


def _words(game: Game, instruction: Instruction) -> str:
    name = game.names.slots[instruction.slot].name if isinstance(instruction, Set) else ""
    text = _source(game, instruction)
    match instruction:
        case Throw(kind=kind):
            assert kind is not None
            word = "draw from" if kind.is_drawn else "throw"
            return f"{word} {kind.name} ({instruction.name})"
        case Note(label=label):
            return f'note "{label}"' if label else "note what it is"
        case Pay():
            return f"pay: {text}"
        case Set() if name.endswith(".thrown"):
            return f"take dice to throw: {text}"
        case Set() if "." in name:
            return f"move dice: {text}"
        case Set():
            return f"set {name}: {text}"
    return text


def _source(game: Game, instruction: Instruction) -> str:
    """Return the words of the rules that an instruction comes from."""
    span = instruction.span
    text = game.source.text[span.start : span.end].split("\n", 1)[0]
    return " ".join(text.split("#")[0].split()) or "(by itself)"

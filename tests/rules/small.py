"""Small games for tests: the parts that a test is not about are filled in."""

from pathlib import Path
from typing import Any

from dicegames.ground.diagnostic import Diagnostics, RulesError
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Scope
from dicegames.rules.parts.types import Value
from dicegames.rules.reading.expressions import expressions
from dicegames.rules.running.referee import Outcome, Position, start
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import parse

DEFAULTS = {
    "game ": 'game "Test"',
    "dice": "dice 3d6",
    "each player": "each player\n    score = 0",
    "turn": "turn\n    roll all\n    score + sum of dice",
    "ends": "ends after 3 rounds",
    "payoff": "payoff highest score",
}

PIG = """
game "Pig"
option players = 2 from 1 to 4
option target = 10 from 1 to 10000
dice 1d6
each player
    total = 0
this turn
    points = 0
turn
    repeat
        roll all
        if dice show 1: end turn
        points + sum of dice
        choose
            "Roll" when total + points < target: next
            "Hold": total + points, end turn
ends when any player has total >= target
ranking highest total
payoff win
"""
"""The moves set a limit to the points of a turn, none is declared."""
AT_RISK = """
game "Points at risk"
option rounds = 1 from 1 to 3
dice 1d6
each player
    score = 0
this turn
    risk = 0
turn
    repeat
        roll all
        if dice show 1: end turn
        risk + sum of dice
        choose
            "On": next
            "Stop"
                score + risk
                end turn
ends after rounds rounds
payoff highest score
"""
"""Nothing limits what is at risk in a turn."""


def read(path: Path, **options: Any) -> Rules:
    """Return the game of a rules file."""
    return check(Source(path.name, path.read_text("utf-8")), options)


def game(text: str, **options: Any) -> Rules:
    """Return the game of a text, with the parts that it leaves out."""
    lines = text.strip("\n").splitlines()
    indent = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    text = "\n".join(x[indent:] for x in lines)
    for head, default in DEFAULTS.items():
        if not any(line.startswith(head) for line in text.splitlines()):
            text += f"\n{default}"
    return check(Source("test.dg", text + "\n"), options)


def dice(game: Rules, text: str, pile: str = "") -> tuple[int, ...]:
    """Return dice, given as text, as a multiset."""
    kind = game.names.kinds[pile or next(iter(game.names.kinds))]
    faces = [str(face) for face in kind.faces]
    counts = [0] * len(faces)
    for word in text.split():
        counts[faces.index(word)] += 1
    return tuple(counts)


def expression(text: str) -> Node:
    """Return the syntax tree of an expression."""
    source = Source("expression", f"x means {text}\n")
    diagnostics = Diagnostics(source)
    nodes = parse(source, diagnostics)
    if diagnostics.found:
        raise RulesError(source, diagnostics.found)
    return nodes[0].child(2)


def value(game: Rules, text: str, roll: str | None = None, **values: Value) -> Value:
    """Return what an expression is at the start of a game, with these dice and values."""
    checked = expressions(game.names).check(expression(text), Scope())
    found = game.names.diagnostics.found
    if found:
        error = RulesError(Source("expression", f"x means {text}\n"), list(found))
        found.clear()
        raise error
    env = game.start()
    for name, new in values.items():
        env[game.names.variables[name].base] = new
    if roll is not None:
        env[game.names.variables[next(iter(game.names.kinds))].base] = dice(game, roll)
    return checked.run(env)


def roll(position: Position, text: str) -> Position:
    """Return the position after a throw that shows these dice."""
    for outcome in position.outcomes():
        if sorted(outcome.text.split()) == sorted(text.split()):
            return position.play(outcome)
    raise AssertionError(f"{text} cannot be thrown here: {position}")


def play(game: Rules, *what: str) -> Position:
    """Return the position after throws (their dice as text) and moves (their names)."""
    position = start(game)
    for text in what:
        position = roll(position, text) if position.is_chance else position.play(text)
    return position


def labels(position: Position) -> list[str]:
    """Return the names of the moves of a position."""
    return [move.label for move in position.moves()]


def get(position: Position, name: str, player: int = 0) -> Value:
    """Return a variable of a position (of the player so many seats after the one to move)."""
    variable = position.game.names.variables[name]
    return position.node.env[variable.base + (player if variable.scope == "player" else 0)]


def payoff(position: Position) -> list[object]:
    """Return what each seat has at the end of a game."""
    assert position.is_over
    return list(position.payoff)


__all__ = [
    "AT_RISK",
    "PIG",
    "Outcome",
    "Position",
    "dice",
    "game",
    "get",
    "labels",
    "payoff",
    "play",
    "read",
    "roll",
    "start",
    "value",
]

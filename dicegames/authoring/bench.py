"""A solved game with all words of its rules as expressions, which can be asked in a position."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.authoring.decisions import Decision
from dicegames.authoring.words import ALWAYS, TITLE, Words, line_text, read_lines
from dicegames.ground.diagnostic import Diagnostics
from dicegames.rules.parts.advice import Line
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.game import Game
from dicegames.rules.parts.names import Scope
from dicegames.rules.parts.types import NUMBER
from dicegames.rules.reading.expressions import expressions
from dicegames.syntax.parse import parse


@frozen(eq=False)
class Bench:
    """The game, solved, with all words as expressions and lines that can be asked in a position."""

    solution: Solution
    best: float
    numbers: Mapping[str, Expression]
    truths: Mapping[str, Expression]
    moves: Mapping[str, Line]

    @classmethod
    def of(cls, rules: Game, words: Words, objective: str, threads: int | None) -> Bench:
        """Return the bench of a game; raises SolutionError."""
        lines = [f"when {text} >= 0: best" for text in words.numbers]
        lines += [f"when {text}: best" for text in words.truths]
        lines += [line_text(ALWAYS, move) for move in words.moves]
        game, found = read_lines(rules, lines)
        solution = solve_game(game, objective, threads=threads)
        value = solution.value
        if solution.game.players > 1 and solution.compiled.model.seats > 1:
            message = "a card is for who plays alone, and here players look at each other; look at "
            raise SolutionError(message + "one turn (--objective turn), or set players=1")
        first, second = len(words.numbers), len(words.numbers) + len(words.truths)
        return cls(
            solution,
            value[0] if isinstance(value, tuple) else value,
            dict(zip(words.numbers, _numbers(game, first), strict=True)),
            {words.truths[n - first]: found[n].condition for n in range(first, second)},
            {words.moves[n - second]: found[n] for n in range(second, len(lines))},
        )


def _numbers(game: Game, count: int) -> list[Expression]:
    """Return what is compared in the first strategies of cards."""
    checker = expressions(game.names)
    tops = parse(game.source, Diagnostics(game.source))
    blocks = [node for node in tops if node.kind == "strategy"][-len(game.strategies) :]
    own = [node for node in blocks if node.child(0).text.startswith(f"{TITLE} ")]
    return [
        checker.check(node.parts()[1].child(0).child(0), Scope(), NUMBER) for node in own[:count]
    ]


def first_legal(line: Line, decision: Decision) -> int:
    """Return the number of the legal move that a line plays, -1 if it plays none."""
    for move, legal in line.wished(list(decision.env), decision.offered):
        if legal is True:
            return decision.legal.index(move)
    return -1


def has_letters(text: str) -> bool:
    """Tell whether a text has letters that stand for faces."""
    return any(word in ("x", "y", "z") for word in text.replace('"', "").split())

"""A solved game with all words of its rules as expressions, which can be asked in a position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from attrs import frozen

from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.authoring.cards.decisions import Decision
from dicegames.authoring.cards.words import (
    ALWAYS,
    TITLE,
    Feature,
    Words,
    feature_text,
    line_text,
    read_lines,
)
from dicegames.compiler.compile import alone
from dicegames.compiler.exploring.roles import assign_roles
from dicegames.compiler.goal import goal_of
from dicegames.compiler.independence import is_independent
from dicegames.ground.diagnostic import Diagnostics
from dicegames.ground.limits import Limits
from dicegames.rules.parts.advice import Line, Measured
from dicegames.rules.parts.flow import Expression, option_reads
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Scope
from dicegames.rules.parts.types import NUMBER
from dicegames.rules.reading.expressions import expressions
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.playing import looking
from dicegames.syntax.parse import parse

ALONE = "a card is for who plays alone"


@frozen(eq=False)
class Bench:
    """The game, solved, with all words as expressions and lines that can be asked in a position.

    Words speak of what play depends on, of the dice, and of the variables of the turn.
    """

    rules: Rules
    solution: Solution
    best: float
    numbers: Mapping[str, Expression]
    truths: Mapping[str, Expression]
    moves: Mapping[str, Line]
    features: Mapping[Feature, Line]  # lines that pick what has most of it
    offered: frozenset[int]  # the slots that tell which moves are legal

    @classmethod
    def of(cls, rules: Rules, words: Words, objective: str, limits: Limits) -> Bench:
        """Return the bench of a game; raises SolutionError."""
        if objective_of(objective).compares(rules):
            raise SolutionError(f"{ALONE}, and to win takes several; leave the objective out")
        if objective_of(objective).endless:
            message = "a card is for games that end, and in the long run none does; "
            raise SolutionError(message + "look at one turn: --objective turn")
        if rules.players > 1 and is_independent(rules):  # players do not touch each other
            rules = alone(rules) or rules
        if rules.players > 1 and goal_of(rules, objective_of(objective)).rotates:
            message = f"{ALONE}, and here players look at each other; look at one turn "
            raise SolutionError(message + "(--objective turn), or set players=1")
        lines = [f"when {text} >= 0: best" for text in words.numbers]
        lines += [f"when {text}: best" for text in words.truths]
        picks = (f"pick {f[0]} with highest {feature_text(f)}" for f in words.features)
        lines += [line_text(ALWAYS, move) for move in (*words.moves, *picks)]
        game, found = read_lines(rules, lines)
        first, second = len(words.numbers), len(words.numbers) + len(words.truths)
        third = second + len(words.moves)
        kept = _playable(rules, objective)
        asked = dict(
            zip([n for n in found if n < first], _numbers(game, found, first), strict=True)
        )
        asked |= {n: found[n].condition for n in found if first <= n < second}
        texts = [*words.numbers, *words.truths, *words.moves]
        said = {n: e for n, e in asked.items() if e.reads and e.reads <= kept}
        moves = {n: line for n, line in found.items() if n >= second and line.reads <= kept}
        reads = frozenset(chain.from_iterable([e.reads for e in said.values()]))
        reads = reads.union(*(line.reads for line in moves.values()))
        solution = solve_game(looking(game, reads), objective, limits=limits)
        options = game.alternatives
        return cls(
            rules,
            solution,
            solution.value_for(),
            {texts[n]: e for n, e in said.items() if n < first},
            {texts[n]: e for n, e in said.items() if n >= first},
            {texts[n]: line for n, line in moves.items() if n < third},
            {words.features[n - third]: line for n, line in moves.items() if n >= third},
            frozenset(chain.from_iterable(option_reads(o) for o in options)),
        )


def _playable(rules: Rules, objective: str) -> frozenset[int]:
    """Return the slots of which a card may speak: what play depends on, and those of the turn."""
    roles = assign_roles(goal_of(rules, objective_of(objective)))
    slots = enumerate(rules.names.slots)
    own = (s for s, v in slots if v.scope not in ("player", "table") or v.type.kind == "dice")
    return frozenset({*roles.axes, *own} - set(roles.rewards))


def _numbers(game: Rules, found: Mapping[int, Line], count: int) -> Iterator[Expression]:
    """Yield what is compared in the strategies with a number below `count`."""
    checker = expressions(game.names)
    tops = parse(game.source, Diagnostics(game.source))
    blocks = [node for node in tops if node.kind == "strategy"][-len(game.strategies) :]
    own = [node for node in blocks if node.child(0).text.startswith(f"{TITLE} ")]
    for number, node in zip(found, own, strict=True):
        if number < count:
            yield checker.check(node.parts()[1].child(0).child(0), Scope(), NUMBER)


Ranked = list[tuple[int, tuple[Any, ...]]]
"""Numbers of the legal moves that a line may pick, each with what it is ranked by."""


def ranking(line: Line) -> Callable[[Decision], Ranked]:
    """Return what tells how a line ranks the picks of a decision; each is measured once."""
    parts = {(p.option.entry, p.option.slot): (p, sorted(p.reads)) for p in line.wish.ranked}
    known: dict[tuple[object, ...], tuple[Any, ...] | None] = {}

    def marks(part: Measured, env: list[Any], value: object) -> tuple[Any, ...] | None:
        env[part.option.slot] = value
        if part.where is not None and not part.where.run(env):
            return None
        return tuple(sign * rank.run(env) for sign, rank in part.ranks)

    def ranked(decision: Decision) -> Ranked:
        env = list(decision.env)
        seen = {at: tuple(env[s] for s in slots) for at, (_, slots) in parts.items()}
        found: Ranked = []
        for place, move in enumerate(decision.legal):
            at = (move.entry, move.slot)
            if at not in parts:
                continue
            key = (*at, move.value, seen[at])
            if key not in known:
                known[key] = marks(parts[at][0], env, move.value)
            told = known[key]
            if told is not None:
                found.append((place, told))
        return found

    return ranked


def first_legal(line: Line) -> Callable[[Decision], int]:
    """Return what tells the number of the legal move that a line plays, -1 if it plays none."""
    if line.wish.ranked:
        ranked = ranking(line)
        return lambda decision: max(ranked(decision), key=lambda m: m[1], default=(-1, ()))[0]

    def first(decision: Decision) -> int:
        for move, legal in line.wished(list(decision.env), decision.offered):
            if legal is True:
                return decision.legal.index(move)
        return -1

    return first


def has_letters(text: str) -> bool:
    """Tell whether a text has letters that stand for faces."""
    return any(word in ("x", "y", "z") for word in text.replace('"', "").split())

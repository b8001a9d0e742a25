"""`dicegames advise`: what every move is worth in a position."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from random import Random

import rich_click as click
from attrs import asdict

from dicegames.analysis.solution import Solution, UnknownPosition
from dicegames.cli.playing.why import explained, reason_lines
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs, Rows, Title, about
from dicegames.cli.printing.in_words import is_probability, unit, value_lines, what_is_open
from dicegames.cli.solving import Solving, obtained
from dicegames.compiler.compiled import project
from dicegames.loading import Game
from dicegames.play.judge import Scale
from dicegames.play.wording import Line
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.running.notation import other_choices
from dicegames.rules.running.referee import Choice, Position
from dicegames.rules.running.throw_numbers import throw_number
from dicegames.solver.model import TIE

MOST_SHOWN = 12
WHY_PLACES = 4
MOST_NAMED = 6
POSITIONS_TRIED = 100
THROWS_TRIED = 100
"""Each time; by some rules a turn never ends."""


def run(
    game: Game, position: str | None, solving: Solving, *, everything: bool, why: str | None
) -> Answer:
    """Return the moves of a position with their values.

    `why`: the best one is better than which move; "" for the next best, None for none.
    """
    if position is None:
        raise click.UsageError(_such_as(game))
    at = game.position(position)
    instead = at.named(why) if why else None
    solution = obtained(game, solving)
    value = solution.value_of(position)
    options = solution.options(at)
    reached = None if options or at.is_over else _after_throws(at)
    moves = [{"move": choice.name, "value": choice.value} for choice in options]
    mover = at.seat + 1 if game.rules.players > 1 and not at.is_over else None
    told = about(game, solution.objective, position=str(at), seat=mover, value=value, moves=moves)
    told |= {"status": solution.solved.status.name.lower(), "error_bound": solution.error_bound}
    most = len(options) if everything else MOST_SHOWN
    blocks = _for_people(game, solution, at, options, most, reached)
    if why is not None:
        reasons = explained(solution, at, instead)
        told |= {"why": asdict(reasons) | {"gap": reasons.gap}}
        share = is_probability(solution)
        scale = Scale(is_share=share, places=2 if share else WHY_PLACES)
        blocks = chain(blocks, [[("", "")], *reason_lines(reasons, scale)])
    return Answer(told, blocks)


def _such_as(game: Game) -> str:
    """Say what to give as a position; with one in which something is to be chosen, if there is."""
    start = game.start()
    shown = (_after_throws(start) if start.is_chance else start) or start
    told = f'say in which position, such as "{shown}"'
    return f'{told}; "" is the start of the game' if shown is not start else told


def _for_people(
    game: Game, solution: Solution, position: Position, options: list[Choice], most: int,
    reached: Position | None,
) -> Iterator[Block]:  # fmt: skip
    yield Title(game.title, str(position))
    others = []
    for fields, labels in other_choices(position):
        named = f" ({', '.join(labels[:MOST_NAMED])})" if labels else ""
        others.append(f"turn has another choice{named}: for that, add {fields}")
    number, last = throw_number(position) or (0, 0)
    after = f"throw {number} of {last}" if number < last else "the last throw"
    if last:
        yield from ([(f"This is after {after}; the {told}", "dim")] for told in others)
    if points := _taken_as_given(solution, position):
        yield [(f"{points} is taken as given: that it goes with the rest is not checked", "yellow")]
    lines = value_lines(solution, solution.value_of(position))
    several = game.rules.players > 1 and not position.is_over
    mover = [("to move", f"player {position.seat + 1}")] if several else []
    values = [("value", lines[0]), *(("", line) for line in lines[1:]), ("", unit(solution))]
    yield Pairs([*mover, *values, *what_is_open(solution)])
    if options:
        yield ""
        yield options_table(options, most)
        if len(options) > most:
            yield [(f"and {len(options) - most} more: --all lists them", "dim")]
    elif position.is_over:
        yield [("the game is over", "dim")]
    else:
        told = "dice are thrown here, nothing is to be chosen"
        if reached is not None:
            told += f'; after them ask, for instance: "{reached}"'
        yield [(told, "dim")]
    if not last:
        yield from ([(f"The {told}", "dim")] for told in others)


def _taken_as_given(solution: Solution, position: Position) -> str:
    """Return the points at a position that nothing there explains; "" if none.

    It is otherwise like the start of the game, or they are more than a whole game is worth.
    """
    compiled = solution.compiled
    if not compiled.goal.objective.is_the_rules_own:
        return ""
    slots, first = compiled.game.names.slots, compiled.game.start()
    own = project(position, compiled.game).env
    changed = [
        (number, f"{slot.name} {now}")
        for number, (slot, now, before) in enumerate(zip(slots, own, first, strict=True))
        if slot.scope in ("player", "table") and now != before
    ]
    points = [text for number, text in changed if number in compiled.roles_.rewards]
    if len(points) == len(changed) or abs(compiled.gained([*own])[0]) > abs(solution.values[0]):
        return ", ".join(points)
    return ""


def _after_throws(position: Position) -> Position | None:
    """Return a choice to which throws may lead in this turn; None where they hardly do.

    Raises UnknownPosition where the rules do not go on from one of them.
    """
    chance = Random(1)  # noqa: S311 - an example, the same each time
    try:
        for _ in range(POSITIONS_TRIED):
            node = position.node
            for _ in range(THROWS_TRIED):
                if not node.is_chance or (node != position.node and node.starts_turn):
                    break
                node = node.after(node.throw(chance))
            if not node.starts_turn and not node.is_over and not node.is_chance:
                return node
    except RuleBroken as broken:
        message = f'the position "{position}" cannot come up in the game: {broken.message}'
        raise UnknownPosition(message) from None
    return None


def options_table(options: list[Choice], most: int) -> Rows:
    """Return a table of moves, their values and what they lose against the best."""
    rows: list[list[str | Line]] = []
    for choice in options[:most]:
        loss = abs(options[0].value - choice.value)
        best = loss <= TIE
        style = "bold green" if best else ""
        name, value = choice.name or "(no name)", output.number(choice.value, 4)
        shown = "best" if best else output.number(loss, 4)
        rows.append([[(name, style)], [(value, style)], shown])
    return Rows("lrr", rows, ("move", "value", "loss"), styles=("", "", "dim"))

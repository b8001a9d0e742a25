"""Play that is not the best: what the bots of all levels get, and what `analyse` says of a game."""

from __future__ import annotations

from functools import partial
from math import exp

from dicegames.analysis.solution import Solution as Solved
from dicegames.cli.commands.levels import exact_worths
from dicegames.play.judge import Ledger, Scale
from dicegames.play.levels import LEVELS
from dicegames.play.match import Match, any_move
from dicegames.rules.parts.game import Rules
from tests.reference.course import Position, past_certain
from tests.reference.report import CLOSE, Report
from tests.reference.solving import Solution

LONGEST = 60
"""Steps of a game that is judged; it may go round for ever."""


def hold_judged(report: Report, rules: Rules, ours: Solution, found: Solved) -> None:
    """Compare what levels are worth, and the account of a game that is played at random."""
    if worths := report.asked("levels", partial(exact_worths, found.compiled.game, LEVELS)):
        for level, worth in zip(LEVELS, worths, strict=True):
            right = _level_value(ours, level.share)
            if right is not None:
                report.hold("levels", right, worth)
    report.asked("analyse", partial(_analysed, report, rules, ours, found))


def _level_value(solution: Solution, share: float) -> float | None:
    """Return what a level gets in seat 1, the others playing best; None where play goes round."""
    known: dict[Position, float] = {}
    for position, values in solution.values.items():  # those that are led to come first
        ways = solution.ways[position]
        chances = [float(way.probability) for way in ways]
        if position.kind == "over":
            known[position] = float(values[0])
        elif position.kind == "choice" and solution.course.seat(position):
            ways, chances = [ways[solution.chosen.get(position, 0)]], [1.0]
        elif position.kind == "choice":
            chances = _level_chances(solution, position, share)
        if ways and all(way.to in known for way in ways):
            pairs = zip(chances, ways, strict=True)
            known[position] = sum(chance * known[way.to] for chance, way in pairs)
    return known.get(solution.course.start().to)


def _level_chances(solution: Solution, position: Position, share: float) -> list[float]:
    """Return how likely a level makes each move: as the documentation says it."""
    values = [worth[0] for _, worth in solution.move_values(position)]
    best = (max if solution.objective.maximise else min)(values)
    losses = [float(abs(best - value)) for value in values]
    mean = sum(losses) / len(losses)
    weights = [exp(-loss / (share * mean)) if mean > CLOSE else 1.0 for loss in losses]
    return [weight / sum(weights) for weight in weights]


def _analysed(report: Report, rules: Rules, ours: Solution, found: Solved) -> None:
    """Hold start, luck, losses and what others did of each player, as far as a game was played."""
    match = Match(rules, seed=1)
    for _ in match.choices(LONGEST):
        match.play(any_move(match))
    ledger = Ledger(match, found, Scale())
    ledger.update()
    course, way, players = ours.course, ours.course.start(), range(rules.players)
    sense = 1 if ours.objective.maximise else -1
    start = value = ours.value_of(way)
    luck, losses, others = ([0.0] * rules.players for _ in range(3))
    for step in match.steps:
        way = past_certain(course, way)
        if step.is_throw and len(step.before.outcomes()) == 1:
            continue
        seat, before, ways = course.seat(way.to), value, course.ways(way.to)
        best = max(ours.value_of(each)[seat] * sense for each in ways)
        way = next(each for each in ways if each.label == step.text)
        value = ours.value_of(way)
        if step.is_throw:
            luck[seat] += float(value[seat] - before[seat]) * sense
        else:
            losses[seat] += float(best - value[seat] * sense)
        for other in players:
            others[other] += float(value[other] - before[other]) * (other != seat)
    for each in players:
        told = ledger.account(each)
        right = (start[each], luck[each], losses[each], others[each], value[each])
        said = (told.start, told.luck, told.losses, told.others, told.expected)
        report.hold("analyse", right, said)

"""Skill against luck: what is lost by other ways of playing than the best, and what dice do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dicegames.analysis.solution import Solution
from dicegames.authoring.cards.words import with_lines
from dicegames.authoring.reports.listed_game import one_plays
from dicegames.authoring.reports.subject import BEST, ESTIMATED, EXACTLY, RANDOM, Section, Subject
from dicegames.authoring.reports.watched import at_random, mean_and_error
from dicegames.ground.table import Cell, Table
from dicegames.rules.check import check
from dicegames.rules.parts.flow import Move
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Position

GREEDY = "Best turn"
SKILL = ("strategy", "seat", "value", "loss", "sd", "share of skill")


def skill(subject: Subject) -> Sequence[Section]:
    """Tell what is lost by strategies, by thinking of the turn alone, and by random moves."""
    if not (subject.best.stakes or subject.goes_on):
        return []
    rows: list[tuple[Cell, ...]] = []
    own = {} if GREEDY in subject.rules.strategies else {GREEDY: ["otherwise: best turn"]}
    game = subject.rules
    with subject.noting(f'"{GREEDY}" is not compared'):
        further = with_lines(game.source, own)
        game = check(further, game.option_values(), thorough=False)
    for name in game.strategies:
        rows += _compared(subject, game, name)
    found = [] if subject.goes_on else list(_random(subject))
    rows += found
    table = Table("Skill against luck", SKILL, tuple(rows))
    source = "the laws of play; where players meet, the others answer the strategy"
    source += ", and make the moves of best play against random ones"
    source += "; the share of skill is that of the variance"
    source += " which lies between best play and this play, results of both mixed half and half"
    sections = [Section("skill", EXACTLY, source, table)] if rows else []
    return sections if found or subject.goes_on else [*sections, *_simulated(subject)]


def fairness(subject: Subject) -> Sequence[Section]:
    """Tell what each seat gets where all play alike, but not best."""
    if not subject.solution.by_seat or not subject.best.stakes:
        return []
    rows: list[tuple[Cell, ...]] = []
    for name in subject.rules.strategies:
        with subject.noting(f'what each seat gets if all play "{name}" is not known'):
            rows.append((name, *subject.solve(subject.rules, name).values))
    if RANDOM in subject.plays:
        play = subject.plays[RANDOM]
        rows.append((RANDOM, *(value for value, _ in one_plays(play, play))))
    seats = (f"seat {number}" for number in range(1, subject.rules.players + 1))
    table = Table("By seat, all playing alike", ("who plays", *seats), tuple(rows))
    return [Section("fairness", EXACTLY, "the laws of play", table)] if rows else []


def _random(subject: Subject) -> Iterator[tuple[Cell, ...]]:
    """Give what random moves bring in each seat, the others playing best, where it is exact."""
    if not subject.plays:
        return
    with subject.noting("what random moves bring is not known exactly"):
        found = one_plays(subject.plays[RANDOM], subject.plays[BEST])
        for seat, (value, spread) in enumerate(found, 1):
            yield _skill_row(subject, RANDOM, seat, value, spread)


def _compared(subject: Subject, game: Rules, name: str) -> Iterator[tuple[Cell, ...]]:
    """Give what a strategy is worth in each seat, the others answering it."""
    with subject.noting(f'"{name}" is not compared'):
        for seat in range(1, game.players + 1) if subject.solution.by_seat else [0]:
            solved = subject.solve(game, {seat: name} if seat else name)
            at = seat or 1
            spread = _spread(subject, solved, at, name)
            yield _skill_row(subject, name, at, solved.value_for(at), spread)


def _spread(subject: Subject, solved: Solution, seat: int, name: str) -> float | None:
    """Return the standard deviation of what a strategy gets, where that is known."""
    if subject.goes_on:
        return None
    with subject.noting(f'the spread of what "{name}" gets is not known'):
        return solved.distribution(seat, threads=subject.threads).sd
    return None


def _skill_row(
    subject: Subject, name: str, seat: int, value: float, spread: float | None
) -> tuple[Cell, ...]:
    """Return a row; the share of skill is that of the variance between the two players.

    Of results half of which are those of best play, and half those of the strategy.
    """
    loss = subject.lost(value, seat)
    share = None
    if spread is not None and subject.spreads:
        own = subject.spreads[min(seat, len(subject.spreads)) - 1]
        between, within = (loss / 2) ** 2, (own.sd**2 + spread**2) / 2
        share = between / (between + within) if between + within > 0 else 0.0
    return (name, seat, value, loss, spread, share)


def _simulated(subject: Subject) -> Sequence[Section]:
    """Tell what random moves bring in each seat, where that is not found exactly."""
    rows: list[tuple[Cell, ...]] = []
    randomly = at_random(subject.seed)
    for seat in range(subject.rules.players if subject.solution.by_seat else 1):

        def play(position: Position, seat: int = seat) -> Move:
            return randomly(position) if position.seat == seat else subject.best(position)

        watch = subject.watch(RANDOM, play)
        if watch is not None:
            values = np.asarray(subject.solution.values_of(g.begun[-1] for g in watch.games))
            own = values if values.ndim == 1 else values[:, seat]
            value, error = mean_and_error(own)
            row = _skill_row(subject, RANDOM, seat + 1, value, float(own.std()))
            rows.append((*row, error))
    table = Table("Random moves, the others playing best", (*SKILL, "standard error"), (*rows,))
    told = f"{subject.games} games for each seat, seed {subject.seed}"
    return [Section("random", ESTIMATED, told, table)] if rows else []

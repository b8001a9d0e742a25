"""What a game is like: what it is worth to whom, how much is skill, what each rule does.

Every table says where its numbers come from: exact ones are those of the solved model, estimated
ones are means over games that were played, with a seed; what a move loses is exact in either case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
from attrs import field, frozen

from dicegames.analysis.chances.distribution import Distribution
from dicegames.authoring.reports.listed_game import Play, TooManySteps
from dicegames.authoring.reports.skill import fairness, skill
from dicegames.authoring.reports.subject import BEST, ESTIMATED, EXACTLY, Section, Subject
from dicegames.authoring.reports.watched import KINDS, Course, Stake, Watch, mean_and_error, things
from dicegames.authoring.reports.worth import options, settled_exactly, worth
from dicegames.authoring.sweeps.statistics import wins
from dicegames.ground.arguments import ArgumentError, OnProgress, expect_whole
from dicegames.ground.numbers import percent
from dicegames.ground.table import Cell, Table
from dicegames.rules.parts.flow import Choose, Finish, TurnEnds, reachable
from dicegames.rules.parts.game import HasRules, Rules, rules_of
from dicegames.rules.parts.value_text import box_rows
from dicegames.rules.running.objectives import objective_of

REAL = 0.01
"""The least loss of the second best move of a decision that matters, in standard deviations."""
HARDEST = 5
LENGTH_FIGURES = ("least", "p5", "p50", "p95", "most")
REPORTED_PERCENTILES = (5, 50, 95)
DECISIONS = ("sort", "in a game", "that matter", "lost by the second best")
TURNS = 12
"""Rows of the table that tells when a game is decided."""


@frozen
class Report:
    """What a game is like.

    `unit` says what values are, `lengths` how long games by best play are (in turns, throws,
    decisions), `notes` what could not be told, and why.
    """

    title: str
    objective: str
    unit: str
    options: dict[str, Any]
    sections: tuple[Section, ...] = field(repr=False)
    distributions: tuple[Distribution, ...] = field(repr=False)
    lengths: Mapping[str, Distribution] = field(repr=False)
    notes: tuple[str, ...]
    seed: int

    def section(self, name: str) -> Section:
        """Return a section by its name; raises ArgumentError."""
        found = {section.name: section for section in self.sections}
        if name not in found:
            raise ArgumentError(f'there is no section "{name}"; there are: {", ".join(found)}')
        return found[name]

    def to_frame(self, library: str | None = None) -> dict[str, Any]:
        """Return a data frame for each section, by name; see `Table.to_frame`."""
        return {section.name: section.table.to_frame(library) for section in self.sections}

    def __str__(self) -> str:
        """Return the tables as text, each with what its numbers rest on."""
        return "\n\n".join(
            f"{section.table}\n{section.basis}: {section.source}" for section in self.sections
        )

    def _repr_html_(self) -> str:
        parts = [
            f"{section.table._repr_html_()}<p>{escape(f'{section.basis}: {section.source}')}</p>"
            for section in self.sections
        ]
        return "\n".join(parts)


def report(
    game: Rules | HasRules,
    objective: str = "payoff",
    *,
    games: int = 200,
    seed: int = 1,
    threads: int | None = None,
    progress: OnProgress | None = None,
) -> Report:
    """Return what a game is like; raises SolutionError where it cannot be solved.

    Args:
        game: what `load` returns.
        objective: as for `solve`.
        games: how many are played for what is estimated.
        seed: of their dice.
        threads: how many to use; all cores if not given.
        progress: called with (steps done, all steps) now and then.
    """
    expect_whole(games, "the number of games", 1)
    expect_whole(seed, "the seed", 0)
    rules = rules_of(game)
    step = progress or (lambda done, total: None)
    step(0, 1)
    subject = Subject(rules, objective, games, seed, threads)
    subject.watch_all()
    parts = (_game, _seats, skill, _length, _decisions, _uses, _boxes, worth, _drama, options)
    sections: list[Section] = []
    for number, part in enumerate(parts, 1):
        step(number, len(parts) + 1)
        sections += part(subject)
    step(1, 1)
    return Report(
        rules.title,
        objective,
        objective_of(objective).unit(rules),
        rules.option_values(),
        tuple(sections),
        tuple(subject.spreads),
        subject.lengths,
        tuple(subject.notes),
        seed,
    )


def _game(subject: Subject) -> Sequence[Section]:
    rows = (
        ("players", subject.rules.players),
        ("options", len(subject.rules.names.options)),
        ("states that can come up", subject.solution.states_reachable),
        ("error bound of values", subject.solution.error_bound),
    )
    table = Table("The game", ("what", "number"), rows)
    return [Section("game", EXACTLY, f"the model, solved by {subject.solution.method}", table)]


def _seats(subject: Subject) -> Sequence[Section]:
    """Tell what each seat gets when all play best, and the chances of the ends."""
    columns: tuple[str, ...] = ("seat", "value", "sd", "p5", "p50", "p95")
    if wins(subject.solution):
        columns = ("seat", "value", "wins", "ties")
    rows, ends = [], []
    for number, value in enumerate(subject.solution.values):
        one = subject.spreads[min(number, len(subject.spreads) - 1)] if subject.spreads else None
        more: list[Cell] = [None] * (len(columns) - 2)
        if one is not None and wins(subject.solution):
            more = [one.probability(1.0), one.shared]
        elif one is not None:
            more = [one.sd, *(one.percentile(p) for p in REPORTED_PERCENTILES)]
            ends.append((number + 1, *_ends(one)))
        rows.append((number + 1, value, *more))
    source = "values and distributions of the solved model"
    found = [
        Section("seats", EXACTLY, source, Table("By seat, all playing best", columns, (*rows,)))
    ]
    found += fairness(subject)
    if ends:
        columns = ("seat", "least", "chance of it", "likeliest", "chance", "most", "its chance")
        table = Table("The ends of the results", columns, tuple(ends))
        found.append(Section("ends", EXACTLY, source, table))
    return found


def _length(subject: Subject) -> Sequence[Section]:
    """Tell how long games are, whoever plays."""
    rows: list[tuple[Cell, ...]] = []
    games: Mapping[str, Play | Watch] = subject.plays or subject.watches
    for kind, (name, play) in product(KINDS, games.items()):
        try:
            found = play.spread(kind)
        except TooManySteps:
            subject.notes.append(
                f"the {kind} of games by {name} are not told: too many are possible"
            )
            continue
        if name == BEST:
            subject.lengths[kind] = found
        inner = (int(found.percentile(percent)) for percent in REPORTED_PERCENTILES)
        most = None if found.maximum is None else int(found.maximum)
        error = () if subject.plays else (found.sd / sqrt(max(1, subject.games - 1)),)
        rows.append((kind, name, found.mean, int(found.minimum), *inner, most, *error))
    if any(watch.passed for watch in subject.watches.values()):
        subject.notes.append("turns in which nothing is thrown or chosen do not count as turns")
    columns = ("in a game", "who plays", "mean", *LENGTH_FIGURES)
    told = "all states, all seats playing alike; where there is no most, games may go on and on"
    if subject.plays:
        table = Table("How long a game is", columns, tuple(rows))
        return [Section("length", EXACTLY, told, table)] if rows else []
    table = Table("How long a game is", (*columns, "error of the mean"), tuple(rows))
    told = f"{subject.games} games each, all seats playing alike, seed {subject.seed}"
    return [Section("length", ESTIMATED, told, table)] if rows else []


def _decisions(subject: Subject) -> Sequence[Section]:
    """Tell how many decisions matter, of which sort, and which are the hardest."""
    if BEST not in subject.watches or not subject.best.stakes:
        return []
    spread = REAL * (subject.spreads[0].sd if subject.spreads else 1.0)
    real = max(spread, subject.solution.error_bound)
    from_ = f", {percent(REAL, 0)} of the standard deviation of results" if subject.spreads else ""
    matter = f"a decision matters where the second best move loses over {real:.3g}"
    matter += from_ if real == spread else ", the bound of the error"
    counts = _exact_decisions if BEST in subject.plays else _watched_decisions
    met = (p for game in subject.watches[BEST].games for p in game.decisions)
    known: dict[str, Stake] = {str(p): subject.best.stake(p) for p in met}
    hard = sorted((s.loses, text) for text, s in known.items() if s.loses > real)[:HARDEST]
    shown = tuple((text, known[text].best.label, loss) for loss, text in hard)
    closest = Table("The hardest decisions", ("position", "best", "second loses"), shown)
    hardest = f"losses; looked for among the decisions of {subject.told}"
    return [counts(subject, real, matter), Section("hardest", EXACTLY, hardest, closest)]


def _exact_decisions(subject: Subject, real: float, matter: str) -> Section:
    play = subject.plays[BEST]
    game = play.game
    often = play.flow * game.counted["decisions"]
    loses = game.second_loses[game.listing.source]
    rows: list[tuple[Cell, ...]] = []
    for sort in (None, *np.unique(game.sorts[often > 0])):
        own = often if sort is None else np.where(game.sorts == sort, often, 0.0)
        name = "all" if sort is None else game.words[sort][0]
        rows.append((name, *(float(own @ what) for what in (loses >= 0, loses > real, loses))))
    table = Table("Decisions in a game", DECISIONS, tuple(rows))
    return Section("decisions", EXACTLY, f"all states, by best play; {matter}", table)


def _watched_decisions(subject: Subject, real: float, matter: str) -> Section:
    games = subject.watches[BEST].games
    stakes = [[subject.best.stake(p) for p in game.decisions] for game in games]
    rows: list[tuple[Cell, ...]] = []
    for sort in ("all", *dict.fromkeys(s.sort for of_game in stakes for s in of_game)):
        own = [[s.loses for s in g if sort in ("all", s.sort)] for g in stakes]
        real_ones = mean_and_error(sum(loss > real for loss in losses) for losses in own)
        met, lost = (mean_and_error(map(what, own))[0] for what in (len, sum))
        rows.append((sort, met, real_ones[0], lost, real_ones[1]))
    columns = (*DECISIONS, "error of those that matter")
    table = Table("Decisions in a game", columns, tuple(rows))
    return Section("decisions", ESTIMATED, f"{subject.told}; {matter}", table)


def _uses(subject: Subject) -> Sequence[Section]:
    """Tell how often moves, boxes and notes come up, and which lines never do."""
    if BEST not in subject.watches:
        return []
    plays = subject.plays
    games: Mapping[str, Play | Watch] = plays or subject.watches
    rows: list[tuple[Cell, ...]] = []
    for kind, name in things(subject.rules):
        rows.append((kind, name, *(play.times(kind, name) for play in games.values())))
    table = Table("What comes up in a game", ("what", "name", *games), tuple(rows))
    told = "all states" if plays else f"means of {subject.games} games each"
    sections = [Section("uses", EXACTLY if plays else ESTIMATED, told, table)] if rows else []
    dead = tuple(_dead(subject))
    if not dead:
        subject.notes.append("best play came to every line of the rules, and to every box")
        return sections
    table = Table("Lines that best play never came to", ("line", "rules"), dead)
    return [*sections, Section("dead", ESTIMATED, f"{subject.told}: no proof", table)]


def _boxes(subject: Subject) -> Sequence[Section]:
    """Tell what each box brings under best play, with a bonus it completes, less what throws cost.

    That is counted from the moment at which it is used to the end of the turn.
    """
    rows = [row.label for row in box_rows(subject.rules.names)]
    if BEST not in subject.watches or not rows or not subject.rules.turn_points:
        return []
    shown: list[tuple[Cell, ...]] = []
    for box in rows:
        brought = [game.points.get(box, 0.0) for game in subject.watches[BEST].games]
        often = (watch.times("box", box) for watch in subject.watches.values())
        shown.append((box, *mean_and_error(brought), *often))
    head = ("box", "points", "standard error", *(f"often, {who}" for who in subject.watches))
    table = Table("What boxes bring in a game, and how often they do", head, tuple(shown))
    told = f"points by best play; means of {subject.games} games each, seed {subject.seed}"
    return [Section("boxes", ESTIMATED, told, table)]


def _dead(subject: Subject) -> Iterator[tuple[int, str]]:
    source, lines = subject.rules.source, subject.rules.source.text.splitlines()
    flow = subject.rules.flow
    ends = subject.watches[BEST].ends
    beyond = set[int]().union(*(reachable(flow, end) for end in ends))
    beyond -= reachable(flow, subject.rules.turn, ends)
    turn_ends = {i.span for i in flow if isinstance(i, TurnEnds | Finish)}
    own = [i for n, i in enumerate(flow) if n not in beyond and i.span not in turn_ends]
    spans = [i.span for i in own]
    chooses = [i for i in own if isinstance(i, Choose)]
    spans += [option.span for choose in chooses for option in choose.options]
    place = {s.start: source.line_column(s.start)[0] for s in spans if s.end > s.start}
    met = {place[at] for at in subject.watches[BEST].met if at in place}
    play = subject.plays.get(BEST)
    for option in (o for choose in chooses for o in choose.options):
        if play and option.span.start in place and play.times("move", option.told) > 0:
            met.add(place[option.span.start])  # not in these games, but sometimes
    for line in sorted(set(place.values()) - met):
        yield line, lines[line - 1].partition("#")[0].strip()
    points = [game.points for game in subject.watches[BEST].games]
    for row in box_rows(subject.rules.names) if any(points) else ():
        if not any(game[row.label] for game in points):
            yield 0, f'"{row.label}" brought no points'


def _drama(subject: Subject) -> Sequence[Section]:
    """Tell when a game is decided, and how often the lead changes."""
    if BEST not in subject.watches:
        return []
    course = Course.of(subject.watches[BEST], subject.solution)
    if course.longest < 2:
        return []
    shown = sorted({round(part * course.longest / TURNS) for part in range(1, TURNS + 1)} - {0})
    settled = settled_exactly(subject.plays.get(BEST))
    told = f"exact values at the turns of {subject.told}; the share of the variance of results"
    rows: list[tuple[Cell, ...]] = [(turn, *course.settled(turn)) for turn in shown]
    columns: tuple[str, ...] = ("turns", "share settled", "standard error")
    if settled is not None:
        told = "all states, by best play; the share of the variance of results"
        rows = [(turn, float(settled[min(turn, len(settled) - 1)])) for turn in shown]
        columns = columns[:2]
    table = Table("When a game is decided", columns, tuple(rows))
    found = [Section("drama", ESTIMATED if settled is None else EXACTLY, told, table)]
    if subject.rules.players > 1:
        leads = [(turn, *mean_and_error(course.leads[:, turn].tolist())) for turn in shown]
        columns = ("turns", "changes of the lead", "standard error")
        table = Table("How often the lead has changed", columns, tuple(leads))
        found.append(Section("leads", ESTIMATED, subject.told, table))
    return found


def _ends(found: Distribution) -> tuple[Cell, ...]:
    """Return the least, the likeliest and the greatest result, each with its chance."""
    likeliest = found.modes[0]
    most = found.maximum
    return (
        *(found.minimum, found.probability(found.minimum)),
        *(likeliest, found.probability(likeliest)),
        *(most, None if most is None else found.probability(most)),
    )

"""What a game is like: what it is worth to whom, how much is skill, what each rule does.

Every table says where its numbers come from: exact ones are those of the solved model, estimated
ones are means over games that were played, with a seed; what a move loses is exact in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from dicegames.analysis.chances.distribution import Distribution
from dicegames.authoring.skill import skill
from dicegames.authoring.statistics import wins
from dicegames.authoring.subject import BEST, ESTIMATED, EXACT, Section, Subject
from dicegames.authoring.table import Cell, Table
from dicegames.authoring.watched import Course, Stake, mean_and_error, things, times
from dicegames.authoring.worth import options, worth
from dicegames.ground.arguments import expect_whole
from dicegames.rules.parts.flow import Choose, Finish, TurnEnds, reachable
from dicegames.rules.parts.game import Game, HasRules, rules_of
from dicegames.rules.parts.value_text import box_rows

Progress = Callable[[float, float], None]
REAL = 0.01
"""The least loss of the second best move of a decision that matters, in standard deviations."""
HARDEST = 5
LENGTHS = {"least": 0, "p5": 5, "p50": 50, "p95": 95, "most": 100}
TURNS = 12
"""Rows of the table that tells when a game is decided."""


@frozen
class Report:
    """What a game is like. `notes` say what could not be told, and why."""

    title: str
    objective: str
    options: dict[str, Any]
    sections: tuple[Section, ...]
    distributions: tuple[Distribution, ...]
    notes: tuple[str, ...]
    seed: int

    def section(self, name: str) -> Section:
        """Return a section by its name."""
        return next(section for section in self.sections if section.name == name)

    def to_frame(self, library: str | None = None) -> dict[str, Any]:
        """Return a data frame for each section, by name; see `Table.to_frame`."""
        return {section.name: section.table.to_frame(library) for section in self.sections}

    def _repr_html_(self) -> str:
        parts = [section.table._repr_html_() for section in self.sections]
        return "\n".join(parts)


def report(
    game: Game | HasRules,
    objective: str = "payoff",
    *,
    games: int = 200,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
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
        rules.option_values(),
        tuple(sections),
        tuple(subject.spreads),
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
    return [Section("game", EXACT, f"the model, solved by {subject.solution.method}", table)]


def _seats(subject: Subject) -> Sequence[Section]:
    """Tell what each seat gets when all play best, and the chances of the ends."""
    values = subject.solution.value
    values = values if isinstance(values, tuple) else (values,)
    columns: tuple[str, ...] = ("seat", "value", "sd", "p5", "p50", "p95")
    if wins(subject.solution):
        columns = ("seat", "value", "wins", "ties")
    rows, ends = [], []
    for number, value in enumerate(values):
        one = subject.spreads[min(number, len(subject.spreads) - 1)] if subject.spreads else None
        more: list[Cell] = [None] * (len(columns) - 2)
        if one is not None and wins(subject.solution):
            tie = float(one.masses[(one.values > 0) & (one.values < 1)].sum())
            more = [one.probability(1.0), tie]
        elif one is not None:
            more = [one.sd, *(one.percentile(p) for p in (5, 50, 95))]
            ends.append((number + 1, *_ends(one)))
        rows.append((number + 1, value, *more))
    source = "values and distributions of the solved model"
    found = [Section("seats", EXACT, source, Table("By seat, all playing best", columns, (*rows,)))]
    if ends:
        columns = ("seat", "least", "chance of it", "likeliest", "chance", "most", "its chance")
        table = Table("The ends of the results", columns, tuple(ends))
        found.append(Section("ends", EXACT, source, table))
    return found


def _length(subject: Subject) -> Sequence[Section]:
    """Tell how long games are, whoever plays."""
    rows: list[tuple[Cell, ...]] = []
    for name, watch in subject.watches.items():
        for what, numbers in (
            ("turns", [game.turns for game in watch.games]),
            ("throws", [game.throws for game in watch.games]),
            ("decisions", [len(game.decisions) for game in watch.games]),
        ):
            ends = np.percentile(numbers, list(LENGTHS.values()), method="inverted_cdf")
            mean, error = mean_and_error(numbers)
            rows.append((what, name, mean, error, *map(int, ends)))
    rows.sort(key=lambda row: ("turns", "throws", "decisions").index(str(row[0])))
    columns = ("in a game", "who plays", "mean", "standard error", *LENGTHS)
    table = Table("How long a game is", columns, tuple(rows))
    told = f"{subject.games} games each, all seats playing alike, seed {subject.seed}"
    return [Section("length", ESTIMATED, told, table)] if rows else []


def _decisions(subject: Subject) -> Sequence[Section]:
    """Tell how many decisions matter, of which sort, and which are the hardest."""
    if BEST not in subject.watches or not subject.best.stakes:
        return []
    games = subject.watches[BEST].games
    stakes = [[subject.best.stake(p) for p in game.decisions] for game in games]
    real = REAL * (subject.spreads[0].sd if subject.spreads else 1.0)
    rows: list[tuple[Cell, ...]] = []
    for sort in ("all", *dict.fromkeys(s.sort for of_game in stakes for s in of_game)):
        own = [[s.loses for s in g if sort in ("all", s.sort)] for g in stakes]
        matter = mean_and_error(sum(loss > real for loss in losses) for losses in own)
        met, lost = (mean_and_error(map(what, own))[0] for what in (len, sum))
        rows.append((sort, met, *matter, lost))
    columns = ("sort", "in a game", "that matter", "standard error", "lost by the second best")
    table = Table("Decisions in a game", columns, tuple(rows))
    told = f"{subject.told}; those matter in which the second best move loses over {real:.3g}"
    known: dict[str, Stake] = {str(s.position): s for s in subject.best.stakes.values()}
    hard = sorted((s.loses, text) for text, s in known.items() if s.loses > real)[:HARDEST]
    shown = tuple((text, known[text].best.label, loss) for loss, text in hard)
    closest = Table("The hardest decisions", ("position", "best", "second loses"), shown)
    hardest = f"losses are exact; the closest of those that matter in {subject.told}"
    return [
        Section("decisions", ESTIMATED, told, table),
        Section("hardest", ESTIMATED, hardest, closest),
    ]


def _uses(subject: Subject) -> Sequence[Section]:
    """Tell how often moves, boxes and notes come up, and which lines never do."""
    if BEST not in subject.watches:
        return []
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (*thing, *(times(watch, thing) for watch in subject.watches.values()))
        for thing in things(subject.rules)
    )
    table = Table("What comes up in a game", ("what", "name", *subject.watches), rows)
    told = f"means of {subject.games} games each; a box comes up where it brings points"
    found = [Section("uses", ESTIMATED, told, table)] if rows else []
    dead = tuple(_dead(subject))
    if not dead:
        subject.notes.append("best play came to every line of the rules, and to every box")
        return found
    table = Table("Lines that best play never came to", ("line", "rules"), dead)
    return [*found, Section("dead", ESTIMATED, f"{subject.told}: no proof", table)]


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
        often, _ = mean_and_error(points > 0 for points in brought)
        shown.append((box, often, *mean_and_error(brought)))
    head = ("box", "brings points", "points", "standard error")
    table = Table("The boxes under best play, in a game", head, tuple(shown))
    return [Section("boxes", ESTIMATED, subject.told, table)]


def _dead(subject: Subject) -> Iterator[tuple[int, str]]:
    source, lines = subject.rules.source, subject.rules.source.text.splitlines()
    flow = subject.rules.flow
    ends = subject.watches[BEST].ends
    beyond = set[int]().union(*(reachable(flow, end) for end in ends))
    beyond -= reachable(flow, subject.rules.turn, ends)
    own = [
        i for n, i in enumerate(flow) if n not in beyond and not isinstance(i, TurnEnds | Finish)
    ]
    spans = [i.span for i in own]
    chooses = [i for i in own if isinstance(i, Choose)]
    spans += [option.span for choose in chooses for option in choose.options]
    place = {s.start: source.line_column(s.start)[0] for s in spans if s.end > s.start}
    met = {place[at] for at in subject.watches[BEST].met if at in place}
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
    last = course.expected.shape[1] - 1
    if last < 2:
        return []
    shown = sorted({round(part * last / TURNS) for part in range(1, TURNS + 1)} - {0})
    rows: list[tuple[Cell, ...]] = [(turn, *course.settled(turn)) for turn in shown]
    columns: tuple[str, ...] = ("turns", "share settled", "standard error")
    if subject.rules.players > 1:
        columns += ("changes of the lead", "its error")
        rows = [(*row, *mean_and_error(course.leads[:, row[0]].tolist())) for row in rows]
    table = Table("When a game is decided", columns, tuple(rows))
    told = f"exact values at the turns of {subject.told}; the share of the variance of results"
    return [Section("drama", ESTIMATED, told, table)]


def _ends(found: Distribution) -> tuple[Cell, ...]:
    """Return the least, the likeliest and the greatest result, each with its chance."""
    likeliest = found.modes[0]
    most = found.maximum
    return (
        *(found.minimum, found.probability(found.minimum)),
        *(likeliest, found.probability(likeliest)),
        *(most, None if most is None else found.probability(most)),
    )

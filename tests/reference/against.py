"""The program held against the reference: the same game, read and solved twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import sqrt, ulp
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import define, field

from dicegames.analysis.saved.folder import ValueFolder
from dicegames.analysis.solution import Solution as Solved
from dicegames.analysis.solution import solve_game
from dicegames.analysis.studies.difference import Difference, difference
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.limits import Limits
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.referee import Position as Played
from dicegames.rules.running.referee import start
from tests.reference.authors import hold_for_authors
from tests.reference.beside import exported_value, hold_beside
from tests.reference.course import Course, Position, Way, past_certain, way_after
from tests.reference.distributions import Happened, Joint, distribution, of_results
from tests.reference.judged import hold_judged
from tests.reference.long_run import LongRun, long_run
from tests.reference.objectives import objective
from tests.reference.report import BY_REFERENCE, CLOSE, REFUSED, Report, is_close, reason
from tests.reference.setup import game
from tests.reference.solving import UNSOLVED, NoValue, Solution
from tests.reference.strategies import Strategy
from tests.reference.values import Forbidden, Value
from tests.reference.winning import hold_winning

ONE_THREAD = Limits(threads=1)
SIMULATED = 1_000
ON_THE_WAY = 4
"""At how many positions each further objective and strategy is asked for values."""
ON_A_GRID = 1e-6
"""What a grid of all points may be off by: sweeps of a cycle end at a tenth of that."""
OTHERWISE: dict[str, Value] = {"wild": False, "mood": "angry", "lot": 3}
"""Other settings of the options that random games have."""
OF_TURNS = {"seat", "round"}
"""What counts turns is never put on a grid."""
PARTS = (BESIDE, TURN, TURNED, STRATEGIES, ALONE) = (
    "beside", "turn", "turned", "strategies", "alone",
)  # fmt: skip
"""Files, folders, exports, `compare`, grids, other settings, simulated games, playing to win; one
turn; the other direction; each strategy; and what only one player can be asked for."""
AUTHORS = "authors"
"""One more, which takes as long as all these: cards, tables over settings, what is state."""
FAR, FURTHER = 4.0, 6.0
"""Standard errors within which a simulated mean lies."""
Found = tuple[Solution, Solved]


@define
class Comparison:
    """One game in both readings."""

    text: str
    other_text: str = ""
    """What the reference reads in place of `text`: rules by which the same seats win."""
    most: int = 1_000
    """Positions the reference may have."""
    walked: int = 60
    """Positions in the middle that are compared."""
    parts: Sequence[str] = PARTS
    """What is compared besides the payoff and positions in the middle."""
    met: list[tuple[Way, Played]] = field(factory=list)
    """These, from the start on; each way has the turns before it."""
    seen: dict[str, Position] = field(factory=dict)
    """Those at which something is chosen, by their text."""
    strategies: dict[str, Strategy] = field(factory=dict)
    """Those that were asked, by name."""
    report: Report = field(factory=Report)

    def run(self) -> Report:
        """Compare all that can be asked of the game."""
        try:
            rules = check(Source("chance.dg", self.text), {})
        except RulesError as error:
            self.report.refused.append(("check", error.diagnostics[0].code))
            return self.report
        course = game(self.other_text or self.text)
        try:
            course.start()
        except UNSOLVED as error:  # all turns may be passed over, and the end ask for dice
            self.report.refused.append(("start", f"{BY_REFERENCE}{type(error).__name__}"))
            return self.report
        self._payoff(rules, course)
        further = (self._turn, self._turned, self._strategies, self._alone)
        for part, step in zip(PARTS[1:], further, strict=True):
            if part in self.parts:
                step(rules, course)
        return self.report

    # ---- one question

    def _solved(
        self,
        what: str,
        rules: Rules,
        course: Course,
        aim: str,
        plays: dict[int, str] | None = None,
        *,
        turned: bool = False,
    ) -> Found | None:
        """Solve in both readings and compare the values; None if either cannot."""
        lines, known = course.book.strategies, self.strategies
        play = {s - 1: known.setdefault(n, Strategy(lines[n])) for s, n in (plays or {}).items()}
        wanted = objective(course, aim, turned=turned)
        ours = Solution(course, wanted, play, self.most)
        right = None
        try:
            right = ours.value()
        except UNSOLVED as error:
            self.report.refused.append((what, f"{BY_REFERENCE}{type(error).__name__}"))
            if not isinstance(error, Forbidden) or aim == "turn":
                return None  # of one turn it is not asked whether what it leaves is in order
        said = aim + (" maximised" if wanted.maximise else " minimised") * turned
        solved = self.report.asked(
            what,
            lambda: solve_game(rules, said, plays or None, limits=ONE_THREAD, noted=not plays),
        )
        if solved is None:
            return None
        value = self.report.asked(what, lambda: solved.value)
        if value is None:
            return None
        if right is None:
            self.report.differ(what, "refused, since the rules break", value)
            return None
        self.report.hold(what, right, value)
        if not is_close(right, value):
            return None
        self._bounds(what, right, solved)
        if aim != "payoff" or plays or turned:
            self._means(what, right, solved, exports=not plays)
        if not plays and not turned and not self.other_text:  # else there is no end of positions
            exact = self.report.asked("exact", partial(exact_value, rules, objective=aim))
            if exact is not None:
                self.report.hold("exact", list(map(str, right)), list(map(str, _by_seat(exact))))
        met = [(way, played) for way, played in self.met if way.to in ours.values]
        for way, played in met[1 :: max(1, len(met) // ON_THE_WAY)]:
            try:
                self._values((ours, solved), way, played, f", {what}")
            except UNSOLVED as error:
                self.report.refused.append((what, f"{BY_REFERENCE}{type(error).__name__}"))
        return ours, solved

    def _bounds(self, what: str, right: tuple[Fraction, ...], solved: Solved) -> None:
        """Hold what the error is told to be at most; where there are several numbers, it is not."""
        if not isinstance(solved.solved.value, tuple):
            for one, value in zip(right, _by_seat(solved.value), strict=True):
                within = solved.error_bound + ulp(float(one))
                self.report.hold(f"error of {what}", True, abs(one - Fraction(value)) <= within)

    def _means(
        self, what: str, right: tuple[Fraction, ...], solved: Solved, *, exports: bool
    ) -> None:
        """Hold the means of what is distributed, simulated and exported against the value."""
        seats = range(1, len(right) + 1)
        ask = partial(solved.distributions, seats, threads=1)
        printed = self.report.asked(f"distribution, {what}", ask)
        for seat, told in zip(seats, printed or (), strict=printed is not None):
            self.report.hold(f"distribution, {what}", right[seat - 1], told.mean)
            if seat == len(right):  # all seats are seen in the same games
                self._simulated(solved, right[-1], told.sd**2, seat, what=f", {what}")
        if exports and len(right) == 1:
            best = self.report.asked(f"export, {what}", partial(exported_value, solved))
            if best is not None:
                self.report.hold(f"export, {what}", right[0], best)

    # ---- all questions

    def _payoff(self, rules: Rules, course: Course) -> None:
        found = self._solved("payoff", rules, course, "payoff")
        self._walk(rules, course, found)
        if found is None:
            return
        ours, solved = found
        if BESIDE in self.parts:
            hold_beside(self.report, rules, course, ours, solved)
            if ours.is_sure:
                hold_judged(self.report, rules, ours, solved)
            self._grid(rules, ours, solved)
            self._in_a_folder(rules, ours)
            self._difference(rules, ours, solved)
        if AUTHORS in self.parts:
            hold_for_authors(self.report, self.other_text or self.text, rules, ours, solved)
        if not ours.is_sure:
            return
        if BESIDE in self.parts and rules.players > 1:
            met = self.met[:: max(1, len(self.met) // ON_THE_WAY)]
            hold_winning(self.report, rules, course, ours, met)
        try:
            spreads = [distribution(ours, seat) for seat in range(rules.players)]
        except NoValue:
            return
        self._spreads(solved, spreads)
        if rules.players == 1:
            self._outcomes(solved, spreads[0])

    def _grid(self, rules: Rules, ours: Solution, found: Solved) -> None:
        """Compare a grid of all points of what lasts and is counted, if there is any."""
        slots, axes = rules.names.slots, found.compiled.roles_.axes
        lasting = (slots[s] for s in axes if slots[s].scope != "turn")
        counted = [v.name for v in lasting if v.type.kind == "number" and v.name not in OF_TURNS]
        if not counted:
            return
        grid = {counted[0]: 1}
        solved = self.report.asked("grid", lambda: solve_game(rules, grid=grid, limits=ONE_THREAD))
        if solved is not None:
            self.report.hold("grid", ours.value(), solved.value, within=ON_A_GRID)

    def _in_a_folder(self, rules: Rules, ours: Solution) -> None:
        """Solve with the values in a folder, and hold what is read of them against the reference.

        Few games of those who meet are kept there; the others are refused.
        """
        with TemporaryDirectory() as temporary:
            folder = Path(temporary) / "values"
            ask = partial(solve_game, rules, limits=ONE_THREAD, kept_in=ValueFolder(folder))
            found = self.report.asked("folder", ask)
            if found is None:
                return
            self.report.hold("folder", ours.value(), found.value)
            kept = self.report.asked("folder", partial(Solved.load, folder, rules))
            for way, played in self.met[1 :: max(1, len(self.met) // ON_THE_WAY)]:
                if kept is not None and way.to in ours.values:
                    self._values((ours, kept), way, played, ", folder", moves=True)

    def _difference(self, rules: Rules, ours: Solution, solved: Solved) -> None:
        """Compare what another setting of an option is worth, and which decisions it changes."""
        options = {name: value for name, value in OTHERWISE.items() if name in rules.names.options}
        if not options:
            return
        theirs = game(self.other_text or self.text, options)
        other = Solution(theirs, objective(theirs, "payoff"), most=self.most)
        try:
            right = other.value()
        except UNSOLVED:
            return
        second = self.report.asked(
            "other options",
            lambda: solve_game(check(Source("chance.dg", self.text), options), limits=ONE_THREAD),
        )
        if second is None:
            return
        self.report.hold("other options", right, second.value)
        found = self.report.asked("difference", partial(difference, solved, second, games=10))
        if found is not None:
            gained = [b - a for a, b in zip(ours.value(), right, strict=True)]
            self.report.hold("difference", gained, found.value)
            self._changed(found, ours, other)

    def _changed(self, found: Difference, ours: Solution, other: Solution) -> None:
        """Compare decisions that change: the best moves, and what the first one loses."""
        for changed in found.changed:
            position = self.seen.get(changed.position)
            if position is None or position not in other.values or not other.is_sure:
                continue
            seat = ours.course.seat(position)
            values = {label: worth[seat] for label, worth in other.move_values(position)}
            best = (max if other.objective.maximise else min)(values.values())
            loss = None if changed.before not in values else abs(best - values[changed.before])
            self.report.hold(
                "changed decision", (best, loss), (values[changed.after], changed.loss)
            )

    def _spreads(self, solved: Solved, spreads: list[Joint]) -> None:
        """Compare the distributions of what all seats get, and the means of simulated games."""
        seats, results = range(1, len(spreads) + 1), list(map(of_results, spreads))
        printed = self.report.asked("distribution", partial(solved.distributions, seats, threads=1))
        for right, told in zip(results, printed or (), strict=printed is not None):
            values = zip(told.values.tolist(), told.masses.tolist(), strict=True)
            got = {Fraction(round(v * 5040), 5040): mass for v, mass in values}
            self.report.hold("distribution", right, got)
        for seat, right in enumerate(results if BESIDE in self.parts else (), 1):
            mean = sum((value * p for value, p in right.items()), Fraction(0))
            variance = float(sum((value - mean) ** 2 * p for value, p in right.items()))
            self._simulated(solved, mean, variance, seat)

    def _simulated(
        self, solved: Solved, mean: Fraction, variance: float, seat: int, what: str = ""
    ) -> None:
        """Compare the mean of simulated games."""
        ask = partial(solved.simulate, SIMULATED, seed=1, seat=seat, threads=1)
        games = self.report.asked(f"simulation{what}", ask)
        if games is not None:
            far = FURTHER if what else FAR  # so many are asked that one is off by four
            within = far * sqrt(variance / SIMULATED) + CLOSE
            self.report.hold(f"simulation{what}", True, abs(games.mean - float(mean)) <= within)

    def _outcomes(self, solved: Solved, spread: Joint) -> None:
        """Compare what is noted how often, all together."""
        if not any(happened for _, happened in spread):
            return
        printed = self.report.asked("outcomes", solved.outcomes)
        if printed is None:
            return
        right: dict[object, Fraction] = {}
        for (_, happened), p in spread.items():
            key = tuple(_counted(happened, name) for name in printed.names)
            right[key] = right.get(key, Fraction(0)) + p
        self.report.hold("outcomes", right, printed.joint)

    def _turn(self, rules: Rules, course: Course) -> None:
        if not self.other_text:  # there what is won in a turn may stop short
            self._solved("turn", rules, course, "turn")

    def _turned(self, rules: Rules, course: Course) -> None:
        self._solved("turned", rules, course, "payoff", turned=True)

    def _strategies(self, rules: Rules, course: Course) -> None:
        for name in course.book.strategies:
            every = dict.fromkeys(range(1, rules.players + 1), name)
            self._solved(f"strategy {name}", rules, course, "payoff", every)
            self._solved(f"strategy {name}, turn", rules, course, "turn", every)
            if rules.players > 1:
                self._solved(f"strategy {name} in seat 1", rules, course, "payoff", {1: name})
            if rules.players > 1:
                self._solved(f"strategy {name} in a seat", rules, course, "payoff", {2: name})
        if rules.players > 1 and course.book.strategies:
            mixed = dict(enumerate(list(course.book.strategies)[: rules.players], 1))
            self._solved("strategies by seat", rules, course, "payoff", mixed)

    def _alone(self, rules: Rules, course: Course) -> None:
        if rules.players > 1:
            return
        self._solved("turns", rules, course, "turns")
        self._average(rules, course)
        for target in (1, 3):
            self._solved("reach", rules, course, f"reach:{target}")

    def _average(self, rules: Rules, course: Course) -> None:
        """Compare the long run; most games have none."""
        try:
            right = long_run(course, self.most)
        except UNSOLVED:
            return
        solved = self.report.asked(
            "average", lambda: solve_game(rules, "average", limits=ONE_THREAD)
        )
        if solved is None:
            return
        self.report.hold("average", right.average, solved.value)
        self._on_the_way(right, start(rules), solved)

    def _on_the_way(self, right: LongRun, begun: Played, solved: Solved) -> None:
        """Compare positions in the long run, with the points of the turns before.

        Where turns are passed over, the program stands before them.
        """
        pending = [(right.begun(), begun, right.gained_on(right.begun()))]
        for _ in range(self.walked):
            if not pending:
                return
            before, played, won = pending.pop(0)
            before, won = right.past_certain(before, won)
            played = _past_certain_throws(played)
            if played.is_over:
                continue
            ask = partial(solved.value_of, played)
            printed = self.report.asked("average in the middle", ask)
            if printed is not None:
                wanted = won + right.values[before.to] - right.average * len(before.passed)
                self.report.hold("average in the middle", wanted, printed, ON_A_GRID)
            gains = map(right.gained_on, right.course.ways(before.to))
            further = zip(_following(right.course, before, played), gains, strict=True)
            pending += [(way, after, won + gained) for (way, after), gained in further]

    # ---- positions in the middle

    def _walk(self, rules: Rules, course: Course, found: Found | None) -> None:
        """Go through the game in both readings side by side, from the start, breadth first."""
        pending: list[tuple[Way, Played]] = [(course.start(), start(rules))]
        seen: set[Position] = set()
        while pending and len(seen) < self.walked:
            way, played = pending.pop(0)
            try:
                way, played = past_certain(course, way), _past_certain_throws(played)
                if way.to in seen:
                    continue
                seen.add(way.to)
                if not self._alike(course, way.to, played):
                    return
                self.met.append((way, played))
                if found is not None:
                    self._values(found, way, played, moves=True)
                pending += _following(course, way, played)
            except UNSOLVED as error:
                self.report.refused.append(("walk", f"{BY_REFERENCE}{type(error).__name__}"))
                return
            except REFUSED as error:
                self.report.refused.append(("walk", reason(error)))
                return

    def _alike(self, course: Course, ours: Position, played: Played) -> bool:
        kind = "over" if played.is_over else "chance" if played.is_chance else "choice"
        before = len(self.report.differences)
        self.report.hold("position", ours.kind, kind)
        if ours.kind != kind:
            return False
        if kind == "over":
            payoff = objective(course, "payoff").at_end(course, ours)
            self.report.hold("result", payoff, played.payoff)
        elif kind == "chance":
            right = [(way.label, way.probability) for way in course.ways(ours)]
            outcomes = [(each.text, each.probability) for each in played.outcomes()]
            self.report.hold("throws", right, outcomes)
        else:
            right_moves = [move.label for move in course.moves(ours)]
            self.report.hold("moves", right_moves, [move.label for move in played.moves()])
        return len(self.report.differences) == before

    def _values(
        self, found: Found, way: Way, played: Played, what: str = "", *, moves: bool = False
    ) -> None:
        ours, solved = found
        right = ours.value_of(way)
        printed = self.report.asked("value of a position", lambda: solved.value_of(played))
        if printed is not None:
            self.report.hold(f"value of a position{what}", right, printed)
        if way.to.kind != "choice" or not moves:
            return
        self.seen[str(played)] = way.to
        seat = ours.course.seat(way.to)
        options = self.report.asked("values of moves", lambda: solved.options(played))
        if options is not None:
            wanted = {label: values[seat] for label, values in ours.move_values(way.to)}
            got = {choice.name: choice.value for choice in options}
            self.report.hold(f"values of moves{what}", wanted, got)


def _counted(happened: Happened, asked: str) -> tuple[tuple[str, int], ...]:
    """Return how often each form of an outcome came up."""
    counts: dict[str, int] = {}
    for (name, form), count in happened:
        if asked.strip("()") in (name.strip("()"), form):  # a note in brackets or without them
            counts[form] = counts.get(form, 0) + count
    return tuple(sorted(counts.items()))


def _past_certain_throws(played: Played) -> Played:
    while played.is_chance and len(outcomes := played.outcomes()) == 1:
        played = played.play(outcomes[0])
    return played


def _following(course: Course, ours: Way, played: Played) -> Iterator[tuple[Way, Played]]:
    if ours.to.kind == "over":
        return
    what: Sequence[Any] = played.outcomes() if ours.to.kind == "chance" else played.moves()
    for way, each in zip(course.ways(ours.to), what, strict=True):
        yield way_after(ours, way), played.play(each)


def _by_seat(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)

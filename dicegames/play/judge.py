"""Luck and loss: what every throw changed in the expected result, and what every move gave away.

With V the values by seat, a run of throws from position a to b is luck V(b) - V(a) for the player
who threw, and a move m at position a loses best(a) - value(a, m), never less than nothing. What
happens to a player while others throw and move is counted apart. All these are differences of
neighbouring values, so that for every player

    start value + luck - losses + what others did = result

and with luck and losses of the other sign where little is good: luck above zero is good for the
player, whatever the payoff.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import define, evolve, field, frozen

from dicegames.ground.numbers import percent
from dicegames.play.match import Match
from dicegames.rules.running.referee import Choice, Position
from dicegames.solver.model import TIE

GRADES = ("inaccuracy", "mistake", "blunder", "massive blunder")
MARKS = ("?!", "?", "??", "???")
THRESHOLDS = (1.0, 4.0, 10.0)
"""Losses from which on a move is a mistake, a blunder, a massive blunder, in points of a score."""
SMALL = 0.2
"""Thresholds below this ask for more decimals."""

Values = tuple[float, ...]


class Judge(Protocol):
    """Whoever knows what positions are worth, such as a solution."""

    @property
    def maximise(self) -> bool:
        """Whether much is good."""

    def value_of(self, position: Position) -> float | Values:
        """Return the expected result of a position, one for each seat if there are several."""

    def options(self, position: Position) -> Sequence[Choice]:
        """Return all legal moves with their values, the best first."""


@frozen
class Scale:
    """How results are written, and from which losses on a move is a mistake, or a blunder.

    Results are shares or numbers, of so many `places`, and have a name. `span` is said behind a
    loss that is not one of the whole game: " in this turn".
    """

    thresholds: tuple[float, float, float] = THRESHOLDS
    is_share: bool = False
    title: str = "expected result"
    span: str = ""
    places: int = field()

    @places.default
    def _as_a_small_loss_needs(self) -> int:
        return 4 if not self.is_share and self.thresholds[0] < SMALL else 2

    def grade(self, loss: float) -> int:
        """Return the grade of a loss as a number, -1 for a move that loses nothing."""
        if loss <= TIE:
            return -1
        return sum(loss >= threshold for threshold in self.thresholds)

    def value(self, value: float) -> str:
        """Return an expected result."""
        return percent(value, self.places) if self.is_share else f"{value:z.{self.places}f}"

    def change(self, change: float) -> str:
        """Return a difference of results, with its sign."""
        text = self.value(change)
        if text.strip("-0.%"):
            return text if text.startswith("-") else f"+{text}"
        share, mark = (100, "%") if self.is_share else (1, "")
        return ("0" if abs(change) <= TIE else f"{share * change:+.1e}") + mark

    def amount(self, loss: float) -> str:
        """Return how much was lost."""
        return self.change(loss).lstrip("+")

    def lost(self, loss: float) -> str:
        """Return how much a move lost, and of what."""
        return self.amount(loss) + self.span

    def legend(self) -> str:
        """Say from which losses on a move has which grade."""
        first, second, third = (
            percent(t, None) if self.is_share else f"{t:g}" for t in self.thresholds
        )
        return f"?! below {first}, ? below {second}, ?? below {third}, ??? from {third}"


def usual_thresholds(factor: float) -> tuple[float, float, float]:
    """Return 1, 4 and 10 times what stands for a point, such as a per cent of a game to be won."""
    first, second, third = (factor * threshold for threshold in THRESHOLDS)
    return first, second, third


@frozen
class Event:
    """A run of throws, or a move, and what it did: `change` by seat, in the payoff's own sign.

    The steps are those from `first` to before `end`. For moves there are the `options`, the best
    first, and the `loss`; both are empty for throws. `value` is the expected result afterwards.
    """

    first: int
    end: int
    seat: int
    change: Values = ()
    value: Values = ()
    luck: float = 0.0
    loss: float = 0.0
    played: str = ""
    options: tuple[tuple[str, float], ...] = ()

    @property
    def is_decision(self) -> bool:
        """Whether there was something to choose."""
        return len(self.options) > 1


@frozen
class Account:
    """What one player's result is made of; `expected` is the result once the game is over."""

    start: float
    luck: float
    losses: float
    others: float
    expected: float
    decisions: int
    right: int
    grades: tuple[int, ...]

    def gap(self, *, maximise: bool) -> float:
        """Return by how much the parts miss the whole: only rounding, where values are exact."""
        own = self.luck - self.losses
        return abs(self.start + (own if maximise else -own) + self.others - self.expected)


@define
class Ledger:
    """The events of a match that goes on; it follows the match when steps are taken back.

    `is_whole`: the result of the game is judged, with luck; else only what moves lose of the points
    of their turn, and what is not known of a turn that differs from the first one is left out.
    """

    match: Match
    judge: Judge
    scale: Scale
    is_whole: bool = True
    events: list[Event] = field(factory=list)
    _values: dict[int, Values] = field(factory=dict)
    _seen: list[object] = field(factory=list)

    def options(self, position: Position) -> Sequence[Choice]:
        """Return all legal moves with their values, the best first; none where none are known."""
        try:
            return self.judge.options(position)
        except LookupError:
            if self.is_whole:
                raise
            return ()

    def loss_of(self, move: str, options: Sequence[Choice]) -> float | None:
        """Return what a move loses against the best of the options; None where it is none."""
        value = next((option.value for option in options if option.name == move), None)
        return None if value is None else max(0.0, self.sign * (options[0].value - value))

    @property
    def sign(self) -> int:
        """1 where much is good, -1 where little is."""
        return 1 if self.judge.maximise else -1

    def update(self) -> list[Event]:
        """Bring the events up to date; return those that are new."""
        steps = self.match.steps
        same = 0
        for seen, step in zip(self._seen, steps, strict=False):
            if seen is not step:
                break
            same += 1
        self._values = {n: value for n, value in self._values.items() if n <= same}
        self.events = [event for event in self.events if event.end <= same]
        if self.events and self.match.event_ends(self.events[-1].first) != self.events[-1].end:
            self.events.pop()  # throws have been added to a run
        known = len(self.events)
        at = self.events[-1].end if self.events else 0
        while at < len(steps):
            event = self._event(at)
            self.events.append(event)
            at = event.end
        self._seen = list(steps)
        return self.events[known:]

    def value_at(self, number: int) -> Values:
        """Return the expected results by seat before the step of a number, or after the last."""
        if number not in self._values:
            steps = self.match.steps
            position = steps[number].before if number < len(steps) else self.match.position
            self._values[number] = self.value_of(position)
        return self._values[number]

    def value_of(self, position: Position) -> Values:
        """Return the expected results by seat."""
        value = self.judge.value_of(position)
        return value if isinstance(value, tuple) else (value,)

    def account(self, seat: int) -> Account:
        """Return what a player's result is made of, as far as the match has come.

        Where only turns are judged it says how the decisions were; all else is zero.
        """
        whole, own = self.is_whole, [event for event in self.events if event.seat == seat]
        decisions = [event for event in own if event.is_decision]
        grades = [self.scale.grade(event.loss) for event in decisions]
        others = [event.change[seat] for event in self.events if whole and event.seat != seat]
        return Account(
            start=self.value_at(0)[seat] if whole else 0.0,
            luck=sum(event.luck for event in own),
            losses=sum(event.loss for event in own),
            others=sum(others),
            expected=self.value_at(len(self.match.steps))[seat] if whole else 0.0,
            decisions=len(decisions),
            right=sum(grade < 0 for grade in grades),
            grades=tuple(grades.count(number) for number in range(len(GRADES))),
        )

    def line(self, seat: int) -> list[tuple[float, Event | None]]:
        """Return the expected result of a seat at the start and after each event."""
        first: list[tuple[float, Event | None]] = [(self.value_at(0)[seat], None)]
        return first + [(event.value[seat], event) for event in self.events]

    def _event(self, at: int) -> Event:
        """Return the event that begins with a step."""
        step, end = self.match.steps[at], self.match.event_ends(at)
        event = Event(at, end, step.seat) if step.is_throw else self._choice(at)
        if not self.is_whole:
            return event
        before, after = self.value_at(at), self.value_at(end)
        change = tuple(b - a for a, b in zip(before, after, strict=True))
        luck = self.sign * change[step.seat] if step.is_throw else 0.0
        return evolve(event, change=change, value=after, luck=luck)

    def _choice(self, at: int) -> Event:
        """Return a move with what it lost, where that is known."""
        step = self.match.steps[at]
        options = self.options(step.before)
        choices = tuple((option.name, option.value) for option in options)
        loss = self.loss_of(step.text, options) or 0.0
        return Event(at, at + 1, step.seat, loss=loss, played=step.text, options=choices)

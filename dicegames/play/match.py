"""A game in progress, and who plays it. Nothing is read, nothing is shown.

A match is a list of steps that can be taken back and made again. The dice of a step depend only on
the seed and on how many throws went before, so that the same seed and the same moves give the same
game, and taking a move back does not change the dice that follow it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import inf

from attrs import define, field, frozen

from dicegames.rules.parts.flow import Throw
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.value_text import PositionError, parse_dice
from dicegames.rules.running.referee import Move, Outcome, Position, start

NO_MOVE = "(no move)"
"""What the rules call a choice at which nothing is legal."""


@frozen
class Step:
    """A move, or what chance did, between two positions.

    `asked` tells whether a person was asked for it (play is taken back to such steps), `said` what
    was said in place of the dice, if something was; `throws` have been made in the game by then.
    """

    before: Position
    what: Move | Outcome
    after: Position
    asked: bool = False
    said: str = ""
    throws: int = 0

    @property
    def seat(self) -> int:
        """The seat of the player who moved or threw."""
        return self.before.node.seat

    @property
    def is_throw(self) -> bool:
        """Whether chance acted."""
        return isinstance(self.what, Outcome)

    @property
    def text(self) -> str:
        """The dice, or the name of the move."""
        return self.what.text if isinstance(self.what, Outcome) else self.what.label

    @property
    def begins_turn(self) -> bool:
        """Whether it is the first step of a turn."""
        return self.before.starts_turn


@define
class Match:
    """A game that is being played, by anyone."""

    game: Rules
    seed: int
    steps: list[Step] = field(factory=list)
    undone: list[Step] = field(factory=list)

    @property
    def position(self) -> Position:
        """Where play stands."""
        return self.steps[-1].after if self.steps else start(self.game)

    @property
    def result(self) -> tuple[Fraction, ...]:
        """What each seat has in the end."""
        return self.position.payoff

    @property
    def turn(self) -> int:
        """The turns that the player to move has begun, this one included."""
        seat = self.position.node.seat
        return sum(step.begins_turn and step.seat == seat for step in self.steps) + (
            self.position.starts_turn
        )

    def drawn(self) -> Outcome:
        """Return what the seed's dice show next."""
        throws = self.steps[-1].throws if self.steps else 0
        chance = random.Random(f"{self.seed}:{throws}")  # noqa: S311 - dice to be thrown again
        return self.position.throw(chance)

    def throw(self) -> Step:
        """Throw the seed's dice."""
        return self._add(self.drawn(), asked=False)

    def let_fall(self, outcome: Outcome, *, said: str = "", asked: bool = True) -> Step:
        """Take dice that were thrown elsewhere."""
        return self._add(outcome, asked=asked, said=said)

    def play(self, move: Move, *, asked: bool = True) -> Step:
        """Make a move."""
        return self._add(move, asked=asked)

    def choices(self, most: float = inf) -> Iterator[Position]:
        """Throw the dice, and give each position in which whoever asks makes a move.

        That ends with the game, or after so many steps.
        """
        while not self.position.is_over and len(self.steps) < most:
            if self.position.is_chance:
                self.throw()
            else:
                yield self.position

    def undo(self) -> bool:
        """Go back to where a person was asked last; return False if nobody was."""
        if not any(step.asked for step in self.steps):
            return False
        while True:
            step = self.steps.pop()
            self.undone.append(step)
            if step.asked:
                return True

    def redo(self) -> bool:
        """Make again what was taken back, up to where a person was asked next."""
        if not self.undone:
            return False
        self.steps.append(self.undone.pop())
        while self.undone and not self.undone[-1].asked:
            self.steps.append(self.undone.pop())
        return True

    def event_ends(self, first: int) -> int:
        """Return the step after the event that begins with a step.

        A move is an event, and so are throws that follow each other in a turn without a choice.
        """
        end = first + 1
        if self.steps[first].is_throw:
            while end < len(self.steps) and self.steps[end].is_throw:
                if self.steps[end].begins_turn:
                    break
                end += 1
        return end

    def events(self) -> list[tuple[int, int]]:
        """Return the events: the first step of each, and the one after its last."""
        found: list[tuple[int, int]] = []
        while (at := found[-1][1] if found else 0) < len(self.steps):
            found.append((at, self.event_ends(at)))
        return found

    def until(self, count: int) -> Match:
        """Return the match as it was after a number of steps."""
        return Match(self.game, self.seed, self.steps[:count])

    def _add(self, what: Move | Outcome, *, asked: bool, said: str = "") -> Step:
        before = self.position
        throws = (self.steps[-1].throws if self.steps else 0) + isinstance(what, Outcome)
        step = Step(before, what, before.play(what), asked, said, throws)
        self.steps.append(step)
        self.undone.clear()
        return step


# ---- who plays


@frozen
class Player:
    """A player: what the seat is called, how one speaks of it, and how a bot chooses.

    `choose` is None for people, who are asked.
    """

    name: str
    choose: Callable[[Match], Move] | None = None

    @property
    def is_bot(self) -> bool:
        """Whether it chooses by itself."""
        return self.choose is not None

    @property
    def ending(self) -> str:
        """How verbs end that speak of the player: `You throw`, `Anna throws`."""
        return "" if self.name == "You" else "s"


def people(count: int) -> list[Player]:
    """Return players who sit at the keyboard together."""
    if count == 1:
        return [Player("You")]
    return [Player(f"Player {number}") for number in range(1, count + 1)]


def any_move(match: Match) -> Move:
    """Choose a legal move by chance, the same for the same seed and game."""
    chance = random.Random(f"{match.seed}:{len(match.steps)}:move")  # noqa: S311 - no secret
    return chance.choice(match.position.moves())


def by_position(best: Callable[[Position], Move]) -> Callable[[Match], Move]:
    """Return how a bot chooses that looks at the position only."""
    return lambda match: best(match.position)


# ---- throws as text


def chance_told(steps: Sequence[Step], ending: str = "") -> str:
    """Say what chance did in some steps: `draw red red, then throw 3 4`; verbs end as one says."""
    told = []
    for verb, run in groupby(steps, key=lambda s: getattr(s.before.instruction, "verb", "throw")):
        told.append(f"{verb}{ending} {', then '.join(step.text for step in run)}")
    return ", then ".join(told)


def outcome_of(position: Position, text: str) -> Outcome:
    """Return the throw in which the dice show a text; raises PositionError."""
    instruction = position.instruction
    if not isinstance(instruction, Throw):
        raise PositionError("no dice are thrown here")
    kind, count = instruction.kind, int(position.node.env[instruction.count])
    dice = parse_dice(kind, "", text)
    if sum(dice) != count:
        things = "" if kind.is_drawn else " dice" if count != 1 else " die"
        done = "drawn" if kind.is_drawn else "thrown"
        here = f"{count}{things} {'are' if count != 1 else 'is'} {done} here"
        raise PositionError(f"{here}, these are {sum(dice)}")
    for outcome in position.outcomes():
        if outcome.dice == dice:
            return outcome
    raise PositionError(f"{kind.text(dice)} cannot be thrown")

"""The control graph while it is explored: nodes, edges, and the paths that lead to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from attrs import define, field, frozen

from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Environment
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, negate, unknown
from dicegames.rules.running.effects import rotate

CERTAIN = Fraction(1)
END_TARGET = -1
"""The target of an edge that ends play."""

Guard = tuple[Unknown, ...]
NEVER: Guard = (unknown("never"),)
"""A guard that no values fulfil, but that is kept."""
Effect = tuple[tuple[int, Value], ...]
Happening = tuple[str, str]
"""What the rules note: what it is about, and what it is; twice the same for a plain event."""


@frozen
class Payment:
    """What something pays to the player to move; `amount` may be open, None: all that is left."""

    what: str
    amount: Value


Gain = tuple[Value, ...]
"""What each seat that has a value of its own gains, the player to move first."""
Overruns = tuple[tuple[int, Value], ...]
"""Instructions that set a variable, each with the condition that its value leaves its range.

Or with a condition under which the rules break there, or go round for ever; True if they always do.
"""


class TooWide(Exception):
    """A turn takes too long to be explored.

    `name` is the variable of the turn with too many values, if there is one; else `why` says what
    there is too much of, and `varied` how many values the variables take that differ most. It is
    `hopeless` to list all positions where no table could hold the states between turns either.
    """

    def __init__(
        self, name: str, span: Span, why: str = "", varied: Sequence[tuple[str, int]] = (),
        *, hopeless: bool = False,
    ):  # fmt: skip
        self.name = name
        self.span = span
        self.why = why
        self.varied = varied
        self.hopeless = hopeless
        super().__init__(name)


class Edge(NamedTuple):
    """A way from a node: `weight` is a probability at chance nodes, 1 elsewhere.

    `facts` follow from the guard; they are kept apart for those who ask what must hold here.
    """

    weight: Fraction
    guard: Guard
    effect: Effect
    reward: Gain
    target: int
    rotate: int = 0
    facts: Guard = ()
    notes: tuple[Happening, ...] = ()
    paid: tuple[Payment, ...] = ()
    points: Value = 0  # where a strategy plays for the points of a turn: those gained on the way
    crossed: bool = False  # the turn is over
    passed: int = 0  # turns that are passed over after it, where these are told apart
    for_turn: bool = False  # a move that is played if it brings the most points in the turn
    overruns: Overruns = ()  # until they are noted


@define
class ControlNode:
    """A node of the control graph: kind is chance, choice or branch."""

    at: int
    env: Environment
    kind: str
    stored: bool = False
    again: bool = False  # the turn may come back to it at the same point
    edges: list[Edge] = field(factory=list)
    played: list[Edge] | None = None  # what strategies play, where `edges` are all legal moves
    offered: list[Edge] | None = None  # the moves in the order of the rules, where `edges` are not
    known: Mapping[Unknown, Value] = MappingProxyType({})  # open values that are fixed here
    dice_left: int = 0  # where dice are thrown one at a time: how many are still to be thrown

    def ways(self, *, played: bool = False, offered: bool = False) -> list[Edge]:
        """Return the ways on, or those that are `played` or `offered` where these are others."""
        found = self.played if played else self.offered if offered else None
        return self.edges if found is None else found


class AxisStep(NamedTuple):
    """What an edge does to the axes, for finding their ranges; `target` -1 ends the game."""

    source: int
    guard: Guard
    effect: Effect
    target: int
    crossed: bool


@frozen(eq=False)
class Overrun:
    """A way on from a node on which the rules may break at an instruction: see `Overruns`."""

    node: ControlNode
    guard: Guard
    at: int
    outside: Value


@define
class Path:
    """A path that is being followed."""

    at: int
    env: Environment
    guard: Guard
    known: dict[Unknown, Value]
    rotate: int = 0
    turns: int = 0
    crossed: bool = False
    overruns: Overruns = ()
    notes: tuple[Happening, ...] = ()
    paid: tuple[Payment, ...] = ()
    points: Value = None  # of the turn, once it is over, if these are counted
    ended: bool = False  # the turn, whose end is no node on the way
    before: tuple[Value, ...] = ()  # what was so when the first player's turn was over

    def fork(self, at: int, env: Environment, guard: Guard, known: Mapping[Unknown, Value]) -> Path:
        """Return the path that goes on from here elsewhere, or with other values."""
        way = (self.rotate, self.turns, self.crossed, self.overruns, self.notes, self.paid)
        return Path(at, env, guard, dict(known), *way, self.points, self.ended)

    def edge(self, reward: Gain, target: int, effect: Effect = ()) -> Edge:
        """Return the edge that it is, with all that was noted on it."""
        told = (0, (), self.notes, self.paid)
        return Edge(CERTAIN, self.guard, effect, reward, target, *told, overruns=self.overruns)

    def said(self, condition: Value) -> Value:
        """Return whether an open condition holds, where this path was divided by it before."""
        if condition in self.guard:
            return True
        return False if negate(condition) in self.guard else condition

    def repeats(self) -> bool:
        """Tell, as a turn is over, whether all is as it was when all had one, and nothing asked."""
        now = (self.rotate, len(self.guard), *self.env)
        if now == self.before:
            return True
        if self.rotate == 0 and self.turns:
            self.before = now
        return False

    def end_turn(self, game: Rules) -> None:
        """Let the next player be the one to move."""
        rotate(game, self.env)
        self.rotate = (self.rotate + 1) % game.players
        self.turns += 1
        self.crossed = True

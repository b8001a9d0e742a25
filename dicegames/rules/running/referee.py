"""The referee: positions, legal moves, chance outcomes, successors.

It runs the instructions of a game one by one, with plain values only. Everything else (the console,
simulation, the slow solver, and the tests of the compiled model) trusts it.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from fractions import Fraction
from functools import lru_cache
from random import Random

from attrs import evolve, frozen

from dicegames.ground import multiset
from dicegames.ground.arguments import expect
from dicegames.ground.diagnostic import folded
from dicegames.ground.numbers import turned
from dicegames.rules.parts.broken import GOES_ROUND, RuleBroken, no_move
from dicegames.rules.parts.flow import (
    Alternative,
    Choose,
    Decided,
    Environment,
    Finish,
    Instruction,
    Move,
    Note,
    Offer,
    Pay,
    Set,
    Test,
    Throw,
    TurnEnds,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import DiceKind, Value
from dicegames.rules.parts.unknown import both, known, negate, where
from dicegames.rules.running.effects import assign, pay, rotate
from dicegames.rules.running.legality import MoveError, legal_are

__all__ = [
    "Choice",
    "Move",
    "Outcome",
    "Position",
    "moves_of",
    "offers",
    "run",
    "start",
    "with_values",
]

LONGEST_RUN = 20_000
"""Instructions without a choice or a throw after which the rules are said to go round for ever."""

Seen = Callable[[Instruction, int, Environment], None]
"""Is shown each instruction that is carried out; an assignment once it is, with its slot."""

MOST_TURNS = 1000
"""Turns without a choice or a throw after which the same is said."""


@frozen(repr=False)
class Choice:
    """A legal move and what it is worth to the player who makes it."""

    move: Move
    value: float

    @property
    def name(self) -> str:
        """The move's name as the rules say it."""
        return self.move.label

    def __str__(self) -> str:
        return f"{self.name}: {self.value:.6f}"

    def __repr__(self) -> str:
        return f"<Choice {self.name!r}: {self.value!r}>"


@frozen
class Outcome:
    """What chance may do: its exact probability, the dice thrown, and their text."""

    probability: Fraction
    dice: multiset.Multiset
    text: str


@lru_cache(maxsize=64)
def outcomes_of(
    kind: DiceKind, ways: tuple[tuple[multiset.Multiset, int], ...], total: int
) -> tuple[Outcome, ...]:
    """Return what chance may do with dice of a kind, of so many ways in all."""
    return tuple(Outcome(Fraction(n, total), dice, kind.text(dice)) for dice, n in ways)


def option_moves(option: Alternative, env: Environment) -> list[tuple[Move, Value]]:
    """Return the moves of an option, each with the condition that it is legal."""
    if option.candidates is None:
        legal = _legal(option, env, True)
        return [] if legal is False else [(Move(option.label, option.entry), legal)]
    found = []
    for candidate in option.candidates(env):
        env[option.slot] = candidate.value
        legal = _legal(option, env, candidate.present)
        if legal is not False:  # most are not, in a large set
            label = f"{option.label} {candidate.text}".strip()
            found.append((Move(label, option.entry, option.slot, candidate.value), legal))
    return found


def _legal(option: Alternative, env: Environment, legal: Value) -> Value:
    """Return the condition that a move is legal, beside one that is known."""
    for condition in option.conditions:
        holds = where(legal, condition.run, env)
        if holds is False:
            return False
        legal = known(both(legal, holds))
    return legal


def offers(choose: Choose, env: Environment) -> list[Offer]:
    """Return the moves of a choice with their conditions; `otherwise` if none else is legal."""
    env = list(env)
    found: list[Offer] = [
        (option, move, legal)
        for option in choose.options
        for move, legal in option_moves(option, env)
    ]
    if choose.other >= 0:
        none: Value = True
        for _, _, legal in found:
            none = both(none, negate(legal))
        if none is not False:
            found.append((None, Move("(no move)", choose.other), none))
    if not found:
        raise no_move(choose.span)
    return found


def moves_of(choose: Choose, env: Environment) -> Decided:
    """Return the moves of a choice: those that are legal, or those that strategies play."""
    found = offers(choose, env)
    if choose.decision is None:
        return Decided([(move, legal, legal) for _, move, legal in found], free=True)
    return choose.decision.run(list(env), found)


@frozen(eq=False, repr=False)
class Position:
    """A moment of a game at which someone chooses, chance acts, or the game is over.

    `at` is the number of the instruction that comes next; at the start of a turn that is the
    first of the turn, so that a position shows what a player sees before the turn begins.
    """

    game: Rules
    at: int
    env: tuple[Value, ...]
    starts_turn: bool = False
    notes: tuple[str, ...] = ()

    @property
    def node(self) -> Position:
        """Return the position reached when all that happens by itself has happened."""
        return self._followed[0]

    @property
    def turns_passed(self) -> int:
        """How many turns are over before `node` is reached, without a throw or a choice in them."""
        node, begun = self._followed
        return max(0, begun - 1) + (begun > 0 and isinstance(self.game.flow[node.at], Finish))

    @property
    def _followed(self) -> tuple[Position, int]:
        """The node, and how many turns have begun on the way to it."""
        position = self
        for begun in range(MOST_TURNS):
            if not position.starts_turn:
                return position, begun
            position = run(self.game, position.at, list(position.env))  # a turn may be passed over
        message = "turns pass for ever: no throw, no choice, and nothing that ends the game"
        raise RuleBroken(message, self.game.flow[self.at].span, self.game.source, "goes-round")

    @property
    def instruction(self) -> Instruction:
        """Return the instruction at which play stands."""
        return self.game.flow[self.node.at]

    @property
    def is_over(self) -> bool:
        """Tell whether the game is over."""
        return isinstance(self.instruction, Finish)

    @property
    def is_chance(self) -> bool:
        """Tell whether chance acts."""
        return isinstance(self.instruction, Throw)

    @property
    def seat(self) -> int:
        """The seat of the player to move, counted from 0."""
        return self.node.whose_turn

    @property
    def whose_turn(self) -> int:
        """The seat that the variables begin with; another one moves where this turn is passed."""
        return int(self.env[self.game.names.variables["seat"].base])

    @property
    def payoff(self) -> tuple[Fraction, ...]:
        """What each seat has at the end; MoveError for positions that are not over."""
        if not self.is_over:
            raise MoveError("the game is not over, so that nobody has a payoff")
        return turned(self.node.read(Rules.payoff, self.game.players), -self.node.seat)

    def read(self, final: Callable[..., Value], seats: int) -> tuple[Fraction, ...]:
        """Return what counts for each seat, the mover first, if play ends here; or RuleBroken."""
        env = list(self.env)
        try:
            return tuple(Fraction(final(self.game, env, seat)) for seat in range(seats))
        except RuleBroken as broken:
            raise broken.located(self.game.flow[self.at].span, self.game.source) from None

    def moves(self) -> list[Move]:
        """Return the legal moves, in the order of the rules; none where chance acts.

        In a game that is played by strategies these are the moves that they play.
        """
        node, instruction = self.node, self.instruction
        if not isinstance(instruction, Choose):
            return []
        try:
            decided = moves_of(instruction, list(node.env))
            if decided.silent:
                raise _silence(instruction, node)
            ahead = [move for move, _, played in decided.for_turn if played]
            if len(ahead) > 1:
                assert instruction.decision is not None
                assert instruction.decision.look is not None
                ahead = [instruction.decision.look(list(node.env))]
        except RuleBroken as broken:
            raise broken.located(instruction.span, self.game.source) from None
        return [move for move, _, played in decided.moves if played] + ahead

    def outcomes(self) -> list[Outcome]:
        """Return what chance may do; none where a player chooses."""
        throw = self.instruction
        if not isinstance(throw, Throw):
            return []
        return list(outcomes_of(throw.kind, *throw.ways(list(self.node.env))))

    def throw(self, chance: Random) -> Outcome:
        """Return one of the outcomes, drawn at random as chance would; may raise MoveError."""
        expect(chance, Random, "a random.Random")
        throw = self.instruction
        if not isinstance(throw, Throw):
            raise MoveError("no dice are thrown here")
        if throw.source >= 0:
            found = self.outcomes()
            return chance.choices(found, [float(o.probability) for o in found])[0]
        weights = throw.kind.weights
        dice = multiset.draw(self.node.env[throw.count], weights, chance)
        return Outcome(multiset.probability(dice, weights), dice, throw.kind.text(dice))

    def play(self, what: Move | Outcome | str) -> Position:
        """Return the position after a legal move (or its name) or a chance outcome.

        Raises MoveError for a move that is not legal, and for dice that are not thrown here.
        """
        expect(what, (Move, Outcome, str), "a move, its name, or an outcome of chance")
        if isinstance(what, str):
            what = self.named(what)
        elif isinstance(what, Move):
            if what not in self.moves():
                raise self._illegal(what.label)
        elif not self._may_throw(what.dice):
            raise MoveError(f"{what.text} cannot be thrown here")
        return self.after(what)

    def after(
        self, what: Move | Outcome, stops: Container[int] = frozenset(), seen: Seen | None = None
    ) -> Position:
        """Return the position after one of `moves()` or `outcomes()`, which is not looked at again.

        The rules are followed to the next choice, throw, turn or end, or to an instruction that
        is one of `stops`. `seen` is shown every instruction on the way.
        """
        node = self.node
        env = list(node.env)
        if isinstance(what, Outcome):
            throw = self.game.flow[node.at]
            assert isinstance(throw, Throw)
            env[throw.pile] = multiset.add(env[throw.pile], what.dice)
            env[throw.count] = 0
            return run(self.game, throw.next, env, stops, seen)
        if what.slot >= 0:
            env[what.slot] = what.value
        return run(self.game, what.entry, env, stops, seen)

    def named(self, name: str) -> Move:
        """Return the legal move of this name, in any case; MoveError if there is none."""
        wanted = folded(name)
        for move in self.moves():
            if move.label.lower() == wanted:
                return move
        raise self._illegal(name)

    def _illegal(self, name: str) -> MoveError:
        nothing = "the dice are thrown" if self.is_chance else "the game is over"
        here = legal_are(self.moves()) or nothing
        return MoveError(f'"{name}" is no legal move here; {here}')

    def _may_throw(self, dice: multiset.Multiset) -> bool:
        """Tell whether these dice can be thrown now."""
        throw, env = self.instruction, self.node.env
        if not isinstance(throw, Throw) or len(dice) != len(throw.kind.weights):
            return False
        lie_there = throw.source < 0 or multiset.contains(env[throw.source], dice)
        return lie_there and sum(dice) == env[throw.count]

    def __str__(self) -> str:
        return self.game.text_of(self)

    def __repr__(self) -> str:
        return f"<Position {str(self)!r}>"


def start(game: Rules) -> Position:
    """Return the position at the start of a game."""
    return Position(game, game.turn, tuple(game.start()), starts_turn=True)


def run(
    game: Rules,
    at: int,
    env: Environment,
    stops: Container[int] = frozenset(),
    seen: Seen | None = None,
) -> Position:
    """Follow the rules from an instruction to the next choice, throw, turn, end, or stop."""
    notes: list[str] = []
    for _ in range(LONGEST_RUN):
        if at in stops:
            return Position(game, at, tuple(env), notes=tuple(notes))
        instruction = game.flow[at]
        match instruction:
            case Choose() | Finish():
                return Position(game, at, tuple(env), notes=tuple(notes))
            case Throw(count=count) if env[count]:
                return Position(game, at, tuple(env), notes=tuple(notes))
            case TurnEnds():
                rotate(game, env)
                return Position(game, instruction.next, tuple(env), True, tuple(notes))
        try:
            at = _follow(instruction, env, notes, seen)
        except RuleBroken as broken:
            raise broken.located(instruction.span, game.source) from None
    raise RuleBroken(GOES_ROUND, game.flow[at].span, game.source, "goes-round")


def _follow(instruction: Instruction, env: Environment, notes: list[str], seen: Seen | None) -> int:
    """Carry out what happens by itself; return the number of the next instruction."""
    slot = assign(instruction, env) if isinstance(instruction, Set) else -1
    if seen is not None:
        seen(instruction, slot, env)
    match instruction:
        case Test(next=yes, condition=condition, other=no) if (
            yes != no
        ):  # what it reads may be gone
            return yes if condition.run(env) else no
        case Note(label=label, what=what):
            notes.append(label if what is None else what.run(env).row.label)
        case Pay():
            pay(instruction, env)
    return instruction.next


def _silence(choose: Choose, position: Position) -> RuleBroken:
    """Return what is said of strategies that play no move in a position."""
    assert choose.decision is not None
    env = list(position.env)
    found = offers(choose, env)
    why, span = choose.decision.explain(env, found)
    legal = legal_are(move for _, move, ok in found if ok)
    message = f"{why}: {position}"
    hint = f"{legal}; add a line such as: otherwise: best"
    return RuleBroken(message, span, code="strategy-silent", help=hint)


def with_values(position: Position, changes: dict[int, Value]) -> Position:
    """Return a position with other values in some slots."""
    env = list(position.env)
    for slot, value in changes.items():
        env[slot] = value
    return evolve(position, env=tuple(env))

"""Games in which strategies play for some or all seats.

Such a game is the game itself with its choices decided: the same instructions at the same numbers,
the same variables. Its positions have as moves what the strategies play; whoever follows the rules
(the referee, the exact calculation, the compiler) needs to know nothing more.

For `best turn` play looks ahead to the end of the turn: the move that brings the most expected
points in it. A strategy that says so is followed in the rest of the turn, too; `best` is read as
the best move of the turn there. The turn is played out from the position by the referee, in
fractions: of moves that bring the same, the first in the order of the rules is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial

from attrs import define, evolve, field

from dicegames.ground.arguments import expect
from dicegames.ground.diagnostic import did_you_mean, folded
from dicegames.ground.errors import DicegamesError
from dicegames.ground.exact_cycles import Arc, NoExactValue
from dicegames.ground.limits import Limit, TooLarge
from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Choose, Decided, Delegate, Environment, Move, Offer, read_by
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import both, compare, either
from dicegames.rules.running.exploration import Exploration, Key
from dicegames.rules.running.legality import legal_are
from dicegames.rules.running.liveness import live, without_idle
from dicegames.rules.running.objectives import PAYOFF, Objective, TurnPoints
from dicegames.rules.running.referee import Position, with_values

TURN_POSITIONS = 30_000
TURN_TIMEOUT = 60.0
"""Seconds after which a turn counts as too large."""


class CannotLook(Exception):
    """A turn cannot be played out from a position; the message says why."""


@define(eq=False)
class RestOfTurn:
    """The rest of a turn of a game in which a strategy plays in all seats, `best turn` being free.

    What has been found out about positions is kept.
    """

    game: Rules
    exploration: Exploration = field(init=False)
    best: dict[Key, int] = field(factory=dict)  # the number of the best move of a position

    def __attrs_post_init__(self) -> None:
        self.exploration = Exploration(self.game, TurnPoints())
        self.game = without_idle(self.game, self.exploration.slots)

    def reads(self, at: int) -> frozenset[int]:
        """Return the slots on which the best move depends at an instruction."""
        return self.exploration.slots[at] - set(self.exploration.sums)

    def choose(self, at: int, env: Environment) -> Move:
        """Return the move to be played at a choice; raises CannotLook."""
        slots, needed = self.game.names.slots, self.exploration.slots[at]
        shown = (env[n] if n in needed else v.initial for n, v in enumerate(slots))
        position = Position(self.game, at, tuple(shown))
        bare = with_values(position, dict.fromkeys(self.exploration.sums, 0))
        key = self.exploration.key(bare)
        if key not in self.best:
            self._play_out(bare)
        return position.moves()[self.best[key]]

    def _play_out(self, position: Position) -> None:
        """Find the best move of a position, and of all that can come up in the rest of the turn."""
        exploration = self.exploration
        exploration.states.clear()
        exploration.numbers.clear()
        exploration.pending.clear()
        exploration.limit = Limit(TURN_POSITIONS, TURN_TIMEOUT)
        try:
            exploration.explore(position)
            solved = exploration.solved()
        except (TooLarge, NoExactValue) as error:
            raise CannotLook(str(error)) from None
        sign = 1 if exploration.maximise else -1

        def worth(edge: Arc) -> Fraction:
            return sign * (edge.reward[0] + solved.values[edge.target][0])

        for key, number in exploration.numbers.items():
            exploration.known[key] = solved.values[number]
            state = exploration.states[number]
            if state.chooses:
                found = [worth(edge) for edge in state.edges]
                self.best[key] = found.index(max(found))


Function = Callable[[Position], Move | str]
"""A strategy in Python: from a position to one of its moves, or the name of one."""

Given = str | Function
"""A strategy as people give it: the name of one in the rules file, or a function."""

Seats = tuple[Given | None, ...]
"""What plays for each seat; None: whoever plays the best move."""

OPTIMAL = "best"
"""The name that stands for the best move, whichever it is."""


class StrategyError(DicegamesError):
    """A strategy that is not there, or that plays what is not legal; the message says which."""

    misused = True


def seats_of(game: Rules, strategy: Given | Mapping[int, Given] | None) -> Seats:
    """Return what plays for each seat; `strategy` is for all of them, or by seat, from 1.

    Names are found in any case; "best" is the best move. Raises StrategyError.
    """
    if not isinstance(strategy, Mapping):
        return (_known(game, strategy),) * game.players
    demand_seats(game, strategy)
    return tuple(_known(game, strategy.get(seat + 1)) for seat in range(game.players))


def demand_seats(game: Rules, seats: Iterable[int]) -> None:
    """Raise StrategyError for a seat (from 1) that there is not."""
    for seat in seats:
        if seat not in range(1, game.players + 1):
            known = "there is one seat" if game.players == 1 else f"seats are 1 to {game.players}"
            raise StrategyError(f"there is no seat {seat!r}: {known}")


def _known(game: Rules, given: Given | None) -> Given | None:
    if given is None or callable(given):
        return given
    expect(given, str, "the name of a strategy, or a function,")
    if folded(given) == OPTIMAL:
        return None
    if title := title_of(game, given):
        return title
    if not game.strategies:
        told = 'write one: strategy "NAME", and indented below it: otherwise: "MOVE"'
        raise StrategyError(f'the rules of "{game.title}" name no strategy; {told}')
    hint = did_you_mean(given, game.strategies)
    known = hint or "there are: " + ", ".join(f'"{title}"' for title in game.strategies)
    raise StrategyError(f'the rules name no strategy "{given}"; {known}')


def title_of(game: Rules, name: str) -> str | None:
    """Return the title of the strategy of a name, in any case; None if there is none."""
    return next((title for title in game.strategies if title.lower() == folded(name)), None)


def name_of(given: Given | None) -> str:
    """Return how a strategy is called."""
    if callable(given):
        return getattr(given, "__name__", "a function")
    return OPTIMAL if given is None else given


def played_by(game: Rules, seats: Seats, objective: Objective = PAYOFF) -> Rules:
    """Return the game in which strategies play for their seats.

    Where the objective is what they mean by it, the points of a turn, `best turn` is `best`.
    Raises StrategyError for several strategies where the turn of one player is all there is.
    """
    if objective.one_turn and any(given != seats[0] for given in seats):
        raise StrategyError("one turn is looked at, that of player 1; give one strategy for all")
    return _decided(game, seats, for_turn=objective.is_the_points_of_a_turn(game))


def left_by(
    game: Rules, title: str, objective: Objective = PAYOFF
) -> Callable[[Position], list[Move]]:
    """Return what says which moves a strategy leaves, in any seat; raises as `played_by` does."""
    decided = played_by(game, seats_of(game, title), objective)
    return lambda position: evolve(position.node, game=decided).moves()


def _decided(game: Rules, seats: Seats, *, for_turn: bool) -> Rules:
    if all(given is None for given in seats):
        return game
    seen = _shown(game) if any(map(callable, seats)) else []
    ahead = {} if for_turn else _ahead(game, seats)
    flow = list(game.flow)
    for number, instruction in enumerate(flow):
        if isinstance(instruction, Choose):
            deciders = {
                given: _decider(game, given, number, seen, ahead) for given in dict.fromkeys(seats)
            }
            decision = _by_seat(game, seats, deciders)
            flow[number] = evolve(instruction, decision=decision)
    return evolve(game, flow=flow)


def _shown(game: Rules) -> list[frozenset[int]]:
    """Return what a function is shown at each instruction: all that later play asks for.

    So that it can follow play, these are also dice and names of `let` that are read to no purpose.
    (Other numbers that nobody needs may grow without end.)
    """
    seat = frozenset({game.names.variables["seat"].base} if game.players > 1 else ())
    slots = enumerate(game.names.slots)
    bound = {n for n, v in slots if v.type.kind == "dice" or v.scope == "local"}
    asked_for = live(game, ends=PAYOFF.ends(game))
    both_ways = zip(asked_for, live(game, every_read=True), strict=True)
    return [asked | seat | (read & bound) for asked, read in both_ways]


def _ahead(game: Rules, seats: Seats) -> dict[str, RestOfTurn]:
    """Return for each strategy that plays for the points of the turn how it finds them."""
    named = {given for given in seats if isinstance(given, str)}
    titles = [title for title in sorted(named) if game.strategies[title].looks_ahead]
    everywhere = {title: (title,) * game.players for title in titles}
    return {t: RestOfTurn(_decided(game, all_, for_turn=True)) for t, all_ in everywhere.items()}


# ---- one strategy


def _decider(
    game: Rules,
    given: Given | None,
    at: int,
    seen: Sequence[frozenset[int]],
    ahead: Mapping[str, RestOfTurn],
) -> Delegate:
    """Return what decides a choice in place of a player."""
    if given is None:
        return _free()
    if callable(given):
        return _asking(game, given, at, seen[at])
    strategy, rest = game.strategies[given], ahead.get(given)
    decide = partial(strategy.decide, for_turn=rest is None)
    if rest is None:
        return Delegate(decide, strategy.explain, strategy.reads)
    reads = strategy.reads | rest.reads(at)
    return Delegate(decide, strategy.explain, reads, partial(_look, strategy.title, rest, at))


def _look(title: str, rest: RestOfTurn, at: int, env: Environment) -> Move:
    """Return the move that brings the most points in this turn."""
    try:
        return rest.choose(at, env)
    except CannotLook as error:
        message = f'"{title}" looks ahead to the end of the turn, and {error}; '
        message += "--objective turn solves a turn of any length"
        raise StrategyError(message) from None


def _asking(game: Rules, given: Function, at: int, reads: frozenset[int]) -> Delegate:
    """Return how a function decides a choice: it is shown what it reads."""

    def decide(env: Environment, offered: list[Offer]) -> Decided:
        legal = {m.label.lower(): m for option, m, ok in offered if ok and option is not None}
        if not legal:
            return Decided([(move, ok, ok) for _, move, ok in offered])
        slots = enumerate(game.names.slots)
        shown = (env[n] if n in reads else variable.initial for n, variable in slots)
        position = Position(game, at, tuple(shown))
        answer = given(position)
        name = answer.label if isinstance(answer, Move) else str(answer)
        move = legal.get(folded(name))
        if move is None:
            message = f'{name_of(given)} plays "{name}", which is not legal: {position}'
            raise StrategyError(f"{message}; {legal_are(legal.values())}")
        return Decided([(move, True, True)])

    return Delegate(decide, _never_silent, reads)


def _free(reads: frozenset[int] = frozenset()) -> Delegate:
    """Return how nobody decides: every legal move may be played."""

    def decide(env: Environment, offered: list[Offer]) -> Decided:
        return Decided([(move, legal, legal) for _, move, legal in offered], free=True)

    return Delegate(decide, _never_silent, reads)


def _never_silent(env: Environment, offered: list[Offer]) -> tuple[str, Span]:
    raise AssertionError


def looking(game: Rules, reads: frozenset[int]) -> Rules:
    """Return the game in which who chooses looks at some slots: they are not forgotten before."""
    decision = _free(reads)
    flow = [evolve(i, decision=decision) if isinstance(i, Choose) else i for i in game.flow]
    return evolve(game, flow=flow)


# ---- all seats


def _by_seat(game: Rules, seats: Seats, deciders: Mapping[Given | None, Delegate]) -> Delegate:
    """Return the decision that asks the strategy of the player to move."""
    if len(deciders) == 1:
        return deciders[seats[0]]
    slot = game.names.variables["seat"].base

    def run(env: Environment, offered: list[Offer]) -> Decided:
        moves: list[tuple[Move, Value, Value]] = []
        for_turn: list[tuple[Move, Value, Value]] = []
        silent: Value = False
        free = False
        for given, decider in deciders.items():
            own: Value = False
            for seat, of in enumerate(seats):
                if of == given:
                    own = either(own, compare("eq", env[slot], seat))
            if own is not False:
                found = decider.run(env, offered)
                for into, items in ((moves, found.moves), (for_turn, found.for_turn)):
                    kept = [(move, legal, both(own, played)) for move, legal, played in items]
                    into += [item for item in kept if item[2] is not False]
                silent = either(silent, both(own, found.silent))
                free = free or found.free
        return Decided(moves, silent, free, for_turn)

    def look(env: Environment) -> Move:
        decider = deciders[seats[env[slot]]]
        assert decider.look is not None
        return decider.look(env)

    def explain(env: Environment, offered: list[Offer]) -> tuple[str, Span]:
        return deciders[seats[env[slot]]].explain(env, offered)

    reads = read_by(deciders.values()) | {slot}
    looks = any(d.look is not None for d in deciders.values())
    return Delegate(run, explain, reads, look if looks else None)

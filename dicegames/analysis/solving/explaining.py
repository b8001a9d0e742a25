"""Parts of values: what every single thing pays from a move on, under the policy of a solution.

The game is compiled and solved once more, with all that pays told apart (`traced`). What is paid by
the move itself is seen by the referee, what the turn still pays is found by pushing probability
through its graph, and what later turns pay through the chain of landing states
(`results.lookahead`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial

import numpy as np
from attrs import define, evolve, field, frozen

from dicegames.analysis.chances.policy import Policy, policies
from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.solving.extremes import prepared
from dicegames.analysis.solving.position_values import PositionValues
from dicegames.analysis.solving.reasons import Happening, Pair, Part, TurnOutlook, Why, demand_exact
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled, project
from dicegames.compiler.exploring.happenings import THE_RESULT, at_the_end, payment
from dicegames.compiler.graph import Payment
from dicegames.rules.parts.flow import Environment, Instruction, Set
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Move, Outcome, Position
from dicegames.solver.chain.chain import OFF_TABLES
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.results.lookahead import Begin, Gathered, Lookahead
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved
from dicegames.solver.status import SolveError, Status

OTHERS = "the others' turns"
PAYMENTS = "payments"
DEEPEST = 3
NO_PART = 1e-12
MOST_SOLVED_AGAIN = 2_000_000
"""Points of a model with values in a folder that is solved once more to tell reasons."""


@define(eq=False)
class Gatherer:
    """Adds up, for one of the two moves, what pays and what happens."""

    now: dict[str, float] = field(factory=partial(defaultdict, float))
    later: dict[str, float] = field(factory=partial(defaultdict, float))
    times: dict[str, float] = field(factory=partial(defaultdict, float))
    noted: dict[tuple[str, str], float] = field(factory=partial(defaultdict, float))
    turns: float = 0.0

    def pay(self, what: str, amount: float, times: float, *, later: bool) -> None:
        """Add what is expected of something, and how often it pays."""
        if amount or times:
            (self.later if later else self.now)[what] += amount
            self.times[what] += times


@frozen
class WayHere:
    """How play came somewhere: by which move, how likely, whether its turn is over by now.

    `place` is as in `Begin`.
    """

    column: int
    chance: float = 1.0
    over: bool = False
    place: int = 0
    steps: int = 0


@define(eq=False)
class Explainer:
    """Explains differences of values of a game that is compiled with `traced`."""

    compiled: Compiled
    solved: Solved
    _policy: Policy
    _ahead: Lookahead

    def why(self, node: Position, moves: tuple[str, str], values: Pair) -> Why:
        """Compare two moves of a position of the compiled game; may raise SolutionError."""
        sides = (Gatherer(), Gatherer())
        node = project(node, self.compiled.game).node  # whose boxes are other objects
        try:
            with Workers() as workers:
                begins = [
                    begin
                    for column, (move, side) in enumerate(zip(moves, sides, strict=True))
                    for begin in self._after(node, node.named(move), WayHere(column), side, workers)
                ]
                found = self._ahead.gather(begins, 2, workers)
        except SolveError as error:
            raise SolutionError(f"what follows cannot be looked at: {error}") from None
        for column, side in enumerate(sides):
            self._told(found, column, side, later=False)
            self._told(found, 2 + column, side, later=True)
        maximise = self.compiled.goal.maximise
        return demand_exact(_compared(moves, values, sides, maximise=maximise))

    # ---- where the moves lead

    def _after(
        self, node: Position, what: Move | Outcome, path: WayHere, side: Gatherer, workers: Workers
    ) -> Iterable[Begin]:
        """Give where play stands after a move or an outcome; add what that pays at once."""
        compiled = self.compiled
        goal, roles = compiled.goal, compiled.roles_
        node = project(node, compiled.game).node
        paid: list[Payment] = []

        def seen(instruction: Instruction, slot: int, env: Environment) -> None:
            if isinstance(instruction, Set):
                paid.extend(payment(goal, roles, instruction, slot, env))

        reached = node.after(what, goal.ends, seen)
        over = reached.starts_turn or reached.at in goal.ends
        place = (path.place + node.seat - reached.node.seat) % compiled.model.seats
        turns = over + reached.turns_passed
        self._at_once(path, side, paid, turns=turns, ended=reached.at in goal.ends,
                      gained=self._had(reached, node) - self._had(node, node))  # fmt: skip
        for note in reached.notes:
            side.noted[note, note] += path.chance
        if reached.at in goal.ends:
            return []
        onward = evolve(path, over=path.over or over, place=place, steps=path.steps + 1)
        return self._stands(reached, onward, side, workers)

    def _at_once(
        self, path: WayHere, side: Gatherer, paid: list[Payment], gained: float, *, turns: int,
        ended: bool,
    ) -> None:  # fmt: skip
        """Add what a move or an outcome pays before the next one."""
        goal, chance = self.compiled.goal, path.chance
        if path.place:
            side.pay(OTHERS, chance * gained, 0.0, later=path.over)
            return
        if turns and goal.per_turn:
            paid.append(Payment("turns", turns * goal.per_turn))
            gained += turns * goal.per_turn
        rest = at_the_end(goal, self.compiled.roles_) if ended else PAYMENTS
        left = gained - sum(float(each.amount) for each in paid)
        for each in (*paid, Payment(rest or THE_RESULT, left if abs(left) > NO_PART else 0.0)):
            amount = float(each.amount)
            side.pay(each.what, chance * amount, chance * (amount > 0), later=path.over)
        side.turns += chance * (turns - ended)

    @property
    def _evaluator(self) -> PositionValues:
        return PositionValues(self.compiled, self.solved)

    def _had(self, position: Position, mover: Position) -> float:
        """Return what the player to move at `mover` has won at a position."""
        won = self._evaluator.offset(position)
        return won[(mover.seat - position.node.seat) % len(won)]

    def _stands(
        self, reached: Position, path: WayHere, side: Gatherer, workers: Workers
    ) -> Iterable[Begin]:
        """Give the states of the chain that stand for a position, or for what comes of it."""
        compiled, chain = self.compiled, self._policy.chain
        node = project(reached, compiled.game).node
        for _, number, point in compiled.places(node):
            try:
                value = np.ravel(self.solved.value_at(number, point))[0]
            except LookupError:
                continue
            at = chain.model.position(point)
            ends = self._ahead.ends_of(int(chain.node_of[number]), at, float(value), workers)
            if ends is not None:
                return [Begin(path.column, ends, path.chance, path.over, path.place)]
        if path.steps > DEEPEST:
            raise SolutionError("what follows is not known here")
        ways: list[tuple[Move | Outcome, float]]
        ways = [(o, float(o.probability)) for o in node.outcomes()]
        if not ways:
            ways = [(what, chance) for what, chance, _ in self._evaluator.onward(node)]
        found: list[Begin] = []
        for what, chance in ways:
            part = evolve(path, chance=path.chance * chance)
            found.extend(self._after(node, what, part, side, workers))
        return found

    # ---- what comes of them

    def _told(self, found: Gathered, column: int, side: Gatherer, *, later: bool) -> None:
        """Add what was found in a column."""
        unit = float(self._policy.chain.units.unit)
        for place, number in np.argwhere(found.count[column]).tolist():
            if number == len(self.compiled.told):
                continue  # beyond the tables: of next to no probability
            notes, paid, over = self.compiled.told[number]
            count = float(found.count[column, place, number])
            left = float(found.paid[column, place, number]) * unit
            for note in notes:
                side.noted[note] += count
            if place:
                side.pay(OTHERS, left, 0.0, later=later)
                continue
            side.turns += count * over
            for each in paid[:-1]:
                side.pay(each.what, count * each.amount, count * (each.amount > 0), later=later)
                left -= count * each.amount
            what = paid[-1].what if paid else PAYMENTS
            side.pay(what, left, float(found.positive[column, place, number]), later=later)


def explainer_of(game: Rules, evaluator: PositionValues) -> Explainer | TurnOutlook:
    """Solve a game once more, with what pays told apart; raises SolutionError in the long run.

    `evaluator` is that of the game as it was solved, `game` the one of all players. Where values
    are approximate, or on disk and too many to be found once more, or where what pays cannot be
    told apart, moves are compared by the ends of the turn.
    """
    known = evaluator.solved
    in_folder = isinstance(known.evaluator, Subgames) and known.evaluator.in_pieces
    large = in_folder and known.model.points > MOST_SOLVED_AGAIN
    if known.status is Status.APPROXIMATE or large:
        return TurnOutlook(evaluator)
    compiled = evaluator.compiled
    if compiled.goal.objective.endless:
        raise SolutionError("the long run has no end: its values have no parts to add up")
    try:
        compiled = compile_game(game, compiled.objective, compiled.seats, traced=True)
        compiled = prepared(compiled)
        solved = solve(compiled.model)
        policy = _deepest(compiled, solved)
    except SolveError:
        return TurnOutlook(evaluator)
    unit = float(policy.chain.units.unit)
    base = [sum(float(p.amount) for p in paid[:-1]) / unit for _, paid, _ in compiled.told]
    crossed = np.array([over for _, _, over in compiled.told] + [False])
    ahead = Lookahead(policy.chain, crossed, np.rint(np.array([*base, 0.0])).astype(np.int64))
    return Explainer(compiled, solved, policy, ahead)


def _deepest(compiled: Compiled, solved: Solved) -> Policy:
    """Return the policy of a solution; where a counter has no limit, one that is cut off far up."""
    *_, policy = policies(compiled, solved)
    walk, labels = policy.chain.walk, len(compiled.told)
    label = np.where(walk.label == OFF_TABLES, labels, walk.label).astype(walk.label.dtype)
    return evolve(policy, chain=evolve(policy.chain, walk=walk._replace(label=label)))


def _compared(
    names: tuple[str, str], values: Pair, sides: tuple[Gatherer, Gatherer], *, maximise: bool
) -> Why:
    one, two = sides
    whats = dict.fromkeys([*one.now, *one.later, *two.now, *two.later])
    parts = [
        Part(
            what,
            (one.now[what], two.now[what]),
            (one.later[what], two.later[what]),
            (one.times[what], two.times[what]),
        )
        for what in whats
    ]
    parts.sort(key=lambda part: -abs(part.difference))
    noted = [
        Happening(*what, (one.noted[what], two.noted[what]))
        for what in dict.fromkeys([*one.noted, *two.noted])
    ]
    noted.sort(key=lambda each: -abs(each.times[0] - each.times[1]))
    turns = (one.turns, two.turns)
    return Why(*names, values, tuple(parts), tuple(noted), turns, maximise)

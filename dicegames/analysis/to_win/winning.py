"""Play to win, where players do not touch each other and the best result is first.

A player's chance to win is bounded: below by what best play in this turn is worth if all go on for
the best mean afterwards (U0), above by what it would be worth if the others' best result were known
(U1). Choices go by U0 + w (U1 - U0), each turn being solved exactly: see `solver.results` and
`styles`. The others are taken for players of the best mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from os import PathLike
from time import perf_counter
from typing import Any, NoReturn

import numpy as np
from attrs import evolve, field, frozen

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.saved.store import StoreError
from dicegames.analysis.solution import Solution, Value
from dicegames.analysis.solving.position_values import UnknownPosition, own_position
from dicegames.analysis.solving.reasons import Why, count, of_ends
from dicegames.analysis.to_win.limited import IN_SIGHT, Limited, limited
from dicegames.analysis.to_win.styles import KNOWING, MEAN, PLAIN, WIN, Style
from dicegames.analysis.to_win.win_tables import find_tables
from dicegames.compiler.compile import alone
from dicegames.compiler.compiled import project
from dicegames.compiler.exploring.roles import growing
from dicegames.compiler.independence import why_dependent
from dicegames.ground.limits import Limits
from dicegames.rules.parts.flow import reachable
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.value_text import value_text
from dicegames.rules.running.objectives import ObjectiveError, objective_of
from dicegames.rules.running.referee import Choice, Move, Outcome, Position, start
from dicegames.solver.chain.spread import spread_batches
from dicegames.solver.chain.walker import Walker, make_walker
from dicegames.solver.graph.reach_kernels import search
from dicegames.solver.kernels.precompile import compile_ahead
from dicegames.solver.model import Array
from dicegames.solver.results.given_ends import OneTurn, chances
from dicegames.solver.results.rivals import ChainTables, Rivals, rivals_of
from dicegames.solver.results.targets import fill_targets
from dicegames.solver.status import SolveError, Status

Ends = tuple[Array, Array, Array]
"""Where a turn may end: keys as in `Stand`, units won by then, chances."""
Stand = tuple[int, int]
"""Where a player stands between turns: a key of the tables (-1: at the end), and units won."""

ROUNDING = 1e-7
"""How much a chance may be off for each layer: float32, and what is cut off."""
LAYERS_OF_ROUNDING = 10
"""Layers' worth of error for the distributions, which are rounded once."""
TURNS_KEPT = 64
"""Turns that are remembered."""


@frozen(eq=False, slots=False)
class WinSolution(Solution):
    """A game seen by who wants to win. Values are chances to win, by seat.

    Those of several seats need not add up to 1: each takes the others for players of the best mean.
    """

    points: Solution = field(kw_only=True, repr=False)  # for the best mean
    tables: ChainTables = field(kw_only=True, repr=False)
    limit: Limited | None = field(kw_only=True, default=None, repr=False)
    took: float = field(kw_only=True, default=0.0)
    _turns: dict[object, OneTurn] = field(factory=dict, init=False, repr=False)

    @property
    def error_bound(self) -> float:
        """By how much the ends of the range may be wrong, by rounding and by a limit."""
        cut_off = 0.0 if self.limit is None else IN_SIGHT * self.game.players
        return ROUNDING * (self.solved.layers + LAYERS_OF_ROUNDING) + cut_off

    @property
    def method(self) -> str:
        return "turns with chances at their ends"

    @property
    def seconds(self) -> float:
        return self.took

    @property
    def lower(self) -> Value:
        """What is reached at least against players of the best mean."""
        return self.range_of(start(self.game))[0]

    @property
    def upper(self) -> Value:
        """What nobody can exceed against them."""
        return self.range_of(start(self.game))[1]

    @property
    def units_at_start(self) -> int:
        """What a player has before the first turn, in units of the tables."""
        return self._stand(start(self.points.compiled.game))[1]

    def weights(self, style: Style, seat: int) -> Array:
        """Return w of a seat (from 0) by how many own turns are still to come."""
        return style.of(seat, self.game.players, self.tables.turns)

    def value_of(self, position: Position | str) -> Value:
        """Return the chances to win, by seat: by what the choices go."""
        return self._chances(self._own(position), WIN)

    def range_of(self, position: Position | str) -> tuple[Value, Value]:
        """Return the bounds of the best answer to players of the best mean, by seat."""
        own = self._own(position)
        return self._chances(own, PLAIN), self._chances(own, KNOWING)

    def remaining_of(self, position: Position | str) -> Value:
        """Return the same as `value_of`: a chance is not won in parts."""
        return self.value_of(position)

    def values_after(self, position: Position, what: Sequence[Move | Outcome]) -> list[float]:
        """Return the chances after moves or chance outcomes, for the player to move."""
        node = position.node  # turns may be passed over
        own, others = self._mover(node), self._others(node, node.seat)
        weights = self.weights(WIN, node.seat)
        return [self._after(own, each, others, weights) for each in what]

    def waiting(self, keys: Array, totals: Array, others: Rivals, weights: Array) -> Array:
        """Return the chances of players who wait for a turn, or have had the last one."""
        tables, (plain, knowing) = self.tables, np.zeros((2, len(keys)))
        chances(tables.coming, tables.best, keys, totals, *others, tables.maximise, plain, knowing)
        weight = np.maximum(0.0, weights[tables.left[keys % len(tables.left)]])
        found: Array = plain + weight * (knowing - plain)
        return found

    def save(self, path: str | PathLike[str]) -> None:
        """Raise StoreError: the tables are kept in the user's cache."""
        raise StoreError("what is needed to win is kept in the user's cache, not in a file")

    def distribution(self, *_: Any, **__: Any) -> NoReturn:
        """Raise SolutionError."""
        raise SolutionError("distributions are for the payoff: a chance to win is one number")

    distributions = outcomes = distribution

    def simulate(self, *_: Any, **__: Any) -> NoReturn:
        """Raise SolutionError: see `play_to_win`."""
        raise SolutionError("games are played to win by dicegames.play_to_win")

    # ---- inside

    def _chances(self, position: Position, style: Style) -> Value:
        seats = range(self.game.players)
        return tuple(self._chance(position, seat, self.weights(style, seat)) for seat in seats)

    def _chance(self, position: Position, seat: int, weights: Array) -> float:
        """Return the chance of a seat (from 0)."""
        others = self._others(position, seat)
        if position.is_over or seat != position.whose_turn:
            own = own_position(position, self.compiled.game, seat)
            key, total = self._stand(own)
            return float(self.waiting(np.array([key]), np.array([total]), others, weights)[0])
        ends = self._ends(self._mover(position), others, weights)
        return self._worth(ends, others, weights)

    def _others(self, position: Position, seat: int) -> Rivals:
        """Return what the other seats may get; whose turn it is plays for the best mean."""
        found = []
        for other in range(self.game.players):
            if other == seat:
                continue
            if other == position.whose_turn and not position.is_over and not position.starts_turn:
                node = self._mover(position)
                found.append(self._ends(node, self._nobody(node), self.weights(MEAN, 0)))
                continue
            key, total = self._stand(own_position(position, self.compiled.game, other))
            found.append((np.array([key]), np.array([total]), np.ones(1)))
        return rivals_of(self.tables, found)

    def _own(self, position: Position | str) -> Position:
        own = super()._own(position)
        return own.node if own.turns_passed else own

    def _mover(self, position: Position) -> Position:
        node = super()._mover(position).node
        if self.limit is not None:
            self.limit.demand(node)
        return node

    def _nobody(self, node: Position) -> Rivals:
        """Return rivals who take no part, for a turn that is played for the mean."""
        lone = (np.array([-1]), np.array([self._total(node)]), np.ones(1))
        return rivals_of(self.tables, [lone])

    def _ends(self, node: Position, others: Rivals, weights: Array) -> Ends:
        """Return where a turn may end from a position on: keys, totals, chances."""
        for _, number, point in self.points.compiled.places(node):
            chain = self.tables.chain
            at, total = self.tables.chain.model.position(point), self._total(node)
            turn = self._turn(at, total, others, weights)
            keys, paid, chance = turn.ends(int(chain.node_of[number]), at)
            if chance.size:
                return keys, total + paid, chance
        ways: list[tuple[Move | Outcome, float]]  # the graph may pass over a position
        ways, moves = [(o, float(o.probability)) for o in node.outcomes()], node.moves()
        if not ways and not moves:
            raise UnknownPosition(f'the position "{node}" cannot come up in the game')
        if not ways:
            worth = self.points.values_after(node, moves)
            if weights[0] >= 0:
                worth = [self._after(node, move, others, weights) for move in moves]
            ways = [(moves[int(np.argmax(worth))], 1.0)]
        parts = [(self._ends_after(node, what, others, weights), share) for what, share in ways]
        return (
            np.concatenate([end[0] for end, _ in parts]),
            np.concatenate([end[1] for end, _ in parts]),
            np.concatenate([end[2] * share for end, share in parts]),
        )

    def _ends_after(
        self, node: Position, what: Move | Outcome, others: Rivals, weights: Array
    ) -> Ends:
        reached = node.after(what, self.points.compiled.goal.ends)
        if reached.starts_turn or reached.at in self.points.compiled.goal.ends:
            key, total = self._stand(reached)
            return np.array([key]), np.array([total]), np.ones(1)
        return self._ends(reached, others, weights)

    def _compared(self, position: Position, one: Choice, two: Choice, *, by_turn: bool) -> Why:
        """Tell by how the turn may end: the chance of each end, times the chance to win then."""
        position = position.node
        node, others = self._mover(position), self._others(position, position.whose_turn)
        weights = self.weights(WIN, position.whose_turn)

        def ends(move: Choice) -> dict[str, tuple[float, float]]:
            found: dict[str, tuple[float, float]] = {}
            keys, totals, shares = self._ends_after(node, node.named(move.name), others, weights)
            won = shares * self.waiting(keys, totals, others, weights)
            for key, total, worth, share in np.column_stack([keys, totals, won, shares]).tolist():
                count(found, self._ended(node, int(key), int(total)), worth, share)
            return found

        names, values = (one.name, two.name), (one.value, two.value)
        return of_ends(names, values, (ends(one), ends(two)))

    def _ended(self, node: Position, key: int, total: int) -> str:
        """Say how a turn ended: which members of sets it used, and whether that paid."""
        compiled = self.points.compiled
        paid = float((total - self._total(node)) * self.tables.chain.units.unit)
        scored = "" if paid else ", no points"
        if key < 0:
            return f"the end of the game{scored}"
        coords = self.tables.chain.model.point_at(key % self.tables.chain.walk.entries)
        names, used = compiled.game.names, []
        for axis, slot, index in zip(
            compiled.emitter.axes, compiled.emitter.slots, coords, strict=True
        ):
            new = index & ~int(node.env[slot]) if axis.kind == "set" else 0
            if new:
                variable = names.slots[slot]
                used.append(value_text(names, variable.name, variable.type, new))
        return f"{', '.join(used)}{scored}" if used else f"{paid:g} points"

    def _after(self, node: Position, what: Move | Outcome, others: Rivals, weights: Array) -> float:
        """Return the chance after a move or an outcome of a player's own turn."""
        return self._worth(self._ends_after(node, what, others, weights), others, weights)

    def _worth(self, ends: Ends, others: Rivals, weights: Array) -> float:
        """Return the chance of a player whose turn may end so."""
        keys, totals, shares = ends
        return float(shares @ self.waiting(keys, totals, others, weights))

    @cached_property
    def _walker(self) -> Walker:
        return make_walker(self.tables.chain, self.tables.greedy, points=1)

    def _turn(self, at: int, total: int, others: Rivals, weights: Array) -> OneTurn:
        key = (at, total, weights.tobytes(), others.base, others.wins.tobytes())
        if key not in self._turns:
            if len(self._turns) >= TURNS_KEPT:
                self._turns.pop(next(iter(self._turns)))
            self._turns[key] = OneTurn(self.tables, self._walker, at, total, others, weights)
        return self._turns[key]

    def _stand(self, own: Position) -> Stand:
        """Return where a player stands, in the game of one player."""
        compiled, chain = self.points.compiled, self.tables.chain
        node = project(own, compiled.game).node
        if node.at in compiled.goal.ends:
            return -1, self._units(compiled.final(list(node.env))[0])
        for _, number, point in compiled.places(node):
            landing = int(chain.walk.landing[chain.node_of[number]])
            key = landing * chain.walk.entries + self.tables.chain.model.position(point)
            if landing >= 0 and self.tables.coming.length[key] >= 0:
                return key, self._total(node)
        raise UnknownPosition(f'nobody can stand at "{node}" between turns')

    def _total(self, node: Position) -> int:
        return self._units(self.points.compiled.offset(list(node.env))[0])

    def _units(self, points: float) -> int:
        return round(points / float(self.tables.chain.units.unit))


def solve_win(
    game: Rules, objective: str, solve: Callable[[Rules], Solution], limits: Limits, *, plain: bool
) -> WinSolution:
    """Return the solution of a game for the chance to win; `solve` solves for the best mean.

    `plain`: nothing else is asked for. Raises ObjectiveError, or SolutionError where players touch
    each other or tables do not fit.
    """
    if not plain:
        raise SolutionError("who plays to win makes the best move: no strategy, grid or notes")
    wanted = objective_of(objective)
    wanted.applied(game)
    if why := why_dependent(game):
        raise ObjectiveError(
            f"{why}: here the chance to win is known only if the rules play for it (payoff win)"
        )
    if (single := alone(game)) is None:
        raise ObjectiveError(
            "the chance to win is found from the game of one player, which these rules do not "
            "allow; let them: option players = 2 from 1 to 6"
        )
    began, refused = perf_counter(), ""
    for kernel in (search, spread_batches, fill_targets):  # they take long, and memory
        compile_ahead(kernel)
    for points, limit in _ways(game, single, solve, limits):
        try:
            tables = find_tables(points, limits)
        except SolveError as error:
            refused = error.detail or str(error)
            if error.status is Status.UNSUPPORTED:
                continue
            break
        goal = evolve(points.compiled.goal, objective=wanted, maximise=True)
        return WinSolution(
            game,
            evolve(points.compiled, goal=goal),
            points.solved,
            points=points,
            tables=tables,
            limit=limit,
            took=perf_counter() - began,
        )
    raise SolutionError(f"the chance to win is not known here: {refused}")


def _ways(
    game: Rules, single: Rules, solve: Callable[[Rules], Solution], limits: Limits
) -> Iterator[tuple[Solution, Limited | None]]:
    """Give solutions for the best mean, until one falls into turns that are paid at their ends.

    `single` is the game of one player. Where all that is paid is compared with a limit, it is
    remembered, and paid in the end.
    """
    grows = growing(single, reachable(single.flow, single.turn, {single.end_turn}))
    if grows and (found := limited(single, grows, limits)):
        yield found.points, found
    else:
        yield solve(game), None
    if found := limited(single, grows | single.payoffs[0].reads, limits):
        yield found.points, found

"""Matches: games played at their true points, each seat by the best moves on a grid or a strategy.

A turn is evaluated when it is played, at the points where play stands (see `values`), so that
no total is rounded. All games go on together, turn by turn; those whose player to move plays the
same are evaluated together.

Where values are known the luck of a turn is what it brought by them, less the mean of that under
the moves of its player. Its mean is 0 whatever the values are and whoever plays, so that a result
less the luck of all turns has the mean of the result, and varies less (a control variate).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, field, frozen

from dicegames.solver.grid.end_values import EndValues, Way, seats_of
from dicegames.solver.grid.grid import GridTable
from dicegames.solver.grid.kernels import GRID_LANES
from dicegames.solver.grid.machine import Machine, machine
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.turn_model import MergedTurn, plan
from dicegames.solver.grid.walk import Lanes, TurnGraph, graph_of, play_turns
from dicegames.solver.kernels.generator import begin
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Array, Axis, Grid, Model
from dicegames.solver.status import SolveError, Status

MATCHES_ABREAST = 512
"""Games that go on together; the same for any number of threads, so that games do not change."""
LONGEST_MATCH = 100_000
"""Turns after which a game is given up."""


@frozen(eq=False)
class SeatStyle:
    """How a seat is played: the model of all seats playing like that, and what moves are chosen by.

    That is the `table` of a grid, or the points of the turn, `aims` (int32[E]: the reward of every
    edge), or nothing where a strategy leaves no choice. `farthest` is how many levels a turn has.
    """

    model: Model
    farthest: int
    table: GridTable | None = None
    aims: Array | None = None


@define(eq=False, slots=False)
class ReadyStyle:
    """A style made ready to play turns; `judge` has the values by which luck is told, if any."""

    style: SeatStyle
    judge: GridTable | None
    points: GridPoints = field(init=False)
    turn: MergedTurn = field(init=False)
    machine: Machine = field(init=False)
    ends: EndValues = field(init=False)
    graph: TurnGraph = field(init=False)
    slot: Array = field(init=False)  # int64[nodes of the turn]: number of a choice, -1: chance
    aims: Array = field(init=False)

    def __attrs_post_init__(self) -> None:
        model, judge = self.style.model, self.judge
        grid = Grid({}, 1, 1) if judge is None else judge.grid
        self.aims = np.zeros(model.edges, np.int32) if self.style.aims is None else self.style.aims
        aims = None if self.style.table is not None else self.aims
        self.points = GridPoints(model, grid)
        self.turn = plan(model, aims=aims)
        self.ends = EndValues(self.points, self.turn, seats_of(model))
        demand_one_beginning(self.turn)
        told = 1 if judge is None else self.turn.columns
        self.graph = graph_of(self.turn)
        chosen = np.sort(self.turn.nodes[self.graph.chance[self.turn.nodes] == 0])
        self.slot = np.full(self.turn.inside.nodes, -1)
        self.slot[chosen] = np.arange(chosen.size)
        rows = [(n, told) for n in chosen.tolist()]
        rows += [(self.first, component) for component in range(told)]
        self.machine = machine(self.turn, told, rows)

    @property
    def first(self) -> int:
        """The node of the turn with which it begins."""
        return int(self.turn.node_of[self.turn.stored[0]])

    def play(
        self, shown: dict[int, Array], state: Array, workers: Workers
    ) -> tuple[Lanes, Array, Array]:
        """Play a turn in each lane, a multiple of GRID_LANES of them, at what the axes show.

        `state` (uint64[lanes]) are the generators, which go on. With the turns come what was gained
        inside them, and their luck: float64[lanes, seats], the player to move first.
        """
        lanes, levels, graph = len(state), self.style.farthest, self.graph
        guards = self.ends.guards(shown, levels)
        ends = self._ends(shown)
        if _alike(ends) and _alike(guards):  # the turn does not depend on what lasts
            ends, guards = ends[:1], guards[:1]
        level, gains = np.zeros(lanes, np.int64), np.zeros((lanes, graph.reward.shape[1]))
        played = Lanes(state, np.full(lanes, self.first), level, gains)
        moves, seats, before = np.zeros(0), seats_of(self.style.model), []
        for unit in range(lanes // GRID_LANES):
            if unit < len(ends):
                own = ends[unit : unit + 1], guards[unit : unit + 1]
                moves = self.machine.run(levels, *own, workers, every=True)[0]
            before.append(moves[0, -seats:].T)
            failed = guards[min(unit, len(guards) - 1)]
            play_turns(
                graph, self.slot, levels, len(self.turn.ends), moves, failed, unit * GRID_LANES,
                played,
            )  # fmt: skip
        if (played.node < -len(self.turn.ends)).any():
            raise SolveError(Status.NO_MOVE)
        gained = gains[:, -seats:]
        if self.judge is None:
            return played, gained, np.full_like(gained, np.nan)
        lane, mean, luck = np.arange(lanes), np.concatenate(before), np.zeros_like(gained)
        at = (
            np.minimum(lane // GRID_LANES, len(ends) - 1),
            -1 - played.node,
            np.minimum(level, levels - 1),
        )
        after = ends[*at, -seats:, lane % GRID_LANES]
        np.subtract(gained + after, mean, out=luck, where=np.isfinite(mean))
        return played, gained, luck

    def _ends(self, shown: dict[int, Array]) -> Array:
        """Return what ends are worth, as `Machine.run` takes it: what is aimed at comes first."""
        found, levels = [], self.style.farthest
        if self.style.table is None:
            found.append(self.ends.aimed(shown, levels, self.aims))
        if self.judge is not None:
            found.append(self.ends.values(shown, levels, self.judge.number, self.judge.values))
        return np.concatenate(found, axis=3)


def demand_one_beginning(turn: MergedTurn) -> None:
    """Raise SolveError for turns that are not played out from one beginning."""
    if len(turn.stored) > 1:
        raise SolveError(Status.UNSUPPORTED, "turns begin in several ways")


def _alike(values: Array) -> bool:
    """Tell whether all lanes have the same, for values over [vectors, .., lanes of a vector]."""
    return bool((values == values[:1, ..., :1]).all())


def prepare(styles: Sequence[SeatStyle], judge: GridTable | None = None) -> list[ReadyStyle]:
    """Return who plays in each seat; SolveError where styles do not belong to one game.

    Who has no values of its own is judged by those told, or of the first who has some.
    """
    players: dict[int, ReadyStyle] = {}
    judge = next((each for each in (judge, *(s.table for s in styles)) if each is not None), None)
    for style in styles:
        if id(style) not in players:
            players[id(style)] = ReadyStyle(style, style.table or judge)
    kinds = {tuple(map(_kind, style.model.axes)) for style in styles}
    if len(kinds) > 1:
        told = "what outlasts a turn is not the same for all that play"
        raise SolveError(Status.UNSUPPORTED, told)
    return [players[id(style)] for style in styles]


def _kind(axis: Axis) -> tuple[object, ...]:
    return axis.name, axis.kind, axis.offset, axis.step, axis.unbounded or axis.size


def play_games(seats: Sequence[ReadyStyle], seed: int, numbers: Array, workers: Workers) -> Array:
    """Play the games with some numbers: what each seat gains, and that with luck taken out.

    The shape is (2, games, seats); nan where luck is not known.
    """
    parts = np.array_split(numbers, np.arange(MATCHES_ABREAST, len(numbers), MATCHES_ABREAST))
    played = workers.run_all([(_play, (seats, seed, part, workers)) for part in parts])
    return np.concatenate(played, axis=1)


def _play(seats: Sequence[ReadyStyle], seed: int, numbers: Array, workers: Workers) -> Array:
    table = _GamesAbreast(seats, seed, numbers, workers)
    for _ in range(LONGEST_MATCH):
        if not table.playing.size:
            return np.stack([table.paid, table.paid - table.luck])
        table.play_turns()
    raise SolveError(Status.TOO_LONG, f"a game goes on for more than {LONGEST_MATCH:,} turns")


@define(eq=False, slots=False)
class _GamesAbreast:
    """Games that go on together."""

    seats: Sequence[ReadyStyle]
    seed: int
    numbers: Array
    workers: Workers
    paid: Array = field(init=False)  # float64[games, seats]
    luck: Array = field(init=False)  # alike
    state: Array = field(init=False)  # uint64[games]
    mover: Array = field(init=False)  # int64[games]: the seat to move
    shown: dict[int, Array] = field(init=False)  # by axis: int64[games]
    playing: Array = field(init=False)  # the games that are not over

    def __attrs_post_init__(self) -> None:
        player, games = self.seats[0], len(self.numbers)
        model, points = player.style.model, player.points
        self.paid, self.luck = np.zeros((2, games, len(self.seats)))
        self.state = begin(self.seed, self.numbers)
        self.mover = np.zeros(games, np.int64)
        self.shown = {
            axis: np.full(games, points.shown(axis, np.asarray(model.start_point[axis])))
            for axis in points.axes
        }
        self.playing = np.arange(games)

    def play_turns(self) -> None:
        """Play a turn in every game that goes on."""
        groups: dict[int, list[Array]] = {}
        for seat in np.unique(self.mover[self.playing]).tolist():
            own = self.playing[self.mover[self.playing] == seat]
            groups.setdefault(id(self.seats[seat]), []).append(own)
        players = {id(player): player for player in self.seats}
        left = [self._play_turn(players[key], np.concatenate(own)) for key, own in groups.items()]
        self.playing = np.sort(np.concatenate(left))

    def _play_turn(self, player: ReadyStyle, own: Array) -> Array:
        """Play a turn in some games; return those that go on."""
        padded = np.append(own, np.repeat(own[-1:], -own.size % GRID_LANES))
        shown = {axis: values[padded] for axis, values in self.shown.items()}
        played, gained, luck = player.play(shown, self.state[padded], self.workers)
        self.state[own] = played.state[: own.size]
        self._pay(self.paid, own, gained)
        self._pay(self.luck, own, luck)
        left = [np.zeros(0, np.int64)]
        end = -1 - played.node[: own.size]
        for each in np.unique(end).tolist():
            there = np.flatnonzero(end == each)
            before = {axis: values[there] for axis, values in shown.items()}
            for way in player.ends.leave(each, before, played.level[there]):
                left.append(self._go_on(own[there[way.lanes]], way))
        return np.concatenate(left)

    def _go_on(self, own: Array, way: Way) -> Array:
        self._pay(self.paid, own, way.gains)
        if way.shown is None:
            return own[:0]
        for axis, values in way.shown.items():
            self.shown[axis][own] = values
        self.mover[own] = (self.mover[own] + way.rotate) % len(self.seats)
        return own

    def _pay(self, to: Array, own: Array, gains: Array) -> None:
        for seat in range(gains.shape[1]):
            there = (self.mover[own] + seat) % len(self.seats)
            to[own, there] += self.seats[0].ends.sense * gains[: own.size, seat]

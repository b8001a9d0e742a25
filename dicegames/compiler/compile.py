"""The entry to this floor: from a game and the name of an objective to a compiled model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from attrs import evolve, frozen

from dicegames.compiler.compiled import Compiled, counted
from dicegames.compiler.effort import Effort
from dicegames.compiler.emitting.emit import emit, label_edges
from dicegames.compiler.emitting.loops import entries_of_loops
from dicegames.compiler.emitting.total import only_grows
from dicegames.compiler.explored.domains import DecidedInTurn, Domains
from dicegames.compiler.explored.one_die_at_a_time import one_die_at_a_time
from dicegames.compiler.explored.overruns import refuse_overruns
from dicegames.compiler.explored.sampling import sampled_throws
from dicegames.compiler.exploring.between import MOST_RUNS, Between, between
from dicegames.compiler.exploring.refusals import needs_grid, too_deep, too_large
from dicegames.compiler.exploring.roles import (
    NOTHING_FOUND,
    TurnVariables,
    assign_roles,
    limits_of_loops,
    slot_name,
    unwatched_changes,
)
from dicegames.compiler.exploring.turn_ends import ManyEnds
from dicegames.compiler.form import ENDS_APART, LISTED, TABLES, ModelForm
from dicegames.compiler.goal import Goal, TooMany, goal_of
from dicegames.compiler.graph import TooWide
from dicegames.compiler.independence import is_independent, turns_are_own
from dicegames.compiler.listing import POINTS, ListedInstead, Listings
from dicegames.compiler.open_values.tables import TableTooLarge
from dicegames.ground.collector import collector_at_rest
from dicegames.ground.limits import UNLIMITED, Limits
from dicegames.rules.check import check
from dicegames.rules.parts.broken import NotShown
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.objectives import Objective, ObjectiveError, measure, objective_of
from dicegames.rules.running.playing import Seats, played_by

T = TypeVar("T")

SUBSETS = 400
"""A table over so many subsets of what sets may hold is as much work as a condition."""
MOST_OPEN = 16_000_000
"""So many points are not put on a grid, if what grows in a turn turns out to have a limit."""


def compile_game(
    game: Rules,
    objective: str = "payoff",
    seats: Seats = (),
    *,
    both: bool = False,
    noted: bool = False,
    traced: bool = False,
    sampled: str = "",
    form: ModelForm = TABLES,
    limits: Limits = UNLIMITED,
) -> Compiled:
    """Return the model of a game for an objective.

    `seats` says which strategy plays for each seat; where one does, there is nothing to choose.
    With `both` all moves are legal in the model, and a second one, `played`, has the strategies.
    With `noted` the edges tell what the rules note, with `traced` also what pays.
    `sampled` names the throws that are to be estimated from samples, if any. The `form` says what
    is listed in tables; on a grid, which is for the payoff, nothing that lasts is.
    Players who do not interact are compiled as one. Raises RuleBroken for rules that cannot be
    compiled (something grows without limit, no move is legal, ...), with the place. Raises
    LimitReached where it takes more than `limits`. (Each parameter is another caller's wish.)
    """
    (effort := Effort.within(limits)).look()
    wanted = objective_of(objective)
    if wanted.compares(game):
        raise ObjectiveError(
            "playing to win goes by the model for the payoff: leave the objective out here; "
            "`solve` refuses what does not fit, with an estimate of it"
        )
    played = played_by(game, seats, wanted)
    if form.on_grid:
        goal = evolve(goal_of(played, wanted), apart=True)
        return _Compilation(goal, seats, effort, form).fitting()
    played = _as_one(game, played, seats, wanted)
    goal = evolve(goal_of(played, wanted), noted=noted or traced, traced=traced, sampled=sampled)
    whole = _Compilation(goal, seats, effort, form)
    counting = _Compilation(evolve(goal, sums=False), seats, effort, form, both)
    if goal.noted and wanted.target is not None:
        return counting.fitting()
    if any(callable(given) for given in seats):
        if wanted.endless:
            raise ObjectiveError("the long run needs a strategy of the rules file, not a function")
        return evolve(counting, form=LISTED).compiled()
    if both:
        if wanted.endless:
            raise ObjectiveError(
                "strategies are not compared for the long run; compare turns: --objective turn"
            )
        return counting.fitting()
    compiled = whole.fitting()
    if wanted.endless:
        return _long_run(compiled)
    if wanted.target is None or not compiled.goal.sums:
        return compiled
    if not only_grows(compiled.model):
        return counting.fitting()
    return counted(compiled, wanted.target, at_least=wanted.at_least(goal.game))


def outline(game: Rules, objective: str = "payoff", runs: int = MOST_RUNS) -> Between:
    """Return what is known of the states between turns, as the game would be compiled.

    Nothing is explored: this is known of games as well that are too large to be compiled. The end
    of turns is run so often at most, to find out in how many states play is over.
    """
    wanted = objective_of(objective)
    goal = goal_of(_as_one(game, played_by(game, (), wanted), (), wanted), wanted)
    return between(goal, assign_roles(goal), runs)


def _as_one(game: Rules, played: Rules, seats: Seats, wanted: Objective) -> Rules:
    """Return the game for one player, where players do not interact; else as it is `played`."""
    apart = turns_are_own(played) if wanted.endless else is_independent(played)
    if game.players > 1 and apart and (single := alone(game)) is not None:
        return played_by(single, _for_one(seats), wanted)
    return played


def _long_run(compiled: Compiled) -> Compiled:
    """Return the model of the average turn; what is counted must be gained turn by turn."""
    game = compiled.game
    for slot in measure(game).reads - set(compiled.roles_.rewards):
        message = "the average of turns needs points that turns only add to, and "
        raise ObjectiveError(f'{message}"{slot_name(game, slot)}" is more than that')
    return evolve(compiled, model=evolve(compiled.model, average=True))


def _for_one(seats: Seats) -> Seats:
    """Return the strategy of players who are looked at one by one."""
    if any(given != seats[0] for given in seats):
        message = "each player is solved alone here; give one strategy for all"
        raise ObjectiveError(message)
    return seats[:1]


@frozen
class _Compilation:
    """What is compiled for whom, with which effort, and in which form; `both` as above."""

    goal: Goal
    seats: Seats
    effort: Effort
    form: ModelForm
    both: bool = False

    def fitting(self) -> Compiled:
        """Compile in a form; or list all positions where that is refused or too much work.

        To list them shows what no look at conditions could: that a counter has an end, that the
        rules do not break. (A turn is looked at from all that may stand before it, and only the
        first could be listed.)
        """
        goal = self.goal
        if not goal.may_be_listed or self.form is not TABLES:
            return self.compiled()
        listing = evolve(self, goal=evolve(goal, sums=False), form=LISTED)
        listings = Listings(self.effort, lambda effort: evolve(listing, effort=effort).compiled())
        try:
            return evolve(self, effort=listings.tables()).compiled()
        except ListedInstead as instead:
            return instead.outcome()
        except (NotShown, TooMany) as refused:
            return listings.in_place_of(refused)

    def compiled(self) -> Compiled:
        """Compile; what turns out to take too many values inside a turn becomes an axis.

        Changes that nobody reads are left out, and of what only counts it is not known how much
        there is. Where one of these may leave a declared range, the game is explored once more with
        them, only to see that none does. (One turn is asked for what it brings, not whether all
        that it leaves behind is in order.)
        """
        with collector_at_rest():
            try:
                found = self._with_turn_axes(self._model)
            except ManyEnds:
                return evolve(self, form=ENDS_APART).compiled()
            unwatched = unwatched_changes(found.goal, found.roles_)
            if unwatched and not self.goal.objective.one_turn:
                self._with_turn_axes(lambda turn: self._explored(turn, unwatched))
        return found

    def _with_turn_axes(self, make: Callable[[TurnVariables], T]) -> T:
        """Return what is made once it is known which variables of the turn have to be axes.

        The values with which loops compare what they count are told apart, if that can be done.
        """
        game = self.goal.game
        turn = TurnVariables(apart=limits_of_loops(self.goal) if self.form is TABLES else {})
        while True:
            try:
                return make(turn)
            except (TooWide, TableTooLarge, NotShown) as refused:
                turn = NOTHING_FOUND if turn.apart else self._with_axis(turn, refused)
            except DecidedInTurn as decided:
                if decided.few:
                    turn = evolve(turn, kept_to={**turn.kept_to, **decided.kept_to})
                else:
                    turn = evolve(turn, endless=turn.endless.union(decided.kept_to))
            except RecursionError:  # an expression of expressions of ...
                raise too_deep(game) from None

    def _with_axis(self, turn: TurnVariables, refused: Exception) -> TurnVariables:
        """Make an axis of what takes too many values in a turn; raise what cannot be helped."""
        game = self.goal.game
        match refused:
            case TooWide(name=name):
                found = game.names.variables.get(name)
                of_turn = found is not None and found.scope == "turn"
                if not of_turn or name in turn.axes or self.form.listed:
                    raise self.form.too_wide(game, refused) from None
                return evolve(turn, axes=(*turn.axes, name))
            case TableTooLarge():
                raise too_large(game, refused) from None
        raise refused

    def _model(self, turn: TurnVariables) -> Compiled:
        goal, form, game = self.goal, self.form, self.goal.game
        domains = self._explored(turn)
        roles, explorer, start = domains.roles, domains.explorer, domains.start
        self.effort.work.add(domains.points // POINTS, large=True)
        axes, values = domains.axes()
        emitter = form.emitter(game, roles, axes, values)
        form.settle_turns(explorer, emitter)
        whole = sampled_throws(explorer, goal.sampled) if goal.sampled else frozenset()
        one_die_at_a_time(explorer, whole)
        form.settle_ends(explorer, emitter)
        explorer.forget()
        point = tuple(form.start_index(explorer, emitter, slot) for slot in roles.axes)
        aims = form.aims(explorer, emitter)
        model = emit(explorer, emitter, start, point, self.effort)
        turn_by_turn = goal.objective.one_turn or goal.objective.endless
        if model.axes and not turn_by_turn and (found := entries_of_loops(model)):
            for number in found:
                explorer.nodes[number].again = True
            model = emit(explorer, emitter, start, point, self.effort)
        form.demand_end(explorer, model)
        if whole:
            model = evolve(model, drawn=np.isin(np.arange(model.nodes), list(whole)))
        played = None
        if self.both:
            played = emit(explorer, emitter, start, point, self.effort, played=True)
        places = {id(node): n for n, node in enumerate(explorer.nodes)}
        met = ((places[id(n)], g) for n, g in explorer.silent if emitter.guard(g) is not None)
        labels, told = label_edges(explorer, emitter)
        emitter.forget_large()
        return Compiled(
            game,
            goal,
            roles,
            model,
            explorer,
            emitter,
            seats=self.seats,
            silent=list(met),
            played=played,
            labels=labels,
            told=told,
            aims=aims,
        )

    def _explored(self, turn: TurnVariables, watched: frozenset[int] = frozenset()) -> Domains:
        """Return the explored game; raises RuleBroken where a value may leave its range."""
        roles = self.form.roles(self.goal, turn, watched)
        kinds = [self.goal.game.names.slots[slot].type for slot in roles.axes]
        members = sum(len(kind.of) for kind in kinds if kind.kind == "set")
        self.effort.work.add(2**members // SUBSETS)
        form = self.form
        ends = form.ends(self.goal)
        domains = Domains(
            self.goal, roles, self.effort, self.both, form.on_grid, form.least(), ends,
            undecided={*turn.kept_to, *turn.endless},
        )  # fmt: skip
        gridded = None if form.on_grid else needs_grid(self.goal, roles)
        try:
            domains.explore()
        except (NotShown, TableTooLarge) as refused:
            raise gridded or refused from None
        if gridded and (domains.unbounded or domains.points > MOST_OPEN):
            raise gridded
        refuse_overruns(domains)
        return domains


def alone(game: Rules) -> Rules | None:
    """Return the game for one player, None where the rules demand more."""
    option = game.names.options.get("players")
    if option is None or (option.within is not None and option.within[0] > 1):
        return None
    return check(game.source, {**game.option_values(), "players": 1}, thorough=False)

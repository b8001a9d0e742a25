"""Grids: at all points they are exact, at fewer nearly so; a turn is always exact."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import dicegames
from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.analysis.solving.gridding import grid_of_steps, on_grid
from dicegames.cli.app import app
from dicegames.compiler.compile import compile_game
from dicegames.compiler.form import GridForm
from dicegames.compiler.goal import NeedsGrid
from dicegames.compiler.make_grid import grid_of
from dicegames.ground.limits import Limits
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.solver.grid import grid as grid_module
from dicegames.solver.grid import layers
from dicegames.solver.grid.grid import Filling
from dicegames.solver.grid.kept import KeptGrid
from dicegames.solver.grid.kernels import GRID_LANES
from dicegames.solver.grid.last_level import chance_of_last, levels_for
from dicegames.solver.grid.points import GridPoints
from dicegames.solver.grid.solve_on_grids import Answering
from dicegames.solver.grid.turn_model import plan
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import Grid
from tests.analysis.test_equilibrium import small_pig
from tests.compiler.test_decided import POT, turned
from tests.rules.small import PIG, game, read

HERE = Path(__file__).parent

STREET = Path(__file__).with_name("short_street.dg")
UNIT = 50
"""Totals are multiples of it."""
THREE = {"players": 3, "rounds": 1}
TWO = {"players": 2, "rounds": 6}


def street(**options: Any) -> Rules:
    return read(STREET, **options)


@cache
def solved(step: int, players: int) -> Solution:
    """Return the solution on a grid; step 0: without one."""
    options = TWO if players == 2 else THREE
    return solve_game(street(**options), grid={"total": step} if step else None)


@pytest.mark.parametrize("players", [2, 3])
def test_a_reduced_game_is_exact(players: int) -> None:
    if players == 3:
        exact = exact_value(street(**THREE))  # the slowest test here
    else:
        exact = exact_value(street(players=2, rounds=1))
    assert isinstance(exact, tuple)
    solution = solved(0, 3) if players == 3 else solve_game(street(players=2, rounds=1))
    assert solution.value == pytest.approx([float(v) for v in exact], abs=1e-9)


@pytest.mark.parametrize("players", [2, 3])
def test_a_grid_of_all_points_is_exact(players: int) -> None:
    found, exact = solved(UNIT, players), solved(0, players)
    assert found.value == pytest.approx(exact.value, abs=1e-9)
    assert found.solved.status.name == "APPROXIMATE"
    assert found.error_bound == float("inf")


@pytest.mark.parametrize(("players", "step", "cents"), [(2, 200, 0.05), (3, 100, 2.5)])
def test_a_wider_grid_is_near(players: int, step: int, cents: float) -> None:
    # in the one round of the three, all is decided by who is ahead of whom: the worst case
    found, exact = solved(step, players), solved(0, players)
    assert found.states_reachable < exact.states_reachable
    assert found.value == pytest.approx(exact.value, abs=cents)
    assert 0 <= found.solved.estimate <= found.solved.estimate_anywhere
    assert found.solved.residual < 1e-6


LAST = (
    "total 350 / 150 / 0 | round 1 | seat 3",
    "total 550 / 0 / 0 | strich no / yes / no | round 1 | seat 3 | at_risk 350",
    "total 350 / 150 / 0 | strich no / no / no | round 1 | seat 3 | at_risk 150",
)


@pytest.mark.parametrize("position", LAST)
def test_the_last_turn_is_exact_at_the_true_totals(position: str) -> None:
    rules = street(**THREE)
    found, exact = solved(200, 3), exact_value(rules, solved(0, 3)._own(position))
    assert isinstance(exact, tuple)
    assert found.value_of(position) == pytest.approx([float(v) for v in exact], abs=1e-9)


def test_between_the_points_values_are_interpolated_in_all_totals() -> None:
    position = "total 350 / 150 | strich yes / yes | round 3 | seat 1 | at_risk 250"
    found, exact = solved(100, 2).options(position), solved(0, 2).options(position)
    assert [c.name for c in found] == [c.name for c in exact]
    for one, other in zip(found, exact, strict=True):
        assert one.value == pytest.approx(other.value, abs=2.5)


def test_jumps_of_the_rules_are_kept_from_both_sides() -> None:
    compiled = compile_game(street(**TWO), form=GridForm(names=frozenset({"total"})))
    grid = grid_of(compiled, {"total": 400}, levels=1)
    assert len(grid.kept) == 2
    for kept in grid.kept.values():
        values = set(kept.tolist())
        assert {
            0,
            400,
            800,
            200,
            250,
            450,
            500,
            550,
        } <= values  # below 250 and from 500 on more is paid
        assert values.isdisjoint({50, 150, 300, 350, 650})
        assert max(values) == 450 + 600  # nobody who has 500 plays on


def test_what_lies_between_two_points_is_read_on_the_straight_line() -> None:
    model = compile_game(street(**TWO), form=GridForm(names=frozenset({"total"}))).model
    own = next(a for a, axis in enumerate(model.axes) if axis.name.startswith("total"))
    points = GridPoints(model, Grid({own: np.array([0, 200, 350])}, levels=1, farthest=1))
    low, near = points.place(own, np.array([0, 50, 200, 300, 350, 900]))
    assert low.tolist() == [0, 0, 1, 1, 2, 2]
    assert near is not None
    assert near == pytest.approx([0, 0.25, 0, 2 / 3, 0, 0])


# ---- a counter without limit inside the turn

LADDER = """
    option players = 3
    dice 1d3
    each player
        total = 0
        money = 0
    this turn
        risk = 0
    turn
        go to climbing
    step climbing
        roll all
        if dice show 1: end turn
        if dice show 3: pay 1 from others to mover
        risk + sum of dice
        choose
            "Up": go to climbing
            "Stop": total + risk, end turn
    ends after the round when any player has total >= 6 or round >= 2
    ranking highest total, ties earlier
    at the end
        each p in players
            if place of p > 1: pay 4 from p to winner
            if total of p < 3: pay 2 from p to others of p
    payoff money
"""


def test_a_counter_without_limit_is_closed_where_it_hardly_ever_comes() -> None:
    ladder = LADDER.replace("dice show 1:", "dice show 1 or dice show 2:")  # shorter turns
    less = ladder.replace("risk = 0", "risk = 0 to 21").replace('"Up":', '"Up" when risk < 18:')
    rules, capped = game(ladder), game(less)
    with pytest.raises(NeedsGrid):
        compile_game(rules)
    found = solve_game(rules, grid={"total": 1})
    limited = solve_game(capped, grid={"total": 1})
    assert found.value == pytest.approx(limited.value, abs=0.02)
    turn = plan(found.compiled.model)
    levels = levels_for(turn, 1e-2)
    assert chance_of_last(turn, levels) <= 1e-2 < chance_of_last(turn, levels - 1)


def test_the_chance_to_come_so_far_is_that_of_never_stopping() -> None:
    # two of three faces go on, by 2 or 3: the chance to come to 4 is that of two throws, or of
    # three, the first two of which bring less
    turn = plan(compile_game(game(LADDER), form=GridForm()).model)
    assert chance_of_last(turn, 3) == pytest.approx(2 / 3)
    assert chance_of_last(turn, 5) == pytest.approx(4 / 9)


def test_turns_that_hardly_end_on_the_last_level() -> None:
    """Each throw leads on by 0.98: a thousand sweeps are not enough where no limit is foreseen."""
    rules = LADDER.replace("dice 1d3", "dice 1d50").replace("risk + sum of dice", "risk + 1")
    rules = rules.replace("show 1: end", "show 1: total + risk, end")
    rules = rules.replace('"Stop"', '"Stop" when no')
    turn = plan(compile_game(game(rules), form=GridForm()).model)
    assert chance_of_last(turn, 3) == pytest.approx(0.98**2, abs=1e-12)


def test_throws_may_be_made_again_until_they_show_something_else() -> None:
    """Of both throws in the loop each may lead to the other, and to the end of the turn."""
    rules = dicegames.load(HERE / "again.dg")
    exact, found = dicegames.solve(rules), dicegames.solve(rules, grid={"total": 1})
    assert found.value == pytest.approx(exact.value, abs=1e-6)
    again = "red 1 3 | to throw blue 1 | points 0 | at turn 5"
    for position in (f"{again} | total 4 / 6", "to throw red 2 | blue 2 | points 3 | seat 2"):
        assert found.value_of(position) == pytest.approx(exact.value_of(position), abs=1e-6)


def test_without_a_step_the_finest_grid_is_taken_for_which_there_is_room() -> None:
    found = solve_game(game(LADDER), grid={})
    assert found.grid == {"total": 1}
    assert found.solved.status.name == "APPROXIMATE"
    assert isinstance(found.value, tuple)
    assert sum(found.value) == pytest.approx(0, abs=1e-9)


def never(*_: Any) -> None:
    raise AssertionError("a grid is solved")


def test_a_grid_that_does_not_fit_the_memory_is_refused_before_any_is_solved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layers, "table", never)
    told = r"a grid of 279,936 points takes at least 232 MB, allowed are 231 MB"
    with pytest.raises(SolutionError, match=told):  # the one of every other point would fit
        solve_game(game(LADDER), grid={"total": 1}, limits=Limits(memory=231_000_000))


def test_a_grid_is_refused_when_the_points_that_come_up_do_not_fit_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are known when they have been found, before any grid is solved."""
    limits = Limits(memory=260_000_000)
    assert solve_game(game(LADDER), grid={"total": 1}, limits=limits).grid == {"total": 1}
    monkeypatch.setattr(grid_module, "BYTES_PER_ROW", 10**6)
    monkeypatch.setattr(layers, "table", never)
    told = r"the 10,621 points that come up of a grid of 279,936 take about 10,853 MB, allowed"
    with pytest.raises(SolutionError, match=told):
        solve_game(game(LADDER), grid={"total": 1}, limits=limits)


def test_nobody_gains_by_departing_from_an_equilibrium() -> None:
    for players in (2, 3):
        gains = solved(UNIT, players).solved.gains
        assert gains == pytest.approx([0] * players, abs=1e-9)


def test_the_best_answer_to_bad_play_gains() -> None:
    compiled = compile_game(street(**TWO), form=GridForm(names=frozenset({"total"})))
    grid = grid_of(compiled, {"total": UNIT}, levels=1)
    with Workers(1) as workers:
        filling = Filling(compiled.model, grid, workers)
        kept = KeptGrid(filling)
        kept.find()
        layers.table(kept)
        start = filling.number[filling.start]
        value = filling.values[start].copy()
        noise = np.random.default_rng(1).normal(0, 40, len(filling.rows))
        filling.values += np.column_stack([noise, -noise])  # both play by wrong values
        answering = Answering(compiled.model, grid, workers, filling)
        layers.solve(KeptGrid(answering), None)
    # of two whose gains add up to nothing, each has more than the value against bad play
    assert (answering.values[start] > value + 0.5).all()


def test_a_grid_is_for_numbers_that_last() -> None:
    with pytest.raises(ObjectiveError, match='"totl" cannot be put on a grid: did you mean'):
        solve_game(street(**TWO), grid={"totl": 100})
    with pytest.raises(ObjectiveError, match='"at_risk" cannot be put on a grid'):
        solve_game(street(**TWO), grid={"at_risk": 100})


def test_solutions_on_a_grid_are_saved_and_loaded(tmp_path: Path) -> None:
    solution = solved(200, 2)
    solution.save(tmp_path / "street.solution")
    loaded = Solution.load(tmp_path / "street.solution", street(**TWO))
    for position in (
        "strich yes / yes | round 2",
        "total 350 / 150 | strich yes / yes | round 3 | at_risk 250",
    ):
        assert loaded.value_of(position) == pytest.approx(solution.value_of(position), abs=1e-12)
    assert loaded.solved.estimate_anywhere == solution.solved.estimate_anywhere


def test_the_command_line_says_that_it_is_an_approximation() -> None:
    words = ["solve", str(STREET), "--set", "players=2", "--set", "rounds=2", "--grid", "total=200"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "the grid is an approximation" in " ".join(done.output.split())
    assert "twice the step changes this by" in " ".join(done.output.split())
    advised = CliRunner().invoke(app, ["advise", str(STREET), "round 2", *words[2:]])
    assert "the grid is an approximation: twice the step" in " ".join(advised.output.split())
    wrong = CliRunner().invoke(app, [*words[:-1], "total=0"])
    assert wrong.exit_code == 2


@pytest.mark.parametrize(
    ("players", "payoff"), [(1, "0 - a"), (2, "0 - 10 - a"), (2, "lowest 10 + a"), (2, "win")]
)
def test_play_that_never_ends_is_worth_nothing(players: int, payoff: str) -> None:
    """All would rather wait for ever than pay at the end, or than lose."""
    losing = payoff == "win"
    rules = game(f"""
        option players = {players}
        dice 1d6
        each player
            a = 0 to 6
        turn
            roll all
            choose
                "Wait"
                    end turn
                "On" when a + sum of dice <= 6
                    a + sum of dice
                    end turn
        ends when any player has a >= 6
        {"ranking lowest a" if losing else ""}
        payoff {payoff}
    """)
    for grid in ({"a": 1}, None):
        with pytest.raises(SolutionError, match="play can go round for ever"):
            solve_game(rules, grid=grid)


def test_what_has_to_be_paid_in_the_end_is_paid() -> None:
    """A throw of 3 moves on, whatever a player would rather do."""
    rules = game("""
        option players = 2
        dice 1d3
        each player
            a = 0 to 4
        turn
            roll all
            if dice show 3: a + lowest of (3, 4 - a)
            else
                choose
                    "Wait": end turn
                    "On"
                        a + lowest of (sum of dice, 4 - a)
                        end turn
        ends when any player has a >= 4
        payoff 0 - 10 - a
    """)
    exact, found = solve_game(rules), solve_game(rules, grid={"a": 1})
    assert found.solved.residual < 1e-5
    assert found.value == pytest.approx(exact.value, abs=1e-4)  # some rounds' residuals add up


def test_variables_that_begin_in_the_middle_of_what_they_hold() -> None:
    rules = dicegames.load(HERE / "begins_in_the_middle.dg")
    exact, found = dicegames.solve(rules), dicegames.solve(rules, grid={"a": 1})
    assert found.value == pytest.approx(exact.value, abs=1e-9)  # all points are on the grid


def test_variables_that_begin_with_a_word() -> None:
    rules = dicegames.load(HERE / "begins_with_a_word.dg")
    exact, found = dicegames.solve(rules), dicegames.solve(rules, grid={"a": 1})
    assert found.value == pytest.approx(exact.value, abs=1e-9)  # all points are on the grid


@pytest.mark.parametrize("limit", ["", " from 0 to 4 capped"])
def test_what_lasts_may_change_in_a_loop_of_the_turn(limit: str) -> None:
    """It is followed until it is spent, as a range or the values from turn to turn tell."""
    rules = game(f"""
        dice 1d6
        each player
            score = 0
            coins = 2{limit}
        turn
            coins + 1
            roll all
            choose
                "Again" for 1 coins: roll all, choose again
                "Stop": score + sum of dice
        ends after 3 rounds
        """)
    exact, grid = solve_game(rules), solve_game(rules, grid={"coins": 1})
    assert grid.value == pytest.approx(exact.value, abs=1e-9)  # all points are on the grid


def test_what_lasts_may_not_change_for_ever_in_a_loop_of_the_turn() -> None:
    rules = dicegames.load(HERE / "climb.dg")
    with pytest.raises(ObjectiveError, match='"score" changes ever more in a loop of the turn'):
        dicegames.solve(rules, grid={"score": 1})


def test_a_number_may_begin_between_two_points_and_fall() -> None:
    rules = game("""
        option players = 2
        dice 1d6
        each player
            life = 13
        turn
            roll all
            choose
                "Hit": life of left of mover - sum of dice
                "Rest": life + 1
        ends when any player has life <= 0 or round >= 4
        ranking highest life
        payoff win
        """)
    exact, fine = solve_game(rules), solve_game(rules, grid={"life": 1})
    assert fine.value == pytest.approx(exact.value, abs=1e-9)  # all points are on the grid
    wide = solve_game(rules, grid={"life": 4})
    assert wide.value == pytest.approx(exact.value, abs=0.1)
    assert wide.solved.gains == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize(
    "goal", ["payoff highest score", "ranking highest score\n        payoff win"]
)
def test_what_lasts_may_change_in_a_fixed_number_of_repetitions(goal: str) -> None:
    rules = game(f"""
        option players = 2
        dice 1d3
        each player
            score = 0
        turn
            repeat 2 times
                roll all
                choose
                    "Take": score + sum of dice
                    "Take from the other" when score of left of mover > 1
                        score of left of mover - 1
        ends when any player has score >= 6 or round >= 3
        {goal}
        """)
    exact, grid = solve_game(rules), solve_game(rules, grid={"score": 1})
    assert grid.value == pytest.approx(exact.value, abs=1e-6)


def test_words_beside_what_is_on_the_grid() -> None:
    """A condition on a number and a word, and a word that depends on the number."""
    rules = game("""
        option players = 2 from 2 to 2
        dice 1d4
        each player
            score = 0 to 30
            mood = calm | glad | wild
        turn
            roll all
            choose
                "Take": score + sum of dice
                "Turn": mood = (wild if score > 4 else glad)
            if (score of left of mover) > 3 or mood = wild: score + 2
            if mood = glad and score > 5: score - 1
        ends after 3 rounds
        ranking highest score
        payoff win
        """)
    exact, found = solve_game(rules), solve_game(rules, grid={"score": 1})
    assert found.value == pytest.approx(exact.value, abs=1e-9)


NEARER = """
    option players = 2
    dice 2d6
    each player
        total = 0{limit}
    turn
        roll all
        choose
            "Keep": total + sum of dice, end turn
            "Again": pass
        roll all
        total + (0 if dice show x x else 7 + sum of dice)
    ends after 3 rounds
    ranking highest total, ties share
    payoff win
    """


@pytest.mark.parametrize("limit", ["", " to 80 capped"])
def test_totals_that_only_the_rounds_limit(limit: str) -> None:
    """Nobody comes to more than 54, but turns from points in between lead further."""
    rules = game(NEARER.format(limit=limit))
    exact, all_points = solve_game(rules), solve_game(rules, grid={"total": 1})
    assert all_points.value == pytest.approx(exact.value, abs=1e-9)
    wide, near = (solve_game(rules, grid={"total": step}).value for step in (10, 5))
    assert isinstance(exact.value, tuple)
    assert isinstance(wide, tuple)
    assert isinstance(near, tuple)
    assert abs(near[0] - exact.value[0]) < abs(wide[0] - exact.value[0]) < 0.02
    assert sum(near) == pytest.approx(1.0)


def test_totals_of_turns_without_limit_that_only_the_rounds_limit() -> None:
    """Turns that are played out by themselves go beyond those of the tables."""
    rounds = ("ends when any player has score >= 9", "ends after 2 rounds")
    limits = ("score = 0", "score = 0 to 80 capped"), ("pot = 0", "pot = 0 to 40 capped")
    exact = solve_game(turned(POT, rounds, *limits))
    found = solve_game(turned(POT, rounds), grid={"score": 1})
    assert "grid" in found.method
    assert found.value == pytest.approx(exact.value, abs=1e-6)


def test_a_move_is_worth_what_the_turn_reads_where_it_leads() -> None:
    """Moves that end a turn were told by the next turn, played out, others by the table."""
    solution = solve_game(game(NEARER.format(limit="")), grid={"total": 10})
    position = "total 15 / 18 | round 2 | dice 1 4"
    why = solution.why(position)
    assert why.gap < 1e-9
    coarse = solve_game(street(players=2, rounds=4), grid={"total": 400})
    text = "total 350 / 150 | strich yes / yes | round 3 | at_risk 250"
    for solved_, where in ((solution, position), (coarse, text)):
        best, value = solved_.best(where), solved_.value_of(where)
        assert best is not None
        assert isinstance(value, tuple)
        assert best.value == pytest.approx(value[0], abs=1e-9)


def test_chances_of_a_duel_add_up_to_one() -> None:
    """Nothing is paid until the end, many turns away, and in a turn without points play goes round.

    One of two wins, whatever is played: so the residual is not all that shows whether values are
    those of play that comes to its end.
    """
    game = dicegames.load("games/farkle.dg", players=2, target=5000)
    solution = dicegames.solve(game, grid={"total": 1000})
    assert isinstance(solution.value, tuple)
    assert sum(solution.value) == pytest.approx(1.0, abs=1e-5)
    assert solution.value[0] < 0.5 < solution.value[1]  # who comes last knows what is needed
    assert solution.solved.residual < 1e-6


def test_points_are_left_alone_only_when_all_that_they_rest_on_is() -> None:
    # in the layer of 68 to 66 points, one of three points settles long after the others
    rules = game(PIG.replace(" when total + points < target", ""), target=100)
    exact = dicegames.solve(dicegames.load("pig")).value
    assert solve_game(rules, grid={}).value == pytest.approx(exact, abs=1e-6)
    told = on_grid(compile_game(rules, form=GridForm()))
    assert told.why.endswith("what lasts is kept with all its values")


def test_ends_of_turns_that_no_later_round_comes_to() -> None:
    """That of the first round asks no more whether it is the last: from there it leads nowhere."""
    rules = game(
        """
        dice 2d2
        each player
            a = 0
        turn
            roll all
            if round = 1
                a + 1
                if dice show 2 2: a = round
            else
                choose
                    "More": a = number of 2 in dice + round
                    "Stay": pass
        ends after the round when 1 in dice or round >= 3
        payoff highest a * a
        """
    )
    assert solve_game(rules, grid={"a": 1}).value == pytest.approx(3.265625)
    assert exact_value(rules) == Fraction("3.265625")


@pytest.mark.parametrize("goal", ["highest", "lowest"])
def test_a_move_to_values_without_a_place_is_taken_and_so_refused(goal: str) -> None:
    """Were it not known, a choice could pass it over, and the value be that of other moves."""
    rules = game(f"""
        option players = 2
        dice 1d2
        each player
            a = 0
        this turn
            t = 0
        turn
            repeat
                roll all
                if dice show 1: end turn
                t + 2
                choose
                    "On": pass
                    "Stop"
                        a + t
                        end turn
                    "Hurt"
                        a of (left of mover) - 2
                        end turn
        ends when any player has a >= 20
        payoff {goal} a
    """)
    compiled = compile_game(rules, form=GridForm(names=frozenset({"a"})))
    with Workers(1) as workers:
        filling = Filling(compiled.model, grid_of(compiled, {"a": 2}, levels=2), workers)
        filling.find()
        shown = filling.points.columns(filling.rows[: len(filling.rows) // GRID_LANES * GRID_LANES])
        ends = filling.ends.values(shown, 1, filling.number, filling.values)
    assert np.isinf(ends).any()
    assert (ends[np.isinf(ends)] > 0).all()  # the greatest is the best here, whatever the goal
    with pytest.raises(SolutionError, match="values that were not foreseen: give it limits"):
        solve_game(rules, grid={"a": 2}, limits=Limits(threads=1))


@pytest.mark.parametrize("goal", ["highest", "lowest"])
def test_what_has_a_limit_may_fall(goal: str) -> None:
    """On wider grids, points beside those that come up lead below the least value, and above."""
    rules = game(f"""
        option players = 2
        dice 1d2
        each player
            a = 0
        turn
            roll all
            choose
                "Take": a + 2
                "Hurt" for 1 a: a of (left of mover) - 2
            if dice show 1: a = 2, a + (round if 3 = a else a)
        ends after 2 rounds
        payoff {goal} a
    """)
    exact, grid = solve_game(rules), solve_game(rules, grid={"a": 1})
    assert grid.value == pytest.approx(exact.value, abs=1e-9)  # all points are on the grid


RARE = """
game "Rare"
dice 2d2
each player
    total = 0
    left = 3 to 0 capped
this turn
    points = 0
turn
    left - 1
    repeat
        roll all
        if 1 in dice: end turn
        points + 1
        choose
            "Roll": next
            "Hold"
                total + points
                end turn
ends when any player has total >= 6
payoff highest left
"""


def test_a_grid_of_all_points_leaves_no_throws_out() -> None:
    """With six of six throws, at 1/4 each, there are 2 left; else what the exact value knows."""
    exact = solve_game(game(RARE)).value_for(1)
    assert exact > 2 / 4**6 + 1e-4
    for name in ("total", "left"):
        assert solve_game(game(RARE), grid={name: 1}).value_for(1) == pytest.approx(exact, abs=1e-7)


def test_a_grid_of_all_points_has_to_fit_the_memory_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grid_module, "BYTES_PER_POINT", 10**6)
    with pytest.raises(SolutionError, match="a grid of 18 points takes at least 248 MB"):
        solve_game(game(RARE), grid={"total": 1}, limits=Limits(memory=245_000_000))


def test_a_grid_may_keep_one_value_of_a_total() -> None:
    """Who holds with 2 points or more has won; by 1 in 2 the first player, and so on: 2/3."""
    rules = PIG.replace("1d6", "1d2").replace(" when total + points < target", "")
    found = solve_game(game(rules, target=2), grid={"total": 1})
    assert found.value_for(1) == pytest.approx(2 / 3, abs=1e-6)


LAST_THROW = """\
option players = 2
dice 2d2
table
    limit = 3
each player
    hand = 0
this turn
    thrown = 1
turn
    roll all
    repeat until thrown >= limit
        choose
            "Throw" some of dice as k: roll k, thrown + 1
            "Stand": leave
    limit = thrown
    hand = sum of dice + (50 if dice show x x else 0)
ends after 1 rounds
ranking highest hand
payoff win
"""


def test_the_last_throw_of_a_turn_counts_on_a_grid() -> None:
    """A third throw always ends the turn, so that no choice is met with it: it counted as two."""
    rules = game(LAST_THROW)
    exact = exact_value(rules)
    assert isinstance(exact, tuple)
    for name in ("limit", "hand"):
        value = solve_game(rules, grid={name: 1}).value
        assert value == pytest.approx([float(v) for v in exact], abs=1e-9)


AT_THE_END = """\
dice 1d4
each player
    total = 0
this turn
    points = 0
turn
    repeat
        roll all
        if dice show 1: points = 0, leave
        points + 50
        choose
            "Roll": next
            "Stop": points + 20, leave
    total + points
ends when round >= 2 or total >= 120
payoff highest lowest of (total, 150)
"""


@pytest.mark.parametrize("change", ["+ 20", "+ 60", "- 10", "- 50"])
def test_what_the_end_of_a_turn_adds_need_be_no_step_of_the_turn(change: str) -> None:
    """That was refused: "something that lasts changes inside a turn"."""
    rules = game(AT_THE_END.replace("+ 20", change))
    value = solve_game(rules, grid={"total": 1}).value
    assert value == pytest.approx(solve_game(rules).value, abs=1e-5)


def test_choices_that_chase_each_other_are_told_by_rounds(tmp_path: Path) -> None:
    """As without a grid (see `tests/analysis/test_equilibrium`); one round's values are kept."""
    listed = dicegames.solve(small_pig(tmp_path, 3, 14)).solved
    text = PIG.replace(" when total + points < target", "").replace("1d6", "1d3")
    found = solve_game(game(text, players=3, target=14), grid={"total": 1}).solved
    assert (found.counting, listed.counting) == (1, 1)
    assert found.residual == pytest.approx(listed.residual, abs=1e-5)
    assert found.value == pytest.approx(listed.value, abs=listed.residual)
    assert sum(found.value) == pytest.approx(1.0, abs=1e-5)  # type: ignore[arg-type]


def test_what_lasts_and_changes_in_a_loop_is_told_with_a_way_out() -> None:
    rules = """\
game "Hot hand"
option players = 2
dice 2d6
each player
    total = 0
this turn
    brought = 0
turn
    roll all
    repeat
        if 1 in dice: end turn
        total + 10 * sum of dice
        choose
            "Roll": roll all
            "Stop": leave
    total + brought
ends when any player has total >= 1000
ranking highest total
payoff win
"""
    with pytest.raises(ObjectiveError, match='add it to "total" where the turn ends'):
        solve_game(game(rules), grid={"total": 500})
    told = rules.replace("total + 10", "brought + 10").replace("end turn", "leave")
    assert (
        solve_game(game(told), grid={"total": 500}).value_for(1) > 0.5
    )  # who begins has more turns


def test_values_do_not_depend_on_which_turns_are_evaluated_together() -> None:
    # with a last level of a turn that leads to itself
    compiled = compile_game(dicegames.load("lange_strasse").rules, form=GridForm())
    grid = grid_of_steps(compiled, {"total": 8_000})
    with Workers(1) as workers:
        filling = Filling(compiled.model, grid, workers)
        filling.find()
        values = np.random.default_rng(1).normal(0, 100, filling.values.shape)
        filling.values[:] = values - values.mean(axis=1, keepdims=True)
        rows = np.arange(*filling.begins[10:12])
        assert rows.size > 4 * GRID_LANES
        found = [
            filling.together(parts, [filling._evaluated(rows[part]) for part in parts])
            for parts in (filling.parts(rows, each) for each in (1, 64, rows.size))
        ]
    assert np.array_equal(found[0], found[2])
    assert np.array_equal(found[1], found[2])

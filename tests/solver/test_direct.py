"""Cycles in which play stays too long for sweeps are solved by linear equations."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from types import ModuleType

import numpy as np
import pytest

from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.ground.exact_cycles import Arc, ExactState, solve_states
from dicegames.ground.limits import Limit
from dicegames.rules.running.exploration import exact_value
from dicegames.solver.explicit import scalar, seats
from dicegames.solver.explicit.backup import MAX_OF, MEAN_OF, Steps
from dicegames.solver.explicit.direct import solve_directly
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import rows_begin
from dicegames.solver.solve import solve
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status
from tests.rules.small import game

WALK = """
option last = 100
dice 1 with faces up, down
each player
    square = 50 from 0 to last
turn
    roll all
    if dice show up: square + 1
    else: square - 1
ends when any player has (square = 0 or square = last)
payoff highest (1 if square = last else 0)
"""


def test_a_long_random_walk_has_its_value_and_a_proven_bound() -> None:
    for objective, exact in (("payoff", 0.5), ("turns", 2500.0)):
        solved = solve_game(game(WALK), objective).solved
        assert solved.status is Status.SOLVED
        assert solved.value == pytest.approx(exact, rel=0, abs=solved.error_bound)
        assert solved.error_bound < 1e-8


WAITS = WALK.replace("turn\n", 'turn\n    choose\n        "Go": pass\n        "Wait": end turn\n')


def test_a_player_who_may_wait_at_a_price_walks() -> None:
    solved = solve_game(game(WAITS), "turns").solved
    assert solved.status is Status.SOLVED
    assert solved.value == pytest.approx(2500, rel=0, abs=solved.error_bound)
    assert solved.error_bound < 1e-8


RUIN = """
option last = 100
dice 1 with faces up times 9, down times 10
each player
    money = 50 from 0 to last
turn
    choose
        "Bold" when money >= 2 and money <= last - 2
            roll all
            if dice show up: money + 2
            else: money - 2
        "Timid"
            roll all
            if dice show up: money + 1
            else: money - 1
ends when any player has (money = 0 or money = last)
payoff highest (1 if money = last else 0)
"""


@pytest.mark.parametrize("maximise", [True, False])
def test_the_best_and_the_worst_stakes_ruin_as_the_closed_form_says(*, maximise: bool) -> None:
    # high stakes are best where the odds are bad, and low stakes worst
    steps = 25 if maximise else 50
    lose = Fraction(10, 9)
    exact = (lose**steps - 1) / (lose ** (2 * steps) - 1)
    solved = solve_game(game(RUIN.replace("highest", "highest" if maximise else "lowest"))).solved
    assert solved.value == pytest.approx(float(exact), rel=0, abs=solved.error_bound)
    assert solved.error_bound < 1e-12


TUG = """
option players = 2
option last = 8
dice 1d6
table
    rope = last div 2 from 0 to last
turn
    choose
        "Even"
            roll all
            if sum of dice > 3: rope + (1 if seat = 1 else 0 - 1)
            else: rope - (1 if seat = 1 else 0 - 1)
        "Risky" when rope >= 2 and rope <= last - 2
            roll all
            if sum of dice > 3: rope + (2 if seat = 1 else 0 - 2)
            else: rope - (1 if seat = 1 else 0 - 1)
ends when rope = 0 or rope = last
ranking highest (rope if seat = 1 else last - rope)
payoff win
"""


DAWDLES = f"""
dice 5d6
{TUG.replace("dice 1d6", "").replace("roll all", "roll 1 dice").strip()}
""".replace(
    "turn\n    choose\n",
    """turn
    choose
        "Dawdle"
            roll all
            if dice show 6 6 6 6 6: end game
""",
)


def test_moves_that_nobody_makes_do_not_widen_the_bound() -> None:
    """Who dawdles stays for thousands of turns; best play is soon over, and nothing else counts."""
    rules = game(DAWDLES)
    solved = solve(compile_game(rules).model, method="explicit")
    assert solved.status is Status.SOLVED
    assert solved.error_bound < 1e-10
    blocks = solve(compile_game(rules).model, method="blocks")
    assert solved.value == pytest.approx(blocks.value, rel=0, abs=1e-12)


def directly(
    monkeypatch: pytest.MonkeyPatch, rules: str, sweeping: ModuleType, most: str
) -> tuple[Solved, tuple[Fraction, ...]]:
    """Solve a game by equations, since it is swept but once; its values in fractions."""
    monkeypatch.setattr(sweeping, "FIRST_SWEEPS", 1)
    monkeypatch.setattr(sweeping, f"MOST_{most}_SWEEPS", 1)
    solved, exact = (
        solve(compile_game(game(rules)).model, method="explicit"),
        exact_value(game(rules)),
    )
    assert isinstance(exact, tuple)
    return solved, exact


def test_two_players_have_the_values_of_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    solved, exact = directly(monkeypatch, TUG, scalar, "SCALAR")
    assert isinstance(solved.value, float)
    assert abs(solved.value - exact[0]) <= solved.error_bound < 1e-13


PURSES = """
option players = 3
option last = 8
dice 1d6
table
    pot = last div 2 from 0 to last
    by = 1 from 1 to 3
turn
    choose
        "Throw": roll all
        "Look": roll all, by = seat
    by = seat
    if sum of dice > 3: pot + 1
    else: pot - 1
ends when pot = 0 or pot = last
payoff highest (1 if seat = by and pot = 0 else seat if pot = last and seat > 1 else 0)
"""


def test_values_by_seat_are_those_of_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    solved, exact = directly(monkeypatch, PURSES, seats, "SEAT")
    assert solved.value == pytest.approx([float(v) for v in exact], abs=1e-13)
    assert max(solved.gains) <= 1e-12


def test_values_by_seat_are_right_where_a_sweep_changes_little() -> None:
    # sweeps stop where each changes 2e-10: then values are off by 2e-7
    solved = solve_game(game(PURSES, last=100)).solved
    assert solved.value == pytest.approx([1 / 6, 1 + 1 / 6, 1.5 + 1 / 6], abs=1e-12)


def _random(seed: int) -> tuple[Steps, list[ExactState]]:
    """States that lead to each other, of one player or of two of opposed payoffs, and the end."""
    random, both = Random(seed), seed % 2 == 0
    chances, choices = random.randint(3, 8), random.randint(3, 8)
    end = chances + choices
    states = [ExactState() for _ in range(chances)]
    states += [ExactState(chooses=True) for _ in range(choices)]
    for place, state in enumerate(states):
        for part in [1, 15] if place == 0 else [4, 4, 8] if place < chances else [16, 16]:
            target = random.randrange(0 if place < chances else 1, chances)
            target = end if part == 1 else 0 if part == 4 else chances + target % choices
            if state.chooses:
                target = random.randrange(chances)
            paid = Fraction(random.randint(-3, 3))
            reward = (paid, -paid) if both else (paid,)
            state.edges.append(
                Arc(Fraction(part, 16), target, int(both and random.random() < 0.5), reward)
            )
    for state in states[chances:]:
        state.edges = [Arc(Fraction(1), e.target, e.rotate, e.reward) for e in state.edges]
    states.append(ExactState(values=(Fraction(0),) * (2 if both else 1)))
    edges = [edge for state in states for edge in state.edges]
    steps = Steps(
        first=rows_begin(np.array([len(state.edges) for state in states[:end]])),
        target=np.array([e.target if e.target < end else -1 for e in edges], np.int32),
        weight=np.array([float(e.weight) for e in edges]),
        reward=np.array([float(e.reward[0]) for e in edges]),
        sign=np.array([-1.0 if e.rotate else 1.0 for e in edges]),
        mode=np.array([MAX_OF if state.chooses else MEAN_OF for state in states[:end]], np.uint8),
    )
    return steps, states


@pytest.mark.parametrize("seed", range(30))
def test_random_cycles_have_the_values_of_fractions(seed: int) -> None:
    steps, states = _random(seed)
    exact = solve_states(states, maximise=True, limit=Limit()).values
    with Workers(1) as workers:
        found = solve_directly(steps, np.zeros(len(steps.mode)), workers)
    assert found is not None
    values, errors = found
    off = np.abs(values - [float(v[0]) for v in exact[: len(values)]])
    assert (off <= errors + 1e-15 * np.abs(values)).all()
    assert errors.max() < 1e-11

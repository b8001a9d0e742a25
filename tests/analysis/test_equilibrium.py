"""Pig: what the equilibrium strategy wins against hold at 20, which it does not answer to.

The moves are read off the solution's values; what they win is computed here, turn by turn: a turn
either is lost or ends with k points, and the two positions that follow each other when both turns
are lost are two equations with two unknowns. `test_expected.py` asks the solver for the same.
"""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import dicegames
from dicegames.solver.status import Status

ROOT = Path(__file__).parents[2]
GOAL = 100
Array = NDArray[np.float64]


def turns(own: int, rolls: NDArray[np.bool_]) -> Array:
    """Return the chances of a turn's end; shape (rows, GOAL + 6).

    `rolls[row, k]` says whether a player with `own` points rolls again with k points in the turn; a
    turn that comes to nothing stands under 0.
    """
    ends = np.zeros((len(rolls), GOAL + 6))
    at = np.zeros_like(ends)
    at[:, 0] = 1.0
    for k in range(GOAL - own):
        rolling = at[:, k] * (rolls[:, k] if k else 1.0)
        if k:
            ends[:, k] += at[:, k] - rolling
        ends[:, 0] += rolling / 6
        for face in range(2, 7):
            at[:, k + face] += rolling / 6
    ends[:, GOAL - own :] += at[:, GOAL - own :]
    return ends


def best_rolls(values: Array, own: int) -> NDArray[np.bool_]:
    """Return for each total of the other player, and k, whether rolling is better than holding."""
    others = np.arange(GOAL)
    best = np.ones((GOAL, GOAL + 6))
    rolls = np.zeros((GOAL, GOAL), np.bool_)
    for k in range(GOAL - own - 1, 0, -1):
        hold = 1 - values[others, own + k]
        roll = ((1 - values[others, own]) + best[:, k + 2 : k + 7].sum(axis=1)) / 6
        rolls[:, k] = roll > hold
        best[:, k] = np.maximum(roll, hold)
    return rolls


def wins(values: Array) -> tuple[float, float]:
    """Return what the equilibrium wins against hold at 20, going first and second."""
    at_20 = np.arange(GOAL)[None, :] < 20
    held = [turns(j, at_20)[0] for j in range(GOAL)]
    played = [turns(i, best_rolls(values, i)) for i in range(GOAL)]
    mine = np.zeros((GOAL, GOAL))  # the equilibrium to move; own total, total of the other
    yours = np.zeros((GOAL, GOAL))
    for i in range(GOAL - 1, -1, -1):
        for j in range(GOAL - 1, -1, -1):
            end, reply = played[i][j], held[j]
            won = end[1 : GOAL - i] @ yours[i + 1 :, j] + end[GOAL - i :].sum()
            kept = reply[1 : GOAL - j] @ mine[i, j + 1 :]
            mine[i, j] = (won + end[0] * kept) / (1 - end[0] * reply[0])
            yours[i, j] = kept + reply[0] * mine[i, j]
    return float(mine[0, 0]), float(yours[0, 0])


def test_the_equilibrium_against_hold_at_20() -> None:
    table = tomllib.loads((ROOT / "tests/expected/pig.toml").read_text("utf-8"))
    wanted = [f for f in table["figure"] if "opponent" in f]
    assert len(wanted) == 3
    solution = dicegames.solve(dicegames.load(ROOT / "games/pig.dg"))
    (values,) = solution.solved.tables.values()
    first, second = wins(np.nan_to_num(values, nan=0.5))  # one point alone cannot come up
    for figure, found in zip(wanted, (first, second, (first + second) / 2), strict=True):
        assert found == pytest.approx(figure["value"], abs=10.0 ** -figure["digits_trusted"])


def small_pig(folder: Path, sides: int, target: int) -> dicegames.Game:
    """Return Pig for three with other dice."""
    text = (ROOT / "games" / "pig.dg").read_text(encoding="utf-8")
    path = folder / "pig.dg"
    path.write_text(text.replace("dice 1d6", f"dice 1d{sides}"), encoding="utf-8")
    return dicegames.load(path, players=3, target=target)


def test_three_players_whose_choices_chase_each_other_for_a_while(tmp_path: Path) -> None:
    """With five sides to 40 sweeps of one set go round; from other values they settle there.

    The answers of each player to the two others are solved side by side: they tell the gains.
    """
    solution = dicegames.solve(small_pig(tmp_path, 5, 40))
    assert solution.solved.status is Status.RESIDUAL
    assert solution.solved.error_bound < 1e-12
    assert max(solution.solved.gains) < 1e-12
    assert abs(sum(solution.value) - 1.0) < 1e-12  # type: ignore[arg-type]


def test_play_that_goes_round_where_no_stationary_play_is_best_for_all(tmp_path: Path) -> None:
    """With three sides to 16, at 2 all, who rolls with 5 points makes holding better for the next.

    The three stand alike there, so no play that forgets is best for each. A turn is worked out here
    from what the next one is worth: from the value that is told it comes back to it after a few
    rounds, not after one, and each player did the best in every one of them.
    """
    solution = dicegames.solve(small_pig(tmp_path, 3, 16))
    solved = solution.solved
    assert (solved.method, solved.status, solved.counting) == ("blocks", Status.RESIDUAL, 1)
    assert solved.error_bound < 1e-12
    assert max(solved.gains) < 1e-12
    (values,) = solved.tables.values()
    worth = values[2, 2, 2]
    rounds = [worth]
    for _ in range(30):
        rounds.append(turn_for_three(values, np.roll(rounds[-1], 1)))
    period = next(k for k in range(1, 31) if np.abs(rounds[k] - worth).max() < 1e-12)
    assert period > 1
    differ = np.ptp(np.array(rounds[:period]), axis=0).max()
    assert solved.residual == pytest.approx(differ, abs=1e-12)
    others = [(a, b, c) for a in range(2, 5) for b in range(2, 5) for c in range(2, 5)]
    for a, b, c in set(others) - {(2, 2, 2)}:  # there play may forget
        lost = np.roll(values[b, c, a], 1)
        assert np.abs(turn_for_three(values, lost, (a, b, c)) - values[a, b, c]).max() < 1e-12
    (mean, *_) = [one.mean for one in solution.distributions()]
    assert mean == pytest.approx(solution.value[0], abs=solved.residual)  # type: ignore[index]


def turn_for_three(values: Array, lost: Array, totals: tuple[int, int, int] = (2, 2, 2)) -> Array:
    """Return by seat what a turn to 16 with three sides is worth, `lost` being what a 1 brings."""
    own, *others = totals
    worth = np.zeros((20, 3))
    worth[16 - own :, 0] = 1.0
    for points in range(15 - own, -1, -1):
        worth[points] = (lost + worth[points + 2] + worth[points + 3]) / 3
        if points > 1:
            held = np.roll(values[(*others, own + points)], 1)
            worth[points] = held if held[0] > worth[points, 0] + 1e-9 else worth[points]
    found: Array = worth[0]
    return found

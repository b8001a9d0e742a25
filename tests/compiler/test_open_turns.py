"""Counters that grow in a turn with no limit declared, where players look at each other."""

import pytest

from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.explored import domains
from dicegames.compiler.goal import NeedsGrid
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.errors import DicegamesError
from dicegames.solver.status import Status
from tests.rules.small import PIG, game

CAPPED = PIG.replace("points = 0", "points = 0 to target capped")
PARTNERS = (
    PIG.replace("players = 2 from 1 to 4", "players = 4")
    .replace("each player", "table")
    .replace("total = 0", "total of (0 to 1) = 0")
    .replace("any player has total", "highest of (total of 0, total of 1)")
    .replace("total +", "total of (seat mod 2) +")
    .replace("highest total", "highest total of (seat mod 2)")
)


@pytest.mark.parametrize("players", [2, 3])
def test_a_limit_that_the_moves_set_is_as_good_as_a_declared_one(players: int) -> None:
    plain = solve_game(game(PIG, players=players))
    capped = solve_game(game(CAPPED, players=players))
    assert plain.solved.status is capped.solved.status is not Status.APPROXIMATE
    assert plain.value == pytest.approx(capped.value, abs=1e-11)


def test_partners_have_half_of_what_one_player_has_in_their_place() -> None:
    alone = solve_game(game(CAPPED)).value
    assert isinstance(alone, tuple)
    partners = solve_game(game(PARTNERS)).value
    assert partners == pytest.approx([alone[seat % 2] / 2 for seat in range(4)], abs=1e-11)


def test_a_throw_that_changes_nothing_comes_again() -> None:
    # a throw that brings nothing leads back to the choice before it
    again = PIG.replace("1d6", "1 with faces 0 times 3, 1 times 2, 2, 3, 4")
    never = again.replace("0 times 3, ", "")
    values = [solve_game(game(rules)).value for rules in (again, never)]
    assert values[0] == pytest.approx(values[1], abs=1e-11)


@pytest.mark.parametrize(
    "rules",
    [
        PIG.replace(" when total + points < target", "").replace(
            "ends when", "ends after the round when"
        ),  # more points may be better than fewer, whatever the target is
        PIG.replace("= 10 from", "= 900 from"),  # and too many of them for tables
    ],
)
def test_what_has_no_limit_needs_a_grid(rules: str) -> None:
    with pytest.raises(NeedsGrid, match='"points" grows without limit inside a turn'):
        compile_game(game(rules))


UP_TO_A_ONE = """
game "Up to a one"
dice 1d6
each player
    score = 0
this turn
    points = 0
turn
    roll all
    repeat until 1 in dice
        points + sum of dice
        roll all
    score + points
ends after 2 rounds
payoff highest (1 if score >= 120 else 0)
"""


def test_what_grows_with_points_without_limit_has_none_either() -> None:
    """It was kept only up to what the first few points bring; the chance of more was lost."""
    rules = UP_TO_A_ONE.replace("score + points", "score = highest of (score, points)")
    with pytest.raises(DicegamesError, match='"score" takes ever more values'):
        solve_game(game(rules))


@pytest.mark.parametrize("limit", ["0", "0 to 120 capped"])
def test_no_chance_of_a_large_score_is_lost(limit: str) -> None:
    turn = [0.0] * 121  # the probability of so many points in a turn, the last for more as well
    reached = [1.0, *[0.0] * 120]
    for points, chance in enumerate(reached):
        turn[points] += chance / 6
        for face in range(2, 7):
            reached[min(points + face, 120)] += chance / 6 * (points < 120)
    turn[120] = 1 - sum(turn[:120])
    both = sum(turn[k] * sum(turn[120 - k :]) for k in range(121))
    rules = game(UP_TO_A_ONE.replace("score = 0", f"score = {limit}"))
    assert solve_game(rules).value == pytest.approx(both, abs=1e-11)


def test_where_a_score_was_not_followed_far_enough_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What lies beyond was worth 0, and the value said to be proven."""
    monkeypatch.setattr(domains, "sample", lambda values: values[:64])
    with pytest.raises(DicegamesError, match="can grow without limit"):
        solve_game(game(UP_TO_A_ONE))


@pytest.mark.parametrize("part", ["points div 2", "2 * (points div 3) + points mod 3"])
def test_parts_of_points_without_limit_may_decide(part: str) -> None:
    text = UP_TO_A_ONE.replace("score + points", f"score + {part}").replace("120", "30")
    limited = text.replace("points = 0", "points = 0 to 99 capped")
    assert solve_game(game(text)).value == pytest.approx(solve_game(game(limited)).value, abs=1e-11)


def test_points_below_zero_need_a_range() -> None:
    rules = UP_TO_A_ONE.replace("points = 0", "points = -4")
    with pytest.raises(DicegamesError, match='"points" takes ever more values'):
        solve_game(game(rules))


BELOW = """\
dice 1d6
each player
    score = 0
this turn
    points = 0
turn
    repeat
        roll all
        if dice show 1: points - 3
        if not dice show 1: points + sum of dice
        if dice show 2: leave
        choose
            "Go": next
            "Stop": leave
    score + points
ends after 2 rounds
payoff highest score
"""


def test_points_that_fall_below_0_are_told_with_a_way_out() -> None:
    """It was said that the model is wrong."""
    message = r'"points" may fall below 0 inside a turn.*\n.*\n.*\n.*points = 0 from -2000 to 2000'
    with pytest.raises(RulesError, match=message):
        solve_game(game(BELOW))
    limited = BELOW.replace("points = 0", "points = 0 from -40 to 300 capped")
    assert solve_game(game(limited)).value_for(1) == pytest.approx(34, abs=1e-3)

"""Distributions and outcomes against exact fractions on the referee, and simulated games."""

from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from dicegames.analysis.chances import policy
from dicegames.analysis.chances.distribution import Distribution
from dicegames.analysis.chances.outcomes import OutcomeError
from dicegames.analysis.chances.simulation import Simulation
from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.ground.arguments import ArgumentError
from dicegames.ground.source import Source
from dicegames.loading import Game, load, solve
from dicegames.rules.check import check
from dicegames.solver.explicit.explicit import solve_explicit
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.status import SolveError
from tests.oracles.exact_distribution import Exact, exact_distribution
from tests.rules import small

GAMES = Path(__file__).parents[2] / "games"

CARD = """
game "Card"
option worst = no
dice 3d4
each player
    score = 0
boxes card
    "Low"     1 2         pays 5
    "Pair"    x x         pays sum
    "Any"     any dice    pays 3
turn
    roll all
    choose
        "Again"
            note "again"
            roll all
        "Stay": pass
    choose
        one of open card as c
            note c
            use c
            score + points of c
ends when all boxes are used
payoff lowest score if worst else highest score
"""

PAYS_INSIDE = """
game "Pays inside"
dice 2d6
each player
    score = 0
turn
    roll all
    repeat until dice is empty
        if 6 in dice
            note "six"
            end turn
        score + sum of dice
        choose
            "Roll" some of dice as r: roll r
            "Stop": leave
ends after 1 rounds
payoff highest score
"""

SPITE = """
game "Spite"
option players = 2 from 2 to 3
dice 2d4
each player
    coins = 3
turn
    roll all
    if dice show x x
        note "doublet"
        coins of left of mover - 1
    choose
        "Share"
            coins + 1
            coins of left of mover + 1
        "Gamble"
            note "gamble"
            roll all
            if sum of dice > 5: coins + 3
            else: coins of right of mover + 2
ends after 2 rounds
payoff coins
"""

TEXTS = {"card": CARD, "inside": PAYS_INSIDE, "spite": SPITE}


@cache
def solution(stem: str, objective: str = "payoff", **options: object) -> Solution:
    return solve(the_game(stem, **options), objective, noted=True)


def the_game(stem: str, **options: object) -> Game:
    if stem in TEXTS:
        return Game(check(Source(f"{stem}.dg", TEXTS[stem]), options))
    return load(GAMES / f"{stem}.dg", **options)


def second(stem: str, **options: object) -> Game:
    return load(GAMES.parent / "tests" / f"{stem}.dg", **options)


def gained(exact: Exact) -> dict[Fraction, Fraction]:
    found: dict[Fraction, Fraction] = Counter()  # type: ignore[assignment]
    for (value, _), p in exact.items():
        found[value] += p
    return found


SMALL = [
    ("card", "payoff", {}),
    ("card", "payoff", {"worst": "yes"}),
    ("threes", "payoff", {"how_many": 3}),
    ("shut_the_box", "payoff", {"tiles": 5}),
    ("ship_captain_and_crew", "payoff", {}),
    ("dice_poker", "turn", {"rerolled_at_most": 2}),
]


@pytest.mark.parametrize(("stem", "objective", "options"), SMALL, ids=str)
def test_fractions_agree(stem: str, objective: str, options: dict[str, object]) -> None:
    found = solution(stem, objective, **options)
    exact = exact_distribution(found.game, objective)
    assert sum(exact.values()) == 1
    distribution = found.distribution()
    wanted = gained(exact)
    assert distribution.values.tolist() == pytest.approx([float(v) for v in sorted(wanted)])
    assert distribution.masses.tolist() == pytest.approx(
        [float(wanted[v]) for v in sorted(wanted)], rel=0, abs=1e-13
    )
    assert distribution.mean == pytest.approx(found.value, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("stem", "objective", "options"),
    [SMALL[0], SMALL[4], SMALL[5]],
    ids=str,
)
def test_outcomes_agree(stem: str, objective: str, options: dict[str, object]) -> None:
    found = solution(stem, objective, **options)
    wanted: dict[tuple[tuple[str, int], ...], Fraction] = Counter()  # type: ignore[assignment]
    for (_, happened), p in exact_distribution(found.game, objective).items():
        wanted[happened] += p
    told: dict[tuple[tuple[str, int], ...], float] = Counter()  # type: ignore[assignment]
    for counts, mass in found.outcomes().joint.items():
        together: Counter[str] = Counter()
        for count in counts:
            together.update(dict(count))
        told[tuple(sorted(together.items()))] += mass
    assert told == pytest.approx({k: float(v) for k, v in wanted.items()}, rel=0, abs=1e-13)


SEATS = [
    ("spite", {}),
    ("spite", {"players": 3}),
    ("pig", {"players": 3, "target": 4}),
    ("second_games/help_your_neighbour", {}),
    ("second_games/left_right_center", {"start": 1}),
    ("second_games/prizes", {"players": 2}),
    ("money/toll_road", {"rounds": 1, "length": 3}),
]


@pytest.mark.parametrize(("stem", "options"), SEATS, ids=str)
def test_fractions_agree_for_every_seat(stem: str, options: dict[str, object]) -> None:
    compare_seats(second(stem, **options) if "/" in stem else the_game(stem, **options))


CUT = """
game "I cut, you take"
option players = 3
dice 2d3
each player
    score = 0
table
    small = 0 to 9
    large = 0 to 9
    cut = no
turn
    if not cut
        roll all
        choose
            "Cut" at least 1 of dice as k where size of k < size of dice
                small = sum of k
                large = sum of dice - sum of k
    if cut
        choose
            "Left": score + small
            "Right": score + large, score of right of mover + small
        cut = no
    else: cut = yes
ends after 2 rounds
payoff highest (2 * score if score mod 2 = 0 else score)
"""


def test_there_is_no_move_where_play_does_not_come() -> None:
    """What stood there were numbers of another choice, and led to moves that it does not have."""
    compare_seats(Game(check(Source("cut.dg", CUT), {})))


def compare_seats(game: Game) -> None:
    found = solve(game)
    assert isinstance(found.value, tuple)
    distributions = found.distributions()
    assert len(distributions) == len(found.value) == game.rules.players
    for seat, distribution in enumerate(distributions, 1):
        wanted = gained(exact_distribution(game.rules, seat=seat))
        assert distribution.values.tolist() == pytest.approx([float(v) for v in sorted(wanted)])
        assert distribution.masses.tolist() == pytest.approx(
            [float(wanted[v]) for v in sorted(wanted)], rel=0, abs=1e-12
        )
        assert distribution.mean == pytest.approx(found.value[seat - 1], rel=0, abs=1e-9)
        assert distribution.masses.sum() == pytest.approx(1, rel=0, abs=1e-12)
        games = found.simulate(10_000, seed=2, seat=seat)
        assert abs(games.mean - distribution.mean) < 4 * games.mean_error + 1e-12
        assert set(games.counts) <= set(distribution.values.tolist())


@pytest.mark.parametrize("players", [2, 3])
def test_outcomes_agree_where_every_seat_has_a_value(players: int) -> None:
    found = solution("spite", players=players)
    assert not found.compiled.model.scalar
    wanted: dict[tuple[tuple[str, int], ...], Fraction] = Counter()  # type: ignore[assignment]
    for (_, happened), p in exact_distribution(found.game).items():
        wanted[happened] += p
    told = {
        tuple(sorted(pair for count in counts for pair in count)): mass
        for counts, mass in found.outcomes().joint.items()
    }
    assert told == pytest.approx({k: float(v) for k, v in wanted.items()}, rel=0, abs=1e-13)


def test_three_players_who_go_round() -> None:
    found = solution("pig", players=3, target=12)
    distributions = found.distributions()
    assert [d.mean for d in distributions] == pytest.approx(found.value, rel=0, abs=1e-9)
    assert sum(d.probability(1.0) for d in distributions) == pytest.approx(1, rel=0, abs=1e-12)
    assert max(d.tail for d in distributions) < 1e-15


@pytest.mark.parametrize(
    ("name", "options"),
    [("card", {}), ("inside", {}), ("spite", {}), ("pig", {"players": 3, "target": 12})],
)
def test_few_states_are_followed_one_by_one_where_tables_are_too_large(
    name: str, options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = solution(name, **options)
    with Workers(2) as workers:
        listed = solve_explicit(found.compiled.model, workers)
    apart = evolve(found, solved=evolve(listed, tables={}))
    monkeypatch.setattr(policy, "MOST_HELD", 0)
    for told, wanted in zip(apart.distributions(), found.distributions(), strict=True):
        assert told.values.tolist() == wanted.values.tolist()
        assert told.masses == pytest.approx(wanted.masses, rel=0, abs=1e-12)
    if name != "pig":
        joint = found.outcomes().joint
        assert apart.outcomes().joint == pytest.approx(joint, rel=0, abs=1e-12)
    sample = apart.simulate(20_000, 3)
    assert abs(sample.mean - found.distribution().mean) < 4 * sample.mean_error


def test_seats_that_there_are_not() -> None:
    found = solution("spite")
    with pytest.raises(ArgumentError, match="there is no seat 3: the game has 2"):
        found.distribution(3)
    with pytest.raises(ArgumentError, match="a whole number of at least 1"):
        found.simulate(10, 1, seat=0)


def test_a_mean_that_is_not_the_value_is_refused() -> None:
    found = solution("spite")
    assert isinstance(found.value, tuple)
    off = tuple(v + 1e-6 for v in found.value)
    with pytest.raises(SolutionError, match="the value of player 2 is"):
        evolve(found, solved=evolve(found.solved, value=off)).distribution(2)


def test_points_inside_a_turn() -> None:
    found = solution("inside")
    distribution = found.distribution()
    assert distribution.mean == pytest.approx(found.value, rel=0, abs=1e-12)
    assert distribution.masses.sum() + distribution.tail == pytest.approx(1, rel=0, abs=1e-12)
    assert distribution.probability(0) == pytest.approx(11 / 36)  # a six in the first throw


def test_a_game_that_goes_round() -> None:
    found = solution("pig", players=2, target=20)
    first, second = found.distribution(1), found.distribution(2)
    assert isinstance(found.value, tuple)
    assert (first.mean, second.mean) == pytest.approx(found.value, rel=0, abs=1e-12)
    assert first.masses.sum() == pytest.approx(1, rel=0, abs=1e-12)
    assert first.tail == 0.0
    assert (first.minimum, first.maximum) == (0, 1)


FIRST_TRIPLE = """
option players = 2 from 2 to 3
dice 3d20
each player
    won = no
turn
    roll all
    if dice show 1 1 1: won = yes
ends when any player has won
payoff highest (1 if won else 0)
"""


def test_what_goes_round_for_very_long_is_followed_to_its_end() -> None:
    """One turn in 8,000 wins: the first player does with 1 / (2 - 1/8000)."""
    found = solve_game(small.game(FIRST_TRIPLE))
    first = found.distribution(1)
    assert first.tail == 0.0
    assert first.probability(1) == pytest.approx(8000 / 15999, rel=0, abs=1e-13)
    assert first.masses.sum() == pytest.approx(1, rel=0, abs=1e-13)


def test_turns_have_no_last_number() -> None:
    found = solution("pig", "turns", players=1, target=20).distribution()
    assert found.minimum == 1
    assert found.maximum is None
    assert 0 < found.tail < 1e-15


def test_a_strategy() -> None:
    turn = solve(load(GAMES / "pig.dg"), "turn", strategy="Hold at 20").distribution()
    assert turn.probability(0) == pytest.approx(0.6245408342, rel=0, abs=1e-10)
    assert turn.mean == pytest.approx(8.1417948937, rel=0, abs=1e-10)


def test_figures_of_a_distribution() -> None:
    d = Distribution(np.array([0.0, 1.0, 4.0]), np.array([0.25, 0.5, 0.25]))
    assert (d.mean, d.modes, d.minimum, d.maximum) == (1.5, [1.0], 0.0, 4.0)
    assert d.sd == pytest.approx(np.sqrt(2.25))
    assert d.percentiles((0, 25, 26, 75, 76, 100)) == {0: 0, 25: 0, 26: 1, 75: 1, 76: 4, 100: 4}


SHARED = """
game "A third"
option players = 4
dice 1d6
each player
    score = 0
    money = 0
turn
    roll all
    score + sum of dice
ends after 1 rounds
ranking highest score, ties share
at the end
    each p in players
        if place of p > 1: pay score of p + 3 from p to winner
payoff money
"""


def test_fractions_are_rounded_once() -> None:
    """A third of 7 is the number nearest to it, not the seven-fold of that nearest to a third."""
    solution = solve(Game(check(Source("t.dg", SHARED))))
    found = solution.distribution()
    simulated = {*solution.simulate(300, seed=1).results.tolist()}
    for values in (found.values.tolist(), simulated):
        exact = {Fraction(value).limit_denominator(12) for value in values}
        assert any(part.denominator > 2 for part in exact)
        assert {float(part) for part in exact} == {*values}


def test_unknown_outcomes() -> None:
    with pytest.raises(OutcomeError, match='did you mean "again"'):
        solution("card").outcomes("agin")
    with pytest.raises(OutcomeError, match="name no outcome"):
        solution("threes", how_many=3).outcomes()


def test_what_cannot_come_up_has_probability_0() -> None:
    """No sum of three dice from 1 to 4 is 13: the rules were said to name no outcome."""
    text = CARD.replace('note "again"', 'if sum of dice > 12: note "high"')
    text = text.replace("note c", "if sum of dice > 12: note c")
    noted = solve(Game(check(Source("t.dg", text))), noted=True)
    found = noted.outcomes()
    assert found.names == ("high", "c")
    assert found.probability("high") == found.probability("c") == 0
    assert noted.outcomes("Low").probability("Low") == 0


def test_the_error_of_the_spread_of_few_games() -> None:
    """By hand: m4 = 2/27 and s2 = 1/3 of three games, 1/16 and 1/2 of two."""
    assert Simulation(np.array([0.0, 0.0, 1.0]), 1).sd_error == pytest.approx(np.sqrt(1 / 54))
    assert Simulation(np.array([0.0, 1.0]), 1).sd_error == pytest.approx(np.sqrt(5 / 64))


@pytest.mark.parametrize(
    ("stem", "objective", "options"),
    [
        ("card", "payoff", {}),
        ("inside", "payoff", {}),
        ("pig", "payoff", {"players": 2, "target": 20}),
        ("dice_poker", "turn", {"rerolled_at_most": 2}),
        ("shut_the_box", "payoff", {"tiles": 5}),
    ],
    ids=str,
)
def test_simulated_games(stem: str, objective: str, options: dict[str, object]) -> None:
    found = solution(stem, objective, **options)
    exact = found.distribution()
    games = found.simulate(20_000, seed=5)
    assert abs(games.mean - exact.mean) < 4 * games.mean_error
    assert abs(games.sd - exact.sd) < 4 * games.sd_error + 1e-12
    for value, mass in zip(exact.values.tolist(), exact.masses.tolist(), strict=True):
        error = np.sqrt(mass * (1 - mass) / games.games)
        assert abs(games.counts.get(value, 0) / games.games - mass) < 5 * error + 2e-4
    assert set(games.counts) <= set(exact.values.tolist())


def test_a_seed_gives_the_same_games_with_any_threads() -> None:
    found = solution("card")
    one, two = (found.simulate(5000, seed=1, threads=t).results for t in (1, 3))
    assert (one == two).all()
    assert (found.simulate(100, seed=1).results == one[:100]).all()
    assert (found.simulate(5000, seed=2).results != one).any()


def test_the_first_of_equal_moves_may_go_round_for_ever() -> None:
    """Its distribution was printed with a tail; simulated games did not end."""
    rules = small.game("""
        dice 1d3
        each player
            score = 0
            seen = 0 to 1 capped
        turn
            roll all
            choose
                "Look": seen + number of 3 in dice, choose again
                "Stop": score + sum of dice
        ends after 1 rounds
        """)
    solution = solve_game(rules)
    assert solution.value == pytest.approx(2.0, abs=1e-9)
    with pytest.raises(SolutionError, match="goes round for ever"):
        solution.distribution()
    with pytest.raises(SolutionError, match="1,000,000 steps"):
        solution.simulate(10, seed=1)


AT_RISK = """
game "At risk"
dice 1d6
each player
    total = 0
this turn
    points = {points}
turn
    repeat
        roll all
        if dice show 1: end turn
        points + ({two} if dice show 2 else sum of dice)
        choose
            "Again": pass
            "Stop" when points >= 3 or total > 0
                note "stopped"
                total + points
                end turn
ends when total >= 50
payoff highest total
"""


@pytest.mark.parametrize("two", [2, 0])
def test_points_without_limit_beside_what_lasts(two: int) -> None:
    """One turn: the same as with a limit of the points that changes nothing.

    Where a two brings nothing, a turn may go round without a change of points.
    """
    texts = (AT_RISK.format(points=points, two=two) for points in ("0", "0 to 200 capped"))
    games = (Game(check(Source("at_risk.dg", text), {})) for text in texts)
    found, limited = (solve(game, "turn", noted=True) for game in games)
    assert found.method == "turn by turn"
    assert found.value == pytest.approx(limited.value, rel=0, abs=1e-12)
    told, wanted = found.distribution(), limited.distribution()
    assert told.mean == pytest.approx(found.value, rel=0, abs=1e-12)
    assert told.values.tolist() == wanted.values.tolist()
    assert told.masses == pytest.approx(wanted.masses, rel=0, abs=1e-12)
    assert found.outcomes().joint == pytest.approx(limited.outcomes().joint, rel=0, abs=1e-12)
    sample = found.simulate(20_000, 3)
    assert abs(sample.mean - told.mean) < 4 * sample.mean_error
    with pytest.raises(SolveError, match=r"no limit beside what lasts$"):  # of one turn already
        next(policy.policies(found.compiled, found.solved))


@pytest.mark.parametrize("first", ["roll all", "pass"])
def test_points_have_no_end_where_none_is_in_sight(first: str) -> None:
    """How often one throws until a one comes; all of it is paid at the end."""
    rules = small.game(f"""
        dice 1d6
        each player
            score = 0
        this turn
            thrown = 0
        turn
            {first}
            repeat
                {"pass" if first == "roll all" else "roll all"}
                thrown + 1
                if dice show 1
                    score + (2 * thrown if score = 0 else 1)
                    end turn
                {first}
        payoff highest score
    """)
    told = solve(Game(rules), "turn").distribution()
    assert told.maximum is None
    assert 0 < told.tail < 1e-15
    assert told.values[:40].tolist() == list(range(2, 82, 2))
    wanted = [float(Fraction(5, 6) ** k / 6) for k in range(40)]
    assert told.masses[:40] == pytest.approx(wanted, rel=1e-12)

"""Objectives other than the payoff, against exact fractions from the referee alone."""

from fractions import Fraction
from pathlib import Path

import pytest

from dicegames.analysis.solution import Solution, SolutionError, UnknownPosition, solve_game
from dicegames.compiler.compile import compile_game
from dicegames.ground.source import Source
from dicegames.loading import load
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.objectives import ObjectiveError, objective_of
from dicegames.rules.running.referee import start

GAMES = Path(__file__).parents[2] / "games"

CARD = """
game "Small card"
option fine = no
option aim = high | low
dice 2d3
each player
    score = 0
    sum_of_faces = 0 to 3 capped
boxes faces
    "Ones"   any 1      pays sum
    "Twos"   any 2      pays sum
boxes wide
    "Pair"   x x        pays 5
    "All"    any dice   pays sum of dice
turn
    roll all
    choose
        "Roll" any of dice as r: roll r
    choose
        one of open boxes as b
            if b in faces and sum_of_faces < 3 and sum_of_faces + points of b >= 3: score + 4
            if b in faces: sum_of_faces + points of b
            if fine and points of b = 0: score - 2
            score + points of b
            use b
ends when all boxes are used
payoff lowest score if aim = low else highest score
"""


GOODS = """
game "Small goods"
option aim = high | low
dice 2d3
each player
    goods = 0
    score = 0
boxes wide
    "Ones"   any 1      pays sum
    "Twos"   any 2      pays sum
    "Pair"   x x        pays 5
turn
    goods + 2
    roll all
    choose
        one of open boxes as b
            use b
            repeat until goods = 0
                choose
                    "Again" for 1 goods: roll all
                    "Stop": leave
            score + points of b
ends when all boxes are used
payoff lowest score + goods if aim = low else highest score + goods
"""


def small_card(**options: object) -> Rules:
    return check(Source("card.dg", CARD.strip() + "\n"), options)


def both(game: Rules, objective: str) -> tuple[Solution, Fraction]:
    exact = exact_value(game, objective=objective)
    assert isinstance(exact, Fraction)
    return solve_game(game, objective), exact


@pytest.mark.parametrize("aim", ["high", "low"])
@pytest.mark.parametrize("target", [4, 5, 9, 12, 17])
def test_reach_on_a_card(aim: str, target: int) -> None:
    game = small_card(aim=aim)
    solution, exact = both(game, f"reach:{target}")
    assert solution.method == "blocks"
    assert solution.value == pytest.approx(float(exact), rel=0, abs=1e-14)
    solution, exact = both(game, f"reach:{target} minimised")
    assert solution.value == pytest.approx(float(exact), rel=0, abs=1e-14)


@pytest.mark.parametrize("aim", ["high", "low"])
@pytest.mark.parametrize("target", [3, 8, 11])
def test_reach_where_a_turn_spends(aim: str, target: int) -> None:
    game = check(Source("goods.dg", GOODS.strip() + "\n"), {"aim": aim})
    solution, exact = both(game, f"reach:{target}")
    assert solution.method == "blocks"
    assert solution.value == pytest.approx(float(exact), rel=0, abs=1e-14)
    position = solution._own("used Ones | score 2 | goods 1")
    here = exact_value(game, position, f"reach:{target}")
    assert solution.value_of(position) == pytest.approx(float(here), rel=0, abs=1e-14)  # type: ignore[arg-type]


@pytest.mark.parametrize("aim", ["high", "low"])
def test_reach_where_points_can_be_lost(aim: str) -> None:
    solution, exact = both(small_card(fine=True, aim=aim), "reach:8")
    assert solution.value == pytest.approx(float(exact), rel=0, abs=1e-14)


@pytest.mark.parametrize(
    "position", ["used Ones | sum_of_faces 2 | score 2", "at turn 2 | dice 2 2"]
)
def test_reach_at_positions(position: str) -> None:
    game = small_card()
    solution = solve_game(game, "reach:12")
    for choice in solution.options(position):
        after = solution._own(position).play(choice.move)
        exact = exact_value(game, after, "reach:12")
        assert choice.value == pytest.approx(float(exact), rel=0, abs=1e-14)  # type: ignore[arg-type]
    assert solution.remaining_of(position) == solution.value_of(position)


@pytest.mark.parametrize(
    ("options", "objective", "right"),
    [
        ({}, "reach:22", 0.0),  # 21 points are the most
        ({}, "reach:100000", 0.0),
        ({}, "reach:-1", 1.0),
        ({"aim": "low"}, "reach:40", 1.0),
        ({"aim": "low"}, "reach:-1", 0.0),
    ],
)
def test_what_is_certain_has_probability_one_or_none(
    options: dict[str, str], objective: str, right: float
) -> None:
    solution = solve_game(small_card(**options), objective)
    assert solution.value == right
    assert solution.error_bound < 1e-12
    assert {choice.value for choice in solution.options("at turn 2 | dice 1 2")} == {right}
    assert solution.distribution().values.tolist() == [right]


def test_what_cannot_have_been_gained_is_told() -> None:
    with pytest.raises(UnknownPosition):
        solve_game(small_card(), "reach:22").value_of("at turn 2 | score 30 | dice 1 2")


@pytest.mark.parametrize(
    ("file", "options", "objective"),
    [
        ("threes", {}, "reach:3"),
        ("ship_captain_and_crew", {}, "reach:9"),
        ("shut_the_box", {"tiles": 6}, "reach:4"),
        ("pig", {"players": 1, "target": 12}, "reach:13"),
        ("pig", {"players": 1, "target": 9}, "turns maximised"),
        ("pig", {"players": 1, "target": 9}, "turn minimised"),
        ("pig", {"players": 1, "target": 9}, "payoff minimised"),
    ],
)
def test_games(file: str, options: dict[str, object], objective: str) -> None:
    solution, exact = both(load(GAMES / f"{file}.dg", **options).rules, objective)
    assert solution.value == pytest.approx(float(exact), rel=0, abs=1e-11)
    assert solution.objective == objective


def test_how_objectives_are_written() -> None:
    for text in ("payoff", "turns maximised", "reach:300", "reach:5/2 minimised", "average"):
        assert str(objective_of(text)) == text
    assert objective_of("reach:2.5").target == Fraction(5, 2)
    for text in ("", "fun", "turns:3", "turns much", "reach:x", "reach:1/0", "turn minimised now"):
        with pytest.raises(ObjectiveError):
            objective_of(text)


def test_roles_depend_on_the_objective() -> None:
    def role(objective: str) -> str:
        compiled = compile_game(load(GAMES / "threes.dg").rules, objective)
        return next(r.role for r in compiled.roles if r.name == "score")

    assert (role("payoff"), role("reach:4")) == ("reward", "axis")


def test_senseless_objectives() -> None:
    pig = load(GAMES / "pig.dg").rules
    for objective in ("turns", "reach:100"):
        with pytest.raises(ObjectiveError, match="--set players=1"):
            compile_game(pig, objective)


def test_turns_without_an_end() -> None:
    text = CARD.replace("ends when all boxes are used", "ends when any player has score > 100")
    text = text.replace("            use b\n", "")
    with pytest.raises(SolutionError, match="for ever"):
        solve_game(check(Source("card.dg", text.strip() + "\n"), {}), "turns maximised")


TWO_TURNS = """
game "Two turns"
option aim = low | high
dice 1d2
boxes card
    "One"    any dice   pays 1
    "None"   any dice   pays 0
each player
    score = 0
turn
    roll all
    score + sum of dice
    choose
        "Again" when dice show 2 and round = 1: roll all
        "Stay": pass
    choose
        one of open card as c
            score + points of c
            use c
ends after 2 rounds
payoff lowest score if aim = low else highest score
"""


def two_turns(aim: str) -> Rules:
    return check(Source("two.dg", TWO_TURNS.strip() + "\n"), {"aim": aim})


@pytest.mark.parametrize(
    ("aim", "target", "value"),
    [("low", 3, Fraction(1, 4)), ("low", 4, Fraction(3, 4)), ("high", 5, Fraction(1, 4))],
)
def test_reach_where_points_are_won_before_a_choice(
    aim: str, target: int, value: Fraction, tmp_path: Path
) -> None:
    """Both dice and one more are won: 3 for two ones, 5 for two twos, whatever is chosen."""
    game = two_turns(aim)
    solution, exact = both(game, f"reach:{target}")
    assert exact == value
    assert solution.value == pytest.approx(float(value), abs=1e-14)
    assert solution.distribution().probability(1.0) == pytest.approx(float(value), abs=1e-14)
    path = tmp_path / "two.solution"
    solution.save(path)
    for each in (solution, Solution.load(path, game, solution.objective)):
        _compare_all_positions(each)


def _compare_all_positions(solution: Solution) -> None:
    """Compare the values of all positions, also of those at which nothing can be changed."""
    pending, met = [start(solution.game)], set[str]()
    while pending:
        position = pending.pop()
        if str(position) in met or position.is_over:
            continue
        met.add(str(position))
        exact = exact_value(solution.game, position, solution.objective)
        assert solution.value_of(position) == pytest.approx(float(exact), abs=1e-14), position  # type: ignore[arg-type]
        pending += [position.play(move) for move in position.moves()]
        pending += [position.play(outcome) for outcome in position.outcomes()]
    assert len(met) > 10


PAID_IN_THE_MIDDLE = """
game "Paid in the middle"
dice 1d3
each player
    score = 0
turn
    roll all
    choose
        "Sure": score + 1
        "Again"
            roll all
            if dice show 1: score + 3
ends after 2 rounds
"""


@pytest.mark.parametrize(
    ("payoff", "target"), [("lowest", 2), *[("highest", t) for t in range(2, 7)]]
)
def test_reach_where_points_are_won_in_the_middle_of_a_turn(payoff: str, target: int) -> None:
    text = PAID_IN_THE_MIDDLE.strip() + f"\npayoff {payoff} score\n"
    _compare_all_positions(solve_game(check(Source("paid.dg", text), {}), f"reach:{target}"))


def test_reach_where_tables_are_looked_through_piece_by_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Several variables last beside the score, whose values are known from some points on."""
    monkeypatch.setattr("dicegames.solver.blocks.blocks.MASK_PIECE", 1)
    text = """
game "Two cells"
dice 1d6
each player
    cell of (1 to 2) = 0 to 6
    score = 0 to 20
turn
    roll all
    choose
        one of 1 to 2 as c where cell of c = 0
            cell of c = sum of dice
            score + highest of (cell of 1, cell of 2)
ends after 2 rounds
payoff highest score
"""
    solution = solve_game(check(Source("cells.dg", text), {}), "reach:8")
    wins = sum(first + max(first, second) >= 8 for first in range(1, 7) for second in range(1, 7))
    assert solution.value == pytest.approx(wins / 36, abs=1e-12)

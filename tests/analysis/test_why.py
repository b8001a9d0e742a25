"""Why a move is better: the parts add up, and say what simulation and exact chances say."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import dicegames
from dicegames.analysis.solving import reasons
from dicegames.cli.playing import why
from dicegames.cli.playing.why import told
from dicegames.play.judge import Ledger, Scale
from dicegames.play.match import Match
from dicegames.rules.parts.value_text import PositionError
from tests.solver.test_results import FOUR

TWO_ROWS = """
game "Two rows"

option players = 1 from 1 to 2

dice 2d6

each player
    score = 0

boxes row
    "Sum"     any dice   pays sum
    "Pair"    x x        pays 20

turn
    roll all
    choose
        one of open row as b
            score + points of b
            if dice show x x: score + 1
            use b

ends when all boxes are used
payoff highest score
"""
PAIR = 1 / 6


@pytest.fixture
def two_rows(tmp_path: Path) -> dicegames.Game:
    """A game of two rows whose later turn is known by hand."""
    file = tmp_path / "two_rows.dg"
    file.write_text(TWO_ROWS)
    return dicegames.load(file)


def test_parts_by_hand(two_rows: dicegames.Game) -> None:
    """One row is left afterwards, of 7 points in the mean, or of 20 with a pair."""
    solution = dicegames.solve(two_rows)
    why = solution.why("dice 3 3")
    assert (why.move, why.instead) == ("Pair", "Sum")
    parts = {part.what: part for part in why.parts}
    assert parts["Pair"].now == (20.0, 0.0)
    assert parts["Pair"].later == pytest.approx((0.0, 20 * PAIR))
    assert parts["Pair"].times == pytest.approx((1.0, PAIR))
    assert parts["Sum"].now == (0.0, 6.0)
    assert parts["Sum"].times == pytest.approx((1.0, 1.0))
    assert parts["Sum"].later == pytest.approx((7.0, 0.0))
    assert parts["1"].now == (1.0, 1.0)
    assert parts["1"].later == pytest.approx((PAIR, PAIR))
    assert why.gap < 1e-12
    assert why.difference == pytest.approx(solution.regret("dice 3 3", "Sum"))


POSITIONS: list[tuple[str, dict[str, str], str, str]] = [
    ("despirala", {}, "payoff", ("goods 9 | used Despirala, General, Kamerun, Straight, Collect 1, "
     "Collect 2, Collect 3, Three pairs, Two triples, Six of a kind | dice 1 2 4 4 5 6")),
    ("yatzy", {}, "payoff", ("used Ones, Twos, Threes, Fours, One pair, Two pairs, Full house, "
     "Chance, Yatzy, Small straight, Large straight | upper_total 30 | dice 2 2 5 6 6")),
    ("pig", {}, "payoff", "total 60 / 80 | points 18"),
    ("shut_the_box", {}, "payoff", "dice 3 4"),
    ("shut_the_box", {}, "reach:10", "dice 3 4"),
    ("threes", {}, "payoff", "dice 1 3 3 5 6"),
    ("pass_the_pigs", {}, "payoff", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options", "objective", "text"), POSITIONS)
def test_parts_add_up(name: str, options: dict[str, str], objective: str, text: str) -> None:
    """For every move against the best one."""
    game = dicegames.load(name, **options)
    position = game.position(text)
    while not position.moves():
        position = position.play(position.outcomes()[0])
    solution = dicegames.solve(game, objective)
    options_ = solution.options(position)
    assert len(options_) > 1
    for choice in (options_[1], options_[-1]):
        why = solution.why(position, choice.name)
        assert why.gap < 1e-9
        assert why.values == (options_[0].value, choice.value)
        assert all(t >= 0 for part in why.parts for t in part.times)


def test_what_is_told_apart() -> None:
    """Goods, boxes and the bonus have names of their own."""
    game = dicegames.load("yatzy")
    text = "used Ones, Twos, Threes, Fours, Fives, One pair, Two pairs, Full house, Chance, Yatzy, "
    text += "Small straight, Large straight | upper_total 45 | dice 6 6 6 2 1"
    solution = dicegames.solve(game)
    position = game.position(text)
    while "Sixes" not in [move.label for move in position.moves()]:
        position = position.play("Keep 1 2 6 6 6")
    why = solution.why(position, "Three of a kind", "Sixes")
    parts = {part.what: part for part in why.parts}
    assert set(parts) <= {"Sixes", "bonus", "Three of a kind", "Four of a kind"}
    assert parts["bonus"].now == (50.0, 0.0)
    assert parts["Sixes"].now == (18.0, 0.0)
    assert 0 < parts["bonus"].times[1] < 1


def test_by_the_ends_of_the_turn_to_win(tmp_path: Path) -> None:
    """The parts are chances of ends times chances to win: they add up, and so do the chances."""
    file = tmp_path / "four.dg"
    file.write_text(FOUR)
    game = dicegames.load(file, players=2, goods_at_first=4)
    solution, mean = dicegames.solve(game, "win"), dicegames.solve(game)
    used = "used Three pairs, Two triples / Three pairs, Six of a kind"
    for other in (60, 90):
        position = f"goods 6 / 6 | score 36 / {other} | {used} | dice 1 1 1 6 6 6"
        options = solution.options(position)
        for choice in options[1:]:
            assert mean.why(position, choice.name).gap < 1e-9
            why = solution.why(position, choice.name)
            assert why.gap < 1e-9
            assert why.values == (options[0].value, choice.value)
            for side in range(2):
                assert sum(part.times[side] for part in why.parts) == pytest.approx(1.0)
                assert sum(part.later[side] for part in why.parts) == pytest.approx(
                    why.values[side], abs=1e-9
                )


@pytest.mark.parametrize("most", [20, 2000])
def test_by_the_ends_of_the_turn_on_a_grid(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many positions are looked at, the parts add up to the values on the grid."""
    monkeypatch.setattr(reasons, "MOST_ENDS", most)
    street = Path(__file__).parents[1] / "money" / "short_street.dg"
    solution = dicegames.solve(dicegames.load(street, players=2, rounds=2), grid={"total": 50})
    position = "at_risk 150"
    options = solution.options(position)
    why = solution.why(position)
    assert why.values == (options[0].value, options[1].value)
    assert why.gap < 1e-9
    whats = [part.what for part in why.parts]
    assert ("total +150" in whats) == (options[0].name == "Stop" or options[1].name == "Stop")
    assert (reasons.GOES_ON in whats) == (most == 20)
    for side in range(2):
        assert sum(part.times[side] for part in why.parts) == pytest.approx(1.0)


def test_by_the_ends_of_the_turn_where_what_pays_is_not_told_apart() -> None:
    """One die is left, of which two faces in six score: 850 banked, or 4 in 6 lost."""
    solution = dicegames.solve(dicegames.load("farkle"), "turn")
    position = "dice 4 | aside 1 3 3 3 5 | points 850 | at turn 1"
    why = solution.why(position)
    assert why.by_turn
    assert why.gap < 1e-9
    assert {part.what: part.paid for part in why.parts}["total +850"] == (850.0, 0.0)
    (farkle,) = why.happenings
    assert farkle.times[0] == 0
    assert farkle.times[1] >= 4 / 6
    assert why == solution.why(position, by_turn=True)


def test_by_the_ends_of_the_turn_where_it_is_asked_for(two_rows: dicegames.Game) -> None:
    why = dicegames.solve(two_rows).why("dice 3 3", by_turn=True)
    assert {part.what: part.times for part in why.parts} == {
        "score +21": (1.0, 0.0),
        "score +7": (0.0, 1.0),
    }


def test_an_end_that_changes_no_number_is_told_by_what_it_changes() -> None:
    solution = dicegames.solve(dicegames.load("shut_the_box", tiles=4))
    why = solution.why("dice 1 3", by_turn=True)
    assert {part.what for part in why.parts} == {"up without 4", "up without 1 3"}


def test_a_player_does_not_wait_for_ever(
    two_rows: dicegames.Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = dicegames.solve(two_rows)
    ledger = Ledger(Match(two_rows.rules, 1), solution, Scale())
    position = two_rows.position("dice 3 3")

    def text() -> str:
        return "\n".join("".join(part for part, _ in line) for line in told(*given))

    given = (ledger, position, None)
    assert "by how this turn may end" not in text()
    monkeypatch.setattr(why, "explained", lambda *_: time.sleep(30))
    monkeypatch.setattr(why, "REASONS_SECONDS", 0.01)
    assert "by how this turn may end" in text()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(why, "explained", interrupted)
    assert "by how this turn may end" in text()


@pytest.mark.parametrize(
    ("turns", "told"), [((2.2512, 2.2488), "2.251 instead of 2.249"), ((3.0, 2.5), "3.00 instead")]
)
def test_what_differs_is_told_with_digits_that_tell_it_apart(
    turns: tuple[float, float], told: str
) -> None:
    found = reasons.Why("On", "Stop", (2.0, 1.0), (), turns=turns)
    assert f"turns to come: {told}" in why.reason_lines(found, Scale())[-1][0][0]


def test_refusals() -> None:
    """Where there is nothing to tell it is said."""
    game = dicegames.load("pig", players=1)
    with pytest.raises(dicegames.DicegamesError, match="two moves"):
        dicegames.solve(game, "turn").why("")
    with pytest.raises(dicegames.DicegamesError, match="no legal move"):
        dicegames.solve(game, "turn").why("points 18", "Jump")
    with pytest.raises(PositionError):
        dicegames.solve(game, "turn").why("point 18")

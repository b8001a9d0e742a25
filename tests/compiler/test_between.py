"""States between turns are counted without a turn being explored, and never too few of them."""

from collections.abc import Callable
from itertools import product
from math import prod
from pathlib import Path

import pytest

import dicegames
from dicegames.compiler.compile import compile_game, outline
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.solver.solve import cost_of

GAMES = Path(__file__).parents[2] / "games"

CLIMB = """\
game "Climb"
option players = 2
dice 1d6
each player
    high = 0 to 7 capped
    low = 0 to 4 capped
turn
    roll all
    choose
        "High": high + 1
        "Low": low + 1
ends when END
ranking highest high
payoff win
"""


def climb(end: str) -> Rules:
    return check(Source("climb.dg", CLIMB.replace("END", end)), {})


def boards_that_go_on(sides: int, shortest: int) -> int:
    """Count the boards of Can't Stop with fewer than three columns finished, by those that are."""
    half = [shortest + 2 * n for n in range(sides)]
    lengths = half + half[-2::-1]
    found = 0
    for finished in product((False, True), repeat=len(lengths)):
        if sum(finished) < 3:
            found += prod(n for n, over in zip(lengths, finished, strict=True) if not over)
    return found


@pytest.mark.parametrize(("sides", "shortest"), [(2, 1), (3, 3), (4, 2), (5, 1), (6, 3)])
def test_boards_on_which_play_is_over_are_no_states(sides: int, shortest: int) -> None:
    game = dicegames.load(GAMES / "cant_stop.dg", players=1, sides=sides, shortest=shortest).rules
    found = outline(game, "turns")
    assert found.states == boards_that_go_on(sides, shortest)


def test_the_board_that_people_play() -> None:
    game = dicegames.load(GAMES / "cant_stop.dg", players=1).rules
    found = outline(game, "turns")
    assert found.product == prod((4, 6, 8, 10, 12, 14, 12, 10, 8, 6, 4))
    assert found.states == 6_066_786_123  # docs/games/cant_stop.md, by the sum over columns


@pytest.mark.parametrize(
    ("end", "over"),
    [
        ("any player has high >= 5", lambda a, b: a[0] >= 5 or b[0] >= 5),
        ("any player has high + low = 6", lambda a, b: 6 in (a[0] + a[1], b[0] + b[1])),
        ("every player has high > 2 and low != 3", lambda a, b: a[0] > 2 < b[0] and a[1] != 3),
        ("high > low", lambda a, b: a[0] > a[1]),
    ],
)  # fmt: skip
def test_states_are_those_in_which_play_goes_on(
    end: str, over: Callable[[tuple[int, ...], tuple[int, ...]], bool]
) -> None:
    each = list(product(range(8), range(5)))
    going = sum(not over(a, b) for a in each for b in each)
    found = outline(climb(end))
    assert found.without_range == []
    assert found.states is not None
    assert found.states * len(each) ** 2 == going * found.product  # low may not matter


def test_a_variable_without_a_range_has_no_bound() -> None:
    game = dicegames.load(GAMES / "farkle.dg", players=4).rules
    found = outline(game)
    assert found.states is None
    assert found.without_range == ["total"]
    assert found.product == 4  # the seats


def test_the_end_of_the_rounds_bounds_their_number() -> None:
    found = outline(climb("high + round = 20"))
    assert found.without_range == ["round"]
    rounds = CLIMB.replace("when END", "after 7 rounds").replace(
        "highest high", "highest high + round"
    )
    assert outline(check(Source("climb.dg", rounds), {})).states == 7 * 2 * 8 * 8


def test_players_who_do_not_interact_count_once() -> None:
    one = outline(dicegames.load(GAMES / "yahtzee.dg").rules)
    assert outline(dicegames.load(GAMES / "yahtzee.dg", players=5).rules) == one
    assert one.states == 2**13 * 2 * 64


def test_one_turn_has_nothing_between_turns() -> None:
    found = outline(dicegames.load(GAMES / "cant_stop.dg").rules, "turn")
    assert (found.lasting, found.states) == ((), 1)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("cant_stop", {"sides": 2, "shortest": 1}),
        ("chutes_and_ladders", {}),
        ("yahtzee", {}),
        ("qwixx", {"sides": 3}),
    ],
)
def test_no_more_points_come_up_than_were_counted(name: str, options: dict[str, int]) -> None:
    game = dicegames.load(GAMES / f"{name}.dg", **options).rules
    states = outline(game).states
    assert states is not None
    model = compile_game(game).model
    assert states <= model.points
    reached = cost_of(model).reachable
    if reached >= 0 and model.stored.sum() == 1:
        assert reached <= states + 1

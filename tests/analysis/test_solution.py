"""Solutions as people ask about them, on games small enough for the exact solver."""

from functools import cache
from pathlib import Path

import pytest

import dicegames
from dicegames.analysis.solution import Solution, solve_game
from dicegames.analysis.solving.position_values import own_position
from dicegames.analysis.solving.reasons import ranked
from dicegames.ground.errors import TooFar
from dicegames.ground.limits import Limits
from dicegames.ground.source import Source
from dicegames.loading import Game
from dicegames.rules.check import check
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.referee import Choice, Move, Position, start

GAMES = Path(__file__).parents[2] / "games"

CARDS = """
game "Two boxes"
option players = 1 from 1 to 3
dice 2d3
each player
    score = 0
boxes line
    "Low"    any 1    pays sum
    "High"   any 3    pays sum
turn
    roll all
    choose
        "Again" some of dice as k: roll k
        "Stay": pass
    choose
        one of open line as b
            score + points of b
            use b
ends after 2 rounds
payoff highest score
"""


def cards(**options: object) -> Game:
    return Game(check(Source("cards.dg", CARDS.strip() + "\n"), options))


@cache
def solution(stem: str, objective: str = "payoff", **options: object) -> Solution:
    loaded = (
        cards(**options) if stem == "cards" else dicegames.load(GAMES / f"{stem}.dg", **options)
    )
    return dicegames.solve(loaded, objective)


def number(value: object) -> float:
    assert isinstance(value, float)
    return value


def some_positions(start: Position, most: int) -> list[Position]:
    """Positions from the first on, breadth first, a few of each step."""
    found, level = [start], [start]
    while level and len(found) < most:
        nexts: list[Position] = []
        for position in level[:12]:
            if not position.is_over:
                nexts += [position.play(m) for m in position.moves()]
                nexts += [position.play(o) for o in position.outcomes()]
        level = nexts[:: max(1, len(nexts) // 25)]
        found += level
    return found[:most]


@pytest.mark.parametrize(
    ("stem", "options"),
    [
        ("shut_the_box", {"tiles": 4}),
        ("shut_the_box", {"tiles": 5, "aim": "shut_all", "one_die": "always_at_6"}),
        ("cards", {}),
    ],
)
def test_positions_agree_with_exact_fractions(stem: str, options: dict[str, object]) -> None:
    solved = solution(stem, **options)
    game = solved.game
    for position in some_positions(dicegames.Game(game).start(), 40):
        exact = float(exact_value(game, position))  # type: ignore[arg-type]
        assert solved.value_of(position) == pytest.approx(exact, abs=1e-9)
        assert solved.value_of(str(position)) == pytest.approx(exact, abs=1e-9)
        options_ = solved.options(position)
        assert [c.name for c in options_] or not position.moves()
        if options_:
            assert options_[0].value == pytest.approx(exact, abs=1e-9)
            reached = position.play(options_[-1].move)
            worst = float(exact_value(game, reached))  # type: ignore[arg-type]
            assert options_[-1].value == pytest.approx(worst, abs=1e-9)


def test_two_players_see_the_same_game() -> None:
    solved = solution("pig", target=10)
    exact = exact_value(solved.game)
    assert isinstance(exact, tuple)
    assert solved.value == pytest.approx([float(v) for v in exact], abs=1e-8)
    first = solved.value_of("total 3 / 5 | points 4")
    second = solved.value_of("total 5 / 3 | points 4 | seat 2")
    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    assert first == pytest.approx(second[::-1], abs=1e-12)
    moves = solved.options("total 5 / 3 | points 4 | seat 2")
    assert moves[0].value == pytest.approx(second[1], abs=1e-9)


def test_players_who_do_not_interact() -> None:
    one, two = solution("cards"), solution("cards", players=2)
    assert two.value == pytest.approx((one.value, one.value))
    text = "score 2 / 0 | used Low / none | seat 2 | dice 1 3 | at turn 2"
    value = two.value_of(text)
    assert isinstance(value, tuple)
    assert value[0] == pytest.approx(one.value_of("score 2 | used Low | round 2"))
    own = next(c for c in two.options(text) if c.name == "Stay")
    alone = next(
        c for c in one.options("score 0 | used none | dice 1 3 | at turn 2") if c.name == "Stay"
    )
    assert own.value == pytest.approx(alone.value)
    position = dicegames.Game(two.game).position(text)
    assert str(own_position(position, one.game, 0)) == "score 2 | used Low | round 2"


def test_points_already_won() -> None:
    solved = solution("cards")
    rest = "used Low | round 2"
    value = number(solved.value_of(f"score 7 | {rest}"))
    assert value == pytest.approx(7 + number(solved.value_of(f"score 0 | {rest}")))
    assert solved.remaining_of(f"score 7 | {rest}") == pytest.approx(value - 7)


def test_regret_is_never_negative() -> None:
    solved = solution("shut_the_box", tiles=4)
    text = "up 1 2 3 4 | dice 1 3"
    losses = [solved.regret(text, choice.move) for choice in solved.options(text)]
    assert losses[0] == 0
    assert all(loss >= 0 for loss in losses)
    assert solved.regret(text, "shut 1 3") in losses
    best = solved.best(text)
    assert best is not None
    assert best.name == solved.options(text)[0].name
    assert solved.best("up 1 2 3 4") is None


def test_objectives() -> None:
    turns = solution("pig", "turns", target=10, players=1)
    exact = exact_value(turns.game, objective="turns")
    assert turns.value == pytest.approx(float(exact), abs=1e-8)  # type: ignore[arg-type]
    assert not turns.maximise
    choices = turns.options("total 2 | points 5")
    assert choices[0].value <= choices[1].value
    assert turns.options("total 3 | points 7")[0].value == pytest.approx(1)
    turn = solution("pig", "turn", target=20)
    exact = exact_value(turn.game, objective="turn")
    assert turn.value == pytest.approx(float(exact), abs=1e-9)  # type: ignore[arg-type]
    hold = next(c for c in turn.options("points 7") if c.name == "Hold")
    assert hold.value == pytest.approx(7)


def test_equal_moves_come_in_the_order_of_the_rules() -> None:
    values = [1.0, 3.0, 3.0 + 1e-12, 2.0]
    choices = [Choice(Move(str(place), 0), value) for place, value in enumerate(values)]
    assert [c.name for c in ranked(choices, maximise=True)] == ["1", "2", "3", "0"]
    assert [c.name for c in ranked(choices, maximise=False)] == ["0", "3", "1", "2"]


def test_positions_that_cannot_come_up() -> None:
    solved = solution("pig", target=10)
    with pytest.raises(dicegames.UnknownPosition):
        solved.value_of("total 1 / 0")  # nobody wins a single point
    with pytest.raises(dicegames.UnknownPosition):
        solved.value_of("total 12 / 0")  # play is over
    with pytest.raises(dicegames.PositionError):
        solved.value_of("total 1")


def test_what_a_strategy_never_comes_to_can_come_up_in_the_game() -> None:
    pig = dicegames.load("pig", target=20, players=1)
    assert dicegames.solve(pig, "turns").value_of("total 3") != 0
    played = dicegames.solve(pig, "turns", strategy="Hold at 20")
    with pytest.raises(dicegames.UnknownPosition, match="in the game as the strategies play it"):
        played.value_of("total 3")


LAST_THROW = """
game "Last throw"
dice 1d4
each player
    points = 0
table
    clock = 0 to 2
turn
    clock + 1
    roll all
    choose
        "Take": points + sum of dice
        "Leave": points + 2
ends when clock = 2
payoff highest points
"""


def test_the_last_turn_is_read_back_though_none_can_begin_there(tmp_path: Path) -> None:
    """The clock stands at its end: a turn that began so would leave its range."""
    file = tmp_path / "last.dg"
    file.write_text(LAST_THROW)
    solved = dicegames.solve(dicegames.load(file))
    assert [c.value for c in solved.options("points 3 | clock 2 | dice 1")] == [5, 4]


def test_bounds_enclose_the_value() -> None:
    for solved in (solution("shut_the_box", tiles=4), solution("pig", target=10)):
        lower, value, upper = solved.lower, solved.value, solved.upper
        for low, middle, high in zip(_all(lower), _all(value), _all(upper), strict=True):
            assert low <= middle <= high


def _all(value: float | tuple[float, ...]) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_importing_is_light() -> None:
    import subprocess
    import sys

    code = (
        "import sys, dicegames; g = dicegames.load(sys.argv[1]); g.start().outcomes(); "
        "assert not {'numpy', 'numba', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(GAMES / "pig.dg")], check=True)


def test_too_much_may_follow_from_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    from dicegames.solver.explicit import subgame

    monkeypatch.setattr(subgame, "BRIEF_STATES", 2)
    monkeypatch.setattr(subgame, "SUBGAME_STATES", 3)
    solution = dicegames.solve(dicegames.load("yahtzee"))
    with pytest.raises(dicegames.UnknownPosition, match="too much may follow in the turn"):
        solution.value_of("dice 1 2 3 4 5 | throw 1")


def test_a_turn_may_have_begun_in_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the turn `a` may have been anything, but play does not come from every number."""
    from dicegames.compiler.emitting import fitting

    text = """
game "Begun"
dice 1d2
each player
    a = 2 to 0 capped
    b = 1 from 0 to 9
turn
    roll all
    a = lowest of (a, 1)
    choose
        "Take": b = a
        "Leave": pass
ends after 2 rounds
payoff b
"""
    rules = check(Source("begun.dg", text), {})
    solution, position = solve_game(rules), start(rules)
    position = position.play(position.outcomes()[0])
    assert solution.value_of(position) == 1
    assert len(list(solution.compiled.places(position))) == 2
    monkeypatch.setattr(fitting, "MOST_POINTS", 1)
    with pytest.raises(TooFar, match="may have begun in more than 1 ways"):
        list(solution.compiled.places(position))


def test_dice_that_only_a_strategy_asks_for_lie_in_every_seats_position() -> None:
    """The rules do not ask for them, so that the text of a position does not show them."""
    text = """
game "Apart"
option players = 2 from 1 to 3
dice 2d2
each player
    a = 0
turn
    roll all
    a + 1
    choose
        "Stop": pass
        "Go": a + 1
ends after 2 rounds
payoff highest a
strategy "S"
    when dice show 2 2: "Go"
    otherwise: "Stop"
"""
    rules = check(Source("apart.dg", text), {})
    played = solve_game(rules, strategy="S", limits=Limits(threads=1))
    first = start(rules)
    for outcome in first.outcomes():
        goes = outcome.text == "2 2"
        assert played.value_of(first.play(outcome)) == pytest.approx((2.25 + goes, 2.5))

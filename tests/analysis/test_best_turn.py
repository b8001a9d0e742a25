"""`best turn`: the move that brings the most points in the turn, against other ways to find it."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import pytest

import dicegames
from dicegames.compiler.emitting import for_turn
from dicegames.rules.parts.game import Rules
from dicegames.rules.running import playing
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.objectives import ObjectiveError, TurnPoints
from dicegames.rules.running.playing import Given, played_by, seats_of
from dicegames.rules.running.referee import Position
from tests.rules.small import game as small
from tests.rules.small import labels, play

GAMES = Path(__file__).parents[2] / "games"
Playing = Given | Mapping[int, Given] | None


def of(solution: dicegames.Solution) -> tuple[float, ...]:
    return solution.value if isinstance(solution.value, tuple) else (solution.value,)


# ---- Pig: who wants the most points in the turn holds at 20


@pytest.mark.parametrize(
    ("options", "objective", "seats"),
    [
        ({"players": 1}, "turns", None),
        ({"players": 1, "target": 50}, "reach:5", None),
        ({}, "turn", None),
        ({}, "turn minimised", None),
        ({"target": 45}, "payoff", None),
        ({"target": 45}, "payoff", 1),
        ({"target": 45}, "payoff", 2),
    ],
)
def test_the_greedy_one_holds_at_20(
    options: dict[str, object], objective: str, seats: int | None
) -> None:
    game = dicegames.load(GAMES / "pig.dg", **options)
    greedy, held = (
        dicegames.solve(game, objective, strategy=name if seats is None else {seats: name})
        for name in ("Greedy", "Hold at 20")
    )
    assert of(greedy) == pytest.approx(of(held), rel=0, abs=1e-12)


def test_the_points_of_its_turns_are_those_of_hold_at_20() -> None:
    game = dicegames.load(GAMES / "pig.dg", target=40)
    greedy, held = (
        dicegames.solve(game, "turn", strategy=name).distribution()
        for name in ("Greedy", "Hold at 20")
    )
    assert list(greedy.values) == list(held.values)
    assert list(greedy.masses) == pytest.approx(list(held.masses), rel=0, abs=1e-14)


def test_of_equal_moves_the_first_is_played() -> None:
    text = (GAMES / "pig.dg").read_text("utf-8").split("strategy")[0]
    text += 'strategy "Plain"\n    otherwise: best turn\n'
    text += 'strategy "Hold at 21"\n'
    text += '    when points >= 21 or total + points >= target: "Hold"\n    otherwise: "Roll"\n'
    game = dicegames.Game(small(text, target=50))
    plain, later = (of(dicegames.solve(game, strategy=name)) for name in ("Plain", "Hold at 21"))
    assert plain == pytest.approx(later, rel=0, abs=1e-12)
    assert plain != pytest.approx(of(dicegames.solve(game)), rel=0, abs=1e-3)


# ---- small games: against fractions, and against a function that plays the turn out


def plays_the_turn_out(game: Rules, title: str) -> Callable[[Position], str]:
    """Return a strategy as a function that tries all that may come in the turn."""
    rules = played_by(game, (title,) * game.players, TurnPoints())
    sign = 1 if game.many_points else -1
    counted = game.turn_points[0]

    def worth(position: Position) -> Fraction:
        if position.at == rules.end_turn or position.is_over:
            return sign * Fraction(counted.run(list(position.env)))
        after = [worth(position.after(move, {rules.end_turn})) for move in position.moves()]
        if after:
            return max(after)
        return sum(
            (
                o.probability * worth(position.after(o, {rules.end_turn}))
                for o in position.outcomes()
            ),
            Fraction(0),
        )

    def choose(position: Position) -> str:
        own = Position(rules, position.at, position.env)
        moves = own.moves()
        found = [worth(own.after(move, {rules.end_turn})) for move in moves]
        return moves[found.index(max(found))].label

    return choose


RACE = """
option players = 2 from 1 to 2
dice 1d4
each player
    score = 0 to 12 capped
this turn
    thrown = 0 to 3 capped
turn
    repeat
        roll all
        thrown + 1
        if dice show 1: end turn
        choose
            "Roll" when thrown < 3
                if thrown = 2: score - 1
                next
            "Keep"
                score + sum of dice
                end turn
ends after the round when any player has score >= 7
ranking highest score
payoff win

strategy "Points"
    otherwise: best turn
strategy "Chaser"
    when some p in others has score of p > score: "Roll"
    otherwise: best turn
strategy "Sometimes"
    when score > 4: best
    otherwise: best turn
"""

BOXES = """
dice 2d3
each player
    score = 0
    coins = 3 to 0
boxes card
    "Low"     any dice   pays 6 - sum
    "Pair"    x x        pays 5
    "High"    any dice   pays sum
turn
    roll all
    choose
        "Again" for 1 coins: roll all, choose again
        one of open card as c
            score + points of c
            use c
ends when all boxes are used
payoff highest score + coins

strategy "Points"
    otherwise: best turn
strategy "Thrifty"
    when coins < 2 and "Pair" is open and dice show x x: "Pair"
    otherwise: best turn
"""

FEW = """
dice 1d3
each player
    score = 0
    strokes = 0 to 3
turn
    roll all
    choose
        "Again" when strokes < 3
            strokes + 1
            roll all
            choose again
        "Take": score + sum of dice + (1 if strokes > 1 else 0)
ends after 2 rounds
payoff lowest score

strategy "Points"
    otherwise: best turn
"""


@pytest.mark.parametrize("rules", [RACE, BOXES, FEW], ids=["race", "boxes", "few"])
@pytest.mark.parametrize("playing", ["Points", "Chaser", "Thrifty", {1: "Points"}, {2: "Chaser"}])
def test_every_way_to_find_the_moves_agrees(rules: str, playing: Playing) -> None:
    game = small(rules)
    titles = set(playing.values()) if isinstance(playing, Mapping) else {playing}
    if not titles <= set(game.strategies) or (isinstance(playing, Mapping) and game.players == 1):
        pytest.skip("not a strategy of this game")
    found = dicegames.solve(dicegames.Game(game), strategy=playing)
    exact = exact_value(played_by(game, seats_of(game, playing)))
    wanted = exact if isinstance(exact, tuple) else (exact,)
    assert of(found) == pytest.approx([float(v) for v in wanted], rel=0, abs=1e-12)
    (title,) = titles
    function = plays_the_turn_out(game, str(title))
    asked: Playing = dict.fromkeys(playing, function) if isinstance(playing, Mapping) else function
    other = dicegames.solve(dicegames.Game(game), strategy=asked)
    assert of(found) == pytest.approx(of(other), rel=0, abs=1e-12)
    best = of(dicegames.solve(dicegames.Game(game)))
    assert of(found) != pytest.approx(best, rel=0, abs=1e-6)


def test_what_is_left_to_best_is_best_for_the_game() -> None:
    game = small(RACE)
    value = of(dicegames.solve(dicegames.Game(game), strategy={1: "Sometimes"}))
    exact = exact_value(played_by(game, seats_of(game, {1: "Sometimes"})))
    assert isinstance(exact, tuple)
    assert value == pytest.approx([float(v) for v in exact], rel=0, abs=1e-12)
    assert value[0] > of(dicegames.solve(dicegames.Game(game), strategy={1: "Points"}))[0] + 1e-6


ROUND = """
dice 1d4
each player
    score = 0
turn
    roll all
    choose
        "Again"
            roll all
            if dice show 1: end turn
            choose again
        "Take": score + {points}
ends after 3 rounds
payoff {payoff} score
strategy "Points"
    otherwise: best turn
strategy "Three"
    when {three}: "Take"
    otherwise: "Again"
"""


@pytest.mark.parametrize(
    ("points", "payoff", "three"),
    [
        # thrown again a turn is worth w = (0 + w + 3 + 4) / 4 = 7 / 3: more than a 2, less than a 3
        ("sum of dice", "highest", "sum of dice >= 3"),
        # w = (0 + 2 w + 3) / 4 = 3 / 2 points less: more than the 1 of a 3
        ("5 - 2 * sum of dice", "lowest", "sum of dice = 4"),
    ],
)
def test_turns_that_go_round(points: str, payoff: str, three: str) -> None:
    rules = dicegames.Game(small(ROUND.format(points=points, payoff=payoff, three=three)))
    found, wanted = (dicegames.solve(rules, strategy=s) for s in ("Points", "Three"))
    assert of(found) == pytest.approx(of(wanted), rel=0, abs=1e-12)


# ---- what is refused


def test_counters_without_limit_are_refused_but_for_one_turn() -> None:
    text = (GAMES / "zilch.dg").read_text("utf-8")
    text += 'strategy "Points"\n    otherwise: best turn\n'
    game = dicegames.Game(small(text, rounds=2))
    with pytest.raises(ObjectiveError, match=r'"points" knows no limit.*objective turn'):
        dicegames.solve(game, strategy="Points")
    turn = dicegames.solve(game, "turn", strategy="Points")
    assert turn.value == dicegames.solve(game, "turn").value


def test_points_that_are_lost_round_and_round_are_refused() -> None:
    text = ROUND.format(points="sum of dice", payoff="highest", three="sum of dice >= 3")
    text = text.replace("            roll all\n", "            score - 1\n            roll all\n")
    with pytest.raises(ObjectiveError, match="lost again and again"):
        dicegames.solve(dicegames.Game(small(text)), strategy="Points")


def test_turns_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(for_turn, "MOST_TURN_VALUES", 1000)
    game = dicegames.load(GAMES / "pig.dg")
    with pytest.raises(ObjectiveError, match="too many situations"):
        dicegames.solve(game, strategy="Greedy")
    monkeypatch.setattr(playing, "TURN_POSITIONS", 10)
    rules = played_by(game.rules, seats_of(game.rules, "Greedy"))
    with pytest.raises(dicegames.StrategyError, match=r"more than 10 positions.*--objective turn"):
        play(rules, "4").moves()


# ---- positions, and what strategies say of themselves


def test_values_take_no_room_for_what_they_do_not_depend_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether a turn ends the game depends on all totals, the points of the turn on one."""
    monkeypatch.setattr(for_turn, "MOST_TURN_VALUES", 500_000)
    game = dicegames.load(GAMES / "dice_poker.dg", target=20, rerolled_at_most=1)
    seats = seats_of(game.rules, {1: "Most expected points", 2: "Without re-roll"})
    exact = exact_value(played_by(game.rules, seats))
    assert isinstance(exact, tuple)
    found = dicegames.solve(game, strategy={1: "Most expected points", 2: "Without re-roll"})
    assert of(found) == pytest.approx([float(value) for value in exact], abs=1e-12)
    assert exact[0] > Fraction(1, 2)


def test_one_move_is_left_in_every_position() -> None:
    game = dicegames.load(GAMES / "pig.dg")
    solution = dicegames.solve(dicegames.load(GAMES / "pig.dg", target=60), strategy="Greedy")
    rules = played_by(game.rules, seats_of(game.rules, {2: "Greedy"}))
    for points, move in ((19, "Roll"), (20, "Hold"), (21, "Hold")):
        seen = game.position(f"total 30 / 12 | seat 2 | points {points}")
        assert labels(Position(rules, seen.at, seen.env)) == [move]
        text = f"total 0 / 22 | seat 2 | points {points}"
        assert [c.name for c in solution.options(text)] == [move]
    first = game.position("total 30 / 12 | seat 1 | points 19")
    assert labels(Position(rules, first.at, first.env)) == ["Roll", "Hold"]


def test_strategies_say_whether_a_turn_tells_all_of_them() -> None:
    pig = dicegames.load(GAMES / "pig.dg").rules.strategies
    assert [(s.title, s.looks_ahead, s.is_for_turn) for s in pig.values()] == [
        ("Hold at 20", False, True),
        ("Greedy", True, True),
    ]
    race = small(RACE).strategies["Sometimes"]
    assert (race.looks_ahead, race.is_for_turn) == (True, False)


def test_compare_and_solve_agree_where_moves_are_left_open() -> None:
    game = dicegames.load(GAMES / "pig.dg", players=1, target=40)
    for objective in ("turn", "turns"):
        for row in dicegames.compare(game, objective).rows:
            value = of(dicegames.solve(game, objective, strategy=row.strategy))
            assert row.value == pytest.approx(value[0], rel=0, abs=1e-10)
            assert row.losses is not None
            assert sum(part.loss for part in row.losses) == pytest.approx(row.loss, abs=1e-10)

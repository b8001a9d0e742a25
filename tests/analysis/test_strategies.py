"""Strategies are evaluated exactly: the fast path against fractions, on games made small."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

import dicegames
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.playing import Given, played_by, seats_of
from dicegames.rules.running.referee import Position
from tests.rules.small import game as small

GAMES = Path(__file__).parents[2] / "games"
Playing = Given | Mapping[int, Given] | None


def close(solution: dicegames.Solution, playing: Playing) -> None:
    """Compare a solution with fractions, from the referee alone."""
    rules = played_by(solution.game, seats_of(solution.game, playing))
    exact = exact_value(rules, objective=solution.objective)
    found = solution.value if isinstance(solution.value, tuple) else (solution.value,)
    wanted = exact if isinstance(exact, tuple) else (exact,)
    for value, fraction in zip(found, wanted, strict=True):
        assert abs(Fraction(value) - fraction) <= solution.error_bound + 1e-12


CASES: list[tuple[str, dict[str, object], str, Playing]] = [
    ("pig", {"players": 1, "target": 25}, "turns", "Hold at 20"),
    ("pig", {"players": 1}, "turn", "Hold at 20"),
    ("pig", {"target": 21}, "payoff", "Hold at 20"),
    ("pig", {"target": 21}, "payoff", {1: "Hold at 20"}),
    ("pig", {"target": 21}, "payoff", {2: "Hold at 20"}),
    ("dice_poker", {}, "turn", "Smart re-roll"),
    ("dice_poker", {"runs_reach_six": False}, "turn", "Match a great straight"),
    ("dice_poker", {"target": 100, "players": 1}, "turns", "Match a pair"),
    ("pass_the_pigs", {"players": 1, "target": 30}, "turns", "Hold at 25"),
]


@pytest.mark.parametrize(("file", "options", "objective", "playing"), CASES)
def test_strategies_of_the_games(
    file: str, options: dict[str, object], objective: str, playing: Playing
) -> None:
    game = dicegames.load(GAMES / f"{file}.dg", **options)
    close(dicegames.solve(game, objective, strategy=playing), playing)


OPEN = """
option players = 1 from 1 to 2
dice 2d3
each player
    score = 0
    coins = 3 to 0
boxes card
    "Low"     any dice   pays 6 - sum
    "Pair"    x x        pays 5
    "High"    any dice   pays sum + (coins if Pair_is_used else 0)
Pair_is_used means "Pair" is used
turn
    roll all
    choose
        "Again" for 1 coins: roll all, choose again
        one of open card as c
            score + points of c
            use c
ends when all boxes are used
payoff highest score + coins

strategy "Greedy"
    otherwise: pick c with highest points of c
strategy "Thrifty"
    when coins > 1 and not dice show x x: "Again"
    when "Pair" is open and dice show x x: "Pair"
    otherwise: pick c with lowest points of c, highest (coins if "High" is used else 1)
strategy "Half"
    when coins = 3 and sum of dice < 4: "Again"
    when "Pair" is used: best
    otherwise: "Pair"
strategy "Watching"
    when score > 6 and sum of dice < 4: "Again"
    otherwise: pick c with highest points of c
"""


@pytest.mark.parametrize("playing", ["Greedy", "Thrifty", "Half", "Watching"])
def test_conditions_on_what_the_model_leaves_open(playing: str) -> None:
    game = dicegames.Game(small(OPEN))
    solution = dicegames.solve(game, strategy=playing)
    close(solution, playing)
    best = dicegames.solve(game)
    assert isinstance(solution.value, float)
    assert isinstance(best.value, float)
    assert solution.value < best.value


def test_what_a_last_line_would_have_played_needs_no_further_words() -> None:
    rules = small(OPEN + 'strategy "Near"\n    otherwise: pick c with highest sum of dice\n')
    solution = dicegames.solve(dicegames.Game(rules), strategy="Near")
    close(solution, "Near")
    assert not solution.compiled.silent


RACE = """
option players = 2 from 1 to 3
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
            "Roll" when thrown < 3: next
            "Keep"
                score + sum of dice
                end turn
ends after the round when any player has score >= 9
ranking highest score
payoff win

strategy "Quick"
    otherwise: "Keep"
strategy "High"
    when sum of dice >= 3: "Keep"
strategy "Chaser"
    when some p in others has score of p > score: "Roll"
    otherwise: "Keep"
"""


@pytest.mark.parametrize(
    "playing",
    ["Quick", "Chaser", {1: "Quick"}, {2: "Chaser"}, {1: "Quick", 2: "Chaser"}, {1: "Chaser"}],
)
def test_strategies_by_seat(playing: Playing) -> None:
    solution = dicegames.solve(dicegames.Game(small(RACE)), strategy=playing)
    close(solution, playing)


@pytest.mark.parametrize("playing", ["Quick", {1: "Quick", 3: "Chaser"}, {2: "Quick", 3: "Quick"}])
def test_strategies_of_three(playing: Playing) -> None:
    rules = small(RACE.replace(">= 9", ">= 4").replace("to 12", "to 7"), players=3)
    exact = exact_value(played_by(rules, seats_of(rules, playing)))
    value = dicegames.solve(dicegames.Game(rules), strategy=playing).value
    assert isinstance(exact, tuple)
    assert value == pytest.approx([float(share) for share in exact], rel=0, abs=1e-9)


def test_one_for_all_where_players_are_looked_at_alone() -> None:
    game = dicegames.load(GAMES / "pig.dg")
    with pytest.raises(Exception, match="one strategy for all"):
        dicegames.solve(game, "turn", strategy={2: "Hold at 20"})


def test_what_is_said_nowhere_is_found_before_solving() -> None:
    game = dicegames.Game(small(RACE))
    with pytest.raises(dicegames.RulesError, match=r"has no move here: score 0 / 0.*dice 2"):
        dicegames.solve(game, strategy="High")


SELDOM = """
dice 1d2
each player
    score = 0 to 6
    steps = 0
turn
    roll all
    choose
        "Add": score + sum of dice
        "Pass": pass
    steps + 1
ends when {end}
payoff highest score
strategy "Seldom"
    when score < 5: "Add"
"""


def test_silence_where_play_does_not_come_is_no_mistake() -> None:
    rules = SELDOM.format(end="steps = 2")
    assert dicegames.solve(dicegames.Game(small(rules)), strategy="Seldom").value == 3.0
    with pytest.raises(dicegames.RulesError, match="has no move here: score 5"):
        dicegames.solve(dicegames.Game(small(SELDOM.format(end="steps = 4"))), strategy="Seldom")


# ---- solutions


def test_a_solution_says_what_the_strategy_plays(tmp_path: Path) -> None:
    game = dicegames.load(GAMES / "pig.dg", target=40)
    solution = dicegames.solve(game, strategy={2: "hold at 20"})
    assert solution.strategies == ("best", "Hold at 20")
    text = "total 0 / 10 | seat 2 | points 19"
    assert [choice.name for choice in solution.options(text)] == ["Roll"]
    assert [c.name for c in solution.options(text.replace("19", "20"))] == ["Hold"]
    assert len(solution.options("total 0 / 10 | seat 1 | points 19")) == 2
    value = solution.value
    assert isinstance(value, tuple)
    assert sum(value) == pytest.approx(1)
    file = tmp_path / "pig.solution"
    solution.save(file)
    again = dicegames.Solution.load(file, game, strategy={2: "Hold at 20"})
    assert again.value == solution.value
    with pytest.raises(dicegames.StoreError, match='solved with "best, Hold at 20" playing, not'):
        dicegames.Solution.load(file, game)


def test_answering_a_strategy_is_worth_more_than_playing_it() -> None:
    game = dicegames.load(GAMES / "pig.dg", target=40)
    mirror = dicegames.solve(game, strategy="Hold at 20").value
    answer = dicegames.solve(game, strategy={2: "Hold at 20"}).value
    assert isinstance(mirror, tuple)
    assert isinstance(answer, tuple)
    assert answer[0] > mirror[0] > 0.5


# ---- functions


def hold_at_20(position: Position) -> str:
    fields = dict(part.partition(" ")[::2] for part in str(position).split(" | "))
    points, total = int(fields["points"]), int(fields["total"].split(" / ")[0])
    return "Hold" if points >= 20 or total + points >= 100 else "Roll"


def test_a_function_is_worth_what_the_same_strategy_of_the_file_is() -> None:
    game = dicegames.load(GAMES / "pig.dg", players=1)
    named = dicegames.solve(game, "turns", strategy="Hold at 20")
    function = dicegames.solve(game, "turns", strategy=hold_at_20)
    assert function.value == pytest.approx(named.value, abs=1e-11)
    assert function.strategies == ("hold_at_20",)
    with pytest.raises(dicegames.StoreError, match="function cannot be saved"):
        function.save("nowhere")


LADDER = """
game "A long ladder"
option players = 1
dice 1d6
each player
    score = 0
turn
    roll all
    choose
        "Climb": score + sum of dice
        "Stay": pass
ends when score >= 450
payoff score
"""


def test_a_function_plays_a_game_whose_numbers_have_many_values() -> None:
    game = dicegames.Game(check(Source("ladder.dg", LADDER), {}))
    solution = dicegames.solve(game, "turns", strategy=lambda _: "Climb")
    rounds = [0.0] * 6  # to climb from 450 - n, one after the other
    for _ in range(450):
        rounds.append(1 + sum(rounds[-6:]) / 6)
    assert solution.value == pytest.approx(rounds[-1], abs=1e-10)


def test_a_function_against_the_best_answer() -> None:
    game = dicegames.Game(small(RACE))

    def quick(_: Position) -> str:
        return "Keep"

    for seat in (1, 2):
        named = dicegames.solve(game, strategy={seat: "Quick"}).value
        assert dicegames.solve(game, strategy={seat: quick}).value == pytest.approx(named)


def test_functions_that_cannot_be_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    game = dicegames.load(GAMES / "pig.dg", players=1, target=30)
    with pytest.raises(
        dicegames.StrategyError, match=r'"Bank", which is not legal.*legal are "Roll"'
    ):
        dicegames.solve(game, "turns", strategy=lambda position: "Bank")
    for module in ("control_nodes", "refusals"):
        monkeypatch.setattr(f"dicegames.compiler.exploring.{module}.MOST_NODES", 500)
    yatzy = dicegames.load(GAMES / "yatzy.dg")
    with pytest.raises(dicegames.RulesError, match=r"position by position, and here .* than 500"):
        dicegames.solve(yatzy, strategy=lambda position: position.moves()[0])

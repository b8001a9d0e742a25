"""The objective win: chances to be first, where players do not touch each other."""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import dicegames
from dicegames.analysis.export.prism import prism_text
from dicegames.analysis.export.process import process_of
from dicegames.analysis.to_win import win_tables
from dicegames.analysis.to_win.winning import WinSolution
from dicegames.compiler.compile import compile_game
from dicegames.ground.limits import Limit
from dicegames.play.judge import Ledger, Scale
from dicegames.play.match import Match
from dicegames.rules.running.exploration import exact_value
from tests.analysis.best_answer import SPAN, BestAnswer
from tests.solver.test_results import FOUR

CEILING = {1: 0.520560, 2: 0.526295}
"""The exact best answer to a player of the best mean, 21 goods each, as `BestAnswer` finds it."""


def solved(folder: Path, **options: object) -> WinSolution:
    path = folder / "four.dg"
    path.write_text(FOUR)
    solution = dicegames.solve(dicegames.load(path, players=2, **options), "win")
    assert isinstance(solution, WinSolution)
    return solution


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> WinSolution:
    return solved(tmp_path_factory.mktemp("rules"))


def test_the_range_holds_the_best_answer(four: WinSolution) -> None:
    for seat, best in CEILING.items():
        assert isinstance(four.lower, tuple)
        assert isinstance(four.upper, tuple)
        assert four.lower[seat - 1] < best < four.upper[seat - 1]


@pytest.mark.skipif("DICEGAMES_CEILING" not in os.environ, reason="takes four minutes")
def test_the_best_answer_is_what_an_own_program_finds() -> None:
    answer = BestAnswer(21)
    for seat, best in CEILING.items():
        assert answer.chance(seat) == pytest.approx(best, abs=1e-6)


def test_the_range_holds_the_exact_best_answer(four: WinSolution) -> None:
    """Two combinations are left to both, seat 1 has the turn: for either seat by an own program."""
    answer, used = BestAnswer(21), frozenset({0, 1})
    tables = answer.moving(used, used), answer.waiting(used, used)
    for goods, scores in (((9, 9), (60, 60)), ((12, 6), (36, 60)), ((5, 30), (75, 15))):
        names = "Three pairs, Two triples"
        told = [" / ".join(map(str, pair)) for pair in (goods, scores, (names, names))]
        text = "goods {} | score {} | used {}".format(*told)
        bounds, value = np.array(four.range_of(text)), np.array(four.value_of(text))
        for seat, table in enumerate(tables):
            lead = SPAN + scores[seat] - scores[1 - seat]
            best = table[goods[seat], goods[1 - seat], lead]
            assert bounds[0, seat] - four.error_bound <= best <= bounds[1, seat] + four.error_bound
            assert value[seat] == pytest.approx(best, abs=0.005)


def test_games_come_near_the_best_answer_and_not_above(four: WinSolution) -> None:
    for seat, best in CEILING.items():
        found = dicegames.play_to_win(four, 1500, 1, ["win"] if seat == 1 else ["mean", "win"])
        mean, error = found.chance_without_luck(seat)
        assert error < 0.0002
        assert best - 0.0005 - 3 * error < mean < best + 3 * error
        plain, wide = found.chance(seat)
        assert abs(plain - mean) < 4 * wide  # the luck that was taken out has the mean 0
        assert wide > 30 * error


def test_the_last_turn_is_exact(four: WinSolution) -> None:
    used = "Three pairs, Two triples, Six of a kind"
    text = f"goods 9 / 9 | score 60 / 60 | used {used}, General / {used} | seat 2 | turn 1"
    first = dicegames.loading.Game(four.game).position(text.removesuffix(" | turn 1"))
    lower, upper = four.range_of(first)
    assert isinstance(lower, tuple)
    assert isinstance(upper, tuple)
    assert lower[1] == pytest.approx(upper[1], abs=1e-6)
    assert lower[0] == pytest.approx(1.0 - lower[1], abs=1e-6) or lower[0] >= 1.0 - lower[1]


@pytest.mark.parametrize("least", [False, True])
def test_accounts_are_exact(least: bool, tmp_path: Path) -> None:
    solution = solved(tmp_path, least=least, goods_at_first=2)
    match = Match(solution.game, 7)
    chance = np.random.default_rng(1)
    while not match.position.is_over:
        moves = match.position.moves()
        if moves:
            match.play(moves[int(chance.integers(len(moves)))])
        else:
            match.throw()
    ledger = Ledger(match, solution, Scale())
    ledger.update()
    totals = [float(total) for total in match.result]
    best = min(totals) if least else max(totals)
    for seat in range(2):
        account = ledger.account(seat)
        assert account.gap(maximise=True) < 1e-9
        won = (totals[seat] == best) / totals.count(best)
        assert account.expected == pytest.approx(won, abs=1e-12)
        assert account.losses > 0


def test_three_players(tmp_path: Path) -> None:
    path = tmp_path / "four.dg"
    path.write_text(FOUR)
    solution = dicegames.solve(dicegames.load(path, players=3, goods_at_first=3), "win")
    found = dicegames.play_to_win(solution, 400, 5, ["mean", "win"])
    assert found.shares.sum(axis=0) == pytest.approx(np.ones(400))
    mean, error = found.chance_without_luck(2)
    assert 1 / 3 < mean < 0.45
    assert error < 0.01
    assert np.isnan(found.adjusted[0]).all()


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("least", [False, True])
def test_any_number_of_players(players: int, least: bool, tmp_path: Path) -> None:
    """Playing for the mean all have the same chance; who plays to win has more, within bounds."""
    path = tmp_path / "four.dg"
    path.write_text(FOUR)
    game = dicegames.load(path, players=players, least=least, goods_at_first=1)
    solution = dicegames.solve(game, "win")
    assert isinstance(solution, WinSolution)
    lower, value, upper = solution.lower, solution.value, solution.upper
    assert isinstance(lower, tuple)
    assert isinstance(value, tuple)
    assert isinstance(upper, tuple)
    assert lower[1:] == pytest.approx([1 / players] * (players - 1), abs=1e-6)
    for low, own, high in zip(lower, value, upper, strict=True):
        assert low - 1e-9 <= own <= high + 1e-9
    found = dicegames.play_to_win(solution, 300, 3, ["mean"] * (players - 1) + ["win"])
    assert found.shares.sum(axis=0) == pytest.approx(np.ones(300))
    mean, error = found.chance_without_luck(players)
    assert 1 / players - 3 * error < mean < upper[-1] + 3 * error
    match = Match(game.rules, 4)
    while not match.position.is_over:
        options = [] if match.position.is_chance else solution.options(match.position)
        _ = match.play(options[0].move) if options else match.throw()
    best = (min if least else max)(match.result)
    over = solution.value_of(match.position)
    shares = [(total == best) / match.result.count(best) for total in match.result]
    assert over == pytest.approx(shares)


def test_what_cannot_be(tmp_path: Path) -> None:
    pig = dicegames.load("games/pig.dg", target=20)
    assert dicegames.solve(pig, "win").value == dicegames.solve(pig).value
    with pytest.raises(dicegames.ObjectiveError, match="two players"):
        dicegames.solve(dicegames.load("games/yatzy.dg"), "win")
    with pytest.raises(dicegames.ObjectiveError, match="winning is always maximised"):
        dicegames.solve(dicegames.load("games/yatzy.dg", players=2), "win minimised")
    with pytest.raises(dicegames.ObjectiveError, match="a turn may end the game for all"):
        dicegames.solve(dicegames.load("games/cee_lo.dg"), "win")
    with pytest.raises(dicegames.ObjectiveError, match="these rules are for one"):
        dicegames.solve(dicegames.load("games/qwixx.dg"), "win")
    text = Path("games/threes.dg").read_text("utf-8")
    (tmp_path / "two.dg").write_text(text.replace("players = 1 from 1", "players = 2 from 2"))
    with pytest.raises(dicegames.ObjectiveError, match="found from the game of one player"):
        dicegames.solve(dicegames.load(tmp_path / "two.dg"), "win")
    with pytest.raises(dicegames.ObjectiveError, match="the model for the payoff"):
        compile_game(dicegames.load("games/yatzy.dg", players=2).rules, "win")
    with pytest.raises(dicegames.SolutionError, match="no strategy"):
        dicegames.solve(dicegames.load("games/yatzy.dg", players=2), "win", noted=True)


def test_neither_fractions_nor_models_tell_who_is_first(four: WinSolution) -> None:
    """What they would count are the points; they must not be taken for chances."""
    with pytest.raises(dicegames.ObjectiveError, match="chance to be first"):
        exact_value(four.game, objective="win")
    with pytest.raises(dicegames.ObjectiveError, match="chance to be first"):
        prism_text(four.game, "win", Limit(1000))
    with pytest.raises(dicegames.SolutionError, match="chance to be first"):
        process_of(four.compiled, four.solved)


def test_what_is_not_told(four: WinSolution, tmp_path: Path) -> None:
    with pytest.raises(dicegames.StoreError, match="cache"):
        four.save(tmp_path / "four.solution")
    with pytest.raises(dicegames.SolutionError):
        four.distribution()
    with pytest.raises(dicegames.ArgumentError, match="no seat 3"):
        dicegames.play_to_win(four, 10, 1, ["mean", "mean", "win"])
    with pytest.raises(dicegames.ArgumentError, match='did you mean "plain"'):
        dicegames.play_to_win(four, 10, 1, ["plane"])


def test_points_within_a_turn() -> None:
    """Who throws last in Threes knows what to beat: by recursion over all positions."""
    game = dicegames.load("games/threes.dg", players=2, how_many=2)
    solution = dicegames.solve(game, "win")
    assert isinstance(solution, WinSolution)
    text = "score 4 / 0 | seat 2 | round 1"

    def best(position: dicegames.Position) -> float:
        if position.is_over:
            own, other = position.payoff[1], position.payoff[0]
            return 1.0 if own < other else 0.5 if own == other else 0.0
        if moves := position.moves():
            return max(best(position.play(move)) for move in moves)
        return sum(float(o.probability) * best(position.play(o)) for o in position.outcomes())

    value = solution.value_of(text)
    assert isinstance(value, tuple)
    assert value[1] == pytest.approx(best(game.position(text)), abs=1e-6)
    lower, _ = solution.range_of(text)
    assert isinstance(lower, tuple)
    assert value[0] == pytest.approx(lower[0], abs=1e-6)


ON_AND_ON = """
game "On and on"

option players = 2 from 1 to 4

dice 1d6

each player
    total = 0
this turn
    points = 0

turn
    roll all
    repeat
        if dice show 1: end turn
        points + sum of dice
        choose
            "Roll": roll all
            "Bank": total + points, end turn

ends after 1 rounds
payoff highest total
"""


def test_turns_without_a_limit(tmp_path: Path) -> None:
    """Who throws last goes on until that is enough, however far: by recursion over the points."""
    path = tmp_path / "on.dg"
    path.write_text(ON_AND_ON)
    solution = dicegames.solve(dicegames.load(path), "win")
    assert isinstance(solution, WinSolution)
    goal = 43

    @cache
    def chance(points: int) -> float:
        if points > goal:
            return 1.0
        thrown = sum(chance(points + face) for face in range(2, 7)) / 6
        return max(thrown, 0.5 if points == goal else 0.0)

    known = [sum(chance(face) for face in range(2, 7)) / 6, chance(40)]
    texts = ["seat 2", "seat 2 | points 40 | at turn 1"]
    for text, expected in zip(texts, known, strict=True):
        value = solution.value_of(f"total {goal} / 0 | {text}")
        assert isinstance(value, tuple)
        assert value[1] == pytest.approx(expected, abs=1e-6)
    assert solution.error_bound < 1e-5
    with pytest.raises(dicegames.UnknownPosition, match='"points" is out of sight'):
        solution.value_of("points 990 | at turn 1")


def test_a_turn_that_comes_back_to_where_it_stood() -> None:
    """One die in Drop Dead: 2 and 5 end the turn, and what is thrown else counts."""
    solution = dicegames.solve(dicegames.load("games/drop_dead.dg", players=2, how_many=1), "win")

    def chance(needed: int) -> float:
        if needed < 0:
            return 1.0
        return sum(chance(needed - face) for face in (1, 3, 4, 6)) / 6 + (needed == 0) / 6

    value = solution.value_of("score 9 / 0 | seat 2")
    assert isinstance(value, tuple)
    assert value == pytest.approx((1 - chance(9), chance(9)), abs=1e-6)


def test_tables_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate is not below what they take, and not far above."""
    monkeypatch.setattr(win_tables, "FEW_STATES", 0)
    monkeypatch.setattr(win_tables, "PROGRAM_BYTES", 0)
    game = dicegames.load("games/crag.dg", players=2)
    solution = dicegames.solve(game, "win")
    assert isinstance(solution, WinSolution)
    needed = solution.tables.coming.bytes + solution.tables.best.bytes
    found = win_tables.outlook(solution.points)
    assert needed < found.memory < 4 * needed
    with pytest.raises(dicegames.SolutionError, match="allowed are"):
        found.demand(needed, None)
    with pytest.raises(dicegames.SolutionError, match="allowed are 0 s"):
        found.demand(10**9, 1e-6)


PASSED_OVER = """
game "Passed over"
option players = 2 from 1 to 3
dice 1d3
each player
    score = 0
    rests = 0 from 0 to 1
turn
    if round = 2 and rests = 1: end turn
    choose
        "Risk"
            roll all
            score + sum of dice - 1
        "Rest"
            score + 1
            rests = 1
        "Sure": score + 1
ends after 3 rounds
payoff highest score
"""


def test_where_a_turn_is_passed_over_it_is_the_turn_after_that_counts(tmp_path: Path) -> None:
    """The moves were valued as those of who passes, and the chances as before the turn."""
    path = tmp_path / "passed.dg"
    path.write_text(PASSED_OVER)
    game = dicegames.load(path)
    solution = dicegames.solve(game, "win")
    before = game.position("score 1 / 1 | rests 1 / 0 | round 2")
    assert before.node.seat == 1
    assert solution.value_of(before) == solution.value_of(before.node)
    assert solution.options(before) == solution.options(before.node)
    value = solution.value_of(before)
    assert isinstance(value, tuple)
    assert value[1] == solution.options(before)[0].value


@pytest.mark.parametrize("name", ["win-1", "win-2"])
def test_tables_that_are_kept_are_those_of_the_game(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(win_tables, "cache_folder", lambda _: tmp_path)
    monkeypatch.setattr(win_tables, "SMALLEST_KEPT", 0)
    win_tables._keep("win-1", {"coming at": np.arange(9)})
    kept = tmp_path / "win-1.npz"
    content = kept.read_bytes()
    kept.replace(tmp_path / f"{name}.npz")
    found = win_tables._kept(name)
    assert (found is not None) is (name == "win-1")  # a file of another game is not used
    for at in range(0, 60, 2):  # some say that the archive is encrypted, or of another version
        changed = content[:at] + b"\xff\xff" + content[at + 2 :]
        (tmp_path / f"{name}.npz").write_bytes(changed)
        damaged = win_tables._kept(name) or {"coming at": np.arange(9)}
        assert np.array_equal(damaged["coming at"], np.arange(9))

"""Cards: what is printed is a strategy of the rules, and its value is that of the strategy."""

import json
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicegames
from dicegames.analysis.solution import SolutionError
from dicegames.authoring.cards.bench import Bench
from dicegames.authoring.cards.card import Card, card
from dicegames.authoring.cards.covering import Board, LineSearch
from dicegames.authoring.cards.decisions import Decision
from dicegames.authoring.cards.drafts import draft, whole_weights
from dicegames.authoring.cards.measures import Picks, fitted, measured_truths, sum_text
from dicegames.authoring.cards.situations import Situations, Walked, Whole, situations
from dicegames.authoring.cards.word_reader import WordReader, telling
from dicegames.authoring.cards.words import ALWAYS, propose, read_lines, thresholds
from dicegames.cli.entry import main
from dicegames.cli.printing import output
from dicegames.ground.limits import UNLIMITED
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.flow import Move
from dicegames.rules.parts.game import rules_of

GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture(scope="module")
def pig() -> tuple[dicegames.Game, Card]:
    game = dicegames.load(GAMES / "pig.dg", players=1, target=25)
    return game, card(game, 3, "turns", tries=150, seed=1)


NO_MOVE_PROPOSED = """
game "Small"
dice 2 with faces silk, tea
each player
    score = 0
turn
    roll all
    choose
        one of (silk, tea) as g
            if g = tea: score + 1
    choose
        "Take": score + number of tea in dice
        "Leave": pass
ends after 1 rounds
payoff highest score
"""


def test_a_place_for_which_no_move_is_proposed() -> None:
    """It was an internal error."""
    rules = check(Source("small.dg", NO_MOVE_PROPOSED), {})
    with pytest.raises(SolutionError, match="no card of 3 lines was found"):
        card(rules, 3, tries=20)


def test_words_are_those_of_the_rules() -> None:
    words = propose(rules_of(dicegames.load(GAMES / "pig.dg")))
    assert {"points", "total + points"} <= set(words.numbers)
    assert set(words.moves) == {'"Roll"', '"Hold"'}


def test_lines_that_make_no_sense_are_left_out() -> None:
    rules = rules_of(dicegames.load(GAMES / "pig.dg"))
    lines = ['otherwise: "Roll"', "otherwise: jump", "when pints > 3: best", 'when 1 = 1: "Hold"']
    _, found = read_lines(rules, lines)
    assert sorted(found) == [0, 3]


def test_thresholds_are_values_that_come_up() -> None:
    assert thresholds([3, 1, 1, 7]) == [3, 7]
    assert len(thresholds(list(range(1000)))) <= 24


def test_a_card_is_a_strategy_with_just_this_value(
    pig: tuple[dicegames.Game, Card], tmp_path: Path
) -> None:
    game, found = pig
    assert found.best == pytest.approx(dicegames.solve(game, "turns").value, rel=0, abs=1e-9)
    for entry in found.front:
        file = tmp_path / f"{len(entry.lines)}.dg"
        file.write_text((GAMES / "pig.dg").read_text("utf-8") + "\n" + entry.text, "utf-8")
        again = dicegames.load(file, players=1, target=25)
        solved = dicegames.solve(again, "turns", strategy="Card")
        assert solved.value == pytest.approx(entry.value, rel=0, abs=1e-9)
        assert entry.loss == pytest.approx(entry.value - found.best, rel=0, abs=1e-12)
    assert sum(each.loss for each in found.losses) == pytest.approx(
        found.card.loss, rel=0, abs=1e-7
    )


def test_the_same_tries_find_the_same_cards(pig: tuple[dicegames.Game, Card]) -> None:
    game, found = pig
    again = card(game, 3, "turns", tries=150, seed=1)
    assert [entry.lines for entry in again.front] == [entry.lines for entry in found.front]
    assert again.evaluated == found.evaluated


def test_more_lines_are_never_worse(pig: tuple[dicegames.Game, Card]) -> None:
    losses = [entry.loss for entry in pig[1].front]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] >= -1e-9


def test_two_lines_of_pig_are_as_good_as_holding(pig: tuple[dicegames.Game, Card]) -> None:
    game, found = pig
    hold = dicegames.solve(game, "turns", strategy="Hold at 20").value
    assert isinstance(hold, float)
    assert min(e.value for e in found.front if len(e.lines) <= 2) <= hold + 1e-9


def test_tables_of_a_card(pig: tuple[dicegames.Game, Card]) -> None:
    assert pig[1].table.columns == ("lines", "value", "loss")
    assert "<table>" in pig[1]._repr_html_()


def test_who_looks_at_others_gets_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is told before anything is solved."""
    monkeypatch.setattr("dicegames.authoring.cards.bench.solve_game", None)
    game = dicegames.load(GAMES / "pig.dg", players=3, target=5)
    with pytest.raises(dicegames.SolutionError, match="alone"):
        card(game, 2, tries=5)


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"memory": 1}])
def test_limits_hold_from_the_beginning(
    limits: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the game itself is compiled, which can take longer than the search."""
    monkeypatch.setattr("dicegames.analysis.solution.solve_compiled", None)
    with pytest.raises(dicegames.SolutionError, match="allowed"):
        card(dicegames.load(GAMES / "pig.dg", players=1, target=5), 2, "turns", tries=5, **limits)


def test_where_nothing_is_chosen() -> None:
    with pytest.raises(dicegames.SolutionError):
        card(dicegames.load(GAMES / "chutes_and_ladders.dg", players=1), 2, "turns", tries=5)


ROUND = """
game "Round"
dice 1d2
each player
    total = 0
this turn
    points = 0 to 2 capped
turn
    repeat
        roll all
        if 1 in dice: leave
        points + 1
        choose
            "Roll": next
            "Hold": total + points, leave
ends when any player has total >= 2
payoff highest 0
"""


def test_where_best_play_goes_round_a_card_is_refused_as_documented() -> None:
    rules = check(Source("round.dg", ROUND), {})
    with pytest.raises(dicegames.SolutionError, match="goes round for ever"):
        card(rules, 2, tries=5)


OPEN = """
game "Open"
dice 1d2
each player
    score = 0
    up = (1 to 3)
turn
    roll all
    if dice show 1: up - (2 to 3)
    choose
        "Take" unless 2 in up: score + size of up
        "Leave": score + 1
ends after 2 rounds
payoff highest score
"""


def test_moves_that_depend_on_a_set_that_changed_in_the_turn() -> None:
    found = card(check(Source("open.dg", OPEN), {}), 2, tries=20)
    assert found.card.value == found.best


# ---- the search against all lists of lines


def random_board(seed: int) -> Board:
    chance = np.random.default_rng(seed)
    conditions, moves, decisions = 4, 3, 12
    holds = (chance.random((conditions, decisions)) < 0.5).astype(np.float32)
    holds[0] = 1
    legal = chance.random((moves, decisions)) < 0.8
    legal[0] = True
    found = []
    for column in legal.T:
        played = [Move(str(n), 0) for n in np.flatnonzero(column)]
        losses = chance.random(len(played))
        found.append(Decision(0, [], [], played, np.arange(len(played)), losses))
    weight = chance.random(decisions)
    known = Situations(found, weight / weight.sum(), sense=1.0)
    plays = np.where(legal, legal.cumsum(axis=0) - 1, -1)
    return Board(
        known, holds, plays, np.ones((conditions, moves), np.bool_), np.ones(moves, np.bool_)
    )


def test_the_search_finds_the_best_of_all_lists_nine_times_of_ten() -> None:
    lines = [((condition,), move) for condition, move in product(range(4), range(3))]
    found = 0
    for seed in range(10):
        board = random_board(seed)
        best = min(board.lost(tuple(some)) for some in product(lines, repeat=3))
        lost, searched = LineSearch(board, np.random.default_rng(seed)).found((), 3, rounds=100)
        assert lost == board.lost(searched)
        found += lost <= best + 1e-6  # it may be better: lines may have several conditions
    assert found >= 9


SMALL: list[tuple[str, dict[str, Any], str]] = [
    ("pig", {"players": 1, "target": 6}, "turns"),
    ("pig", {"players": 1, "target": 9}, "turns"),
    ("pig", {"players": 1, "target": 12}, "turns"),
    ("pig", {"players": 1, "target": 8}, "reach:8"),
    ("shut_the_box", {"tiles": 4}, "payoff"),
    ("shut_the_box", {"tiles": 4, "aim": "shut_all"}, "payoff"),
    ("shut_the_box", {"tiles": 5, "one_die": "optional_at_6"}, "payoff"),
    ("shut_the_box", {"tiles": 5, "shut_at_most": 2}, "payoff"),
    ("shut_the_box", {"tiles": 6}, "payoff"),
    ("shut_the_box", {"tiles": 6, "aim": "shut_all"}, "payoff"),
]
"""Ten small games, or variants of them."""


def small_board(name: str, options: dict[str, Any], objective: str) -> Board:
    """Return the board of a small game with up to 15 lines of its own words."""
    rules = rules_of(dicegames.load(GAMES / f"{name}.dg", **options))
    bench = Bench.of(rules, propose(rules), objective, UNLIMITED)
    whole = situations(bench.solution, 1)
    assert isinstance(whole, Whole)
    board, _ = WordReader(bench).board(whole, [])
    few = np.linspace(0, len(board.holds) - 1, 5).astype(int)  # the first holds always
    moves = np.argsort(-(board.plays >= 0).sum(axis=1), kind="stable")[:3]
    allowed = np.ones((len(few), len(moves)), np.bool_)
    return Board(board.situations, board.holds[few], board.plays[moves], allowed, board.sure[moves])


def test_the_search_finds_the_best_card_of_small_games_nine_times_of_ten() -> None:
    """All cards of up to three lines from the same words are evaluated exactly, beside the search.

    The search may put several conditions into a line, and so find a better one.
    """
    found = 0
    for name, options, objective in SMALL:
        board = small_board(name, options, objective)
        conditions, moves = board.allowed.shape
        lines = [((condition,), move) for condition in range(conditions) for move in range(moves)]
        cards = chain.from_iterable(product(lines, repeat=size) for size in (1, 2, 3))
        values: dict[bytes, float] = {}
        for card_ in cards:
            chosen = board.chosen(card_)
            key = chosen.tobytes()
            if key not in values:
                values[key] = board.situations.lost(chosen)
        lost, _ = LineSearch(board, np.random.default_rng(1)).found((), 3, rounds=30)
        found += lost <= min(values.values()) + 1e-9
    assert found >= 9


def test_conditions_that_are_not_needed_are_left_out() -> None:
    board = random_board(2)
    search = LineSearch(board, np.random.default_rng(2))
    lines = (((1, 2), 1), ((0,), 0), ((3,), 2))  # the second line plays everywhere
    simple = search.simplified(lines)
    assert simple[1:] == (((0,), 0), ((0,), 2))
    assert board.lost(simple) <= board.lost(lines) + 1e-6


def test_a_cover_plays_everywhere() -> None:
    board = random_board(3)
    lines = board.cover()
    assert all(parts == (0,) for parts, _ in lines)
    assert board.lost(lines) <= 1.0


def test_what_is_lost_is_the_sum_over_the_decisions_that_come_up() -> None:
    """By the difference lemma of Kakade and Langford (2002); computed in two ways."""
    rules = rules_of(dicegames.load(GAMES / "pig.dg", players=1, target=20))
    bench = Bench.of(rules, propose(rules), "turns", UNLIMITED)
    whole = situations(bench.solution, 1)
    assert isinstance(whole, Whole)
    chance = np.random.default_rng(1)
    for _ in range(5):
        chosen = chance.integers(0, 2, len(whole.decisions))
        often, _ = whole.slope(chosen)
        lost = often @ whole.best_losses[whole.first[:-1] + chosen]
        assert whole.lost(chosen) == pytest.approx(lost, rel=1e-9)
        assert whole.lost(chosen) > 0


def test_conditions_that_tell_which_move_is_good_come_first() -> None:
    played = [Move("a", 0), Move("b", 0)]
    losses = [np.array([0.0, 4.0]), np.array([4.0, 0.0])] * 2
    found = [Decision(0, [], [], played, np.arange(2), each) for each in losses]
    known = Situations(found, np.full(4, 0.25), sense=1.0)
    holds = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [1, 0, 0, 0]], bool)
    plays = np.array([[0, 0, 0, 0], [1, 1, 1, 1]])
    assert telling(known, holds, plays).tolist() == [0.0, 2.0, 1.0]


@pytest.fixture(scope="module")
def walked() -> tuple[Bench, Walked]:
    rules = rules_of(dicegames.load(GAMES / "shut_the_box.dg", tiles=6))
    bench = Bench.of(rules, propose(rules), "payoff", UNLIMITED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dicegames.authoring.cards.situations.MOST_LISTED", 10)
        patch.setattr("dicegames.authoring.cards.situations.MOST_STARTS", 7)
        found = situations(bench.solution, 1)
        assert isinstance(found, Walked)
        found.play(None, 30, 0.1)
    return bench, found


def test_what_moves_lose_is_the_same_in_games_and_in_lists(walked: tuple[Bench, Walked]) -> None:
    bench, played = walked
    whole = situations(bench.solution, 1)
    assert isinstance(whole, Whole)
    listed = {(d.at, *map(str, d.env)): d.losses for d in whole.decisions}
    assert len(played.decisions) > 20
    for decision in played.decisions:
        own = listed[(decision.at, *map(str, decision.env))]
        assert decision.losses == pytest.approx(own, rel=0, abs=1e-12)


def test_what_is_lost_in_games_is_what_a_card_loses(walked: tuple[Bench, Walked]) -> None:
    """The mean of exact losses over the games of a strategy is near to its exact loss."""
    bench, played = walked
    whole = situations(bench.solution, 1)
    assert isinstance(whole, Whole)
    said = (((ALWAYS,), "pick t with highest size of t"),)
    reader = WordReader(bench)
    board, texts = reader.board(whole, [])
    lines = texts.lines(said)
    assert lines is not None
    exact = board.situations.lost(board.chosen(lines))
    games = played.anew(2)
    choose = reader.chooser(said)
    games.play(choose, 4_000)
    lost = [d.losses[choose(d)] for d in games.decisions]
    assert games.situations().weight @ lost == pytest.approx(exact, rel=0.08)


def test_sums_are_fitted_to_what_is_lost() -> None:
    """Move m is right in decision m, and by the first less three times the second number."""
    values = np.zeros((3, 40, 2), np.float32)
    chance = np.random.default_rng(1)
    values[:2, :, 0] = chance.integers(0, 20, (2, 40))
    values[2, :, 0] = chance.integers(0, 2, 40)
    right = values[0, :, 0] - 3 * values[1, :, 0] < 0  # the second pick, which always counts 0
    lost = np.stack([right, ~right], axis=1).astype(float)
    features = (("k", "size of k", True), ("k", "sum of k", True), ("k", "k = 1", False))
    picks = Picks(features, values, lost)
    score = np.zeros_like(lost)
    one, two, *_ = fitted(values, score, picks.loses, 3)
    assert sum_text(features, one) == "0 - sum of k"
    assert picks.loses(np.tensordot(one, values, 1)) > 0
    assert picks.loses(np.tensordot(two, values, 1)) == 0
    assert sum_text(features, np.array([0, -1, 5])) == "(5 if k = 1 else 0) - sum of k"


def test_weights_are_found_by_falling_temperatures() -> None:
    """The right pick is that with the largest 3 a - b; whole weights keep to that ratio."""
    chance = np.random.default_rng(1)
    values = chance.integers(0, 10, (3, 300, 4)).astype(np.float32)
    worth = 3 * values[0] - values[1]
    lost = (worth.max(axis=1, keepdims=True) - worth).astype(float)
    lost[::2, 3] = np.inf  # there is no fourth pick
    features = (("k", "a", True), ("k", "b", True), ("k", "c", True))
    picks = Picks(features, values, lost - lost.min(axis=1, keepdims=True))
    weights = whole_weights(picks)
    first, second, third = (weights / np.abs(weights).max()).tolist()
    assert (first, second) == pytest.approx((1, -1 / 3), abs=0.05)
    assert third == pytest.approx(0, abs=0.05)
    score = np.where(np.isinf(lost), -np.inf, np.tensordot(weights, values, 1))
    assert picks.loses(score) <= 0.01 * picks.loses(np.where(np.isinf(lost), -np.inf, 0.0))


def test_drafts_improve_on_what_they_begin_from(walked: tuple[Bench, Walked]) -> None:
    """Each draft is fitted to games of the one before; its lines can be read, and play always."""
    bench, played = walked
    reader = WordReader(bench)
    lost = []
    for round_ in range(2):
        known = played.situations()
        lines, tail = draft(bench, known, reader.numbers_in(known))
        said = reader.readable((*lines, *tail))
        assert len(said) == len(lines) + len(tail)
        played = played.anew(round_)
        choose = reader.chooser(said)
        played.play(choose, 500)
        assert all(choose(decision) >= 0 for decision in played.decisions)
        found = [d.losses[choose(d)] for d in played.decisions]
        lost.append(float(played.situations().weight @ found))
    worst = np.mean([d.losses.mean() for d in played.decisions])
    assert lost[1] < worst


def test_when_to_make_a_move_is_told_by_a_sum() -> None:
    chance = np.random.default_rng(1)
    numbers = {"a": chance.integers(0, 20, 50), "b": chance.integers(0, 20, 50)}
    right = 2 * numbers["a"] - numbers["b"] >= 12
    played = [Move("Go", 0), Move("Stay", 0)]
    found = [Decision(0, [], [], played, np.arange(2), np.array([1.0 - r, r])) for r in right]
    known = Situations(found, np.full(50, 0.02), sense=1.0)
    told = list(measured_truths(known, numbers))
    assert "2 * a - b >= 12" in told
    assert "2 * a - b < 12" in told


def test_cards_of_large_games_come_from_games_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With a limit that makes a small game a large one: as good, and the value is exact."""
    game = dicegames.load(GAMES / "shut_the_box.dg", tiles=5)
    listed = card(game, 3, tries=40)
    monkeypatch.setattr("dicegames.authoring.cards.situations.MOST_LISTED", 10)
    for name, number in (("DRAFTS", 2), ("MANY_GAMES", 100), ("GAMES_PLAYED", 50)):
        monkeypatch.setattr(f"dicegames.authoring.cards.finder.{name}", number)
    found = card(game, 3, tries=40)
    assert found.card.loss <= listed.card.loss + 1e-9
    file = tmp_path / "card.dg"
    file.write_text(rules_of(game).source.text + "\n" + found.card.text, "utf-8")
    solved = dicegames.solve(dicegames.load(file, tiles=5), strategy="Card")
    assert solved.value == pytest.approx(found.card.value, rel=0, abs=1e-9)


# ---- the command


def test_the_long_run_has_no_card() -> None:
    """It was said that play can go round for ever, and to limit the rounds."""
    with pytest.raises(SolutionError, match="for games that end, and in the long run none does"):
        card(dicegames.load(GAMES / "threes.dg"), 2, "average", tries=2)


@pytest.mark.parametrize("players", [1, 2])
def test_a_card_is_not_for_one_who_plays_to_win(players: int) -> None:
    """It was said to set players=2, and with that said again."""
    game = dicegames.load(GAMES / "yahtzee.dg", players=players)
    with pytest.raises(SolutionError, match="to win takes several; leave the objective out"):
        card(game, objective="win")


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "card.txt"
    words = ["card", str(GAMES / "shut_the_box.dg"), "--set", "tiles=4", "--lines", "2"]
    output.console.cache_clear()
    assert main([*words, "--tries", "30", "--json", "--out", str(out)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["front"][-1]["loss"] >= -1e-9
    assert out.read_text("utf-8").startswith('strategy "Card"\n    ')


def test_the_last_lines_are_such_as_always_play() -> None:
    """Move 0 plays in all decisions that are known, but perhaps not in others."""
    board = random_board(1)
    board.sure[0] = False
    moves = [move for _, move in board.cover()]
    assert 0 not in moves[:1]
    assert all(any(board.plays[move, at] >= 0 for move in moves) for at in range(12))

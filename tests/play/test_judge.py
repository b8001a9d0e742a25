"""Luck and losses add up to the result, in games of every kind of payoff."""

from functools import cache
from pathlib import Path

import pytest

from dicegames.analysis.solution import Solution
from dicegames.cli.playing.seating import ledger_of
from dicegames.loading import Game, load, solve
from dicegames.play.judge import Ledger, Scale
from dicegames.play.match import Match, any_move
from dicegames.play.wording import account_data, event_data

GAMES = Path(__file__).parents[2] / "games"
SMALL = {
    "shut_the_box": {"tiles": 6},  # little is good
    "pig": {"target": 12},  # two who play to win
    "pig:3": {"players": 3, "target": 6},  # three, each for himself
    "cee_lo": {},  # for money
    "threes": {"players": 2},  # two who do not interact
    "drop_dead": {},
}


@cache
def solved(stem: str) -> tuple[Game, Solution]:
    game = load(GAMES / f"{stem.split(':', maxsplit=1)[0]}.dg", **SMALL[stem])
    return game, solve(game)


def played(game: Game, seed: int, steps: int = 10**6) -> Match:
    match = Match(game.rules, seed)
    for _ in match.choices(steps):
        match.play(any_move(match))
    return match


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("stem", SMALL)
def test_the_account_adds_up(stem: str, seed: int) -> None:
    game, solution = solved(stem)
    match = played(game, seed)
    ledger = Ledger(match, solution, Scale())
    events = ledger.update()
    assert sum(event.end - event.first for event in events) == len(match.steps)
    sign = 1 if solution.maximise else -1
    for seat, result in enumerate(match.result):
        account = ledger.account(seat)
        total = account.start + sign * (account.luck - account.losses) + account.others
        assert total == pytest.approx(float(result), abs=1e-9)
        assert account.expected == float(result)
        assert account.losses >= 0
        assert account.right + sum(account.grades) == account.decisions
    assert all(event.loss == 0 for event in events if not event.is_decision)


@pytest.mark.parametrize("stem", ["shut_the_box", "pig"])
def test_the_best_moves_lose_nothing_and_luck_has_its_sign(stem: str) -> None:
    game, solution = solved(stem)
    match = Match(game.rules, 4)
    for position in match.choices():
        match.play(solution.options(position)[0].move)
    ledger = Ledger(match, solution, Scale())
    ledger.update()
    accounts = [ledger.account(seat) for seat in range(game.players)]
    assert all(account.losses == 0 and account.right == account.decisions for account in accounts)
    gained = float(match.result[0]) - accounts[0].start - accounts[0].others
    assert accounts[0].luck == pytest.approx(gained if solution.maximise else -gained, abs=1e-9)


def test_the_ledger_follows_what_is_taken_back() -> None:
    game, solution = solved("pig")
    match = played(game, 1, steps=9)
    ledger = Ledger(match, solution, Scale())
    before = list(ledger.update())
    match.steps[2:] = []
    ledger.update()
    assert ledger.events == before[: len(ledger.events)]
    assert sum(event.end - event.first for event in ledger.events) == 2
    for _ in range(3):
        match.throw() if match.position.is_chance else match.play(match.position.moves()[-1])
        ledger.update()
    fresh = Ledger(match, solution, Scale())
    fresh.update()
    assert ledger.events == fresh.events


def test_throws_without_a_choice_are_one_event() -> None:
    game, solution = solved("drop_dead")
    match = played(game, 2)
    ledger = Ledger(match, solution, Scale())
    ledger.update()
    assert len(match.steps) > len(ledger.events)
    assert [(e.first, e.end) for e in ledger.events] == match.events()


def test_grades() -> None:
    game, solution = solved("threes")
    scale = ledger_of(Match(game.rules, 1), solution, None).scale
    assert scale.thresholds == (1.0, 4.0, 10.0)
    losses = (0.0, 1e-10, 0.5, 1.0, 4.0, 9.9, 10.0)
    assert [scale.grade(loss) for loss in losses] == [-1, -1, 0, 1, 2, 2, 3]
    game, solution = solved("pig")
    assert ledger_of(Match(game.rules, 1), solution, None).scale.thresholds == (0.01, 0.04, 0.1)


def test_data_for_programs() -> None:
    game, solution = solved("pig")
    match = played(game, 3)
    ledger = Ledger(match, solution, Scale())
    ledger.update()
    data = event_data(match, ledger)
    moves = [event for event in data if "move" in event]
    assert any(not event["forced"] for event in moves)
    for event in moves:
        values = {option["move"]: option["value"] for option in event["options"]}
        assert event["loss"] == pytest.approx(max(values.values()) - values[event["move"]])
        assert game.position(event["position"]).moves()
    assert sum(e["luck"] for e in data if e["seat"] == 1 and "luck" in e) == pytest.approx(
        account_data(ledger, 0, "You", "me")["luck"]
    )

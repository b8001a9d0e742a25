"""Strategies side by side: values, losses, and where they are lost."""

from fractions import Fraction
from pathlib import Path

import pytest

import dicegames
from dicegames.analysis.studies import compare as comparing
from dicegames.analysis.studies.listed import Loss
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.playing import played_by, seats_of
from dicegames.rules.running.referee import Position
from tests.rules.small import game as small

GAMES = Path(__file__).parents[2] / "games"

TWO_CHOICES = """
option goal = high | low
dice 2d4
each player
    score = 0
    coins = 2 to 0
turn
    roll all
    choose
        "Again" some of dice as r for 1 coins: roll r
        "Stay": pass
    choose
        "Sum": score + sum of dice
        "Best": score + 2 * highest of dice
        "Worst": score + 2 * lowest of dice
ends after 2 rounds
payoff lowest score + coins if goal = low else highest score + coins

strategy "Saver"
    when sum of dice < 4: keep 1
    when coins >= 0: "Stay"
    otherwise: "Worst"
strategy "Spender"
    when coins > 0 and dice show 2: keep x
    when coins < 2 and dice show x x: "Stay"
    when dice show x x: "Sum"
    when sum of dice > 5: "Best"
    otherwise: best
"""


def told(row: comparing.StrategyRow) -> tuple[Loss, ...]:
    assert row.losses is not None
    return row.losses


def parts(row: comparing.StrategyRow) -> float:
    return sum(part.loss for part in told(row))


@pytest.mark.parametrize("goal", ["high", "low"])
def test_the_losses_add_up_to_the_difference(goal: str) -> None:
    rules = small(TWO_CHOICES, goal=goal)
    found = dicegames.compare(dicegames.Game(rules))
    best = exact_value(rules)
    assert isinstance(best, Fraction)
    assert found.best[0] == pytest.approx(float(best), abs=1e-12)
    assert [row.strategy for row in found.rows] == ["Saver", "Spender"]
    for row in found.rows:
        value = exact_value(played_by(rules, seats_of(rules, row.strategy)))
        assert isinstance(value, Fraction)
        assert row.value == pytest.approx(float(value), abs=1e-12)
        assert row.loss == pytest.approx(float(abs(best - value)), abs=1e-12)
        assert parts(row) == pytest.approx(row.loss, abs=1e-12)
        kinds = {part.kind: part for part in told(row)}
        assert set(kinds) == {"Again or Stay", "Sum or Best or Worst"}
        assert min(part.loss for part in told(row)) >= 0
        assert kinds["Sum or Best or Worst"].decisions == pytest.approx(2)
    assert found.rows[0].loss > 0.1


def test_losses_against_best_play_of_the_other_seat() -> None:
    game = dicegames.load(GAMES / "pig.dg", target=25)
    found = dicegames.compare(game, strategies=["Hold at 20"])
    assert found.best == pytest.approx(dicegames.solve(game).value)
    assert [(row.strategy, row.seat) for row in found.rows] == [
        ("Hold at 20", 1),
        ("Hold at 20", 2),
    ]
    for row in found.rows:
        assert parts(row) == pytest.approx(row.loss, abs=1e-12)
        assert row.loss > 0.01
        answered = dicegames.solve(game, strategy={row.seat: row.strategy}).value
        assert isinstance(answered, tuple)
        # an opponent who knows the strategy does at least as well as one who does not
        assert row.value >= answered[row.seat - 1] - 1e-12


SPITE = """
option players = 2 from 2 to 3
dice 2d4
each player
    coins = 3 from 0 to 6 capped
    spare = 2 from 0 to 4 capped
turn
    roll all
    if dice show x x: coins of left of mover - 1
    choose
        "Share"
            coins + 1
            coins of left of mover + 1
        "Gamble"
            roll all
            if sum of dice > 4: coins + 3
            else: coins of right of mover + 2
        "Spite" unless coins <= 1 or dice show x x
            coins - 1
            if spare of left of mover < 2: spare + 2
            spare of left of mover - 2
ends after 2 rounds
payoff spare * 2 + coins

strategy "Friend"
    otherwise: "Share"
strategy "Gambler"
    when sum of dice > 6: "Share"
    otherwise: "Gamble"
"""


OPEN = """
strategy "Open"
    when sum of dice > 6: "Share"
    otherwise: best
"""


@pytest.mark.parametrize("by_layers", [False, True])
@pytest.mark.parametrize("players", [2, 3])
def test_every_seat_has_a_value_of_its_own(
    players: int,
    by_layers: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The figures are held to an evaluation in fractions in which others play the best moves."""
    if by_layers:
        monkeypatch.setattr(comparing, "MOST_COMPARED", 1)
    rules = SPITE if players == 2 else SPITE.replace("2 rounds", "1 rounds")
    game = dicegames.Game(small(rules, players=players))
    best = dicegames.solve(game)
    assert not best.compiled.model.scalar

    def play(position: Position) -> str:
        choice = best.best(str(position))
        assert choice is not None
        return choice.name

    found = dicegames.compare(game)
    assert found.best == pytest.approx(best.value, abs=1e-12)
    assert len(found.rows) == 2 * players
    for row in found.rows:
        seats = dict.fromkeys(range(1, players + 1), play) | {row.seat: row.strategy}
        value = exact_value(played_by(game.rules, seats_of(game.rules, seats)))
        assert isinstance(value, tuple)
        assert row.value == pytest.approx(float(value[row.seat - 1]), abs=1e-12)
        assert row.losses is None if by_layers else parts(row) == pytest.approx(row.loss, abs=1e-12)
        assert row.loss == pytest.approx(found.best[row.seat - 1] - row.value, abs=1e-12)
    assert max(row.loss for row in found.rows) > 0.1


def test_figures_of_published_strategies() -> None:
    alone = dicegames.load(GAMES / "pig.dg", players=1)
    (row,) = dicegames.compare(alone, "turns", ["Hold at 20"]).rows
    assert row.value == pytest.approx(12.636769490454002, abs=1e-9)
    assert row.loss == pytest.approx(12.636769490454002 - 12.545232351955448, abs=1e-9)
    assert parts(row) == pytest.approx(row.loss, abs=1e-9)


def test_shown_in_short_and_as_a_table() -> None:
    found = dicegames.compare(dicegames.load("pig", target=20), strategies=["Hold at 20"])
    assert len(repr(found)) < 100
    assert str(found).splitlines()[0] == "Pig"
    assert found.table.columns == ("strategy", "seat", "value", "loss")
    assert [row[:2] for row in found.table.rows] == [
        (name, seat) for name in ("best play", "Hold at 20") for seat in (1, 2)
    ]
    assert {row[3] for row in found.table.rows} == {0.0}  # it is best, and rounding is no loss


def test_functions_are_compared_as_well() -> None:
    game = dicegames.Game(small(TWO_CHOICES))

    def stay(position: Position) -> str:
        return next(m.label for m in position.moves() if m.label in ("Stay", "Sum"))

    (row,) = dicegames.compare(game, strategies=[stay]).rows
    assert row.strategy == "stay"
    assert row.value == pytest.approx(2 * 5 + 2)
    assert parts(row) == pytest.approx(row.loss, abs=1e-12)


def test_what_cannot_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(dicegames.StrategyError, match="name no strategy"):
        dicegames.compare(dicegames.load(GAMES / "craps.dg"))
    pig = dicegames.load(GAMES / "pig.dg")
    with pytest.raises(dicegames.StrategyError, match="did you mean"):
        dicegames.compare(pig, strategies=["Hold 20"])
    monkeypatch.setattr(comparing, "MOST_COMPARED", 1)
    monkeypatch.setattr(comparing, "solve", None)  # that is known before any state is listed
    spite = dicegames.Game(small(SPITE + OPEN))
    with pytest.raises(dicegames.SolutionError, match=r'many states .* says "best"; let'):
        dicegames.compare(spite, strategies=["Friend", "Open"])


def test_with_too_many_states_the_sum_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = dicegames.load(GAMES / "pig.dg", players=1, target=30)
    (listed,) = dicegames.compare(alone, "turns", ["Hold at 20"]).rows
    monkeypatch.setattr(comparing, "MOST_COMPARED", 100)
    (row,) = dicegames.compare(alone, "turns", ["Hold at 20"]).rows
    assert row.losses is None
    assert row.value == pytest.approx(listed.value, abs=1e-9)
    assert row.loss == pytest.approx(listed.loss, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pig", {"target": 24}),
        ("pig", {"target": 8, "players": 3}),
        ("dice_poker", {"target": 30}),
    ],
)
def test_by_layers_as_from_a_list_of_all_states(
    name: str, options: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strategies that know the totals, or not; in Pig a turn may lead back to where it began."""
    game = dicegames.load(GAMES / f"{name}.dg", **options)
    strategies = [*game.rules.strategies][:3]
    listed = dicegames.compare(game, strategies=strategies)
    monkeypatch.setattr(comparing, "MOST_COMPARED", 1)
    found = dicegames.compare(game, strategies=strategies)
    assert found.best == pytest.approx(listed.best, abs=1e-11)
    assert len(found.rows) == len(strategies) * game.rules.players
    for row, other in zip(found.rows, listed.rows, strict=True):
        assert (row.strategy, row.seat) == (other.strategy, other.seat)
        assert row.value == pytest.approx(other.value, abs=1e-11)
        assert row.loss == pytest.approx(other.loss, abs=1e-11)
        assert row.losses is None
    assert max(row.loss for row in found.rows) > 0.001


FINES = """
option players = 2 from 2 to 3
dice 1d6
each player
    score = 0 to 6 capped
    fines = 0
turn
    choose
        "Roll"
            roll all
            if dice show 1: fines + 2
            else: score + sum of dice - 3 if sum of dice > 3 else score + 0
        "Wait": fines + 1
ends when any player has score = 6
payoff (10 if score = 6 else 0) - fines
strategy "Waits"
    when score = 3: "Wait"
    otherwise: "Roll"
strategy "Rolls"
    otherwise: "Roll"
"""


def test_what_is_paid_on_the_way_round_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    game = dicegames.Game(small(FINES, players=2))
    listed = dicegames.compare(game)
    monkeypatch.setattr(comparing, "MOST_COMPARED", 1)
    for row, other in zip(dicegames.compare(game).rows, listed.rows, strict=True):
        assert row.value == pytest.approx(other.value, abs=1e-11)
        assert row.loss == pytest.approx(other.loss, abs=1e-11)


def test_a_strategy_that_keeps_more_in_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    """What best play has forgotten outlives the turn: another best play goes with it."""
    text = SPITE.replace("    coins = 3", "    shared = 0 to 1 capped\n    coins = 3").replace(
        '        "Share"\n', '        "Share"\n            shared + 1\n'
    )
    once = 'strategy "Once"\n    when shared > 0: "Gamble"\n    otherwise: "Share"\n'
    game = dicegames.Game(small(text + once, players=2))
    listed = dicegames.compare(game)
    monkeypatch.setattr(comparing, "MOST_COMPARED", 1)
    found = dicegames.compare(game)
    for row, other in zip(found.rows, listed.rows, strict=True):
        assert row.value == pytest.approx(other.value, abs=1e-12)
    assert len({round(row.value, 9) for row in found.rows if row.seat == 1}) == 3


def test_a_strategy_that_there_is_not_is_told_before_anything_is_solved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("solving has begun")

    monkeypatch.setattr(comparing, "solve", begun)
    with pytest.raises(dicegames.StrategyError, match="Nobody"):
        dicegames.compare(dicegames.load("pig", target=5), strategies=["Hold at 20", "Nobody"])


@pytest.mark.parametrize("seats", [1, 2])
def test_values_from_tables_are_those_of_all_states(
    seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = dicegames.load(GAMES / "pig.dg", players=seats, target=20)
    goal = "turns" if seats == 1 else "payoff"
    by_tables = dicegames.compare(game, goal)
    monkeypatch.setattr(comparing._Comparing, "_by_tables", lambda self, model: None)
    for found, listed in zip(by_tables.rows, dicegames.compare(game, goal).rows, strict=True):
        assert found.value == pytest.approx(listed.value, rel=0, abs=found.error + listed.error)
        for own, other in zip(told(found), told(listed), strict=True):
            assert own.decisions == pytest.approx(other.decisions, rel=1e-12)
            assert own.loss == pytest.approx(other.loss, rel=1e-10, abs=1e-12)

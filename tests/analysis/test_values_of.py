"""Many positions at once: the same values, in the same order."""

from pathlib import Path

import numpy as np
import pytest

import dicegames
from dicegames.rules.running.referee import Position

GAMES = Path(__file__).parents[2] / "games"


def positions(game: dicegames.Game, count: int) -> list[Position]:
    found: list[Position] = []
    pending, seen = [game.start()], set()
    while pending and len(found) < count:
        position = pending.pop(0)
        if str(position) in seen:
            continue
        seen.add(str(position))
        found.append(position)
        pending += [position.play(move) for move in position.moves()]
        pending += [position.play(outcome) for outcome in position.outcomes()]
    return found


@pytest.mark.parametrize(
    ("stem", "options", "objective", "seats"),
    [
        ("shut_the_box", {"tiles": 6}, "payoff", 1),
        ("pig", {"target": 15}, "payoff", 2),
        ("pig", {"target": 15, "players": 1}, "turns", 1),
        ("threes", {"players": 2, "how_many": 3}, "payoff", 2),
    ],
)
def test_values_are_those_of_each(
    stem: str, options: dict[str, int], objective: str, seats: int
) -> None:
    game = dicegames.load(GAMES / f"{stem}.dg", **options)
    solution = dicegames.solve(game, objective)
    asked = positions(game, 120)
    asked = [*asked[::-1], *asked[:5]]
    found = solution.values_of(asked)
    assert found.shape == ((len(asked),) if seats == 1 else (len(asked), seats))
    assert found.dtype == np.float64
    for position, value in zip(asked, found, strict=True):
        assert np.array_equal(value, solution.value_of(position))


def test_texts_and_nothing() -> None:
    game = dicegames.load(GAMES / "shut_the_box.dg", tiles=6)
    solution = dicegames.solve(game)
    assert solution.values_of([]).shape == (0,)
    assert list(solution.values_of(["up none"])) == [0.0]
    with pytest.raises(dicegames.PositionError):
        solution.values_of(["up 7"])


def test_moves_are_worth_the_same_together_and_alone() -> None:
    game = dicegames.load(GAMES / "yahtzee.dg")
    position = game.position("score 0 | used none | dice 2 2 3 5 6 | throw 1")
    together = dicegames.solve(game).options(position)
    alone = dicegames.solve(game)
    found = {move.label: alone.values_after(position, [move])[0] for move in position.moves()}
    assert len(together) > 10
    assert {choice.name: choice.value for choice in together} == found

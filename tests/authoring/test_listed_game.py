"""Games whose states are listed: every number against the referee, position by position."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicegames
from dicegames.authoring.reports.listed_game import (
    ListedGame,
    Play,
    listed_game,
    one_plays,
)
from dicegames.authoring.reports.watched import KINDS
from dicegames.authoring.reports.worth import settled_exactly

GAMES = Path(__file__).parents[2] / "games"
SHUT = {"tiles": 5, "one_die": "optional_at_6"}

Counts = tuple[float, ...]
"""Turns, throws, decisions, how often a single die is chosen, and the result."""
Shares = Callable[[Any, Sequence[Any]], Sequence[float]]


def told_by_referee(game: dicegames.Game, shares: Shares) -> dict[Counts, float]:
    """Return the joint distribution of what comes up, by going through all positions."""
    known: dict[tuple[Any, ...], dict[Counts, float]] = {}

    def after(position: Any) -> dict[Counts, float]:
        if position.is_over:
            return {(0.0, 0.0, 0.0, 0.0, float(position.payoff[0])): 1.0}
        key = (position.node.at, position.starts_turn, *position.node.env)
        if key not in known:
            moves = position.moves()
            ways = list(zip(shares(position, moves), moves, strict=True)) if moves else []
            ways = ways or [(float(o.probability), o) for o in position.outcomes()]
            found: dict[Counts, float] = defaultdict(float)
            for chance, what in ways:
                label = getattr(what, "label", "")
                here = (position.starts_turn, not moves, len(moves) > 1, label == "One die", 0.0)
                for later, mass in after(position.play(what)).items() if chance else ():
                    found[tuple(a + b for a, b in zip(here, later, strict=True))] += chance * mass
            known[key] = dict(found)
        return known[key]

    return after(game.start())


def listed(game: dicegames.Game, strategy: str | None = None) -> ListedGame:
    found = listed_game(game.rules, strategy=strategy)
    assert found is not None
    return found


def play_of(game: dicegames.Game, who: str) -> tuple[Play, Shares]:
    """Return a way of playing twice: as it is listed, and as the referee is told."""
    if who == "random":
        return listed(game).at_random(), lambda _, moves: [1 / len(moves)] * len(moves)
    if who == "best":
        solution = dicegames.solve(game)
        return listed(game).best(), lambda p, moves: [
            m == solution.options(p)[0].move for m in moves
        ]
    answering = dicegames.solve(game, strategy=who)
    play = listed(game, who).by_strategy()
    assert play is not None
    return play, lambda p, moves: [m.label == answering.options(p)[0].name for m in moves]


@pytest.mark.parametrize("who", ["best", "random", "Few tiles"])
def test_everything_is_as_the_referee_says(who: str) -> None:
    game = dicegames.load(GAMES / "shut_the_box.dg", **SHUT)
    play, shares = play_of(game, who)
    joint = told_by_referee(game, shares)
    assert sum(joint.values()) == pytest.approx(1.0, abs=1e-12)
    for place, kind in enumerate(KINDS):
        wanted = np.zeros(100)
        for counts, mass in joint.items():
            wanted[int(counts[place])] += mass
        found = play.spread(kind)
        assert found.bounded
        assert found.values.tolist() == np.flatnonzero(wanted).tolist()
        assert found.masses == pytest.approx(wanted[wanted > 0], abs=1e-12)
        assert play.flow @ play.game.counted[kind] == pytest.approx(found.mean, abs=1e-12)
    one_die = sum(counts[3] * mass for counts, mass in joint.items())
    assert play.times("move", "One die") == pytest.approx(one_die, abs=1e-12)
    results = np.array([(counts[4], mass) for counts, mass in joint.items()])
    mean = results[:, 0] @ results[:, 1]
    ((value, spread),) = one_plays(play, play)
    assert value == pytest.approx(mean, abs=1e-12)
    assert spread**2 == pytest.approx((results[:, 0] - mean) ** 2 @ results[:, 1], abs=1e-9)


def test_a_duel_is_listed_with_both_seats() -> None:
    game = dicegames.load(GAMES / "pig.dg", target=20)
    solution = dicegames.solve(game)
    best, random = listed(game).best(), listed(game).at_random()
    assert [value for value, _ in one_plays(best, best)] == pytest.approx(solution.value, abs=1e-9)
    hold = listed(game, "Hold at 20").by_strategy()
    assert hold is not None
    both = dicegames.solve(game, strategy="Hold at 20").value
    assert [value for value, _ in one_plays(hold, hold)] == pytest.approx(both, abs=1e-9)
    against = [value for value, _ in one_plays(random, best)]
    assert all(0 < lost < won for lost, won in zip(against, solution.value, strict=True))  # type: ignore[arg-type]
    turns = best.spread("turns")
    assert turns.maximum is None  # two who lose every turn never end
    assert turns.masses.sum() == pytest.approx(1.0, abs=1e-11)
    assert (np.diff(best.settled) > -1e-12).all()
    assert best.settled[-1] == pytest.approx(1.0, abs=1e-9)


def test_half_is_settled_as_values_say() -> None:
    """The variance of what is expected after a turn, from the values of all positions there."""
    game = dicegames.load(GAMES / "shut_the_box.dg", **SHUT)
    solution = dicegames.solve(game)
    masses: dict[Any, float] = {game.start(): 1.0}
    for _ in range(3):
        later: dict[Any, float] = defaultdict(float)
        pending = [(p, mass) for p, mass in masses.items() if not p.is_over]
        for p, mass in ((p, m) for p, m in masses.items() if p.is_over):
            later[p] += mass
        while pending:
            position, mass = pending.pop()
            best = solution.best(position)
            ways = [(1.0, best.move)] if best else []
            for chance, what in ways or [(float(o.probability), o) for o in position.outcomes()]:
                new = position.play(what)
                if new.is_over or new.starts_turn:
                    later[new] += mass * chance
                else:
                    pending.append((new, mass * chance))
        masses = later
    values = np.array([(solution.value_of(p), mass) for p, mass in masses.items()])
    variance = values[:, 0] ** 2 @ values[:, 1] - (values[:, 0] @ values[:, 1]) ** 2
    play = listed(game).best()
    assert play.settled[3] == pytest.approx(variance / solution.distribution().sd ** 2, abs=1e-9)


def test_what_is_not_listed_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.authoring.reports.listed_game.MOST_FOLLOWED", 10)
    assert listed_game(dicegames.load(GAMES / "shut_the_box.dg").rules) is None
    assert settled_exactly(None) is None


ALIKE = """game "Last throw"

dice 1d6

each player
    score = 0

turn
    repeat 2 times
        roll all
        choose
            "Stop": leave
            "Go on": pass
    score + sum of dice

ends after 1 rounds
payoff highest score

strategy "Go on"
    otherwise: "Go on"

strategy "Stop late"
    when sum of dice > 3: "Stop"
    otherwise: "Go on"
"""


@pytest.mark.parametrize(
    ("who", "stops", "goes_on"),
    [("best", 1, 0.5), ("random", 0.75, 0.75), ("Go on", 0, 2), ("Stop late", 0.75, 0.75)],
)
def test_moves_that_come_to_the_same_are_counted_by_name(
    who: str, stops: float, goes_on: float, tmp_path: Path
) -> None:
    """Behind the second throw both come to the same; all were counted as the first of them."""
    path = tmp_path / "last.dg"
    path.write_text(ALIKE, "utf-8")
    play, _ = play_of(dicegames.load(path), who)
    assert play.times("move", "Stop") == pytest.approx(stops, abs=1e-12)
    assert play.times("move", "Go on") == pytest.approx(goes_on, abs=1e-12)


def test_a_strategy_plays_what_is_never_the_first_of_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "last.dg"
    path.write_text(ALIKE.replace("repeat 2 times", "repeat 1 times"), "utf-8")
    play, _ = play_of(dicegames.load(path), "Go on")
    assert play.times("move", "Stop") == 0
    assert play.times("move", "Go on") == pytest.approx(1, abs=1e-12)

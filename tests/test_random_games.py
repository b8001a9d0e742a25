"""Random games: the program says what a second reading of the rules comes to, or refuses.

What is compared of each game, and with what, stands in `tests/reference/against.py`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from time import sleep

import pytest
from hypothesis import HealthCheck, given, settings

from dicegames.ground.diagnostic import RulesError
from dicegames.ground.source import Source
from dicegames.rules.check import check
from tests.random_games.games import any_rules, by_seed
from tests.reference.against import ALONE, AUTHORS, BESIDE, PARTS, Comparison
from tests.reference.features import features, of_the_grammar
from tests.reference.kinds import KEEPING, LASTING, ODD, POINTS, USUAL, comparison
from tests.reference.limit import TooLong, within
from tests.reference.small_limits import small_limits

GAMES = int(os.environ.get("DICEGAMES_RANDOM_GAMES", "4600"))
"""How many games the daily run compares; a larger number looks at the same ones, and at more.
With those of other kinds there are 5,000.

Each is compared in one of the `PARTS`, one after the other, besides what is always compared.
"""
SHARDS = 40
"""Tests over which they are spread, and these over processors."""
FIRST = 9_000_000
"""The first of their seeds."""
LONGEST = 60
"""Seconds of processor time that one game may take."""
GIVEN_UP = 1
"""How many games of a shard may take longer; few conditions of a game may be very deep."""

FEW = 80
"""How many games of the other kinds are compared, and how many with limits drawn small."""
FEW_SHARDS = 4

NOT_COMPARED = {"atom", "count", "example_moves", "example_value"}
"""Examples have no values; the others are never nodes of a tree."""


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_answer_is_right_or_refused(shard: int) -> None:
    wrong, given_up = [], []
    for number in range(shard, GAMES, SHARDS):
        text = by_seed(FIRST + number)
        try:
            with within(LONGEST):
                report = Comparison(text, parts=[PARTS[number // SHARDS % len(PARTS)]]).run()
        except TooLong:
            given_up.append(FIRST + number)
            continue
        if report.differences:
            wrong.append("\n".join([f"seed {FIRST + number}", text, *map(str, report.differences)]))
    assert not wrong, "\n\n".join(wrong)
    assert len(given_up) <= GIVEN_UP, f"longer than {LONGEST} s: {given_up}"


@pytest.mark.parametrize("shard", range(FEW_SHARDS))
def test_dice_one_at_a_time_are_worth_the_same(shard: int) -> None:
    """Five of these differed while the best part to keep was shared by throws of any size."""
    _compare_few(KEEPING, shard)


@pytest.mark.parametrize("shard", range(FEW_SHARDS))
def test_cards_races_and_tracks(shard: int) -> None:
    """One of these differed: a position with more throws in the turn than are told apart."""
    _compare_few(USUAL, shard)


@pytest.mark.parametrize("shard", range(FEW_SHARDS))
def test_what_is_said_does_not_depend_on_limits_of_size(shard: int) -> None:
    wrong = []
    for number in range(shard, FEW, FEW_SHARDS):
        kind, parts = (ODD, KEEPING, USUAL)[number % 3], [PARTS[number % len(PARTS)]]
        with small_limits(number) as drawn:
            asked = comparison(kind, number, parts)
            if found := asked.run().differences:
                wrong.append("\n".join([f"{kind} {number}, {drawn}", asked.text, *map(str, found)]))
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("shard", range(FEW_SHARDS))
def test_the_long_run(shard: int) -> None:
    """One in eight differed while turns that are passed over were no turns."""
    _compare_few(LASTING, shard, parts=[ALONE])


@pytest.mark.parametrize("shard", range(FEW_SHARDS // 2))
def test_chances_to_win_lie_within_their_bounds(shard: int) -> None:
    """Half as many games, for they take long. Bounds too narrow by 0.001 would show in some."""
    _compare_few(POINTS, shard, parts=[BESIDE])


@pytest.mark.parametrize("shard", range(FEW_SHARDS))
def test_what_authors_are_told(shard: int) -> None:
    """Of few games, for it takes long. One in 100 odd ones broke `card`."""
    for kind in (ODD, USUAL):
        _compare_few(kind, shard, parts=[AUTHORS], many=FEW // 8)


def _compare_few(kind: str, shard: int, parts: Sequence[str] = (), many: int = FEW) -> None:
    wrong = []
    for seed in range(shard, many, FEW_SHARDS):
        asked = comparison(kind, seed, parts)
        if found := asked.run().differences:
            wrong.append("\n".join([f"seed {seed}", asked.text, *map(str, found)]))
    assert not wrong, "\n\n".join(wrong)


@settings(
    max_examples=30,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(any_rules())
def test_what_is_wrong_is_told_in_few_lines(text: str) -> None:
    report = Comparison(text).run()
    assert not report.differences, "\n".join([text, *map(str, report.differences)])


FOUND = sorted((Path(__file__).parent / "random_games" / "found").glob("*.dg"))
"""What is left of random games that differed once: each says what was wrong."""


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path: Path) -> None:
    report = Comparison(path.read_text("utf-8")).run()
    assert not report.differences, "\n".join(map(str, report.differences))
    few = {"grid", "folder", "win"}  # which not all games have, can be kept in, or are played to
    assert not [what for what, _ in report.refused if what not in few]


def test_all_of_the_language_comes_up() -> None:
    """In games that are in order; what cannot be compared with values is left out."""
    used: set[str] = set()
    for seed in range(500):
        if of_the_grammar() - NOT_COMPARED <= used:
            return
        found = features(by_seed(seed))
        if not found <= used and is_in_order(by_seed(seed)):
            used |= found
    assert not of_the_grammar() - NOT_COMPARED - used


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="there are no timers")
def test_what_others_compute_makes_no_game_slow() -> None:
    with within(1):
        sleep(1.2)
    with pytest.raises(TooLong), within(1):
        _without_end()


def _without_end() -> None:
    while True:
        pass


def is_in_order(text: str) -> bool:
    try:
        check(Source("chance.dg", text), {})
    except RulesError:
        return False
    return True

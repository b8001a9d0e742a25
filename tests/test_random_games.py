"""Random games: the program says what a second reading of the rules comes to, or refuses.

What is compared of each game, and with what, stands in `tests/reference/against.py`.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings

from tests.random_games.games import any_rules
from tests.reference.against import Comparison

GAMES = int(os.environ.get("DICEGAMES_RANDOM_GAMES", "150"))
"""How many games the daily run compares; a larger number looks at the same ones, and at more."""


@settings(
    max_examples=GAMES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(any_rules())
def test_every_answer_is_right_or_refused(text: str) -> None:
    report = Comparison(text).run()
    assert not report.differences, "\n".join([text, *map(str, report.differences)])

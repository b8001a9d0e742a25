"""Ranges of counters: those that creep on for ever are found out with little work."""

from __future__ import annotations

from typing import Any

import pytest

from dicegames.analysis.solution import solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.explored import domains
from dicegames.compiler.open_values import ranges
from dicegames.compiler.open_values.joint import Possible
from dicegames.compiler.open_values.tables import slots_of
from dicegames.ground.source import Source
from dicegames.loading import Game, load
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken

BANK = """\
game "Bank"
option players = 2
dice 2d6
each player
    chips = 20
    debt = 0
turn
    roll all
    if dice show x x
        chips + sum of dice
        debt of left of mover + sum of dice
    else
        chips - 1
        debt + 1
    if debt >= chips: debt = 0
ends when any player has chips >= 60
ranking highest chips - debt
payoff win
"""

PASSED_ON = """\
game "Passed on"
option players = 5
dice 1d6
each player
    chips = 3 from 0 to 15 capped
turn
    if chips > 0
        roll all
        if dice show 6
            chips - 1
            chips of left of mover + 1
ends when sum of (1 if chips of p > 0 else 0) over p in players <= 1
ranking highest chips
payoff win
"""


def test_counters_that_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[Any] = []

    class Watched(ranges.Search):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            searches.append(self)

    monkeypatch.setattr("dicegames.compiler.explored.domains.Search", Watched)
    with pytest.raises(RuleBroken) as refused:
        compile_game(check(Source("bank.dg", BANK), {}))
    assert refused.value.code == "grows-without-limit"
    one_turn = 100 * ranges.LARGEST_JOINT
    assert len(searches) == 3  # by instructions, also with what may decide, then by nodes
    assert all(s.cells <= ranges.CELLS * ranges.MOST_RANGE_WORK + one_turn for s in searches)


def test_too_many_combinations_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 100)  # to list them would do
    with pytest.raises(RuleBroken) as refused:
        compile_game(check(Source("passed.dg", PASSED_ON), {}))
    assert refused.value.code == "goes-round"
    assert "1,048,576 combinations" in refused.value.message
    assert "fewer players" in refused.value.help


def test_points_that_grow_in_a_loop_end_with_the_dice() -> None:
    """Only the dice that are left say that the loop ends: so they are told apart."""
    game = load("threes", how_many=2).rules
    axes = {axis.name: axis for axis in compile_game(game, "reach:3", both=True).model.axes}
    assert 1 < axes["score"].size <= 13


BOXES_AND_COINS = """\
game "Boxes and coins"
dice 2d6
each player
    coins = 0
    score = 0
boxes card
    each n in 1 to 6: "Ns n"  any n  pays n each
turn
    roll all
    coins + 3
    choose
        one of open card as c
            coins - (1 if size of open card < coins else 2)
            use c
            score + points of c
ends when all boxes are used
payoff highest score + (coins if coins > 9 else 0)
"""


def test_bounded_turns_are_followed_however_much_is_looked_at_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every turn uses up a box: six of them bring at most two coins each."""
    monkeypatch.setattr(ranges, "CELLS", 1)
    monkeypatch.setattr(ranges, "MOST_RANGE_WORK", 300)
    compiled = compile_game(check(Source("coins.dg", BOXES_AND_COINS), {}))
    (coins,) = (axis for axis in compiled.model.axes if axis.name == "coins")
    assert coins.size <= 13


LENT = """\
game "Lent"
option players = 2
dice 1d4
each player
    coins = 9
    debt = 0 to 20 capped
turn
    roll all
    if dice show 1 and debt < coins
        debt + coins div 2
        coins + 3
    else: coins - (debt mod 3)
    if coins > 20: coins = 20 - debt div 4
    if coins < 0: end game
ends after 6 rounds
ranking highest coins - debt
payoff win
"""


@pytest.mark.parametrize(
    "game",
    [
        Game(check(Source("lent.dg", LENT), {})),
        Game(check(Source("coins.dg", BOXES_AND_COINS), {})),
        load("pig", target=30),
    ],
    ids=lambda game: game.title,
)
def test_only_new_values_are_followed(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found so is what all values together come to."""
    found = []
    for kept in (10**9, 1):
        monkeypatch.setattr(ranges, "LARGEST_KEPT", kept)
        axes = compile_game(game.rules).model.axes
        found.append([(axis.name, axis.size, axis.unbounded) for axis in axes])
    assert found[0] == found[1]
    assert any(size > 10 for _, size, _ in found[0])


COLUMNS = """\
game "Columns"
option players = 1
dice 1d3
each player
    climbed of c in (1 to 3) = 0 to 2 + c
    turns = 0
turn
    roll all
    turns + 1
    each c in (1 to 3)
        if c in dice and climbed of c < 2 + c: climbed of c + 1
ends when every c in (1 to 3) has climbed of c = 2 + c
payoff lowest turns
"""


def test_a_range_is_shown_by_what_is_asked_of_the_same_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other columns have conditions of their own: they need not be looked at together."""
    looked_at: list[tuple[Any, Any]] = []

    class Watched(Possible):
        def values(self, value: Any, known: Any = ()) -> Any:
            looked_at.append((value, known))
            return super().values(value, known)

    monkeypatch.setattr("dicegames.compiler.explored.overruns.Possible", Watched)
    compile_game(check(Source("columns.dg", COLUMNS)))
    assert looked_at
    for value, known in looked_at:
        assert all(set(slots_of(fact)) <= set(slots_of(value)) for fact in known)


DRAFT = """\
game "Draft"
option players = 2
dice 2d6
table
    pool of (1 to 6) = 0 to 2
each player
    mine of (1 to 6) = 0 to 2
turn
    if round = 1 and seat = 1
        roll all
        each f in dice: pool of f = number of f in dice
    choose
        "Take" one of 1 to 6 as f where pool of f > 0
            pool of f - 1
            mine of f + 1
ends when every f in (1 to 6) has pool of f = 0
payoff sum of (f * mine of f) over f in (1 to 6) - size of players
"""


def test_rounds_after_the_first_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is open whether the round goes on; otherwise they are followed for minutes.

    The first player takes the higher of two dice, the second the lower: 161/36 and 91/36, less 2.
    """
    found: list[int] = []

    alike_from = domains._alike_from

    def spied(*given: Any) -> int:
        found.append(alike_from(*given))
        return found[-1]

    monkeypatch.setattr(domains, "_alike_from", spied)
    solution = solve_game(check(Source("draft.dg", DRAFT), {}))
    assert 2 in found
    assert solution.value == pytest.approx((161 / 36 - 2, 91 / 36 - 2))


AS_OFTEN = """\
game "As often as the first"
option players = 2
dice 1d6
table
    throws = 0 to 3
    best = 0 to 6
turn
    if seat = 1
        roll all
        throws = 1
        repeat until throws = 3
            choose
                "Again"
                    throws + 1
                    roll all
                "Stand": leave
        best = sum of dice
    else
        roll all
        repeat throws - 1 times: roll all
        best = lowest of (best, sum of dice)
ends after 1 rounds
payoff best
"""


def test_a_range_is_shown_by_what_a_counter_is_set_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one way to the choice it is asked whether 3 throws were made, on the other it is 1."""

    def searched(*_: Any) -> None:
        pytest.fail("a game was looked for in which a range is left")

    monkeypatch.setattr("dicegames.compiler.exploring.explore.find_break", searched)
    compile_game(check(Source("as_often.dg", AS_OFTEN), {}))


LIVES = """\
game "Lives"
option players = 2
dice 1d6
each player
    lives = 2 to 0
    score = 0 to 20 capped
this turn
    got = 0 to 12 capped
turn
    if lives > 0
        repeat
            roll all
            if dice show 1
                lives - 1
                got = 0
                leave
            got + sum of dice
            choose
                "Go": pass
                "Stop": leave
        score + got
ends after 4 rounds
ranking highest score
payoff win
"""


def test_what_a_turn_asks_first_is_known_when_the_next_player_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 0)  # not listed
    found = compile_game(check(Source("lives.dg", LIVES), {})).model
    assert "lives of the player to move" in [axis.name for axis in found.axes]

"""Positions as text: every position of random games is read back as the same position."""

import contextlib
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dicegames.rules.parts.flow import Finish
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.value_text import PositionError
from dicegames.rules.running.liveness import live
from dicegames.rules.running.notation import other_choices, parse_position, position_text
from dicegames.rules.running.referee import Move, Outcome, Position, start
from dicegames.rules.running.throw_numbers import throw_number
from tests.rules.small import game as rules_of_text
from tests.rules.small import read

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.dg"))


@cache
def game(stem: str, **options: object) -> Rules:
    return read(next(p for p in GAMES if p.stem == stem), **options)


def test_there_are_games() -> None:
    assert GAMES


def walk(position: Position, seed: int, steps: int) -> list[Position]:
    chance = random.Random(seed)
    seen = [position]
    for _ in range(steps):
        node = position.node
        nexts: list[Move | Outcome] = [*node.moves(), *node.outcomes()]
        if not nexts:
            break
        position = node.play(chance.choice(nexts))
        seen += [node, position]
    return seen


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
@pytest.mark.parametrize("players", [1, 2, 3])
@settings(deadline=None, max_examples=4, phases=[Phase.generate])
@given(seed=st.integers(0, 10**6))
def test_round_trip(path: Path, players: int, seed: int) -> None:
    option = game(path.stem).names.options.get("players")
    if players not in ([1] if option is None else option.within or [1]):
        pytest.skip("not a game for so many")
    played = game(path.stem) if option is None else game(path.stem, players=players)
    touched = live(played, every_read=True)
    for position in walk(start(played), seed, 12):
        text = position_text(position)
        again = parse_position(played, text)
        assert position_text(again) == text
        assert (again.at, again.starts_turn) == (position.at, position.starts_turn)
        slots = touched[position.at] - {played.names.variables["round"].base}
        assert [again.env[s] for s in slots] == [position.env[s] for s in slots]
        assert [str(m) for m in again.moves()] == [str(m) for m in position.moves()]


def test_the_line_of_the_manual() -> None:
    text = "score 115 | used Kamerun, General | goods 12 | dice 1 2 3 4 4 6"
    position = parse_position(game("despirala"), text)
    assert not position.starts_turn
    assert position.moves()[0].label == "Reroll"
    assert "Kamerun" not in {move.label for move in position.moves()}
    before = parse_position(game("despirala"), "goods 12 | used Kamerun, General")
    assert before.starts_turn
    assert str(before.node).startswith("goods 17")


def test_fields_in_any_order_and_case() -> None:
    one = parse_position(game("despirala"), "DICE 111116|  Goods 5 |used kamerun ")
    two = parse_position(game("despirala"), "used Kamerun | goods 5 | dice 6 1 1 1 1 1")
    assert str(one) == str(two)


def test_none_in_any_case() -> None:
    one = parse_position(game("cant_stop"), "progress NONE / 2:1")
    assert str(one) == "progress none / 2:1"


def test_faces_of_a_box_in_any_order() -> None:
    text = "goods 3 | c Two triples 5 3 | dice 5 5 5 | to throw 3 | at turn 7"
    position = parse_position(game("despirala"), text)
    assert "at turn 7" in str(position)
    assert "c Two triples 3 5" in str(position)


@pytest.mark.parametrize(
    ("stem", "text", "message"),
    [
        ("despirala", "gods 5", 'did you mean "goods"'),
        ("despirala", "used Kamerum", 'did you mean "Kamerun"'),
        ("despirala", "goods five", "whole number"),
        ("despirala", "goods", "none is given"),
        ("despirala", "goods 1 | goods 2", "twice"),
        ("despirala", "goods 1 / 2", "2 values for 1 player;"),
        ("despirala", "seat 2", "no seat 2"),
        ("despirala", "goods 5 | dice 1 1 1 1 1 7", '"7" is no face'),
        ("despirala", "goods 5 | dice 1 1 1 1 1", "6 dice are on the table here, these are 5"),
        ("despirala", "goods 5 | dice 1 1 1 1 1 6 6", "these are 7 dice"),
        ("despirala", "dice 1 2 3 4 5 6 | at tun 1", "did you mean"),
        ("yahtzee", "upper total 70", "from 0 to 63"),
        ("yahtzee", "dice 1 2 3 4 5 | repeat 1", "throw 1 after the first one"),
        ("yahtzee", "dice 1 2 3 4 5 | throw 3", '"throw" is 3; here it can be from 1 to 2'),
        ("bear_off", "men 1:1 2:1 | dice 1 2 | repeat 3 | times 2", "from 1 to 2"),
        ("bear_off", "dice 1 2 | times 2", "which repetition this is; add: repeat 1 or 2"),
        ("yahtzee", "throw", '"throw" is not given; here it can be from 1 to 2'),
        ("yahtzee", "dice 1 2 3 4", "give all of them, for instance: dice 1 2 5 5 6"),
        ("pig", "dice 3", "at a choice write, for instance: points "),
        ("craps", "at turn 2", '"to throw" must be given at turn 2; write, for instance: '),
        ("pig", "total 60 / 80 / 90", "write it by seat: total 60 / 80"),
        ("yahtzee", "used Ones, ones", "twice"),
        ("yahtzee", "used Ones, , Sixes", "missing beside a comma"),
        ("yahtzee", "yahtzee_scored maybe", "possible are yes, no"),
        ("pig", "total 1", "write it by seat: total 1 / 1"),
        ("qwixx", "misses 0 / 1", "there is one player only; for more declare, such as: option pl"),
        ("pig", "total 1 / 1 | points 3 | dice 2", "does not say where play stands"),
        ("pig", "points 3 | dice 2", "at a throw write, for instance: to throw 1 | points "),
        ("bear_off", "to throw 2 | times 1", "at no moment"),
        ("bear_off", "men 2:1 2:2", '"men" has two values for 2'),
        ("bear_off", "men none", '"men" does not begin with none'),
        ("pig", "over total 99 / 10", '"total 99 / 10" is not part of "over"; write |'),
        (
            "pig",
            "total 99 / 10 | points 3 | over",
            '"points" does not matter when the game is over; leave',
        ),
        ("pig", "total", '"total" has no value for 2 players'),
        ("pig", "seat 3", "the seats are 1 to 2; the option players sets how many play"),
        ("craps", "seat 2", "there is no seat 2; there is only seat 1"),
        ("shut_the_box", "up 1 2 10", "numbers from 1 to 9"),
        ("shut_the_box", "up 1 1", "twice"),
        (
            "zombie_dice",
            "cup green green green green | hand green green green",
            "green is there 7 times here, the game has it 6 times",
        ),
        (
            "zombie_dice",
            "hand red",
            '4 times here, the game has it 3 times; say what is left in "cup"',
        ),
        ("zombie_dice", "x", "the fields are at, brains, cup, eaten, green, hand"),
        ("yahtzee", "dice 1 2 3 4 5 | throw 2,", '"throw" is "2,"; here it can be from 1 to 2'),
        ("yahtzee", "score 5 ; dice 1 2 3 4 5", "write | between the fields"),
        ("yahtzee", "score 5 dice 1 2 3 4 5", "write | between the fields"),
        ("cant_stop", "progress 2:1 / 2:NONE", '"progress" is a whole number, "NONE" is not one'),
        ("zombie_dice", "to draw cup 50", '50 are drawn here, and "cup" holds 13'),
    ],
)
def test_mistakes_are_told(stem: str, text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        parse_position(game(stem), text)
    assert message in str(caught.value)


@settings(deadline=None)
@given(text=st.text(st.sampled_from("dice goods used |1234567/,-Ax"), max_size=40))
def test_any_text_is_a_position_or_a_mistake(text: str) -> None:
    with contextlib.suppress(PositionError):
        str(parse_position(game("despirala"), text))


def test_an_end_is_read_back() -> None:
    position = parse_position(game("shut_the_box"), "up 2 3 | over")
    assert position.is_over
    assert position.payoff[0] == 5
    assert str(position) == "up 2 3 | over"


def test_what_nobody_reads_is_not_live() -> None:
    played = game("despirala")
    names = {played.names.slots[s].name for s in live(played)[played.turn]}
    assert names == {"goods", "score", "used"}
    finish = next(n for n, i in enumerate(played.flow) if isinstance(i, Finish))
    names = {played.names.slots[s].name for s in live(played)[finish]}
    assert names == {"goods", "score"}


def test_seats_change_places_at_the_end_of_a_turn() -> None:
    played = game("pig", players=3)
    totals = [s for s, v in enumerate(played.names.slots) if v.name == "total"]
    assert set(totals) <= live(played)[played.turn]


def test_what_does_not_begin_with_nothing_is_told() -> None:
    """Men that stand where they began are there: only zeros of the start go without saying."""
    begun = start(game("bear_off")).node
    thrown = begun.play(begun.outcomes()[0])
    assert str(thrown).startswith("men 1:1 2:1 | ")


def test_another_choice_that_a_text_may_mean_is_named() -> None:
    yahtzee = game("yahtzee")
    last = parse_position(yahtzee, "dice 1 2 3 4 4")
    assert [str(move) for move in last.moves()][:2] == ["Ones", "Twos"]
    assert other_choices(last) == [("throw 1 or 2", ("Keep",))]
    assert other_choices(parse_position(yahtzee, "dice 1 2 3 4 4 | throw 1")) == []
    assert other_choices(start(yahtzee)) == []


def test_throws_of_a_turn_are_counted() -> None:
    """The second choice of Yahtzee follows the second of three throws; Pig throws for ever."""
    rules = game("yahtzee")
    assert throw_number(parse_position(rules, "dice 1 2 3 4 5 | throw 2")) == (2, 3)
    assert throw_number(parse_position(rules, "dice 1 2 3 4 5")) == (3, 3)
    assert throw_number(parse_position(game("pig"), "points 4")) is None
    assert throw_number(parse_position(game("shut_the_box"), "dice 1 3")) is None  # one only


def test_a_place_with_other_dice_or_without_a_move_is_not_meant() -> None:
    rules = rules_of_text(
        """
        game "Two choices"
        dice 2 with 6 sides
        table
            kept = 0 to 2
            points = 0 to 6
        turn
            roll 2 dice
            choose
                "Keep" one of (1 to 6) as f where f in dice
                    kept = 1
                    points = f
                "Pass": pass
            if kept = 1
                roll 1 dice
                choose
                    "Take" one of (1 to 6) as f where f in dice and f > points: points = f
                    "End" where points > 4: pass
        ends after 2 rounds
        payoff points
        """
    )

    def labels_at(text: str) -> list[str]:
        return [move.label for move in parse_position(rules, text).moves()]

    assert labels_at("points 3 | dice 4") == ["Take 4"]  # two dice lie at the other
    assert labels_at("points 4 | dice 3 4") == ["Keep 3", "Keep 4", "Pass"]
    assert labels_at("points 3 | dice 3 4") == ["Keep 3", "Keep 4", "Pass"]  # nothing is kept


def test_a_place_to_which_a_condition_does_not_lead_is_not_meant() -> None:
    """Conditions that something on the way may have changed since say nothing."""
    text = """
        game "Collect"
        option players = 2
        dice 4d6
        each player
            kept = 0 to 4
            face = 0 to 6
        turn
            if kept = 0
                roll all
                choose
                    "Collect" one of (1 to 6) as f where f in dice
                        face = f
                        kept = number of f in dice
            else
                roll (4 - kept) dice
                choose
                    "Keep" when face in dice: kept + number of face in dice
                    "Pass": pass
        ends when any player has kept = 4
        ranking highest kept
        payoff win
        """
    rules = rules_of_text(text)
    position = parse_position(rules, "kept 0 / 2 | face 0 / 3 | dice 1 2 2 2")
    assert [move.label for move in position.moves()] == ["Collect 1", "Collect 2"]
    changed = text.replace("roll all\n", "roll all\n                kept = number of 6 in dice\n")
    with pytest.raises(PositionError, match="several places"):
        parse_position(rules_of_text(changed), "kept 1 / 2 | face 0 / 3 | dice 1 2 3 6")


def test_money_that_was_shared_is_read_back() -> None:
    """What is paid by places is the mean over the orders of those who are level."""
    rules = rules_of_text("""
        game "Shared prize"
        option players = 3
        dice 1d2
        each player
            score = 0
            money = 0
        turn
            roll all
            score + sum of dice
        ends after 1 rounds
        ranking highest score
        at the end
            each p in players
                if place of p = 1: pay 1 from others of p to p
        payoff money
    """)
    seen = [node for seed in range(20) for node in walk(start(rules), seed, 20) if node.is_over]
    texts = [position_text(node) for node in seen]
    assert any("/2" in text for text in texts)
    assert [position_text(parse_position(rules, text)) for text in texts] == texts
    with pytest.raises(PositionError, match="whole number"):
        parse_position(rules, "money x / 1/2 / -1 | score 2/2/1 | over")
    with pytest.raises(PositionError, match="values for 3 players"):
        parse_position(rules, "money 1/2 / 1/2 / -1")

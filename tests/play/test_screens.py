"""What a player sees: the score card read off the rules, tables that fit, the end of a game."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from attrs import define

from dicegames.ground.numbers import percent
from dicegames.loading import load, solve
from dicegames.play import screen
from dicegames.play.columns import beside, table, wrapped
from dicegames.play.judge import Ledger, Scale
from dicegames.play.match import Match, Player, any_move, outcome_of
from dicegames.play.picture import dice_picture
from dicegames.play.score_card import card_lines, gains_of
from dicegames.play.standing import brings, needs, things
from dicegames.play.wording import Line
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.value_text import PositionError
from dicegames.rules.running.notation import parse_position
from tests.rules.small import game as small
from tests.rules.small import read

GAMES = Path(__file__).parents[2] / "games"
WITH_BOXES = ["crag", "despirala", "generala", "maxi_yatzy", "yahtzee", "yatzy"]


@cache
def game(stem: str, players: int = 0) -> Rules:
    return read(GAMES / f"{stem}.dg", **({"players": players} if players else {}))


@cache
def played(stem: str, players: int, seed: int) -> Match:
    match = Match(game(stem, players), seed)
    for _ in match.choices():
        match.play(any_move(match))
    return match


@define
class Screen:
    """A terminal that is looked at."""

    width: int
    plain: bool = False

    def say(self, *lines: Line) -> None:
        raise AssertionError(lines)

    def ask(self, prompt: str, words: object) -> str:
        raise AssertionError(prompt)


def texts(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lines]


# ---- the card


@pytest.mark.parametrize("stem", WITH_BOXES)
@pytest.mark.parametrize("seed", [1, 2])
def test_boxes_and_what_comes_on_top_make_the_score(stem: str, seed: int) -> None:
    match = played(stem, 2, seed)
    won: Counter[int] = Counter()
    for step in match.steps:
        for gain in gains_of(step):
            won[gain.seat] += gain.amount
    slot = match.game.names.variables["score"].base
    end = match.position
    scores = [end.env[slot + (seat - end.whose_turn) % 2] for seat in range(2)]
    assert [won[seat] for seat in range(2)] == scores
    assert sum(scores) > 0
    shown = {line.split("  ")[0]: line.split()[-2:] for line in texts(card(match, 80))}
    assert shown["score"] == list(map(str, scores))


def card(match: Match, width: int) -> list[Line]:
    names = [f"Player {seat + 1}" for seat in range(match.game.players)]
    return card_lines(match, names if len(names) > 1 else ["You"], width)


def test_a_bonus_has_a_line_of_its_own() -> None:
    """Six throws of the upper boxes with four equal dice each, then 84 points: the bonus is won."""
    rules = game("yahtzee", 1)
    match = Match(rules, 1)
    for face, label in enumerate(("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes"), 1):
        for outcome in match.position.outcomes():
            if outcome.dice[face - 1] == 4 and max(outcome.dice) == 4:
                match.let_fall(outcome)
                break
        match.play(match.position.named("Keep " + match.steps[-1].text))
        match.play(match.position.named("Keep " + match.steps[-2].text))
        match.play(match.position.named(label))
    shown = texts(card(match, 40))
    assert "sum of upper         84" in shown
    assert "bonus                35" in shown
    assert "score               119" in shown
    assert "upper_total, of 63   63" in shown


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.dg")), ids=lambda p: p.stem)
def test_a_card_fits_forty_columns(path: Path) -> None:
    option = game(path.stem).names.options.get("players")
    match = Match(game(path.stem, min(4, max(option.values)) if option else 0), 3)
    for _ in range(60):
        if match.position.is_over:
            break
        if match.position.is_chance:
            match.throw()
        else:
            match.play(any_move(match))
    assert all(len(line) <= 40 for line in texts(card(match, 40)))


def test_the_board_of_columns() -> None:
    position = parse_position(
        game("cant_stop"), "progress 2:1 7:4 / 12:2 | dice 2 2 4 6 | climbed 6:1"
    )
    shown = texts(screen.stands(position, ["Anna", "Ben"], {}, Screen(80)))
    assert shown[:5] == [
        "         2  3  4  5   6   7   8  9  10  11  12",
        "of       3  5  7  9  11  13  11  9   7   5   3",
        "Anna     1  -  -  -   -   4   -  -   -   -   -",
        "Ben      -  -  -  -   -   -   -  -   -   -   2",
        "climbed  -  -  -  -   1   -   -  -   -   -   -",
    ]
    beside_moves = brings(position, position.moves())
    assert beside_moves["Pair 2 2"] == "(4, 10)"
    assert beside_moves["Pair 2 4"] == "(6, 8)"


def test_a_board_tells_what_a_number_begins_with() -> None:
    rules = small("""
        each player
            score = 0
            face of (1 to 3) = 2 from 1 to 5
        turn
            roll all
            face of 1 = lowest of dice
    """)
    shown = texts(screen.stands(parse_position(rules, "face 1:1"), ["Anna"], {}, Screen(80)))
    assert shown[1:3] == ["      1  2  3", "face  1  2  2"], "all go to 5: no line says so"


# ---- the position


def test_only_own_things_are_shown() -> None:
    text = "score 5 / 9 | upper_total 5 / 3 | used Ones / Twos, Chance | dice 1 2 3 4 5 | throw 1"
    shown = things(parse_position(game("yahtzee", 2), text))
    assert [thing.text for thing in shown.values() if not thing.drawn] == [
        "upper_total 5 of 63",
        "used Ones",
    ]


def test_what_a_box_needs() -> None:
    rules = read(GAMES / "despirala.dg", reroll="free")
    position = parse_position(rules, "goods 5 | dice 4 5 5 1 2 2").play("Kamerun")
    assert needs(position) == "6 6 6"
    assert not needs(parse_position(rules, "goods 5 | dice 4 5 5 1 2 2"))


def test_what_a_turn_brought() -> None:
    match = Match(game("yahtzee", 1), 1)
    match.throw()
    for _ in range(2):
        match.play(match.position.named("Keep none"))
        match.throw()
    fives = match.position.env[match.game.names.variables["dice"].base][4]
    match.play(match.position.named("Fives"))
    won = f"Fives +{5 * fives}" if fives else "Fives missed"
    assert texts(screen.turn_ends(match)) == [f"{won}, score {5 * fives}"]


def test_who_has_won_and_by_how_much() -> None:
    rules = game("pig", 3)
    over = parse_position(rules, "total 100 / 20 / 91 | over")
    match = Match(rules, 1)
    match.throw()
    match.steps = [match.steps[0].__class__(match.position, match.steps[0].what, over)]
    assert screen.winners(match, ["Anna", "Ben", "Cleo"]) == [
        "Anna wins by 9: ",
        "total 100 to 91",
    ]


def test_the_worst_moves_of_each_person_are_listed_with_their_dice() -> None:
    loaded = load(GAMES / "pig.dg", players=3, target=20)
    judge = solve(loaded)
    match = Match(loaded.rules, 3)
    for _ in match.choices():
        match.play(any_move(match))
    ledger = Ledger(match, judge, Scale((0.01, 0.04, 0.1), is_share=True))
    ledger.update()
    players = [Player("Anna"), Player("Ben"), Player("bot", any_move)]
    shown = texts(screen.worst_moves(match, players, ledger))
    for seat, name in enumerate(("Anna", "Ben")):
        first = shown.index(f"the moves of {name} that lost most") + 1
        own = sorted((-e.loss, e) for e in ledger.events if e.seat == seat and e.loss > 1e-9)
        assert own
        for line, (loss, event) in zip(shown[first:], own[:3], strict=False):
            die = match.steps[event.first - 1].text
            assert f", {die}: {event.played}  " in line
            assert f"loses {percent(-loss)}" in line
    assert not any("bot" in line for line in shown)


# ---- tables


def test_a_table_that_is_too_wide() -> None:
    rows = [["", "Player 1", "Player 2", "Player 3"], ["total", "1", "22", "333"]]
    assert texts(table(rows, 40, turns=False))[0] == "       Player 1  Player 2  Player 3"
    assert texts(table(rows, 24, turns=False)) == [
        "1 Player 1, 2 Player 2,",
        "3 Player 3",
        "       1   2    3",
        "total  1  22  333",
    ]
    you = [["", "You", "random 2"], ["total", "  1", "22"]]
    assert texts(table(you, 16, turns=False))[0] == "1 You,"
    short = [["", "of", "Player 1", "climbed"], ["2", "3", "-", "1"], ["7", "13", "2", "-"]]
    assert texts(table(short, 20, turns=False)) == [
        "1 Player 1,",
        "2 climbed",
        "   of  1  2",
        "2   3  -  1",
        "7  13  2  -",
    ]
    narrow = texts(table([["", "a", "b"], ["x", "1" * 9, "2" * 9]], 14, turns=False))
    assert narrow == ["          a", "x 111111111", "          b", "x 222222222"]
    assert texts(table(rows, 16)) == [
        "          total",
        *[f"Player {n}    {value:>3}" for n, value in [(1, "1"), (2, "22"), (3, "333")]],
    ]


def test_words_are_broken_between_parts() -> None:
    parts = ["goods 5", "used Small straight, Large straight", "points 3"]
    assert wrapped(parts, 22) == ["goods 5", "used Small straight,", "Large straight", "points 3"]
    assert wrapped(["a: 1", "b 2", "c 3"], 10, ", ") == ["a: 1, b 2,", "c 3"]
    assert beside([[[("aaa", "")]], [[("bbb", "")]]], 10) != []
    assert beside([[[("aaa", "")]], [[("bbb", "")]]], 9) == []


# ---- dice


MARBLES = """
bag sack with red times 5, blue times 3, gold
pile hand of sack
each player
    score = 0
turn
    draw 2 to hand
    choose
        "Take": score + number of gold in hand
ends after 1 rounds
payoff highest score
"""


@pytest.mark.parametrize("width", [16, 20, 40, 80])
def test_a_pile_too_wide_for_boxes_stands_in_lines_of_its_own(width: int) -> None:
    match = Match(small(MARBLES), 3)
    match.throw()
    shown = texts(dice_picture(match.position, width))
    assert max(map(len, shown)) <= width
    assert sum(line.count("red") + line.count("blue") + line.count("gold") for line in shown) == 9
    boxes = [number for number, line in enumerate(shown) if "│" in line]
    for number in boxes:  # with their upper and lower sides just where they are
        middle = shown[number]
        assert middle.index("│") == shown[number - 1].index("╭")
        assert "╰" in shown[number + 1]


def test_draws_of_a_turn_are_counted_as_draws() -> None:
    rules = small(
        MARBLES.replace("    draw 2 to", "    repeat 3 times\n        draw 1 to").replace(
            '    choose\n        "Take":',
            '        choose\n            "On": next\n            "Take":',
        )
    )
    match = Match(rules, 3)
    match.throw()
    assert screen.throw_told(match) == ", draw 1 of 3"


def test_the_last_throw_has_its_number_where_a_turn_may_be_left_before_it() -> None:
    match, told = Match(game("generala", 1), 3), []
    for _ in range(2):
        match.throw()
        told.append(screen.throw_told(match))
        match.play(match.position.named("Keep none"))
        told.append(screen.throw_told(match))
    match.throw()
    told.append(screen.throw_told(match))
    one, two, three = (f", throw {number} of 3" for number in (1, 2, 3))
    assert told == [one, one, two, two, three]
    match.play(match.position.moves()[0])
    assert not screen.throw_told(match)


def test_what_is_typed_for_a_draw_is_told_as_drawn() -> None:
    position = Match(small(MARBLES), 3).position
    with pytest.raises(PositionError, match='"grey" is no face of what is drawn'):
        outcome_of(position, "red grey")
    with pytest.raises(PositionError, match="2 are drawn here, these are 3"):
        outcome_of(position, "red red blue")

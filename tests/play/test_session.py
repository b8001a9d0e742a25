"""Playing at one keyboard, with a script in its place."""

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from attrs import define, field

from dicegames.ground.source import Source
from dicegames.play import session, summed_throws
from dicegames.play.adviser import Adviser
from dicegames.play.columns import columns, entries
from dicegames.play.commands import Unclear, chosen, command, keeping
from dicegames.play.match import Match, Player, any_move, people
from dicegames.play.session import SaveError, Session
from dicegames.play.transcript import Header, read_transcript
from dicegames.play.wording import Line
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Move
from tests.rules.small import read

GAMES = Path(__file__).parents[2] / "games"
SUMMED = """game "Sums"
option players = 2 from 1 to 4
dice 2d6
each player
    score = 0
turn
    roll all
    choose
        "Low": score + 1 if sum of dice < 7 else 0
        "High": score + 1 if sum of dice > 7 else 0
ends after 3 rounds
payoff highest score
"""
MOVES = [Move(label, 0) for label in ("Roll", "Keep 1 1 2", "Keep 2", "Hold", "Keep none", "3")]


@cache
def game(stem: str, players: int = 0) -> Rules:
    return read(GAMES / f"{stem}.dg", **({"players": players} if players else {}))


@define
class Script:
    """A terminal whose player types what is written down, then the first move for ever."""

    typed: list[str]
    width: int = 80
    plain: bool = True
    said: list[str] = field(factory=list)
    asked: int = 0

    def say(self, *lines: Line) -> None:
        self.said += ["".join(text for text, _ in line) for line in lines]

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        self.asked += 1
        if self.asked > 3000:
            raise EOFError
        return self.typed.pop(0) if self.typed else "1"


@define
class Played:
    """A session that has ended, all that was said, and the transcripts that were kept."""

    ended: bool
    script: Script
    match: Match
    kept: list[str]

    @property
    def told(self) -> str:
        return "\n".join(self.script.said)


def play(
    rules: Rules,
    *typed: str,
    seed: int = 1,
    players: Sequence[Player] = (),
    dice: Sequence[int] = (),
) -> Played:
    script, match = Script(list(typed)), Match(rules, seed)
    kept: list[str] = []
    seated = list(players) or people(rules.players)
    seats = tuple("bot:random" if p.is_bot else "me" for p in seated)
    header = Header(rules.title, "x.dg", "0", {}, seed, seats, frozenset(dice))
    session = Session(match, script, seated, header, Adviser(script), kept.append, refuse)
    return Played(session.run(), script, match, kept)


def refuse(name: str, text: str) -> str:
    if name == "there":
        raise SaveError("there is there already")
    return f"saved: {name}, {len(text.splitlines())} lines"


# ---- what may be typed


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("roll", "Roll"),
        ("R", "Roll"),
        ("keep 2 1 1", "Keep 1 1 2"),
        ("KEEP  2", "Keep 2"),
        ("keep n", "Keep none"),
        ("ke 2", "Keep 2"),
        ("1", "Roll"),
        ("4", "Hold"),
        ("3", "3"),  # a name goes before a number
    ],
)
def test_what_may_be_typed(text: str, label: str) -> None:
    assert chosen(text, MOVES).label == label


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "type a move"), ("keep", "may be Keep 1 1 2"), ("9", "1 to 6"), ("x", "no move here")],
)
def test_what_is_unclear(text: str, message: str) -> None:
    with pytest.raises(Unclear, match=message):
        chosen(text, MOVES)


def test_enter_makes_the_only_move() -> None:
    assert chosen("", MOVES[:1]).label == "Roll"


def test_a_move_goes_before_a_word_but_not_with_a_slash() -> None:
    moves = [Move("Score", 0), Move("Roll", 0)]
    assert command("score", moves) is None
    assert command("/score", moves) == ("score", "")
    assert command("score", MOVES) == ("score", "")
    assert command("save My File", MOVES) == ("save", "My File")
    with pytest.raises(Unclear, match="there is no"):
        command("/roll", moves)


@pytest.mark.parametrize(
    ("stem", "start", "text", "label"),
    [
        ("dice_poker", "dice 1 2 5 5 6", "keep 5 5", "Re-roll 1 2 6"),
        ("dice_poker", "dice 1 2 5 5 6", "roll 6 1 2", "Re-roll 1 2 6"),
        ("yahtzee", "dice 1 2 5 5 6 | at turn 2", "reroll 1 2 6", "Keep 5 5"),
    ],
)
def test_dice_may_be_kept_or_thrown_again(stem: str, start: str, text: str, label: str) -> None:
    from dicegames.rules.parts.value_text import PositionError
    from dicegames.rules.running.notation import parse_position

    try:
        position = parse_position(game(stem), start)
    except PositionError:
        position = Match(game(stem), 1).position
        position = position.play(next(o for o in position.outcomes() if o.text == "1 2 5 5 6"))
    found = keeping(text, position, position.moves())
    assert found is not None
    assert found.label == label
    assert keeping("keep 4 4", position, position.moves()) is None


# ---- a whole game


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.dg")), ids=lambda p: p.stem)
def test_every_game_can_be_played_to_its_end(path: Path) -> None:
    rules = game(path.stem)
    bots = [Player(f"bot {n}", any_move) for n in range(rules.players)]
    if path.stem in ("lange_strasse", "zilch"):
        pytest.skip("moves by chance do not end it soon")
    played = play(rules, players=bots)
    assert played.ended
    assert "The game is over" in played.told
    assert played.script.asked == 0
    again = read_transcript("kept", played.kept[-1]).match(rules)
    assert again.result == played.match.result
    assert [s.text for s in again.steps] == [s.text for s in played.match.steps]


def test_a_game_without_end_and_without_questions_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MOST_UNASKED", 300)
    text = 'game "On"\ndice 1d6\neach player\n    score = 0\nturn\n    roll all\n    score + 1\n'
    played = play(check(Source("on.dg", text + "ends when score < 0\npayoff highest score\n")))
    assert not played.ended
    assert "300 throws and moves without a question: play stops here" in played.told
    assert len(played.match.steps) == 300


def test_the_seed_decides() -> None:
    first, again, other = (play(game("shut_the_box"), seed=s).told for s in (7, 7, 8))
    assert first == again
    assert first != other


def test_words_other_than_moves() -> None:
    typed = (
        "help",
        "list",
        "position",
        "hint",
        "luck",
        "score",
        "seats",
        "nonsense",
        "dicegames solve pig",
    )
    told = play(game("pig", 2), *typed, "rolll", "hlep", "/hnit", "quit").told
    assert "Type a move" in told
    assert "points" in told
    assert "no values: nobody judges this game" in told
    assert "luck and losses are not known" in told
    assert "total: Player 1 0, Player 2 0" in told
    assert "2 Player 2 (at the keyboard)" in told
    assert '"nonsense" is no move here; list' in told
    assert "that is a command of the shell: quit leaves the game, which is kept" in told
    assert '"rolll" is no move here; did you mean "Roll"?' in told
    assert '"hlep" is no move here; did you mean "help"?' in told
    assert 'there is no "/hnit"; did you mean "hint"?' in told
    assert told.count("1 Roll") == 2


def test_what_is_drawn_is_not_thrown() -> None:
    told = play(game("zombie_dice"), "quit", seed=3).told
    assert "You draw green yellow red, then throw brain, then shot, then shot" in told


def test_players_are_named() -> None:
    told = play(game("pig", 3), "hold", "hold", "quit", seed=3).told
    assert "Turn 1, Player 1" in told
    assert "Player 1 plays Hold" in told
    assert "Turn 1, Player 2" in told
    assert "total: Player 1 4, Player 2 2, Player 3 0" in told


def test_saving() -> None:
    told = play(game("pig"), "save", "save there", "save here", "quit").told
    assert "say: save FILE" in told
    assert "there is there already" in told
    assert "saved: here, " in told


def test_undo_and_redo() -> None:
    played = play(
        game("pig"), "roll", "undo", "redo", "undo", "undo", "hold", "redo", "quit", seed=5
    )
    assert played.told.count("taken back") == 2
    assert "made again" in played.told
    assert "there is nothing to undo" in played.told
    assert "there is nothing to redo" in played.told
    assert [s.text for s in played.match.steps if not s.is_throw] == ["Hold"]


def test_which_throw_it_is_is_said_again_after_undo() -> None:
    told = play(game("yahtzee"), "keep none", "keep none", "undo", "undo", "quit", seed=5).told
    assert [part[:12] for part in told.split("taken back, ")[1:]] == [
        "throw 2 of 3",
        "throw 1 of 3",
    ]


# ---- dice that people throw


def test_dice_are_typed() -> None:
    typed = ("7", "1 2", "rolll", "6", "roll", "dice virtual", "hold", "quit")
    played = play(game("pig"), *typed, dice=[0])
    assert next(s.text for s in played.match.steps if s.is_throw) == "6"
    assert "1 die is thrown here, these are 2" in played.told
    assert "no face" in played.told
    assert 'did you mean "roll"?' in played.told
    assert "thrown by the program from now on" in played.told
    kept = read_transcript("kept", played.kept[-1])
    assert kept.header.typed == frozenset()
    assert kept.match(game("pig")).steps[0].text == "6"


def test_dice_of_another_seat() -> None:
    typed = ("dice typed 2", "dice typed 9", "dice up", "hold", "4", "roll", "6", "quit")
    played = play(game("pig"), *typed)
    assert "Player 2: the dice are typed in from now on" in played.told
    assert played.told.count("say: dice typed") == 2
    thrown = [s.text for s in played.match.steps if s.is_throw and s.seat == 1]
    assert thrown == ["4", "6"]


def test_throws_are_summed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summed_throws, "LONGEST_SEARCH", 1e9)  # however busy the machine is
    typed = ("1 2 3 3 6 6", "despirala", "took 2 rolls", "112233", "collect 6", "continue")
    more = (
        "2 sixes",
        "undo",
        "no sixes",
        "stop",
        "1 1 1 1 1 1",
        "straight",
        "not completed",
        "quit",
    )
    rules = game("despirala")
    played = play(rules, *typed, *more, dice=[0])
    positions = [str(step.after) for step in played.match.steps]
    assert "goods 3 | score 80 | used Despirala" in positions
    assert "goods 0 | score 80 | used Collect 6, Straight, Despirala" in positions
    # what was said is kept, and read back
    kept = read_transcript("kept", played.kept[-1])
    said = [line.text for line in kept.lines if line.word == "said"]
    assert said[:4] == ["took 2 rolls", "...", "no sixes", "not completed"]
    assert said[4:] == ["..."] * 11  # twelve throws: the one that is paid, and eleven goods
    again = kept.match(rules)
    assert str(again.position) == str(played.match.position)
    assert [s.asked for s in again.steps] == [s.asked for s in played.match.steps]


def test_what_does_not_sum_up() -> None:
    typed = ("2 sixes", "took 2 rolls", "7 sixes", "1 2 3 3 6 6", "quit")
    told = play(game("despirala"), *typed, dice=[0]).told
    assert 'with "2 sixes" it matters what the other dice show; type all dice' in told
    assert "this cannot end after 2 throws" in told
    assert 'no throw here has "7 sixes"' in told


def test_a_sum_is_enough_where_only_the_sum_matters() -> None:
    """Also without a compiled game, and at every seat."""
    played = play(game("shut_the_box"), "7", "1", "sum 12", "1", "quit", dice=[0])
    assert "7: as after 1 6" in played.told
    assert "sum 12: as after 6 6" in played.told
    assert [s.text for s in played.match.steps] == ["1 6", "Shut 7", "6 6", "Shut 4 8"]
    seats = check(Source("sums.dg", SUMMED), {"players": 3})
    third = play(seats, "dice typed 3", "1", "1", "7", "quit")
    assert "7: as after 1 6" in third.told


def test_a_number_that_is_dice_or_a_sum_is_asked_for() -> None:
    typed = ("12", "sum of 13", "13", "quit")
    played = play(game("shut_the_box"), *typed, dice=[0])
    told = played.told
    assert '"12" may be the dice 1 2, or their sum; type 1 2, or: sum 12' in told
    assert "no throw here has the sum 13" in told
    assert played.match.steps[0].text == "1 3"


def test_a_sum_is_not_enough_where_dice_matter() -> None:
    played = play(game("yahtzee"), "sum 12", "17", "11123", "keep 1 1 1", "12", "quit", dice=[0])
    assert "with the sum 12 it matters what each of the dice shows; type all dice" in played.told
    assert [s.text for s in played.match.steps] == ["1 1 1 2 3", "Keep 1 1 1", "1 2"]


ANYTHING = [
    *("hint", "hint all", "list", "undo", "redo", "score", "luck", "position", "seats", "save x"),
    *("dice", "dice typed", "dice virtual", "dice typed 2", "help", "/hint", "/undo", "/x", "?"),
    *("1", "2", "17", "999999", "no sixes", "2 sixes", "took 2 rolls", "not completed", "1 2 6"),
    *("12", "sum 9", "1 2 3 4 5 6", "1233", "keep 1", "roll", "roll 1 2", "hold", "s", "", "\0"),
    *("\u00b2", "-"),
]


@pytest.mark.parametrize("stem", ["pig", "shut_the_box", "threes", "lange_strasse", "yahtzee"])
def test_anything_may_be_typed(stem: str) -> None:
    rules = game(stem)
    for seed in range(4):
        chance = random.Random(seed)
        typed = [chance.choice(ANYTHING) for _ in range(60)]
        dice = [seat for seat in range(rules.players) if chance.random() < 0.5]
        played = play(rules, *typed, "/quit", seed=seed, dice=dice)
        again = read_transcript("kept", played.kept[-1])
        assert str(again.match(rules).position) == str(played.match.position)


# ---- lists


def test_dice_are_fair() -> None:
    seen = [Match(game("pig"), seed).throw().text for seed in range(600)]
    assert set(seen) == set("123456")
    assert all(60 < seen.count(face) < 140 for face in "123456")


def test_columns() -> None:
    assert columns(["1 a", "2 b", "3 c"], 11) == ["1 a  2 b", "3 c"]
    assert columns(["1 a", "2-9 long ..., such as b", "10 c"], 80) == [
        "1 a",
        "2-9 long ..., such as b",
        "10 c",
    ]
    assert columns([], 40) == []
    assert entries(MOVES[:2], {}, whole=False) == ["1 Roll", "2 Keep 1 1 2"]

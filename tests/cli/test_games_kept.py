"""Games that are kept, resumed, replayed and judged, without a terminal."""

import io
import json
import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import dicegames
from dicegames.cli.entry import main
from dicegames.cli.playing import game_table, saves
from dicegames.cli.playing.game_table import Wishes, settings_of, with_settings
from dicegames.cli.playing.seating import Solutions, ledger_of, seated, specs_for
from dicegames.cli.solving import Solving
from dicegames.play.match import Match
from dicegames.play.session import SaveError
from dicegames.play.tutor import Tutor

ROOT = Path(__file__).parents[2]
PIG, SHUT = "games/pig.dg", "games/shut_the_box.dg"
SMALL = ["--set", "target=20"]


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("solutions") / "pig.solution"
    dicegames.solve(dicegames.load(ROOT / PIG, target=20)).save(path)
    return str(path)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command with lines that are typed; return its exit code, output and errors."""

    def run(*words: str, lines: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines.replace(",", "\n")))
        code = main(list(words))
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return code, told.out, told.err

    return run


def test_bots_that_are_proposed_can_play(typed: Any) -> None:
    _, told, _ = typed("play", "cant_stop", "--judge", "none", lines="quit")
    assert "against bots: --seat me --seat 'bot:Rule of 28'" in told
    _, told, _ = typed("play", PIG, *SMALL, lines="quit")
    assert "against bots: --seat me --seat bot:optimal" in told


@pytest.mark.parametrize("size", [None, 2.5])
def test_wishes_come_back(size: float | None) -> None:
    """What a game is judged by, and its tutor, are as they were when it is resumed."""
    wished = Wishes(
        "win",
        (1.0, 2.0, 3.0),
        plain=True,
        solving=Solving(),
        tutor=Tutor(size, warns=True),
    )
    usual = Wishes(None, None, plain=False, solving=Solving())
    assert with_settings(usual, settings_of(wished)) == wished
    damaged = {**settings_of(wished), "tutor": "much"}
    assert with_settings(usual, damaged).tutor == Tutor()


def kept() -> list[Path]:
    return saves.saves()


def test_seats(typed: Any, solution: str) -> None:
    words = ["play", PIG, *SMALL, "--seed", "3", "--seat", "Anna", "--seat", f"bot:{solution}"]
    code, out, _ = typed(*words, "--seat", "me", "--judge", "none", lines="hold,hold,quit")
    assert code == 1  # the solution is one for two players
    assert "players" in typed(*words, "--seat", "me")[2]
    code, out, _ = typed(*words, "--solution", solution, lines="seats,hold,hold,hold,hold,hold")
    assert code == 0
    assert "1 Anna (at the keyboard)" in out
    assert "2 pig (bot:" in out
    assert "Turn 1, Anna" in out


def test_strategies_of_the_rules_play(typed: Any, tmp_path: Path) -> None:
    words = ["play", PIG, "--set", "target=50", "--seed", "3", "--judge", "none"]
    _, out, _ = typed(*words, "--seat", "bot:hold AT 20", "--seat", "bot:Hold at 20")
    assert "The game is over" in out
    assert "Hold at 20 1 plays Hold" in out
    held = [int(line.split("points ")[1]) for line in positions_before(kept()[0], "Hold")]
    assert held
    assert min(held[:-1]) >= 20
    rules = Path("games/lange_strasse.dg").read_text("utf-8").replace("best turn", "best")
    (tmp_path / "open.dg").write_text(rules, "utf-8")
    seats = [word for seat in ("bot:Stop as soon as allowed",) * 3 for word in ("--seat", seat)]
    words = ["play", str(tmp_path / "open.dg"), "--seed", "3", *seats, "--judge", "none"]
    code, _, err = typed(*words)
    assert code == 2
    assert "leaves it to the best move here, and it is not known: " in err


def test_bots_look_ahead_to_the_end_of_the_turn(typed: Any) -> None:
    words = ["--seed", "3", "--judge", "none"]
    seats = ["--seat", "bot:greedy", "--seat", "bot:Greedy"]
    _, out, _ = typed("play", PIG, "--set", "target=30", *words, *seats)
    assert "The game is over" in out
    held = [int(line.split("points ")[1]) for line in positions_before(kept()[0], "Hold")]
    assert min(held[:-1]) >= 20
    seats = ["--seat", "bot:Stop at 500", "--seat", "bot:Stop at 500"]
    _, out, _ = typed("play", "games/lange_strasse.dg", "--set", "players=2", *words, *seats)
    assert "The game is over" in out
    turns = re.findall(r"Turn \d+, Stop at 500 1 .*\ntotal: Stop at 500 1 (\d+),", out)
    brought = [int(after) - int(before) for before, after in pairwise(turns)]
    assert len(brought) > 10
    assert all(points == 0 or points >= 500 for points in brought)
    assert any(500 <= points < 1000 for points in brought)


def positions_before(path: Path, move: str) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    pairs = pairwise(lines)
    return [line for line, following in pairs if following == f"move      {move}"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seat", "me"], "the game has"),
        (["--seat", "me", "--seat", "bot:nobody"], 'no bot is called "nobody"'),
        (["--seat", "me", "--seat", "bot:"], "sits nowhere"),
        (["--seat", "3=bot"], "there is no seat 3"),
        (["--seat", "0=bot"], "there is no seat 0"),
        (["--seat", "2=bot", "--seat", "2=me"], "seat 2 is filled twice"),
        (["--seat", "2="], "sits nowhere"),
        (["--seat", "me", "--seat", "A\x0bB"], "sits nowhere"),
        (["--seat", "2=best"], "a bot is meant by bot:best"),
        (["--dice", "3=typed"], 'there is no seat "3"'),
        (["--dice", "loaded"], "say typed, virtual"),
        (["--grades", "3,2,1"], "three losses that rise"),
        (["--resume", "--seed", "4"], "with the seats, options and dice it has"),
    ],
)
def test_misused(words: list[str], message: str, typed: Any) -> None:
    more = ["--set", "players=2"] if "--resume" not in words else []
    code, _, err = typed("play", PIG, *more, *words)
    assert code == 2
    assert message in err
    assert not kept()


def test_what_would_steer_a_terminal_is_not_repeated(typed: Any, tmp_path: Path) -> None:
    """Escape sequences that are typed, named, or come with somebody's transcript."""
    lines = "\x1b[31mfoo,/\x1bbar,save /\x07nowhere/x,go\x9b,\t1\t,quit"
    _, out, err = typed("play", SHUT, "--seed", "1", "--judge", "none", lines=lines)
    assert '"\ufffd[31mfoo" is no move here' in out
    assert "You play Shut" in out  # tabs are space
    _, _, more = typed("play", "\x1b[2Jpig")
    text = kept()[0].read_text("utf-8")
    path = tmp_path / "sent.txt"
    path.write_text(re.sub("^seat .*", "seat      1 A\x1b[31mB", text, flags=re.MULTILINE), "utf-8")
    code, refused, told = typed("replay", str(path), lines="seats,quit")
    assert code == 1
    assert "is no text" in told
    assert not any(sign in out + err + more + refused + told for sign in "\x1b\x07\x9b")


def test_which_game(typed: Any) -> None:
    code, _, err = typed("play")
    assert code == 2
    assert "say which game" in err
    assert "there is no unfinished game" in typed("play", "--resume")[2]
    assert "no game has been played yet" in typed("replay", "last")[2]


@pytest.mark.parametrize(
    ("seats", "who"),
    [
        (["2=bot:best"], ("me", "bot:best")),
        (["2 = bot:random", "Anna"], ("Anna", "bot:random")),
        (["1=Anna"], ("Anna", "me")),
        (["Anna=Bea", "Carl"], ("Anna=Bea", "Carl")),
    ],
)
def test_seats_by_number(seats: list[str], who: tuple[str, ...]) -> None:
    assert specs_for(seats, 2) == who


def test_the_number_of_seats_is_the_number_of_players(typed: Any) -> None:
    words = ["play", "games/threes.dg", "--judge", "none", "--seed", "1"]
    _, out, _ = typed(*words, *["--seat", "bot:random"] * 3)
    assert "players 3" in out
    assert "random 2 wins by 2: score 14 to 16" in out


def test_solutions_of_other_objectives(typed: Any, tmp_path: Path) -> None:
    game = dicegames.load(ROOT / SHUT, tiles=5)
    path = str(tmp_path / "turns.solution")
    dicegames.solve(game, "turns").save(path)
    words = ["play", SHUT, "--set", "tiles=5", "--seed", "2"]
    code, out, _ = typed(*words, "--seat", f"bot:{path}", "--judge", "none")
    assert code == 0
    assert "turns plays Shut" in out
    code, _, err = typed(*words, "--judge", path)
    assert code == 2
    assert "is for turns: it does not judge the result" in err


def test_left_and_resumed(typed: Any, solution: str) -> None:
    words = ["--judge", solution]
    _, out, _ = typed("play", PIG, *SMALL, "--seed", "7", *words, lines="roll,hold,quit")
    assert "continues it" in out
    (path,) = kept()
    code, out, _ = typed("play", "--resume", *words, lines="position")
    assert code == 0
    assert "total 11 / 0 | seat 2" in out
    assert kept() == [path]
    assert typed("play", PIG, "--resume", *words, lines="position")[1] == out
    assert "no unfinished game of" in typed("play", SHUT, "--resume")[2]


def test_a_file_that_is_something_else_is_no_game_to_go_on_with(typed: Any, tmp_path: Path) -> None:
    (notes := tmp_path / "notes.txt").write_text("hello\n", "utf-8")
    code, _, err = typed("play", "--resume", str(notes))
    assert code == 1
    assert "notes.txt, and it is no transcript" in " ".join(err.split())


def test_a_saved_transcript_goes_on_as_a_game_of_its_own(typed: Any, tmp_path: Path) -> None:
    saved = tmp_path / "saved.txt"
    words = ["play", PIG, *SMALL, "--seed", "7", "--judge", "none"]
    _, out, _ = typed(*words, lines=f"roll,save {saved},quit")
    assert "saved: dicegames replay" in out
    before = saved.read_text("utf-8")
    assert str(ROOT) not in before  # the rules file is named as seen from there
    typed("play", str(saved), "--resume", "--judge", "none", lines="hold,quit")
    assert saved.read_text("utf-8") == before
    assert len(kept()) == 2


def test_what_is_saved_replaces_nothing_else(typed: Any, tmp_path: Path) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("Dear Anna\n", "utf-8")
    mine = tmp_path / "mine.txt"
    lines = f"save {other},save {mine},roll,save {mine},save {tmp_path / 'no' / 'x'},quit"
    _, out, _ = typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines=lines)
    out = " ".join(out.split())
    assert "is there already and is left as it is" in out
    assert "cannot be written" in out
    assert other.read_text("utf-8") == "Dear Anna\n"
    assert mine.read_text("utf-8").count("\nmove") == 1
    with pytest.raises(SaveError):
        saves.export("a\0b", "text")
    with pytest.raises(SaveError):
        saves.export(str(mine), before_seed(mine.read_text("utf-8")))


def test_a_byte_order_mark_does_no_harm(typed: Any, tmp_path: Path) -> None:
    """Editors of Windows put one before a text."""
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    (path,) = kept()
    marked = tmp_path / "marked.txt"
    marked.write_text("\ufeff" + path.read_text("utf-8"), "utf-8")
    plain, found = (typed("replay", str(one), lines="next,quit") for one in (path, marked))
    assert plain == found
    assert plain[0] == 0
    assert "is the transcript of a game" in typed("check", str(marked))[2]


def before_seed(text: str) -> str:
    return text.replace("seed      7", "seed      8")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], "is cut off, or damaged"),
        (lambda text: text.replace("seed      7", "seed      8"), "the dice of the seed show"),
        (lambda text: text.replace("move      Roll", "move      Fly"), "no legal move"),
        (lambda text: "rubbish\n", "no transcript"),
        (lambda text: "", "no transcript"),
        (lambda text: text.replace("rules     ", "rules     0"), "the rules in"),
        (lambda text: text.replace("target 20", "target much"), "target"),
        (lambda text: text.replace("file      pig", "file      gone.dg"), "there is no such file"),
        (lambda text: text.replace("seat      2 me\n", ""), "it names 1 seat"),
    ],
)
def test_damage_is_told_and_left_as_it_is(damage: Any, message: str, typed: Any) -> None:
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    (path,) = kept()
    path.write_text(damage(path.read_text("utf-8")), "utf-8")
    before = path.read_bytes()
    for words in (["play", "--resume"], ["replay", "last"], ["analyse", "last", "--json"]):
        code, _, err = typed(*words, "--judge", "none")
        assert code in (1, 2)
        offered, error, why = err.rpartition("error: ")
        assert error
        assert message in why
        assert not offered or "take it so far?" in offered  # what is cut off can be gone on with
    assert path.read_bytes() == before
    assert kept() == [path]


def test_rules_are_read_inside_given_folders_only(
    typed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far, near = tmp_path / "far", tmp_path / "near"
    far.mkdir()
    near.mkdir()
    (far / "pig.dg").write_text(Path(PIG).read_text("utf-8"), "utf-8")
    saved = near / "game.txt"
    words = ["play", str(far / "pig.dg"), *SMALL, "--seed", "7", "--judge", "none"]
    typed(*words, lines=f"roll,save {saved},quit")
    replay = ["replay", str(saved), "--judge", "none"]
    code, _, err = typed(*replay)
    assert code == 1
    assert "names rules outside of its folder: ../far/pig.dg" in err
    (near / "link.dg").symlink_to(far / "pig.dg")
    text = saved.read_text("utf-8")
    saved.write_text(text.replace("../far/pig.dg", "link.dg"), "utf-8")
    assert "names rules outside of its folder" in typed(*replay)[2]
    saved.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert typed(*replay)[0] == 0  # the current folder holds both
    assert typed("replay", "last", "--judge", "none")[0] == 0  # kept by the program itself


@pytest.mark.parametrize("file", ["/dev/zero", "/dev/stdin", ".", "x" * 5000])
def test_rules_of_a_transcript_are_a_file(file: str, typed: Any) -> None:
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    (path,) = kept()
    text = path.read_text("utf-8")
    path.write_text(re.sub("^file .*", f"file {file}", text, flags=re.MULTILINE), "utf-8")
    code, _, err = typed("replay", "last", "--judge", "none")
    assert code == 1
    assert "there is no such file" in err


@pytest.mark.parametrize(
    ("line", "damaged", "told"),
    [
        ("game      Pig", "game      Hog", "have changed since"),
        ("seed      7\n", "", 'the line that begins with "seed" is missing'),
        (
            "seed      7\n",
            "seed      7\n" * 2,
            "is not in order, or there twice",
        ),
        (
            "end       ",
            "end       3 steps\nend       ",
            "after the end\n  help: it is left",
        ),
        ("option    target 20", "option    target x", 'txt: the option "target" cannot be "x"'),
        ("option    target 20\n", "", 'the line of the option "target" is missing'),
    ],
)
def test_what_was_played_is_compared_with_the_rules(
    line: str, damaged: str, told: str, typed: Any
) -> None:
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    (path,) = kept()
    text = path.read_text("utf-8")
    assert line in text
    path.write_text(text.replace(line, damaged), "utf-8")
    code, _, err = typed("replay", "last", "--judge", "none")
    assert code == 1
    assert told in err


@pytest.mark.parametrize(
    ("line", "damaged"),
    [
        ("seed      7", f"seed      {'9' * 5000}"),
        ("seed      7", f"seed      7\ntyped dice {'9' * 5000}"),
        ("seed      7", "seed      7\ntyped dice 0"),
        ("seed      7", "seed      7\ntyped dice 3"),
        ("option    target 20", f"option    target {'9' * 5000}"),
        ("end       3 steps", f"end       {'9' * 5000} steps"),
        ("throw     ", f"throw     {'9' * 5000}"),
        ("move      Roll", f"move      {'9' * 5000}"),
        ("rules     ", f"rules     {'9' * 5000}"),
        ("seat      1 me", f"seat      1 bot:{'9' * 5000}"),
    ],
)
def test_long_numbers_and_names(line: str, damaged: str, typed: Any) -> None:
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    (path,) = kept()
    text = path.read_text("utf-8")
    assert line in text
    path.write_text(text.replace(line, damaged), "utf-8")
    for words in (["play", "--resume"], ["replay", "last"]):
        code, _, err = typed(*words, "--judge", "none")
        assert code in (1, 2) or "bot:" in damaged
        assert "internal error" not in err
        assert len(err) < 1000


def test_a_game_with_a_long_name_is_kept(typed: Any, tmp_path: Path) -> None:
    rules = tmp_path / "long.dg"
    text = Path(PIG).read_text("utf-8").replace('game "Pig"', f'game "{"Pig " * 200}"')
    rules.write_text(text, "utf-8")
    code, _, err = typed("play", str(rules), *SMALL, "--judge", "none", lines="roll,quit")
    assert (code, err) == (0, "")
    assert len(kept()) == 1


def test_no_text_at_all(typed: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"dicegames transcript, format 1\n\xff\xfe")
    assert "is no text" in typed("replay", str(path))[2]
    path.write_bytes(b"dicegames transcript, format 1\ngame Pig\nfile p\0ig.dg\n")
    assert "is no text" in typed("analyse", str(path))[2]
    assert "is a directory, not a transcript" in typed("replay", str(tmp_path))[2]


def test_a_game_that_cannot_be_kept_goes_on(typed: Any, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in its way", "utf-8")
    code, out, err = typed("play", PIG, *SMALL, "--judge", "none", lines="roll,quit")
    assert code == 0
    assert err.count("this game is not kept") == 1
    assert "not a directory" in err
    assert "could not be kept" in out


def test_a_game_keeps_its_judge(tmp_path: Path, solution: str, typed: Any) -> None:
    judge = tmp_path / "judge.solution"
    judge.write_bytes(Path(solution).read_bytes())
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", str(judge), lines="roll,quit")
    judge.unlink()
    code, _, err = typed("analyse", "last")
    assert code != 0
    assert judge.name in err
    assert typed("analyse", "last", "--judge", "none")[0] == 1
    assert typed("analyse", "last", "--judge", "optimal")[0] == 0


def test_games_without_a_judge_say_so(typed: Any) -> None:
    code, out, _ = typed("play", "games/lange_strasse.dg", "--time", "1s", lines="hint,1,luck,quit")
    assert code == 0
    assert "without luck and losses: " in out
    assert "no values: " in out
    assert "luck and losses are not known: " in out
    code, _, err = typed("analyse", "last", "--time", "1s")
    assert code == 1
    assert "the moves cannot be judged" in err
    code, _, err = typed(
        "play", "games/yahtzee.dg", "--memory", "1MB", "--seat", "bot:optimal", lines=""
    )
    assert code == 2
    assert "bot:optimal cannot play: solving needs about" in err
    assert '"bot:random" can' in err


@pytest.mark.parametrize("bot", ["bot:optimal", "bot:easy", "bot:Best behind"])
def test_who_plays_by_the_solution_has_longer_for_it_than_the_judge(
    bot: str, tmp_path: Path
) -> None:
    rules = tmp_path / "pig.dg"
    strategy = 'strategy "Best behind"\n    when points < 9: "Roll"\n    otherwise: best\n'
    rules.write_text(f"{(ROOT / PIG).read_text('utf-8')}\n{strategy}", "utf-8")
    solutions = Solutions(dicegames.load(rules, target=13), Solving(), patience=1e-9)
    seated(["me", bot], solutions.game, solutions)
    assert solutions.solution() is not None, solutions.problem


def test_plain_text_has_no_pictures(typed: Any, solution: str) -> None:
    words = ["play", PIG, *SMALL, "--seed", "7", "--plain", "--solution", solution]
    code, out, _ = typed(*words, lines="hint,hold,luck,score,quit")
    assert code == 0
    assert out.isascii()
    assert "best" in out
    assert "mistake" in out or "blunder" in out
    assert "after each throw and move: " in out


# ---- afterwards


@pytest.fixture
def finished(typed: Any, solution: str) -> list[str]:
    seats = ["--seat", "bot:random", "--seat", "bot:optimal"]
    typed("play", PIG, *SMALL, "--seed", "8", *seats, "--solution", solution)
    return ["--solution", solution]


def test_analyse(finished: list[str], typed: Any) -> None:
    code, out, _ = typed("analyse", "last", *finished)
    assert code == 0
    assert " 2. random: Hold  ??? massive blunder" in out
    assert "start + luck - losses + others = result" in out
    code, out, _ = typed("analyse", "last", "--json", *finished, "--grades", "0.1,0.2,0.3")
    data = json.loads(out)
    assert code == 0
    assert data["over"]
    assert data["thresholds"] == [0.1, 0.2, 0.3]
    for player, result in zip(data["players"], data["result"], strict=True):
        total = player["start"] + player["luck"] - player["losses"] + player["others"]
        assert total == pytest.approx(result, abs=1e-9)
    blunder = data["events"][1]
    assert (blunder["move"], blunder["best"], blunder["grade"]) == ("Hold", "Roll", "blunder")
    values = {option["move"]: option["value"] for option in blunder["options"]}
    assert blunder["loss"] == pytest.approx(values["Roll"] - values["Hold"])


def test_the_final_score_in_the_distribution(typed: Any) -> None:
    words = ["play", SHUT, "--set", "tiles=4", "--seed", "2", "--seat", "bot:random"]
    _, out, _ = typed(*words)
    found = dicegames.solve(dicegames.load(ROOT / SHUT, tiles=4)).distribution()
    result = float(re.findall(r"^result (\d+)$", out, re.MULTILINE)[0])
    same = float(found.masses[found.values == result].sum())
    less = float(found.masses[found.values < result].sum())
    told = f"random: {result:g}, less in {less:.1%}, the same in {same:.1%}, more in"
    assert told in " ".join(out.split())
    (row,) = [line for line in out.splitlines() if line.endswith("< random")]
    assert row.split()[0] == f"{result:g}"
    assert row.split()[1] == f"{same:.1%}"
    assert "less in" in typed("analyse", "last", "--plain")[1]


def test_replay(finished: list[str], typed: Any) -> None:
    lines = ",next,back,first,back,last,next,go 1,hint,try roll,try,try fly,go x,go 999,dance,list,"
    lines += "luck,bakc,score,position,help,quit"
    code, out, _ = typed("replay", "last", *finished, lines=lines)
    assert code == 0
    for said in (
        "this is the start of the game",
        "this is the end of the game",
        "the game is over: 0 / 1",
        "Roll instead: best, expected 63.72%",
        "say: try MOVE; the moves are Roll, Hold",
        '"fly" is no move here',
        "say a number: go 5",
        "this game goes up to ",
        '"dance" is no word here',
        'did you mean "back"',
        "Hold      40.59%  -23.14%",
    ):
        assert said in out, said


def test_a_replay_is_gone_on_with(finished: list[str], typed: Any) -> None:
    code, out, _ = typed("replay", "last", *finished, lines="go 1,try roll,play")
    assert code == 0
    assert "The game is over" in out
    assert len(kept()) == 2
    moves = [path.read_text("utf-8").split("\nmove ")[1].split("\n")[0] for path in kept()]
    assert [move.strip() for move in moves] == ["Roll", "Hold"]


def test_moves_are_judged_by_their_turn_where_the_game_is_too_large(typed: Any) -> None:
    words = ["play", "games/lange_strasse.dg", "--seed", "3"]
    code, out, _ = typed(*words, lines="hint,luck,1,hint,1,quit")
    assert code == 0
    assert "judged by the points of their turn, not by the result" in " ".join(out.split())
    assert "expected points of the turn, more is better" in out
    assert "luck and the result are not judged" in out
    assert "luck +" not in out
    told = " ".join(typed("analyse", "last")[1].split())
    assert "judged by the points of their turn, not by the result: " in told  # and why
    told = json.loads(typed("analyse", "last", "--json")[1])
    assert all(event["luck"] is None for event in told["events"] if "throws" in event)
    assert all("start" not in player for player in told["players"])


def test_unknown_turns_are_not_judged() -> None:
    game = dicegames.load(ROOT / PIG, target=20)
    match = Match(game.rules, 1)
    ledger = ledger_of(match, dicegames.solve(game, "turn"), None)
    assert not ledger.is_whole
    assert ledger.scale.lost(2.0) == "2.00 in this turn"
    assert [choice.move.label for choice in ledger.options(game.position("points 3"))]
    three = dicegames.load(ROOT / PIG, players=3)
    other = ledger_of(Match(three.rules, 1), dicegames.solve(three, "turn"), None)
    assert other.options(three.position("total 98 / 84 / 58 | seat 3 | points 2")) == ()
    assert len(other.options(three.position("points 2"))) == 2
    while not match.position.is_over:
        position = match.position
        match.throw() if position.is_chance else match.play(position.moves()[-1])
    ledger.update()
    solved = [event for event in ledger.events if event.options]
    assert solved
    for event in solved:
        best, played = event.options[0][1], dict(event.options)[event.played]
        assert event.loss == pytest.approx(best - played)
    assert ledger.account(0).losses == sum(e.loss for e in solved if not e.seat)


def test_a_game_that_is_over_does_not_wait(typed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(game_table, "spreads", slow)
    words = ["play", SHUT, "--set", "tiles=6", "--seed", "4"]
    code, out, _ = typed(*words, lines=",".join(["1"] * 9))
    assert code == 0
    assert "The game is over" in out
    assert "still to be computed: dicegames analyse last" in out


def test_replay_stands_before_mistakes(finished: list[str], typed: Any) -> None:
    lines = "next mistake,hint,next mistake,next mistake,mistake"
    _, out, _ = typed("replay", "last", *finished, lines=lines)
    told = [line for line in out.splitlines() if line.startswith("now: ")]
    assert len(told) == 3
    assert all("random: Hold  ??? massive blunder" in line for line in told)
    assert "Roll" in out.split("> hint")[1].split("> next")[0]
    assert "no mistake follows" in out


def test_settings_are_kept_from_any_folder(
    typed: Any, solution: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = str((ROOT / PIG).resolve())
    monkeypatch.chdir(Path(solution).parent)
    words = ["--solution", Path(solution).name, "--grades", "0.5,0.6,0.7", "--plain"]
    words += ["--seat", "me", "--seat", f"bot:{Path(solution).name}", "--tutor", "0.5"]
    _, out, _ = typed("play", rules, *SMALL, "--seed", "7", *words, lines="save mine.txt,quit")
    assert "setting" not in Path("mine.txt").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        _, out, err = typed("play", "--resume", lines="hint,quit")
        assert not err
        assert "╭" not in out
        assert "chance to win, more is better" in out
    text = kept()[0].read_text("utf-8")
    assert f"setting   solution {Path(solution).resolve()}" in text
    assert "setting   grades 0.5,0.6,0.7" in text
    assert "setting   plain yes" in text
    assert "setting   tutor 0.5" in text
    _, out, _ = typed("play", "--resume", "--grades", "0.001,0.002,0.003", lines="quit")
    assert "setting   grades 0.001,0.002,0.003" in kept()[0].read_text("utf-8")


def test_games_are_listed_and_resumed_by_number(typed: Any) -> None:
    assert "no game has been played yet" in typed("saves")[1]
    words = ["--judge", "none", "--seed", "7"]
    typed("play", PIG, *SMALL, *words, "--seat", "Anna", "--seat", "bot:random", lines="roll,quit")
    typed("play", SHUT, "--set", "tiles=4", *words, lines="1,1,1,1,1,1,1")
    rubbish = kept()[0].with_name("99990101-000000-pig-1.txt")
    rubbish.write_text("rubbish\n", "utf-8")
    for seconds, path in enumerate((rubbish, kept()[0], kept()[1])):
        os.utime(path, (2**31 - seconds, 2**31 - seconds))
    told = json.loads(typed("saves", "--json")[1])["games"]
    assert [game["state"] for game in told] == ["damaged", "over", "open"]
    assert told[2]["seats"] == ["Anna", "bot:random"]
    lines = typed("saves")[1].splitlines()
    assert lines[0].startswith("1  2038-01-1")
    assert "Pig; Anna, random; open: turn 1" in lines[2]
    assert lines[-1].strip() == "go on: dicegames play --resume 3; look back: dicegames replay 2"
    assert "Turn 1, Anna" in typed("play", "--resume", "3", "--judge", "none", lines="quit")[1]
    assert "this game is over" in typed("play", "--resume", "2")[2]
    assert "there is no game 4: 3 games are kept" in typed("replay", "4")[2]


def test_a_game_that_is_cut_off_is_offered_up_to_its_last_whole_line(
    typed: Any, tmp_path: Path
) -> None:
    words = ["play", PIG, *SMALL, "--seed", "7", "--judge", "none"]
    typed(*words, lines="roll,hold,hold,quit")
    text = kept()[0].read_text("utf-8")
    cut = tmp_path / "cut.txt"
    move = text.index("move      Hold")
    for length in (move + 3, move + 14, len(text) - 3):
        cut.write_text(text[:length], "utf-8")
        steps = len(re.findall(r"^(?:throw|move) .*\n", text[:length], re.MULTILINE))
        code, out, err = typed("play", "--resume", str(cut), lines="yes,position,quit")
        assert code == 0
        assert f"up to its last whole line it has {steps} steps" in err
        assert re.findall(r"^position +(.*)\n", text[:length], re.MULTILINE)[-1] in out
        assert cut.read_text("utf-8") == text[:length]
        assert typed("play", "--resume", str(cut), lines="no")[0] == 1
        code, _, err = typed("play", "--resume", str(cut), lines="what,quit")
        assert (code, err.count("yes or no"), "Error" in err) == (1, 2, False)
        assert typed("replay", str(cut), lines="")[0] == 1  # nobody answers


def test_a_game_in_play_is_locked(typed: Any) -> None:
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    keeper = saves.GameSaver(kept()[0])
    code, _, err = typed("play", "--resume", "--judge", "none", lines="quit")
    assert code == 1
    assert "is being played in another terminal" in err
    typed("play", SHUT, "--seed", "7", "--judge", "none", lines="quit")
    for seconds, path in enumerate(sorted(kept(), key=lambda path: "pig" in path.name)):
        os.utime(path, (2**31 + seconds, 2**31 + seconds))
    code, out, err = typed("play", "--resume", "--judge", "none", lines="quit")
    assert (code, "up 1 2 3" in out) == (0, True)
    assert re.search("note: .* in another terminal: .*pig.*; an older game goes on", err)
    keeper.close()
    assert typed("play", "--resume", "--judge", "none", lines="quit")[0] == 0


def test_a_pipe_in_place_of_a_lock_is_not_waited_for(typed: Any) -> None:
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    os.mkfifo(kept()[0].with_suffix(".lock"))
    assert typed("saves", lines="")[0] == 0
    assert typed("play", "--resume", "--judge", "none", lines="quit")[0] == 0


def test_a_damaged_game_does_not_hide_older_ones(typed: Any) -> None:
    typed("play", PIG, *SMALL, "--seed", "7", "--judge", "none", lines="roll,quit")
    newest = kept()[0].with_name("99990101-000000-pig-1.txt")
    newest.write_text("rubbish\n", "utf-8")
    os.utime(newest, (2**33, 2**33))
    code, _, err = typed("play", "--resume", "--judge", "none", lines="quit")
    assert code == 0
    assert "is no transcript of a game; it is left as it is" in err
    assert newest.read_text("utf-8") == "rubbish\n"
    newest.write_bytes(bytes(saves.LARGEST_SAVE + 1))
    os.utime(newest, (2**33, 2**33))
    code, _, err = typed("play", "--resume", "--judge", "none", lines="quit")
    assert code == 0
    assert "larger than 20 MB; it is left as it is, an older game goes on" in err


def test_where_rules_have_changed_an_older_game_is_named(typed: Any, tmp_path: Path) -> None:
    own = tmp_path / "own.dg"
    own.write_text(Path(PIG).read_text("utf-8"), "utf-8")
    words = ["--seed", "7", "--judge", "none"]
    for game in (PIG, SHUT, str(own), str(own)):
        typed("play", game, *words, lines="quit")
    newest = sorted(kept(), key=lambda path: str(own) in path.read_text("utf-8"))
    for seconds, path in enumerate(newest):
        os.utime(path, (2**31 + seconds, 2**31 + seconds))
    own.write_text(own.read_text("utf-8").replace("dice show 1:", "dice show 2:"), "utf-8")
    code, _, err = typed("play", "--resume", "--judge", "none", lines="quit")
    assert code == 1
    assert "have changed since" in err
    assert "an older game goes on: dicegames play --resume 3" in err
    assert typed("play", "--resume", "3", "--judge", "none", lines="quit")[0] == 0
    own.unlink()
    assert "older game" not in typed("play", "--resume", str(own))[2]


def test_several_moves_taken_back(typed: Any) -> None:
    words = ["play", SHUT, "--seed", "12"]
    lines = "1,1,undo 3,undo 2,redo 2,undo 0,hint x,hint 1"
    _, out, _ = typed(*words, lines=lines)
    assert "there is no more than 2 to undo" in out
    assert out.count("taken back") == 1
    assert out.count("made again") == 1
    assert "say how many: undo 3" in out
    assert "say how many: hint 3 or: hint all" in out


def test_a_line_of_three_megabytes_is_not_repeated(typed: Any) -> None:
    code, out, err = typed("play", PIG, *SMALL, "--judge", "none", lines="x" * 3_000_000)
    assert code == 0
    assert "a line of more than 1,000 signs" in out
    assert len(out) + len(err) < 3000


def test_advice_names_the_command_that_it_is_for(typed: Any) -> None:
    told = "one turn alone: --objective turn"
    for command, note in (("drill", True), ("stats", False)):
        code, _, err = typed(command, "games/lange_strasse.dg")
        assert code in (1, 2)
        assert told in err
        assert ("note: for --objective see: dicegames solve --help" in err) == note

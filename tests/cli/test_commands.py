"""The command line as people and programs use it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dicegames.cli import entry
from dicegames.cli.commands import advise
from dicegames.cli.entry import main
from dicegames.cli.printing.output import duration
from dicegames.ground.numbers import bytes_text

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
ACES = str(Path(__file__).parents[1] / "second_games" / "aces.dg")
WRITE = bool(os.environ.get("DICEGAMES_WRITE_GOLDEN"))
SHUT = "games/shut_the_box.dg"
PIG = "games/pig.dg"
SMALL = ["--set", "tiles=4"]

FAULTY = """\
game "Faulty"
dice 1d6
each player
    score = 0
turn
    roll all
    scor + sum of dice
ends after 1 rounds
payoff highest score
"""


def answer(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    """The one JSON object that a command prints."""
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def steady(text: str) -> str:
    """Text without what differs from run to run, and without space at the ends of lines."""
    text = re.sub(r"^time .*?memory *$", "time", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"at most [\d.]+e-1[0-9]", "at most RUN", text)  # rounding, by operations done
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def test_one_game_tells_no_errors(capsys: pytest.CaptureFixture[str]) -> None:
    words = "simulate", PIG, "--set", "target=5", "--games", "1"
    told = answer(capsys, *words)
    assert told["mean_error"] is told["sd"] is told["sd_error"] is None
    assert main([*words]) == 0
    shown = capsys.readouterr().out
    assert "standard error unknown" in shown
    assert "nan" not in shown
    assert all(line == line.rstrip() for line in shown.splitlines())


def test_a_move_that_there_is_not_is_told_before_anything_is_solved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("solving has begun")

    monkeypatch.setattr(advise, "obtained", begun)
    assert main(["advise", SHUT, "up 1 2 3 | dice 1 2", "--why", "Shut 9"]) != 0
    told = capsys.readouterr().err
    assert "Shut 9" in told
    assert "internal error" not in told


# ---- for people


@pytest.mark.parametrize("width", [40, 120])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("help", ["--help"]),
        ("solve", ["solve", SHUT, *SMALL]),
        ("advise", ["advise", SHUT, "up 1 2 3 4 5 6 | dice 6 6"]),
        ("rules", ["show", PIG]),
        ("check", ["check", SHUT, PIG]),
        ("compare", ["compare", SHUT, "--set", "tiles=6", "--set", "one_die=optional_at_6"]),
        ("strategy", ["solve", PIG, "--set", "target=20", "--seat", "2=hold at 20"]),
    ],
)
def test_golden(
    name: str,
    words: list[str],
    width: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(words) == 0
    printed = steady(capsys.readouterr().out)
    path = GOLDEN / f"{name}_{width}.txt"
    if WRITE:
        path.write_text(printed, "utf-8")
    assert printed == path.read_text("utf-8")
    assert "\x1b" not in printed
    if name in ("solve", "advise", "help"):
        assert max(map(len, printed.splitlines())) <= width


def test_a_narrow_terminal_has_room_for_names(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["inspect", PIG]) == 0
    assert "total of the player to move: axis 0 to\n  99; it outlives" in capsys.readouterr().out
    assert main(["compare", PIG, "--set", "target=20"]) == 0
    assert "\nHold at 20, player 1  0.6" in capsys.readouterr().out


def test_inspect_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", SHUT]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"up +axis +a set of 9 +it outlives the turn", printed)
    assert "512 in the tables" in printed
    assert "memory" in printed


def test_one_value_is_no_axis(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "threes", "--set", "how_many=1"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"seat +nothing +0 +it has only one value where later play depends", printed)
    assert re.search(r"axes +none: all is in the graph of a turn", printed)


@pytest.mark.parametrize(
    ("words", "known", "why"),
    [
        (["pig", "--set", "target=5"], "that differ", "play may return inside a layer"),
        (["farkle", "--set", "players=2"], "total at every 1,000", "what workers bring there"),
    ],
)
def test_inspect_says_where_it_is_not_known_what_workers_bring(
    words: list[str], known: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", *words, "--workers", "3"]) == 1
    out, err = capsys.readouterr()
    assert known in " ".join(out.split())
    assert "cluster" not in out
    assert why in err


def test_a_limit_is_advised_only_to_what_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "pig", "--grid", "total=5", "--set", "target=10"]) == 1
    told = capsys.readouterr().err
    assert "which no grid takes" in told
    assert "capped" not in told


@pytest.mark.parametrize("stage", ["tree", "rules", "model", "layers"])
def test_show(stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", SHUT, "--stage", stage, *SMALL]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 4


def test_two_players_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", PIG, "--set", "target=10"]) == 0
    printed = capsys.readouterr().out
    assert "player 1: 0." in printed
    assert "%" in printed
    assert "probability to win" in printed


def test_dice_to_be_thrown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", SHUT, "up 1 2", *SMALL]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "dice are thrown here" in told
    assert 'after them ask, for instance: "up 1 2 | dice ' in told


def test_points_that_come_from_nowhere_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    told = {"score 50": True, "score 50 | used Yahtzee": False, "": False}
    told |= {"score 2000 | used Yahtzee": True}  # more than a game brings
    for text, is_told in told.items():
        assert main(["advise", "games/yahtzee.dg", f"{text} | dice 1 1 2 2 3"]) == 0
        assert ("is taken as given" in (out := capsys.readouterr().out)) == is_told
        assert out.index("This is after the last throw") < out.index("value")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["pig", "--set", "target=10"], "total 12 / 8"),
        (["pig", "--set", "target=10"], "total 12 / 8 | points 3"),
        (["threes", "--set", "how_many=1"], "dice none | aside 1"),
        (["risk_battle"], "to throw defence 2 | guard 6"),
        ([ACES, "--set", "players=2"], "mine 2 / 1"),  # of two dice
    ],
)
def test_what_cannot_come_up_is_refused(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A turn does not begin when the game is over; where the rules do not go on, play never is."""
    assert main(["advise", *words, text]) == 1
    told = capsys.readouterr().err
    assert "cannot come up in the game" in told
    assert ".dg" not in told


# ---- for programs


def test_solve_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "solve", SHUT, *SMALL)
    keys = {"game", "options", "objective", "value", "error_bound", "states_stored"}
    assert keys | {"states_reachable", "seconds", "peak_memory_mb"} <= found.keys()
    assert found["value"] == pytest.approx(3.294624485596708, abs=1e-9)
    assert found["options"]["tiles"] == 4
    assert found["peak_memory_mb"] > 1


def test_values_by_seat_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "solve", PIG, "--set", "target=10")
    assert sum(found["value"]) == pytest.approx(1)


def test_several_options_are_set_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    one = answer(capsys, "solve", SHUT, "--set", "tiles=5", "--set", "aim=shut_all")
    assert answer(capsys, "solve", SHUT, "--set", "tiles=5,aim=shut_all")["value"] == one["value"]


def test_advise_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "advise", SHUT, "dice 3 1 | up 1 2 3 4", *SMALL)
    assert found["position"] == "up 1 2 3 4 | dice 1 3"
    assert {move["move"] for move in found["moves"]} == {"Shut 4", "Shut 1 3"}
    values = [move["value"] for move in found["moves"]]
    assert values == sorted(values)
    assert found["seat"] is None


def test_who_is_to_move_is_told_where_several_play(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["advise", PIG, "total 3 / 4 | seat 2 | points 5", "--set", "target=20"]
    assert main(asked) == 0
    assert "to move  player 2\n" in capsys.readouterr().out
    assert answer(capsys, *asked)["seat"] == 2
    assert answer(capsys, "advise", PIG, "points 5", "--set", "target=20")["seat"] == 1


NOT_LOWER = """game "Not lower"
dice 2d6
option players = 3
each player
    life = 2 to 0
table
    to_beat = 0
worth means
    100 if dice show 1 2
    10 * highest of dice + 10 if dice show x x and size of dice = 2
    highest of dice + lowest of dice otherwise
turn
    if life > 0
        roll all
        choose
            "Stay": pass
            "Again": roll all
            "One again" one of dice as d: roll d
        if worth < to_beat: life - 1, to_beat = 0
        else: to_beat = worth
ends when sum of (1 if life of p > 0 else 0) over p in players = 1
ranking highest life
payoff win
"""
"""Sweeps of its states go round without settling: what they come to holds to two digits or so.

By blocks they settle, with a move that depends on how often play came by.
"""


def test_advice_says_what_is_not_settled(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicegames.compiler.listing.MOST_CONDITIONS", 0)  # so states are listed
    (path := tmp_path / "not_lower.dg").write_text(NOT_LOWER)
    position = "life 1 / 1 / 1 | to_beat 0 | dice 3 4"
    assert main(["advise", str(path), position]) == 0
    told = capsys.readouterr().out
    found = answer(capsys, "advise", str(path), position)
    assert found["status"] == "residual"
    assert found["error_bound"] > 1e-6
    assert "what one more sweep would change" in told
    assert main(["advise", SHUT, "dice 3 1 | up 1 2 3 4", *SMALL]) == 0
    assert "what one more sweep" not in capsys.readouterr().out


def test_check_for_programs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert answer(capsys, "check", SHUT)["errors"] == []
    path = tmp_path / "faulty.dg"
    path.write_text(FAULTY)
    (found,) = answer(capsys, "check", str(path), code=1)["errors"]
    assert found["file"] == str(path)
    assert (found["line"], found["column"], found["code"]) == (7, 5, "unknown-name")
    assert "scor" in found["message"]
    assert "score" in found["help"]


def test_states_inside_a_turn_are_not_said_to_be_in_tables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["inspect", "games/craps.dg"]) == 0
    assert "at most 1 between turns, can come up: 7 in all" in capsys.readouterr().out
    assert main(["solve", "games/craps.dg"]) == 0
    assert "7 can come up, 1 of them between turns" in capsys.readouterr().out


def test_inspect_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "inspect", SHUT)
    assert {"roles", "axes", "form", "layers", "memory_mb", "seconds"} <= found.keys()
    assert {"variable": "up", "role": "axis"}.items() <= found["roles"][-1].items()


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.5, "500 ms"), (90, "90.00 s"), (7392, "123.2 min"), (36_000, "10.0 hours"),
     (864_000, "10 days"), (10**9, "31 years"), (10**400, "3.2e+392 years")],
)  # fmt: skip
def test_times_of_any_length(seconds: float, told: str) -> None:
    assert duration(seconds) == told


@pytest.mark.parametrize(
    ("size", "told"),
    [(312, "312 bytes"), (26_371, "26 kB"), (5e6, "5 MB"), (48_534_288_984, "48.5 GB"),
     (10**17, "100,000,000 GB"), (10**400, "1.0e+391 GB")],
)  # fmt: skip
def test_sizes_of_any_length(size: float, told: str) -> None:
    assert bytes_text(size) == told


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a turn be too large with 300 situations."""
    monkeypatch.setattr("dicegames.compiler.exploring.control_nodes.MOST_NODES", 300)
    monkeypatch.setattr("dicegames.compiler.listing.MOST_POSITIONS", 300)


SMALL_BOARD = ["games/cant_stop.dg", "--set", "players=1", "--set", "sides=3",
               "--objective", "turns"]  # fmt: skip


@pytest.mark.usefixtures("narrow")
def test_inspect_tells_what_is_known_of_a_turn_that_is_too_large(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["inspect", *SMALL_BOARD]) == 1
    out, err = capsys.readouterr()
    told = " ".join(out.split())
    # 4,378 boards: docs/games/cant_stop.md; 4 x 6 x 8 x 6 x 4 combinations
    assert "states at most 4,378 between turns: of 4,608 combinations, play is over" in told
    assert re.search(r"graph of a turn at least 2\d\d situations, [\d,]+ edges", told)
    assert "memory for the values at most 35 kB" in told
    assert "time an estimate, if all of them come up: " in told
    assert "cant_stop.dg:30:9: a turn has too many situations: more than 300 [too-wide]" in err


@pytest.mark.usefixtures("narrow")
def test_programs_are_told_what_is_known_of_a_turn_that_is_too_large(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = answer(capsys, "inspect", *SMALL_BOARD, code=1)
    assert found["states_at_most"] == 4_378
    assert found["values_at_most_bytes"] == 8 * 4_378
    assert found["lasting"][0] == {"name": "progress", "slots": 2, "values": 4}
    assert found["situations_listed"] > 200
    assert found["seconds_for_these"] == 4_378 * found["edges_listed"] // 5_000_000_000
    (error,) = found["errors"]
    assert (error["line"], error["column"], error["code"]) == (30, 9, "too-wide")


@pytest.mark.usefixtures("narrow")
def test_smaller_options_are_told_with_their_states(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dicegames.analysis.solving.unlisted.FEW", 2_000)
    found = answer(capsys, "inspect", *SMALL_BOARD, code=1)
    assert {"option": "shortest", "value": 2, "states": 1_432} in found["smaller"]  # as above
    assert {"option": "sides", "value": 2, "states": 95} in found["smaller"]


WIDE_TURN = """\
game "Unbounded"
option players = 2
dice 1d6
each player
    high = 0
    free = no
this turn
    left of (1 to 6) = 0 to 3
turn
    repeat
        roll all
        choose
            one of 1 to 6 as n where n in dice and left of n < 3: left of n + 1
            "Stop": leave
    if left of 6 = 2: high + 1
    if left of 5 = 3 and left of 4 = 1: free = yes
ends when any player has free = yes or any player has high > 3
ranking highest high
payoff win
"""


@pytest.mark.usefixtures("narrow")
def test_states_are_not_known_without_a_range(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rules = tmp_path / "unbounded.dg"
    rules.write_text(WIDE_TURN, "utf-8")
    assert main(["inspect", str(rules)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "states not known: no range is declared for high; the others have 4 comb" in told
    assert "memory not known, since the number of states is not" in told


def test_strategies_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "solve", PIG, "--set", "target=20", "--seat", "1=HOLD at 20")
    assert found["strategies"] == ["Hold at 20", "best"]
    compared = answer(capsys, "compare", PIG, "--set", "target=20", "--strategy", "hold at 20")
    assert compared["best"] == pytest.approx(
        answer(capsys, "solve", PIG, "--set", "target=20")["value"]
    )
    first, second = compared["strategies"]
    assert (first["seat"], second["seat"]) == (1, 2)
    assert first["loss"] == pytest.approx(sum(part["loss"] for part in first["losses"]))


def test_that_no_decision_comes_up_is_no_lack_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    game = "tests/random_games/found/no_decision_comes_up.dg"
    assert answer(capsys, "compare", game)["strategies"][0]["losses"] == []
    assert main(["compare", game]) == 0
    assert "(no decision comes up)" in capsys.readouterr().out


def test_mistakes_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "solve", "nowhere.dg", code=2)
    assert "no such file" in found["errors"][0]["message"]
    found = answer(capsys, "solve", PIG, "--bogus", code=2)
    assert found == {"errors": [{"message": 'there is no option "--bogus"; did you mean "--out"?'}]}
    found = answer(capsys, "solve", PIG, "--strateg", "x", code=2)
    assert '; did you mean "--strategy" or ' in found["errors"][0]["message"]
    found = answer(capsys, "simulate", "pig", "--games", "0", code=2)
    told = """Invalid value for '--games': "0" is not a whole number from 1 to 1,000,000,000"""
    assert found == {"errors": [{"message": told}]}
    found = answer(capsys, "advise", "pig", "point 3", code=2)
    told = 'a position of this game has no field "point"'
    assert found == {"errors": [{"message": told, "help": 'did you mean "points"?'}]}


# ---- solutions on disk


def test_saved_solutions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "shut.solution")
    assert main(["solve", SHUT, *SMALL, "--out", path]) == 0
    assert f"saved   {path}"[:30] in capsys.readouterr().out
    words = ["advise", SHUT, "up 1 2 3 4 | dice 1 3", "--solution", path]
    found = answer(capsys, *words, *SMALL)
    assert found == answer(capsys, *words[:3], *SMALL)
    assert main([*words, "--set", "tiles=5"]) == 1
    assert "with tiles 4, not 5" in capsys.readouterr().err
    Path(path).write_bytes(Path(path).read_bytes()[:-50])
    assert main([*words, *SMALL]) == 1
    assert "damaged" in capsys.readouterr().err
    assert main([*words[:4], str(tmp_path / "none"), *SMALL]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["solve", SHUT, *SMALL, "--out", str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err


def test_a_position_is_named_where_a_turn_never_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To find one with a choice, dice were thrown without end."""
    path = tmp_path / "endless.dg"
    path.write_text(ENDLESS)
    assert main(["advise", str(path)]) == 2
    assert 'such as "a 0 | b 0 | round 1"' in capsys.readouterr().err


ENDLESS = """game "Endless"
dice 1d2
each player
    a = 0 to 4 capped
    b = 0 to 4 capped
turn
    repeat until b > a
        roll all
        a + 1
        b + 1
    choose
        "One": a + 1
        "Two": b + 1
ends after 2 rounds
payoff highest a
"""


# ---- mistakes


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["slove", PIG], 2, 'did you mean "solve"'),
        (["xxxxx"], 2, "there are: games, "),
        (["shut the box"], 2, "it is a game: dicegames play 'shut the box'"),
        (["help", "solve"], 2, "for a command: dicegames solve --help"),
        (["solve", "shut", "the", "box"], 2, 'stands in quotes: "shut the box"'),
        (["advise", PIG, "total", "60 / 80"], 2, 'stands in quotes: "total 60 / 80"'),
        (["saves", "all"], 2, '"all" is too much: dicegames saves takes options only'),
        (["compare", PIG, "--objective", "win", "--set", "players=1"], 2, "--set players=2"),
        (["solve", PIG, "target=50"], 2, "is set with --set target=50"),
        (["solve", PIG, "--players", "1"], 2, "is set with --set players=VALUE"),
        (["solve", PIG, "--strategy", "hold"], 2, 'there are: "Hold at 20"'),
        (["solve", PIG, "--seat", "hold"], 2, "write --seat 1=NAME"),
        (["solve", PIG, "--seat", "3=best"], 2, "seats are 1 to 2"),
        (["solve", PIG, "--seat", "1=best", "--seat", "1=best"], 2, "filled twice"),
        (["solve", PIG, "--set", "target=5,target=6"], 2, '"target" is set twice'),
        (["solve", PIG, "--grid", "total=5", "--grid", "total=6"], 2, '"total" has two steps'),
        (["solve", PIG, "--seat", "1=best", "--strategy", "hold at 20"], 2, "fills all seats"),
        (["compare", "games/craps.dg"], 2, 'name no strategy; write one: strategy "NAME"'),
        (["check"], 2, "Missing argument"),
        (["advise"], 2, "Missing argument 'GAME'"),
        (["advise", PIG], 2, 'say in which position, such as "total 0 / 0 | points 6"; "" is the'),
        (["check", "nowhere.dg"], 2, "there is no such file"),
        (["check", "games/pgi.dg"], 2, 'there is no such file; did you mean "games/pig.dg"?'),
        (["check", "games"], 2, "is a directory"),
        (["check", PIG, "--set", "plyers=2"], 2, 'did you mean "players"'),
        (["check", PIG, "--set", "players=99"], 2, "a number from 1 to 8"),
        (["check", PIG, "--set", "players"], 2, "write --set players=2"),
        (["solve", PIG, "--memory", "much"], 2, "write 2GB"),
        (["solve", PIG, "--time", "soon"], 2, "write 30s"),
        (["solve", PIG, "--set", "target=9", "--store", "x"], 1, "solve it without --store"),
        (["solve", PIG, "--threads", "0"], 2, "--threads"),
        (["solve", PIG, "--objective", "fun"], 2, 'no objective "fun"'),
        (["show", PIG, "--objective", "fun"], 2, 'no objective "fun"'),
        (["solve", PIG, "--objective", "win", "--minimise"], 2, "leave out --minimise"),
        (["solve", PIG, "--tireads", "2"], 2, "--threads"),
        (["advise", SHUT, "upp 1 2"], 2, 'did you mean "up"'),
        (["advise", SHUT, "up 1 2 | dice 7 1"], 2, "no face"),
        (["advise", PIG, "total 1 / 0", "--set", "target=10"], 1, "cannot come up"),
        (["show", PIG, "--stage", "all"], 2, "tree"),
    ],
)
def test_mistakes(
    words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert message in told.err
    assert "Traceback" not in told.err


def test_mistakes_in_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "faulty.dg"
    path.write_text(FAULTY)
    assert main(["check", str(path)]) == 1
    told = capsys.readouterr().out
    assert f"{path}:7:5: " in told
    assert "^^^^" in told
    assert told.endswith("1 mistake\n")
    assert main(["solve", str(path)]) == 1
    assert "7:5" in capsys.readouterr().err


def test_more_mistakes_than_are_looked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "faulty.dg"
    more = "".join(f"    thing{n} + 1\n" for n in range(200))
    path.write_text(FAULTY.replace("ends", more + "ends"))
    assert main(["check", str(path)]) == 1
    assert capsys.readouterr().out.endswith("\n100 mistakes or more\n")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"game", b'\xef\xbb\xbfgame "A"\n'])
def test_any_file(content: bytes, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "strange.dg"
    path.write_bytes(content)
    assert main(["check", str(path)]) == 1
    assert "strange.dg:1:" in capsys.readouterr().out


def test_what_does_not_fit_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", SHUT, "--memory", "1MB"]) == 1
    assert "solving needs about 230 MB or more, allowed are 1 MB" in capsys.readouterr().err
    yahtzee = str(Path(SHUT).with_name("yahtzee.dg"))
    assert main(["inspect", yahtzee, "--threads", "2", "--memory", "240MB"]) == 1
    told = capsys.readouterr().err
    assert "solving needs about 254 MB, allowed are 240 MB" in told
    assert '"used" with 8,192 values' in told


def test_an_internal_error_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise KeyError("oops")

    monkeypatch.setattr("dicegames.cli.commands.check.run", broken)
    assert main(["check", PIG]) == 1
    told = capsys.readouterr().err
    assert "internal error, please report" in told
    assert "Traceback" not in told
    monkeypatch.setenv("DICEGAMES_DEBUG", "1")
    assert main(["check", PIG]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_interrupts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("dicegames.cli.commands.check.run", interrupted)
    assert main(["check", PIG]) == entry.INTERRUPTED
    assert "stopped" in capsys.readouterr().err


# ---- real processes


def start(*words: str, **more: Any) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "dicegames", *words], cwd=ROOT, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
    )  # fmt: skip


def test_checking_is_light() -> None:
    code = (
        "import sys; from dicegames.cli import main; code = main(['check', sys.argv[1]]); "
        "assert not {'numpy', 'numba'} & set(sys.modules); sys.exit(code)"
    )
    subprocess.run([sys.executable, "-c", code, "games/despirala.dg"], cwd=ROOT, check=True,
                   env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True)  # fmt: skip


def test_a_reader_that_leaves() -> None:
    with start("show", "games/yahtzee.dg", "--stage", "model") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == entry.NO_READER


def test_a_whole_game_from_a_pipe() -> None:
    with start("play", SHUT, "--seed", "5", "--set", "tiles=6") as process:
        out, err = process.communicate("help\nposition\n\nfoo\n1\n1\n1\n")
    assert (process.returncode, err) == (0, "")
    assert "seed 5" in out
    assert "Type a move" in out
    assert "The game is over" in out


@pytest.mark.parametrize("words", [["pig", "--palyers", "3"], ["--palyers", "3", "pig"]])
def test_a_mistyped_option_of_the_rules(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", *words]) == 2
    assert "set with --set players=VALUE" in capsys.readouterr().err
    assert main(["solve", "no-such-game", "--palyers", "3"]) == 2
    assert "set with --set palyers=VALUE" in capsys.readouterr().err
    assert main(["report", "threes", "--out", "x"]) == 2
    assert "--set out" not in capsys.readouterr().err


def test_words_of_a_game_are_no_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("hint", "why"):
        assert main([word]) == 2
        assert "it is a word of a game: dicegames play GAME" in capsys.readouterr().err


def test_a_field_may_be_joined_to_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", PIG, "total_60"]) == 2
    assert "write it by seat: total 60 / 60" in capsys.readouterr().err

"""What Python users are told of wrong arguments, whatever they hand over."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dicegames
from dicegames.analysis.chances.outcomes import Outcomes
from dicegames.analysis.studies.opening import opening
from dicegames.authoring.reports.report import Report

GAMES = Path(__file__).parents[1] / "games"
ANY: Any = None


def a(value: object) -> Any:
    return value


@pytest.fixture(scope="module")
def box() -> dicegames.Game:
    return dicegames.load(GAMES / "shut_the_box.dg", tiles=4)


@pytest.fixture(scope="module")
def pig() -> dicegames.Game:
    return dicegames.load(GAMES / "pig.dg", target=10)


@pytest.fixture(scope="module")
def solved(box: dicegames.Game) -> dicegames.Solution:
    return dicegames.solve(box)


WRONG: list[tuple[Callable[[Any, Any, Any], object], str]] = [
    (lambda box, pig, solved: dicegames.load(ANY), "a rules file is expected, not None"),
    (lambda box, pig, solved: box.position(3), "a line of text is expected, not 3"),
    (lambda box, pig, solved: box.start().play(3), "an outcome of chance is expected, not 3"),
    (lambda box, pig, solved: box.start().throw(3), "a random.Random is expected, not 3"),
    (lambda box, pig, solved: dicegames.solve(ANY), "a game, as .* returns it, is expected"),
    (lambda box, pig, solved: dicegames.compare(ANY), "a game, as .* returns it, is expected"),
    (lambda box, pig, solved: dicegames.play_matches(ANY), "a game, as .* returns it"),
    (lambda box, pig, solved: dicegames.play_matches(pig, games=0), "at least 1, not 0"),
    (
        lambda box, pig, solved: dicegames.solve(pig, strategy=a(5)),
        "a function, is expected, not 5",
    ),
    (lambda box, pig, solved: dicegames.compare(pig, strategies="x"), "a list of strategies is"),
    (lambda box, pig, solved: dicegames.solve(pig, grid={"total": 0}), "at least 1, not 0"),
    (lambda box, pig, solved: dicegames.solve(pig, grid=a("total")), "a grid, .* is expected"),
    (lambda box, pig, solved: dicegames.solve(pig, threads=0), "threads must be .* at least 1"),
    (lambda box, pig, solved: dicegames.solve(pig, threads=10**9), "and at most 1024, not 1000"),
    (lambda box, pig, solved: dicegames.solve(pig, grid=a({1: 1})), "name of a variable that is"),
    (lambda box, pig, solved: dicegames.compare(pig, strategies=[]), "expected, and it is empty"),
    (lambda box, pig, solved: dicegames.sweep(pig, a([("target", 3)])), "values by option, such"),
    (lambda box, pig, solved: dicegames.solve(pig, memory=a("1G")), "the memory, in bytes, must"),
    (lambda box, pig, solved: dicegames.solve(pig, time=a("5s")), "the time, in seconds, must"),
    (lambda box, pig, solved: dicegames.solve(box, store=a(5)), "of a folder is expected, not 5"),
    (lambda box, pig, solved: dicegames.solve(box, progress=a(5)), "told of progress is exp"),
    (lambda box, pig, solved: solved.value_of(7), "a position, or its text, is expected, not 7"),
    (lambda box, pig, solved: solved.values_of("up 1"), "a list of positions is expected"),
    (lambda box, pig, solved: solved.regret("dice 1 3", 7), "a move, or its name, is expected"),
    (lambda box, pig, solved: solved.simulate(0, 1), "games must be .* at least 1, not 0"),
    (lambda box, pig, solved: solved.simulate(1, "x"), "the seed must be a whole number"),
    (lambda box, pig, solved: solved.save(None), "the name of a file is expected"),
    (lambda box, pig, solved: dicegames.Solution.load("x", ANY), "a game, as .* returns it"),
    (lambda box, pig, solved: dicegames.difference(box, box), "a solved game, as .* returns it"),
    (lambda box, pig, solved: dicegames.difference(solved, solved, games=-1), "at least 0"),
]


@pytest.mark.parametrize(("call", "told"), WRONG)
def test_wrong_arguments(
    box: dicegames.Game,
    pig: dicegames.Game,
    solved: dicegames.Solution,
    call: Callable[[Any, Any, Any], object],
    told: str,
) -> None:
    with pytest.raises(dicegames.ArgumentError, match=told):
        call(box, pig, solved)


def test_moves_and_dice_of_other_positions(box: dicegames.Game, pig: dicegames.Game) -> None:
    thrown = box.position("dice 1 3")
    other = box.position("dice 1 1").moves()[0]
    for what in ("Shut 5", other, pig.position("points 5").moves()[0]):
        with pytest.raises(dicegames.MoveError, match='no legal move here; legal are "Shut 4"'):
            thrown.play(what)
    for dice in (box.start().outcomes()[0], pig.start().outcomes()[0]):
        with pytest.raises(dicegames.MoveError, match="cannot be thrown here"):
            thrown.play(dice)
    with pytest.raises(dicegames.MoveError, match="cannot be thrown here"):
        box.start().play(pig.start().outcomes()[0])
    with pytest.raises(dicegames.MoveError, match="the dice are thrown"):
        box.start().play("Shut 4")
    with pytest.raises(dicegames.MoveError, match="the game is over"):
        box.position("over").play("Shut 4")
    with pytest.raises(dicegames.MoveError, match="no dice are thrown"):
        thrown.throw(Random(1))
    with pytest.raises(dicegames.MoveError, match="not over"):
        _ = thrown.payoff


def test_what_an_interpreter_shows_is_short(box: dicegames.Game, pig: dicegames.Game) -> None:
    assert repr(pig) == "<Game 'Pig', players=2, target=10>"
    assert repr(box.position("dice 1 3")) == "<Position 'up 1 2 3 4 | dice 1 3'>"


def test_every_public_name_can_be_imported() -> None:
    for name in dicegames.__all__:
        assert getattr(dicegames, name).__name__ == name
    reference = (GAMES.parent / "docs" / "reference.md").read_text("utf-8")
    homes = {f"::: dicegames.{home}.{name}\n" for name, home in dicegames._HOMES.items()}
    assert homes == set(re.findall(r"^:::.*\n", reference, re.MULTILINE))
    errors = [name for name in dicegames.__all__ if name.endswith("Error")]
    page = (GAMES.parent / "docs" / "python.md").read_text("utf-8")
    others = ["UnknownPosition", "UnreadableFile", "UnwritableFile", "LimitReached"]
    for name in [*errors, *others]:
        assert f"| `{name}` |" in page
        assert issubclass(getattr(dicegames, name), dicegames.DicegamesError)


def test_outcomes_ask_for_notes() -> None:
    turn = dicegames.solve(dicegames.load(GAMES / "midnight.dg", players=1))
    with pytest.raises(dicegames.DicegamesError, match=r"without notes: solve\(game, noted=True\)"):
        turn.outcomes("qualified")


TWO_KINDS = """game "Two kinds"
dice knight = 1d4
dice squire = 2d4
each player
    score = 0
turn
    roll all
    choose
        "Knight": score + sum of knight
        "Squires": score + sum of squire
ends after 1 round
payoff highest score
"""


def test_what_nothing_is_known_of(pig: dicegames.Game) -> None:
    held = dicegames.solve(pig, strategy="Hold at 20")
    with pytest.raises(dicegames.SolutionError, match='"Hold" has no value: a strategy plays'):
        held.regret("points 6", "Hold")
    found = Outcomes(("bust",), {((),): 1.0}, 0.0)
    with pytest.raises(dicegames.OutcomeError, match='did you mean "bust"'):
        found.probability("bus")
    report = Report("Box", "payoff", "points", {}, (), (), {}, (), 1)
    with pytest.raises(dicegames.ArgumentError, match='no section "skills"'):
        report.section("skills")


def test_a_first_choice_tells_how_many_moves_there_are(tmp_path: Path) -> None:
    rules = """
game "Nine numbers"
dice 1d6
each player
    score = 0
turn
    choose
        one of 1 to 9 as n: score + n
ends after 1 round
payoff highest score
"""
    (tmp_path / "nine.dg").write_text(rules)
    found = opening(dicegames.solve(dicegames.load(tmp_path / "nine.dg")))
    assert found is not None
    assert found.title == "The first choice, the best 5 of 9 moves"
    assert [line.what for line in found.lines] == ["9", "8", "7", "6", "5"]


def test_first_throws_show_dice_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "two.dg").write_text(TWO_KINDS)
    found = opening(dicegames.solve(dicegames.load(tmp_path / "two.dg")))
    assert found is not None
    assert found.title.endswith("the best answer")
    first = found.lines[0]  # two fours, by hand
    assert (first.what, first.move, first.value) == ("knight 1 | squire 4 4", "Squires", 8.0)


def test_what_a_notebook_shows(solved: dicegames.Solution) -> None:
    assert repr(solved).startswith("<Solution 'Shut the Box', payoff, {'tiles': ")
    choice = solved.options("dice 1 3")[0]
    assert repr(choice) == f"<Choice {choice.name!r}: {choice.value!r}>"
    assert repr(choice.move) == f"<Move {choice.name!r}>"

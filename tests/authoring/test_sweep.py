"""Sweeps: each number is that of the game alone; what is kept is not solved again."""

import json
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

import dicegames
from dicegames.authoring.sweeps.find import Target, candidates, find_value
from dicegames.authoring.sweeps.kept_numbers import KeptNumbers
from dicegames.authoring.sweeps.statistics import Statistic, StatisticError, combinations, values_of
from dicegames.authoring.sweeps.sweep import Sweep, Sweeper, sweep
from dicegames.cli.commands import sweep as sweeping
from dicegames.cli.entry import main
from dicegames.cli.printing import output

GAMES = Path(__file__).parents[2] / "games"
PIG = str(GAMES / "pig.dg")
SHUT = str(GAMES / "shut_the_box.dg")


@pytest.fixture
def shut() -> dicegames.Game:
    return dicegames.load(SHUT, tiles=5)


def test_values_of_options() -> None:
    assert values_of("bonus", "0..10:5, 7") == [0, 5, 10, "7"]
    assert values_of("aim", ["a", "b", "a"]) == ["a", "b"]
    assert values_of("bonus", 3) == [3]
    varied, settings = combinations({"a": "1..2", "b": "x", "c": "u,v"})
    assert varied == ["a", "c"]
    assert settings[1] == {"a": 1, "b": "x", "c": "v"}
    assert len(settings) == 4


@pytest.mark.parametrize("text", ["", "1,,2", "5..1", "1..9:0", "a..b", "0..999999999"])
def test_values_that_are_none(text: str) -> None:
    with pytest.raises(dicegames.OptionError):
        values_of("bonus", text)


@pytest.mark.parametrize("text", ["0..999999999", "1..1000000000", "1..100000000000:7"])
def test_ranges_with_too_many_values_say_so(text: str) -> None:
    with pytest.raises(dicegames.OptionError, match="has more than 1,000,000 values; take a"):
        values_of("bonus", text)


@pytest.mark.parametrize("text", ["means", "p5x", "sd of seat 0", "states of seat 1", ""])
def test_statistics_that_are_none(text: str) -> None:
    with pytest.raises(StatisticError):
        Statistic.parse(text)


def test_every_number_is_that_of_the_game_alone(shut: dicegames.Game) -> None:
    found = sweep(
        shut, {"tiles": "4..6", "aim": ["low_score", "shut_all"]}, statistics=["value", "sd"]
    )
    assert found.varied == ("tiles", "aim")
    assert found.table.columns == ("tiles", "aim", "value", "sd")
    for point in found.points:
        solution = dicegames.solve(dicegames.load(SHUT, **point.options))
        assert point.numbers["value"] == solution.value
        assert point.numbers["sd"] == solution.distribution().sd


def test_seats_stand_side_by_side() -> None:
    found = sweep(dicegames.load(PIG, target=10), {"players": "2,3"}, statistics=["value", "tie"])
    names = tuple(f"value of seat {seat}" for seat in (1, 2, 3))
    assert found.table.columns == ("players", *names, "tie")
    assert found.table.column(names[2])[0] is None
    # docs/distributions.md has the same numbers from `stats`
    assert found.table.column(names[0])[1] == pytest.approx(0.633970, rel=0, abs=5e-7)


def test_the_number_of_a_single_player_is_that_of_seat_1() -> None:
    table = sweep(dicegames.load(PIG, target=10), {"players": "1,2"}).table
    assert table.columns == ("players", "value of seat 1", "value of seat 2")
    assert table.column("value of seat 1")[0] == pytest.approx(1)
    assert table.column("value of seat 2")[0] is None


def test_what_is_kept_is_not_solved_again(shut: dicegames.Game, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    first = sweep(shut, {"tiles": "4,5"}, kept=KeptNumbers(path))
    assert (first.solved, first.kept) == (2, 0)
    with path.open("a", encoding="utf-8") as file:
        file.write('\n["cut short')
        for line in ('{"value": 3}', '"key"', '[["key"], {}]', '["key", 3]', "[" * 20_000, "key"):
            file.write(f"\n{line} {crc32(line.encode()):08x}")
    again = sweep(shut, {"tiles": "4..6"}, kept=KeptNumbers(path))
    assert (again.solved, again.kept) == (1, 2)
    assert again.points[:2] == first.points
    more = sweep(shut, {"tiles": "4..6"}, statistics=["value", "p50"], kept=KeptNumbers(path))
    assert more.solved == 3  # a number was missing
    other = sweep(shut, {"tiles": "4"}, "turns", kept=KeptNumbers(path))
    assert other.solved == 1
    text = path.read_text("utf-8")
    for old, new in ((": 3.", ": 4."), ("value", "vales"), ("[", "(")):
        assert text.count(old)
        path.write_text(text.replace(old, new), "utf-8")
        assert sweep(shut, {"tiles": "4"}, kept=KeptNumbers(path)).points == first.points[:1]


def test_comments_change_no_identity_and_rules_do(tmp_path: Path) -> None:
    text = Path(PIG).read_text("utf-8")
    kept = KeptNumbers()
    solved = []
    for name, more in (("a", ""), ("b", "\n# a comment\n"), ("c", "note")):
        file = tmp_path / f"{name}.dg"
        changed = text.replace("dice show 1:", "dice show 2:") if more == "note" else text + more
        file.write_text(changed, "utf-8")
        solved.append(sweep(dicegames.load(file, target=5), {"players": 2}, kept=kept).solved)
    assert solved == [1, 0, 1]


def test_a_setting_that_is_refused_says_why(shut: dicegames.Game) -> None:
    found = sweep(shut, {"tiles": "4"}, memory=10_000_000)
    assert "MB" in found.points[0].problem
    assert not found.points[0].numbers
    assert found.table.columns[-1] == "problem"


def test_options_that_are_not_there_are_told_before_any_work(shut: dicegames.Game) -> None:
    for options in ({"tiels": "4"}, {"tiles": "4..40"}, {"aim": "low"}):
        with pytest.raises(dicegames.OptionError):
            sweep(shut, options)


class _AtOnce(Executor):
    """Runs what it is given at once, and keeps the calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls.append((fn, args))
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_any_executor_runs_it_and_its_tasks_can_be_sent(shut: dicegames.Game) -> None:
    import pickle

    executor = _AtOnce()
    found = sweep(shut, {"tiles": "4,5"}, executor=executor)
    assert len(executor.calls) == 2
    function, (task,) = pickle.loads(pickle.dumps(executor.calls[0]))
    assert function(task) == found.points[0]


def test_what_does_not_fit_beside_others_is_solved_alone(shut: dicegames.Game) -> None:
    found = sweep(shut, {"tiles": "4,5"}, workers=2, memory=300_000_000)
    assert not any(point.problem for point in found.points)


def test_frames(shut: dicegames.Game) -> None:
    pytest.importorskip("polars")
    frame = sweep(shut, {"tiles": "4,5"}).to_frame("polars")
    assert frame.columns == ["tiles", "value"]
    assert frame["tiles"].to_list() == [4, 5]


def test_notebooks_get_a_table(shut: dicegames.Game) -> None:
    text = sweep(shut, {"tiles": "4,5"})._repr_html_()
    assert text.count("<tr>") == 3
    assert "Shut the Box" in text


def test_python_shows_results_in_short_and_prints_them(shut: dicegames.Game) -> None:
    swept = sweep(shut, {"tiles": "4,5"})
    assert "points" not in repr(swept)
    assert "rows" not in repr(swept.table)
    assert str(swept) == "Shut the Box\ntiles     value\n    4  3.294624\n    5  3.898694"


def test_settings_for_which_no_time_is_left_are_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.analysis.solution.solve_compiled", None)
    points = sweep(dicegames.load(PIG), {"target": "2..4"}, time=0.0).points
    assert [point.numbers for point in points] == [{}] * 3
    assert all("longer than the 0 s allowed" in point.problem for point in points)


# ---- the search for a value


def search(game: dicegames.Game, text: str) -> tuple[Sweeper, Target]:
    target = Target.parse(text)
    return Sweeper(game.rules, "payoff", (target.statistic,)), target


def test_a_value_is_found_as_by_looking_at_all() -> None:
    game = dicegames.load(PIG)
    looking, target = search(game, "value of seat 1 = 0.6")
    found = find_value(looking, "target", list(range(2, 32)), {"players": 2}, target)
    assert len(found.points) < 30
    assert not found.complete
    whole = sweep(game, {"target": "2..31", "players": 2}).table.column("value of seat 1")
    numbers = [float(number or 0) for number in whole]
    nearest = min(range(30), key=lambda place: abs(numbers[place] - 0.6))
    assert found.values[found.nearest] == nearest + 2
    for a, b in found.crossings:
        assert (numbers[a - 2] - 0.6) * (numbers[b - 2] - 0.6) < 0


def test_no_value_reaches_it(shut: dicegames.Game) -> None:
    looking, target = search(shut, "mean = 1000")
    found = find_value(looking, "tiles", candidates(shut.rules, "tiles")[:3], {}, target)
    assert found.complete
    assert not found.crossings


@pytest.mark.parametrize("text", ["mean", "mean = x", "= 3", "foo = 1"])
def test_targets_that_are_none(text: str) -> None:
    with pytest.raises(StatisticError):
        Target.parse(text)


# ---- the command


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sweeping, "cache_folder", lambda kind: tmp_path / "cache" / kind)


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    output.console.cache_clear()
    assert main(["sweep", *words]) == code
    told = capsys.readouterr()
    return told.out if code < 2 else told.err


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [SHUT, "--set", "tiles=4..6", "--stats", "value,sd"]
    lines = said(capsys, *words, "--csv").splitlines()
    assert lines == said(capsys, *words, "--csv", "-").splitlines()
    assert lines[0] == "tiles,value,sd"
    assert len(lines) == 4
    answer = json.loads(said(capsys, *words, "--json"))
    assert (answer["solved"], answer["kept"]) == (0, 3)
    assert answer["points"][2]["numbers"]["value"] == float(lines[3].split(",")[1])
    assert "3 known before" in said(capsys, *words, "--csv", str(tmp_path / "a.csv"))
    assert (tmp_path / "a.csv").read_text("utf-8").splitlines() == lines


def test_command_takes_several_values(capsys: pytest.CaptureFixture[str]) -> None:
    words = [SHUT, "--set", "tiles=4,5,shut_at_most=1,2", "--set", "aim=shut_all", "--csv", "-"]
    assert len(said(capsys, *words).splitlines()) == 5


def test_command_finds(capsys: pytest.CaptureFixture[str]) -> None:
    words = [SHUT, "--set", "tiles=5", "--find", "shut_at_most"]
    answer = json.loads(said(capsys, *words, "--target", "mean = 4", "--json"))
    assert answer["complete"]
    assert "no value" in said(capsys, *words, "--target", "mean = -1", code=1)


def test_command_is_misused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["--set", "tiles=4..x"],
        ["--stats", "foo"],
        ["--find", "tiles"],
        ["--find", "aim", "--target", "mean = 1"],
        ["--csv", "-", "--json"],
        ["--set", "tiles=4,5", "--find", "shut_at_most", "--target", "mean = 1"],
        ["--find", "shut_at_most", "--target", "mean = 1", "--plot", "found.svg"],
    ):
        assert said(capsys, SHUT, *words, code=2).startswith("error: ")


def test_more_options_than_can_be_drawn_are_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.delattr(sweeping, "sweep")
    words = ["--set", "tiles=4,5", "--set", "shut_at_most=1,2", "--set", "aim=low_score,shut_all"]
    assert main(["sweep", SHUT, *words, "--plot", str(tmp_path / "a.svg")]) == 1
    assert "one option or two can be drawn, and 3 vary" in capsys.readouterr().err


def test_drawings(shut: dicegames.Game) -> None:
    pytest.importorskip("matplotlib")
    from dicegames.authoring.drawing import draw_sweep

    def drawn(found: Sweep) -> list[str]:
        panels = [a for a in draw_sweep(found).axes if a.get_xlabel()]
        assert all(panel.get_ylabel() for panel in panels)
        return [panel.get_ylabel() for panel in panels]

    assert drawn(sweep(shut, {"tiles": "4,5"}, statistics=["value", "sd", "states"])) == [
        "value\nexpected sum of up",
        "sd\nsum of up",
        "states\nnumber",
    ]
    assert drawn(sweep(shut, {"tiles": "4,5", "shut_at_most": "1,2"})) == ["tiles"]
    with pytest.raises(dicegames.SolutionError):
        draw_sweep(sweep(shut, {"tiles": "4"}))


def test_the_chance_to_be_first_is_not_swept() -> None:
    midnight = dicegames.load("midnight", players=2)
    with pytest.raises(dicegames.ObjectiveError, match="or solve one setting, dicegames solve"):
        dicegames.sweep(midnight, {"players": "2"}, "win")

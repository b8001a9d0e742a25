"""Saved solutions: they come back as they were, or are refused with the reason."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import dicegames
from dicegames.analysis.saved import store
from dicegames.analysis.solution import Solution, solve_game
from tests.rules.small import game

GAMES = Path(__file__).parents[2] / "games"
SHUT = GAMES / "shut_the_box.dg"
NOTED = """
    dice 1d6
    turn
        roll all
        if dice show 1: note "one"
        score + sum of dice
    ends after 1 rounds
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solutions") / "shut.solution"
    dicegames.solve(dicegames.load(SHUT, tiles=5)).save(path)
    return path


def test_round_trip(saved: Path) -> None:
    game = dicegames.load(SHUT, tiles=5)
    fresh, again = dicegames.solve(game), Solution.load(saved, game)
    assert again.value == pytest.approx(fresh.value, abs=1e-12)
    for name in ("error_bound", "method", "states_stored", "states_reachable", "objective"):
        assert getattr(again, name) == getattr(fresh, name)
    text = "up 1 2 3 4 5 | dice 4 1"
    ours, theirs = again.options(text), fresh.options(text)
    assert [c.name for c in ours] == [c.name for c in theirs]
    assert [c.value for c in ours] == pytest.approx([c.value for c in theirs])
    assert [p.name for p in saved.parent.iterdir()] == [saved.name]


def test_two_players(tmp_path: Path) -> None:
    game = dicegames.load(GAMES / "pig.dg", target=10)
    fresh = dicegames.solve(game)
    fresh.save(tmp_path / "pig.solution")
    again = Solution.load(tmp_path / "pig.solution", game)
    assert again.value == pytest.approx(fresh.value, abs=1e-9)
    assert again.upper == pytest.approx(fresh.upper, abs=1e-9)
    text = "total 3 / 5 | points 4"
    assert again.value_of(text) == pytest.approx(fresh.value_of(text), abs=1e-9)


def test_what_is_noted_comes_back(tmp_path: Path) -> None:
    rules = game(NOTED)
    fresh = solve_game(rules, noted=True)
    fresh.save(tmp_path / "noted.solution")
    again = Solution.load(tmp_path / "noted.solution", rules)
    assert again.outcomes().joint == fresh.outcomes().joint
    assert len(again.outcomes().joint) == 2


def test_stale_files_are_refused(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(store.StaleFile, match="with tiles 5, not 6"):
        Solution.load(saved, dicegames.load(SHUT, tiles=6))
    with pytest.raises(store.StaleFile, match='solution of "Shut the Box", not of "Pig"'):
        Solution.load(saved, dicegames.load(GAMES / "pig.dg"))
    with pytest.raises(store.StaleFile, match="objective"):
        Solution.load(saved, dicegames.load(SHUT, tiles=5), "turns")
    text = SHUT.read_text("utf-8")
    other = tmp_path / "other.dg"
    other.write_text("# a comment does not matter\n" + text, "utf-8")
    assert Solution.load(saved, dicegames.load(other, tiles=5)).value
    other.write_text(text.replace("sum of t = sum of dice", "sum of t >= sum of dice"), "utf-8")
    with pytest.raises(store.StaleFile, match="rules have changed"):
        Solution.load(saved, dicegames.load(other, tiles=5))


def test_damage_is_noticed(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    path = tmp_path / "damaged.solution"
    places = [20, 30, 200, len(content) // 2, len(content) - 5]
    for place in places:
        path.write_bytes(content[:place])
        with pytest.raises(store.StoreError):
            store.read(str(path))
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(store.StoreError, match="cut off or damaged"):
            store.read(str(path))
    path.write_bytes(content + b"x")
    with pytest.raises(store.DamagedFile):
        store.read(str(path))


@pytest.mark.parametrize("content", [b"", b"nonsense", b"dicegames solution", b"\x93NUMPY"])
def test_foreign_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(store.ForeignFile, match="is no solution file"):
        store.read(str(path))


def test_other_formats_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "old")
    monkeypatch.setattr(store, "FORMAT", 0)
    store.write(path, {}, {"1": np.zeros((2, 3))})
    monkeypatch.undo()
    with pytest.raises(store.ForeignFile, match="another version"):
        store.read(path)


def test_nothing_is_left_half_written(tmp_path: Path) -> None:
    with pytest.raises(store.MissingFile, match="cannot be written"):
        store.write(str(tmp_path / "nowhere" / "file"), {}, {})
    (tmp_path / "directory").mkdir()
    with pytest.raises(store.MissingFile):
        store.write(str(tmp_path / "directory"), {}, {})
    assert [p.name for p in tmp_path.iterdir()] == ["directory"]
    with pytest.raises(store.MissingFile, match="no such file"):
        store.read(str(tmp_path / "nothing"))


def test_the_model_is_the_same_in_every_process() -> None:
    code = (
        "import sys; from dicegames.loading import load; from dicegames.solver.model import "
        "fingerprint; from dicegames.compiler.compile import compile_game; "
        "print(fingerprint(compile_game(load(sys.argv[1]).rules).model))"
    )
    found = set()
    for seed in ("1", "3"):  # the order of sets differs
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(GAMES.parent)}
        done = subprocess.run(
            [sys.executable, "-c", code, str(GAMES / "generala.dg")],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("file", "objective", "texts"),
    [  # play goes round inside the turn of the first two
        ("craps", "payoff", ["", "point 4 | to throw 2 | at turn 2"]),
        ("drop_dead", "payoff", ["", "to throw 3 | dead 2 5 | at turn 2"]),
        # the last lies beyond the tables, on the tail
        ("lange_strasse", "turn", [f"to throw 6 | banked {b}" for b in (0, 900, 150_000)]),
    ],
)
def test_other_methods(file: str, objective: str, texts: list[str], tmp_path: Path) -> None:
    game = dicegames.load(GAMES / f"{file}.dg")
    fresh = dicegames.solve(game, objective)
    fresh.save(tmp_path / "solution")
    again = Solution.load(tmp_path / "solution", game, objective)
    assert again.value == fresh.value
    assert again.method == fresh.method
    for text in texts:
        assert again.value_of(text) == pytest.approx(fresh.value_of(text), abs=1e-9)


def test_what_is_packed_waits_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicegames.analysis.saved.store.KEPT_IN_MEMORY", 1_000)
    values = np.random.default_rng(1).random(1_000_000)  # which hardly pack
    rows = np.arange(1_000_000, dtype=np.int32)
    path = tmp_path / "large.solution"
    tracemalloc.start()
    store.write(str(path), {}, {"values": values, "rows": rows, "none": np.zeros(0)})
    assert tracemalloc.get_traced_memory()[1] < values.nbytes / 2
    tracemalloc.stop()
    assert list(tmp_path.iterdir()) == [path]
    found = store.read(str(path))
    assert np.array_equal(found.take("values", "f", 1_000_000), values)
    assert np.array_equal(found.take("rows", "i", 1_000_000), rows)
    assert found.take("none", "f", 0).size == 0

"""A solve on a grid in a folder: the same bits as in memory, whatever ends it on the way."""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

from dicegames.analysis.saved import store
from dicegames.analysis.saved.folder import ValueFolder
from dicegames.analysis.saved.shelf import FolderShelf
from dicegames.analysis.saved.store import StoreError
from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.cli import main
from dicegames.ground.limits import Limits
from dicegames.rules.parts.game import Rules
from dicegames.solver.blocks.pieces import PiecesError, locked
from dicegames.solver.blocks.tasks import in_turn
from dicegames.solver.grid import kept, layers
from dicegames.solver.grid.grid import GridTable
from dicegames.solver.grid.values import GridValues
from dicegames.solver.model import Array
from tests.rules.small import read

STREET = Path(__file__).with_name("short_street.dg")
STEP = {"total": 200}
FILE_ROWS = 300
POSITION = "total 350 / 150 | strich yes / yes | round 3 | seat 1 | at_risk 250"


@pytest.fixture(autouse=True)
def many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files be small."""
    monkeypatch.setattr(kept, "FILE_ROWS", FILE_ROWS)


@cache
def street() -> Rules:
    return read(STREET, players=2, rounds=6)


@cache
def in_memory() -> Solution:
    return solve_game(street(), grid=STEP)


def in_folder(folder: Path, executor: Executor | None = None) -> Solution:
    kept_in = ValueFolder(folder, executor=executor)
    return solve_game(street(), grid=STEP, limits=Limits(threads=2), kept_in=kept_in)


def table_of(solution: Solution) -> GridTable:
    assert isinstance(solution.solved.evaluator, GridValues)
    return solution.solved.evaluator.table


def demand_same(found: Solution) -> None:
    """Demand the bits that are found in memory."""
    own, table = table_of(in_memory()), table_of(found)
    assert np.array_equal(table.points, own.points)
    assert np.array_equal(table.values, own.values)
    assert found.value == in_memory().value
    told = ("residual", "layers", "cycles", "counting", "estimate", "estimate_anywhere", "gains")
    for name in told:
        assert getattr(found.solved, name) == getattr(in_memory().solved, name), name


def names(folder: Path, grid: int | str = "*") -> list[str]:
    return sorted(path.name for path in folder.glob(f"grid-{grid}-*"))


def never(*_given: Any) -> None:
    raise AssertionError("it is computed again")


def test_values_are_those_of_memory_and_are_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demand_same(in_folder(tmp_path / "new"))
    assert len(names(tmp_path / "new")) > 10
    monkeypatch.setattr(layers, "solve", never)
    demand_same(in_folder(tmp_path / "new"))
    read_back = Solution.load(str(tmp_path / "new"), street())
    demand_same(read_back)
    assert read_back.grid == STEP
    found, own = (s.options(POSITION) for s in (read_back, in_memory()))
    assert [(each.name, each.value) for each in found] == [(e.name, e.value) for e in own]
    given = ["solve", str(STREET), "--set", "players=2,rounds=6", "--grid", "total=200"]
    main([*given, "--store", str(tmp_path / "new")])
    assert " s solving with earlier runs, " in capsys.readouterr().out


def test_what_is_interrupted_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, written = FolderShelf.put, list[str]()

    def puts(self: FolderShelf, name: str, says: Mapping[str, Any], arrays: Any) -> None:
        if len(written) % 3 == 2:
            written.append("")
            raise KeyboardInterrupt
        written.append(name)
        put(self, name, says, arrays)

    monkeypatch.setattr(FolderShelf, "put", puts)
    found, told = None, "has no whole solution; solve with --store"
    while found is None:
        try:
            found = in_folder(tmp_path / "new")
        except KeyboardInterrupt:
            with pytest.raises(StoreError, match=told):
                Solution.load(str(tmp_path / "new"), street())
    demand_same(found)
    done = [name for name in written if name]
    assert len(done) == len({*done}) > 10  # each was written once
    assert written.count("") > 3


def test_who_interrupts_it_is_told_that_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FolderShelf, "put", interrupted)
    given = ["solve", str(STREET), "--set", "players=2", "--grid", "total=400"]
    assert main([*given, "--store", str(tmp_path / "new")]) == 130
    told = f"what is done is in {tmp_path / 'new'}, and the same command goes on from there\n"
    assert capsys.readouterr().err.endswith(f"{told}\nstopped\n")
    assert main([*given, "--store", str(tmp_path / "new"), "--value-only"]) == 2
    assert "--value-only does not go with --grid" in capsys.readouterr().err


def test_a_full_disk_and_another_solve_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, write, written = tmp_path / "new", store.write, list[str]()

    def full(path: str, *given: Any) -> None:
        written.append(path)
        if len(written) == 5:
            raise store.MissingFile(f"{path} cannot be written: No space left on device")
        write(path, *given)

    monkeypatch.setattr(store, "write", full)
    told = "No space left on device; what is done stays: solve again when that is mended"
    with pytest.raises(StoreError, match=told):
        in_folder(folder)
    with locked(folder), pytest.raises(PiecesError, match="is in use: another solve writes there"):
        in_folder(folder)
    demand_same(in_folder(folder))
    assert len(written) == 1 + len({*written})  # all but one are written once


def test_a_damaged_file_is_told_and_computed_anew_without_it(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    in_folder(folder)
    for name in [*names(folder, 1)[::4], "result"]:
        path = folder / name
        whole = path.read_bytes()
        for damaged in (whole[:-40], whole[:200] + b"\0" + whole[201:], b""):
            path.write_bytes(damaged)
            for use in (in_folder, lambda at: Solution.load(str(at), street())):
                with pytest.raises(StoreError, match=f"{name}.*; remove it and solve with --store"):
                    use(folder)
        path.unlink()
        demand_same(in_folder(folder))


Change = Callable[[dict[str, Any], dict[str, Array]], Any]
CHANGES: list[tuple[str, Change]] = [
    ("grid-1-points", lambda says, arrays: arrays.update(begins=arrays["begins"][:-1])),
    ("grid-1-points", lambda says, arrays: arrays.update(begins=arrays["begins"][::-1])),
    ("grid-1-points", lambda says, arrays: arrays.update(points=arrays["points"] - 10**6)),
    ("grid-1-points", lambda says, arrays: arrays.update(points=arrays["points"] + 10**9)),
    ("grid-1-points", lambda says, arrays: arrays.update(points=arrays["points"] * 0)),
    ("grid-1-points", lambda says, arrays: arrays.update(points=arrays["points"][:0])),
    ("grid-1-points", lambda says, arrays: arrays.update(begins=arrays["begins"][:0])),
    ("grid-1-points", lambda says, arrays: arrays.pop("points")),
    ("grid-1-points", lambda says, arrays: says.update(beyond="totl")),
    ("grid-1-from-0000000000", lambda says, arrays: says.update(to=0)),
    ("grid-1-from-0000000000", lambda says, arrays: says.update(to="100")),
    ("grid-1-from-0000000000", lambda says, arrays: says.update(to=10**9)),
    ("grid-1-from-0000000000", lambda says, arrays: says.update(change=-1.0)),
    ("grid-1-from-0000000000", lambda says, arrays: says.update(layers=[])),
    ("grid-1-from-0000000000", lambda says, arrays: says.update(solution="")),
    ("grid-1-from-0000000000", lambda says, arrays: arrays.update(values=arrays["values"][1:])),
    ("grid-1-from-0000000000", lambda says, arrays: arrays.pop("values")),
    ("result", lambda says, arrays: says.update(number=-1)),
    ("result", lambda says, arrays: says.update(number=7)),
    ("result", lambda says, arrays: says.update(gains=[1.0])),
    ("result", lambda says, arrays: says.update(gains=[float("nan")] * 2)),
    ("result", lambda says, arrays: says.update(value=3.0)),
    ("result", lambda says, arrays: says.pop("value")),
]


def test_files_that_say_what_cannot_be_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    in_folder(folder)
    for name, change in CHANGES:
        path = folder / name
        whole, stored = path.read_bytes(), store.read(str(path))
        arrays = {
            each: stored.take(each, entry.type[1], *entry.shape)
            for each, entry in stored.entries.items()
        }
        says = {key: value for key, value in stored.header.items() if key != "format"}
        change(says, arrays)
        store.write(str(path), says, arrays)
        with pytest.raises(StoreError, match=f"{folder}.*; (remove it and )?solve with --store"):
            Solution.load(str(folder), street())
        path.write_bytes(whole)
    demand_same(Solution.load(str(folder), street()))


def test_a_folder_is_of_one_game_on_one_grid(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    in_folder(folder)
    told = "was solved with --grid total=200, not with --grid total=100; solve with --store and a"
    with pytest.raises(StoreError, match=told):
        solve_game(street(), grid={"total": 100}, kept_in=ValueFolder(folder))
    with pytest.raises(StoreError, match="with --grid total=200, not without a grid"):
        solve_game(street(), kept_in=ValueFolder(folder))
    with pytest.raises(StoreError, match="was solved with rounds 6, not 5"):
        Solution.load(str(folder), read(STREET, players=2, rounds=5))
    with pytest.raises(SolutionError, match="all values of a grid are kept"):
        solve_game(street(), grid=STEP, kept_in=ValueFolder(tmp_path / "other", value_only=True))
    assert not (tmp_path / "other").exists()
    about = json.loads((folder / "solution.json").read_text())
    (folder / "solution.json").write_text(json.dumps(about | {"grid": {"totl": 200}}))
    with pytest.raises(StoreError, match="the game has no such grid"):
        Solution.load(str(folder), street())


def test_an_executor_comes_to_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "FEW_ROWS", 30)
    monkeypatch.setattr(kept, "GRID_CHUNK", 20)
    sent, run = list[int](), in_turn

    def counted(executor: Any, call: Any, tasks: Any, workers: int) -> Any:
        sent.append(len(tasks))
        return run(executor, call, tasks, workers)

    monkeypatch.setattr(kept, "in_turn", counted)
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        demand_same(in_folder(tmp_path / "new", executor))
        assert max(sent) > 1
        later = names(tmp_path / "new")[-2:]
        for name in (*later, "result"):  # the same workers go back to layers they know
            (tmp_path / "new" / name).unlink()
        demand_same(in_folder(tmp_path / "new", executor))


SMALL_FILES = f"from dicegames.solver.grid import kept; kept.FILE_ROWS = {FILE_ROWS}"
COMMAND = f"{SMALL_FILES}; from dicegames.cli import main; main()"


def test_kills_at_any_moment_lose_nothing(tmp_path: Path) -> None:
    folder, seconds = tmp_path / "new", 6.0
    solve = [sys.executable, "-c", COMMAND, "solve", str(STREET), "--set", "rounds=6"]
    solve += ["--set", "players=2", "--grid", "total=200", "--store", str(folder)]
    moments = random.Random(1)
    for _kill in range(4):
        running = subprocess.Popen(solve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sleep(moments.uniform(0.3, 1.0) * seconds)
        running.kill()
        running.wait()
    subprocess.run(solve, check=True, capture_output=True)
    demand_same(Solution.load(str(folder), street()))
    left = {path.name for path in folder.iterdir()} - {*names(folder)}
    assert left == {"lock", "result", "solution.json"}  # nothing of killed runs

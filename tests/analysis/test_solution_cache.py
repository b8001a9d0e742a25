"""Solutions that are kept: found under just what they depend on, never stale, never damaged."""

from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

import dicegames
from dicegames.analysis import solution_cache
from dicegames.analysis.saved import store
from dicegames.analysis.solution_cache import Wanted

ROOT = Path(__file__).parents[2]
PIG = (ROOT / "games" / "pig.dg").read_text("utf-8")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(solution_cache, "folder", lambda: tmp_path / "kept")
    monkeypatch.setenv("DICEGAMES_CACHE", "1MB")
    monkeypatch.setattr(solution_cache, "WORTH_KEEPING", 0.0)


def game(tmp_path: Path, text: str = PIG, **options: object) -> dicegames.Game:
    file = tmp_path / "game.dg"
    file.write_text(text, "utf-8")
    return dicegames.load(file, **{"target": 10, **options})


def test_what_is_kept_is_found_by_all_it_depends_on(tmp_path: Path) -> None:
    wanted = Wanted(game(tmp_path).rules)
    assert solution_cache.find(wanted) is None
    solution = dicegames.solve(game(tmp_path))
    solution_cache.keep(wanted, solution)
    found = solution_cache.find(Wanted(game(tmp_path, PIG + "\n# a comment\n").rules, grid={}))
    assert found is not None
    assert found.value == solution.value
    assert found.options("points 4") == solution.options("points 4")
    others = [
        Wanted(game(tmp_path, target=11).rules),
        Wanted(game(tmp_path, PIG.replace("dice show 1", "dice show 2")).rules),
        evolve(wanted, objective="turn"),
        evolve(wanted, playing="Hold at 20"),
        evolve(wanted, playing={1: "Hold at 20"}),
        evolve(wanted, grid={"total": 2}),
    ]
    assert PIG.replace("dice show 1", "dice show 2") != PIG
    assert all(solution_cache.find(other) is None for other in others)
    files = {wanted.file(), *(other.file() for other in others)}
    assert len(files) == len(others) + 1


def test_another_program_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Wanted(game(tmp_path).rules)
    solution_cache.keep(wanted, dicegames.solve(game(tmp_path)))
    assert solution_cache.find(wanted) is not None
    monkeypatch.setattr(solution_cache, "key_of", lambda _: "other sources")
    assert solution_cache.find(wanted) is None


def test_damaged_files_are_solved_anew(tmp_path: Path) -> None:
    wanted = Wanted(game(tmp_path).rules)
    solution_cache.keep(wanted, dicegames.solve(game(tmp_path)))
    file = wanted.file()
    assert file is not None
    content = file.read_bytes()
    for damaged in (content[:-9], b"", content[:60] + b"x" + content[61:]):
        file.write_bytes(damaged)
        assert solution_cache.find(wanted) is None
        assert not file.exists()


def test_a_function_that_plays_and_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = game(tmp_path).rules
    solution = dicegames.solve(game(tmp_path))
    assert Wanted(rules, playing=lambda position: position.moves()[0]).file() is None
    monkeypatch.setenv("DICEGAMES_CACHE", "0")
    solution_cache.keep(Wanted(rules), solution)
    assert solution_cache.entries() == []
    monkeypatch.setenv("DICEGAMES_CACHE", "lots")
    assert solution_cache.most_bytes() == solution_cache.LARGEST


def test_the_oldest_go_where_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    for target in (20, 21, 22):
        own = game(tmp_path, target=target)
        solution_cache.keep(Wanted(own.rules), dicegames.solve(own))
        sizes = [entry.bytes for entry in solution_cache.entries()]
    assert len(sizes) == 3
    monkeypatch.setenv("DICEGAMES_CACHE", str(max(sizes) + 10))
    own = game(tmp_path, target=19)
    solution_cache.keep(Wanted(own.rules), dicegames.solve(own))
    (left,) = solution_cache.entries()
    assert left.options["target"] == 19


def test_distributions_are_kept() -> None:
    own = dicegames.load(ROOT / "games" / "shut_the_box.dg", tiles=6)
    wanted = Wanted(own.rules)
    found = dicegames.solve(own).distributions()
    solution_cache.keep_distributions(wanted, found)
    again = solution_cache.find_distributions(wanted)
    assert again is not None
    assert np.array_equal(again[0].values, found[0].values)
    assert np.array_equal(again[0].masses, found[0].masses)
    assert (again[0].tail, again[0].bounded) == (found[0].tail, found[0].bounded)
    assert [entry.kind for entry in solution_cache.entries()] == ["distribution"]
    (entry,) = solution_cache.entries()
    entry.file.write_bytes(entry.file.read_bytes()[:-1])
    assert [entry.kind for entry in solution_cache.entries()] == ["damaged"]
    assert solution_cache.find_distributions(wanted) is None
    assert solution_cache.clear() == []


def test_distributions_that_were_swapped_are_not_used(tmp_path: Path) -> None:
    wanted = [Wanted(game(tmp_path, target=target).rules) for target in (10, 11)]
    files = [one.file(solution_cache.DISTRIBUTION) for one in wanted]
    for one, file in zip(wanted, files, strict=True):
        assert file is not None
        own = dicegames.load(tmp_path / "game.dg", **one.game.option_values())
        solution_cache.keep_distributions(one, dicegames.solve(own).distributions())
        assert solution_cache.find_distributions(one) is not None
    assert files[0] is not None
    assert files[1] is not None
    files[0].replace(files[1])
    assert solution_cache.find_distributions(wanted[1]) is None


@pytest.mark.parametrize("change", [{"masses0": np.array([0.25])}, {"values0": np.array([np.nan])}])
def test_distributions_that_are_none_are_not_used(change: dict[str, np.ndarray]) -> None:
    wanted = Wanted(dicegames.load(ROOT / "games" / "shut_the_box.dg", tiles=6).rules)
    file = wanted.file(solution_cache.DISTRIBUTION)
    assert file is not None
    arrays = {"values0": np.array([1.0]), "masses0": np.array([1.0])}
    header = {"seats": [{"tail": 0.0, "bounded": True}], "kept_as": file.name}
    file.parent.mkdir()
    store.write(str(file), header, arrays)
    assert solution_cache.find_distributions(wanted) is not None
    store.write(str(file), header, arrays | change)
    assert solution_cache.find_distributions(wanted) is None

"""Values in the files of a folder: the same bits as in memory, whatever happens on the way."""

import io
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import dicegames
from dicegames.analysis.chances import policy
from dicegames.analysis.saved import store
from dicegames.analysis.saved.folder import ValueFolder
from dicegames.analysis.saved.store import StoreError
from dicegames.analysis.solution import Solution, solve_game
from dicegames.analysis.solving import explaining
from dicegames.analysis.solving.outlook import outlook, with_workers
from dicegames.analysis.solving.position_values import UnknownPosition
from dicegames.cli import main
from dicegames.compiler.compile import compile_game
from dicegames.ground.limits import Limits
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.solver.blocks import in_pieces, tasks
from dicegames.solver.blocks.blocks import make_plan
from dicegames.solver.blocks.pieces import PiecesError, locked
from dicegames.solver.blocks.plan import PLAN_FILE, Plan
from dicegames.solver.chain import sample
from dicegames.solver.explicit.subgame import Subgames

CARD = """game "Small card"
option saving = yes | no
dice 4d6
each player
    score = 0
    upper_total = 0 to 18 capped
    saved = 2
boxes upper
    "Sixes" any 6 pays sum
boxes lower
    "One pair"        x x      pays sum
    "Two pairs"       x x y y  pays sum
    "Three of a kind" x x x    pays sum
    "Four of a kind"  x x x x  pays sum
    "Chance"          any dice pays sum
turn
    roll all
    repeat until saved = 0
        choose
            "Stop": leave
            "Roll" some of dice as again for 1 saved: roll again
    choose
        one of open boxes as b
            if b in upper and upper_total < 18 and upper_total + points of b >= 18: score + 30
            if b in upper: upper_total + points of b
            score + points of b
            use b
    if saving: saved + 2
    else: saved = 2
ends when all boxes are used
payoff highest score
"""
BOXES = range(6)
WANTED = {1: (2,), 2: (2, 2), 3: (3,), 4: (4,)}
THROWS: list[tuple[int, ...]] = list(combinations_with_replacement(range(1, 7), 4))


def points(box: int, dice: tuple[int, ...]) -> int:
    """What a box pays: Sixes, the kinds of `WANTED`, Chance."""
    if box == 0:
        return 6 * dice.count(6)
    if box == 5:
        return sum(dice)
    wanted = WANTED[box]
    fits = [f for f in range(6, 0, -1) if dice.count(f) >= wanted[0]]
    return sum(f * n for f, n in zip(fits, wanted, strict=False)) if len(fits) >= len(wanted) else 0


def parts(dice: tuple[int, ...]) -> set[tuple[int, ...]]:
    """What may be kept of some dice, if at least one is thrown."""
    chosen = range(1 << len(dice))
    all_of_them = {tuple(d for i, d in enumerate(dice) if c >> i & 1) for c in chosen}
    return all_of_them - {dice}


PARTS = {dice: parts(dice) for dice in THROWS}
POINTS = {dice: [points(box, dice) for box in BOXES] for dice in THROWS}


@cache
def begun(used: int, upper: int, saved: int) -> Fraction:
    """What a card is worth when a turn begins, with so many throws besides the first."""
    if used == 63:
        return Fraction(0)
    return thrown(used, upper, saved)[()]


@cache
def thrown(used: int, upper: int, saved: int) -> dict[tuple[int, ...], Fraction]:
    """What it is worth to have kept some dice, the others being thrown, and so many throws left."""
    found: dict[tuple[int, ...], Fraction] = {}
    found |= {dice: best(used, upper, saved, dice) for dice in THROWS}
    for count in range(3, -1, -1):
        for kept in combinations_with_replacement(range(1, 7), count):
            nexts = (found[tuple(sorted((*kept, face)))] for face in range(1, 7))
            found[kept] = sum(nexts, Fraction(0)) / 6
    return found


def best(used: int, upper: int, saved: int, dice: tuple[int, ...]) -> Fraction:
    found = written(used, upper, saved, dice)
    if saved:
        again = thrown(used, upper, saved - 1)
        found = max(found, *(again[kept] for kept in PARTS[dice]))
    return found


def written(used: int, upper: int, saved: int, dice: tuple[int, ...]) -> Fraction:
    worth = []
    for box in BOXES:
        if used >> box & 1:
            continue
        paid, total = POINTS[dice][box], upper
        if box == 0:
            total = min(18, upper + paid)
            paid += 30 * (total >= 18 > upper)
        worth.append(paid + begun(used | 1 << box, total, saved + 2))
    return max(worth)


@pytest.fixture
def card(tmp_path: Path) -> dicegames.Game:
    file = tmp_path / "card.dg"
    file.write_text(CARD)
    return dicegames.load(str(file))


def test_a_small_card_is_worth_what_fractions_say(card: dicegames.Game, tmp_path: Path) -> None:
    solution = dicegames.solve(card, store=tmp_path / "values")
    assert solution.value == pytest.approx(float(begun(0, 0, 2)), abs=1e-11)


@pytest.mark.parametrize("name", ["despirala", "yahtzee"])
def test_bits_are_those_in_memory(name: str, tmp_path: Path) -> None:
    game = dicegames.load(name)
    memory, disk = dicegames.solve(game), dicegames.solve(game, store=tmp_path / "values")
    assert disk.value == memory.value
    assert len(compared(memory, disk)) > 1000


def compared(memory: dicegames.Solution, disk: dicegames.Solution) -> list[float]:
    """The values that are in both, found to be the same to the last bit."""
    tables, on_disk = memory.solved.tables, disk.solved.evaluator
    assert isinstance(on_disk, Subgames)
    found = []
    for node, table in tables.items():
        known = np.argwhere(np.isfinite(table))
        random.Random(1).shuffle(some := known[:: max(1, len(known) // 3000)].tolist())
        found += [(table[tuple(p)], on_disk.tables[node][tuple(p)]) for p in some]
    assert all(one == other for one, other in found)
    return [one for one, _ in found]


def test_whatever_is_killed_goes_on(card: dicegames.Game, tmp_path: Path) -> None:
    """DICEGAMES_KILLS sets how often, DICEGAMES_KILLED names a larger game with saved throws."""
    if "DICEGAMES_KILLED" in os.environ:
        card = dicegames.load(os.environ["DICEGAMES_KILLED"], saving="yes")
    wanted, chance = int(os.environ.get("DICEGAMES_KILLS", "20")), random.Random(7)
    whole, folder = dicegames.solve(card, store=tmp_path / "whole"), tmp_path / "killed"

    def solved(seconds: float | None) -> bool:
        """Whether another process came to the end in so many seconds; else it was killed."""
        solving = partial(dicegames.solve, card, store=folder)
        child = multiprocessing.get_context("fork").Process(target=solving)
        child.start()
        try:
            child.join(seconds)
        finally:
            child.kill()
            child.join()
        assert child.exitcode in (0, -signal.SIGKILL)
        if child.exitcode:
            return False
        assert dicegames.solve(card, store=folder).value == whole.value
        assert same_files(tmp_path / "whole", folder)
        shutil.rmtree(folder)
        return True

    begun = perf_counter()
    assert solved(None)
    longest, kills = perf_counter() - begun, 0
    while kills < wanted:
        kills += not solved(chance.uniform(0.0, longest))
    assert solved(None)


def test_the_value_alone_needs_few_layers(card: dicegames.Game, tmp_path: Path) -> None:
    whole = dicegames.solve(card, store=tmp_path / "whole")
    alone = dicegames.solve(card, store=tmp_path / "alone", value_only=True)
    assert (alone.value, alone.error_bound) == (whole.value, whole.error_bound)
    assert len(list((tmp_path / "alone").glob("layer-*"))) == 1
    again = dicegames.solve(card, store=tmp_path / "alone")
    assert again.value == whole.value


def test_a_flipped_bit_is_noticed(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    solution = dicegames.solve(card, store=folder)
    file = folder / "layer-002-table-0"
    content = bytearray(file.read_bytes())
    content[70_000] ^= 1
    file.write_bytes(content)
    (folder / "layer-003-table-0").unlink()
    with pytest.raises(PiecesError, match=r"layer-002-table-0 is damaged: a checksum is wrong"):
        dicegames.solve(card, store=folder)
    file.unlink()
    assert dicegames.solve(card, store=folder).value == solution.value
    file.write_bytes(content)
    with pytest.raises(PiecesError, match=r"layer-002-table-0 is damaged: a checksum is wrong"):
        dicegames.Solution.load(folder, card.rules).simulate(100, seed=1)


@pytest.mark.parametrize("moment", [0, 2**32])
def test_clocks_do_not_matter(
    card: dicegames.Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    folder = tmp_path / "values"
    whole = dicegames.solve(card, store=folder)
    monkeypatch.setattr("time.time", lambda: float(moment))
    for file in folder.iterdir():
        os.utime(file, (2**32 - moment, 2**32 - moment))
    before = (folder / "layer-004-table-0").read_bytes()
    (folder / "layer-004-table-0").unlink()
    assert dicegames.solve(card, store=folder).value == whole.value
    assert (folder / "layer-004-table-0").read_bytes() == before


def test_a_file_that_is_cut_off_is_noticed(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    file = folder / "layer-005-table-0"
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(PiecesError, match="layer-005-table-0 is damaged: "):
        dicegames.solve(card, store=folder)


def a_pipe(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)


def a_folder(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.mkdir()


@pytest.mark.parametrize(
    ("name", "damage", "told"),
    [
        ("lock", a_pipe, r"values cannot be written to: it is a device or a pipe"),
        ("places", a_pipe, r"places is a pipe: only regular files are written"),
        ("layer-003-table-0", a_pipe, r"a device or a pipe; remove it and solve again"),
        ("layer-003-table-0", a_folder, r"is a directory; remove it and solve again"),
        ("layer-004-table-0.part", a_folder, r"is a directory; remove it and solve again"),
    ],
)
def test_what_is_no_file_in_a_folder_is_refused(
    name: str,
    damage: Callable[[Path], None],
    told: str,
    card: dicegames.Game,
    tmp_path: Path,
) -> None:
    """Nobody waits for a pipe."""
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    (folder / "layer-004-table-0").unlink()
    damage(folder / name)
    with pytest.raises(dicegames.DicegamesError, match=told):
        dicegames.solve(card, store=folder)


def test_links_in_the_place_of_unfinished_files_are_not_followed(
    card: dicegames.Game, tmp_path: Path
) -> None:
    folder, letter = tmp_path / "values", tmp_path / "letter.txt"
    value = dicegames.solve(card, store=folder).value
    letter.write_text("Dear reader")
    (folder / "layer-004-table-0").unlink()
    (folder / "layer-004-table-0.part").symlink_to(letter)
    assert dicegames.solve(card, store=folder).value == value
    assert letter.read_text() == "Dear reader"


@pytest.mark.parametrize("content", [b"", b"dicegames", b"dicegames solution\n\0\0"])
def test_damaged_places_are_written_anew(
    content: bytes, card: dicegames.Game, tmp_path: Path
) -> None:
    folder = tmp_path / "values"
    value = dicegames.solve(card, store=folder).value
    (folder / "places").write_bytes(content)
    with pytest.raises(StoreError, match=r"places is .*; remove it and solve with --store "):
        Solution.load(folder, card.rules)
    (folder / "places").unlink()
    dicegames.solve(card, store=folder)
    assert Solution.load(folder, card.rules).value == value


def test_two_do_not_write_to_one_folder(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    folder.mkdir()
    dicegames.solve(card, store=folder)
    with locked(folder), pytest.raises(PiecesError, match="is in use: another solve writes there"):
        dicegames.solve(card, store=folder)


def test_a_folder_of_other_rules_is_refused(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    (tmp_path / "card.dg").write_text(CARD.replace("score + 30", "score + 31"))
    with pytest.raises(StoreError, match="the rules have changed since"):
        dicegames.solve(dicegames.load(str(tmp_path / "card.dg")), store=folder)
    other = dicegames.load(str(tmp_path / "card.dg"), saving="no")
    with pytest.raises(StoreError, match="was solved with saving yes, not no"):
        dicegames.solve(other, store=folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear reader")
    with pytest.raises(StoreError, match="has other things in it"):
        dicegames.solve(card, store=tmp_path / "full")


def test_a_run_that_is_killed_at_its_first_write_leaves_a_folder_that_can_be_used(
    card: dicegames.Game, tmp_path: Path
) -> None:
    (folder := tmp_path / "values").mkdir()
    (folder / ".dicegames-4711-0123abcd.part").write_text("{")  # of `solution.json`
    solution = dicegames.solve(card, store=folder)
    assert solution.value == dicegames.solve(card).value
    assert not list(folder.glob(".dicegames-*"))


def test_a_full_disk_is_told_before_anything_is_computed(
    card: dicegames.Game, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, before[1]))
    try:
        with pytest.raises(PiecesError, match="file too large"):
            dicegames.solve(card, store=tmp_path / "values")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    value = dicegames.solve(card, store=tmp_path / "values").value
    assert value == dicegames.solve(card).value


def test_positions_are_read_from_a_folder(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    memory = dicegames.solve(card)
    dicegames.solve(card, store=folder)
    solution = dicegames.Solution.load(folder, card.rules)
    assert solution.value == memory.value
    position = card.start()
    position = position.play(position.outcomes()[40])
    assert len(memory.options(position)) > 5
    for one, other in zip(solution.options(position), memory.options(position), strict=True):
        assert one.name == other.name
        assert one.value == pytest.approx(other.value, abs=1e-12)


def test_positions_to_which_no_play_comes_have_no_value_in_a_folder(
    card: dicegames.Game, tmp_path: Path
) -> None:
    """Where no value was kept it was taken for 0, and so was all that leads there."""
    whole, kept = dicegames.solve(card), dicegames.solve(card, store=tmp_path / "values")
    for found in (whole, kept, Solution.load(tmp_path / "values", card)):
        with pytest.raises(UnknownPosition, match="cannot come up"):
            found.value_of("upper_total 18")


OVERWRITTEN = """
option players = 2
dice 2d3
table
    limit = 3
each player
    hand = 0
this turn
    thrown = 0 to 3
turn
    if round = 1 and seat = 1: limit = 3
    thrown = 1
    roll all
    repeat until thrown = limit
        choose
            "Throw" any of dice as k: roll k, thrown + 1
            "Stand": leave
    if seat = 1: limit = thrown
    hand = sum of dice
ends after 2 rounds
ranking highest hand, ties earlier
payoff win
"""


@pytest.mark.parametrize("hands", ["2 / 2", "3 / 6", "6 / 5"])
def test_what_no_longer_matters_may_be_anything_in_a_folder(hands: str, tmp_path: Path) -> None:
    """A hand that the turn replaces has one value in the files, and positions have another."""
    game = check(Source("hands.dg", f'game "Hands"{OVERWRITTEN}'), {})
    kept = solve_game(game, kept_in=ValueFolder(tmp_path / "values"))
    position = f"limit 3 | hand {hands} | round 2"
    assert kept.value_of(position) == pytest.approx(solve_game(game).value_of(position), abs=1e-12)


@pytest.mark.parametrize("option", ["--judge", "--solution"])
def test_a_folder_judges_a_game_that_is_played(
    option: str,
    card: dicegames.Game,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, dice = str(tmp_path / "values"), card.start().outcomes()[40]
    best = dicegames.solve(card, store=folder).options(card.start().play(dice))[0]
    monkeypatch.setattr(explaining, "MOST_SOLVED_AGAIN", 0)  # as if it were large
    lines = f"{dice.text}\nhint 1\nwhy\n{best.name}\nluck\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    assert main(["play", card.rules.source.name, option, folder, "--dice", "typed"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"{best.name} {best.value:.2f} best" in told
    assert f"{best.name} rather than" in told
    assert f"You play {best.name}: best" in told
    assert "start + luck - losses = expected" in told


def test_games_from_a_folder_are_those_from_memory(
    card: dicegames.Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = dicegames.solve(card)
    dicegames.solve(card, store=tmp_path / "values")
    disk = dicegames.Solution.load(tmp_path / "values", card.rules)
    games = memory.simulate(4000, seed=7).results
    assert (disk.simulate(4000, seed=7).results == games).all()
    assert abs(games.mean() - memory.value) < 4 * games.std() / len(games) ** 0.5
    monkeypatch.setattr(sample, "MOST_CHOICE_BYTES", 1 << 17)  # moves are found again and again
    assert (disk.simulate(4000, seed=7).results == games).all()
    assert disk.distribution().mean == pytest.approx(memory.value, abs=1e-10)


def test_the_distribution_of_a_large_folder_is_that_from_memory(
    card: dicegames.Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = dicegames.solve(card).distribution()
    dicegames.solve(card, store=tmp_path / "values")
    monkeypatch.setattr(policy, "MOST_LOOKED_UP", 0)  # too many to be asked for one by one
    monkeypatch.setattr(in_pieces, "READ_AT_ONCE", 1000)
    disk = dicegames.Solution.load(tmp_path / "values", card.rules)
    found = disk.distribution()
    assert (found.values == expected.values).all()
    assert (found.masses == expected.masses).all()
    monkeypatch.setattr(policy, "MOST_HELD", 100)
    with pytest.raises(dicegames.SolutionError, match=r"let `simulate` play games: all values of"):
        disk.distribution()


def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut layers of small games, too, into several tasks."""
    monkeypatch.setattr(tasks, "SMALLEST_TASK", 100)


def same_files(one: Path, other: Path) -> bool:
    names = sorted(file.name for file in one.glob("layer-*"))
    assert names
    assert names == sorted(file.name for file in other.glob("layer-*"))
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in names)


def test_an_executor_comes_to_the_same_bits(
    card: dicegames.Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(monkeypatch)
    whole = dicegames.solve(card, store=tmp_path / "whole")
    with ThreadPoolExecutor(2) as executor:
        other = dicegames.solve(card, store=tmp_path / "other", executor=executor, threads=2)
    assert other.value == whole.value
    assert same_files(tmp_path / "whole", tmp_path / "other")


def test_processes_map_the_plan_instead_of_planning(
    card: dicegames.Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(monkeypatch)
    planned: list[object] = []

    def planning(*about: Any, **how: Any) -> Plan:
        planned.append(about)
        return make_plan(*about, **how)

    monkeypatch.setattr(tasks, "make_plan", planning)
    dicegames.solve(card, store=tmp_path / "whole")
    for name, times in ("here", 0), ("elsewhere", 1):
        tasks._plans.clear()
        with ThreadPoolExecutor(2) as executor:
            dicegames.solve(card, store=tmp_path / name, executor=executor, threads=2)
        assert len(planned) == times
        assert same_files(tmp_path / "whole", tmp_path / name)
        assert not (tmp_path / name / PLAN_FILE).exists()
        monkeypatch.setattr(tasks, "mapped", lambda _: None)  # as on another machine


WITH_A_DEATH = """
import os, signal, sys
from distributed import Client, LocalCluster
import dicegames
from dicegames.solver.blocks import tasks

def main(rules, folder):
    tasks.SMALLEST_TASK = 100
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=None, dashboard_address=None,
        silence_logs=50,
    )
    with cluster, Client(cluster) as client:
        alive = list(client.run(os.getpid).values())

        def kill(done, total):
            if alive and done > 0.2 * total:
                os.kill(alive.pop(), signal.SIGKILL)
                alive.clear()

        solution = dicegames.solve(
            dicegames.load(rules), store=folder, executor=client.get_executor(), threads=2,
            progress=kill,
        )
        assert not alive
        print(repr(solution.value))

if __name__ == "__main__":
    main(*sys.argv[1:])
"""


def test_the_task_of_a_worker_that_dies_is_done_by_another(
    card: dicegames.Game, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    whole = dicegames.solve(card, store=tmp_path / "whole")
    script = tmp_path / "solve.py"
    script.write_text(WITH_A_DEATH)
    command = [sys.executable, str(script), str(tmp_path / "card.dg"), str(tmp_path / "other")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) == whole.value
    assert same_files(tmp_path / "whole", tmp_path / "other")


class Forgetful(Executor):
    """Loses the first answers: so many, and with an error that says nothing of the task."""

    def __init__(self, loses: int) -> None:
        self.left = loses

    def submit(self, call: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.left -= 1
        if self.left >= 0:
            future.set_exception(TypeError("no answer"))
        else:
            future.set_result(call(*arguments, **named))
        return future


def test_lost_answers_are_asked_for_again() -> None:
    found = tasks.in_turn(Forgetful(2), abs, {"a": -1, "b": -2}, 1)
    assert dict(found) == {"a": 1, "b": 2}
    with pytest.raises(TypeError, match="no answer"):
        list(tasks.in_turn(Forgetful(tasks.TASK_TRIES), abs, {"a": -1}, 1))


def test_what_the_program_says_is_not_asked_again() -> None:
    asked = []

    def refuse(number: int) -> None:
        asked.append(number)
        raise dicegames.DicegamesError("not so")

    with ThreadPoolExecutor(1) as threads, pytest.raises(dicegames.DicegamesError, match="not so"):
        list(tasks.in_turn(threads, refuse, {"a": 1}, 1))
    assert asked == [1]


def test_a_game_that_does_not_suit_leaves_no_folder(tmp_path: Path) -> None:
    pig = dicegames.load("pig")
    with pytest.raises(dicegames.SolutionError):
        dicegames.solve(pig, store=tmp_path / "values")
    assert not (tmp_path / "values").exists()


def test_where_values_stand_is_read_from_the_folder(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    places = folder / "places"
    content = places.read_bytes()
    places.write_bytes(content[:-40] + bytes(40))
    with pytest.raises(StoreError, match="places is cut off or damaged"):
        dicegames.Solution.load(folder, card.rules)
    places.unlink()
    with pytest.raises(StoreError, match="has no whole solution"):
        dicegames.Solution.load(folder, card.rules)
    value = dicegames.solve(card, store=folder).value
    assert dicegames.Solution.load(folder, card.rules).value == value


def test_what_the_places_say_is_looked_at(card: dicegames.Game, tmp_path: Path) -> None:
    """A folder may come from anybody: a checksum that is right means nothing."""
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    places = str(folder / "places")
    stored = store.read(places)
    header = {name: said for name, said in stored.header.items() if name != "format"}
    arrays = {name: stored.take(name, "i", *each.shape) for name, each in stored.entries.items()}
    first = card.start().play(card.start().outcomes()[40])

    def refused(header: dict[str, Any], arrays: store.Arrays) -> None:
        store.write(places, header, arrays)
        with pytest.raises((StoreError, PiecesError)):
            dicegames.Solution.load(folder, card.rules).options(first)

    for name in header:
        refused({**header, name: "x"}, arrays)
        refused({other: said for other, said in header.items() if other != name}, arrays)
    odd: list[object] = [None, -1, 0, 10**30, 1.5, [99], [[1]], [*range(9)], {}, float("nan")]
    for name in ("inner", "major", "minor", "strip", "furthest"):
        for said in odd:
            refused({**header, name: said}, arrays)
    refused({**header, "stuck": 10**6}, arrays)
    refused({**header, "value": 1.5}, arrays)  # the values themselves tell
    for name, array in arrays.items():
        changed = array.copy()
        changed.flat[0] ^= 1
        refused(header, {**arrays, name: changed})
    store.write(places, header, arrays)
    assert dicegames.Solution.load(folder, card.rules).options(first)


def test_the_largest_value_is_looked_at(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    file = max(folder.glob("layer-*"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(PiecesError, match=rf"{file.name} is damaged: a checksum is wrong"):
        dicegames.solve(card, store=folder)


def test_a_folder_of_another_version_is_refused(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    about = folder / "solution.json"
    says = json.loads(about.read_text())
    about.write_text(json.dumps(says | {"program": "0.0.1"}))
    with pytest.raises(StoreError, match=r"was written by version 0\.0\.1 of the program"):
        dicegames.solve(card, store=folder)


ABOUT: list[tuple[Any, str]] = [
    (lambda about: about.write_text("{"), "is cut off or damaged"),
    (lambda about: about.write_text("[" * 100_000), "is cut off or damaged"),
    (lambda about: about.write_text("[]"), "it says other things"),
    (lambda about: about.symlink_to("/dev/zero"), "it is larger than 1 MB"),
    (lambda about: about.mkdir(), "is a directory"),
]


@pytest.mark.parametrize(("damage", "message"), ABOUT)
def test_a_folder_that_does_not_say_what_it_holds(
    damage: Any, message: str, card: dicegames.Game, tmp_path: Path
) -> None:
    """To solve into it again would be refused for the same reason."""
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    about = folder / "solution.json"
    about.unlink()
    damage(about)
    told = f"{message}.*; solve with --store and a new folder$"
    with pytest.raises(StoreError, match=told):
        dicegames.solve(card, store=folder)
    with pytest.raises(StoreError, match=told):
        dicegames.Solution.load(folder, card.rules)


def test_a_pipe_in_place_of_values_is_not_waited_for(card: dicegames.Game, tmp_path: Path) -> None:
    folder = tmp_path / "values"
    dicegames.solve(card, store=folder)
    file = max(folder.glob("layer-*"))
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(PiecesError, match="it is a device or a pipe"):
        dicegames.solve(card, store=folder)


def test_more_workers_take_less_time_but_for_what_they_share(card: dicegames.Game) -> None:
    cost = outlook(compile_game(card.rules), Limits(threads=2), in_folder=True)
    assert not cost.impossible
    assert cost.reachable == 1164
    assert cost.disk == pytest.approx(8 * cost.reachable, rel=0.5)
    assert cost.ways == 6  # boxes
    few, many = (with_workers(cost, 2, workers, 1.0) for workers in (1, 100))
    assert few.computing == pytest.approx(2 * cost.seconds)
    assert many.moved > few.moved == 0
    assert many.seconds > few.seconds  # there is next to nothing to compute
    large = evolve(
        cost, seconds=1e6, disk=10**9, layer_sizes=tuple(10**6 * n for n in cost.layer_sizes)
    )
    few, many = (with_workers(large, 2, workers, 1.0) for workers in (1, 100))
    assert 50 < few.seconds / many.seconds < 100
    assert many.tasks >= 100 * len(cost.layer_sizes)

"""Limits that hold whatever a command is doing."""

import ctypes
import gc
import io
import mmap
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import click
import pytest

from dicegames import cli
from dicegames.cli import watch
from dicegames.cli.commands import inspection
from dicegames.cli.entry import main
from dicegames.cli.playing import seating
from dicegames.cli.solving import Solving
from dicegames.cli.watch import SIGNAL, within
from dicegames.compiler.compile import compile_game
from dicegames.ground.limits import PROGRAM_BYTES, LimitReached
from dicegames.ground.scratch import on_disk
from dicegames.ground.source import Source
from dicegames.loading import load
from dicegames.rules.check import check
from dicegames.solver.kernels.compiling import unbroken

ROOT = Path(__file__).parents[2]
PIG, YATZY = "games/pig.dg", "games/yatzy.dg"

MANY_THROWS = """\
game "Many throws"
dice 3d100
each player
    score = 0
turn
    roll all
    repeat 2 times
        choose
            "Keep" any of dice as k: roll dice - k
    score + sum of dice
ends after 1 rounds
payoff highest score
"""


@pytest.fixture(autouse=True)
def _signals_stay() -> Iterator[None]:
    before = signal.getsignal(SIGNAL)
    yield
    assert signal.getsignal(SIGNAL) == before


def without_end() -> None:
    """Go round as if for ever."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass


@contextmanager
def breaking() -> Iterator[None]:
    """Make another error of an interrupt."""
    try:
        yield
    except KeyboardInterrupt:
        raise RuntimeError from None


def test_what_does_not_look_at_the_clock_is_stopped() -> None:
    told = r"longer than the 0\.01 s allowed"
    with pytest.raises(LimitReached, match=told), within(0.01):
        without_end()
    told = r"more than 0\.1 s of computing"
    with pytest.raises(LimitReached, match=told), within(None, computing=0.1):
        without_end()


BAG = """game "Bag"
dice 1d6
bag cup with a times 9, b times 9, c times 9, d times 9, e times 9
pile hand of cup
each player
    score = 0
turn
    repeat 10 times
        draw 5 to hand
        choose
            "Stop": leave
            "Go": next
    score + number of a in hand * number of b in hand
ends after 1 rounds
payoff highest score
"""


def test_a_turn_that_is_stopped_is_named() -> None:
    rules = check(Source("bag.dg", BAG), {})
    told = r'1 s of computing: a turn has .* at line 10, where .* "hand" takes .* values$'
    with pytest.raises(LimitReached, match=told), within(None, computing=1):
        compile_game(rules)


def test_more_time_is_no_remedy_for_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watch, "resident", lambda: 10**12)
    monkeypatch.setattr("dicegames.cli.commands.show.run", lambda *_, **__: without_end())
    assert main(["show", PIG, "--memory", "300M"]) == 1
    assert capsys.readouterr().err == "error: this needs more than the 315 MB allowed\n"


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    before = watch.resident()
    assert before > 10_000_000
    enough = max(before, PROGRAM_BYTES) + 70_000_000 + watch.SPARE
    grown = iter([enough, *[enough + 1] * 1000])
    monkeypatch.setattr(watch, "resident", lambda: next(grown))
    told = "needs more than the 300 MB allowed"
    with pytest.raises(LimitReached, match=told), within(None, PROGRAM_BYTES + 70_000_000):
        without_end()
    assert next(grown, None) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere mapped files count")
def test_pages_of_files_can_be_taken_back() -> None:
    before, size = watch.resident(), 5_000_000
    mapped = on_disk(size)
    mapped[:] = 1.0
    assert watch.resident() < before + 4 * size
    private = mmap.mmap(-1, 8 * size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # new, never reused
    private[:] = mapped.tobytes()
    assert watch.resident() > before + 4 * size


def test_what_stays_within_its_limits_is_left_alone() -> None:
    with within(100.0, 10**12, 100.0):
        pass
    with within(None):
        assert signal.getsignal(SIGNAL) is not None


class EndedLate(threading.Event):
    """An end that the last interrupt comes before."""

    struck = False

    def set(self) -> None:
        if not self.struck:
            self.struck = True
            raise watch._Over(lambda: None)
        super().set()


def test_a_limit_that_is_reached_at_the_very_end(monkeypatch: pytest.MonkeyPatch) -> None:
    late = EndedLate()
    monkeypatch.setattr(
        watch, "_LimitWatch", partial(watch._LimitWatch, told="too long", ended=late)
    )
    with pytest.raises(LimitReached, match="too long"), within(60):
        pass
    assert late.is_set()


def test_nothing_is_caught_on_the_way() -> None:
    with pytest.raises(LimitReached), within(0.01), suppress(Exception):
        without_end()


def test_what_must_not_be_broken_off_comes_to_its_end() -> None:
    """After an exception in the midst of compiling numba compiles nothing any more."""
    compiled = []

    def compile_and_wait() -> None:
        with unbroken():
            time.sleep(1)
            compiled.append(True)
        time.sleep(60)

    with pytest.raises(LimitReached), within(0.01):
        compile_and_wait()
    assert compiled


def test_what_an_interrupt_breaks_is_told_as_the_limit() -> None:
    """As where it comes while code that was called from elsewhere cannot pass it on."""
    told = r"longer than the 0\.01 s allowed"
    with pytest.raises(LimitReached, match=told), within(0.01), breaking():
        without_end()
    with pytest.raises(RuntimeError), within(100.0):
        raise RuntimeError


def test_what_is_left_half_made_goes_away_silently(capfd: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C may come while foreign code makes something: its end looks for what is not there."""

    class HalfMade:
        def __init__(self) -> None:
            raise KeyboardInterrupt

        def __del__(self) -> None:
            self.never_made.close()  # type: ignore[attr-defined]

    before, sys.unraisablehook = sys.unraisablehook, cli._stop_later
    try:
        with suppress(KeyboardInterrupt):
            HalfMade()
        gc.collect()
    finally:
        sys.unraisablehook = before
    assert capfd.readouterr().err == ""


def test_a_limit_is_not_lost_where_foreign_code_calls_back(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There ctypes drops what is raised."""

    def going_on() -> None:
        ctypes.CFUNCTYPE(None)(without_end)()
        without_end()

    monkeypatch.setattr(sys, "unraisablehook", cli._stop_later)
    monkeypatch.setattr(watch, "ASK_AGAIN_AFTER", 1000.0)
    began = time.monotonic()
    with pytest.raises(LimitReached), within(0.01):
        going_on()
    assert time.monotonic() - began < 30
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", PIG, "--games", "1000000000"],
        ["stats", YATZY],
        ["compare", PIG, "--set", "target=300"],
        ["solve", YATZY],
        ["advise", YATZY, "used none"],
        ["diff", YATZY, "bonus=100"],
        ["export", YATZY, "--format", "drn"],
        ["report", YATZY],
        ["advise", YATZY, "used none", "--why"],
        ["card", YATZY],
    ],
)
def test_commands_end_in_time(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--time", "0.2s"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    # The watch says so, or the method, or before it begins what is expected of it.
    assert re.search(r"longer than (the 0\.2 s )?allowed|allowed are 0\.2 s", error)


def test_a_sweep_ends_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", PIG, "--set", "target=290..300", "--fresh", "--time", "0.2s"]
    assert main(words) == 1
    told = capsys.readouterr()
    assert "allowed" in told.err + told.out  # in each row, unless the watch was first


def test_each_file_is_checked_in_a_time_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said where that is not enough names the file, and no option that there is not."""
    limits: list[float | None] = []

    @contextmanager
    def limited(_seconds: float | None, computing: float | None, remedy: str) -> Iterator[None]:
        limits.append(computing)
        if len(limits) == 4:
            raise LimitReached(f"this takes more than 5 s of computing; {remedy}")
        yield

    monkeypatch.setattr("dicegames.cli.commands.check.within", limited)
    assert main(["check", *[PIG] * 3, "craps"]) == 1
    assert limits == [5.0] * 4
    told = capsys.readouterr().err
    assert told.startswith("error: craps: this takes more than 5 s of computing; set smaller")
    assert "--time" not in told


@pytest.mark.parametrize("words", [["inspect"], ["check"], ["show", "--stage", "model"]])
def test_what_solves_nothing_has_done_soon(
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(watch.Soon, "computing", 0.4)
    monkeypatch.setattr("dicegames.cli.commands.check.SOON_AFTER", 0.4)
    monkeypatch.setattr(inspection, "COMPILING", 0.4)
    rules = tmp_path / "many.dg"
    example = 'example "dice 1 2 3" moves only "Keep 1"\n' * 200
    rules.write_text(MANY_THROWS + example * (words[0] == "check"), "utf-8")
    assert main([*words, str(rules)]) == 1
    told = capsys.readouterr()
    stopped = re.search(r"more than 0\.[1-4]\d* s of computing", told.err)
    assert stopped is not None or told.out.count("example") > 1


def test_loading_the_program_counts_where_an_answer_is_to_come_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A slow machine takes long to begin: of five seconds it has the less for the rules."""
    asked: list[float | None] = []

    @contextmanager
    def limited(*limits: float | None) -> Iterator[None]:
        asked.append(limits[2])
        yield

    monkeypatch.setattr(inspection, "within", limited)
    for spent in (0.7, 2.2, 99.0):
        monkeypatch.setattr(inspection, "computed", lambda spent=spent: spent)
        assert main(["inspect", PIG]) == 0
    assert asked == pytest.approx([3.5, 2.0, 1.05])
    monkeypatch.undo()

    @click.command()
    def counting() -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass
        asked.append(watch.computed())

    with counting.make_context("counting", [], obj=time.process_time() - 1) as context:
        counting.invoke(context)
    assert asked[-1] is not None
    assert 1.05 <= asked[-1] < 3


def test_a_game_is_played_without_a_judge_that_takes_too_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    monkeypatch.setenv("DICEGAMES_CACHE", "0")  # nobody has solved it before
    assert main(["play", PIG, "--set", "target=299", "--time", "0.01s"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "longer than the 0.01 s allowed" in told  # nothing, or the points of the turn, judges


def test_whoever_sits_at_a_terminal_waits_little_for_a_judge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the ten seconds to the first prompt the program itself needs two or three."""
    monkeypatch.setattr(seating, "obtained", lambda *_: without_end())
    monkeypatch.setattr(seating, "known", lambda *_: None)
    began = time.monotonic()
    solutions = seating.Solutions(load(PIG), Solving(), seating.AT_THE_TABLE)
    assert (solutions.solution(), solutions.of_turn()) == (None, None)
    assert time.monotonic() - began < 7


def test_who_judges_the_chance_to_win_keeps_to_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "obtained", lambda *_: without_end())
    with pytest.raises(LimitReached, match=r"longer than the 0\.01 s allowed"):
        seating.Solutions(load(PIG), Solving(time=0.01)).to_win()


def test_the_turn_has_the_time_that_the_game_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def obtained(_game: object, asked: Solving) -> None:
        given.append(asked.time or 0.0)
        if asked.objective == "payoff":
            time.sleep(0.1)
            raise LimitReached(asked.objective)

    monkeypatch.setattr(seating, "obtained", obtained)
    monkeypatch.setattr(seating.Solutions, "kept", lambda _: None)
    solutions = seating.Solutions(load(PIG), Solving(time=5.0))
    assert solutions.solution() is None
    assert solutions.of_turn() is None
    assert given[0] == 5.0
    assert given[1] <= 4.9

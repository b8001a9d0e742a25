"""Compiled code is kept, is never out of date, and is compiled by one program for all."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest

import dicegames
from dicegames.ground.cache import tidy
from dicegames.solver.blocks.block import run_blocks
from dicegames.solver.explicit.backup import solve_alone
from dicegames.solver.graph.expand import expand, tarjan, write_rewards
from dicegames.solver.graph.must import flow
from dicegames.solver.graph.reach_kernels import search
from dicegames.solver.kernels import code_cache, compilers, sources
from dicegames.solver.kernels.arrays import signature
from dicegames.solver.kernels.compiling import Compiling, StoppedWaiting, compiling
from dicegames.solver.kernels.workers import Workers

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0

PROBE = """
import numpy as np
from dicegames.solver.kernels.evaluate import KERNEL_OPTIONS
from dicegames.solver.kernels.generator import mixed
from dicegames.solver.kernels.kernel import njit

@njit(**KERNEL_OPTIONS)
def probe(n: int) -> int:
    total = np.uint64(0)
    for k in range(n):
        total += mixed(np.uint64(k))
    return total
"""
RUN = """
from dicegames.solver.kernels.probe import probe
print(probe(3), sum(probe.stats.cache_misses.values()))
"""
HOLD = """
import sys, time
from contextlib import ExitStack
from pathlib import Path
from dicegames.solver.kernels import code_cache
with ExitStack() as locks:
    for name in sys.argv[1:]:
        locks.enter_context(code_cache.one_at_a_time(Path(name)))
    print("locked", flush=True)
    time.sleep(600)
"""


def environment(cache: Path, package: Path = ROOT) -> dict[str, str]:
    """Of a program that takes dicegames from a folder and keeps its code in another one."""
    own = {"XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(package), "PYTHONSAFEPATH": "1"}
    return {**os.environ, **own}


def started(program: str, *words: str, env: dict[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, text=True, stdout=pipe, stderr=pipe)


def said(process: subprocess.Popen[str]) -> str:
    out, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    return out


@contextmanager
def held(*locks: Path) -> Iterator[subprocess.Popen[str]]:
    """Another program that compiles, for ever."""
    with started(HOLD, *map(str, locks), env=environment(locks[0].parent)) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "locked\n"
            yield holder
        finally:
            holder.kill()


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of what the solver needs, with one more kernel, into which another is written."""
    inside = tmp_path / "copy" / "dicegames"
    for part in ("solver", "ground"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "dicegames" / part, inside / part, ignore=ignored)
    (inside / "__init__.py").touch()
    (inside / "solver" / "kernels" / "probe.py").write_text(PROBE, encoding="utf-8")
    return inside.parent


def test_an_edit_shows_at_once(package: Path, tmp_path: Path) -> None:
    """Of a kernel written into another one, of a number it reads, and back again."""
    env = environment(tmp_path / "cache", package)
    generator = package / "dicegames" / "solver" / "kernels" / "generator.py"
    original = generator.read_text("utf-8")
    first, misses = said(started(RUN, env=env)).split()
    assert misses == "1"
    assert said(started(RUN, env=env)).split() == [first, "0"]
    values = {first}
    for old, new in (("return z ^ (z >>", "return 100 + z ^ (z >>"), ("0xBF58", "0xBF5_9")):
        assert old in original
        generator.write_text(original.replace(old, new), encoding="utf-8")
        value, misses = said(started(RUN, env=env)).split()
        assert misses == "1"
        values.add(value)
    assert len(values) == 3
    generator.write_text(original + "\n", encoding="utf-8")
    generator.write_text(original, encoding="utf-8")
    assert said(started(RUN, env=env)).split() == [first, "0"]


def test_one_compiles_for_eight(package: Path, tmp_path: Path) -> None:
    env = environment(tmp_path / "cache", package)
    processes = [started(RUN, env=env) for _ in range(8)]
    answers = [said(process).split() for process in processes]
    assert len({value for value, _ in answers}) == 1
    assert sum(int(misses) for _, misses in answers) == 1


SOLVE = """
import sys
import dicegames
from dicegames.solver.kernels import code_cache

written = []
keep = code_cache.write
code_cache.write = lambda file, data: (written.append(file.name), keep(file, data))
solution = dicegames.solve(dicegames.load(sys.argv[1]))
print(repr(solution.value), *written)
"""


@pytest.mark.slow
def test_eight_solve_a_game_on_a_fresh_machine(tmp_path: Path) -> None:
    """One value, and no kernel is compiled by two of them."""
    game = str(ROOT / "games" / "shut_the_box.dg")
    processes = [started(SOLVE, game, env=environment(tmp_path / "cache")) for _ in range(8)]
    answers = [said(process).split() for process in processes]
    assert len({value for value, *_ in answers}) == 1
    written = [name for _, *names in answers for name in names]
    assert written
    assert len(set(written)) == len(written)
    names = [f.name for f in (tmp_path / "cache" / "dicegames" / "kernels").iterdir()]
    for kernel in ("gather.gather", "specialise.run_rows"):  # what is compiled ahead is called
        own = [name for name in names if name.startswith(f"solver.blocks.{kernel}.")]
        assert len([name for name in own if not name.endswith(".lock")]) == 1


def test_settings_and_types_have_code_of_their_own(package: Path, tmp_path: Path) -> None:
    env = environment(tmp_path / "cache", package)
    said(started(RUN, env=env))
    assert said(started(RUN, env={**env, "NUMBA_BOUNDSCHECK": "1"})).split()[1] == "1"
    other = RUN.replace("probe(3)", "probe(True)")
    assert said(started(other, env=env)).split()[1] == "1"
    assert said(started(other, env=env)).split()[1] == "0"


def test_without_the_private_parts_of_numba(package: Path, tmp_path: Path) -> None:
    """Every run compiles, and says why."""
    env = environment(tmp_path / "cache", package)
    usual = said(started(RUN, env=env)).split()[0]
    without = "import numba.core.compiler as c; del c.CompileResult._rebuild\n" + RUN
    process = started(without, env=env)
    out, errors = process.communicate(timeout=PATIENCE)
    assert out.split()[0] == usual
    assert "is not one that this program knows" in errors
    assert "_rebuild" in errors


def test_a_program_that_edits_its_sources_keeps_nothing(tmp_path: Path) -> None:
    """What runs is what was read before the edit."""
    file = tmp_path / "late.py"
    file.touch()
    with pytest.raises(sources.EditedError):
        sources.key_of(str(file))
    os.utime(file, (0, 0))
    assert sources.key_of(str(file))


def test_all_that_is_imported_is_found() -> None:
    block = ROOT / "dicegames" / "solver" / "blocks" / "lookups.py"
    imports = sources._read(str(block)).imports
    assert "dicegames.solver.blocks.specialise" in imports
    assert "dicegames.solver.kernels.lanes" in imports
    text = "from dicegames.f import (\n g,\n)\nimport dicegames.a, numpy\n"
    found = {"dicegames.a", "dicegames.f", "dicegames.f.g"}
    assert set(sources._imports(text)) == found


# --- the files -----------------------------------------------------------------------------------


def test_a_damaged_file_is_not_used(tmp_path: Path) -> None:
    file = tmp_path / "code"
    code_cache.write(file, b"machine code")
    assert code_cache.read(file) == b"machine code"
    whole = file.read_bytes()
    for damaged in (whole[:-1], b"", b"x" + whole[1:]):
        file.write_bytes(damaged)
        assert code_cache.read(file) is None


def test_old_files_go(tmp_path: Path) -> None:
    for day in range(4):
        file = tmp_path / f"code{day}"
        file.write_bytes(bytes(10))
        os.utime(file, (day * 86400.0, day * 86400.0))
    code_cache.read(tmp_path / "code0")  # damaged or not, it is in use
    tidy(tmp_path, largest=25)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["code0", "code3"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = tmp_path / "file" / "kernels" / "code"
    told = r"cannot be kept in .* \(not a directory\): every run compiles it anew"
    with pytest.warns(RuntimeWarning, match=told):
        code_cache.write(file, b"")
    assert code_cache.read(file) is None
    with code_cache.one_at_a_time(file):
        pass


# --- waiting for others --------------------------------------------------------------------------


def test_a_killed_program_blocks_nobody(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    entered = threading.Event()

    def enter() -> None:
        with code_cache.one_at_a_time(lock):
            entered.set()

    with held(lock) as holder:
        waiting = threading.Thread(target=enter)
        waiting.start()
        wait_until(lambda: compiling() is Compiling.ELSEWHERE)
        assert not entered.is_set()
        holder.kill()
        waiting.join(PATIENCE)
    assert entered.is_set()
    assert compiling() is None


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "LONGEST_WAIT_FOR_CODE", 0.2)
    with held(tmp_path / "lock"), code_cache.one_at_a_time(tmp_path / "lock"):
        assert compiling() is None


def test_threads_that_wait_stop_when_asked(tmp_path: Path) -> None:
    def enter() -> None:
        with code_cache.one_at_a_time(tmp_path / "lock"):
            pytest.fail("the lock is held")

    entering: list[Future[None]] = []

    def interrupted() -> None:
        with Workers(1) as workers:
            entering.append(workers.start(enter))
            wait_until(lambda: compiling() is Compiling.ELSEWHERE)
            raise KeyboardInterrupt

    with held(tmp_path / "lock"):
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert isinstance(entering[0].exception(), StoppedWaiting)
    assert compiling() is None


def test_ctrl_c_while_another_program_compiles(tmp_path: Path) -> None:
    """It says what it waits for, and stops at once."""
    pexpect = pytest.importorskip("pexpect")
    names = [
        ".".join([*file.relative_to(ROOT / "dicegames").with_suffix("").parts, kernel])
        for file in (ROOT / "dicegames" / "solver").rglob("*.py")
        for kernel in re.findall(r"^@njit\(.*\)\ndef (\w+)", file.read_text(), re.MULTILINE)
    ]
    command = ["-m", "dicegames", "solve", str(ROOT / "games" / "pig.dg")]
    with held(*(tmp_path / "dicegames" / "kernels" / f"{name}.lock" for name in names)):
        env = environment(tmp_path)
        process = pexpect.spawn(
            sys.executable, command, env=env, timeout=PATIENCE, encoding="utf-8"
        )
        process.expect_exact(Compiling.ELSEWHERE.value)
        stopped = 1
        for _ in range(12):  # one has been lost on a busy machine
            process.sendintr()
            stopped = process.expect(["stopped", pexpect.TIMEOUT], timeout=5)
            if stopped == 0:
                break
        assert stopped == 0, process.before
        process.expect(pexpect.EOF)
        process.close()
    assert "Traceback" not in process.before
    assert process.exitstatus == 130


AHEAD = """
import time
from dicegames.solver.graph.expand import tarjan
from dicegames.solver.kernels import compilers, precompile
from dicegames.solver.kernels.arrays import signature
from dicegames.solver.kernels.kernel import is_kept

told = []
tell = compilers.tell
compilers.tell = lambda kernels: (told.append(kernels), tell(kernels))
compilers.available_threads = lambda: 2
types = signature(tarjan.py_func)
print(is_kept(tarjan, types))
precompile.compile_ahead(tarjan)
while not is_kept(tarjan, types):
    time.sleep(0.01)
precompile.compile_ahead(tarjan)
print(len(told))
"""


def test_another_process_compiles_ahead(tmp_path: Path) -> None:
    lines = said(started(AHEAD, env=environment(tmp_path))).split()
    assert lines == ["False", "1"]


READY = """
from dicegames.solver.kernels import compilers

compilers.available_threads = lambda: 2
compilers.make_ready()
print(len(compilers._ready))
for process in compilers._ready:
    process.stdin.close()
    print(process.wait())
"""


def test_a_process_is_ready_where_nothing_is_compiled_yet(tmp_path: Path) -> None:
    """Without a task it ends."""
    folder = tmp_path / "dicegames" / "kernels"
    assert said(started(READY, env=environment(tmp_path))).split() == ["1", "0"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.tables").touch()
    assert said(started(READY, env=environment(tmp_path))).split() == ["1", "0"]
    (folder / "solver.graph.expand.expand.0").touch()
    assert said(started(READY, env=environment(tmp_path))).split() == ["0"]


IDLE = """
from dicegames.solver.kernels import precompile

precompile.LONGEST_IDLE = 1
precompile._serve()
"""


@pytest.mark.skipif(not compilers.COPIES, reason="elsewhere it is told all at once")
def test_a_process_that_is_told_nothing_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IDLE]
    with subprocess.Popen(command, env=environment(tmp_path), stdin=subprocess.PIPE) as process:
        assert process.wait(PATIENCE) == -signal.SIGALRM


ONE_PROCESSOR = """
from dicegames.solver.kernels import compilers, precompile

compilers.available_threads = lambda: 1
precompile._serve()
"""


@pytest.mark.skipif(not compilers.COPIES, reason="elsewhere it is told all at once")
def test_more_is_compiled_ahead_than_there_are_processors(tmp_path: Path) -> None:
    """What has no processor waits for one."""
    tasks = [f"dicegames.solver.graph.expand:{name}\n" for name in ("tarjan", "write_rewards")]
    subprocess.run(
        [sys.executable, "-c", ONE_PROCESSOR],
        env=environment(tmp_path), input="".join(tasks), text=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    folder = tmp_path / "dicegames" / "kernels"
    assert list(folder.glob("solver.graph.expand.tarjan.?*[!k]"))  # done before the next began
    wait_until(lambda: bool(list(folder.glob("solver.graph.expand.write_rewards.?*[!k]"))))


TWO_BOXES = """game "Two boxes"
dice 2d6
each player
    score = 0
boxes card
    "Pair"   x x   pays 20
    "Sum"    any dice   pays sum
turn
    roll all
    repeat 1 times
        choose
            "Keep" any of dice as k: roll dice - k
    choose
        one of open card as c
            score + points of c
            use c
ends when all card are used
payoff highest score
"""


def test_what_is_compiled_ahead_is_what_is_called(tmp_path: Path) -> None:
    file = tmp_path / "two_boxes.dg"
    file.write_text(TWO_BOXES)
    solution = dicegames.solve(dicegames.load(file))
    assert solution.method == "blocks"
    assert solution.value_of("dice 3 3") == pytest.approx(20 + 2 * 4.25)
    for kernel in (flow, search, run_blocks, expand, write_rewards, tarjan, solve_alone):
        assert signature(kernel.py_func) in kernel.signatures


LEFT = """
from dicegames.solver.kernels import compilers

compilers._started()
"""


def test_a_process_that_goes_on_is_left_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "always", "-c", LEFT]
    own = environment(tmp_path)
    ended = subprocess.run(command, check=True, env=own, capture_output=True, text=True)
    assert ended.stderr == ""

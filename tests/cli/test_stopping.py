"""Ctrl-C while the program is still being loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

INTERRUPTED = """
import runpy, signal, sys

module, way = sys.argv[1:3]
del sys.argv[1:3]

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupt())
if way == "module":
    runpy.run_module("dicegames", run_name="__main__")
else:
    from dicegames.cli import main

    sys.exit(main())
"""
"""Runs the program, and presses Ctrl-C when a module is about to be imported."""

LOADED = """
import sys
before = set(sys.modules)
import dicegames.cli
print(*sorted(set(sys.modules) - before))
"""


def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.parametrize("way", ["module", "script"])
@pytest.mark.parametrize(
    "module",
    [
        "dicegames.cli.entry",
        "click",
        "attrs",
        "dicegames.cli.app",
        "rich_click",
        "dicegames.cli.commands.solve",
        "lark",
        "dicegames.rules.check",
        "numba",
        "dicegames.analysis.solution",
    ],
)
def test_stopped_while_loading(module: str, way: str) -> None:
    ended = run(INTERRUPTED, module, way, "solve", "games/pig.dg")
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "\nstopped\n")


def test_little_is_loaded_before_ctrl_c_is_obeyed() -> None:
    """What comes before is Python's own; whoever is quicker than that sees Python's traceback."""
    loaded = run(LOADED).stdout.split()
    assert loaded == ["__future__", "dicegames", "dicegames.cli", "gc"]  # the last is built in


LOST = """
import ctypes, signal, sys, time
from dicegames import cli
from dicegames.cli import entry

def pressed():
    signal.raise_signal(signal.SIGINT)

def solving(_arguments):
    ctypes.CFUNCTYPE(None)(pressed)()
    time.sleep(20)
    return 0

signal.signal(signal.SIGINT, signal.default_int_handler)
entry.main = solving
sys.exit(cli.main())
"""
"""Presses Ctrl-C while foreign code calls back: ctypes drops what is raised there."""


def test_stopped_while_foreign_code_calls_back() -> None:
    done = run(LOST)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nstopped\n")

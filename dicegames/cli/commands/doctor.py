"""`dicegames doctor`: is all well on this machine?"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from attrs import frozen

from dicegames.build import build
from dicegames.cli.commands.library import FIRST_GAME
from dicegames.cli.playing import saves
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Pairs
from dicegames.cli.solving import progress
from dicegames.configuration import SETTINGS, configuration_file, setting
from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import bytes_text
from dicegames.ground.reading import told
from dicegames.ground.writing import UnwritableFile, demand_writable
from dicegames.library import games, own, supplied
from dicegames.loading import load, solve
from dicegames.solver.kernels import code_cache

PACKAGES = ("numba", "llvmlite", "numpy", "lark", "attrs", "click", "rich", "prompt-toolkit")
EXTRAS = ("matplotlib", "gymnasium", "pettingzoo", "pygls", "click-man")
VALUE = 81.41794893727032
"""What the small game is worth: by a sum of its own in tests/cli/test_machine.py."""


@frozen
class Finding:
    """What was looked at, what was found, and whether that is as it should be."""

    what: str
    found: str
    well: bool = True


def run() -> Answer:
    """Look at the machine; the code is 1 if something is not as it should be."""
    findings = list(_findings())
    ill = [finding for finding in findings if not finding.well]
    told = {"findings": findings, "well": not ill}
    verdict = "Not as it should be:" if ill else "All is well."
    wrong = [[(f"  {finding.what}: {finding.found}", "")] for finding in ill]
    blocks: list[Block] = [Pairs([(f.what, f.found) for f in findings]), "", verdict, *wrong]
    return Answer(told, blocks, 1 if ill else 0)


def _findings() -> Iterator[Finding]:
    yield Finding("dicegames", build())
    yield Finding("Python", f"{platform.python_version()} on {platform.system()}")
    yield Finding("processor", f"{platform.machine()}, {os.cpu_count()} threads")
    yield from (_package(name, needed=True) for name in PACKAGES)
    yield from (_package(name, needed=False) for name in EXTRAS)
    yield from _settings()
    yield _kept("games played", saves.directory())
    yield from _solved()


def _package(name: str, *, needed: bool) -> Finding:
    with suppress(PackageNotFoundError):
        return Finding(name, version(name))
    return Finding(name, "not installed", well=not needed)


def _settings() -> Iterator[Finding]:
    path = configuration_file()
    yield Finding("configuration", str(path) if path.is_file() else f"none: {path} is not there")
    try:
        for name in SETTINGS:
            if found := setting(name):
                yield Finding(name, f"{found[0]}, by {found[1]}")
        folders = ", ".join(map(str, [*own(), supplied()]))
        yield Finding("games", f"{len(games())}, from {folders}")
    except DicegamesError as error:
        yield Finding("settings", str(error), well=False)


def _kept(what: str, folder: Path) -> Finding:
    """Return what is in a folder, and whether files can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return Finding(what, f"{folder} cannot be made: {told(error)}", well=False)
    files = [path for path in folder.glob("*") if path.is_file()]
    size = bytes_text(sum(path.stat().st_size for path in files))
    try:
        demand_writable(folder / "try")
    except UnwritableFile as error:
        return Finding(what, str(error), well=False)
    return Finding(what, f"{output.counted(len(files), 'file')}, {size}, in {folder}")


def _solved() -> Iterator[Finding]:
    """Solve a small game twice: the first time compiles its kernels where they are not kept."""
    with progress("Solving a small game"):
        began = time.perf_counter()
        value = solve(load(FIRST_GAME)).value
        first = time.perf_counter() - began
        began = time.perf_counter()
        solve(load(FIRST_GAME))
        second = time.perf_counter() - began
    yield _kept("compiled code", code_cache.folder())
    assert isinstance(value, float)
    told = f"value {value:.9f}, in {output.duration(second)} (the first time {first:.2f} s)"
    yield Finding("small solve", told, well=abs(value - VALUE) < 1e-9)

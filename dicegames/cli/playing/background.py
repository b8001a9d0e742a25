"""What is computed while people play: a program of its own, whose results are kept for this one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from typing import Self

from attrs import define, field

from dicegames.analysis import solution_cache
from dicegames.cli.playing.game_table import GameTable, Wishes
from dicegames.cli.playing.seating import BACKGROUND_SECONDS, OPTIMAL_BOT

POLITE = 10
"""How much the program gives way to others."""
ENDS_WITHIN = 2.0
"""Seconds after which a program that does not end when it is told to is ended."""
BACKGROUND_MEMORY = "4GB"
"""What is computed may take so much."""


@define
class Background:
    """Commands of this program that run beside it, one after the other until one ends well.

    A context: what still runs at its end is stopped.
    """

    commands: list[list[str]]
    process: subprocess.Popen[bytes] | None = None
    began: float = field(factory=time.monotonic)

    def __enter__(self) -> Self:
        """Begin with the first command."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the command that runs."""
        self.end()

    def start(self) -> None:
        """Begin the next command, if there is one and programs can be started."""
        if not self.commands:
            return
        command = [sys.executable, "-m", "dicegames", *self.commands.pop(0)]
        with suppress(OSError):
            self.process = subprocess.Popen(  # noqa: S603 - this very program
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if hasattr(os, "setpriority"):
                os.setpriority(os.PRIO_PROCESS, self.process.pid, POLITE)

    @property
    def is_busy(self) -> bool:
        """Whether a command runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def has_news(self) -> bool:
        """Whether a command has ended well, asked for the first time; else go on to the next."""
        if self.process is None or self.is_busy:
            return False
        well, self.process = self.process.returncode == 0, None
        if not well:
            self.start()
        return well

    @property
    def told(self) -> str:
        """What to say of a command that runs; nothing where none does."""
        lasted = time.monotonic() - self.began
        how = f"for {lasted:.0f} s now, at most for {BACKGROUND_SECONDS / 60:.0f} min"
        return f"being solved in the background, {how}: ask again later" if self.is_busy else ""

    def end(self, after: float = 0.0) -> None:
        """Wait so many seconds for the command that runs, then end it."""
        if self.process is None:
            return
        for give_up in (self.process.terminate, self.process.kill):
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(after)
                return
            give_up()
            after = ENDS_WITHIN
        self.process.wait()


def background_of(table: GameTable, wishes: Wishes) -> Background:
    """Return what computes what will be wanted later, where people sit at a terminal.

    That is the solution of the game where it took too long, then that of its turns if these are
    not known either; else the distribution of the results.
    """
    own = wishes.judge in (None, OPTIMAL_BOT) and wishes.solving.solution is None
    if not table.terminal.typing or not own or not solution_cache.most_bytes():
        return Background([])
    if table.is_judged and not table.has_spread:
        return Background([])
    words = [table.header.file, "--json", "--memory", BACKGROUND_MEMORY]
    for name, value in table.header.options.items():
        words += ["--set", f"{name}={value}"]
    solving = ["solve", "--time", f"{BACKGROUND_SECONDS:g}s"]
    wanted = [["stats"]] if table.is_judged else [solving]
    if table.ledger is None:
        wanted.append([*solving, "--objective", "turn"])
    return Background([[*command, *words] for command in wanted])

"""What is computed while people play: a program of its own, whose results are kept for this one."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

from attrs import define

POLITE = 10
"""How much the program gives way to others."""
ENDS_WITHIN = 2.0
"""Seconds after which a program that does not end when it is told to is ended."""


@define
class Background:
    """Commands of this program that run beside it, one after the other until one ends well."""

    commands: list[list[str]]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin the next command; where no program can be started nothing happens."""
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
    def has_news(self) -> bool:
        """Whether a command has ended well, asked for the first time; else go on to the next."""
        if self.process is None or self.process.poll() is None:
            return False
        well, self.process = self.process.returncode == 0, None
        if not well and self.commands:
            self.start()
        return well

    def stop(self) -> None:
        """End it, if it still runs."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

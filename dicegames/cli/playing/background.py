"""What is computed while people play: a program of its own, whose results are kept for this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from attrs import define

POLITE = 10
"""How much the program gives way to others."""
ENDS_WITHIN = 2.0
"""Seconds after which a program that does not end when it is told to is ended."""


@define
class Background:
    """A command of this program that runs beside it, until it is done or no longer needed."""

    words: Sequence[str]
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin; where no program can be started nothing happens."""
        command = [sys.executable, "-m", "dicegames", *self.words]
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
    def is_done(self) -> bool:
        """Whether it has ended, and well."""
        return self.process is not None and self.process.poll() == 0

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

"""Limits of time and memory, held whatever a command is doing.

Compiling and solving look at their limits themselves and say what grows. What they do not see is
watched from outside: a thread looks at the clock and at the memory of the program, and interrupts
the main thread as Ctrl-C does, which stops kernels too.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import rich_click as click
from attrs import define, field

from dicegames.cli.printing.helping import UsualCommand
from dicegames.ground.limits import PROGRAM_BYTES, LimitReached
from dicegames.solver.kernels import compilers
from dicegames.solver.kernels.compiling import compiling, is_unbroken

LOOKED_AT_EVERY = 0.05
"""Seconds between two looks."""
GRACE = 0.5
"""Seconds that are left to those who look at their limits themselves, with a tenth of the time."""
ASK_AGAIN_AFTER = 3.0
"""Seconds after which an interrupt is taken for lost."""
SPARE = 200_000_000
"""Bytes that the program may take besides its tables, such as for compiling its kernels."""
SOON_AFTER = 5.0
"""Seconds of computing in which what solves nothing must be done, kernels being compiled."""
SIGNAL = getattr(signal, "SIGALRM", signal.SIGTERM)


def resident() -> int:
    """Return how many bytes of memory the program has now; where that is not known, at most.

    Pages of mapped files do not count: the system takes them back where it needs the memory.
    """
    with suppress(OSError):
        pages, of_files = map(int, Path("/proc/self/statm").read_text("ascii").split()[1:3])
        return (pages - of_files) * os.sysconf("SC_PAGE_SIZE")
    return peak()


def peak() -> int:
    """Return the most bytes of memory that the program has used; 0 where that is not known."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - not on every system

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


REMEDY = "allow more with --time, or set smaller options"


class _Over(KeyboardInterrupt):
    """A limit is reached: for who keeps what was found until Ctrl-C, this is the same.

    `again` is called where this came while foreign code called back: there it is lost.
    """

    def __init__(self, again: Callable[[], None]):
        super().__init__()
        self.again = again


@define
class _LimitWatch:
    """The limits of a command, and whether one of them is reached: then `told` says which."""

    seconds: float | None
    computing: float | None
    memory: int | None
    began: float = field(factory=time.monotonic)
    looked: float = field(factory=time.process_time)
    computed: float = 0.0  # without what compiling kernels took: that is done once
    before: int = field(factory=resident)
    told: str = ""
    hurried: bool = False  # whether it is that of computing
    ended: threading.Event = field(factory=threading.Event)
    next: float = 0.0

    def run(self) -> None:
        """Look until the command has ended, and interrupt it where it has to."""
        while not self.ended.wait(LOOKED_AT_EVERY):
            self.told = self.told or self._reached()
            if self.told and time.monotonic() > self.next:
                self.next = time.monotonic() + ASK_AGAIN_AFTER
                _interrupt()

    def _reached(self) -> str:
        lasted, now = time.monotonic() - self.began, time.process_time()
        self.computed += now - self.looked if compiling() is None else 0.0
        self.looked = now
        if self.seconds is not None and lasted > 1.1 * self.seconds + GRACE:
            return f"this takes longer than the {self.seconds:,.6g} s allowed"
        if self.computing is not None and self.computed > self.computing:
            self.hurried = True
            return f"this takes more than {self.computing:.2g} s of computing"
        if self.memory is None:
            return ""
        tables = max(0, self.memory - PROGRAM_BYTES)
        if resident() > max(self.before, PROGRAM_BYTES) + tables + SPARE:
            return f"this needs more than the {self.memory / 1e6:,.0f} MB allowed"
        return ""

    def obey(self, _number: int, _frame: FrameType | None) -> None:
        """Stop what the main thread is doing; the handler of the signal."""
        if is_unbroken():
            self._again()
        elif not self.ended.is_set():
            raise _Over(self._again)

    def _again(self) -> None:
        self.next = 0.0


@contextmanager
def within(
    seconds: float | None, memory: int | None = None, computing: float | None = None,
    remedy: str = "",
) -> Iterator[None]:  # fmt: skip
    """Do something within limits; raises LimitReached.

    `seconds` are those of the clock, `computing` those of the processors; for these a `remedy` is
    told, if there is one.
    """
    if seconds is None and memory is None and computing is None:
        yield
        return
    watch = _LimitWatch(seconds, computing, memory)
    thread = threading.Thread(target=watch.run, daemon=True)
    before = signal.signal(SIGNAL, watch.obey)
    thread.start()
    try:
        try:
            yield
        finally:
            watch.ended.set()  # what follows is not interrupted
    except (_Over, Exception) as stopped:  # also where the interrupt broke a callback
        watch.ended.set()  # it may have come before that was done
        if not watch.told:
            raise
        told = ": ".join([watch.told, *getattr(stopped, "__notes__", ())[:1]])
        told += f"; {remedy}" if watch.hurried and remedy else ""
        raise LimitReached(told) from None
    finally:
        thread.join()
        signal.signal(SIGNAL, before)


class LimitedCommand(UsualCommand):
    """A command whose --time and --memory hold for all that it does."""

    computing: float | None = None

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        if self.computing is None:
            compilers.make_ready()
        seconds, memory = ctx.params.get("time"), ctx.params.get("memory")
        with within(seconds, memory, self.computing if seconds is None else None, REMEDY):
            return super().invoke(ctx)


class Soon(LimitedCommand):
    """A command that solves nothing: without --time it has done soon, or says that it cannot."""

    computing = SOON_AFTER


class Telling(LimitedCommand):
    """The same, but it looks at that itself, and then tells what is known nevertheless."""

    computing = 2 * SOON_AFTER


def computed() -> float:
    """Return for how many seconds the command has computed, loading the program included."""
    context = click.get_current_context(silent=True)
    return 0.0 if context is None or context.obj is None else time.process_time() - context.obj


def _interrupt() -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, SIGNAL)  # this also wakes it up
    else:
        interrupt_main(SIGNAL)

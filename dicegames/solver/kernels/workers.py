"""Threads that run kernels without the interpreter's lock, and stop when asked.

Kernels look at `stop[0]` now and then; an interrupt in the waiting main thread sets it, so that
Ctrl-C ends a solve promptly.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from time import perf_counter
from typing import Any, Self, TypeVar

import numpy as np

from dicegames.solver.kernels.compilers import available_threads
from dicegames.solver.kernels.compiling import obey
from dicegames.solver.status import SolveError, Status

T = TypeVar("T")


class Workers:
    """A pool of threads with one stop flag and one deadline; use it in a `with` statement.

    `here`: all code for brief calls is compiled, so that they need no thread of their own.
    """

    def __init__(
        self, threads: int | None = None, time: float | None = None, *, here: bool = False
    ) -> None:
        self.threads, self.here = max(1, threads or available_threads()), here
        self.stop = np.zeros(1, np.uint8)
        self.deadline = None if time is None else perf_counter() + time
        self._pool = ThreadPoolExecutor(self.threads, initializer=obey, initargs=(self.stop,))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is not None:
            self.stop[0] = 1
        self._pool.shutdown(wait=True)

    def run(self, call: Callable[..., T], *arguments: Any, brief: bool = False) -> T:
        """Run one call in a thread and wait for it; a `brief` one is done `here`, if allowed."""
        return self.run_all([(call, arguments)], brief=brief and self.here)[0]

    def start(self, call: Callable[..., T], *arguments: Any) -> Future[T]:
        """Begin one call in a thread; `finish` waits for it."""
        return self._pool.submit(call, *arguments)

    def finish(self, future: Future[T]) -> T:
        """Wait for a call that was started."""
        return self._results([future])[0]

    def run_all(
        self, calls: list[tuple[Callable[..., T], tuple[Any, ...]]], *, brief: bool = False
    ) -> list[T]:
        """Run the calls side by side and wait for all of them.

        What is `brief`, no more than some hundredths of a second, is done here, one call after the
        other: to wake a thread takes a few ten thousandths.
        """
        if brief:
            self.look()
            return [call(*args) for call, args in calls]
        return self._results([self._pool.submit(call, *args) for call, args in calls])

    def look(self) -> None:
        """Raise SolveError where the deadline is over."""
        if self.deadline is not None and perf_counter() > self.deadline:
            raise SolveError(Status.TOO_LONG)

    def _results(self, futures: list[Future[T]]) -> list[T]:
        try:
            self._wait(futures)
        except BaseException:
            self.stop[0] = 1
            raise
        return [future.result() for future in futures]

    def _wait(self, futures: list[Future[T]]) -> None:
        pending: set[Future[T]] = set(futures)
        while pending:
            left = 0.2 if self.deadline is None else min(0.2, self.deadline - perf_counter())
            done, pending = wait(pending, timeout=max(left, 0.0), return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            if pending:
                self.look()

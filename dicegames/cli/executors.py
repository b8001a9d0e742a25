"""What `--executor` names: who carries out the tasks of a command, and how many at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager

import rich_click as click

from dicegames.cli import options
from dicegames.ground.errors import DicegamesError

PATIENCE = 30
"""Seconds in which a scheduler must answer, and have a worker."""


option = options.option(
    "--executor", metavar="NAME", shell_complete=options.offering("executors"),
    help="Who does the work: threads, dask (processes of this machine), or dask:ADDRESS, the "
         "workers of a scheduler there.",
)  # fmt: skip


class ExecutorError(DicegamesError):
    """Workers that cannot be had, or that died; the message says what to do."""


@contextmanager
def crew(named: str | None, threads: int | None) -> Iterator[tuple[Executor | None, int | None]]:
    """Give the executor of a name: "threads" (also None), "dask", or "dask:ADDRESS".

    And how many tasks it carries out at a time; without an executor threads of this process do.
    Without an address there is a cluster of so many processes here, which ends with the command.
    Raises ExecutorError where there is none, or where the workers died again and again.
    """
    kind, _, address = (named or "threads").partition(":")
    if kind == "threads" and not address:
        yield None, threads
        return
    if kind != "dask":
        raise click.UsageError(f'"{named}" is no executor: threads, dask, or dask:ADDRESS')
    try:
        from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra, and slow to load
        from distributed.scheduler import KilledWorker  # noqa: PLC0415 - as above
    except ImportError:
        raise ExecutorError('dask is not there: pip install "dicegames[cluster]"') from None
    from dicegames.analysis.saved.identity import program_version  # noqa: PLC0415 - numba
    from dicegames.solver.kernels.compilers import available_threads  # noqa: PLC0415 - loads numpy

    with ExitStack() as stack:
        try:
            if not address:
                cluster = LocalCluster(
                    n_workers=threads or available_threads(), threads_per_worker=1,
                    memory_limit=None, dashboard_address=":0", silence_logs=logging.CRITICAL,
                )  # fmt: skip
                client = stack.enter_context(Client(stack.enter_context(cluster)))
            else:
                client = stack.enter_context(Client(address, timeout=PATIENCE))
            client.wait_for_workers(1, timeout=PATIENCE)
            versions = set(client.run(program_version).values())
        except (OSError, ValueError, ImportError, SyntaxError) as error:
            raise ExecutorError(f"{named}: no workers are to be had: {error}") from None
        if versions != {program_version()}:
            told = f"the workers have dicegames {', '.join(sorted(versions))}"
            raise ExecutorError(f"{told}, this is {program_version()}: have the same everywhere")
        workers = sum(client.nthreads().values())
        try:
            yield client.get_executor(), min(workers, threads or workers)
        except KilledWorker as error:
            told = "a task ended several workers: have they memory enough?"
            raise ExecutorError(f"{told} {error}") from None

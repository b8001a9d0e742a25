"""A plan in a file, which other processes of this machine map instead of planning anew.

The file has its length in bytes of a list, the list, and arrays of bytes, each at a multiple of
`ALIGNMENT`. The list says how long they are, with a pickle of all that is no array.
"""

from __future__ import annotations

import mmap
import pickle
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dicegames.solver.blocks.plan import Plan

PLAN_FILE = "plan.part"
ALIGNMENT = 64
PLAN_HEAD = 8


@contextmanager
def shared(plan: Plan, folder: Path) -> Iterator[str]:
    """Keep a plan in a folder; the machine whose processes may read it, "" where there is none."""
    path = folder / PLAN_FILE
    try:
        try:
            _write(plan, path)
            machine = platform.node()
        except OSError:  # no room: then all plan by themselves
            machine = ""
            path.unlink(missing_ok=True)
        yield machine
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _write(plan: Plan, path: Path) -> None:
    found: list[pickle.PickleBuffer] = []
    data = pickle.dumps(plan.to_share(), protocol=5, buffer_callback=found.append)
    parts = [buffer.raw() for buffer in found]
    about = pickle.dumps(([part.nbytes for part in parts], data))
    with path.open("wb") as file:
        file.write(len(about).to_bytes(PLAN_HEAD, "little") + about)
        for part in parts:
            file.write(bytes(-file.tell() % ALIGNMENT))
            file.write(part)


def mapped(folder: Path) -> Plan | None:
    """Return the plan that is kept in a folder, None if there is none any more.

    Its arrays may be written to, which changes nothing in the file.
    """
    try:
        with (folder / PLAN_FILE).open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    except OSError:
        return None
    at = PLAN_HEAD + int.from_bytes(data[:PLAN_HEAD], "little")
    sizes, others = pickle.loads(data[PLAN_HEAD:at])  # noqa: S301 - the process that asks has written it
    parts = []
    for size in sizes:
        at += -at % ALIGNMENT
        parts.append(data[at : at + size])
        at += size
    plan = pickle.loads(others, buffers=parts)  # noqa: S301 - as above
    assert isinstance(plan, Plan)
    return plan

"""`dicegames cache`: the solutions and the compiled code that are kept for the next time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dicegames.analysis import kept
from dicegames.analysis.kept import KeptFile
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Block, Pairs, Rows, answer
from dicegames.cli.printing.wording import settings_text
from dicegames.rules.running.objectives import PAYOFF
from dicegames.solver.kernels import kept as code

A_MINUTE, AN_HOUR, A_DAY = 60, 3600, 86400


def run(action: str, *, json: bool) -> int:
    """List or clear what is kept; return the exit code."""
    if action == "clear":
        return _clear(json=json)
    entries = kept.entries()
    return answer(_for_programs(entries), _for_people(entries), json=json)


def _clear(*, json: bool) -> int:
    entries = kept.entries()
    removed = kept.clear()
    size = sum(entry.bytes for entry in entries if entry.file in removed)
    told = f"{output.counted(len(removed), 'file')} removed, {output.bytes_text(size)}"
    return answer({"removed": len(removed), "bytes": size}, [told], json=json)


def _for_programs(entries: list[KeptFile]) -> dict[str, Any]:
    return {
        "folder": kept.folder(),
        "most_bytes": kept.most_bytes(),
        "bytes": sum(entry.bytes for entry in entries),
        "kept": entries,
        "code": {"folder": code.folder(), "bytes": _size(code.folder())},
    }


def _for_people(entries: list[KeptFile]) -> Iterator[Block]:
    rows = []
    for entry in entries:
        own = entry.objective in {str(PAYOFF), ""}
        what = entry.kind if own else f"{entry.kind} for {entry.objective}"
        length, used = output.bytes_text(entry.bytes), ago(time.time() - entry.used)
        name = [(entry.game, "bold")]
        rules = f"  {settings_text(entry.options)}"
        rows.append((name, [(what, ""), (rules, "dim")], length, used))
    if entries:
        yield Rows("llrr", rows, styles=("", "", "", "dim"))
        yield ""
    size = sum(entry.bytes for entry in entries)
    limit = output.bytes_text(kept.most_bytes())
    files = output.counted(len(entries), "file")
    told = [
        ("solutions", f"{files}, {output.bytes_text(size)} of {limit} at most ({kept.VARIABLE})"),
        ("", str(kept.folder())),
        ("compiled code", output.bytes_text(_size(code.folder()))),
        ("", str(code.folder())),
    ]
    yield Pairs(told)


def ago(seconds: float) -> str:
    """Return how long ago something was, for people."""
    units = ((A_DAY, "day"), (AN_HOUR, "hour"), (A_MINUTE, "minute"))
    for size, name in units:
        if seconds >= size:
            return f"{output.counted(int(seconds // size), name)} ago"
    return "just now"


def _size(folder: Path) -> int:
    """Return the bytes of the files in a folder."""
    try:
        return sum(entry.stat().st_size for entry in os.scandir(folder))
    except OSError:
        return 0

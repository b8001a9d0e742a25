"""`dicegames cache`: what is kept for the next time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from dicegames.analysis import solution_cache
from dicegames.analysis.solution_cache import KeptFile
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import ROOMY, Answer, Block, Pairs, Rows
from dicegames.cli.printing.in_words import settings_text
from dicegames.ground.cache import cache_folder, size_of
from dicegames.ground.numbers import bytes_text
from dicegames.rules.running.objectives import PAYOFF

OTHER_CACHES = {"results": "chances to win", "sweeps": "sweeps", "kernels": "compiled code"}
"""What else is kept, by its folder."""
A_MINUTE, AN_HOUR, A_DAY = 60, 3600, 86400
MOST = 20
"""Files that are listed for people, those first that were used last."""


def run(action: str) -> Answer:
    """List or clear what is kept."""
    if action == "clear":
        return _clear()
    entries = solution_cache.entries()
    return Answer(_for_programs(entries), _for_people(entries))


def _clear() -> Answer:
    entries = solution_cache.entries()
    removed = solution_cache.clear()
    size = sum(entry.bytes for entry in entries if entry.file in removed)
    told = f"{output.counted(len(removed), 'file')} removed, {bytes_text(size)}"
    return Answer({"removed": len(removed), "bytes": size}, [told])


def _for_programs(entries: list[KeptFile]) -> dict[str, Any]:
    return {
        "folder": solution_cache.folder(),
        "most_bytes": solution_cache.most_bytes(),
        "bytes": sum(entry.bytes for entry in entries),
        "kept": entries,
        "others": [
            {"kind": kind, "folder": cache_folder(kind), "bytes": size_of(cache_folder(kind))}
            for kind in OTHER_CACHES
        ],
    }


def _for_people(entries: list[KeptFile]) -> Iterator[Block]:
    narrow, rows = output.console().width < ROOMY, []
    for entry in entries[:MOST]:
        own = entry.objective in {str(PAYOFF), ""}
        what = entry.kind if own else f"{entry.kind} for {entry.objective}"
        length, used = bytes_text(entry.bytes), ago(time.time() - entry.used)
        name = [(entry.game, "bold")]
        rules = settings_text(entry.options)
        if narrow:
            yield name
            told = [(f"{what}, {length}, {used}", ""), (rules, "dim")]
            yield Rows("ll", [["", [line]] for line in told if line[0]])
        rows.append((name, [(what, ""), (f"  {rules}", "dim")], length, used))
    if entries:
        if not narrow:
            yield Rows("llrr", rows, styles=("", "", "", "dim"))
        if len(entries) > MOST:
            yield [(f"and {len(entries) - MOST} more: --json lists them", "dim")]
        yield ""
    size = bytes_text(sum(entry.bytes for entry in entries))
    limit = bytes_text(solution_cache.most_bytes())
    kept = f"{output.counted(len(entries), 'file')}, {size} of {limit} at most"
    told = [
        ("solutions", f"{kept} ({solution_cache.VARIABLE})"),
        ("", str(solution_cache.folder())),
    ]
    for kind, what in OTHER_CACHES.items():
        folder = cache_folder(kind)
        told += [(what, bytes_text(size_of(folder))), ("", str(folder))]
    yield Pairs(told)


def ago(seconds: float) -> str:
    """Return how long ago something was, for people."""
    units = ((A_DAY, "day"), (AN_HOUR, "hour"), (A_MINUTE, "minute"))
    for size, name in units:
        if seconds >= size:
            return f"{output.counted(int(seconds // size), name)} ago"
    return "just now"

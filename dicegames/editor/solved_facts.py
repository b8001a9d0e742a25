"""What solving says of a file, found by programs of its own while the editor goes on."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from attrs import define, field

from dicegames.ground.numbers import percent

SOLVING_TIME = "60s"
"""How long solving may take in the background."""
BOX_GAMES = "200"
"""How many are played to see what boxes bring."""
_asking: set[asyncio.subprocess.Process] = set()
"""The programs that are at work."""


@define
class Facts:
    """What is known so far of the game of a file.

    All in words. value: what it is worth. roles: for each variable what it is to the solver, and
    why. losses: what each strategy loses. boxes: how often each brings points, and how many.
    """

    value: str = ""
    roles: dict[str, str] = field(factory=dict)
    losses: dict[str, str] = field(factory=dict)
    boxes: dict[str, str] = field(factory=dict)

    def about(self, name: str) -> list[str]:
        """Return what is known of a variable (`total of the next player` too) or a box."""
        found = [r for v, r in self.roles.items() if v == name or v.startswith(f"{name} of ")]
        found += [text for box, text in self.boxes.items() if f'"{box}"' == name]
        return list(dict.fromkeys(found))


async def found_out(path: str, *, has_boxes: bool) -> AsyncIterator[Facts]:
    """Yield what is known of a rules file each time that more is known."""
    facts = Facts(value="solving ...")
    yield facts
    inspected = await _asked("inspect", path, "--time", SOLVING_TIME)
    for role in inspected.get("roles", ()):
        found = f", {role['range']}" if role["range"] else ""
        facts.roles[role["variable"]] = f"{role['role']}{found}: {role['reason']}"
    yield facts
    solved = await _asked("solve", path, "--time", SOLVING_TIME)
    facts.value = _value(solved)
    yield facts
    if "value" not in solved:
        return
    for each in (await _asked("compare", path, "--time", SOLVING_TIME)).get("strategies", ()):
        lost = f"seat {each['seat']} loses {max(each['loss'], 0.0):.6f}"
        before = facts.losses.get(each["strategy"])
        facts.losses[each["strategy"]] = f"{before}, {lost}" if before else lost
    yield facts
    reported = await _asked("report", path, "--games", BOX_GAMES) if has_boxes else {}
    boxes = reported.get("sections", {}).get("boxes", {"rows": ()})
    for row in boxes["rows"]:
        often = row["often, best play"]
        facts.boxes[row["box"]] = (
            f"brings points in {percent(often, 0)} of games, {row['points']:.2f} on average "
            f"(± {row['standard error']:.2f}, estimated from {BOX_GAMES} games by best play)"
        )
    yield facts


async def _asked(command: str, path: str, *more: str) -> dict[str, Any]:
    """Return what a command answers; nothing where it answers nothing."""
    words = [sys.executable, "-m", "dicegames", command, path, "--json", *more]
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *words, stdin=nowhere, stdout=pipe, stderr=nowhere
    )
    _asking.add(process)
    try:
        answer, _ = await process.communicate()
    finally:
        _asking.discard(process)
        _end(process)
    try:
        found = json.loads(answer)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def give_up() -> None:
    """End the programs that are at work, from a signal handler."""
    for process in list(_asking):
        _end(process)


def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):  # it has ended
        process.kill()


def _value(solved: dict[str, Any]) -> str:
    """Return the value and the size in words."""
    if "value" not in solved:
        errors = solved.get("errors") or [{}]
        if "code" in errors[0]:
            return "not solved: the rules have mistakes"
        return f"not solved: {errors[0].get('message', 'something went wrong')}"
    value = solved["value"]
    values = value if isinstance(value, list) else [value]
    shown = " / ".join(f"{each:.6f}" for each in values)
    return f"value {shown}, {solved['states_stored']:,} states"

"""What solving says of a file, found by programs of its own while the editor goes on."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from attrs import define, field

LONGEST = "60s"
"""How long solving may take in the background."""


@define
class Facts:
    """What is known so far of the game of a file.

    value: what it is worth, in words. roles: for each variable what it is to the solver, and why.
    losses: what each strategy loses, in words.
    """

    value: str = ""
    roles: dict[str, str] = field(factory=dict)
    losses: dict[str, str] = field(factory=dict)

    def roles_of(self, name: str) -> list[str]:
        """Return what a variable is, `total of player +1` among them, each only once."""
        found = (r for v, r in self.roles.items() if v == name or v.startswith(f"{name} of "))
        return list(dict.fromkeys(found))


async def found_out(path: str) -> AsyncIterator[Facts]:
    """Yield what is known of a rules file each time that more is known."""
    facts = Facts(value="solving ...")
    yield facts
    inspected = await _asked("inspect", path)
    for role in inspected.get("roles", ()):
        facts.roles[role["variable"]] = f"{role['role']}: {role['reason']}"
    solved = await _asked("solve", path)
    facts.value = _value(solved)
    yield facts
    for each in (await _asked("compare", path)).get("strategies", ()):
        lost = f"seat {each['seat']} loses {max(each['loss'], 0.0):.6f}"
        before = facts.losses.get(each["strategy"])
        facts.losses[each["strategy"]] = f"{before}, {lost}" if before else lost
    yield facts


async def _asked(command: str, path: str) -> dict[str, Any]:
    """Return what a command answers; nothing where it answers nothing."""
    words = [sys.executable, "-m", "dicegames", command, path, "--json", "--time", LONGEST]
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *words, stdin=nowhere, stdout=pipe, stderr=nowhere
    )
    try:
        answer, _ = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.kill()
        raise
    try:
        found = json.loads(answer)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _value(solved: dict[str, Any]) -> str:
    """Return the value and the size in words."""
    if "value" not in solved:
        told = [error.get("message", "") for error in solved.get("errors", ())]
        return f"not solved: {told[0]}" if told and told[0] else "not solved"
    value = solved["value"]
    values = value if isinstance(value, list) else [value]
    shown = " / ".join(f"{each:.6f}" for each in values)
    return f"value {shown}, {solved['states_stored']:,} states"

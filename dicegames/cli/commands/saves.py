"""`dicegames saves`: the games that were played and are kept, so that one can be chosen."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from attrs import frozen

from dicegames.cli.playing import saves
from dicegames.cli.printing.answer import Answer, Block, Rows
from dicegames.ground.errors import DicegamesError

SAVES_LISTED = 20
"""Games that are listed unless all are asked for."""
TURN = re.compile(r"^# turn (\d+)", re.MULTILINE)
OPEN, OVER, CUT_OFF, DAMAGED = "open", "over", "cut off", "damaged"


@frozen
class Saved:
    """A game that is kept: `number` stands for it, `state` says how it stands, `detail` where."""

    number: int
    file: str
    played: str
    game: str = ""
    seats: tuple[str, ...] = ()
    state: str = DAMAGED
    detail: str = ""


def run(*, everything: bool) -> Answer:
    """List the games."""
    paths = saves.saves()
    listed = paths if everything else paths[:SAVES_LISTED]
    found = [_saved(number, path) for number, path in enumerate(listed, 1)]
    rows = [(str(one.number), one.played[:16].replace("T", " "), _told(one)) for one in found]
    listing = Rows("rwl", rows, styles=("dim", "dim", ""))
    blocks: list[Block] = [listing if rows else "no game has been played yet"]
    if len(paths) > len(listed):
        blocks.append([(f"and {len(paths) - len(listed)} more: --all lists them", "dim")])
    goes_on = next((one for one in found if one.state in (OPEN, CUT_OFF)), None)
    readable = next((one for one in found if one.state != DAMAGED), None)
    ways = [f"go on: dicegames play --resume {goes_on.number}"] if goes_on else []
    ways += [f"look back: dicegames replay {readable.number}"] if readable else []
    if ways:
        blocks.append([("; ".join(ways), "dim")])
    return Answer({"folder": saves.directory(), "games": found}, blocks)


def _told(one: Saved) -> str:
    who = ", ".join(seat.removeprefix("bot:") for seat in one.seats)
    state = one.state if not one.detail else f"{one.state}: {one.detail}"
    return "; ".join(filter(None, (one.game, who, state)))


def _saved(number: int, path: Path) -> Saved:
    """Return what a file says of its game."""
    when = datetime.fromtimestamp(path.stat().st_mtime).astimezone().isoformat(timespec="seconds")
    try:
        found, cut = saves.so_far(path)
    except DicegamesError:
        return Saved(number, str(path), when)
    detail = found.result
    state = CUT_OFF if cut else OPEN if detail is None else OVER
    if detail is None:
        turns = TURN.findall(path.read_text("utf-8", "ignore"))
        detail = f"turn {turns[-1] if turns else 1}"
    return Saved(number, str(path), when, found.header.title, found.header.seats, state, detail)

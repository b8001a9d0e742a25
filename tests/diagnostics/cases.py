"""The golden cases: a faulty rules file beside the exact text that is said of it.

`CODE.dg` and `CODE.txt`; further cases of a code are `CODE.2.dg` and so on. A mistake that shows
only in play is found by a few random games, or when the game is compiled.
`python -m tests.diagnostics.cases` writes the texts anew: read the difference before you believe
it.
"""

import random
from functools import cache
from pathlib import Path

from dicegames.compiler.compile import compile_game
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.source import decode
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.playing import played_by, seats_of
from dicegames.rules.running.referee import Move, Outcome, start

HERE = Path(__file__).parent
GAMES = 20
STEPS = 400

MADE = {"file-too-long": b"# a long remark\n" * 10_000}
"""Files that would be unreadable beside the others."""

OF_COMPILER = ("grows-without-limit", "over-at-once", "too-wide", "out-of-range", "no-way-out")
"""Codes of cases that are compiled before they are played."""


def cases() -> dict[str, bytes]:
    """Return the text of every case by its name."""
    files = {path.stem: path.read_bytes() for path in sorted(HERE.glob("*.dg"))}
    return {**files, **MADE}


def code_of(name: str) -> str:
    """Return the code that a case is there for."""
    return name.split(".", maxsplit=1)[0]


@cache
def error_in(name: str, data: bytes) -> RulesError | None:
    """Return what is wrong with a file, or remarked; None if nothing is found."""
    try:
        game = check(decode(f"{name}.dg", data))
        if game.remarks:
            return RulesError(game.source, game.remarks)
        if code_of(name) in OF_COMPILER:
            compile_game(game)
        if code_of(name) == "too-many-positions":
            compile_game(game, seats=(lambda position: position.moves()[0],))
        for strategy in (None, *game.strategies):
            play(played_by(game, seats_of(game, strategy)))
    except RulesError as error:
        return error
    return None


def play(game: Rules) -> None:
    """Play some random games."""
    for seed in range(GAMES):
        chance = random.Random(seed)
        position = start(game)
        for _ in range(STEPS):
            if position.is_over:
                break
            choices: list[Move | Outcome] = [*position.moves(), *position.outcomes()]
            position = position.play(chance.choice(choices))


def golden(name: str) -> Path:
    """Return the file that holds the text of a case."""
    return HERE / f"{name}.txt"


if __name__ == "__main__":
    for case, data in cases().items():
        golden(case).write_text(f"{error_in(case, data)}\n", "utf-8")

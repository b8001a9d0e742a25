"""Make the pictures of the documentation: what the program prints, and what it draws.

    python docs/.hooks/pictures.py            # all of them
    python docs/.hooks/pictures.py line.svg   # some

A picture of a terminal is the output of the commands named here, as an SVG that fetches no fonts.
`vscode.png` is taken by `tests/editor/test_vscode.py`.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

PICTURES = Path(__file__).parents[1] / "pictures"
FONTS = re.compile(r"@font-face \{\{.*?\}\}", re.DOTALL)
WIDTH = 92
SHOWN = {
    "advise.svg": (
        'advise despirala "goods 8 | score 115 | used General, Kamerun | dice 1 2 3 4 4 6"',
    ),
    "report.svg": ("report shut_the_box --games 200",),
    "line.svg": (
        'play pig --seat "bot:Hold at 20" --seat bot:optimal --seed 12',
        "analyse last",
    ),
    "card.svg": ("card pig --set players=1 --objective turns --lines 4 --time 30s",),
}
"""The commands of a picture; the output of the last one is shown."""
LAST_LINES = {"line.svg": 24}
"""Pictures of which only the end is shown, and how many lines that is."""
DRAWN = {"distribution.svg": "stats yahtzee --plot distribution.svg"}
"""The command that draws a file."""


def run(command: str, folder: Path) -> str:
    """Return what a command prints on a coloured terminal."""
    environment = os.environ | {"COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environment |= {"XDG_STATE_HOME": str(folder), "SOURCE_DATE_EPOCH": "0"}
    words = [sys.executable, "-m", "dicegames", *shlex.split(command)]
    done = subprocess.run(  # noqa: S603 - our own commands
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def terminal(name: str, folder: Path) -> None:
    """Write a picture of what the commands print."""
    printed = [run(command, folder) for command in SHOWN[name]][-1].rstrip()
    lines = printed.splitlines()[-LAST_LINES.get(name, 10_000) :]
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    console.print(Text.from_ansi("\n".join(lines)), soft_wrap=False)
    svg = console.export_svg(
        title=f"dicegames {SHOWN[name][-1]}",
        code_format=FONTS.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code", "ui-monospace"),
        unique_id=name.removesuffix(".svg"),
    )
    (PICTURES / name).write_text(svg, "utf-8")


def main() -> None:
    """Make the pictures that are named, or all."""
    wanted = sys.argv[1:] or [*SHOWN, *DRAWN]
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in wanted:
            if name in SHOWN:
                terminal(name, Path(scratch))
            else:
                run(DRAWN[name], Path(scratch))
                (PICTURES / name).write_bytes((Path(scratch) / name).read_bytes())


if __name__ == "__main__":
    main()

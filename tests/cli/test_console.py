"""The console in a real pseudo-terminal, keystroke by keystroke; what is seen is compared.

One process is started; it runs each command line in a fork, at any width. Screens are snapshots:
DICEGAMES_WRITE_GOLDEN=1 writes them anew.
"""

import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import dicegames

pexpect = pytest.importorskip("pexpect")
pyte = pytest.importorskip("pyte")

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
WRITE = bool(os.environ.get("DICEGAMES_WRITE_GOLDEN"))
ROWS = 150
PATIENCE = 60.0

GAMES: dict[str, tuple[dict[str, object], list[str], list[str]]] = {
    # options, words of the command line, what is typed
    "despirala": ({}, [], ["hint", "coll 1", "undo", "keep 1", "Gene\t", "luck", "score"]),
    "dice_poker": (
        {"target": 300},
        ["--seat", "me", "--seat", "bot:optimal"],
        ["hint", "stand", "/luck"],
    ),
    "lange_strasse": ({}, ["--judge", "none"], ["hint", "list", "keep 1", "seats", "position"]),
    "yahtzee": ({}, ["--dice", "typed"], ["1 2 2 5 6", "keep 2 2", "2 4 2", "k 2 2 2", "roll"]),
    "pig": ({"target": 20}, [], ["roll", "hold", "help"]),
    "shut_the_box": ({"tiles": 6}, [], ["1", "1", "1"]),
}


def surroundings(state: Path) -> dict[str, str]:
    """The variables of a terminal; compiled code is kept where the other tests keep it."""
    here = ("PATH", "HOME", "XDG_CACHE_HOME")
    environment = {name: os.environ[name] for name in here if name in os.environ}
    environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "LANG": "C.UTF-8"}
    return environment | {"XDG_STATE_HOME": str(state), "PROMPT_TOOLKIT_NO_CPR": "1"}


class Terminal:
    """A pseudo-terminal with a screen of 150 lines, in which commands are run."""

    def __init__(self, state: Path) -> None:
        self.child, self.file = state / "child", state / "command"
        environment = surroundings(state)
        environment |= {"DRIVER_CHILD": str(self.child), "DRIVER_COMMAND": str(self.file)}
        driver = str(Path(__file__).parent / "driver.py")
        self.process = pexpect.spawn(
            sys.executable, [driver], cwd=str(ROOT), env=environment, dimensions=(ROWS, 80)
        )
        self.clear(80)
        self.wait("ready> ")

    def clear(self, width: int) -> None:
        self.screen = pyte.Screen(width, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.process.setwinsize(ROWS, width)

    def run(self, *words: str, width: int = 80, until: str = "> ") -> None:
        """Run a command on an empty screen, up to its first prompt."""
        self.clear(width)
        self.child.unlink(missing_ok=True)
        self.file.write_text(shlex.join(words), "utf-8")
        self.process.send("\n")
        self.wait(until)

    def press(self, text: str, until: str = "> ") -> None:
        """Type key by key, then Enter, and wait for the next prompt."""
        row = self.screen.cursor.y
        for key in text:
            self.process.send(key)
        self.process.send("\r")
        self.wait(until, below=row)

    def wait(self, prompt: str, below: int = -1) -> None:
        """Read until the cursor stands behind a prompt that nothing was typed at."""
        deadline = time.monotonic() + PATIENCE
        while self.screen.cursor.y <= below or not self.at_prompt(prompt):
            assert time.monotonic() < deadline, f"no {prompt!r} on\n{self.text()}"
            self.read(0.02)

    def at_prompt(self, prompt: str) -> bool:
        line = self.screen.display[self.screen.cursor.y][: self.screen.cursor.x]
        return bool(line.endswith(prompt)) and line.count(">") == 1 and len(line) < 30

    def read(self, seconds: float) -> None:
        with suppress(pexpect.TIMEOUT):
            self.stream.feed(self.process.read_nonblocking(65536, timeout=seconds))

    def kill(self, number: signal.Signals) -> None:
        """End the command from outside."""
        row = self.screen.cursor.y
        os.kill(int(self.child.read_text("ascii")), number)
        self.wait("ready> ", below=row)

    def forget(self) -> None:
        """Forget the games that were left."""
        for path in self.file.parent.glob("dicegames/games/*"):
            path.unlink()

    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    def text(self) -> str:
        return "\n".join(self.lines()).rstrip() + "\n"


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    opened = Terminal(tmp_path_factory.mktemp("state"))
    yield opened
    opened.process.close(force=True)


@pytest.fixture(scope="module")
def solutions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The solved games, each solved once."""
    folder = tmp_path_factory.mktemp("solutions")
    found = {}
    for stem, (options, words, _) in GAMES.items():
        if "none" not in words:
            found[stem] = folder / f"{stem}.solution"
            game = dicegames.load(ROOT / "games" / f"{stem}.dg", **options)
            dicegames.solve(game).save(found[stem])
    return found


def started(stem: str, solutions: dict[str, Path], *more: str) -> list[str]:
    options, words, _ = GAMES[stem]
    found = ["play", f"games/{stem}.dg", "--seed", "7", *words, *more]
    for name, value in options.items():
        found += ["--set", f"{name}={value}"]
    return [*found, "--solution", str(solutions[stem])] if stem in solutions else found


@pytest.mark.parametrize("width", [40, 120])
@pytest.mark.parametrize("stem", GAMES)
def test_screens(stem: str, width: int, terminal: Terminal, solutions: dict[str, Path]) -> None:
    terminal.run(*started(stem, solutions), width=width)
    for text in GAMES[stem][2]:
        if "ready" in terminal.lines()[terminal.screen.cursor.y]:
            break  # the game is over
        terminal.press(text)
    if "ready" not in terminal.lines()[terminal.screen.cursor.y]:
        terminal.press("quit", until="ready> ")
    seen = terminal.text()
    path = GOLDEN / f"console_{stem}_{width}.txt"
    if WRITE:
        path.write_text(seen, "utf-8")
    assert seen == path.read_text("utf-8")
    assert "(exit code 0)" in seen


KILLS = (signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT)


def stands(terminal: Terminal) -> str:
    """The position, as the console tells it."""
    terminal.press("position")
    lines = [line for line in terminal.lines() if "|" in line and "points" in line]
    return lines[-1]


def test_killed_and_resumed_at_every_prompt(terminal: Terminal) -> None:
    terminal.forget()
    whole = ["play", "games/pig.dg", "--set", "target=16", "--seed", "5", "--judge", "none"]
    terminal.run(*whole)
    prompts = 0
    while "over" not in terminal.text():
        before = stands(terminal)
        terminal.kill(KILLS[prompts % len(KILLS)])
        terminal.run("play", "--resume", "--judge", "none")
        assert stands(terminal) == before
        prompts += 1
        terminal.press("hold" if prompts % 3 == 0 else "roll")
    assert prompts > len(KILLS)
    terminal.run("play", "--resume", until="ready> ")
    assert "there is no unfinished game" in terminal.text()


def test_ctrl_c_and_the_end_of_input(terminal: Terminal) -> None:
    words = ["play", "games/pig.dg", "--judge", "none"]
    for key in ("\x03", "\x04"):
        terminal.run(*words)
        row = terminal.screen.cursor.y
        terminal.process.send(key)
        terminal.wait("ready> ", below=row)
        assert "dicegames play --resume continues it" in terminal.text()
        assert "Traceback" not in terminal.text()


def test_history_and_editing(terminal: Terminal) -> None:
    terminal.run("play", "games/pig.dg", "--judge", "none", "--seed", "1")
    terminal.press("seats")
    terminal.press("\x1b[A")  # the line before
    assert terminal.text().count("1 Player 1 (at the keyboard)") == 2
    terminal.press("zold\x01\x04h")  # to the beginning, delete, another letter
    assert "plays Hold" in terminal.text()
    terminal.press("quit", until="ready> ")


def test_sums_are_typed_at_any_seat(terminal: Terminal) -> None:
    seats = ("--seat", "bot:random", "--seat", "bot:random", "--seat", "Anna")
    terminal.run("play", "despirala", *seats, "--dice", "3=typed", "--judge", "none", "--seed", "2")
    for text in ("1 1 1 2 3 4", "kamerun", "took 2 rolls"):
        terminal.press(text)
    seen = terminal.text()
    assert "took 2 rolls: as after 1 1 1 1 1, then 5 5 6 6 6" in seen
    assert "Turn 2, Anna" in seen
    terminal.press("1 sixes")
    assert "it matters what the other dice show; type all dice" in terminal.text()
    terminal.press("quit", until="ready> ")


def test_moves_are_taken_back_or_it_is_said_why_not(
    terminal: Terminal, solutions: dict[str, Path]
) -> None:
    terminal.run(*started("shut_the_box", solutions))
    for text in ("1", "undo 5", "undo 1", "undo", "hint 1"):
        terminal.press(text)
    seen = terminal.text()
    assert "there is no more than 1 to undo" in seen
    assert "there is nothing to undo" in seen
    assert seen.count("taken back") == 1
    assert "more: hint all" in seen
    terminal.press("hint no")
    assert "say how many: hint 3 or: hint all" in terminal.text()
    terminal.press("quit", until="ready> ")


def test_a_line_without_end_is_pasted(terminal: Terminal) -> None:
    terminal.run("play", "games/pig.dg", "--judge", "none", "--seed", "1")
    before = len(terminal.text())
    terminal.process.send("\x1b[200~" + "x" * 20_000 + "\x1b[201~")
    terminal.press("")
    assert "a line of more than 1,000 signs is nothing" in terminal.text()
    assert len(terminal.text()) < before + 1500
    terminal.press("quit", until="ready> ")


def test_replay_stands_before_the_move(terminal: Terminal, solutions: dict[str, Path]) -> None:
    terminal.forget()
    terminal.run(*started("shut_the_box", solutions))
    terminal.press("shut 2 4")
    while "ready" not in terminal.lines()[terminal.screen.cursor.y]:
        terminal.press("1")
    terminal.run("replay", "last", "--solution", str(solutions["shut_the_box"]))
    terminal.press("next mistake")
    seen = terminal.text()
    assert "now: Shut 2 4  ? mistake, loses 1.83; best was Shut 6" in seen
    played = "Shut 2 4"
    terminal.press("hint")
    hints = terminal.text().split("> hint")[1]
    assert f"{played} " in hints
    assert "best" in hints
    terminal.press(f"try {played}")
    assert f"{played} instead: " in terminal.text()
    assert "play goes on from there" in terminal.text()
    terminal.press("quit", until="ready> ")


@pytest.mark.parametrize("more", [[], ["--plain"], ["dumb"]])
def test_ctrl_z_suspends(more: list[str], tmp_path: Path) -> None:
    environment = surroundings(tmp_path) | {"PS1": "shell$ "}
    if more == ["dumb"]:
        more, environment["TERM"] = [], "dumb"
    words = [sys.executable, "-m", "dicegames", "play", "pig", "--judge", "none", "--seed", "1"]
    shell = pexpect.spawn("bash", ["--norc", "-i"], cwd=str(ROOT), env=environment, timeout=60)
    shell.sendline(shlex.join([*words, *more]))
    shell.expect("1 Roll.*Player 1>")
    time.sleep(0.3)
    shell.send("pos")
    shell.expect("pos")
    shell.send("\x1a")
    shell.expect("Stopped")
    shell.sendline("echo $((6 * 7)) times")
    shell.expect("42 times")
    shell.sendline("fg")
    shell.expect("Player 1> pos")
    time.sleep(0.3)
    shell.send("ition\r")
    shell.expect("points 1 of 100|points [0-9]+")
    shell.send("quit\r")
    shell.expect("dicegames play --resume continues it")
    shell.close(force=True)


def test_lines_that_are_pasted_answer_one_question_each(tmp_path: Path) -> None:
    words = ["-m", "dicegames", "play", "shut_the_box", "--judge", "none", "--seed", "1"]
    game = pexpect.spawn(
        sys.executable, words, cwd=str(ROOT), env=surroundings(tmp_path), timeout=60
    )
    game.expect("1 Shut.*>")
    time.sleep(0.3)
    game.send("\x1b[200~position\nscore\n\x1b[201~\r")
    game.expect("up 1 2 3 4 5 6 7 8 9 . dice [^\n]*\n> score\r\n")
    game.expect("sum of up 45, if the game ended here")
    game.send("quit\r")
    game.expect("dicegames play --resume continues it")
    game.close(force=True)

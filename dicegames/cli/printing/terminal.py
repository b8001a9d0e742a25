"""Where people sit: a terminal with line editing, plain text, or a pipe in place of both."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from dicegames.cli.printing import output
from dicegames.ground.diagnostic import printable
from dicegames.play.wording import Line, plain, shortened

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

NARROWEST, WIDEST = 40, 200


class Seat:
    """The keyboard and the screen.

    Line editing, history and completion come from prompt_toolkit where people type at a terminal;
    with `plain` nothing is ever redrawn; from a pipe lines are read and shown as if typed.
    """

    def __init__(self, *, plain: bool) -> None:
        self.plain = plain
        self.typing = sys.stdin.isatty() and sys.stdout.isatty()
        self._session: PromptSession[str] | None = None
        self._pasted: list[str] = []

    @property
    def width(self) -> int:
        """The columns there are, between 40 and 200."""
        return max(NARROWEST, min(WIDEST, output.console().width))

    def say(self, *lines: Line) -> None:
        """Show lines."""
        if not self.plain:
            output.say_lines(lines)
            return
        for line in lines:
            print(plain(line).rstrip(), flush=True)

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        """Return a line that is typed; raises EOFError when no more will come.

        Of lines that are pasted together each answers one question. Signs that would disturb a
        terminal when they are repeated are replaced.
        """
        if self._pasted:
            print(prompt + shortened(self._pasted[0]), flush=True)
        else:
            lines = self._asked(prompt, words).strip("\n").split("\n")
            self._pasted = [printable(line.expandtabs(1)) for line in lines]
        return self._pasted.pop(0)

    def _asked(self, prompt: str, words: Sequence[str]) -> str:
        if not self.typing:
            return _from_pipe(prompt)
        if self.plain or os.environ.get("TERM") == "dumb":
            return _from_keyboard(prompt)
        from prompt_toolkit.completion import WordCompleter  # noqa: PLC0415 - plain text goes without

        from dicegames.cli.printing.line_editor import line_editor  # noqa: PLC0415

        if self._session is None:
            self._session = line_editor()
        completer = WordCompleter(list(words), ignore_case=True, sentence=True)
        return self._session.prompt(prompt, completer=completer)


def _from_keyboard(prompt: str) -> str:
    typed: Callable[[], str] = str  # nothing
    with suppress(ImportError):
        import readline  # noqa: PLC0415 - gives input() its line editing

        typed = readline.get_line_buffer
    try:
        with _suspended_well(lambda: print(prompt + typed(), end="", flush=True)):
            return input(prompt)
    except EOFError:
        print()
        raise


@contextmanager
def _suspended_well(again: Callable[[], None]) -> Iterator[None]:
    """Have Ctrl-Z leave the terminal as it was; after `fg` what was shown is shown again."""
    if not hasattr(signal, "SIGTSTP"):
        yield
        return
    import termios  # noqa: PLC0415 - where a system has it

    found = termios.tcgetattr(sys.stdin)

    def suspend(number: int, _frame: object) -> None:
        editing = termios.tcgetattr(sys.stdin)
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, found)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)  # here it stands until it is continued
        signal.signal(number, suspend)
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, editing)
        again()

    before = signal.signal(signal.SIGTSTP, suspend)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


def _from_pipe(prompt: str) -> str:
    text = sys.stdin.readline()
    print(prompt + printable(shortened(text.rstrip("\n")).expandtabs(1)), flush=True)
    if not text:
        raise EOFError
    return text

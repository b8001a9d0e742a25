"""The line editor for people at a terminal, by prompt_toolkit; imported where somebody types."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import groupby

from prompt_toolkit import PromptSession
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input.base import Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.shortcuts import CompleteStyle

from dicegames.play.commands import LONGEST_LINE

RUSH = 32
"""So many letters that come at once were not typed one by one; each takes half a millisecond."""


def line_editor() -> PromptSession[str]:
    """Return a line editor that works in the lines of the prompt only.

    What is longer than any line that is understood is cut as it is typed.
    """
    session: PromptSession[str] = PromptSession(
        history=InMemoryHistory(),
        input=_keyboard(),
        complete_while_typing=False,
        complete_style=CompleteStyle.READLINE_LIKE,
        reserve_space_for_menu=0,
        enable_suspend=True,
    )
    session.default_buffer.on_text_insert += _shorten
    return session


def joined(keys: Iterable[KeyPress]) -> list[KeyPress]:
    """Return keys with runs of letters that came at once taken for one, as if they were pasted."""
    found: list[KeyPress] = []
    for is_letter, run in groupby(keys, key=lambda key: not isinstance(key.key, Keys)):
        typed = list(run)
        if is_letter and len(typed) >= RUSH:
            typed = [KeyPress(Keys.BracketedPaste, "".join(key.data for key in typed))]
        found += typed
    return found


def _keyboard() -> Input | None:
    """Return the keyboard; that of Windows joins keys by itself."""
    if sys.platform == "win32":
        return None
    from prompt_toolkit.input.vt100 import Vt100Input  # noqa: PLC0415 - not on every system

    class Keyboard(Vt100Input):
        def read_keys(self) -> list[KeyPress]:
            return joined(super().read_keys())

    return Keyboard(sys.stdin)


def _shorten(buffer: Buffer) -> None:
    if len(buffer.text) > LONGEST_LINE + 1:
        buffer.text = buffer.text[: LONGEST_LINE + 1]

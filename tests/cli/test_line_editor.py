"""The line editor: letters that come in a rush are taken at once."""

import os
import sys

import pytest

pytest.importorskip("termios")

from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

from dicegames.cli.printing.line_editor import RUSH, joined, line_editor


def test_letters_that_come_at_once_are_one_key() -> None:
    letters, enter = [KeyPress(letter) for letter in "ab" * RUSH], KeyPress(Keys.ControlM)
    assert joined([*letters, enter]) == [KeyPress(Keys.BracketedPaste, "ab" * RUSH), enter]


def test_keys_that_are_typed_stay_as_they_are() -> None:
    keys = [KeyPress("h"), KeyPress("i"), KeyPress(Keys.Left), KeyPress(Keys.Tab)] * RUSH
    assert joined(keys) == keys


def test_the_keyboard_takes_a_long_line_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each letter by itself took its time: a line of 100,000 took 43 seconds."""
    there, here = os.openpty()
    with os.fdopen(there, "wb", buffering=0) as typing, os.fdopen(here) as keyboard:
        monkeypatch.setattr(sys, "stdin", keyboard)
        session = line_editor()
        typing.write(b"x" * 900 + b"\n")
        keys = [key for key in session.input.read_keys() if key.key != Keys.ControlJ]
    assert [(key.key, len(key.data)) for key in keys] == [(Keys.BracketedPaste, 900)]

"""`dicegames format`: rules files in their one layout."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence

from dicegames.cli.printing.output import print_json, to_stderr
from dicegames.cli.printing.streams import write_utf8
from dicegames.ground.diagnostic import RulesError, render
from dicegames.ground.reading import read_stream
from dicegames.ground.source import Source, decode
from dicegames.ground.writing import write_text
from dicegames.loading import LARGEST_RULES, RULES, read_source
from dicegames.syntax.layout import formatted

STANDARD_INPUT, STDIN_NAMES = "-", "standard input"


def run(files: Sequence[str], *, check: bool, diff: bool, json: bool) -> int:
    """Lay out rules files and say which were changed; return the exit code."""
    changed: list[str] = []
    faulty: list[str] = []
    for file in files:
        source = _read(file)
        try:
            text = formatted(source)
        except RulesError as error:
            faulty.append(file)
            for diagnostic in error.diagnostics:
                to_stderr(render(source, diagnostic) + "\n")
            continue
        changed += [file] if text != source.text else []
        if diff and not json:
            before, after = (t.splitlines(keepends=True) for t in (source.text, text))
            write_utf8("".join(difflib.unified_diff(before, after, source.name, source.name)))
        if check or diff:
            continue
        if source.name == STDIN_NAMES:
            write_utf8("" if json else text)
        elif text != source.text:
            write_text(source.name, text)
    if json:
        print_json({"files": list(files), "changed": changed, "faulty": faulty})
    else:
        for file in changed:
            if check or (not diff and file != STANDARD_INPUT):
                to_stderr(f"{file}: {'would be' if check else 'is now'} in its one layout")
        for file in faulty:
            to_stderr(f"{file}: left as it is, its syntax is not in order")
    return 1 if faulty or (check and changed) else 0


def _read(file: str) -> Source:
    if file == STANDARD_INPUT:
        return decode(STDIN_NAMES, read_stream(sys.stdin.buffer, STDIN_NAMES, LARGEST_RULES, RULES))
    return read_source(file)

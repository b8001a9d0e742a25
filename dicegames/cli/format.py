"""`dicegames format`: rules files in their one layout."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from dicegames.cli.output import print_json, to_stderr
from dicegames.ground.diagnostic import RulesError, render
from dicegames.ground.source import Source, decode
from dicegames.loading import UnreadableFile, read_source
from dicegames.syntax.layout import formatted

STANDARD_INPUT = "-"


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
        differs = text != source.text
        if differs:
            changed.append(file)
        if not check:
            _deliver(source, text, diff=diff, differs=differs, quiet=json)
        elif diff and differs and not json:
            _show_difference(source, text)
    _report(files, changed, faulty, check=check, diff=diff, json=json)
    return 1 if faulty or (check and changed) else 0


def _read(file: str) -> Source:
    if file == STANDARD_INPUT:
        return decode("standard input", sys.stdin.buffer.read())
    return read_source(file)


def _deliver(source: Source, text: str, *, diff: bool, differs: bool, quiet: bool) -> None:
    """Show the difference, print what came from standard input, or write the file."""
    if diff and not quiet:
        _show_difference(source, text)
    elif not diff and source.name == "standard input":
        sys.stdout.write("" if quiet else text)
    elif not diff and differs:
        _write(Path(source.name), text)


def _show_difference(source: Source, text: str) -> None:
    before, after = (t.splitlines(keepends=True) for t in (source.text, text))
    sys.stdout.writelines(difflib.unified_diff(before, after, source.name, source.name))


def _write(path: Path, text: str) -> None:
    """Replace a file whole or not at all; a link stays a link, rights stay as they are."""
    path = path.resolve()
    try:
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, delete=False) as new:
            new.write(text.encode())
        try:
            Path(new.name).chmod(path.stat().st_mode)
            os.replace(new.name, path)  # noqa: PTH105 - the moment at which it counts
        except BaseException:
            Path(new.name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be written: {error.strerror or error}") from None


def _report(
    files: Sequence[str],
    changed: list[str],
    faulty: list[str],
    *,
    check: bool,
    diff: bool,
    json: bool,
) -> None:
    if json:
        print_json({"files": list(files), "changed": changed, "faulty": faulty})
        return
    for file in changed:
        if check or (not diff and file != STANDARD_INPUT):
            to_stderr(f"{file}: {'would be' if check else 'is now'} in its one layout")
    for file in faulty:
        to_stderr(f"{file}: left as it is, its syntax is not in order")

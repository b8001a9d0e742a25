"""Which build of the program this is: the version, and the commit it was built from."""

from __future__ import annotations

import subprocess
from pathlib import Path

from dicegames import __version__

HERE = Path(__file__).parent
RECORD = HERE / "build.txt"
"""In an installed package: the commit, as the build has written it."""
LONGEST_WAIT = 5


def build() -> str:
    """Return the version and the build: `0.2.0 (a1b2c3d4e5 of 2026-01-31)`."""
    commit = _recorded() or _of_repository(HERE.parent)
    return f"{__version__} ({commit})" if commit else __version__


def _recorded() -> str:
    return RECORD.read_text("utf-8").strip() if RECORD.is_file() else ""


def _of_repository(folder: Path) -> str:
    """Return the commit of a copy of the repository, nothing where git knows none."""
    if not (folder / ".git").exists():
        return ""
    command = ["git", "log", "-1", "--abbrev=10", "--format=%h of %cs"]
    try:
        told = subprocess.run(  # noqa: S603 - nothing of it comes from outside
            command, cwd=folder, capture_output=True, text=True, check=True, timeout=LONGEST_WAIT
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()

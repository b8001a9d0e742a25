"""What holds for all tests of the command line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dicegames.cli.printing import output

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Commands are given in a copy of the repository; games are kept for one test."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    output.console.cache_clear()
    yield
    output.console.cache_clear()

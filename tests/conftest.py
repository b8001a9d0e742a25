"""What holds for all tests: the program as it is just installed, whoever runs them."""

import gc
import os
from collections.abc import Iterator

import pytest

from dicegames.cli import OBJECTS_AT_A_TIME

os.environ.setdefault("DICEGAMES_CACHE", "0")  # no solution is kept from one test to the next
gc.set_threshold(
    OBJECTS_AT_A_TIME
)  # as the program: else a fifth of the time goes into looking for cycles
SETTINGS = ("GAMES", "THREADS", "MEMORY", "LEVEL", "DEBUG")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes long first: side by side, the tests end when the last of these does."""
    for item in items:
        if item.get_closest_marker("slow") is not None:
            item.add_marker(pytest.mark.timeout(0))
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_set(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No settings, no games of one's own, no colours; games that are played are not kept here."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in SETTINGS:
            patch.delenv(f"DICEGAMES_{name}", raising=False)
        patch.setenv("DICEGAMES_CONFIG", str(folder / "config.toml"))
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("NO_COLOR", "1")
        patch.setenv("COLUMNS", "80")
        yield

"""Where compiled code is kept."""

import os
from pathlib import Path

import pytest

from dicegames.ground.cache import COMPILED_CODE, cache_folder


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="temporary files are the user's own there")
def test_compiled_code_goes_to_a_folder_that_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(temporary))

    def folder_beside(home: Path, kind: str = COMPILED_CODE) -> Path:
        monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: home)
        return cache_folder(kind)

    assert folder_beside(tmp_path / "home") == tmp_path / "home" / COMPILED_CODE
    instead = temporary / f"dicegames-{os.getuid()}"
    assert not instead.exists()
    assert folder_beside(tmp_path / "file") == instead / COMPILED_CODE
    assert instead.stat().st_mode & 0o777 == 0o700
    assert folder_beside(tmp_path / "file", "solutions") == tmp_path / "file" / "solutions"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="temporary files are the user's own there")
@pytest.mark.parametrize("found", ["open to others", "a link", "a file", "not there"])
def test_code_is_read_from_no_folder_to_which_others_can_write(
    found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead = tmp_path / f"dicegames-{os.getuid()}"
    (tmp_path / "file").touch()
    if found == "open to others":
        instead.mkdir()
        instead.chmod(0o770)
    elif found == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        instead.symlink_to(tmp_path / "elsewhere")
    elif found == "a file":
        instead.touch()
    temporary = tmp_path / "nowhere" / "file" if found == "not there" else tmp_path
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(temporary))
    if found == "not there":
        (tmp_path / "nowhere").touch()
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "file")
    assert cache_folder(COMPILED_CODE) == tmp_path / "file" / COMPILED_CODE

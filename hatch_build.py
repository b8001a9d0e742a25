"""For the build of the package: the commit it is built from goes into `dicegames/build.txt`."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore] # no type hints
    """Writes the commit where git knows it; the package says its version only where it does not."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put the file among those of the wheel; an editable one asks git when it is asked."""
        if self.target_name != "wheel" or version == "editable":
            return
        command = ["git", "log", "-1", "--abbrev=10", "--format=%h of %cs"]
        try:
            told = subprocess.run(
                command, cwd=self.root, capture_output=True, text=True, check=True, timeout=5
            )
        except (OSError, subprocess.SubprocessError):
            return
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "build.txt"
        path.write_text(told.stdout, "utf-8")
        build_data["force_include"][str(path)] = "dicegames/build.txt"

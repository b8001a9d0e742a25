"""The extension in VS Code itself, without a screen: packaged, installed, and used on two files.

It wants an editor to be there: `editors/vscode/test/setup FOLDER` installs one, and
`DICEGAMES_VSCODE=FOLDER` names it. `test_extensions.py` tries the extension without an editor.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("DICEGAMES_VSCODE", "nowhere"))
SERVER = FOLDER / "node_modules" / "code-server" / "lib" / "vscode" / "out" / "server-main.js"
pytestmark = pytest.mark.skipif(not SERVER.is_file(), reason="DICEGAMES_VSCODE names no editor")


def run(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def extension(tmp_path: Path) -> Path:
    """The packaged extension."""
    shutil.copytree(
        ROOT / "editors", tmp_path / "editors", ignore=shutil.ignore_patterns("node_modules")
    )
    source = tmp_path / "editors" / "vscode"
    run("npm", "install", "--omit=dev", "--no-audit", "--no-fund", cwd=source)
    vsce = FOLDER.resolve() / "node_modules" / ".bin" / "vsce"
    run(vsce, "package", "--out", "dicegames.vsix", "--allow-missing-repository", cwd=source)
    return source / "dicegames.vsix"


@pytest.fixture
def editor(extension: Path, tmp_path: Path) -> Iterator[str]:
    """The address of an editor that has the extension, and the command of this program."""
    settings = tmp_path / "user" / "Machine" / "settings.json"
    settings.parent.mkdir(parents=True)
    command = str(Path(sys.executable).with_name("dicegames"))
    settings.write_text(
        json.dumps({"dicegames.command": command, "telemetry.telemetryLevel": "off"})
    )
    folders = ["--server-data-dir", tmp_path / "server", "--user-data-dir", tmp_path / "user"]
    common = [str(w) for w in (*folders, "--extensions-dir", tmp_path / "extensions")]
    common += ["--accept-server-license-terms", "--telemetry-level", "off"]
    run("node", SERVER, *common, "--install-extension", extension, cwd=tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = ["node", str(SERVER), *common, "--host", "127.0.0.1", "--port", port]
    words.append("--without-connection-token")
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as serving:
        assert serving.stdout is not None
        assert any("listening" in line for line in serving.stdout)
        yield f"http://127.0.0.1:{port}/"
        serving.terminate()


def test_rules_are_shown_with_mistakes_colours_and_values(editor: str, tmp_path: Path) -> None:
    rules = (ROOT / "games" / "pig.dg").read_text("utf-8")
    rules = rules.replace("target = 100", "target = 20").partition("\nexample ")[0] + "\n"
    files = tmp_path / "rules"
    files.mkdir()
    (files / "good.dg").write_text(rules, "utf-8")
    (files / "faulty.dg").write_text(rules.replace("points + sum", "pints + sum"), "utf-8")
    look = ROOT / "editors" / "vscode" / "test" / "look.mjs"
    printed = run(
        "node", look, FOLDER.resolve(), f"{editor}?folder={files}", "faulty.dg", "good.dg",
        cwd=tmp_path,
    )  # fmt: skip
    seen = json.loads(printed)
    assert seen["faulty.dg"]["mistakes"] == 1
    assert seen["faulty.dg"]["lens"] == ["not solved: the rules have mistakes"]
    assert seen["good.dg"]["mistakes"] == 0
    assert seen["good.dg"]["lens"][0] == "value 0.615559 / 0.384441, 361 states"
    assert all(file["language"] == "dicegames rules" for file in seen.values())
    assert all(file["colours"] > 4 for file in seen.values())

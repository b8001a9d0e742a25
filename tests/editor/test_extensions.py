"""What editors install: the files agree with each other and with the program."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import dicegames
from dicegames.highlighting import textmate

ROOT = Path(__file__).parents[2]
VSCODE = ROOT / "editors" / "vscode"
PACKAGE = json.loads((VSCODE / "package.json").read_text("utf-8"))


def test_the_extension_is_of_this_version() -> None:
    assert PACKAGE["version"] == dicegames.__version__
    (grammar,) = PACKAGE["contributes"]["grammars"]
    assert grammar["scopeName"] == textmate()["scopeName"]
    (language,) = PACKAGE["contributes"]["languages"]
    assert language["extensions"] == [f".{kind}" for kind in textmate()["fileTypes"]]
    assert (VSCODE / language["configuration"]).is_file()
    assert (VSCODE / PACKAGE["main"]).is_file()


def test_lines_after_which_more_is_indented() -> None:
    rules = json.loads((VSCODE / "language-configuration.json").read_text("utf-8"))
    (pattern,) = [re.compile(rule["beforeText"]) for rule in rules["onEnterRules"]]
    for line in ("turn", "    choose", "    if points > 3", '        "Hold"', "each player"):
        assert pattern.search(line), line
    for line in ("    roll all", "    if dice show 1: end turn", "    score + points"):
        assert not pattern.search(line), line


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")
def test_the_extension_starts_the_server() -> None:
    """Loaded by Node.js with stand-ins for the editor's two modules."""
    script = """
    const Module = require("module");
    const said = [];
    class LanguageClient {
      constructor(id, name, server, options) { said.push([server, options]); }
      start() { said.push("start"); }
      stop() { said.push("stop"); }
    }
    const modules = {
      vscode: { workspace: { getConfiguration: () => ({ get: (_, usual) => usual }) } },
      "vscode-languageclient/node": { LanguageClient },
    };
    const load = Module._load;
    Module._load = (name, ...rest) => modules[name] ?? load(name, ...rest);
    const extension = require(process.argv[1]);
    extension.activate();
    extension.deactivate();
    console.log(JSON.stringify(said));
    """
    done = subprocess.run(
        ["node", "-e", script, str(VSCODE / PACKAGE["main"])],  # noqa: S607 - as it is found
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    selected = {"documentSelector": [{"language": "dicegames"}]}
    server = {"command": "dicegames", "args": ["lsp"]}
    assert json.loads(done.stdout) == [[server, selected], "start", "stop"]


def test_settings_in_the_documentation() -> None:
    page = (ROOT / "docs" / "editors.md").read_text("utf-8")
    (helix,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    settings = tomllib.loads(helix)
    assert settings["language-server"]["dicegames"] == {"command": "dicegames", "args": ["lsp"]}

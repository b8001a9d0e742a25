"""The settings for Neovim, in Neovim itself: the server starts, and its answers are shown."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pygls")

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "editors" / "neovim" / "dicegames.lua"
NEOVIM = shutil.which("nvim")
LOOK = """
local function ask(method, line, column)
  local place = { textDocument = vim.lsp.util.make_text_document_params(),
                  position = { line = line, character = column } }
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, place, 20000) or {}) do
    return answer.result
  end
end
vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end)
local seen = { filetype = vim.bo.filetype, mistakes = {} }
for _, each in ipairs(vim.diagnostic.get(0)) do
  table.insert(seen.mistakes, { each.lnum, each.col, each.message })
end
seen.hover = ask("textDocument/hover", 5, 5).contents.value
seen.declared = ask("textDocument/definition", 8, 16).range.start.line
io.stdout:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
vim.cmd("qall!")
"""


@pytest.mark.skipif(NEOVIM is None, reason="there is no Neovim here")
def test_mistakes_and_words_are_shown(tmp_path: Path) -> None:
    rules = tmp_path / "faulty.dg"
    rules.write_text(
        'game "A"\ndice 1d6\neach player\n    score = 0\nturn\n    roll all\n'
        "    scor + sum of dice\nends after 1 rounds\npayoff highest score\n",
        "utf-8",
    )
    look = tmp_path / "look.lua"
    look.write_text(LOOK, "utf-8")
    folder = tmp_path / "home"
    words = ["--headless", "-u", SETTINGS, rules, "-c", f"luafile {look}"]
    done = subprocess.run(
        [NEOVIM, *words],  # type: ignore[list-item] # it is there
        env=os.environ
        | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        | dict.fromkeys(("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), str(folder)),
        capture_output=True, text=True, timeout=90, check=True,
    )  # fmt: skip
    seen = json.loads(done.stdout)
    assert seen["filetype"] == "dicegames"
    message = 'nothing here is called "scor"\ndid you mean "score"?'
    assert seen["mistakes"] == [[6, 4, message]]
    assert seen["hover"].startswith("**roll**: Throws dice")
    assert seen["declared"] == 3

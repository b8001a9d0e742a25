"""The examples of the README and of docs/ run, page by page, each in a directory of its own.

- ```python: executed in order, names are kept from block to block; with `>>>` as a doctest
- ```console: `$ dicegames ...` is run; the lines below it, up to the next `$`, are what it prints
  (no such lines: anything), with `...` for any text; `(exit code 1)` as the last line says so;
  what stands behind a prompt `> ` or `Anna> ` is typed
- ```dg: a whole rules file that `dicegames check` finds in order; it is called example.dg
- ```dg-faulty: as above, with mistakes; it is not checked, a console block shows what is said

A page with `<!-- needs: NAME -->` is left out where that module is not installed.

Other blocks (`bash`, `text`) are not run. The commands in ```bash, and those in sentences, must be
understood: the command, its options, the game, its settings, the strategy, the position.
"""

import doctest
import io
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from dicegames import load
from dicegames.cli.app import app
from dicegames.cli.entry import main
from dicegames.cli.printing import output
from dicegames.ground.errors import DicegamesError

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GAMES = sorted((ROOT / "games").glob("*.dg"))

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>python|console|dg-faulty|dg)\b[^\n]*\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
TYPED = re.compile(r"^(?:[\w/, ]+)?> (.*)$", re.MULTILINE)
SHELL = re.compile(r"^ *```bash\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
IN_A_SENTENCE = re.compile(r"`(dicegames [a-z][^`]*)`")
PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b|[|<]")
NEEDS = re.compile(r"<!-- needs: (.*) -->")
EXIT_CODE = re.compile(r"\(exit code (\d+)\)")
DOCTEST_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block: its kind, its text without indentation, the line of its first line."""

    kind: str
    text: str
    line: int


class Command(NamedTuple):
    """A command of a console block: the words after the prompt, and what is shown below them."""

    words: list[str]
    shown: str


def blocks(text: str) -> list[Block]:
    return [
        Block(m["kind"], textwrap.dedent(m["text"]), text.count("\n", 0, m.start("text")) + 1)
        for m in FENCE.finditer(text)
    ]


def commands(text: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.replace("\\\n", " ").partition("\n")
        yield Command(shlex.split(line, comments=True), shown)


def agrees(printed: str, shown: str) -> bool:
    """Whether the output is what the block shows; space at the ends of lines does not count."""

    def lines(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())

    parts = map(re.escape, lines(shown).split("..."))
    return re.fullmatch(".*?".join(parts), lines(printed), re.DOTALL) is not None


def dicegames(words: list[str], directory: Path, typed: str = "") -> tuple[int, str]:
    """Exit code and output of the command line, as a newcomer sees them who types some lines.

    It runs in this process, as starting another one takes longer than most commands do.
    """
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    output.console.cache_clear()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        patch.chdir(directory)
        patch.setattr(sys, "stdin", io.StringIO(typed))
        patch.setenv("COLUMNS", "100")
        patch.setenv("TERM", "dumb")
        patch.setenv("XDG_STATE_HOME", str(directory / "state"))
        code = main(words)
    output.console.cache_clear()
    printed.seek(0)
    return code, printed.read()


def run_console(block: Block, directory: Path, where: str) -> None:
    for words, shown in commands(block.text):
        assert words[0] == "dicegames", f"{where}: only dicegames is run, not {words[0]}"
        wanted = EXIT_CODE.search(shown)
        typed = "".join(line + "\n" for line in TYPED.findall(shown))
        code, printed = dicegames(words[1:], directory, typed)
        assert code == (int(wanted[1]) if wanted else 0), f"{where}: exit code {code}\n{printed}"
        expected = EXIT_CODE.sub("", shown)
        if expected.strip():
            told = f"{where}: {shlex.join(words)}\n--- shown\n{expected}--- printed\n{printed}"
            assert agrees(printed, expected), told


def run_python(block: Block, names: dict[str, Any], where: str) -> None:
    if ">>>" not in block.text:
        padding = "\n" * (block.line - 1)  # so that a traceback shows the line of the page
        exec(compile(padding + block.text, where, "exec"), names)  # noqa: S102 - our own page
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, block.line - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=DOCTEST_FLAGS, verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not report, "".join(report)


def run_rules(block: Block, directory: Path, where: str) -> None:
    path = directory / "example.dg"
    path.write_text(block.text, "utf-8")
    if block.kind == "dg-faulty":
        return
    code, printed = dicegames(["check", path.name], directory)
    assert code == 0, f"{where}:\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text("utf-8")
    for needed in NEEDS.findall(text):
        for name in needed.split(","):
            pytest.importorskip(name.strip())
    found = blocks(text)
    (tmp_path / "games").symlink_to(ROOT / "games")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "example"}
    for block in found:
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.kind == "console":
            run_console(block, tmp_path, where)
        elif block.kind in {"dg", "dg-faulty"}:
            run_rules(block, tmp_path, where)
        else:
            run_python(block, names, where)


def not_run(text: str) -> Iterator[list[str]]:
    """Words of the commands in bash blocks and in sentences, if they say of which game."""
    for block in SHELL.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            command = line.rpartition("| ")[2] if "printf" in line else line
            if command.startswith("dicegames "):
                yield shlex.split(command, comments=True)[1:]
    for told in IN_A_SENTENCE.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        words = shlex.split(told)[1:]
        if not PLACEHOLDER.search(told) and len(words) > 1 and not words[1].startswith("-"):
            yield words


def understand(words: list[str]) -> None:
    """Read a command as the program does, and look up what it names; nothing is solved."""
    group = click.Context(app, info_name="dicegames")
    name, command, rest = app.resolve_command(group, words)
    assert command is not None
    given = command.make_context(name, rest, parent=group).params
    file, options = given.get("file"), given.get("settings") or {}
    if not file or file == "last" or name in ("new", "check", "format"):
        return
    game = load(file, **{k: v[0] if isinstance(v, tuple) else v for k, v in options.items()})
    if isinstance(given.get("strategy"), str):
        assert given["strategy"] in game.rules.strategies
    if name == "advise":
        game.position(given["position"])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_that_are_not_run_are_understood(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for words in not_run(page.read_text("utf-8")):
        understand(words)


@pytest.mark.parametrize("game", GAMES, ids=lambda p: p.stem)
def test_every_game_has_a_page(game: Path) -> None:
    assert (ROOT / "docs" / "games" / f"{game.stem}.md").is_file()


def test_blocks_are_found() -> None:
    page = (
        'a\n```python\nx = 1\n```\n\n    ```dg title="b"\n    game "A"\n    ```\n```bash\nls\n```\n'
    )
    assert blocks(page) == [Block("python", "x = 1\n", 3), Block("dg", 'game "A"\n', 7)]


@pytest.mark.parametrize(
    "words", ["solve pig --objectiv turn", "slove pig", "solve pig --set sides=7", "solve big_pig"]
)
def test_a_command_that_is_not_understood_is_found(words: str) -> None:
    with pytest.raises((click.UsageError, DicegamesError)):
        understand(words.split())


def test_commands_are_found() -> None:
    text = "$ dicegames solve a.dg --set 'b=c d'\nvalue 1\n\n$ dicegames play \\\n  a.dg\n"
    assert list(commands(text)) == [
        Command(["dicegames", "solve", "a.dg", "--set", "b=c d"], "value 1\n\n"),
        Command(["dicegames", "play", "a.dg"], ""),
    ]


def test_output_is_compared() -> None:
    assert agrees("value 1.5\nin 0.31 s\n", "value 1.5\nin ... s\n")
    assert agrees("one\ntwo\nthree\n", "one\n...\nthree")
    assert not agrees("value 1.5\n", "value 1.6\n")
    assert not agrees("value 1.5 and more\n", "value 1.5\n")


def test_python_blocks_share_names() -> None:
    names: dict[str, Any] = {}
    run_python(Block("python", "x = 2\n", 1), names, "page:1")
    run_python(Block("python", ">>> y = x + 1\n>>> y\n3\n", 5), names, "page:5")
    assert names["y"] == 3
    with pytest.raises(AssertionError, match="Expected"):
        run_python(Block("python", ">>> y\n4\n", 9), names, "page:9")

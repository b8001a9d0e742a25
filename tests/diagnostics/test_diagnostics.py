"""Every message about a rules file, word for word."""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.diagnostics.cases import HERE, cases, code_of, error_in, golden

CODE = re.compile(r"[a-z]+(-[a-z]+)*")
TOLD = re.compile(r" \[([a-z-]+)\]$", re.MULTILINE)
PACKAGE = Path(__file__).parents[2] / "dicegames"
PLACES = {
    "report": 0,
    "Mistake": 0,
    "remark": 0,
    "undone": 0,
    "add": 0,
    "Diagnostic": 0,
    "RuleBroken": 3,
    "NotShown": 3,
}
"""Calls that name a code, and the place of it among their arguments."""

CASES = cases()


def codes() -> Iterator[str]:
    """All codes in the source of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                place = PLACES.get(name)
                given = [k.value for k in node.keywords if k.arg == "code"]
                if place is not None and place < len(node.args):
                    given.append(node.args[place])
                values = [g.value for g in given if isinstance(g, ast.Constant)]
                yield from (v for v in values if isinstance(v, str) and CODE.fullmatch(v))


@pytest.mark.parametrize("name", CASES)
def test_the_message_is_as_written_down(name: str) -> None:
    error = error_in(name, CASES[name])
    assert error is not None, "nothing is found to be wrong"
    assert f"{error}\n" == golden(name).read_text("utf-8")
    if name not in ("several", "with-option"):
        assert code_of(name) in {d.code for d in error.diagnostics}


def test_every_code_has_a_case() -> None:
    found = set(codes())
    assert len(found) > 80
    shown = {code for name in CASES for code in TOLD.findall(golden(name).read_text("utf-8"))}
    assert not found - {code_of(name) for name in CASES}, "codes without a case of their own"
    assert shown <= found, "a code that the search in the source does not see"


def test_every_text_has_its_file() -> None:
    assert {path.stem for path in HERE.glob("*.txt")} == set(CASES)


def test_the_catalogue_shows_them_all() -> None:
    docs = PACKAGE.parent / "docs"
    spec = importlib.util.spec_from_file_location("catalogue", docs / ".hooks/diagnostics.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    text = (docs / "diagnostics.md").read_text("utf-8")
    assert text == hook.page(text), "run: python docs/.hooks/diagnostics.py"

"""Every game of the library has its page, and the index of games shows what each is worth."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "games"
GAMES = sorted((ROOT / "games").glob("*.dg"))


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("games_hook", ROOT / "docs/.hooks/games.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_index_shows_what_the_tests_solve_for(hook: ModuleType) -> None:
    text = (PAGES / "index.md").read_text("utf-8")
    assert text == hook.index(text), "run: python docs/.hooks/games.py"
    for path in GAMES:
        assert f"({path.stem}.md)" in text


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_a_page_tells_rules_states_and_figures(path: Path) -> None:
    page = (PAGES / f"{path.stem}.md").read_text("utf-8")
    assert page.startswith("# ")
    assert f"games/{path.stem}.dg" in page
    assert "\n## States\n" in page
    assert "\n## Figures\n\n<!-- table of figures -->" in page


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_a_file_has_examples(path: Path) -> None:
    assert "\nexample " in path.read_text("utf-8")

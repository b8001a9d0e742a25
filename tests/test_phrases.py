"""Every line that the page of phrases shows stands in the rules file that it names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "how_do_i_say.md").read_text("utf-8")
ROW = re.compile(r"^\| (.*) \| (.*) \| `(\w+)` \|$", re.MULTILINE)
ROWS = [row for row in ROW.findall(PAGE) if (ROOT / "games" / f"{row[2]}.dg").exists()]


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("phrase", "lines", "game"), ROWS, ids=[row[0] for row in ROWS])
def test_a_line_stands_in_the_rules_that_are_named(phrase: str, lines: str, game: str) -> None:
    rules = plain((ROOT / "games" / f"{game}.dg").read_text("utf-8"))
    shown = re.findall(r"`([^`]+)`", lines)
    assert shown, phrase
    for line in shown:
        assert plain(line) in rules


def test_no_row_is_passed_over() -> None:
    named = PAGE.count("\n| ") - PAGE.count("\n| the rulebook says") - 1  # heads
    alike = len(PAGE[PAGE.index("| if you mean") :].splitlines()) - 2
    assert len(ROWS) == named - alike >= 30

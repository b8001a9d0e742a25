"""The language is small: no word of it is there for one game alone, and new games need no more.

A word counts as used by a game if it stands in its tree, so not in comments or labels. Words that
few games use are listed with two unrelated games that need them: those of this test, which are in
no file, show that each word serves more than the game it was met in.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from dicegames.syntax.tokens import FUNCTIONS, SIGNS, TOKEN, WORDS
from tests.rules.small import read

ROOT = Path(__file__).parents[1]
GAMES = sorted((ROOT / "games").glob("*.dg"))
SECOND = sorted((Path(__file__).parent / "second_games").glob("*.dg"))
"""Small games that use the words which one game of the library alone has."""


def words_of(text: str) -> set[str]:
    found = (m for m in TOKEN.finditer(text) if m.lastgroup not in ("comment", "string", "name"))
    return {m[0] for m in found}


def users() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for path in [*GAMES, *SECOND]:
        for word in words_of(path.read_text("utf-8")):
            found[word].add(path.stem)
    return found


def language() -> set[str]:
    return {*FUNCTIONS.split(), *" ".join(WORDS.values()).split()}


def test_no_word_is_there_for_one_game() -> None:
    by_word = users()
    few = {word: sorted(by_word[word]) for word in sorted(language()) if len(by_word[word]) < 2}
    assert not few


@pytest.mark.parametrize("path", SECOND, ids=lambda p: p.stem)
def test_second_games_are_in_order(path: Path) -> None:
    game = read(path)
    assert game.examples or re.search("strategy", path.read_text("utf-8"))


def test_every_word_is_shown_in_an_example_of_the_reference() -> None:
    text = (ROOT / "docs" / "language.md").read_text("utf-8")
    shown = set[str]().union(*map(words_of, re.findall(r"(?ms)^```dg[a-z-]*\n(.*?)^```", text)))
    assert not {*language(), *SIGNS.split()} - shown


def test_every_section_of_the_reference_has_an_example() -> None:
    text = (ROOT / "docs" / "language.md").read_text("utf-8")
    _, first, *sections = re.split(r"(?m)^## ", text)
    assert first.startswith("What a rules file means")
    assert len(sections) > 10
    for section in sections:
        if section.startswith("Words"):
            assert "<!-- table of words -->" in section  # filled by the build, with an example each
            continue
        assert re.search(r"(?m)^```dg", section), section.partition("\n")[0]

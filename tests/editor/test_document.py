"""A rules file while it is written, without an editor."""

from pathlib import Path
from random import Random

import pytest

from dicegames.editor.document import CannotRename, Document, examples_of, meaning_of, meanings
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.syntax.tokens import FUNCTIONS, WORDS

GAMES_FOLDER = Path(__file__).parents[2] / "games"
GAMES = sorted(GAMES_FOLDER.glob("*.dg"))
CASES = Path(__file__).parents[1] / "diagnostics"


def document(text: str) -> Document:
    return Document(Source("here.dg", text))


@pytest.mark.parametrize("name", ["pig", "threes", "cee_lo"])
def test_every_name_can_be_renamed_or_is_refused(name: str) -> None:
    path = next(path for path in GAMES if path.stem == name)
    one = document(path.read_text("utf-8"))
    refused = set()
    for token in dict.fromkeys(t.text for t in one.declared):
        try:
            text = one.renamed(token, "another")
        except CannotRename:
            refused.add(token)
            continue
        assert document(text).mistakes() == []
        assert len(document(text).occurrences("another")) == len(one.occurrences(token)) > 0
    assert refused <= {"players", "money"}  # what the language itself looks for


def test_a_name_may_be_a_word_of_the_language() -> None:
    text = 'game "A"\noption rounds = 3\ndice 1d6\neach player\n    score = 0\nturn\n    roll all\n'
    text += "    score + sum of dice\nends after rounds rounds\npayoff highest score\n"
    one = document(text)
    assert one.mistakes() == []
    assert one.renamed("rounds", "turns_each") == text.replace(
        "option rounds", "option turns_each"
    ).replace("after rounds", "after turns_each")
    with pytest.raises(CannotRename, match="is a word of the language"):
        one.renamed("rounds", "roll")
    with pytest.raises(CannotRename, match="is the name of something else"):
        one.renamed("rounds", "score")
    with pytest.raises(CannotRename, match="is no name"):
        one.renamed("rounds", "3x")


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_declarations_and_outline(path: Path) -> None:
    one = document(path.read_text("utf-8"))
    for token in one.declared:
        place = one.declaration(token.text, token.span.start)
        assert place is not None
        assert one.source.text[place.span.start : place.span.end] == token.text
    game = check(one.source, thorough=False)
    for name in (*game.names.options, *game.names.tables):
        assert one.declaration(name, 0) is not None
    starts = [symbol.span.start for symbol in one.symbols()]
    assert starts == sorted(starts)
    assert all(first < last for first, last in one.folds())


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_what_stands_there_is_offered(path: Path) -> None:
    """At the beginning of each line, the word that stands there is among those offered."""
    one = document(path.read_text("utf-8"))
    words = {word for kind in WORDS.values() for word in kind.split()}
    lines = [t for t in one.tokens if one.source.line_column(t.span.start)[1] == 1]
    names = {name.span for name in one.names}
    lines = [token for token in lines if token.span not in names]
    for token in [t for t in lines if t.text in words - {"each", "this"}]:
        offered = [word for word, _ in one.completions(token.span.start)]
        assert token.text in offered, one.source.line_column(token.span.start)


@pytest.mark.parametrize(
    ("before", "offered", "not_offered"),
    [
        ("", {"game", "turn", "each player", "dice"}, {"roll"}),
        ("turn\n    ", {"roll", "choose", "if", "score"}, {"game", "turn"}),
        ("turn\n    roll ", {"all", "score"}, {"choose"}),
        ("turn\n    if dice ", {"show", "and"}, {"roll"}),
        ("payoff ", {"highest", "lowest", "score"}, {"rounds"}),
        ("ends after 3 ", {"rounds"}, {"when"}),
        ("turn\n    # ro", set(), {"roll"}),
    ],
)
def test_completion_by_place(before: str, offered: set[str], not_offered: set[str]) -> None:
    text = 'game "A"\ndice 1d6\neach player\n    score = 0\n' + before
    found = {word for word, _ in document(text).completions(len(text))}
    assert offered <= found
    assert not found & not_offered


def test_fixes_are_tried() -> None:
    """Each fix that is offered in the golden cases takes away its mistake."""
    fixed = 0
    for path in sorted(CASES.glob("*.dg")):
        one = document(path.read_text("utf-8", errors="replace"))
        for mistake in one.mistakes():
            for fix in one.fixes(mistake):
                text = one.source.text
                after = document(text[: fix.span.start] + fix.text + text[fix.span.end :])
                assert len(after.mistakes()) < len(one.mistakes()), path.stem
                fixed += 1
    assert fixed > 10


def test_words_are_explained() -> None:
    words = [word for kind in WORDS.values() for word in kind.split()] + FUNCTIONS.split()
    assert sorted(words) == sorted(meanings())
    assert all(examples_of(word) for word in words)
    assert "ends after 13 rounds" in meaning_of("rounds")
    assert meaning_of("score") == ""


def test_a_box_is_found_by_its_label() -> None:
    one = document((GAMES_FOLDER / "yahtzee.dg").read_text("utf-8"))
    used = [t for t in one.tokens if t.text == '"Full house"']
    assert len(used) > 1  # in an example, too
    assert all("x x x y y" in one.about(token) for token in used)


@pytest.mark.parametrize("name", ["pig", "lange_strasse"])
def test_half_typed_lines_are_no_trouble(name: str) -> None:
    """A character more or less anywhere: whatever an editor asks is answered."""
    text, chance = (GAMES_FOLDER / f"{name}.dg").read_text("utf-8"), Random(1)
    for _ in range(40):
        at = chance.randrange(len(text))
        typed = chance.choice(["x", " ", "\n", '"', "(", "#", "", "\n  "])
        one = document(text[:at] + typed + text[at + (typed == "") :])
        one.completions(at)
        for mistake in one.mistakes()[:1]:
            one.fixes(mistake)
        token = one.token_at(at)
        assert token is None or isinstance(one.about(token), str)
        assert all(first < last for first, last in one.folds())
        assert len(one.symbols()) == len(one.nodes)

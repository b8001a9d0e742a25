"""The one table of tokens agrees with the grammar, and colours are made from it."""

import re
import tomllib
from pathlib import Path

import pytest
from pygments import token

from dicegames import highlighting
from dicegames.rules.reading.functions import CALLS as KNOWN_FUNCTIONS
from dicegames.syntax import tokens

ROOT = Path(__file__).parents[2]
GRAMMAR = re.sub(r"//[^\n]*", "", (ROOT / "dicegames/syntax/rules.lark").read_text("utf-8"))
GAMES = sorted((ROOT / "games").glob("*.dg"))
KINDS = {"string": "STRING", "dice": "DICE", "number": "INT", "name": "NAME", "comment": "COMMENT"}


def terminals() -> dict[str, str]:
    return {m[1]: m[2] for m in re.finditer(r"(?m)^([A-Z]+)(?:\.\d)?: /(.*)/$", GRAMMAR)}


def words_of_the_grammar() -> set[str]:
    quoted = set(re.findall(r'"([a-z]+)"', GRAMMAR))
    patterns = [line for line in GRAMMAR.splitlines() if re.match(r"[A-Z]+\.2: /", line)]
    inside = [re.sub(r"\\[a-z]|\(\?!.*?\)", " ", line.split(":", 1)[1]) for line in patterns]
    found = {word for text in inside for word in re.findall(r"[a-z]+", text)}
    return quoted | found | {"round"}


def test_every_word_of_the_grammar_has_one_kind() -> None:
    listed = [word for words in tokens.WORDS.values() for word in words.split()]
    assert len(listed) == len(set(listed))
    assert set(listed) == words_of_the_grammar()


def test_every_sign_of_the_grammar_is_there() -> None:
    plain = re.sub(r"(?m)^[A-Z]+(\.\d)?: /.*$", "", GRAMMAR)
    quoted = set(re.findall(r'"([^"a-z\s\\]+)"', plain))
    assert quoted | {"!=", "<=", ">=", "<", ">"} == set(tokens.SIGNS.split())


def test_literals_are_those_of_the_grammar() -> None:
    for kind, name in KINDS.items():
        assert tokens.TOKENS[kind] == terminals()[name], kind


def test_functions_are_those_of_the_rules() -> None:
    listed = set(tokens.FUNCTIONS.split()) | set(" ".join(tokens.WORDS.values()).split())
    assert listed >= set(KNOWN_FUNCTIONS)
    assert set(tokens.FUNCTIONS.split()) <= set(KNOWN_FUNCTIONS)


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_everything_in_a_game_has_a_colour(path: Path) -> None:
    text = path.read_text("utf-8")
    found = list(highlighting.RulesLexer(stripnl=False).get_tokens(text))
    assert "".join(part for _, part in found) == text
    assert not [part for kind, part in found if kind in (token.Text, token.Error)]


def test_words_are_told_from_names() -> None:
    found = highlighting.RulesLexer().get_tokens("ends_here means sum of 5d6 # yes\n")
    shown = [(str(kind), part) for kind, part in found if part.strip()]
    assert shown == [
        ("Token.Name", "ends_here"),
        ("Token.Keyword.Declaration", "means"),
        ("Token.Name.Builtin", "sum"),
        ("Token.Operator.Word", "of"),
        ("Token.Literal.Number.Other", "5d6"),
        ("Token.Comment.Single", "# yes"),
    ]


def test_the_grammar_for_editors_is_made_from_the_table() -> None:
    path = ROOT / "editors" / "dg.tmLanguage.json"
    told = "run: python -m dicegames.highlighting > editors/dg.tmLanguage.json"
    assert path.read_text("utf-8") == highlighting.textmate_text(), told


def test_the_lexer_is_installed_under_the_name_that_the_documentation_uses() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    plugin = project["entry-points"]["pygments.lexers"]["dicegames"]
    assert plugin == f"{highlighting.__name__}:{highlighting.RulesLexer.__name__}"
    (name,) = highlighting.RulesLexer.aliases
    assert (ROOT / "mkdocs.yml").read_text("utf-8").count(f"lang: {name}\n") == 2

"""Colours for rules files: a lexer for Pygments and a grammar for editors, from one table.

The table is `syntax/tokens.py`. Pygments finds the lexer as an installed plugin, by the name
`dicegames` (another language has `dg`). The grammar for editors that know TextMate's format is
`editors/dg.tmLanguage.json`; `python -m dicegames.highlighting` prints it.
"""

from __future__ import annotations

import json
import sys
from typing import Any, ClassVar

from pygments import token
from pygments.lexer import RegexLexer

from dicegames.syntax.tokens import TOKENS

TOKEN_STYLES: dict[str, tuple[Any, str]] = {
    "comment": (token.Comment.Single, "comment.line.number-sign"),
    "string": (token.String.Double, "string.quoted.double"),
    "dice": (token.Number.Other, "constant.numeric.dice"),
    "number": (token.Number.Integer, "constant.numeric.integer"),
    "part": (token.Keyword.Declaration, "keyword.declaration"),
    "statement": (token.Keyword, "keyword.control"),
    "relation": (token.Operator.Word, "keyword.operator.word"),
    "quantity": (token.Keyword.Pseudo, "keyword.other.quantity"),
    "constant": (token.Keyword.Constant, "constant.language"),
    "function": (token.Name.Builtin, "support.function"),
    "name": (token.Name, "variable.other"),
    "sign": (token.Operator, "keyword.operator"),
}
"""For each kind of token, how Pygments and editors call it."""


class RulesLexer(RegexLexer):  # type: ignore[misc] # pygments carries no type hints
    """Pygments' lexer for rules files."""

    name = "dicegames rules"
    aliases: ClassVar[list[str]] = ["dicegames"]
    filenames: ClassVar[list[str]] = ["*.dg"]
    url = ""
    version_added = ""
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\s+", token.Whitespace),
            *((pattern, TOKEN_STYLES[kind][0]) for kind, pattern in TOKENS.items()),
            (r".", token.Text),
        ]
    }


def textmate() -> dict[str, Any]:
    """Return the grammar of rules files for editors."""
    patterns = [
        {"name": f"{TOKEN_STYLES[kind][1]}.dg", "match": _behind_no_letter(kind, pattern)}
        for kind, pattern in TOKENS.items()
    ]
    return {
        "name": "dicegames rules",
        "scopeName": "source.dg",
        "fileTypes": ["dg"],
        "patterns": patterns,
    }


def _behind_no_letter(kind: str, pattern: str) -> str:
    """Return a pattern that begins no word in the middle: editors try them at every letter."""
    return pattern if kind in ("comment", "string", "sign") else rf"(?<!\w)(?:{pattern})"


def textmate_text() -> str:
    """Return the grammar for editors as the text of its file."""
    return json.dumps(textmate(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(textmate_text())

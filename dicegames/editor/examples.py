"""What the words of the language are, with examples: of the grammar file, and of games."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from dicegames.library import supplied
from dicegames.syntax.tokens import FUNCTIONS, WORDS

KINDS = {
    "part": "begins a part of the file, or belongs to one",
    "statement": "part of a turn",
    "relation": "relation",
    "quantity": "how many, or which",
    "constant": "a value of an option",
}
COMMENT = re.compile(r"//\s+(\S.*)$", re.MULTILINE)


@cache
def _examples() -> list[str]:
    """Return the examples of the grammar file, then the lines of the games that are supplied."""
    text = (files("dicegames.syntax") / "rules.lark").read_text("utf-8")
    told = [m[1].strip() for m in COMMENT.finditer(text) if m.start() > text.index("item:")]
    rules = [path.read_text("utf-8").splitlines() for path in sorted(supplied().glob("*.dg"))]
    return told + [line.partition("#")[0].strip() for lines in rules for line in lines]


def example_of(word: str) -> str:
    """Return what kind of word it is, and where it stands: Markdown; nothing for other words."""
    kind = next((KINDS[k] for k, words in WORDS.items() if word in words.split()), "")
    if word in FUNCTIONS.split():
        kind = "measures something"
    if not kind:
        return ""
    shown = [e for e in _examples() if re.search(rf"\b{re.escape(word)}\b", e)][:3]
    lines = "".join(f"\n    {example}" for example in shown)
    return f"**{word}**: {kind}" + (f"\n{lines}" if lines else "")

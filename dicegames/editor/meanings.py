"""What the words of the language mean, with examples: of the grammar file, and of games."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from dicegames.library import supplied

COMMENT = re.compile(r"//\s+(\S.*)$", re.MULTILINE)
MOST_EXAMPLES = 3


@cache
def meanings() -> dict[str, str]:
    """Return what each word of the language means, in the order of the reference."""
    return tomllib.loads((files("dicegames.editor") / "words.toml").read_text("utf-8"))


@cache
def _examples() -> list[str]:
    """Return the examples of the grammar file, then the lines of the games, short ones first."""
    text = (files("dicegames.syntax") / "rules.lark").read_text("utf-8")
    shown = [m[1] for m in COMMENT.finditer(text, text.index("item:")) if "--" not in m[1]]
    shown = [each.strip() for line in shown for each in line.split(" / ")]
    rules = [path.read_text("utf-8").splitlines() for path in sorted(supplied().glob("*.dg"))]
    lines = [line.partition("#")[0].strip() for file in rules for line in file]
    return shown + sorted(lines, key=len)


def examples_of(word: str) -> list[str]:
    """Return some lines in which a word stands."""
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    found = (line for line in _examples() if pattern.search(re.sub(r'"[^"]*"', "", line)))
    return list(dict.fromkeys(found))[:MOST_EXAMPLES]


def meaning_of(word: str) -> str:
    """Return what a word means and where it stands: Markdown; nothing for other words."""
    if word not in meanings():
        return ""
    lines = "".join(f"\n{example}" for example in examples_of(word))
    return f"**{word}**: {meanings()[word]}" + (f"\n\n```dg{lines}\n```" if lines else "")

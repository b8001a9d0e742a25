"""For the build of the documentation: the words of the language, each with what it means."""

from typing import Any

from dicegames.editor.document import examples_of, meanings

MARK = "<!-- table of words -->"


def words() -> str:
    """The table of the words: what hover shows in an editor."""
    lines = ["| word | meaning | for example |", "|---|---|---|"]
    for word, meaning in sorted(meanings().items()):
        example = next(iter(examples_of(word)), "").replace("|", "\\|")
        lines.append(f"| `{word}` | {meaning} | `{example}` |")
    return "\n".join(lines)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill the table."""
    return markdown.replace(MARK, words())

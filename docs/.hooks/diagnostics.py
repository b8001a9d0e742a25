"""For the build of the documentation: the catalogue of messages, made from the golden cases."""

from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
CASES = DOCS.parent / "tests" / "diagnostics"
CATALOGUE_MARK = "<!-- catalogue of messages -->"


def catalogue() -> str:
    """One section for each code: its cases, as they are shown to a user."""
    codes: dict[str, list[str]] = {}
    for path in sorted(CASES.glob("*.txt"), key=lambda p: p.stem):
        code = path.stem.split(".", maxsplit=1)[0]
        codes.setdefault(code, []).append(path.read_text("utf-8").rstrip())
    sections = []
    for code, texts in codes.items():
        blocks = "\n\n".join(f"```text\n{text}\n```" for text in texts)
        sections.append(f"## {code}\n\n{blocks}\n")
    return "\n".join(sections)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the catalogue where its mark stands."""
    return markdown.replace(CATALOGUE_MARK, catalogue())

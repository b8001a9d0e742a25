"""The catalogue of messages, made from the golden cases; run as a program it writes its page."""

from pathlib import Path

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "diagnostics.md"
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


def page(text: str) -> str:
    """The page with its catalogue as it has to be."""
    above = text[: text.index(CATALOGUE_MARK) + len(CATALOGUE_MARK)]
    return f"{above}\n\n{catalogue()}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")

"""For the build of the documentation: a game's page and figures appear by themselves.

A new game brings its page, `games/<file>.md`, and its expected values, `<file>.toml` in
`tests/expected`. This hook adds the page to the navigation, and all figures and the rules file to
the page. What `bench/library.py` records of a game in `games/values.toml` goes into the index:
value, spread, size and time of the rules as they are supplied, and what each option is worth; the
main numbers of the report on a game go to its page.
Run as a program it writes the index of games: what each is worth under its best play.
"""

import tomllib
from pathlib import Path
from typing import Any

from dicegames.cli.commands.library import text_hash

DOCS = Path(__file__).parents[1]
EXPECTED = DOCS.parent / "tests" / "expected"
GAMES = DOCS.parent / "games"
INDEX = DOCS / "games" / "index.md"
GAMES_MARK = "<!-- table of games -->\n"
FIGURES_MARK = "<!-- table of figures -->"
RECORD_MARK = "<!-- table of the record -->"
OPTIONS_MARK = "<!-- table of options -->"
STATUS = {
    "published": "published and confirmed",
    "recalled": "published (quoted from memory) and confirmed",
    "textbook": "textbook value, confirmed",
    "approximate": "approximate",
    "differs": "published for other rules, or wrong",
    "unchecked": "published, not confirmed",
}

OF_OPTIONS = (
    "Each line changes one option and leaves the others as they are; values are those of seat 1. "
    "Of a number, a neighbour of the default is shown."
)
NO_REPORT = "`dicegames report {}` does not tell: {}."
OF_REPORT = (
    "From `dicegames report {} --games 60`, seed 1, which says much more; estimates are means over "
    "games by best play. What a strategy loses is against best play, and `choice` the share of the "
    "variance between the two, the rest being dice: see [The author's bench](../authors.md)."
)
OTHERS = {"needs", "measure", "strategy", "opponent"}
"""Keys of figures that are not the value of best play."""


def title(page: Path) -> str:
    """The heading of a page."""
    return page.read_text("utf-8").splitlines()[0].removeprefix("# ")


def pages() -> list[Path]:
    """The pages of the games by title; the index is not one of them."""
    found = [p for p in (DOCS / "games").glob("*.md") if p.name != "index.md"]
    return sorted(found, key=title)


def on_config(config: Any) -> Any:
    """Append the pages of the games to the section Games of the navigation."""
    (section,) = (entry["Games"] for entry in config["nav"] if "Games" in entry)
    section += [{title(page): f"games/{page.name}"} for page in pages()]
    return config


def figures(stem: str) -> list[dict[str, Any]]:
    """The expected values of a game."""
    table = tomllib.loads((EXPECTED / f"{stem}.toml").read_text("utf-8"))
    return list(table["figure"])


def shown(figure: dict[str, Any]) -> str:
    """The value as far as it is trusted, and its fraction where that is short."""
    if "range" in figure:
        return "{} to {}".format(*figure["range"])
    value = figure["value"]
    if isinstance(value, list):
        return ", ".join(map(str, value))
    digits = min(figure["digits_trusted"], 12)
    text = f"{value:.{digits}f}"
    fraction = figure.get("fraction", "")
    return f"{fraction} = {text}" if 0 < len(fraction) < 40 else text


def index_line(page: Path) -> str:
    """One line of the index of games: the first value of a game that the tests solve for."""
    solved = [f for f in figures(page.stem) if f.get("compare", True) and not f.keys() & OTHERS]
    figure = (solved or figures(page.stem))[0]
    options = " ".join(f"`{k}={v}`" for k, v in figure["options"].items())
    return f"| [{title(page)}]({page.name}) | {figure['what']} | {options} | {shown(figure)} |"


def index(text: str) -> str:
    """The page of the index with its table as it has to be."""
    above = text[: text.index(GAMES_MARK) + len(GAMES_MARK)]
    lines = ["| game | what | options | value |", "|---|---|---|---|", *map(index_line, pages())]
    return above + "\n" + "\n".join(lines) + "\n"


def figure_line(figure: dict[str, Any]) -> str:
    """One line of a game's table of figures."""
    options = " ".join(f"`{k}={v}`" for k, v in figure["options"].items())
    origin = figure["source"]
    if figure["status"] != "computed":
        origin = f"{STATUS[figure['status']]}: {origin}"
    return f"| {figure['what']} | {options} | {shown(figure)} | {origin} |"


def record() -> dict[str, dict[str, Any]]:
    """What is recorded of the games, by file; nothing of those whose rules have changed since."""
    found = tomllib.loads((GAMES / "values.toml").read_text("utf-8"))["games"]
    return {
        stem: entry
        for stem, entry in found.items()
        if entry["rules"] == text_hash(GAMES / f"{stem}.dg")
    }


def report_table(stem: str) -> str:
    """The main numbers of the report on a game, nothing if its rules have changed since."""
    found = tomllib.loads((GAMES / "values.toml").read_text("utf-8")).get("reports", {})
    entry = found.get(stem)
    if entry is None or entry["rules"] != text_hash(GAMES / f"{stem}.dg"):
        return ""
    asked = stem + "".join(f" --set {setting}" for setting in entry.get("settings", []))
    if not entry["rows"]:
        return NO_REPORT.format(asked, entry["why"])
    asked += " --objective turn" if entry["objective"] == "turn" else ""
    lines = [OF_REPORT.format(asked), "", "| what | number | basis |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in entry["rows"])])


def first(value: float | list[float]) -> float:
    """The value of seat 1."""
    return value[0] if isinstance(value, list) else value


def record_table() -> str:
    """The games as they are supplied: value, spread, size, time."""
    known = record()
    lines = ["| game | value | standard deviation | states | solved in |", "|---|---|---|---|---|"]
    for page in pages():
        entry = known.get(page.stem, {})
        value = f"{first(entry['value']):.6f}" if entry else "-"
        spread = f"{entry['sd']:.4f}" if "sd" in entry else "-"
        states = f"{entry['states']:,}" if "states" in entry else "-"
        seconds = f"{entry['seconds']:.2f} s" if entry else "-"
        lines.append(
            f"| [{title(page)}]({page.name}) | {value} | {spread} | {states} | {seconds} |"
        )
    return "\n".join(lines)


def options_table(stems: list[str]) -> str:
    """What each option is worth where it alone is set otherwise."""
    known = record()
    lines = ["| rules | set | value | difference |", "|---|---|---|---|"]
    for stem in stems:
        entry = known.get(stem, {})
        for setting, value in entry.get("options", {}).items():
            change = value - first(entry["value"])
            lines.append(f"| `{stem}` | `{setting}` | {value:.6f} | {change:+.6f} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Fill the tables; a game's page ends with its rules file."""
    path = Path(page.file.src_uri)
    if FIGURES_MARK in markdown:
        lines = ["| what | options | value | source |", "|---|---|---|---|"]
        lines += map(figure_line, figures(path.stem))
        markdown = markdown.replace(FIGURES_MARK, "\n".join(lines))
        if options := options_table([path.stem]):
            markdown += f"\n## What an option is worth\n\n{OF_OPTIONS}\n\n{options}\n"
        if report := report_table(path.stem):
            markdown += f"\n## Report\n\n{report}\n"
        rules = (GAMES / f"{path.stem}.dg").read_text("utf-8")
        markdown += f"\n## The rules file\n\n```dg\n{rules}```\n"
    markdown = markdown.replace(RECORD_MARK, record_table())
    return markdown.replace(OPTIONS_MARK, options_table([page.stem for page in pages()]))


if __name__ == "__main__":
    INDEX.write_text(index(INDEX.read_text("utf-8")), "utf-8")

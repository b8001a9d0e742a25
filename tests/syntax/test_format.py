"""The one layout: it stays as it is, keeps comments, and never changes the meaning."""

import random
import re
from pathlib import Path

import pytest

from dicegames.cli.entry import main
from dicegames.ground.diagnostic import Diagnostics, RulesError
from dicegames.ground.source import Source, decode
from dicegames.syntax.layout import formatted
from dicegames.syntax.nodes import outline
from dicegames.syntax.parse import parse

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.dg"))
MUTATIONS = 60

CASES = {
    "blocks are indented by four": (
        "turn\n  if yes:\n     roll all\n",
        "turn\n    if yes\n        roll all\n",
    ),
    "one space between words": (
        'game   "A"\nx  means( 1+2 ) *-3 -4\n',
        'game "A"\nx means (1 + 2) * -3 - 4\n',
    ),
    "a sign and a subtraction": (
        "x means dice-k +number of 6 in{ 1  2 }\n",
        "x means dice - k + number of 6 in {1 2}\n",
    ),
    "signs of options": ("option a=-1|2 from -1 to 3\n", "option a = -1 | 2 from -1 to 3\n"),
    "one blank line": ('\n\ngame "A"\n\n\n\ndice 1d6\n\n', 'game "A"\n\ndice 1d6\n'),
    "rows in columns": (
        'boxes b\n  "A" x x  pays 1\n  each n in 1 to 2: "Bb" 1 | 2 2 if c pays n each\n',
        """boxes b
    "A"                      x x            pays 1
    each n in 1 to 2: "Bb"   1 | 2 2 if c   pays n each
""",
    ),
}


def tree(text: str) -> list[str]:
    source = Source("test.dg", text)
    diagnostics = Diagnostics(source)
    nodes = parse(source, diagnostics)
    assert not diagnostics.found, diagnostics.found[0].message
    return [line for node in nodes for line in outline(node)]


def comments(text: str) -> list[str]:
    return re.findall(r"#[^\n]*", re.sub(r'"[^"\n]*"', '""', text))


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_games_have_the_layout(path: Path) -> None:
    text = path.read_text("utf-8")
    assert formatted(Source(path.name, text)) == text, f"run: dicegames format {path.name}"


def spread(text: str, chance: random.Random) -> str:
    """The same rules with other space between words, deeper blocks, and more blank lines."""
    depth = chance.choice((1, 2, 3, 5, 8))
    lines = []
    for line in text.split("\n"):
        body = line.lstrip(" ")
        indent = (len(line) - len(body)) // 4 * depth
        parts = re.split(r'("[^"]*"|#.*)', body)
        parts = [p if i % 2 else re.sub(" +", lambda _: " " * chance.randrange(1, 4), p)
                 for i, p in enumerate(parts)]  # fmt: skip
        parts = [
            p if i % 2 else re.sub(r" ?([,:(){}|*+]) ?", r"\1", p) for i, p in enumerate(parts)
        ]
        lines += [" " * indent + "".join(parts).rstrip(), *[""] * (chance.random() < 0.1)]
    return "\n".join(lines)


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_any_space_leads_to_the_layout(path: Path) -> None:
    text = path.read_text("utf-8")
    chance = random.Random(path.stem)
    for _ in range(3):
        other = spread(text, chance)
        found = formatted(Source(path.name, other))
        assert tree(found) == tree(text) == tree(other)
        assert comments(found) == comments(text)
        assert formatted(Source(path.name, found)) == found


def test_damaged_games_keep_their_meaning() -> None:
    laid_out = 0
    for seed in range(MUTATIONS):
        chance = random.Random(seed)
        text = chance.choice(GAMES).read_text("utf-8")
        words = re.findall(r"\w+|\s+|[^\w\s]", text)
        a, b = (chance.randrange(len(words)) for _ in range(2))
        words[a], words[b] = words[b], words[a]
        source = decode("damaged.dg", "".join(words).encode())
        try:
            found = formatted(source)
        except RulesError:
            continue
        laid_out += 1
        assert tree(found) == tree(source.text)
        assert formatted(Source("again.dg", found)) == found
        assert comments(found) == [c.rstrip() for c in comments(source.text)]
    assert laid_out > 5


@pytest.mark.parametrize("name", list(CASES))
def test_layout(name: str) -> None:
    before, after = CASES[name]
    assert formatted(Source("test.dg", before)) == after
    assert formatted(Source("test.dg", after)) == after


def test_comments_stay_with_what_they_are_about() -> None:
    text = (
        "# top\ndice 1d6 #one\n         #goes on\n\nturn#three\n  # four\n  roll all\n  # five\n"
        "# six\nends after 1 rounds\n"
    )
    column = " " * 41
    assert formatted(Source("test.dg", text)) == (
        f"# top\n{'dice 1d6':<41}#one\n{column}#goes on\n\n{'turn':<41}#three\n"
        "    # four\n    roll all\n    # five\n# six\nends after 1 rounds\n"
    )


# ---- the command

UNTIDY = 'game "A"\n\n\ndice  1d6\n'
TIDY = 'game "A"\n\ndice 1d6\n'


def test_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dg"
    path.write_text(UNTIDY, "utf-8")
    assert main(["format", "--check", str(path)]) == 1
    assert path.read_text("utf-8") == UNTIDY
    assert main(["format", "--diff", str(path)]) == 0
    assert "-dice  1d6\n+dice 1d6" in capsys.readouterr().out
    assert path.read_text("utf-8") == UNTIDY
    assert main(["format", str(path)]) == 0
    assert path.read_text("utf-8") == TIDY
    assert main(["format", "--check", str(path)]) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["a.dg"]


def test_faulty_files_are_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.dg"
    path.write_text('game  "A"\ndice dice dice\n', "utf-8")
    assert main(["format", str(path)]) == 1
    told = capsys.readouterr().err
    assert "a.dg:2:" in told
    assert "left as it is" in told
    assert path.read_text("utf-8") == 'game  "A"\ndice dice dice\n'

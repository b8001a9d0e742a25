"""Reports: exact numbers are those of `solve`, `stats` and `compare`; the page holds all tables."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import dicegames
from dicegames.authoring.page import page
from dicegames.authoring.report import Report, report
from dicegames.authoring.table import cell_text
from dicegames.cli.entry import main
from dicegames.cli.printing import output

GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture(scope="module")
def shut() -> tuple[dicegames.Game, Report]:
    game = dicegames.load(GAMES / "shut_the_box.dg", tiles=6)
    return game, report(game, games=100)


def test_exact_numbers_are_those_of_the_game(shut: tuple[dicegames.Game, Report]) -> None:
    game, found = shut
    solution = dicegames.solve(game)
    seats = found.section("seats").table
    assert seats.column("value") == [solution.value]
    assert seats.column("sd") == [solution.distribution().sd]
    row = dicegames.compare(game, strategies=["Few tiles"]).rows[0]
    skill = found.section("skill").table
    place = skill.column("strategy").index("Few tiles")
    assert skill.column("loss")[place] == pytest.approx(row.loss, rel=0, abs=1e-12)


def test_estimated_decisions_are_near_those_of_compare(
    shut: tuple[dicegames.Game, Report],
) -> None:
    """Moves in the table add up to the decisions of a game; all numbers say what they are."""
    found = shut[1]
    table = found.section("decisions").table
    total = table.column("number")[0]
    made = sum(float(n or 0) for n in found.section("moves").table.column("made"))
    assert made == pytest.approx(float(total or 0), rel=1e-9)
    assert {s.basis for s in found.sections} == {"exact", "estimated"}
    assert all(s.source for s in found.sections)


def test_moves_that_are_never_made_are_listed(shut: tuple[dicegames.Game, Report]) -> None:
    rows = shut[1].section("moves").table.to_dicts()
    assert {k: v for k, v in rows[1].items() if k in ("move", "made")} == {
        "move": "One die",
        "made": 0.0,
    }


def test_boxes_bring_what_the_game_is_worth(tmp_path: Path) -> None:
    """All points of this game come from its boxes; "Low" can always be filled with some."""
    path = tmp_path / "card.dg"
    path.write_text(
        'game "Two boxes"\ndice 3d6\neach player\n    score = 0\nboxes card\n'
        '    "Low"    any dice   pays 19 - sum\n    "Pair"   x x        pays 10\n'
        "turn\n    roll all\n    choose\n"
        "        one of open card as c: score + points of c, use c\n"
        "ends when all boxes are used\npayoff highest score\n",
        "utf-8",
    )
    game = dicegames.load(path)
    table = report(game, games=400).section("boxes").table
    assert table.column("box") == ["Low", "Pair"]
    often, points, error = (table.column(c) for c in ("brings points", "points", "standard error"))
    assert often[0] == 1.0
    assert float(often[1] or 0) * 10 == pytest.approx(float(points[1] or 0), abs=1e-9)
    value = dicegames.solve(game).value
    assert isinstance(value, float)
    off = sum(float(p or 0) for p in points) - value
    assert abs(off) < 4 * sum(float(e or 0) for e in error)


def test_wins_and_ties_by_seat() -> None:
    game = dicegames.load(GAMES / "pig.dg", target=10)
    found = report(game, games=5)
    seats = found.section("seats").table
    assert seats.columns == ("seat", "value", "wins", "ties")
    assert seats.column("value") == list(dicegames.solve(game).value)  # type: ignore[arg-type]


def test_a_game_without_choices_has_a_report() -> None:
    game = dicegames.load(GAMES / "chutes_and_ladders.dg", players=1)
    found = report(game, "turns", games=2)
    assert any("nothing is chosen" in note for note in found.notes)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.links += [v or "" for k, v in attrs if k in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_fetches_nothing(shut: tuple[dicegames.Game, Report]) -> None:
    text = page(shut[1])
    tags = _Tags()
    tags.feed(text)
    assert not tags.open
    assert not tags.links
    assert "http" not in text
    for section in shut[1].sections:
        assert section.table.title in text
        assert f"{section.basis}: {section.source}" in text


def test_tiny_numbers_are_not_shown_as_zero() -> None:
    assert cell_text(1e-12) == "1.0e-12"
    assert cell_text(0.0) == "0.000000"


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["report", str(GAMES / "shut_the_box.dg"), "--set", "tiles=4", "--games", "10"]
    html = tmp_path / "r.html"
    output.console.cache_clear()
    assert main([*words, "--json", "--html", str(html)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["sections"]["seats"]["basis"] == "exact"
    assert html.read_text("utf-8").startswith("<!doctype html>")

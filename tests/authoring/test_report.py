"""Reports: exact numbers are those of `solve`, `stats` and `compare`; the page holds all tables."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from attrs import evolve

import dicegames
from dicegames.analysis.solution import solve_game
from dicegames.authoring.reports.listed_game import listed_game
from dicegames.authoring.reports.page import page
from dicegames.authoring.reports.report import Report, report
from dicegames.authoring.reports.subject import Subject
from dicegames.authoring.reports.watched import things
from dicegames.cli.entry import main
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Marked, show
from dicegames.ground.table import Table, cell_text
from dicegames.rules.parts.flow import Choose
from tests.rules.small import game as small

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


def test_random_moves_are_compared_exactly(shut: tuple[dicegames.Game, Report]) -> None:
    skill = shut[1].section("skill").table
    assert skill.column("strategy")[-1] == "random moves"
    assert 0.05 < float(skill.column("share of skill")[-1] or 0) < 0.5


SAFE_OR_RISKY = """
option players = 2
dice 1d10
each player
    score = 0
turn
    choose
        "Risk"
            roll all
            if sum of dice > 4: score + 1
            else: score of left of mover + 1
            end game
        "Safe": end game
ends after 3 rounds
ranking highest score
payoff win
strategy "Safe"
    otherwise: "Safe"
"""


def test_results_of_a_strategy_may_be_ties_though_those_of_best_play_are_not() -> None:
    """The spread was that of one who wins half of the games; here all are ties."""
    rows = report(small(SAFE_OR_RISKY), games=20).section("skill").table.to_dicts()
    safe = next(row for row in rows if row["strategy"] == "Safe")
    assert (safe["value"], safe["sd"]) == (0.5, 0.0)
    between, within = (0.1 / 2) ** 2, (0.6 * 0.4 + 0) / 2
    assert safe["share of skill"] == pytest.approx(between / (between + within), rel=1e-9)


def test_decisions_of_all_sorts_add_up(shut: tuple[dicegames.Game, Report]) -> None:
    found = shut[1]
    table = found.section("decisions").table
    met = [float(n or 0) for n in table.column("in a game")]
    assert met[0] == pytest.approx(sum(met[1:]), rel=1e-9)
    length = {(r["in a game"], r["who plays"]): r for r in found.section("length").table.to_dicts()}
    assert length["decisions", "best play"]["mean"] == pytest.approx(met[0], rel=1e-9)
    assert {s.basis for s in found.sections} == {"exact", "estimated"}
    assert all(s.source for s in found.sections)


def test_what_never_comes_up_is_listed(shut: tuple[dicegames.Game, Report]) -> None:
    game, found = shut
    rows = {row["name"]: row for row in found.section("uses").table.to_dicts()}
    assert rows["One die"]["best play"] == 0.0
    assert float(rows["Shut"]["best play"] or 0) > float(rows["Shut"]["random moves"] or 0) > 0
    lines = game.rules.source.text.splitlines()
    dead = found.section("dead").table
    for line, text in dead.rows:
        assert str(text) in lines[int(line or 0) - 1]
    assert any('"One die"' in str(text) for text in dead.column("rules"))
    assert not any('"Shut"' in str(text) for text in dead.column("rules"))


def test_a_game_of_one_round_comes_to_all_its_lines() -> None:
    """The next turn, which never begins, is no line of the rules; one turn is always one turn."""
    found = report(dicegames.load("games/threes.dg"), games=50)
    assert all(section.name != "dead" for section in found.sections)
    assert found.lengths["turns"].sd == 0.0


def test_without_a_move_nobody_can_make_it(shut: tuple[dicegames.Game, Report]) -> None:
    """Without "Shut" no tile falls; a move that is never offered is worth nothing."""
    rows = {row["name"]: row for row in shut[1].section("worth").table.to_dicts()}
    assert rows["Shut"]["value without it"] == sum(range(1, 7))
    assert rows["One die"]["worth"] == 0.0


def test_all_is_settled_at_the_end(shut: tuple[dicegames.Game, Report]) -> None:
    shares = [float(n or 0) for n in shut[1].section("drama").table.column("share settled")]
    assert shares == sorted(shares)
    assert shares[0] > 0
    assert shares[-1] == pytest.approx(1.0)


def test_options_are_worth_what_the_game_is_with_them(
    shut: tuple[dicegames.Game, Report],
) -> None:
    rows = {row["set"]: row for row in shut[1].section("options").table.to_dicts()}
    other = dicegames.load(GAMES / "shut_the_box.dg", tiles=6, one_die="always_at_6")
    assert rows["one_die=always_at_6"]["value"] == dicegames.solve(other).value
    assert rows["aim=shut_all"]["change"] is None  # another unit, and much is good
    assert rows["as it is"]["change"] == 0.0


RACE = """\
game "Race"
option players = 2
dice 1d4
each player
    score = 0
turn
    roll all
    choose
        "Add": score + sum of dice
        "Leave": pass
ends after 3 rounds
payoff win
ranking highest score
"""


def test_the_lead_changes(tmp_path: Path) -> None:
    path = tmp_path / "race.dg"
    path.write_text(RACE, encoding="utf-8")
    found = report(dicegames.load(path), games=100)
    table = found.section("leads").table
    changes = [float(n or 0) for n in table.column("changes of the lead")]
    assert changes == sorted(changes)
    assert changes[-1] > 0
    rows = [r for r in found.section("skill").table.to_dicts() if r["strategy"] == "random moves"]
    assert [row["seat"] for row in rows] == [1, 2]
    assert all(float(row["loss"] or 0) > 0.2 for row in rows)


def test_random_moves_are_those_of_the_seat_that_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turns of the first player pass: his random moves lose nothing, the other's do."""
    monkeypatch.setattr("dicegames.authoring.reports.listed_game.MOST_FOLLOWED", 0)
    path = tmp_path / "second.dg"
    path.write_text(
        'game "The second moves"\noption players = 2\ndice 1d6\neach player\n    score = 0\n'
        "turn\n    if seat = 1: end turn\n    choose\n"
        '        "Throw": roll all, score + sum of dice\n        "Leave it": pass\n'
        "ends after 2 rounds\npayoff highest 2 * score - sum of (score of p) over p in players\n",
        "utf-8",
    )
    found = report(dicegames.load(path), games=200)
    table = found.section("random").table
    first, second = (float(loss or 0) for loss in table.column("loss"))
    assert "turns in which nothing is thrown or chosen do not count as turns" in found.notes
    errors = [float(error or 0) for error in table.column("standard error")]
    assert abs(first) < 4 * errors[0]
    assert abs(second - 3.5) < 4 * errors[1]  # half of two throws


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
    found = report(game, games=400)
    rows = [row for row in found.section("worth").table.to_dicts() if row["what"] == "box"]
    assert [row["name"] for row in rows] == ["Low", "Pair"]
    boxes = found.section("boxes").table
    points, error = boxes.column("points"), boxes.column("standard error")
    often = found.section("boxes").table.column("often, best play")
    assert often[0] == 1.0
    assert float(often[1] or 0) * 10 == pytest.approx(float(points[1] or 0), abs=1e-9)
    assert rows[0]["value without it"] == pytest.approx(10 * 96 / 216, abs=1e-9)  # a pair at once
    value = dicegames.solve(game).value
    assert isinstance(value, float)
    off = sum(float(p or 0) for p in points) - value
    assert abs(off) < 4 * sum(float(e or 0) for e in error)


NOTED = """
game "Two boxes each"
option players = 2 from 1 to 2
dice 3d6
each player
    score = 0 to 30 capped
boxes card
    "Low"    any dice   pays 19 - sum
    "Pair"   x x        pays 10
turn
    note "a turn"
    roll all
    choose
        one of open card as c: score + points of c, use c
ends when all boxes are used
ranking highest score
payoff win
"""


@pytest.mark.parametrize("players", [1, 2])
def test_the_beginning_and_the_end_of_a_turn_are_seen(
    players: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note before the first throw was passed over, and a box that ends the turn of one of two."""
    path = tmp_path / "noted.dg"
    path.write_text(NOTED, "utf-8")
    game = dicegames.load(path, players=players)
    for most in (300_000, 0):  # all states are listed, or none
        monkeypatch.setattr("dicegames.authoring.reports.listed_game.MOST_FOLLOWED", most)
        found = report(game, games=100)
        uses = {row["name"]: row["best play"] for row in found.section("uses").table.to_dicts()}
        assert uses["a turn"] == 2 * players
        assert "dead" not in {section.name for section in found.sections}
        boxes = found.section("boxes").table
        assert boxes.column("box")[0] == "Low"
        points, error = (float(boxes.column(name)[0] or 0) for name in boxes.columns[1:3])
        assert abs(points - 8.5 * players) < 3 * players
        assert error < 0.5 * players
        assert boxes.column("often, best play")[0] == 1.0  # "Low" always brings some


def test_where_nothing_is_open_all_is_settled_at_once(tmp_path: Path) -> None:
    """Who plays alone wins: what rounding left of the variance was divided up."""
    path = tmp_path / "noted.dg"
    path.write_text(NOTED, "utf-8")
    table = report(dicegames.load(path, players=1), games=5).section("drama").table
    assert table.column("share settled") == [1.0, 1.0]


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


def test_a_move_without_which_a_turn_is_stuck_is_noted() -> None:
    """Without "Take" a turn has no end: that is told, though the place has no position."""
    game = dicegames.load(GAMES / "zilch.dg", penalty=False).rules
    flow = [
        evolve(i, options=[o for o in i.options if o.label != "Take"])
        if isinstance(i, Choose)
        else i
        for i in game.flow
    ]
    with pytest.raises(dicegames.SolutionError, match="round for ever"):
        solve_game(evolve(game, flow=flow), "turn")


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


def test_tables_in_python(shut: tuple[dicegames.Game, Report]) -> None:
    pytest.importorskip("polars")
    frames = shut[1].to_frame("polars")
    for section in shut[1].sections:
        assert frames[section.name].columns == list(section.table.columns)
        assert len(frames[section.name]) == len(section.table.rows)
        assert f"{section.basis}: " in shut[1]._repr_html_()
        assert f"{section.table}\n{section.basis}: " in str(shut[1])
    assert len(repr(shut[1])) < 1000
    assert frames["game"]["number"][0] == 1.0


def test_tiny_numbers_are_not_shown_as_zero() -> None:
    assert cell_text(1e-12) == "1.0e-12"
    assert cell_text(0.0) == "0.000000"


@pytest.mark.parametrize("width", range(30, 130, 5))
def test_no_number_is_broken_or_cut(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row has all its numbers, with at least two places, at any width."""
    monkeypatch.setenv("COLUMNS", str(width))
    output.console.cache_clear()
    names = ("who plays", "least", "chance of it", "most", "its chance")
    show([Marked(Table("Ends", names, (("random moves", 0.25, 0.5, 1234.75, None),)))])
    shown = capsys.readouterr().out
    output.console.cache_clear()
    numbers = [float(word) for word in shown.replace(",", "").split() if word[0].isdigit()]
    assert numbers == [0.25, 0.5, 1234.75]
    assert {"random", "moves", "least", "most"} <= set(shown.split())


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["report", str(GAMES / "shut_the_box.dg"), "--set", "tiles=4", "--games", "10"]
    html = tmp_path / "r.html"
    output.console.cache_clear()
    assert main([*words, "--json", "--html", str(html)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["sections"]["seats"]["basis"] == "exact"
    assert html.read_text("utf-8").startswith("<!doctype html>")


def test_what_rounding_leaves_is_no_loss() -> None:
    """All of these moves bear both men off in one turn."""
    found = report(dicegames.load(GAMES / "bear_off.dg"), games=20)
    assert set(found.section("skill").table.column("loss")) == {0.0}
    assert found.section("decisions").table.column("that matter") == [0.0] * 2
    assert found.section("hardest").table.rows == ()


SHARED = """game "Two at a table"

option players = 2 from 1 to 3

dice 1d3

each player
    score = 0 to 6 capped
    money = 0
table
    pot = 0 to 2 capped

boxes card
    "Odd"   1 | 3       pays sum
    "Any"   any dice    pays 2

turn
    roll all
    choose
        "Keep": pass
        "Again" when pot < 2
            roll all
            pot + 1
    choose
        one of open card as c
            use c
            score + points of c

ends after 1 rounds
ranking highest score, ties share

at the end
    each p in players
        if place of p > 1: pay 2 + pot from p to winner

payoff money
"""


def test_what_rounding_leaves_is_no_worth(tmp_path: Path) -> None:
    """Without either move both players still get nothing: they were worth 1e-16."""
    path = tmp_path / "table.dg"
    path.write_text(SHARED, "utf-8")
    found = report(dicegames.load(path), games=2).section("worth")
    assert found.table.column("worth") == [None, None, 0.0, 0.0]
    assert "told for player 1, who alone lacks the box" in found.source


GAMBLE = """game "Even chances"
option start = 3 from 1 to 9
option fee = 0 from 0 to 1
dice 1d6
each player
    purse = start from 0 to 20
turn
    choose
        "Stake" one of 1 to 9 as s where s <= purse and s <= 10 - purse
            roll all
            if sum of dice > 3: purse + (s - (fee if s > 1 else 0))
            else: purse - s
ends when any player has (purse = 0 or purse >= 10)
payoff highest (1 if purse >= 10 else 0)
"""


def test_what_rounding_leaves_is_no_change(tmp_path: Path) -> None:
    """Stakes of 1 are as good as any, without a fee as with one: it changed the value by -4e-15."""
    path = tmp_path / "gamble.dg"
    path.write_text(GAMBLE, "utf-8")
    for fee in (0, 1):
        found = report(dicegames.load(path, fee=fee), games=2).section("options").table
        assert dict(zip(found.column("set"), found.column("change"), strict=True)) == {
            "as it is": 0.0,
            "start=2": pytest.approx(-0.1),
            f"fee={1 - fee}": 0.0,
        }


def test_moves_without_a_name_are_called_by_what_they_pick() -> None:
    rules = dicegames.load(GAMES / "yatzy.dg").rules
    assert ("move", "one of open boxes") in set(things(rules))


TAKE = """game "Twice"

option players = 1 from 1 to 2

dice 1d6

each player
    score = 0 to 12 capped

turn
    roll all
    choose
        "Take": score + sum of dice
        "Again": roll all, score + sum of dice - 1

ends after 2 rounds
payoff highest score

strategy "Take"
    otherwise: "Take"
"""


@pytest.mark.parametrize(("objective", "players"), [("reach:8", 1), ("reach:8", 2), ("turn", 2)])
def test_reports_for_other_objectives(objective: str, players: int, tmp_path: Path) -> None:
    (file := tmp_path / "twice.dg").write_text(TAKE)
    game = dicegames.load(file, players=players)
    found = report(game, objective, games=30)
    solution = dicegames.solve(game, objective)
    assert found.section("seats").table.column("value") == [solution.value]
    if objective == "turn":
        random = found.section("random").table
        error = float(random.column("standard error")[0] or 0)
        assert abs(float(random.column("value")[0] or 0) - (3.5 + 2.5) / 2) < 5 * error
    else:
        assert "Take" in found.section("skill").table.column("strategy")
        lengths = found.section("length").table.to_dicts()
        means = {r["in a game"]: r["mean"] for r in lengths if r["who plays"] == "Take"}
        assert means["turns"] == pytest.approx(2 * players, abs=1e-12)


SLOW = """
dice 3d20
each player
    prize = 0 to 3
turn
    repeat until dice show 1 1 1
        roll all
    prize = 1
    choose
        "Take": prize + 1
        "Leave": pass
ends when any player has prize > 0
payoff prize
"""


def test_what_is_thrown_thousands_of_times_is_followed_to_its_end() -> None:
    found = listed_game(small(SLOW))  # 8,000 throws on average
    assert found is not None
    play = found.best()
    assert play.times("move", "Take") == pytest.approx(1.0, rel=0, abs=1e-12)
    assert float(play.flow @ found.counted["throws"]) == pytest.approx(8000.0, rel=1e-12)
    turns = play.spread("turns")
    assert turns.values.tolist() == [1.0]
    assert turns.probability(1.0) == pytest.approx(1.0, rel=0, abs=1e-12)


WAITING = """
dice 1d6
each player
    points = 0 to 6
turn
    choose
        "Wait": pass
        "Roll"
            roll all
            points = sum of dice
ends when any player has points > 0
payoff points
"""


def test_where_the_first_best_move_goes_round_nothing_is_told_as_exact() -> None:
    subject = Subject(small(WAITING), "payoff", 5, 1, 1)
    assert subject.plays == {}
    assert "what comes up is counted in games that are played" in subject.notes[-1]


STRAYED = """game "Strayed"

option players = 2

dice 1d6

each player
    score = 0
table
    strayed = no

turn
    choose
        "Keep on": score + 9
        "Stray": strayed = yes
    if strayed
        roll all
        choose
            "Take": score + sum of dice
            "Leave": score + 3

ends after 2 rounds
payoff highest score
"""


def test_the_hardest_decisions_are_those_of_best_play(tmp_path: Path) -> None:
    """Random moves come to others, and best play answers them."""
    (file := tmp_path / "strayed.dg").write_text(STRAYED)
    found = report(dicegames.load(file), games=20)
    assert found.section("random").basis == "estimated"
    hardest = found.section("hardest").table
    assert set(hardest.column("best")) == {"Keep on"}


LONG_RUN = """game "Rested"

dice 2d6

each player
    total = 0
    rested = no

turn
    roll all
    choose
        "Take"
            total + sum of dice + (2 if rested else 0)
            rested = no
        "Rest": rested = yes

ends after 3 rounds
payoff highest total

strategy "Take"
    otherwise: "Take"
"""


def test_the_long_run_has_no_whole_games(tmp_path: Path) -> None:
    """Three rounds were played, and what they came to was set against the average of a turn."""
    (file := tmp_path / "rested.dg").write_text(LONG_RUN)
    found = report(dicegames.load(file), "average", games=5)
    assert {"games", "seats", "skill", "worth"} >= {s.name for s in found.sections} - {"game"}
    skill = found.section("skill").table
    assert skill.column("strategy")[0] == "Take"
    assert skill.column("value")[0] == pytest.approx(7.0, abs=1e-9)
    assert "no games are looked at: in the long run none comes to its end" in found.notes

"""Dice Poker against independently computed values: every option of many positions."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dicegames.analysis.solution import Solution
from dicegames.loading import load, solve
from tests.analysis.columns import Column, columns, share

ROOT = Path(__file__).parents[2]
ORACLE: dict[str, Any] = json.loads((ROOT / "tests/oracles/dice_poker.json").read_text("utf-8"))
CLOSE = 1e-9


def solved(players: int, objective: str = "payoff") -> Solution:
    return solve(load(ROOT / "games/dice_poker.dg", players=players), objective)


def test_one_turn() -> None:
    solution = solved(1, "turn")
    assert solution.value == pytest.approx(15563275 / 104976, rel=0, abs=CLOSE)
    for position, moves in ORACLE["turn"]:
        found = {option.name: option.value for option in solution.options(position)}
        wanted = {name: float(Fraction(value)) for name, value in moves.items()}
        assert found == pytest.approx(wanted, rel=0, abs=CLOSE), position


def test_fewest_turns_alone() -> None:
    solution = solved(1, "turns")
    assert solution.error_bound < CLOSE
    for total, turns in ORACLE["turns"].items():
        assert solution.value_of(f"total {total}") == pytest.approx(turns, rel=0, abs=CLOSE)


def test_two_players_and_their_decisions() -> None:
    solution = solved(2)
    assert solution.method == "blocks"
    assert solution.error_bound < CLOSE
    for position, value in ORACLE["first_of_two"].items():
        found = solution.value_of(position)
        assert isinstance(found, tuple)
        assert found == pytest.approx((value, 1 - value), rel=0, abs=CLOSE), position
    for position, moves in ORACLE["mover_of_two"]:
        options = solution.options(position)
        values = {option.name: option.value for option in options}
        assert {name: values[name] for name in moves} == pytest.approx(moves, rel=0, abs=CLOSE)
        assert options[0].value == pytest.approx(max(moves.values()), rel=0, abs=CLOSE)


# ---- the strategies: all columns of the published table, faulty and right


@cache
def odds(runs_reach_six: str) -> dict[str, Column]:
    game = load(ROOT / "games/dice_poker.dg", players=1, runs_reach_six=runs_reach_six)
    return columns(game.rules)


@pytest.mark.parametrize(("runs_reach_six", "figures"), [("yes", 26), ("no", 35)])
def test_columns_of_the_strategies(runs_reach_six: str, figures: int) -> None:
    found = odds(runs_reach_six)
    compared = 0
    for made, row in ORACLE["columns"][runs_reach_six].items():
        for title, percent in row.items():
            again = True if title == "re-rolled" else None
            column = found["Smart re-roll" if again else title]
            percentage = float(100 * share(column, made, rerolled=again))
            assert percentage == pytest.approx(percent, rel=0, abs=CLOSE), (made, title)
            compared += 1
    assert compared == figures


def test_a_turn_is_worth_what_its_column_says() -> None:
    game = load(ROOT / "games/dice_poker.dg", players=1)
    rows = {row.label: row.pays for row in game.rules.names.tables["poker"]}
    for title in ("Smart re-roll", "Match a little straight"):
        column = odds("yes")[title]
        mean = sum(share(column, made) * pays.value() for made, pays in rows.items() if pays)
        value = solve(game, "turn", strategy=title).value
        assert value == pytest.approx(float(mean), rel=0, abs=CLOSE)


# ---- the page

Table = list[dict[str, str]]


def page_tables() -> dict[str, list[Table]]:
    """Return the tables of the game's page by their headings."""
    found: dict[str, list[Table]] = {}
    heading, head = "", list[str]()
    for line in (ROOT / "docs/games/dice_poker.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        if line.startswith("#"):
            heading = line.strip("# ")
        if not line.startswith("|"):
            head = []
        elif not head:
            head = cells
            found.setdefault(heading, []).append([])
        elif not cells[0].startswith("---"):
            found[heading][-1].append(dict(zip(head, cells, strict=True)))
    return found


def percent(runs_reach_six: str, title: str, made: str, *, rerolled: bool | None = None) -> str:
    found = share(odds(runs_reach_six)[title], made, rerolled=rerolled)
    return f"{float(100 * found):.3f}"


def strategy_to(match: str) -> str:
    return next(t for t in odds("yes") if t.lower().endswith(match.lower()) and "Match" in t)


def test_the_page_shows_what_comes_out() -> None:
    tables = page_tables()
    for row in tables["Without re-roll"][0]:
        assert row["faulty runs"] == percent("no", "Without re-roll", row["pattern"])
        assert row["right"] == percent("yes", "Without re-roll", row["pattern"])
    for row in tables["Smart re-roll"][0]:
        made = row["pattern"]
        again = percent("no", "Smart re-roll", made, rerolled=True)
        assert row["faulty runs, re-rolled turns"] == again
        assert row["faulty runs, all turns"] == percent("no", "Smart re-roll", made)
        assert row["right"] == percent("yes", "Smart re-roll", made)
    wanted, right, faulty = tables["Re-roll to match"]
    for row in wanted:
        title = strategy_to(row["pattern"])
        assert row["faulty runs"] == percent("no", title, row["pattern"])
        assert row["right"] == percent("yes", title, row["pattern"])
    for table, runs in ((right, "yes"), (faulty, "no")):
        assert [len(row) for row in table] == [10] * 8
        for row in table:
            title = strategy_to(row["to match"])
            assert all(row[m] == percent(runs, title, m) for m in row if m != "to match"), row
    for row in tables["Sequential re-roll"][0]:
        for column, runs in (("faulty runs", "no"), ("right", "yes")):
            alone = percent(runs, "Without re-roll", row["pattern"])
            assert row[column] == ("46.296" if row["pattern"] == "Pair" else alone)
    for row in tables["Points"][0]:
        right_share = share(odds("yes")["Smart re-roll"], row["pattern"])
        assert row["1070 / right"] == f"{10.7 / float(right_share):.0f}"

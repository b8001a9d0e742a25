"""Relations that must hold: rules that say the same in other words are worth the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from dicegames.analysis.solution import SolutionError, solve_game
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.exact_cycles import NoExactValue
from dicegames.ground.limits import Limits
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.syntax.layout import formatted
from tests.random_games.games import by_seed

Values = tuple[float, ...]
REFUSED = (RulesError, RuleBroken, SolutionError, ObjectiveError, NoExactValue)
ALONE = Limits(threads=1)
SEEDS = range(7_000, 7_010)
GAMES = {
    "pig": {"target": 12},
    "pass_the_pigs": {"target": 12},
    "shut_the_box": {"tiles": 6},
    "threes": {},
    "ship_captain_and_crew": {},
    "craps": {},
    "cee_lo": {},
    "drop_dead": {},
}
"""Games of the project, small enough to be solved at once."""


@cache
def text_of(name: str) -> str:
    if name.isdigit():
        return by_seed(int(name))
    text = (Path(__file__).parents[1] / "games" / f"{name}.dg").read_text("utf-8")
    for option, value in GAMES[name].items():
        text = re.sub(rf"(option {option} = )\d+", rf"\g<1>{value}", text)
    return re.sub(r"\n(example|strategy)[^\n]*(\n +[^\n]*|\n(?=\n +))*", "", text)


def value(text: str, **options: object) -> Values | None:
    """Return the value by seat, None where it is refused."""
    try:
        found = solve_game(check(Source("relation.dg", text), options), limits=ALONE).value
    except REFUSED:
        return None
    return found if isinstance(found, tuple) else (found,)


@cache
def plain_value(name: str) -> Values | None:
    return value(text_of(name))


def scaled(text: str) -> str:
    return re.sub(r"(?m)^payoff (highest |lowest )?(?!win|money)(.*)$", _three_times, text)


def _three_times(line: re.Match[str]) -> str:
    goal = line[2].partition("#")[0].strip()
    return (
        line[0]
        if " if " in re.sub(r"\(.*\)", "", goal)
        else (f"payoff {line[1] or ''}3 * ({goal}) + 2")
    )


def with_idle_variable(text: str) -> str:
    text = re.sub(r"(?m)^turn$", "turn\n    idle + 1", text, count=1)
    return text.replace("\nturn\n", "\ntable\n    idle = 0\nturn\n", 1)


def with_idle_turn_variable(text: str) -> str:
    text = re.sub(r"(?m)^turn$", "turn\n    idle = idle + 2", text, count=1)
    return text.replace("\nturn\n", "\nthis turn\n    idle = 1\nturn\n", 1)


def with_wide_ranges(text: str) -> str:
    return re.sub(r"(?m)^(    [a-z_]+ = )(-?\d+)$", r"\1\2 from 0 - 999 to 9999", text)


def with_a_step(text: str) -> str:
    lines = text.split("\n")
    at = lines.index("turn")
    return "\n".join(
        [*lines[:at], "turn", "    go to whole_turn", "step whole_turn", *lines[at + 1 :]]
    )


def with_a_useless_move(text: str) -> str:
    return re.sub(r"(?m)^( +)choose$", r'\1choose\n\1    "Never" when round < 0: pass', text)


def with_an_empty_repetition(text: str) -> str:
    return re.sub(r"(?m)^turn$", "turn\n    repeat 2 times: pass", text, count=1)


def with_a_named_condition(text: str) -> str:
    return re.sub(r"(?m)^( +)if ([^:\n#]+)$", r"\1if not not (\2)", text)


def with_other_faces(text: str) -> str:
    for word in ("side", "dot", "anchor", "crown", "sun", "trotter", "jowler"):
        text = re.sub(rf"\b{word}\b", f"{word}ish", text)
    return text


def in_the_layout(text: str) -> str:
    return formatted(Source("relation.dg", text))


def with_rows_turned(text: str) -> str:
    """Return the rules with the rows of boxes in the opposite order."""
    return re.sub(r"(?m)(^boxes \w+\n)((?:    [^\n]*\n)+)", _turned_rows, text)


def _turned_rows(table: re.Match[str]) -> str:
    return table[1] + "".join(table[2].splitlines(keepends=True)[::-1])


def with_moves_turned(text: str) -> str:
    """Return the rules with the moves of every choice in the opposite order."""
    lines = text.split("\n")
    for at in reversed([i for i, line in enumerate(lines) if line.strip() == "choose"]):
        items: list[list[str]] = []
        end = at + 1
        while end < len(lines) and _indent(lines[end]) > _indent(lines[at]):
            if _indent(lines[end]) == _indent(lines[at + 1]):
                items.append([])
            items[-1].append(lines[end])
            end += 1
        last = [item for item in items if item[0].strip().startswith("otherwise")]
        moves = [item for item in items[::-1] if item not in last]
        lines[at + 1 : end] = [line for item in (*moves, *last) for line in item]
    return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def with_seats_swapped(text: str) -> str:
    """Return the rules of two players in which the first one does nothing in the first turn."""
    if not re.search(r"(?m)^option players = 2\b", text) or "earlier" in text:
        return text
    now = "round - 2 + seat" if "round" in text else "1"
    text = re.sub(r"\bseat\b", "(3 - seat)", re.sub(r"\bround\b(?! when)", "now", text))
    text = re.sub(r"(?m)^ends after (.*) rounds$", r"ends when now >= \1 and seat = 1", text)
    text = re.sub(
        r"(?m)^ends after the round when (.*)$",
        r"ends when (\1) and now > 0 and seat = 1",
        re.sub(r"(?m)^ends when (?!now >= )(.*)$", r"ends when (\1) and now > 0", text),
    )
    passed = f"    if not begun: begun = yes, end turn\n    now = {now}\n"
    return text.replace("\nturn\n", f"\ntable\n    begun = no\n    now = 0\nturn\n{passed}", 1)


RELATIONS: dict[str, Callable[[str], str]] = {
    function.__name__: function
    for function in (
        *(scaled, with_idle_variable, with_idle_turn_variable, with_wide_ranges, with_a_step),
        *(with_a_useless_move, with_an_empty_repetition, with_a_named_condition),
        *(with_other_faces, in_the_layout, with_rows_turned, with_moves_turned),
        with_seats_swapped,
    )
}
ONLY_FOR_ONE = ("with_rows_turned", "with_moves_turned")
"""Among several players, which of equally good moves is the first may matter to the others."""


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_same_rules_in_other_words_are_worth_the_same(relation: str) -> None:
    """Most of the games that a relation changes are answered: else the test would say nothing."""
    changed, answered = 0, 0
    for name in (*GAMES, *map(str, SEEDS)):
        text, right = text_of(name), plain_value(name)
        other = RELATIONS[relation](text)
        if right is None or other == text:
            continue
        changed += 1
        found = value(other)
        answered += found is not None
        if found is None or (relation in ONLY_FOR_ONE and len(right) > 1):
            continue
        if relation == "scaled":
            right = tuple(3 * v + 2 for v in right)
        if relation == "with_seats_swapped":
            right = right[::-1]
        assert found == pytest.approx(right, abs=1e-8), other
    assert answered >= min(3, changed) > 0
    assert answered > changed / 2


@pytest.mark.parametrize("name", [*GAMES, *map(str, SEEDS)])
def test_an_option_set_to_its_default_changes_nothing(name: str) -> None:
    right = plain_value(name)
    if right is not None:
        options = check(Source("relation.dg", text_of(name)), {}).option_values()
        assert value(text_of(name), **options) == right

"""House rules: what they may be, setting them, and every value of them checked."""

from typing import Any

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.reading import whole
from dicegames.rules.reading.house_rules import OptionError, other_settings
from tests.rules.small import game, value

TEXT = """
option tiles = 9 from 4 to 12
option throws = 2 | 3 | 5
option limit = -3
option luxury = no
option style = plain | fancy_one | other
"""

SETTINGS = [
    ("tiles", 12, 12),
    ("tiles", "4", 4),
    ("throws", "3", 3),
    ("limit", "-10", -10),
    ("limit", 7, 7),
    ("luxury", "yes", True),
    ("luxury", True, True),
    ("luxury", " no ", False),
    ("style", "fancy_one", "fancy_one"),
]


def test_defaults_come_first() -> None:
    rules = game(TEXT)
    assert rules.option_values() == {
        "tiles": 9,
        "throws": 2,
        "limit": -3,
        "luxury": False,
        "style": "plain",
    }
    assert rules.has_default_options


@pytest.mark.parametrize(("name", "setting", "expected"), SETTINGS)
def test_settings(name: str, setting: Any, expected: object) -> None:
    rules = game(TEXT, **{name: setting})
    assert rules.option_values()[name] == expected
    found = value(rules, name)
    assert found == expected
    assert type(found) is type(expected)


WRONG = [
    ({"tiles": 13}, 'the option "tiles" cannot be "13"; possible: a number from 4 to 12'),
    ({"tiles": "many"}, "possible: a number from 4 to 12"),
    ({"tiles": "1" * 50}, "possible: a number from 4 to 12"),
    ({"tiles": "²"}, "possible: a number from 4 to 12"),
    ({"tiles": ""}, "possible: a number from 4 to 12"),
    ({"throws": 4}, "possible: 2, 3, 5"),
    ({"limit": "1.5"}, "possible: a number"),
    ({"luxury": "maybe"}, "possible: yes, no"),
    ({"luxury": 1}, "possible: yes, no"),
    ({"style": "Plain"}, "possible: plain, fancy_one, other"),
    ({"tile": 9}, 'the game has no option "tile"; did you mean "tiles"?'),
    ({"colour": 9}, "it has: tiles, throws, limit, luxury, style"),
    ({"players": 2}, "the game has no option"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        game(TEXT, **settings)
    assert message in str(caught.value)


def test_a_game_without_options() -> None:
    with pytest.raises(OptionError, match="it has: none"):
        game("", players=2)


def test_the_number_of_players() -> None:
    assert game("").players == 1
    assert game("option players = 3").players == 3
    assert game("option players = 3 from 1 to 5", players=5).players == 5
    with pytest.raises(RulesError, match="1 to 12 players"):
        game("option players = 3", players=0)


def test_other_settings_are_each_value_and_the_ends_of_ranges() -> None:
    words = {"tiles", "throws", "limit", "luxury", "style", "plain", "fancy_one", "other"}
    found = [(name, text) for name, _, text in other_settings(game(TEXT).names, words)]
    assert found == [
        *(("tiles", "4"), ("tiles", "12"), ("throws", "3"), ("throws", "5")),
        *(("luxury", "yes"), ("style", "fancy_one"), ("style", "other")),
    ]


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (set(), []),  # what the rules do not ask for changes nothing
        ({"style"}, []),
        ({"style", "plain"}, ["fancy_one"]),  # and "other" is just another word for it
        ({"style", "other"}, ["other"]),  # fancy_one is as good as plain
        ({"style", "fancy_one", "other"}, ["fancy_one", "other"]),
        ({"throws"}, ["3", "5"]),  # numbers are counted with
    ],
)
def test_other_settings_that_make_no_difference_are_left_out(
    words: set[str], settings: list[str]
) -> None:
    assert [text for _, _, text in other_settings(game(TEXT).names, words)] == settings


def test_the_number_of_players_is_never_left_out() -> None:
    names = game("option players = 2 from 1 to 3").names
    assert [text for _, _, text in other_settings(names, set())] == ["1", "3"]


def test_mistakes_under_another_value_are_found_and_said_so() -> None:
    text = """
        option sides = 6 from 2 to 6
        option easy = yes
        dice 2 with sides sides
        turn
            roll all
            if dice show 3 3: score + 1
            if not easy: score + undeclared
    """
    with pytest.raises(RulesError) as caught:
        game(text)
    told = [d.message for d in caught.value.diagnostics]
    assert told == [
        'with sides = 2: the dice have no face "3"',
        'nothing here is called "undeclared"',
    ]


def test_mistakes_common_to_all_values_are_told_once() -> None:
    with pytest.raises(RulesError) as caught:
        game(TEXT + "option players = 1 from 1 to 4\nturn\n    roll all\n    scor + 1\n")
    assert [d.code for d in caught.value.diagnostics] == ["unknown-name"]


def test_what_all_settings_have_in_common_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sixty options of forty words were checked for seconds."""
    calls = []
    monkeypatch.setattr(whole, "remark_on_rules", lambda names, nodes: calls.append(names))
    options = [f"option o{i} = {' | '.join(f'w{i}x{j}' for j in range(40))}" for i in range(3)]
    used = [f"        if o{i} = w{i}x{j}: score + 1" for i in range(3) for j in range(3)]
    text = (
        'game "Many words"\n\n'
        + "\n".join(options)
        + "\n\ndice 2d6\n\neach player\n    score = 0\n\nturn\n        roll all\n"
        + "\n".join(used)
        + "\nends after 1 round\npayoff highest score\n"
    )
    found = check(Source("many.dg", text))
    assert calls == [found.names]
    assert [remark.code for remark in found.remarks] == []

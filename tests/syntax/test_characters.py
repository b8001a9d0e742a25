"""Characters of other notations: what is told can be written in the place that is shown."""

import pytest

from dicegames.ground.diagnostic import Diagnostic, RulesError
from dicegames.ground.source import decode
from dicegames.rules.check import check

GAME = """game "Test"
dice 2d6
pile kept
each player
    score = 0
    points of (1 to 6) = 0
map worth
    1 -> 3
    otherwise -> 0
turn
    roll all
    if sum of dice = 7: score + 1
    {}
ends after 3 rounds
payoff highest score
"""


def mistake_in(text: str) -> Diagnostic | None:
    """Return the first mistake of a file."""
    try:
        check(decode("test.dg", text.encode()))
    except RulesError as error:
        return error.diagnostics[0]
    return None


def followed(text: str, mistake: Diagnostic) -> str:
    """Return the file as it is when the help of a mistake is followed to the letter."""
    span, told = mistake.span, mistake.help
    if told.startswith("leave it out"):
        return text[: span.start] + text[span.end :]
    assert told.startswith("write: "), told
    said = told.removeprefix("write: ").partition(";")[0]
    return text[: span.start] + said + text[span.end :]


@pytest.mark.parametrize(
    ("said", "place", "meant"),
    [
        ("score + [2]", "[2]", "write: (2)"),
        ("move [1 1] to kept", "[1 1]", "write: {1 1}"),
        ("score + points[2]", "points[2]", "write: points of 2"),
        ("score + points[sum of dice - 6]", "points[sum of dice - 6]", "write: points of"),
        ("score + [2)", "[", "write: ("),
        ("score + (2]", "]", "write: )"),
        ("move {1 1] to kept", "]", "write: }"),
        ("if score > 3 & 1 in dice: score + 1", "&", "write: and"),
        ("if score > 3 && 1 in dice: score + 1", "&&", "write: and"),
        ("if !(1 in dice): score + 1", "!", "write: not"),
        ("if score ! = 3: score + 1", "! =", "write: !="),
        ("score + sum of dice % 4", "%", "write: mod; it is the remainder of a division"),
        ("score + sum of dice / 4", "/", "write: div; it rounds down"),
        ("score + 1; score - 1", ";", "write: ,"),
        ("if score > 3; score - 1", ";", "write: :"),
        ("score + (score > 3 ? 1 : 2)", "(score > 3 ? 1 : 2)", "write: (1 if score > 3 else 2)"),
        ("note 'bust'", "'bust'", 'write: "bust"'),
        ("score + 2 \N{MIDDLE DOT} 3", "\N{MIDDLE DOT}", "write: *"),
        ("if sum of dice in 2..5: score + 1", "2..5", "write: 2 to 5"),
        ("score + dice.sum", "dice.sum", "write: sum of dice"),
        ("each f in dice: score + worth.f", "worth.f", "write: worth of f"),
    ],
)
def test_what_is_told_puts_the_line_in_order(said: str, place: str, meant: str) -> None:
    text = GAME.format(said)
    mistake = mistake_in(text)
    assert mistake is not None
    assert mistake.code == "character"
    assert text[mistake.span.start : mistake.span.end] == place
    assert mistake.help.startswith(meant)
    left = mistake_in(followed(text, mistake))
    assert left is None or left.code == "not-picked", left


@pytest.mark.parametrize("char", "]?&;!%[$@~`\\/.")
@pytest.mark.parametrize("said", ["score + 1{}", "score + 1 {}", "score{} + 1", "{}score + 1"])
def test_a_character_that_nobody_meant_is_left_out(char: str, said: str) -> None:
    text = GAME.format(said.format(char))
    for _ in range(3):  # "." and "%" behind a number speak of fractions
        mistake = mistake_in(text)
        if mistake is None:
            return
        assert mistake.code == "character"
        assert f"the character {char} has no meaning here" == mistake.message
        if "fractions" in mistake.help:
            return
        text = followed(text, mistake)
    pytest.fail(text)

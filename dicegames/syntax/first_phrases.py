"""Phrases that are looked for first: others would take a part of them for something else."""

from __future__ import annotations

from dicegames.syntax.hints import WRITE_TURN

FIRST_PHRASES = {
    **{
        rf"\b(?:{number}|{name}) dice (?:are |show )?(?:(?:all )?equal|alike|(?:the )?same)\b": (
            f"write: dice show {' '.join('x' * number)}"
        )
        for number, name in ((2, "two"), (3, "three"), (4, "four"), (5, "five"), (6, "six"))
    },
    r"\bdice (?:has|have|is|are|=) ((?:[a-z] )+[a-z])\b": r"write: dice show \1",
    r"(?<!\w)(?P<said>((?:[a-z\d] )+[a-z\d]) in dice)\b": r"write: dice show \2",
    r"\bshows? (?P<said>\w+(?:, *\w+)+)": "write the faces without commas",
    r"\bcount of (\w+) in (\w+)": r"write: number of \1 in \2",
    r"\bthere (?:is|are)\b.*?(?=:|$)": "write, such as: 6 in dice, or: number of 6 in dice >= 2",
    r"\b(\w+) (?:do|does|did) ?(?:not|nt) (?:show|have|contain) ([^:]+)": r"write: not \1 show \2",
    r"\b(\w+) dont (?:show|have|contain) ([^:]+)": r"write: not \1 show \2",
    r"\bup to (\d+) (of \w+ as \w+)": r"write: at most \1 \2",
    r"\bno (?!dice\b|moves?\b|choices?\b)(\w+) (?:is |are )?(?:left|remain\w*)\b": (
        r"write: \1 is empty; of a number: \1 = 0"
    ),
    r"\bany players ha(?:s|ve)\b": "write: any player has",
    r"\b(?:an?|some|one|the) player has (?:no|0|zero)(?: more)? (?!\w+ in\b)([^\W\d]\w*)"
    r"(?: left)?": r"write: any player has \1 = 0",
    r"\bdice (?:sum|add|total)s?(?: up)? to (\w+)": r"write: sum of dice = \1",
    r"\b(?:is )?equals? (?:to )?(\w+)": r"write: = \1",
    r"^ +(?P<said>[-*+]) (?=[\w\"])": "leave it out: lines begin without a sign",
    r"^ +(?P<said>\d+\)) (?=[\w\"])": "leave it out: lines are not numbered",
    r"^(?:the )?first (?:player )?(?:to|who|with)\b.*?(\d+).*": (
        r"write: ends when any player has score >= \1"
    ),
    r"^(\d+) players?$": r"write: option players = \1",
    r"^(\d+) ?(?:to|-|or) ?(\d+) players?$": r"write: option players = \1 from \1 to \2",
    r"^(\w+) rounds?$": r"write: ends after \1 rounds",
    r"^(?:two|three|four|five|six|\d+) (?:dice|die)\b.*": "write, for example: dice 2d6",
    r"^(?:on |in |at |during )?(?:a|your|per|one|the) turn\b:?$": WRITE_TURN,
}
"""What is said in other words, and what to write instead, as in `phrases`."""

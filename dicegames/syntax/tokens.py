"""The words and signs of the language by kind: one table for the layout and for colouring.

`rules.lark` is the reference of what may stand where; a test holds this table to it. The kinds are
those that readers tell apart, in the order in which they are tried.
"""

from __future__ import annotations

import re

WORDS = {
    "part": (
        "game option dice bag pile with faces sides player this table boxes patterns map means "
        "turn step ends ranking ties payoff strategy example moves only pays capped"
    ),
    "statement": (
        "choose otherwise repeat until times each if else leave next pass again go end roll draw "
        "move use note pay let unless when where for after round rounds naming its keep pick"
    ),
    "relation": "and or not in of from to as at most least has is are over div mod show shows the",
    "quantity": (
        "all any every some one those die more number best run open used empty highest lowest"
    ),
    "constant": "yes no",
}
"""The words of the grammar, each once."""

VALUE_WORDS = "all any every no not number open some those yes"
STATEMENT_WORDS = (
    "at choose draw each else end for go if leave let move next note one otherwise pass pay repeat "
    "roll unless use when where"
)
RESERVED = frozenset(VALUE_WORDS.split()) | frozenset(STATEMENT_WORDS.split())
"""The words that can stand where a name could: nothing in a game may be called so.

A name of this kind would be read as something else. A test derives them from the grammar.
"""

NO_DICE_WORDS = (
    "and are as capped div from has in is mod more of or over pays round rounds run show shows "
    "sides times to with"
)
BEHIND_A_NUMBER = frozenset(NO_DICE_WORDS.split())
"""The words that are read as something else behind a number: in `roll 1 run` they are no dice."""

FUNCTIONS = "sum size distinct points spare others left right place"
"""Words that measure something and are no words of the grammar: `sum of dice`."""

SIGNS = "-> ... != <= >= < > = + - * ^ | : , ( ) { }"


def _words(words: str) -> str:
    return r"(?:" + "|".join(words.split()) + r")(?!\w)"


TOKENS: dict[str, str] = {
    "comment": r"#[^\n]*",
    "string": r'"[^"\n]*"',
    "dice": r"[0-9]+d[0-9]+",
    "number": r"[0-9]+",
    **{kind: _words(words) for kind, words in WORDS.items()},
    "function": _words(FUNCTIONS),
    "name": r"[^\W\d\xb2\xb3\xb9\xbc-\xbe\u2070-\u2089\u2150-\u2189\u2460-\u2793]\w*",
    "sign": "|".join(map(re.escape, SIGNS.split())),
}
"""Regular expressions by kind."""

TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in TOKENS.items()))
"""Any token; the name of the group that matched is its kind."""

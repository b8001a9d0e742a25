"""What people write who do not know the language, and what they should write instead."""

from __future__ import annotations

PLAIN = {
    "NAME": "a name",
    "INT": "a number",
    "SIGNED": "a number",
    "STRING": 'a text in quotes "..."',
    "DICE": "dice such as 5d6",
    "ROUNDS": "rounds",
    "DIRECTION": "highest or lowest",
    "BOXSTATE": "open or used",
    "_NL": "the end of the line",
}
"""Words for terminals that are not themselves words of the language."""

GROUPS: list[tuple[set[str], set[str], str]] = [
    # what must be there, what belongs to it, what it is called
    (
        {"game", "option", "payoff"},
        {"SCOPE", "TABLE", "at", "bag", "dice", "ends", "example", "map", "pile", "ranking", "step"}
        | {"strategy", "turn", "NAME"},
        "the beginning of a part",
    ),
    (
        {"roll", "go"},
        {
            "NAME",
            "draw",
            "each",
            "end",
            "if",
            "leave",
            "let",
            "move",
            "next",
            "note",
            "pass",
            "pay",
            "repeat",
        }
        | {"use", "choose"},
        "a statement",
    ),
    (
        {"INT", "NAME", "("},
        {"STRING", "{", "-", "all", "any", "every", "no", "not", "number", "open", "some"}
        | {"those", "yes"},
        "a value",
    ),
    ({"COMPARE", "="}, {"in", "not", "is", "are", "show", "shows"}, "a comparison such as ="),
    ({"+", "-"}, {"*", "^", "DIVIDE"}, "an operator such as +"),
    ({"and", "or"}, set(), "and"),
    ({"some", "one"}, {"any", "INT", "at", "("}, "something to pick (some of ...)"),
    ({"when", "unless"}, {"where", "for"}, "a condition (when ...)"),
]

PARTS = (
    "a part begins with game, option, dice, bag, pile, each player, table, this turn, boxes, "
    "patterns, map, NAME means, turn, step, ends, at the end, ranking, payoff, strategy or example"
)

CHARACTERS = {
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
    "\N{LEFT SINGLE QUOTATION MARK}": '"',
    "\N{RIGHT SINGLE QUOTATION MARK}": '"',
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
    "'": '"',
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{NOT EQUAL TO}": "!=",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{DIVISION SIGN}": "div",
    "/": "div",
    "%": "mod (for the remainder of a division)",
    "!": "!=",
    "[": "(",
    "]": ")",
    ";": ",",
}
"""Characters of other notations, and what they are called here."""


OPERATORS = {
    "=": "one = is enough",
    "+": "to add 1 to a score, write: score + 1",
    "-": "to take 1 from a score, write: score - 1",
    "<": "write: <=",
    ">": "write: >=",
    "!": "write: !=",
}
"""What was meant by a sign that stands before =."""

SIGNS = {
    ("=", ">"): "write: >=",
    ("=", "<"): "write: <=",
    ("+", "+"): "to add 1 to a score, write: score + 1",
    ("-", "-"): "to take 1 from a score, write: score - 1",
    ("<", ">"): "write: !=",
}
"""What was meant by two signs that do not go together."""

UNCLOSED = "a bracket is opened in this line and not closed: write )"

CALLED = {
    "max": "highest",
    "maximum": "highest",
    "greatest": "highest",
    "largest": "highest",
    "min": "lowest",
    "minimum": "lowest",
    "least": "lowest",
    "smallest": "lowest",
    "count": "size",
    "len": "size",
    "total": "sum",
}
"""What is called so elsewhere, as in max(3, 4)."""

FOREIGN = {
    "keep": "write: move ... to a pile; or let what is thrown again be picked: some of dice as r",
    "again": "write: choose again; or, in a repetition: next",
    "elif": "write: else if",
    "elseif": "write: else if",
    "while": "write: repeat until ...",
    "loop": "write: repeat",
    "break": "write: leave",
    "continue": "write: next",
    "return": "write: end turn, or end game",
    "then": "write a colon: if ...: ...",
    "var": "declare variables under: each player, table or this turn",
    "true": "write: yes",
    "false": "write: no",
    "have": "write: every player has ...",
    "add": "write: score + 2",
    "subtract": "write: score - 2",
    "set": "write: score = 2",
    "reroll": "write: roll",
    "print": 'events are marked by: note "name"',
}
"""Words of other languages."""

PLACES = {
    "when": "a condition of a choice stands behind its name; here write: if",
    "where": "a condition stands behind what is picked; here write: if",
    "unless": "a condition of a choice stands behind its name; here write: if not",
    "for": "to go through a collection, write: each x in ...",
    "if": "begin a line of its own with it",
    "choose": "begin a line of its own with it",
    "repeat": "begin a line of its own with it",
    "each": "begin a line of its own with it",
    "else": 'it belongs below an "if", in the same column',
}
"""Where words belong that stand at a wrong place."""

HEADS = frozenset(
    (
        *("game", "option", "bag", "pile", "boxes", "patterns", "map", "turn", "step", "ends"),
        *("ranking", "payoff", "strategy", "example"),
    )
)
"""The words with which the parts of a file begin, but for those that can be names, too."""

FUNCTIONS = frozenset(
    ("sum", "size", "highest", "lowest", "distinct", "points", "best", "spare", "number")
)
"""Words that are followed by `of`."""

WHO_AND_WHAT = frozenset(("players", "others", "mover", "boxes", "dice"))
"""Names that the language itself gives."""

DICE = "write, for example: dice 5d6, or: dice 2 with faces heads, tails"

"""What people write who do not know the language, and what they should write instead."""

from __future__ import annotations

from dicegames.syntax.tokens import STATEMENT_WORDS

TERMINAL_WORDS = {
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
    (set(needed.split()), set(more.split()), name)
    for needed, more, name in (
        (
            "game option payoff",
            "SCOPE TABLE at bag dice ends example map pile ranking step strategy turn NAME",
            "the beginning of a part",
        ),
        (
            "roll go",
            "NAME draw each end if leave let move next note pass pay repeat use choose",
            "a statement",
        ),
        ("INT NAME (", "STRING { - all any every no not number open some those yes", "a value"),
        ("COMPARE =", "in not is are show shows", "a comparison such as ="),
        ("+ -", "* ^ DIVIDE", "an operator such as +"),
        ("and or", "", "and"),
        ("some one", "any INT at (", "something to pick (some of ...)"),
        ("when unless", "where for", "a condition (when ...)"),
    )
]
"""What must be there, what belongs to it, what it is called."""

PARTS_OF_A_FILE = (
    "a part begins with game, option, dice, bag, pile, each player, table, this turn, boxes, "
    "patterns, map, NAME means, turn, step, ends, at the end, ranking, payoff, strategy or example"
)

VARIABLES = "declare variables under: each player, table or this turn; else write: NAME means ..."

_FOR_ALL = "what all players share is declared below: table"
_RESULT = "what counts in the end is said by, for example: payoff win, or: payoff highest score"
WRITE_TURN = "write: turn; or, where variables begin anew in every turn: this turn"

FIRST_OF_TWO = ("this", "each", "every", "at")
"""The first of the two words, or more, with which some parts begin."""

BEGINNINGS = {
    "players": "write: option players = 2 from 2 to 6",
    "player": "what each player has is declared below: each player",
    **dict.fromkeys(("shared", "global", "globals", "common"), _FOR_ALL),
    **dict.fromkeys(("var", "vars", "variable", "variables", "state", "int"), VARIABLES),
    **dict.fromkeys(
        ("rounds", "round"), "write: ends after 5 rounds; as an option: option rounds = 5"
    ),
    **dict.fromkeys(
        ("rolls", "throws", "rerolls"), "dice are thrown again in a turn: repeat 2 times"
    ),
    "target": "write: option target = 100",
    "goal": "write: payoff highest score; a number to be reached: option target = 100",
    **dict.fromkeys(("win", "winner", "wins", "score", "scoring", "result"), _RESULT),
    **dict.fromkeys(("const", "constant", "define"), "write, for example: prize means 50"),
    **dict.fromkeys(("function", "def", "func"), "write, for example: double of n means 2 * n"),
    "rank": "write: ranking highest score",
    **dict.fromkeys(("deck", "box", "urn"), "write: bag cup with green times 6, red times 3"),
    **dict.fromkeys(("finally", "settlement"), "write: at the end"),
    "coin": "write: dice 1 with faces heads, tails",
    **dict.fromkeys(("each turn", "every turn", "this round", "each round"), WRITE_TURN),
}
"""What is written for parts that begin with another word elsewhere."""

DOUBLE_SIGNS = {
    ("=", "="): "one = is enough",
    ("<", "="): "write: <=",
    (">", "="): "write: >=",
    ("!", "="): "write: !=",
    ("=", ">"): "write: >=",
    ("=", "<"): "write: <=",
    ("+", "+"): "to add 1 to a score, write: score + 1",
    ("-", "-"): "to take 1 from a score, write: score - 1",
    ("<", ">"): "write: !=",
    ("*", "*"): "write: ^",
}
"""What was meant by two signs that do not go together."""

CASES = "write when it counts: 5 if ..., in the last line: 0 otherwise; a value alone: NAME means 5"
ALL_EVEN = "any dice if every f in dice has f mod 2 = 0"
ALL_ODD = "any dice if every f in dice has f mod 2 = 1"
CONDITION_OF_ROW = 'the condition of a row stands before "pays": x x if score > 3  pays 10'
OPTION_VALUES = "the values of an option stand like this: high | low"
COMPARISON_SIGNS = ("=", "!=", "<", "<=", ">", ">=")
ON_LETTERS = "a condition on the letters comes behind them: x x y y where y = x + 1"
PAYS = "say what the row pays, for example: pays 10"
ALTERNATIVES = "between patterns write a bar: 1 2 3 4 | 2 3 4 5"
NO_COMMA = "conditions are joined by: and, or; several values stand in brackets: (1, 2)"
UNQUOTED = "write it without quotes: {}"
FIRST_COLUMN = "it begins a part of the file: write it in the first column"
BELOW_TURN = "what is done stands below: turn"
LISTS_OF_THINGS = ("boxes", "patterns", "map", "each", "table", "this")
"""Parts of which each line declares something; nothing is done there."""
NAMELESS = "give it a name of your choice, such as: {} chosen"
TWO_NAMES = 'between two names "of" is missing, or an operator such as +'
OF_EACH = "each player has one, without a name for the player: score = 0"
UNCLOSED = "a bracket is opened in this line and not closed: write )"

CALLED = {
    **dict.fromkeys(("max", "maximum", "greatest", "largest"), "highest"),
    **dict.fromkeys(("min", "minimum", "least", "smallest"), "lowest"),
    **dict.fromkeys(("count", "len"), "size"),
    "total": "sum",
}
"""What is called so elsewhere, as in max(3, 4)."""

FOREIGN = {
    "keep": "write: move ... to a pile; or let what is thrown again be picked: some of dice as r",
    "again": "write: choose again; or, in a repetition: next",
    **dict.fromkeys(("elif", "elseif"), "write: else if"),
    "while": "write: repeat until not (...)",
    **dict.fromkeys(("loop", "do"), "write: repeat"),
    "break": "write: leave",
    "stop": "write: leave; or, to end more than a repetition: end turn, end game",
    "continue": "write: next",
    "goto": "write: go to, and the name of a step",
    "twice": "write: repeat 2 times",
    "nothing": "write: pass",
    "return": "write: end turn, or end game",
    "then": "write a colon: if ...: ...",
    "var": VARIABLES,
    "true": "write: yes",
    "false": "write: no",
    "have": "write: every player has ...",
    "add": "write: score + 2",
    "subtract": "write: score - 2",
    "set": "write: score = 2",
    "reroll": "write: roll",
    "skip": "write: pass, or: end turn",
    "remove": "write: up - 3",
    **dict.fromkeys(("lose", "loses"), "write, for example: points = 0"),
    **dict.fromkeys(
        ("other", "opponent", "opponents"),
        "write, for what the others have: each p in others: score of p - 2",
    ),
    "print": 'events are marked by: note "name"',
}
"""Words of other languages."""

PICKED = "faces and letters say what is picked; else write: pick k with lowest sum of k"
OF_A_TURN = ("if", "choose", "repeat", "each")
MISPLACED = {
    "when": "a condition of a choice comes after its name; here write: if",
    "where": "a condition comes after what is picked; here write: if; or, where values are added: "
    "sum of (... if ... else 0) over ...",
    "unless": "a condition of a choice comes after its name; here write: if not",
    "for": "to go through a collection, write: each x in ..., a number of times: repeat 3 times",
    **dict.fromkeys(OF_A_TURN, "begin a line of its own with it"),
    "else": 'it belongs below an "if", in the same column; in a choice or a strategy: otherwise',
    "otherwise": 'it belongs to a choice or a table; below an "if" write: else',
}
"""Where words belong that stand at a wrong place."""
DONE_IN_A_TURN = frozenset(STATEMENT_WORDS.split()) - {"one", *MISPLACED} | {*OF_A_TURN}
"""Words with which a line begins that says what is done."""
LACKING_A_LETTER = ("end when", "end after")
"""What is said of the end of the game, with a letter missing."""

ANY_PLAYER = (
    "a player is, for example, mover or left of mover, who comes next: score of left of mover"
)
NO_COLON = "leave the colon out"
OWN_MEANING = "it has a meaning of its own: statements are lines of a turn, texts are in quotes"

HEADS = frozenset(
    (
        *("game", "option", "bag", "pile", "boxes", "patterns", "map", "turn", "step", "ends"),
        *("ranking", "payoff", "strategy", "example"),
    )
)
"""The words with which the parts of a file begin, but for those that can be names, too."""

MEASURES = frozenset(
    ("sum", "size", "highest", "lowest", "distinct", "points", "best", "spare", "number")
)
"""Words that are followed by `of`."""

WHO_AND_WHAT = frozenset(("players", "others", "mover", "boxes", "dice"))
"""Names that the language itself gives."""

DICE_EXAMPLES = "write, for example: dice 5d6, or: dice 2 with faces heads, tails"

"""What people write who do not know the language, and what they should write instead."""

from __future__ import annotations

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
        (
            "INT NAME (",
            "STRING { - all any every no not number open some those yes",
            "a value",
        ),
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

BEGINNINGS = {
    "players": "write: option players = 2 from 2 to 6",
    "player": "what each player has is declared below: each player",
    **dict.fromkeys(("shared", "global", "globals", "common"), _FOR_ALL),
    **dict.fromkeys(("var", "vars", "variable", "variables", "state", "int"), VARIABLES),
    **dict.fromkeys(("rounds", "round"), "write: ends after 5 rounds"),
    **dict.fromkeys(("target", "goal"), "write: option target = 100"),
    **dict.fromkeys(("win", "winner", "wins", "score", "scoring", "result"), _RESULT),
    **dict.fromkeys(("const", "constant", "define"), "write, for example: prize means 50"),
    **dict.fromkeys(("function", "def", "func"), "write, for example: double of n means 2 * n"),
    "rank": "write: ranking highest score",
    "coin": "write: dice 1 with faces heads, tails",
}
"""What is written for parts that begin with another word elsewhere."""

DIV = "div; it rounds down (7 div 2 is 3)"
NO_FRACTIONS = "there are no fractions: count in halves; div rounds down (7 div 2 is 3)"
PERCENT = "there are no fractions; a tenth is: score div 10"

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
    "\N{DIVISION SIGN}": DIV,
    "/": DIV,
    "%": "mod (for the remainder of a division)",
    "!": "!=",
    "[": "(, or { where dice are listed",
    "]": ")",
    ";": ",",
    "&": "and",
    "?": "A if CONDITION else B",
}
"""Characters of other notations, and what they are called here."""


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
}
"""What was meant by two signs that do not go together."""

CASES = "write when it counts: 5 if ..., in the last line: 0 otherwise; a value alone: NAME means 5"
CONDITION_OF_ROW = 'the condition of a row stands before "pays": x x if score > 3  pays 10'
OPTION_VALUES = "the values of an option stand like this: high | low"
ALTERNATIVES = "between patterns write a bar: 1 2 3 4 | 2 3 4 5"
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

TERMS_TO_END = r"((?:[^():,]|\([^()]*\))+(?:,(?:[^():,]|\([^()]*\))+)+)$"
"""Several values to the end of a line, without brackets around them."""

PHRASES = {
    r"\bpay (\w+) to (\w+)": r"write: pay \1 from mover to \2",
    r"\bpay (others|winner) (\w+)$": r"write: pay \2 from mover to \1",
    r"^ends after the round (?!when\b)\w*": "write: ends after the round when ...",
    r"\b(?:only|exactly) one player has (\w+) ?([<>=!]+) ?(\w+)": (
        r"write: sum of (1 if \1 of p \2 \3 else 0) over p in players = 1"
    ),
    r"\bplayer (?:is|drops) out\b": (
        "keep it in a variable: in_play = no; around all of the turn write: if in_play"
    ),
    r"\b(?:an?|one|some) player has\b": "write: any player has",
    r"^ +each player (\w+)": r"write: each \1 in players",
    r"^(option \w+ = \w+) \((\w+) to (\w+)\)?": r"write: \1 from \2 to \3",
    r"^ranking .*\w ties \w+$": "write a comma before: ties",
    r"^payoff win \w+ (?:the )?(highest|lowest) ([^:]+)$": (
        r"write a line of its own before it: ranking \1 \2"
    ),
    r"^payoff win (?:for|to) .+": (
        "write: payoff win; who wins is said before it, for example: ranking highest score"
    ),
    r"^payoff \d+ (?:for|to) (?:the )?winner\b.*": "write: payoff win",
    r'^ *when [^:"]+ "[^"]*"$': "write a colon before the move",
    r"^(?:bag|dice) .*?\bwith (?:.*?, )??(\d+) ([^\W\d]\w*)": r"write: \2 times \1",
    r"\bdraw (\w+) (?!from\b|to\b|of\b)\w+": (
        r"write: draw \1 to hand; the hand is a pile, such as: pile hand of cup"
    ),
    r"\bput (\w+) back\b": r"write: move {\1} from hand to cup",
    r"^ *(\d+) to (\d+)$": r"write: \1 -> \2",
    r"^(ranking|payoff) (?:most|largest|biggest) (\w+)": r"write: \1 highest \2",
    r"^(ranking|payoff) (?:least|fewest|smallest) (\w+)": r"write: \1 lowest \2",
    r"\bno dice(?= *(?::|$))": "write: dice is empty",
    r"\brepeat (\w+) ?x\b": r"write: repeat \1 times",
    r"^ *(\w+) times$": r"write: repeat \1 times",
    r"\b(?!is\b|are\b|not\b)(\w+) empty\b": r"write: \1 is empty",
    r"\b(sum|size|distinct|points) (?!of\b)([^\W\d]\w*)(?= *(?:[=<>),:]|!=|$))": r"write: \1 of \2",
    r"\b(?!player\b|dice\b|die\b)(\w+) (?:contains?|includes?|has|have) (\d+)\b": (
        r"write: \2 in \1"
    ),
    r"repeat while(?: +\w+ ?)?": "write: repeat until, and the opposite of the condition",
    r"\(if ([^:()]+)(?::| then) *([^()]+?) else:? *([^()]+)\)": r"write: (\2 if \1 else \3)",
    r"\(([^()]+) if ((?:(?! else )[^()])+)\)": r"write: (\1 if \2 else 0)",
    r"\b(?:is|are) (?:greater|more|larger|bigger|higher) than\b": "write: >",
    r"\b(?:is|are) (?:less|smaller|fewer|lower) than\b": "write: <",
    r"\b(?:is|are) at least\b": "write: >=",
    r"\b(?:is|are) at most\b": "write: <=",
    r"\bno (\d+) in (\w+)": r"write: \1 not in \2",
    r"\b(?:any|some|one|an?) (\d+) in (\w+)": r"write: \1 in \2",
    r"\b(?:any|some|one) of (\w+) (?:is|are) (\d+)\b": r"write: \2 in \1",
    r"\b(\w+) (?:is|are|has|have) (\d+(?: \d+)+)": r"write: \1 show \2",
    r"\b(?:is|are) (\d+|yes|no)\b": r"write: = \1",
    r"\bnot = ?(\w+)?": r"write: != \1",
    r"\bin (\d+(?:, ?\d+)+)": r"write: in (\1)",
    r"\b(\d+) points?\b(?! of)": r"write the number alone: \1",
    r"\b(\w+) shows? \([^)]*\)?": r"count what is computed: number of (...) in \1 >= 1",
    r"\b\d+ dice (?:shows?|are) (\w+)": r"write: number of \1 in dice = 2",
    r"\bnumber of (\w+)(?= *(?:[=<>:]|!=|$))": r"write: number of \1 in dice",
    r"\b(?:any|some|one|\d+) of (\w+)(?=:)": r"name what is picked: some of \1 as k",
    r"(?:^|: ) *(?:next|pass) (?:the )?(?:player|turn)$": "write: end turn",
    r"\bthe (dice|\w+)\b": r'leave out "the": \1',
    r"(?:^|: ) *(?:win|lose)s?$": "who wins is said by: payoff win; to end it: end game",
    r'(?<=" )((?:when|unless|for) .+?) ((?:one|some|any|\d+) of .+? as \w+)': (
        r"what is picked comes before the conditions: \2 \1"
    ),
    r"\b(for [^:,]+?)(?:,| and) (?:for )?(\d+ \w+)": r'each price begins with "for": \1 for \2',
    r"\b(any|some|one) (\w+)(?= as\b)": r"write: \1 of \2",
    r'^ +"[^"]*" pays\b.*': "say what the dice must show, for example: any dice pays 5",
    r"\broll all (?:dice|\d+)$": "write: roll all",
    r"\broll all (\w+)$": r"say how many: roll 2 \1",
    r'(?<=" )(?:an? )?open (?:box|row)\w* as (\w+)': r"write: one of open boxes as \1",
    r'(?<=" )(any|some|one) dice(?= *:)': r"name what is picked: \1 of dice as k",
    r'(?<=" )(?!for\b)(\w+) (\d+) to (\w+)(?= *:| when\b)': r"write: one of \2 to \3 as \1",
    r"\b(?:contains?|includes?|has|have) (?:(?:an?|any|some|one) )?(\d+)\b": (
        r"write: \1 in dice, or: dice show \1"
    ),
    r"\ball dice (?:are )?(?:equal|(?:the )?same)\b": "write: distinct of dice = 1",
    r"\b(?:two|2) dice are (?:equal|(?:the )?same)\b": "write: dice show x x",
    r"\bany (?:die|dice) (?:is|are|shows?|=) ?(\w+)": r"write: dice show \1",
    r"\bno (?:die|dice) (?:is|are|shows?|=) ?(\w+)": r"write: \1 not in dice",
    r"\ball dice (?:are|show|=) ?(\d+)": r"write: number of \1 in dice = size of dice",
    r"(?:(?<=if |or )|(?<=and |not ))(\w+) = ?(\d+(?: \d+)+)\b": r"write: \1 show \2",
    r"\bbetween (\w+) and (\w+)": r"write: in \1 to \2",
    r"\b(\d+) to (\d+) of (\w+)": r"write: at least \1 of \3 as k where size of k <= \2",
    r"\bplayer \d+": "look for the seat: each p in players, if seat of p = 2: ...",
    r"(?:^|: ) *(?:re)?(?:throw|toss) \w+": "write: roll all, roll dice, or: roll 2 dice",
    r"\b(highest|lowest) (?:die|dice)\b": r"write: \1 of dice",
    r"\blet (\w+) be\b": r"write: let \1 =",
    r"\bmove (?:all|every) (\d+)s?\b": r"write: move those f in dice where f = \1 to ...",
    r"(?:^|: ) *loses? (?:all|the|your|\w+ points)\b.*": "write, for example: points = 0",
    r"(?:^|: ) *roll$": "write: roll all, roll dice, or: roll 2 dice",
    r"^ *(\w+ [-+=] [^:(]+) if ((?:(?! else )[^:])+)$": r"write: if \2: \1",
    r'\bchoose "[^"]*".*': "write the choices below it, each on a line of its own",
    r"\bwith ((?:highest|lowest)\b.*?),? (?:and|then) (highest|lowest)\b": r"write: with \1, \2",
    r"\bup to \d+ times\b": "write: repeat 2 times; who stops earlier says: leave",
    r"\bup to (\w+)": r"write: to \1",
    r"\bmove (\d+) dice\b": r"say which dice: move lowest \1 of dice",
    rf"\b(?:lowest|least|smallest|minimum|min) of {TERMS_TO_END}": r"write: lowest of (\1)",
    rf"\b(?:highest|greatest|largest|maximum|max) of {TERMS_TO_END}": r"write: highest of (\1)",
    r"\bgo (?!to\b)(\w+)": r"write: go to \1",
    r"(?:^|: ) *end$": "write: end turn, or end game",
    r"^ *end ?(?:if|choose|choice|repeat|each|while|loop)$": (
        "leave it out: a block ends where lines are no longer indented as far"
    ),
    r"\ball (\w+) (used|open)\b": r"write: all \1 are \2",
    r"\b(?:is|are) (not )?in\b": r"write: \1in",
    r'\b(?:is|are) (?=")': "write: =",
    r"\bof (\w+) (open|used)\b(?= as\b| is\b|:|$)": r"write: of \2 \1",
    r"\b((?:any|some|one|\d+) of (?:open )?\w+)(?= (?:where|when|unless)\b)": (
        r"name what is picked: \1 as k"
    ),
    r"^ends after (\w+)$": r"write: ends after \1 rounds",
    r"^(?:for each|every|all) players?$": "write: each player",
    r"(?:(?<=^game )|(?<=^strategy ))([^\"]+)$": r'write it in quotes: "\1"',
    **{
        rf"\b(\d+) {face}\b": rf"write: number of {number} in dice >= \1"
        for number, face in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), 1)
    },
    r"(?<=\bif )(\d+) ([^\W\d]\w*)(?= *(?::|$))": r"write: number of \2 in dice >= \1",
    r"(?<=\bwhere )((?:(?! to\b| from\b)[^():])+ (?:or|and) (?:(?! to\b| from\b)[^():])+)": (
        r"put several conditions in brackets: where (\1)"
    ),
    r"(?<=^dice )([^\W\d]\w*) ?d(\d+)$": r"write: dice \1 with \2 sides",
    r"^([^\W\d]\w*) \(?(\w+)\)? means\b": r"write: \1 of \2 means",
    r"^([^\W\d]\w*) (\(\w+(?:, *\w+)+\)) means\b": r"write: \1 of \2 means",
    r"^ +([^\W\d]\w* of )\((\d+)(?:, *\d+)*, *(\d+)\)(?= *=)": (
        r"give the range in which these numbers lie: \1(\2 to \3)"
    ),
    r"\w+ of a kind\b": "write: dice show x x x, an x for each of the dice that are equal",
}
"""What is said in other words here; the hint may speak of what the pattern found."""

FOREIGN = {
    "keep": "write: move ... to a pile; or let what is thrown again be picked: some of dice as r",
    "again": "write: choose again; or, in a repetition: next",
    **dict.fromkeys(("elif", "elseif"), "write: else if"),
    "while": "write: repeat until ...",
    "loop": "write: repeat",
    "break": "write: leave",
    "stop": "write: leave; or, to end more than a repetition: end turn, end game",
    "continue": "write: next",
    "goto": "write: go to, and the name of a step",
    "twice": "write: repeat 2 times",
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
MISPLACED = {
    "when": "a condition of a choice comes after its name; here write: if",
    "where": "a condition comes after what is picked; here write: if",
    "unless": "a condition of a choice comes after its name; here write: if not",
    "for": "to go through a collection, write: each x in ..., a number of times: repeat 3 times",
    **dict.fromkeys(("if", "choose", "repeat", "each"), "begin a line of its own with it"),
    "else": 'it belongs below an "if", in the same column; in a choice or a strategy: otherwise',
    "otherwise": 'it belongs to a choice or a table; below an "if" write: else',
}
"""Where words belong that stand at a wrong place."""

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

"""Phrases that people write in parts of one kind, and what they should write instead."""

from __future__ import annotations

from dicegames.syntax.hints import ALL_EVEN, ALL_ODD, CONDITION_OF_ROW, FOREIGN
from dicegames.syntax.tokens import RESERVED

_ENTRY = "an entry is written: 3 -> 7, a line for each; all others: otherwise -> 0"
_MOVE = '(?:"[^"]*"|(?:keep|pick|roll) [^:]+|best(?: turn)?)'

_OF_MEANS = {
    r"\bmeans if (.+?)(?::| then) *(.+?),? else:? *(.+)$": r"write: means \2 if \1 else \3",
    r"^ +(?:else )?if (.+?)(?::| then) *(.+)$": r"write: \2 if \1",
    r"^ +(?:otherwise|else):? +(?!if\b)(.+)$": r"write: \1 otherwise",
    r"^ +(\S.*?),? else$": r"write: \1 otherwise",
    r"^ +(\S.*?), ((?:if .+|otherwise)$)": r"write: \1 \2",
    r"(?<=\S) otherwise$": "this is the last line; a case before it is written: 5 if ...",
    r"^ +\"?(\w+)\"? *->.*": "entries stand in a map; write: map NAME, in place of: NAME means",
    r"\breturn (.+)$": r"a value stands alone: \1",
    r"^(\w+) of (?:each|an?|the|every) \w+ means\b": r"write: \1 of n means",
    r"^(\w+) of \((\w+)\) means\b": r"write: \1 of \2 means",
    r"^(\w+) of (\w+)(?:, *| and )(\w+) means\b": r"write: \1 of (\2, \3) means",
    r"^(\w+) of \((\w+) (\w+)\) means\b": r"write: \1 of (\2, \3) means",
    r"^(\w+) of \d+ means\b": r"a name stands for the number: \1 of n means ...; or write a map",
    r"^(\w+) (?:for|with|in|by) (\w+) means\b": r"write: \1 of \2 means",
}

_OF_MAP = {
    r"^map of (\w+)": r"write: map \1",
    r"^map (\w+)\b.+$": r"write: map \1",
    r"^ +(-?\w+) otherwise$": r"write: otherwise -> \1",
    r"^ +(?:otherwise|else|default|\*) *(?:=>|->|=|:)? *(-?\w+)$": r"write: otherwise -> \1",
    r'^ +(?!if )"?(\d+|[^\W\d]\w*)"? *(?:=>|- >|->|=|:|to|pays|gives)? +(-?\w+),?$': (
        r"write: \1 -> \2"
    ),
    r"^ +(?:\w+(?:, *| or | and | to ))+\w+ *(?:=>|->|=|:) *(-?\w+)$": _ENTRY,
    r"^ +if (\w+) *(?:=>|->|=|:)? *(-?\w+)$": r"write: \1 -> \2",
    r"^ +(\w+) *-> *(-?\w+),? otherwise\b.*": (
        r"write: \1 -> \2; all others on a line: otherwise -> 0"
    ),
    r"^ +(\w+) *-> *(-?\d+) \w+$": r"write: \1 -> \2",
    r"^ +(?!.*->).*": _ENTRY,
}

_LABEL, _TO_PAYS = r'(?<=" )\s*', r"(?= +pays\b)"

_OF_TABLE = {
    r"^ +(?!each\b)([^\W\d][\w ]*?) *: *(?=\S)": (
        r'the name of a row is written in quotes, without a colon: "\1"'
    ),
    r"^ +otherwise\b.*": 'write a last row that is always shown: "Nothing"  any dice  pays 0',
    r"\b(?:count|number|sum) of (?:the )?(\d+)s?(?= )": r"write: any \1",
    r'(?<=" )\s*any +pays\b.*': "write: any dice pays ...",
    rf"{_LABEL}(?:the )?sum (?:of (?:the )?dice )?(?:is )?((?:[<>]=?|!?=) *\w+){_TO_PAYS}": (
        r"write: any dice if sum of dice \1"
    ),
    rf"{_LABEL}(?:all )?(?:the )?dice (?:are )?(?:all )?even{_TO_PAYS}": f"write: {ALL_EVEN}",
    rf"{_LABEL}(?:all )?(?:the )?dice (?:are )?(?:all )?odd{_TO_PAYS}": f"write: {ALL_ODD}",
    rf"{_LABEL}((?:\w )+)and ((?:\w )*\w){_TO_PAYS}": r"write: \1\2",
    r"\b(\d+) ?(?:-|to|\.\.) ?(\d+)(?= +(?:pays|or)\b)": (
        r"write the faces, such as: 1 2 3 4 5, or, of any faces in a row: run of 5"
    ),
    r"\b(\w+) to (\w+)(?= +pays\b)": "write the faces, one after another: 1 2 3 4 5",
    r"(?<=\bpays )\S.* (?P<said>if (?!.*\belse\b).+= *\w+)$": CONDITION_OF_ROW,
    r"= *(\w+)$": r"write: pays \1",
    r"\b(?:points?|scores?|gives?|gets?|brings?|is worth|worth|for|pay) (\d+)(?: points?)?$": (
        r"write: pays \1"
    ),
    r"\bpays points (\d+)$": r"write: pays \1",
    r"\ball (?:(?:of )?the same|equal|dice equal)\b": "write an x for each of the dice: x x x x x",
}
"""What is said in other words in a table of rows."""

_OF_STRATEGY = {
    r"^ *unless ([^:]+)": r"write: when not (\1)",
    r"^ *when ([^:]+) then (.+)": r"write: when \1: \2",
    rf"^ *when [^:\"]+? {_MOVE}$": "write a colon before the move",
    r"^ *otherwise:?$": "say which move: otherwise: best",
    r"^ *otherwise (.+)$": r"write: otherwise: \1",
    r"^ *when [^:]+:?$": "the move stands in the same line, behind a colon",
    rf"^ *({_MOVE}[^:]*?) (?:when|if) (.+)$": r"write: when \2: \1",
    rf"^ *({_MOVE})$": r"write: otherwise: \1",
    r"^ *(?:else|default|always|(?!otherwise\b)othe\w*)\b:? *(.+)$": r"write: otherwise: \1",
    r'^ *(?! |(?:when|otherwise|if)\b)([^":]+): (.+)$': r"write: when \1: \2",
    r"^ *when [^:(]*[^\d:( ], [^:(]+:": "conditions are joined by: and",
    r": *(keep|roll) \{([^}]*)\}": r"write: \1 \2",
    r": (?!pick\b)[^(]*,.*": 'a line plays one move; picks stand without commas: "Shut" 1 3',
}

_OF_VARIABLES = {
    r"^ +([^\W\d]\w*) ?:=? ?(\S.*)$": r"write: \1 = \2",
    r"^ +\w+ = \w+ (?P<said>capped (?:at|to|by) (\d+))$": r"write: to \2 capped",
    r"(?<= )\((?:max|maximum|limit|at most|up to|no more than) (\d+)\)$": r"write: to \1",
    r"= (?P<said>from (\w+ to \w+))": r"write: \2",
    r"^ +([^\W\d]\w*)$": r"say with what it begins: \1 = 0",
    r"^ +(?!dice\b)([^\W\d]\w*) (?:(?:is|are|starts?|begins?)(?: at| with| from)? )?(\d+)\b": (
        r"write: \1 = \2"
    ),
    r"^ +(?:int|var|let|set|number) (\w+) ?= ?(.+)$": r"write: \1 = \2",
    r"^ +([^\W\d]\w*) (?!of\b)([^\W\d]\w*)(?= ?=)": r"a name is one word: \1_\2",
    r"(?<= )(?:max|maximum|limited|limit|cap|at most)$": "write: capped",
    r"(?<= )(?:max|maximum|limit|at most) (\d+)$": r"write: to \1",
    r"^ +([^\W\d]\w*) of (\([^\W\d]\w*(?:, *\w+)+\)) *= *(?:no|false)$": (
        r"keep those for which it is so: \1 = () from \2"
    ),
    r"^ +([^\W\d]\w*) of \([^\W\d]\w*(?:, *\w+)+\)": (
        r"values are kept for numbers, so number the words: \1 of (1 to ...)"
    ),
}

_BEGINS = rf"(?:^ +|(?<=: ))(?!(?:{'|'.join([*RESERVED, *FOREIGN])})\b)"
_A_VALUE = r"(?:sum|size|highest|lowest|distinct|points|number) of [^-+=:<>]+|\d+"

_OF_OPTION = {
    r"^option \w+ = \w+ (?P<said>(?:in|of|between) (\d+) ?(?:\.\.+|-|to|and) ?(\d+))$": (
        r"write: from \2 to \3"
    ),
    r"^option (\w+)\b ?(?::=?|is\b)? *(?![=:]|is\b)(\S.*)$": r"write: option \1 = \2",
}

_OF_GAME = {
    r'^game "[^"]*" (?P<said>for \w.*)$': (
        "leave it out; how many play is said by: option players = 2"
    ),
}

_OF_PAYOFF = {
    r"^payoff (?:the )?(highest|lowest) (?:number|amount|sum|total) of ([^\W\d]\w*)$": (
        r"write: payoff \1 \2"
    ),
    r"^payoff (?P<said>to|is|for) .*": "leave it out",
}

_OF_ENDS = {
    r"^ends (?P<said>if|as soon as|once)\b": "write: when",
    r"^ends (?!after\b|when\b|at\b)(\w+ ?[<>=].*)$": r"write: ends when \1",
    r"^ends when (\w+) rounds?\b.*": r"write: ends after \1 rounds",
    r"^ends (?:at|on|with|by) (\d+)(?: points?)?$": (
        r"write: ends when any player has score >= \1"
    ),
}

_LEAD = r"(?:^ +|[:,] *)"
_AND_DO = r"(?P<said>and (end turn|end game|next|leave|pass|roll \w+|go to \w+))$"

_A_FACE = r"(?!(?:dice|die|ones|twos|threes|fours|fives|sixes)\b)([^\W\d]\w*)"

_OF_TURN = {
    r"(?<= as )\w+ (?P<said>if ([^:]+))": r"write: where \2",
    r'(?<=" )(?P<said>(?:costs?|costing|paying) (\d+) ([^\W\d]\w*))': r"write: for \2 \3",
    rf"(?<=\bif )at least (\d+) {_A_FACE}(?= *(?::|$))": r"write: number of \2 in dice >= \1",
    rf"(?<=\bif )at most (\d+) {_A_FACE}(?= *(?::|$))": r"write: number of \2 in dice <= \1",
    r"(?<!player )\b(?!player\b)([^\W\d]\w*) (?:has|have|contains?) no ([^\W\d]\w*|\d+)\b": (
        r"write: \2 not in \1"
    ),
    r"\b(?P<said>(\d+) ?x) (?=(?:number|sum|size|highest|lowest|distinct|points)\b)": (
        r"write: \2 *"
    ),
    rf"{_LEAD}(?P<said>(?:the )?(?:turn (?:ends?|is over)|end[-_]?turn))$": "write: end turn",
    rf"{_LEAD}(?P<said>end[-_]?game)$": "write: end game",
    r"(?<=\w )(?P<said>plus)\b": "write: +",
    r"(?<=\w )(?P<said>minus)\b": "write: -",
    r"^ +([^\W\d]\w*) (?:increases?|rises?|grows?|goes up|is increased) by (.+)$": (
        r"write: \1 + \2"
    ),
    r"^ +([^\W\d]\w*) (?:decreases?|falls?|goes down|is decreased|is reduced) by (.+)$": (
        r"write: \1 - \2"
    ),
    r"(?:^ +|: *)(?P<said>(?:increase|raise) (\w+) by (.+))$": r"write: \2 + \3",
    r"(?:^ +|: *)(?P<said>(?:decrease|reduce|lower) (\w+) by (.+))$": r"write: \2 - \3",
    r"\bmove all (?:of )?(?:the )?dice\b": "write: move dice",
    r"(?:^ +|: *)(?P<said>put (?:the )?(\w+) (?:in|into|on|onto|to) (\w+))$": (
        r"write: move \2 to \3"
    ),
    r"(?:^ +|: *)(?P<said>(?:set|put|lay) aside\b.*)": (
        "write, for example: move dice to kept; the pile is declared: pile kept"
    ),
    r'^ *"[^"]*" *: *(?P<said>(?:some|any|one|\d+|at \w+ \d+) of .+? as \w+)': (
        r"what is picked comes before the colon: \g<said>"
    ),
    r'^ *"[^"]*" (?P<said>if)\b': "write: when",
    r'^ *"[^"]*" (?P<said>choose) ': "leave it out",
    r"\brepeat (?:forever|always|endlessly|again and again)\b:?": "write: repeat",
    r"^ +(?:choices?|options?):?$": "write: choose",
    r'^ +(?P<said>or)(?=:?$| +")': "leave it out: each line of a choice is a move",
    r'^ *"[^"]*"(?P<said>,) *(?!for\b)\w': "write a colon",
    r"^ +(?P<said>\*+([^*:]+)\*+)(?= *(?:$|:))": r'write: "\2"',
    rf"\b{_AND_DO}": r"write a comma: , \2",
    rf"{_BEGINS}([^\W\d]\w*(?: of \w+)?) ?:= ?(.+)$": r"write: \1 = \2",
    r"^ +(?:int|number|local|const|float|auto|my) ([^\W\d]\w*) ?:?= ?(.+)$": r"write: let \1 = \2",
    r"^ +(?:the |each )?players? (?:scores?|gets?|earns?|receives?|gains?|adds?) "
    r"(?:the )?(.+?)(?: points?)?$": r"write: score + \1",
    r"^ +(?:the |each )?players? (?:(?:may|can) )?(?:chooses?|decides?|selects?)\b.*": (
        'write: choose, and below it each move, such as: "Roll": roll all'
    ),
    r"\b(?P<said>roll all (?:of )?(?:the )?dice) (?=\w)": (
        "write: roll all; how often stands in the line above it: repeat 3 times"
    ),
    r"^ +(?:else )?(?:if|repeat|each|while|for)\b[^{]*?"
    r"(?P<said>\{(?:[^{}]*(?:[-+=]|\w \w)[^{}]*\})?)$": (
        "write a colon, and what happens behind it, or in the lines below"
    ),
    rf"{_BEGINS}({_A_VALUE})$": r"a value alone changes nothing; to add it, write: score + \1",
    rf"{_BEGINS}([^\W\d]\w*): (\d+)$": r"write: \1 = \2",
    rf"{_BEGINS}([^\W\d]\w*) ({_A_VALUE})$": r"write: \1 + \2, or, to set it: \1 = \2",
}
"""What is said in other words in a line of a turn."""

PHRASES_OF = {
    "game": _OF_GAME,
    "option": _OF_OPTION,
    "ends": _OF_ENDS,
    "payoff": _OF_PAYOFF,
    "turn": _OF_TURN,
    "step": _OF_TURN,
    "at": _OF_TURN,
    "each": _OF_VARIABLES,
    "this": _OF_VARIABLES,
    "table": _OF_VARIABLES,
    "means": _OF_MEANS,
    "map": _OF_MAP,
    "strategy": _OF_STRATEGY,
    "boxes": _OF_TABLE,
    "patterns": _OF_TABLE,
}
"""By the kind of the part: what is said in other words there, and the hint to it."""

"""Phrases that people write, and what they should write instead, as regular expressions."""

from __future__ import annotations

from dicegames.syntax.first_phrases import FIRST_PHRASES

_THING = "(?:marble|ball|card|tile|chip|token|stone|coin|counter|bead|piece|drawn)s?"

TERMS_TO_END = r"((?:[^():,]|\([^()]*\))+(?:,(?:[^():,]|\([^()]*\))+)+)$"
"""Several values to the end of a line, without brackets around them."""

_COMBINATIONS = {
    "(?:pair|doubles?|doublet)": "x x",
    "(?:two|2) pairs?": "x x y y",
    "(?:triples?|triplet|(?:three|3) of a kind)": "x x x",
    "(?:four|4) of a kind": "x x x x",
    "(?:five|5) of a kind": "x x x x x",
    "full house": "x x x y y",
    "(?:small |short )straight": "run of 4",
    "(?:large |long )?(?:straight|street)": "run of 5",
}
"""What combinations are called, and the pattern that the dice show."""

_HOW_MANY = {
    "(?:only|exactly|just)": "=",
    "at most": "<=",
    "at least": ">=",
    "(?:fewer|less) than": "<",
    "more than": ">",
    "all but": "= size of players -",
}
_WHO_WINS = "write: payoff {0} {1}; or, to win or lose: ranking {0} {1}, and below it: payoff win"
_FACES_APART = "separate what it has by commas: heads, tails"

_MEASURE_IS = r"\b(?P<said>((?:sum|number|size|highest|lowest) of (?:\w+ in )?\w+) (?:is|are)"

PHRASES = {
    **FIRST_PHRASES,
    rf"{_MEASURE_IS} even)\b": r"write: \2 mod 2 = 0",
    rf"{_MEASURE_IS} odd)\b": r"write: \2 mod 2 = 1",
    r"\b(?:both|the|two) dice (?:are |show )?(?:equal|(?:the )?same)\b": "write: dice show x x",
    r"\b(?:someone|anyone|somebody|anybody) (?:reaches|gets|has|hits|scores) (\d+)\b": (
        r"write: any player has score >= \1"
    ),
    r"(?<= )(\d+)(?: points?)? (?:for each|for every|per) (\d+)$": (
        r"write: \1 * number of \2 in dice"
    ),
    r"\((\d+ to \d+(?:, *\d+(?: to \d+)?)+)\)": "list each of them, such as: (1, 2, 3, 7)",
    **{
        rf"\bno {word}\b(?= *(?:$|:|,|and\b|or\b))": f"write: {face} not in dice"
        for face, word in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), 1)
    },
    **{
        rf"\b(\w+) (?:has|have|contains?|includes?|is|are|shows?) (?:an? )?{said}\b": (
            rf"write: \1 show {pattern}"
        )
        for said, pattern in _COMBINATIONS.items()
    },
    r"^((?:bag|dice) .*?\bwith (?:faces )?)\(([^()]+)\)$": r"leave the brackets out: \1\2",
    r"^(?:bag|dice) .*?\b(?P<said>((?:\w+ times )?\w+) and (\w+))": r"write a comma: \2, \3",
    r"^dice .*? with faces (?:(?!times\b)[^\W\d]\w* ){2,}.*": _FACES_APART,
    r"^option (\w+) = (\d+) ?(?:-|to) ?(\d+)$": r"write: option \1 = \2 from \2 to \3",
    r"\b(?:any|an?|one|some) player (?:reaches|gets|hits|scores) (\w+)": (
        r"write: any player has NAME >= \1, such as: score"
    ),
    r"\b(\w+) reaches (\w+)": r"write: \1 >= \2",
    r"\bplayer has (?:no|0|zero)(?: more)? (?!\w+ in\b)([^\W\d]\w*)(?: left)?": (
        r"write: player has \1 = 0"
    ),
    r"\bplayer has (\d+) (\w+)": r"write: player has \2 >= \1",
    r"^game: *(\w[^\"]*)$": r'write: game "\1"',
    r"^(?:[Tt]he )?[Gg]ame (?:ends?|(?:is )?over) (?:when|if|as soon as) (.+)": (
        r"write: ends when \1"
    ),
    r"^until (.+)": r"write: ends when \1",
    r"^(?:[Tt]he )?[Gg]ame (?:ends?|is over) (after .+)": r"write: ends \1",
    r"^[Tt]he (?:winner|player)\b.*": _WHO_WINS.format("highest", "score"),
    r"^payoff (?:the )?(?:last|first|winning) player.*": (
        "say what ranks the players: ranking highest lives, and below it: payoff win"
    ),
    r"\b(?:only )?(?:one|1) player (?:is |are )?(?:left|remains|remaining)\b.*": (
        "count who is in play: sum of (1 if in_play of p else 0) over p in players = 1"
    ),
    r"^ +(?:the |each )?players? (?:rolls?|throws?) (.+)": r"write: roll \1",
    r"^ends when (.+?) or after (\w+) rounds?$": (
        r"write: ends after the round when \1 or round = \2"
    ),
    r"^(?:the )?(?:highest|most) (\w+) wins?\b.*": _WHO_WINS.format("highest", r"\1"),
    r"^(?:the )?(?:lowest|fewest|least) (\w+) wins?\b.*": _WHO_WINS.format("lowest", r"\1"),
    r"^win(?:s|ner)?:? (?:has |is |is who has )?(?:the )?(highest|lowest) (\w+)$": _WHO_WINS.format(
        r"\1", r"\2"
    ),
    r"^payoff (highest|lowest) (\w+) wins?$": _WHO_WINS.format(r"\1", r"\2"),
    r"^(?:when|if) (.+?): *(?:\w+ )?(?:wins?|loses?|game over|end game|ends?)$": (
        r"write: ends when \1"
    ),
    r"^ *move (\w+)$": r"say to which pile: move \1 to kept",
    r"\bmove [^:]*? (?:in|into|on|onto) (\w+)$": r"write: to \1",
    r"^example [^={]*$": "say what it is, for example: example sum of dice in {2 5} = 7",
    r"(?:^|: ) *game over$": "write: end game",
    r"\b(sum|size|highest|lowest) of (?:the |all )?(?!all\b|the\b)([^\W\d]\w*) dice\b": (
        r"dice that are put aside lie in a pile: \1 of \2, declared: pile \2"
    ),
    r'(?<=") *(?:->|=>) *(\S.*)$': "what a move does is written after a colon",
    r'(?<=" )(\d+) to (\w+) as (\w+)': r"write: one of \1 to \2 as \3",
    r'(?<=" )(?!any\b|some\b|one\b|open\b|at\b)([^\W\d]\w*) as (\w+)': (r"write: some of \1 as \2"),
    r'(?<=" )(?!any\b|some\b|one\b|open\b|at\b|for\b)([^\W\d]\w*)(?= (?:where|when)\b)': (
        r"name what is picked: some of \1 as k"
    ),
    r"\b(?:re)?roll (?:the )?(?:rest|others?|remaining)\b.*": (
        "what is thrown is picked: some of dice as r, then: roll r; or throw what is left: dice - k"
    ),
    r"\bno (?:\w+ )?(?:sums?|adds?|match\w*|fits?|legal|moves?|choices?)\b[^:]*": (
        "where no move is legal, the last line of the choice says what happens: otherwise: end game"
    ),
    r"\b(?:the )?(?:opponent|neighbou?r|enemy|rival|next player)(?:'s|s)? (?!of\b)([^\W\d]\w*)": (
        r"write, for who comes next: \1 of left of mover"
    ),
    r"\b([^\W\d]\w*) shows? round(?: round)*\b": (
        r"a round has another number each time; count: number of round in \1 = 3"
    ),
    r"\bmove (?:one|an?|the) (\d+)(?= (?:to|from)\b)": r"write: move {\1}",
    r"(?<!two )(?<!2 )(?<!all )\bdice are (?:all |both )?(?:equal|alike|identical|doubles?)\b": (
        "write: distinct of dice = 1"
    ),
    r"\bwhile (?:true|yes|1)\b:?": "write: repeat",
    r"^ends?: (.+)": r"write: ends when \1",
    r"\bno scoring (?:dice|die)\b": "write what scores: 1 not in dice and 5 not in dice",
    r"\bmove (?:the )?(highest|lowest) (?:die|dice|one)(?= to\b)": r"write: move \1 1 of dice",
    r"\b(at (?:least|most)) (?:one|an?) (?:die|dice)\b": r"write: \1 1 of dice",
    r"\b(at (?:least|most) \d+|any|some|one|\d+) (?:die|dice)(?= as\b)": r"write: \1 of dice",
    r"\b(sum|size|highest|lowest|distinct) of all (?:of )?(?:the )?(dice)\b": r"write: \1 of \2",
    r"(?:^|: ) *(?:remove|take|delete|subtract) ([^:,]+?) (?:away )?from ([^\W\d]\w*)": (
        r"write: \2 - \1"
    ),
    r"(?:^|: ) *add (?:the )?([^:,]+?) to (?:the )?([^\W\d]\w*)": r"write: \2 + \1",
    r"(?:^|: ) *(\w+) (?:is |are )?added to (\w+)": r"write: \2 + \1",
    r"(?:^|: ) *([^\W\d]\w*) ?x ?(\d+)$": r"write: \1 = \1 * \2",
    r"\b(\w+) (?:appears?|occurs?|comes up|turns up) (?:exactly )?(\d+)(?: times?)?": (
        r"write: number of \1 in dice = \2"
    ),
    r"\b(\w+) (?:appears?|occurs?|comes up|turns up)\b": r"write: \1 in dice",
    r"(?:^|: ) *(\w+) ?\+\+": r"write: \1 + 1",
    r"(?:^|: ) *(\w+) ?--": r"write: \1 - 1",
    r"\bno (\w+) (?:is |are )?(?:left|remain\w*)\b": (r"write: \1 is empty"),
    r"\bput (?:it|them|all|everything) back\b": "write, for example: move hand to cup",
    r"\bis (?=\w+ of\b)": "write: =",
    r"\bbest (?!of\b|turn\b)([^\W\d]\w*)$": r"write: points of best of \1",
    r"\bchoose (?!again\b)[^:\s].*": "write the choices below it, each on a line of its own",
    r"\bgive (\w+)(?: \w+)? to (?:the )?(left|right)\b.*": (
        r"write, for example: chips - \1, chips of \2 of mover + \1"
    ),
    r"\b\d{1,3}(?:,\d{3})+\b": "write large numbers without commas: 10000",
    r"^(?:the )?game (ends (?:after|when) .+)": r"write: \1",
    r"^(?:the )?game (?:ends|is over)\b": "write: ends when ..., or: ends after 5 rounds",
    r"^[Aa]t (?:the )?end of (?:the |each |every |an? )?(?:turn|round)\b.*": (
        "what is done when a turn is over are the last lines of: turn"
    ),
    r"^(?:[Aa]t|[Aa]fter|[Ww]hen) (?:the )?(?:game|end)\b.*": "write: at the end",
    r"^ends (?:after|in|with|at the end of) (?:the )?round (?!when\b)(\w+)$": (
        r"write: ends after \1 rounds"
    ),
    r"^ends (?:at|with) (?:the )?end of\b.*": "write: ends after the round when ...",
    r"^ends after (\w+) turns?$": r"a turn of each player is a round: ends after \1 rounds",
    r"^ends unless (.+)": r"write: ends when not (\1)",
    r"\bany (\w+) in players has\b": r"write: some \1 in players has",
    r"\b(?:any ?(?:one|body)|some(?:one|body)) has\b": "write: any player has",
    r"\b(any|every|no) player has (?:at least|as many as) (\w+) (\w+)": (
        r"write: \1 player has \3 >= \2"
    ),
    r"\b(any|every|no) player has (?:more than|over) (\w+) (\w+)": r"write: \1 player has \3 > \2",
    r"\bplayer has (\w+) at least (\w+)": r"write: player has \1 >= \2",
    r"^(ranking|payoff) (highest|lowest) of (\w+)$": r"write: \1 \2 \3",
    r"^ranking .+?(?:,| then| and) (?:then )?(?:highest|lowest) \w+": (
        "one number ranks: what comes second is added to a multiple, such as: 1000 * score + coins"
    ),
    r"^payoff (?:when|if) ([^:]+): (.+)": r"write: payoff \2 if \1 else ...",
    r"^payoff (\w+) when (.+)": r"write: payoff \1 if \2 else ...",
    r"^payoff (?:=|of) (.+)": r"write: payoff \1",
    r"^payoff (?:maxim\w+|max) (\w+)": r"write: payoff highest \1",
    r"^payoff (?:minim\w+|min) (\w+)": r"write: payoff lowest \1",
    r"\b(\w+) is (winner|mover)\b": r"write: \1 = \2",
    r"^bag with\b": "give it a name: bag cup with ...",
    r"^bag (\w+)(?: with)?$": (
        r"what is in it stands in the same line: bag \1 with green times 6, red"
    ),
    r"^bag (\w+) with faces\b": r"write: bag \1 with ...",
    r"^bag (\w+)(?: ?[=:]| of| has| holds| contain\w+).*": (
        r"write: bag \1 with ..., such as: bag \1 with green times 6, red"
    ),
    r"^(?:bag|dice) .*?\bwith (?:.*?, )?(\d+) to (\d+)": (
        r"list each of them, from \1 to \2, with commas between; dice with 1 to 6 are: 5d6"
    ),
    r"^(?:bag|dice) .*?\bwith (?:.*?, )??(?P<said>([^\W\d]\w*) ?(?:x|\*) ?(\d+))": (
        r"write: \2 times \3"
    ),
    r"\bdraw (?:an? (?:\w+ )?|one \w+ |from \w+ )?(?:in)?to (\w+).*": r"write: draw 1 to \1",
    r"\bdraw (\w+) (?:into|in|onto) (\w+)": r"write: draw \1 to \2",
    r"= *draw\b.*": "what is drawn comes to a pile: draw 1 to hand",
    r"\bdraw (?:an?|one)(?: \w+)?(?: from \w+)?$": "say to which pile: draw 1 to hand",
    r"\bdraw (\w+)(?: from \w+)?$": r"say to which pile: draw \1 to hand",
    r"\{[^{}]*,[^{}]*\}": "faces stand without commas: {2 2 5}; several values are: (2, 5)",
    r"\bnot empty (\w+)": r"write: \1 is not empty",
    r"\b(?!is\b|are\b)(\w+) not empty\b": r"write: \1 is not empty",
    r"\bpay (?!from\b)([^\W\d]\w*) (\d+)\b": r"say who pays whom: pay \2 from mover to \1",
    r"\bpay (\w+) each from (\w+)": r"each of them pays it: pay \1 from \2",
    r"(?:^|: ) *(winner|mover) (?:gets|receives|wins) (\d+)\b": r"write: pay \2 from others to \1",
    r"^ *(pay \w+ from [^:]+?) if ([^:]+)$": r"write: if \2: \1",
    r"(?:\bover (?:each|all|every|any)|\) for(?: each| all)?) (\w+) in (players|others)": (
        r"write: over \1 in \2"
    ),
    r"(?:\bover (?:each|all|every|any)|\) for(?: each| all)?) (?!die\b)(?:\w+ )?(\w+) in (\w+)": (
        r"write: over each die \1 in \2, or, of a set: over \1 in \2"
    ),
    r"\) over ([^\W\d]\w*)$": r"write: over each die f in \1, or, of a set: over f in \1",
    r"\b(?!sum\b|size\b|highest\b|lowest\b|number\b|any\b|some\b|one\b|run\b)([^\W\d]\w*)"
    r" of (\w+), *(\d+)": r"write: \1 of (\2, \3)",
    r"^([^\W\d]\w*) of (\([a-z]\w*(?:, *[a-z]\w*)+\)|[a-z]\w*) ?(?:=|:|is\b) ?(.+)": (
        r"write: \1 of \2 means \3"
    ),
    r"^(example .+?) = (\w+) in (\{[^}]*\})": r"write: \1 in \3 = \2",
    r"^example [^{]*[\w)\"] (?<! in )(?P<said>\{[^}]*\})": r"write: in \1",
    r"^example .+ (?:with|for|of|on) \{": "write, for example: example sum of dice in {2 5} = 7",
    r"\bpay (\w+) to (\w+)": r"write: pay \1 from mover to \2",
    r"\bpay (others|winner) (\w+)$": r"write: pay \2 from mover to \1",
    r"^ends after the round (?!when\b)\w*": "write: ends after the round when ...",
    **{
        rf"\b{said} (?:{word}|{number}) players? (?:has|have) (\w+) ?([<>=!]+) ?(\w+)": (
            rf"write: sum of (1 if \1 of p \2 \3 else 0) over p in players {sign} {number}"
        )
        for said, sign in _HOW_MANY.items()
        for number, word in enumerate(("one", "two", "three"), 1)
    },
    rf"\b(?:(?:{'|'.join(_HOW_MANY)}) \w+|two|three|\d+) players? (?:has|have|is|are)\b[^:]*": (
        "count them, such as: sum of (1 if chips of p > 0 else 0) over p in players = 1"
    ),
    r"\bplayer (?:(?:is|drops) )?out\b": (
        "keep it in a variable: in_play = no; around all of the turn write: if in_play"
    ),
    r"\b(?:an?|one|some|the) player has\b": "write: any player has",
    r"(?<=when )(?:the )?player has\b": "write: any player has",
    r"\bpoints (\d+)\b": r"write the number alone: \1",
    rf"\b(?:(?:an?|the) )?({_THING})(?: drawn)? (?:is|are|was|were|shows?) (?:an? )?([^\W\d]\w*)": (
        r"write: \2 in hand; where it is a variable: \1 = \2"
    ),
    r"\b(?:(?:an?|the) )?([^\W\d]\w*) (?:(?:is|are|was|were|gets) )?drawn\b": (
        r"write: \1 in hand"
    ),
    r"^ +each player (\w+)": r"write: each \1 in players",
    r"^(option \w+ = \w+) \((\w+) to (\w+)\)?": r"write: \1 from \2 to \3",
    r"^ranking .*\w ties \w+$": "write a comma before: ties",
    r"^payoff win \w+ (?:the )?(highest|lowest) ([^:]+)$": (
        r"write a line of its own before it: ranking \1 \2"
    ),
    r"^payoff wins? .+": (
        "write: payoff win; who wins is said before it, for example: ranking highest score"
    ),
    r"^payoff \d+ (?:for|to) (?:the )?winner\b.*": "write: payoff win",
    r'^ *when [^:"]+ "[^"]*"$': "write a colon before the move",
    r"^(?:bag|dice) .*?\bwith (?:.*?, )??(?P<said>(\d+) (?!to\b|sides?\b|faces\b)([^\W\d]\w*))": (
        r"write: \3 times \2"
    ),
    r"\bdraw (\w+) (?!from\b|to\b|of\b)\w+": (
        r"write: draw \1 to hand; the hand is a pile, such as: pile hand of cup"
    ),
    r"\bput (\w+) back\b": r"write: move {\1} from hand to cup",
    r"^ *(\d+) to (\d+)$": r"write: \1 -> \2",
    r"^(ranking|payoff) (?:most|largest|biggest) (\w+)": r"write: \1 highest \2",
    r"^(ranking|payoff) (?:least|fewest|smallest) (\w+)": r"write: \1 lowest \2",
    r"^ranking (?:by |of |on )?(?!highest\b|lowest\b)(\w+)$": (
        r"say which is best: ranking highest \1, or: ranking lowest \1"
    ),
    r"\bno dice(?= *(?::|$))": "write: dice is empty",
    r"\b(?:turn|roll|play|throw|go|goes) again$|\b(?:another|extra|new) (?:turn|throw|roll)$": (
        "put what is done again below: repeat; what ends it is: end turn"
    ),
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
    r"\b(every|some|no) (\w+) in (\w+) (?:is|are|=) (\w+)(?:,| or) (\w+)": (
        r"write: \1 \2 in \3 has \2 in (\4, \5)"
    ),
    r"\b(every|some|no) (\w+) in (\w+) (?:is|are) (\d+)\b": r"write: \1 \2 in \3 has \2 = \4",
    r"\b(?:is|are) (\d+|yes|no)\b": r"write: = \1",
    r"\bnot = ?(\w+)?": r"write: != \1",
    r"\bin (\d+(?:, ?\d+)+)": r"write: in (\1)",
    r"\b(\d+) points?\b(?! of)": r"write the number alone: \1",
    r"\b(\w+) shows? \([^)]*\)?": r"count what is computed: number of (...) in \1 >= 1",
    r"\b(\d+) dice (?:shows?|are) (\w+)": r"write: number of \2 in dice = \1",
    r"\bnumber of (\w+)(?= *(?:[=<>:]|!=|$))": r"write: number of \1 in dice",
    r"\b((?:any|some|one|\d+) of \w+)(?=:|$)": r"name what is picked: \1 as k",
    r"(?:^|: ) *(?:next|pass) (?:the )?(?:player|turn)$": "write: end turn",
    r"(?<!^at )\bthe (dice|\w+)\b": r'leave out "the": \1',
    r"(?:^|: ) *(?:win|lose)s?$": "who wins is said by: payoff win; to end it: end game",
    r'(?<=" )((?:when|unless|for) .+?) ((?:one|some|any|\d+) of .+? as \w+)': (
        r"what is picked comes before the conditions: \2 \1"
    ),
    r"\b(for [^:,]+?)(?:,| and) (?:for )?(\d+ \w+)": r'each price begins with "for": \1 for \2',
    r"^ *(?:one|an?|any) (?:free |unused |empty )?(?:box|category|row) as (\w+)": (
        r"write: one of open boxes as \1"
    ),
    r'(?<=" )(any|some|one) dice(?=,|$)': r"name what is picked: \1 of dice as k: roll dice - k",
    r"\b(any|some|one) (\w+)(?= as\b)": r"write: \1 of \2",
    r'^ +"[^"]*" pays\b.*': "say what the dice must show, for example: any dice pays 5",
    r"\broll all (?:dice|\d+)$": "write: roll all",
    r"\broll all (\w+)$": r"say how many: roll 2 \1",
    r"(?:(?<=\" )|^ *)(?:(?:one|an?|some) )?open (?:box|row)\w* as (\w+)": (
        r"write: one of open boxes as \1"
    ),
    r'(?<=" )(any|some|one) dice(?= *:)': r"name what is picked: \1 of dice as k",
    r'(?<=" )(?!for\b)(\w+) (\d+) to (\w+)(?= *:| when\b)': r"write: one of \2 to \3 as \1",
    r"\b(?:contains?|includes?|has|have) (?:(?:an?|any|some|one) )?(\d+)\b": (
        r"write: \1 in dice, or: dice show \1"
    ),
    r"\ball dice (?:are )?(?:equal|(?:the )?same)\b": "write: distinct of dice = 1",
    r"\b(?:two|2) dice are (?:equal|(?:the )?same)\b": "write: dice show x x",
    r"\bany (?:die|dice) (?:is|are|shows?|=) ?(\w+)": r"write: dice show \1",
    r"\bno (?:die|dice) (?:is|are|shows?|=) ?(\w+)": r"write: \1 not in dice",
    r"\ball dice (?:are|show|=) ?(\w+)": r"write: number of \1 in dice = size of dice",
    r"(?:(?<=if |or )|(?<=and |not ))(\w+) = ?(\d+(?: \d+)+)\b": r"write: \1 show \2",
    r"\bbetween (\w+) and (\w+)": r"write: in \1 to \2",
    r"\b(\d+) to (\d+) of (\w+)": r"write: at least \1 of \3 as k where size of k <= \2",
    r"\bplayer \d+": "look for the seat: each p in players, if seat of p = 2: ...",
    r"(?:^|: ) *(?:re)?(?:throw|toss) \w+": "write: roll all, roll dice, or: roll 2 dice",
    r"\b(highest|lowest) of (\d+) (\w+)": r"write: \1 \2 of \3",
    r"\b(highest|lowest) (?:die|dice)\b": r"write: \1 of dice",
    r"\blet (\w+) be\b": r"write: let \1 =",
    r"\bmove (?:all|every) (\d+)s?\b": r"write: move those f in dice where f = \1 to ...",
    r"(?:^|: ) *loses? (?:all|the|your|\w+ points)\b.*": "write, for example: points = 0",
    r"(?:^|: ) *roll$": "write: roll all, roll dice, or: roll 2 dice",
    r"^ *(\w+ [-+=] [^:(]+) if ((?:(?! else )[^:])+)$": r"write: if \2: \1",
    r"\bwith ((?:highest|lowest)\b.*?),? (?:and|then) (highest|lowest)\b": r"write: with \1, \2",
    r"\b(?:repeat )?(?:up to|at most) (\w+) times\b": (
        r"write: repeat \1 times; who stops earlier says: leave"
    ),
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
    r"^ends after rounds?$": "say after how many: ends after 5 rounds",
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
    r"^dice [dD](\d+)$": r"write: dice 1d\1",
    r"^dice (\d+) ?[xX*]? ?[dD] ?(\d+)$": r"write: dice \1d\2",
    r"(?<=^dice )([^\W\d]\w*) ?d(\d+)$": r"write: dice \1 with \2 sides",
    r"^([^\W\d]\w*) \(?(\w+)\)? means\b": r"write: \1 of \2 means",
    r"^([^\W\d]\w*) (\(\w+(?:, *\w+)+\)) means\b": r"write: \1 of \2 means",
    r"^ +([^\W\d]\w* of )\((\d+)(?:, *\d+)*, *(\d+)\)(?= *=)": (
        r"give the range in which these numbers lie: \1(\2 to \3)"
    ),
    r"(?<!in )(?<!open )\b(?!player\b)(\w+) (?:has|have|contains?|includes?) (?:an? )?([^\W\d]\w*)"
    r"(?= *:| and | or )": r"write: \2 in \1",
    r"\b(\w+) (?:is|are) (?!not\b|open\b|used\b|empty\b|in\b)([^\W\d]\w*)(?= *:| and | or )": (
        r"write: \1 = \2, or, of several: \2 in \1"
    ),
    r"\b(every|some|no) (\w+) in (\w+) ?([<>]=?|!?=) ?(\w+)": r"write: \1 \2 in \3 has \2 \4 \5",
    r"(?:(?<=if )|(?<=and )|(?<=or )|(?<=when )|(?<=until ))(?:size of )?(\w+) in (\w+)"
    r" ?([<>]=?|!?=) ?(?!yes\b|no\b)(\w+)": r"write: number of \1 in \2 \3 \4",
    r"(?<=if )(\d+) ([^\W\d]\w*) in (\w+)": r"write: number of \2 in \3 >= \1",
    r"\b(\d+)s\b": r"write the number alone: \1",
    r"\w+ of a kind\b": "write: dice show x x x, an x for each of the dice that are equal",
}
"""What is said in other words here; the hint may speak of what the pattern found."""

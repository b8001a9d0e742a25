"""Reading files: every kind of text ends soon, with a tree or with messages."""

import time
from pathlib import Path

import pytest

from dicegames.ground.diagnostic import Diagnostics, RulesError
from dicegames.ground.source import Source, decode
from dicegames.rules.check import check
from dicegames.syntax import parse as parsing
from dicegames.syntax.grammar import grammar_parser
from dicegames.syntax.nodes import outline
from dicegames.syntax.parse import parse
from dicegames.syntax.tokens import BEHIND_A_NUMBER, RESERVED, WORDS

GAME = """game "Test"

dice 2d6

each player
    score = 0

turn
    roll all
    score + sum of dice

ends after 3 rounds
payoff highest score
"""
SOON = 5.0  # seconds of work for any file, even on a busy machine; most take a hundredth of it


def first_code(data: bytes) -> str:
    """Return the code of the first mistake in a file, "" if it is in order."""
    grammar_parser()
    began = time.process_time()
    try:
        check(decode("test.dg", data))
    except RulesError as error:
        text, code = str(error), error.diagnostics[0].code
    else:
        text, code = "in order", ""
    assert text
    assert time.process_time() - began < SOON
    return code


def in_turn(text: str) -> bytes:
    return GAME.replace("    score + sum of dice\n", text).encode()


FINE = {
    "plain": GAME.encode(),
    "byte order mark": b"\xef\xbb\xbf" + GAME.encode(),
    "line ends of Windows": GAME.replace("\n", "\r\n").encode(),
    "line ends of old": GAME.replace("\n", "\r").encode(),
    "no last line end": GAME.rstrip().encode(),
    "blanks and tabs at line ends": GAME.replace("\n", " \t \n").encode(),
    "tabs inside lines": GAME.replace(" = ", "\t=\t").encode(),
    "many empty lines": GAME.replace("\n", "\n" * 500).encode(),
    "remarks everywhere": GAME.replace("\n", " # é “x”\n# more\n      # odd\n").encode(),
    "brackets": in_turn("    score + " + "(" * 2000 + "1" + ")" * 2000 + "\n"),
    "letters of other languages": GAME.replace("score", "очки_é").encode(),
}


@pytest.mark.parametrize("name", FINE)
def test_files_in_order(name: str) -> None:
    assert first_code(FINE[name]) == ""


STRANGE = {
    "nothing": (b"", "empty-file"),
    "blanks": (b"  \n \t\n", "empty-file"),
    "zeros": (b"\0" * 1000, "not-text"),
    "Latin-1": (GAME.replace("Test", "T\xe9st").encode("latin-1"), "not-text"),
    "UTF-16": (GAME.encode("utf-16"), "not-text"),
    "a million lines": (b"x\n" * 1_000_000, "file-too-long"),
    "a million empty lines": (b"\n" * 1_000_000, "file-too-long"),
    "one long line": (b"game " + b"x" * 90_000, "no-payoff"),
    "long name": (GAME.replace("Test", "T" * 90_000).encode(), ""),
    "many faulty lines": (b"x x x\n" * 15_000, "no-game"),
    "many faulty lines in a part": (b"turn\n" + b"    x x x\n" * 8_000, "no-game"),
    "lines out of place": (b"turn\n" + b"    2 x\n" * 8_000, "no-game"),
    "open brackets": (in_turn("    score + " + "(" * 5000 + "\n"), "line-ends"),
    "deep nesting": (in_turn("    score + " + "-" * 5000 + "1\n"), "nesting"),
    "deep nots": (in_turn("    if " + "not " * 5000 + "yes: score + 1\n"), "nesting"),
    "long sums": (in_turn("    score + " + "1 + " * 5000 + "1\n"), "nesting"),
    "long of": (in_turn("    score + " + "sum of " * 5000 + "dice\n"), "nesting"),
    "long pile": (b"pile " + b"size of " * 5000 + b"1\n" + GAME.encode(), "unexpected"),
    "deep blocks": (
        in_turn("".join(" " * i + "if yes\n" for i in range(4, 200))),
        "no-block",
    ),
    "huge number": (in_turn("    score + " + "9" * 50_000 + "\n"), "number-too-large"),
    "huge number before a word": (in_turn("    score = " + "9" * 50_000 + " 0\n"), "unexpected"),
    "long word before a line": (in_turn("x" * 50_000 + "    roll all\n"), "unknown-word"),
    "huge power": (in_turn("    score + 9 ^ 9 ^ 9\n"), "unexpected"),
    "huge powers": (in_turn("    score + (99 ^ 64) ^ 64\n"), "number-too-large"),
    "huge product": (in_turn("    score + " + "999999 * " * 50 + "9\n"), "number-too-large"),
    "huge dice": (GAME.replace("2d6", "99999999999d99999999999").encode(), "dice-number"),
    "huge weight": (
        GAME.replace("2d6", "2 with faces a times 99999999999, b").encode(),
        "dice-weights",
    ),
    "no dice": (GAME.replace("2d6", "0d0").encode(), "dice-number"),
    "huge option": (b"option players = 9999999999999\n" + GAME.encode(), "number-too-large"),
    "no players": (b"option players = 0\n" + GAME.encode(), "players-number"),
    "too many players": (b"option players = 1000\n" + GAME.encode(), "players-number"),
    "words for numbers": (b"option players = many | few\n" + GAME.encode(), "players-number"),
    "a set of a thousand": (
        GAME.replace("score = 0", "score = 0\n    up = (1 to 1000)").encode(),
        "range-size",
    ),
    "doubling explanations": (
        (GAME + "".join(f"a{i} means a{i + 1} + a{i + 1}\n" for i in range(40)) + "a40 means 1\n")
        .replace("score + sum", "score + a0 + sum")
        .encode(),
        "rules-too-large",
    ),
    "loops in loops": (
        in_turn(
            "".join(" " * (4 + i) + f"each x{i} in 1 to 60\n" for i in range(10))
            + " " * 14
            + "pass\n"
        ),
        "rules-too-large",
    ),
    "a chain of steps": (
        GAME.replace("    score + sum of dice", "    go to s0").encode()
        + "".join(f"step s{i}\n    go to s{i + 1}\n" for i in range(500)).encode()
        + b"step s500\n    score + 1\n",
        "",
    ),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_files_end_soon(name: str) -> None:
    data, code = STRANGE[name]
    assert first_code(data) == code


def test_a_mistake_is_shown_in_its_line() -> None:
    source = decode("test.dg", GAME.replace("\n", "\r\n").replace("score = 0", "score =").encode())
    with pytest.raises(RulesError) as caught:
        check(source)
    assert str(caught.value).splitlines()[:3] == [
        "test.dg:6:12: the line ends here, but something is missing [line-ends]",
        "   6 |     score =",
        "     |            ^",
    ]


def test_a_tree_can_be_looked_at() -> None:
    source = Source("test.dg", 'game "Test"\nturn\n    roll all, score + (1 - 2)\n')
    nodes = parse(source, Diagnostics(source))
    assert [node.kind for node in nodes] == ["game", "turn"]
    assert "\n".join(outline(nodes[1])).split() == [
        *("turn", "block", "statements", "roll_all", "increase", "target", "NAME", "score", "-"),
        *("minus", "integer", "INT", "1", "integer", "INT", "2"),
    ]
    text = source.text
    spans = {node.kind: text[node.span.start : node.span.end] for node in nodes[1].walk()}
    assert spans["increase"] == "score + (1 - 2)"
    assert spans["minus"] == "1 - 2"
    assert next(node for node in nodes[1].walk() if node.kind == "minus").bracketed


def test_reserved_words_are_those_that_could_be_taken_for_a_name() -> None:
    words = parsing._words()
    table = grammar_parser().parse_interactive("").parser_state.parse_conf.parse_table.states
    found = set()
    for actions in table.values():
        here = {words[name] for name in actions if words.get(name, "").isalpha()}
        if "NAME" not in actions:
            continue
        if "INT" in actions and "{" in {words.get(name) for name in actions}:
            found |= here  # a value can stand here
        elif "roll" in here:
            found |= here  # a statement can stand here
    # they follow a word after which no such name can stand
    harmless = {"faces", "of", "the", "until"}
    assert found - harmless == RESERVED


def test_words_behind_a_number_cannot_be_names_of_dice() -> None:
    other = set()
    for word in {word for words in WORDS.values() for word in words.split()} - RESERVED:
        source = Source("test.dg", f"turn\n    roll 1 {word}\n")
        parse(source, diagnostics := Diagnostics(source))
        other |= {word} if diagnostics.found else set()
    assert other == BEHIND_A_NUMBER


def test_tables_are_kept_and_damage_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path)
    damaged = b""
    for _ in range(4):
        grammar_parser.cache_clear()
        assert first_code(GAME.encode()) == ""
        (kept,) = (tmp_path / "kernels").iterdir()
        content = kept.read_bytes()
        assert len(content) > 1000
        assert content != damaged
        at = len(content) // 2
        changed = content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]
        damaged = {b"": content[:500], content[:500]: b"damaged"}.get(damaged, changed)
        kept.write_bytes(damaged)
    grammar_parser.cache_clear()


@pytest.mark.parametrize(
    ("said", "to_write"),
    [
        ("some 1 in dice", "1 in dice"),
        ("no 1 in dice", "1 not in dice"),
        ("one of dice is 1", "1 in dice"),
        ("dice have any 1", "1 in dice, or: dice show 1"),
        ("dice are 1 1", "dice show 1 1"),
        ("score is 1", "= 1"),
    ],
)
def test_what_is_asked_of_dice_in_other_words_is_told(said: str, to_write: str) -> None:
    rules = GAME.replace("    score + sum", f"    if {said}: score + sum").encode()
    with pytest.raises(RulesError) as caught:
        check(decode("test.dg", rules))
    assert [d.help for d in caught.value.diagnostics] == [f"write: {to_write}"]


OTHER_WORDS = {
    "tell of a = 2 * a": ("write: tell of a means 2 * a",),
    "tell of (a) means 2 * a": ("write: tell of a means",),
    "tell of a and b means a + b": ("write: tell of (a, b) means",),
    "tell for a means a": ("write: tell of a means",),
    "tell of 3 means 6": ("a name stands for the number: tell of n means ...; or write a map",),
    "tell of a means if a > 3: a else 0": ("write: means a if a > 3 else 0",),
    "tell of a means return 2 * a": ("a value stands alone: 2 * a",),
    "tell of a means\n    if a > 3: a\n    else 0": ("write: a if a > 3",),
    "tell of a means\n    a if a > 3\n    else 0": ("write: 0 otherwise",),
    "tell of a means\n    a, if a > 3\n    0 else": ("write: a if a > 3", "write: 0 otherwise"),
    "map tell:\n    3 -> 1": ("write: map tell",),
    "map tell\n    3: 1\n    4 = 2": ("write: 3 -> 1", "write: 4 -> 2"),
    "map tell\n    3 -> 1\n    else: 0": ("write: otherwise -> 0",),
    "map tell\n    3, 4 -> 1": (
        "an entry is written: 3 -> 7, a line for each; all others: otherwise -> 0",
    ),
    "map tell\n    3 -> ": ("expected here: a value",),
    "map tell\n    if 3 -> 1": ("write: 3 -> 1",),
    "map tell\n    3 -> 1 points": ("write: 3 -> 1",),
    "map tell\n    3 -> 1 otherwise": ("write: 3 -> 1; all others on a line: otherwise -> 0",),
    "map tell\n    3 -> 2 * (1": ("a bracket is opened in this line and not closed: write )",),
    "patterns tell\n    Pair: x x pays 3": (
        'the name of a row is written in quotes, without a colon: "Pair"',
    ),
    'patterns tell\n    "Pair" x x = 3\n    otherwise pays 0': (
        "write: pays 3",
        'write a last row that is always shown: "Nothing"  any dice  pays 0',
    ),
    'patterns tell\n    "Pair" x x pays 4 if sum of dice mod 2 = 0': (
        'the condition of a row stands before "pays": x x if score > 3  pays 10',
    ),
    'patterns tell\n    "Low" 1-5 pays 3': (
        "write the faces, such as: 1 2 3 4 5, or, of any faces in a row: run of 5",
    ),
    'patterns tell\n    "All" any pays sum': ("write: any dice pays ...",),
    'patterns tell\n    "Low" sum <= 10 pays 3': ("write: any dice if sum of dice <= 10",),
    'patterns tell\n    "Low" the sum of dice is < 9  pays 3': (
        "write: any dice if sum of dice < 9",
    ),
    'patterns tell\n    "Odds" all dice are odd pays 3': (
        "write: any dice if every f in dice has f mod 2 = 1",
    ),
    'patterns tell\n    "Full" x x x and y y   pays 3': ("write: x x x y y",),
    "this turn\n    points: 0": ("write: points = 0",),
    "this turn\n    rolls left = 2": ("a name is one word: rolls_left",),
    "table\n    pot": ("say with what it begins: pot = 0",),
    "table\n    pot = 0 to 9 max": ("write: capped",),
    "Ends after 2 rounds": ("write it in small letters: ends",),
    "The game ends when score > 9": ("write: ends when score > 9",),
    "The game is over after 9 rounds": ("write: ends after 9 rounds",),
    "The winner is the last player": (
        (
            "write: payoff highest score; or, to win or lose: ranking highest score, and below it: "
            "payoff win"
        ),
    ),
    "ends when one player is left": (
        "count who is in play: sum of (1 if in_play of p else 0) over p in players = 1",
    ),
    "ends when someone reaches 50": ("write: any player has score >= 50",),
    "payoff last player": (
        "say what ranks the players: ranking highest lives, and below it: payoff win",
    ),
    "ends ends after 2 rounds": ("it stands here twice: ends",),
    "table\n    each f in dice: 3": (
        "it has a meaning of its own: statements are lines of a turn, texts are in quotes",
    ),
    "table\n    dice 3 with 4 sides": ('expected here: "=" or "of"',),
    "example score": ("say what it is, for example: example sum of dice in {2 5} = 7",),
    'patterns tell\n    "Pair" x "x" pays 3': ("write it without quotes: x",),
    "map tell\n    3 -> 4\n      4 -> 5": ("begin it where the line above begins",),
    "this turns\n    pot = 0": ('did you mean "this turn"?',),
    "eah player\n    pot = 0": ('did you mean "each player"?',),
    "roll all": ("what is done stands below: turn, indented by four spaces",),
    "end turn": ("what is done stands below: turn, indented by four spaces",),
    "end after 3 rounds": ('did you mean "ends"?',),
    "each turn\n    pot = 0": (
        "write: turn; or, where variables begin anew in every turn: this turn",
    ),
    "table\n    pot starts at 0": ("write: pot = 0",),
    'patterns tell\n    "Pair" x x points 3': ("write: pays 3",),
    'patterns tell\n    "Pair" x x pays 3\n    "Pair" x x x pays 4': (
        "give one of them another name",
    ),
    "option tall = 2-4": ("write: option tall = 2 from 2 to 4",),
    "highest score wins": (
        (
            "write: payoff highest score; or, to win or lose: ranking highest score, and below it: "
            "payoff win"
        ),
    ),
    "when score = 3: win": ("write: ends when score = 3",),
    "ends when any player reaches 3": ("write: any player has NAME >= 3, such as: score",),
    "ends when any player has 3 score": ("write: player has score >= 3",),
    "ends when score = 3 or after 10 rounds": (
        "write: ends after the round when score = 3 or round = 10",
    ),
    "ends when only one player has score": (
        "count them, such as: sum of (1 if chips of p > 0 else 0) over p in players = 1",
    ),
    'strategy "S"\n    "Go" when 3 in dice\n    always: best': (
        'write: when 3 in dice: "Go"',
        "write: otherwise: best",
    ),
    'strategy "S"\n    when 3 in dice\n    otherwise': (
        "the move stands in the same line, behind a colon",
    ),
    'strategy "S"\n    otherwise': ("say which move: otherwise: best",),
    'strategy "S"\n    otherwise best': ("write: otherwise: best",),
    'strategy "S"\n    when 3 in dice then keep 3': ("write: when 3 in dice: keep 3",),
    'strategy "S"\n    unless 3 in dice: best': ("write: when not (3 in dice)",),
    'strategy "S"\n    when 3 in dice: keep {3}': ("write: keep 3",),
    'strategy "S"\n    when 3 in dice: keep 3, 4': (
        'a line plays one move; picks stand without commas: "Shut" 1 3',
    ),
    "game is over when sum of dice > 3": ("write: ends when sum of dice > 3",),
    "ends after rounds": ("say after how many: ends after 5 rounds",),
    "ends after 3 turns": ("a turn of each player is a round: ends after 3 rounds",),
    "ends after round 3": ("write: ends after 3 rounds",),
    "ends when any player has at least 3 score": ("write: any player has score >= 3",),
    "at the end of the game": ("write: at the end",),
    "at the end of each turn": ("what is done when a turn is over are the last lines of: turn",),
    "ranking by score": ("say which is best: ranking highest score, or: ranking lowest score",),
    "ranking highest score, lowest seat": (
        "one number ranks: what comes second is added to a multiple, such as: 1000 * score + coins",
    ),
    "payoff = score": ("write: payoff score",),
    "payoff maximise score": ("write: payoff highest score",),
    "bag cup = red, green times 2": (
        "write: bag cup with ..., such as: bag cup with green times 6, red",
    ),
    'bag "cup" with red': ("write it without quotes: cup",),
    "bag cup with red, green x 2": ("write: green times 2",),
    "bag cup with (red, green)": ("leave the brackets out: bag cup with red, green",),
    "bag cup with red times 4 and green": ("write a comma: red times 4, green",),
    "dice coin = 1 with faces head tail edge": ("separate what it has by commas: heads, tails",),
    "pile hand of cup": ("there are: dice",),
    "deck cup with red": ("write: bag cup with green times 6, red times 3",),
    "example sum of dice = 7 in {2 5}": ("write: example sum of dice in {2 5} = 7",),
    "example sum of dice in {2, 5} = 7": (
        "faces stand without commas: {2 2 5}; several values are: (2, 5)",
    ),
}
"""Parts as people write them who know other notations, and what they are told."""


@pytest.mark.parametrize("said", OTHER_WORDS)
def test_parts_in_other_words_are_told_how_to_write_them(said: str) -> None:
    with pytest.raises(RulesError) as caught:
        check(decode("test.dg", f"{GAME}\n{said}\n".encode()))
    told = [d.help for d in caught.value.diagnostics]
    assert told[: len(OTHER_WORDS[said])] == list(OTHER_WORDS[said])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("score + 3 ** 2", "write: ^"),
        ("score + dice.sum", "write: sum of dice"),
        ("if sum of dice in 2..5: score + 1", "write: 2 to 5"),
        ("if dice have a pair: score + 1", "write: dice show x x"),
        ("if dice contain a full house: score + 1", "write: dice show x x x y y"),
        ("if dice has three of a kind: score + 1", "write: dice show x x x"),
        ("if pair: score + 1", "write: dice show x x"),
        ("if all dice = round: score + 1", "write: number of round in dice = size of dice"),
        ("if 3 appears 2 times: score + 1", "write: number of 3 in dice = 2"),
        ("repeat until no dice left: pass", "write: dice is empty"),
        ("score x 2", "write: score = score * 2"),
        ("score--", "write: score - 1"),
        ("If dice show 1: score + 1", "write it in small letters: if"),
        ("if sum of of dice = 3: score + 1", "it stands here twice: of"),
        ("score \N{FULLWIDTH PLUS SIGN} 1", "write: +"),
        ("move dice", "say to which pile: move dice to kept"),
        ("move dice in kept", "write: to kept"),
        (
            "sc\N{CYRILLIC SMALL LETTER O}re + 1",
            'did you mean "score"? from another alphabet: \N{CYRILLIC SMALL LETTER O}',
        ),
        ("3 is added to score", "write: score + 3"),
        ("game over", "write: end game"),
        ("put it back", "write, for example: move hand to cup"),
        ("move highest die to kept", "write: move highest 1 of dice"),
        ("score + die1", "single dice have no names: highest of dice; a pair: dice show x x"),
        ("score + count of round in dice", "write: number of round in dice"),
        ("sum = 3", "it cannot be a name; keep it under another one: let thrown = sum of dice"),
        ("repeat 3: pass", "write: repeat 3 times: ..., or: repeat until ...: ..."),
        (
            "score + sum of kept dice",
            "dice that are put aside lie in a pile: sum of kept, declared: pile kept",
        ),
        ("choose one of dice", "write the choices below it, each on a line of its own"),
        ("score + 1,000", "write large numbers without commas: 10000"),
        ("draw a card", "say to which pile: draw 1 to hand"),
        ("draw 1 into hand", "write: draw 1 to hand"),
        ("let t = draw 1", "what is drawn comes to a pile: draw 1 to hand"),
        ("winner gets 2", "write: pay 2 from others to winner"),
        ("pay 2 each from others to mover", "each of them pays it: pay 2 from others"),
        (
            "pay 2 from mover to others if seat = 1",
            "write: if seat = 1: pay 2 from mover to others",
        ),
        (
            "score + sum of (f) for f in dice",
            "write: over each die f in dice, or, of a set: over f in dice",
        ),
        ("score + sum of (1) for p in players", "write: over p in players"),
        ("if 3 in dice > 1: score + 1", "write: number of 3 in dice > 1"),
        (
            "if f in dice, 3 in dice: score + 1",
            "conditions are joined by: and, or; several values stand in brackets: (1, 2)",
        ),
        ("if every f in dice > 3: score + 1", "write: every f in dice has f > 3"),
        ("sum of dise", "a value alone changes nothing; to add it, write: score + sum of dise"),
        ("score sum of dice", "write: score + sum of dice, or, to set it: score = sum of dice"),
        ("thoose", 'did you mean "choose"?'),
        ("score 3", "write: score + 3, or, to set it: score = 3"),
        ("score + points 3", "write the number alone: 3"),
        ("if gold drawn: score + 1", "write: gold in hand"),
        (
            "if marble is red: score + 1",
            "write: red in hand; where it is a variable: marble = red",
        ),
        ("if marble = red: score + 1", "what is drawn lies in a pile: red in hand"),
        ("if red marble: score + 1", 'between two names "of" is missing, or an operator such as +'),
        (
            "score + size of round in dice",
            (
                "it goes with dice and sets: size of dice; how often a face lies there is: "
                "number of 6 in dice"
            ),
        ),
    ],
)
def test_statements_in_other_words_are_told_how_to_write_them(said: str, told: str) -> None:
    rules = GAME.replace("    score + sum", f"    {said}\n    score + sum").encode()
    with pytest.raises(RulesError) as caught:
        check(decode("test.dg", rules))
    assert caught.value.diagnostics[0].help == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("if all dice are equal: score + 1", "write: distinct of dice = 1"),
        ("if 2 sixes in dice: score + 1", "write: number of 6 in dice >= 2"),
        ("score + sum of (n) over n in 1 to 6", "a range stands in brackets here: (1 to ...)"),
        ("if sum of dice in 2, 3: score + 1", "write: in (2, 3)"),
        ('"Go": pass', "moves stand under: choose"),
    ],
)
def test_what_is_told_of_other_slips_stays(said: str, told: str) -> None:
    rules = GAME.replace("    score + sum", f"    {said}\n    score + sum").encode()
    with pytest.raises(RulesError) as caught:
        check(decode("test.dg", rules))
    assert caught.value.diagnostics[0].help == told


@pytest.mark.parametrize("word", sorted(RESERVED))
@pytest.mark.parametrize("told", ["3 + f", "3 +", "f in", "5 at end"])
def test_no_word_of_the_language_is_explained_in_silence(word: str, told: str) -> None:
    """A part with a mistake of which nothing was said was left out, and its uses with it."""
    text = GAME.replace("turn", f"{word} of f means {told}\n\nturn")
    text = text.replace("sum of dice", f"{word} of 3")
    with pytest.raises(RulesError):
        check(Source("test.dg", text))


FIRST_DRAFTS = {
    "    repeat up to 3 times\n        roll all": (
        "write: repeat 3 times; who stops earlier says: leave"
    ),
    "    if every f in dice is 1 or 5: score + 1": "write: every f in dice has f in (1, 5)",
    "    if every f in dice is 1: score + 1": "write: every f in dice has f = 1",
    "    remove 3 from score": "write: score - 3",
    "    add sum of dice to score": "write: score + sum of dice",
    "    score + sum of all dice": "write: sum of dice",
    "    score + sum of highest of 2 dice": "write: highest 2 of dice",
    '    choose\n        "Throw": roll it\n        "Stay"': (
        'write them below, indented by four spaces; pass does nothing: "Stay": pass'
    ),
    '    choose\n        "Throw" any of dice: roll dice': "name what is picked: any of dice as k",
    "    choose\n        one open box as b: use b": "write: one of open boxes as b",
    "    player rolls 2 dice": "write: roll 2 dice",
    "    if sum of dice is even: score + 1": "write: sum of dice mod 2 = 0",
    "    if number of 6 in dice is odd: score + 1": "write: number of 6 in dice mod 2 = 1",
    "    if no ones: score + 1": "write: 1 not in dice",
    "    if both dice the same: score + 1": "write: dice show x x",
    "    score + 5 for each 6": "write: 5 * number of 6 in dice",
    "    if sum of dice in (1 to 3, 7): score + 1": "list each of them, such as: (1, 2, 3, 7)",
    "    if score = 0: player out": (
        "keep it in a variable: in_play = no; around all of the turn write: if in_play"
    ),
    "    choose\n        one box as b\n            use b": "write: one of open boxes as b",
    '    choose\n        "Keep" some dice, roll the rest': (
        "name what is picked: some of dice as k: roll dice - k"
    ),
    "    if no move is left: end game": (
        "where no move is legal, the last line of the choice says what happens: otherwise: end game"
    ),
    "    if dice show 6 6: roll again": "write: roll all, roll dice, or: choose again",
    "    if dice show 6 6: another turn": (
        "put what is done again below: repeat; what ends it is: end turn"
    ),
    "    roll the rest": "what is not picked: dice - k; what lies in no pile: dice",
    "    roll die": "what is thrown shows: sum of dice; to throw: roll all",
    "    score + tell\nmap tell\n    otherwise -> 3": "write what is looked up in it: tell of ...",
    "    pass\nends when player has score > 3": "write: any player has",
    "    pass\ntell means\n    1 -> 100": (
        "entries stand in a map; write: map NAME, in place of: NAME means"
    ),
    '    pass\nboxes\n    "Pair" x x pays 3': (
        "give it a name of your choice, such as: boxes chosen"
    ),
    "    pass\nwinner highest score": (
        "write: payoff highest score; or, to win or lose: ranking highest score, and below it: "
        "payoff win"
    ),
    "    pass\npayoff win the pot": (
        "write: payoff win; who wins is said before it, for example: ranking highest score"
    ),
    "    pass\ngame ends after 5 rounds": "write: ends after 5 rounds",
    "    pass\ndice d6": "write: dice 1d6",
    "    pass\ndice 2 d6": "write: dice 2d6",
    "    pass\nexample sum of dice {2 5} = 7": "write: in {2 5}",
    "    move a 6 to dice": "write: move {6}",
    "    roll 4d6": "what dice there are is declared once; here write: roll 4 dice",
    "    if dice are equal: score + 1": "write: distinct of dice = 1",
    "    if dice show round round: score + 1": (
        "a round has another number each time; count: number of round in dice = 3"
    ),
    "    neighbour score + 1": "write, for who comes next: score of left of mover",
    "    nothing": "write: pass",
    "    while true: roll all": "write: repeat",
    "    score: 0": "write: score = 0",
    "    pass\nends when any player has no score": "write: player has score = 0",
    "    pass\nends when any player has 0 score": "write: player has score = 0",
    "    pass\nends when any player has 3 score": "write: player has score >= 3",
    "    pass\nranking highest 1 in dice": "write: (1 if 1 in dice else 0)",
    "    roll all\n    move 5 to kept\npile kept": (
        "one die that shows it: {5}; all: those f in dice where f = 5"
    ),
    "    pass\nwin: highest score": (
        "write: payoff highest score; or, to win or lose: ranking highest score, and below it: "
        "payoff win"
    ),
    '    pass\npatterns tell\n    "Nothing" otherwise pays 0': (
        "what the dice always show is: any dice"
    ),
    "    pass\ndice: 2d6": "leave it out",
    '    pass\npatterns tell\n    "Pair" x x pays 3\n    turn': (
        "it begins a part of the file: write it in the first column"
    ),
    '    pass\npatterns tell\n    "Pair" x x pays 3\n    roll all': (
        "what is done stands below: turn"
    ),
    "    score + sum of dice}": "leave it out: no bracket is open here",
    "    go to count": "declare it: step count",
    "    pass\nmap tell\n    1 -> 2\n    1 -> 3": "each has one entry: leave one of them out",
}
"""Lines as they stand in first drafts, and what is told."""


@pytest.mark.parametrize("said", FIRST_DRAFTS)
def test_first_drafts_are_told_what_to_write(said: str) -> None:
    rules = GAME.replace("    score + sum of dice", said).encode()
    with pytest.raises(RulesError) as caught:
        check(decode("test.dg", rules))
    assert FIRST_DRAFTS[said] in [d.help for d in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("dice 2 with faces a, 2 b, c", "2 b"),
        ("dice 2 with faces a, b x 2, c", "b x 2"),
        ("bag cup with red times 2, blue and green", "blue and green"),
        ("payoff highest sum dice", "sum dice"),
        ("example sum of dice {2 5} = 7", "{2 5}"),
        ('strategy "S"\n    otherwse: best', "otherwse: best"),
    ],
)
def test_what_is_marked_is_what_is_to_be_replaced(line: str, marked: str) -> None:
    rules = f"{GAME}{line}\n"
    with pytest.raises(RulesError) as caught:
        check(decode("test.dg", rules.encode()))
    (found,) = [d for d in caught.value.diagnostics if d.code == "unexpected"]
    assert rules[found.span.start : found.span.end] == marked

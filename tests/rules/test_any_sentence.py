"""Sentences made up from the grammar: whatever can be written, is understood or refused.

Damaged files seldom get past the parser. These do: every sentence is one that the grammar allows,
over names of every type, so that every pair of a construct and a type comes up. What passes the
check is played.
"""

import random
from functools import cache
from typing import Any

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.running.referee import start
from dicegames.syntax import parse as parsing
from dicegames.syntax.grammar import grammar_parser

SEEDS = 150
STEPS = 12

FRAME = """game "Any"

option players = 2 from 1 to 3
option mode = quick | slow
option deep = no
option size_of_it = 3 from 2 to 4

dice 3d6
dice coin = 1 with faces heads, tails times 2
pile kept, lost

each player
    score = 0
    money = 0
    flag = no
    upper = 0 to 20 capped
    progress of (2 to 4) = 0
table
    up = (1 to 6)
    weather = dry | wet
this turn
    count = 0

boxes upper_table
    each n in 1 to 2: "Face n"    any n         pays n each
boxes lower_table
    "Pair"                        x x           pays 10
    "Full"                        x x x | x y   pays 25
patterns hands
    "Straight"                    run of 3      pays 40
    "Nothing"                     any dice      pays sum

map jump
    1 -> 10
    otherwise -> 0 - 1

twice of q means 2 * q
lucky means sum of dice = 7

turn
    roll all
    choose
        "Go" some of dice as k: pass
        one of open boxes as b: use b
        "Number" one of up as number_picked: go to aside
    repeat 2 times
        choose
            "Go" 1 of dice as k
                score + 1
{turn}
            "Stop": score + 2

step aside
    roll all

ends after 2 rounds
{parts}
"""

NAMES_TEXT = """
    score money flag upper progress up weather count dice coin kept lost upper_table lower_table
    hands jump twice lucky mode deep size_of_it players others mover boxes seat round quick wet
    heads sum size highest lowest distinct points best spare k b p n x y aside win used unknown
"""
NAMES = NAMES_TEXT.split()
STRINGS = ["Pair", "Full", "Face 1", "Straight", "Go", "Stop", "dice 1 2 3", "score 5 / 6", ""]
NUMBERS = ["0", "1", "2", "3", "6", "7", "12", "64", "999999999999"]
SAMPLES: dict[str, list[str]] = {
    "NAME": NAMES,
    "INT": NUMBERS,
    "SIGNED": ["-1", "-12"],
    "STRING": [f'"{text}"' for text in STRINGS],
    "DICE": ["2d6", "1d2"],
    "SCOPE": ["each player", "table", "this turn"],
    "TABLE": ["boxes", "patterns"],
    "DIRECTION": ["highest", "lowest"],
    "COMPARE": ["<", "<=", "!="],
    "BOXSTATE": ["open", "used"],
    "ROUNDS": ["rounds"],
    "DIVIDE": ["div", "mod"],
}
DEEP = "    " * 4
USUAL = {"ranking": "ranking highest score", "payoff": "payoff highest score"}
PARTS = ["means", "example", "strategy", "map", "table", "scope", "ranking", "at_end", "payoff"]

Expansion = list[tuple[str, bool]]
"""The symbols of one way to write a rule, each with whether it is a terminal."""


@cache
def rules() -> dict[str, list[Expansion]]:
    found: dict[str, list[Expansion]] = {}
    for rule in grammar_parser().rules:
        symbols = [(str(s.name), bool(s.is_term)) for s in rule.expansion]
        found.setdefault(str(rule.origin.name), []).append(symbols)
    return found


@cache
def depths() -> dict[str, int]:
    """The least depth of a tree for each rule."""
    known: dict[str, int] = {}
    changed = True
    while changed:
        changed = False
        for name, ways in rules().items():
            depth = min(1 + depth_of(way, known) for way in ways)
            if depth < known.get(name, 1000):
                known[name], changed = depth, True
    return known


def depth_of(way: Expansion, known: dict[str, int]) -> int:
    return max([0, *(0 if terminal else known.get(name, 999) for name, terminal in way)])


class Author:
    """Writes sentences at random."""

    def __init__(self, chance: random.Random):
        self.chance = chance

    def write(self, rule: str, depth: int, indent: int = 1) -> str:
        """Return a text for a rule, of about this depth; lines are indented so many levels."""
        self.words: list[str] = []
        self.indent = indent
        self._expand(rule, depth)
        return "".join(self.words)

    def _expand(self, rule: str, depth: int) -> None:
        ways = rules()[rule]
        least = min(depth_of(way, depths()) for way in ways)
        fit = [way for way in ways if depth_of(way, depths()) <= max(least, depth - 1)]
        for name, terminal in self.chance.choice(fit):
            if terminal:
                self._word(name)
            else:
                self._expand(name, depth - 1)

    def _word(self, terminal: str) -> None:
        match terminal:
            case "_NL":
                self.words.append("\n" + "    " * self.indent)
            case "_INDENT":
                self.indent += 1
                self.words.append("    ")
            case "_DEDENT":
                self.indent -= 1
                last = self.words.pop()
                self.words.append(last.removesuffix("    "))
            case _:
                choices = SAMPLES.get(terminal) or [parsing._words()[terminal]]
                self.words.append(self.chance.choice(choices) + " ")


def file_of(seed: int) -> str:
    chance = random.Random(seed)
    author = Author(chance)
    turn = DEEP + author.write("statement", chance.randint(3, 9), 4)
    head = chance.choice(PARTS)
    parts = [author.write(head, chance.randint(4, 12), 0)]
    parts += [text for name, text in USUAL.items() if name != head]
    return FRAME.format(turn=turn.rstrip(" "), parts="\n".join(parts))


def only_in_turn(seed: int) -> str:
    author = Author(random.Random(seed))
    turn = DEEP + author.write("statement", 3 + seed % 8, 4)
    return FRAME.format(turn=turn.rstrip(" "), parts="\n".join(USUAL.values()))


def survive(text: str) -> tuple[bool, bool]:
    """Tell whether a file passes the check, and whether it can be played."""
    checked = False
    try:
        game = check(Source("any.dg", text))
        checked = True
        for seed in range(2):
            play(game, random.Random(seed))
    except RulesError as error:
        told = str(error)
        assert told
        return checked, False
    return True, True


def play(game: Any, chance: random.Random) -> None:
    position = start(game)
    for _ in range(STEPS):
        if position.is_over:
            assert len(position.payoff) == game.players
            break
        if position.is_chance:
            position = position.play(position.throw(chance))
        else:
            position = position.play(chance.choice(position.moves()))


@pytest.mark.parametrize("kind", ["file", "turn"])
def test_any_sentence_is_understood_or_refused(kind: str) -> None:
    write = file_of if kind == "file" else only_in_turn
    parsed = 0
    for seed in range(SEEDS):
        text = write(seed)
        try:
            survive(text)
        except Exception as error:
            error.add_note(f"{kind} {seed}:\n{text}")
            raise
        parsed += 1
    assert parsed == SEEDS

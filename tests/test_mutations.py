"""Damaged rules files: whatever they say, a message comes out, and soon.

Every game file is damaged in many ways: lines, words and characters are deleted, doubled, swapped
and put elsewhere, numbers are changed, bytes are strewn in. What still passes the check is played a
little. Nothing but the mistakes that users are told of may come out. A failure prints the game and
the number of the damage, which is its seed.
"""

import os
import random
import re
import signal
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from dicegames.ground.diagnostic import RulesError
from dicegames.ground.source import decode
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.reading.house_rules import OptionError
from dicegames.rules.running.referee import Move, Outcome, Position, start
from dicegames.syntax.grammar import grammar_parser

GAMES = sorted((Path(__file__).parents[1] / "games").glob("*.dg"))
MUTATIONS = int(os.environ.get("DICEGAMES_DAMAGES", "60"))
"""How many damages each game gets in the daily run; a larger number tries these, and more."""
THOROUGH = 10  # of so many, one is checked with all options and examples
PLAYOUTS = 2
STEPS = 60
SECONDS = 10  # for one damaged file, on a slow and busy machine

TEXT = """
    all and any as at best boxes capped choose dice div each else empty end ends every example for
    from game go has highest if in is leave lowest map means mod move next no not note number of one
    open option or otherwise over patterns pay payoff pays pile players points ranking repeat roll
    round run show size some spare step strategy sum table this those times to turn unless until use
    used when where win with yes x y ... ( ) { } : , | + - * ^ = != < <= -> " # 0 1 6 999999999999
    "Stop"
"""
WORDS = TEXT.split()

Damage = Callable[[str, random.Random], str]


# ---- ways to damage a text


def pieces(text: str, kind: str) -> list[str]:
    """Cut a text into lines, words or characters, in such a way that joining gives it back."""
    if kind == "line":
        return text.splitlines(keepends=True)
    return re.findall(r"\w+|\s+|[^\w\s]", text) if kind == "word" else list(text)


def shuffle_pieces(text: str, chance: random.Random) -> str:
    parts = pieces(text, chance.choice(("line", "line", "word", "word", "character")))
    a, b = chance.randrange(len(parts)), chance.randrange(len(parts))
    match chance.choice(("delete", "double", "swap", "copy", "move")):
        case "delete":
            del parts[a]
        case "double":
            parts.insert(a, parts[a])
        case "swap":
            parts[a], parts[b] = parts[b], parts[a]
        case "copy":
            parts[a] = parts[b]
        case "move":
            parts.insert(b, parts.pop(a))
    return "".join(parts)


def strew_word(text: str, chance: random.Random) -> str:
    parts = pieces(text, "word")
    at = chance.randrange(len(parts))
    parts[at : at + chance.randrange(2)] = [chance.choice(WORDS), " "]
    return "".join(parts)


def change_number(text: str, chance: random.Random) -> str:
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text
    number = chance.choice(found)
    other = chance.choice(("0", "1", "2", "7", "13", "64", "100", "-1", "1000000"))
    return text[: number.start()] + other + text[number.end() :]


def change_indent(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    lines[at] = " " * chance.choice((0, 1, 4, 8, 12, 30)) + lines[at].lstrip(" ")
    return "".join(lines)


def cut_off(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] if chance.random() < 0.5 else text[at:]


USUAL: list[Damage] = [shuffle_pieces, shuffle_pieces, strew_word]
DAMAGES = [*USUAL, *USUAL, shuffle_pieces, change_number, change_number, change_indent, cut_off]


def damaged(text: str, seed: int) -> bytes:
    """Return a text after one to three damages; some with bytes that are no text."""
    chance = random.Random(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        text = chance.choice(DAMAGES)(text, chance) or "#"
    data = bytearray(text, "utf-8")
    if seed % 25 == 0:
        for _ in range(chance.choice((1, 3, 50))):
            data.insert(chance.randrange(len(data) + 1), chance.randrange(256))
    return bytes(data)


# ---- playing what is left


def play(game: Rules, chance: random.Random) -> None:
    for _ in range(PLAYOUTS):
        position = start(game)
        for _ in range(STEPS):
            if position.is_over:
                assert len(position.payoff) == game.players
                break
            position = position.play(anything(position, chance))


def anything(position: Position, chance: random.Random) -> Move | Outcome:
    return position.throw(chance) if position.is_chance else chance.choice(position.moves())


def survive(data: bytes, seed: int, name: str) -> None:
    """Check and play; let nothing through but what users are told of."""
    signal.alarm(SECONDS)
    try:
        game = check(decode(name, data), thorough=seed % THOROUGH == 0)
        play(game, random.Random(seed))
    except (RulesError, OptionError) as error:
        message = str(error)
    else:
        message = "in order"
    finally:
        signal.alarm(0)
    assert message


@pytest.fixture(autouse=True)
def no_endless_wait() -> Iterator[None]:
    """Let the alarm that rings after too long a time be an error."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"still not done after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def unchanged_parts_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse the parts that a damage leaves alone but once: most of the time would go there."""
    parser = grammar_parser()
    monkeypatch.setattr(parser, "parse", lru_cache(maxsize=1000)(parser.parse))


@pytest.mark.usefixtures("unchanged_parts_kept")
@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_damaged_games(path: Path) -> None:
    text = path.read_text("utf-8")
    for seed in range(MUTATIONS):
        try:
            survive(damaged(text, seed), seed, path.name)
        except Exception as error:
            error.add_note(f"{path.name}, damage {seed}: damaged(text, {seed})")
            raise


LOST = [
    ("balut", "dice 5d6"),
    ("balut", "each player"),
    ("balut", "turn"),
    ("cosmic_wimpout", "repeat until not (flash in white or flash in black)"),
    ("despirala", "dice 6d6"),
    ("dice_poker", "choose"),
    ("dice_poker", "turn"),
    ("farkle", "choose"),
    ("lange_strasse", "choose"),
    ("lange_strasse", "total = 0"),
    ("midnight", "turn"),
    ("qwixx", "roll all"),
    ("shut_the_box", "option one_die = never"),
    ("yahtzee", "dice 5d6"),
    ("yahtzee", "one of open boxes as b"),
]


@pytest.mark.parametrize(("game", "begin"), LOST)
def test_a_lost_line_is_few_mistakes(game: str, begin: str) -> None:
    path = Path(__file__).parents[1] / "games" / f"{game}.dg"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    del lines[next(i for i, line in enumerate(lines) if line.strip().startswith(begin))]
    with pytest.raises(RulesError) as caught:
        check(decode(path.name, "".join(lines).encode()))
    assert len(caught.value.diagnostics) <= 2, str(caught.value)


@pytest.mark.parametrize("seed", range(100))
def test_arbitrary_bytes(seed: int) -> None:
    chance = random.Random(seed)
    size = chance.choice((0, 1, 10, 100, 1000, 20_000))
    kind = chance.choice(("bytes", "letters", "words"))
    if kind == "bytes":
        data = chance.randbytes(size)
    elif kind == "letters":
        data = "".join(chance.choices(' \n\t#"(){}:,=ax19', k=size)).encode()
    else:
        data = "".join(
            w + chance.choice((" ", "\n", "\n    ")) for w in chance.choices(WORDS, k=size)
        ).encode()
    survive(data, seed, f"bytes {seed}")

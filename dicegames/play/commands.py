"""What a player may type: a move by its name, its number or an unambiguous beginning; or a word.

A word with a slash in front is never a move; without it a move of the same name goes first.
"""

from __future__ import annotations

from collections.abc import Sequence

from dicegames.ground import multiset
from dicegames.ground.diagnostic import did_you_mean, folded, named
from dicegames.ground.numbers import whole_number
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import PositionError, parse_dice
from dicegames.rules.running.referee import Move, Position

TYPED = {
    "list": "all moves one by one",
    "hint": "what every move is worth with best play afterwards; hint 3, hint all",
    "clue": "a hint in steps: how much is at stake, which kind of move, which move",
    "why": "what makes the best move better: why, or why 3, why MOVE for that move",
    "undo": "take back your last move, with all that followed; undo 3",
    "redo": "make again what was taken back; redo 3",
    "score": "the score sheet",
    "luck": "luck and losses so far, and the expected result over the game",
    "position": "the position as a line of text, for dicegames advise",
    "seats": "who plays",
    "dice": "dice typed: your dice are typed in; dice virtual: they are thrown for you",
    "save": "save FILE: a transcript of the game so far",
    "help": "this",
    "quit": "leave the game; dicegames play --resume continues it",
}
SHORTCUTS = {"exit": "quit", "q": "quit", "?": "help", "moves": "list", "h": "hint", "u": "undo"}
KEEPING = ("keep",)
AGAIN = ("roll", "reroll", "re-roll", "throw")


LONGEST_LINE = 1000
"""Signs of a line beyond which it means nothing here."""


TOO_LONG = f"a line of more than {LONGEST_LINE:,} signs is nothing that is understood here"
"""What is said of such a line; it is not repeated."""


class Unclear(ValueError):
    """What was typed is no move here; the message says what to do."""


def command(text: str, moves: Sequence[Move]) -> tuple[str, str] | None:
    """Return the word that is meant and what stands behind it; None if a move is meant."""
    if len(text) > LONGEST_LINE:
        raise Unclear(TOO_LONG)
    typed = text.strip()
    slash = typed.startswith("/")
    if typed.startswith("dicegames "):
        raise Unclear("that is a command of the shell: quit leaves the game, which is kept")
    word, _, rest = typed.removeprefix("/").strip().partition(" ")
    word = SHORTCUTS.get(word.lower(), word.lower())
    if slash and word not in TYPED:
        meant = did_you_mean(word, TYPED)
        raise Unclear(f'there is no "/{word}"; {meant or "the words are " + ", ".join(TYPED)}')
    names = {folded(move.label) for move in moves}
    if word not in TYPED or (not slash and folded(typed) in names):
        return None
    return word, rest.strip()


def number_behind(word: str, text: str, usual: int = 1) -> int:
    """Return the number behind a word; raises Unclear."""
    number = whole_number(text) if text else usual
    if not number:
        more = " or: hint all" if word == "hint" else ""
        raise Unclear(f"say how many: {word} 3{more}")
    return number


def chosen(text: str, moves: Sequence[Move]) -> Move:
    """Return the move that is meant; raises Unclear.

    A name counts in any case, with its dice in any order; a number counts as the move's number
    in the list; else the beginning of just one name.
    """
    wanted = _words(text)
    if not wanted:
        if len(moves) == 1:
            return moves[0]
        raise Unclear("type a move, its number, or help")
    for key in (_words, _sorted_words):
        found = [move for move in moves if key(move.label) == key(text)]
        if found:
            return found[0]
    number = whole_number(wanted[0]) if len(wanted) == 1 else None
    if number is not None:
        if 1 <= number <= len(moves):
            return moves[number - 1]
        raise Unclear(f"there is no move {number}: the moves are 1 to {len(moves)}")
    return _beginning(text, wanted, moves)


def keeping(text: str, position: Position, moves: Sequence[Move]) -> Move | None:
    """Return the move that keeps or throws again just the dice that are named, if it is one.

    Where the rules say which dice are thrown again one may say which are kept, and the other way.
    """
    word, _, rest = text.strip().lower().partition(" ")
    if word not in KEEPING + AGAIN or any(_words(m.label)[:1] == [word] for m in moves):
        return None
    game = position.game
    for name, kind in game.names.kinds.items():
        pile = game.names.variables[name].base
        there = position.node.env[pile]
        try:
            named = parse_dice(kind, name, rest)
        except PositionError:
            continue
        if not multiset.contains(there, named):
            continue
        kept = named if word in KEEPING else multiset.subtract(there, named)
        own = [move for move in moves if _lies(position.after(move), pile) == kept]
        if len(own) == 1:
            return own[0]
    return None


def _lies(position: Position, pile: int) -> Value:
    """Return the dice that stay on the table while others are thrown; None if none are thrown."""
    if position.starts_turn or not position.is_chance:
        return None
    return position.env[pile]


def _beginning(text: str, wanted: list[str], moves: Sequence[Move]) -> Move:
    found = [m for m in moves if folded(m.label).startswith(" ".join(wanted))]
    found = found or [m for m in moves if _each_begins(_words(m.label), wanted)]
    if len(found) == 1:
        return found[0]
    if not found:
        words = {*TYPED, *({*KEEPING, *AGAIN} if wanted[0] not in KEEPING + AGAIN else ())}
        labels = [move.label for move in moves]
        meant = did_you_mean(" ".join(wanted), labels) or did_you_mean(wanted[0], words)
        hint = meant or "list shows the moves, help the words"
        raise Unclear(f'"{text.strip()}" is no move here; {hint}')
    names = named((move.label for move in found), 4)
    raise Unclear(f'"{text.strip()}" may be {names}')


def _each_begins(words: list[str], wanted: list[str]) -> bool:
    """Tell whether each word begins as it is typed, numbers being typed in full: `coll 1`."""
    if len(words) != len(wanted):
        return False
    pairs = zip(words, wanted, strict=True)
    return all(w == typed if w.isdigit() else w.startswith(typed) for w, typed in pairs)


def _words(text: str) -> list[str]:
    return text.lower().split()


def _sorted_words(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a name, and its dice or faces in their order apart from them."""
    words = _words(text)
    split = next((n for n, word in enumerate(words) if word.isdigit()), len(words))
    return words[:split], sorted(words[split:])

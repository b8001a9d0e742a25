"""Throws that come to the same, and how people sum them up.

Where several throws lead to the same situation nobody at a table reads out all dice. Understood
are the sum of the dice ("7", "sum 12"), the number of dice of a face ("2 sixes", "no 1s and 2
fives"), and for throws that follow each other without a decision how many they were ("took 3
rolls") or that they led to nothing ("not completed"). What is said must fix the situation; else the
dice are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from operator import mul

from attrs import define, field, frozen

from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.ground.diagnostic import folded
from dicegames.ground.limits import LimitReached, Limits
from dicegames.ground.numbers import NUMBER_WORDS, whole_number
from dicegames.play.match import outcome_of
from dicegames.play.standing import lasting
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Throw
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.types import DiceKind, Value
from dicegames.rules.parts.value_text import PositionError
from dicegames.rules.running.liveness import live_in_play
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.referee import Outcome, Position

MOST_TRIED = 60_000
"""Throws that are looked at before a run of throws is called too long to be summed up."""

LONGEST_SEARCH = 2.0
"""Seconds after which positions are told apart by all that lasts, not by what is asked of them."""

FACES = ("ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens")
TOOK = re.compile(r"(?:(?:took|in|after|completed in|done in) )?(\w+) (?:rolls?|throws?)")
TOTAL = re.compile(r"((?:sum|total) (?:of )?)?(\w+)")
FAILED = ("not completed", "not complete", "failed", "missed", "nothing")


@frozen
class End:
    """Where a run of throws may end: after which throws, and what lasts of the game then."""

    throws: tuple[Outcome, ...]
    lasting: Mapping[Hashable, Value]


@define(slots=False)
class PositionWords:
    """What tells the positions of a game apart, and what people say of throws.

    `known` is the compiled game if there is one already.
    """

    game: Rules
    known: Compiled | None = None
    counted: int = field(default=0, init=False)

    def understood(self, position: Position, text: str) -> list[Outcome]:
        """Return the throws that a text stands for; raises PositionError.

        More than one throw is returned where the text sums up a run of them; where a text fits
        several throws that come to the same, it stands for the first of these.
        """
        words = folded(text.replace(",", " and "))
        if words in FAILED:
            return self._failed(position)
        took = TOOK.fullmatch(words)
        if took and _number(took[1]) is not None:
            return self._took(position, _number(took[1]) or 0)
        if (counts := self._counts(position, words)) is not None:
            return [self._fitting(position, counts, text)]
        return [self._summed(position, words, text) or outcome_of(position, text)]

    def key(self, position: Position) -> Hashable:
        """Return what tells a position from others by all that may follow."""
        if not position.starts_turn and not position.is_over and self._compiled is not None:
            try:
                return (*self._compiled.locate(position), position.notes)
            except (LookupError, RuleBroken):
                pass
        return self._read_later(position)

    # ---- inside

    def _read_later(self, position: Position) -> Hashable:
        """Return what later play may read of a position."""
        slots = sorted(live_in_play(self.game)[position.at])
        return position.at, tuple(position.env[slot] for slot in slots), position.notes

    @cached_property
    def _compiled(self) -> Compiled | None:
        """The compiled game, which knows what later play asks of the dice."""
        if self.known is not None:
            return self.known
        try:
            return compile_game(self.game, limits=Limits(LONGEST_SEARCH))
        except (ObjectiveError, RuleBroken, LimitReached):
            return None

    def _counts(self, position: Position, words: str) -> dict[int, int] | None:
        """Return how many dice of which faces a text speaks of; None if it does not."""
        throw = position.instruction
        if not isinstance(throw, Throw):
            return None
        found = {}
        for part in words.split(" and "):
            number, _, face = part.strip().partition(" ")
            index = _face(throw.kind, face)
            count = _number(number)
            if index is None or count is None:
                return None
            found[index] = count
        return found

    def _summed(self, position: Position, words: str, text: str) -> Outcome | None:
        """Return the first throw with the sum that a text names; None if it names none.

        A number alone is a sum where it cannot be dice. Where it can, as "12" of two dice, it is
        the dice, unless nothing but the sum matters: then it is asked which of both is meant.
        """
        named, sums = TOTAL.fullmatch(words), _by_sum(position)
        wanted = None if named is None else _number(named[2])
        if named is None or wanted is None or not (named[1] or wanted in sums):
            return None
        if wanted not in sums:
            raise PositionError(f"no throw here has the sum {wanted}", "type the dice")
        if not named[1] and (dice := _as_dice(position, text)) is not None:
            if dice in sums[wanted] or not self._are_alike(position, *sums.values()):
                return dice
            message = f'"{text.strip()}" may be the dice {dice.text}, or their sum'
            raise PositionError(message, f"type {dice.text}, or: sum {wanted}")
        if not self._are_alike(position, sums[wanted]):
            message = f"with the sum {wanted} it matters what each of the dice shows"
            raise PositionError(message, "type all dice that were thrown")
        return sums[wanted][0]

    def _are_alike(self, position: Position, *groups: Sequence[Outcome]) -> bool:
        """Tell whether the same follows after each throw of a group, so far as rules show it."""
        self.counted = 0
        pairs = (pair for group in groups for pair in pairwise(map(position.after, group)))
        return all(self._alike(one, two) for one, two in pairs)

    def _alike(self, one: Position, two: Position) -> bool:
        """Tell whether nothing that differs is read later, but to give the same moves.

        The same must follow after these: of the dice no more is read than what they make legal.
        """
        self._count()
        if self._read_later(one) == self._read_later(two):
            return True
        if one.at != two.at or one.is_chance or one.is_over:
            return False
        moves, others = one.moves(), two.moves()
        if [move.label for move in moves] != [move.label for move in others]:
            return False
        pairs = zip(moves, others, strict=True)
        return all(self._alike(one.after(move), two.after(other)) for move, other in pairs)

    def _fitting(self, position: Position, counts: dict[int, int], text: str) -> Outcome:
        fitting = [
            outcome
            for outcome in position.outcomes()
            if all(outcome.dice[face] == count for face, count in counts.items())
        ]
        if not fitting:
            raise PositionError(f'no throw here has "{text.strip()}"')
        if len({self.key(position.after(outcome)) for outcome in fitting}) > 1:
            message = f'with "{text.strip()}" it matters what the other dice show'
            raise PositionError(message, "type all dice that were thrown")
        return fitting[0]

    def _took(self, position: Position, count: int) -> list[Outcome]:
        ends = list(self._ends(position, count))
        failed = _unchanged(position, ends)
        fitting = [end for end in ends if len(end.throws) == count]
        fitting = [end for end in fitting if end not in failed] or fitting
        if len(fitting) != 1:
            what = "cannot end" if not fitting else "may end in several ways"
            told = f"after {count} throw{'s'[: count != 1]}"
            raise PositionError(f"this {what} {told}", "type the dice of each throw")
        return list(fitting[0].throws)

    def _failed(self, position: Position) -> list[Outcome]:
        ends = list(self._ends(position, None))
        failed = _unchanged(position, ends)
        if len(failed) != 1 or len(ends) == 1:
            message = "there is nothing here that may be completed or not"
            raise PositionError(message, "type the dice")
        return list(failed[0].throws)

    def _ends(self, position: Position, most: int | None) -> Iterator[End]:
        """Yield where the throws from here on without a decision may end, after `most` at most."""
        level: dict[Hashable, tuple[Position, tuple[Outcome, ...]]] = {}
        level[self.key(position)] = (position, ())
        self.counted = 0
        while level and (most is None or most > 0):
            most = None if most is None else most - 1
            following: dict[Hashable, tuple[Position, tuple[Outcome, ...]]] = {}
            ended: dict[Hashable, End] = {}
            for here, throws in level.values():
                for outcome, after in self._thrown(here):
                    key, path = self.key(after), (*throws, outcome)
                    if after.is_chance and not after.starts_turn:
                        following.setdefault(key, (after, path))
                    elif key not in ended:
                        ended[key] = End(path, lasting(after))
            yield from ended.values()
            level = following

    def _thrown(self, position: Position) -> Iterator[tuple[Outcome, Position]]:
        for outcome in position.outcomes():
            self._count()
            yield outcome, position.after(outcome)

    def _count(self) -> None:
        self.counted += 1
        if self.counted > MOST_TRIED:
            raise PositionError("too much may follow here", "type the dice")


def _unchanged(position: Position, ends: Sequence[End]) -> list[End]:
    """Return the ends at which nothing has changed but what counts the throws."""
    before = lasting(position)
    counting = {key for key in before if _counts_throws(key, ends)}
    return [
        end
        for end in ends
        if all(end.lasting[key] == before[key] for key in before if key not in counting)
    ]


def _counts_throws(key: Hashable, ends: Sequence[End]) -> bool:
    """Tell whether a variable says how many throws there were, whatever they showed."""
    values: dict[int, set[Value]] = {}
    for end in ends:
        values.setdefault(len(end.throws), set()).add(end.lasting[key])
    distinct = {value for found in values.values() for value in found}
    return all(len(found) == 1 for found in values.values()) and len(distinct) == len(values) > 1


def _by_sum(position: Position) -> dict[int, list[Outcome]]:
    """Return the throws of a position by the sum of their dice; none where faces are no numbers."""
    throw, found = position.instruction, dict[int, list[Outcome]]()
    if isinstance(throw, Throw):
        faces = [face for face in throw.kind.faces if isinstance(face, int)]
        for outcome in position.outcomes() if len(faces) == len(throw.kind.faces) else ():
            found.setdefault(sum(map(mul, faces, outcome.dice)), []).append(outcome)
    return found


def _as_dice(position: Position, text: str) -> Outcome | None:
    with suppress(PositionError):
        return outcome_of(position, text)
    return None


def _number(word: str) -> int | None:
    if (number := whole_number(word)) is not None:
        return number
    if word == "once":
        return 1
    return NUMBER_WORDS.index(word) if word in NUMBER_WORDS else None


def _face(kind: DiceKind, text: str) -> int | None:
    """Return the face that a word names: `6s`, `sixes`, `six`, or the face itself with an s."""
    for index, face in enumerate(kind.faces):
        name = str(face).lower()
        known = {f"{name}s", f"{name}es", name if not isinstance(face, int) else f"{name}'s"}
        if isinstance(face, int) and 1 <= face <= len(FACES):
            known |= {FACES[face - 1], NUMBER_WORDS[face] if face < len(NUMBER_WORDS) else name}
        if text in known:
            return index
    return None

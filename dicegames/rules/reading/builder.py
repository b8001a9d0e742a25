"""The builder of a game's flow: it hands each statement to the function for its kind.

Instructions are made from the last to the first, so that each knows where it leads; loops and
steps get their first instruction as a placeholder. The functions stand in files of their own
(changes, throws, course, choosing), each with a table HANDLERS; `statements` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from attrs import evolve, frozen

from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Expression, Instruction, Set, Test
from dicegames.rules.parts.names import Names, Reported, Scope, Variable
from dicegames.rules.parts.types import ANYTHING, TRUTH
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.derive import constant
from dicegames.syntax.nodes import Node

BLOCKS = ("block", "inline_block", "statements")
JUMPS = ("go_to", "choose_again", "leave", "next_", "end_turn", "end_game")

Kept = tuple[Variable | Expression, Expression]
"""What a name stands for from a statement `let` on, and the value that it keeps."""


@frozen
class Place:
    """Where statements stand: what follows them, and where the jumps lead (-1: nowhere)."""

    next: int
    leave: int = -1
    again: int = -1
    choose: int = -1
    end_turn: int = -1
    end_game: int = -1
    name: str = ""


class Builder:
    """Builds the flow of a game."""

    def __init__(self, checker: Checker, handlers: Mapping[str, Handler]):
        self.checker = checker
        self.names = checker.names
        self.handlers = handlers
        self.flow: list[Instruction] = []
        self.steps: dict[str, int] = {}
        self.passes: list[Span] = []  # what is done for one player after the other
        self.shares = 1  # payments are divided by it
        self._choices: dict[str, int] = {}
        self._pending: list[tuple[str, Test, Place]] = []

    def emit(self, instruction: Instruction) -> int:
        """Add an instruction and return its number."""
        self.flow.append(instruction)
        return len(self.flow) - 1

    def placeholder(self, span: Span, other: int = -1) -> tuple[int, Test]:
        """Add an instruction that leads on; where, is filled in later."""
        test = Test(span, -1, constant(TRUTH, True), other)
        return self.emit(test), test

    def build(self, node: Node, scope: Scope, place: Place) -> int:
        """Return the number of the first instruction of a block or a statement."""
        if not self.checker.has_room(node.span):
            return place.next
        if node.kind in BLOCKS:
            steps = list(self._in_order(node, scope))
            for part, around, kept in reversed(steps):
                entry = place.next
                if kept is None:
                    entry = self.build(part, around, place)
                elif isinstance(kept[0], Variable):
                    entry = self.emit(Set(part.span, entry, kept[0].base, kept[1]))
                place = evolve(place, next=entry)
            report_dead_ends(self.names, node)
            return place.next
        try:
            return self.handlers[node.kind](self, node, scope, place)
        except RuleBroken as broken:
            self.checker.tell_broken(broken, broken.span or node.span)
        except Reported as mistake:
            self.names.tell(mistake)
        return place.next

    def _in_order(self, block: Node, scope: Scope) -> Iterator[tuple[Node, Scope, Kept | None]]:
        """Yield the statements of a block, each with the names that those before it keep."""
        for part in (simple for whole in block.parts() for simple in _simple(whole)):
            if part.kind != "let":
                yield part, scope, None
                continue
            word, value = part.child(0), self.checker.check(part.child(1), scope)
            kept = self._kept(word, value)
            yield part, scope, (kept, value)
            scope = scope.bind(word.text, kept)

    def _kept(self, word: Node, value: Expression) -> Variable | Expression:
        """Return what a name stands for that keeps a value: what is fixed needs no variable."""
        if value.constant or value.type is ANYTHING:
            self.names.is_free(word.text, word.span)
            return value
        if value.type.kind in ("boxes", "player", "players", "values"):
            message = f"{value.type} cannot be kept under a name"
            hint = f"name it at the top: {word.text} means ..."
            self.names.report("wrong-type", message, word.span, hint)
            return evolve(value, type=ANYTHING)
        return self.names.named(word, value.type)

    def step(self, name: str, place: Place) -> int:
        """Return the first instruction of a step, which is built when all else is."""
        if name not in self.steps:
            span = self.names.steps[name].span
            self.steps[name], test = self.placeholder(span)
            inner = Place(
                next=place.end_turn, end_turn=place.end_turn, end_game=place.end_game, name=name
            )
            self._pending.append((name, test, inner))
        return self.steps[name]

    def finish(self) -> None:
        """Build the steps that are asked for; report those that nothing leads to."""
        while self._pending:
            name, test, place = self._pending.pop()
            test.next = test.other = self.build(self.names.steps[name].child(1), Scope(), place)
        for name, node in self.names.steps.items():
            if name not in self.steps:
                hint = f"write where it begins: go to {name}"
                message = f'nothing leads to the step "{name}"'
                self.names.undone("unused-step", message, node.child(0).span, hint)

    def node_name(self, place: Place) -> str:
        """Return a name for a choice or a throw: where it stands, and the how-manieth there."""
        self._choices[place.name] = self._choices.get(place.name, 0) + 1
        return f"{place.name} {self._choices[place.name]}"


# ---- statements that nothing leads to


def report_dead_ends(names: Names, block: Node) -> None:
    """Report the first statement of a block that stands behind one that leads away."""
    parts = [p for part in block.parts() for p in _simple(part)]
    for before, after in pairwise(parts):
        if before.kind in JUMPS:
            message = "this is never reached: what comes before it leads elsewhere"
            hint = "leave it out, or write it earlier"
            names.report("never-reached", message, after.span, hint)
            return
        if names.is_whole and _is_endless(before):  # a line with a mistake may leave it
            message = "this is never reached: nothing leaves the repetition before it"
            hint = "end it with leave, or write: repeat until ..., repeat 3 times"
            names.report("never-reached", message, after.span, hint)
            return


def _is_endless(node: Node) -> bool:
    """Tell whether a statement repeats something for ever, as far as the next statement knows."""
    parts = node.parts()
    return node.kind == "repeat" and len(parts) == 1 and not _leaves(parts[0])


def _leaves(block: Node) -> bool:
    """Tell whether `leave` stands in a block, but not in a repetition inside it."""
    inner = (part for part in block.parts() if part.kind not in ("repeat", "each"))
    return any(part.kind == "leave" or _leaves(part) for part in inner)


Handler = Callable[[Builder, Node, Scope, Place], int]
"""Builds a statement of one kind; returns the number of its first instruction."""


def _simple(part: Node) -> list[Node]:
    return part.parts() if part.kind in BLOCKS else [part]

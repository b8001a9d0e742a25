"""The course of a game as instructions: what the referee runs and the compiler explores.

Instructions are numbered; each names the numbers of those that follow. Values live in slots of one
list, the environment: variables of the players (one slot for each seat, counted from the player
to move), of the table, of the turn, the dice, and names bound in the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from math import comb
from typing import NamedTuple, Protocol

from attrs import define, field, frozen

from dicegames.ground import multiset
from dicegames.ground.graphs import cycles, reached
from dicegames.ground.multiset import Multiset
from dicegames.ground.source import Span
from dicegames.rules.parts.types import DiceKind, Type, Value

Environment = list[Value]
Run = Callable[[Environment], Value]


@frozen
class Expression:
    """A checked expression: its type, how to compute it, and the slots that it reads.

    `equal` are two expressions that a condition compares before it looks at anything else: it does
    not hold where they differ. It holds where one of its `alternatives` does.
    """

    type: Type
    run: Run = field(eq=False)
    reads: frozenset[int] = frozenset()
    constant: bool = False
    span: Span = Span(0, 0)
    equal: tuple[Expression, ...] = field(default=(), eq=False, repr=False)
    alternatives: tuple[Expression, ...] = field(default=(), eq=False, repr=False)

    def value(self) -> Value:
        """Return the value of a constant expression."""
        return self.run([])


@define
class Instruction:
    """Something that happens; `next` is the number of the instruction that follows."""

    span: Span
    next: int

    def successors(self) -> list[int]:
        """Return the numbers of the instructions that may follow."""
        return [self.next]

    @property
    def targets(self) -> range:
        """The slots one of which is set, if this is an assignment."""
        return range(0)


@define
class Set(Instruction):
    """Give a slot a new value; `addition` is set where the value is the old one plus it."""

    slot: int = -1
    value: Expression | None = None
    addition: Expression | None = None
    index: Expression | None = None  # of a player or a key: the slot is `slot` plus its value
    width: int = 1
    apart: int = 1  # how far the slots are from each other that may be meant
    within: range | None = None
    ranges: tuple[range | None, ...] = ()  # by index, where they differ
    capped: bool = False
    scale: int = 1  # an addition is multiplied by it: -1 subtracts
    counts: bool = False  # the repetitions of a loop that has a given number of them

    @property
    def targets(self) -> range:
        return range(self.slot, self.slot + self.width, self.apart)

    def range_of(self, slot: int) -> range | None:
        """Return the values that a target may have, None for all numbers."""
        return self.ranges[slot - self.slot] if self.ranges else self.within


@define
class Test(Instruction):
    """Go on at `next` if the condition holds, at `other` if not."""

    condition: Expression
    other: int

    def successors(self) -> list[int]:
        return [self.next, self.other]


class Candidate(NamedTuple):
    """One way to fill a choice: the value that is bound, its text, and whether it is there."""

    value: Value
    text: str
    present: Value


@define(eq=False)
class Alternative:
    """A line of a `choose`: a label, what is picked, the conditions, and where it leads.

    `names` are what the rules call that which is picked, and how to read it; `whole` is what it is
    picked from, if that is one thing; `rolls` tells whether it is thrown, so that the rest is kept.
    `told` is what the option is called where its moves are spoken of as one.
    """

    label: str
    span: Span
    entry: int
    slot: int = -1
    candidates: Callable[[Environment], list[Candidate]] | None = None
    reads: frozenset[int] = frozenset()
    conditions: list[Expression] = field(factory=list)
    texts: Callable[[Environment], list[str]] | None = None  # what may ever be picked
    names: dict[str, Expression] = field(factory=dict)
    whole: Expression | None = None
    rolls: bool = False
    told: str = ""


@frozen(repr=False)
class Move:
    """A legal move: its name as the rules say it, and where it leads."""

    label: str
    entry: int
    slot: int = -1
    value: Value = None

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"<Move {self.label!r}>"


Offer = tuple[Alternative | None, Move, Value]
"""A move of an option (of none where no option is legal), and the condition that it is legal."""


@frozen
class Decided:
    """What strategies make of a choice.

    moves: the moves that are played, each with the condition that it is legal, and that it is
    played. silent: the condition that nothing is said. free: whether more than one of the moves
    can be left to choose from. for_turn: further moves, of which that one is played which brings
    the most points in this turn.
    """

    moves: list[tuple[Move, Value, Value]]
    silent: Value = False
    free: bool = False
    for_turn: list[tuple[Move, Value, Value]] = field(factory=list)


@frozen(eq=False)
class Delegate:
    """Decides a choice in place of some or all players; `reads` are the slots that it looks at.

    `explain` says why nothing is played where all values are plain, and where that stands; `look`
    finds the move that brings the most points in this turn, where a strategy asks for that.
    """

    run: Callable[[Environment, list[Offer]], Decided]
    explain: Callable[[Environment, list[Offer]], tuple[str, Span]]
    reads: frozenset[int]
    look: Callable[[Environment], Move] | None = None


@define
class Choose(Instruction):
    """The player to move chooses one of the options that are legal; if none is, `other`."""

    options: list[Alternative] = field(factory=list)
    other: int = -1
    name: str = ""
    decision: Delegate | None = None

    def successors(self) -> list[int]:
        return [o.entry for o in self.options] + ([self.other] if self.other >= 0 else [])


@define
class Throw(Instruction):
    """Throw as many dice of a kind as slot `count` says, onto the pile in slot `pile`.

    With a `source` so many are drawn of the pile in that slot; nothing is taken from it here.
    `again`: only dice that lie on the table are thrown, as in `roll dice`.
    """

    kind: DiceKind
    pile: int
    count: int
    name: str
    source: int = -1
    again: bool = False

    @property
    def verb(self) -> str:
        """What is done here: `draw` from a pile, or `throw` dice."""
        return "draw" if self.source >= 0 else "throw"

    def ways(self, env: Environment) -> tuple[tuple[tuple[Multiset, int], ...], int]:
        """Return what chance may bring, each with the number of ways to it; and all ways."""
        count = env[self.count]
        if self.source >= 0:
            return multiset.draws(env[self.source], count), comb(sum(env[self.source]), count)
        return multiset.ways(count, self.kind.weights), sum(self.kind.weights) ** count

    def lying(self, env: Environment) -> tuple[tuple[Multiset, int], ...]:
        """Return what may lie in the pile afterwards, each with the number of ways to it."""
        there = env[self.pile]
        if self.source < 0:
            return multiset.onto(there, env[self.count], self.kind.weights)
        return tuple((multiset.add(there, brought), n) for brought, n in self.ways(env)[0])


@define
class Note(Instruction):
    """An event that may be asked for."""

    label: str = ""
    what: Expression | None = None  # a box whose name is the event


@define
class Pay(Instruction):
    """A payment between two players, as offsets from the player to move."""

    amount: Expression
    payer: int
    payee: int
    money: int


@define
class TurnEnds(Instruction):
    """The seats rotate, the variables of the turn start anew; `next` begins the next turn."""


@define
class Finish(Instruction):
    """The game is over."""

    def successors(self) -> list[int]:
        return []


def reachable(flow: list[Instruction], start: int, ends: Container[int] = ()) -> set[int]:
    """Return the numbers of all instructions that can be reached from one, up to the `ends`."""
    return {*reached([start], lambda at: () if at in ends else flow[at].successors())}


class Reads(Protocol):
    """Whatever looks at slots."""

    @property
    def reads(self) -> frozenset[int]:
        """The slots that it looks at."""


def read_by(parts: Iterable[Reads | None]) -> frozenset[int]:
    """Return the slots that some parts look at; those that are None are not there."""
    return frozenset[int]().union(*(part.reads for part in parts if part is not None))


def expressions_of(instruction: Instruction) -> list[Expression]:
    """Return the expressions that an instruction asks."""
    parts: list[Expression | None] = []
    match instruction:
        case Set(value=value, addition=addition, index=index):
            parts = [value, addition, index]
        case Choose(options=options):
            parts = [c for o in options for c in o.conditions]
        case Test(condition=one) | Pay(amount=one) | Note(what=one):
            parts = [one]
    return [p for p in parts if p is not None]


def reads_of(instruction: Instruction) -> frozenset[int]:
    """Return the slots that an instruction reads, other than for its own addition."""
    match instruction:
        case Choose(options=options, decision=decision):
            asked = frozenset[int]() if decision is None else decision.reads
            return asked.union(*(option_reads(o) for o in options))
        case Throw(count=count, pile=pile, source=source):
            return frozenset({count, pile, *([source] if source >= 0 else [])})
    return read_by(expressions_of(instruction))


def written_by(instruction: Instruction) -> frozenset[int]:
    """Return the slots that an instruction may change, in the turn in which it stands."""
    match instruction:
        case Throw(pile=pile, count=count):
            return frozenset((pile, count))
        case Choose(options=options):
            return frozenset(option.slot for option in options)
        case Pay(money=money, payer=payer, payee=payee):
            return frozenset((money + payer, money + payee))
    return frozenset(instruction.targets)


def option_reads(option: Alternative) -> frozenset[int]:
    """Return the slots that tell what may be picked, and whether it is legal."""
    return (option.reads | read_by(option.conditions)) - {option.slot}


def repeats_openly(flow: list[Instruction]) -> bool:
    """Return whether how often something is repeated is known in play only."""
    for instruction in flow:
        if isinstance(instruction, Set) and instruction.counts:
            head = flow[instruction.next]
            assert isinstance(head, Test)
            if head.condition.reads - {instruction.slot}:
                return True
    return False


def in_cycles(flow: list[Instruction], *, counted: bool = True) -> set[int]:
    """Return the instructions that can come again within one turn.

    Without `counted`, loops with a given number of repetitions are left after the first one.
    """
    edges = {
        number: [] if isinstance(i, TurnEnds) else i.successors() for number, i in enumerate(flow)
    }
    if not counted:
        for number, instruction in enumerate(flow):
            if isinstance(instruction, Set) and instruction.counts:
                head = flow[instruction.next]
                assert isinstance(head, Test)
                edges[number] = [head.other]
    return {number for group in cycles(edges) for number in group}

"""The course of a game: from a position, statement by statement, to the next one.

What is still to be done is a stack of frames: a block, and how far it has come. A position is the
stack with all piles and variables, so that equal positions are recognised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import comb, factorial, prod
from operator import itemgetter
from typing import NoReturn

from attrs import define, evolve, field, frozen

from dicegames.syntax.nodes import Node
from tests.reference.changes import joined, move_dice, pay, set_variable, taken, use_box
from tests.reference.expressions import View
from tests.reference.moves import Move, legal_moves
from tests.reference.rulebook import Rulebook, face
from tests.reference.values import Broken, Dice, Kind, Player, Row, Value, members, parts, size

MOST_STEPS = 10_000
Names = tuple[tuple[str, Value], ...]


@frozen
class Loop:
    """A repetition: how often, until when, or for which values it goes on."""

    left: int | None = None
    until: int | None = None
    variable: str = ""
    where: int = 0
    """The block that says for which values."""
    is_each_die: bool = False
    passed: int = -1
    """The place in their order up to which all values have had their turn."""


@frozen(cache_hash=True)
class Frame:
    """A block that has come to the statement `at`; what began it is a loop, or a choice."""

    block: int
    at: int = 0
    names: Names = ()
    loop: Loop | None = None
    is_move: bool = False


@frozen(cache_hash=True)
class Position:
    """Where chance acts, a player chooses, or the game is over."""

    kind: str
    stack: tuple[Frame, ...]
    cells: tuple[Value, ...]
    throwing: tuple[tuple[str, int, str], ...] = ()
    """What is thrown or drawn next: the pile, how many, and of what it is drawn."""


@frozen
class Way:
    """How play goes on: with what probability or by which move, and what happens on the way."""

    to: Position
    probability: Fraction
    label: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    """What is noted: the words of the rules, and what it is."""
    turn_ends: tuple[Value, ...] | None = None
    """The cells when a turn was over on this way."""
    ends_inside: bool = False
    """Whether it was over because the game was ended inside it."""
    turns: int = 0
    passed: tuple[tuple[Value, ...], ...] = ()
    """The cells when each turn after that was over, in which nothing was thrown or chosen."""


@define
class Course:
    """The rules of a game as a machine that goes from position to position."""

    book: Rulebook
    blocks: list[tuple[Node, ...]] = field(factory=list)
    numbers: dict[int, int] = field(factory=dict)
    counted_by_turn: str = ""
    """A variable that begins anew in every turn, of turns that come again without end."""
    known: dict[Position, list[Way]] = field(factory=dict, init=False)
    """The ways on that were looked at: many questions are about the same positions."""

    def block(self, node: Node) -> int:
        """Return the number of a block; its statements stand one after another."""
        if id(node) not in self.numbers:
            lines = [part for part in node.parts() if part.kind != "block"]
            flat = [
                s for line in lines for s in (line.parts() if line.kind == "statements" else [line])
            ]
            self.numbers[id(node)] = len(self.blocks)
            self.blocks.append(tuple(flat))
        return self.numbers[id(node)]

    def alone(self, node: Node) -> int:
        """Return the number of a block that is one expression."""
        if id(node) not in self.numbers:
            self.numbers[id(node)] = len(self.blocks)
            self.blocks.append((node,))
        return self.numbers[id(node)]

    @property
    def counts_rounds(self) -> bool:
        """Whether the rules ask for the round; if not, it makes no difference."""
        if self.counted_by_turn:
            return False
        return "round" in self.book.names or any(e.kind == "ends_rounds" for e in self.book.ends)

    def turn(self) -> Frame:
        assert self.book.turn is not None
        return Frame(self.block(self.book.turn))

    def first_cells(self) -> tuple[Value, ...]:
        """Return the cells before anything happens."""
        return tuple(_begin(self.book).values())

    def start(self) -> Way:
        return Run(self, _begin(self.book), [self.turn()]).way(Fraction(1))

    def ways(self, position: Position) -> list[Way]:
        """Return how play can go on: the chance outcomes, or the legal moves in their order."""
        if position not in self.known:
            if position.kind == "chance":
                found = list(self._throws(position))
            else:
                found = [self._after(position, move) for move in self.moves(position)]
            self.known[position] = found
        return self.known[position]

    def way(self, position: Position, number: int) -> Way:
        """Return how play goes on by a move; others may break the rules, and are not made."""
        if position in self.known:
            return self.known[position][number]
        return self._after(position, self.moves(position)[number])

    def moves(self, position: Position) -> list[Move]:
        run = self._run(position)
        found = legal_moves(run.view(), run.statement())
        if not found:
            raise Broken("no move is legal")
        return found

    def seat(self, position: Position) -> int:
        """Return the seat of the player whose turn it is, from 0."""
        return int(position.cells[cell_names(self.book).index("seat")])

    def view(self, position: Position) -> View:
        return self._run(position).view()

    def view_of(self, cells: tuple[Value, ...]) -> View:
        """Return what sentences see that are about the end of a turn or of the game."""
        named = dict(zip(cell_names(self.book), cells, strict=True))
        return View(self.book, named, named["seat"], named["seat"])

    def _run(self, position: Position) -> Run:
        cells = dict(zip(cell_names(self.book), position.cells, strict=True))
        return Run(self, cells, list(position.stack), list(position.throwing))

    def _throws(self, position: Position) -> Iterator[Way]:
        pile, count, source = position.throwing[0]
        cells = dict(zip(cell_names(self.book), position.cells, strict=True))
        found = draws(cells[source], count) if source else throws(self.book.kinds[pile], count)
        for dice, probability in found:
            run = self._run(position)
            run.throwing = run.throwing[1:]
            run.cells[pile] = run.cells[pile].plus(dice)
            if source:
                run.cells[source] = run.cells[source].minus(dice)
            yield run.way(probability, " ".join(map(str, dice.faces)))

    def _after(self, position: Position, move: Move) -> Way:
        run = self._run(position)
        for target, amount in move.prices:
            inside = run.view().knowing(**dict(move.names))
            set_variable(inside, target, partial(_less, amount))
        run.advance()
        names = run.names() | dict(move.names)
        run.stack.append(Frame(self.block(move.block), 0, tuple(names.items()), is_move=True))
        return run.way(Fraction(1), move.label)


def way_after(before: Way, way: Way) -> Way:
    """Return a way with the turns before it; a turn that ended on it is one of these."""
    return evolve(way, turns=before.turns + way.turns, turn_ends=None)


def past_certain(course: Course, way: Way) -> Way:
    """Follow throws of which one thing only can come, such as those of no dice."""
    while way.to.kind == "chance" and len(ways := course.ways(way.to)) == 1:
        way = way_after(way, ways[0])
    return way


def throws(kind: Kind, count: int) -> Iterator[tuple[Dice, Fraction]]:
    """Yield the multisets of so many dice thrown, with their probabilities."""
    total = sum(kind.weights)

    def fill(at: int, left: int) -> Iterator[tuple[int, ...]]:
        if at == len(kind.faces) - 1:
            yield (left,)
            return
        for number in range(left, -1, -1):
            for rest in fill(at + 1, left - number):
                yield (number, *rest)

    for numbers in fill(0, count):
        orders = factorial(count) // prod(map(factorial, numbers))
        weight = prod(w**n for w, n in zip(kind.weights, numbers, strict=True))
        faces = tuple(f for f, n in zip(kind.faces, numbers, strict=True) for _ in range(n))
        if weight:
            yield Dice(kind, faces), Fraction(orders * weight, total**count)


def draws(lying: Dice, count: int) -> Iterator[tuple[Dice, Fraction]]:
    """Yield what can be drawn of some things without putting back, with the probabilities."""
    there = Counter(lying.faces)
    for part in parts(lying, count, count):
        drawn = Counter(part.faces)
        ways = prod(comb(there[face], number) for face, number in drawn.items())
        yield part, Fraction(ways, comb(size(lying), count))


def cell_names(book: Rulebook) -> list[str]:
    return [*book.piles, *book.variables, "used", "seat", "round"]


def _begin(book: Rulebook) -> dict[str, Value]:
    cells: dict[str, Value] = {name: book.at_first(name) for name in book.piles}
    cells |= {"seat": 0, "round": 1, "used": (frozenset(),) * book.players}
    for name in book.variables:
        cells[name] = beginning(book, cells, name)
    return {name: cells[name] for name in cell_names(book)}


def _less(amount: int, old: Value) -> Value:
    return old - amount


def beginning(book: Rulebook, cells: dict[str, Value], name: str) -> Value:
    """Return what a variable is at first: by seat where every player has one."""
    variable = book.variables[name]
    values = []
    for seat in range(book.players):
        view = View(book, cells, seat, seat)
        each, array = variable.node.children[1:3]
        initial = variable.node.child(3)
        if initial.kind == "words":
            value: Value = face(initial.child(0))
        elif array is not None:
            of = "" if each is None else each.text
            value = tuple((k, view.knowing(**{of: k})(initial)) for k in members(view(array)))
        else:
            value = view(initial)
        values.append(value)
    return tuple(values) if variable.scope.startswith("each") else values[0]


class GameOver(Exception):
    """The game ends at once."""


@define
class Run:
    """Play on its way from one position to the next."""

    course: Course
    cells: dict[str, Value]
    stack: list[Frame]
    throwing: list[tuple[str, int, str]] = field(factory=list)
    notes: list[tuple[str, str]] = field(factory=list)
    turn_ends: tuple[Value, ...] | None = None
    ends_inside: bool = False
    turns: int = 0
    passed: list[tuple[Value, ...]] = field(factory=list)

    @property
    def book(self) -> Rulebook:
        return self.course.book

    def names(self) -> dict[str, Value]:
        return dict(self.stack[-1].names) if self.stack else {}

    def view(self) -> View:
        return View(self.book, self.cells, self.cells["seat"], self.cells["seat"], self.names())

    def statement(self) -> Node:
        top = self.stack[-1]
        return self.course.blocks[top.block][top.at]

    def advance(self) -> None:
        top = self.stack[-1]
        self.stack[-1] = Frame(top.block, top.at + 1, top.names, top.loop, top.is_move)

    def way(self, probability: Fraction, label: str = "") -> Way:
        """Go on to the next position, and return the way that led there."""
        try:
            to = self._go()
        except GameOver:
            self._turn_noted()
            to = self._position("over", [])
        ends = self.turn_ends, self.ends_inside, self.turns, tuple(self.passed)
        return Way(to, probability, label, tuple(self.notes), *ends)

    def _position(self, kind: str, stack: list[Frame]) -> Position:
        cells = tuple(self.cells[name] for name in cell_names(self.book))
        return Position(kind, tuple(stack), cells, tuple(self.throwing))

    def _go(self) -> Position:
        for _ in range(MOST_STEPS):
            if self.throwing:
                return self._position("chance", self.stack)
            if not self.stack:
                self._turn_over()
            elif self.stack[-1].at == len(self.course.blocks[self.stack[-1].block]):
                frame = self.stack.pop()
                if frame.loop is not None:
                    self._again(frame)
            elif self.statement().kind == "choose":
                return self._position("choice", self.stack)
            else:
                node = self.statement()
                self.advance()
                getattr(self, f"_{node.kind.rstrip('_')}")(*node.children)
        raise Broken("play goes on for ever without a throw or a choice")

    # ---- the end of a turn

    def _turn_noted(self) -> None:
        cells = tuple(self.cells[name] for name in cell_names(self.book))
        if self.turn_ends is None:
            self.turn_ends = cells
        else:
            self.passed.append(cells)
        self.turns += 1

    def _turn_over(self) -> None:
        book, cells = self.book, self.cells
        is_last = cells["seat"] == book.players - 1
        view = evolve(self.view(), is_end=True)
        again = self.course.counted_by_turn
        if not again and any(_ends(view, node, is_last=is_last) for node in book.ends):
            raise GameOver
        self._turn_noted()
        cells["seat"] = (cells["seat"] + 1) % book.players
        cells["round"] += is_last and self.course.counts_rounds
        cells |= {name: book.at_first(name) for name in book.piles}
        for name, variable in book.variables.items():
            if variable.scope.startswith("this") or name == again:
                cells[name] = beginning(book, cells, name)
        self.stack = [self.course.turn()]

    # ---- blocks

    def _enter(self, block: Node) -> None:
        self.stack.append(Frame(self.course.block(block), names=tuple(self.names().items())))

    def _again(self, frame: Frame) -> None:
        """Begin the next repetition of a loop, if there is one; its frame is gone already."""
        loop = frame.loop
        assert loop is not None
        names = self.names()
        if loop.until is not None and self.view()(self.course.blocks[loop.until][0]):
            return
        if loop.left is not None and not loop.is_each_die:
            if loop.left <= 0:
                return
            loop = evolve(loop, left=loop.left - 1)
        if loop.variable:
            view = self.view()
            there = view(self.course.blocks[loop.where][0])
            left = _left(view, loop, there)
            if not left:
                return
            names |= {loop.variable: left[0][1]}
            if loop.is_each_die:
                more = loop.left or there.faces.count(left[0][1])
                loop = evolve(loop, left=more - 1)
            loop = evolve(loop, passed=left[0][0])
        self.stack.append(Frame(frame.block, 0, tuple(names.items()), loop))

    def _repeat(self, how: Node | None, block: Node) -> None:
        loop = Loop()
        if how is not None:
            found = self.view()(how)
            is_condition = isinstance(found, bool)
            loop = Loop(until=self.course.alone(how)) if is_condition else Loop(left=found)
        self._again(Frame(self.course.block(block), loop=loop))

    def _each(self, name: Node, where: Node, block: Node) -> None:
        loop = Loop(variable=name.text, where=self.course.alone(where))
        self._again(Frame(self.course.block(block), loop=loop))

    def _each_die(self, _die: Node, name: Node, where: Node, block: Node) -> None:
        loop = Loop(variable=name.text, where=self.course.alone(where), is_each_die=True)
        self._again(Frame(self.course.block(block), loop=loop))

    def _leave(self) -> None:
        while self.stack.pop().loop is None:
            pass

    def _next(self) -> None:
        while (frame := self.stack.pop()).loop is None:
            pass
        self._again(frame)

    def _choose_again(self) -> None:
        while not self.stack.pop().is_move:
            pass
        self.stack[-1] = evolve(self.stack[-1], at=self.stack[-1].at - 1)

    def _go_to(self, step: Node) -> None:
        self.stack = [Frame(self.course.block(self.book.steps[step.text]))]

    def _pass(self) -> None:
        pass

    def _end_turn(self) -> None:
        self.stack = []

    def _end_game(self) -> NoReturn:
        self.ends_inside = self.turn_ends is None
        raise GameOver

    def _if(self, condition: Node, block: Node, *others: Node | None) -> None:
        if self.view()(condition):
            self._enter(block)
            return
        for other in filter(None, others):
            if other.kind == "else_block":
                self._enter(other.child(0))
                return
            if self.view()(other.child(0)):
                self._enter(other.child(1))
                return

    # ---- dice

    def _roll_all(self) -> None:
        for name, of in self.book.piles.items():
            if of in self.book.kinds:
                self.cells[name] = Dice(self.book.kinds[of])
        self.throwing = [(kind.name, kind.count, "") for kind in self.book.kinds.values()]

    def _roll_pile(self, what: Node) -> None:
        dice = self.view()(what)
        if not self.cells[dice.kind.name].holds(dice):
            raise Broken("dice are thrown that do not lie there")
        self.cells[dice.kind.name] = self.cells[dice.kind.name].minus(dice)
        self.throwing = [(dice.kind.name, len(dice.faces), "")]

    def _roll_count(self, how_many: Node, *rest: Node | None) -> None:
        kinds, named = self.book.kinds, [n.text for n in rest if n is not None and n.kind == "NAME"]
        kind = kinds[self.names().get(named[0], named[0])] if named else next(iter(kinds.values()))
        more = any(n is not None and n.kind == "MORE" for n in rest)
        lying = (more and self.cells[kind.name]) or Dice(kind)
        piles = [name for name, of in self.book.piles.items() if of == kind.name]
        aside = sum(size(self.cells[name] or Dice(kind)) for name in piles if name not in kinds)
        count = self.view()(how_many)
        if not 0 <= count <= kind.count - size(lying) - aside:
            raise Broken("more dice are thrown than there are")
        self.cells |= {name: self.cells[name] or Dice(kind) for name in piles}
        self.cells[kind.name] = lying
        self.throwing = [(kind.name, count, "")]

    def _move_dice(self, what: Node, source: Node | None, target: Node) -> None:
        view = self.view()
        dice = view(what)
        named = what.child(0).text if what.kind == "name" else ""
        usual = named if named in self.book.piles else dice.kind.name
        move_dice(view, dice, usual if source is None else source.text, target.text)

    def _draw(self, how_many: Node, source: Node | None, target: Node) -> None:
        count, of = self.view()(how_many), self.book.piles[target.text]
        pile = of if source is None else source.text
        if not 0 <= count <= size(self.view().variable(pile)):
            raise Broken("more is drawn than there is")
        self.throwing = [(target.text, count, pile)]

    # ---- what else changes

    def _let(self, name: Node, expr: Node) -> None:
        names = self.names() | {name.text: self.view()(expr)}
        self.stack[-1] = evolve(self.stack[-1], names=tuple(names.items()))

    def _assign(self, target: Node, expr: Node) -> None:
        value = self.view()(expr)
        set_variable(self.view(), target, lambda _: value)

    def _increase(self, target: Node, expr: Node) -> None:
        value = self.view()(expr)
        set_variable(self.view(), target, lambda old: joined(old, value))

    def _decrease(self, target: Node, expr: Node) -> None:
        value = self.view()(expr)
        set_variable(self.view(), target, lambda old: taken(old, value))

    def _use(self, row: Node) -> None:
        use_box(self.view(), self.view()(row))

    def _note(self, what: Node) -> None:
        value = self.view()(what)
        form = value.label if isinstance(value, Row) else str(value)
        words = " ".join(self.book.text[what.span.start : what.span.end].split())
        self.notes.append((words if isinstance(value, Row) else form, form))

    def _pay(self, amount: Node, source: Node, target: Node) -> None:
        view = self.view()
        pay(view, view(amount), view(source), view(target))


def place(view: View, value: Value) -> int:
    """Return where a value stands among all that `each` goes through: faces, rows, players."""
    if isinstance(value, Row):
        return view.book.rows.index(value)
    if isinstance(value, Player):
        return (value.seat - view.mover) % view.book.players
    if isinstance(value, str):
        kinds = (*view.book.kinds.values(), *view.book.bags.values())
        words = [*(k.faces for k in kinds), tuple(view.book.kinds)]
        return next(faces.index(value) for faces in words if value in faces)
    return int(value)


def _left(view: View, loop: Loop, there: Value) -> list[tuple[int, Value]]:
    """Return what a loop has still to go through, with the places."""
    if loop.is_each_die:
        return _dice_left(loop, there)
    placed = [(place(view, value), value) for value in members(there)]
    return sorted((p for p in placed if p[0] > loop.passed), key=itemgetter(0))


def _dice_left(loop: Loop, there: Dice) -> list[tuple[int, Value]]:
    """Return the next die: of each face in turn as many as there are when its turn comes."""
    if loop.left:
        return [(loop.passed, there.kind.faces[loop.passed])]
    faces = list(enumerate(there.kind.faces))[loop.passed + 1 :]
    return [(at, face) for at, face in faces if face in there.faces]


def _ends(view: View, node: Node, *, is_last: bool) -> bool:
    if node.kind == "ends_when":
        return bool(view(node.child(0)))
    if not is_last:
        return False
    found = view(node.child(0))
    return bool(found) if node.kind == "ends_round_when" else view.cells["round"] >= found

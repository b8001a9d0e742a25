"""What names mean while rules are checked: variables, tables, maps, named expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from attrs import define, evolve, field, frozen

from dicegames.ground.diagnostic import Diagnostic, Diagnostics, did_you_mean, named
from dicegames.ground.multiset import empty
from dicegames.ground.numbers import NUMBER_WORDS
from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.ranking import Ranking
from dicegames.rules.parts.rows import Row
from dicegames.rules.parts.types import DiceKind, Type, Value
from dicegames.syntax.nodes import Node
from dicegames.syntax.tokens import RESERVED

A_LETTER = '"{}" is any face in "show {}", and no number; ask: some f in dice has (f > 3 and ...)'
UNDECLARED = "variables are declared under each player, table or this turn; others: NAME means ..."
NOT_NAMES = {
    "the": "leave it out",
    "true": "write: yes",
    "false": "write: no",
    "empty": "write: is empty",
    "rest": "what is not picked: dice - k; what lies in no pile: dice",
    "it": "give what is picked a name, and use that: some of dice as k: roll k",
    "again": "write: roll all, roll dice, or: choose again",
    **dict.fromkeys(("opponent", "enemy", "rival"), "the other of two players is: left of mover"),
    **dict.fromkeys(("else", "default"), "write: otherwise"),
    **dict.fromkeys(("win", "wins"), "it stands alone, after a ranking: payoff win"),
    "place": "say whose: place of p, for each p in players under: at the end",
    "loser": "who is last has: place of p = size of players",
    "bank": "payments are from player to player; points of a bank are added: score + 2",
    "first": "the first place is: 1; the player who has it: winner",
    "all": "say how many: size of cup; or who: players",
    **dict.fromkeys(
        ("die", "roll", "throw", "both"), "what is thrown shows: sum of dice; to throw: roll all"
    ),
    **{
        f"{word}{n}": "single dice have no names: highest of dice; a pair: dice show x x"
        for word in ("die", "dice", "d")
        for n in range(1, 7)
    },
    **{word: f"say of what: {word} of dice" for word in ("sum", "size", "distinct")},
    "number": "say of what: number of 6 in dice",
    **{w: f"of the dice: {w} 1 of dice; the number: {w} of dice" for w in ("highest", "lowest")},
    **dict.fromkeys(("pair", "double", "doubles"), "write: dice show x x"),
    **dict.fromkeys(("triple", "triples"), "write: dice show x x x"),
    **dict.fromkeys(("drawn", "marble", "ball"), "what is drawn lies in a pile: red in hand"),
    "straight": "write: dice show run of 5",
}
NOT_NAMES |= {word: f"write: {number}" for number, word in enumerate(NUMBER_WORDS)}
NEARLY_THE_SAME = 0.8
"""How alike a name has to be that is meant although it does not fit: its writer sees why."""
Fits = Callable[[str], bool]
OWN_NAMES = frozenset(("seat", "round", "used", "mover", "others", "winner", "boxes", "win", "sum"))
"""What the language itself keeps and names."""


class Reported(Exception):
    """A sentence makes no sense, since a part of it is mistaken; that has been reported."""


class Mistake(Reported):
    """A mistake that is to be reported by whoever goes on with the rest of the file.

    `missing` is the name of what is not there: it may stand in a part with mistakes.
    """

    def __init__(self, code: str, message: str, span: Span, help: str = "", missing: str = ""):
        self.found = Diagnostic(code, message, span, help)
        self.missing = missing


@frozen
class Variable:
    """A declared variable: `width` slots from `base` on, one for each player if it is theirs.

    scope: player, table, turn, or local (bound inside the rules). keys: the members of a
    variable that holds a value for each of several numbers ("progress of (2 to 12)"). First value
    and range may differ from key to key: here are those of the first key, `Names.slots` has all.
    """

    name: str
    type: Type
    scope: str
    base: int
    width: int
    span: Span
    initial: Value = None
    within: range | None = None
    capped: bool = False
    keys: tuple[int, ...] = ()

    @property
    def with_limit(self) -> str:
        """How to declare it with a limit; how high that is the author has to say."""
        return self.within_limits(self.initial, 2000)

    @property
    def with_limits(self) -> str:
        """How to declare it with a limit on both sides."""
        return self.within_limits(-2000, 2000)

    def within_limits(self, lowest: int, highest: int) -> str:
        """How to declare it with a range at whose ends it stays, which has its first value."""
        first, keys = self.initial, ""
        if self.keys:
            keys = f" of ({self.keys[0]} to {self.keys[-1]})"
        start = "" if first == lowest else f"{first} from "
        if first > highest:
            highest = 10 ** len(str(first))
        return f"{self.name}{keys} = {start}{lowest} to {highest} capped"

    def positions(self, player: int) -> dict[int, int]:
        """Return for each key where a player's value lies, counted from `base`."""
        step = self.width // max(1, len(self.keys))
        offset = player if self.scope == "player" else 0
        return {key: i * step + offset for i, key in enumerate(self.keys)}


@frozen
class Option:
    """A house rule: its possible values, of a number perhaps all of a range, and the one set."""

    name: str
    values: tuple[Value, ...]
    value: Value
    span: Span
    within: range | None = None


@frozen
class Scope:
    """The names bound where an expression stands.

    player: whose variables are meant, counted from the player to move. everyone: `all boxes` are
    those of all players. inside: the named expressions that are being explained.
    """

    bound: dict[str, Variable | Expression] = field(factory=dict)
    player: int = 0
    everyone: bool = False
    inside: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()

    def called(self, name: str) -> str:
        """Return what is meant by a name by its own name: in `each k in hand` it may be `red`."""
        meaning = self.bound.get(name)
        return meaning.name if isinstance(meaning, Variable) else name

    def bind(self, name: str, meaning: Variable | Expression) -> Scope:
        """Return this scope with one more name."""
        letters = self.letters - {name}
        return evolve(self, bound={**self.bound, name: meaning}, letters=letters)


@frozen
class Use:
    """Where a named expression is used, and the slots that it reads but is not handed there.

    is_bound: it is handed what has its name from the same sentence or block, as `fits of c` where
    `c` is picked.
    """

    span: Span
    reads: frozenset[int]
    is_bound: bool = False


@define
class Names:
    """Everything declared at the top level of a rules file."""

    diagnostics: Diagnostics
    players: int = 1
    has_payments: bool = False
    ranking: Ranking | None = None
    asks_places: bool = False  # a sentence that has been checked asks who is in which place
    asks_players: bool = False  # ... who the players are, or how many; not to settle or to pay
    settles_by_players: bool = False  # the settlement asks it
    settles: bool = False  # the sentences that are checked are those of the settlement
    options: dict[str, Option] = field(factory=dict)
    words: set[str] = field(factory=set)
    kinds: dict[str, DiceKind] = field(factory=dict)
    variables: dict[str, Variable] = field(factory=dict)
    piles: dict[str, str] = field(factory=dict)  # pile -> kind
    tables: dict[str, list[Row]] = field(factory=dict)
    boxes: list[str] = field(factory=list)  # the tables whose rows are used up
    rows: dict[str, Row] = field(factory=dict)
    macros: dict[str, tuple[tuple[str, ...], Node]] = field(factory=dict)
    maps: dict[str, tuple[dict[Any, Any], Expression | None, Type]] = field(factory=dict)
    steps: dict[str, Node] = field(factory=dict)
    slots: list[Variable] = field(factory=list)  # slot -> its variable
    seated: list[int] = field(factory=list)  # first slots of what each player has
    of_turn: list[int] = field(factory=list)  # slots that every turn begins with anew
    declared: dict[str, Span] = field(factory=dict)
    doubtful: set[str] = field(factory=set)  # words of the parts with mistakes
    is_whole: bool = True  # no part of the file has mistakes of syntax
    contested: set[str] = field(factory=set)  # names that are given twice: either may be meant
    changing: set[str] = field(factory=set)  # the variables, before they are declared
    bound: list[Node] = field(factory=list)  # the words that sentences bind, in their order
    shown: dict[str, str] = field(factory=dict)  # letter -> the last pattern that has it
    reported: dict[str, Diagnostic] = field(factory=dict)  # what is said of missing names

    @property
    def points(self) -> str:
        """What points may be called in an example: the first number of the players, or score."""
        own = (v for v in self.variables.values() if v.scope == "player")
        return next((v.name for v in own if v.type.kind == "number"), "score")

    def ask_players(self) -> None:
        """Note that a sentence asks who the players are, or how many."""
        if self.settles:
            self.settles_by_players = True
        else:
            self.asks_players = True

    def report(self, code: str, message: str, span: Span, help: str = "") -> None:
        """Record a mistake."""
        self.diagnostics.add(code, message, span, help)

    @contextmanager
    def going_on(self, *declared: str) -> Iterator[None]:
        """Report a mistake that is raised inside, and go on; what it was to declare is in doubt."""
        try:
            yield
        except Reported as mistake:
            self.tell(mistake)
            self.doubtful.update(declared)

    def tell(self, mistake: Reported) -> None:
        """Report a mistake that was raised."""
        if isinstance(mistake, Mistake) and mistake.missing:
            self._tell_missing(mistake.missing, mistake.found)
        elif isinstance(mistake, Mistake):
            self.diagnostics.put(mistake.found)

    def _tell_missing(self, name: str, found: Diagnostic) -> None:
        """Report what is not there once, at the first place in the file at which it is missing."""
        earlier = self.reported.get(name)
        if name in self.doubtful or (earlier and earlier.span.start <= found.span.start):
            return
        if earlier is not None:
            self.diagnostics.take_back(earlier)
        self.reported[name] = found
        self.diagnostics.put(found)

    def undone(self, code: str, message: str, span: Span, help: str = "") -> None:
        """Report once what no sentence does, unless one with a mistake may be meant to do it."""
        if self.is_whole and not self.diagnostics.found:
            self.tell(Mistake(code, message, span, help, missing=code))

    def declare(self, name: str, span: Span) -> bool:
        """Claim a name at the top level; report it if it is taken."""
        if not self.is_free(name, span):
            self.doubtful.add(name)
            if name in self.declared:
                self.contested.add(name)
            return False
        self.declared[name] = span
        return True

    def is_free(self, name: str, span: Span) -> bool:
        """Tell whether a name can be given to something; report why it cannot."""
        if name in RESERVED or name in OWN_NAMES:
            message = f'the word "{name}" has a meaning of its own and cannot be a name'
            self.report("reserved", message, span, "choose another name")
            return False
        if name in self.declared:
            line, _ = self.diagnostics.source.line_column(self.declared[name].start)
            self.report("name-taken", f'the name "{name}" is used twice', span, f"see line {line}")
            return False
        return True

    def add_variable(self, variable: Variable, each: list[Variable] | None = None) -> Variable:
        """Give a variable its slots; `each` tells it for each of its keys where they differ."""
        base = len(self.slots)
        placed = evolve(variable, base=base)
        if placed.scope == "player":
            self.seated += range(base, base + placed.width, self.players)
        elif placed.scope in ("turn", "local"):
            self.of_turn += range(base, base + placed.width)
        if each is None or len(each) < 2:
            self.slots.extend([placed] * placed.width)
            return placed
        for one in each:
            own = evolve(one, base=base, width=placed.width)
            self.slots.extend([own] * (placed.width // len(each)))
        return placed

    def named(self, word: Node, type: Type) -> Variable:
        """Make a variable that the rules bind to a name: `some of dice as k`."""
        self.is_free(word.text, word.span)
        return self.local(word.text, type, word.span)

    def local(self, name: str, type: Type, span: Span) -> Variable:
        """Make a variable that is bound inside the rules."""
        return self.add_variable(Variable(name, type, "local", -1, 1, span))

    def add_pile(self, name: str, kind: DiceKind, span: Span) -> Variable:
        """Make a pile of dice, empty at the start of a turn; a bag is full then."""
        dice = Type("dice", (kind.name,))
        full = kind.is_drawn and name == kind.name
        initial = kind.weights if full else empty(len(kind.faces))
        pile = self.add_variable(Variable(name, dice, "turn", -1, 1, span, initial))
        self.variables[name] = pile
        self.piles[name] = kind.name
        return pile

    @property
    def thrown(self) -> dict[str, DiceKind]:
        """The kinds of dice that are thrown, without what is drawn from bags."""
        return {name: kind for name, kind in self.kinds.items() if not kind.is_drawn}

    def first_kind(self) -> DiceKind | None:
        """Return the first kind of dice; what lies in a bag only where nothing is thrown."""
        return next(iter({**self.thrown, **self.kinds}.values()), None)

    def main_pile(self) -> Variable | None:
        """Return the pile onto which the first kind of dice is thrown."""
        name = next(iter(self.thrown), None)
        return None if name is None else self.variables[name]

    def kind_of(self, type: Type) -> DiceKind:
        """Return the kind of dice of an expression that is dice."""
        return self.kinds[type.of[0]]

    def players_read(self, reads: frozenset[int]) -> dict[str, frozenset[int]]:
        """Return of which players, counted from the player to move, each variable is read."""
        found: dict[str, frozenset[int]] = {}
        for slot in sorted(reads):
            variable = self.slots[slot]
            if variable.scope == "player":
                of = found.get(variable.name, frozenset())
                found[variable.name] = of | {(slot - variable.base) % self.players}
        return found

    def known_names(self, scope: Scope) -> list[str]:
        """Return all names that could be meant."""
        names = [*scope.bound, *self.variables, *self.options, *self.tables, *self.macros]
        own = (name for name in names if "." not in name)  # what is kept beside the rules has one
        return [*own, *self.maps, *self.words]

    def known_before_of(self) -> list[str]:
        """Return the names that are looked up by something, as in `total of p`."""
        explained = [name for name, (parameters, _) in self.macros.items() if parameters]
        kept = [v.name for v in self.variables.values() if v.keys or v.scope == "player"]
        return [*explained, *self.maps, *kept]

    def unknown_name(self, name: str, span: Span, scope: Scope, fits: Fits) -> Reported:
        """Return what is said of a name that nothing declares; `fits`: what can stand there."""
        if name in self.changing and name not in self.doubtful:
            message = f'this must be fixed when the rules are read, but "{name}" changes in play'
            return Mistake("not-fixed", message, span, "numbers and options are fixed")
        if name in self.maps:
            hint = f"write what is looked up in it: {name} of ..."
            return Mistake("wrong-use", f'"{name}" is a map', span, hint)
        if self.diagnostics.is_full and name not in self.reported:
            return Reported()  # a hint takes its time where names are many
        known = [*self.known_names(scope), "all", "others", "mover", "winner"]
        hint = (
            NOT_NAMES.get(name)
            or (f'write it in quotes: "{name}"' if name in self.rows else "")
            or self._where_bound(name, span)
            or did_you_mean(name, filter(fits, known))
            or did_you_mean(name, [n for n in known if n not in self.words], NEARLY_THE_SAME)
            or UNDECLARED
        )
        return Mistake("unknown-name", f'nothing here is called "{name}"', span, hint, name)

    def _where_bound(self, name: str, span: Span) -> str:
        """Say where a name is known, such as that of `no n in up has n >= 5 and n <= 7`."""
        line_of = self.diagnostics.source.line_column
        starts = [word.span.start for word in self.bound if word.text == name]
        if not starts:
            return A_LETTER.format(name, self.shown[name]) if name in self.shown else ""
        last = max((s for s in starts if s < span.start), default=starts[0])
        line, _ = line_of(last)
        if last < span.start and line == line_of(span.start)[0]:
            return f'put all that is said of "{name}" in brackets: has (... and ...)'
        hint = f"{name} is known only in the block of line {line}"
        return f"{hint}; to keep it longer, declare it under: this turn"

    def no_dice(self, span: Span) -> Mistake:
        """Return what is said where dice are meant in a game without any."""
        message = "this game declares no dice"
        return Mistake("no-dice", message, span, "declare them first: dice 5d6", missing="dice")

    def row_called(self, label: str, span: Span) -> Row:
        """Return the row of this label; raises Mistake."""
        if label not in self.rows:
            hint = did_you_mean(label, self.rows) or f"there are: {named(self.rows) or 'none'}"
            raise Mistake("unknown-row", f'no table has a row "{label}"', span, hint, label)
        return self.rows[label]

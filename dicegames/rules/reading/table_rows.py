"""Reading tables of rows: their labels, patterns and points."""

from __future__ import annotations

import re

from attrs import evolve

from dicegames.ground.source import Span
from dicegames.rules.parts.flow import read_by
from dicegames.rules.parts.names import Mistake, Scope
from dicegames.rules.parts.rows import Row, RowPattern
from dicegames.rules.parts.types import NUMBER, TRUTH, Type
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.derive import applied, constant, held
from dicegames.rules.reading.members import member_type
from dicegames.rules.reading.pattern_reader import demand_narrow, read_pattern
from dicegames.syntax.nodes import Node

Shell = tuple[Row, Node, Scope]
"""A row that has a name only, the line that it stands in, and the names bound there."""

SEPARATORS = frozenset("|/,")
"""Signs that the notation of positions needs for itself."""


def shells(checker: Checker, node: Node, table: str, first: int) -> list[Shell]:
    """Return the rows of a table by name; `first` is the bit of the first, -1 for none.

    Raises Mistake in a game without dice.
    """
    kind = next(iter(checker.names.thrown.values()), None)
    if kind is None:
        hint = "declare the dice first: dice 5d6"
        message = "a table of rows needs dice"
        raise Mistake("no-dice", message, node.child(1).span, hint, missing="dice")
    found: list[Shell] = []
    for part in node.children[2:]:
        assert part is not None
        for scope, label in _family(checker, part):
            index = first + len(found) if first >= 0 else -1
            found.append((Row(label, table, index, kind), part, scope))
    return found


def _family(checker: Checker, node: Node) -> list[tuple[Scope, str]]:
    """Return a scope and a label for each row that a line stands for."""
    letter, whole_node, label = node.children[0], node.children[1], node.child(2)
    if letter is None or whole_node is None:
        return [(Scope(), label.text)]
    word = rf"(?<!\w){re.escape(letter.text)}(?!\w)"
    if not re.search(word, label.text):
        message = f'the name "{label.text}" is the same for each "{letter.text}"'
        hint = f'name the {letter.text} in it: "{label.text} {letter.text}"'
        checker.names.report("same-name-for-each", message, label.span, hint)
        return []
    whole = checker.check(whole_node, Scope(), Type("set"))
    if whole.type.kind != "set" or not whole.constant:
        return []
    family = []
    for member in whole.type.of:
        scope = Scope().bind(letter.text, constant(NUMBER, member))
        family.append((scope, re.sub(word, str(member), label.text)))
    return family


def fill(checker: Checker, row: Row, node: Node, scope: Scope) -> None:
    """Check what a row needs and pays."""
    names = checker.names
    for sign in sorted(SEPARATORS.intersection(row.label)):
        message = (
            f'the label "{row.label}" has a "{sign}" in it, which separates parts of positions'
        )
        names.report("label-sign", message, node.child(2).span, "give it another name, without it")
    pile = names.main_pile()
    assert pile is not None
    row.alternatives, row.letters = [], {}
    row.dice = pile.base
    row.matched = names.local("matched", pile.type, node.span).base
    row.each = node.children[-1] is not None
    patterns = [
        (read_pattern(checker, part.child(0), scope, row.kind), part)
        for part in node.children[3:-2]
        if part is not None
    ]
    face = member_type(names, pile.type)
    for pattern, _ in patterns:
        for letter in pattern.names:
            if letter not in row.letters:
                row.letters[letter] = names.local(letter, face, node.span).base
    inner = _letters_bound(row, scope, face, node.span)
    for pattern, alternative in patterns:
        where, condition = (
            None if part is None else checker.check(part, inner, TRUTH)
            for part in alternative.children[1:3]
        )
        row.alternatives.append(RowPattern(pattern, where, condition))
    row.pays = checker.check(node.child(len(node.children) - 2), inner, NUMBER)
    _demand_letters(checker, row, [alternative for _, alternative in patterns])
    row.alternatives = [_with_order(row, alternative) for alternative in row.alternatives]
    for each in row.alternatives:
        demand_narrow(each.pattern, row.kind, node.span)
    if row.letters and row.pays.type is NUMBER and not row.is_possible():
        message = "no roll can match this: no faces meet the condition"
        conditions = (alternative.children[1] for _, alternative in patterns)
        span = next((c.span for c in conditions if c is not None), node.span)
        names.report("pattern-impossible", message, span)
    own = {row.matched, row.dice, *row.letters.values()}
    parts = [row.pays, *(e for a in row.alternatives for e in (a.where, a.condition) if e)]
    row.reads = read_by(parts) - own
    row.plain = not row.reads and len(parts) == 1


def _demand_letters(checker: Checker, row: Row, nodes: list[Node]) -> None:
    """Report alternatives without a letter that is asked for where they match."""
    for alternative, node in zip(row.alternatives, nodes, strict=True):
        reads = read_by([row.pays, alternative.where, alternative.condition])
        for letter, slot in row.letters.items():
            if slot in reads and letter not in alternative.pattern.names:
                message = f'"{letter}" is asked for, and this pattern does not have it'
                hint = "give every pattern of a row its letters, or write two rows"
                checker.names.report("letter-missing", message, node.child(0).span, hint)


def _with_order(row: Row, alternative: RowPattern) -> RowPattern:
    """Return the same with its letters told apart, if a condition or the points do so."""
    reads = read_by([row.pays, alternative.where, alternative.condition])
    ordered = any(slot in reads for slot in row.letters.values())
    return evolve(alternative, pattern=evolve(alternative.pattern, ordered=ordered))


def _letters_bound(row: Row, scope: Scope, face: Type, span: Span) -> Scope:
    """Return the scope of a row's points: its letters, and `sum` of the dice that match."""
    kind, matched = row.kind, row.matched
    for letter, slot in row.letters.items():
        scope = scope.bind(letter, held(face, slot, span))
    scope = evolve(scope, letters=frozenset(row.letters))
    if kind.numeric:
        dice = held(Type("dice", (kind.name,)), matched, span)
        scope = scope.bind("sum", applied(NUMBER, kind.total, span, dice))
    return scope

"""What a player may pick: some of the dice, a box, tiles of a set, a number."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from dicegames.ground.multiset import submultisets, ways
from dicegames.rules.parts.flow import Candidate, Environment, Expression
from dicegames.rules.parts.names import Scope, Variable
from dicegames.rules.parts.types import ANYTHING, BOX, BOXES, NUMBER, DiceKind, Type
from dicegames.rules.parts.unknown import has_bit, has_bits, is_open, plain
from dicegames.rules.reading.boxes import row_reads
from dicegames.rules.reading.checker import Checker
from dicegames.syntax.nodes import Node

LARGEST_SET = 16
UNLIMITED = 1 << 30
Sizes = Callable[[Environment], tuple[int, int]]
Candidates = Callable[[Environment], list[Candidate]]


@frozen
class Pick:
    """The variable that a pick binds, how to list its values, what that reads, and from what.

    `texts` lists what its values may ever be called.
    """

    variable: Variable
    candidates: Candidates
    reads: frozenset[int]
    whole: Expression
    texts: Callable[[Environment], list[str]]


def pick_from(checker: Checker, node: Node, scope: Scope) -> Pick | None:
    """Check `some of dice as k` and the like; None after a mistake."""
    quantity, word, naming = node.child(0), node.child(2), node.children[3]
    names = checker.names
    whole = checker.check(node.child(1), scope, Type("dice"), Type("set"), BOXES)
    sizes, reads = _sizes(checker, quantity, scope)
    if whole.type is ANYTHING:
        return None
    if naming is not None and whole.type is not BOXES:
        message = "only boxes have faces to name"
        names.report("naming-no-boxes", message, naming.span, "leave out: naming its faces")
    if whole.type is BOXES:
        if quantity.kind != "one":
            message = "boxes are picked one at a time"
            names.report("pick-one", message, quantity.span, "write: one of ...")
            return None
        read = whole.reads | row_reads(names, whole)
        texts = _box_texts(whole, naming)
        return Pick(names.named(word, BOX), _boxes(whole, naming), read, whole, texts)
    if whole.type.kind == "dice":
        variable = names.named(word, whole.type)
        kind = names.kind_of(whole.type)
        candidates = _dice(checker, whole, sizes)
        return Pick(
            variable, candidates, whole.reads | reads, whole, lambda env: _parts_of_all(kind)
        )
    if quantity.kind == "one":
        variable = names.named(word, NUMBER)
        return Pick(
            variable, _numbers(whole), whole.reads, whole, lambda env: [*map(str, whole.type.of)]
        )
    if len(whole.type.of) > LARGEST_SET:
        message = f"a set of {len(whole.type.of)} has too many parts to choose from"
        hint = f"{LARGEST_SET} members at most; or write: one of ..."
        names.report("set-too-large", message, node.child(1).span, hint)
        return None
    variable = names.named(word, whole.type)
    parts = _part_names(whole.type.of)
    return Pick(variable, _subsets(whole, sizes), whole.reads | reads, whole, lambda env: parts)


def _sizes(checker: Checker, node: Node, scope: Scope) -> tuple[Sizes, frozenset[int]]:
    """Return the least and greatest number of things that may be picked."""
    if node.kind == "one":
        return lambda env: (1, 1), frozenset()
    if node.kind in ("at_least", "at_most"):
        bound = checker.check(node.child(0), scope, NUMBER)
        if node.kind == "at_least":
            return lambda env: (plain(bound.run(env)), UNLIMITED), bound.reads
        return lambda env: (0, plain(bound.run(env))), bound.reads
    word = node.child(0)
    if word.kind == "INT":
        count = int(word.text[:9])
        return lambda env: (count, count), frozenset()
    least = 0 if word.kind == "ANY" else 1
    return lambda env: (least, UNLIMITED), frozenset()


def _boxes(whole: Expression, naming: Node | None) -> Candidates:
    def candidates(env: Environment) -> list[Candidate]:
        found: list[Candidate] = []
        for box, present in whole.run(env).members():
            if present is not False:
                boxes = [box] if naming is None else box.row.named()
                found.extend(Candidate(named, str(named), present) for named in boxes)
        return found

    return candidates


def _box_texts(whole: Expression, naming: Node | None) -> Callable[[Environment], list[str]]:
    def texts(env: Environment) -> list[str]:
        boxes = [box for box, _ in whole.run(env).members()]
        named = boxes if naming is None else [n for box in boxes for n in box.row.named()]
        return [str(box) for box in named]

    return texts


def _parts_of_all(kind: DiceKind) -> list[str]:
    """Return every part of any throw of a kind of dice, as text."""
    return [
        kind.text(part)
        for size in range(kind.count + 1)
        for part, _ in ways(size, (1,) * len(kind.faces))
    ]


def _dice(checker: Checker, whole: Expression, sizes: Sizes) -> Candidates:
    kind = checker.names.kind_of(whole.type)

    def candidates(env: Environment) -> list[Candidate]:
        least, most = sizes(env)
        return [
            Candidate(part, kind.text(part), True)
            for part in submultisets(whole.run(env))
            if least <= sum(part) <= most
        ]

    return candidates


def _numbers(whole: Expression) -> Candidates:
    members = whole.type.of

    def candidates(env: Environment) -> list[Candidate]:
        mask = whole.run(env)
        listed = [(n, has_bit(mask, i)) for i, n in enumerate(members)]
        return [Candidate(n, str(n), present) for n, present in listed if present is not False]

    return candidates


def _part_names(members: tuple[int, ...]) -> list[str]:
    """Return the text of each part of a set, by its bits."""
    return [
        " ".join(str(n) for i, n in enumerate(members) if part >> i & 1) or "none"
        for part in range(1 << len(members))
    ]


def _subsets(whole: Expression, sizes: Sizes) -> Candidates:
    members = whole.type.of
    names = _part_names(members)
    order = sorted(range(1 << len(members)), key=lambda part: (part.bit_count(), part))

    def candidates(env: Environment) -> list[Candidate]:
        mask = whole.run(env)
        least, most = sizes(env)
        absent = 0 if is_open(mask) else ~mask
        return [
            Candidate(part, names[part], has_bits(mask, part))
            for part in order
            if part & absent == 0 and least <= part.bit_count() <= most
        ]

    return candidates

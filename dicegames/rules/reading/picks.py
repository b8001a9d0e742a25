"""What a player may pick: some of the dice, a box, tiles of a set, a number."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from math import comb
from operator import itemgetter

from attrs import frozen

from dicegames.ground.multiset import Multiset, submultisets, ways
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Candidate, Environment, Expression, read_by
from dicegames.rules.parts.names import Mistake, Scope, Variable
from dicegames.rules.parts.types import BOX, BOXES, NUMBER, DiceKind, Type, Value
from dicegames.rules.parts.unknown import NeedsValue, both, has_bit, has_bits, is_open, known, plain
from dicegames.rules.reading.boxes import row_reads
from dicegames.rules.reading.checker import Checker, boxes_named
from dicegames.rules.reading.derive import applied, demand_sound, held
from dicegames.rules.reading.members import member_type
from dicegames.syntax.nodes import Node

MOST_PARTS = 1 << 16
PARTS_KEPT = 2
"""Lists of parts that are kept: many throws ask for those of one set."""
KEPT_THROWS = 64
"""Short lists of what can be picked that are kept, for dice and sets that come again."""
LONGEST_KEPT_LIST = 1000
"""No longer lists of what is picked together are kept."""
NO_LIMIT = 1 << 30
Sizes = Callable[[Environment], tuple[int, int]]
Candidates = Callable[[Environment], list[Candidate]]


@frozen
class Pick:
    """The variable that a pick binds, how to list its values, what that reads, and from what.

    `texts` lists what its values may ever be called; `behind` is what stands behind such a name
    where another pick follows.
    """

    variable: Variable
    candidates: Candidates
    reads: frozenset[int]
    whole: Expression
    texts: Callable[[Environment], list[str]]
    behind: str = " and "


@frozen
class Picked:
    """What a move picks: one thing, or several together as a tuple.

    `slot` is filled by the move; `parts` are the picks, and `names` tells how each is read while
    only `slot` is filled.
    """

    slot: int
    parts: tuple[Pick, ...]
    names: dict[str, Expression]
    candidates: Candidates
    texts: Callable[[Environment], list[str]]

    @property
    def reads(self) -> frozenset[int]:
        """The slots that listing the candidates looks at."""
        return read_by(self.parts) - {self.slot}


def picks_from(checker: Checker, node: Node, scope: Scope) -> Picked:
    """Check what a choice picks; raises Reported."""
    if node.kind == "pick":
        pick = pick_from(checker, node, scope)
        slot = pick.variable.base
        names = {pick.variable.name: held(pick.variable.type, slot)}
        return Picked(slot, (pick,), names, pick.candidates, pick.texts)
    several = Type("several")
    slot = checker.names.local("picked.together", several, node.span).base
    picks: list[Pick] = []
    names = {}
    for place, part in enumerate(node.parts()):
        found = pick_from(checker, part, scope)
        picks.append(found)
        read = applied(found.variable.type, itemgetter(place), Span(0, 0), held(several, slot))
        names[found.variable.name] = read
        scope = scope.bind(found.variable.name, read)
    return Picked(slot, tuple(picks), names, _together(slot, picks), _texts_together(picks))


def _together(slot: int, picks: list[Pick]) -> Candidates:
    """Return how to list all that can be picked together; a pick may look at those before it.

    Where none looks at another, that is remembered for the lists that each is picked from.
    """
    kept: dict[tuple[int, ...], tuple[list[list[Candidate]], list[Candidate]]] = {}

    def listed(env: Environment) -> list[Candidate]:
        env, found = list(env), [Candidate((), "", True)]
        for place, pick in enumerate(picks):
            longer = []
            for before in found:
                env[slot] = before.value
                behind = picks[place - 1].behind if place else ""
                for last in pick.candidates(env):
                    text = f"{before.text}{behind}{last.text}"
                    present = both(before.present, last.present)
                    longer.append(Candidate((*before.value, last.value), text, present))
            found = longer
        return found

    def remembered(env: Environment) -> list[Candidate]:
        lists = [pick.candidates(env) for pick in picks]
        key = tuple(map(id, lists))  # of lists that are kept, so that no other gets their place
        entry = kept.get(key)
        if entry is None:
            entry = (lists, listed(env))
            if len(entry[1]) <= LONGEST_KEPT_LIST:
                if len(kept) >= KEPT_THROWS:
                    kept.clear()
                kept[key] = entry
        return entry[1]

    return listed if any(slot in pick.reads for pick in picks) else remembered


def _texts_together(picks: list[Pick]) -> Callable[[Environment], list[str]]:
    def texts(env: Environment) -> list[str]:
        found = [""]
        for place, pick in enumerate(picks):
            behind = picks[place - 1].behind if place else ""
            found = [f"{before}{behind}{text}" for before in found for text in pick.texts(env)]
        return found

    return texts


def pick_from(checker: Checker, node: Node, scope: Scope) -> Pick:
    """Check `some of dice as k` and the like; raises Reported."""
    quantity, word, naming = node.child(0), node.child(2), node.children[3]
    names = checker.names
    whole = checker.check(node.child(1), scope, Type("dice"), Type("set"), BOXES)
    sizes, reads = _sizes(checker, quantity, scope)
    demand_sound(whole)
    if naming is not None and whole.type is not BOXES:
        message = "only boxes have faces to name"
        names.report("naming-no-boxes", message, naming.span, "leave out: naming its faces")
    if whole.type is BOXES:
        if quantity.kind != "one":
            message = "boxes are picked one at a time"
            raise Mistake("pick-one", message, quantity.span, "write: one of ...")
        if naming is not None:
            _demand_nameable(checker, node.child(1), naming.span)
        read = whole.reads | row_reads(names, whole)
        texts = _box_texts(whole, naming)
        behind = " " if naming is None else " and "
        return Pick(names.named(word, BOX), _boxes(whole, naming), read, whole, texts, behind)
    if whole.type.kind == "dice":
        variable = names.named(word, whole.type)
        kind = names.kind_of(whole.type)
        candidates = _dice(checker, whole, sizes)
        return Pick(
            variable, candidates, whole.reads | reads, whole, lambda env: _parts_of_all(kind)
        )
    if quantity.kind == "one":
        variable = names.named(word, member_type(names, whole.type))
        return Pick(
            variable,
            _members(whole),
            whole.reads,
            whole,
            lambda env: [*map(str, whole.type.of)],
            " ",
        )
    parts = _parts(len(whole.type.of), () if reads else sizes([]))
    if parts is None:
        message = f"a set of {len(whole.type.of)} has too many parts to choose from"
        hint = "say how many are picked: at most 3 of ...; or write: one of ..."
        raise Mistake("set-too-large", message, node.child(1).span, hint)
    variable = names.named(word, whole.type)
    part_texts = [_part_name(whole.type.of, part) for part in parts]
    candidates = _subsets(whole, sizes, dict(zip(parts, part_texts, strict=True)))
    by_bits = [text for _, text in sorted(zip(parts, part_texts, strict=True))]
    return Pick(variable, candidates, whole.reads | reads, whole, lambda env: by_bits)


def _demand_nameable(checker: Checker, node: Node, span: Span) -> None:
    """Raise RuleBroken where the player would name the faces of a row of a table and cannot."""
    named = node.child(0) if node.kind == "open_" else node
    found = boxes_named(checker.names, checker.text(named.span), span)
    for row in found.value().rows if found is not None else ():
        row.demand_same_letters(span)


def _sizes(checker: Checker, node: Node, scope: Scope) -> tuple[Sizes, frozenset[int]]:
    """Return the least and greatest number of things that may be picked."""
    if node.kind == "one":
        return lambda env: (1, 1), frozenset()
    if node.kind not in ("exactly", "at_least", "at_most"):
        least = 0 if node.kind == "ANY" else 1
        return lambda env: (least, NO_LIMIT), frozenset()
    bound = checker.check(node.child(0), scope, NUMBER)

    def sizes(env: Environment) -> tuple[int, int]:
        count = plain(bound.run(env))
        least = 0 if node.kind == "at_most" else count
        return least, NO_LIMIT if node.kind == "at_least" else count

    return sizes, bound.reads


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

    @lru_cache(maxsize=KEPT_THROWS)
    def listed(dice: Multiset, least: int, most: int) -> list[Candidate]:
        parts = submultisets(dice, least, most)
        return [Candidate(part, kind.text(part), True) for part in parts]

    return lambda env: listed(whole.run(env), *sizes(env))


def _members(whole: Expression) -> Candidates:
    @lru_cache(maxsize=KEPT_THROWS)
    def listed(mask: Value) -> list[Candidate]:
        there = [(n, has_bit(mask, i)) for i, n in enumerate(whole.type.of)]
        return [Candidate(n, str(n), present) for n, present in there if present is not False]

    return lambda env: listed(whole.run(env))


def _parts(members: int, sizes: tuple[int, ...]) -> list[int] | None:
    """Return the parts of a set as bits, small ones first; None if they are too many.

    sizes: the least and the greatest number of members, if these are fixed.
    """
    least, most = sizes or (0, members)
    possible = range(max(0, least), min(most, members) + 1)
    if sum(comb(members, size) for size in possible) > MOST_PARTS:
        return None
    return [
        part
        for size in possible
        for part in sorted(sum(1 << i for i in c) for c in combinations(range(members), size))
    ]


def _part_name(members: tuple[int | str, ...], part: int) -> str:
    return " ".join(str(n) for i, n in enumerate(members) if part >> i & 1) or "none"


def _subsets(whole: Expression, sizes: Sizes, names: dict[int, str]) -> Candidates:
    """Return how to list the parts of a set; `names` holds the text of each, small ones first."""

    @lru_cache(maxsize=PARTS_KEPT)
    def listed(mask: Value, least: int, most: int) -> list[Candidate]:
        absent = 0 if is_open(mask) else ~mask
        return [
            Candidate(part, names[part], has_bits(mask, part))
            for part in names
            if part & absent == 0 and least <= part.bit_count() <= most
        ]

    return lambda env: listed(whole.run(env), *sizes(env))


def narrowed(candidates: Candidates, slot: int, condition: Expression) -> Candidates:
    """Return how to list parts of a set, without many of those for which a condition is false.

    Where it compares something of the part with something else, such as its sum with that of the
    dice, the parts are sorted by it once, and not asked one by one after every throw.
    """
    sides = (condition.equal, condition.equal[::-1]) if condition.equal else ()
    pair = next((p for p in sides if p[0].reads == {slot} and slot not in p[1].reads), None)
    if pair is None:
        return candidates
    own, other = pair
    kept: tuple[list[Candidate], dict[Value, list[Candidate]]] = ([], {})

    def found(env: Environment) -> list[Candidate]:
        nonlocal kept
        every = candidates(env)
        try:
            wanted = known(other.run(env))
            if every is not kept[0]:
                kept = (every, _sorted_by(own, slot, every, list(env)))
        except (NeedsValue, RuleBroken):
            return every  # whoever asks them one by one will say why
        return every if is_open(wanted) else kept[1].get(wanted, [])

    return found


def _sorted_by(
    own: Expression, slot: int, every: list[Candidate], env: Environment
) -> dict[Value, list[Candidate]]:
    groups: dict[Value, list[Candidate]] = {}
    for candidate in every:
        env[slot] = candidate.value
        groups.setdefault(plain(own.run(env)), []).append(candidate)
    return groups

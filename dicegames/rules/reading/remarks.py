"""Remarks on what is in order, but may mislead: lines without effect, what nothing uses."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from dicegames.ground.diagnostic import closest
from dicegames.rules.parts.names import Names
from dicegames.rules.parts.types import NUMBER
from dicegames.rules.parts.value_text import members_text
from dicegames.rules.reading.declarations import range_meant
from dicegames.syntax.nodes import Node

SUMS = ("increase", "decrease")
"""Kinds of nodes that add and take away."""

CHANGES = (*SUMS, "assign")
"""Kinds of nodes that change a variable; a move that costs some of it reads it, too."""

LOOKED_FOR = ("in_", "not_in", "number_of")
"""Kinds of nodes that look for something in dice, or in other collections."""

ASKED = ("all_boxes", "is_box", "is_not_box", "open_")
"""Kinds of nodes that ask which boxes are used."""


def remark_on_rules(names: Names, nodes: list[Node]) -> None:
    """Remark on lines, boxes, options and variables, of which a file without mistakes has some."""
    below = [node for top in nodes for node in top.walk()]
    _copies(names, below)
    remark_on_idle(names, below)
    _shadows(names, below)
    _faces(names)
    _never_shown(names, below)
    _lone_letters(names, below)
    _rounds(names, below)
    _boxes(names, below)
    _options(names, below)
    _ranges(names, below)
    counts = {n.text for top in nodes if top.kind in ("payoff", "ranking") for n in top.walk()}
    _variables(names, below, counts)


def _copies(names: Names, below: list[Node]) -> None:
    """Remark a line that adds the same as the line above it: copied, and left as it was."""
    said = names.diagnostics.source.words
    for block in (node for node in below if node.kind == "block"):
        for above, line in pairwise(block.parts()):
            if _adds(line) and said(above.span) == said(line.span):
                message = "this is done twice: the line above says the same"
                names.diagnostics.remark("done-twice", message, line.span, "leave one of them out")


def _adds(line: Node) -> bool:
    """Tell whether a line only adds, the same whenever it is done."""
    if line.kind != "statements" or any(part.kind not in (*SUMS, "use") for part in line.parts()):
        return False
    sums = [part for part in line.parts() if part.kind in SUMS]
    return bool(sums) and not any(_changes(part) for part in sums)


def _changes(part: Node) -> bool:
    """Tell whether what is added reads what it is added to, as in `up - highest of up`."""
    target = part.child(0).child(0).text
    return any(node.kind == "NAME" and node.text == target for node in part.child(1).walk())


def _shadows(names: Names, below: list[Node]) -> None:
    """Remark a `let` below a line whose block keeps a value of that name and reads it later."""
    for block in (node for node in below if node.kind == "block"):
        lines = block.parts()
        for place, line in enumerate(lines):
            for kept in _own_lets(line):
                _remark_below(names, kept.child(0).text, lines[place + 1 :])


def _remark_below(names: Names, name: str, lines: list[Node]) -> None:
    for place, line in enumerate(lines):
        if any(kept.child(0).text == name for kept in _own_lets(line)):
            return  # of this block, and in force from here on
        inner = [n for n in line.walk() if n.kind == "let" and n.child(0).text == name]
        later = (node for after in lines[place + 1 :] for node in after.walk())
        if inner and any(node.kind == "NAME" and node.text == name for node in later):
            message = f'this is another "{name}", for the rest of its block: the one above stays'
            hint = f"what is to change is a variable, declared below this turn: {name} = 0"
            names.diagnostics.remark("let-again", message, inner[0].span, hint)


def _own_lets(line: Node) -> list[Node]:
    """Return what a line keeps under names, for the rest of the block that it stands in."""
    said = (line, *line.parts()) if line.kind in ("let", "statements") else ()
    return [part for part in said if part.kind == "let"]


def _faces(names: Names) -> None:
    """Remark where a sentence gives the name of a face to something else."""
    kinds = {face: kind.name for kind in names.kinds.values() for face in kind.faces}
    for word in names.bound:
        if word.text in kinds:
            message = f'"{word.text}" is a face, too: here it is whatever the sentence names so'
            count = f"number of {word.text} in {kinds[word.text]}"
            hint = f"choose another name; how many there are: {count}"
            names.diagnostics.remark("name-of-face", message, word.span, hint)


def _never_shown(names: Names, below: list[Node]) -> None:
    """Remark where a face is looked for that no die has, or none of these, whatever the options."""
    sides = (node for node in below if node.kind == "dice_sides")
    is_open = any(part.kind == "name" for node in sides for part in node.walk())
    faces = {str(face) for kind in names.kinds.values() for face in kind.faces}
    bound = {word.text for word in names.bound}
    words = faces - {*bound, *names.variables, *names.options, *names.macros}
    for node in (node for node in below if node.kind in LOOKED_FOR):
        item, where = node.child(0), node.child(1)
        if item.kind not in ("integer", "name") or where.kind != "name":
            continue
        face, pile = item.child(0).text, where.child(0).text
        if pile not in names.piles or pile in bound or (item.kind == "name" and face not in words):
            continue
        kind = names.kinds[names.piles[pile]]
        if face in map(str, kind.faces) or (is_open and item.kind == "integer" and kind.numeric):
            continue
        has, hint = "no die has", ""
        if face in faces:
            has, hint = f'nothing in "{pile}" has', f"it holds {members_text(kind.faces)}"
        message = f"{has} the face {face}, so it is never here"
        names.diagnostics.remark("never-shown", message, item.span, hint)


def _lone_letters(names: Names, below: list[Node]) -> None:
    """Remark `dice show 3 x`, which does not mean three dice that are equal."""
    known = {word.text for word in names.bound} | {f for k in names.kinds.values() for f in k.faces}
    most = max((kind.count for kind in names.kinds.values()), default=0)
    for pattern in (node for node in below if node.kind == "pattern"):
        words = [word for element in pattern.parts() for word in element.parts()]
        if [word.kind for word in words] != ["INT", "NAME"]:
            continue
        (number, letter), count = (word.text for word in words), int(words[0].text)
        if len(letter) == 1 and letter not in known and 2 <= count <= most:
            message = f"this is a {number} and one die of any face"
            hint = f"where {number} equal dice are meant, write: {' '.join(letter * count)}"
            names.diagnostics.remark("any-face", message, pattern.span, hint)


def _rounds(names: Names, below: list[Node]) -> None:
    """Remark an end that waits for the round after the last, or for a part of the last round."""
    for end in (node for node in below if node.kind in ("ends_when", "ends_round_when")):
        condition = end.child(0)
        ways = condition.parts() if condition.kind == "or_" else [condition]
        for asked in (way for way in ways if way.kind in ("compare", "equal")):
            now, last = asked.child(0), asked.parts()[-1]
            sign = "=" if asked.kind == "equal" else asked.child(1).text
            if not now.is_name("round") or last.kind not in ("name", "integer"):
                continue
            wanted = names.diagnostics.source.words(last.span)
            cuts = end.kind == "ends_when" and asked is condition and names.players > 1
            if sign == ">":
                message = "a turn of one more round is played before this holds"
            elif sign in ("=", ">=") and cuts:
                message = f"the game is over after the first turn of round {wanted}"
            else:
                continue
            hint = f"write: ends after {wanted} rounds"
            if asked is not condition:
                hint = f"write: ends after the round when ... or round = {wanted}"
            names.diagnostics.remark("part-of-round", message, asked.span, hint)


def _boxes(names: Names, below: list[Node]) -> None:
    """Remark where it is first asked which boxes are used, while nothing marks one as used."""
    asked = [node for node in below if node.kind in ASKED]
    if not asked or any(node.kind == "use" for node in below):
        return
    picks = [node for node in below if node.kind == "pick"]
    all_boxes = {"boxes", *names.boxes}
    picked = (p.child(2).text for p in picks for n in p.child(1).walk() if n.text in all_boxes)
    message = "nothing in the rules marks a box as used, so all of them stay open"
    hint = f"where a box is filled, write: use {next(picked, 'NAME')}"
    names.diagnostics.remark("never-used", message, asked[0].span, hint)


def _options(names: Names, below: list[Node]) -> None:
    """Remark on each option that no rule reads."""
    said = Counter(node.text for node in below)
    for word in (node.child(0) for node in below if node.kind == "option"):
        if said[word.text] == 1 and word.text != "players":
            message = f'no rule reads the option "{word.text}": setting it changes nothing'
            is_players = "players" not in names.options and closest(word.text, ("players",), 0.75)
            hint = "the number of players is the option: players" if is_players else ""
            names.diagnostics.remark("never-read", message, word.span, hint)


def _ranges(names: Names, below: list[Node]) -> None:
    """Remark a variable that begins with the difference of two numbers, where a range was meant."""
    for node in (node for node in below if node.kind == "variable"):
        word, begins = node.child(0), node.child(3)
        ends = range_meant(names.diagnostics.source.words(begins.span))
        if ends is not None:
            message = f'"{word.text}" begins with {int(ends[0]) - int(ends[1])}: this is no range'
            hint = f"a range is written: {word.text} = {ends[0]} to {ends[1]}"
            names.diagnostics.remark("no-range", message, begins.span, hint)


def _variables(names: Names, below: list[Node], counts: set[str]) -> None:
    """Remark on variables that decide who wins, or what, and never change; that nobody reads."""
    changed = {node.child(0).text for node in below if node.kind == "target"}
    said = Counter(node.text for node in below if node.kind == "NAME")
    written = [node.child(0) for node in below if node.kind in CHANGES]
    said.subtract(target.child(0).text for target in written)
    for word in (node.child(0) for node in below if node.kind == "variable"):
        is_paid = names.has_payments and word.text == "money"
        if word.text in counts and word.text not in changed and not is_paid:
            message = f'nothing in the rules changes "{word.text}"'
            hint = f"a line that changes it begins with it: {word.text} = ..., or {word.text} + ..."
            names.diagnostics.remark("never-changed", message, word.span, hint)
        elif said[word.text] == 1 and not is_paid:  # where it is declared
            message = f'no rule reads "{word.text}": whatever it is, nothing comes of it'
            hint = "what counts in the end is said by: payoff, ranking"
            names.diagnostics.remark("never-read", message, word.span, hint)


# ---- lines that change nothing, whatever is thrown and chosen


def remark_on_idle(names: Names, below: list[Node]) -> None:
    """Remark on what is repeated no times, moved to where it lies, paid to whoever pays it."""
    for node in below:
        said = _FOUND.get(node.kind)
        message = "" if said is None else said(names, node)
        if message:
            names.diagnostics.remark("does-nothing", message, node.span)


def _repeat(_: Names, node: Node) -> str:
    times = node.children[0]
    number = None if times is None else _number(times)
    return "" if number is None or number > 0 else f"this is repeated {number} times: never"


def _each(_: Names, node: Node) -> str:
    return "there is nothing to go through: this is never done" if _is_bare(node.child(1)) else ""


def _move(names: Names, node: Node) -> str:
    moved, source, to = node.child(0), node.children[1], node.child(2)
    if _is_bare(moved):
        return "nothing is moved: nothing stands between the brackets"
    is_there = _text(names, source or moved) == to.text
    return f"nothing is moved: it lies in {to.text} already" if is_there else ""


def _draw(_: Names, node: Node) -> str:
    return "nothing is drawn" if _number(node.child(0)) == 0 else ""


def _throw(_: Names, node: Node) -> str:
    is_more = node.children[1] is not None  # else what lies on the table is taken away
    return "nothing is thrown" if is_more and _number(node.child(0)) == 0 else ""


def _pay(names: Names, node: Node) -> str:
    amount, payer, paid = node.parts()
    if _text(names, payer) == _text(names, paid):
        return f"{_text(names, payer)} would pay to {_text(names, paid)}: nothing changes hands"
    return "nothing is paid" if _number(amount) == 0 else ""


def _assign(names: Names, node: Node) -> str:
    own = _text(names, node.child(0))
    return f"{own} is what it is already" if own == _text(names, node.child(1)) else ""


def _change(names: Names, node: Node) -> str:
    target, value = names.variables.get(node.child(0).child(0).text), node.child(1)
    is_sum = target is not None and target.type is NUMBER  # else 0 may be a member of a set
    return "this changes nothing" if _is_bare(value) or (is_sum and _number(value) == 0) else ""


_FOUND = {
    "repeat": _repeat,
    "each": _each,
    "move_dice": _move,
    "draw": _draw,
    "roll_count": _throw,
    "pay": _pay,
    "assign": _assign,
    "increase": _change,
    "decrease": _change,
}


def _text(names: Names, node: Node) -> str:
    return names.diagnostics.source.words(node.span)


def _is_bare(node: Node) -> bool:
    """Tell whether nothing stands between the brackets."""
    return node.kind in ("literal", "several") and not node.parts()


def _number(node: Node) -> int | None:
    """Return the number that a node says outright; None for all else."""
    sign, inner = (-1, node.child(0)) if node.kind == "negative" else (1, node)
    return sign * int(inner.child(0).text) if inner.kind == "integer" else None

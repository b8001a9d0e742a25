"""What a line of a card may say: conditions and moves in the words of the rules.

Words are proposed as text and read by the checker of rules files, which refuses what makes no
sense. Conditions speak of the numbers, dice, rows and named expressions of the rules, compared with
values that come up in play; moves are those that the rules name, the patterns of its dice, and
picks by a measure. Strategies of the file are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from attrs import frozen

from dicegames.ground.diagnostic import Diagnostics, RulesError
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.advice import Line
from dicegames.rules.parts.game import Rules, public
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import parse

ALWAYS = "yes"
TITLE = "Card"
AT_ONCE = 60
"""Lines that are read together: fewer than the mistakes after which reading stops."""
LONGEST_WORDING = 60
MOST_THRESHOLDS = 24
MOST_WORDS = 250
ENDS = ("highest", "lowest")
RANKS = (
    "size of {}", "sum of {}", "highest of {}", "lowest of {}", "points of {}", "{}",
    "size of spare of {}", "points of {} - size of spare of {}",
    "points of {} - 3 * size of spare of {}", "points of {} - 10 * size of spare of {}",
    "distinct of (dice - {})", "sum of (dice - {})",
)  # fmt: skip
"""What may be measured of a pick; the last two are of the dice that are not picked."""
SINGLE = (
    "points of {}", "size of spare of {}", "sum of spare of {}", "size of {}", "sum of {}", "{}",
    "highest of {}", "lowest of {}", "distinct of {}",
)  # fmt: skip
"""What measures of a pick are made of."""
LEAST = (1, 3, 5, 8, 10, 12, 15, 18, 20, 25, 30, 40)
"""Of how many points at least something may be picked."""
FEW_SPARE = (1, 2, 3)
"""How many dice a row may leave over that is picked from its group."""


Feature = tuple[str, str, bool]
"""What the rules call that which is picked, what is asked of it, and whether that is a number."""


@frozen
class Words:
    """Texts: numbers, truths, and moves; the checker may refuse some of them.

    features: what is picked, and what tells how good it is: a number, or what is yes or no.
    """

    numbers: tuple[str, ...]
    truths: tuple[str, ...]
    moves: tuple[str, ...]
    features: tuple[Feature, ...] = ()


def strategy_text(title: str, lines: Iterable[str]) -> str:
    """Return a strategy as it stands in a rules file."""
    return "\n".join([f'strategy "{title}"', *(f"    {line}" for line in lines), ""])


def with_lines(source: Source, strategies: Mapping[str, Sequence[str]]) -> Source:
    """Return rules with further strategies, given by their lines."""
    blocks = [strategy_text(title, lines) for title, lines in strategies.items()]
    return Source(source.name, source.text.rstrip("\n") + "\n\n" + "\n".join(blocks))


def line_text(condition: str, move: str, *, last: bool = False) -> str:
    """Return a line of a strategy."""
    return f"otherwise: {move}" if last else f"when {condition}: {move}"


def read_lines(game: Rules, lines: Sequence[str]) -> tuple[Rules, dict[int, Line]]:
    """Return the game with all lines that make sense as strategies, and these by their number."""
    good: list[int] = []
    for first in range(0, len(lines), AT_ONCE):
        good += _readable(game, lines, range(first, min(first + AT_ONCE, len(lines))))
    source = with_lines(game.source, {f"{TITLE} {n}": [lines[n]] for n in good})
    found = check(source, game.option_values(), thorough=False)
    return found, {n: found.strategies[f"{TITLE} {n}"].lines[0] for n in good}


def _readable(game: Rules, lines: Sequence[str], numbers: Sequence[int]) -> list[int]:
    left = list(numbers)
    while left:
        source = with_lines(game.source, {f"{TITLE} {n}": [lines[n]] for n in left})
        try:
            check(source, game.option_values(), thorough=False)
        except RulesError as error:
            places = {source.line_column(d.span.start)[0] for d in error.diagnostics}
            begins = source.text[: len(game.source.text.rstrip("\n"))].count("\n") + 3
            bad = {(place - begins) // 3 for place in places}
            kept = [n for i, n in enumerate(left) if i not in bad]
            if len(kept) == len(left):  # what is said stands elsewhere: one of them is to blame
                if len(left) == 1:
                    return []
                half = len(left) // 2
                return [
                    n for part in (left[:half], left[half:]) for n in _readable(game, lines, part)
                ]
            left = kept
        else:
            return left
    return []


# ---- what is proposed


def propose(game: Rules) -> Words:
    """Return what the rules have to say."""
    nodes = parse(game.source, Diagnostics(game.source))
    nodes = [node for node in nodes if node.kind not in ("strategy", "example", "option")]
    texts = _expressions(game, nodes)
    sums = [text for text in texts if " + " in text]
    each = (f"({text}) div size of {dice}" for text in sums for dice in _dice(game)[:1])
    rows = (f'{what} of "{row}"' for row in game.names.rows for what in ("points", "size of spare"))
    numbers = [*_counts(game), *rows, *texts, *each]
    shapes = (*_shapes(game, nodes), *_faces(game))
    truths = [f"({text})" if " " in text else text for text in texts]
    truths += [f"{name} show {shape}" for name in _dice(game) for shape in shapes]
    truths += _rows(game)
    return Words(
        tuple(dict.fromkeys(numbers)),
        tuple(dict.fromkeys(truths)),
        tuple(dict.fromkeys(_moves(game, nodes))),
        tuple(dict.fromkeys(_features(game))),
    )


def _expressions(game: Rules, nodes: Sequence[Node]) -> list[str]:
    """Return the texts of variables and of the parts of sentences, the shortest first."""
    found = [name for name in game.names.variables if public(name)]
    for node in chain.from_iterable(top.walk() for top in nodes):
        if node.children and node.kind not in ("pattern", "block", "move"):
            text = game.source.at(node.span)
            if "\n" not in text and "#" not in text and len(text) <= LONGEST_WORDING:
                found.append(text.strip())
    found += [node.child(0).text for node in nodes if node.kind.startswith("means")]
    return sorted(dict.fromkeys(found), key=len)[:MOST_WORDS]


def _dice(game: Rules) -> list[str]:
    slots = game.names.variables.values()
    return [variable.name for variable in slots if variable.type.kind == "dice"]


def _faces(game: Rules) -> list[str]:
    faces = (str(face) for kind in game.names.kinds.values() for face in kind.faces)
    return list(dict.fromkeys(faces))


def _counts(game: Rules) -> Iterator[str]:
    for name in _dice(game):
        yield from (f"{what} of {name}" for what in ("size", "sum", "distinct", *ENDS))
        yield from (f"number of {face} in {name}" for face in _faces(game))
    for variable in game.names.variables.values():
        if variable.type.kind == "set" and public(variable.name):
            yield from (f"{what} of {variable.name}" for what in ("size", "sum"))


SHAPES = (
    "x x", "x x x", "x x x x", "x x x x x", "x x y y", "x x x y y", "x x y y z z",
    "run of 3", "run of 4", "run of 5",
)  # fmt: skip
KEPT = (*SHAPES, "run of 2", "x y", "x", "x y z")


def _shapes(game: Rules, nodes: Sequence[Node]) -> list[str]:
    """Return patterns: those of the tables and sentences of the rules, and common ones."""
    found = [
        game.source.at(node.span) for top in nodes for node in top.walk() if node.kind == "pattern"
    ]
    return list(dict.fromkeys([*KEPT, *(text for text in found if len(text) < 20)]))


def _rows(game: Rules) -> Iterator[str]:
    """Yield whether a row is open, and whether a named expression is this row."""
    named = [name for name, (parameters, _) in game.names.macros.items() if not parameters]
    for label in game.names.rows:
        yield f'"{label}" is open'
        yield from (f'{name} = "{label}"' for name in named)


def _moves(game: Rules, nodes: Sequence[Node]) -> Iterator[str]:
    options = game.alternatives
    yield from (f'"{option.label}"' for option in options if option.label)
    yield from (f'"{label}"' for label in game.names.rows)
    if any(option.whole is not None and option.whole.type.kind == "dice" for option in options):
        shapes = [*_shapes(game, nodes), *_faces(game)]
        yield from (f"keep {shape}" for shape in shapes)
        yield from (f"keep highest {shape}" for shape in shapes if shape[0] in "xr")
        faces = _faces(game)
        yield from (f"keep {a} {b}" for a in faces for b in faces if a <= b)
        for size in (3, 4):
            yield from (f"keep {' '.join(part)}" for part in combinations(faces, size))
        yield from (f"roll {shape}" for shape in (*faces, "x", "x x", "x y"))
    shown = map(str.split, _shapes(game, nodes))
    fixed = [words for words in shown if all(word.isdigit() for word in words)]
    for option in options:
        for name in option.names:
            yield from _picks(game, name)
            left = name if not option.rolls else f"(dice - {name})"
            for faces in [*fixed, *_windows(game)]:  # as many of these dice as there are
                wanted = f"size of ({{{' '.join(faces)}}} - {left})"
                yield f"pick {name} with lowest {wanted}, lowest size of {left}"
            yield from _dice_picks(game, name, left)


def _dice_picks(game: Rules, name: str, left: str) -> Iterator[str]:
    """Yield moves that leave dice of some kind: all, those alike, high ones, those of a box."""
    yield f"pick {name} where size of {left} = size of dice"
    piles = [f"f in {pile}" for pile in _dice(game) if pile != "dice"]
    for alike in (f"number of f in {left} >= 3", f"number of f in {left} >= 2"):
        for each in (alike, *(f"({alike} or {pile})" for pile in piles)):
            yield f"pick {name} where every f in {left} has {each} with highest size of {left}"
    for each in ("number of f in dice >= 2", *(f"f >= {face}" for face in _faces(game))):
        yield f"pick {name} where every f in {left} has {each} with highest size of {left}"
    most = f"with highest size of {left}, highest sum of {left}"
    for group in game.names.boxes:  # what goes with the box of which there is most
        meant = f"some b in open {group} has dice - spare of b = {left}"
        yield f"pick {name} where {meant} {most}"
        yield from (f"pick {name} where {meant} and size of {left} >= {n} {most}" for n in (2, 3))


def _picks(game: Rules, name: str) -> Iterator[str]:
    """Yield moves that pick what has most or least of something."""
    ranks = [rank.replace("{}", name) for rank in RANKS]
    yield from (f"pick {name} with {end} {rank}" for rank in ranks for end in ENDS)
    for face in _faces(game):
        yield f"pick {name} where every f in {name} has f = {face} with highest size of {name}"
    with_one = [n for n, (parameters, _) in game.names.macros.items() if len(parameters) == 1]
    yield from (f"pick {name} with highest {function} of {name}" for function in with_one)
    for least in LEAST:
        yield f"pick {name} where points of {name} >= {least} with highest points of {name}"
        yield f"pick {name} where size of spare of {name} <= {least} with highest points of {name}"
    for group in game.names.boxes:
        pick, spare = f"pick {name} where {name} in {group}", f"size of spare of {name}"
        yield from (f"{pick} with {end} points of {name}" for end in ENDS[::-1])
        yield from (f"{pick} with lowest {spare}, {end} points of {name}" for end in ENDS[::-1])
        for few in FEW_SPARE:
            yield from (f"{pick} and {spare} <= {few} with {end} points of {name}" for end in ENDS)


def _features(game: Rules) -> Iterator[Feature]:
    """Yield what may tell how good a pick is."""
    for name in dict.fromkeys(chain.from_iterable(option.names for option in game.alternatives)):
        for rank in SINGLE:
            yield name, rank.replace("{}", name), True
        yield name, f"size of {name} = size of dice", False
        yield name, f"every f in {name} has number of f in {name} >= 3", False
        yield name, f"some f in {name} has number of f in {name} >= 3", False
        for pile in _dice(game)[1:]:
            yield name, f"every f in {name} has (number of f in {name} >= 3 or f in {pile})", False
            yield name, f"some f in {name} has f in {pile}", False
            yield name, f"(size of {name} if {pile} is empty else 0)", True
            yield name, f"(size of {name} if size of {pile} > 1 else 0)", True
            yield name, f"size of {name} * size of {pile}", True
        yield from ((name, f"number of {face} in {name}", True) for face in _faces(game))
        yield from ((name, f"{name} in {group}", False) for group in game.names.tables)
        yield from ((name, f'{name} = "{label}"', False) for label in game.names.rows)


def feature_text(feature: Feature) -> str:
    """Return a feature as a number."""
    return feature[1] if feature[2] else f"(1 if {feature[1]} else 0)"


def _windows(game: Rules) -> list[list[str]]:
    """Return runs of neighbouring faces: what is kept on the way to a run."""
    faces = _faces(game)
    if not all(face.isdigit() for face in faces):
        return []
    return [faces[at : at + size] for size in (4, 5) for at in range(len(faces) - size + 1)]


def thresholds(values: Sequence[Any]) -> list[int]:
    """Return the values with which a number is compared: all, or as many quantiles."""
    ordered = sorted({int(v) for v in values})[1:]
    if len(ordered) <= MOST_THRESHOLDS:
        return ordered
    every = sorted(int(v) for v in values)
    parts = range(1, MOST_THRESHOLDS)
    return sorted({every[len(every) * n // MOST_THRESHOLDS] for n in parts} - {every[0]})

"""The one layout of a rules file: what `dicegames format` makes of it.

Lines and comments stay; what changes is the space in them. Blocks are indented by four, one blank
line at most separates parts, signs stand as in English, the rows of tables stand in columns, and
comments behind a line in column 42, or behind the longest of neighbouring longer lines. The meaning
cannot change: the tree after is compared with the tree before.
"""

from __future__ import annotations

from itertools import groupby, pairwise

from attrs import define, field

from dicegames.ground.source import Source
from dicegames.syntax.nodes import outline
from dicegames.syntax.parse import parse_whole
from dicegames.syntax.tokens import RESERVED, TOKEN, WORDS

INDENT = 4
COMMENT_COLUMN = 41
TABLE_GAP = 3
COLUMN_GAP = 3
TABLE_PARTS = ("boxes", "patterns")
NOT_BEFORE = frozenset([")", "}", ",", ":"])
NOT_BEHIND = frozenset(["(", "{"])
BEFORE_A_VALUE = (RESERVED | frozenset(WORDS["relation"].split()) | {"means", "pays", "until"}) - {
    "yes",
    "no",
}
"""Words before which no value can end, so that a minus behind them is a sign."""


@define
class _FileLine:
    """A line of the file: how deep it stands, its words and signs, its comment."""

    column: int
    tokens: list[str] = field(factory=list)
    comment: str = ""
    comment_column: int = -1
    continues: bool = False  # its comment goes on with that of the line before
    level: int = 0
    behind: str = ""  # in brackets that are still open: the last word of the line above
    in_table: bool = False
    code: str = ""


def formatted(source: Source) -> str:
    """Return the text of a rules file in its one layout; raises RulesError for faulty syntax."""
    before = _tree(source)
    text = _laid_out(source.text)
    after = _tree(Source(source.name, text))
    assert before == after, f"{source.name}: the layout would change the meaning"
    return text


def _tree(source: Source) -> list[str]:
    found: list[str] = []
    for node in parse_whole(source):
        found += [*outline(node), *("brackets" * part.bracketed for part in node.walk())]
    return found


def _laid_out(text: str) -> str:
    lines = [_read(line) for line in text.split("\n")]
    for above, line in pairwise(lines):
        same_column = line.comment_column == above.comment_column >= 0
        line.continues = same_column and not line.tokens and bool(above.tokens or above.continues)
    _indent(lines)
    for line in lines:
        line.code = " " * (INDENT * line.level) + _joined(line.tokens, line.behind)
    _align_rows(lines)
    return "\n".join(_with_comments(lines)) + "\n"


def _read(text: str) -> _FileLine:
    line = _FileLine(len(text) - len(text.lstrip()))
    for found in TOKEN.finditer(text):
        if found.lastgroup == "comment":
            line.comment, line.comment_column = found[0].rstrip(), found.start()
        else:
            line.tokens.append(found[0])
    return line


# ---- blocks


def _indent(lines: list[_FileLine]) -> None:
    """Set how deep each line stands; a colon before a block is not needed."""
    columns = [0]
    before: _FileLine | None = None
    in_table = False
    brackets = begun = 0
    for line in lines:
        if not line.tokens:
            continue
        inside = brackets > 0
        brackets += line.tokens.count("(") - line.tokens.count(")")
        if inside:
            assert before is not None
            line.level, line.behind, before = begun + 1, before.tokens[-1], line
            continue
        while line.column < columns[-1]:
            columns.pop()
        if line.column > columns[-1]:
            columns.append(line.column)
            assert before is not None
            if before.tokens[-1] == ":":
                before.tokens.pop()
        line.level = begun = len(columns) - 1
        in_table = line.tokens[0] in TABLE_PARTS if line.level == 0 else in_table
        line.in_table = in_table and line.level == 1 and "pays" in line.tokens
        before = line
    _indent_comments(lines)


def _indent_comments(lines: list[_FileLine]) -> None:
    """Let a comment on a line of its own stand with what follows, or with the block it ends."""
    following = _FileLine(0)
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if line.tokens:
            following = line
        elif line.comment:
            line.level = following.level
            before = next((x for x in reversed(lines[:at]) if x.tokens), following)
            if line.column > following.column and before.level > following.level:
                deeper = (line.column - following.column + INDENT - 1) // INDENT
                line.level = min(before.level, following.level + deeper)


# ---- one line


def _joined(tokens: list[str], before: str = "") -> str:
    text, sign = "", False
    for word in tokens:
        apart = bool(text) and word not in NOT_BEFORE and before not in NOT_BEHIND and not sign
        text += (" " if apart else "") + word
        sign = word == "-" and _begins_a_value(before)
        before = word
    return text


def _begins_a_value(before: str) -> bool:
    """Tell whether a minus behind this is a sign, not a subtraction."""
    if not before or before in BEFORE_A_VALUE:
        return True
    return not (before[0].isalnum() or before[0] in '_"' or before in (")", "}"))


def _align_rows(lines: list[_FileLine]) -> None:
    """Put the rows of neighbouring tables into columns: label, pattern, points."""
    for _, group in groupby(lines, key=lambda line: bool(line.tokens or line.comment)):
        rows = [line for line in group if line.in_table]
        cells = [_cells(line.tokens) for line in rows]
        widths = [max((len(row[i]) for row in cells), default=0) for i in (0, 1)]
        for line, (label, pattern, pays) in zip(rows, cells, strict=True):
            before = label.ljust(widths[0] + COLUMN_GAP) + pattern.ljust(widths[1] + COLUMN_GAP)
            line.code = " " * INDENT + before + pays


def _cells(tokens: list[str]) -> tuple[str, str, str]:
    label = next(i for i, token in enumerate(tokens) if token.startswith('"')) + 1
    pays = tokens.index("pays", label)
    return _joined(tokens[:label]), _joined(tokens[label:pays]), _joined(tokens[pays:])


# ---- comments and blank lines


def _with_comments(lines: list[_FileLine]) -> list[str]:
    """Return the lines with their comments; blank lines are empty texts, none at either end."""
    shown: list[str] = []
    for run in _runs(lines):
        longest = max(len(line.code) for line in run if not line.continues)
        column = max(COMMENT_COLUMN, longest + TABLE_GAP)
        for line in run:
            if line.comment and (line.tokens or line.continues):
                code = "" if line.continues else line.code
                shown.append(code.ljust(column) + line.comment)
            else:
                shown.append((line.code + line.comment).rstrip())
    while shown and not shown[0]:
        del shown[0]
    while shown and not shown[-1]:
        del shown[-1]
    return [text for at, text in enumerate(shown) if text or shown[at - 1]]


def _runs(lines: list[_FileLine]) -> list[list[_FileLine]]:
    """Return the lines in groups the comments of which stand in one column."""
    runs: list[list[_FileLine]] = []
    before = False
    for line in lines:
        long = bool(line.comment) and len(line.code) + TABLE_GAP > COMMENT_COLUMN
        if not (line.continues or (long and before)):
            runs.append([])
        runs[-1].append(line)
        before = before if line.continues else long and bool(line.tokens)
    return runs

"""Pictures of a game in characters: dice, moves with what they lose, the course of a game."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from dicegames.play.columns import table
from dicegames.play.judge import GRADES, MARKS, Account, Ledger, Scale
from dicegames.play.wording import GRADE_STYLES, Line
from dicegames.rules.running.referee import Position
from dicegames.solver.model import TIE

CHART_HEIGHT = 9
PICTURE_BAR, SHORTEST_PICTURE_BAR = 30, 6
EIGHTHS = " ▏▎▍▌▋▊▉█"


def dice_shown(position: Position) -> list[tuple[str, list[str]]]:
    """Return the piles that hold dice: their names, and the faces."""
    names, found = position.game.names, []
    for name, kind_name in names.piles.items():
        kind = names.kinds[kind_name]
        counts = position.env[names.variables[name].base]
        faces = [str(f) for f, c in zip(kind.faces, counts, strict=True) for _ in range(c)]
        if faces:
            found.append((name, faces))
    return found


def dice_picture(position: Position, width: int) -> list[Line]:
    """Return the dice on the table as boxes, the piles beside each other where there is room.

    A pile too wide for boxes is a line of text.
    """
    piles = dice_shown(position)
    named = len(piles) > 1
    lines: list[Line] = []
    row = ["", "", ""]
    for name, faces in piles:
        tops = [f"╭{'─' * (len(f) + 2)}╮" for f in faces]
        drawn = ["".join(tops), "".join(f"│ {f} │" for f in faces)]
        drawn.append("".join(t.replace("╭", "╰").replace("╮", "╯") for t in tops))
        title = f"{name} " if named else ""
        size = len(drawn[0]) + len(title) + 2
        if size - 2 > width:
            lines += [[(part, "bold")] for part in row if part]
            told = textwrap.wrap(f"{title}{' '.join(faces)}", width, subsequent_indent="  ")
            lines += [[(part, "bold")] for part in told]
            row = ["", "", ""]
            continue
        if row[0] and len(row[0]) + size > width:
            lines += [[(part, "bold")] for part in row]
            row = ["", "", ""]
        for number, part in enumerate(drawn):
            gap = "  " if row[number] else ""
            before = title if number == 1 else " " * len(title)
            row[number] += gap + before + part
    return lines + [[(part, "bold")] for part in row if part.strip()]


def bar(share: float, length: int) -> str:
    """Return a bar that fills a share (0 to 1) of a length."""
    eighths = round(max(0.0, min(1.0, share)) * length * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")


def options_picture(
    options: Sequence[tuple[str, float]], scale: Scale, *, width: int, plain: bool, sign: int
) -> list[Line]:
    """Return moves with their values, the best first; bars, where there is room, show losses."""
    best = options[0][1]
    losses = [sign * (best - value) for _, value in options]
    told = ["best" if loss <= TIE else scale.change(-loss) for loss in losses]
    values = [scale.value(value) for _, value in options]
    sizes = [max(map(len, column)) for column in ([name for name, _ in options], values, told)]
    sizes[0] = max(8, min(sizes[0], width - sum(sizes[1:]) - 4))
    room = min(PICTURE_BAR, width - sum(sizes) - 6)
    lines: list[Line] = []
    for (name, _), loss, value, text in zip(options, losses, values, told, strict=True):
        right = loss <= TIE
        start = f"{name:<{sizes[0]}}  {value:>{sizes[1]}}  {text:>{sizes[2]}}"
        line: Line = [(start, "bold green" if right else "")]
        if not plain and not right and room >= SHORTEST_PICTURE_BAR:
            line.append(("  " + bar(loss / max(losses), room), "red"))
        lines.append(line)
    return lines


# ---- the course of a game


def course_picture(ledger: Ledger, seat: int, *, width: int, plain: bool) -> list[Line]:
    """Return the expected result over the game, the mistakes of a seat marked."""
    points = [
        (value, ledger.scale.grade(event.loss) if event and event.seat == seat else -1)
        for value, event in ledger.line(seat)
    ]
    if not plain:
        return _chart(points, ledger.scale, width)
    shown = [ledger.scale.value(v) + (f" {GRADES[g]}" if g >= 0 else "") for v, g in points]
    return [[("after each throw and move: " + ", ".join(shown), "")]]


def _chart(points: list[tuple[float, int]], scale: Scale, width: int) -> list[Line]:
    values = [value for value, _ in points]
    low, high = min(values), max(values)
    labels = [scale.value(high), scale.value(low)]
    margin = max(map(len, labels)) + 1
    room = max(10, width - margin - 1)
    across = max(1, -(-len(points) // room))  # points that share a column
    groups = [points[n : n + across] for n in range(0, len(points), across)]
    wide = max(1, min(4, room // len(groups)))
    grid = [[(" ", "")] * (len(groups) * wide) for _ in range(CHART_HEIGHT)]
    span = high - low or 1.0
    for column, group in enumerate(groups):
        value, grade = group[-1][0], max(grade for _, grade in group)
        row = round((high - value) / span * (CHART_HEIGHT - 1))
        sign = MARKS[grade][: wide + 1] if grade >= 0 else "•"
        style = GRADE_STYLES[grade] if grade >= 0 else "cyan"
        for number in range(wide):
            mark = sign[number] if number < len(sign) else "─"
            grid[row][column * wide + number] = (mark, style if mark != "─" else "dim")
    lines: list[Line] = []
    for number, cells in enumerate(grid):
        label = labels[0] if number == 0 else labels[1] if number == CHART_HEIGHT - 1 else ""
        edge = "┤" if label else "│"
        lines.append([(f"{label:>{margin - 1}} {edge}", "dim"), *_joined(cells)])
    return lines


def _joined(cells: Sequence[tuple[str, str]]) -> Line:
    """Join neighbours of the same style."""
    line: Line = []
    for mark, style in cells:
        if line and line[-1][1] == style:
            line[-1] = (line[-1][0] + mark, style)
        else:
            line.append((mark, style))
    return line


EXACT_LOSS = 1e-6
"""What the account of an exact judge may miss by rounding."""


def account_lines(
    accounts: Sequence[tuple[str, Account]], scale: Scale, *, maximise: bool, over: bool, width: int
) -> list[Line]:
    """Return for each player what the result is made of."""
    several = len(accounts) > 1
    heads = ["", "start", "luck", "losses", *(["others"] if several else [])]
    heads.append("result" if over else "expected")
    rows = [heads]
    for name, account in accounts:
        row = [name, scale.value(account.start), scale.change(account.luck)]
        row.append(scale.amount(account.losses))
        row += [scale.change(account.others)] if several else []
        rows.append([*row, scale.value(account.expected)])
    formula = "start + luck - losses" if maximise else "start - luck + losses"
    told = f"{formula}{' + others' if several else ''} = {heads[-1]}"
    gap = max(account.gap(maximise=maximise) for _, account in accounts)
    if gap > EXACT_LOSS:  # values on a grid do not quite agree with each other
        told += f", but for {scale.amount(gap)} at most: the judge's values are approximate"
    return [*table(rows, width), [(told, "dim")]]


def decisions_lines(
    accounts: Sequence[tuple[str, Account]], scale: Scale, width: int
) -> list[Line]:
    """Return for each player how many decisions were right, and the others by grade."""
    rows = [["", "decisions", "right", *MARKS, "loss each"]]
    for name, account in accounts:
        each = account.losses / account.decisions if account.decisions else 0.0
        row = [name, str(account.decisions), str(account.right), *map(str, account.grades)]
        rows.append([*row, scale.amount(each)])
    return [*table(rows, width), [(scale.legend(), "dim")]]

"""Pictures of a game in characters: dice, score sheet, options as bars, the course of a game."""

from __future__ import annotations

from collections.abc import Sequence

from dicegames.play.judge import GRADES, SIGNS, Account, Ledger, Scale
from dicegames.play.match import Match
from dicegames.play.standing import boxes, sheet
from dicegames.play.wording import GRADE_STYLES, Line, Unit
from dicegames.rules.running.referee import Position
from dicegames.solver.model import TIE

CHART_HEIGHT = 9
LONGEST_BAR, SHORTEST_BAR = 30, 6
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
    """Return the dice on the table as boxes, the piles beside each other where there is room."""
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
        if len(drawn[0]) + len(title) > width:
            drawn, title = ["", f"{title}{' '.join(faces)}"[:width], ""], ""
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
    options: Sequence[tuple[str, float]], unit: Unit, *, width: int, plain: bool, sign: int
) -> list[Line]:
    """Return moves with their values, the best first, as bars where there is room for them."""
    best, worst = options[0][1], options[-1][1]
    losses = [sign * (best - value) for _, value in options]
    told = ["best" if loss <= TIE else unit.change(-loss) for loss in losses]
    values = [unit.value(value) for _, value in options]
    sizes = [max(map(len, column)) for column in ([name for name, _ in options], values, told)]
    sizes[0] = max(8, min(sizes[0], width - sum(sizes[1:]) - 4))
    room = min(LONGEST_BAR, width - sum(sizes) - 6)
    lines: list[Line] = []
    for (name, _), loss, value, text in zip(options, losses, values, told, strict=True):
        right, span = loss <= TIE, abs(best - worst)
        start = f"{name:<{sizes[0]}}  {value:>{sizes[1]}}  {text:>{sizes[2]}}"
        line: Line = [(start, "bold green" if right else "")]
        if not plain and room >= SHORTEST_BAR:
            share = 1.0 if span <= TIE else 1 - 0.95 * loss / span
            line.append(("  " + bar(share, room), "green" if right else "cyan"))
        lines.append(line)
    return lines


def sheet_picture(match: Match, names: Sequence[str], width: int) -> list[Line]:
    """Return the score sheet: what lasts by player, and which boxes are used."""
    position = match.position
    players = len(names)
    lines: list[Line] = []
    entries = sheet(position)
    wide = max([12, *(len(entry.name) + 1 for entry in entries)])
    wide = min(wide, width // 2)
    if players > 1:
        column = max(8, *(len(name) + 2 for name in names))
        column = min(column, max(6, (width - wide) // players))
        title = "".join(f"{name[: column - 1]:>{column}}" for name in names)
        lines.append([(f"{'':<{wide}}{title}", "dim")])
    else:
        column = 8
    for entry in entries:
        shown = entry.values
        if len(shown) == 1 and len(shown[0]) > column:
            lines.append([(f"{entry.name:<{wide}}  ", "dim"), (shown[0], "")])
            continue
        cells = "".join(f"{value[: column - 1]:>{column}}" for value in shown)
        lines.append([(f"{entry.name[: wide - 1]:<{wide}}", "dim"), (cells, "")])
    return lines + _boxes(position, gains(match), width)


def gains(match: Match) -> dict[tuple[str, int], str]:
    """Return in which turn each seat used each box."""
    found: dict[tuple[str, int], str] = {}
    before = dict(boxes(match.positions[0]))
    turns = [0] * match.game.players
    for step in match.steps:
        turns[step.seat] += step.begins_turn
        now = dict(boxes(step.after))
        for label, used in now.items():
            for seat, is_used in enumerate(used):
                if is_used and not before[label][seat]:
                    found[label, seat] = f"turn {turns[step.seat]}"
        before = now
    return found


def _boxes(position: Position, used_in: dict[tuple[str, int], str], width: int) -> list[Line]:
    rows = boxes(position)
    if not rows:
        return []
    widest = max(len(label) for label, _ in rows)
    players = len(rows[0][1])
    cells = []
    for label, used in rows:
        marks = [used_in.get((label, s), "used") if u else "open" for s, u in enumerate(used)]
        marks = [f"{mark.removeprefix('turn '):>3}" if players > 1 else mark for mark in marks]
        if players > 1:
            marks = [mark.replace("open", "  -").replace("used", "  x") for mark in marks]
        cells.append((f"{label:<{widest}}  {' '.join(marks)}", all(used)))
    size = max(len(text) for text, _ in cells) + 3
    across = max(1, min(3, width // size))
    down = -(-len(cells) // across)
    lines: list[Line] = []
    for number in range(down):
        own = cells[number::down]
        line: Line = [(f"{text:<{size}}", "dim" if used else "bold") for text, used in own]
        line[-1] = (line[-1][0].rstrip(), line[-1][1])
        lines.append(line)
    if players > 1:
        lines.insert(0, [("boxes: the turn in which each player used them", "dim")])
    return lines


# ---- the course of a game


def course_picture(ledger: Ledger, seat: int, unit: Unit, *, width: int, plain: bool) -> list[Line]:
    """Return the expected result over the game, the mistakes of a seat marked."""
    points = [
        (value, ledger.scale.grade(event.loss) if event and event.seat == seat else -1)
        for value, event in ledger.line(seat)
    ]
    return _linear(points, unit) if plain else _chart(points, unit, width)


def _linear(points: list[tuple[float, int]], unit: Unit) -> list[Line]:
    shown = [unit.value(v) + (f" {GRADES[g]}" if g >= 0 else "") for v, g in points]
    return [[("after each throw and move: " + ", ".join(shown), "")]]


def _chart(points: list[tuple[float, int]], unit: Unit, width: int) -> list[Line]:
    values = [value for value, _ in points]
    low, high = min(values), max(values)
    labels = [unit.value(high), unit.value(low)]
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
        sign = SIGNS[grade][: wide + 1] if grade >= 0 else "•"
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


EXACT = 1e-6
"""What the account of an exact judge may miss by rounding."""


def account_lines(
    accounts: Sequence[tuple[str, Account]], unit: Unit, *, maximise: bool, over: bool, width: int
) -> list[Line]:
    """Return for each player what the result is made of."""
    several = len(accounts) > 1
    heads = ["", "start", "luck", "losses", *(["others"] if several else [])]
    heads.append("result" if over else "expected")
    rows = [heads]
    for name, account in accounts:
        row = [name, unit.value(account.start), unit.change(account.luck)]
        row.append(unit.amount(account.losses))
        row += [unit.change(account.others)] if several else []
        rows.append([*row, unit.value(account.expected)])
    formula = "start + luck - losses" if maximise else "start - luck + losses"
    told = f"{formula}{' + others' if several else ''} = {heads[-1]}"
    gap = max(account.gap(maximise=maximise) for _, account in accounts)
    if gap > EXACT:  # values on a grid do not quite agree with each other
        told += f", but for {unit.amount(gap)} at most: the judge's values are approximate"
    return [*_table(rows, width), [(told, "dim")]]


def decisions_lines(
    accounts: Sequence[tuple[str, Account]], unit: Unit, scale: Scale, width: int
) -> list[Line]:
    """Return for each player how many decisions were right, and the others by grade."""
    rows = [["", "decisions", "right", *SIGNS, "loss each"]]
    for name, account in accounts:
        each = account.losses / account.decisions if account.decisions else 0.0
        row = [name, str(account.decisions), str(account.right), *map(str, account.grades)]
        rows.append([*row, unit.amount(each)])
    return [*_table(rows, width), [(unit.thresholds(scale), "dim")]]


def _table(rows: list[list[str]], width: int) -> list[Line]:
    """Return rows as a table; turned on its side where it is too wide."""
    sizes = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    if sum(sizes) + 2 * (len(sizes) - 1) > width:
        rows = [list(column) for column in zip(*rows, strict=True)]
        sizes = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines: list[Line] = []
    for number, row in enumerate(rows):
        cells = [f"{row[0]:<{sizes[0]}}"]
        cells += [f"{cell:>{size}}" for cell, size in zip(row[1:], sizes[1:], strict=True)]
        lines.append([("  ".join(cells), "dim" if number == 0 else "")])
    return lines

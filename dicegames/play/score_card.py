"""The score card: what each box brought to each player, sums, what came on top, what lasts.

What a card is stands in no rules file; it is read off the rules. Points are the variables that the
payoff or the ranking reads. An addition to one of them that reads a box is what this box pays;
other additions to the same variable come on top, as a bonus does, and are named in the words of
the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from attrs import frozen

from dicegames.play.columns import beside, table
from dicegames.play.match import Match, Step
from dicegames.play.standing import OPEN_CELL, boards, boxes, counted_as, entries
from dicegames.play.wording import Line
from dicegames.rules.parts.flow import Set
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.rows import Box
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import box_rows
from dicegames.rules.running.effects import assign
from dicegames.rules.running.referee import Position, run

LONGEST_NAME = 16
SUM_OF = "sum of "


@frozen
class Gain:
    """Points that a step brought a player: those of a box, or others in the words of the rules."""

    seat: int
    amount: Value
    box: str = ""
    words: str = ""


def gains_of(step: Step) -> Iterator[Gain]:
    """Yield what a step added to the points that boxes pay into, in the order of the rules."""
    game, node = step.before.game, step.before.node
    adding = _adding(game)
    here = step.before.after(step.what, adding)
    while here.at in adding and not here.starts_turn:
        instruction = game.flow[here.at]
        assert isinstance(instruction, Set)
        env = list(here.env)
        slot = assign(instruction, env)
        offset = (slot - game.names.slots[slot].base) % game.players
        seat, amount = (node.seat + offset) % game.players, env[slot] - here.env[slot]
        read = (here.env[slot] for slot in _box_slots(game, instruction))
        box = next((box.row.label for box in read if isinstance(box, Box)), "")
        yield Gain(seat, amount, box, "" if box else _words(game, instruction))
        here = run(game, instruction.next, env, adding)


@lru_cache(maxsize=16)
def _adding(game: Rules) -> frozenset[int]:
    """Return the instructions that add to points that boxes pay into."""
    read = game.final_reads.union(*(e.reads for e in game.standings))
    points = {s for s in read if game.names.slots[s].scope == "player"}
    found = {
        number: instruction
        for number, instruction in enumerate(game.flow)
        if isinstance(instruction, Set)
        and instruction.addition is not None
        and points & {*instruction.targets}
    }
    paid = {t for i in found.values() if _box_slots(game, i) for t in i.targets}
    return frozenset(n for n, i in found.items() if paid & {*i.targets})


def _box_slots(game: Rules, instruction: Set) -> list[int]:
    assert instruction.addition is not None
    reads = sorted(instruction.addition.reads)
    return [slot for slot in reads if game.names.slots[slot].type.kind == "box"]


def _words(game: Rules, instruction: Set) -> str:
    """Return what is added in the words of the rules, if they are few."""
    assert instruction.addition is not None
    words = game.source.at(instruction.addition.span)
    if words.isdigit():
        return f"+{words}"
    return words if 0 < len(words) <= LONGEST_NAME and "\n" not in words else "other"


# ---- the card as a picture


def card_lines(match: Match, names: Sequence[str], width: int) -> list[Line]:
    """Return the score card, a column for each player; below it what belongs to all of them."""
    position, game = match.position, match.game
    own, shared = entries(position)
    gains = [gain for step in match.steps for gain in gains_of(step)]
    titles = ["", *(names if len(names) > 1 else [""])]
    blocks = list(_box_blocks(match, gains))
    last = [[words, *_sums(gains, words, len(names))] for words in _on_top(game)]
    last += [[entry.name, *entry.values] for entry in own]
    blocks += [last] if last else []
    total = counted_as(game)
    drawn = [_block(titles, block, width, total) for block in blocks]
    lines = beside(drawn, width) if len(names) == 1 else []
    if blocks and not lines:  # one table, so that the columns stand below each other
        lines = _block(titles, [row for block in blocks for row in block], width, total)
    lines += [[(f"{entry.name} ", "dim"), (entry.values[0], "")] for entry in shared]
    return lines + board_lines(position, names, width)


def _block(titles: list[str], rows: list[list[str]], width: int, total: str) -> list[Line]:
    bold = [n for n, row in enumerate(rows, 1) if row[0].startswith(SUM_OF) or row[0] == total]
    lines = table([titles, *rows], width, turns=False, bold=bold)
    return lines if len(titles) > 2 else lines[1:]


def _box_blocks(match: Match, gains: Sequence[Gain]) -> Iterator[list[list[str]]]:
    """Yield the rows of each table of boxes, with their sum where there are several tables."""
    game = match.game
    used = dict(boxes(match.position))
    tables: dict[str, list[list[str]]] = {}
    for row in box_rows(game.names):
        cells = [_cell(gains, row.label, seat, used[row.label]) for seat in range(game.players)]
        tables.setdefault(row.table, []).append([row.label, *cells])
    for name, rows in tables.items():
        if len(tables) > 1:
            labels = {row[0] for row in rows}
            sums = [
                sum(gain.amount for gain in gains if gain.box in labels and gain.seat == seat)
                for seat in range(game.players)
            ]
            rows.append([f"{SUM_OF}{name}", *map(str, sums)])
        yield rows


def _cell(gains: Sequence[Gain], label: str, seat: int, used: tuple[bool, ...]) -> str:
    own = [gain.amount for gain in gains if gain.box == label and gain.seat == seat]
    if own:
        return str(sum(own))
    return "0" if len(used) > seat and used[seat] else OPEN_CELL


def _on_top(game: Rules) -> list[str]:
    """Return in words all that may come on top of what boxes pay."""
    found = [game.flow[number] for number in sorted(_adding(game))]
    others = [i for i in found if isinstance(i, Set) and not _box_slots(game, i)]
    return list(dict.fromkeys(_words(game, i) for i in others))


def _sums(gains: Sequence[Gain], words: str, players: int) -> list[str]:
    own = [[g.amount for g in gains if g.words == words and g.seat == s] for s in range(players)]
    return [str(sum(amounts)) if amounts else OPEN_CELL for amounts in own]


def board_lines(position: Position, names: Sequence[str], width: int) -> list[Line]:
    """Return the boards of a game: a column for each number, a row for each player."""
    lines: list[Line] = []
    for board in boards(position):
        several = len({name for name, seat, _ in board.rows if seat is not None}) > 1
        shown = [["", *map(str, board.keys)], *([["of", *board.most]] if board.most else [])]
        for name, seat, values in board.rows:
            who = name if seat is None or len(names) == 1 else names[seat]
            shown.append([f"{who} {name}" if several and who != name else who, *values])
        lines += table(shown, width)
    return lines

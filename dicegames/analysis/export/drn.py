"""A process as text in Storm's explicit format, DRN: every state with its choices and ways on.

What is won is a reward of actions: `R{"seat1"}max=? [ F "over" ]` asks for what seat 1 gets.
Probabilities of throws are written as fractions, so that Storm can also calculate exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from attrs import evolve

from dicegames.analysis.export.process import Process, ProcessPart
from dicegames.ground.arguments import OnProgress
from dicegames.solver.model import rows_begin

LARGEST_WRITTEN = 1_000_000
ROUNDING_OF_SUMS = 2.0**-50


def drn_text(
    process: Process, told: Sequence[str] = (), progress: OnProgress | None = None
) -> Iterator[str]:
    """Give the text of a process piece by piece, with comments `told` at its head."""
    kind = "MDP" if process.choosers else "DTMC"
    seats = " ".join(f"seat{seat + 1}" for seat in range(process.seats))
    lines = [*(f"// {line}" for line in told), f"@type: {kind}", "@parameters", ""]
    lines += ["@reward_models", seats, "@nr_states", str(process.states)]
    lines += ["@nr_choices", str(process.choices), "@model", ""]
    yield "\n".join(lines)
    begin, at = int(process.number[process.begin]), 0
    for rows in process.all_rows():
        yield "".join(_states(_merged(rows), at, begin))
        at += len(rows.chooses)
        if progress is not None:
            progress(at, process.states)
    yield f"state {at} over\n\taction 0\n\t\t{at} : 1\n"


def _merged(rows: ProcessPart) -> ProcessPart:
    """Join ways of chance that lead to the same state; what is won on them is what they bring."""
    states = len(rows.chooses)
    source = np.repeat(np.arange(states), np.diff(rows.first))
    chosen = rows.chooses[source]
    apart = np.where(chosen, np.arange(len(source)), -1)
    order = np.lexsort([rows.target, apart, source])
    source, target, apart = source[order], rows.target[order], apart[order]
    new = np.ones(len(order), np.bool_)
    for column in (source, target, apart):
        new[1:] &= column[1:] == column[:-1]
    new[1:] = ~new[1:]
    begins = np.flatnonzero(new)
    first = rows_begin(np.bincount(source[begins], minlength=states))
    weight = np.add.reduceat(rows.weight[order], begins)
    won = np.add.reduceat((rows.weight[:, None] * rows.won)[order], begins)
    return evolve(rows, first=first, target=target[begins], weight=weight, won=won)


def _states(rows: ProcessPart, at: int, begin: int) -> Iterator[str]:
    """Give the lines of the states from number `at` on."""
    target, first = rows.target.tolist(), rows.first.tolist()
    chance = [_text(weight) for weight in rows.weight.tolist()]
    together = np.add.reduceat(rows.won, rows.first[:-1])
    won, sums = ([_bracket(tuple(row)) for row in each.tolist()] for each in (rows.won, together))
    for state, chooses in enumerate(rows.chooses.tolist()):
        low, high = first[state], first[state + 1]
        yield f"state {at + state} init\n" if at + state == begin else f"state {at + state}\n"
        if chooses:
            for k in range(low, high):
                yield f"\taction {k - low}{won[k]}\n\t\t{target[k]} : 1\n"
        else:
            yield f"\taction 0{sums[state]}\n"
            for k in range(low, high):
                yield f"\t\t{target[k]} : {chance[k]}\n"


@cache
def _bracket(won: tuple[float, ...]) -> str:
    """Return rewards as they stand behind an action, nothing where there are none."""
    return f" [{', '.join(map(_text, won))}]" if any(won) else ""


@cache
def _text(number: float) -> str:
    """Return a number as a fraction where it is one but for rounding, else to the last digit."""
    fraction = Fraction(number).limit_denominator(LARGEST_WRITTEN)
    if abs(float(fraction) - number) <= ROUNDING_OF_SUMS * max(1.0, abs(number)):
        return str(fraction)
    return repr(number)

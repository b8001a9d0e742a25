"""Sums of numbers, fitted to what moves lose: by which to pick, and when to make a move.

A measure x ranks the picks m of decision s by x . f[m, s], and the first that ranks highest is
made. What it loses is the sum over s of w[s] * loss[argmax of x . f[., s], s], a step function of
x: single weights are changed by steps as long as that helps, then one more number is taken in,
that which helps most. Sums of few numbers are kept as well as those of many. When to make a move is
found in the same way: where x . f[s] is not below a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

import numpy as np
from attrs import evolve, frozen

from dicegames.authoring.cards.bench import Bench, ranking
from dicegames.authoring.cards.situations import Situations
from dicegames.authoring.cards.words import FEW_SPARE, Feature
from dicegames.rules.parts.advice import Line
from dicegames.rules.parts.broken import RuleBroken
from dicegames.solver.model import Array

MOST_MEASURED = 3_000
"""Decisions to which sums are fitted: those that matter most."""
MOST_FEATURES = 14
MOST_NUMBERS = 6
STEP_SIZES = (1, 2, 4, 8)
"""Measures of so many features are kept, and that with most."""
STEPS = np.array([1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500])
FIRST = 10
"""The weight of the first number: how finely others can be weighed against it."""
WORTH = 0.004
"""By which share of what it loses a sum has to become better with one more number."""

Rows = list[tuple[int, list[int]]]
"""Decisions, each with the places of some of its legal moves."""


def fitted(
    values: Array, score: Array, lost: Callable[[Array], float], most: int
) -> Iterator[Array]:
    """Yield weights for values[numbers, ...] that lose little, with more and more of them."""
    weights = np.zeros(len(values), np.int64)

    def best_step(numbers: Array, sizes: Array) -> tuple[float, int, int]:
        signed = [int(step) for step in (*sizes, *-sizes)]
        found = ((lost(score + s * values[n]), int(n), s) for n in numbers for s in signed)
        return min(found, default=(np.inf, 0, 0))

    now = np.inf
    for size in range(most):
        steps = STEPS if size else np.array([FIRST])
        then, number, step = best_step(np.flatnonzero(weights == 0), steps)
        if not then < now * (1.0 - WORTH):
            return
        while then < now - 1e-9:
            now = then
            weights[number] += step
            score = score + step * values[number]
            then, number, step = best_step(np.flatnonzero(weights), STEPS)
        for number in np.flatnonzero(weights).tolist():
            step = _round(int(weights[number])) - int(weights[number])
            other = score + step * values[number]
            if step and lost(other) <= now * (1.0 + WORTH):
                weights[number], score = weights[number] + step, other
        now = lost(score)
        yield weights // np.gcd.reduce(weights)


def _round(weight: int) -> int:
    """Return a weight that is easier to remember: with one digit that is not 0."""
    unit = int(10 ** (len(str(abs(weight))) - 1))
    return unit * round(weight / unit)


def sum_text(features: Sequence[Feature], weights: Array) -> str:
    """Return a sum in the words of the rules."""
    signed: dict[bool, list[str]] = {True: [], False: []}
    cases: dict[bool, list[str]] = {True: [], False: []}
    for n in np.flatnonzero(weights).tolist():
        _, text, is_number = features[n]
        size, more = abs(int(weights[n])), bool(weights[n] > 0)
        if is_number and re.search(r" ([-+*]|div|mod) ", text):
            text = f"({text})"
        if is_number:
            signed[more].append(text if size == 1 else f"{size} * {text}")
        elif ' = "' in text:
            cases[more].append(f"{size} if {text}")
        else:
            signed[more].append(f"({size} if {text} else 0)")
    for more, own in cases.items():
        if own:
            signed[more].append(f"({' else '.join(own)} else 0)")
    return " - ".join([" + ".join(signed[True]) or "0", *signed[False]])


# ---- what to pick


@frozen(eq=False)
class Picks:
    """What may be picked in decisions: values float32[features, decisions, picks].

    lost: float64[decisions, picks], what each loses, times how often the decision comes up;
    infinity where there is none.
    """

    features: tuple[Feature, ...]
    values: Array
    lost: Array

    def score(self, weights: Array) -> Array:
        """Return what the picks come to by a sum: float64[decisions, picks], -inf for none."""
        return np.where(np.isinf(self.lost), -np.inf, np.tensordot(weights, self.values, 1))

    def loses(self, score: Array) -> float:
        """Return what is lost by who picks what ranks highest."""
        best = score.argmax(axis=1)
        return float(np.take_along_axis(self.lost, best[:, None], 1).sum())

    def measures(self) -> Iterator[str]:
        """Yield measures that lose little."""
        score = np.where(np.isinf(self.lost), -np.inf, 0.0).astype(np.float32)
        for weights in fitted(self.values, score, self.loses, MOST_FEATURES):
            yield sum_text(self.features, weights)


def picks_of(bench: Bench, known: Situations, most: int) -> Iterator[tuple[str, Picks, Rows]]:
    """Yield what is picked in decisions, with what the rules call it: in those that matter most."""
    matters = known.weight * np.array([np.ptp(decision.losses) for decision in known.decisions])
    order = np.argsort(-matters, kind="stable")
    often = order[matters[order] > 0].tolist()
    for name in dict.fromkeys(name for name, _, _ in bench.features):
        own = {f: line for f, line in bench.features.items() if f[0] == name}
        options = [part.option for part in next(iter(own.values())).wish.ranked]
        entries = {(option.entry, option.slot) for option in options}
        legal = ((n, known.decisions[n].legal) for n in often)
        picks = (
            (n, [place for place, m in enumerate(moves) if (m.entry, m.slot) in entries])
            for n, moves in legal
        )
        rows = list(islice(((n, own) for n, own in picks if len(own) > 1), most))
        if rows:
            yield name, _read(own, known, rows), rows


def _read(lines: Mapping[Feature, Line], known: Situations, rows: Rows) -> Picks:
    lost = np.full((len(rows), max(len(places) for _, places in rows)), np.inf)
    for row, (n, places) in enumerate(rows):
        lost[row, : len(places)] = known.weight[n] * known.decisions[n].losses[places]
    values: dict[Feature, Array] = {}
    try:
        told = _told(lines, known, rows)
    except RuleBroken:  # some cannot be asked everywhere
        told = {}
        for feature, line in lines.items():
            with suppress(RuleBroken):
                told |= _told({feature: line}, known, rows)
    for feature, found in told.items():
        if any(len(set(numbers)) > 1 for numbers in found):
            values[feature] = np.zeros(lost.shape, np.float32)
            for row, numbers in enumerate(found):
                values[feature][row, : len(numbers)] = numbers
    return Picks(tuple(values), np.array(list(values.values())), lost)


def _told(
    lines: Mapping[Feature, Line], known: Situations, rows: Rows
) -> dict[Feature, list[tuple[Any, ...]]]:
    """Return what the picks of decisions have of each feature; raises RuleBroken."""
    several = [line.wish.ranked for line in lines.values()]
    parts = [
        evolve(own[0], ranks=tuple(p.ranks[0] for p in own)) for own in zip(*several, strict=True)
    ]
    first = next(iter(lines.values()))
    rank = ranking(evolve(first, wish=evolve(first.wish, ranked=tuple(parts))))
    found = [
        list(zip(*(marks for _, marks in rank(known.decisions[n])), strict=True)) for n, _ in rows
    ]
    return {feature: [own[at] for own in found] for at, feature in enumerate(lines)}


def measured_picks(bench: Bench, known: Situations) -> Iterator[str]:
    """Yield moves that pick by measures that lose little in decisions."""
    for name, picks, _ in picks_of(bench, known, MOST_MEASURED):
        found = list(picks.measures())
        found = [found[n - 1] for n in STEP_SIZES if n < len(found)] + found[-1:]
        wheres = [f"{name} in {group}" for group in bench.rules.names.boxes]
        wheres += [f"size of spare of {name} <= {spare}" for spare in FEW_SPARE]
        for text in found:
            yield f"pick {name} with highest {text}"
        yield from (f"pick {name} where {where} with highest {found[-1]}" for where in wheres)


# ---- when to make a move


def measured_truths(known: Situations, numbers: Mapping[str, Array]) -> Iterator[str]:
    """Yield conditions that tell when to make a move: sums of numbers that are large or small.

    numbers: what they come to by decision.
    """
    for _, own, gain in label_gains(known, range(len(known.decisions))):
        held = {text: row[own].astype(np.float64) for text, row in numbers.items()}
        for when, _, unless in conditions(held, gain, MOST_NUMBERS):
            yield from (when, unless)


def label_gains(
    known: Situations, decisions: Sequence[int], made: Sequence[int] | None = None
) -> Iterator[tuple[str, Array, Array]]:
    """Yield the names of moves, in which decisions they are legal, and what each gains there.

    Those decisions that matter most, by their place in `decisions`; against the move that is `made`
    in each, or the best other one. Of two moves one is enough.
    """
    labels = [[m.label if m.slot < 0 else "" for m in known.decisions[n].legal] for n in decisions]
    asked: set[tuple[int, ...]] = set()
    for label in dict.fromkeys(text for text in chain.from_iterable(labels) if text):
        own = np.array([n for n, some in enumerate(labels) if label in some and len(some) > 1])
        gain = np.zeros(len(own))
        for row, n in enumerate(own.tolist()):
            losses, place = known.decisions[decisions[n]].losses, labels[n].index(label)
            other = np.delete(losses, place).min() if made is None else losses[made[n]]
            gain[row] = known.weight[decisions[n]] * (other - losses[place])
        most = np.argsort(-np.abs(gain), kind="stable")[:MOST_MEASURED]
        own, gain = own[most], gain[most]
        if tuple(own) not in asked and (gain < 0).any() and (gain > 0).any():
            asked.add(tuple(own))
            yield label, own, gain


def conditions(
    held: Mapping[str, Array], gain: Array, most: int
) -> Iterator[tuple[str, Array, str]]:
    """Yield conditions of 1, 2, ... numbers where to gain something, and their opposites.

    Between them: in which decisions they hold, bool[decisions].
    """
    held = {text: row for text, row in held.items() if np.ptp(row)}

    def limit(score: Array) -> tuple[float, int]:
        order = np.argsort(-score, kind="stable")
        gained = np.cumsum(gain[order])
        ends = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)
        best = ends[int(gained[ends].argmax())]
        return float(gained[best]), int(score[order[best]])

    largest = float(np.maximum(gain, 0.0).sum())
    values = np.array(list(held.values()))
    features = [("", text, True) for text in held]
    score = np.zeros(len(gain))
    for weights in fitted(values, score, lambda s: largest - limit(s)[0], most):
        least = limit(weights @ values)[1]
        holds, turned = weights @ values >= least, least < 0 or not (weights > 0).any()
        sign, other = ("<=", ">") if turned else (">=", "<")
        least = -least if turned else least
        text = sum_text(features, -weights if turned else weights)
        text = f"{text} + {-least}" if least < 0 else text
        least = max(least, 0)
        yield f"{text} {sign} {least}", holds, f"{text} {other} {least}"

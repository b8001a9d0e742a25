"""Cards drafted from what moves lose in many games that were played by the last draft.

For each thing that is picked a sum is found by which to pick: with f[m] the numbers of pick m in
decision s and l[s, m] what it loses there, weights x for which the expected loss of picking at
random is small, ::

    sum over s, m of l[s, m] * exp(x . f[m] / T) / (sum over k of exp(x . f[k] / T))

which is smooth; the temperature T falls step by step (a policy gradient; Sutton and others, 2000).
Then weights are made small whole numbers. Where a move has a name it is made if the sum of the best
pick, or another one, tells so. What is lost in the games of a draft is what the draft loses, since
losses are exact: so each draft is fitted to the games of the one before.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

import numpy as np

from dicegames.authoring.cards.bench import Bench
from dicegames.authoring.cards.measures import Picks, conditions, label_gains, picks_of, sum_text
from dicegames.authoring.cards.situations import Situations
from dicegames.authoring.cards.word_reader import Said
from dicegames.authoring.cards.words import ALWAYS
from dicegames.solver.model import Array

MOST_FITTED = 15_000
"""Decisions to which sums are fitted: those that matter most."""
TEMPERATURES = (8.0, 4.0, 2.0, 1.0)
STEPS_A_TEMPERATURE = 80
"""At each temperature."""
WEIGHT_LIMIT = 100
"""The largest weight, before weights are rounded."""
SLACK = 5e-3
"""By which share of what it loses a sum may become worse where its weights are rounded."""
WEIGHTS_A_LINE = 3
"""Numbers of which a sum consists that tells when to make a move."""

One = tuple[tuple[str, ...], str]
"""A line as text: conditions that must hold, and a move."""


def soft_weights(values: Array, lost: Array) -> Array:
    """Return weights for values[numbers, decisions, picks] that lose little: float64[numbers].

    lost: float64[decisions, picks], infinity where there is no pick.
    """
    there = np.isfinite(lost)
    first = np.concatenate([[0], np.cumsum(there.sum(axis=1))[:-1]])
    often = there.sum(axis=1)
    own = values[:, there].astype(np.float32)
    spread = own - np.repeat(np.add.reduceat(own, first, axis=1) / often, often, axis=1)
    scale = np.maximum(spread.std(axis=1), 1e-6)
    own /= scale[:, None]
    loss = lost[there].astype(np.float32)
    x, mean, square = (np.zeros(len(own), np.float32) for _ in range(3))
    for temperature in TEMPERATURES:
        for _ in range(STEPS_A_TEMPERATURE):
            score = x @ own / temperature
            chance = np.exp(score - np.repeat(np.maximum.reduceat(score, first), often))
            chance /= np.repeat(np.add.reduceat(chance, first), often)
            expected = np.repeat(np.add.reduceat(chance * loss, first), often)
            slope = own @ (chance * (loss - expected))
            slope /= np.abs(slope).max() + 1e-12
            mean = 0.9 * mean + 0.1 * slope
            square = 0.99 * square + 0.01 * slope * slope
            x -= (0.04 * temperature + 0.02) * mean / (np.sqrt(square) + 1e-3)
    return np.asarray(x / scale, np.float64)


def whole_weights(picks: Picks) -> Array:
    """Return whole weights for picks that lose little, as few and as round as they may be."""
    soft = soft_weights(picks.values, picks.lost)
    weights = np.rint(soft * WEIGHT_LIMIT / max(np.abs(soft).max(), 1e-12)).astype(np.int64)
    score = picks.score(weights)
    most = picks.loses(score) * (1.0 + SLACK)
    for number in np.argsort(np.abs(weights)).tolist():
        own = int(weights[number])
        unit = 10 ** (len(str(abs(own))) - 1)
        for rounder in (0, unit * round(own / unit), 5 * round(own / 5)):
            other = score + (rounder - own) * picks.values[number]
            if rounder != own and picks.loses(other) <= most:
                weights[number], score = rounder, other
                break
    return np.asarray(weights // max(1, np.gcd.reduce(weights)))


def draft(bench: Bench, known: Situations, numbers: Mapping[str, Array]) -> tuple[Said, Said]:
    """Return lines that lose little in decisions: such as help, and below them such as always play.

    numbers: what they come to by decision.
    """
    lines: list[One] = []
    tail: list[One] = []
    lasting = frozenset(bench.solution.compiled.emitter.slots)
    brief = {text for text in numbers if not bench.numbers[text].reads & lasting}
    picking: set[int] = set()
    for name, picks, rows in picks_of(bench, known, MOST_FITTED):
        if not picks.features:
            continue
        weights = whole_weights(picks)
        score = picks.score(weights)
        made = [places[at] for at, (_, places) in zip(score.argmax(axis=1), rows, strict=True)]
        decisions = [number for number, _ in rows]
        own = {text: row[decisions] for text, row in numbers.items()}
        what = (name, sum_text(picks.features, weights), score.max(axis=1))
        for label, at, gain in label_gains(known, decisions, made):
            lines += _instead(label, gain, what, at, own, brief)
        tail.append(((ALWAYS,), f"pick {name} with highest {what[1]}"))
        picking.update(decisions)
    named: dict[tuple[str, ...], list[int]] = {}
    for number, decision in enumerate(known.decisions):
        labels = tuple(move.label for move in decision.legal if move.slot < 0)
        if number not in picking and len(labels) > 1:
            named.setdefault(labels, []).append(number)
    for labels, decisions in named.items():
        usual = labels[0]
        for label, at, gain in label_gains(known, decisions):
            own = {text: row[decisions][at] for text, row in numbers.items()}
            other = next(each for each in labels if each != label)
            usual, rare = (label, other) if gain.sum() > 0 else (other, label)
            for when, _, unless in list(conditions(own, gain, WEIGHTS_A_LINE))[-1:]:
                lines.append(((unless if usual == label else when,), f'"{rare}"'))
        tail.append(((ALWAYS,), f'"{usual}"'))
    return tuple(lines), tuple(tail)


def _instead(
    label: str, gain: Array, what: tuple[str, str, Array], at: Array, numbers: Mapping[str, Array],
    brief: Container[str],
) -> Iterator[One]:  # fmt: skip
    """Yield lines that make a named move where that gains something against the best pick.

    what: the name of what is picked, the sum that tells which, and what it comes to for the best.
    brief: numbers that no later turn depends on. With others in it, whether a pick is good enough
    would have to be told at all points for each pair of picks, which takes minutes to compile.
    """
    name, text, best = what
    now = {number: row[at] for number, row in numbers.items()}
    held = {text: best[at], **{number: row for number, row in now.items() if number in brief}}
    for when, holds, unless in list(conditions(held, gain, WEIGHTS_A_LINE))[-1:]:
        if text not in when:
            yield (when,), f'"{label}"'
            continue
        yield (ALWAYS,), f"pick {name} where {unless} with highest {text}"
        left = {number: row[holds] for number, row in now.items()}
        also = [found for found, *_ in conditions(left, gain[holds], WEIGHTS_A_LINE)]
        yield (also[-1] if also else ALWAYS,), f'"{label}"'

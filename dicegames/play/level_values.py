"""What levels are worth exactly, where all positions of a game can be listed.

With V the values under best play and p the chances of a level, which follow from what moves lose
against the best by V, its own value W is that of a fixed way of playing:

    chance            W(s) = sum over outcomes of weight * (r + W(s'))
    the level's turn  W(s) = sum over moves of p(m) * (r + W(s'))
    another's turn    W(s) = r + W(s') of the move that is best by V, as against best play
    the end           W(s) = the payoff

Both are found from the end, without rounding but that of floating point.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dicegames.ground.exact_cycles import Arc, components
from dicegames.ground.exact_limit import Limit, TooLarge
from dicegames.play.levels import Level, chances_of
from dicegames.rules.parts.game import Game
from dicegames.rules.running.exploration import Exploration
from dicegames.rules.running.objectives import PAYOFF
from dicegames.rules.running.referee import start
from dicegames.solver.model import TIE, Array

MOST_POSITIONS = 20_000
LONGEST = 60.0


def exact_worths(game: Game, levels: Sequence[Level]) -> tuple[float, list[float]] | None:
    """Return what best play is worth to seat 1, and each level in that seat, the others at best.

    None where positions are too many, or may come again.
    """
    listed = Exploration(game, PAYOFF, Limit(MOST_POSITIONS, LONGEST))
    try:
        first = listed.explore(start(game))
    except TooLarge:
        return None
    order = [members[0] for members in components(listed.states)]
    edges = [state.edges for state in listed.states]
    if len(order) < len(edges) or any(e.target == n for n in order for e in edges[n]):
        return None
    seats, sign = listed.seats, 1 if listed.maximise else -1
    best = np.zeros((len(order), seats))
    own = np.zeros((len(order), seats, len(levels)))  # by where the level sits, from the mover on
    for number in order:
        state = listed.states[number]
        if state.values is not None:
            best[number] = [float(value) for value in state.values]
            own[number] = best[number, :, None]
            continue
        parts = np.array([_after(edge, best) for edge in state.edges])
        leveled = np.array([_after(edge, own) for edge in state.edges])
        if not state.chooses:
            weights = np.array([float(edge.weight) for edge in state.edges])
            best[number], own[number] = weights @ parts, np.tensordot(weights, leveled, 1)
            continue
        losses = (sign * parts[:, 0]).max() - sign * parts[:, 0]
        chosen = int(np.argmax(losses <= TIE))
        best[number], own[number] = parts[chosen], leveled[chosen]
        for k, level in enumerate(levels):
            own[number, 0, k] = chances_of(losses, level) @ leveled[:, 0, k]
    place = -start(game).node.seat % seats
    gained = float(first.reward[place])
    at = (place - first.rotate) % seats
    worths: list[float] = (own[first.target, at] + gained).tolist()
    return float(best[first.target, at]) + gained, worths


def _after(edge: Arc, values: Array) -> Array:
    """Return what an edge brings, by seat from the one on who moves before it."""
    reached = np.roll(values[edge.target], edge.rotate, axis=0)
    reward = np.array([float(part) for part in edge.reward])
    found: Array = reached + reward.reshape(-1, *[1] * (reached.ndim - 1))
    return found

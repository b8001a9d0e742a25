"""Sampled models of small games, solved again on the referee alone, from the same samples.

Only which outcomes are drawn comes from the solver (`draw_outcome`): all positions, moves, points
and both values are followed here, in the order of the rules.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pytest

from dicegames.compiler.compile import compile_game
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.referee import Outcome, Position, start
from dicegames.solver.blocks.blocks import make_plan
from dicegames.solver.blocks.components import promised_and_worth
from dicegames.solver.blocks.sampled import solve_sampled
from dicegames.solver.blocks.samples import Samples, draw_outcome, draws_of, make_samples
from dicegames.solver.blocks.terms import Draw
from dicegames.solver.kernels.workers import Workers

SHORT_SPIRAL = """
game "Short spiral"
option lowest = no
dice 2d3
each player
    coins = 0
    score = 0
boxes card
    "Twos"     2 2        pays 710
    "One two"  1 2        pays 533
    "Any"      any dice   pays sum * sum * 17
turn
    coins + 2
    roll all
    choose
        "Again" for 1 coins: roll all, choose again
        one of open card as c
            use c
            repeat until dice show c or coins = 0
                coins - 1
                roll spare of c
            if dice show c: score + points of c
ends when all boxes are used
payoff lowest score + 11 * coins if lowest else highest score + 11 * coins
"""

TWICE = """
game "Twice"
dice 2d4
each player
    score = 0
turn
    roll all
    choose
        "Again": roll all
        "Stay": pass
    score + sum of dice * sum of dice
ends after 3 rounds
payoff highest score
"""


def game(text: str, **options: object) -> Rules:
    return check(Source("test.dg", text.strip() + "\n"), options)


class Oracle:
    """What a sampled model promises, and what its strategy is worth, at positions."""

    def __init__(self, rules: Rules, samples: int, seed: int) -> None:
        self.compiled = compile_game(rules, "payoff", sampled="opening")
        self.game = self.compiled.game
        self.samples, self.seed = samples, seed
        self.known: dict[tuple[int, tuple[object, ...]], tuple[float, float, float]] = {}
        self.drawn = 0

    @cached_property
    def plan(self):  # type: ignore[no-untyped-def]
        with Workers(1, None) as workers:
            return make_plan(self.compiled.model, workers, promised_and_worth)

    @cached_property
    def draws(self) -> Samples:
        return make_samples(self.plan.model, self.plan.layout, self.samples, self.seed)

    @cached_property
    def by_node(self) -> dict[int, Draw]:
        return draws_of(self.plan.model, self.plan.layout)

    def located(self, position: Position) -> tuple[int, tuple[int, ...]]:
        """Where the solver keeps a position: a node of the reduced model, and a point."""
        _, number, point = self.compiled.locate(position)
        return int(self.plan.node_of[number]), point

    def samples_of(self, node: Position) -> list[Outcome] | None:
        """The outcomes drawn at a position, None where chance has its true odds."""
        model = self.plan.model
        number, point = self.located(node)
        if number not in self.by_node:
            return None
        found = self.by_node[number]
        flat = int(np.ravel_multi_index(point, model.shape))
        if flat == self.draws.root:
            return None
        edges = slice(model.first_edge[number], model.first_edge[number + 1])
        assert model.weight[edges].tolist() == list(found.weights)
        outcomes = {
            self.located(node.play(outcome).node)[0]: outcome for outcome in node.outcomes()
        }
        targets = model.target[edges].tolist()
        assert outcomes.keys() == set(targets)
        self.drawn += 1
        draw = list(dict.fromkeys(self.by_node.values())).index(found)
        taken = [draw_outcome(self.draws, draw, flat, k) for k in range(self.samples)]
        return [outcomes[targets[term]] for term in taken]

    def values(self, position: Position) -> tuple[float, float, float]:
        """Promised, and between what it is worth, points already won included."""
        node = position.node
        if node.is_over:
            return (float(node.payoff[0]),) * 3
        key = (node.at, node.env)
        if key not in self.known:
            self.known[key] = self._chance(node) if node.is_chance else self._choice(node)
        return self.known[key]

    def _choice(self, node: Position) -> tuple[float, float, float]:
        """The best by what is promised; of equals it is open which is played."""
        sign = 1 if self.game.maximise else -1
        found = [self.values(node.play(move)) for move in node.moves()]
        best = max(found, key=lambda v: sign * v[0])[0]
        equal = [v for v in found if abs(v[0] - best) < 1e-9]
        return best, min(v[1] for v in equal), max(v[2] for v in equal)

    def _chance(self, node: Position) -> tuple[float, float, float]:
        true = [(float(o.probability), self.values(node.play(o))) for o in node.outcomes()]
        promised, least, most = (sum(p * v[k] for p, v in true) for k in range(3))
        if (drawn := self.samples_of(node)) is not None:
            promised = sum(self.values(node.play(o))[0] for o in drawn) / len(drawn)
        return promised, least, most


CASES = [(SHORT_SPIRAL, {}), (SHORT_SPIRAL, {"lowest": "yes"}), (TWICE, {})]


@pytest.mark.parametrize("samples", [1, 3, 40])
@pytest.mark.parametrize(("text", "options"), CASES)
def test_the_same_samples_give_the_same_values(
    text: str, options: dict[str, object], samples: int
) -> None:
    rules = game(text, **options)
    for seed in (1, 2):
        oracle = Oracle(rules, samples, seed)
        promised, least, most = oracle.values(start(oracle.game))
        told = solve_sampled(oracle.compiled.model, samples, seed)
        assert oracle.drawn > 1
        assert told[0] == pytest.approx(promised, rel=0, abs=1e-9)
        assert least - 1e-9 <= told[1] <= most + 1e-9
        if text == TWICE:
            assert most - least < 1e-9  # nothing is a tie


def test_a_repetition_has_the_samples_of_an_opening_throw_in_the_same_state() -> None:
    oracle = Oracle(game(SHORT_SPIRAL), 5, 1)
    assert oracle.compiled.model.drawn is not None
    drawn = np.flatnonzero(oracle.compiled.model.drawn)
    assert len(drawn) == 2  # one begins a turn and has stored values, the other does not
    assert len(oracle.by_node) == 2
    assert len(set(oracle.by_node.values())) == 1

"""Every rules file: the compiled model and the referee are one game, position by position.

All positions are compared where there are few of them. Elsewhere positions of random games are,
from the first turn to the last, and the layers of the solver that they lie in are counted.
`-m slow` compares all positions of games with fewer than a million, and 20,000 of the others; the
daily run does the same on a smaller scale.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.rules.parts import flow
from dicegames.rules.running.objectives import ObjectiveError
from dicegames.rules.running.playing import seats_of
from dicegames.rules.running.referee import Position, run, start
from dicegames.solver.blocks.blocks import make_plan
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, Array, Lookup, Reward
from dicegames.solver.status import SolveError
from tests.conformance import Conformance, key_of
from tests.rules.small import read

GAMES = sorted((Path(__file__).parent.parent / "games").glob("*.dg"))
SECOND = sorted((Path(__file__).parent / "second_games").glob("*.dg"))
SMALLER = {
    "games/cant_stop": {"sides": 2, "shortest": 2, "to_win": 2},
    "games/double_shutter": {"tiles": 5},
    "games/midnight": {"how_many": 5},
    "games/maxi_yatzy": {"bonus_at": 6},  # else there are 89 million states to draw from
    "games/balut": {"times": 1},
    "games/bear_off": {"players": 2, "points": 2, "sides": 2},
    "games/farkle": {"players": 2, "target": 100, "opening": 100},
    "games/qwixx": {"sides": 3, "misses_allowed": 2},
    "games/zombie_dice": {"greens": 1, "yellows": 1, "reds": 1, "most": 3},
    "second_games/catch_up": {"n": 4},  # else totals come up that no blocks add up to
}
"""House rules under which a game is small enough to be compiled, or looked at, whole."""
CHEAP_THROW = 30
"""With fewer outcomes a throw is always compared."""
THROWS_AT_A_NODE = 25
"""How often the dear throws of one node are compared in random games: they are alike."""
OF_A_LAYER = 5_000
"""Of so many states of a layer, spread evenly, play begins at one."""
FEW_STEPS = 2
SEED = 20261121
PLAYED = 100


def everything(compiled: Compiled) -> Iterator[Position]:
    """Yield all positions, each once, in the order of a depth-first search."""
    key, ends = key_of(compiled), compiled.goal.ends
    first = start(compiled.game).node
    seen, pending = {key(first)}, [first]
    while pending:
        position = pending.pop()
        yield position
        for step in position.outcomes() or position.moves():
            reached = position.after(step, ends)
            if reached.node.at not in ends and (name := key(reached.node)) not in seen:
                seen.add(name)
                pending.append(reached.node)


def walk(compiled: Compiled, count: int) -> Iterator[Position]:
    """Yield `count` positions of random play: of whole games, then of turns in every layer."""
    chance = random.Random(SEED)
    thrown = Counter[int]()
    left = count
    for first in starts(compiled, chance):
        for position in playout(compiled, first, chance):
            place = compiled.locate(position)[1]
            dear = len(position.outcomes()) > CHEAP_THROW
            if not dear or thrown[place] < THROWS_AT_A_NODE:
                yield position
                left -= 1
            thrown[place] += dear
            if not left:
                return


def starts(compiled: Compiled, chance: random.Random) -> Iterator[Position]:
    """Yield where random play begins: the start of a game, then states of all layers in turn."""
    layers = list(layers_of(compiled))
    while True:
        yield start(compiled.game)
        for nodes, points in layers:
            pick = chance.randrange(len(nodes))
            yield position_of(compiled, int(nodes[pick]), points[pick])


def playout(compiled: Compiled, first: Position, chance: random.Random) -> Iterator[Position]:
    """Yield the positions of random play: to the end of the game, or of a turn begun before."""
    ends, position = compiled.goal.ends, first
    while position.node.at not in ends and (first.starts_turn or not position.starts_turn):
        yield position.node
        if position.is_chance:
            position = position.after(position.throw(chance), ends)
        else:
            position = position.after(chance.choice(position.moves()), ends)


def layers_of(compiled: Compiled) -> Iterator[tuple[Array, Array]]:
    """Yield for each layer of the solver its stored states: nodes, and points row by row."""
    model = compiled.model
    if not model.axes or any(axis.unbounded for axis in model.axes):
        return
    try:
        with Workers(1) as workers:
            plan = make_plan(model, workers)
    except SolveError:
        return  # the states are listed one by one, without layers
    reach = plan.reach
    number = {int(r): n for n, r in enumerate(plan.node_of) if model.stored[n]}
    stored = np.array([number[n] for n in np.flatnonzero(plan.model.stored).tolist()])
    place, row, bit = np.nonzero(reach.bits(reach.entered))
    layer = reach.layer[row] + reach.minor_layer[bit]
    for each in np.unique(layer):
        here = np.flatnonzero(layer == each)
        here = here[:: -(-len(here) // OF_A_LAYER)]
        flat = row[here] * reach.minor_points + bit[here]
        axes = np.unravel_index(flat, (*reach.major_shape, *reach.minor_shape))
        yield stored[place[here]], np.stack(axes, 1)[:, np.argsort([*reach.major, *reach.minor])]


def position_of(compiled: Compiled, number: int, point: Array) -> Position:
    """Return the position that play comes to from a state of the model, no points being won yet."""
    node, emitter = compiled.explorer.nodes[number], compiled.emitter
    env = list(node.env)
    for slot, index in zip(emitter.slots, point.tolist(), strict=True):
        if env[slot] is compiled.explorer.leaves[slot]:
            env[slot] = emitter.values[slot].tolist()[index]
    instruction = compiled.game.flow[node.at]
    if isinstance(instruction, flow.Test):  # where ways meet: no position of its own
        return run(compiled.game, node.at, env, compiled.goal.ends)
    return Position(compiled.game, node.at, tuple(env))


def has_more(compiled: Compiled, limit: int) -> bool:
    """Tell whether there are more than so many positions.

    A few steps of each position are followed first, the others when nothing new is left: that
    finds many positions soon where throws are wide.
    """
    key, ends = key_of(compiled), compiled.goal.ends
    first = start(compiled.game).node
    seen, fresh, later = {key(first)}, [first], deque[tuple[Position, int]]()
    while (fresh or later) and len(seen) <= limit:
        position, begin = (fresh.pop(), 0) if fresh else later.popleft()
        all_steps = position.outcomes() or position.moves()
        following = all_steps[begin : begin + FEW_STEPS]
        if begin + FEW_STEPS < len(all_steps):
            later.append((position, begin + FEW_STEPS))
        for step in following:
            reached = position.after(step, ends)
            if reached.node.at not in ends and (name := key(reached.node)) not in seen:
                seen.add(name)
                fresh.append(reached.node)
    return len(seen) > limit


def compare_all(path: Path, all_below: int, count: int, others: int) -> None:
    """Compare all positions if there are few, else `count`; of further objectives `others`."""
    game = read(path, **SMALLER.get(f"{path.parent.name}/{path.stem}", {}))
    compared = 0
    for name in ("payoff", "turn", "turns"):
        if compared and not others:
            break
        try:
            compiled = compile_game(game, name)
        except ObjectiveError:
            continue
        conformance = Conformance(compiled)
        limit, wanted = (all_below, count) if not compared else (min(others, all_below), others)
        many = has_more(compiled, limit)
        found = walk(compiled, wanted) if many else everything(compiled)
        for position in found:
            conformance.compare(position)
            compared += 1
        assert compared >= wanted if many else 1
    assert compared


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_model_is_the_referee(path: Path) -> None:
    compare_all(path, 300, 300, 50)


def played() -> Iterator[Any]:
    for path in GAMES:
        for title in read(path).strategies:
            yield pytest.param(path, title, id=f"{path.stem}-{title}")


@pytest.mark.parametrize(("path", "title"), list(played()))
def test_model_is_the_referee_where_strategies_play(path: Path, title: str) -> None:
    game = read(path, **SMALLER.get(f"{path.parent.name}/{path.stem}", {}))
    compiled = compile_game(game, "turn", seats_of(game, title))
    conformance = Conformance(compiled)
    assert compiled.game.flow != game.flow
    for position in walk(compiled, PLAYED):
        conformance.compare(position)


@pytest.mark.slow
@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_model_is_the_referee_everywhere(path: Path) -> None:
    compare_all(path, 1_000_000, 20_000, 2_000)


@pytest.mark.parametrize("part", ["weight", "reward", "guard", "target"])
def test_a_wrong_model_is_noticed(part: str) -> None:
    """Change one edge that matters: the comparison of all positions has to fail."""
    path = next(p for p in GAMES if p.stem == "ship_captain_and_crew")
    compiled = compile_game(read(path))
    model = compiled.model
    compare_everything(compiled)
    changed = getattr(model, part).copy()
    source = np.repeat(np.arange(model.nodes), np.diff(model.first_edge))
    edge = int(np.flatnonzero(model.kind[source] == CHANCE)[-1])
    others = {"weight": changed[edge] / 2, "reward": 1, "guard": 1, "target": model.start}
    changed[edge] = others[part]
    nothing = Lookup((), np.array(False))
    faulty = evolve(
        model,
        lookups=(*model.lookups, nothing),
        guards=(model.guards[0], (len(model.lookups),)),
        rewards=(model.rewards[0], Reward(1.0), *model.rewards[2:]),
        **{part: changed},
    )
    with pytest.raises(AssertionError):
        compare_everything(evolve(compiled, model=faulty))


def compare_everything(compiled: Compiled) -> None:
    conformance = Conformance(compiled)
    for position in everything(compiled):
        conformance.compare(position)


@pytest.mark.parametrize("path", SECOND, ids=lambda p: p.stem)
def test_second_games_too(path: Path) -> None:
    compare_all(path, 100, 100, 0)

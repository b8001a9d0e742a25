"""The sweep over layers against the laws of all states, and blended rows against NumPy."""

import errno
import os
from functools import cache

import numpy as np
import pytest

import dicegames
from dicegames.analysis.chances.policy import Policy, policies
from dicegames.analysis.solution import SolutionError, solve_game
from dicegames.ground.scratch import on_disk
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.solver.chain import laws as laws_module
from dicegames.solver.chain import layer_sweep
from dicegames.solver.chain import tally as tally_module
from dicegames.solver.chain.accounts import Account, Sign
from dicegames.solver.chain.blend import BLEND_WIDTH, TILE, blend, make_blend
from dicegames.solver.chain.chain import Chain
from dicegames.solver.chain.draws import make_draws
from dicegames.solver.chain.laws import find_all_laws
from dicegames.solver.chain.layer_sweep import known_states, layer_numbers, layers_of, sweep
from dicegames.solver.chain.tally import tally
from dicegames.solver.chain.walker import make_walker
from dicegames.solver.graph.turn import LOCAL
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.model import CHANCE, END, Array

TOKENS = """
game "Tokens"
dice 3d4
each player
    tokens = 0
    score = 0
boxes card
    "Ones"    1 1         pays 9
    "Street"  1 2 3       pays 7
    "Fours"   any 4       pays sum
    "Any"     any dice    pays 3
turn
    tokens + 3
    roll all
    choose
        one of open card as c
            use c
            repeat until dice show c or tokens = 0
                choose
                    "Stop": leave
                    "Again" for 1 tokens: roll spare of c
            if dice show c: score + points of c
ends when all boxes are used
payoff highest score + tokens
"""

CARD = """
game "Card"
dice 2d6
each player
    score = 0
    low = 0 to 9 capped
boxes card
    each n in 1 to 6: "Collect n"   any n   pays n each
turn
    roll all
    choose
        "Keep" any of dice as k: roll dice - k
    choose
        one of open card as c
            use c
            if low < 9 and low + points of c >= 9: score + 8
            low + points of c
            score + points of c
ends when all boxes are used
payoff highest score
"""

GAMES = {"tokens": TOKENS, "card": CARD}


@cache
def policy(name: str) -> Policy:
    found = solve_game(check(Source(f"{name}.dg", GAMES[name])))
    return next(policies(found.compiled, found.solved))


def paid_so_far(account: Account, sign: Sign) -> Account:
    assert isinstance(account, int)
    return account + sign.paid


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("threads", [1, 2])
def test_sweep_agrees_with_following_all_laws(name: str, threads: int) -> None:
    chain = policy(name).chain
    with Workers(threads) as workers:
        swept = sweep(chain, workers)
        (counted,) = tally(chain, 0, paid_so_far, seats=(0,), workers=workers)
    met = np.flatnonzero(swept.mass)
    assert {swept.low + int(i) for i in met} == {a for a, p in counted.mass.items() if p > 0}
    for i in met.tolist():
        assert swept.mass[i] == pytest.approx(counted.mass[swept.low + i], rel=1e-12, abs=1e-18)
    assert swept.worst < 1e-12


def test_layers_that_do_not_fit_are_told_before_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_sweep, "MOST_LAYER_CELLS", 1000)
    monkeypatch.setattr(layer_sweep, "spread_batches", None)  # nothing is swept
    with pytest.raises(SolutionError, match="the distributions of one layer take up to"):
        solve_game(check(Source("card.dg", GAMES["card"]))).distributions()


def test_layers_on_disk_have_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def watched(size: int) -> Array:
        made.append(size)
        return on_disk(size)

    chain = policy("card").chain
    with Workers(2) as workers:
        in_memory = sweep(chain, workers)
        monkeypatch.setattr(layer_sweep, "IN_MEMORY", 1000)
        monkeypatch.setattr(layer_sweep, "on_disk", watched)
        found = sweep(chain, workers)
    assert len(made) > 1
    assert (found.low, found.mass.tolist()) == (in_memory.low, in_memory.mass.tolist())


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(size: int) -> Array:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), size)

    monkeypatch.setattr(layer_sweep, "IN_MEMORY", 1000)
    monkeypatch.setattr(layer_sweep, "on_disk", full)
    with pytest.raises(SolutionError, match=r"TMPDIR.*no space left on device.* take 0\.0 GB"):
        solve_game(check(Source("card.dg", GAMES["card"]))).distributions()


def test_laws_of_a_layer_are_dropped_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = dicegames.solve(dicegames.load("dice_poker", players=3, target=60))
    monkeypatch.setattr(tally_module, "layer_numbers", _one_layer)
    together = solution.distributions()
    monkeypatch.setattr(laws_module, "MOST_LAW_ENTRIES", 100_000)
    with pytest.raises(SolutionError, match="take too much room"):
        solution.distributions()
    monkeypatch.setattr(tally_module, "layer_numbers", layer_numbers)
    found = [solution.distributions(threads=threads) for threads in (1, 2)]
    for seat, (one, two, other) in enumerate(zip(*found, together, strict=True)):
        assert one.masses.tolist() == two.masses.tolist()
        assert one.values.tolist() == other.values.tolist()
        assert one.masses == pytest.approx(other.masses, rel=1e-12)
        assert one.mean == pytest.approx(solution.value_for(seat + 1), rel=1e-12)


def _one_layer(chain: Chain) -> Array:
    return np.zeros(chain.walk.entries, np.int64)


@pytest.mark.parametrize("name", GAMES)
def test_visited_states_are_those_with_laws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_sweep, "NEARLY_ALL", 1.0)
    chain = policy(name).chain
    with Workers(2) as workers:
        known = known_states(chain)
        found = layer_sweep.visited_states(
            chain, known, layers_of(chain, known), workers, lambda _: None
        )
        laws = find_all_laws(chain, workers)
    assert np.flatnonzero(found.states).tolist() == sorted(laws.key.tolist())
    assert len(laws.key) < np.count_nonzero(known)
    points = {int(key) % chain.walk.entries // chain.walk.rank.size for key in laws.key}
    assert len(np.concatenate(found.layers)) == len(points)


@pytest.mark.parametrize("name", GAMES)
def test_edges_that_pay_and_lead_the_same_share_an_exit(name: str) -> None:
    chain = policy(name).chain
    model, walk = chain.model, chain.walk
    leaving = np.flatnonzero(walk.exit >= 0)
    assert walk.exit_edge.size < len(leaving)
    for edge in leaving.tolist():
        one = walk.exit_edge[walk.exit[edge]]
        assert model.reward[edge] == model.reward[one]
        ends = model.kind[model.target[edge]] == END
        assert ends == (model.kind[model.target[one]] == END)
        if not ends:
            assert model.target[edge] == model.target[one]
            assert model.effect[edge] == model.effect[one]


@pytest.mark.parametrize("name", GAMES)
def test_whole_throws_have_the_odds_of_their_steps(name: str) -> None:
    chain = policy(name).chain
    model, walk = chain.model, chain.walk
    draws = make_draws(model, walk)
    columns = np.column_stack([model.target, model.effect, model.reward, model.rotate])

    def odds(node: int) -> dict[tuple[int, ...], float]:
        """Follow steps of chance that do nothing else, one by one."""
        found: dict[tuple[int, ...], float] = {}
        for e in range(int(model.first_edge[node]), int(model.first_edge[node + 1])):
            target, p = int(model.target[e]), float(model.weight[e])
            idle = model.reward[e] == 0 and walk.sort[e] == LOCAL
            further = idle and model.kind[target] == CHANCE
            for what, q in (odds(target) if further else {tuple(columns[e]): 1.0}).items():
                found[what] = found.get(what, 0.0) + p * q
        return found

    throws = np.flatnonzero(np.diff(draws.first))
    assert len(throws) > 0
    for node in throws.tolist():
        told: dict[tuple[int, ...], float] = {}
        own = range(int(draws.first[node]), int(draws.first[node + 1]))
        for k in own:
            for edge, p in ((draws.edge[k], draws.keep[k]), (draws.other[k], 1 - draws.keep[k])):
                what = tuple(columns[edge])
                told[what] = told.get(what, 0.0) + float(p) / len(own)
        assert {k: p for k, p in told.items() if p > 1e-15} == pytest.approx(odds(node))


def test_blended_rows() -> None:
    """Rows of 40 exits and 12 pieces, each piece leading to exits and to those before it."""
    rng = np.random.default_rng(7)
    exits, pieces = 40, 12
    lengths, begins = rng.integers(1, 90, exits), rng.integers(-60, 60, exits)
    old, ats = [np.zeros(TILE)], []
    for length in lengths.tolist():
        ats.append(sum(map(len, old)))
        old += [rng.random(length), np.zeros(TILE)]
    low, high = int(begins.min()), int((begins + lengths).max())
    wanted = np.zeros((exits + pieces, high - low + TILE))
    for k in range(exits):
        wanted[k, begins[k] - low :][: lengths[k]] = old[2 * k + 1]
    m = make_blend(make_walker(policy("tokens").chain).batch)
    m.exit[:exits], m.begin[:exits], m.length[:exits] = range(exits), begins, lengths
    m.at[:exits] = ats
    count = 0
    for piece in range(exits + pieces - 1, exits - 1, -1):  # the first of the turn first
        for source in rng.choice(piece, 5, replace=False).tolist():
            m.source[count], m.target[count], m.weight[count] = source, piece, rng.random()
            m.keep[count] = 1.0
            count += 1
        m.keep[count - 1] = 0.0
    m.count[:2] = exits, count
    for k in range(count - 1, -1, -1):
        wanted[m.target[k]] += m.weight[k] * wanted[m.source[k]]
    for x in range(low, high, TILE):
        blend(BLEND_WIDTH, np.concatenate(old), m, x)
        tiles = m.tiles[: (exits + pieces) * TILE].reshape(-1, TILE)
        own = wanted[:, x - low : x - low + TILE]
        assert tiles == pytest.approx(own, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("name", GAMES)
def test_pieces_are_kept_or_found_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own, workers = policy(name), Workers(2)
    kept = sweep(own.chain, workers)
    monkeypatch.setattr(layer_sweep, "MOST_PIECE_BYTES", 0)
    found = sweep(own.chain, workers)
    assert kept.mass.tobytes() == found.mass.tobytes()
    monkeypatch.setattr(layer_sweep, "MOST_PIECE_BYTES", 1 << 40)
    monkeypatch.setattr(layer_sweep, "FIRST_ROOM", 1)
    assert sweep(own.chain, workers).mass.tobytes() == found.mass.tobytes()

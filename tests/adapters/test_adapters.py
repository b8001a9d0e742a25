"""Games in other projects' dress: their own checks pass, and play is that of the referee."""

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicegames
from dicegames.adapters import chance
from dicegames.adapters.encoding import Encoding

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.dg"))
BY_NAME = {path.stem: path for path in GAMES}


def load(stem: str, **options: Any) -> dicegames.Game:
    return dicegames.load(BY_NAME[stem], **options)


def allows(game: dicegames.Game, players: int) -> bool:
    option = game.rules.names.options.get("players")
    return players in ([1] if option is None else option.within or [1])


# ---- numbers for moves and positions


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.stem)
def test_every_move_has_its_number(path: Path) -> None:
    game = dicegames.load(path)
    encoding = Encoding(game)
    assert len(encoding.numbers) == len(encoding.actions)
    dice = random.Random(1)
    for _ in range(3):
        position = game.start()
        for _ in range(150):
            if position.is_over:
                break
            if position.is_chance:
                position = position.play(position.throw(dice))
                continue
            moves = encoding.moves(position)
            assert [encoding.actions[number] for number in moves] == [
                m.label for m in moves.values()
            ]
            assert encoding.mask(position).sum() == len(position.moves()) == len(moves)
            assert encoding.observation(position).shape == (encoding.size,)
            position = position.play(dice.choice(position.moves()))


def test_an_observation_is_seen_from_the_own_seat() -> None:
    game = load("pig", players=3)
    encoding = Encoding(game)
    position = game.position("total 10 / 20 / 30 | seat 2 | points 5")
    own, other = encoding.observation(position), encoding.observation(position, seat=2)
    totals = [i for i in range(encoding.size) if own[i] in (10, 20, 30)]
    assert [own[i] for i in totals] == [20, 30, 10]
    assert [other[i] for i in totals] == [30, 10, 20]
    assert list(encoding.observation(position, seat=1)) == list(own)


def test_dice_and_sets_are_counted() -> None:
    game = load("shut_the_box")
    encoding = Encoding(game)
    seen = list(encoding.observation(game.position("up 1 2 3 5 | dice 2 3")))
    assert [1, 1, 1, 0, 1, 0, 0, 0, 0] in [seen[i : i + 9] for i in range(len(seen))]
    assert [0, 1, 1, 0, 0, 0] in [seen[i : i + 6] for i in range(len(seen))]


# ---- Gymnasium


@pytest.mark.parametrize(
    ("stem", "options"),
    [("shut_the_box", {}), ("yahtzee", {}), ("threes", {}), ("craps", {}), ("despirala", {})],
)
def test_gymnasium_accepts_it(stem: str, options: dict[str, Any]) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    from dicegames.adapters.single import OnePlayer

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        checker.check_env(OnePlayer(load(stem, **options), render_mode="ansi"))
    about_us = [str(w.message) for w in told if "render" not in str(w.message)]
    assert not [text for text in about_us if "spec" not in text], about_us
    assert issubclass(OnePlayer, gymnasium.Env)


def test_an_episode_is_a_game() -> None:
    pytest.importorskip("gymnasium")
    from dicegames.adapters.single import OnePlayer

    env = OnePlayer(load("threes", how_many=3), render_mode="ansi")
    seen, info = env.reset(seed=5)
    text = info["position"]
    again, _ = env.reset(seed=5)
    assert all(np.array_equal(seen[key], again[key]) for key in seen)
    assert env.render() == text
    steps, over, reward = 0, False, 0.0
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        assert np.array_equal(np.flatnonzero(env.action_masks()), legal)
        _, reward, over, truncated, info = env.step(int(legal[0]))
        assert not truncated
        steps += 1
    assert reward == -float(env.position.payoff[0])  # as few points as possible
    assert 1 <= steps <= 3
    env.reset(options={"position": "dice 1 1 6"})
    before = str(env.position)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, reward, over, truncated, info = env.step(illegal)
    assert (reward, over, truncated, info["illegal_action"]) == (0.0, False, False, True)
    assert str(env.position) == before
    with pytest.raises(ValueError, match="players=1"):
        OnePlayer(load("pig"))


def test_playing_the_best_moves_earns_the_value() -> None:
    pytest.importorskip("gymnasium")
    from dicegames.adapters.single import OnePlayer

    game = load("shut_the_box", tiles=4, aim="shut_all")
    solution = dicegames.solve(game)
    env = OnePlayer(game)
    rewards = []
    for seed in range(400):
        env.reset(seed=seed)
        over, reward = env.position.is_over, 0.0
        while not over:
            best = solution.best(env.position)
            assert best is not None
            _, reward, over, _, _ = env.step(env.encoding.numbers[best.name])
        rewards.append(reward)
    assert isinstance(solution.value, float)
    error = (solution.value * (1 - solution.value) / len(rewards)) ** 0.5
    assert abs(float(np.mean(rewards)) - solution.value) < 4 * error


# ---- PettingZoo


@pytest.mark.parametrize(
    ("stem", "options"),
    [
        ("pig", {"target": 20}),
        ("yahtzee", {"players": 3}),
        ("cee_lo", {}),
        ("cant_stop", {"sides": 2}),
    ],
)
def test_pettingzoo_accepts_it(stem: str, options: dict[str, Any]) -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test

    from dicegames.adapters.several import env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of names that it does not know
        api_test(env(load(stem, **options)), num_cycles=60)


def test_rewards_are_the_payoff() -> None:
    pytest.importorskip("pettingzoo")
    from dicegames.adapters.several import SeveralPlayers

    game = load("pig", players=3, target=10)
    played = SeveralPlayers(game, render_mode="ansi")
    for seed in range(5):
        played.reset(seed=seed)
        assert played.render() == str(played.position)
        earned = dict.fromkeys(played.possible_agents, 0.0)
        for agent in played.agent_iter():
            seen, reward, ended, cut, _ = played.last()
            earned[agent] += reward
            legal = np.flatnonzero(seen["action_mask"])
            played.step(None if ended or cut else int(legal[-1]))
        assert list(earned.values()) == [float(p) for p in played.position.payoff]
        assert sum(earned.values()) == 1
    played.reset(seed=1)
    with pytest.raises(ValueError, match="not legal"):
        played.step(len(played.encoding.actions) - 1)


# ---- OpenSpiel's view


def test_states_know_where_they_stand() -> None:
    game = load("pig", target=6)
    state = chance.new_initial_state(game)
    assert (state.current_player(), state.is_chance_node()) == (chance.CHANCE_PLAYER, True)
    assert state.chance_outcomes() == [(n, 1 / 6) for n in range(6)]
    assert state.action_to_string(4) == "5"
    state.apply_action(4)
    assert state.current_player() == 0
    assert [state.action_to_string(a) for a in state.legal_actions()] == ["Roll", "Hold"]
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    copy.apply_action(0)
    assert copy.current_player() == chance.CHANCE_PLAYER
    assert (state.history(), copy.history()) == ([4], [4, 0, 0])
    state.apply_action(1)
    assert state.returns() == [0.0, 0.0]
    assert (str(state), str(copy)) == (str(state.position), str(copy.position))
    with pytest.raises(ValueError, match="no outcome"):
        state.apply_action(6)
    over = chance.State(state.encoding, game.position("total 6 / 0 | over"))
    assert (over.current_player(), over.returns()) == (chance.TERMINAL, [1.0, 0.0])


@pytest.mark.parametrize("players", [2, 3])
def test_play_agrees_with_open_spiel(players: int) -> None:
    """OpenSpiel's pig: roll (0) or stop (1), also before the first throw of a turn, up to 100.

    A turn begins with a throw here, so that "roll" is said first there; who wins has 1, the others
    share -1 there.
    """
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("pig", {"players": players, "winscore": 60})
    game = load("pig", players=players, target=60)
    roll = Encoding(game).numbers["Roll"]
    dice = random.Random(players)
    compared = 0
    for _ in range(40):
        ours, other = chance.new_initial_state(game), theirs.new_initial_state()
        turn_begins = True
        while not ours.is_terminal():
            if ours.is_chance_node():
                if turn_begins:
                    assert other.current_player() == ours.position.node.seat
                    other.apply_action(0)
                assert other.is_chance_node()
                assert [p for _, p in other.chance_outcomes()] == [
                    pytest.approx(p) for _, p in ours.chance_outcomes()
                ]
                face = dice.randrange(6)
                ours.apply_action(face)
                other.apply_action(face)
                turn_begins = face == 0
                compared += 1
                continue
            assert other.current_player() == ours.current_player()
            legal = sorted(0 if a == roll else 1 for a in ours.legal_actions())
            assert other.legal_actions() == legal
            action = dice.choice(ours.legal_actions())
            ours.apply_action(action)
            other.apply_action(0 if action == roll else 1)
            turn_begins = action != roll
        assert other.is_terminal()
        won = [theirs_ > 0 for theirs_ in other.returns()]
        assert won == [own == 1 for own in ours.returns()]
    assert compared > 500

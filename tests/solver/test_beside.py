"""Several ways to play a turn in one model."""

import numpy as np
import pytest
from attrs import evolve

import dicegames
from dicegames.compiler.compile import compile_game
from dicegames.rules.running.playing import seats_of
from dicegames.solver.graph.beside import beside
from dicegames.solver.model import Lookup
from dicegames.solver.status import SolveError
from dicegames.solver.validation import validate


def test_tables_in_common_are_kept_once_and_turns_begin_in_one_place() -> None:
    game = dicegames.load("pig", players=3, target=10).rules
    free = compile_game(game).model
    held = [compile_game(game, seats=seats_of(game, name)).model for name in game.strategies]
    whole, starts = beside([free, *held])
    validate(whole)
    assert whole.nodes == free.nodes + sum(model.nodes for model in held) + 1
    assert {*starts.tolist()} == {free.start, *starts[1:].tolist()}
    assert np.flatnonzero(whole.stored).tolist() == sorted([*starts.tolist(), whole.start])
    inside = whole.target[: -len(starts)]
    assert np.isin(starts, inside).tolist() == [True] + [False] * len(held)
    apart = len(free.lookups) + sum(len(model.lookups) for model in held)
    assert len({*whole.lookups}) == len(whole.lookups) < apart
    assert all(isinstance(lookup, Lookup) for lookup in whole.lookups)


def test_turns_that_begin_in_several_ways_are_refused() -> None:
    model = compile_game(dicegames.load("pig", target=10).rules).model
    stored = model.stored | (np.arange(model.nodes) == model.start + 1)
    with pytest.raises(SolveError, match="turns begin in several ways"):
        beside([model, evolve(model, stored=stored)])

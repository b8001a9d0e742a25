"""What is not well formed in a model is named before anything is solved: each check, by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from dicegames.solver.model import (
    CHANCE,
    CHOICE,
    END,
    Array,
    Axis,
    Effect,
    Formula,
    Lookup,
    Model,
    Reward,
    Settled,
)
from dicegames.solver.validation import validate
from tests.solver.models import Builder

Change = Callable[[Model], Any]


def model() -> Model:
    """Nodes: 0 the end, 1 a throw, 2 a choice. Lookups: 0 an index, 1 a condition, 2 a reward."""
    b = Builder([Axis("bits", 4, "set"), Axis("points", 3, "counter")])
    end, throw, choice = b.node("end", END), b.node("throw", CHANCE, stored=True), b.node(2, CHOICE)
    up = b.lookup("up", (1,), np.int32, lambda x: min(x + 1, 2))
    low = b.guard(b.lookup("low", (1,), np.bool_, lambda x: x < 2))
    paid = b.reward(0.0, b.lookup("paid", (0, 1), np.float64, lambda bits, x: x + bits))
    b.edge(throw, choice, weight=0.75, effect=b.effect((1, up)))
    b.edge(throw, throw, weight=0.25, rotate=1)
    b.edge(choice, end, reward=paid)
    b.edge(choice, throw, guard=low)
    return b.build("Small", throw, (0, 0), seats=2, constant_sum=0.0)


def put(name: str, index: Any, value: Any) -> dict[str, Change]:
    """An array with another number at one place."""

    def changed(m: Model) -> Array:
        array: Array = getattr(m, name).copy()
        array[index] = value
        return array

    return {name: changed}


def of_type(name: str, dtype: type) -> dict[str, Change]:
    return {name: lambda m: getattr(m, name).astype(dtype)}


def longer(name: str) -> dict[str, Change]:
    return {name: lambda m: np.append(getattr(m, name), 0).astype(getattr(m, name).dtype)}


def axes(number: int, **fields: Any) -> dict[str, Change]:
    """An axis that is otherwise."""

    def changed(m: Model) -> tuple[Axis, ...]:
        return tuple(evolve(a, **fields) if n == number else a for n, a in enumerate(m.axes))

    return {"axes": changed}


def lookup(number: int, over: tuple[int, ...], values: Any) -> dict[str, Change]:
    """Another table in place of one."""

    def changed(m: Model) -> tuple[Lookup | Formula, ...]:
        return tuple(Lookup(over, values) if n == number else k for n, k in enumerate(m.lookups))

    return {"lookups": changed}


def value(what: Any) -> Change:
    return lambda _: what


def settled(dtype: type, first: int, last: int) -> dict[str, Change]:
    low: Array = np.zeros(first, dtype)
    return {"settled": value(Settled(1, low, np.zeros(last, np.int32), 0.0, 1.0))}


def others(rows: int, seats: int, number: int, dtype: type) -> dict[str, Change]:
    """Rewards of the other seats, in a model whose values are by seat."""
    return {
        "other_rewards": value(np.full((rows, seats), number, dtype)),
        "constant_sum": value(None),
    }


FLOATS = np.zeros((4, 3))
MISTAKES: list[tuple[dict[str, Change], str]] = [
    (axes(0, kind="heap"), "axis 'bits': unknown kind 'heap'"),
    (axes(0, size=0), "axis 'bits': size 0 is below 1"),
    (axes(0, size=3), "the size of a set must be a power of two, not 3"),
    (axes(0, unbounded=True), "axis 'bits': only a counter can be unbounded"),
    (axes(0, inner=True), "the inner ones come last"),
    ({"start_point": value((0,))}, "one index per axis"),
    ({"start_point": value((0, 3))}, "index 3 is outside 'points'"),
    ({"start_point": value((0, 9))}, "index 9 is outside 'points'"),
    ({"start_point": value((-1, 0))}, "index -1 is outside 'bits'"),
    (lookup(2, (1, 0), FLOATS.T), "lookup 2: axes must ascend"),
    (lookup(2, (0, 0), FLOATS), "lookup 2: axes must ascend"),
    (lookup(2, (0, 2), FLOATS), "lookup 2: there is no such axis"),
    (lookup(2, (0, 9), FLOATS), "lookup 2: there is no such axis"),
    (lookup(2, (-1, 0), FLOATS), "lookup 2: there is no such axis"),
    (lookup(2, (0, 1), FLOATS[:3]), r"lookup 2: shape \(3, 3\) instead of \(4, 3\)"),
    (lookup(2, (0, 1), np.asfortranarray(FLOATS)), "lookup 2: values must be in C order"),
    (lookup(2, (0, 1), FLOATS.astype(np.float32)), "lookup 2: dtype float32 is not"),
    (lookup(2, (0, 1), FLOATS + np.inf), "lookup 2: a reward is not finite"),
    (lookup(0, (1,), np.zeros(3)), "effect 1: lookup 0 is float64"),
    (lookup(0, (1,), np.full(3, -2, np.int32)), "effect 1: an index is below -1"),
    (lookup(0, (1,), np.full(3, 9, np.int32)), "effect 1: an index of 'points' is not below 3"),
    (lookup(0, (1,), np.full(3, 3, np.int32)), "effect 1: an index of 'points' is not below 3"),
    ({"guards": lambda m: m.guards[1:]}, "guard 0 must be the empty"),
    ({"guards": value(())}, "guard 0 must be the empty"),
    ({"guards": value(((), (0,)))}, "guard 1: lookup 0 is int32"),
    ({"guards": value(((), (3,)))}, "guard 1: there is no lookup 3"),
    ({"guards": value(((), (9,)))}, "guard 1: there is no lookup 9"),
    ({"guards": value(((), (-1,)))}, "guard 1: there is no lookup -1"),
    ({"effects": value(())}, "effects: 0 must be identity"),
    ({"effects": lambda m: m.effects[1:]}, "effects: 0 must be identity"),
    (
        {"effects": value((Effect(), Effect(((1, 0), (1, 0)))))},
        "effect 1: an axis is assigned twice",
    ),
    ({"effects": value((Effect(), Effect(((2, 0),))))}, "effect 1: there is no axis 2"),
    ({"effects": value((Effect(), Effect(((9, 0),))))}, "effect 1: there is no axis 9"),
    ({"effects": value((Effect(), Effect(((-1, 0),))))}, "effect 1: there is no axis -1"),
    ({"rewards": value(())}, "rewards: 0 must be 0"),
    ({"rewards": lambda m: m.rewards[1:]}, "rewards: 0 must be 0"),
    ({"rewards": value((Reward(), Reward(np.nan)))}, "reward 1: it is not finite"),
    ({"rewards": value((Reward(), Reward(0.0, (1,))))}, "reward 1: lookup 1 is bool"),
    (of_type("kind", np.int32), "kind: dtype int32"),
    (longer("chooser"), r"chooser: shape \(4,\)"),
    (put("kind", 2, 4), "kind: unknown node kind"),
    (put("kind", 2, -1), "kind: unknown node kind"),
    (of_type("first_edge", np.int32), "first_edge: dtype int32"),
    (longer("first_edge"), r"first_edge: shape \(5,\)"),
    (put("first_edge", 0, 1), "first_edge: wrong ends"),
    (put("first_edge", -1, 3), "first_edge: wrong ends"),
    (put("first_edge", 2, 5), "first_edge: it must not fall"),
    (put("first_edge", 1, 1), "an END node has edges"),
    (put("first_edge", 2, 4), r"node \[2\] has no edges"),
    (put("stored", 0, value=True), "an END node is stored"),
    (put("stored", 1, value=False), "the start node must be stored"),
    (put("chooser", 2, 2), "chooser: no such seat"),
    (put("chooser", 2, 9), "chooser: no such seat"),
    (put("chooser", 2, -1), "chooser: no such seat"),
    ({"start": value(3)}, "start: there is no node 3"),
    ({"start": value(9)}, "start: there is no node 9"),
    ({"start": value(-1)}, "start: there is no node -1"),
    ({"seats": value(0)}, "seats: at least one is needed"),
    ({"constant_sum": value(0.0), "seats": value(3)}, "constant_sum: it needs exactly two seats"),
    (of_type("weight", np.float32), "weight: dtype float32"),
    (longer("weight"), r"weight: shape \(5,\)"),
    (put("target", 3, 3), r"target: edge \[3\] is out of range"),
    (put("target", 3, -1), r"target: edge \[3\] is out of range"),
    (put("target", 3, 9), r"target: edge \[3\] is out of range"),
    (put("guard", 3, 2), r"guard: edge \[3\] is out of range"),
    (put("effect", 3, 2), r"effect: edge \[3\] is out of range"),
    (put("reward", 3, 2), r"reward: edge \[3\] is out of range"),
    (put("rotate", 3, 2), r"rotate: edge \[3\] is out of range"),
    (put("guard", 0, 1), r"edge \[0\]: a chance edge carries a guard"),
    (put("weight", 0, 0.0), r"edge \[0\]: its weight is not a probability"),
    (put("weight", 1, 1.5), r"edge \[1\]: its weight is not a probability"),
    (put("weight", 1, 0.5), r"node \[1\]: the weights add up to \[1.25\]"),
    (put("weight", 1, 0.125), r"node \[1\]: the weights add up to \[0.875\]"),
    (put("weight", 2, 0.5), r"edge \[2\]: only a chance edge has a weight"),
    (others(4, 1, 0, np.int64), "other_rewards: dtype int64"),
    (others(4, 2, 0, np.int32), r"other_rewards: shape \(4, 2\) instead of \(4, 1\)"),
    (others(4, 1, 2, np.int32), "other_rewards: no reward"),
    (others(4, 1, 9, np.int32), "other_rewards: no reward"),
    (others(4, 1, -1, np.int32), "other_rewards: no reward"),
    (others(4, 1, 0, np.int32) | {"constant_sum": value(0.0)}, "one number tells the values"),
    (settled(np.int32, 3, 4), r"shape \(3,\)"),
    (settled(np.int32, 4, 3), r"shape \(3,\)"),
    (settled(np.int64, 4, 4), "dtype int64"),
]
IN_ORDER: list[dict[str, Change]] = [
    {},
    lookup(0, (1,), np.full(3, -1, np.int32)),
    axes(1, unbounded=True) | lookup(0, (1,), np.full(3, 9, np.int32)),
    axes(1, inner=True),
    {"effects": value((Effect(),))} | put("effect", 0, 0),
    {"rewards": value((Reward(),))} | put("reward", 2, 0),
    others(4, 1, 1, np.int32),
    {"seats": value(1), "constant_sum": value(None)} | put("rotate", 1, 0),
    {"axes": lambda m: (*m.axes, Axis("one", 1, "flag")), "start_point": value((0, 0, 0))},
    settled(np.int32, 4, 4),
    {"lookups": lambda m: (*m.lookups, Formula((0,), lambda *_: 0, "0", np.dtype(np.bool_)))},
]


def changed(change: dict[str, Change]) -> Model:
    made = model()
    return evolve(made, **{name: make(made) for name, make in change.items()})


@pytest.mark.parametrize(("change", "message"), MISTAKES, ids=[m for _, m in MISTAKES])
def test_a_mistake_is_named(change: dict[str, Change], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validate(changed(change))


@pytest.mark.parametrize("change", IN_ORDER)
def test_a_model_that_is_well_formed_passes(change: dict[str, Change]) -> None:
    validate(changed(change))

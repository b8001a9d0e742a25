"""Branches that become one edge: no value changes, whatever they pay and wherever they end."""

from __future__ import annotations

import numpy as np
import pytest

from dicegames.solver.graph import fold
from dicegames.solver.model import BRANCH, CHANCE, CHOICE, END, Axis, Model
from dicegames.solver.solve import solve
from tests.solver.models import Builder
from tests.solver.random_models import exact

BOXES, MOST = 3, 4
FULL = (1 << BOXES) - 1
PAID: dict[str, tuple[int, int, int, int]] = {
    "the same": (3, 3, 3, 3),
    "a bonus": (3, 8, 3, 8),
    "at the end": (3, 3, 10, 10),
    "a sum": (3, 8, 10, 15),
    "no sum": (3, 8, 10, 2),
}
"""Rewards where boxes are left: below the bonus, with it; with the last box: below, with it."""


def game(
    paid: tuple[int, int, int, int], *, read: tuple[int, ...] = (), apart: bool = False
) -> Model:
    """A throw of 0 or 1, a box to be chosen, and a branch: is it the last one, is there a bonus?

    `read` are the edges of a branch that also pay the points; `apart`: two effects differ.
    """
    b = Builder([Axis("used", 1 << BOXES, "set"), Axis("points", MOST, "counter")])
    end, turn = b.node("end", END), b.node("turn", CHANCE, stored=True)
    points = b.lookup("points", (1,), np.float64, float)
    none = b.lookup("none", (1,), np.int32, lambda _: 0)
    for throw in (0, 1):
        choice = b.node(("choice", throw), CHOICE)
        b.edge(turn, choice, weight=0.5)
        more = b.lookup(("more", throw), (1,), np.int32, lambda p, t=throw: min(p + t, MOST - 1))
        low = b.lookup(("low", throw), (1,), np.bool_, lambda p, t=throw: p + t < 2)
        high = b.lookup(("high", throw), (1,), np.bool_, lambda p, t=throw: p + t >= 2)
        for box in range(BOXES):
            bit = 1 << box
            free = b.lookup(("free", box), (0,), np.bool_, lambda u, k=bit: not u & k)
            left = b.lookup(("left", box), (0,), np.bool_, lambda u, k=bit: u | k != FULL)
            last = b.lookup(("last", box), (0,), np.bool_, lambda u, k=bit: u | k == FULL)
            use = b.lookup(("use", box), (0,), np.int32, lambda u, k=bit: -1 if u & k else u | k)
            branch = b.node(("branch", throw, box), BRANCH)
            b.edge(choice, branch, guard=b.guard(free), reward=b.reward(throw * box))
            ways = [(left, low), (left, high), (last, low), (last, high)]
            for number, (ends, bonus) in enumerate(ways):
                reward = b.reward(paid[number] + box, *(points,) * (number in read))
                effect = b.effect((0, use), (1, none if apart and number == 1 else more))
                goes = {"target": turn, "effect": effect} if ends == left else {"target": end}
                b.edge(branch, guard=b.guard(ends, bonus), reward=reward, **goes)
    return b.build("Branches", turn, (0, 0))


def edges_of_branches(model: Model) -> set[int]:
    return set(np.diff(model.first_edge)[model.kind == BRANCH].tolist())


@pytest.mark.parametrize("read", [(), (0, 1, 2, 3), (1, 3), (2,)])
@pytest.mark.parametrize("paid", PAID)
def test_a_branch_becomes_one_edge(paid: str, read: tuple[int, ...]) -> None:
    model = game(PAID[paid], read=read)
    folded = fold.fold(model)
    assert edges_of_branches(model) == {4}
    assert edges_of_branches(folded) == {1}
    if paid != "no sum" and len(read) in (0, 4):  # multiples of conditions, no table of both
        assert all(len(k.axes) == 1 for k in folded.lookups if k.dtype == np.float64)
    agree(model)


@pytest.mark.parametrize("paid", PAID)
def test_a_branch_with_two_effects_stays(paid: str) -> None:
    model = game(PAID[paid], apart=True)
    assert edges_of_branches(fold.fold(model)) == {4}
    agree(model)


@pytest.mark.parametrize(
    ("limit", "paid"), [("LARGEST_GATE_GRID", "a bonus"), ("LARGEST_FOLDED", "no sum")]
)
def test_what_would_take_too_much_stays(
    limit: str, paid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fold, limit, 1)
    model = game(PAID[paid])
    assert edges_of_branches(fold.fold(model)) == {4}
    agree(model)


def agree(model: Model) -> None:
    """Blocks and the explicit method come to the fractions, at every state they keep."""
    values = exact(model)
    for method in ("blocks", "explicit"):
        solved = solve(model, method=method)
        assert solved.status.solved, solved.detail
        for (node, point), value in values.items():
            assert solved.value_at(node, point) == pytest.approx(float(value), abs=1e-12)

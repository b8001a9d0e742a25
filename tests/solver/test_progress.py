"""Layers: what a form is known to change by on an edge, and how forms make numbers of layers."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from attrs import evolve

from dicegames.solver.graph import progress
from dicegames.solver.graph.must import find_musts
from dicegames.solver.graph.progress import Changes, Form, Read, find_progress, layer_shares
from dicegames.solver.graph.turn import plan_turn
from dicegames.solver.model import BRANCH, CHANCE, END, Axis, Model
from tests.solver.models import Builder

SCORE, TILES, OTHER = Form((0,), 1), Form((1,), 1), Form((2,), 1)
ROOM, NEVER, FAR, UP, LESS = range(5)
ONE = 5


def model() -> Model:
    """A score that stops at 3, three tiles, a counter. Lookups are numbered as above."""
    axes = [Axis("score", 4, "counter"), Axis("tiles", 8, "set"), Axis("other", 3, "counter")]
    b = Builder(axes)
    b.lookup("room", (0,), np.bool_, lambda x: x < 3)
    b.lookup("never", (0,), np.bool_, lambda _: False)
    b.lookup("far", (2,), np.bool_, lambda y: y > 0)
    b.lookup("up", (0,), np.int32, lambda x: min(x + 1, 3))
    b.lookup("less", (1,), np.int32, lambda s: s & (s - 1) if s else -1)
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    b.edge(node, node, weight=0.5, effect=b.effect((0, UP), (1, LESS)))
    b.edge(node, end, weight=0.5)
    return b.build("Layers", node, (0, 7, 0))


def down(form: Form) -> Form:
    return evolve(form, sign=-1)


@pytest.mark.parametrize(
    ("form", "read", "span"),
    [
        (SCORE, Read(((0, UP),), ()), (0, 1)),  # it stays at its cap
        (down(SCORE), Read(((0, UP),), ()), (-1, 0)),
        (SCORE, Read(((0, UP),), (ROOM,)), (1, 1)),  # there it rises
        (down(SCORE), Read(((0, UP),), (ROOM,)), (-1, -1)),
        (SCORE, Read(((0, UP),), (), ((0, bytes([0, 0, 0, 1])),)), (0, 0)),
        (SCORE, Read(((0, UP),), (FAR,)), (0, 1)),  # what another counter is says nothing
        (TILES, Read(((1, LESS),), ()), (-1, -1)),  # none is taken where there is none
        (OTHER, Read(((0, UP),), ()), (0, 0)),  # nothing is assigned
    ],
)
def test_what_a_form_changes_by(form: Form, read: Read, span: tuple[int, int]) -> None:
    changes = Changes(model())
    assert changes.span(form, read) == span
    assert changes.least(form, read) == span[0]
    assert changes.rises(form, read) == (span[1] > 0)


@pytest.mark.parametrize("form", [SCORE, down(SCORE)])
def test_an_edge_that_is_never_taken_raises_every_form_and_none(form: Form) -> None:
    low, high = Changes(model()).span(form, Read(((0, UP),), (NEVER,)))
    assert low > 2**30
    assert high < -(2**30)


def test_what_is_too_large_to_be_looked_at_may_change_by_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "MAX_GRID", 3)
    for form in (SCORE, down(SCORE)):
        low, high = Changes(model()).span(form, Read(((0, UP),), ()))
        assert low < -(2**30)
        assert high > 2**30


def test_what_only_changes_its_place_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three totals that are handed round, one of them raised: any number of them is one total."""
    b = Builder([Axis(f"total {seat}", 50, "counter") for seat in range(3)])
    for axis in range(3):
        b.lookup(f"as {axis}", (axis,), np.int32, lambda x: x)
    b.lookup("raised", (0,), np.int32, lambda x: min(x + 2, 49))
    b.lookup("room", (0,), np.bool_, lambda x: x < 49)
    b.lookup("one", (), np.int32, lambda: 1)
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    b.edge(node, end)
    changes = Changes(b.build("Round", node, (0, 0, 0)))
    monkeypatch.setattr(progress, "MAX_GRID", 50)
    total = Form((0, 1, 2), 1)
    handed_on = (0, 1), (1, 2)
    assert changes.span(total, Read(((2, 0), *handed_on), ())) == (0, 0)
    assert changes.span(total, Read(((2, 3), *handed_on), ())) == (0, 2)
    assert changes.span(total, Read(((2, 3), *handed_on), (4,))) == (1, 2)
    assert changes.span(total, Read(handed_on, ())) == (-49, 49)  # one total is there twice
    assert changes.span(total, Read(((0, ONE), (1, ONE)), ())) == (-96, 2)  # each looked at apart


@pytest.mark.parametrize(
    "forms",
    [
        (SCORE, down(TILES), OTHER),
        (down(TILES), SCORE, down(OTHER)),
        (Form((0, 2), 1), TILES),
        (Form((0, 2), -1), down(TILES)),
    ],
)
def test_layers_are_in_the_order_of_the_forms(forms: tuple[Form, ...]) -> None:
    """The first form decides; where it is the same, the second; and so on."""
    game = model()
    turn = plan_turn(game)
    found = evolve(find_progress(game, turn, find_musts(game, turn)), forms=forms)
    shares = layer_shares(game, turn, found)

    def sizes(point: tuple[int, ...]) -> list[int]:
        amounts = point[0], point[1].bit_count(), point[2]
        return [form.sign * sum(amounts[axis] for axis in form.axes) for form in forms]

    points = sorted(product(range(4), range(8), range(3)), key=sizes)
    layers = [sum(int(shares[axis][i]) for axis, i in enumerate(point)) for point in points]
    assert layers[0] == 0
    for (a, one), (b, two) in pairwise(zip(points, layers, strict=True)):
        assert (one < two) if sizes(a) < sizes(b) else one == two


def test_columns_that_are_climbed_together_make_layers_by_their_sum() -> None:
    """A turn climbs some of three columns, or is lost: no column alone rises in every turn."""
    b = Builder([Axis(f"column {c}", size, "counter") for c, size in enumerate((3, 5, 4))])
    for axis, size in enumerate((3, 5, 4)):
        b.lookup(f"up {axis}", (axis,), np.int32, partial(_next, size))
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    b.edge(node, end, weight=0.2)
    b.edge(node, node, weight=0.2)
    for columns in ([0], [1, 2], [0, 2]):
        b.edge(node, node, weight=0.2, effect=b.effect(*((c, c) for c in columns)))
    game = b.build("Columns", node, (0, 0, 0))
    turn = plan_turn(game)
    found = find_progress(game, turn, find_musts(game, turn))
    assert found.forms == (Form((0, 1, 2), 1),)
    assert sorted(found.strict) == [False, True, True, True]


def _next(size: int, index: int) -> int:
    return index + 1 if index + 1 < size else -1


def test_what_one_condition_says_of_another_makes_layers() -> None:
    """A box is filled where it is open; one way to it asks for more in the same condition."""
    b = Builder([Axis("boxes", 4, "set"), Axis("bonus", 3, "counter")])
    is_open = b.lookup("open", (0,), np.bool_, lambda s: not s & 1)
    both = b.lookup("open, with a bonus", (0, 1), np.bool_, lambda s, y: not s & 1 and y > 1)
    use = b.lookup("use", (0,), np.int32, lambda s: s | 1)
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    ways, box = b.node("ways", BRANCH), b.node("box", BRANCH)
    b.edge(node, ways, weight=0.25)
    b.edge(node, end, weight=0.25)
    b.edge(ways, box, guard=b.guard(both))
    b.edge(node, box, weight=0.5, guard=b.guard(is_open))
    b.edge(box, node, effect=b.effect((0, use)))
    game = b.build("Boxes", node, (0, 0))
    turn = plan_turn(game)
    assert not find_progress(game, turn, find_musts(game, turn)).cyclic

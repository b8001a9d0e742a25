"""Graphs: what can be reached, and what leads to each other, against the plain definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dicegames.ground.graphs import components, cycles, reached

GRAPHS = st.lists(st.lists(st.integers(0, 7), max_size=4), min_size=8, max_size=8)


@given(GRAPHS)
def test_components_are_what_leads_to_each_other(targets: list[list[int]]) -> None:
    edges = dict(enumerate(targets))
    behind = {n: set(reached(edges[n], edges.__getitem__)) for n in edges}
    found = components(edges, edges.__getitem__)
    assert sorted(n for group in found for n in group) == sorted(edges)
    place = {n: at for at, group in enumerate(found) for n in group}
    for one in edges:
        for other in edges:
            together = one == other or (other in behind[one] and one in behind[other])
            assert (place[one] == place[other]) == together
        assert all(place[other] <= place[one] for other in behind[one])
    assert {n for group in cycles(edges) for n in group} == {n for n in edges if n in behind[n]}


def test_what_is_reached_comes_depth_first() -> None:
    edges = {0: [2, 1], 1: [3], 2: [3], 3: [0], 4: [0]}
    assert list(reached([0], edges.__getitem__)) == [0, 2, 3, 1]

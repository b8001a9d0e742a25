"""Turns that are passed over, as turns of their own: in the long run each counts as one.

Where nothing is thrown or chosen in a turn (the player sits out), the way from the turn before it
leads on to the next one. What such turns pay, and change, stays on that way.
"""

from __future__ import annotations

from dicegames.compiler.exploring.explore import CERTAIN, Explorer
from dicegames.compiler.graph import ControlNode, Edge


def tell_passed_turns(explorer: Explorer) -> None:
    """Make a state of every turn that is passed over, in which nothing happens but its end."""
    nodes, known = explorer.nodes, dict[tuple[int, int], int]()

    def by_turns(edge: Edge) -> Edge:
        """Return an edge that ends one turn; states behind it end the others."""
        target = edge.target
        for left in range(1, edge.passed + 1):
            if (edge.target, left) not in known:
                known[edge.target, left] = len(nodes)
                onward = Edge(CERTAIN, (), (), explorer.nothing, target, crossed=True)
                nodes.append(ControlNode(-1, [], "branch", stored=True, edges=[onward]))
            target = known[edge.target, left]
        return edge._replace(target=target, passed=0)

    for node in list(nodes):
        node.edges[:] = map(by_turns, node.edges)

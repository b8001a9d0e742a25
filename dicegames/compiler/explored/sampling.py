"""Which throws are estimated from samples."""

from __future__ import annotations

from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.graph import END_TARGET, Edge
from dicegames.ground.graphs import reached
from dicegames.rules.parts.flow import Throw
from dicegames.rules.running.objectives import ObjectiveError


def sampled_throws(explorer: Explorer, which: str) -> frozenset[int]:
    """Return the nodes of some throws: `opening`, `all`, or those of a kind of dice.

    The opening throws are the first of a turn, and those that lead to just the same (when all dice
    are rolled again, say). Raises ObjectiveError where there are none.
    """
    names = explorer.game.names.kinds
    if which not in ("opening", "all", *names):
        known = ", ".join(["opening", "all", *names])
        raise ObjectiveError(f'no throws are called "{which}"; there are: {known}')
    flow = explorer.game.flow
    throws = {
        n
        for n, node in enumerate(explorer.nodes)
        if node.kind == "chance" and node.at >= 0 and getattr(flow[node.at], "verb", "") != "draw"
    }
    if which == "opening":
        first = {_outcomes(explorer, number) for number in _first_throws(explorer)}
        throws = {number for number in throws if _outcomes(explorer, number) in first}
    elif which != "all":
        throws = {number for number in throws if _kind(explorer, number) == which}
    if not throws:
        raise ObjectiveError("nothing is thrown, so there is nothing to take samples of")
    return frozenset(throws)


def _first_throws(explorer: Explorer) -> set[int]:
    """Return the throws that are met first in a turn."""
    nodes = explorer.nodes

    def after(number: int) -> list[int]:
        onward = nodes[number].edges if nodes[number].kind != "chance" else []
        return [edge.target for edge in onward if edge.target != END_TARGET]

    met = reached((number for number, node in enumerate(nodes) if node.stored), after)
    return {number for number in met if nodes[number].kind == "chance"}


def _outcomes(explorer: Explorer, number: int) -> frozenset[Edge]:
    return frozenset(explorer.nodes[number].edges)


def _kind(explorer: Explorer, number: int) -> str:
    throw = explorer.game.flow[explorer.nodes[number].at]
    assert isinstance(throw, Throw)
    return throw.kind.name

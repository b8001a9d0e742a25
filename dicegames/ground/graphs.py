"""Graphs, given by what follows each node: what can be reached, and what leads to each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from math import inf
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
After = Callable[[Node], Iterable[Node]]


def reached(starts: Iterable[Node], after: After[Node]) -> dict[Node, None]:
    """Return all nodes to which ways lead from some, these included, depth first."""
    found: dict[Node, None] = {}
    pending = [*starts][::-1]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending += [*after(node)][::-1]
    return found


def components(nodes: Iterable[Node], after: After[Node]) -> list[list[Node]]:
    """Return the strongly connected components, those that lead nowhere else first (Tarjan)."""
    met: dict[Node, float] = {}  # the number of each node; of those in a component infinity
    low: dict[Node, float] = {}
    stack: list[Node] = []
    path: list[tuple[Node, Iterator[Node]]] = []
    found: list[list[Node]] = []

    def enter(node: Node) -> None:
        met[node] = low[node] = len(met)
        stack.append(node)
        path.append((node, iter(after(node))))

    for root in nodes:
        if root not in met:
            enter(root)
        while path:
            node, ways = path[-1]
            for target in ways:
                if target not in met:
                    enter(target)
                    break
                low[node] = min(low[node], met[target])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    low[before] = min(low[before], low[node])
                if low[node] == met[node]:
                    found.append([stack.pop()])
                    while found[-1][-1] != node:
                        found[-1].append(stack.pop())
                    met |= dict.fromkeys(found[-1], inf)
    return found


def cycles(edges: dict[Node, list[Node]]) -> list[list[Node]]:
    """Return the components in which ways lead back to each node."""
    found = components(edges, edges.__getitem__)
    return [group for group in found if len(group) > 1 or group[0] in edges[group[0]]]

"""The ends of a turn as nodes of their own, each once.

A turn that ends with so many points at risk more ends as one does that has them already: the ways
out of a turn differ by what is added to a counter of the turn just before. Where such a counter
has no limit, the addition becomes a step of its own, and what is left is one end for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from attrs import define, field

from dicegames.compiler.exploring.explore import Explorer
from dicegames.compiler.graph import END_TARGET, ControlNode, Edge
from dicegames.ground.graphs import reached
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import Unknown, unknown

Ways = tuple[Edge, ...]


def separate_ends(explorer: Explorer, steps: Mapping[int, int]) -> dict[int, int]:
    """Let every edge out of the turn start at a node from which nothing else starts.

    `steps` are those of the axes. Returns how far counters of the turn rise on the way to its end.
    """
    slots = explorer.game.names.slots
    counters = {s: steps[s] for s in explorer.roles.inner if slots[s].scope == "turn"}
    apart = _EndsApart(explorer, counters)
    apart.separate()
    return apart.rises


@define
class _EndsApart:
    explorer: Explorer
    counters: dict[int, int]  # slots of the turn that are settled at every node, and their steps
    nodes: dict[Ways, int] = field(factory=dict)
    rises: dict[int, int] = field(factory=dict)

    def separate(self) -> None:
        nodes = self.explorer.nodes
        ends = {n: tuple(node.edges) for n, node in enumerate(nodes) if self._is_end(node)}
        for number, node in enumerate(list(nodes)):
            if number in ends:
                way = Edge(Fraction(1), (), (), self.explorer.nothing, number)
                node.edges = [self._into(way, ends[number])]
                continue
            for place, edge in enumerate(node.edges):
                if edge.target in ends:
                    node.edges[place] = self._into(edge, ends[edge.target])
                elif self._leaves(edge):
                    way = edge._replace(weight=Fraction(1), guard=(), facts=())
                    node.edges[place] = self._into(edge._replace(effect=()), (way,))

    def _is_end(self, node: ControlNode) -> bool:
        return node.kind == "branch" and all(map(self._leaves, node.edges))

    def _leaves(self, edge: Edge) -> bool:
        """Tell whether an edge ends the turn; one that only counts on inside of it does not."""
        if edge.target == END_TARGET or edge.rotate or not self.counters:
            return edge.target == END_TARGET or self.explorer.nodes[edge.target].stored
        leaves = self.explorer.leaves
        inside = all(s in self.counters and added(v, leaves[s]) for s, v in edge.effect)
        return self.explorer.nodes[edge.target].stored and not inside

    def _into(self, edge: Edge, ways: Ways) -> Edge:
        """Return the edge that leads to the end with these ways on."""
        effect = list(edge.effect)
        for slot, step in self.counters.items():
            leaf = self.explorer.leaves[slot]
            more = min((n for way in ways for v in _values(way) for n in added(v, leaf)), default=0)
            if (more := more - more % step) > 0:
                self.rises[slot] = max(self.rises.get(slot, 0), more)
                ways = tuple(_with_less(way, leaf, more) for way in ways)
                effect.append((slot, unknown("add", leaf, more)))
        way, nothing = tuple(effect), self.explorer.nothing
        target = self._node(ways)
        return edge._replace(effect=way, reward=nothing, points=0, target=target, rotate=0)

    def _node(self, ways: Ways) -> int:
        found = self.nodes.get(ways)
        if found is None:
            found = self.nodes[ways] = len(self.explorer.nodes)
            self.explorer.nodes.append(ControlNode(-1, [], "branch", edges=list(ways)))
        return found


def _values(edge: Edge) -> Iterator[Value]:
    yield from edge.guard
    yield from edge.reward
    yield edge.points
    for _, value in edge.effect:
        yield value


def added(value: Value, leaf: Unknown) -> set[int]:
    """Return the numbers that an expression adds to a leaf, wherever it reads it."""

    def inside(part: Value) -> tuple[Value, ...]:
        return () if not isinstance(part, Unknown) or _is_sum(part, leaf) else part.arguments

    parts = [part for part in reached([value], inside) if isinstance(part, Unknown)]
    sums = {part.arguments[1] for part in parts if _is_sum(part, leaf)}
    return {*sums, 0} if leaf in parts else sums


def _is_sum(value: Unknown, leaf: Unknown) -> bool:
    if value.name != "add" or value.arguments[0] is not leaf:
        return False
    return isinstance(value.arguments[1], int)


def _with_less(edge: Edge, leaf: Unknown, less: int) -> Edge:
    """Return an edge that does the same once the leaf is that much larger."""
    done: dict[int, Value] = {}

    def moved(value: Value) -> Value:
        if not isinstance(value, Unknown):
            return value
        if id(value) not in done:
            if _is_sum(value, leaf):
                rest = value.arguments[1] - less
                done[id(value)] = unknown("add", leaf, rest) if rest else leaf
            elif value.name == "slot":
                done[id(value)] = value
            else:
                done[id(value)] = unknown(value.name, *map(moved, value.arguments))
        return done[id(value)]

    effect = tuple((slot, moved(value)) for slot, value in edge.effect)
    guard = tuple(g for g in map(moved, edge.guard) if isinstance(g, Unknown))
    reward, points = tuple(map(moved, edge.reward)), moved(edge.points)
    return edge._replace(guard=guard, effect=effect, reward=reward, points=points)

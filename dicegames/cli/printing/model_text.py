"""The model that the solver is given as text: the third stage of `dicegames show`."""

from __future__ import annotations

from collections.abc import Iterator

from dicegames.solver.model import Model

KINDS = ("chance", "choice", "branch", "end")


def lines_of_model(model: Model) -> Iterator[str]:
    """Yield the axes, the nodes and the edges of a model."""
    yield f"{model.name}: {model.nodes} nodes, {model.edges} edges, {model.seats} seats"
    for number, axis in enumerate(model.axes):
        inner = ", changes inside a turn" if axis.inner else ""
        limit = ", without limit" if axis.unbounded else ""
        yield f"axis {number} {axis.name}: {axis.kind}, {axis.size} values{inner}{limit}"
    tables = f"{len(model.lookups)} lookups, {len(model.guards)} guards"
    yield f"{tables}, {len(model.effects)} effects, {len(model.rewards)} rewards"
    yield f"start: node {model.start} at {model.start_point}"
    for node in range(model.nodes):
        stored = ", stored" if model.stored[node] else ""
        yield f"node {node}: {KINDS[model.kind[node]]}{stored}"
        for edge in range(model.first_edge[node], model.first_edge[node + 1]):
            yield f"  {_edge(model, edge)}"


def _edge(model: Model, edge: int) -> str:
    parts = [f"-> {model.target[edge]}"]
    if model.weight[edge] != 1:
        parts.append(f"p {model.weight[edge]:.9g}")
    for name, column in (("guard", model.guard), ("effect", model.effect)):
        if column[edge]:
            parts.append(f"{name} {column[edge]}")
    reward = model.rewards[int(model.reward[edge])]
    if reward.constant:
        parts.append(f"reward {reward.constant:g}")
    if reward.lookups:
        parts.append(f"reward by lookup {', '.join(map(str, reward.lookups))}")
    if model.rotate[edge]:
        parts.append("next seat")
    return "  ".join(parts)

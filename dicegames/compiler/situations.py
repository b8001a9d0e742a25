"""The situations that are met while the rules are explored: the nodes of the control graph."""

from __future__ import annotations

from dicegames.compiler.graph import Node
from dicegames.compiler.keys import Keeper, Shared
from dicegames.compiler.objective import Objective
from dicegames.compiler.roles import Roles
from dicegames.compiler.widths import Widths
from dicegames.rules.flow import Environment
from dicegames.rules.types import Value
from dicegames.rules.unknown import unknown

MOST_NODES = 60_000
"""With more nodes than this a turn is too large."""


class Situations:
    """Nodes by their keys; those that are still to be explored are `pending`."""

    def __init__(self, goal: Objective, roles: Roles):
        self.goal = goal
        self.roles = roles
        self.leaves = {slot: unknown("slot", slot) for slot in roles.axes}
        self.nodes: list[Node] = []
        self.pending: list[int] = []
        self._keys: dict[tuple[Value, ...], int] = {}
        self._keepers: dict[int, Keeper] = {}
        self._shared: Shared = {}
        self._widths = Widths(goal.game.names.slots)

    def keeper(self, at: int) -> Keeper:
        """Return how to make the key of a situation at an instruction."""
        found = self._keepers.get(at)
        if found is None:
            aside = set(self.leaves) | set(self.roles.rewards)
            control = sorted(self.roles.live[at] - aside)
            found = Keeper(self.goal, self.roles, at, control, self.leaves, self._shared)
            self._keepers[at] = found
        return found

    def node(self, key: tuple[Value, ...], at: int, env: Environment, kind: str) -> int:
        """Return the number of the node with a key; if it is new it has yet to be explored."""
        found = self._keys.get(key)
        if found is None:
            found = self._keys[key] = len(self.nodes)
            keep = set(self.keeper(at).control) | set(self.leaves)
            slots = self.goal.game.names.slots
            env = [v if i in keep else slots[i].initial for i, v in enumerate(env)]
            self.nodes.append(Node(at, env, kind))
            self.pending.append(found)
            self._watch(at, env)
        return found

    def _watch(self, at: int, env: Environment) -> None:
        """Notice a variable that takes ever more values, and a turn that is too large."""
        for slot in self.keeper(at).control:
            self._widths.meet(slot, env[slot])
        if len(self.nodes) > MOST_NODES:
            raise self._widths.too_many(self.goal.game.flow[at].span)

"""A game for several players as an environment of PettingZoo, one agent after the other (AEC).

Agents are `player_1`, `player_2`, ... by seat. Chance acts by itself, seeded by `reset(seed=...)`.
Rewards come at the end: each seat's payoff, negated where the rules want little of it. `env` wraps
the game as PettingZoo advises: an illegal action ends it, with a reward of -1 for who chose it. A
game that is over before anything was chosen ends with the one action then legal, "(no move)".
"""

from __future__ import annotations

from random import Random
from typing import Any, ClassVar

from dicegames.adapters.encoding import Encoding, Observation, needs
from dicegames.loading import Game
from dicegames.rules.parts.game import rules_of
from dicegames.rules.running.legality import MoveError
from dicegames.rules.running.referee import Position

with needs("pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers


class SeveralPlayers(AECEnv[str, Observation, int | None]):  # type: ignore[misc] # no type hints
    """Several players' game: observations `{"observation", "action_mask"}`, actions by number."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": "dicegames_v0",
        "is_parallelizable": False,
    }

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        rules_of(game)
        self.game = game
        self.render_mode = render_mode
        self.encoding = Encoding(game)
        self.possible_agents = [f"player_{seat + 1}" for seat in range(game.players)]
        count = len(self.encoding.actions)
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        seen: spaces.Space[Any] = self.encoding.space
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.position: Position = game.start()
        self._dice = Random(0)  # noqa: S311 - dice that can be thrown again

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; without a seed the dice go on from where they are."""
        if seed is not None:
            self._dice = Random(seed)  # noqa: S311 - as above
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.position = self.game.start()
        self.agent_selection = self.agents[0]
        self._let_chance_act()

    def step(self, action: int | None) -> None:
        """Make a move for the agent whose turn it is; MoveError for an illegal one."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self.encoding.mask(self.position)[int(action)]:
            raise MoveError(f"action {action} is not legal in: {self.position}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if not self.position.is_over:
            self.position = self.position.after(self.encoding.moves(self.position)[int(action)])
            self._let_chance_act()
        if self.position.is_over:
            rewards = self.encoding.rewards(self.position)
            self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
            self.terminations = dict.fromkeys(self.possible_agents, True)
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees; the mask has ones only if it is its turn."""
        seen = self.encoding.seen(self.position, self.possible_agents.index(agent))
        if agent != self.agent_selection:
            seen["action_mask"][:] = 0
        return seen

    def render(self) -> str | None:
        """Return the position as one line of text, with `render_mode="ansi"`."""
        return str(self.position) if self.render_mode == "ansi" else None

    def _let_chance_act(self) -> None:
        self.position = self.encoding.after_chance(self.position, self._dice)
        if not self.position.is_over:
            self.agent_selection = self.possible_agents[self.position.node.seat]


def env(game: Game, render_mode: str | None = None) -> Any:
    """Return a game for several players in PettingZoo's usual wrappers."""
    wrapped: Any = SeveralPlayers(game, render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)

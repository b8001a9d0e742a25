"""A game for one player as an environment of Gymnasium.

Chance acts by itself, seeded by `reset(seed=...)`. The reward comes at the end: the payoff, negated
where the rules want little of it. An action that is not legal (see the mask) changes nothing:
`info` says so, and the reward for it is `illegal_reward`. A game that is over before anything was
chosen ends with the one action that is then legal, "(no move)".
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicegames.adapters.encoding import Encoding, Observation, needs
from dicegames.ground.arguments import ArgumentError
from dicegames.loading import Game
from dicegames.rules.parts.game import rules_of
from dicegames.rules.running.referee import Position

with needs("gymnasium"):
    import gymnasium
    from gymnasium import spaces


class OnePlayer(gymnasium.Env[Observation, int]):
    """One player's game: observations `{"observation", "action_mask"}`, actions by number."""

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - declared so by Gymnasium

    def __init__(
        self, game: Game, render_mode: str | None = None, *, illegal_reward: float = 0.0
    ) -> None:
        if rules_of(game).players != 1:
            raise ArgumentError(f"{game} is set for {game.players} players: load it with players=1")
        self.game = game
        self.render_mode = render_mode
        self.illegal_reward = illegal_reward
        self.encoding = Encoding(game)
        actions = spaces.Discrete(len(self.encoding.actions))
        self.action_space = actions  # type: ignore[assignment] # numpy's int, ours
        self.observation_space = self.encoding.space
        self.position: Position = game.start()
        self._dice = Random(0)  # noqa: S311 - dice that can be thrown again

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; `options={"position": text}` begins with that position."""
        super().reset(seed=seed)
        self._dice = Random(int(self.np_random.integers(2**62)))  # noqa: S311 - as above
        text = (options or {}).get("position")
        begun = self.game.start() if text is None else self.game.position(text)
        self.position = self.encoding.after_chance(begun, self._dice)
        return self.encoding.seen(self.position), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a move; see the module for rewards and for what is not legal."""
        if not self.position.is_over:
            move = self.encoding.moves(self.position).get(int(action))
            if move is None:
                info = {**self._info(), "illegal_action": True}
                seen = self.encoding.seen(self.position)
                return seen, self.illegal_reward, False, False, info
            self.position = self.encoding.after_chance(self.position.after(move), self._dice)
        reward, over = self.encoding.rewards(self.position)[0], self.position.is_over
        return self.encoding.seen(self.position), reward, over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, as maskable learners ask for it."""
        return self.encoding.mask(self.position).astype(np.bool_)

    def render(self) -> str | None:
        """Return the position as one line of text, with `render_mode="ansi"`."""
        return str(self.position) if self.render_mode == "ansi" else None

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.encoding.mask(self.position), "position": str(self.position)}

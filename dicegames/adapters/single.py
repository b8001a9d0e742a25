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

from dicegames.adapters.encoding import Encoding, needs
from dicegames.ground.arguments import ArgumentError
from dicegames.loading import Game
from dicegames.rules.parts.game import rules_of
from dicegames.rules.running.referee import Position

with needs("gymnasium"):
    import gymnasium
    from gymnasium import spaces

Observation = dict[str, NDArray[Any]]


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
        count = len(self.encoding.actions)
        low, high = self.encoding.bounds
        self.action_space = spaces.Discrete(count)  # type: ignore[assignment] # numpy's int, ours
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(low, high, (self.encoding.size,), np.int64),
                "action_mask": spaces.Box(0, 1, (count,), np.int8),
            }
        )  # type: ignore[assignment]
        self.position: Position = game.start()
        self._dice = Random(0)  # noqa: S311 - dice that can be thrown again

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; `options={"position": text}` begins with that position."""
        super().reset(seed=seed)
        self._dice = Random(int(self.np_random.integers(2**62)))  # noqa: S311 - as above
        text = (options or {}).get("position")
        self.position = self.game.start() if text is None else self.game.position(text)
        self._let_chance_act()
        return self._seen(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a move; see the module for rewards and for what is not legal."""
        if not self.position.is_over:
            move = self.encoding.moves(self.position).get(int(action))
            if move is None:
                info = {**self._info(), "illegal_action": True}
                return self._seen(), self.illegal_reward, False, False, info
            self.position = self.position.after(move)
            self._let_chance_act()
        over = self.position.is_over
        return self._seen(), self._reward() if over else 0.0, over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, as maskable learners ask for it."""
        return self.encoding.mask(self.position).astype(np.bool_)

    def render(self) -> str | None:
        """Return the position as one line of text, with `render_mode="ansi"`."""
        return str(self.position) if self.render_mode == "ansi" else None

    def _let_chance_act(self) -> None:
        while self.position.is_chance:
            self.position = self.position.after(self.position.throw(self._dice))

    def _seen(self) -> Observation:
        return {
            "observation": self.encoding.observation(self.position),
            "action_mask": self.encoding.mask(self.position),
        }

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.encoding.mask(self.position), "position": str(self.position)}

    def _reward(self) -> float:
        payoff = float(self.position.payoff[0])
        return payoff if self.game.rules.maximise else -payoff

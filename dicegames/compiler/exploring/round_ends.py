"""With which round a game ends, whatever is played."""

from __future__ import annotations

from collections.abc import Iterator

from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.flow import Environment, Expression, Test
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.unknown import NeedsValue
from dicegames.rules.running.linear import open_values

MOST_ROUNDS_BOUND = 1000
"""More rounds than this bound nothing that could be listed."""


def most_rounds(game: Rules) -> int | None:
    """Return after how many rounds the game ends at the latest, None if it need not end."""
    round_, env = game.names.variables["round"].base, at_round_end(game)
    for end in ends_of(game):
        if round_ in end.reads:
            for env[round_] in range(1, MOST_ROUNDS_BOUND + 1):
                if is_certain(end, env):
                    return int(env[round_])
    return None


def at_round_end(game: Rules) -> Environment:
    """Return open values, at the end of the turn of the last player."""
    env = open_values(game)
    env[game.names.variables["seat"].base] = game.players - 1
    return env


def ends_of(game: Rules) -> Iterator[Expression]:
    """Yield the conditions with which the game ends, one after the other."""
    at = game.flow[game.end_turn]
    while isinstance(at, Test):
        yield at.condition
        at = game.flow[at.other]


def is_certain(condition: Expression, env: Environment) -> bool:
    """Tell whether a condition holds whatever is open: by one of its parts, if it is an "or"."""
    try:
        if condition.run(env) is True:
            return True
    except (NeedsValue, RuleBroken):
        pass  # a part that asks for dice, say
    return any(is_certain(part, env) for part in condition.alternatives)

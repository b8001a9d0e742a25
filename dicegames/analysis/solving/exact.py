"""The value of a game in exact fractions, from the referee alone: slow, and simple to trust.

Every position that can come up is listed once: the instruction at which play stands with the values
that later play reads. A variable that is only added to and that the payoff adds up is no part of a
position: what is won counts as a reward `r` on the way. With `V` a vector by seat, the player to
move first::

    chance   V(s) = sum over outcomes of p * (r + V(s'))
    choice   V(s) = r + V(s') of the move that is best for the player to move, the first of equals
    the end  V(s) = the payoffs

Positions that lead to each other are solved together (`exact_cycles`), the others one by one from
the end. Nothing here is shared with the compiler or the solver; it is the oracle of their tests.
"""

from __future__ import annotations

from fractions import Fraction

from dicegames.ground.limits import Limit
from dicegames.ground.numbers import turned
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import Exploration
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.referee import Position, start


def exact_value(
    game: Rules,
    position: Position | None = None,
    objective: str = "payoff",
    limit: Limit | None = None,
) -> Fraction | tuple[Fraction, ...]:
    """Return the value from a position on (the start if not given).

    One number for one player, and for objectives other than the payoff; else one for each seat,
    seat 1 first. Points already won are included. Raises TooLarge, ObjectiveError, NoValue.
    """
    position = start(game) if position is None else position
    wanted = objective_of(objective)
    exploration = Exploration(game, wanted, Limit() if limit is None else limit)
    edge = exploration.explore(position)
    solved = exploration.solved()
    found = [v + add for v, add in zip(solved.values[edge.target], edge.reward, strict=True)]
    if len(found) == 1 or not wanted.by_seat:
        return found[0]
    return turned(found, -position.node.seat)

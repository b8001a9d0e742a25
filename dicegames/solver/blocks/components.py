"""The components of a value: what is computed at every state, side by side.

A value may have several components: what each seat gets, say. One of them makes a choice, the
others follow it: at a choice they take what they have at the move that was chosen. All components
are sums of the same rewards and chances otherwise, so a turn is evaluated for all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.model import Array, Model


@frozen(eq=False)
class Component:
    """One number of a value. `Components` are counted from 0, and so are seats, from the mover on.

    Where seats move on by r, what is read at the next state is its component `seen[r]`.
    """

    rewards: Array  # int32[E]: the reward of every edge
    follows: int  # the component whose choices it follows, itself where it takes its own best
    seen: tuple[int, ...]
    drawn: bool = False  # whether it estimates the chance nodes that are drawn from samples
    tells_moves: bool = False  # whether it is the number of the move taken, at choices and branches
    ends: Array | None = None  # int32[E]: number of the given value that an edge leads to, -1: none


Components = tuple[Component, ...]
Question = Callable[[Model], Components]
"""What is asked of a model: its components."""


def values(model: Model) -> Components:
    """The value: one number where that tells those of all seats, else one for each seat.

    Where each seat has a number of its own the rewards of seat s are those of the mover, s times
    their number further on (see `ordered`).
    """
    if model.scalar:
        return (Component(model.reward, 0, (0,) * model.seats),)
    return _family(model, 0)


def _family(model: Model, begin: int) -> Components:
    """A number for each seat, the mover's own being component `begin`; the others follow."""
    seats, each = model.seats, len(model.rewards) // model.seats
    return tuple(
        Component(
            (model.reward + seat * each).astype(np.int32),
            begin if seat == 0 else 0,
            tuple(begin + (seat - r) % seats for r in range(seats)),
        )
        for seat in range(seats)
    )


def values_and_answers(model: Model) -> Components:
    """Values by seat, then the best answers to them, then the chance to stay.

    The *best answer* of a seat is what it has if it departs alone, as well as it can, from the play
    that the values tell: at its own choices it takes its own best, elsewhere it follows. What it
    gains shows how far the values are from an equilibrium. The *chance to stay* in a cycle follows
    the values and is paid nothing; see `cycle`.
    """
    seats = model.seats
    nothing = np.zeros(model.edges, np.int32)
    staying = Component(nothing, 0, (2 * seats,) * seats)
    return (*values(model), *_family(model, seats), staying)


def numbers_kept(model: Model) -> int:
    """How many numbers a solve keeps for each state: components, and by seat what it returns."""
    return 1 if model.scalar else 3 * model.seats + 1


def promised_and_worth(model: Model) -> Components:
    """The value with some chance nodes estimated, and what its choices are worth."""
    promised = evolve(values(model)[0], drawn=True)
    return promised, Component(model.reward, 0, (1,) * model.seats)


def moves_chosen(model: Model) -> Components:
    """The mover's own value, read where it is known, and the number of the move that it takes.

    Values are known by seat: where seats move on by r, the mover is seat -r seen from there.
    """
    seats = model.seats
    own = Component(model.reward, 0, tuple(-r % seats for r in range(seats)))
    return own, Component(model.reward, 0, (), tells_moves=True)


def moves_for_ends(model: Model, ends: Array) -> Components:
    """The mean of values that are given where a turn ends, and the number of the move for it.

    `ends` (int32[E]) are the numbers of the values to which edges lead, -1 inside the turn, where
    nothing is paid.
    """
    nothing = np.zeros(model.edges, np.int32)
    own = Component(nothing, 0, (0,) * model.seats, ends=ends)
    return own, Component(nothing, 0, (), tells_moves=True)

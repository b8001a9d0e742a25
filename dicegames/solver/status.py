"""How a solve ended: an outcome is data, and its text says what to change."""

from __future__ import annotations

from enum import Enum

from dicegames.ground.errors import DicegamesError


class Status(Enum):
    """Outcome of a solve; `value` is the text for people."""

    SOLVED = "solved: the bounds are proven"
    RESIDUAL = (
        "solved for several selfish players: the values reproduce themselves up to the residual; "
        "there is no proof that they are the only ones"
    )
    APPROXIMATE = (
        "solved on a grid: an approximation without a proven bound; a smaller step shows how good "
        "it is"
    )
    ONE_SIDED = (
        "a player may choose to go round for ever, so only one of the two bounds is proven; "
        "make every round cost something, limit the rounds, or forbid the move that changes nothing"
    )
    ENDLESS = (
        "play can go round for ever without a chance of ending, so there is no value; "
        "add an end, or limit the rounds"
    )
    GOES_ROUND = (
        "the first of equally good moves leads back to the same position, so that play goes round "
        "for ever; forbid the move that changes nothing, or let another one stand before it"
    )
    NOT_CONVERGED = (
        "the values of a cycle had not settled when the limit of sweeps was reached; "
        "limit the rounds, or make the end of the game more likely in each of them"
    )
    NO_COST = (
        "turns may be lost for ever at no cost, so that no bound can be proven; "
        "ask for an objective for which turns count, such as --objective turns"
    )
    NO_AVERAGE = (
        "no average of a turn is found: it depends on what has happened before, or its bounds meet "
        "too slowly; look at a number of rounds: --objective payoff"
    )
    NO_MOVE = (
        "a position that can be reached has no legal move; "
        "add a move for this case, or end the game or the turn there"
    )
    AMBIGUOUS = "a branch has several edges whose guards hold at one point; the model is wrong"
    BAD_EFFECT = "an effect is not defined where its guard holds; the model is wrong"
    TOO_MANY_STATES = (
        "more states can be reached than can be listed; "
        "choose smaller options, or ask for an objective that reads less, such as turn"
    )
    TOO_MUCH_MEMORY = (
        "the tables would need more memory than allowed; raise the limit or go smaller"
    )
    TOO_MANY_TO_FOLLOW = (
        "play is followed from turn to turn in tables of all positions, and these are too large; "
        "choose smaller options"
    )
    TOO_MANY_RESULTS = (
        "the results that may come of all positions take too much room; "
        "choose smaller options, or let `simulate` play games"
    )
    NO_ROOM_ON_DISK = (
        "there is no room on disk for what does not fit into memory; "
        "make room, or let TMPDIR name a folder with more"
    )
    TOO_LONG = "the solve would take, or took, longer than allowed; raise the limit or go smaller"
    NO_TAIL = (
        "a counter without upper limit has no proven affine tail: cap it, or check that going on "
        "must stop paying from some point on"
    )
    UNSUPPORTED = "no method of the solver fits this model"
    NOT_IN_FOLDER = "the values of this game cannot be kept in a folder; solve it without --store"

    @property
    def solved(self) -> bool:
        """Whether there are values to use."""
        return self in (Status.SOLVED, Status.RESIDUAL, Status.APPROXIMATE, Status.ONE_SIDED)


State = tuple[int, tuple[int, ...]]
"""A control node and a point on the axes."""


class SolveError(DicegamesError):
    """Raised between the stages of a solve; `solve` turns it into a status.

    `states` are some of those in which the trouble lies, where that is known.
    """

    def __init__(self, status: Status, detail: str = "", states: tuple[State, ...] = ()) -> None:
        super().__init__(f"{status.value}{': ' if detail else ''}{detail}")
        self.status = status
        self.detail = detail
        self.states = states

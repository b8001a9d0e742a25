"""Who is in which place, in sentences: `place of p` and `winner`; and where a player sits."""

from __future__ import annotations

from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.names import Mistake, Names
from dicegames.rules.parts.ranking import Ranking
from dicegames.rules.parts.types import NUMBER, PLAYER, Value
from dicegames.rules.parts.unknown import compare, select
from dicegames.rules.reading.derive import applied, held


def place(names: Names, part: Expression, span: Span) -> Expression | None:
    """Check `place of p`."""
    if part.type is not PLAYER or not part.constant:
        return None
    ranking, player = _ranking(names, span), part.value()
    return Expression(NUMBER, lambda env: ranking.place(env, player), ranking.reads, False, span)


def winner(names: Names, span: Span) -> Expression:
    """Check `winner`: the player in the first place."""
    ranking = _ranking(names, span)
    if ranking.shared and not names.settles:
        message = "while players may be level, there is one winner only in the settlement"
        hint = "say it under: at the end; or let the earlier be ahead: ranking ..., ties earlier; "
        hint += "or, in the payoff, write: payoff win"
        raise Mistake("winner", message, span, hint)
    return Expression(PLAYER, ranking.winner, ranking.reads, False, span)


def _ranking(names: Names, span: Span) -> Ranking:
    """Return the ranking of the players, which is asked for; raises Mistake."""
    if names.ranking is None:
        message, hint = "places need a ranking", f"add: ranking highest {names.points}"
        raise Mistake("no-ranking", message, span, hint, missing="ranking")
    names.asks_places = True
    return names.ranking


def seat_of(slot: int, player: int, players: int, span: Span) -> Expression:
    """Return the seat of a player, from 1; `slot` holds that of the player to move, from 0."""
    first = players - player  # from this seat on the player's is counted from 1 again

    def seat(at: Value) -> Value:
        later = compare("ge", at, first) if player else False
        return select(later, at - first + 1, at + player + 1)

    return applied(NUMBER, seat, span, held(NUMBER, slot, span))

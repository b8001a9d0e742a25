"""Rules that cannot go on while they run: a mistake of the rules file, found late."""

from __future__ import annotations

from dicegames.ground.diagnostic import Diagnostic, RulesError, help_lines
from dicegames.ground.source import Source, Span

NO_SOURCE = Source("rules", "")
GOES_ROUND = "this goes round for ever: no throw, no choice, and nothing that ends it"


class RuleBroken(RulesError):
    """The rules cannot go on from here; the message says why in a player's words."""

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        source: Source | None = None,
        code: str = "rule-broken",
        help: str = "",
    ):
        self.message = message
        self.span = span
        self.code = code
        self.help = help
        place = Span(0, 0) if span is None else span
        super().__init__(source or NO_SOURCE, [Diagnostic(code, message, place, help)])

    def located(self, span: Span, source: Source) -> RuleBroken:
        """Return the same with its place, where that was not known when it was raised."""
        place = span if self.span is None else self.span
        return RuleBroken(self.message, place, source, self.code, self.help)

    def with_help(self, more: str) -> RuleBroken:
        """Return the same with more help, on a line of its own."""
        both = help_lines(self.help, more)
        return RuleBroken(self.message, self.span, self.source, self.code, both)

    def not_shown(self, more: str) -> NotShown:
        """Return the same where it is not known that a game comes to it."""
        both = help_lines(self.help, more)
        return NotShown(self.message, self.span, self.source, self.code, both)


class NotShown(RuleBroken):
    """It cannot be shown that the rules stay in order, or what they ask for takes too much.

    Nothing is known to be wrong: where every position is looked at, they may turn out to be.
    """


def no_move(span: Span) -> RuleBroken:
    """Return the mistake that a choice, given by its place, has no legal move."""
    message = "no move is legal here, and nothing says what happens then"
    return RuleBroken(message, span, code="no-move", help="add to the choice: otherwise")

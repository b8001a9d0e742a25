"""Variables that hold several values: which one of them is meant, and whose."""

from __future__ import annotations

from dicegames.rules.parts.flow import Expression
from dicegames.rules.parts.names import Scope, Variable
from dicegames.rules.parts.types import ANYTHING, NUMBER, PLAYER
from dicegames.rules.reading.checker import Checker, arguments
from dicegames.rules.reading.derive import nothing
from dicegames.syntax.nodes import Node


def key_of(
    checker: Checker, variable: Variable, said: Node, scope: Scope
) -> tuple[Expression, int]:
    """Return the key after `of`, and whose value it is: `progress of 7`, `progress of (7, p)`.

    What is no such thing is reported; then the key may be anything.
    """
    own = variable.scope == "player"
    if own and said.kind == "of_" and said.child(0).text in scope.bound:
        return _nested(checker, variable, said), scope.player
    given = arguments(said, 2 if own else 1)
    key = checker.check(given[0], scope)
    if key.type not in (NUMBER, ANYTHING):
        message = f"expected a number, but this is {key.type}"
        hint = f"say of which: {variable.name} of {variable.keys[0]}"
        hint += f", or {variable.name} of ({variable.keys[0]}, p)" if own else ""
        hint = checker.what_instead(key, NUMBER) or hint
        return checker.mistake("wrong-type", message, given[0].span, hint), scope.player
    if len(given) == 1:
        return key, scope.player
    player = checker.check(given[1], scope, PLAYER)
    if len(given) > 2 or not player.constant:
        return _not_known(checker, variable, player, said), scope.player
    return key, player.value()


def _nested(checker: Checker, variable: Variable, said: Node) -> Expression:
    """Report `progress of c of p`."""
    key = said.child(0)
    message = f'"{key.text} of ..." is not known'
    hint = f"write: {variable.name} of ({key.text}, {checker.text(said.child(1).span)})"
    return checker.mistake("unknown-function", message, key.span, hint)


def _not_known(checker: Checker, variable: Variable, player: Expression, said: Node) -> Expression:
    """Report what is more than a key and a player, or a player who is found in play only."""
    if player.type is ANYTHING:
        return nothing(said.span)
    message = f'"{variable.name} of" does not go with this'
    hint = f"write: {variable.name} of ({variable.keys[0]}, p), with a player such as left of mover"
    return checker.mistake("wrong-type", message, said.span, hint)

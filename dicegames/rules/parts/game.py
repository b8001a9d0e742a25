"""A checked game: what is declared, the flow of a turn, the end and the payoff."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from attrs import define, field

from dicegames.ground.arguments import ArgumentError
from dicegames.ground.diagnostic import Diagnostic
from dicegames.ground.source import Source, Span
from dicegames.rules.parts.advice import Strategy
from dicegames.rules.parts.flow import (
    Alternative,
    Choose,
    Environment,
    Expression,
    Instruction,
    read_by,
)
from dicegames.rules.parts.names import Names
from dicegames.rules.parts.types import Value
from dicegames.syntax.nodes import Node


@define(eq=False, repr=False)
class Rules:
    """The rules of a game, all in order.

    `flow` holds the instructions, `turn` is the number of the first of a turn and `end_turn` that
    of the first after one. `payoffs` and `standings` have one expression for each seat, counted
    from the player to move; `payoff_at` is where the file says what is played for. `text_of` writes
    a position as one line of text; it is handed in since it needs the referee, which stands above
    this module.
    """

    source: Source
    names: Names
    title: str = ""
    flow: list[Instruction] = field(factory=list)
    turn: int = 0
    end_turn: int = 0
    payoffs: list[Expression] = field(factory=list)
    payoff_is_win: bool = False
    payoff_at: Span = Span(0, 0)
    maximise: bool = True
    standings: list[Expression] = field(factory=list)
    highest_wins: bool = True
    strategies: dict[str, Strategy] = field(factory=dict)
    examples: list[Node] = field(factory=list)
    text_of: Callable[[Any], str] = repr

    @property
    def players(self) -> int:
        """The number of players."""
        return self.names.players

    @property
    def alternatives(self) -> list[Alternative]:
        """What may be chosen, in all choices."""
        return [each for i in self.flow if isinstance(i, Choose) for each in i.options]

    @property
    def turn_points(self) -> list[Expression]:
        """What the points of a turn are counted by, for each seat: the ranking, else the payoff."""
        return self.standings or self.payoffs

    @property
    def final_reads(self) -> frozenset[int]:
        """The slots that the payoffs depend on."""
        if self.payoff_is_win and self.names.ranking is not None:
            return self.names.ranking.reads
        return read_by(self.payoffs)

    @property
    def many_points(self) -> bool:
        """Whether many points of a turn are good."""
        return self.highest_wins if self.standings else self.maximise

    def option_values(self) -> dict[str, Value]:
        """Return the house rules as they are set."""
        return {o.name: o.value for o in self.names.options.values()}

    @property
    def remarks(self) -> list[Diagnostic]:
        """What is in order, but may not mean what it seems to, in the order of the file."""
        return sorted(self.names.diagnostics.remarks, key=lambda d: d.span.start)

    @property
    def has_default_options(self) -> bool:
        """Tell whether all house rules have their defaults."""
        return all(o.value == o.values[0] for o in self.names.options.values())

    def __repr__(self) -> str:
        return f"<rules of {self.title!r}>"

    def start(self) -> Environment:
        """Return the environment at the start of the game."""
        return [variable.initial for variable in self.names.slots]

    def payoff(self, env: Environment, seat: int) -> Value:
        """Return what the seat (counted from the player to move) has at the end of the game."""
        if not self.payoff_is_win:
            return self.payoffs[seat].run(env)
        assert self.names.ranking is not None
        return self.names.ranking.share(env, seat)


class HasRules(Protocol):
    """A loaded game: its rules are what counts."""

    @property
    def rules(self) -> Rules:
        """The checked rules."""


def rules_of(game: Rules | HasRules) -> Rules:
    """Return the rules of a loaded game; raises ArgumentError for anything else."""
    rules = game if isinstance(game, Rules) else getattr(game, "rules", None)
    if not isinstance(rules, Rules):
        raise ArgumentError(f"a game, as dicegames.load returns it, is expected, not {game!r}")
    return rules


def public(variable_name: str) -> bool:
    """Tell whether a variable is one that people see (names with a dot are not)."""
    return "." not in variable_name

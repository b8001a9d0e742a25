"""A small game in the language of PRISM, for independent tools such as PRISM and Storm.

The positions are listed by the referee (`exploration`), numbered, and written as one variable `s`.
What is won counts as a reward of states: `R{"seat1"}max=? [ F "over" ]` asks for what seat 1 gets.
A game without choices is a `dtmc`; one with choices of one seat, or where fixed strategies play for
the others, an `mdp`; else it is an `smg`, the games of PRISM-games, in which player K is seat K.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from attrs import define, field

from dicegames.ground.exact_cycles import Arc
from dicegames.ground.limits import Limit
from dicegames.ground.numbers import turned
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import Exploration
from dicegames.rules.running.objectives import objective_of
from dicegames.rules.running.referee import start

Key = tuple[int, int]
"""A position's number, and the seat of the player to move."""


def prism_text(game: Rules, objective: str, limit: Limit) -> str:
    """Return a game as a PRISM model; raises TooLarge, ObjectiveError."""
    exploration = Exploration(game, objective_of(objective), limit)
    first = start(game)
    edge = exploration.explore(first)
    return "\n".join(_Writer(exploration, first.node.seat, edge).lines()) + "\n"


@define
class _Writer:
    exploration: Exploration
    seat: int
    first: Arc
    numbers: dict[Key, int] = field(factory=dict)
    pending: list[Key] = field(factory=list)
    won: list[tuple[int, tuple[Fraction, ...]]] = field(factory=list)  # state, what each seat wins
    paying: int = 0
    choosers: set[int] = field(factory=set)

    @property
    def seats(self) -> int:
        return len(self.first.reward)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the model."""
        states = self.exploration.states
        body: list[tuple[int, str, list[str]]] = []  # state, its player, its updates
        extra: list[str] = []
        begin = self._target(self.first, self.seat, extra)
        while self.pending:
            number, mover = key = self.pending.pop()
            state, place = states[number], self.numbers[key]
            if state.values is not None:
                self.won.append((place, turned(state.values, -mover)))
                extra.append(f"s={place} -> (s'=over)")
                continue
            ways = [(edge.weight, self._target(edge, mover, extra)) for edge in state.edges]
            if state.chooses:
                if len(ways) > 1:
                    self.choosers.add(mover)
                body += [(place, f"p{mover + 1}", [f"(s'={to})"]) for _, to in ways]
            else:
                body.append((place, "p1", [f"{w} : (s'={to})" for w, to in ways]))
        kind = ("dtmc", "mdp")[len(self.choosers)] if len(self.choosers) < 2 else "smg"
        yield kind
        if kind == "smg":
            for seat in range(1, self.seats + 1):
                yield f"player seat{seat} [p{seat}] endplayer"
        count = len(self.numbers) + self.paying
        yield f"const int over = {count};"
        yield "module game"
        yield f"  s : [0..{count}] init {begin};"
        for place, player, updates in body:
            action = player if kind == "smg" else ""
            yield f"  [{action}] s={place} -> {' + '.join(updates)};"
        action = "p1" if kind == "smg" else ""
        yield from (f"  [{action}] {line};" for line in (*extra, "s=over -> (s'=over)"))
        yield "endmodule"
        yield 'label "over" = s=over;'
        for seat in range(self.seats):
            yield f'rewards "seat{seat + 1}"'
            yield from (f"  s={place} : {won[seat]};" for place, won in self.won if won[seat])
            yield "endrewards"

    def _number(self, key: Key) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers) + self.paying
            self.pending.append(key)
        return self.numbers[key]

    def _target(self, edge: Arc, mover: int, extra: list[str]) -> int:
        """Return the state that an edge enters; one that pays first where something is won."""
        target = self._number((edge.target, (mover + edge.rotate) % self.seats))
        if not any(edge.reward):
            return target
        place = len(self.numbers) + self.paying
        self.paying += 1
        self.won.append((place, turned(edge.reward, -mover)))
        extra.append(f"s={place} -> (s'={target})")
        return place

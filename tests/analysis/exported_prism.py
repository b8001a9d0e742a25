"""A reader of games in the language of PRISM that shares nothing with the program.

It takes what the program writes, line by line, and nothing else. What PRISM would read otherwise
than it is meant is an error: a second command of a chain, a state of two players, a reward that is
told twice.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter

from attrs import frozen

from tests.analysis.iteration import Way, iterated

HEAD = re.compile(
    r"(?P<kind>dtmc|mdp|smg)\n(?P<players>(?:player .*\n)*)const int over = (?P<over>\d+);\n"
    r"module game\n  s : \[0\.\.(?P<last>\d+)\] init (?P<begin>\d+);\n(?P<commands>(?:  \[.*\n)*)"
    r'endmodule\nlabel "over" = s=over;\n(?P<rewards>(?:.*\n)*)'
)
COMMAND = re.compile(r"  \[(p\d+)?\] s=(\d+|over) -> (.*);")
UPDATE = re.compile(r"(?:(\d+(?:/\d+)?) : )?\(s'=(\d+|over)\)")
REWARDS = re.compile(r'rewards "seat(\d+)"\n((?:  s=.*\n)*)endrewards\n')
REWARD = re.compile(r"  s=(\d+) : (-?\d+(?:/\d+)?);\n")


@frozen
class Exported:
    """What is written: where each command of a state leads, whose it is, and what is won."""

    kind: str
    begin: int
    over: int
    commands: Mapping[int, list[dict[int, Fraction]]]
    seat: Mapping[int, int]
    won: list[dict[int, Fraction]]
    """What each seat wins in a state, before play goes on."""

    def value(self, seat: int, *, least: bool) -> float:
        """Return what a seat can expect at most (or at least), deciding everywhere."""
        ways: dict[Hashable, list[Way]] = {}
        for state, commands in self.commands.items():
            won = float(self.won[seat - 1].get(state, 0))
            found = [[(float(p), to) for to, p in updates.items()] for updates in commands]
            ways[state] = [(won, on) for on in found if state != self.over]
        return iterated(ways, self.begin, least=least)

    def values(self, *, least: bool) -> list[Fraction] | None:
        """Return what all seats get if each decides its own, the first of the best commands.

        None where play can come round, or it is not told whose the choices are.
        """
        if self.kind == "mdp" and len(self.won) > 1:
            return None
        after = {s: {to for each in own for to in each} - {self.over} for s, own in self.ways()}
        known = {self.over: [Fraction(0)] * len(self.won)}
        try:
            for state in TopologicalSorter(after).static_order():
                worth = [self._mean(updates, known) for updates in self.commands[state]]
                own = [each[self.seat[state]] for each in worth]
                best = worth[own.index((min if least else max)(own))]
                known[state] = [b + w.get(state, 0) for b, w in zip(best, self.won, strict=True)]
        except CycleError:
            return None
        return known[self.begin]

    def ways(self) -> Iterator[tuple[int, list[dict[int, Fraction]]]]:
        """Yield every state but the end, with its commands."""
        yield from ((state, own) for state, own in self.commands.items() if state != self.over)

    def _mean(
        self, updates: Mapping[int, Fraction], known: Mapping[int, list[Fraction]]
    ) -> list[Fraction]:
        seats = range(len(self.won))
        return [sum((p * known[to][s] for to, p in updates.items()), Fraction(0)) for s in seats]


def read_prism(text: str) -> Exported:
    """Return the game that a text describes."""
    head = HEAD.fullmatch(text)
    assert head, text
    over = int(head["over"])
    assert int(head["last"]) == over
    commands: dict[int, list[dict[int, Fraction]]] = {}
    seat: dict[int, int] = {}
    for line in head["commands"].splitlines():
        found = COMMAND.fullmatch(line)
        assert found, line
        player, name, updates = found.groups()
        assert (player is not None) == (head["kind"] == "smg"), line
        state, own = _state(name, over), int((player or "p1")[1:]) - 1
        assert seat.setdefault(state, own) == own, f"{line}: a state of two players"
        commands.setdefault(state, []).append(_updates(updates, over))
    assert commands[over] == [{over: 1}]
    assert commands.keys() == set(range(over + 1)), "a state without a command"
    assert {to for own in commands.values() for each in own for to in each} <= commands.keys()
    if head["kind"] == "dtmc":
        assert all(len(own) == 1 for own in commands.values())
    won = list(_rewards(head["rewards"]))
    names = range(1, len(won) + 1)
    players = "".join(f"player seat{n} [p{n}] endplayer\n" for n in names)
    assert head["players"] == players * (head["kind"] == "smg")
    return Exported(head["kind"], int(head["begin"]), over, commands, seat, won)


def _state(name: str, over: int) -> int:
    return over if name == "over" else int(name)


def _updates(text: str, over: int) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for update in text.split(" + "):
        read = UPDATE.fullmatch(update)
        assert read, text
        to, p = _state(read[2], over), Fraction(read[1] or 1)
        found[to] = found.get(to, Fraction(0)) + p
    assert sum(found.values()) == 1, text
    return found


def _rewards(text: str) -> Iterator[dict[int, Fraction]]:
    """Yield what each seat wins by state."""
    blocks = list(REWARDS.finditer(text))
    assert "".join(block[0] for block in blocks) == text
    for number, block in enumerate(blocks, 1):
        assert block[1] == str(number)
        rewards = REWARD.findall(block[2])
        assert len(rewards) == len({state for state, _ in rewards}) == block[2].count("\n")
        yield {int(state): Fraction(amount) for state, amount in rewards}

"""What players are told of moves: by whoever judges, by somebody better, or by the rules alone."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, count, product
from time import perf_counter, sleep
from typing import Any

import pytest
from attrs import define, field

import dicegames
from dicegames.cli.playing import game_table
from dicegames.cli.playing.background import Background
from dicegames.cli.playing.game_table import Wishes, spread_lines, table_of
from dicegames.cli.playing.seating import ledger_of
from dicegames.cli.solving import Solving
from dicegames.play.adviser import Adviser, risk_of, strategies_of, unjudged
from dicegames.play.match import Match, people
from dicegames.play.session import Session
from dicegames.play.transcript import Header
from dicegames.play.wording import Line


@define
class Script:
    """A terminal at which a script types."""

    typed: list[str]
    said: list[str] = field(factory=list)
    plain: bool = False
    width: int = 80

    def say(self, *lines: Line) -> None:
        self.said += ["".join(text for text, _ in line) for line in lines]

    def ask(self, prompt: str, words: Sequence[str]) -> str:
        if not self.typed:
            raise EOFError
        self.said.append(prompt + self.typed[0])
        return self.typed.pop(0)


def told(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines]


def missed(columns: set[int]) -> Fraction:
    """How often no two of four dice have a sum among some columns, counted throw by throw."""
    throws = list(product(range(1, 7), repeat=4))
    fit = sum(any(a + b in columns for a, b in combinations(dice, 2)) for dice in throws)
    return 1 - Fraction(fit, len(throws))


def climbed(text: str, dice: str = "3 4 5 6") -> dicegames.Position:
    """Can't Stop, where a pair of seven has been chosen and a runner is to stop or to go on."""
    game = dicegames.load("games/cant_stop.dg")
    return game.position(f"climbed {text} | dice {dice} | at turn 2").play("Pair 3 4")


def test_how_often_the_next_throw_ends_the_turn() -> None:
    position = climbed("6:1 8:1")
    risks = {move.label: risk_of(position.after(move)) for move in position.moves()}
    assert risks == {"Stop": None, "Roll": missed({6, 7, 8})}
    assert told(unjudged(position, strategies_of(position.game))) == [
        'the strategy "Rule of 28" plays Roll',
        f"Roll: the next throw ends the turn in {float(missed({6, 7, 8})):.2%} of cases",
    ]
    free = told(unjudged(climbed("7:1"), {}))  # a third runner is free: any pair is climbed
    assert free == ["Roll: the next throw cannot end the turn"]


def test_what_takes_too_long_to_look_at_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count(perf_counter(), 0.1)  # as if each look at the clock came later
    monkeypatch.setattr("dicegames.ground.limits.perf_counter", lambda: next(looks))
    told_last = told(unjudged(climbed("6:1 8:1"), {}))[-1]
    assert told_last == "the throws after this move take longer than 2 s to look at: Roll"


@pytest.mark.parametrize(
    ("text", "dice", "played"),
    [
        ("6:2 7:1 8:2", "3 4 5 6", "Roll"),  # 6 + 3 + 6
        ("6:6 7:5 8:3", "3 4 5 6", "Stop"),  # 14 + 7 + 8 = 29
        ("5:3 7:6 9:1", "3 4 5 6", "Stop"),  # 12 + 8 + 6, and 2 for three odd columns
        ("5:3 7:5 9:1", "3 4 5 6", "Roll"),  # one less
        ("2:2 7:9", "3 3 4 4", "Roll"),  # two runners
    ],
)
def test_the_rule_of_28(text: str, dice: str, played: str) -> None:
    position = climbed(text, dice)
    assert strategies_of(position.game)["Rule of 28"](position) == played


def session(game: dicegames.Game, adviser: Adviser, script: Script, seed: int) -> Any:
    match = Match(game.rules, seed)
    header = Header(game.title, "x.dg", "0", {}, seed, ("me",) * game.players)
    return Session(match, script, people(game.players), header, adviser)


def test_a_better_judge_takes_over_between_moves() -> None:
    game = dicegames.load("games/pig.dg", target=20)
    solution = dicegames.solve(game)
    script = Script(["hint", "roll", "hint", "luck", "quit"])
    adviser = Adviser(script)
    played = session(game, adviser, script, 7)

    def better() -> Any:
        if len(played.match.steps) < 2 or adviser.ledger is not None:
            return None
        return ledger_of(played.match, solution, None), "known by now"

    adviser.better = better
    assert not played.run()
    first, second = "\n".join(script.said).split("known by now")
    assert "no values: nobody judges this game" in first
    assert "chance to win, more is better" in second
    assert "losses" in second


def test_commands_in_the_background_go_on_until_one_ends_well() -> None:
    seen = []
    with Background([["games", "--no-such-option"], ["--version"]]) as beside:
        assert beside.is_busy
        assert "for 0 s now, at most for 10 min: ask again later" in beside.told
        for _ in range(2):
            beside.end(60)
            seen.append(beside.has_news)
        assert seen == [False, True]
        assert not beside.has_news
        assert not beside.told


def test_what_runs_in_the_background_is_ended_with_the_game() -> None:
    with Background([["editor"]]) as beside:
        running = beside.process
    assert running is not None
    assert running.poll() is not None


def test_hints_say_what_is_being_solved_and_take_over_what_is_known_at_once() -> None:
    game = dicegames.load("games/pig.dg", target=20)
    solution = dicegames.solve(game)
    script = Script(["hint", "hint", "why", "quit"])
    adviser = Adviser(script, pending=lambda: "being solved")
    played = session(game, adviser, script, 7)
    found = []

    def better() -> Any:
        found.append(len(played.match.steps))
        if len(found) != 4:
            return None
        adviser.pending = str
        return ledger_of(played.match, solution, None), "known by now"

    adviser.better = better
    assert not played.run()
    assert found[2] == found[3]  # nothing was played between two questions
    first, second = "\n".join(script.said).split("known by now")
    assert "no values: being solved" in first
    assert "chance to win, more is better" in second


@pytest.mark.parametrize("ends", [True, False])
def test_the_end_waits_for_the_distribution_that_is_computed_elsewhere(
    monkeypatch: pytest.MonkeyPatch, *, ends: bool
) -> None:
    game = dicegames.load("games/shut_the_box.dg", tiles=4)
    match = Match(game.rules, 3)
    while not match.position.is_over:
        moves = match.position.moves()
        match.play(moves[0], asked=True) if moves else match.throw()
    wishes = Wishes(None, None, plain=True, solving=Solving())
    header = Header(game.title, "x.dg", "0", {}, 3, ("me",))
    table = table_of(game, match, header, wishes, bots=False)
    kept: list[Any] = []
    monkeypatch.setattr(game_table, "spreads", lambda *_: kept)
    found = table.solution.distributions()
    lines = spread_lines(table, match, 0.2, lambda: kept.extend(found) if ends else sleep(60))
    assert ("less in" in "".join(told(lines))) == ends
    assert ("still to be computed" in "".join(told(lines))) != ends

"""Transcripts: written, read, played again, and refused when they are damaged."""

from functools import cache
from pathlib import Path

import pytest

from dicegames.play.match import Match, any_move, outcome_of
from dicegames.play.transcript import (
    Header,
    TranscriptError,
    read_transcript,
    transcript_text,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.value_text import PositionError
from tests.rules.small import read

GAMES = Path(__file__).parents[2] / "games"


@cache
def game(stem: str) -> Rules:
    return read(GAMES / f"{stem}.dg")


def played(stem: str, seed: int = 3, steps: int = 60) -> tuple[Match, Header]:
    rules = game(stem)
    match = Match(rules, seed)
    for _ in match.choices(steps):
        match.play(any_move(match))
    seats = ("me", "bot:random", "Anna", "Bert")[: rules.players]
    header = Header(rules.title, "x.dg", "abc", {"players": "2"}, seed, seats, frozenset({0}))
    return match, header


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.dg")), ids=lambda p: p.stem)
def test_what_is_written_is_read(path: Path) -> None:
    match, header = played(path.stem)
    transcript = read_transcript("x", transcript_text(match, header))
    assert transcript.header == header
    again = transcript.match(match.game)
    assert [(s.text, str(s.after)) for s in again.steps] == [
        (s.text, str(s.after)) for s in match.steps
    ]
    assert transcript_text(again, header) == transcript_text(match, header)


def lines() -> list[str]:
    match, header = played("pig", steps=12)
    return transcript_text(match, header).splitlines()


@pytest.mark.parametrize("number", range(len(lines())))
def test_a_line_that_is_missing_or_changed_is_seen(number: int) -> None:
    whole = lines()
    if not whole[number] or whole[number].startswith("#"):
        pytest.skip("a line for people")
    free = ("game", "file", "rules", "option", "seat", "typed dice")
    for text in ([], [whole[number] + "7"], [whole[number][:3]]):
        damaged = [*whole[:number], *text, *whole[number + 1 :]]
        if whole[number].startswith(free) or (not text and whole[number].startswith("position")):
            continue  # it may say so, or it is said by the rules anyway
        with pytest.raises(TranscriptError):
            read_transcript("x", "\n".join(damaged)).match(game("pig"))


@pytest.mark.parametrize("length", range(1, 40, 3))
def test_a_file_that_is_cut_off_is_seen(length: int) -> None:
    whole = "\n".join(lines())
    with pytest.raises(TranscriptError):
        read_transcript("x", whole[: len(whole) * length // 40])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("dicegames", "cicegames"), "is no transcript"),
        (("format 1", "format 2"), "another version"),
        (("throw     ", "throe     "), 'line 13: "throe'),
        (("seed      3", "seed      4"), "line 13: the dice of the seed show"),
        (("seed      3", "seed      x"), "its seed is no whole number of up to 18 digits: x"),
        (("seed      3", "seed      " + "7" * 5000), "of up to 18 digits: 7777777777"),
        (("seat      1", "seat      3"), "is not in order, or there twice"),
        (("option    ", "option    players 3\noption    "), "is not in order, or there twice"),
        (("points 5", "points 6"), 'by the rules the position is "total'),
        (("seat      2 bot:random\n", ""), "it names 1 seat, the players are 2"),
        (("end       12", "end       11"), "is damaged: it has 12 steps, its end says 11"),
        (("move      ", "move      Fly "), "is no legal move here"),
    ],
)
def test_what_is_said_of_damage(change: tuple[str, str], message: str) -> None:
    text = "\n".join(lines())
    assert change[0] in text
    with pytest.raises(TranscriptError) as caught:
        read_transcript("x", text.replace(*change)).match(game("pig"))
    assert message in caught.value.message


def test_dice_are_read() -> None:
    position = Match(game("despirala"), 1).position
    assert outcome_of(position, "654321").text == "1 2 3 4 5 6"
    assert outcome_of(position, "6 6 6 6 6 6").probability * 6**6 == 1
    for text in ("1 2 3", "7 1 1 1 1 1", "", "1 2 3 4 5 6 6"):
        with pytest.raises(PositionError):
            outcome_of(position, text)
    with pytest.raises(PositionError, match="no dice are thrown"):
        outcome_of(position.play(position.outcomes()[0]), "1 2 3 4 5 6")


def test_dice_depend_on_the_seed_and_the_number_of_throws_only() -> None:
    one, two = Match(game("pig"), 8), Match(game("pig"), 8)
    thrown = []
    for match, move in ((one, "Roll"), (two, "Hold")):
        match.throw()
        while match.position.is_chance:
            match.throw()
        match.play(match.position.named(move))
        thrown.append(match.throw().text)
    assert thrown[0] == thrown[1]


def test_steps_know_how_many_throws_there_were() -> None:
    match, _ = played("yahtzee", steps=40)
    counts = [sum(step.is_throw for step in match.steps[: n + 1]) for n in range(len(match.steps))]
    assert [step.throws for step in match.steps] == counts
    assert all(match.undo() for _ in range(5))
    assert len(match.steps) < len(counts)
    while match.redo():
        pass
    assert [step.throws for step in match.steps] == counts

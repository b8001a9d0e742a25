"""A match as plain text: what people read afterwards, and what a game is resumed from.

After a first line come what the game is (`game`, `file`, `rules`, `option`, `seed`, `seat`,
`typed dice`), an empty line, and then every position and what was done in it::

    # turn 1
    position  score 0
    throw     1 2 3 4 4 6
    position  score 0 | dice 1 2 3 4 4 6
    move      Collect 4

`throw` are dice of the seed, `typed` those that people threw, with `said` below where they summed
them up. The last line counts the steps, so that a file that is cut off is seen. Lines that begin
with # are for people. Nothing in a transcript is believed: the referee plays it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import field, frozen

from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import LONGEST_NUMBER, signed_number, whole_number
from dicegames.ground.reading import TRANSCRIPT_BEGINS
from dicegames.play.match import NO_MOVE, Match, Step, outcome_of
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.value_text import PositionError

TITLE_LINE = f"{TRANSCRIPT_BEGINS}, format 1"
HUMAN = "me"
BOT = "bot:"
STEP_WIDTH = 10
STEP_KINDS = ("position", "throw", "typed", "said", "move", "result")
HEADINGS = ("game", "file", "rules", "option", "seed", "seat", "typed dice", "setting")
LAST_LINE = re.compile(r"end +(\d+) steps?")
AS_IT_IS = "it is left as it is"
"""What is said of a damaged file."""


class TranscriptError(DicegamesError):
    """A transcript that cannot be read, or does not go with the rules; `help` says what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        self.message = message
        self.help = help
        super().__init__(message)


class CutOff(TranscriptError):
    """A transcript without its end."""


@frozen
class Header:
    """What a game is played with.

    `rules` is a hash of the rules; `seats` who sits where: a person's name, or `bot:` and more;
    `typed` the seats (from 0) whose dice are thrown by people; `settings` how it is judged and
    shown to whoever goes on with it.
    """

    title: str
    file: str
    rules: str
    options: dict[str, str]
    seed: int
    seats: tuple[str, ...]
    typed: frozenset[int] = frozenset()
    settings: dict[str, str] = field(factory=dict)


@frozen
class Entry:
    """A line of a transcript that says what was done."""

    number: int
    word: str
    text: str


@frozen
class Transcript:
    """A transcript that has been read; `match` plays it again."""

    name: str
    header: Header
    lines: list[Entry] = field(factory=list)

    @property
    def steps(self) -> int:
        """How many throws and moves it has."""
        return sum(line.word in ("throw", "typed", "move") for line in self.lines)

    @property
    def result(self) -> str | None:
        """What came of the game; None where it is not over."""
        return next((line.text for line in self.lines if line.word == "result"), None)

    def match(self, game: Rules) -> Match:
        """Return the match; raises TranscriptError where the rules say something else."""
        seats = len(self.header.seats)
        if seats != game.players:
            named = f"{seats} seat{'s'[: seats != 1]}"
            message = f"{self.name} is damaged: it names {named}, the players are {game.players}"
            raise TranscriptError(message, AS_IT_IS)
        match = Match(game, self.header.seed)
        said = ""
        for line in self.lines:
            try:
                said = self._follow(match, line, said)
            except (PositionError, ValueError, RuleBroken) as error:
                raise self._wrong(line, str(error)) from None
        return match

    def _follow(self, match: Match, line: Entry, said: str) -> str:
        """Do what a line says; return what was said, for the line after it."""
        position = match.position
        match line.word:
            case "position":
                if str(position) != line.text:
                    raise self._wrong(line, f'by the rules the position is "{position}"')
            case "throw":
                if match.drawn().text != outcome_of(position, line.text).text:
                    raise self._wrong(line, f"the dice of the seed show {match.drawn().text}")
                match.throw()
            case "typed":
                match.let_fall(outcome_of(position, line.text), said=said, asked=said != CONTINUED)
            case "said":
                return line.text
            case "move":
                moves = position.moves()
                human = not self.header.seats[position.node.seat].startswith(BOT)
                asked = human and [m.label for m in moves] != [NO_MOVE]
                match.play(position.named(line.text), asked=asked)
            case "result":
                if result_text(match) != line.text:
                    raise self._wrong(line, f"by the rules the result is {result_text(match)}")
        return ""

    def _wrong(self, line: Entry, what: str) -> TranscriptError:
        return TranscriptError(
            f"{self.name}, line {line.number}: {what}",
            "the transcript has been changed, or the rules have; it is left as it is",
        )


CONTINUED = "..."
"""What stands for the second throw and the later ones that were summed up together."""


def result_text(match: Match) -> str:
    """Return what each seat has in the end."""
    if not match.position.is_over:
        return "none, the game is not over"
    return " / ".join(str(value) for value in match.result)


# ---- writing


def transcript_text(match: Match, header: Header) -> str:
    """Return a match as text; `read_transcript` is the inverse."""
    lines = [TITLE_LINE, *_head(header), ""]
    turns = [0] * match.game.players
    for step in match.steps:
        if step.begins_turn:
            turns[step.seat] += 1
            lines.append(f"# turn {turns[step.seat]}{_player(match, header, step.seat)}")
        lines.append(_line("position", str(step.before)))
        lines += list(_done(step))
    lines.append(_line("position", str(match.position)))
    if match.position.is_over:
        lines.append(_line("result", result_text(match)))
    count = len(match.steps)
    lines.append(_line("end", f"{count} step{'s'[: count != 1]}"))
    return "\n".join(lines) + "\n"


def _head(header: Header) -> Iterator[str]:
    yield _line("game", header.title)
    yield _line("file", header.file)
    yield _line("rules", header.rules)
    for name, value in header.options.items():
        yield _line("option", f"{name} {value}")
    yield _line("seed", str(header.seed))
    for number, seat in enumerate(header.seats, 1):
        yield _line("seat", f"{number} {seat}")
    for number in sorted(header.typed):
        yield f"typed dice {number + 1}"
    for name, value in header.settings.items():
        yield _line("setting", f"{name} {value}")


def _done(step: Step) -> Iterator[str]:
    if not step.is_throw:
        yield _line("move", step.text)
        return
    typed = step.asked or step.said
    if step.said:
        yield _line("said", step.said)
    yield _line("typed" if typed else "throw", step.text)


def _line(word: str, text: str) -> str:
    return f"{word:<{STEP_WIDTH}}{text}".rstrip()


def _player(match: Match, header: Header, seat: int) -> str:
    if match.game.players == 1:
        return ""
    return f", player {seat + 1} ({header.seats[seat]})"


# ---- reading


def read_transcript(name: str, text: str, *, cut_off: bool = False) -> Transcript:
    """Return a transcript; raises TranscriptError for a text that is none, or is damaged.

    One that is `cut_off` is read up to its last whole line.
    """
    lines = text[: text.rfind("\n") + 1 if cut_off else None].splitlines()
    if not lines or not lines[0].startswith(TRANSCRIPT_BEGINS):
        raise TranscriptError(f"{name} is no transcript of a game")
    if lines[0].strip() != TITLE_LINE:
        raise TranscriptError(f"{name} was written by another version of the program", AS_IT_IS)
    head: dict[str, list[str]] = {}
    done: list[Entry] = []
    end = None
    for number, line in enumerate(lines[1:], 2):
        if not line.strip() or line.startswith("#"):
            continue
        if end is not None:
            raise TranscriptError(f"{name}, line {number}: something comes after the end", AS_IT_IS)
        end = LAST_LINE.fullmatch(line.strip())
        if end is None:
            if number == len(lines) and not text.endswith("\n"):
                break  # it may be half a line
            _take(name, number, line, head, done)
    if end is None and not cut_off:
        raise CutOff(f"{name} is cut off, or damaged", AS_IT_IS)
    found = Transcript(name, _header(name, head), done)
    if end is not None and whole_number(end[1]) != found.steps:
        message = f"{name} is damaged: it has {found.steps} steps, its end says {end[1]}"
        raise TranscriptError(message, AS_IT_IS)
    return found


def _take(name: str, number: int, line: str, head: dict[str, list[str]], done: list[Entry]) -> None:
    for word in HEADINGS:
        if line.startswith(word + " ") and not done:
            head.setdefault(word, []).append(line[len(word) :].strip())
            return
    word, _, text = line.partition(" ")
    if word not in STEP_KINDS:
        message = f'{name}, line {number}: "{line.rstrip()[:40]}" does not belong here'
        raise TranscriptError(message, AS_IT_IS)
    done.append(Entry(number, word, text.strip()))


def _header(name: str, head: dict[str, list[str]]) -> Header:
    try:
        options = dict(_pair(text) for text in head.get("option", []))
        seats = tuple(_pair(text)[1] for text in head["seat"])
        typed = frozenset(_seat(text, len(seats)) for text in head.get("typed dice", []))
        (title,), (file,), (rules,), (seed,) = (
            head[word] for word in ("game", "file", "rules", "seed")
        )
        settings = dict(_pair(text) for text in head.get("setting", []))
        header = Header(title, file, rules, options, _seed(name, seed), seats, typed, settings)
        said = [f"{word} {text}".split() for word, texts in head.items() for text in texts]
        if sorted(said) != sorted(line.split() for line in _head(header)):
            raise ValueError(said)  # an option is set twice, or seats are in another order
    except KeyError as lacking:
        message = f'{name} is damaged: the line that begins with "{lacking.args[0]}" is missing'
        raise TranscriptError(message, AS_IT_IS) from None
    except ValueError:
        message = (
            f"{name} is damaged: a line before its first position is not in order, or there twice"
        )
        raise TranscriptError(message, AS_IT_IS) from None
    return header


def _seat(text: str, seats: int) -> int:
    """Return the number of a seat, from 0; raises ValueError where there is none."""
    number = whole_number(text)
    if number is None or not 1 <= number <= seats:
        raise ValueError(text)
    return number - 1


def _seed(name: str, text: str) -> int:
    number = signed_number(text)
    if number is None:
        said = f"its seed is no whole number of up to {LONGEST_NUMBER} digits: {text[:40]}"
        raise TranscriptError(f"{name} is damaged: {said}", AS_IT_IS)
    return number


def _pair(text: str) -> tuple[str, str]:
    first, _, rest = text.partition(" ")
    if not rest.strip():
        raise ValueError(text)
    return first, rest.strip()

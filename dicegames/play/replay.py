"""Stepping through a game that was played: forward, backward, with other moves."""

from __future__ import annotations

from attrs import define, evolve, field

from dicegames.ground.diagnostic import did_you_mean, named
from dicegames.ground.numbers import whole_number
from dicegames.play import screen
from dicegames.play.adviser import Adviser
from dicegames.play.commands import LONGEST_LINE, TOO_LONG, Unclear, chosen
from dicegames.play.judge import Event
from dicegames.play.match import Match
from dicegames.play.screen import Terminal
from dicegames.play.wording import Line, event_line, event_lines, exact, verdict

REPLAYED = {
    "next": "one event forward, as Enter does; next 5: five",
    "back": "one event backward; back 5: five",
    "first": "to the start of the game",
    "last": "to its end",
    "go": "go 12: to the situation after event 12",
    "mistake": "before the next move that lost something, as does next mistake",
    "list": "all events, with luck and losses",
    "hint": "what every move is worth here; hint 3, hint all",
    "why": "what makes the best move better: why, or why MOVE for that move",
    "try": "try MOVE: what another move would have been worth here",
    "play": "go on from here (or from the move that was tried) as a new game",
    "position": "the position as a line of text, for dicegames advise",
    "score": "the score sheet",
    "luck": "luck, losses and the expected result over the game",
    "help": "this",
    "quit": "leave",
}
REPLAY_SHORT = {"": "next", "n": "next", "b": "back", "q": "quit", "exit": "quit", "?": "help"}


@define
class Replay:
    """A game that is looked at; `at` events of it have been made.

    `run` returns a match to go on with, or None.
    """

    match: Match
    names: list[str]
    adviser: Adviser
    at: int = 0
    tried: Match | None = None
    events: list[tuple[int, int]] = field(init=False)
    judged: list[Event] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.events = self.match.events()
        if self.adviser.ledger is not None:
            self.adviser.ledger.update()
            self.judged = self.adviser.ledger.events

    @property
    def terminal(self) -> Terminal:
        """Where it is shown."""
        return self.adviser.terminal

    def run(self) -> Match | None:
        """Show the game until the player leaves, or wants to go on with it."""
        self._show()
        while True:
            try:
                text = self.terminal.ask(f"{self.at}/{len(self.events)}> ", list(REPLAYED))
            except EOFError:
                return None
            if len(text) > LONGEST_LINE:
                self.terminal.say([(TOO_LONG, "red")])
                continue
            word, _, rest = text.strip().lower().removeprefix("/").partition(" ")
            word = REPLAY_SHORT.get(word, word)
            if word == "quit":
                return None
            if word == "play":
                return self.tried or self._here()
            try:
                self._obey(word, rest.strip())
            except Unclear as unclear:
                self.terminal.say([(str(unclear), "red")])

    def _obey(self, word: str, rest: str) -> None:
        match word:
            case "next" | "back" | "first" | "last" | "go" | "mistake":
                self._go(word, rest)
            case "list":
                self.terminal.say(*event_lines(self.match, self.names, self.adviser.ledger))
            case "try":
                self._try(rest)
            case "position":
                self.terminal.say([(str(self._here().position), "")])
            case "score":
                self.terminal.say(*screen.score(self._here(), self.names, self.terminal))
            case "hint" | "why" | "luck":
                match = self.match if word == "luck" else self._here()
                self.adviser.tell(word, rest, match, self.names)
            case "help":
                self.terminal.say(*screen.words_lines(REPLAYED))
            case _:
                meant = did_you_mean(word, REPLAYED) or f"the words are {', '.join(REPLAYED)}"
                raise Unclear(f'"{word}" is no word here; {meant}')

    def _go(self, word: str, rest: str) -> None:
        if word == "mistake" or (word, rest) == ("next", "mistake"):
            self._to_mistake()
            return
        count = whole_number(rest)
        if (rest and count is None) or (word == "go" and count is None):
            raise Unclear(f"say a number: {word} 5")
        steps = 1 if count is None else count
        end = len(self.events)
        goals = {"next": self.at + steps, "back": self.at - steps, "first": 0, "last": end}
        goal = goals.get(word, steps)
        if word in ("next", "back") and not 0 <= goal <= end and self.at == (end, 0)[goal < 0]:
            raise Unclear("this is the " + ("start" if goal < 0 else "end") + " of the game")
        if word == "go" and goal > end:
            raise Unclear(f"this game goes up to {end}")
        self.at = max(0, min(end, goal))
        self._show()

    def _to_mistake(self) -> None:
        """Stand before the next move that is no longer good."""
        if (ledger := self.adviser.ledger) is None:
            raise Unclear(f"this is not known: {self.adviser.without}")
        lost = [n for n, event in enumerate(self.judged) if ledger.scale.grade(event.loss) >= 0]
        here = next((n for n in lost if n > self.at or (n == self.at and not self.at)), None)
        if here is None:
            raise Unclear("no mistake follows" if lost else "there is no mistake in this game")
        self.at = here
        self._show()

    def _show(self) -> None:
        here = self._here()
        self.tried = None
        if self.at:
            first, _ = self.events[self.at - 1]
            if self.match.steps[first].begins_turn:
                begun = self.match.until(first)
                self.terminal.say(*screen.turn_begins(begun, self.names, None, self.terminal))
            self.terminal.say(self._event_line(self.at - 1))
        position = here.position
        self.terminal.say(*screen.stands(position, self.names, {}, self.terminal))
        if position.is_over:
            told = " / ".join(exact(value) for value in here.result)
            self.terminal.say([(f"the game is over: {told}", "bold")])
        elif not position.is_chance and self.at < len(self.events):  # hint and try are about it
            told = f"now{screen.throw_told(here)}: "
            self.terminal.say([(told, "dim"), *self._event_line(self.at)])

    def _event_line(self, number: int) -> Line:
        event = self.judged[number] if self.judged else None

        steps, ledger = self.events[number], self.adviser.ledger
        return event_line(self.match, steps, self.names, event, ledger)

    def _try(self, text: str) -> None:
        here = self._here()
        moves = here.position.moves()
        if not moves:
            raise Unclear("nothing is to be chosen here")
        if not text:
            raise Unclear("say: try MOVE; the moves are " + named(m.label for m in moves))
        move = chosen(text, moves)
        here.play(move)
        self.tried = here
        line: Line = [(f"{move.label} instead", "bold")]
        if self.adviser.ledger is not None:
            ledger = evolve(self.adviser.ledger, match=here, events=[], values={}, seen=[])
            event = ledger.update()[-1]
            line += [(": ", ""), *verdict(event, ledger.scale)]
            if ledger.is_whole:
                line.append((f", expected {ledger.scale.value(event.value[event.seat])}", "dim"))
        self.terminal.say(line)
        self.terminal.say([("play goes on from there", "dim")])

    def _here(self) -> Match:
        """Return the match as it was here."""
        return self.match.until(self.events[self.at - 1][1] if self.at else 0)

"""A game at one keyboard: who throws, who is asked, what is said, until the game is over.

Reading, writing and keeping are handed in, so that a session can be played by a script. Before
anything is asked the game is handed over to be kept, so that nothing is lost whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, evolve, field

from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import whole_number
from dicegames.play import screen
from dicegames.play.adviser import Adviser
from dicegames.play.columns import listed
from dicegames.play.commands import TYPED, Unclear, chosen, command, keeping, number_behind
from dicegames.play.match import NO_MOVE, Match, Player, chance_told
from dicegames.play.screen import Terminal
from dicegames.play.standing import Thing, brings, needs
from dicegames.play.summed_throws import PositionWords
from dicegames.play.transcript import Header, transcript_text
from dicegames.play.wording import luck_line, verdict
from dicegames.rules.parts.value_text import PositionError
from dicegames.rules.running.referee import Move, Outcome, Position

MOST_UNASKED = 2000
"""Throws and moves in which nobody is asked; a game that goes on may have no end."""
ROLL = ("", "roll", "throw")
"""What lets the program throw dice that are otherwise typed in."""


class SaveError(DicegamesError):
    """A transcript that cannot be saved; the message says why."""


@define
class Session:
    """One game.

    `keep` is given the transcript before every question, `export` a name and the transcript when a
    player saves it.
    """

    match: Match
    terminal: Terminal
    players: list[Player]
    header: Header
    adviser: Adviser
    keep: Callable[[str], None] = lambda _: None
    export: Callable[[str, str], str] = lambda _, __: "not saved"
    situations: PositionWords | None = None
    shown: dict[str, Thing] = field(factory=dict)
    announced: int = -1

    def run(self) -> bool:
        """Play to the end; return False if the players left before."""
        if self.adviser.ledger is not None:
            self.adviser.ledger.update()
        if self.match.steps and not self.match.position.starts_turn:
            self._begin_turn()  # a game that is gone on with
        try:
            while not self.match.position.is_over:
                if self._asks_nobody():
                    told = f"{MOST_UNASKED:,} throws and moves without a question: play stops here"
                    self._say((told, "red"))
                    raise EOFError
                self._step()
        except (EOFError, KeyboardInterrupt) as left:
            self._keep()
            if isinstance(left, KeyboardInterrupt):
                raise
            return False
        self._keep()
        ledger = self.adviser.ledger
        self.terminal.say(*screen.end(self.match, self.players, ledger, self.terminal))
        return True

    @property
    def names(self) -> list[str]:
        """What the players are called."""
        return [player.name for player in self.players]

    def _asks_nobody(self) -> bool:
        """Tell whether play has gone on for very long without a person."""
        last = self.match.steps[-MOST_UNASKED:]
        return len(last) == MOST_UNASKED and not any(step.asked for step in last)

    # ---- one step

    def _step(self) -> None:
        self.adviser.improve()
        position = self.match.position
        if position.starts_turn and self.announced != len(self.match.steps):
            self._begin_turn()
        if position.is_chance:
            if position.node.seat in self.header.typed:
                self._typed_throw()
            else:
                self._throws()
        else:
            self._move(position)

    def _begin_turn(self) -> None:
        self.announced = len(self.match.steps)
        self.shown = {}
        ledger = self.adviser.ledger
        self.terminal.say(*screen.turn_begins(self.match, self.names, ledger, self.terminal))

    def _throws(self) -> None:
        """Throw until a choice, or the end of the turn."""
        first = len(self.match.steps)
        while len(self.match.steps) == first or (self._run_goes_on() and not self._asks_nobody()):
            self.match.throw()
        self._say_thrown(first)
        self._after(first)

    def _say_thrown(self, first: int) -> None:
        """Say what was thrown from a step on, and which throw of the turn it was of how many."""
        player = self.players[self.match.steps[first].seat]
        text = f"{player.name} {chance_told(self.match.steps[first:], player.ending)}"
        self._say((text, "bold"), (screen.throw_told(self.match), "dim"))

    def _typed_throw(self) -> None:
        """Ask for the dice that were thrown."""
        position, player, first = self.match.position, self._player(), len(self.match.steps)
        count = sum(position.outcomes()[0].dice)
        drawn = getattr(position.instruction, "verb", "throw") == "draw"
        to_type = f"draw {count}" if drawn else f"{count} {'dice' if count > 1 else 'die'}"
        prompt = f"{player.name}, {to_type}> "
        while True:
            text = self._ask(prompt, ["roll"])
            try:
                word = command(text, [])
                if word is None:
                    self._fall(position, text)
                    break
                if self._obeyed(*word, []):
                    return
            except (Unclear, PositionError) as unclear:
                meant = did_you_mean(text.strip(), [*TYPED, *ROLL], 0.75)
                self._say(("; ".join(filter(None, (str(unclear), meant))), "red"))
        self._after(first)

    def _fall(self, position: Position, text: str) -> None:
        """Let dice fall as they are said, or as the seed has them."""
        if text.strip().lower() in ROLL:
            self.match.let_fall(self.match.drawn())
            self._say_thrown(-1)
            return
        self.situations = self.situations or PositionWords(self.match.game)
        outcomes = self.situations.understood(position, text)
        said = " ".join(text.split())
        if len(outcomes) == 1 and not _differs(outcomes[0], said):
            said = ""
        for number, outcome in enumerate(outcomes):
            self.match.let_fall(outcome, said="..." if number else said, asked=not number)
        if said:
            shown = ", then ".join(outcome.text for outcome in outcomes)
            self._say((f"{said}: as after {shown}", "dim"))

    def _move(self, position: Position) -> None:
        moves, player = position.moves(), self._player()
        if [move.label for move in moves] == [NO_MOVE]:
            self._say((f"{player.name}: no move is possible.", "bold"))
            self.match.play(moves[0], asked=False)
        else:
            move = player.choose(self.match) if player.choose else self._chosen(position, moves)
            if move is None:
                return
            self.match.play(move, asked=not player.is_bot)
            self._say_move(f"{player.name} play{player.ending} {move.label}")
        self._notes(len(self.match.steps) - 1)
        self.terminal.say(*screen.turn_ends(self.match))
        if self.match.position.is_chance and (lacking := needs(self.match.position)):
            self._say((f"needs {lacking}", "dim"))

    def _say_move(self, text: str) -> None:
        ledger = self.adviser.ledger
        events = [] if ledger is None else ledger.update()
        if ledger is None or not events or not events[-1].is_decision:
            self._say((text, ""))
        else:
            self._say((text + ": ", ""), *verdict(events[-1], ledger.scale))

    def _after(self, first: int) -> None:
        """Say what throws brought with them."""
        self._notes(first)
        if self._run_goes_on():
            return
        ledger = self.adviser.ledger
        if ledger is not None and ledger.is_whole and (new := ledger.update()):
            self._say(*luck_line(new[-1], ledger.scale))
        self.terminal.say(*screen.turn_ends(self.match))

    def _notes(self, first: int) -> None:
        notes = (note for step in self.match.steps[first:] for note in step.after.notes)
        self.terminal.say(*([(f"* {note}", "bold")] for note in notes))

    def _run_goes_on(self) -> bool:
        position = self.match.position
        return position.is_chance and not position.starts_turn

    # ---- questions

    def _chosen(self, position: Position, moves: Sequence[Move]) -> Move | None:
        """Ask until a move is named; None if play stands elsewhere by then."""
        self.terminal.say(*screen.stands(position, self.names, self.shown, self.terminal))
        self._list(moves)
        prompt = "> " if len(self.players) == 1 else f"{self._player().name}> "
        words = [move.label for move in moves]
        while True:
            text = self._ask(prompt, words)
            try:
                word = command(text, moves)
                if word is None:
                    move = keeping(text, position, moves) or chosen(text, moves)
                    if self.adviser.allows(self._ask, position, move):
                        return move
                    continue
                if self._obeyed(*word, moves):
                    return None
            except Unclear as unclear:
                self._say((str(unclear), "red"))

    def _ask(self, prompt: str, words: Sequence[str]) -> str:
        self._keep()
        return self.terminal.ask(prompt, [*words, *TYPED])

    def _keep(self) -> None:
        self.keep(transcript_text(self.match, self.header))

    def _obeyed(self, word: str, rest: str, moves: Sequence[Move]) -> bool:
        """Do what a word says; tell whether play stands elsewhere now."""
        match word:
            case "quit":
                raise EOFError
            case "undo" | "redo":
                return self._again(word, number_behind(word, rest))
            case "help":
                self.terminal.say(*screen.help_lines())
            case "list":
                self._list(moves, whole=True)
            case "hint" | "clue" | "why" | "luck":
                self.adviser.tell(word, rest, self.match, self.names)
            case "position":
                self._say((str(self.match.position), ""))
            case "seats":
                self.terminal.say(*screen.seats(self.players, self.header))
            case "score":
                self.terminal.say(*screen.score(self.match, self.names, self.terminal))
            case "dice":
                return self._switch(rest)
            case "save":
                self._save(rest)
        return False

    def _again(self, word: str, count: int) -> bool:
        """Take moves back, or make them again; none where there are fewer than so many."""
        again, back = self.match.undo, self.match.redo
        if word == "redo":
            again, back = back, again
        done = 0
        while done < count and again():
            done += 1
        if done < count:
            for _ in range(done):
                back()
            left = f"no more than {done}" if done else "nothing"
            raise Unclear(f"there is {left} to {word}")
        if self.adviser.ledger is not None:
            self.adviser.ledger.update()
        self.announced, self.shown = -1, {}
        told = screen.throw_told(self.match)
        self._say((("taken back" if word == "undo" else "made again") + told, "dim"))
        return True

    def _switch(self, how: str) -> bool:
        """Have the dice of the player to move, or of the seat that is named, typed in or thrown."""
        how, _, place = how.partition(" ")
        mover = self.match.position.node.seat
        number = whole_number(place)
        seat = mover if number is None else number - 1
        if how not in ("typed", "virtual") or not 0 <= seat < len(self.players):
            raise Unclear("say: dice typed, or: dice virtual, for another seat: dice typed 2")
        typed = self.header.typed | {seat} if how == "typed" else self.header.typed - {seat}
        self.header = evolve(self.header, typed=typed)
        what = "typed in" if how == "typed" else "thrown by the program"
        self._say((f"{self.names[seat]}: the dice are {what} from now on", "dim"))
        return self.match.position.is_chance and seat == mover

    def _save(self, name: str) -> None:
        if not name:
            raise Unclear("say: save FILE")
        try:
            self._say((self.export(name, transcript_text(self.match, self.header)), "dim"))
        except SaveError as error:
            raise Unclear(str(error)) from None

    # ---- saying

    def _list(self, moves: Sequence[Move], *, whole: bool = False) -> None:
        beside = brings(self.match.position, moves)
        rows = listed(moves, self.terminal.width, beside, whole=whole)
        self.terminal.say(*([(row, "")] for row in rows))

    def _player(self) -> Player:
        return self.players[self.match.position.node.seat]

    def _say(self, *parts: tuple[str, str]) -> None:
        self.terminal.say(list(parts))


def _differs(outcome: Outcome, said: str) -> bool:
    """Tell whether something else was said than the dice of a throw."""
    dice = sorted(outcome.text.lower().split())
    return sorted(said.lower().replace(",", " ").split()) != dice and sorted(said) != dice

"""Strategies: reading them, and checking the names, labels and patterns that they mention."""

from __future__ import annotations

from attrs import evolve

from dicegames.ground.diagnostic import did_you_mean, named
from dicegames.ground.numbers import whole_number
from dicegames.rules.parts import advice
from dicegames.rules.parts.advice import AskedPattern, Line, Measured, Strategy, Wish
from dicegames.rules.parts.flow import Alternative, reachable, written_by
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Mistake, Reported, Scope
from dicegames.rules.parts.patterns import Pattern
from dicegames.rules.parts.types import NUMBER, TRUTH, DiceKind, Type
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.derive import constant, demand_sound
from dicegames.rules.reading.pattern_reader import (
    demand_narrow,
    face_index,
    named_box,
    read_pattern,
)
from dicegames.syntax.nodes import Node


def read_strategies(checker: Checker, game: Rules, nodes: list[Node], parts: list[Node]) -> None:
    """Fill in the strategies of a game whose flow is built; `parts` are all parts of its file."""
    reader = _StrategyReader(checker, game, parts)
    for node in nodes:
        title = node.child(0)
        if title.text in game.strategies:
            place = game.strategies[title.text].span.start
            line, _ = checker.names.diagnostics.source.line_column(place)
            message = f'two strategies are called "{title.text}"'
            checker.names.report("name-taken", message, title.span, f"see line {line}")
        lines = node.parts()[1:]
        found: list[Line] = []
        for each in lines:
            with checker.names.going_on():
                found.append(reader.line(each))
        game.strategies[title.text] = Strategy(title.text, title.span, tuple(found))
        _report_after_otherwise(checker, lines)


def _report_after_otherwise(checker: Checker, lines: list[Node]) -> None:
    for line in lines[:-1]:
        if line.kind == "advice_otherwise":
            message = "the lines below this are never reached"
            hint = "otherwise is the last line of a strategy"
            checker.names.report("never-reached", message, line.span, hint)
            return


class _StrategyReader:
    """Reads the lines of strategies."""

    def __init__(self, checker: Checker, game: Rules, parts: list[Node]):
        self.checker = checker
        self.game = game
        self.names = checker.names
        self.options = game.alternatives
        choices = [node for part in parts for node in part.walk() if node.kind == "choice"]
        labels = [label.text for choice in choices if (label := choice.children[0]) is not None]
        self.labels = [*labels, *self.names.rows]
        picks = [part for choice in choices for part in choice.walk() if part.kind == "pick"]
        self.picked = {pick.child(2).text for pick in picks}

    def line(self, node: Node) -> Line:
        """Return one line of a strategy."""
        condition = constant(TRUTH, True)
        if node.kind == "advice":
            condition = self.checker.check(node.child(0), Scope(), TRUTH)
        move = node.parts()[-1]
        words = [part for part in move.parts() if part.kind == "DIRECTION"]
        highest = bool(words) and words[0].text == "highest" and move.kind != "move_pick"
        wish = self._wish(move, highest=highest)
        demand_sound(condition)
        shown = tuple(self._shown(node.child(0)) if node.kind == "advice" else ())
        self._remark_on_letter(move, {name for asked in shown for name in asked.pattern.names})
        return Line(node.span, condition, shown, wish, highest)

    def _shown(self, node: Node) -> list[AskedPattern]:
        """Return the patterns that a condition asks for, each of which must be there."""
        if node.kind == "and_":
            return [shown for part in node.parts() for shown in self._shown(part)]
        if node.kind != "shows" or named_box(self.checker, node.child(1), Scope()) is not None:
            return []
        dice = self.checker.check(node.child(0), Scope(), Type("dice"))
        kind = self.names.kind_of(dice.type)
        pattern = self._pattern(node.child(1), kind)
        return [AskedPattern(dice, pattern, kind)] if pattern.names else []

    def _pattern(self, node: Node, kind: DiceKind) -> Pattern:
        pattern = read_pattern(self.checker, node, Scope(), kind)
        demand_narrow(evolve(pattern, ordered=True), kind, node.span)
        return pattern

    # ---- the move

    def _wish(self, move: Node, *, highest: bool) -> Wish:
        match move.kind:
            case "move_best":
                return advice.anything()
            case "move_best_turn":
                self._remark_on_points(move)
                return advice.anything(for_turn=True)
            case "move_label":
                return self._labelled(move, highest=highest)
            case "move_pick":
                return self._pick(move)
            case _:
                return self._kept(move, highest=highest)

    def _remark_on_letter(self, move: Node, asked: set[str]) -> None:
        """Remark a letter for any face that is called as what the rules pick, as in `"Again" k`."""
        words = [word for part in move.parts() if part.kind == "pattern" for word in part.walk()]
        letters = [word for word in words if word.kind == "NAME"]
        name = letters[0].text if len(letters) == 1 else ""
        faces = {face for kind in self.names.kinds.values() for face in kind.faces}
        if len(name) == 1 and name in self.picked - asked - faces:
            message = (
                f'"{name}" is here one die of any face, not all that the rules pick as "{name}"'
            )
            hint = f"write the faces, or: pick {name} with highest size of {name}"
            self.names.diagnostics.remark("any-face", message, letters[0].span, hint)

    def _remark_on_points(self, move: Node) -> None:
        """Remark a strategy for the points of a turn where no turn changes what is counted."""
        counted = self.game.turn_points
        if counted and not _written_in_turn(self.game) & counted[0].reads:
            what = "ranking" if self.game.standings else "payoff"
            message = f"no turn brings points here: nothing in a turn changes the {what}, and so "
            message += "the first legal move is played"
            hint = "if that is not meant, write: best"
            if not self.game.standings:
                hint += f"; or say what points are: ranking highest {self.names.points}"
            self.names.diagnostics.remark("no-turn-points", message, move.span, hint)

    def _kept(self, move: Node, *, highest: bool) -> Wish:
        node = move.parts()[-1]
        options = self._that_pick_dice(self.options)
        kind = self._kind(options, node)
        pattern = self._pattern(node, kind)
        if not options:
            message = "nowhere in the rules are dice picked to be kept or thrown"
            hint = 'name the move instead, such as: "Stop"'
            self.names.undone("nothing-kept", message, move.span, hint)
            raise Reported
        own = [option for option in options if self._kind([option], node) is kind]
        thrown = move.kind == "move_roll"
        return advice.dice_wished(own, pattern, kind, highest=highest, thrown=thrown)

    def _that_pick_dice(self, options: list[Alternative]) -> list[Alternative]:
        return [o for o in options if o.whole is not None and o.whole.type.kind == "dice"]

    def _kind(self, options: list[Alternative], node: Node) -> DiceKind:
        """Return the kind of dice that are picked; the first there is, if none are."""
        for option in options:
            if option.whole is not None:
                return self.names.kind_of(option.whole.type)
        kind = self.names.first_kind()
        if kind is None:
            raise self.names.no_dice(node.span)
        return kind

    def _labelled(self, move: Node, *, highest: bool) -> Wish:
        label, pattern = move.child(0), move.children[2]
        text = label.text
        full = any(text.startswith(f"{known} ") for known in self.labels)  # "Two triples 3 5"
        if text not in self.labels and not full:
            hint = did_you_mean(text, self.labels) or f"there are: {named(self.labels) or 'none'}"
            message = f'no move is called "{text}"'
            raise Mistake("unknown-move", message, label.span, hint, missing=text)
        options = [option for option in self.options if option.label == text]
        picking = [option for option in options if option.names]
        if pattern is not None:
            return self._said(label, picking, pattern, highest=highest)
        if picking and len(picking) == len(options):
            message = f'this does not say what "{text}" picks'
            raise Mistake("pick-open", message, label.span, _how_to_pick(picking[0]))
        return advice.named(text)

    def _said(self, label: Node, options: list[Alternative], node: Node, *, highest: bool) -> Wish:
        """Read what a move picks, said behind its name: faces, letters, numbers."""
        if label.text in self.names.rows:
            return self._row(label, node, highest=highest)
        several = [option for option in options if len(option.names) > 1]
        if several:
            return advice.said(" ".join([label.text, *self._words(several[0], node)]))
        dice = self._that_pick_dice(options)
        if dice or not options:
            kind = self._kind(dice, node)
            return advice.dice_wished(dice, self._pattern(node, kind), kind, highest=highest)
        return self._members(options, node)

    def _words(self, option: Alternative, node: Node) -> list[str]:
        """Read the faces, numbers and words of a move that picks several things; no letters."""
        words = [each.type.of for each in option.names.values()]
        words += [kind.faces for kind in self.names.kinds.values()]
        known = {word for each in words for word in each}
        found = []
        for element in node.parts():
            word = element.parts()[0]
            letter = word.kind == "NAME" and len(word.text) == 1 and word.text not in known
            if letter or word.kind not in ("INT", "NAME"):
                message = "a move that picks several things is told by faces and numbers"
                raise Mistake("not-picked", message, element.span, _how_to_pick(option))
            found.append(str(whole_number(word.text)) if word.kind == "INT" else word.text)
        return found

    def _row(self, label: Node, node: Node, *, highest: bool) -> Wish:
        kind = self.names.rows[label.text].kind
        words: list[int | str] = []
        for element in node.parts():
            word = element.parts()[0]
            if word.kind == "NAME" and len(word.text) == 1 and word.text not in kind.faces:
                words.append(word.text)
            else:
                words.append(face_index(word, kind))
        return advice.row_with_faces(label.text, words, kind, highest=highest)

    def _members(self, options: list[Alternative], node: Node) -> Wish:
        """Read the numbers or words that are picked of a set."""
        whole = options[0].whole
        assert whole is not None
        found = []
        members = {str(member): member for member in whole.type.of}
        for element in node.parts():
            word = element.parts()[0]
            text = str(whole_number(word.text)) if word.kind == "INT" else word.text
            if text not in members:
                message = f'"{word.text}" cannot be picked here'
                possible = " ".join(members)
                raise Mistake("not-picked", message, word.span, f"possible are {possible}")
            found.append(members[text])
        if options[0].slot >= 0 and self.names.slots[options[0].slot].type.kind != "set":
            if len(found) > 1:
                raise Mistake("not-picked", "only one of them is picked here", node.span)
            return advice.picked(options, found[0])
        return advice.picked(options, sum(1 << whole.type.of.index(n) for n in set(found)))

    def _pick(self, move: Node) -> Wish:
        word = move.child(0)
        name = word.text
        if name not in self.picked:
            hint = did_you_mean(name, self.picked) or "the rules name it: some of ... as NAME"
            message = f'nothing that is picked in the rules is called "{name}"'
            raise Mistake("unknown-pick", message, word.span, hint, missing=name)
        return advice.ranked([self._measured(o, move) for o in self.options if name in o.names])

    def _measured(self, option: Alternative, move: Node) -> Measured:
        scope = Scope()
        for name, read in option.names.items():
            scope = scope.bind(name, read)
        where, ranks = move.children[1], [n for n in move.parts() if n.kind == "rank"]
        condition = None if where is None else self.checker.check(where, scope, TRUTH)
        found = []
        for rank in ranks:
            sign = 1 if rank.child(0).text == "highest" else -1
            self._demand_one(rank)
            found.append((sign, self.checker.check(rank.child(1), scope, NUMBER)))
        demand_sound(*(e for e in [condition, *(e for _, e in found)] if e is not None))
        return Measured(option, condition, tuple(found))

    def _demand_one(self, rank: Node) -> None:
        """Raise Mistake where further measures are joined by `and`."""
        node = rank.child(1)
        if node.kind == "and_":
            texts = [self.checker.text(part.span) for part in node.parts()]
            hint = f"write: {rank.child(0).text} {', '.join(texts)}"
            raise Mistake("wrong-type", "measures are joined by a comma", node.span, hint)


def _how_to_pick(option: Alternative) -> str:
    """Say how a line may tell what is picked, by a measure that goes with it."""
    name, picked = next(iter(option.names.items()))
    if picked.type.kind == "box":
        return f"write: pick {name} with highest points of {name}"
    way = {"number": f"with highest {name}", "word": f"where {name} = ..."}
    measured = way.get(picked.type.kind, f"with highest size of {name}")
    return f"write it after the name, or: pick {name} {measured}"


def _written_in_turn(game: Rules) -> frozenset[int]:
    """Return the slots that the instructions of a turn may change."""
    inside = reachable(game.flow, game.turn, {game.end_turn}) - {game.end_turn}
    return frozenset[int]().union(*(written_by(game.flow[number]) for number in inside))

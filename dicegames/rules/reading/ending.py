"""How turns follow each other, when the game ends, and what it is played for."""

from __future__ import annotations

from attrs import evolve

from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Expression, Set, Test
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Mistake, Names, Scope, Variable
from dicegames.rules.parts.ranking import MOST_ORDERED, Ranking
from dicegames.rules.parts.types import ANYTHING, NUMBER, TRUTH
from dicegames.rules.parts.unknown import both, compare, select
from dicegames.rules.reading.builder import Builder, Place
from dicegames.rules.reading.checker import Checker
from dicegames.rules.reading.derive import applied, constant, held
from dicegames.syntax.nodes import Node

# ---- between two turns


def end_of_turn(builder: Builder, ends: list[Node], rotation: int, finish: int) -> int:
    """Build what happens between two turns: the end of the game, seats, rounds.

    Returns the number of the first instruction; `rotation` is that of the last one, `finish` that
    of the end of the game.
    """
    names = builder.names
    seat, round_ = (names.variables[name].base for name in ("seat", "round"))
    last = names.players - 1
    span = builder.flow[rotation].span
    mover, entry = held(NUMBER, seat, span), rotation
    is_last = applied(TRUTH, lambda at: compare("eq", at, last), span, mover)
    if last:
        following = applied(NUMBER, lambda over, at: select(over, 0, at + 1), span, is_last, mover)
        entry = builder.emit(Set(span, entry, seat, following))
    counted = applied(NUMBER, lambda over: select(over, 1, 0), span, is_last)
    entry = builder.emit(Set(span, entry, round_, None, counted))
    for node in ends:
        condition = _end(builder.checker, node, is_last if last else constant(TRUTH, True), round_)
        entry = builder.emit(Test(node.span, finish, condition, entry))
    return entry


def _end(checker: Checker, node: Node, is_last: Expression, round_: int) -> Expression:
    """Return the condition under which the game ends after a turn."""
    if node.kind == "ends_when":
        return checker.check(node.child(0), Scope(everyone=True), TRUTH)
    if node.kind == "ends_rounds":
        rounds = checker.check(node.child(0), Scope(), NUMBER)
        if rounds.constant and rounds.type is NUMBER and rounds.value() < 1:
            message = f"a game of {rounds.value()} rounds would end before it begins"
            checker.names.report("rounds", message, node.child(0).span)
        only_one = rounds.constant and rounds.value() == 1  # then nobody asks which round it is
        now = held(NUMBER, round_, node.span)
        done = applied(
            TRUTH, lambda at, n: only_one or compare("ge", at, n), node.span, now, rounds
        )
    else:
        done = checker.check(node.child(0), Scope(everyone=True), TRUTH)

    def then(what: Expression) -> Expression:
        return applied(TRUTH, both, node.span, what, is_last)

    return evolve(then(done), alternatives=tuple(map(then, done.alternatives)))


# ---- the settlement


def settlement(builder: Builder, node: Node, finish: int) -> int:
    """Build what happens when the game is over; return the number of the first instruction.

    Where players may be level and places are asked for, it happens once for every order of the
    players, and each payment is divided by the number of orders: their mean is paid.
    """
    names, mark = builder.names, len(builder.flow)
    outside = Place(next=finish, name="end")
    names.settles, names.asks_places = True, False
    entry = builder.build(node.child(0), Scope(), outside)
    ranking = names.ranking
    if ranking is not None and ranking.shared and names.asks_places and _only_pays(names, node):
        del builder.flow[mark:]
        entry = _for_every_order(builder, node, ranking, finish)
    names.settles = False
    return entry


def _only_pays(names: Names, node: Node) -> bool:
    """Tell whether a settlement for several orders is in order; report if not."""
    span = Span(node.span.start, node.span.start + len("at the end"))
    for below in node.walk():
        if below.kind in ("assign", "increase", "decrease", "use", "move_dice", "choose"):
            message = "while players may be level, a settlement that asks for places only pays"
            names.report("settlement", message, below.span, "or write: ranking ..., ties earlier")
    if names.players > MOST_ORDERED:
        message = f"a settlement of more than {MOST_ORDERED} players needs an order of those level"
        names.report("settlement", message, span, "write: ranking ..., ties earlier")
    return not names.diagnostics.found


def _for_every_order(builder: Builder, node: Node, ranking: Ranking, finish: int) -> int:
    number, count, span = ranking.order, len(ranking.orders), node.span
    over = applied(TRUTH, lambda at: compare("gt", at, count), span, held(NUMBER, number, span))
    done = builder.emit(Set(span, finish, number, constant(NUMBER, 0)))
    head, first = builder.placeholder(span)
    more = builder.emit(Test(span, done, over, head))
    step = builder.emit(Set(span, more, number, None, constant(NUMBER, 1)))
    builder.shares = count
    first.next = first.other = builder.build(node.child(0), Scope(), Place(next=step, name="end"))
    builder.shares = 1
    return builder.emit(Set(span, head, number, constant(NUMBER, 1)))


# ---- ranking and payoff


def _each_seat(checker: Checker, node: Node) -> list[Expression]:
    seats = range(checker.names.players)
    found = [checker.check(node, Scope(player=p), NUMBER) for p in seats]
    if len(found) > 1 and all(e.type is not ANYTHING for e in found):
        _remark_mover(checker.names, node)
    return found


def _remark_mover(names: Names, node: Node) -> None:
    """Remark what is asked of the mover where each player is looked at: it is the same for all."""
    of_players = {*names.variables, "place"}
    asked = (n for n in node.walk() if n.kind == "of_" and n.child(0).text in of_players)
    asked = (n for n in asked if n.child(0).text != "seat")
    of_mover = (n for n in asked if any(below.is_name("mover") for below in n.child(1).walk()))
    if (first := next(of_mover, None)) is not None:
        name = first.child(0).text
        message = '"mover" is here whoever had the last turn, not the player who is looked at'
        hint = f"of all the others write: sum of ({name} of p) over p in players - {name}"
        if name == "place":
            hint = "what goes by places is paid under: at the end, each p in players"
        names.diagnostics.remark("last-to-move", message, first.span, hint)
        return
    if (others := next((n for n in node.walk() if n.is_name("others")), None)) is not None:
        message = '"others" are here those of whoever had the last turn, whoever is looked at'
        points = names.points
        hint = f"of all the others write: sum of ({points} of p) over p in players - {points}"
        names.diagnostics.remark("last-to-move", message, others.span, hint)


TIES = ("share", "earlier")


def rank(checker: Checker, game: Rules, nodes: list[Node], *, settles: bool) -> None:
    """Set by what the players rank; a settlement needs a slot for the orders of those level."""
    if not nodes:
        return
    names = checker.names
    direction, value, *ties = nodes[0].children
    assert direction is not None
    assert value is not None
    game.highest_wins = direction.text == "highest"
    game.standings = _each_seat(checker, value)
    shared = _ties(checker, *ties) == "share"
    if shared:
        _remark_all_level(names, game.standings, value.span)
    order = -1
    if shared and settles:
        hidden = Variable("settlement.order", NUMBER, "table", -1, 1, nodes[0].span, 0)
        order = names.add_variable(hidden).base
    seat = names.variables["seat"].base
    names.ranking = Ranking.of(
        game.standings, seat, order, highest=game.highest_wins, shared=shared
    )


def _remark_all_level(names: Names, standings: list[Expression], span: Span) -> None:
    """Remark a ranking that says the same of all players."""
    reads = {e.reads for e in standings}
    if len(standings) < 2 or len(reads) > 1 or names.variables["seat"].base in standings[0].reads:
        return
    if any(len(of) == names.players for of in names.players_read(standings[0].reads).values()):
        return  # of the player looked at something else may be asked
    message = "all players are level: this is the same for each of them"
    hint = "a plain name is that of the player who is looked at: total, not: total of mover; "
    hint += "what a team has can be kept at the table, such as: won of (seat mod 2)"
    names.diagnostics.remark("all-level", message, span, hint)


def _ties(checker: Checker, word: Node | None, condition: Node | None, other: Node | None) -> str:
    """Return what a tie means: `share` or `earlier`."""
    for each in (word, other):
        if each is not None and each.text not in TIES:
            message = f'ties cannot be "{each.text}"'
            checker.names.report("ties", message, each.span, "write: ties share, or: ties earlier")
    if word is None:
        return "share"
    if condition is None or other is None:
        return word.text
    return word.text if _decided(checker, condition, "what a tie means") else other.text


def _decided(checker: Checker, condition: Node, what: str, hint: str = "") -> bool:
    """Return whether a condition on house rules holds."""
    decided = checker.check(condition, Scope(), TRUTH)
    if decided.type is not ANYTHING and not decided.constant:
        message = f"{what} depends on options only"
        checker.names.report("payoff-condition", message, condition.span, hint)
        return True
    return decided.type is ANYTHING or bool(decided.value())


def goal(checker: Checker, game: Rules, nodes: list[Node]) -> None:
    """Set what the game is played for."""
    if not nodes:
        message = "the file does not say what the players play for"
        hint = f"add: payoff highest {checker.names.points}"
        checker.names.tell(Mistake("no-payoff", message, Span(0, 1), hint, missing="payoff"))
        return
    first, condition, other = nodes[0].child(0), nodes[0].children[1], nodes[0].children[2]
    if condition is None or other is None:
        _set_goal(checker, game, first)
        return
    hint = "what depends on the game is written in brackets: payoff (... if ... else ...)"
    holds = _decided(checker, condition, "what is played for", hint)
    for node in (other, first) if holds else (first, other):  # both are checked, the last counts
        _set_goal(checker, game, node)


def _set_goal(checker: Checker, game: Rules, node: Node) -> None:
    direction, value = node.children[0], node.child(1)
    game.maximise = direction is None or direction.text == "highest"
    game.payoff_is_win, game.payoff_at = value.is_name("win"), value.span
    if not game.payoff_is_win:
        game.payoffs = _each_seat(checker, value)
        return
    game.payoffs = []
    if not game.standings:
        message = "winning needs a ranking"
        hint = f"add: ranking highest {checker.names.points}"
        checker.names.tell(Mistake("no-ranking", message, value.span, hint, missing="ranking"))
    elif "players" not in checker.names.options:
        message = "there is only one player, who always wins"
        hint = "write: option players = 2"
        checker.names.diagnostics.remark("wins-alone", message, value.span, hint)

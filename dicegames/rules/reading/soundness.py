"""What the flow of a game alone proves to be wrong, or to be of no use."""

from __future__ import annotations

from collections import defaultdict

from dicegames.ground.graphs import cycles, reached
from dicegames.ground.source import Span
from dicegames.rules.parts.broken import GOES_ROUND
from dicegames.rules.parts.flow import (
    Choose,
    Expression,
    Finish,
    Instruction,
    Pay,
    Set,
    Test,
    Throw,
    TurnEnds,
    reachable,
    reads_of,
    written_by,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Mistake
from dicegames.rules.parts.types import DiceKind


def check_flow(game: Rules) -> None:
    """Report play that never ends, goes round, or looks at dice that nobody threw."""
    inside = reachable(game.flow, game.turn)
    _no_end(game, inside)
    _goes_round(game, inside)
    _changes_nothing(game, inside)
    _repeats(game, inside)
    _unthrown_dice(game, inside)
    _thrown_for_nothing(game, inside)


def _no_end(game: Rules, inside: set[int]) -> None:
    if not any(isinstance(game.flow[n], Finish) for n in inside):
        message = "the game has no end"
        hint = "add: ends when ..., ends after 10 rounds, or in a turn: end game"
        game.names.tell(Mistake("no-end", message, Span(0, 1), hint, missing="ends"))


# ---- going round


def _goes_round(game: Rules, inside: set[int]) -> None:
    """Report loops without a choice or a throw that nothing in them ends."""
    flow, slots = game.flow, game.names.slots
    quiet = {n for n in inside if not isinstance(flow[n], Choose | Throw | TurnEnds | Finish)}
    for loop in cycles({n: [m for m in _leads_to(flow[n]) if m in quiet] for n in quiet}):
        changed = frozenset[int]().union(*(written_by(flow[n]) for n in loop))
        exits = [n for n in loop if any(m not in loop for m in _leads_to(flow[n]))]
        if not any(_condition_reads(flow[n]) & changed for n in exits):
            first = min(loop, key=lambda n: (flow[n].span.start, -flow[n].span.end))
            asked = frozenset[int]().union(*(_condition_reads(flow[n]) for n in exits))
            dice = any(slots[s].type.kind == "dice" for s in asked)
            hint = "throw the dice anew in it, for example: roll all" if dice else ""
            game.names.report("goes-round", GOES_ROUND, flow[first].span, hint)


def _leads_to(instruction: Instruction) -> list[int]:
    """Return where an instruction leads; a condition that always holds leads to one place."""
    match instruction:
        case Test(condition=Expression(constant=True) as condition):
            return [instruction.next if condition.value() else instruction.other]
    return instruction.successors()


def _condition_reads(instruction: Instruction) -> frozenset[int]:
    return instruction.condition.reads if isinstance(instruction, Test) else frozenset()


def _changes_nothing(game: Rules, inside: set[int]) -> None:
    """Report options of a choice that lead straight back to it."""
    flow = game.flow
    tests = {n: _leads_to(flow[n]) if isinstance(flow[n], Test) else [] for n in inside}
    for n in inside:
        choose = flow[n]
        if isinstance(choose, Choose):
            for option in choose.options:
                if n in reached([option.entry], tests.__getitem__):
                    message = "this choice changes nothing and leads back to itself"
                    hint = (
                        "what is done again stands below: repeat; its next pass begins with: next"
                    )
                    game.names.report("changes-nothing", message, option.span, hint)


def _repeats(game: Rules, inside: set[int]) -> None:
    """Report choices that can be made again and again: nothing is thrown, nothing is asked."""
    flow = game.flow
    still = {n for n in inside if not isinstance(flow[n], Throw | TurnEnds | Finish)}
    for loop in cycles({n: [m for m in _leads_to(flow[n]) if m in still] for n in still}):
        chooses = [n for n in sorted(loop) if isinstance(flow[n], Choose)]
        changes = [flow[n] for n in sorted(loop) if isinstance(flow[n], Set | Pay)]
        changed = frozenset[int]().union(*map(written_by, changes))
        decides = [flow[n] for n in loop if isinstance(flow[n], Choose | Test)]
        asked = frozenset[int]().union(*map(reads_of, decides))
        bounded = any(isinstance(i, Set) and _is_bounded(i) for i in changes)
        if chooses and changes and not asked & changed and not bounded:
            message = "this can be done again and again: nothing is thrown in between, and nothing"
            message += " that is changed is asked for"
            hint = "throw again: roll all, or end it: end turn"
            game.names.report("repeats", message, changes[0].span, hint)


def _is_bounded(change: Set) -> bool:
    """Tell whether a change cannot go on for ever: what is only set, or has limits."""
    return change.addition is None or change.within is not None or bool(change.ranges)


# ---- dice


def _unthrown_dice(game: Rules, inside: set[int]) -> None:
    """Report conditions and choices on dice that have not been thrown in the turn."""
    flow = game.flow
    names = game.names
    edges = {n: [] if isinstance(flow[n], TurnEnds) else _leads_to(flow[n]) for n in inside}
    throws, readers = defaultdict[DiceKind, list[int]](list), defaultdict[int, list[int]](list)
    thrown_again = set[DiceKind]()
    for n in sorted(inside):
        if isinstance(instruction := flow[n], Throw):
            if instruction.again:
                thrown_again.add(instruction.kind)
            else:
                throws[instruction.kind].append(n)
            continue
        for slot in reads_of(instruction):
            readers[slot].append(n)
    for name, kind in names.kinds.items():
        if kind.is_drawn or not (asked := readers[names.variables[name].base]):
            continue
        after = reached(throws[kind], edges.__getitem__)
        for n in (n for n in asked if n not in after):
            message = "these dice have not been thrown yet in this turn"
            hint = "first: roll all"
            if len(names.thrown) > 1:
                hint += f", or only these: roll {kind.count} {name}"
            if kind in thrown_again:
                hint += f"; roll {name} throws again what lies there"
            names.tell(Mistake("not-thrown", message, flow[n].span, hint, missing="not-thrown"))


def _thrown_for_nothing(game: Rules, inside: set[int]) -> None:
    """Remark on dice that are thrown anew before anybody looks at them."""
    flow = game.flow

    def after(number: int) -> list[int]:
        over = pile in flow[number].targets or isinstance(flow[number], TurnEnds)
        return [] if over else _leads_to(flow[number])

    throws = [i for n in sorted(inside) if isinstance(i := flow[n], Throw) and i.source < 0]
    for throw in throws:
        pile = throw.pile
        passed = [flow[number] for number in reached([throw.next], after)]
        seen = [i for i in passed if isinstance(i, Choose) or pile in reads_of(i)]
        again = any(pile in i.targets for i in passed)
        if again and all(isinstance(i, Throw) for i in seen):
            name, together = throw.kind.name, [i for i in throws if i.span == throw.span]
            dice = "dice" if name == "dice" else f'dice "{name}"'
            message = f"nobody looks at the {dice} before they are thrown again"
            others = [f"roll {i.kind.count} {i.kind.name}" for i in together if i is not throw]
            hint = f"throw only the others: {', '.join(others)}" if others else "leave it out"
            game.names.diagnostics.remark("thrown-for-nothing", message, throw.span, hint)

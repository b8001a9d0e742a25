"""A remark on named expressions that say something else than before: what they read was changed.

What `NAME means` says is worked out at each use. Who uses it twice in a row, with a throw in
between, may have thought that it keeps its value. So may who asks the same for each player, and
changes what it reads for one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dicegames.ground.graphs import reached
from dicegames.ground.source import Span
from dicegames.rules.parts.flow import Instruction, TurnEnds, reachable, written_by
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Use


def remark_on_changes(game: Rules, uses: list[Use], passes: list[Span]) -> None:
    """Remark the first use of each named expression after a change of what it read before.

    Looked at is what follows in the text, and what is done for each player (`passes`): another loop
    that comes round again works it out on purpose, and so do the end of the game and who keeps it
    with `let`.
    """
    flow, names = game.flow, game.names
    source = names.diagnostics.source
    of_turn = reachable(flow, game.turn, {game.end_turn}) - {game.end_turn}
    spans = {n: flow[n].span for n in of_turn}
    own = frozenset(slot for slot, v in enumerate(names.slots) if v.scope == "local")
    places: dict[str, list[tuple[Use, int]]] = {}
    for use in _by_place(uses):
        at = _instruction(use.span, spans)
        text = source.words(use.span)
        if at is not None and not source.text.startswith("let ", spans[at].start):
            places.setdefault(text, []).append((use, at))
    for text, found in places.items():
        for use, later, slot in _changed_between(flow, spans, found, own):
            first, _ = source.line_column(use.span.start)
            changed = names.slots[slot].name
            message = f'"{text}" is worked out anew here: '
            message += f'"{changed}" was changed since line {first}'
            hint = f"if it is to keep its value, write before line {first}: let NAME = {text}"
            is_known_before = not (use.is_bound or use.reads & own)
            hint = hint if is_known_before else ""
            names.diagnostics.remark("worked-out-anew", message, later.span, hint)
            break
    alike = Counter(span for span, _ in {(use.span, use.reads) for use in uses})
    for text, found in places.items():
        same = [(use, at) for use, at in found if alike[use.span] == 1]
        for use, slot in _changed_for_another(flow, spans, same, passes):
            changed = names.slots[slot].name
            message = (
                f'"{text}" is worked out anew for each player: "{changed}" is changed on the way'
            )
            hint = f"if it is to keep its value, write before this loop: let NAME = {text}"
            names.diagnostics.remark("worked-out-anew", message, use.span, hint)
            break


def _by_place(uses: list[Use]) -> list[Use]:
    """Return the uses in the order of the text; what is written out several times is one."""
    at: dict[Span, Use] = {}
    for use in uses:
        same = at.get(use.span, use)
        at[use.span] = Use(use.span, same.reads | use.reads, same.is_bound or use.is_bound)
    return [at[span] for span in sorted(at, key=lambda span: span.start)]


def _instruction(span: Span, spans: dict[int, Span]) -> int | None:
    """Return the instruction that a part of a sentence belongs to: the shortest around it."""
    around = [n for n, s in spans.items() if s.start <= span.start and span.end <= s.end]
    return min(around, key=lambda n: (spans[n].end - spans[n].start, n), default=None)


def _changed_between(
    flow: list[Instruction],
    spans: dict[int, Span],
    found: list[tuple[Use, int]],
    own: frozenset[int],
) -> Iterator[tuple[Use, Use, int]]:
    """Yield pairs of uses, and a slot that is changed on a way from the first to the second.

    `own` are the slots of names that are bound in a sentence, such as what is handed over.
    """
    for use, at in found:
        after = _onward(flow, spans, at)
        for change in sorted(after | {at}):
            changed = use.reads & written_by(flow[change]) - own
            behind = _onward(flow, spans, change) if changed else set()
            for later, place in found:
                if place in behind and later.span.start > use.span.start:
                    yield use, later, min(changed)


def _changed_for_another(
    flow: list[Instruction],
    spans: dict[int, Span],
    found: list[tuple[Use, int]],
    passes: list[Span],
) -> Iterator[tuple[Use, int]]:
    """Yield uses, and a slot that is changed for one player before the use for another."""
    for use, at in found:
        for whole in (w for w in passes if w.start <= use.span.start and use.span.end <= w.end):
            inside = {n for n, s in spans.items() if whole.start <= s.start and s.end <= whole.end}

            def after(n: int, inside: set[int] = inside) -> list[int]:
                return [m for m in flow[n].successors() if m in inside]

            for one in (n for n in inside if spans[n] == spans[at]):
                for change in sorted(reached([one], after)):
                    changed = use.reads & written_by(flow[change])
                    later = reached(after(change), after) if changed else {}
                    if any(n != one and spans[n] == spans[at] for n in later):
                        yield use, min(changed)


def _onward(flow: list[Instruction], spans: dict[int, Span], start: int) -> set[int]:
    """Return the instructions that follow in the text, in the same turn."""

    def after(at: int) -> list[int]:
        following = [] if isinstance(flow[at], TurnEnds) else flow[at].successors()
        return [n for n in following if n in spans and spans[n].start >= spans[at].start]

    return {*reached(after(start), after)}

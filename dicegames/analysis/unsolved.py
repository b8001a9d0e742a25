"""Why a game was not solved, told with the place in its rules."""

from __future__ import annotations

from dicegames.compiler.compiled import Compiled
from dicegames.rules.broken import RuleBroken
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status


def without_limit(compiled: Compiled, solved: Solved) -> RuleBroken | None:
    """Return the counter without limit for which no method was found, None if it is not that."""
    axes = zip(compiled.model.axes, compiled.emitter.slots, strict=True)
    free = next((slot for axis, slot in axes if axis.unbounded), None)
    if free is None or solved.status not in (Status.UNSUPPORTED, Status.NO_TAIL):
        return None
    variable = compiled.game.names.slots[free]
    message = f'"{variable.name}" can grow without limit inside a turn, and no end of it is proven'
    remedy = f"give it a limit, such as: {variable.name} = {variable.initial} to 2000 capped"
    if compiled.objective != "turn":
        remedy += "; or look at a single turn: --objective turn"
    source = compiled.game.source
    return RuleBroken(message, variable.span, source, "grows-without-limit", remedy)

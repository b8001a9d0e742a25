"""A counter without limit, closed by a tail that is proven; the part below is solved as usual."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.explicit.tail import Lines, TailValues, bounded, solve_with_tail
from dicegames.solver.methods.by_states import every_state
from dicegames.solver.methods.method import Asked, Cost, Pack, Packed, Unfit, Unpack, finite
from dicegames.solver.model import Array, Model
from dicegames.solver.solved import Solve, Solved
from dicegames.solver.status import SolveError, Status

LINES = ("slopes", "intercepts")


@frozen(eq=False)
class WithTail:
    """Models with a counter without limit."""

    form: ClassVar[str] = "tail"
    mark: ClassVar[str] = "size"
    values: ClassVar[type] = TailValues
    model: Model

    @classmethod
    def fit(cls, model: Model, asked: Asked, why: str) -> Self:
        """Make it ready; SolveError where every counter has a limit."""
        if not model.unbounded:
            raise SolveError(Status.UNSUPPORTED, "every counter has a limit")
        return cls(model)

    def cost(self, asked: Asked) -> Cost:
        """What it takes at most."""
        why = "a counter without limit is closed by a tail that is proven"
        return every_state(self.model, self.form, why)

    def solve(self, asked: Asked) -> Solved:
        """Solve."""
        return solve_with_tail(self.model, asked.solve)

    @classmethod
    def pack(cls, solved: Solved, inside: Pack) -> dict[str, Array]:
        """Return the lines and where they begin, with the arrays of the part below."""
        values = solved.evaluator
        assert isinstance(values, TailValues)
        assert isinstance(values.inside, Solved)
        lines, size = values.lines, np.array([values.size])
        tail = {"slopes": lines.alpha, "intercepts": lines.beta, "size": size}
        return tail | inside(values.inside)

    @classmethod
    def unpack(cls, bare: Solved, arrays: Packed, inside: Unpack, solve: Solve) -> Solved:
        """Return a solved model with its values; raises Unfit."""
        model = bare.model
        if len(model.axes) != 1 or not model.axes[0].unbounded:
            raise Unfit("there is no counter without limit")
        (size,) = arrays.take("size", "i", 1).tolist()
        if not 1 <= size <= model.axes[0].size:
            raise Unfit("the tail begins nowhere")
        lines = Lines(*(finite(arrays.take(name, "f", model.nodes)) for name in LINES))
        below = evolve(bare, model=bounded(model, size, lines))
        part = inside(below, arrays.without("size", *LINES))
        return TailValues(model, lines, part, size).closing(part)

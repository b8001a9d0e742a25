"""The one rule of ties, for kernels: of the moves within TIE of the best the first one is taken.

`as_good` is that of `model`, compiled; `bar` is the same for vectors of lanes. A choice is made in
two steps: the best of all, then the first that is as good. To compare each move with the best so
far would be another rule, in which three moves at small distances fare differently.
"""

from __future__ import annotations

from typing import Any

from dicegames.solver import model
from dicegames.solver.kernels import lanes
from dicegames.solver.kernels.evaluate import INLINE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import TIE

as_good = njit(**INLINE)(model.as_good)


@njit(**INLINE)
def bar(best: Any, largest: bool) -> Any:  # noqa: FBT001
    """What lanes must reach to be as good as the best: see `where_above` and `where_below`."""
    return lanes.add_number(best, -TIE if largest else TIE)

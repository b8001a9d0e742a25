"""What is known of a game after it was compared: what agrees, what was refused, what differs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from attrs import define, field

from dicegames.analysis.saved.store import StoreError
from dicegames.analysis.solution import SolutionError
from dicegames.ground.diagnostic import RulesError
from dicegames.ground.exact_cycles import NoExactValue
from dicegames.ground.limits import TooLarge
from dicegames.rules.parts.broken import RuleBroken
from dicegames.rules.running.objectives import ObjectiveError

REFUSED = (
    NoExactValue, TooLarge, RuleBroken, ObjectiveError, SolutionError, RulesError, StoreError,
)  # fmt: skip
CLOSE = 1e-9
BY_REFERENCE = "reference "
"""How a reason begins where the reference has no answer."""


@define
class Difference:
    """Something that the program says otherwise than the reference."""

    what: str
    right: Any
    printed: Any

    def __str__(self) -> str:
        return f"{self.what}: {self.printed}, right is {self.right}"


@define
class Report:
    """What was compared of a game, what was refused, and what differed."""

    compared: list[str] = field(factory=list)
    refused: list[tuple[str, str]] = field(factory=list)
    differences: list[Difference] = field(factory=list)

    def asked(self, what: str, ask: Callable[[], Any]) -> Any:
        """Return an answer of the program; None where it refuses, a crash is a difference."""
        try:
            return ask()
        except REFUSED as error:
            self.refused.append((what, reason(error)))
        except Exception as error:  # noqa: BLE001 - whatever comes out is what we look for
            self.differences.append(
                Difference(what, "an answer", f"{type(error).__name__}: {error}")
            )
        return None

    def differ(self, what: str, right: Any, printed: Any) -> None:
        """Note a difference that no two numbers show."""
        self.differences.append(Difference(what, right, printed))

    def hold(self, what: str, right: Any, printed: Any, within: float = CLOSE) -> None:
        self.compared.append(what)
        if not is_close(right, printed, within):
            self.differences.append(Difference(what, _shown(right), printed))


def is_close(right: Any, printed: Any, within: float = CLOSE) -> bool:
    if isinstance(right, dict):
        keys = {*right, *printed}
        return all(is_close(right.get(k, 0), printed.get(k, 0), within) for k in keys)
    if isinstance(right, list | tuple):
        if isinstance(printed, int | float):
            printed = (printed,)
        pairs = zip(right, printed, strict=False)
        return len(right) == len(printed) and all(is_close(*pair, within) for pair in pairs)
    if isinstance(right, Fraction | float):
        return abs(float(right) - float(printed)) <= within * max(1.0, abs(float(right)))
    return bool(right == printed)


def _shown(right: Any) -> Any:
    if isinstance(right, dict):
        return {key: _shown(value) for key, value in right.items()}
    if isinstance(right, list | tuple):
        return type(right)(map(_shown, right))
    return str(right) if isinstance(right, Fraction) else right


def reason(error: Exception) -> str:
    diagnostics = getattr(error, "diagnostics", ())
    if diagnostics:
        return str(diagnostics[0].code)
    return f"{type(error).__name__}: {str(error).splitlines()[0]}"

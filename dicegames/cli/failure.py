"""What can go wrong for a user, as a message that says what to do."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from dicegames.ground.diagnostic import Diagnostic, RulesError, render
from dicegames.ground.errors import DicegamesError
from dicegames.ground.source import Source


@frozen
class Failure:
    """A message for a person, and the same for a program; `misused`: the command is to blame."""

    text: str
    misused: bool = False
    listing: list[dict[str, Any]] = field(factory=list)

    def listed(self) -> list[dict[str, Any]]:
        """Return the mistakes for a program."""
        return self.listing or [{"message": self.text.removeprefix("error: ")}]


def listed_diagnostics(source: Source, diagnostics: list[Diagnostic]) -> list[dict[str, Any]]:
    """Return mistakes in rules for a program."""
    found = []
    for diagnostic in diagnostics:
        line, column = source.line_column(diagnostic.span.start)
        found.append(
            {
                "file": source.name,
                "line": line,
                "column": column,
                "code": diagnostic.code,
                "message": diagnostic.message,
                "help": diagnostic.help,
            }
        )
    return found


def failure_of(error: Exception) -> Failure | None:
    """Return the failure that an exception stands for, None if it is a mistake of ours."""
    if isinstance(error, RulesError):
        text = "\n\n".join(render(error.source, d) for d in error.diagnostics)
        return Failure(text, listing=listed_diagnostics(error.source, error.diagnostics))
    if isinstance(error, MemoryError):
        return Failure("error: there is not enough memory for this")
    if isinstance(error, RecursionError):
        return Failure("error: this is nested too deeply")
    if isinstance(error, DicegamesError):
        message = str(getattr(error, "message", error))
        remedy = str(getattr(error, "help", ""))
        told = {"message": message} | ({"help": remedy} if remedy else {})
        text = f"error: {message}" + (f"\n  help: {remedy}" if remedy else "")
        return Failure(text, misused=error.misused, listing=[told])
    return None

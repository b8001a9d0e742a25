"""One module for each command, loaded when it is asked for; how commands are declared."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any

import rich_click as click

from dicegames.cli import options
from dicegames.cli.printing.helping import UsualCommand
from dicegames.cli.watch import LimitedCommand


def command(
    *parameters: click.Parameter | tuple[click.Parameter, ...],
    by: str = "",
    name: str = "",
    cls: Any = None,
) -> Callable[[Callable[[], None]], Any]:
    """Return what makes a command of a function that stands for its name and its help.

    It is carried out by `run` of the module of its name, or by what `by` says (`module:function`).
    That is given the parameters by their names; in place of `options.game` the game that is meant,
    and if it has a parameter `solving`, as `Solving` those that say how a solution is got.
    Where `options.limits` are among them, these hold for all that it does, unless `cls` says else.
    It returns an `Answer`, shown as --json says, or has answered itself and returns a code or None.
    """
    usual = LimitedCommand if options.limits in parameters else UsualCommand
    flat = [p for some in parameters for p in (some if isinstance(some, tuple) else (some,))]

    def made(told: Callable[[], None]) -> Any:
        module, _, function = (by or told.__name__).partition(":")

        def carried_out(**asked: Any) -> Any:
            if options.game in parameters:
                from dicegames.loading import load  # noqa: PLC0415 - help goes without

                asked["game"] = load(asked.pop("file"), **asked.pop("settings"))
            work = getattr(import_module(f"{__name__}.{module}"), function or "run")
            wanted, json = signature(work).parameters, asked.get("json", False)
            if "json" not in wanted:
                asked.pop("json", None)
            if "solving" in wanted:
                from dicegames.cli.solving import Solving  # noqa: PLC0415 - help goes without

                asked["solving"] = Solving.taken(asked)
            found = work(**asked)
            return found if isinstance(found, int | None) else found.show(json=json)

        declared: Any = click.command(
            name or told.__name__, cls=cls or usual, params=flat, help=told.__doc__,
            context_settings=options.SHORT,
        )  # fmt: skip
        return declared(carried_out)

    return made

"""What a saved solution belongs to: rules, house rules, objective, model; and how it is packed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from numpy.typing import NDArray

from dicegames.analysis.store import StaleFile
from dicegames.ground.diagnostic import Diagnostics
from dicegames.rules.parts.game import Game
from dicegames.solver.model import Model, fingerprint
from dicegames.solver.packing import unpacked
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status
from dicegames.syntax.nodes import outline
from dicegames.syntax.parse import parse

NUMBERS = (
    "error_bound",
    "seconds",
    "states_stored",
    "states_reachable",
    "layers",
    "cycles",
    "estimate",
    "estimate_anywhere",
    "residual",
)
BOUNDS = ("value", "lower", "upper")


def rules_hash(game: Game) -> str:
    """Return a hash of rules; comments and spacing do not change it."""
    digest = hashlib.sha256()
    for node in parse(game.source, Diagnostics(game.source)):
        digest.update("\n".join(outline(node)).encode())
    return digest.hexdigest()


def header_of(game: Game, objective: str, model: Model, solved: Solved) -> dict[str, Any]:
    """Return what a file says about the solution in it."""
    header: dict[str, Any] = {
        "program": _version(),
        "game": game.title,
        "rules": rules_hash(game),
        "options": game.option_values(),
        "objective": objective,
        "model": fingerprint(model),
        "method": solved.method,
        "status": solved.status.name,
        "detail": solved.detail,
    }
    header |= {name: getattr(solved, name) for name in (*NUMBERS, *BOUNDS)}
    return header


def demand(path: str, header: Mapping[str, Any], game: Game, objective: str) -> None:
    """Raise StaleFile if a file is for another game, other rules, options or objective."""
    if header["game"] != game.title:
        raise StaleFile(f'{path} is a solution of "{header["game"]}", not of "{game.title}"')
    for name, value in game.option_values().items():
        saved = header["options"].get(name)
        if saved != value:
            raise StaleFile(f"{path} was solved with {name} {_word(saved)}, not {_word(value)}")
    if header["objective"] != objective:
        found = header["objective"]
        raise StaleFile(f'{path} was solved for the objective "{found}", not "{objective}"')
    if header["rules"] != rules_hash(game):
        raise StaleFile(f"{path} is stale: the rules have changed since; solve again")


def demand_strategies(path: str, header: Mapping[str, Any], wanted: list[str]) -> None:
    """Raise StaleFile if other strategies played for the seats when the file was written."""
    if header["strategies"] != wanted:
        found = ", ".join(header["strategies"])
        raise StaleFile(f'{path} was solved with "{found}" playing, not "{", ".join(wanted)}"')


def demand_model(path: str, header: Mapping[str, Any], model: Model) -> None:
    """Raise StaleFile if the rules are compiled otherwise than when the file was written."""
    if header["model"] != fingerprint(model):
        told = f"{path} is stale: it was written by another version of the program; solve again"
        raise StaleFile(told)


def solved_of(
    header: Mapping[str, Any], model: Model, arrays: Mapping[str, NDArray[Any]]
) -> Solved:
    """Return the solved model that a file describes."""
    bare = Solved(
        model=model,
        status=Status[header["status"]],
        method=header["method"],
        detail=header["detail"],
        value=_value(header["value"]),
        lower=_value(header["lower"]),
        upper=_value(header["upper"]),
        **{name: header[name] for name in NUMBERS},
    )
    return unpacked(bare, arrays)


def _value(saved: float | list[float]) -> float | tuple[float, ...]:
    return tuple(saved) if isinstance(saved, list) else float(saved)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _version() -> str:
    try:
        return version("dicegames")
    except PackageNotFoundError:
        return "unknown"

"""What a saved solution belongs to: rules, house rules, objective, model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from math import isnan
from typing import Any

from dicegames.analysis.saved import store
from dicegames.analysis.saved.store import SOLVE_AGAIN, DamagedFile, ForeignFile, StaleFile, Stored
from dicegames.ground.diagnostic import Diagnostics
from dicegames.rules.parts.game import Rules
from dicegames.rules.reading.house_rules import option_text
from dicegames.solver.model import Model, fingerprint
from dicegames.solver.solved import Solved
from dicegames.solver.status import Status
from dicegames.syntax.nodes import outline
from dicegames.syntax.parse import parse

COUNTS = ("states_stored", "states_reachable", "layers", "cycles", "counting")
AMOUNTS = ("error_bound", "seconds", "residual")
ESTIMATES = ("estimate", "estimate_anywhere")
NUMBERS = (*COUNTS, *AMOUNTS, *ESTIMATES)


def _is_text(value: object) -> bool:
    """Tell whether something is a text that may be shown, such as any that stands in rules."""
    return isinstance(value, str) and value.isprintable()


def _is_number(value: object) -> bool:
    return isinstance(value, float) and not isnan(value)


def _is_value(value: object) -> bool:
    """Tell whether something is a number, or one for each of several seats."""
    return all(map(_is_number, value)) if isinstance(value, list) else _is_number(value)


def _is_mapping(value: object, of: type | tuple[type, ...]) -> bool:
    return isinstance(value, dict) and all(isinstance(v, of) for v in value.values())


FIELDS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("program", "game", "rules", "objective", "model"), _is_text),
    "status": lambda name: any(name == status.name and status.solved for status in Status),
    "options": lambda options: _is_mapping(options, (bool, int, str)),
    "strategies": lambda names: isinstance(names, list) and all(map(_is_text, names)),
    "noted": lambda noted: isinstance(noted, bool),
    "grid": lambda steps: (
        steps is None
        or (_is_mapping(steps, int) and all(0 < step < 2**63 for step in steps.values()))
    ),
    **dict.fromkeys(COUNTS, lambda count: type(count) is int and 0 <= count < 2**63),
    **dict.fromkeys(AMOUNTS, lambda amount: _is_number(amount) and amount >= 0),
    **dict.fromkeys(ESTIMATES, lambda amount: isinstance(amount, float)),
    "value": _is_value,
}
"""What a header says, and how that looks if it is in order."""
BELONGS = ("program", "game", "rules", "options", "objective", "model")
"""Those that say what a solution belongs to."""


def digest(plain: object) -> str:
    """Return a hash of plain data, such as JSON knows: 64 hex digits."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def rules_hash(game: Rules) -> str:
    """Return a hash of rules; comments and spacing do not change it."""
    digest = hashlib.sha256()
    for node in parse(game.source, Diagnostics(game.source)):
        digest.update("\n".join(outline(node)).encode())
    return digest.hexdigest()


def identity_of(game: Rules, objective: str, model: Model) -> dict[str, Any]:
    """Return what a solution belongs to."""
    rules, options = rules_hash(game), game.option_values()
    told = (program_version(), game.title, rules, options, objective, fingerprint(model))
    return dict(zip(BELONGS, told, strict=True))


def header_of(game: Rules, objective: str, model: Model, solved: Solved) -> dict[str, Any]:
    """Return what a file says about the solution in it."""
    header: dict[str, Any] = {**identity_of(game, objective, model), "status": solved.status.name}
    header |= {name: getattr(solved, name) for name in (*NUMBERS, "value")}
    return header


def read(path: str) -> Stored:
    """Return a file whose header says just what a solution says; raises StoreError."""
    stored = store.read(path)
    header = stored.header
    demand_sense(path, header, FIELDS)
    if header["program"] != program_version():
        told = f"{path} was solved by version {header['program']} of the program"
        raise ForeignFile(told, SOLVE_AGAIN)
    return stored


def demand_sense(
    path: str, header: Mapping[str, Any], fields: Mapping[str, Callable[[Any], bool]]
) -> None:
    """Raise DamagedFile unless a header says of just these names, beside its form, what can be."""
    if header.keys() - {"format", "kind"} != fields.keys():
        raise DamagedFile(path, "its header has other fields")
    for name, makes_sense in fields.items():
        if not makes_sense(header[name]):
            raise DamagedFile(path, f'its header says nothing sensible of "{name}"')


def demand_same(
    path: str, header: Mapping[str, Any], game: Rules, objective: str, strategies: list[str]
) -> None:
    """Raise StaleFile if a file is for another game, another objective, or others played."""
    demand_game(path, header, game)
    if (found := header["objective"]) != objective:
        raise StaleFile(f'{path} was solved for the objective "{found}", not "{objective}"')
    if header["strategies"] != strategies:
        found, wanted = (", ".join(names) for names in (header["strategies"], strategies))
        raise StaleFile(f'{path} was solved with "{found}" playing, not "{wanted}"')


def demand_game(path: str, header: Mapping[str, Any], game: Rules) -> None:
    """Raise StaleFile if a file is for another game, other rules or options."""
    if header["game"] != game.title:
        raise StaleFile(f'{path} is a solution of "{header["game"]}", not of "{game.title}"')
    for name, value in game.option_values().items():
        saved = header["options"].get(name)
        if saved != value:
            told = f"{name} {option_text(saved)}, not {option_text(value)}"
            raise StaleFile(f"{path} was solved with {told}")
    if header["rules"] != rules_hash(game):
        raise StaleFile(f"{path} is stale: the rules have changed since", SOLVE_AGAIN)


def demand_model(path: str, header: Mapping[str, Any], model: str) -> None:
    """Raise StaleFile if the rules are compiled otherwise than when the file was written.

    `model` is the fingerprint of what they are compiled to.
    """
    if header["model"] != model:
        raise StaleFile(
            f"{path} is stale: it was written by another version of the program", SOLVE_AGAIN
        )


def program_version() -> str:
    """Return the version of the program, as files name it."""
    try:
        return version("dicegames")
    except PackageNotFoundError:
        return "unknown"

"""`dicegames show`: what each floor of the house hands to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from dicegames.cli.printing.output import counted
from dicegames.ground.graphs import reached
from dicegames.library import file_of
from dicegames.loading import load, read_source
from dicegames.rules.parts.flow import (
    Choose,
    Finish,
    Instruction,
    Note,
    Pay,
    Set,
    Test,
    Throw,
    TurnEnds,
)
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.objectives import objective_of
from dicegames.syntax.nodes import outline
from dicegames.syntax.parse import parse_whole

if TYPE_CHECKING:
    from dicegames.compiler.compiled import Compiled
    from dicegames.solver.model import Model


def run(
    file: str, settings: Mapping[str, str], stage: str, objective: str, **_limits: float | None
) -> None:
    """Print one stage, within limits that the command holds."""
    objective_of(objective)  # it is refused here, since not every stage asks for it
    for line in _lines(file, settings, stage, objective):
        print(line)


def _lines(file: str, settings: Mapping[str, str], stage: str, objective: str) -> Iterator[str]:
    if stage == "tree":
        return chain.from_iterable(map(outline, parse_whole(read_source(file_of(file)))))
    rules = load(file, **settings).rules
    if stage == "rules":
        return lines_of_flow(rules)
    from dicegames.compiler.compile import compile_game  # noqa: PLC0415 - brings compiled code

    compiled = compile_game(rules, objective)
    return lines_of_model(compiled.model) if stage == "model" else _layers(compiled)


def _layers(compiled: Compiled) -> Iterator[str]:
    from dicegames.analysis.solving.outlook import outlook  # noqa: PLC0415 - as above

    found = outlook(compiled)
    if found.layers < 0:
        yield f"no layers: {found.why}; all states that can come up are explored one by one"
        return
    yield f"play leads to {found.progress}"
    yield "inside a layer play may go round a cycle" if found.cyclic else "no cycles"
    width = len(str(found.layers))
    for number, points in enumerate(found.layer_sizes, 1):
        yield f"layer {number:>{width}}  {counted(points, 'point')}"


# ---- the instructions of a game


def lines_of_flow(game: Rules) -> Iterator[str]:
    """Yield the variables and the instructions of a game."""
    yield f"{game.title}, {counted(game.players, 'player')}"
    yield ""
    seen = set()
    for variable in game.names.slots:
        if variable.base not in seen and "." not in variable.name and variable.scope != "local":
            seen.add(variable.base)
            within = variable.within
            limit = "" if within is None else f", {within[0]} to {within[-1]}"
            yield f"{variable.scope:<7} {variable.name}: {variable.type}{limit}"
    yield ""
    order = reached([game.turn], lambda number: game.flow[number].successors())
    places = {number: place for place, number in enumerate(order, 1)}
    width = len(str(len(places)))
    for number, place in places.items():
        yield f"{place:>{width}}  {_told(game, game.flow[number], places)}"


def _told(game: Rules, instruction: Instruction, places: dict[int, int]) -> str:
    words = _words(game, instruction)
    match instruction:
        case Test(next=yes, other=no):
            return f"if {words}: {places[yes]}, else {places[no]}"
        case Choose(options=options, other=other):
            parts = [f'"{o.label}" {places[o.entry]}'.removeprefix('"" ') for o in options]
            parts += [f"otherwise {places[other]}"] if other >= 0 else []
            return f"choose ({instruction.name}): " + ", ".join(parts)
        case Finish():
            return "the game is over"
        case TurnEnds():
            return f"the turn is over, the next begins -> {places[instruction.next]}"
    return f"{words} -> {places[instruction.next]}"


def _words(game: Rules, instruction: Instruction) -> str:
    name = game.names.slots[instruction.slot].name if isinstance(instruction, Set) else ""
    text = _source(game, instruction)
    match instruction:
        case Throw(kind=kind, verb=verb):
            return f"{verb.replace('draw', 'draw from')} {kind.name} ({instruction.name})"
        case Note(label=label):
            return f'note "{label}"' if label else "note what it is"
        case Pay():
            return f"pay: {text}"
        case Set() if name.endswith(".thrown"):
            return f"take dice to throw: {text}"
        case Set() if "." in name:
            return f"move dice: {text}"
        case Set():
            return f"set {name}: {text}"
    return text


def _source(game: Rules, instruction: Instruction) -> str:
    """Return the words of the rules that an instruction comes from."""
    text = game.source.at(instruction.span).split("\n", 1)[0]
    return " ".join(text.split("#")[0].split()) or "(by itself)"


# ---- the model that the solver is given

NODE_KINDS = ("chance", "choice", "branch", "end")


def lines_of_model(model: Model) -> Iterator[str]:
    """Yield the axes, the nodes and the edges of a model."""
    yield f"{model.name}: {model.nodes} nodes, {model.edges} edges, {model.seats} seats"
    for number, axis in enumerate(model.axes):
        inner = ", changes inside a turn" if axis.inner else ""
        limit = ", without limit" if axis.unbounded else ""
        yield f"axis {number} {axis.name}: {axis.kind}, {axis.size} values{inner}{limit}"
    tables = f"{len(model.lookups)} lookups, {len(model.guards)} guards"
    yield f"{tables}, {len(model.effects)} effects, {len(model.rewards)} rewards"
    yield f"start: node {model.start} at {model.start_point}"
    for node in range(model.nodes):
        stored = ", stored" if model.stored[node] else ""
        yield f"node {node}: {NODE_KINDS[model.kind[node]]}{stored}"
        for edge in range(model.first_edge[node], model.first_edge[node + 1]):
            yield f"  {_edge(model, edge)}"


def _edge(model: Model, edge: int) -> str:
    parts = [f"-> {model.target[edge]}"]
    if model.weight[edge] != 1:
        parts.append(f"p {model.weight[edge]:.9g}")
    for name, column in (("guard", model.guard), ("effect", model.effect)):
        if column[edge]:
            parts.append(f"{name} {column[edge]}")
    reward = model.rewards[int(model.reward[edge])]
    if reward.constant:
        parts.append(f"reward {reward.constant:g}")
    if reward.lookups:
        parts.append(f"reward by lookup {', '.join(map(str, reward.lookups))}")
    if model.rotate[edge]:
        parts.append("next seat")
    return "  ".join(parts)

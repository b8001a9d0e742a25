"""`dicegames show`: what each floor of the house hands to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dicegames.cli.printing.flow_text import lines_of_flow
from dicegames.library import file_of
from dicegames.loading import load, read_source


def run(file: str, settings: Mapping[str, str], stage: str, objective: str) -> int:
    """Print one stage; return the exit code."""
    for line in STAGES[stage](file, settings, objective):
        print(line)
    return 0


def _tree(file: str, _settings: Mapping[str, str], _objective: str) -> Iterator[str]:
    from dicegames.ground.diagnostic import Diagnostics, RulesError  # noqa: PLC0415 - this stage
    from dicegames.syntax.nodes import outline  # noqa: PLC0415 - only
    from dicegames.syntax.parse import parse  # noqa: PLC0415 - as above

    source = read_source(file_of(file))
    diagnostics = Diagnostics(source)
    nodes = parse(source, diagnostics)
    if diagnostics.found:
        raise RulesError(source, diagnostics.sorted())
    for node in nodes:
        yield from outline(node)


def _rules(file: str, settings: Mapping[str, str], _objective: str) -> Iterator[str]:
    yield from lines_of_flow(load(file, **settings).rules)


def _model(file: str, settings: Mapping[str, str], objective: str) -> Iterator[str]:
    from dicegames.cli.printing.model_text import lines_of_model  # noqa: PLC0415 - brings numpy
    from dicegames.compiler.compile import compile_game  # noqa: PLC0415 - as above

    yield from lines_of_model(compile_game(load(file, **settings).rules, objective).model)


def _layers(file: str, settings: Mapping[str, str], objective: str) -> Iterator[str]:
    from dicegames.analysis.solving.outlook import outlook  # noqa: PLC0415 - brings compiled code
    from dicegames.compiler.compile import compile_game  # noqa: PLC0415 - as above

    compiled = compile_game(load(file, **settings).rules, objective)
    found = outlook(compiled)
    if found.layers < 0:
        yield f"no layers: {found.why}; all states that can come up are explored one by one"
        return
    yield f"play leads to {found.progress}"
    yield "inside a layer play may go round a cycle" if found.cyclic else "no cycles"
    width = len(str(found.layers))
    for number, points in enumerate(found.layer_sizes, 1):
        yield f"layer {number:>{width}}  {points:,} point{'s'[: points > 1]}"


STAGES = {"tree": _tree, "rules": _rules, "model": _model, "layers": _layers}

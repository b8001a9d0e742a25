"""From the text of a rules file to a checked game: the entry to this floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dicegames.ground.diagnostic import Diagnostics, RulesError
from dicegames.ground.source import Source
from dicegames.rules.parts.game import Rules
from dicegames.rules.parts.names import Names
from dicegames.rules.reading.house_rules import but_options, mentioned, other_settings
from dicegames.rules.reading.whole import check_parts
from dicegames.rules.running.examples import run_examples
from dicegames.rules.running.notation import position_text
from dicegames.syntax.nodes import Node
from dicegames.syntax.parse import parse

MOST_PARTS_AGAIN = 100_000
"""Parts of sentences that are checked again, for all other settings of house rules together."""


def check(
    source: Source, options: Mapping[str, Any] | None = None, *, thorough: bool = True
) -> Rules:
    """Return the game of a rules file with its house rules set.

    Every other value of every house rule is checked too, and the examples are run where all house
    rules have their defaults; `thorough=False` leaves both out. Raises RulesError with all
    mistakes found, and OptionError for a house rule that is not there.
    """
    diagnostics = Diagnostics(source)
    nodes = parse(source, diagnostics)
    game = Rules(source, Names(diagnostics), text_of=position_text)
    try:
        if nodes:
            check_parts(game, nodes, options or {})
        if nodes and thorough:
            _check_other_settings(game, nodes, options or {})
    except RecursionError:
        message = "the rules are nested too deeply"
        diagnostics.add("nesting", message, nodes[0].span, "name their parts: NAME means ...")
    if thorough and not diagnostics.found and game.has_default_options:
        run_examples(game)
    if diagnostics.found:
        raise RulesError(source, diagnostics.sorted())
    return game


def _check_other_settings(game: Rules, nodes: list[Node], options: Mapping[str, Any]) -> None:
    """Check the rules with each other value of each house rule, the others as they are set.

    A mistake that these have in common with the rules as they are set is reported once.
    """
    found = game.names.diagnostics
    settings = list(other_settings(game.names, mentioned(nodes)))
    if len(settings) * sum(1 for _ in but_options(nodes)) > MOST_PARTS_AGAIN:
        widest = max(game.names.options.values(), key=lambda option: len(option.values))
        message = f"the options can be set in {len(settings):,} ways, and all are checked"
        hint = "give fewer values; of a number from ... to ... only the ends are checked"
        found.add("too-many-settings", message, widest.span, hint)
        return
    known = {d.span for d in found.found}
    for name, value, text in settings:
        diagnostics = Diagnostics(game.source)
        other = Rules(game.source, Names(diagnostics))
        check_parts(other, nodes, {**options, name: value}, remarks=False)
        for diagnostic in diagnostics.found:
            if diagnostic.span not in known:
                known.add(diagnostic.span)
                message = f"with {name} = {text}: {diagnostic.message}"
                found.add(diagnostic.code, message, diagnostic.span, diagnostic.help)

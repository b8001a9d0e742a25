"""What makes a turn large, told while it is still explored."""

from __future__ import annotations

from collections import Counter

from dicegames.compiler.exploring.nodes import NodesByKey

MOST_NAMED = 2
"""Variables that are named as those that differ most."""


def situations_text(situations: NodesByKey) -> str:
    """Say how many situations there are, where most of them are, and what differs there most."""
    game = situations.goal.game
    places = Counter(node.at for node in situations.nodes if node.at >= 0)
    if not places:
        return "not one throw or choice has been reached"
    at, _ = places.most_common(1)[0]
    line, _ = game.source.line_column(game.flow[at].span.start)
    number = len(situations.nodes)
    many = f"{number:,} situation{'s'[: number > 1]}"
    text = f"a turn has {many} so far, most of them at line {line}"
    varied = [f'"{name}" takes {values:,} values' for name, values in _most_varied(situations, at)]
    return f"{text}, where {' and '.join(varied)}" if varied else text


def _most_varied(situations: NodesByKey, at: int) -> list[tuple[str, int]]:
    """Return the variables with the most values at an instruction, all slots of each together."""
    slots: dict[str, list[int]] = {}
    for slot in situations.keeper(at).control:
        name = situations.goal.game.names.slots[slot].name
        if "." not in name:  # the compiler's own have one
            slots.setdefault(name, []).append(slot)
    found = [
        (name, len({tuple([n.env[s] for s in own]) for n in situations.nodes if n.at == at}))
        for name, own in slots.items()
    ]
    ranked = sorted(found, key=lambda pair: -pair[1])
    return [(name, values) for name, values in ranked if values > 1][:MOST_NAMED]

"""Limits of size drawn small, so that small games take the ways of large ones.

Beyond most limits the program goes on otherwise: tables are made in pieces, ranges are followed
in another way, states are listed. What it says must not depend on that, if it says anything.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import walk_packages
from random import Random
from types import ModuleType

import dicegames

SHARE = 0.12
"""How many of the limits are drawn small for one game."""
SMALL: dict[str, tuple[float, ...]] = {
    # the solver: tables and their pieces
    "MANY_ENTRIES": (1, 4),
    "CODED_AT_ONCE": (1, 2, 4),
    "FEW_ENTRIES": (1, 2, 3),
    "LARGEST_PACKED": (0,),
    "MASK_PIECE": (1, 2),
    "MOST_WRITTEN": (1, 10),
    "MOST_MOVES_KEPT": (1, 100),
    "IN_MEMORY": (0, 10),
    "MOST_PIECE_BYTES": (100, 1000),
    # what is read off a model before it is solved
    "MAX_GRID": (1, 4, 9),
    "LARGEST_AXIS": (0, 1, 3),
    "LARGEST_GATE_GRID": (0, 2, 4),
    "LARGEST_FOLDED": (0, 2, 4),
    "WIDEST_COUNTER": (0, 1, 3),
    "MAX_SHIFTS": (0, 1),
    "ROWS_AT_ONCE": (1, 2, 3),
    # points that are solved together, and tasks
    "MOST_SORTED": (0, 1, 4),
    "POINTS_AT_ONCE": (1, 2, 3),
    "LARGEST_RING": (0, 1),
    "MOST_PAIRS": (0, 1),
    "WIDE_BLOCK": (32, 64),
    "LARGEST_TASK": (32, 64),
    "SMALLEST_TASK": (1, 32),
    "EACH": (1, 2),
    "BRIEF": (0,),
    "POINTS_EXAMINED": (1, 3),
    "POINTS_TOGETHER": (1, 2),
    "GRID_CHUNK": (1, 2),
    "REMEMBERED": (1,),
    # listed states
    "SUBGAMES_KEPT": (0, 1),
    "MOST_STARTS_AT_ONCE": (0, 1, 2),
    "FIRST_SWEEPS": (1, 2, 3),
    "MOST_UNKNOWNS": (0, 1, 3),
    "FEW_FOR_EQUATIONS": (0, 1, 5),
    "SMALLEST_RANGE": (1, 2, 4),
    "STATES_AT_ONCE": (1, 3),
    "MOST_COMPARED": (0,),
    "SMALLEST_CUT": (1, 2, 4),
    "MOST_LOOKED_UP": (0, 5),
    # the compiler: exploring, and what open values may be
    "MOST_NODES": (20, 60, 200),
    "MOST_END_ENTRIES": (0, 2),
    "MOST_CASES": (10, 50),
    "LONG_GUARD": (0, 1, 2),
    "WORTHWHILE": (0.0, 1.5, 100.0),
    "MOST_EXPLORATIONS": (2, 3),
    "FAR_BEYOND": (1, 4),
    "MOST_UNGRIDDED": (3, 10),
    "SAMPLE": (1, 2, 4),
    "FAR_APART": (1,),
    "MOST_LIMITS": (0, 10),
    "MOST_LIMIT_VALUES": (1, 2),
    "MOST_APART": (0, 5),
    "MOST_DECIDED": (0, 1e12),
    "MOST_DECIDED_NODES": (0, 1e9),
    "TABLE_PIECE": (1, 2, 5),
    "SMALL_TABLE": (0, 1, 4),
    "LARGEST_TABLE": (8, 30),
    "WIDE_VARIABLE": (2, 3),
    "WIDE_AT_NEED": (2, 3),
    "MOST_CONTROL_VALUES": (2, 3, 5),
    "MOST_TABLE_ENTRIES": (1, 10),
    "LARGEST_SETTLED": (1, 4),
    "MOST_VALUES": (5, 20),
    "MOST_IN_A_TURN": (3, 10),
    "LARGEST_JOINT": (1, 4, 16),
    "LARGEST_KEPT": (0, 3),
    "MOST_RANGE_WORK": (10, 100),
    "MOST_IN_LOOPS": (10, 100),
    "FEW_COMPARED": (0, 1, 1000),
    "CELLS": (1, 3),
    "MOST_RUNS": (1, 5),
    "MOST_COMBINATIONS": (1, 100),
    "MOST_VALUES_TRIED": (1, 2),
    # the compiler: the model
    "MOST_KNOWN": (1, 3),
    "MOST_FITTED_TOGETHER": (1_000,),
    "LARGEST_SMALL": (0, 2, 4),
    "LARGE": (0, 2, 4),
    "MOST_CONDITIONS": (0, 5),
    "WAYS_FOLLOWED": (1, 30),
    "MOST_GROWTH": (10, 1_000),
    "VERY_FEW_POSITIONS": (1, 100),
    "WAYS_OF_VERY_FEW": (1, 100),
}
"""Limits that Python looks at, by name, and values to draw from; compiled code keeps its own."""


@contextmanager
def small_limits(seed: int, share: float = SHARE) -> Iterator[dict[str, float]]:
    """Let a share of the limits be small, the same for the same seed; gives their values."""
    draws, modules = Random(seed), _modules()
    drawn = {name: draws.choice(few) for name, few in SMALL.items() if draws.random() < share}
    before = [
        (module, name, vars(module)[name])
        for module in modules for name in drawn if name in vars(module)
    ]  # fmt: skip
    missing = drawn.keys() - {name for _, name, _ in before}
    assert not missing, f"there are no such limits: {missing}"
    try:
        for module, name, _ in before:
            setattr(module, name, drawn[name])
        yield drawn
    finally:
        for module, name, usual in before:
            setattr(module, name, usual)


def _modules() -> list[ModuleType]:
    """Return all modules of the package but those of the command line, each imported."""
    for found in walk_packages(dicegames.__path__, "dicegames."):
        if not found.name.startswith(("dicegames.cli", "dicegames.__main__", "dicegames.adapters")):
            import_module(found.name)
    return [m for name, m in list(sys.modules.items()) if name.startswith("dicegames.")]

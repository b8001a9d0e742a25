"""Which settings of the rules are looked at: all combinations of the values of some options.

bonus=0..100:5      0, 5, 10, ... 100
players=1,2         1 and 2
misere=no           always this one
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from math import prod
from typing import Any

from dicegames.rules.reading.options import OptionError

RANGE = re.compile(r"([+-]?[0-9]{1,9})\s*\.\.\s*([+-]?[0-9]{1,9})(?:\s*:\s*([0-9]{1,9}))?")
MOST_SETTINGS = 1_000_000


def values_of(name: str, wanted: Any) -> list[Any]:
    """Return the values of an option, given as text (`0..100:5`, `1,2`), as one or as several.

    Raises OptionError.
    """
    if isinstance(wanted, str):
        found = [value for part in wanted.split(",") for value in _part(name, part.strip())]
    elif isinstance(wanted, Iterable):
        found = list(wanted)
    else:
        found = [wanted]
    if not found:
        raise OptionError(f'no value of the option "{name}" is asked for')
    return list(dict.fromkeys(found))


def _part(name: str, text: str) -> Iterable[Any]:
    if not text:
        raise OptionError(f'a value of the option "{name}" is missing: write {name}=1,2,3')
    found = RANGE.fullmatch(text)
    if found is None:
        if ".." in text:
            raise OptionError(f'"{text}" is no range: write {name}=0..100 or {name}=0..100:5')
        return [text]
    first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
    if step == 0 or first > last:
        raise OptionError(f'"{text}" has no values: write the lower end first, and a step above 0')
    if (last - first) // step >= MOST_SETTINGS:
        raise OptionError(f'"{text}" has more than {MOST_SETTINGS:,} values; take a larger step')
    return range(first, last + 1, step)


def combinations(options: Mapping[str, Any]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the options that have several values, and all combinations, the last one fastest.

    Raises OptionError.
    """
    values = {name: values_of(name, wanted) for name, wanted in options.items()}
    count = prod(map(len, values.values()))
    if count > MOST_SETTINGS:
        raise OptionError(f"these are {count:,} settings; at most {MOST_SETTINGS:,} are tried")
    varied = [name for name, found in values.items() if len(found) > 1]
    return varied, [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]

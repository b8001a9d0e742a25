"""The parser of the grammar, and its tables on disk."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import ClassVar
from zlib import crc32

import lark
from lark.indenter import Indenter

from dicegames.ground.cache import (
    COMPILED_CODE,
    LARGEST_CODE,
    cache_folder,
    find_sealed,
    keep_sealed,
)
from dicegames.ground.writing import UnwritableFile


class _Indentation(Indenter):
    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar[list[str]] = ["LPAR"]  # inside brackets the lines do not count
    CLOSE_PAREN_types: ClassVar[list[str]] = ["RPAR"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8


@cache
def grammar_parser() -> lark.Lark:
    """Return the parser of the parts of a rules file.

    Its tables are kept with the compiled code, which saves a seventh of a second.
    """
    grammar = Path(__file__).with_name("rules.lark").read_text(encoding="utf-8")
    made_by = f"{grammar} {lark.__version__} {Path(__file__).read_text(encoding='utf-8')}"
    name = f"rules.{sys.implementation.cache_tag}.{crc32(made_by.encode()):08x}.tables"
    file = cache_folder(COMPILED_CODE) / name
    kept = find_sealed(file)
    if kept is not None:
        return lark.Lark.load(BytesIO(kept))
    parser = lark.Lark(
        grammar,
        parser="lalr",
        start="item",
        postlex=_Indentation(),
        propagate_positions=True,
        maybe_placeholders=True,
    )
    tables = BytesIO()
    parser.save(tables)
    with suppress(OSError, UnwritableFile):
        keep_sealed(file, tables.getvalue(), LARGEST_CODE)
    return parser

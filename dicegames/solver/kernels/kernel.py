"""Compiled functions: numba's `njit`, whose code is kept in files and is never out of date.

The name of a file has a hash of all that its code depends on: the sources (see `sources`), the
options, the types of the arguments (the width of the lanes is one of them), the processor, and the
versions of Python, numba, llvmlite and numpy. A function that is only written into others has no
file of its own.

A kernel may have many parameters. What several calls share is a named tuple of arrays; what one
call alone needs is handed to it piece by piece, since each type of tuple is code to be compiled.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from dicegames.solver.kernels import code_cache
from dicegames.solver.kernels.compiling import Compiling, busy_with, unbroken
from dicegames.solver.kernels.sources import key_of

try:
    from dicegames.solver.kernels import numba_internals

    numba_internals.check()
    CAN_KEEP = True
except (ImportError, AttributeError) as error:
    CAN_KEEP = False
    warnings.warn(
        f"numba {numba.__version__} is not one that this program knows ({error}): "
        "every run compiles its code anew. Installing dicegames again brings a version that fits.",
        RuntimeWarning,
        stacklevel=2,
    )


def njit(
    *, cache: bool = False, allocates: bool = True, from_python: bool = True, **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function when it is called.

    Args:
        cache: whether the code is kept for the next run.
        allocates: whether the function makes arrays; the others do without counts of references.
        from_python: whether it is called from Python, too, and not by kernels alone.
        options: numba's own.
    """
    if CAN_KEEP:
        options |= numba_internals.options(allocates=allocates, from_python=from_python)

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options)(function)
        if cache and CAN_KEEP and dispatcher is not function:
            numba_internals.keep(dispatcher, _Files(function, repr(sorted(options.items()))))
        return dispatcher

    return decorate


def is_kept(dispatcher: Any, signature: Any) -> bool:
    """Whether the code of a function is kept for some types of its arguments."""
    return numba_internals.is_kept(dispatcher, signature)


class _Files:
    """The files with the code of one function; its key is made when it is wanted."""

    def __init__(self, function: Callable[..., Any], options: str) -> None:
        code = function.__code__
        self._source = code.co_filename
        self._name = f"{function.__module__.partition('.')[2]}.{function.__qualname__}"
        self._function = f"{self._name} {code.co_firstlineno} {options}"

    @cached_property
    def _key(self) -> str | None:
        """The part of the key that all files have in common; None if the source is not known."""
        try:
            return f"{key_of(self._source)} {_versions()} {self._function}"
        except OSError:
            return None

    def _file(self, purpose: str) -> Path:
        digest = hashlib.sha256(f"{self._key} {purpose}".encode()).hexdigest()[:32]
        return code_cache.folder() / f"{self._name}.{digest}"

    def read(self, purpose: str) -> bytes | None:
        """Return the code, None if it is not there."""
        return None if self._key is None else code_cache.read(self._file(purpose))

    def write(self, purpose: str, code: bytes) -> None:
        """Keep the code."""
        if self._key is not None:
            code_cache.write(self._file(purpose), code)

    def has(self, purpose: str) -> bool:
        """Whether the code is there."""
        return self._key is not None and self._file(purpose).exists()

    def compile(self, purpose: str, call: Callable[[], Any]) -> Any:
        """Call what reads or compiles and writes the code: while no other program does the same."""
        with ExitStack() as stack:
            if not self.has(purpose):
                stack.enter_context(busy_with(Compiling.HERE))
                if self._key is not None:
                    lock = code_cache.folder() / f"{self._name}.lock"
                    stack.enter_context(code_cache.one_at_a_time(lock))
            stack.enter_context(unbroken())
            return call()


@cache
def _versions() -> str:
    """Name what turns a source into machine code."""
    tools = (sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, np.__version__)
    return " ".join([*map(str, tools), numba_internals.settings()])

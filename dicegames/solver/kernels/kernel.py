"""Compiled functions: numba's `njit`, with a quicker way to what has been compiled before.

Numba loads all of its library, a fifth of a second, before it looks into its cache; what lies there
needs none of that. A function that is only written into others has no file of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys


class _CacheFiles(FunctionCache):  # type: ignore[misc] # numba carries no type hints
    """The files in which numba keeps a compiled function, read without loading its library."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what was compiled for a signature, None if nothing was."""
        rtsys.initialize(context)  # memory for arrays; loading the library would see to it
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)


class _Cache:
    """Looks for the files of a function when they are wanted for the first time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _files(self) -> _CacheFiles:
        return _CacheFiles(self._function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function when it is called; the options are numba's."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options)(function)
        if cache:
            dispatcher._cache = _Cache(function)  # noqa: SLF001 - numba has no other way to set it
        return dispatcher

    return decorate

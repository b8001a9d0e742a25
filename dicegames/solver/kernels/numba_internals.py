"""The private parts of numba that are used, all of them; importing fails where one is not there.

Numba can keep compiled code itself, but it looks at the source of one file only, which leaves old
code of what other files put into it; it loads all of its library, a fifth of a second, before it
looks; and two programs that save at once may mix up their entries.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, Protocol

from numba.core import config
from numba.core.codegen import CPUCodegen
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

_COMPILER_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")
_NEEDED: dict[Any, tuple[str, ...]] = {
    config: _COMPILER_SETTINGS,
    CPUCodegen: ("magic_tuple",),
    CompileResult: ("_reduce", "_rebuild"),
    CPUTargetOptions: ("_nrt", "no_cfunc_wrapper", "no_cpython_wrapper"),
    Dispatcher: ("compile", "enable_caching"),
    rtsys: ("initialize",),
}


def check() -> None:
    """Raise AttributeError where an object of numba lacks a part that is used."""
    for holder, names in _NEEDED.items():
        for name in names:
            getattr(holder, name)


def options(*, allocates: bool, from_python: bool) -> dict[str, bool]:
    """Return the options of a kernel: whether references are counted, and its ways in."""
    return {"_nrt": allocates, "no_cpython_wrapper": not from_python, "no_cfunc_wrapper": True}


def settings() -> str:
    """Return the settings of numba, from the environment or a file, that change the code."""
    return repr([getattr(config, name) for name in _COMPILER_SETTINGS])


class CodeStore(Protocol):
    """Where compiled code is kept, by a text that says what it was compiled for."""

    def read(self, purpose: str) -> bytes | None:
        """Return the code, None if it is not there."""

    def write(self, purpose: str, code: bytes) -> None:
        """Keep the code."""

    def has(self, purpose: str) -> bool:
        """Whether the code is there."""

    def compile(self, purpose: str, call: Callable[[], Any]) -> Any:
        """Call what reads or compiles and writes the code."""


def keep(dispatcher: Any, kept: CodeStore) -> None:
    """Have the code of a compiled function kept, and looked for before it is compiled."""
    compile_now = dispatcher.compile

    def compile_once(signature: Any) -> Any:
        with global_compiler_lock:
            purpose = _purpose(signature, dispatcher.targetctx)
            return kept.compile(purpose, lambda: compile_now(signature))

    dispatcher.compile = compile_once
    dispatcher._cache = _Cache(kept)  # noqa: SLF001


def is_kept(dispatcher: Any, signature: Any) -> bool:
    """Whether the code of a function is kept for some types of its arguments."""
    kept: CodeStore = dispatcher._cache.kept  # noqa: SLF001
    return kept.has(_purpose(signature, dispatcher.targetctx))


def _purpose(signature: Any, context: Any) -> str:
    """Describe the types of the arguments and the processor."""
    return repr((str(normalize_signature(signature)), context.codegen().magic_tuple()))


class _Cache:
    """What numba asks for compiled code."""

    cache_path = None

    def __init__(self, kept: CodeStore) -> None:
        self.kept = kept

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what was compiled for a signature, None if nothing was."""
        code = self.kept.read(_purpose(signature, context))
        if code is None:
            return None
        rtsys.initialize(context)  # memory for arrays; loading the library would see to it
        arguments, parts = pickle.loads(code)  # noqa: S301 - the user's own file, as it was written
        if arguments != normalize_signature(signature):
            return None  # other types of the same names
        return CompileResult._rebuild(context, *parts)  # noqa: SLF001

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what was compiled for a signature."""
        if result.library.has_dynamic_globals:
            return  # it holds addresses of this program
        parts = (normalize_signature(signature), result._reduce())  # noqa: SLF001
        self.kept.write(_purpose(signature, result.target_context), dumps(parts))

    def flush(self) -> None:
        """Nothing: what is kept stays right."""

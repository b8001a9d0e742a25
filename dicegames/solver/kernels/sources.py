"""What compiled code is made from: the source of a module and of all it imports from the package.

A kernel may be written into another one, and a number at the top of a module into both. So the code
of a kernel belongs to the sources of its module and of everything that this imports, however far.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attrs import frozen

_PACKAGE = __name__.partition(".")[0]
_ROOT = Path(__file__).parents[3]
_BEGAN = time.time()
_FROM = re.compile(r"from ([.\w]+) import (\([^)]*\)|[^\n]*)")
_IMPORT = re.compile(r"import ([\w., ]+)")


class EditedError(OSError):
    """A source was written after it had been read: what runs is not what the file says."""


@frozen
class _HashedSource:
    """The hash of a file, and the modules that it may import: names and folders of packages."""

    digest: bytes
    imports: tuple[str, ...]


@cache
def key_of(path: str) -> str:
    """Return a hash of a module's source and of all that it imports from this package.

    Raises:
        OSError: if a source cannot be read, or was written after this program began.
    """
    found = {path: _read(path)}
    left = list(found[path].imports)
    while left:
        file = _file_of(left.pop())
        if file is not None and file not in found:
            found[file] = _read(file)
            left += found[file].imports
    together = hashlib.sha256()
    for file in sorted(found, key=_place):
        together.update(_place(file).encode() + b"\0" + found[file].digest)
    return together.hexdigest()


def _place(file: str) -> str:
    """Where a file stands in the package: a copy of the package has the same code."""
    return os.path.relpath(file, _ROOT) if file.startswith(f"{_ROOT}{os.sep}") else file


@cache
def _file_of(module: str) -> str | None:
    """Return the file of a module of this package; None for other names."""
    base = f"{_ROOT}{os.sep}{module.replace('.', os.sep)}"
    return next(filter(os.path.isfile, (f"{base}.py", f"{base}{os.sep}__init__.py")), None)


@cache
def _read(path: str) -> _HashedSource:
    with Path(path).open("rb") as file:
        written = os.fstat(file.fileno()).st_mtime
        content = file.read()
    if _BEGAN < written <= time.time():
        raise EditedError(f"{path} was edited while this program ran")
    return _HashedSource(hashlib.sha256(content).digest(), tuple(_imports(content.decode())))


def _imports(text: str) -> Iterator[str]:
    """Yield the names of this package that a file imports; of `from a import b`, a and a.b."""
    names = [name for match in _IMPORT.finditer(text) for name in re.findall(r"[\w.]+", match[1])]
    for match in _FROM.finditer(text):
        names += [match[1], *(f"{match[1]}.{name}" for name in re.findall(r"\w+", match[2]))]
    return (name for name in names if name.partition(".")[0] == _PACKAGE)

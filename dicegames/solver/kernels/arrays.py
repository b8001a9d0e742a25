"""Arrays by dimensions and kind of numbers, and what numba calls the types of a kernel's arguments.

Arrays that kernels get are contiguous, the last index fastest.
"""

from __future__ import annotations

from collections.abc import Callable
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numba import from_dtype, types

T = TypeVar("T", bound=np.generic)
Vector = np.ndarray[tuple[int], np.dtype[T]]
Matrix = np.ndarray[tuple[int, int], np.dtype[T]]
Cube = np.ndarray[tuple[int, int, int], np.dtype[T]]


def signature(function: Callable[..., Any]) -> tuple[types.Type, ...]:
    """The types of the arguments by their annotations; what may be None is None."""
    hints = get_type_hints(function)
    hints.pop("return")
    return tuple(_type(hint) for hint in hints.values())


def _type(hint: Any) -> types.Type:
    if get_origin(hint) is np.ndarray:
        shape, numbers = get_args(hint)
        return types.Array(from_dtype(np.dtype(*get_args(numbers))), len(get_args(shape)), "C")
    if get_origin(hint) is UnionType:
        return types.none
    if get_origin(hint) is tuple:
        return types.BaseTuple.from_types([_type(each) for each in get_args(hint)])  # type: ignore[no-untyped-call]
    fields = getattr(hint, "_fields", None)
    if fields is None:
        return {int: types.int64, float: types.float64, bool: types.boolean}[hint]
    own = get_type_hints(hint)
    found = [_type(own[name]) for name in fields]
    return types.BaseTuple.from_types(found, hint)  # type: ignore[no-untyped-call]

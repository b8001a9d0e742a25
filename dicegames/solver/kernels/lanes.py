"""The only file with LLVM in it: vectors of lanes, and counting zero bits.

`Lanes(n)` is a numba type for a vector of 8 n doubles, held in registers; LLVM splits it into what
the processor has.  Its width is carried by the *type* of a tuple of n zeros, so that numba's cache
keeps the widths apart (the cache does not notice changed globals).  Arithmetic is built from plain
instructions with the `contract` flag, which allows fused multiply-add and nothing else; maxima are
compare-and-select, so that a NaN in the new operand loses.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

LANE_UNIT = 8


class LanesType(types.Type):  # type: ignore[misc]
    """A vector of `width` doubles."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, lanes: LanesType) -> None:
        super().__init__(manager, lanes, _vector(lanes))


def _vector(lanes: LanesType) -> ir.VectorType:
    return ir.VectorType(ir.DoubleType(), lanes.width)


def _lanes(width: types.Type) -> LanesType:
    return LanesType(LANE_UNIT * len(width))


def _splat(builder: Any, lanes: LanesType, number: Any) -> Any:
    vector = _vector(lanes)
    nothing = ir.Constant(vector, ir.Undefined)
    one = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes.width), [0] * lanes.width)
    return builder.shuffle_vector(one, nothing, zeros)


def _pointer(context: Any, builder: Any, array: Any, value: Any, at: Any, lanes: LanesType) -> Any:
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(builder.gep(data, [at]), _vector(lanes).as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def full(_: Any, width: types.Type, __: types.Type) -> Any:
    """full(width, number): the number in every lane."""
    lanes = _lanes(width)

    def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
        return _splat(builder, lanes, args[1])

    return lanes(width, types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def load(_: Any, width: types.Type, array: types.Type, __: types.Type) -> Any:
    """load(width, array, at): the lanes from position `at` on."""
    lanes = _lanes(width)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[1], args[1], args[2], lanes)
        return builder.load(pointer, align=8)

    return lanes(width, array, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def load_row(
    _: Any, width: types.Type, array: types.Type, offset: types.Type, k: types.Type, __: types.Type
) -> Any:
    """load_row(width, array, offset, k, shift): the lanes from offset[k] + shift on; k >= 0."""
    lanes = _lanes(width)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[2])(context, builder, args[2]).data
        start = builder.sext(builder.load(builder.gep(data, [args[3]])), ir.IntType(64))
        start = builder.add(start, args[4])
        pointer = _pointer(context, builder, signature.args[1], args[1], start, lanes)
        return builder.load(pointer, align=8)

    return lanes(width, array, offset, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def entry(_: Any, array: types.Array, __: types.Type) -> Any:
    """entry(array, k): array[k] for k >= 0, without the care for negative indices."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(_: Any, lanes: LanesType, array: types.Type, __: types.Type) -> Any:
    """store(lanes, array, at): write the lanes from position `at` on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[1], args[1], args[2], lanes)
        builder.store(args[0], pointer, align=8)
        return context.get_dummy_value()

    return types.void(lanes, array, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def add_number(_: Any, lanes: LanesType, __: types.Type) -> Any:
    """add_number(a, number): a plus the number in every lane."""

    def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
        return builder.fadd(args[0], _splat(builder, lanes, args[1]))

    return lanes(lanes, types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def add_product(_: Any, lanes: LanesType, __: LanesType, ___: types.Type) -> Any:
    """add_product(a, b, weight): a + weight b, fused where the processor can."""

    def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
        product = builder.fmul(args[1], _splat(builder, lanes, args[2]), flags=("contract",))
        return builder.fadd(args[0], product, flags=("contract",))

    return lanes(lanes, lanes, types.float64), generate


def _pairwise(operation: str) -> Any:
    def typing(_: Any, lanes: LanesType, __: LanesType) -> Any:
        def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
            return getattr(builder, operation)(args[0], args[1])

        return lanes(lanes, lanes), generate

    return typing


add = intrinsic(_pairwise("fadd"))
multiply = intrinsic(_pairwise("fmul"))


@intrinsic  # type: ignore[untyped-decorator]
def masked(_: Any, lanes: LanesType, __: LanesType) -> Any:
    """masked(a, mask): a where the mask is 0, the mask elsewhere."""

    def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
        zero = ir.Constant(_vector(lanes), [0.0] * lanes.width)
        return builder.select(builder.fcmp_ordered("==", args[1], zero), args[0], args[1])

    return lanes(lanes, lanes), generate


def _better(builder: Any, sign: str, old: Any, new: Any) -> Any:
    return builder.select(builder.fcmp_ordered(sign, new, old), new, old)


def _select(sign: str) -> Any:
    def typing(_: Any, lanes: LanesType, __: LanesType) -> Any:
        def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
            return _better(builder, sign, args[0], args[1])

        return lanes(lanes, lanes), generate

    return typing


maximum = intrinsic(_select(">"))
minimum = intrinsic(_select("<"))


def _where(sign: str) -> Any:
    def typing(_: Any, lanes: LanesType, __: LanesType, ___: LanesType, ____: LanesType) -> Any:
        def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
            return builder.select(builder.fcmp_ordered(sign, args[0], args[1]), args[2], args[3])

        return lanes(lanes, lanes, lanes, lanes), generate

    return typing


# where_above(a, b, x, y): x in the lanes in which a is at least b, y in the others
where_above = intrinsic(_where(">="))
where_below = intrinsic(_where("<="))


@intrinsic  # type: ignore[untyped-decorator]
def any_of(_: Any, lanes: LanesType) -> Any:
    """any_of(a): whether a lane of a is not 0."""

    def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
        zero = ir.Constant(_vector(lanes), [0.0] * lanes.width)
        bits = ir.IntType(lanes.width)
        met = builder.bitcast(builder.fcmp_unordered("!=", args[0], zero), bits)
        return builder.icmp_unsigned("!=", met, bits(0))

    return types.boolean(lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(_: Any, word: types.Type) -> Any:
    """trailing_zeros(word): number of zero bits below the lowest set bit of a non-zero word."""

    def generate(_: Any, builder: Any, __: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_: Any, array: types.Array, __: types.Type) -> Any:
    """prefetch(array, k): have array[k] brought near, k >= 0; no more than a hint."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        pointer = builder.bitcast(builder.gep(data, [args[1]]), byte)
        builder.call(call, [pointer, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, types.int64), generate

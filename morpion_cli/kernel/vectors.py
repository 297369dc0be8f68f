"""Vectors of unsigned integers that live in registers: a board of columns, of which a bit each is a tile.

LLVM makes of a vector whatever the processor has: one register of AVX2, or several smaller ones. *Bit i* of a vector is
bit i mod b of column i div b, where b is the number of bits of a column; column 0 is the leftmost.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from morpion_cli.kernel.atomic import pointer_to
from morpion_cli.kernel.bits import nth_set
from morpion_cli.kernel.compiling import inner

_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)


class VectorType(types.Type):
    """The numba type of a vector."""

    def __init__(self, columns: int, bits: int) -> None:
        self.columns, self.bits = columns, bits
        self.element = ir.IntType(bits)
        self.llvm = ir.VectorType(self.element, columns)
        self.whole = ir.IntType(columns * bits)
        super().__init__(name=f"vector({columns}x{bits})")

    def constant(self, *elements: int) -> Any:
        """Return a constant; one element is that of all columns."""
        return ir.Constant(self.llvm, list(elements) * (self.columns if len(elements) == 1 else 1))


@register_model(VectorType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: VectorType) -> None:
        super().__init__(manager, vector, vector.llvm)


def _spread(builder: Any, vector: VectorType, element: Any) -> Any:
    """Return a vector with this element in every column."""
    one = builder.insert_element(ir.Constant(vector.llvm, ir.Undefined), element, _INDEX(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INDEX, vector.columns), [0] * vector.columns))


def _operation(make: Callable[[Any, VectorType, Any], Any], result: types.Type | None = None) -> Callable[..., Any]:
    """Return an intrinsic of one vector; `make` is given the builder, the type and the value."""

    def typing(_context: Any, vector: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return make(builder, vector, args[0])

        return (result or vector)(vector), codegen

    return intrinsic(typing)


def _operator(of: Callable[..., Any], instruction: str) -> None:
    def typing(_context: Any, vector: Any, _other: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args)

        return vector(vector, vector), codegen

    binary = intrinsic(typing)

    @overload(of, strict=False)
    def _overload(a: Any, b: Any) -> Any:
        if isinstance(a, VectorType) and a == b:
            return lambda a, b: binary(a, b)
        return None


for _of, _instruction in (
    (operator.and_, "and_"), (operator.or_, "or_"), (operator.xor, "xor"),
    (operator.iand, "and_"), (operator.ior, "or_"), (operator.ixor, "xor"),
):  # fmt: skip
    _operator(_of, _instruction)

_complement = _operation(lambda builder, _vector, value: builder.not_(value))


@overload(operator.invert, strict=False)
def _invert(a: Any) -> Any:
    return (lambda a: _complement(a)) if isinstance(a, VectorType) else None


# up(v), down(v): every bit one place higher or lower in its column; what leaves it is lost.
up = _operation(lambda builder, vector, value: builder.shl(value, vector.constant(1)))
down = _operation(lambda builder, vector, value: builder.lshr(value, vector.constant(1)))


def _moved(by: int) -> Callable[[Any, VectorType, Any], Any]:
    def make(builder: Any, vector: VectorType, value: Any) -> Any:
        columns = range(by, vector.columns + by)  # those of the value with an empty one on either side
        places = [column if 0 <= column < vector.columns else vector.columns for column in columns]
        return builder.shuffle_vector(
            value, vector.constant(0), ir.Constant(ir.VectorType(_INDEX, vector.columns), places)
        )

    return make


# left(v), right(v): every column one place to the left or right; what leaves the board is lost.
left = _operation(_moved(1))
right = _operation(_moved(-1))

# lowest(v): the lowest bit of each column. under(v): all bits below it, and all of a column without any.
lowest = _operation(lambda builder, _vector, value: builder.and_(value, builder.neg(value)))
under = _operation(
    lambda builder, vector, value: builder.and_(builder.sub(value, vector.constant(1)), builder.not_(value))
)


def _whole(builder: Any, vector: VectorType, value: Any) -> Any:
    return builder.bitcast(value, vector.whole)


def _as_word(builder: Any, value: Any) -> Any:
    return builder.zext(value, _WORD) if value.type.width < _WORD.width else builder.trunc(value, _WORD)


def _filled(builder: Any, vector: VectorType, value: Any) -> Any:
    flags = builder.icmp_unsigned("!=", value, vector.constant(0))
    return _as_word(builder, builder.ctpop(builder.bitcast(flags, ir.IntType(vector.columns))))


def _first(builder: Any, vector: VectorType, value: Any) -> Any:
    return _as_word(builder, builder.cttz(_whole(builder, vector, value), ir.Constant(ir.IntType(1), 0)))


# is_empty(v): whether there is no bit. population_of(v): how many there are. n_filled(v): in how many columns.
# first_bit(v): the index of the first bit.
is_empty = _operation(
    lambda builder, vector, value: builder.icmp_unsigned("==", _whole(builder, vector, value), vector.whole(0)),
    types.boolean,
)
population_of = _operation(
    lambda builder, vector, value: _as_word(builder, builder.ctpop(_whole(builder, vector, value))), types.int64
)
n_filled = _operation(_filled, types.int64)
first_bit = _operation(_first, types.int64)


@intrinsic
def _word_with(_context: Any, vector: Any, _n: Any) -> Any:
    """Return the word of 64 bits that holds bit number n of those that are set, its index, and the number in it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, n = args
        count = vector.columns * vector.bits // 64
        words = builder.bitcast(value, ir.VectorType(_WORD, count))
        word, index, before, begun = builder.extract_element(words, _INDEX(0)), _WORD(0), _WORD(0), _WORD(0)
        for i in range(1, count):
            begun = builder.add(begun, builder.ctpop(builder.extract_element(words, _INDEX(i - 1))))
            later = builder.icmp_signed(">=", n, begun)
            word = builder.select(later, builder.extract_element(words, _INDEX(i)), word)
            index = builder.select(later, _WORD(i), index)
            before = builder.select(later, begun, before)
        return context.make_tuple(builder, signature.return_type, (word, index, builder.sub(n, before)))

    return types.UniTuple(types.int64, 3)(vector, types.int64), codegen


@inner
def nth_bit(vector, n):
    """Return the index of bit number n, from 0, of those that are set."""
    word, index, n = _word_with(vector, n)
    return (index << 6) | nth_set(word, n)


@intrinsic
def lone_bit(_context: Any, _index: Any, vector: Any) -> Any:
    """Return a vector, of the type of the other, with one bit."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        bits = vector.bits
        column = builder.trunc(builder.lshr(args[0], _WORD(bits.bit_length() - 1)), vector.element)
        place = builder.trunc(builder.and_(args[0], _WORD(bits - 1)), vector.element)
        here = builder.icmp_unsigned("==", _spread(builder, vector, column), vector.constant(*range(vector.columns)))
        bit = _spread(builder, vector, builder.shl(vector.element(1), place))
        return builder.select(here, bit, vector.constant(0))

    return vector(types.int64, vector), codegen


@intrinsic
def same_everywhere(_context: Any, _flag: Any, vector: Any) -> Any:
    """Return a vector, of the type of the other, of ones if the flag is up, or of zeros."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _spread(builder, vector, builder.sext(builder.trunc(args[0], ir.IntType(1)), vector.element))

    return vector(types.boolean, vector), codegen


@intrinsic(prefer_literal=True)
def load(_context: Any, array: Any, _index: Any, columns: Any) -> Any:
    """Return array[index : index + columns]; `columns` is a constant, and times the bits of one a multiple of 64."""
    vector = VectorType(columns.literal_value, array.dtype.bitwidth)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], args[0], args[1])
        return builder.load(builder.bitcast(pointer, vector.llvm.as_pointer()), align=vector.bits // 8)

    return vector(array, types.intp, columns), codegen


@intrinsic
def store(_context: Any, array: Any, _index: Any, vector: Any) -> Any:
    """Set array[index : index + columns]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], args[0], args[1])
        builder.store(args[2], builder.bitcast(pointer, vector.llvm.as_pointer()), align=vector.bits // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), codegen

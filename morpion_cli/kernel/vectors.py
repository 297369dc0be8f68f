"""Vectors of unsigned integers that live in registers: the columns of a board, or some of a list.

LLVM makes of a vector whatever the processor has: one register of AVX-512, or several smaller ones. *Bit i* of a vector
is bit i mod b of column i div b, where b is the number of bits of a column; column 0 is the leftmost. *Flags* are an
int64 of which bit i belongs to column i.
"""

import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
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
    (operator.add, "add"), (operator.sub, "sub"), (operator.iadd, "add"),
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


def _by(make: Callable[[Any, VectorType, Any, int], Any]) -> Callable[..., Any]:
    """Return an intrinsic of a vector and a constant number of bits."""

    def typing(_context: Any, vector: Any, n: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return make(builder, vector, args[0], n.literal_value)

        return vector(vector, n), codegen

    return intrinsic(prefer_literal=True)(typing)


def _turned(builder: Any, vector: VectorType, value: Any, n: int) -> Any:
    high = builder.shl(value, vector.constant(vector.bits - n))
    return builder.or_(builder.lshr(value, vector.constant(n)), high)


# lowered(v, n): every column moved down by n bits; what leaves it is lost. turned(v, n): it comes in again at the top.
lowered = _by(lambda builder, vector, value, n: builder.lshr(value, vector.constant(n)))
turned = _by(_turned)

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


def _flags(builder: Any, vector: VectorType, truths: Any) -> Any:
    return builder.zext(builder.bitcast(truths, ir.IntType(vector.columns)), _WORD)


def _as_word(builder: Any, value: Any) -> Any:
    return builder.zext(value, _WORD) if value.type.width < _WORD.width else builder.trunc(value, _WORD)


def _filled(builder: Any, vector: VectorType, value: Any) -> Any:
    truths = builder.icmp_unsigned("!=", value, vector.constant(0))
    return _as_word(builder, builder.ctpop(builder.bitcast(truths, ir.IntType(vector.columns))))


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


# nonzero(v): the flags of the columns that are not zero.
nonzero = _operation(
    lambda builder, vector, value: _flags(builder, vector, builder.icmp_unsigned("!=", value, vector.constant(0))),
    types.int64,
)


@intrinsic
def above(_context: Any, vector: Any, _other: Any) -> Any:
    """Return the flags of the columns that are greater than those of the other vector."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _flags(builder, vector, builder.icmp_unsigned(">", *args))

    return types.int64(vector, vector), codegen


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


def _joined(builder: Any, parts: Sequence[Any]) -> Any:
    """Return vectors side by side; there are 1, 2, 4, ..."""
    while len(parts) > 1:
        places = list(range(2 * parts[0].type.count))
        index = ir.Constant(ir.VectorType(_INDEX, len(places)), places)
        parts = [builder.shuffle_vector(a, b, index) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _items(builder: Any, values: Any) -> list[Any]:
    return [builder.extract_value(values, i) for i in range(values.type.count)]


@intrinsic
def spread(_context: Any, words: Any, vector: Any) -> Any:
    """Return a vector, of the type of the other, of 1, 2, 4, ... int64, each in as many columns."""
    part = VectorType(vector.columns // len(words), vector.bits)

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        elements = (builder.trunc(word, vector.element) for word in _items(builder, args[0]))
        return _joined(builder, [_spread(builder, part, element) for element in elements])

    return vector(words, vector), codegen


def _place(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: Any) -> Any:
    """Return the address of array[index], as that of an LLVM vector."""
    return builder.bitcast(pointer_to(context, builder, array_type, array, index), kind.as_pointer())


@intrinsic(prefer_literal=True)
def load(_context: Any, array: Any, _index: Any, columns: Any) -> Any:
    """Return array[index : index + columns]; `columns` is a constant, and times the bits of one a multiple of 64."""
    vector = VectorType(columns.literal_value, array.dtype.bitwidth)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], args[0], args[1], vector.llvm)
        return builder.load(place, align=vector.bits // 8)

    return vector(array, types.intp, columns), codegen


@intrinsic
def store(_context: Any, array: Any, _index: Any, vector: Any) -> Any:
    """Set array[index : index + columns]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature.args[0], args[0], args[1], vector.llvm)
        builder.store(args[2], place, align=vector.bits // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), codegen


@intrinsic(prefer_literal=True)
def load_each(_context: Any, array: Any, indices: Any, columns: Any) -> Any:
    """Return array[index : index + columns] of 1, 2, 4, ... int64 indices, side by side."""
    part = VectorType(columns.literal_value, array.dtype.bitwidth)
    vector = VectorType(part.columns * len(indices), part.bits)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array_type = signature.args[0]
        places = (_place(context, builder, array_type, args[0], i, part.llvm) for i in _items(builder, args[1]))
        return _joined(builder, [builder.load(place, align=part.bits // 8) for place in places])

    return vector(array, indices, columns), codegen


def _at_once(features: Collection[str]) -> int:
    """Return how many columns of 32 bits a processor has instructions to compress; 1 if it has none."""
    return 16 if "+avx512f" in features else 8 if "+avx2" in features else 1


def _permutations(module: Any) -> Any:
    """Return a constant: for each 8 flags, the places of those that are up."""
    name = "morpion.permutations"
    if name in module.globals:
        return module.globals[name]
    places = [sorted(range(8), key=lambda i, flags=flags: not flags >> i & 1) for flags in range(256)]
    row = ir.VectorType(_INDEX, 8)
    table = ir.Constant(ir.ArrayType(row, 256), [ir.Constant(row, places_) for places_ in places])
    constant = ir.GlobalVariable(module, table.type, name)
    constant.linkage, constant.global_constant, constant.initializer = "internal", True, table
    return constant


def _compressed(builder: Any, part: Any, flags: Any) -> Any:
    """Return the columns whose flags are up, in their order; those after them may be anything."""
    module, kind = builder.module, part.type

    def function(name: str, *arguments: Any) -> Any:
        return cgutils.get_or_insert_function(module, ir.FunctionType(kind, arguments), name)

    if kind.count == 1:
        return part
    if kind.count == 8:
        row = builder.gep(_permutations(module), [_INDEX(0), builder.zext(flags, _INDEX)])
        return builder.call(function("llvm.x86.avx2.permd", kind, kind), (part, builder.load(row, align=32)))
    truths = ir.VectorType(ir.IntType(1), kind.count)
    compress = function(f"llvm.x86.avx512.mask.compress.v{kind.count}i32", kind, kind, truths)
    return builder.call(compress, (part, ir.Constant(kind, None), builder.bitcast(flags, truths)))


@intrinsic
def append(_context: Any, array: Any, _n: Any, vector: Any, _flags: Any) -> Any:
    """Write the columns whose flags are up to array[n:]; return n plus their number.

    What follows them may be overwritten, as far as all columns would go. Columns have 32 bits; there are 16, 32, ...
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, n, value, flags = args
        count = _at_once(context.codegen().magic_tuple()[2].split(","))
        part_flags = ir.IntType(count)
        for first in range(0, vector.columns, count):
            places = ir.Constant(ir.VectorType(_INDEX, count), list(range(first, first + count)))
            part = builder.shuffle_vector(value, value, places)
            those = builder.trunc(builder.lshr(flags, _WORD(first)), part_flags)
            place = _place(context, builder, signature.args[0], args[0], n, part.type)
            builder.store(_compressed(builder, part, those), place, align=4)
            n = builder.add(n, builder.ctpop(builder.zext(those, _WORD)))
        return n

    return types.int64(array, types.int64, vector, types.int64), codegen

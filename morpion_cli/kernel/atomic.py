"""Atomic operations on elements of integer arrays, for what several threads read and write at once.

A plain load of a flag would be hoisted out of the loop that waits for it, and a plain addition would lose what another
thread added in between.
"""

import sys
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from morpion_cli.kernel.compiling import inner

_LOOKS = 1000  # some microseconds; a call of the system takes one


def pointer_to(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of array[index], for an intrinsic."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def load(_context: Any, array: Any, _index: Any) -> Any:
    """Return array[index]; nothing after it happens before it (acquire)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], *args)
        return builder.load_atomic(pointer, "acquire", array.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), codegen


@intrinsic
def store(_context: Any, array: Any, _index: Any, _value: Any) -> Any:
    """Set array[index]; nothing before it happens after it (release)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), codegen


@intrinsic
def _give_way(_context: Any) -> Any:
    """Let another thread have the core, where the system has a call for it."""

    def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        if sys.platform != "win32":
            kind = ir.FunctionType(ir.IntType(32), ())
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), ())
        return context.get_dummy_value()

    return types.void(), codegen


@inner
def looked(looks):
    """Count a look for what another thread has not done yet; now and then, let it have the core."""
    if looks % _LOOKS == _LOOKS - 1:
        _give_way()
    return looks + 1


@intrinsic
def fence(_context: Any) -> Any:
    """Let no load or store cross this point."""

    def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        builder.fence("acq_rel")
        return context.get_dummy_value()

    return types.void(), codegen


def _read_modify_write(operation: str) -> Callable[..., Any]:
    def typing(_context: Any, array: Any, _index: Any, _value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = pointer_to(context, builder, signature.args[0], args[0], args[1])
            return builder.atomic_rmw(operation, pointer, args[2], "acq_rel")

        return array.dtype(array, types.intp, array.dtype), codegen

    return typing


add = intrinsic(_read_modify_write("add"))  # add(array, index, value): array[index] += value; returns the old one
raise_to = intrinsic(_read_modify_write("max"))  # raise_to(array, index, value): array[index] = max(...)


@intrinsic
def replace(_context: Any, array: Any, _index: Any, _old: Any, _new: Any) -> Any:
    """Set array[index] to `new` if it is `old`; tell whether it was (compare and exchange)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, signature.args[0], args[0], args[1])
        result = builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "acquire")
        return builder.extract_value(result, 1)

    return types.boolean(array, types.intp, array.dtype, array.dtype), codegen

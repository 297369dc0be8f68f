"""Finding bits, as single machine instructions where there are."""

from typing import Any

from llvmlite import binding, ir
from numba import int64, types
from numba.core import config
from numba.extending import intrinsic

from morpion_cli.kernel.compiling import inner

# One instruction, but a slow one on AMD's first two generations of Zen; and numba may be told to compile for others.
_DEPOSITS = (
    not getattr(config, "CPU_NAME", None)  # its variables are made when it is imported
    and bool(binding.get_host_cpu_features().get("bmi2"))
    and binding.get_host_cpu_name() not in ("znver1", "znver2")
)


@intrinsic
def trailing_zeros(_context: Any, _x: Any) -> Any:
    """Return the index of the lowest set bit of an int64; 64 for 0."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


@intrinsic
def rotated(_context: Any, _word: Any, _n: Any) -> Any:
    """Return a uint32 rotated to the right by n bits, modulo 32, as an int64; n is one."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        half = ir.IntType(32)
        rotate = builder.module.declare_intrinsic("llvm.fshr", (half,), ir.FunctionType(half, (half, half, half)))
        turned = builder.call(rotate, (args[0], args[0], builder.trunc(args[1], half)))
        return builder.zext(turned, ir.IntType(64))

    return types.int64(types.uint32, types.int64), codegen


@intrinsic
def _deposited(_context: Any, _bits: Any, _mask: Any) -> Any:
    """Return the bits of the first, from the lowest, in the places of the set bits of the second."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        deposit = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, (word, word)))
        return builder.call(deposit, args)

    return types.int64(types.int64, types.int64), codegen


def _nth_by_deposit(word, n):
    return trailing_zeros(_deposited(int64(1) << n, word))


def _nth_by_loop(word, n):
    for _ in range(n):
        word &= word - 1
    return trailing_zeros(word)


# nth_set(word, n): the index of set bit number n, from 0, of an int64.
nth_set = inner(_nth_by_deposit if _DEPOSITS else _nth_by_loop)

"""Objects that numba sees as a type and nothing more.

A token stands for a choice that is made when a kernel is compiled: which game, which rollout policy. Functions are
overloaded on the token's type, so the chosen code is inlined, and the kernel is cached once per choice.
"""

from typing import Any

from numba import types
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox


class TokenType(types.Type):
    """The numba type of one token."""

    def __init__(self, kind: str, token: str) -> None:
        self.token = token
        super().__init__(name=f"{kind}({token})")


class Token:
    """Base of everything that is passed to kernels as a token.

    name: unique in its class; compiled code is cached under it.
    """

    name: str


@typeof_impl.register(Token)
def _typeof_token(value: Token, _context: Any) -> TokenType:
    return TokenType(type(value).__name__, value.name)


register_model(TokenType)(models.OpaqueModel)


@unbox(TokenType)
def _unbox_token(_type: Any, _value: Any, context: Any) -> Any:
    return NativeValue(context.context.get_dummy_value())

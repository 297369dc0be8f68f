"""MS1, the compact form of MSR: `MS1:`, and the JSON as raw DEFLATE in unpadded URL-safe base64. One line to paste."""

import base64
import binascii
import zlib

from morpion_cli.formats import msr
from morpion_cli.grid.puzzle import UnreadableGridError
from morpion_cli.grid.record import Record

PREFIX = "MS1:"
_RAW = -15  # zlib's code for DEFLATE without a header, with the largest window


def parse(text: str) -> Record:
    """Return the record of a text that begins with `MS1:`. Raises UnreadableGridError."""
    body = "".join(text.strip().removeprefix(PREFIX).split())
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise UnreadableGridError("MS1: expected letters, digits, - and _ after MS1:, not cut off") from None
    unpacker = zlib.decompressobj(_RAW)
    try:
        data = unpacker.decompress(packed, msr.SIZE_LIMIT + 1)
    except zlib.error:
        raise UnreadableGridError("MS1: damaged: it does not unpack") from None
    if len(data) > msr.SIZE_LIMIT:
        raise UnreadableGridError(f"MS1: unpacks to more than {msr.SIZE_LIMIT:,} bytes")
    if not unpacker.eof:
        raise UnreadableGridError("MS1: cut off: it does not unpack to its end")
    return msr.parse(data)


def dump(record: Record) -> str:
    """Return a record as one line."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _RAW)
    packed = packer.compress(msr.dump(record)) + packer.flush()
    return PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")

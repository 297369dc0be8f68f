"""Records inside pictures: SVG and HTML carry MS1 in an element, PNG in a `tEXt` chunk.

The names are those of morpion-solitaire.io, so that each program reads the other's pictures.
"""

import re
import struct
import zlib
from html import escape, unescape

from morpion_cli.formats import ms1
from morpion_cli.grid.puzzle import UnreadableGridError
from morpion_cli.grid.record import Record

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEYWORD = b"msr"
_ELEMENT = "morpion-solitaire-record"
_IN_MARKUP = re.compile(rf'<(?:metadata|script)[^<>]{{0,200}}id="{_ELEMENT}"[^<>]{{0,200}}>([^<]*)<')
_HEADER = struct.Struct(">I4s")  # of a PNG chunk: length and kind; after the data come 4 bytes of CRC-32


def metadata(record: Record, tag: str = "metadata", attributes: str = "") -> str:
    """Return the element that carries a record, for SVG or, as a script of another type, for HTML."""
    return f'<{tag} {attributes}id="{_ELEMENT}">{escape(ms1.dump(record))}</{tag}>'


def text_in_markup(text: str) -> str:
    """Return the record's text in SVG or HTML. Raises UnreadableGridError if there is none."""
    found = _IN_MARKUP.search(text)
    if found is None:
        raise UnreadableGridError(f'a picture without a record: no element with id="{_ELEMENT}"')
    return unescape(found[1]).strip()


def into_png(png: bytes, record: Record) -> bytes:
    """Return a PNG file that carries a record, right after its header chunk."""
    data = _KEYWORD + b"\0" + ms1.dump(record).encode()
    chunk = _HEADER.pack(len(data), b"tEXt") + data + struct.pack(">I", zlib.crc32(b"tEXt" + data))
    length, _ = _HEADER.unpack_from(png, len(PNG_SIGNATURE))
    end = len(PNG_SIGNATURE) + _HEADER.size + length + 4
    return png[:end] + chunk + png[end:]


def text_in_png(data: bytes) -> str:
    """Return the record's text in a PNG file. Raises UnreadableGridError if there is none."""
    at = len(PNG_SIGNATURE)
    while at + _HEADER.size <= len(data):
        length, kind = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if kind == b"tEXt":
            keyword, _, text = data[at : at + length].partition(b"\0")
            if keyword == _KEYWORD:
                return text.decode("latin-1")
        at += length + 4
    raise UnreadableGridError(f"a PNG without a record: no text with the keyword {_KEYWORD.decode()!r}")

"""A game as SVG, from the standard library alone.

Each line carries a bead near each of its two ends, so that two lines that meet end to end can be told apart.
Digits are drawn as strokes, so that a converter without fonts shows them too. The record itself is in `<metadata>`.
"""

from xml.sax.saxutils import escape

from morpion_cli.grid.msr import dump
from morpion_cli.grid.record import Record
from morpion_cli.render.morpion_picture import Picture

_UNIT = 40  # pixels between two neighbouring points
_MARGIN = 36
_RADIUS = 14.5
_BEAD = 18.5  # distance of a line's bead from its end point: just outside the circle of a placed dot

# Seven-segment-like digits as polylines in a box 0.6 wide and 1 high, y down.
_DIGITS = {
    "0": "M.1 0H.5L.6 .1V.9L.5 1H.1L0 .9V.1Z",
    "1": "M.1 .2L.35 0V1",
    "2": "M0 .15L.12 0H.48L.6 .15V.4L0 1H.6",
    "3": "M0 0H.6L.28 .4H.45L.6 .55V.85L.48 1H.12L0 .88",
    "4": "M.45 1V0L0 .68H.62",
    "5": "M.55 0H.06L.02 .45L.15 .38H.45L.6 .53V.85L.46 1H.14L0 .88",
    "6": "M.5 0L.2 .18L0 .55V.85L.14 1H.46L.6 .86V.58L.46 .44H.14L0 .6",
    "7": "M0 0H.6L.2 1",
    "8": "M.14 .45L.02 .33V.12L.14 0H.46L.58 .12V.33L.46 .45H.14L0 .6V.86L.14 1H.46L.6 .86V.6L.46 .45",
    "9": "M.1 1L.4 .82L.6 .45V.15L.46 0H.14L0 .14V.42L.14 .56H.46L.6 .4",
}


def _number(number: int, x: float, y: float) -> str:
    digits = str(number)
    height = {1: 13.0, 2: 11.5}.get(len(digits), 9.0)
    advance = 0.84 * height
    left = x - (advance * (len(digits) - 1) + 0.6 * height) / 2
    return "".join(
        f'<use href="#d{digit}" transform="translate({left + i * advance:.1f} {y - height / 2:.1f}) scale({height})"/>'
        for i, digit in enumerate(digits)
    )


def draw(picture: Picture, record: Record) -> str:
    """Return the picture as an SVG document that carries the record."""
    left, top, right, bottom = picture.box
    width = (right - left) * _UNIT + 2 * _MARGIN
    height = (bottom - top) * _UNIT + 2 * _MARGIN

    def at(x: int, y: int) -> tuple[int, int]:
        return (x - left) * _UNIT + _MARGIN, (y - top) * _UNIT + _MARGIN

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<title>Morpion Solitaire {escape(picture.title)}</title>",
        f'<metadata id="msr">{escape(dump(record).decode())}</metadata>',
        "<defs>",
        *(f'<path id="d{digit}" d="{path}"/>' for digit, path in _DIGITS.items()),
        "</defs>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    grid = "".join(
        f"M{x} {at(left, top)[1]}V{at(left, bottom)[1]}" for x, _ in (at(i, top) for i in range(left, right + 1))
    )
    grid += "".join(
        f"M{at(left, top)[0]} {y}H{at(right, top)[0]}" for _, y in (at(left, j) for j in range(top, bottom + 1))
    )
    parts.append(f'<path d="{grid}" stroke="#e6e6e6" fill="none"/>')
    lines = []
    beads = []
    for move in picture.moves:
        points = move.line(picture.variant)
        (x1, y1), (x2, y2) = at(*points[0]), at(*points[-1])
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length * _BEAD, (y2 - y1) / length * _BEAD
        lines.append(f"M{x1} {y1}L{x2} {y2}")
        beads += [(x1 + ux, y1 + uy), (x2 - ux, y2 - uy)]
    parts.append(f'<path d="{"".join(lines)}" stroke="#0072b2" stroke-width="2.5" fill="none"/>')
    parts.append('<g fill="#0072b2">')
    parts.append("".join(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3.2"/>' for cx, cy in beads))
    parts.append("</g>")
    parts.append('<g fill="#222">')
    parts += [f'<circle cx="{cx}" cy="{cy}" r="8"/>' for cx, cy in (at(*dot) for dot in sorted(picture.start))]
    parts.append("</g>")
    parts.append('<g fill="#fff" stroke="#0072b2" stroke-width="1.5">')
    for number, move in enumerate(picture.moves, 1):
        cx, cy = at(move.x, move.y)
        last = ' fill="#ffe08a"' if number == len(picture.moves) else ""
        parts.append(f'<circle cx="{cx}" cy="{cy}" r="{_RADIUS}"{last}/>')
    parts.append("</g>")
    parts.append('<g stroke="#111" stroke-width=".13" stroke-linecap="round" stroke-linejoin="round" fill="none">')
    parts += [_number(number, *at(move.x, move.y)) for number, move in enumerate(picture.moves, 1)]
    parts += ["</g>", "</svg>", ""]
    return "\n".join(parts)

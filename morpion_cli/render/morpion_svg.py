"""A game as SVG, from the standard library alone.

Each line carries a bead near each of its two ends, so that two lines that meet end to end can be told apart.
"""

from morpion_cli.grid.record import Record
from morpion_cli.render import digits
from morpion_cli.render.morpion_picture import Picture
from morpion_cli.render.svg import document

_UNIT = 40  # pixels between two neighbouring points
_MARGIN = 36
_RADIUS = 14.5
_BEAD = 18.5  # distance of a line's bead from its end point: just outside the circle of a placed dot


def draw(picture: Picture, record: Record) -> str:
    """Return the picture as an SVG document that carries the record."""
    left, top, right, bottom = picture.box
    width = (right - left) * _UNIT + 2 * _MARGIN
    height = (bottom - top) * _UNIT + 2 * _MARGIN

    def at(x: int, y: int) -> tuple[int, int]:
        return (x - left) * _UNIT + _MARGIN, (y - top) * _UNIT + _MARGIN

    parts = [
        digits.DEFINITIONS,
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
    parts.append(f'<g stroke="#111" {digits.STROKES}>')
    parts += [digits.number(order, *at(move.x, move.y)) for order, move in enumerate(picture.moves, 1)]
    parts.append("</g>")
    return document(width, height, f"Morpion Solitaire {picture.title}", record, parts)

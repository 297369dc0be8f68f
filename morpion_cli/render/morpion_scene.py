"""A game of Morpion Solitaire as a scene.

Lines have a colour for each direction, and a bead near each of their two ends, so that two lines that meet end to end
can be told apart.
"""

from morpion_cli.render import digits
from morpion_cli.render.morpion_picture import Picture
from morpion_cli.render.scene import Scene
from morpion_cli.render.theme import Theme

_UNIT = 40  # pixels between two neighbouring points
_MARGIN = 36
_RADIUS = 14.5
_BEAD = 18.5  # distance of a line's bead from its end point: just outside the circle of a placed dot


def scene(picture: Picture, theme: Theme, numbers: bool) -> Scene:
    """Return the whole game as a scene."""
    left, top, right, bottom = picture.box
    width = (right - left) * _UNIT + 2 * _MARGIN
    height = (bottom - top) * _UNIT + 2 * _MARGIN

    def at(x: int, y: int) -> tuple[int, int]:
        return (x - left) * _UNIT + _MARGIN, (y - top) * _UNIT + _MARGIN

    grid = "".join(
        f"M{x} {at(left, top)[1]}V{at(left, bottom)[1]}" for x, _ in (at(i, top) for i in range(left, right + 1))
    )
    grid += "".join(
        f"M{at(left, top)[0]} {y}H{at(right, top)[0]}" for _, y in (at(left, j) for j in range(top, bottom + 1))
    )
    start = "".join(
        f'<circle cx="{cx}" cy="{cy}" r="8" fill="{theme.ink}" stroke="none"/>'
        for cx, cy in (at(*dot) for dot in sorted(picture.start))
    )
    steps = [("", "", start, "")]
    for number, move in enumerate(picture.moves, 1):
        points = move.line(picture.variant)
        (x1, y1), (x2, y2) = at(*points[0]), at(*points[-1])
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length * _BEAD, (y2 - y1) / length * _BEAD
        color = theme.directions[move.dir]
        beads = "".join(
            f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3.2" fill="{color}"/>'
            for cx, cy in ((x1 + ux, y1 + uy), (x2 - ux, y2 - uy))
        )
        cx, cy = at(move.x, move.y)
        steps.append(
            (
                f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{color}" stroke-width="2.5"/>',
                beads,
                f'<circle cx="{cx}" cy="{cy}" r="{_RADIUS}"/>',
                digits.number(number, cx, cy) if numbers else "",
            )
        )
    background = [
        digits.DEFINITIONS if numbers else "",
        f'<rect width="{width}" height="{height}" fill="{theme.paper}"/>',
        f'<path d="{grid}" stroke="{theme.faint}" fill="none"/>',
    ]
    return Scene(
        width,
        height,
        "\n".join(background),
        layers=(
            'fill="none"',
            'stroke="none"',
            f'fill="{theme.disc}" stroke="{theme.ink}" stroke-width="1.3"',
            f'stroke="{theme.number}" {digits.STROKES}',
        ),
        steps=tuple(steps),
        cumulative=True,
        marked=("", "", f"fill:{theme.last}", ""),
        captions=tuple(picture.caption(step) for step in range(len(picture.moves) + 1)),
    )

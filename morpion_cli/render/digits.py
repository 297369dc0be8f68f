"""Numbers in SVG as strokes, so that a converter without fonts shows them too."""

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

DEFINITIONS = "<defs>" + "".join(f'<path id="d{digit}" d="{path}"/>' for digit, path in _DIGITS.items()) + "</defs>"
STROKES = 'stroke-width=".13" stroke-linecap="round" stroke-linejoin="round" fill="none"'


def number(value: int, x: float, y: float) -> str:
    """Return a number centred at a point, for a group with STROKES in a document with DEFINITIONS."""
    digits = str(value)
    height = {1: 13.0, 2: 11.5}.get(len(digits), 9.0)
    advance = 0.84 * height
    left = x - (advance * (len(digits) - 1) + 0.6 * height) / 2
    return "".join(
        f'<use href="#d{digit}" transform="translate({left + i * advance:.1f} {y - height / 2:.1f}) scale({height})"/>'
        for i, digit in enumerate(digits)
    )

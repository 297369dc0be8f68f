import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings

from morpion_cli.formats import msr
from morpion_cli.formats.reading import read
from morpion_cli.grid.record import Record
from morpion_cli.render import morpion_svg as svg
from morpion_cli.render import morpion_text as text
from morpion_cli.render.morpion_picture import picture
from tests.conftest import RECORDS
from tests.grid.strategies import games

GOLDEN = """\




                     ●   ●   ●

                     ●       ●
                               ╲
             ●   ●   ●       ●   ●   ●
                                   ╲
             ●                       ●
                                       ╲
             ●   ●   ●       ●   ●───●───1───2
                     │
                     ●       ●
                     │
                     ●   ●   ●
                     │
                     3

"""

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_text_shows_every_move(path):
    record = read(path).record
    drawing = text.draw(picture(record))
    numbers = sorted(int(number) for number in re.findall(r"\d+", drawing))
    assert numbers == list(range(1, len(record.moves) + 1))
    assert drawing.count("●") == len(picture(record).start)
    limit = 100 if record.puzzle.name == "5T" else 80
    assert max(len(line) for line in drawing.splitlines()) <= limit


def test_text_golden():
    record = read(next(path for path in RECORDS if path.stem == "4D-hyyroporanen35")).record
    assert text.draw(picture(record, 3)) == GOLDEN


def test_colours_do_not_change_the_characters(record_82):
    shown = picture(read(record_82).record)
    colored = text.draw(shown, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text.draw(shown)


@settings(max_examples=30, deadline=None)
@given(games)
def test_svg_holds_the_record_and_every_dot(position):
    record = Record(position.variant, tuple(position.moves), {}, {"author": "A & <B>"})
    root = ET.fromstring(svg.draw(picture(record), record))
    assert msr.parse(root.find(f"{SVG}metadata").text.encode()) == record
    placed = [circle for circle in root.iter(f"{SVG}circle") if circle.get("r") == "14.5"]
    start = [circle for circle in root.iter(f"{SVG}circle") if circle.get("r") == "8"]
    beads = [circle for circle in root.iter(f"{SVG}circle") if circle.get("r") == "3.2"]
    assert (len(placed), len(start), len(beads)) == (
        len(position.moves),
        len(picture(record).start),
        2 * len(position.moves),
    )
    assert root.find(f".//{SVG}text") is None  # digits are paths: no font is needed

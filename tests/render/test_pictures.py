import io
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from PIL import Image

from morpion_cli.formats.reading import parse, read
from morpion_cli.grid.record import Record
from morpion_cli.grid.samegame import Board, random_board
from morpion_cli.grid.sudoku import Entry, Sudoku
from morpion_cli.grid.toys import Toy
from morpion_cli.render import draw
from morpion_cli.render import morpion_text as text
from morpion_cli.render.export import Look, export
from morpion_cli.render.morpion_picture import picture
from morpion_cli.render.room import Room
from morpion_cli.render.theme import THEMES
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


def played(puzzle, choose=lambda moves: moves[0]):
    position = puzzle.start()
    while moves := position.legal_moves():
        position.play(choose(moves))
    return Record(puzzle, tuple(position.moves), {}, {"author": "A & <B>"})


OTHERS = {
    "samegame": lambda: played(Board("samegame", "none", random_board(6, 6, 3, 1, 1))),
    "sudoku": lambda: Record(Sudoku("sudoku", ((1, 2, 3, 4), (3, 4, 0, 0), (0,) * 4, (0,) * 4)), (Entry(2, 1, 1),)),
    "left-move": lambda: played(Toy("left-move", 9)),
}


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
    assert text.draw(picture(record), 3) == GOLDEN


def test_colours_do_not_change_the_characters(record_82):
    shown = picture(read(record_82).record)
    colored = text.draw(shown, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text.draw(shown)


@pytest.mark.parametrize("width", [16, 20, 40, 60, 200])
@pytest.mark.parametrize("name", ["morpion", *OTHERS])
def test_text_fits_the_terminal(name, width, record_82):
    record = read(record_82).record if name == "morpion" else OTHERS[name]()
    drawing = draw.as_text(record, None, False, Room(width)).split("\n\n", 1)[1]
    assert max(len(line) for line in drawing.splitlines()) <= width
    if name == "morpion" and width < 59:
        assert (drawing.count("●"), drawing.count("○")) == (36, 82)


@settings(max_examples=30, deadline=None)
@given(games)
def test_svg_holds_the_record_and_every_dot(position):
    record = Record(position.variant, tuple(position.moves), {}, {"author": "A & <B>"})
    data = export(record, "svg", Look())
    assert parse(data).record == record and parse(data).format == "svg"
    root = ET.fromstring(data)
    circles = {
        radius: [circle for circle in root.iter(f"{SVG}circle") if circle.get("r") == radius]
        for radius in ("14.5", "8", "3.2")
    }
    moves = len(position.moves)
    assert [len(found) for found in circles.values()] == [moves, len(picture(record).start), 2 * moves]
    assert root.find(f".//{SVG}text") is None  # digits are paths: no font is needed
    if moves:
        assert 'style="fill:' in data.decode()  # the newest dot


@pytest.mark.parametrize("name", ["morpion", *OTHERS])
def test_every_picture_carries_its_record_and_shows_its_step(name, record_82):
    record = read(record_82).record if name == "morpion" else OTHERS[name]()
    for kind in ("svg", "png", "html"):
        for theme in THEMES:
            reading = parse(export(record, kind, Look(theme=theme)))
            assert (reading.record.moves, reading.format) == (record.moves, kind)
            assert reading.record.provenance == record.provenance
    light, dark, before, plain = (
        export(record, "png", look)
        for look in (
            Look(width=300),
            Look(theme="dark", width=300),
            Look(step=1, width=300),
            Look(numbers=False, width=300),
        )
    )
    pictures = [Image.open(io.BytesIO(data)).convert("RGB") for data in (light, dark, before, plain)]
    assert all(each.width == 300 for each in pictures)
    pixels = {each.tobytes() for each in pictures}
    assert len(pixels) == {"sudoku": 2, "left-move": 3}.get(name, 4)  # what has no numbers, or one step


def test_animations_have_a_frame_a_step():
    record = OTHERS["samegame"]()
    for kind in ("gif", "webp"):
        movie = Image.open(io.BytesIO(export(record, kind, Look(width=200))))
        assert (movie.format, movie.width, movie.n_frames) == (kind.upper(), 200, len(record.moves) + 1)


def test_pdf_is_one_page(record_82):
    data = export(read(record_82).record, "pdf", Look())
    assert data.startswith(b"%PDF-") and data.count(b"/Type /Page\n") == 1

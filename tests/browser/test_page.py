"""The page that plays a game, in headless Chromium: `make test-browser`."""

import base64
import json
import re

import pytest

from morpion_cli.formats.reading import parse, read
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.record import Record
from morpion_cli.render.export import Look, export
from tests.conftest import ROOT

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser():
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    yield driver
    driver.quit()


def samegame():
    board = GAMES["samegame"].options().puzzle("samegame")
    position = board.start()
    while moves := position.legal_moves():
        position.play(moves[0])
    return Record(board, tuple(position.moves))


RECORDS = {
    "morpion": lambda: read(ROOT / "grids" / "records" / "5T-rosin178.json").record,
    "samegame": samegame,
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_person_steps_through_the_game(browser, tmp_path, name):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    record = RECORDS[name]()
    page = tmp_path / "game.html"
    page.write_bytes(export(record, "html", Look()))
    browser.get(page.as_uri())
    body = browser.find_element(By.TAG_NAME, "body")

    def step():
        return int(browser.find_element(By.ID, "slider").get_property("value"))

    def drawn():
        """Return the steps whose groups are shown."""
        return set(
            browser.execute_script(
                "return groups.filter(g => g.style.display !== 'none').map(g => Number(g.dataset.step))"
            )
        )

    last = len(record.moves)
    start = last if name == "morpion" else 0
    assert step() == start
    body.send_keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert step() == 1
    assert drawn() == ({0, 1} if name == "morpion" else {1})
    body.send_keys(Keys.END)
    assert step() == last
    assert drawn() == (set(range(last + 1)) if name == "morpion" else {last})
    browser.find_elements(By.CSS_SELECTOR, "#moves li")[4].click()
    assert step() == 5
    body.send_keys(" ")
    browser.implicitly_wait(0)
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(browser, 10).until(lambda _: step() > 6)  # it plays
    browser.find_element(By.ID, "play").click()
    paused = step()
    before = body.value_of_css_property("background-color")
    browser.find_element(By.ID, "theme").click()
    assert body.value_of_css_property("background-color") != before
    assert step() == paused
    caption = browser.find_element(By.ID, "caption").text
    assert re.search(rf"after (move )?{paused}", caption)
    link = browser.find_element(By.ID, "download").get_attribute("href")
    saved = base64.b64decode(link.split(",", 1)[1])
    assert parse(saved).record == record and json.loads(saved)["moves"]
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors
    browser.save_screenshot(str(tmp_path / "page.png"))

"""A guest of the pages of a tournament chooses a bot and plays a game against it on a phone."""

import re
import signal

import pytest
from browser.player import Person
from browser.readable import PHONE, check_readable
from cli.command_line import PATIENCE_S, StartedArbiter, call_ok, write_tournament
from selenium.webdriver.common.by import By


@pytest.mark.heavy
def test_a_guest_plays_a_game_that_does_not_count(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write_tournament(
        tmp_path,
        format="ladder",
        max_games=2,
        draws={"max_plies": 8},
        time={"bank_s": 600},
        people={"allowed": True, "aids": "none"},
    )
    call_ok("run", file)
    with StartedArbiter("serve", file, "--at", 0, "--lang", "fr") as running:
        running.read_until("is served at")
        address = re.search(r"http://\S+/", running.lines[-1])[0]
        page.resize(*PHONE)
        page.visit(f"{address}index.html")
        page.driver.find_element(By.LINK_TEXT, "Jouer").click()
        page.wait("document.querySelector('[data-bot=random]')")
        assert page.evaluate("document.querySelector('h1').textContent") == "Jouer contre un programme"
        check_readable(page)
        page.resize(*PHONE)
        page.driver.find_element(By.CSS_SELECTOR, "[data-bot=random]").click()
        page.wait("location.pathname.startsWith('/play/') && location.hash === '' && window.arbiterPage", PATIENCE_S)
        guest = Person(page, "touch")
        guest.button("ready")
        page.wait("arbiterPage.setup")
        guest.play()
        assert guest.is_over
        assert re.search(
            r"\((capture : Drapeau|plus aucun|le nombre maximal)",
            page.evaluate("document.querySelector('.status').textContent"),
        )
        assert page.evaluate("arbiterPage.game.over.ending") in ("ply_limit", "flag_taken", "no_moves")
        page.leave()
        running.popen.send_signal(signal.SIGINT)
        assert running.finish()[0] == 0
    assert len(call_ok("games", file, "--json").splitlines()) == 2

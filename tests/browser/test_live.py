"""Pages of a tournament in progress: they update themselves."""

import re
import time
from contextlib import suppress
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from browser.readable import LOOKS, check_readable
from browser.test_viewer import expected_pieces
from browser.window import HASTEN
from cli.command_line import PATIENCE_S, StartedArbiter
from cli.sleeping_bot import linux_only, wait_until_asleep, wake
from cli.test_serve import address_of
from cli.waiting_bot import FIRST, run_until_waiting, waiting_tournament

from arbiter.record import read_record
from arbiter.show.replay.replay import Replay
from arbiter.tournament.results.live_files import read_live_game
from arbiter.tournament.results.store import Store

pytestmark = [linux_only, pytest.mark.heavy]


@pytest.mark.heavy(keep=1)
def test_a_live_page_follows_a_game_and_shows_all_pieces_at_its_end(page, tmp_path):
    file = waiting_tournament(tmp_path, "each")
    results = tmp_path / "results" / "club.sqlite"
    with run_until_waiting(file, "--serve", 0, "--delay", 1) as running, page.run_before_pages(HASTEN):
        address = address_of(running)
        page.visit(f"{address}follow.html")
        assert f"/games/{FIRST}.html?follow" in page.evaluate("location.href")
        replay = Replay(read_record(read_live_game(results, FIRST)), in_progress=True)
        assert page.evaluate("Number(document.querySelector('#viewer').dataset.frame)") == replay.last - 1
        assert page.drawn_pieces() == expected_pieces(replay, replay.frame(replay.last - 1, "spectator"))
        assert page.evaluate("[...document.querySelectorAll('.seats input')].map((one) => one.value)") == ["spectator"]
        page.wait("document.querySelector('#live').textContent === 'live'")
        check_readable(page, LOOKS[:1])
        wake(tmp_path)
        page.wait("document.querySelectorAll('.seats input').length === 4")
        page.press("o")  # a reader who does something stays on the page
        with Store.read(results) as store:
            replay = Replay(read_record(store.record(FIRST)))
        page.wait(f"document.querySelector('#viewer').dataset.frame == '{replay.last}'")
        assert page.drawn_pieces() == expected_pieces(replay, replay.frame(replay.last, "arbiter"))
        assert "following is paused" in page.evaluate("document.querySelector('#follow').textContent")
        wait_until_asleep(tmp_path)
        wait_until_served(f"{address}follow.html?after={FIRST}")  # meanwhile 404, an error on the console
        page.driver.find_element("css selector", "#follow a").click()
        page.wait("location.href.includes('/games/walker~waiter~1.html?follow')")
        page.leave()
        wake(tmp_path)


def wait_until_served(address):
    """Wait until there is a page at an address.  Raises TimeoutError."""
    limit = time.monotonic() + PATIENCE_S
    while time.monotonic() < limit:
        with suppress(HTTPError), urlopen(address, timeout=PATIENCE_S):
            return
        time.sleep(0.1)
    raise TimeoutError(f"there is no page at {address}")


SCRIPT = '"><script>pwned=1</script><img src=x onerror=pwned=1><svg onload=pwned=1>'
HOSTILE_BOT = f"""
class Bot(HonestBot):
    def build_ready(self):
        return super().build_ready() | {{"name": {SCRIPT!r}, "version": {SCRIPT[:40]!r}, "author": {SCRIPT!r}}}

    def build_act(self, ask):
        sys.stderr.write({SCRIPT!r})
        return super().build_act(ask) | {{"note": {SCRIPT!r}}}

if __name__"""


def test_no_text_of_a_bot_or_of_a_tournament_runs_on_a_live_page(page, tmp_path):
    file = waiting_tournament(tmp_path)
    bot = tmp_path / "base.py"
    bot.write_text(bot.read_text().replace("class Bot:", "class HonestBot:").replace("if __name__", HOSTILE_BOT))
    file.write_text(re.sub('^name = ".*"', f"name = '{SCRIPT}'", file.read_text(), count=1, flags=re.MULTILINE))
    with run_until_waiting(file, "--serve", 0, "--delay", 0) as running:
        address = address_of(running)
        for name in ("index.html", f"games/{FIRST}.html?follow#{SCRIPT}"):
            page.visit(address + name)
            assert "<script>pwned=1" in page.evaluate("document.documentElement.textContent")
            assert page.evaluate("typeof pwned") == "undefined"
            assert page.evaluate("document.querySelectorAll('img[src=x], svg[onload]').length") == 0
        assert page.evaluate("document.querySelector('#viewer') !== null")
        wake(tmp_path)
        page.wait("document.querySelectorAll('.seats input').length >= 3")  # the game is over, and notes are shown
        assert page.evaluate("typeof pwned") == "undefined"
        page.leave()


def test_a_page_outlives_its_server_and_continues_with_the_next_run(page, tmp_path):
    file = waiting_tournament(tmp_path)
    with run_until_waiting(file, "--serve", 0, "--delay", 0) as running, page.run_before_pages(HASTEN):
        address = address_of(running)
        page.visit(f"{address}games/{FIRST}.html")
        page.wait("document.querySelector('#live').textContent === 'live'")
        pieces = page.drawn_pieces()
    page.wait("document.querySelector('#live').textContent === 'reconnecting'")
    assert page.evaluate("/^as of \\d\\d:\\d\\d:\\d\\d$/.test(document.querySelector('#age').textContent)")
    assert page.drawn_pieces() == pieces
    with StartedArbiter("run", file, "--serve", address.rstrip("/").rpartition(":")[2], "--delay", 0) as running:
        running.read_until("the pages stay at")
        page.wait("document.querySelectorAll('.seats input').length >= 3")
        page.visit(f"{address}games/nobody~walker~7.html")
        assert "Not here yet" in page.evaluate("document.body.textContent")
        page.leave()
    page.console_messages()  # the lost connection, and the missing page


NOTE_READINESS = """
let ready = false;
const add = document.addEventListener;
document.addEventListener = function (kind, ...rest) {
  ready ||= kind === "arbiter-boards";
  return add.call(this, kind, ...rest);
};
const Source = window.EventSource;
window.EventSource = class extends Source {
  constructor(address) {
    super(address);
    window.wasReady = ready;
  }
};
"""


def test_live_pages_are_accessible_and_can_draw_a_board_before_it_arrives(page, tmp_path):
    file = waiting_tournament(tmp_path)
    with run_until_waiting(file, "--serve", 0, "--delay", 0) as running:
        address = address_of(running)
        for path in ("index.html", f"games/{FIRST}.html", "wall.html?pin=walker"):
            with page.run_before_pages(NOTE_READINESS):
                page.visit(address + path)
            page.wait("document.querySelector('#live').textContent === 'live'")
            assert path.startswith("games") or page.evaluate("window.wasReady")
            page.wait("document.querySelectorAll('[data-board] .piece, #viewer .piece').length > 20")
            check_readable(page)
        check_wall(page)
        page.visit(f"{address}follow.html?after={FIRST}")
        assert "Waiting for a game" in page.evaluate("document.body.textContent")
        check_readable(page)
        page.console_messages()  # the page is missing
        page.leave()
        wake(tmp_path)


def check_wall(page):
    """Check that a wall shows clocks and the last move, and pins a bot."""
    page.wait("document.querySelector('article .piece')")
    assert page.evaluate("document.querySelectorAll('article').length === document.querySelectorAll('.pinned').length")
    shown = page.evaluate("document.querySelector('article').innerText.split('\\n').filter(Boolean)")
    assert re.fullmatch(r"walker \d+:\d\d(:\d\d|\.\d)?", " ".join(shown[:2]))
    assert re.fullmatch(r"ply \d+ · (red|blue) \w+-\w+ · equal", shown[-1])
    page.evaluate("document.querySelector('.pinned .blue a').click()")  # at once: each event draws the boards again
    page.wait("document.querySelector('article') && !document.querySelector('.pinned')")


def test_the_standings_update_themselves(page, tmp_path):
    file = waiting_tournament(tmp_path, "each")
    with run_until_waiting(file, "--serve", 0) as running:
        page.visit(f"{address_of(running)}index.html")
        page.wait(f"document.querySelector('main a[href=\"games/{FIRST}.html\"]')")
        assert "0 of 2 games are played" in page.evaluate("document.querySelector('main').textContent")
        wake(tmp_path)
        page.wait("document.querySelector('main').textContent.includes('1 of 2 games are played')")
        page.wait("document.querySelector('main a[href=\"games/walker~waiter~1.html\"]')")
        wait_until_asleep(tmp_path)
        wake(tmp_path)
        page.wait("document.querySelector('main').textContent.includes('All 2 games are played')")
        page.leave()

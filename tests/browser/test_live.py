"""Pages of a tournament that is served while it is played: they follow by themselves."""

from browser.readable import PHONE, check_readable
from browser.test_viewer import drawn
from browser.window import DRAWN
from cli.sleeping_bot import linux_only, wait_until_asleep, wake
from cli.test_serve import address_of
from cli.waiting_bot import FIRST, run_until_waiting, waiting_tournament

from arbiter.record import read_record
from arbiter.show.replay.replay import Replay
from arbiter.tournament.results.live_files import read_live_game
from arbiter.tournament.results.store import Store

pytestmark = linux_only


def pieces(page):
    return dict(page.ask(f"({DRAWN})"))


def test_a_game_is_followed_to_its_end_and_then_shown_whole(page, tmp_path):
    file = waiting_tournament(tmp_path, "each")
    results = tmp_path / "results" / "club.sqlite"
    with run_until_waiting(file, "--serve", 0, "--delay", 1) as running:
        page.visit(f"{address_of(running)}games/{FIRST}.html")
        reel = Replay(read_record(read_live_game(results, FIRST)), under_way=True)
        assert page.ask("Number(document.querySelector('#viewer').dataset.frame)") == reel.last - 1
        assert pieces(page) == drawn(reel, reel.frame(reel.last - 1, "spectator"))
        assert page.ask("[...document.querySelectorAll('.seats input')].map((one) => one.value)") == ["spectator"]
        page.wait("document.querySelector('#live').textContent === 'live'")
        wake(tmp_path)
        page.wait("document.querySelectorAll('.seats input').length === 3")
        with Store.read(results) as store:
            reel = Replay(read_record(store.record(FIRST)))
        page.wait(f"document.querySelector('#viewer').dataset.frame == '{reel.last}'")
        assert pieces(page) == drawn(reel, reel.frame(reel.last, "arbiter"))
        wait_until_asleep(tmp_path)
        wake(tmp_path)


def test_pages_that_are_served_can_be_read_by_all(page, tmp_path):
    file = waiting_tournament(tmp_path)
    page.resize(*PHONE)
    with run_until_waiting(file, "--serve", 0, "--delay", 0) as running:
        address = address_of(running)
        for path in ("index.html", f"games/{FIRST}.html"):
            page.visit(address + path)
            page.wait("document.querySelector('#live').textContent === 'live'")
            check_readable(page)
        page.visit("about:blank")
        wake(tmp_path)


def test_the_standings_follow(page, tmp_path):
    file = waiting_tournament(tmp_path, "each")
    with run_until_waiting(file, "--serve", 0) as running:
        page.visit(f"{address_of(running)}index.html")
        page.wait(f"document.querySelector('main').textContent.includes('{FIRST}')")
        assert "0 of 2 games are played" in page.ask("document.querySelector('main').textContent")
        wake(tmp_path)
        page.wait("document.querySelector('main').textContent.includes('1 of 2 games are played')")
        page.wait("document.querySelector('main').textContent.includes('walker~waiter~1')")
        wait_until_asleep(tmp_path)
        wake(tmp_path)
        page.wait("document.querySelector('main').textContent.includes('All 2 games are played')")

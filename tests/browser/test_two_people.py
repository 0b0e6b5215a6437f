"""Two browsers at one table: a game between people, lost connections, other windows and devices, and foreign sites."""

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from browser.player import Person, open_table, read_game

pytestmark = pytest.mark.heavy
LIMIT = ("--set", "max_plies=8")


@pytest.fixture
def table(tmp_path):
    """Open a table for two people; return their addresses."""
    with open_table(tmp_path, "--friend", "--rules", "duel", "--as", "red", *LIMIT) as (_, addresses):
        yield addresses


@pytest.fixture
def people(table, page, other_page):
    """Return two people at one table, red first."""
    one, other = Person(page, "mouse"), Person(other_page, "keyboard", seed=2)
    one.open(table[0])
    other.open(table[1])
    yield one, other
    for window in (page, other_page):
        window.driver.get("about:blank")


def play_in_turns(one, other, most=1000):
    """Play until the game is over, or so many actions."""
    played = 0
    while played < most and not (one.is_over and other.is_over):
        one.window.wait("arbiterPage.setup || arbiterPage.game")
        asked = [person for person in (one, other) if person.is_asked]
        for person in asked:
            person.play(1)
        played += len(asked)
        if not asked:
            time.sleep(0.05)


def play_until_turn(person, foe):
    """Play some actions, and then until it is the turn of a person."""
    play_in_turns(person, foe, 2)
    while person.is_deploying or not person.is_asked:
        assert not (person.is_over and foe.is_over)
        if foe.is_asked:
            foe.play(1)


@pytest.mark.slow
def test_a_draw_is_offered_and_accepted_and_a_game_resigned(people):
    one, other = people
    play_until_turn(one, other)
    one.button("offer_draw")
    one.act()
    other.window.wait("document.querySelector('[data-key=accept_draw]')")
    other.button("accept_draw")
    one.wait_for_turn()
    assert one.page("game.over.ending") == other.page("game.over.ending") == "agreed"
    one.button("rematch")
    other.button("rematch")
    other.window.wait("arbiterPage.setup")
    play_until_turn(other, one)
    other.button("resign")
    other.button("resign_yes")
    one.wait_for_turn()
    assert one.page("game.over.result") == "win"
    assert other.page("game.over.result") == "loss"


def test_a_page_that_is_loaded_again_or_whose_network_is_cut_knows_the_same(people):
    one, other = people
    play_until_turn(one, other)  # no longer: a scout can soon take the flag
    known = "[...arbiterPage.game.knowledge.pieces].map(([place, piece]) => [place, piece.seat, piece.rank])"
    before = sorted(one.window.evaluate(known), key=str), one.page("turn.legal()")
    one.window.driver.refresh()
    one.window.wait("window.arbiterPage?.turn?.question")
    assert (sorted(one.window.evaluate(known), key=str), one.page("turn.legal()")) == before
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    one.cdp("Network.enable")
    one.cdp("Network.emulateNetworkConditions", offline=True, **conditions)
    try:
        one.window.driver.execute_script("arbiterPage.connection.socket.close()")
        one.window.wait("document.querySelector('#line').classList.contains('lost')")
        other.window.wait("document.querySelector('.status').textContent.includes('is not connected')")
    finally:
        one.cdp("Network.emulateNetworkConditions", offline=False, **conditions)
    one.window.wait("!document.querySelector('#line').classList.contains('lost')")
    one.window.wait("arbiterPage.turn?.question")
    assert (sorted(one.window.evaluate(known), key=str), one.page("turn.legal()")) == before
    play_in_turns(one, other)
    assert one.is_over
    one.window.console_messages()


@pytest.mark.slow
def test_another_window_takes_over_and_gives_back(people):
    one, other = people
    play_until_turn(one, other)
    driver = one.window.driver
    first, address = driver.current_window_handle, driver.current_url
    driver.switch_to.new_window("tab")
    driver.get(address)
    one.window.wait("window.arbiterPage?.turn?.question")
    one.act()
    driver.close()
    driver.switch_to.window(first)
    one.window.wait("document.querySelector('#line').textContent.includes('another window')")
    one.button("play_here")
    one.window.wait("window.arbiterPage?.game")
    play_in_turns(one, other)
    assert one.is_over


@pytest.mark.slow
def test_the_game_goes_on_on_another_device(people, page, other_page):
    one, other = people
    play_until_turn(one, other)
    one.button("other_device")
    page.wait("arbiterPage.linkText.value")
    link = page.evaluate("arbiterPage.linkText.value")
    phone = Person(other_page, "touch")
    phone.open(link)
    other_page.wait("window.arbiterPage?.turn?.question")
    assert other_page.evaluate("arbiterPage.game.seat") == "red"
    page.wait("document.querySelector('#line').textContent.includes('another window')")
    phone.act()


# --- foreign sites --------------------------------------------------------------------------------

HOSTILE = """<!doctype html><title>hostile</title><iframe src="{address}"></iframe><script>
window.found = {{}};
const note = (name) => (value) => {{ found[name] = String(value); }};
fetch("{address}table", {{credentials: "include"}}).then((answer) => answer.text()).then(note("read"), () => note("read")("refused"));
fetch("{address}leave", {{method: "POST", credentials: "include", mode: "no-cors"}}).then(note("form"), note("form"));
fetch("{address}leave", {{method: "POST", credentials: "include", headers: {{"Content-Type": "application/json"}}}})
  .then((answer) => note("json")(answer.status), () => note("json")("refused"));
const socket = new WebSocket("{address}socket".replace("http", "ws"));
socket.onopen = () => {{ socket.send('{{"kind":"sync","version":1,"games":[]}}'); }};
socket.onmessage = ({{data}}) => note("socket")(data);
socket.onclose = () => {{ found.socket ??= "refused"; }};
</script>"""


class _Hostile(BaseHTTPRequestHandler):
    content = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *_words):
        """Print nothing."""


def test_a_hostile_page_in_another_tab_reaches_nothing(people):
    one, other = people
    play_in_turns(one, other, 4)
    driver = one.window.driver
    handler = type("Handler", (_Hostile,), {"content": HOSTILE.format(address=driver.current_url).encode()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    first = driver.current_window_handle
    try:
        for host in ("127.0.0.1", "localhost"):  # the same site at another port, which gets the cookie, and another
            driver.switch_to.new_window("tab")
            driver.get(f"http://{host}:{server.server_port}/")
            one.window.wait("['read', 'form', 'json', 'socket'].every((name) => name in found)")
            found = one.window.evaluate("found")
            assert (found["read"], found["json"], found["socket"]) == ("refused",) * 3, found
            assert one.window.evaluate("frames.length") == 1
            driver.switch_to.frame(0)
            assert "arbiterPage" not in driver.execute_script("return Object.keys(window)")
            driver.switch_to.default_content()
            driver.close()
            driver.switch_to.window(first)
        one.window.console_messages()  # the errors of the hostile page
        assert one.window.evaluate("!document.querySelector('#line').classList.contains('lost')")
        play_in_turns(one, other)
        assert one.is_over
    finally:
        server.shutdown()
        server.server_close()


# --- hidden ranks ---------------------------------------------------------------------------------

SPY = """
window.heard = [];
const Real = WebSocket;
window.WebSocket = class extends Real {
  constructor(address) { super(address); this.addEventListener("message", ({data}) => heard.push(data)); }
};
"""


def test_two_people_play_and_change_colours_and_no_hidden_rank_is_sent(people, tmp_path):
    one, other = people
    with one.window.run_before_pages(SPY):
        one.window.driver.refresh()
        one.window.wait("window.arbiterPage?.setup")
    for person, foe in ((one, "friend"), (other, "host")):
        person.window.wait("arbiterPage.setup?.timeLeft.textContent.startsWith('Time left: ')")
        assert person.page(f"nameOf('{person.page('game.foe')}')") == foe
    play_in_turns(one, other)
    assert {one.page("game.over.ending"), other.page("game.over.ending")} <= {"ply_limit", "flag_taken", "no_moves"}
    heard = one.window.evaluate("heard")
    record = [json.loads(line) for line in read_game(tmp_path).splitlines()]
    one.button("rematch")
    other.window.wait("document.querySelector('.status').textContent.includes('wants to play again')")
    other.button("rematch")
    for person, seat in ((one, "blue"), (other, "red")):
        person.window.wait(f"arbiterPage.setup?.seat === '{seat}'")
    shown = [fact for act in record for fact in act.get("facts", []) if fact["type"] == "revealed"]
    allowed = [fact for fact in shown if fact["seat"] == "blue" and "red" in fact["to"]]
    lines = [json.loads(text.partition("\n")[2]) for text in heard if '"kind":"line"' in text]
    facts = [fact for line in lines for fact in line.get("news", [])]
    told = [fact for fact in facts if fact["type"] == "revealed"]
    assert [(fact["place"], fact["rank"]) for fact in told] == [(fact["place"], fact["rank"]) for fact in allowed]
    deployed = next(act["action"]["pieces"] for act in record if act.get("seat") == "blue")
    hidden = set(deployed.values()) - {fact["rank"] for fact in allowed}
    ranks = {rank["id"] for rank in lines[1]["rules"]["ranks"]}
    assert hidden < ranks
    for text in heard:  # but for the rules and the player's own pieces, no message contains a rank
        if '"start"' not in text and '"kind":"sent"' not in text:
            named = {rank for rank in ranks if f'"{rank}"' in text}
            assert named <= {fact["rank"] for fact in allowed}, text

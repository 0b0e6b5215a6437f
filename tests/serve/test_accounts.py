"""Sessions of browsers: invitations that are used once, cookies, foreign requests, limits, and what is stored."""

import json
from functools import partial

import pytest
import trio
from serve.client import send

from arbiter.remote.invitations import SESSION_DAYS, Invitations
from arbiter.serve import accounts as accounts_module
from arbiter.serve.accounts import Accounts
from arbiter.serve.connection import Peer
from arbiter.serve.people import TableSettings, make_people_application

HOST = "club.example"
OWN, JSON = f"http://{HOST}", "application/json"
PLAIN = Peer("10.0.0.1")


class Browser:
    """A browser with its cookies, which sends one request after the other to the pages of people."""

    def __init__(self, folder, peer=PLAIN):
        self.invitations = Invitations(folder / "club.invites")
        self.app = make_people_application(
            Accounts(Invitations(folder / "club.invites"), "play"), TableSettings(title="Club")
        )
        self.peer = peer
        self.scheme = "https" if peer.is_encrypted else "http"
        self.cookies = {}
        self.set_cookie = ""

    def send(self, method, path, body=None, **headers):
        """Send a request, with the origin of the pages; `origin=None` leaves it out."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        usual = {"origin": f"{self.scheme}://{HOST}", "content_type": JSON, "cookie": cookies}
        data = b"" if body is None else json.dumps(body).encode()
        answer = trio.run(partial(send, self.app, method, path, data, peer=self.peer, **usual | headers))
        if "set-cookie" in answer.headers:
            self.set_cookie = answer.headers["set-cookie"]
            name, _, value = self.set_cookie.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        return answer

    def join(self, scope="play", bot="ann"):
        """Open the link of a new invitation; return the path of its page."""
        answer = self.send("POST", "/session", self.invitations.add(bot, scope))
        assert answer.status == 200, answer.body
        return answer.content["address"]


@pytest.fixture
def browser(tmp_path):
    return Browser(tmp_path)


def test_a_link_is_exchanged_for_a_session_of_which_only_hashes_are_stored(browser, tmp_path):
    token = browser.invitations.add("ann", "play")
    answer = browser.send("POST", "/session", token)
    table = browser.send("GET", answer.content["address"] + "table").content
    assert (table["name"], table["title"], table["lang"]) == ("ann", "Club", "en")
    (known,) = Invitations(tmp_path / "club.invites").all
    assert (known.name, known.scope, known.state) == ("ann", "play", "active")
    (secret,) = browser.cookies.values()
    file = tmp_path / "club.invites"
    assert file.stat().st_mode & 0o077 == 0
    assert len(secret) > 40
    for one in (token, token.removeprefix("sab_"), secret):
        assert one not in file.read_text()


def test_with_tls_cookies_are_secure_and_no_page_without_it_changes_anything(tmp_path):
    for peer, is_secure in [(PLAIN, False), (Peer("10.0.0.1", is_encrypted=True), True)]:
        browser = Browser(tmp_path, peer)
        address = browser.join()
        parts = browser.set_cookie.split("; ")
        assert f"Max-Age={SESSION_DAYS * 86400:.0f}" in parts
        assert ("Secure" in parts) == is_secure
        assert "Domain" not in browser.set_cookie
        assert browser.send("POST", f"{address}link", origin=OWN).status == (403 if is_secure else 200)
        assert browser.send("POST", f"{address}link").status == 200


def test_a_link_for_another_device_is_a_new_one(tmp_path):
    ann, phone = Browser(tmp_path), Browser(tmp_path)
    address = ann.join()
    link = ann.send("POST", f"{address}link").content["address"]
    path, _, token = link.partition("#")
    assert path == "/play/"
    other = phone.send("POST", "/session", token).content["address"]
    assert other != address
    assert phone.send("GET", f"{other}table").content["name"] == "ann"
    ann.send("POST", f"{address}leave")
    assert ann.send("GET", f"{address}table").status == 401
    assert phone.send("GET", f"{other}table").status == 200
    assert [one.state for one in Invitations(tmp_path / "club.invites").all] == ["revoked", "active"]


def test_states_of_invitations(browser, tmp_path):
    tokens = [browser.invitations.add(name, "play", days) for name, days in [("a", 1), ("b", 0), ("c", 1), ("d", 1)]]
    browser.invitations.revoke("c")
    assert browser.send("POST", "/session", tokens[3]).status == 200
    invitations = Invitations(tmp_path / "club.invites")
    assert [one.state for one in invitations.all] == ["pending", "expired", "revoked", "active"]
    assert [len(invitations.revoke("a")), len(invitations.revoke_one(invitations.all[3].id))] == [1, 1]
    assert invitations.revoke("a") == []


def test_links_that_wait_are_limited(browser, monkeypatch):
    monkeypatch.setattr(accounts_module, "MOST_LINKS", 2)
    address = browser.join()
    assert [browser.send("POST", f"{address}link").status for _ in range(3)] == [200, 200, 429]
    assert browser.send("POST", "/session", "x" * 2000).status == 401


def test_two_processes_add_invitations_at_the_same_time(tmp_path):
    one, other = Invitations(tmp_path / "club.invites"), Invitations(tmp_path / "club.invites")

    async def main():
        async with trio.open_nursery() as nursery:
            for number in range(10):
                nursery.start_soon(trio.to_thread.run_sync, (one, other)[number % 2].add, f"b{number}")

    trio.run(main)
    assert sorted(known.name for known in Invitations(tmp_path / "club.invites").all) == [f"b{n}" for n in range(10)]


@pytest.mark.parametrize("other", ['{"a": "b c"}', '"' + "\\1" * 6000 + '"', "", "==;;="])
def test_cookies_of_other_pages_change_nothing(browser, other):
    address = browser.join()
    (own,) = browser.cookies
    browser.cookies = {"other": other} | browser.cookies
    assert browser.send("GET", f"{address}table").status == 200
    browser.cookies[own] += "x"
    assert browser.send("GET", f"{address}table").status == 401


def test_a_link_that_does_not_arrive_is_not_waited_for(browser, monkeypatch):
    monkeypatch.setattr(accounts_module, "_BODY_S", 0.1)
    answer = trio.run(partial(send, browser.app, "POST", "/session", origin=OWN, content_type=JSON, content_length=100))
    assert answer.status == 401

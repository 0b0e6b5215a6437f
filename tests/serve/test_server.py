"""The server on a real socket: whoever calls, and however badly, the next one is served."""

import socket
import threading
from contextlib import contextmanager

import pytest
import trio
from serve.spoken import Played

from arbiter.serve import server
from arbiter.serve.server import address_of, is_local, listen, serve
from arbiter.serve.source import SpectatorSettings

PATIENCE_S = 60
ASK = b"GET /index.html HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def served(host="127.0.0.1", source=None):
    """Serve a tournament; yields where."""
    place = listen(host, 0)
    address, ended, over = place.getsockname()[:2], threading.Event(), []

    def work():
        trio.run(serve, source or Played(), SpectatorSettings(), place, lambda: trio.to_thread.run_sync(ended.wait))
        over.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield address
    finally:
        ended.set()
        thread.join(PATIENCE_S)
    assert over


@contextmanager
def calling(address, *said):
    with socket.create_connection(address, timeout=PATIENCE_S) as line:
        for data in said:
            line.sendall(data)
        yield line


def answer(line):
    """Read the head of an answer; nothing where the other side hangs up."""
    heard = b""
    try:
        while b"\r\n\r\n" not in heard and (more := line.recv(65536)):
            heard += more
    except ConnectionError:
        pass
    return heard


def check_next_is_served(address):
    with calling(address, ASK) as line:
        assert answer(line).startswith(b"HTTP/1.1 200 ")


BAD = {
    "no HTTP at all": b"\x00\xff\x13\r\n\r\n" * 10,
    "a head without end": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000,
    "a line without end": b"GET /" + b"x" * 1_000_000,
    "two hosts": b"GET /index.html HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
    "another host": b"GET /index.html HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "no host": b"GET /index.html HTTP/1.1\r\n\r\n",
    "a length that is none": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    "both lengths": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    "CONNECT": b"CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "another server's page": b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
}

SETTINGS = bytes.fromhex("000000040000000000")
HTTP_2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SETTINGS
BAD |= {
    "HTTP/2": HTTP_2,
    "HTTP/2 with too many priorities": HTTP_2
    + b"".join(b"\0\0\5\2\0" + number.to_bytes(4, "big") + b"\0\0\0\0\1" for number in range(3, 4000, 2)),
    "HTTP/2 with a method that is none": HTTP_2 + b"\0\0\x0b\1\5\0\0\0\1" + b"\x02\3G\xffT\x84\x86\x41\1xx",
}


@pytest.fixture(scope="module")
def address():
    with served() as where:
        yield where


@pytest.mark.parametrize("said", BAD.values(), ids=BAD)
def test_what_makes_no_sense_is_refused_and_harms_nobody(address, said):
    with socket.create_connection(address, timeout=PATIENCE_S) as line:
        try:
            line.sendall(said)
        except ConnectionError:  # it has heard enough
            heard = b""
        else:
            heard = answer(line)
    assert heard == b"" or heard.split()[1][:1] == b"4"
    check_next_is_served(address)


OTHERS = {
    "HTTP/2": "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
    "HTTP/2 with settings that are none": "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: !!!x",
    "a websocket": "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
}


@pytest.mark.parametrize("wanted", OTHERS.values(), ids=OTHERS)
def test_who_wants_another_protocol_is_answered_in_this_one(address, wanted):
    with calling(address, ASK[:-2] + wanted.encode() + b"\r\n\r\n") as line:
        assert answer(line).startswith(b"HTTP/1.1 200 ")
    check_next_is_served(address)


@pytest.mark.parametrize("ask", [ASK.replace(b"GET", b"HEAD"), b"HEAD / HTTP/1.0\r\nHost: localhost\r\n\r\n"])
def test_who_asks_for_the_head_alone_is_given_no_more(address, ask):
    with calling(address, ask) as line:
        assert answer(line).endswith(b"\r\n\r\n")
        assert line.recv(1) == b""


def test_no_more_are_heard_than_there_are_places_for(monkeypatch):
    monkeypatch.setattr(server, "MOST_CALLS", 1)
    with served() as address:
        with calling(address, b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n") as first:
            assert answer(first).startswith(b"HTTP/1.1 200 ")
            with calling(address, ASK) as second:
                assert answer(second) == b""
        while True:
            with calling(address, ASK) as third:
                if answer(third):
                    break


def test_who_begins_and_never_ends_is_let_go(address):
    with calling(address, ASK[:20]) as line:
        check_next_is_served(address)
        assert line.recv(1) == b"", "after five seconds"


def test_who_listens_and_never_reads_holds_up_nobody(address):
    with calling(address, b"GET /games/hunter~mine~9.events HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        check_next_is_served(address)


def test_who_asks_without_reading_holds_up_nobody(address):
    with calling(address, ASK * 50):
        check_next_is_served(address)


class Broken(Played):
    """A tournament whose records can be read once, through a fault of ours."""

    reads = 0

    def record(self, game_id):
        self.reads += 1
        if self.reads > 1:
            raise KeyError(game_id)
        return super().record(game_id)


def test_a_page_that_fails_is_told_once_and_harms_no_other(capsys):
    with served(source=Broken()) as address:
        check_next_is_served(address)
        for _ in range(2):
            with calling(address, b"GET /games/hunter~mine~0.html HTTP/1.1\r\nHost: localhost\r\n\r\n") as line:
                assert answer(line).startswith(b"HTTP/1.1 500 ")
        check_next_is_served(address)
    assert capsys.readouterr().err == "a page failed: KeyError('hunter~mine~0')\n"


def test_it_ends_though_somebody_listens():
    with served() as where, calling(where, b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n") as line:
        assert answer(line).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(("host", "local"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)])
def test_where_it_is_found(host, local):
    with listen(host, 0) as place:
        assert is_local(place) is local
        assert address_of(place).endswith(f":{place.getsockname()[1]}/")


def test_who_is_called_by_any_name_answers_to_it():
    ask = b"GET /index.html HTTP/1.1\r\nHost: club.example\r\n\r\n"
    with served("0.0.0.0") as (_, port), calling(("127.0.0.1", port), ask) as line:
        assert answer(line).startswith(b"HTTP/1.1 200 ")

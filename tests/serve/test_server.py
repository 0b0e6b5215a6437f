"""The server on a real socket: whoever calls, and however badly, the next one is served."""

import socket
import threading
from contextlib import contextmanager

import pytest
import trio
from serve.spoken import Played

from arbiter.serve.server import address_of, is_local, listen, serve
from arbiter.serve.source import Terms

PATIENCE_S = 60
ASK = b"GET /index.html HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def served(host="127.0.0.1"):
    """Serve a tournament; yields where."""
    place = listen(host, 0)
    address, ended, over = place.getsockname()[:2], threading.Event(), []

    def work():
        trio.run(serve, Played(), Terms(), place, lambda: trio.to_thread.run_sync(ended.wait))
        over.append(True)

    server = threading.Thread(target=work)
    server.start()
    try:
        yield address
    finally:
        ended.set()
        server.join(PATIENCE_S)
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
    "a websocket": b"GET /events HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
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

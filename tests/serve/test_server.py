"""The server on a real socket: after any request, however malformed, the next client is served."""

import os
import socket
from contextlib import ExitStack, contextmanager
from itertools import cycle

import pytest
import trio
from serve.author import COMMAND, Author
from serve.client import PATIENCE_S, FakeTournament, run_in_thread

from arbiter.serve import server
from arbiter.serve.background import FAREWELL, listen, make_address
from arbiter.serve.connection import REQUEST_TIMEOUT_S, handle_connection
from arbiter.serve.front import MOST_CONNECTIONS, Front
from arbiter.serve.live_games import SpectatorSettings
from arbiter.serve.places import find_network
from arbiter.serve.server import is_local, serve

REQUEST = b"GET /index.html HTTP/1.1\r\nHost: localhost\r\n\r\n"
STREAM = REQUEST.replace(b"/index.html", b"/events")
MANY = MOST_CONNECTIONS + 50
DIRECT = Front()


@contextmanager
def serve_tournament(host="127.0.0.1", source=None, front=DIRECT, **services):
    """Serve a tournament in a thread; yield the address."""
    place = listen(host, 0)
    address = place.getsockname()[:2]
    started = source or FakeTournament()
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(server, "_LAST_CHANGES_S", 0.1)
        with run_in_thread(lambda wait: serve(started, SpectatorSettings(), place, wait, front, **services)):
            yield address


@contextmanager
def connect(address, *requests, host="127.0.0.1"):
    """Connect from an address of this machine, and send requests."""
    with socket.create_connection(address, PATIENCE_S, (host, 0)) as connection:
        for data in requests:
            connection.sendall(data)
        yield connection


def flood_with(stack, address, *requests):
    """Open MANY connections, not faster than the server accepts them: the system would let the others wait."""
    for number, data in zip(range(MANY), cycle(requests), strict=False):
        stack.enter_context(connect(address, data))
        if number % 50 == 0:
            check_next_is_served(address)


def read_head(connection):
    """Read the head of an answer, b"" if the server closes the connection."""
    received = b""
    try:
        while b"\r\n\r\n" not in received and (more := connection.recv(65536)):
            received += more
    except ConnectionError:
        pass
    return received


def check_next_is_served(address):
    with connect(address, REQUEST) as connection:
        assert read_head(connection).startswith(b"HTTP/1.1 200 ")


BAD = {
    "not HTTP": b"\x00\xff\x13\r\n\r\n" * 10,
    "an endless head": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000,
    "an endless line": b"GET /" + b"x" * 1_000_000,
    "two hosts": b"GET /index.html HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
    "no host": b"GET /index.html HTTP/1.1\r\n\r\n",
    "a negative length": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
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
    "HTTP/2 with an invalid method": HTTP_2 + b"\0\0\x0b\1\5\0\0\0\1" + b"\x02\3G\xffT\x84\x86\x41\1xx",
}


@pytest.fixture(scope="module")
def address():
    with serve_tournament() as where:
        yield where


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_a_malformed_request_is_refused_and_harms_no_other(address, data):
    with socket.create_connection(address, timeout=PATIENCE_S) as connection:
        try:
            connection.sendall(data)
        except ConnectionError:  # the server has already closed the connection
            received = b""
        else:
            received = read_head(connection)
    assert received == b"" or received.split()[1][:1] == b"4"
    check_next_is_served(address)


UPGRADES = {
    "HTTP/2": "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
    "HTTP/2 with invalid settings": "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: !!!x",
}


@pytest.mark.parametrize("fields", UPGRADES.values(), ids=UPGRADES)
def test_a_request_for_another_protocol_is_answered_in_http_1(address, fields):
    with connect(address, REQUEST[:-2] + fields.encode() + b"\r\n\r\n") as connection:
        assert read_head(connection).startswith(b"HTTP/1.1 200 ")
    check_next_is_served(address)


@pytest.mark.parametrize("head", [REQUEST.replace(b"GET", b"HEAD"), b"HEAD / HTTP/1.0\r\nHost: localhost\r\n\r\n"])
def test_a_head_request_gets_no_body(address, head):
    with connect(address, head) as connection:
        assert read_head(connection).endswith(b"\r\n\r\n")
        assert connection.recv(1) == b""


FLOODS = {
    "half requests and streams": [REQUEST[:20], STREAM],
    "forwarded streams": [STREAM[:-2] + b"X-Forwarded-For: 2001:db8::%d\r\n\r\n" % end for end in range(MANY)],
    "nothing": [b""],
    "streams": [STREAM],
}


@pytest.mark.heavy(keep=2)
@pytest.mark.parametrize("requests", FLOODS.values(), ids=FLOODS)
def test_one_address_keeps_no_other_out(requests):
    proxy = "127.0.0.1" if b"Forwarded" in requests[0] else None
    with serve_tournament(front=Front(proxy=proxy)) as address, ExitStack() as flood:
        flood_with(flood, address, *requests)
        for data in (STREAM, *[REQUEST] * 12):
            head = read_head(flood.enter_context(connect(address, data, host="127.0.0.2")))
            assert head.startswith(b"HTTP/1.1 200 ")


def test_a_valid_token_keeps_its_connection_although_its_address_floods(tmp_path):
    author = Author(tmp_path)
    head = f"POST /submissions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {author.token}\r\n"
    head += f"X-Arbiter-Command: {COMMAND}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    with serve_tournament(authors=author.authors) as address, ExitStack() as flood:
        flood_with(flood, address, b"")
        upload = flood.enter_context(connect(address, head.encode()))
        assert read_head(upload).startswith(b"HTTP/1.1 100 ")
        flood_with(flood, address, b"")
        upload.sendall(b"ab")
        assert read_head(upload).startswith(b"HTTP/1.1 202 ")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:8080", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::7", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::8]:443", "2001:db8:1:2::/64"),
        ("unknown", "unknown"),
        ("[", "["),
    ],
)
def test_clients_are_counted_by_address_or_network(address, network):
    assert find_network(address) == network


def test_a_client_that_does_not_finish_its_request_is_disconnected():
    async def main():
        near, far = trio.testing.memory_stream_pair()
        await near.send_all(REQUEST[:20])
        await handle_connection(None, far)
        assert (await near.receive_some(), trio.current_time() >= REQUEST_TIMEOUT_S) == (b"", True)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_listener_that_does_not_read_delays_no_other(address):
    with connect(address, b"GET /games/hunter~mine~9.events HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        check_next_is_served(address)


def test_requests_without_reading_the_answers_delay_no_other(address):
    with connect(address, REQUEST * 50):
        check_next_is_served(address)


class Broken(FakeTournament):
    """A tournament whose records can be read only once, as if by a fault of the arbiter."""

    reads = 0

    def record(self, game_id):
        self.reads += 1
        if self.reads > 1:
            raise KeyError(game_id)
        return super().record(game_id)


def test_a_page_that_fails_is_reported_once_and_harms_no_other(capsys):
    with serve_tournament(source=Broken()) as address:
        check_next_is_served(address)
        for _ in range(2):
            with connect(address, b"GET /games/hunter~mine~0.html HTTP/1.1\r\nHost: localhost\r\n\r\n") as connection:
                assert read_head(connection).startswith(b"HTTP/1.1 500 ")
        check_next_is_served(address)
    assert capsys.readouterr().err == "a request failed: KeyError('hunter~mine~0')\n"


def test_the_server_ends_although_somebody_listens():
    with serve_tournament() as where, connect(where, b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n") as connection:
        assert read_head(connection).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(("farewell", "codes"), [(FAREWELL, []), (b"", [1])])
def test_a_server_ends_at_once_only_if_its_parent_was_killed(farewell, codes, monkeypatch):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    usual, (ours, its) = os.dup(0), os.pipe()
    os.write(its, farewell)
    os.close(its)
    os.dup2(ours, 0)
    try:
        trio.run(server.wait_for_farewell)
    finally:
        os.dup2(usual, 0)
        os.close(usual)
        os.close(ours)
    assert ended == codes


@pytest.mark.parametrize(("host", "local"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False)])
def test_the_address_of_the_server(host, local):
    with listen(host, 0) as place:
        assert is_local(place) is local
        assert make_address(place).endswith(f":{place.getsockname()[1]}/")


def test_a_server_on_all_addresses_answers_to_any_host_name():
    ask = b"GET /index.html HTTP/1.1\r\nHost: club.example\r\n\r\n"
    with serve_tournament("0.0.0.0") as (_, port), connect(("127.0.0.1", port), ask) as connection:
        assert read_head(connection).startswith(b"HTTP/1.1 200 ")

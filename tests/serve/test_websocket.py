"""WebSockets and request bodies at the server on a real socket, in the clear and over TLS."""

import base64
import os
import socket
import ssl
import time
from contextlib import contextmanager, suppress

import pytest
import trio
import trustme
from serve.client import PATIENCE_S, run_in_thread
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from arbiter.errors import ConfigError
from arbiter.serve import connection, websocket
from arbiter.serve.background import listen
from arbiter.serve.front import Front, Server, load_tls

OPEN = Front()
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)) + b"\r\n\r\n"
)


async def echo(scope, receive, send):
    """Echo messages, or the body of a request; the path /no refuses, /who reports the client and the scheme."""
    if scope["type"] == "http":
        body, more = f"{scope['client'][0]} {scope['scheme']} ".encode(), True
        while more:
            part = await receive()
            body, more = body + part["body"], part["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})
        return
    await receive()
    if scope["path"] == "/no":
        return
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({**message, "type": "websocket.send"})


@contextmanager
def serve_echo(front=OPEN):
    """Serve `echo` in a thread; yield the port."""
    place = listen("127.0.0.1", 0)

    async def work(wait):
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(place))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, Server(echo, front).handle, [listener])
            await wait()
            nursery.cancel_scope.cancel()

    with run_in_thread(work):
        yield place.getsockname()[1]


@pytest.fixture(scope="module")
def port():
    with serve_echo() as number:
        yield number


def open_raw(port, head=HANDSHAKE):
    """Open a WebSocket without a client that follows its rules."""
    raw = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    raw.sendall(head)
    if head is HANDSHAKE:
        assert raw.recv(4096).startswith(b"HTTP/1.1 101 ")
    return raw


def read_all(raw):
    """Read all until the server closes the connection; answer the last frame, so that it does so at once."""
    received = b""
    with suppress(ConnectionError):
        while data := raw.recv(65536):
            received += data
            if received.startswith(b"\x88"):
                raw.shutdown(socket.SHUT_WR)
    return received


def send_for_ever(raw, payload):
    while True:
        raw.sendall(frame(0x82, payload))


def frame(opcode, payload, *, masked=True):
    """Make a frame with the mask 0."""
    size = len(payload)
    length = bytes([masked << 7 | size]) if size < 126 else bytes([masked << 7 | 126]) + size.to_bytes(2, "big")
    return bytes([opcode]) + length + bytes(4 * masked) + payload


@pytest.mark.parametrize("message", ["text", b"bytes", "", "ä" * 30_000, b"x" * 65_000])
def test_messages_are_echoed(port, message):
    with connect(f"ws://127.0.0.1:{port}/") as client:
        client.send(message)
        assert client.recv(PATIENCE_S) == message


def test_an_application_can_refuse(port):
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://127.0.0.1:{port}/no")


ABUSE = {
    "too long": (b"".join(frame(opcode, b"x" * 60_000) for opcode in (0x01, 0x80)), 1009),
    "endless empty parts": (frame(0x01, b"") + frame(0x00, b"") * 5000, 1009),
    "wrong UTF-8": (frame(0x81, b"\xff\xfe"), 1007),
    "half a character": (frame(0x81, "ä".encode()[:1]), 1007),
    "not masked": (frame(0x81, b"hello", masked=False), 1002),
    "unknown opcode": (frame(0x83, b"hello"), 1002),
    "reserved bit": (frame(0xC1, b"hello"), 1002),
    "a continuation of nothing": (frame(0x80, b"hello"), 1002),
    "a close without a code": (b"\x88\x80" + bytes(4), None),
    "a close with one byte": (b"\x88\x81" + bytes(4) + b"x", 1002),
    "HTTP again": (HANDSHAKE, 1002),
}


@pytest.mark.parametrize(("data", "code"), ABUSE.values(), ids=ABUSE)
def test_abuse_ends_with_a_code_and_harms_no_other(port, data, code, capsys, monkeypatch):
    monkeypatch.setattr(websocket, "MOST_MESSAGE", 4096)
    with open_raw(port) as raw, connect(f"ws://127.0.0.1:{port}/") as other:
        with suppress(ConnectionError):  # closed already
            raw.sendall(data)
        closing = read_all(raw)
        other.send("still there")
        assert other.recv(PATIENCE_S) == "still there"
    if code is not None and closing:
        assert closing[0] == 0x88
        assert int.from_bytes(closing[2:4], "big") == code
    assert capsys.readouterr().err == ""


HANDSHAKES = {
    "no key": b"\r\n".join(line for line in HANDSHAKE.split(b"\r\n") if b"-Key" not in line),
    "an old version": HANDSHAKE.replace(b"Version: 13", b"Version: 8"),
    "with a body": HANDSHAKE[:-2] + b"Content-Length: 5\r\n\r\n12345",
    "POST": HANDSHAKE.replace(b"GET", b"POST"),
}


@pytest.mark.parametrize("head", HANDSHAKES.values(), ids=HANDSHAKES)
def test_a_wrong_handshake_is_refused(port, head):
    with open_raw(port, head) as raw:
        assert read_all(raw).split()[1][:1] == b"4"


def test_a_client_that_answers_no_ping_is_disconnected():
    """One that answers them stays."""
    silent_for = {}

    async def talk(nursery, name):
        near, far = trio.testing.memory_stream_pair()
        nursery.start_soon(connection.handle_connection, echo, far)
        await near.send_all(HANDSHAKE)
        while data := await near.receive_some():
            if data == b"\x89\x00" and name == "answers":
                await near.send_all(frame(0x8A, b""))
        silent_for[name] = trio.current_time()

    async def main():
        with trio.move_on_after(10 * websocket.SILENCE_S):
            async with trio.open_nursery() as nursery:
                for name in ("answers", "is silent"):
                    nursery.start_soon(talk, nursery, name)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert silent_for == {"is silent": websocket.SILENCE_S + websocket.CLOSE_TIMEOUT_S}


def test_a_client_that_never_reads_is_disconnected_and_does_not_hold_up_the_end(monkeypatch):
    monkeypatch.setattr(websocket, "MOST_WAITING", 1 << 18)
    with serve_echo() as port, open_raw(port) as fills, open_raw(port) as stays:
        with pytest.raises(ConnectionError):
            send_for_ever(fills, b"x" * 60_000)
        stays.settimeout(0)
        with suppress(BlockingIOError, ConnectionError):  # what is sent first may already be too much
            send_for_ever(stays, b"x" * 1000)
        begun = time.monotonic()
    assert time.monotonic() - begun < PATIENCE_S / 2


def test_a_body_has_a_limit(monkeypatch):
    monkeypatch.setattr(connection, "MOST_BODY", 1000)
    head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n"
    chunked = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with serve_echo() as port:
        for data, status, end in [
            (head.format(1000).encode() + b"x" * 1000, b"200", b"x" * 1000),
            (head.format(1001).encode() + b"x" * 1001, b"413", b""),
            (chunked + b"3\r\nabc\r\n0\r\n\r\n", b"200", b" abc"),
            (chunked + b"3e9\r\n" + b"x" * 1001 + b"\r\n", b"413", b""),
        ]:
            with open_raw(port, data) as raw:
                answer = read_all(raw)
                assert answer.split()[1] == status
                assert answer.endswith(end)


@pytest.mark.parametrize("proxy", [None, "127.0.0.1", "127.0.0.2"])
def test_only_the_named_proxy_is_believed(proxy):
    ask = (
        b"POST /who HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 6.6.6.6, 192.0.2.7\r\n"
        b"X-Forwarded-Proto: https\r\nContent-Length: 0\r\n\r\n"
    )
    with serve_echo(Front(proxy=proxy)) as port, open_raw(port, ask) as raw:
        found = read_all(raw).rpartition(b"\r\n\r\n")[2].split()
    assert found == ([b"192.0.2.7", b"https"] if proxy == "127.0.0.1" else [b"127.0.0.1", b"http"])


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def tls_files(authority, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    issued = authority.issue_cert("localhost", "127.0.0.1")
    for number, part in enumerate(issued.cert_chain_pems):
        part.write_to_path(folder / "cert.pem", append=number > 0)
    issued.private_key_pem.write_to_path(folder / "key.pem")
    return folder / "cert.pem", folder / "key.pem"


def test_tls(authority, tls_files):
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    with serve_echo(Front(load_tls(*tls_files))) as port:
        with open_raw(port, b"\x16\x03 no handshake\r\n\r\n") as wrong:
            read_all(wrong)
        with open_raw(port, b""):  # one that never begins the handshake does not hold up others
            with connect(f"wss://localhost:{port}/", ssl=trusted) as client:
                client.send("secret")
                assert client.recv(PATIENCE_S) == "secret"
            with pytest.raises(ssl.SSLCertVerificationError):
                connect(f"wss://localhost:{port}/")


def test_a_wrong_certificate_is_refused_in_one_line(tls_files, tmp_path):
    certificate, key = tls_files
    other = tmp_path / "other.pem"
    trustme.CA().issue_cert("localhost").private_key_pem.write_to_path(other)
    for pair, part in [
        ((certificate, other), "KEY_VALUES_MISMATCH"),
        ((key, key), "PEM"),
        ((tmp_path / "no", key), "No such file"),
    ]:
        with pytest.raises(ConfigError, match=part):
            load_tls(*pair)

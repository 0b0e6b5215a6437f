"""Programs that authors hand in: tokens, quotas, sizes, and archives that are stored as they arrive."""

import json
from contextlib import suppress
from functools import partial

import h11
import msgspec
import pytest
import trio
from msgspec.structs import replace
from serve.client import PATIENCE_S
from starlette.applications import Starlette

from arbiter.remote.invitations import Invitations
from arbiter.serve.accounts import MOST_WRONG
from arbiter.serve.connection import MOST_BODY, Peer, handle_connection
from arbiter.serve.uploads import Uploads
from arbiter.submissions.store import Submissions

ARCHIVE = b"not opened by the server" * 1000
COMMAND = '["./bot.py"]'


class Author:
    """An author with the token of an invitation, who sends one request after the other."""

    def __init__(self, folder, scope="upload", bot="deep", **limits):
        self.folder = folder / "club.submissions"
        self.invitations = Invitations(folder / "club.invites")
        self.token = self.invitations.add(bot, scope)
        limits = {"max_mb": 1, "per_day": 5} | limits
        uploads = Uploads(Submissions(self.folder), Invitations(folder / "club.invites"), **limits)
        self.app = Starlette(routes=uploads.list_routes())

    @property
    def stored(self):
        return Submissions(self.folder).list_all()

    def send(self, body=None, path="/uploads", **changed):
        """Send a request, a POST if there is a body; return the status and the answer."""
        return trio.run(self._send, body, path, changed)

    async def _send(self, body, path, changed):
        headers = {"Host": "club.example", "Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers |= {"X-Arbiter-Command": COMMAND, "Content-Length": str(len(body))}
        headers |= {name.title().replace("_", "-"): value for name, value in changed.items()}
        near, far = trio.testing.memory_stream_pair()
        client = h11.Connection(h11.CLIENT)
        given = [(name, value) for name, value in headers.items() if value is not None]
        request = h11.Request(method="GET" if body is None else "POST", target=path, headers=given)
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(handle_connection, self.app, far, Peer("10.0.0.1")))
                nursery.start_soon(self._write, near, client.send(request), client, body or b"")
                answer = await _read(client, near)
                nursery.cancel_scope.cancel()
        return answer

    @staticmethod
    async def _write(stream, head, client, body):
        with suppress(trio.BrokenResourceError):  # the server reads no more than it needs
            await stream.send_all(head)
            for start in range(0, len(body), MOST_BODY):
                await stream.send_all(client.send(h11.Data(body[start : start + MOST_BODY])))
            await stream.send_all(client.send(h11.EndOfMessage()))


async def _read(client, stream):
    status, body = None, b""
    while True:
        event = client.next_event()
        if event is h11.NEED_DATA:
            client.receive_data(await stream.receive_some())
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += event.data
        else:
            return status, json.loads(body)


def test_an_archive_is_stored_as_it_arrives(tmp_path):
    author = Author(tmp_path)
    assert author.send() == (200, {"bot": "deep", "max_mb": 1, "per_day": 5})
    status, answer = author.send(ARCHIVE)
    assert (status, answer["number"], answer["state"], answer["steps"]) == (202, 1, "waiting", [])
    (found,) = author.stored
    assert (found.bot, found.command, found.state, found.size) == ("deep", ("./bot.py",), "waiting", len(ARCHIVE))
    place = author.folder / "1"
    assert (place / "archive").read_bytes() == ARCHIVE
    assert place.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in place.iterdir()) == ["archive", "submission.json"]
    (line,) = (author.folder / "journal.jsonl").read_text().splitlines()
    noted = msgspec.json.decode(line)
    assert (noted["who"], noted["what"], noted["number"]) == ("deep", "waiting", 1)
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or author.token.encode() not in path.read_bytes()


def test_authors_see_their_own_programs_alone(tmp_path):
    author = Author(tmp_path)
    author.send(ARCHIVE)
    stranger = Author(tmp_path, bot="mine")
    assert author.send(path="/uploads/1")[1]["state"] == "waiting"
    assert stranger.send(path="/uploads/1")[0] == 404
    for number in ("2", "0", "-1", "x", "%C2%B2", "9" * 5000):
        assert author.send(path=f"/uploads/{number}")[0] == 404
    assert stranger.send(ARCHIVE)[1]["before"] == 1


@pytest.mark.parametrize("scope", ["program", "play", "organise"])
def test_invitations_for_something_else_hand_in_nothing(tmp_path, scope):
    author = Author(tmp_path, scope)
    assert author.send()[0] == author.send(ARCHIVE)[0] == 401
    assert author.stored == []


@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer sab_wrong", "Basic c2FiXzpzYWJf"])
def test_a_wrong_token_hands_in_nothing(tmp_path, given):
    author = Author(tmp_path)
    assert author.send(ARCHIVE, authorization=given)[0] == 401
    assert author.stored == []


def test_a_revoked_token_hands_in_nothing(tmp_path):
    author = Author(tmp_path)
    author.send(ARCHIVE)
    author.invitations.revoke("deep")
    assert author.send(ARCHIVE)[0] == author.send(path="/uploads/1")[0] == 401
    assert len(author.stored) == 1


def test_a_banned_author_sees_why_and_hands_in_nothing(tmp_path):
    author = Author(tmp_path)
    author.send(ARCHIVE)
    store = Submissions(author.folder)
    with store.deciding("organiser", "banned", author="deep") as decisions:
        decisions.banned["deep"] = "spam"
    banned = (403, {"error": "deep is banned from handing in programs: spam"})
    assert author.send() == author.send(ARCHIVE) == banned
    assert author.send(path="/uploads/1")[0] == 200
    assert Author(tmp_path, bot="mine").send(ARCHIVE)[0] == 202
    with store.deciding("organiser", "ban lifted", author="deep") as decisions:
        decisions.banned.clear()
    assert author.send(ARCHIVE)[0] == 202


def test_tokens_cannot_be_guessed_fast(tmp_path):
    author = Author(tmp_path)
    for _ in range(MOST_WRONG):
        assert author.send(authorization="Bearer sab_wrong")[0] == 401
    assert author.send()[0] == 429


def test_pages_of_other_sites_hand_in_nothing(tmp_path):
    author = Author(tmp_path)
    assert author.send(ARCHIVE, origin="http://evil.example")[0] == 403
    assert author.send(ARCHIVE, origin="null")[0] == 403
    assert author.stored == []


def test_too_long_archives_leave_nothing(tmp_path):
    author = Author(tmp_path)
    long = bytes((1 << 20) + 1)
    status, answer = author.send(long)
    assert (status, answer["error"]) == (413, "the archive has more than 1 MiB")
    assert author.send(long, content_length=None, transfer_encoding="chunked")[0] == 413
    assert author.stored == []
    assert author.send(bytes(1 << 20))[0] == 202


def test_an_upload_that_breaks_off_leaves_nothing_and_counts_nothing(tmp_path):
    author = Author(tmp_path, per_day=1)

    async def break_off():
        near, far = trio.testing.memory_stream_pair()
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(handle_connection, author.app, far, Peer("10.0.0.1")))
                head = f"POST /uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {author.token}\r\n"
                await near.send_all(f"{head}X-Arbiter-Command: {COMMAND}\r\nContent-Length: 9\r\n\r\nhalf".encode())
                await near.aclose()

    trio.run(break_off)
    assert author.stored == []
    assert author.send(ARCHIVE)[0] == 202


@pytest.mark.parametrize("command", ["", "./bot", "[]", "{}", "[1]", '"./bot"', json.dumps(["x" * 1001]), "[" * 1000])
def test_what_is_no_command_is_refused(tmp_path, command):
    author = Author(tmp_path)
    assert author.send(ARCHIVE, x_arbiter_command=command)[0] == 400
    assert author.stored == []


def test_an_empty_archive_is_refused(tmp_path):
    author = Author(tmp_path)
    assert author.send(b"")[0] == 400
    assert author.stored == []


def test_versions_are_limited_by_day_and_author(tmp_path):
    author = Author(tmp_path, per_day=2)
    assert [author.send(ARCHIVE)[0] for _ in range(3)] == [202, 202, 429]
    status, answer = author.send()
    assert (status, answer["error"].startswith("2 versions of deep in 24 hours are allowed")) == (429, True)
    assert Author(tmp_path, bot="mine", per_day=2).send(ARCHIVE)[0] == 202
    store = Submissions(author.folder)
    store.save(replace(author.stored[0], created="2026-01-01T00:00:00+00:00"))
    assert author.send(ARCHIVE)[0] == 202


def test_a_full_disk_is_not_filled_further(tmp_path):
    author = Author(tmp_path)
    author.send(ARCHIVE)
    store = Submissions(author.folder)
    store.save(replace(author.stored[0], size=8 << 30))
    assert author.send(ARCHIVE)[0] == 507

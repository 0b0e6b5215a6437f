"""Programs that authors submit: tokens, quotas, sizes, and archives that are stored as they arrive."""

import json

import msgspec
import pytest
import trio
from msgspec.structs import replace
from serve.author import ARCHIVE, COMMAND, Author
from serve.client import PATIENCE_S

from arbiter.serve.connection import Peer, handle_connection
from arbiter.submissions.store import Submissions
from arbiter.submissions.versions import promote, reject, roll_back


@pytest.fixture
def author(tmp_path):
    return Author(tmp_path)


def test_an_archive_is_stored_as_it_arrives(author, tmp_path):
    assert author.send() == (200, {"bot": "deep", "max_mb": 1, "per_day": 5})
    status, answer = author.send(ARCHIVE)
    assert (status, answer["number"], answer["state"], answer["steps"]) == (202, 1, "waiting", [])
    (found,) = author.stored
    assert (found.bot, found.command, found.state) == ("deep", ("./bot.py",), "waiting")
    place = author.folder / "1"
    assert (place / "archive").read_bytes() == ARCHIVE
    assert place.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in place.iterdir()) == ["archive", "submission.json"]
    (line,) = (author.folder / "journal.jsonl").read_text().splitlines()
    noted = msgspec.json.decode(line)
    assert (noted["who"], noted["what"], noted["number"]) == ("deep", "waiting", 1)
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or author.token.encode() not in path.read_bytes()


def test_authors_see_their_own_programs_alone(author, tmp_path):
    author.send(ARCHIVE)
    stranger = Author(tmp_path, bot="mine")
    assert author.send(path="/submissions/1")[1]["state"] == "waiting"
    assert stranger.send(path="/submissions/1")[0] == 404
    for number in ("2", "0", "-1", "x", "%C2%B2", "9" * 5000):
        assert author.send(path=f"/submissions/{number}")[0] == 404
    assert stranger.send(ARCHIVE)[1]["before"] == 1


def test_a_banned_author_sees_why_and_hands_in_nothing(author, tmp_path):
    author.send(ARCHIVE)
    store = Submissions(author.folder)
    with store.deciding("organiser", "banned", author="deep") as decisions:
        decisions.banned["deep"] = "spam"
    banned = (403, {"error": "deep is banned from submitting programs: spam"})
    assert author.send() == author.send(ARCHIVE) == banned
    assert author.send(path="/submissions/1")[0] == 200
    assert Author(tmp_path, bot="mine").send(ARCHIVE)[0] == 202
    with store.deciding("organiser", "ban lifted", author="deep") as decisions:
        decisions.banned.clear()
    assert author.send(ARCHIVE)[0] == 202


def test_too_long_archives_leave_nothing(author):
    long = bytes((1 << 20) + 1)
    status, answer = author.send(long)
    assert (status, answer["error"]) == (413, "the archive has more than 1 MiB")
    assert author.send(long, content_length=None, transfer_encoding="chunked")[0] == 413
    assert author.stored == []
    assert author.send(bytes(1 << 20))[0] == 202


def test_an_upload_that_breaks_off_leaves_nothing_and_counts_nothing(tmp_path):
    author = Author(tmp_path, per_day=1)
    head = f"POST /submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {author.token}\r\n"

    async def break_off():
        near, far = trio.testing.memory_stream_pair()
        await near.send_all(f"{head}X-Arbiter-Command: {COMMAND}\r\nContent-Length: 9\r\n\r\nhalf".encode())
        await near.send_stream.aclose()
        with trio.fail_after(PATIENCE_S):
            await handle_connection(author.app, far, Peer("10.0.0.1"))

    trio.run(break_off)
    assert author.stored == []
    assert author.send(ARCHIVE)[0] == 202


@pytest.mark.parametrize("command", ["", "./bot", "[]", "{}", "[1]", '"./bot"', json.dumps(["x" * 1001]), "[" * 1000])
def test_what_is_no_command_is_refused(author, command):
    assert author.send(ARCHIVE, x_arbiter_command=command)[0] == 400
    assert author.stored == []


def test_a_build_is_stored_with_the_command(author):
    assert author.send(ARCHIVE, x_arbiter_build="make")[0] == author.send(b"")[0] == 400
    assert author.stored == []
    assert author.send(ARCHIVE, x_arbiter_build='["make", "-j2"]')[0] == 202
    assert [one.build for one in author.stored] == [("make", "-j2")]


def test_versions_are_limited_by_day_and_author(tmp_path):
    author = Author(tmp_path, per_day=2)
    assert [author.send(ARCHIVE)[0] for _ in range(3)] == [202, 202, 429]
    status, answer = author.send()
    assert (status, answer["error"].startswith("2 versions of deep in 24 hours are allowed")) == (429, True)
    assert Author(tmp_path, bot="mine", per_day=2).send(ARCHIVE)[0] == 202
    store = Submissions(author.folder)
    store.save(replace(author.stored[0], created="2026-01-01T00:00:00+00:00"))
    assert author.send(ARCHIVE)[0] == 202


def test_a_full_disk_is_not_filled_further(author, monkeypatch):
    """All that is in the folder counts, also what no program names."""
    monkeypatch.setattr("arbiter.submissions.store.MOST_STORED", (2 << 30) + (4 << 20))
    assert author.send(ARCHIVE)[0] == 202
    entry = author.folder / "entries" / "some"
    entry.mkdir(parents=True)
    for number in range(600):
        (entry / str(number)).write_bytes(bytes(5000))
    assert author.send(ARCHIVE)[0] == 507


def test_authors_promote_and_roll_back_their_own_programs(tmp_path):
    author, stranger = Author(tmp_path), Author(tmp_path, bot="mine")
    number, failed = author.submit(), author.submit("failed")
    promote, back = f"/submissions/{number}/promote", f"/submissions/{number}/rollback"
    assert stranger.send(b"", promote)[0] == stranger.send(b"", back)[0] == 404
    assert author.send(b"", f"/submissions/{failed}/promote")[0] == 409
    assert author.send(b"", back)[0] == 409
    assert author.send(b"", promote) == (202, {"plays": "deep-1", "instead_of": "deep"})
    own = author.send(path="/submissions/own")[1]
    assert (own["plays"], own["may_roll_back"]) == ("deep-1", True)
    assert author.send(b"", promote) == (409, {"error": "number 1 was promoted already, as deep-1"})
    assert author.send(b"", back) == (202, {"plays": "deep", "instead_of": "deep-1"})
    assert author.send(b"", back) == (409, {"error": "number 1 does not play; deep of deep does"})
    assert author.send(b"", promote) == (202, {"plays": "deep-1", "instead_of": "deep"}), "it plays again"
    assert author.send(b"", back)[0] == 202
    store = Submissions(author.folder)
    reject(store, number, "too slow", "organiser")
    assert author.send(b"", promote) == (409, {"error": "the organiser does not let number 1 play: too slow"})
    rejected = {one["number"]: one["rejected"] for one in author.send(path="/submissions/own")[1]["programs"]}
    assert rejected == {number: "too slow", failed: ""}
    notes = [json.loads(line) for line in (author.folder / "journal.jsonl").read_text().splitlines()]
    assert [(note["who"], note["what"]) for note in notes[-3:]] == [
        ("deep", "promoted"),
        ("deep", "rolled back"),
        ("organiser", "rejected"),
    ]


CHANGES = {
    "a new version counts once": (3, "submit promote submit promote submit promote"),
    "a change back and forth": (3, "submit promote rollback promote"),
    "a change counts like a new version": (2, "submit promote rollback"),
    "an old version": (1, "submit wait promote"),
}


@pytest.mark.parametrize(("per_day", "work"), CHANGES.values(), ids=CHANGES)
def test_changes_of_the_version_that_plays_count_like_versions(tmp_path, per_day, work):
    author = Author(tmp_path, per_day=per_day)
    store = Submissions(author.folder)
    number = 0
    for word in work.split():
        if word == "submit":
            number = author.submit()
        elif word == "wait":
            store.save(replace(store.find(number), created="2026-01-01T00:00:00+00:00"))
        else:
            assert author.send(b"", f"/submissions/{number}/{word}")[0] == 202
    before = store.read_decisions()
    last = "promote" if work.endswith("rollback") else "rollback"
    status, answer = author.send(b"", f"/submissions/{number}/{last}")
    assert (status, "a change of the version that plays counts as one" in answer["error"]) == (409, True)
    assert author.send(ARCHIVE)[0] == 429
    assert store.read_decisions() == before
    roll_back(store, number, ["deep"], "organiser") if last == "rollback" else promote(
        store, number, ["deep"], "organiser"
    )
    assert store.read_decisions().deciders == {"deep": "organiser"}, "the organiser has no limit"


def test_the_organiser_may_keep_promotions(tmp_path):
    author = Author(tmp_path, promote="approve")
    number = author.submit()
    status, answer = author.send(b"", f"/submissions/{number}/promote")
    assert (status, answer["error"]) == (409, "here the organiser decides which programs play")
    assert author.send(path="/submissions/own")[1]["may_promote"] is False


def test_authors_read_the_logs_of_their_own_games_alone(tmp_path):
    author, stranger = Author(tmp_path), Author(tmp_path, bot="mine")
    games = author.send(path="/submissions/lost")[1]
    assert {game["version"] for game in games} == {"deep"}
    assert [game["game"] for game in games][-1] == "random~deep~1"
    assert {game["description"] for game in games} == {"flag taken", "program crashed"}
    german = author.send(path="/submissions/lost?lang=de")[1]
    assert {game["description"] for game in german} == {"Fahne erobert", "das Programm hat sich beendet"}
    assert author.send(path="/submissions/lost/random~deep~1")[1] == {"stderr": "deep wrote this in random~deep~1"}
    for game in ("random~mine~3", "random~deep~99", "%2e%2e", "%00"):
        assert author.send(path=f"/submissions/lost/{game}")[0] == 409
    assert stranger.send(path="/submissions/lost/random~deep~1")[0] == 409


def contest(author, game, why="its clock was wrong"):
    return author.send(json.dumps({"why": why}).encode(), f"/submissions/lost/{game}/contest")[0]


def test_a_lost_game_is_contested_once_and_a_few_in_a_day(tmp_path):
    author, stranger = Author(tmp_path), Author(tmp_path, bot="mine")
    assert contest(author, "deep~random~2") == 409  # it has won
    assert contest(stranger, "random~deep~4") == 409
    assert contest(author, "random~deep~4", " ") == contest(author, "random~deep~4", "x" * 1001) == 409
    assert author.send(b"[]", "/submissions/lost/random~deep~4/contest")[0] == 400
    assert author.send(bytes(100_000), "/submissions/lost/random~deep~4/contest")[0] == 400
    assert [contest(author, f"random~deep~{number}") for number in range(4, 10)] == [202] * 5 + [409]
    assert contest(author, "random~deep~4") == 409
    (found,) = (game for game in author.send(path="/submissions/lost")[1] if game["game"] == "random~deep~4")
    assert found["contest"]["why"] == "its clock was wrong"
    assert len(Submissions(author.folder).read_decisions().contests) == 5

"""The page of an organiser: what a session reaches, what it decides, and what others cannot do."""

import gzip
import json

import pytest
from serve.author import ARCHIVE, OWN, Author

from arbiter.submissions.store import ContestedGame, Submissions


class Organiser(Author):
    """An organiser with a session, and one program that an author has submitted."""

    def __init__(self, folder, scope="organise", **limits):
        self.author = Author(folder)
        self.author.send(ARCHIVE)
        self.number = self.author.submit()
        super().__init__(folder, scope, bot="eva", **limits)
        self.id, self.cookie = self.sign_in()

    def read(self, path, **changed):
        return self.send(path=f"/organise/{self.id}/{path}", **{"authorization": None, "cookie": self.cookie} | changed)

    def decide(self, path, body=None, **changed):
        headers = {"authorization": None, "cookie": self.cookie, "origin": OWN, "content_type": "application/json"}
        return self.send(json.dumps(body or {}).encode(), f"/organise/{self.id}/{path}", **headers | changed)

    def read_journal(self):
        lines = (self.folder / "journal.jsonl").read_text().splitlines()
        return [(note["who"], note["what"]) for note in map(json.loads, lines)]


@pytest.fixture
def organiser(tmp_path):
    return Organiser(tmp_path)


def test_an_organiser_sees_programs_invitations_and_the_journal_without_secrets(organiser, tmp_path):
    status, found = organiser.read("all")
    assert (status, found["name"], found["id"], found["mode"]) == (200, "eva", organiser.id, "author")
    assert [(one["number"], one["bot"], one["state"]) for one in found["programs"]] == [
        (2, "deep", "passed"),
        (1, "deep", "waiting"),
    ]
    invited = {(one["name"], one["scope"]): one["state"] for one in found["invitations"]}
    assert invited == {("deep", "submit"): "pending", ("eva", "organise"): "active"}
    assert [one["what"] for one in found["journal"]] == ["passed", "waiting"]
    stored = json.loads((tmp_path / "club.invites").read_text())
    secrets = {one[key] for one in stored for key in ("digest", "session") if one.get(key)}
    assert not [secret for secret in secrets if secret in json.dumps(found)]
    assert organiser.read("programs/2") == (200, [])


def test_pages_offer_a_rollback_only_to_a_version_before(tmp_path):
    organiser, newcomer = Organiser(tmp_path), Author(tmp_path, bot="new")
    first, second = newcomer.submit(bot="new"), newcomer.submit(bot="new")
    for number, expected in ((first, False), (second, True)):
        assert organiser.decide(f"programs/{number}/promote")[0] == 200
        assert newcomer.send(path="/submissions/own")[1]["may_roll_back"] is expected
        assert organiser.read("all")[1]["may_roll_back"] == ["new"] * expected
    assert newcomer.send(b"", f"/submissions/{second}/rollback")[0] == 202
    assert newcomer.send(b"", f"/submissions/{first}/rollback")[0] == 409


def test_an_organiser_downloads_what_was_submitted_and_this_is_noted(organiser):
    assert organiser.read("programs/1/archive") == (200, ARCHIVE)
    assert organiser.answer.headers["content-disposition"] == 'attachment; filename="deep-1.tar"'
    assert organiser.read("programs/2/archive")[0] == 404
    organiser.author.send(gzip.compress(ARCHIVE))
    assert organiser.read("programs/3/archive")[0] == 200
    assert organiser.answer.headers["content-disposition"] == 'attachment; filename="deep-3.tar.gz"'
    assert organiser.read_journal()[-1] == ("organiser eva", "downloaded")


def test_an_organiser_lets_programs_play_and_rejects_them(tmp_path):
    organiser = Organiser(tmp_path, promote="approve")
    assert organiser.decide("programs/1/promote")[0] == 409
    assert organiser.decide("programs/2/promote") == (200, {"plays": "deep-2", "instead_of": "deep"})
    assert organiser.decide("programs/2/reject", {"why": "too slow"})[0] == 409
    assert organiser.decide("programs/2/rollback") == (200, {"plays": "deep", "instead_of": "deep-2"})
    assert organiser.decide("programs/2/reject") == (409, {"error": "the reason is missing; the author sees it"})
    assert organiser.decide("programs/2/reject", {"why": " too\nslow "})[0] == 200
    assert organiser.read("all")[1]["programs"][0]["rejected"] == "too slow"
    assert organiser.author.send(path="/submissions/own")[1]["programs"][0]["rejected"] == "too slow"
    assert organiser.decide("programs/2/promote")[0] == 200
    assert organiser.read("all")[1]["programs"][0]["rejected"] is None
    assert [what for who, what in organiser.read_journal() if who == "organiser eva"] == [
        "promoted",
        "rolled back",
        "rejected",
        "promoted",
    ]


def test_an_organiser_bans_authors_and_lifts_bans(organiser):
    assert organiser.decide("ban", {"author": "deep", "why": "spam"})[0] == 200
    assert organiser.read("all")[1]["banned"] == {"deep": "spam"}
    assert organiser.author.send(ARCHIVE)[0] == 403
    assert organiser.decide("ban", {"author": "deep", "why": "spam"})[0] == 409
    assert organiser.decide("ban", {"author": "deep"})[0] == organiser.decide("ban", {"why": "spam"})[0] == 409
    assert organiser.decide("lift-ban", {"author": "deep"})[0] == 200
    assert organiser.decide("lift-ban", {"author": "deep"})[0] == 409
    assert organiser.author.send(ARCHIVE)[0] == 202


def test_an_organiser_revokes_invitations_and_sessions(organiser):
    author = next(one for one in organiser.read("all")[1]["invitations"] if one["scope"] == "submit")
    assert organiser.decide(f"invitations/{author['id']}/revoke") == (200, {"revoked": 1})
    assert organiser.author.send()[0] == 401
    assert organiser.decide("invitations/00000000/revoke")[0] == organiser.decide("invitations/eva/revoke")[0] == 404
    assert organiser.decide(f"invitations/{organiser.id}/revoke")[0] == 200
    assert organiser.read("all")[0] == organiser.decide("ban", {"author": "deep", "why": "spam"})[0] == 401


def test_an_organiser_answers_contests_and_gets_their_evidence(organiser):
    with Submissions(organiser.folder).deciding("deep", "contested") as decisions:
        decisions.contests.append(
            ContestedGame(
                game="random~deep~1", author="deep", version="deep", why="<b>", at="2026-01-01T00:00:00+00:00"
            )
        )
    assert organiser.read("contests/1/evidence")[0] == 404
    (organiser.folder / "contests").mkdir()
    (organiser.folder / "contests" / "1.zip").write_bytes(b"evidence")
    (found,) = organiser.read("all")[1]["contests"]
    assert (found["state"], found["evidence"], found["why"]) == ("open", True, "<b>")
    assert organiser.read("contests/1/evidence") == (200, b"evidence")
    assert organiser.decide("contests/2/dismiss", {"why": "fair"})[0] == 409
    assert organiser.decide("contests/1/dismiss", {"why": "fair"})[0] == 200
    assert organiser.read("all")[1]["contests"][0]["state"] == "dismissed"


def test_decisions_are_read_up_to_a_size(organiser):
    for body in ("x", [], {"why": 1}, {"why": "x" * 1001}, {"why": "x" * 100_000}):
        assert organiser.decide("ban", body or [0])[0] == 400


def test_addresses_lead_to_no_other_files(organiser, tmp_path):
    (tmp_path / "secret").write_text("secret")
    for number in ("..", "%2e%2e", "1%2f..%2f1", "-1", "%C2%B2", "9" * 5000, "0"):
        assert organiser.read(f"programs/{number}/archive")[0] == 404
        assert organiser.read(f"contests/{number}/evidence")[0] == 404

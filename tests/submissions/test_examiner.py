"""The examiner: programs that are refused leave nothing, their reasons name no path, and authors take turns."""

import io
import os
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

import pytest
import trio
from cli.command_line import write_tournament
from submissions.test_hostile_archives import GOOD, make_archive

from arbiter.submissions.examiner import examine_all
from arbiter.submissions.store import OVER, SUFFIX, Submissions
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store

PATIENCE_S = 120
IMPLIED = [(f"bot/{number}/{'a/' * 150}file", b"") for number in range(300)]


def make_zip():
    data = io.BytesIO()
    with ZipFile(data, "w") as archive:
        archive.writestr("bot/bot.py", "print()")
    return data.getvalue()


REFUSED = {
    "folders that no member lists": (make_archive(*IMPLIED), "there are more than 20000 files"),
    "no folder of the bot": (make_archive(("other/bot.py", b"")), "the archive has no folder 'bot'"),
    "another kind of archive": (make_zip(), "cannot be unpacked"),
    "no program": (make_archive(GOOD), "there is no program ./missing"),
}


@pytest.fixture
def results(tmp_path):
    file = write_tournament(tmp_path, max_games=2, format="ladder", submissions={"open": True})
    results = tmp_path / "club.sqlite"
    Store.create_or_resume(results, new_manifest(load_tournament(tmp_path / file), "full")).close()
    return results


def is_done(store):
    """Return True if all is examined and nothing is unpacked any more."""
    return all(one.state in OVER for one in store.list_all()) and not list(store.folder.glob("*/*/"))


def test_refused_programs_leave_nothing_and_authors_take_turns(tmp_path, results):
    store = Submissions(results.with_suffix(SUFFIX))
    for archive, _ in REFUSED.values():
        made = store.create("deep", ["./missing"], "id")
        store.find_archive(made.number).write_bytes(archive)
        store.change(made, "waiting")
    other = store.create("mine", ["./missing"], "id")
    store.find_archive(other.number).write_bytes(b"")
    store.change(other, "waiting")
    (store.folder / "entries" / "of nobody" / "bot").mkdir(parents=True)

    async def main():
        with trio.fail_after(PATIENCE_S):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(examine_all, results, [])
                while not is_done(store):  # noqa: ASYNC110 - only files show it
                    await trio.sleep(0.05)
                nursery.cancel_scope.cancel()

    trio.run(main)
    for one, (_, why) in zip(store.list_all(), REFUSED.values(), strict=False):
        assert (one.state, why in one.reason.text, str(tmp_path) in one.reason.text) == ("refused", True, False), (
            one.reason
        )
    left = {path.name for path in store.folder.glob("[0-9]*/*")}
    assert left <= {"archive", "submission.json", "steps.jsonl"}
    begun = [note["number"] for note in reversed(store.read_journal()) if note["what"] == "checking"]
    assert begun == [1, other.number, 2, 3, 4]


def test_an_upload_that_is_removed_meanwhile_stops_no_examiner(monkeypatch, results):
    store = Submissions(results.with_suffix(SUFFIX))
    places = [store.place(store.create("deep", ["./bot"], "id").number) for _ in range(3)]
    for place in places:
        (place / "bot").mkdir()

    def remove_before(look):
        def remove_and_look(place):
            if str(place) == str(places[1]) and places[1].exists():
                places[1].rename(results.with_name("removed"))
            return look(place)

        return remove_and_look

    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, remove_before(getattr(os, name)))
    store.tidy()
    assert [[path.name for path in place.glob("*")] for place in places] == [
        ["submission.json"],
        [],
        ["submission.json"],
    ]


RUN = """
import subprocess, sys
from arbiter.sandbox.process import adopt_orphans
adopt_orphans()
subprocess.run([sys.executable, "-m", "arbiter.submissions.examiner", sys.argv[1]])
"""


def list_children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def has_left_processes(run):
    """Return True unless a run has only an examiner, which has no process at all."""
    (examiner, *others) = list_children(run)
    return bool(others or list_children(examiner))


@pytest.mark.heavy
@pytest.mark.usefixtures("sandbox")
def test_examinations_leave_no_processes(results):
    """A run adopts what its descendants leave behind; dead processes that nobody reaps fill its machine in months."""
    store = Submissions(results.with_suffix(SUFFIX))
    made = store.create("deep", ["sh", "bot.sh"], "id")
    store.find_archive(made.number).write_bytes(make_archive(("bot/bot.sh", b"read line; exit\n")))
    store.change(made, "waiting")
    until = time.monotonic() + PATIENCE_S
    with subprocess.Popen([sys.executable, "-c", RUN, results], stdin=subprocess.PIPE) as run:
        try:
            while not is_done(store) and time.monotonic() < until:
                time.sleep(0.05)
            assert store.find(1).state == "failed"
            while has_left_processes(run.pid) and time.monotonic() < until:
                time.sleep(0.05)
            assert not has_left_processes(run.pid)
        finally:
            run.stdin.close()
            run.wait(PATIENCE_S)

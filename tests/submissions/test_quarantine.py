"""The crashes that count for the quarantine of a version, and its end."""

import pytest
from cli.command_line import write_tournament
from msgspec.structs import replace
from show.report.sample_reports import make_game

from arbiter.submissions.store import Quarantine, Submissions
from arbiter.submissions.watch import VersionWatch, deserves_quarantine, select_crashes
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.machine import PlayingConditions
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store

CALM = PlayingConditions(host="here", cores=2, jobs=1, load=0.5, lag_ms=3.0)
SINCE = "2026-01-01T00:00:00"
LONG_AGO = "2026-01-01T00:00:00+00:00"


def crash(number, opponent="random", ending="crash", **changes):
    """Make a game that deep has lost."""
    return make_game(number, opponent, "deep", ending=ending, **{"conditions": CALM} | changes)


@pytest.mark.parametrize(
    ("games", "is_enough"),
    [
        ([crash(1), crash(2), crash(3, "hunter")], True),
        ([crash(1), crash(2, ending="no_start"), crash(3, "hunter", ending="killed")], True),
        ([crash(1), crash(2), crash(3)], False),  # one opponent: it may be the reason
        ([crash(1), crash(3, "hunter")], False),
        ([crash(1), crash(2), crash(3, "hunter", ending="timeout")], False),
        ([crash(1), crash(2), crash(3, "hunter", ending="flag_taken")], False),
        ([crash(1), crash(2), crash(3, "hunter", started="2025-12-31T23:59:59")], False),
        ([crash(1), crash(2), crash(3, "hunter", conditions=replace(CALM, lag_ms=1500.0))], False),
        ([crash(1), crash(2), crash(3, "hunter", conditions=replace(CALM, excused={"red": 1}))], False),
        ([crash(1), crash(2), make_game(3, "deep", "hunter", ending="crash")], False),  # the other one crashed
    ],
)
def test_crashes_that_count(games, is_enough):
    assert deserves_quarantine(select_crashes(games, "deep", SINCE)) is is_enough


@pytest.fixture
def watch(tmp_path):
    """Watch a ladder with two programs of one author, the second one in quarantine for long."""
    file = write_tournament(tmp_path, bots=("random", "hunter"), format="ladder")
    tournament = load_tournament(file)
    results = tmp_path / "results" / "club.sqlite"
    Store.create_or_resume(results, new_manifest(tournament, "full")).close()
    store = Submissions(results.with_suffix(".submissions"))
    for digest in ("one", "two"):
        store.change(store.create("deep", ["./bot.py"], "id"), "passed", digest=digest)
        home = store.folder / "entries" / digest / "bot"
        home.mkdir(parents=True)
        (home / "bot.py").write_text("#!/usr/bin/env python3\n")
        (home / "bot.py").chmod(0o755)
    with store.deciding("deep", "promoted") as decisions:
        decisions.parents = {1: "", 2: "deep-1"}
        decisions.lines = {"deep": [1]}
        decisions.quarantines = {2: Quarantine(at=LONG_AGO, games=["g"])}
    return VersionWatch(tournament, store, results), store


def read_line(store):
    return store.read_decisions().lines["deep"]


def test_a_version_is_tried_once_more(watch):
    watch, store = watch
    assert watch.find().file.bot_names == ("random", "hunter", "deep-1")
    assert watch.find().file.bot_names == ("random", "hunter", "deep-2")
    assert read_line(store) == [1, 2]
    with store.deciding("organiser", "test") as decisions:
        assert decisions.quarantines[2].tries == 1
        decisions.lines["deep"].pop()
    watch.find()
    watch.find()
    assert read_line(store) == [1]


@pytest.mark.parametrize("changes", [{"banned": {"deep": "spam"}}, {"lines": {"deep": [1, 3]}}])
def test_a_version_is_not_tried_again_if_its_author_is_banned_or_has_a_newer_one(watch, changes):
    watch, store = watch
    store.change(store.create("deep", ["./bot.py"], "id"), "passed", digest="one")
    with store.deciding("organiser", "test") as decisions:
        decisions.parents[3] = "deep-1"
        for field, value in changes.items():
            setattr(decisions, field, value)
    before = read_line(store)
    watch.find()
    watch.find()
    assert read_line(store) == before

"""`arbiter report`: a folder of pages, updated in the same folder, and written to no folder with other files."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.command_line import PATIENCE_S, call_ok, call_refused, write_tournament
from cli.sleeping_bot import linux_only
from packed_data import decompress
from tournament.rulings import withdraw

from arbiter import publish
from arbiter.director import processes
from arbiter.show import pictures
from arbiter.show.report.values import RankChanges
from arbiter.show.results import make_report_data
from arbiter.tournament.results.reader import Results
from arbiter.tournament.schedule.round_robin import ROUND_ROBIN
from arbiter.tournament.standings.table import rank_bots


def pages_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def reported(played, tmp_path_factory):
    """Write the report of the played tournament; return its folder."""
    out = tmp_path_factory.mktemp("reported") / "pages" / "here"
    assert call_ok("report", played, "-o", out) == f"12 games in {out / 'index.html'}\n"
    return out


@pytest.fixture
def out(reported, tmp_path):
    """Return a copy of the report that a test may change."""
    return shutil.copytree(reported, tmp_path / "out")


def test_a_report_is_written_and_updated(played, out):
    first = pages_in(out)
    assert "hunter" in first["index.html"].decode()
    assert len([path for path in first if path.startswith("games/") and path.endswith(".html")]) == 12
    before = written(out)
    (out / "index.html").unlink()
    (out / "games" / "hunter~random~1.html").write_text("<!doctype html>half a page")
    call_ok("report", played, "-o", out)
    assert pages_in(out) == first
    after = written(out)
    assert {name for name in before if before[name] != after[name]} == {"hunter~random~1.html"}, "only new pages"
    (out / ".arbiter-summaries").write_bytes(b"damaged")
    call_ok("report", played, "-o", out)
    assert pages_in(out) == first


def read_viewer_data(folder):
    """Return the viewer data of all games of a report."""
    pages = (path.read_text("utf-8") for path in (folder / "games").glob("*.html"))
    return [decompress(re.search(r'id="viewer-data">([^<]+)<', page)[1]) for page in pages]


def test_stderr_is_shown_only_on_request(tmp_path, quick):
    crasher = {"name": "crasher", "command": ["sh", "-c", "echo a private plan >&2; exit 1"]}
    file = write_tournament(tmp_path, bots=(quick[1], crasher), games=2)
    call_ok("run", file)
    for options, shown in (((), 0), (("--stderr",), 2), ((), 0)):  # into the same folder
        call_ok("report", file, "-o", tmp_path / "out", *options)
        assert sum(b'"stderr/' in data for data in read_viewer_data(tmp_path / "out")) == shown


def read_crosstable(page):
    """Return the points in the rows of the crosstable of a page, by bot."""
    body = re.search(r'<table class="cross">.*?<tbody>(.*?)</tbody>', page, re.DOTALL)[1]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    return {re.search(r">([^<]+)</a>", row)[1]: list(map(float, re.findall(r"<b>([^<]*)</b>", row))) for row in rows}


def test_the_crosstable_is_that_of_the_standings(tmp_path, quick):
    """The report had games in its crosstable that were struck, so rows had more points than the standings."""
    file = write_tournament(tmp_path, bots=quick, games=2, withdrawn_games="strike")
    call_ok("run", file)
    results = tmp_path / "results" / "club.sqlite"
    withdraw(results, "stdlib")  # as if it had left before the end
    for decision in (
        "",
        "rule FILE hunter~random~1 --result none --because late",
        "rule FILE random~hunter~1 --result annulled --because power",
        "disqualify FILE hunter --because copied",
    ):
        if decision:
            call_ok(*shlex.split(decision.replace("FILE", str(results))))
        rows = [json.loads(line) for line in call_ok("standings", file, "--json").splitlines()]
        points = {row["bot"]: row["points"] for row in rows}
        sums = dict.fromkeys(points, 0.0)
        for cell in map(json.loads, call_ok("standings", file, "--show", "crosstable", "--json").splitlines()):
            sums[cell["bot"]] += cell["points"]
        assert sums == points
        with Results.read(results) as store:
            (part,) = make_report_data(store.snapshot()).parts
        assert {bot: tally.points for bot, tally in part.crosstable.totals.items()} == points
        if not decision:
            assert [row["games"] for row in rows] == [2, 2, 0]
            call_ok("report", file, "-o", tmp_path / "out")
            page = (tmp_path / "out" / "index.html").read_text()
            assert page.count("withdrawn, games struck") == 1
            assert {bot: sum(row) for bot, row in read_crosstable(page).items()} == points
    assert points == dict.fromkeys(points, 0)


def test_changes_of_rank_are_those_since_the_round_before(played):
    with Results.read(played.parent / "results" / "club.sqlite") as store:
        data = make_report_data(store.snapshot())
    last = max(game.round for game in data.games)
    entrants = [one.bot for one in sorted(data.final, key=lambda one: one.bot)]
    before = rank_bots(entrants, [game for game in data.games if game.round < last], ROUND_ROBIN.tie_breaks)
    earlier = {one.bot: one.rank for one in before}
    assert last > 1
    assert data.rank_changes == RankChanges(last - 1, {one.bot: earlier[one.bot] - one.rank for one in data.final})


def test_the_latest_ratings_over_time_and_the_comparison_agree_with_the_standings(played):
    with Results.read(played.parent / "results" / "club.sqlite") as store:
        data = make_report_data(store.snapshot())
        two = [game for game in data.games if {game.red, game.blue} == {"hunter", "random"}]
    earlier = data.list_earlier_ratings()
    assert [one.games for one in earlier] == [2, 4, 6, 8, 10]
    assert {one.bot for one in earlier[-1].ratings.bots} == {"hunter", "random", "stdlib"}
    there, back = data.compare("hunter", "random", two), data.compare("random", "hunter", two)
    won = sum(game.winner is not None and getattr(game, game.winner) == "hunter" for game in two)
    assert won * 2 > len(two)
    assert there.elo == pytest.approx(-back.elo)
    assert there.elo > 0


def written(out):
    return {path.name: path.stat().st_mtime_ns for path in (out / "games").glob("*.html")}


def test_too_many_pages_are_written_only_on_request(played, tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "MOST_PAGES", 1)
    assert "add --all-games" in call_refused("report", played, "-o", tmp_path)
    assert list(tmp_path.iterdir()) == []
    call_ok("report", played, "-o", tmp_path, "--all-games")
    assert (tmp_path / "index.html").exists()


@pytest.mark.heavy
@pytest.mark.parametrize("has_one_thread", [False, pytest.param(True, marks=pytest.mark.heavy)])
def test_many_games_are_made_by_several_processes(played, reported, tmp_path, monkeypatch, has_one_thread):
    monkeypatch.setattr(processes, "_has_one_thread", lambda: has_one_thread)
    monkeypatch.setattr(processes, "_ALONE_S", 0)
    monkeypatch.setattr(processes, "_BATCH", 6)
    call_ok("report", played, "-o", tmp_path / "many")
    assert pages_in(reported) == pages_in(tmp_path / "many")


# Starts a process that prints its id and sleeps.
PARENT = """
import multiprocessing, os, time
from arbiter.director.processes import follow_parent

def work():
    follow_parent()
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=work)
    child.start()
    child.join()
"""


@linux_only
def test_its_processes_end_when_it_is_killed(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        parent.kill()
    limit = time.monotonic() + PATIENCE_S
    while is_running(child) and time.monotonic() < limit:
        time.sleep(0.01)
    if is_running(child):
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child process has outlived its parent")


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_pieces_are_named_in_a_language(played, out):
    english = pages_in(out)
    call_ok("report", played, "-o", out, "--lang", "de")
    german = pages_in(out)
    assert all(
        english[path] != german[path] for path in english if path.startswith("games/") and path.endswith(".html")
    )


def test_a_folder_with_other_files_is_not_changed(played, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    assert call_refused("report", played, "-o", tmp_path).endswith(
        "is not empty and is not a report; name a new folder, or empty this one"
    )
    assert pages_in(tmp_path) == {"thesis.txt": b"mine"}


def test_a_file_in_place_of_a_folder(played, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "file" in call_refused("report", played, "-o", tmp_path / "file")
    assert "cannot be written" in call_refused("report", played, "-o", tmp_path / "file" / "pages")


def test_missing_results_make_no_folder(tmp_path):
    assert "there is no such file" in call_refused("report", tmp_path / "none.sqlite", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_pictures_need_an_address_and_pillow(played, tmp_path, monkeypatch):
    assert "is not an address such as https://" in call_refused(
        "report", played, "-o", tmp_path / "a", "--pictures", "pages"
    )
    monkeypatch.setattr(pictures, "find_spec", lambda _: None)
    words = ("report", played, "-o", tmp_path / "a", "--pictures", "https://example.org")
    assert "--pictures: needs Pillow; install it with" in call_refused(*words)
    assert not (tmp_path / "a").exists()

"""The files that a report offers for download: records, tables, and the results after the last game."""

import csv
import json
import lzma
import shlex
import shutil
from functools import partial

import pytest
from cli.command_line import SECRET, call, call_ok, call_refused, write_tournament
from show.report.sample_reports import Page
from tournament.databases import database

from arbiter.serve.results import ServedResults
from arbiter.tournament.results.store import Store

RESULTS = "downloads/results.sqlite"
ALWAYS = ["downloads/standings.csv", "downloads/games.csv"]


def read_downloads(out):
    """List the files that the first page offers, and check that they and no others are there."""
    links = [link for link in Page((out / "index.html").read_bytes()).links if link.startswith("downloads/")]
    assert sorted(links) == sorted(f"downloads/{path.name}" for path in (out / "downloads").iterdir())
    return links


@pytest.fixture(scope="module")
def out(played, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    call_ok("report", played, "-o", folder)
    return folder


def test_a_finished_tournament_offers_everything(out, played):
    assert read_downloads(out) == [*ALWAYS, RESULTS]
    assert ": ok: 12 games" in call_ok("verify", out / RESULTS)
    assert call_ok("standings", out / RESULTS, "--json") == call_ok("standings", played, "--json")


def test_the_page_of_each_game_offers_its_record_as_it_is_stored(out):
    with Store.read(out / RESULTS) as store:
        for game in store.games():
            assert f"../games/{game.id}.jsonl.xz" in Page((out / "games" / f"{game.id}.html").read_bytes()).links
            assert lzma.decompress((out / "games" / f"{game.id}.jsonl.xz").read_bytes()) == store.record(game.id)


def test_downloaded_records_are_read_as_they_are(out, tmp_path):
    compress = partial(lzma.compress, preset=0)
    plain, packed, cut = (tmp_path / name for name in ("plain.jsonl", "packed", "cut"))
    with Store.read(out / RESULTS) as store:
        record = store.record("hunter~random~1")
    plain.write_bytes(record)
    packed.write_bytes(compress(record))
    for words in (("replay", "--at", "end"), ("position",), ("feed", "--as", "red")):
        name, *options = words
        assert call_ok(name, packed, *options) == call_ok(name, plain, *options)
    assert call_ok("verify", packed).startswith(f"{packed}: ok, ")
    cut.write_bytes(compress(record)[:-20])
    assert f"{cut}: is compressed, and cut off or longer than 64 MiB" in call_refused("verify", cut)
    cut.write_bytes(compress(record)[:6] + b"damaged" * 20)
    assert f"{cut}: is compressed, but damaged" in call_refused("replay", cut)
    cut.write_bytes(compress(bytes(65 * 2**20)))
    assert "longer than 64 MiB" in call_refused("replay", cut)


def list_as_csv(command, played, *, numbered):
    """Return the table of a command as CSV, without the numbers of games, which only commands take."""
    text = call_ok(command, played, "--format", "csv")
    return "".join(line.partition(",")[2] for line in text.splitlines(keepends=True)) if numbered else text


def test_the_tables_are_those_of_the_commands(out, played):
    for command, numbered, count in (("standings", False, 3), ("games", True, 12)):
        text = (out / "downloads" / f"{command}.csv").read_text(encoding="utf-8")
        assert text == list_as_csv(command, played, numbered=numbered)
        assert len(list(csv.DictReader(text.splitlines()))) == count


def test_an_earlier_copy_of_results_is_removed(out, played, tmp_path):
    out = shutil.copytree(out, tmp_path / "out")
    call_ok("report", played, "-o", out, "--no-database")
    assert read_downloads(out) == ALWAYS


def test_before_the_last_game_neither_results_nor_secret_are_offered(out, club, tmp_path):
    out = shutil.copytree(out, tmp_path / "out")
    assert SECRET.encode() in (out / RESULTS).read_bytes()
    results = club.parent / "results" / "club.sqlite"
    database(results, "UPDATE series SET manifest = json_replace(manifest, '$.tournament.games', 6)")
    call_ok("report", club, "-o", out)
    assert read_downloads(out) == ALWAYS
    texts = [lzma.decompress(path.read_bytes()) for path in out.rglob("*.xz")]
    texts += [path.read_bytes() for path in out.rglob("*") if path.suffix in (".html", ".csv")]
    assert not any(SECRET.encode() in text for text in texts)


def test_results_with_an_unfinished_match_are_not_offered(tmp_path, fast_bot):
    results = tmp_path / "matches.sqlite"
    for name in ("a", "b"):
        bots = [f"{one}={shlex.join(fast_bot)}" for one in (name, "c")]
        call_ok("match", *bots, "--set", "max_plies=4", "--games", 2, "--results", results)
    out = tmp_path / "out"
    call_ok("report", results, "-o", out)
    assert read_downloads(out) == [*ALWAYS, RESULTS]
    database(results, "DELETE FROM game WHERE number = 1")
    call_ok("report", results, "-o", out)
    assert read_downloads(out) == ALWAYS


def test_edited_results_are_not_offered(club, tmp_path):
    results = club.parent / "results" / "club.sqlite"
    database(results, "UPDATE game SET plies = plies + 1 WHERE number = 1")
    result = call("report", club, "-o", tmp_path / "out")
    assert (result.exit_code, len(result.stderr.splitlines())) == (0, 1)
    assert f"does not offer {results} for download, because it does not fit its hash chain" in result.stderr
    assert read_downloads(tmp_path / "out") == ALWAYS


def test_served_pages_offer_tables_but_not_the_secret(played):
    with ServedResults.read(played.parent / "results" / "club.sqlite") as store:
        downloads = {one.path: one.make() for one in store.results().downloads}
    assert list(downloads) == ALWAYS
    assert downloads["downloads/games.csv"].decode() == list_as_csv("games", played, numbered=True)


def test_the_event_is_on_every_page_and_may_change_after_the_last_game(club, tmp_path):
    file = club
    for title, team, name in (("Old", "North", "Hunter"), ("Stratego Open", "South", "Jägerin <b>")):
        hunter = {"name": "hunter", "title": name, "team": team, "category": "Open"}
        event = {"title": title, "link": "https://example.org"}
        write_tournament(club.parent, bots=(hunter, "random", "stdlib"), games=4, seed=2026, event=event)
        call_ok("run", file)
    assert json.loads(call_ok("standings", file, "--show", "event", "--json"))["event"]["title"] == "Stratego Open"
    assert [
        json.loads(line)["team"] for line in call_ok("standings", file, "--show", "teams", "--json").splitlines()
    ] == ["South"]
    assert "Jägerin <b>" in call_ok("standings", file, "--show", "categories", "--format", "csv")
    call_ok("report", file, "-o", tmp_path / "out")
    page = Page((tmp_path / "out" / "index.html").read_bytes())
    assert all(text in page.text for text in ("Stratego Open", "Jägerin <b>", "60 s + 0.1 s a turn"))


@pytest.mark.parametrize(("show", "key"), [("teams", "team"), ("categories", "category")])
def test_a_table_of_groups_needs_groups(played, show, key):
    assert call_refused("standings", played, "--show", show) == (
        f'arbiter: no bot has a {key}; add {key} = "..." to [[bots]] tables, and run the tournament again'
    )

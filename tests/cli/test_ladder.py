"""Terms of a ladder: closed, listed, and refused."""

import json
import stat
import time

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused, write_tournament

from arbiter.director.files import results_file


def test_a_closed_term_stays_and_the_next_run_begins_another(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], format="ladder", max_games=2)
    results = results_file(file, None)
    assert "there are no results" in call_refused("ladder", "close", file)
    played = []
    for number in (1, 2):
        call_ok("run", file)
        played.append(call_ok("games", file, "--format", "csv"))
        closed = json.loads(call_ok("ladder", "close", file, "--format", "json"))
        archive = results.parent / "terms" / f"{results.stem}-{number}.sqlite"
        assert [closed[key] for key in ("term", "games", "results")] == [number, 2, str(archive)]
        assert not results.exists()
        assert not stat.S_IMODE(archive.stat().st_mode) & 0o222
    archives = sorted((results.parent / "terms").iterdir())
    assert [call_ok("games", path, "--format", "csv") for path in archives] == played
    listed = [json.loads(line) for line in call_ok("ladder", "terms", file, "--format", "json").splitlines()]
    assert [one["term"] for one in listed] == [1, 2]
    for path in archives:
        call_ok("verify", path)


@pytest.mark.heavy
def test_a_ladder_waits_while_fewer_than_two_bots_are_left(tmp_path, fast_bot):
    bots = [{"name": name, "command": fast_bot} for name in ("hunter", "random")]
    file = write_tournament(tmp_path, bots=bots, rules="original", format="ladder", draws={"max_plies": 4})
    with StartedArbiter("run", file, "--jobs", "1") as run:
        run.read_until("hunter")
        call_ok("withdraw", file, "random")
        for line in run.popen.stderr:
            if "fewer than two bots are left; the ladder waits until one joins or comes back" in line:
                break
        played = json.loads(call_ok("status", file, "--json"))["played"]
        call_ok("withdraw", file, "random", "--undo")
        while json.loads(call_ok("status", file, "--json"))["played"] <= played + 2:
            assert run.popen.poll() is None
            time.sleep(0.05)
        call_ok("stop", file)
        assert run.finish()[0] == 130


def test_a_tournament_with_rounds_has_no_terms(played):
    refusal = call_refused("ladder", "close", played)
    assert 'is a tournament with format "round-robin"; only a ladder has terms' in refusal


def test_the_last_games_are_listed_with_their_numbers(ladder):
    file = ladder
    every = [json.loads(line) for line in call_ok("games", file, "--json").splitlines()]
    last = [json.loads(line) for line in call_ok("games", file, "--last", 4, "--json").splitlines()]
    assert [game["number"] for game in last] == [3, 4, 5, 6]
    assert all(game in every for game in last)
    bot = last[0]["red"]
    lost = [json.loads(line) for line in call_ok("games", file, "--last", 6, "--lost-by", bot, "--json").splitlines()]
    assert lost == [game for game in every if bot in (game["red"], game["blue"]) and game[game["winner"]] != bot]
    assert "--last: lists the last games" in call_refused("games", file, "--last", 2, "--show", "void")


def test_a_report_of_very_many_games_is_refused(ladder, tmp_path, monkeypatch):
    monkeypatch.setattr("arbiter.publish.MOST_PAGES", 5)
    assert "has 6 games, and a report has a page for each" in call_refused("report", ladder, "-o", tmp_path / "out")
    call_ok("report", ladder, "-o", tmp_path / "out", "--all-games")


def test_a_long_table_is_cut_and_other_formats_are_not(ladder, tmp_path, monkeypatch):
    file = ladder
    every = {words: call_ok("games", file, *words) for words in (("--json",), ("--format", "csv"), ())}
    monkeypatch.setattr("arbiter.cli.commands.games.LATEST", 4)
    monkeypatch.setattr("arbiter.tournament.results.store.LATEST", 3)  # games of a part
    table = call_ok("games", file).splitlines()
    assert [line.split()[0] for line in table[4:8]] == ["3", "4", "5", "6"]
    assert "earlier games are not listed" in table[-1]
    assert all(call_ok("games", file, *words) == text for words, text in every.items() if words)
    assert "earlier games" not in every[()] + call_ok("games", file, "--last", 2)
    assert call_ok("games", file, "--last", 6) == every[()]
    assert call("games", file, "--export", tmp_path / "records").stderr.startswith("6 records")
    assert len(list((tmp_path / "records").iterdir())) == 6

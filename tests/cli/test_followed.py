"""A tournament followed from outside while it is played: events, its status, a word to stop."""

import json
import os
import signal

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused, write_tournament
from cli.test_stopped import linux_only, list_games, tournament, wait_until_asleep, wake

from arbiter.cli import playing
from arbiter.cli.signals import WIND_UP
from arbiter.tournament.dispatcher import Dispatcher


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_events_tell_of_each_game_and_at_last_how_the_bots_stand(tmp_path):
    file, events = write_tournament(tmp_path, games=4), tmp_path / "events.jsonl"
    shown = call_ok("run", file, "--events", events)
    assert "game 4/4" in shown
    told = lines(events.read_text())
    assert [one["event"] for one in told if one["event"] != "standings"] == ["started", "finished"] * 4
    finished = [one for one in told if one.pop("event") == "finished"]
    assert finished == lines(call_ok("games", file, "--json"))
    for row, rated in zip(told[-1]["standings"], lines(call_ok("standings", file, "--json")), strict=True):
        assert row.items() <= rated.items()


def test_events_alone_on_stdout(tmp_path):
    file = write_tournament(tmp_path, games=2)
    told = lines(call_ok("run", file, "--events", "-"))
    assert [one["event"] for one in told if one["event"] != "standings"] == ["started", "finished"] * 2
    assert told[-1]["event"] == "standings"
    assert "both write to stdout; leave one of them out" in call_refused("run", file, "--events", "-", "--json")


def test_events_are_added_to_those_of_another_run(tmp_path):
    file, events = write_tournament(tmp_path, games=2), tmp_path / "events.jsonl"
    call_ok("run", file, "--events", events)
    call_ok("run", file, "--events", events)
    assert [one["event"] for one in lines(events.read_text())][-2:] == ["standings", "standings"]


def test_events_that_cannot_be_written(tmp_path):
    file = write_tournament(tmp_path)
    told = call_refused("match", "random", "random", "--games", "2", "--events", tmp_path)
    assert told.endswith(f"--events {tmp_path}: cannot be written: Is a directory; name another file")
    assert file.exists()


def test_the_status_of_what_is_over(tmp_path):
    file = write_tournament(tmp_path, games=2)
    call_ok("run", file)
    told = call_ok("status", file)
    assert told.startswith("Club night: 2/2 games\nall games are played\nlast: ")
    found = json.loads(call_ok("status", file, "--json"))
    assert (found["playing"], found["played"], found["finished"], found["under_way"]) == (None, 2, True, [])
    stopped = call("stop", file)
    assert (stopped.exit_code, stopped.stdout) == (1, f"nobody is playing {tmp_path / 'results' / 'club.sqlite'}\n")


@linux_only
@pytest.mark.parametrize("words", [(), ("--now",)])
def test_it_is_followed_and_stopped_from_another_shell(words, folder):
    file = tournament(folder, games=2, sleeping=True)
    with StartedArbiter("run", file) as running:
        running.read_until("game 2/6")
        wait_until_asleep(folder)
        found = json.loads(call_ok("status", file, "--json"))
        assert (found["playing"]["pid"], found["played"], found["finished"]) == (running.popen.pid, 2, False)
        assert {one["event"] for one in found["under_way"]} == {"started"}
        assert any("sleeper" in one["id"] for one in found["under_way"])
        assert f"played by pid {running.popen.pid} on " in call_ok("status", file)
        after = "at once" if words else "after the games under way"
        assert call_ok("stop", file, *words) == f"told the arbiter (pid {running.popen.pid}) to stop {after}\n"
        if not words:
            running.read_until("stopping after the games under way")
            assert ", stopping after the games under way" in call_ok("status", file)
            wake(folder)
        assert running.finish()[0] == 130
    assert (len(list_games(file)) > 2) is not bool(words)
    assert "nobody is playing; run it again to go on" in call_ok("status", file)
    assert list((folder / "results").glob("*.running*")) == []


@linux_only
def test_it_is_stopped_where_a_script_put_it_into_the_background(folder):
    file = tournament(folder, games=2, sleeping=True)
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell without job control does for `arbiter run &`
    try:
        running = StartedArbiter("run", file)
    finally:
        signal.signal(signal.SIGINT, heard)
    with running:
        running.read_until("game 2/6")
        wait_until_asleep(folder)
        call_ok("stop", file)
        running.read_until("stopping after the games under way")
        wake(folder)
        assert running.finish()[0] == 130


@linux_only
@pytest.mark.parametrize("times", [1, 2])
def test_a_word_to_stop_that_comes_before_the_first_game_is_not_lost(times, tmp_path, monkeypatch):
    def told_meanwhile(*words, **settings):
        for _ in range(times):
            os.kill(os.getpid(), WIND_UP)
        return Dispatcher(*words, **settings)

    file, heard = write_tournament(tmp_path), signal.getsignal(WIND_UP)
    monkeypatch.setattr(playing, "Dispatcher", told_meanwhile)
    stopped = call("run", file)
    assert stopped.exit_code == 130
    assert stopped.stderr == "arbiter: stopped: 0 of 2 games are kept; run again to go on\n"
    assert signal.getsignal(WIND_UP) is heard
    monkeypatch.undo()
    assert "2 games" in call_ok("run", file)


def test_a_bot_is_withdrawn_and_the_rest_of_its_games_are_walkovers(folder):
    file = tournament(folder, games=2, sleeping=True)
    with StartedArbiter("run", file, "--jobs", "1") as running:
        wait_until_asleep(folder)
        told = call_ok("withdraw", file, "sleeper")
        assert told == "sleeper is withdrawn: what is left of its games are walkovers\n"
        wake(folder)
        assert running.finish()[0] == 0
    games = lines(call_ok("games", file, "--json"))
    assert len(games) == 6
    left = [game for game in games if game["ending"] == "walkover"]
    assert len(left) == 3, "the one that was under way was finished"
    assert all("sleeper" in game["id"] and game["why"] == "sleeper was withdrawn" for game in left)
    assert all(game[game["winner"]] != "sleeper" for game in left)
    assert "ok" in call_ok("verify", *exported(file, folder / "records"))
    (row,) = [row for row in lines(call_ok("standings", file, "--json")) if row["bot"] == "sleeper"]
    assert (row["withdrawn"], row["games"]) == ("struck", 0)
    assert row["rating"] is not None, "what it played tells how strong it is all the same"


def exported(file, folder):
    call("games", file, "--export", folder)
    return sorted(folder.glob("*.jsonl"))


def test_a_withdrawal_is_taken_back_and_a_stranger_is_refused(folder):
    file = tournament(folder, games=2)
    call_ok("run", file)
    assert call_refused("withdraw", file, "one").endswith("there is nothing left that a bot could withdraw from")
    tournament(folder, games=2, sleeping=True)  # one bot more
    with StartedArbiter("run", file, "--jobs", "1") as running:
        wait_until_asleep(folder)
        call_ok("withdraw", file, "one")
        assert call_ok("withdraw", file, "one", "--undo") == "one plays on\n"
        assert "did you mean 'one'?" in call_refused("withdraw", file, "onee")
        wake(folder)
        running.finish()
    assert "withdrawn" not in call_ok("standings", file)
    assert len(list_games(file)) == 6

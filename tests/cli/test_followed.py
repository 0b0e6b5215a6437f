"""A running tournament seen from another shell: events, `status`, `stop` and `withdraw`."""

import json
import os
import signal

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused, write_tournament
from cli.test_stopped import linux_only, list_games, tournament, wait_until_asleep, wake

from arbiter.cli.signals import FINISH_SIGNAL
from arbiter.director import run
from arbiter.tournament.dispatcher import Dispatcher


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_events_contain_each_game_and_at_last_the_standings_and_are_appended_or_the_only_output(tmp_path, quick):
    file, events = write_tournament(tmp_path, bots=quick[:2]), tmp_path / "events.jsonl"
    assert "game 2/2" in call_ok("run", file, "--events", events)
    told = lines(events.read_text())
    assert [one["event"] for one in told if one["event"] != "standings"] == ["begin", *["started", "finished"] * 2]
    finished = [one for one in told if one.pop("event") == "finished"]
    listed = lines(call_ok("games", file, "--json"))
    assert [game.pop("number") for game in listed] == [1, 2]
    assert finished == listed
    for row, rated in zip(told[-1]["standings"], lines(call_ok("standings", file, "--json")), strict=True):
        assert row.items() <= rated.items()

    call_ok("run", file, "--events", events)
    assert [one["event"] for one in lines(events.read_text())][-3:] == ["standings", "begin", "standings"]

    write_tournament(tmp_path, bots=quick[:2], games=4)
    told = lines(call_ok("run", file, "--events", "-"))
    assert [one["event"] for one in told if one["event"] != "standings"] == ["begin", *["started", "finished"] * 2]
    assert told[-1]["event"] == "standings"
    assert "both write to stdout; leave one of them out" in call_refused("run", file, "--events", "-", "--json")
    told = call_refused("match", "random", "random", "--games", "2", "--events", tmp_path)
    assert told.endswith(f"--events {tmp_path}: cannot be written: Is a directory; name another file")


def test_the_status_of_a_finished_tournament(club):
    file = club
    told = call_ok("status", file)
    assert told.startswith("Club night: 12/12 games\nall games are played\nlast: ")
    found = json.loads(call_ok("status", file, "--json"))
    assert (found["playing"], found["played"], found["finished"], found["in_progress"]) == (None, 12, True, [])
    stopped = call("stop", file)
    assert (stopped.exit_code, stopped.stdout) == (1, f"nobody is playing {club.parent / 'results' / 'club.sqlite'}\n")
    assert call_refused("withdraw", file, "random").endswith("there is nothing to withdraw from")


@linux_only
@pytest.mark.parametrize("words", [(), ("--now",)])
def test_status_and_stop_from_another_shell(words, folder):
    file = tournament(folder, games=2, sleeping=True)
    heard = signal.getsignal(signal.SIGINT)
    if not words:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell without job control does for `arbiter run &`
    try:
        running = StartedArbiter("run", file)
    finally:
        signal.signal(signal.SIGINT, heard)
    with running:
        running.read_until("game 2/6")
        wait_until_asleep(folder)
        found = json.loads(call_ok("status", file, "--json"))
        assert (found["playing"]["pid"], found["played"], found["finished"]) == (running.popen.pid, 2, False)
        assert {one["host"] for one in found["in_progress"]} == {found["playing"]["host"]}
        assert [(one["games"], one["playing"]) for one in found["machines"]] == [(2, len(found["in_progress"]))]
        assert any("sleeper" in one["id"] for one in found["in_progress"])
        assert f"played by pid {running.popen.pid} on " in call_ok("status", file)
        after = "now" if words else "after the games in progress"
        assert call_ok("stop", file, *words) == f"the arbiter (pid {running.popen.pid}) stops {after}\n"
        if not words:
            running.read_until("stopping after the games in progress")
            assert ", stopping after the games in progress" in call_ok("status", file)
            wake(folder)
        assert running.finish()[0] == 130
    assert (len(list_games(file)) > 2) is not bool(words)
    assert "nobody is playing; run it again to continue" in call_ok("status", file)
    assert list((folder / "results").glob("*.running*")) == []


@linux_only
@pytest.mark.parametrize("times", [1, 2])
def test_a_stop_signal_before_the_first_game_is_not_lost(times, tmp_path, quick, monkeypatch):
    def schedule_and_signal(*words, **settings):
        for _ in range(times):
            os.kill(os.getpid(), FINISH_SIGNAL)
        return Dispatcher(*words, **settings)

    file, heard = write_tournament(tmp_path, bots=quick[:2]), signal.getsignal(FINISH_SIGNAL)
    monkeypatch.setattr(run, "Dispatcher", schedule_and_signal)
    stopped = call("run", file)
    assert stopped.exit_code == 130
    assert stopped.stderr == "arbiter: stopped: 0 of 2 games are stored; run again to continue\n"
    assert signal.getsignal(FINISH_SIGNAL) is heard
    monkeypatch.undo()
    assert "2 games" in call_ok("run", file)


def test_a_withdrawn_bot_loses_its_remaining_games_by_walkover_unless_it_comes_back(folder):
    file = tournament(folder, games=2, sleeping=True)
    with StartedArbiter("run", file, "--jobs", "1") as running:
        wait_until_asleep(folder)
        call_ok("withdraw", file, "one")
        assert "ruling 1 on one is reverted" in call_ok("withdraw", file, "one", "--undo")
        assert "did you mean 'one'?" in call_refused("withdraw", file, "onee")
        told = call_ok("withdraw", file, "sleeper", "--because", "ill")
        assert "sleeper is withdrawn: ill\n" in told
        wake(folder)
        assert running.finish()[0] == 0
    games = lines(call_ok("games", file, "--json"))
    assert len(games) == 6
    left = [game for game in games if game["ending"] == "walkover"]
    assert len(left) == 3, "the game in progress was finished"
    assert all("sleeper" in game["id"] and game["why"] == "sleeper was withdrawn" for game in left)
    assert all(game[game["winner"]] != "sleeper" for game in left)
    assert "ok" in call_ok("verify", *exported(file, folder / "records"))
    rows = {row["bot"]: row for row in lines(call_ok("standings", file, "--json"))}
    row = rows["sleeper"]
    assert (row["withdrawn"], row["games"], rows["one"]["withdrawn"]) == ("struck", 0, None)
    assert row["rating"] is not None, "its games still count for the ratings"


def exported(file, folder):
    call("games", file, "--export", folder)
    return sorted(folder.glob("*.jsonl"))

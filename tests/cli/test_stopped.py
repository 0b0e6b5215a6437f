"""A tournament that is stopped or killed: no game is lost or stored twice, and no process is left behind."""

import json
import os
import signal

import msgspec
import pytest
from cli.command_line import StartedArbiter, bot_processes_in, call, call_ok, call_refused
from cli.sleeping_bot import linux_only, list_games, tournament, wait_until_asleep, wake

from arbiter.languages.sentences import describe_ending
from arbiter.tournament.config.tournament import load_tournament
from arbiter.verify import verify
from protocol.reasons import AnyReason


def announced(lines):
    """Return the results printed on stdout, without the numbers of the games."""
    return [line.partition(": ")[2] for line in lines if line.startswith("game ")]


def as_announced(game):
    seats = {"red": (game["red"], game["blue"]), "blue": (game["blue"], game["red"])}
    names = {seat: game[seat] for seat in ("red", "blue")}
    how = describe_ending(game["winner"], game["ending"], msgspec.convert(game["reason"], AnyReason | None), names)
    after = f"after {game['plies']} {'ply' if game['plies'] == 1 else 'plies'}: {how}"
    if game["winner"]:
        return "{} beats {} {}".format(*seats[game["winner"]], after)
    return f"{game['red']} and {game['blue']} draw {after}"


def check_complete(file):
    """Check that each game is stored once and verifies, and that the standings match."""
    games = list_games(file)
    assert sorted(game["id"] for game in games) == sorted(
        fixture.id for fixture in load_tournament(file).schedule(17).fixtures
    )
    call("games", file, "--export", file.parent / "records")
    assert all(verify(record.read_bytes()).ok for record in (file.parent / "records").iterdir())
    for row in (json.loads(line) for line in call_ok("standings", file, "--json").splitlines()):
        assert row["points"] == sum(_points(game, row["bot"]) for game in games)
        assert row["forfeits"] == 0


def _points(game, bot):
    return sum(points for seat, points in game["points"].items() if game[seat] == bot)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_and_repeats_no_game(folder):
    file, told = tournament(folder, games=30), []
    with StartedArbiter("run", file) as running:
        running.read_until("30 games")
        assert kill(running) == -signal.SIGKILL
    for after in (1, 3, 7, 1, 5):
        with StartedArbiter("run", file, "--json") as running:
            for _ in range(after):
                running.read_until("{")
            assert kill(running) == -signal.SIGKILL
        told += [json.loads(line)["id"] for line in running.lines if line.endswith("}")]
        ids = [game["id"] for game in list_games(file)]
        assert set(told) <= set(ids)
        assert len(ids) == len(set(ids))
    with StartedArbiter("run", file, "--json") as last:
        assert last.finish() == (0, "")
    told += [game["id"] for game in map(json.loads, last.lines) if "id" in game]
    assert len(told) == len(set(told)) <= 30
    check_complete(file)


@linux_only
@pytest.mark.heavy
def test_leftovers_of_a_killed_arbiter_are_removed_by_the_next(folder, tmp_path_factory):
    file, scratch = tournament(folder, games=2, sleeping=True), tmp_path_factory.mktemp("scratch")
    environment = os.environ | {"TMPDIR": str(scratch)}
    with StartedArbiter("run", file, env=environment) as running:
        wait_until_asleep(folder)
        kill(running)
    wake(folder)
    assert [path for path in scratch.iterdir() if path.name.startswith("arbiter-bot-")]
    for path in scratch.iterdir():
        os.utime(path, (0, 0))
    with StartedArbiter("run", file, env=environment) as last:
        assert last.finish() == (0, "")
    assert list(scratch.iterdir()) == []


def kill(running):
    running.popen.kill()
    return running.finish()[0]


@linux_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.slow(keep=1)
def test_a_second_arbiter_is_refused_and_a_signal_stops_the_first_cleanly(folder, number):
    file = tournament(folder, games=2, sleeping=True)
    heard = signal.signal(number, signal.SIG_DFL)  # nohup lets us ignore it, and what we start would inherit that
    try:
        running = StartedArbiter("run", file, process_group=0)
    finally:
        signal.signal(number, heard)
    with running:
        running.read_until("game 2/6")
        wait_until_asleep(folder)
        told = call_refused("run", file)
        assert f"pid {running.popen.pid} on " in told
        assert "is playing this tournament; wait for it or stop it" in told
        assert len(list_games(file)) == 2
        assert call_ok("standings", file)
        running.popen.send_signal(number)
        code, err = running.finish()
    assert (code, err) == (130, "arbiter: stopped: 2 of 6 games are stored; run again to continue\n")
    check_nothing_of_what_was_cut_off(file)
    wake(folder)
    call_ok("run", file)
    check_complete(file)


@linux_only
def test_a_second_ctrl_c_is_not_a_crash_of_the_bots(folder):
    file = tournament(folder, games=2, sleeping=True)
    with StartedArbiter("run", file, process_group=0) as running:
        running.read_until("game 2/6")
        wait_until_asleep(folder)
        os.killpg(running.popen.pid, signal.SIGINT)
        running.read_until("Ctrl-C again stops at once")
        for _ in range(2):
            os.killpg(running.popen.pid, signal.SIGINT)
        code, err = running.finish()
    assert (code, err) == (130, "arbiter: stopped: 2 of 6 games are stored; run again to continue\n")
    check_nothing_of_what_was_cut_off(file)


@linux_only
def test_the_first_ctrl_c_finishes_the_games_in_progress(folder):
    file = tournament(folder, games=2, sleeping=True)
    with StartedArbiter("run", file, process_group=0) as running:
        running.read_until("game 2/6")
        wait_until_asleep(folder)
        os.killpg(running.popen.pid, signal.SIGINT)
        running.read_until("stopping after the games in progress; Ctrl-C again stops at once")
        wake(folder)
        code, err = running.finish()
    assert code == 130
    kept = len(list_games(file))
    assert 2 < kept < 6  # the second worker may have been about to begin another
    assert err == f"arbiter: stopped: {kept} of 6 games are stored; run again to continue\n"
    call_ok("run", file)
    check_complete(file)


@linux_only
@pytest.mark.heavy
def test_ctrl_c_during_moves(folder):
    file = tournament(folder, games=5000)  # more than any machine plays before the signal arrives
    with StartedArbiter("run", file, process_group=0) as running:
        running.read_until("game 3/")
        os.killpg(running.popen.pid, signal.SIGINT)
        assert running.finish()[0] == 130
    games = list_games(file)
    assert 3 <= len(games) < 5000
    assert {as_announced(game) for game in games} == set(announced(running.lines))
    check_nothing_of_what_was_cut_off(file)


def check_nothing_of_what_was_cut_off(file):
    assert bot_processes_in(file.parent) == []
    assert all(game["ending"] in {"flag_taken", "no_pieces", "no_moves"} for game in list_games(file))
    assert all("sleeper" not in game["id"] for game in list_games(file))

"""Options and commands of a run that is played by worker processes: they work as in one process."""

import json

import pytest
from cli.command_line import StartedArbiter, call, call_ok, write_tournament
from cli.sleeping_bot import linux_only, quick_bot, tournament, wait_until_asleep, wake
from cluster.dask_processes import read_results, wait_for_game

from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.results.store import Store

pytestmark = [linux_only, pytest.mark.slow]


def play(file, *options):
    with StartedArbiter("run", file, "--workers", "2", *options) as running:
        assert running.finish() == (0, "")
    return read_results(file)[0]


@pytest.mark.parametrize("settings", [{"format": "swiss", "rounds": 2}, {"format": "knockout"}])
def test_rounds_follow_each_other(folder, settings):
    bots = tuple(quick_bot(name) for name in ("one", "two", "three", "four"))
    file = write_tournament(folder, bots=bots, **settings)
    games = play(file)
    with Store.read(file.parent / "results" / "club.sqlite") as store:
        assert store.schedule().total == len(games)
    other = write_tournament(folder, name="other", bots=bots, **settings)
    call_ok("run", other)
    here = read_results(other)[0]
    assert [(game.id, game.fingerprint) for game in games] == [(game.id, game.fingerprint) for game in here]


def test_status_live_games_events_and_stop(folder):
    file = tournament(folder, games=2, sleeping=True)
    events = folder.parent / "events.jsonl"
    with StartedArbiter("run", file, "--workers", "2", "--live", "--events", events) as running:
        wait_until_asleep(folder)
        wait_for_game(file)
        live = {path.stem for path in (file.parent / "results" / "club.sqlite.live").iterdir()}
        call_ok("stop", file)
        wake(folder)
        code, err = running.finish()
    assert code == 130
    assert "arbiter: stopped: " in err
    kinds = [json.loads(line)["event"] for line in events.read_text().splitlines()]
    assert kinds[0] == "begin"
    assert kinds.count("finished") == len(read_results(file)[0]) > 0
    assert live
    assert live <= {game.id for game in read_results(file)[0]}
    call_ok("run", file)  # in another mode
    games = read_results(file)[0]
    assert sorted(game.id for game in games) == sorted(
        fixture.id for fixture in load_tournament(file).schedule(17).fixtures
    )


def test_a_match_with_sprt_and_kept_logs(folder):
    results = folder / "match.sqlite"
    options = ("--rules", "duel", "--games", 6, "--sprt=0,400", "--keep-logs", "--results", results, "--workers", 2)
    result = call("match", folder / "player.py", "random", "--seed", 5, *options)
    assert result.exit_code == 0, result.stderr
    assert "SPRT" in result.stdout
    with Store.read(results) as store:
        for game in store.games():
            assert all(transcript.lines for transcript in store.log(game.id).wire.values())


def test_a_withdrawn_bot_plays_no_more_games(folder):
    file = tournament(folder, games=2, sleeping=True)
    with StartedArbiter("run", file, "--workers", "2") as running:
        wait_until_asleep(folder)
        call_ok("withdraw", file, "sleeper")
        wake(folder)
        assert running.finish() == (0, "")
    games = read_results(file)[0]
    assert any(game.ending == "walkover" for game in games if "sleeper" in game.id)
    assert not any(game.ending == "walkover" for game in games if "sleeper" not in game.id)

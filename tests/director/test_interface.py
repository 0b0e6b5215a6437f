"""The Python interface for tournaments."""

import runpy
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from cli.command_line import SECRET, write_tournament
from cli.conftest import fast_bot
from cli.fast_bots import fast_tournament
from tournament.rulings import withdraw

from arbiter import api

__all__ = ["fast_bot"]
ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "run_tournament.py"
GAMES = 20
HERE = api.PlaySettings(jobs=1, sandbox="process")
LIVE = api.PlaySettings(live=True, jobs=1, sandbox="process")


def test_the_example_plays_a_tournament_and_writes_its_report(tmp_path, capsys, monkeypatch):
    file = write_tournament(tmp_path, draws={"max_plies": 10})
    results, report = tmp_path / "club.sqlite", tmp_path / "report"
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(file), str(results), str(report)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 6
    ranks, _, points = zip(*(line.split() for line in shown[2:4]), strict=True)
    assert ranks == (("1", "2") if float(points[0]) > float(points[1]) else ("1", "1"))  # the bots play at random
    assert shown[4:] == [str(report / "index.html"), "ok"]
    assert (report / "index.html").exists()


def test_the_events_of_a_run_tell_what_happens_and_can_be_written_and_read(tmp_path, fast_bot):
    tournament = api.load_tournament(fast_tournament(tmp_path, fast_bot, 2))
    with api.run_tournament(tournament, tmp_path / "club.sqlite", LIVE) as run:
        events = list(run)
    kinds = [type(event) for event in events if not isinstance(event, api.Notice)]  # such as: little memory is free
    assert kinds[0] is api.RunBegan
    assert kinds[-1] is api.Progress
    assert [kind for kind in kinds if kind in (api.Began, api.Finished)] == [api.Began, api.Finished] * 2
    with api.read_results(tmp_path / "club.sqlite") as stored:
        for game in stored.games():
            lines = [event.line for event in events if isinstance(event, api.Acted) and event.game == game.id]
            assert lines == stored.record(game.id).splitlines()[:-1]
    assert events[-1].played == events[-1].total == 2
    assert not run.outcome.stopped
    assert msgspec.json.decode(msgspec.json.encode(events), type=list[api.Event]) == events


def test_results_are_read_while_and_after_a_tournament_is_played(tmp_path):
    tournament = api.load_tournament(write_tournament(tmp_path, games=2))
    results = tmp_path / "club.sqlite"
    with api.run_tournament(tournament, results, api.PlaySettings(secret=SECRET)) as run:
        next(event for event in run if isinstance(event, api.Finished))
        with api.read_results(results) as stored:
            assert stored.is_being_played
            assert len(stored.games()) >= 1
        with pytest.raises(api.ConfigError, match=r"club\.sqlite"):
            api.run_tournament(tournament, results).__enter__()
        assert run.outcome.voids == []
    with api.read_results(results) as stored:
        assert not stored.is_being_played
        table = stored.standings()
        assert [row.rank for row in table] == [1, 2]
        assert sum(row.games for row in table) == 4
        assert {rating.bot for rating in stored.ratings().bots} == {row.bot for row in table}
    assert api.verify_results(results).ok
    assert api.verify_results(str(results)).games == 2


def test_a_run_that_is_stopped_or_left_is_resumed(tmp_path, fast_bot):
    tournament = api.load_tournament(fast_tournament(tmp_path, fast_bot, GAMES))
    results = tmp_path / "club.sqlite"
    with api.run_tournament(tournament, results, HERE) as run:
        next(event for event in run if isinstance(event, api.Finished))
        run.stop()
        assert run.outcome.stopped
    with api.run_tournament(tournament, results, HERE) as run:
        begin = next(event for event in run if isinstance(event, api.RunBegan))
        assert 1 <= begin.played < begin.total == GAMES
    assert run.outcome.stopped
    with api.run_tournament(tournament, results, HERE) as run:
        finished = sum(isinstance(event, api.Finished) for event in run)
    assert not run.outcome.stopped
    with api.read_results(results) as stored:
        assert 0 < finished < len(stored.games()) == GAMES


def test_a_withdrawal_during_a_run_is_an_event(tmp_path, fast_bot):
    results = tmp_path / "club.sqlite"
    with api.run_tournament(api.load_tournament(fast_tournament(tmp_path, fast_bot, GAMES)), results, LIVE) as run:
        events = iter(run)
        next(event for event in events if isinstance(event, api.Finished))
        withdraw(results, "one")
        ruled = next(event for event in events if isinstance(event, api.Ruled)).ruling
        assert (ruled.kind, ruled.bot) == ("withdraw", "one")


def test_a_file_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(api.ConfigError, match="there is no such file"):
        api.read_results(tmp_path / "other.sqlite")


def test_importing_the_interface_for_games_alone_is_cheap():
    code = "import sys, arbiter.api; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    slow = {
        *["trio", "click", "dask", "numpy", "rich", "sqlite3", "arbiter.tournament", "arbiter.show", "arbiter.director"]
    }
    assert slow.isdisjoint(loaded)

"""Seasons of a ladder: closed, listed, and refused."""

import json
import stat

from cli.command_line import call_ok, call_refused, write_tournament

from arbiter.director.files import results_file


def test_a_closed_season_stays_and_the_next_run_begins_another(tmp_path):
    file = write_tournament(tmp_path, format="ladder", max_games=2)
    results = results_file(file, None)
    assert "there are no results" in call_refused("ladder", "close", file)
    played = []
    for number in (1, 2):
        call_ok("run", file)
        played.append(call_ok("games", file, "--format", "csv"))
        closed = json.loads(call_ok("ladder", "close", file, "--format", "json"))
        archive = results.parent / "seasons" / f"{results.stem}-{number}.sqlite"
        assert [closed[key] for key in ("season", "games", "results")] == [number, 2, str(archive)]
        assert not results.exists()
        assert not stat.S_IMODE(archive.stat().st_mode) & 0o222
    archives = sorted((results.parent / "seasons").iterdir())
    assert [call_ok("games", path, "--format", "csv") for path in archives] == played
    listed = [json.loads(line) for line in call_ok("ladder", "seasons", file, "--format", "json").splitlines()]
    assert [one["season"] for one in listed] == [1, 2]
    for path in archives:
        call_ok("verify", path)


def test_a_tournament_with_rounds_has_no_seasons(tmp_path):
    file = write_tournament(tmp_path)
    call_ok("run", file)
    assert 'is a tournament with format "round-robin"; only a ladder has seasons' in call_refused(
        "ladder", "close", file
    )

"""Unrated matches of a ladder: asked for, played in turn, shown, and never counted."""

import json

from cli.command_line import call_ok, call_refused, write_tournament

from arbiter.director.files import results_file
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.unrated import find_file, read_matches
from arbiter.tournament.standings.stored_game import UNRATED_SERIES


def read(*words):
    return [json.loads(line) for line in call_ok(*words, "--format", "json").splitlines()]


def test_a_match_is_asked_for_played_by_the_next_run_and_counts_for_nothing(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], format="ladder", max_games=4)
    results = results_file(file, None)
    call_ok("run", file)
    bots = [one["bot"] for one in read("standings", file)]
    before = call_ok("standings", file)
    (asked,) = read("match", *bots[:2], "--ladder", file, "--games", "4")
    assert (asked["number"], asked["games"]) == (1, 4)
    (waiting,) = read("ladder", "matches", file)
    assert (waiting["state"], waiting["games"]) == ("waits", [])
    call_ok("run", file)
    (played,) = read("ladder", "matches", file)
    assert played["state"] == "over"
    assert played["games"] == [f"m1~{one}~{two}~{pair}" for pair in (1, 2) for one, two in (bots[:2], bots[1::-1])]
    assert call_ok("standings", file) == before
    assert len(call_ok("games", file, "--format", "csv").splitlines()) == 5
    (shown,) = read("games", file, "--id", played["games"][0])
    assert (shown["id"], shown["state"]) == (played["games"][0], "unrated")
    call_ok("export", file, played["games"][0], "--html", tmp_path / "game.html")
    call_ok("verify", file)
    call_ok("run", file)
    with Store.read(results) as store:
        assert len(store.games_as_stored(UNRATED_SERIES)) == 4


def test_requests_that_a_ladder_does_not_take(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], format="ladder", max_games=2)
    assert "there is no such file" in call_refused("match", "a", "b", "--ladder", file)
    call_ok("run", file)
    bots = [one["bot"] for one in read("standings", file)]
    assert "unknown bot 'nobody'" in call_refused("match", bots[0], "nobody", "--ladder", file)
    assert "two different bots" in call_refused("match", bots[0], bots[0], "--ladder", file)
    assert "must be an even number from 2 to 100" in call_refused("match", *bots[:2], "--ladder", file, "--games", "3")
    refused = call_refused("match", *bots[:2], "--ladder", file, "--rules", "duel")
    assert "--rules: the ladder decides it for its matches" in refused
    results = results_file(file, None)
    assert read_matches(results) == []
    find_file(results).write_bytes(b'{"number":7}\n\xff\nnonsense\n')
    assert read_matches(results) == []
    call_ok("run", file)


def test_a_tournament_with_rounds_plays_no_unrated_matches(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2])
    call_ok("run", file)
    assert "only a ladder plays unrated matches" in call_refused("match", "a", "b", "--ladder", file)

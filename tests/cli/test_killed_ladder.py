"""A ladder that is killed at random moments loses, repeats and forfeits no game, and counts what it has stored."""

import json
import time
from collections import Counter
from random import Random

import pytest
from cli.command_line import StartedArbiter, call_ok, write_tournament

from arbiter.director.files import results_file
from arbiter.tournament.results.reader import Results
from arbiter.tournament.standings.stored_game import UNRATED_SERIES
from arbiter.verify import verify

BOTS = ("hunter", "random", "stdlib")
PLIES = 40
LONGEST_S = 0.3
MOST_READ = 4


@pytest.mark.heavy
@pytest.mark.parametrize("kills", [5, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])])
def test_kill_9_loses_repeats_and_blames_nobody(tmp_path, kills):
    def write(**limit):
        return write_tournament(tmp_path, bots=BOTS, format="ladder", draws={"max_plies": PLIES}, **limit)

    file = write()
    words = ["run", file, "--jobs", "2", "--events", "-"]
    chance = Random(kills)
    finished = 0
    for number in range(kills):
        serving = ["--serve", "0"] if number % 3 == 2 else []
        with StartedArbiter(*words, *serving) as running:  # killed by signal 9 at the end of the block
            running.read_until('"started"')
            for _ in range(chance.randrange(MOST_READ)):
                running.read_until('"finished"')
                finished += 1
            time.sleep(chance.uniform(0, LONGEST_S))
        if number < 2:
            call_ok("match", "hunter", "random", "--ladder", file)
    with Results.read(results_file(file, None)) as results:
        stored = len(results.games_as_stored()) + len(results.games_as_stored(UNRATED_SERIES))
        games = len(results.games_as_stored()) // 2 * 2 + 6
    assert stored >= finished, "a game that is reported is stored"
    write(max_games=games)
    call_ok("run", file)
    with Results.read(results_file(file, None)) as results:
        rated, unrated = results.games_as_stored(), results.games_as_stored(UNRATED_SERIES)
        stored = [*rated, *unrated]
        assert len(rated) == games
        assert sorted(game.id for game in unrated) == [
            f"m{number}~{seats}~1" for number in (1, 2) for seats in ("hunter~random", "random~hunter")
        ]
        assert set(Counter(game.id for game in stored).values()) == {1}
        assert all(verify(results.record(game.id)).ok for game in stored)
        assert not any(game.forfeiters for game in stored)
        assert {attempt.cause for attempt in results.attempts().values()} <= {"stopped"}
        seats = {(game.red, game.blue, game.pair) for game in rated}
        assert all((blue, red, pair) in seats for red, blue, pair in seats), "whole pairs, colours swapped"
    table = [json.loads(line) for line in call_ok("standings", file, "--show", "standings", "--json").splitlines()]
    assert sum(one["games"] for one in table) == 2 * games
    call_ok("verify", file)

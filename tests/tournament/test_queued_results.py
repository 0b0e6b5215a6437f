"""The results of a test in a queue: the time in which its games were played."""

from pathlib import Path

import pytest
from msgspec import structs
from tournament.stored_games import game

from arbiter.tournament.queue import QueuedResults, QueuedTest


@pytest.mark.parametrize(
    ("games", "seconds"),
    [
        ([], 0),
        ([(0, 0.02)] * 30 + [(1, 0.02)] * 30 + [(2, 0.02)] * 30, 3),  # many games start in the same second
        ([(0, 1.5), (1, 1.5), (3, 1.5)], 5),  # one after the other: 0.0, 1.5 and 3.0
        ([(0, 9), (0, 9), (5, 9)], 14),  # several at a time
        ([(0, 2), (40, 2)], 4),  # nobody played in between
    ],
)
def test_the_time_of_a_test_is_that_in_which_games_were_played(games, seconds):
    stored = tuple(
        structs.replace(
            game("a", "b", "red", "flag_taken"), started=f"2026-11-20T10:00:{second:02}+00:00", seconds=long
        )
        for second, long in games
    )
    results = QueuedResults(test=QueuedTest(added=""), path=Path("test-1.sqlite"), total=100, games=stored)
    assert seconds <= results.seconds <= seconds + 2  # starts are stored in whole seconds

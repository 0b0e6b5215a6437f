"""Replays for bots that were killed."""

import pytest
from tournament.stored_games import attempt

from arbiter.tournament.execution.executor import Excuses

# kills in order: game, bot and evidence; and if each is excused
CASES = {
    "once for each bot if it may have done it": ("g1 a killed yes", "g2 a killed no", "g3 a out_of_memory no"),
    "lack of memory counts like an unknown sender": ("g1 a out_of_memory yes", "g1 a killed no", "g2 a killed no"),
    "a lost connection is excused once in the event": ("g1 a lost_connections yes", "g2 a lost_connections no"),
    "each bot has its own": ("g1 a killed yes", "g1 b killed yes", "g2 b killed no", "g2 a killed no"),
    "what no bot can do is excused in every game": ("g1 a sandbox_killed yes", "g2 a sandbox_killed yes"),
    "but only once in each": ("g1 a sandbox_killed yes", "g1 a sandbox_killed no", "g1 a killed no"),
    "and leaves the bot its own excuse": ("g1 a sandbox_killed yes", "g2 a killed yes", "g3 a killed no"),
}


@pytest.mark.parametrize("kills", CASES.values(), ids=CASES)
def test_excuses(kills):
    excuses = Excuses()
    for kill in kills:
        game, bot, evidence, answer = kill.split()
        assert excuses.use(game, bot, evidence) is (answer == "yes"), kill


def test_the_excuses_of_earlier_runs_are_used_up():
    excuses = Excuses(
        [
            attempt("a~b~1", "killed", "red"),
            attempt("a~b~2", "sandbox_killed", "blue"),
            attempt("c~d~1", "lost_connections", "red"),
        ]
    )
    assert not excuses.use("g3", "a", "killed")
    assert not excuses.use("g3", "c", "lost_connections")
    assert not excuses.use("a~b~2", "b", "sandbox_killed")
    assert excuses.use("g3", "b", "killed")


def test_errors_and_stopped_runs_use_up_no_excuse():
    excuses = Excuses(
        [attempt("a~b~1", "error", "red"), attempt("a~b~1", "stopped", "red"), attempt("a~b~1", "error", None)]
    )
    assert excuses.use("a~b~1", "a", "killed")

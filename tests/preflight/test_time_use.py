"""The time step: what a bot's speed means for the longest game, and the statistics of its times."""

import re

import pytest
import trio
from msgspec.structs import replace
from preflight.test_harness import make_conditions

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides
from arbiter.preflight.examination import CheckedGame, Conditions, Examination, SelectedRules
from arbiter.preflight.harness import open_harness
from arbiter.preflight.opponents import RANDOM_OPPONENT
from arbiter.preflight.steps.playing import check_time
from arbiter.record import ActEntry, GameHeader, GameResult, RecordWriter
from protocol.words import Move

DUEL = SelectedRules("duel")
# Thinking takes 60 ms of processor time, so that the bank lasts about 60 turns, also on a busy machine.
TIME = TimeSettings(bank_s=3, increment_s=0.01, margin_ms=20, clock="cpu", wall_factor=1000)


def examine_time(name, rules=DUEL, time=TIME):
    """Play the beginning of a game with a novice, and run the time step as if that was a whole game."""
    conditions = make_conditions(name, time)
    exam = Examination(conditions)

    async def run():
        async with open_harness(conditions) as harness:
            exam.games["duel"] = [await harness.play(exam.make_game(rules, "red", "x", plies=20), RANDOM_OPPONENT)]
        return await check_time(exam, rules)

    return trio.run(run)


@pytest.mark.heavy
@pytest.mark.usefixtures("adopting")
def test_a_bot_whose_bank_is_empty_before_the_longest_game_ends_fails():
    finding = examine_time("Thinks")
    assert (finding.status, finding.explanation.mistake) == ("failed", "bank_runs_out")
    found = re.search(
        r"uses ([\d.]+) s a turn more than the increment: its bank of 3 s lasts (\d+) turns, "
        r"but a game may last 4000 plies. In a game with a bank of ([\d.]+) s, after \d+ plies: red used more than",
        finding.text,
    )
    over_s = float(found[1])  # a little more than 0.05: reading and writing takes time, too
    assert int(found[2]) == pytest.approx(TIME.bank_s / over_s, rel=0.05)
    assert float(found[3]) == pytest.approx(TIME.increment_s + 4 * over_s, rel=0.1)
    assert "Read `clock`" in finding.explanation.advice


@pytest.mark.heavy
@pytest.mark.usefixtures("adopting")
def test_a_bot_that_thinks_faster_when_its_bank_is_low_passes():
    finding = examine_time("ThinksFasterAtTheEnd")
    assert finding.status == "ok"
    assert "a game may last 4000 plies" in finding.text
    assert "it did not lose on time" in finding.text


@pytest.mark.usefixtures("adopting")
@pytest.mark.parametrize(
    ("rules", "time"),
    [
        (replace(DUEL, overrides=Overrides(max_plies=40)), TIME),  # the longest game is short
        (DUEL, replace(TIME, increment_s=60)),
    ],
    ids=["short games", "long increment"],
)
@pytest.mark.heavy
@pytest.mark.slow(keep=1)
def test_a_bot_whose_bank_lasts_for_the_longest_game_passes(rules, time):
    finding = examine_time("Thinks", rules, time)
    assert finding.status == "ok"
    assert "more than the increment" not in finding.text


def make_game(times):
    """Make a game in which red's answers have some times; each entry is a seat and its milliseconds."""
    writer = RecordWriter(GameHeader(rules="duel"))
    for seat, ms in times:
        writer.act(ActEntry(seat=seat, action=Move("a4", "a5"), ms=ms))
    result = GameResult(winner=None, ending="agreed", plies=len(times))
    return CheckedGame(seat="red", result=result, record=writer.finish(result), evidence=None)


def test_no_percentile_exceeds_the_slowest_time():
    conditions = Conditions(
        program=None, opponent=None, isolation=None, time=TimeSettings(increment_s=1), seed=1, games=1
    )
    exam = Examination(conditions)
    exam.games["duel"] = [make_game([("red", ms) for ms in (10, 20, 30, 400)])]
    finding = trio.run(check_time, exam, DUEL)
    assert "median 25 ms, 95 % within 344 ms, slowest 400 ms" in finding.text  # the exclusive method: 678 ms


def test_the_time_of_a_turn_includes_all_of_its_answers():
    game = make_game([("red", 5), ("red", 6), ("blue", 100), ("red", 7)])
    assert game.turn_times_ms == [11, 7]
    assert game.move_times_ms == [5, 6, 7]

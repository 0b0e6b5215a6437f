"""Time limits with real programs: on a busy machine, while the arbiter stalls, and without pondering."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
import trio
from msgspec.structs import replace
from referee.local_conversations import player
from referee.real_games import AMPLE, TrackedIsolation, bot, check_game, make_spec, play
from trio.testing import MockClock

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game
from arbiter.sandbox.usage import is_measurable

pytestmark = [
    pytest.mark.usefixtures("adopting"),
    pytest.mark.skipif(not is_measurable(), reason="no /proc that lists children"),
]
CPU = TimeSettings(start_s=20, setup_s=20, bank_s=20, increment_s=0, move_s=0.02, margin_ms=0, clock="cpu")
BRIEF = Overrides(no_attack_plies=0, max_plies=4)


@contextmanager
def busy_cores():
    """Keep every core busy with programs of the same priority as the bots."""
    loops = [
        subprocess.Popen([sys.executable, "-ESc", "while True: pass"]) for _ in range(len(os.sched_getaffinity(0)))
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@pytest.mark.slow
def test_on_a_busy_machine_half_the_processor_time_never_loses_and_much_more_always_does():
    # No limit on elapsed time that a busy machine could reach: only the processor time decides.
    time = replace(CPU, wall_factor=1000)
    with busy_cores():
        for ms, games, outcome in (("10", 100, ("ply_limit", None)), ("400", 20, ("timeout", "blue"))):
            for _ in range(games):
                assert play(bot("uses_cpu", ms), bot(), time=time, overrides=BRIEF).outcome == outcome


@pytest.mark.parametrize("where", ["itself", "child", "thread"])
def test_processor_time_of_children_and_threads_is_charged(where):
    time = replace(CPU, move_s=0.2, margin_ms=50, wall_factor=1000)
    played = play(bot("uses_cpu", "60,400", where), bot(), time=time, overrides=BRIEF)
    assert played.outcome == ("timeout", "blue")
    assert "used more than 250 ms of processor time" in played.result.why
    (honest,) = [act.ms for act in played.acts[2:] if act.seat == "red"]
    assert 40 <= honest < 200


def test_sleeping_costs_no_processor_time_but_has_a_limit():
    played = play(bot("sleeps_forever"), player(), time=replace(CPU, move_s=0.1, margin_ms=50, wall_factor=1))
    assert played.outcome == ("timeout", "blue")
    assert "did not answer within 150 ms" in played.result.why


def test_processor_time_off_turn_is_not_charged():
    limit = replace(CPU, margin_ms=20, wall_factor=1000)
    played = play(bot("thinks", "0.15"), bot("uses_cpu", "0", "off_turn"), time=limit, overrides=BRIEF)
    assert played.outcome == ("ply_limit", None)


@pytest.mark.parametrize("clock", ["wall", "cpu"])
def test_a_late_answer_counts_if_the_loop_was_blocked(clock):
    """While a bot is asked, the clock of the arbiter jumps, as if the arbiter had been stopped for that time."""
    limits = replace(AMPLE, move_s=10, margin_ms=100, clock=clock, wall_factor=1)
    isolation = TrackedIsolation()
    time_of_run = MockClock(rate=1)
    acts = []

    async def jump(number):
        await trio.sleep(0.01)
        if len(acts) == number:
            time_of_run.jump(12)

    async def main():
        async with trio.open_nursery() as nursery:

            def follow(line):
                acts.append(line)
                if len(acts) >= LINES_BEFORE_TURN:
                    nursery.start_soon(jump, len(acts))

            thinker = bot("thinks", "0.05")
            spec = make_spec(thinker, thinker, time=limits, overrides=Overrides(max_plies=6))
            return await play_game(spec, isolation, follow=follow)

    game = trio.run(main, clock=time_of_run)
    played = check_game(game, isolation)
    assert played.outcome == ("ply_limit", None)
    assert sum(game.excused_answers.values()) > 0
    assert game.lag_ms > 12_000
    assert all(act.ms <= 10_100 for act in played.acts[2:])


LINES_BEFORE_TURN = 3  # of the record: the header and two deployments
STOPPED = """
import sys
sys.path[:0] = {path!r}
import trio
from msgspec.structs import replace
from referee.local_conversations import player
from referee.real_games import AMPLE, TrackedIsolation, bot, make_spec
from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game

async def main():
    thinker = bot("thinks", "1")
    spec = make_spec(thinker, thinker, time=replace(AMPLE, move_s=10), overrides=Overrides(max_plies=4))
    game = await play_game(spec, TrackedIsolation(), follow=lambda line: print("playing", flush=True))
    print(game.result.ending, sum(game.excused_answers.values()))

trio.run(main)
"""


@pytest.mark.heavy
def test_a_game_goes_on_after_the_arbiter_was_stopped():
    script = STOPPED.format(path=sys.path)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as arbiter:
        for _ in range(LINES_BEFORE_TURN):
            assert arbiter.stdout.readline() == "playing\n"
        time.sleep(0.3)  # the bot is asked, and thinks
        arbiter.send_signal(signal.SIGSTOP)
        with pytest.raises(subprocess.TimeoutExpired):
            arbiter.wait(11)
        arbiter.send_signal(signal.SIGCONT)
        ending, excused = arbiter.stdout.read().split("playing\n")[-1].split()
    assert (ending, int(excused)) == ("ply_limit", 1)


def pondered_s(turn_s, *, pondering):
    """Return the seconds of processor time that a bot's child used during turns of the opponent of `turn_s` seconds."""
    opponent = bot("thinks", str(turn_s))
    brief = Overrides(max_plies=8)
    played = play(bot("uses_cpu_in_background"), opponent, time=replace(AMPLE, pondering=pondering), overrides=brief)
    assert played.outcome == ("ply_limit", None)
    return float(played.game.log.stderr["red"])


def test_a_child_ponders_only_if_that_is_allowed(patient):
    # On a busy machine the child needs longer turns to use more time than around the turns.
    assert any(
        1.5 * pondered_s(turn_s, pondering=False) < pondered_s(turn_s, pondering=True) for turn_s in (0.05, 0.3, 2)
    )


@pytest.mark.parametrize("name", ["forks_children", "leaves_a_daemon", "crashes", "never_exits", "stops_itself"])
@pytest.mark.slow(keep=1)
def test_freezing_changes_no_result(name):
    limits = replace(AMPLE, bank_s=0.3 if name == "stops_itself" else 20)
    as_ever = play(bot(name), bot(), time=limits).outcome
    assert play(bot(name), bot(), time=replace(limits, pondering=False)).outcome == as_ever

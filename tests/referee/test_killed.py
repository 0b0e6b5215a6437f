"""Bots that are killed by a signal that the arbiter did not send: from outside, by themselves, by lack of memory."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trio
from referee.fake_bots import GONE, Brain, FakeBot
from referee.games_in_memory import play_bots
from referee.real_games import TrackedIsolation, bot, check_game, make_spec, processes_with_mark

from arbiter.games.ruleset import Overrides
from arbiter.referee.fouls import BotKilled
from arbiter.referee.game import play_game
from arbiter.sandbox.isolation import ProgramEnd
from arbiter.sandbox.usage import descendants, find_parent, is_measurable
from protocol.reasons import Signalled

pytestmark = [
    pytest.mark.usefixtures("adopting"),
    pytest.mark.skipif(not is_measurable(), reason="allowed: no /proc that lists children"),
]
LONG = Overrides(max_plies=100, no_attack_plies=0)
PLY_OF_KILL = 2


def program_of(mark):
    """Return the process of the bot itself: the last descendant of the marked one."""
    outer = min(processes_with_mark(mark))
    return [outer, *descendants(outer)][-1]


def sandbox_of(mark):
    """Return the process that the arbiter started."""
    [found] = [pid for pid in processes_with_mark(mark) if find_parent(pid) == os.getpid()]
    return found


def play_and_kill(find, isolation, *, is_excused):
    """Play a game and kill a process of red's bot in the middle; return the game or BotKilled, and what was asked."""
    tracked = TrackedIsolation(isolation)
    asked = []
    acts = []

    def excuse(seat, evidence):
        asked.append((seat, evidence))
        return is_excused

    def follow(line):
        acts.append(line)
        if len(acts) == PLY_OF_KILL + 3:  # after the header and two deployments
            os.kill(find(tracked.marks[0]), signal.SIGKILL)

    async def main():
        spec = make_spec(bot("thinks", "0.05"), bot(), overrides=LONG)
        try:
            return await play_game(spec, tracked, follow=follow, excuse=excuse)
        except BotKilled as killed:
            return killed

    outcome = trio.run(main)
    assert tracked.leftovers() == []
    return outcome, asked, tracked


def check_kill(find, isolation, evidence):
    """Check that a game is voided if a process of red's bot is killed and that is excused."""
    killed, asked, _ = play_and_kill(find, isolation, is_excused=True)
    assert isinstance(killed, BotKilled)
    assert (killed.seat, killed.evidence) == ("red", evidence)
    assert (killed.reason.end.signal, killed.reason.kill) == ("SIGKILL", evidence)
    assert asked == [("red", evidence)]


def test_a_plain_process_that_is_killed_from_outside_voids_the_game_or_loses_it():
    check_kill(program_of, None, "killed")
    game, asked, tracked = play_and_kill(program_of, None, is_excused=False)
    assert check_game(game, tracked).outcome == ("killed", "blue")
    assert "has already had a game replayed" in game.result.why
    assert asked == [("red", "killed")]


@pytest.mark.parametrize(("find", "evidence"), [(program_of, "killed"), (sandbox_of, "sandbox_killed")])
def test_a_program_in_a_sandbox_that_is_killed_from_outside_voids_the_game(sandbox, find, evidence):
    check_kill(find, sandbox, evidence)


def test_a_bot_that_kills_itself_has_no_other_evidence_than_an_unknown_sender(sandbox):
    for isolation in (None, sandbox):
        asked = []

        async def main(isolation=isolation, asked=asked):
            spec = make_spec(bot("kills_itself", str(signal.SIGKILL.value)), bot(), overrides=LONG)
            await play_game(spec, TrackedIsolation(isolation), excuse=lambda *kill: asked.append(kill) or True)

        with pytest.raises(BotKilled):
            trio.run(main)
        assert asked == [("red", "killed")]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGTERM, signal.SIGXCPU])
def test_other_signals_are_a_crash_whoever_sent_them(number):
    tracked = TrackedIsolation()
    spec = make_spec(bot("kills_itself", str(number.value)), bot(), overrides=LONG)

    async def main():
        return await play_game(spec, tracked, excuse=lambda *_: True)

    assert check_game(trio.run(main), tracked).outcome == ("crash", "blue")


KILLED = ProgramEnd(Signalled("SIGKILL"), "killed")


@pytest.mark.parametrize("at", [1, 2])
def test_both_bots_receive_void_if_one_was_killed_and_is_excused(at):
    bots = {"red": FakeBot(Brain("red", at={at: GONE})), "blue": FakeBot(Brain("blue"))}
    bots["red"].end = KILLED
    game = play_bots(bots, excuse=lambda *_: True)
    assert game.outcome == ("void", None)
    assert game.over("blue")["result"] == game.over("blue")["ending"] == "void"


def test_the_opponent_of_a_killed_bot_wins_if_it_is_not_excused():
    for excuse in (None, lambda *_: False):
        bots = {"red": FakeBot(Brain("red", at={2: GONE})), "blue": FakeBot(Brain("blue"))}
        bots["red"].end = KILLED
        game = play_bots(bots, excuse=excuse)
        assert game.outcome == ("killed", "blue")
        assert (game.over("blue")["result"], game.over("blue")["ending"]) == ("win", "killed")


# --- lack of memory -------------------------------------------------------------------------------

MEMORY_MB = 160
CONFINED = """
import os, sys
from pathlib import Path
Path({group!r}, "cgroup.procs").write_text(str(os.getpid()))
sys.path[:0] = {path!r}
import trio
from referee.real_games import bot, make_spec
from arbiter.referee.fouls import BotKilled
from arbiter.referee.game import play_game
from arbiter.sandbox.select import open_sandbox
from arbiter.sandbox.process import ProcessIsolation

async def main(isolation):
    try:
        game = await play_game(make_spec(bot("fills_memory"), bot()), isolation, excuse=lambda *_: True)
        print(game.result)
    except BotKilled as killed:
        print(killed.evidence, killed.seat)

trio.run(main, {isolation}())
"""


@contextmanager
def memory_group():
    """Make a control group with little memory, of version 1 or 2; yield its folder."""
    for base, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = Path(base, f"arbiter-test-{os.getpid()}")
        if not Path(base, "cgroup.procs").exists():
            continue
        try:
            group.mkdir()
            (group / limit).write_text(str(MEMORY_MB << 20))
        except OSError:
            with suppress(OSError):
                group.rmdir()
            continue
        try:
            yield group
        finally:
            for child in group.glob("*/"):  # the arbiter makes one in version 2
                child.rmdir()
            group.rmdir()
        return
    pytest.skip("allowed: only root may limit the memory of a group of processes")


def play_with_little_memory(isolation):
    with memory_group() as group:
        script = CONFINED.format(group=str(group), path=sys.path, isolation=isolation)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_plain_process_that_the_machine_kills_for_lack_of_memory_voids_the_game():
    assert play_with_little_memory("ProcessIsolation") == "out_of_memory red"


@pytest.mark.heavy
def test_a_sandboxed_bot_that_the_machine_kills_for_lack_of_memory_voids_the_game(sandbox):
    assert play_with_little_memory("open_sandbox") == "out_of_memory red"

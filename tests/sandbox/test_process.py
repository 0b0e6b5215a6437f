"""Processes of bots: started behind a launcher, limited, and ended with all that they started."""

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import trio
from referee.real_games import (
    AMPLE,
    TrackedIsolation,
    bot,
    check_game,
    count_descriptors,
    make_spec,
    play,
    processes_with_mark,
    started,
)
from trio.testing import trio_test

from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.isolation import ARMED, Program
from arbiter.sandbox.streams import StreamEnd
from protocol.reasons import Exited, Signalled


@trio_test
async def test_nothing_runs_before_the_launcher_is_released(tmp_path):
    isolation = TrackedIsolation()
    proof = tmp_path / "ran"
    process = BotProcess(Program(name="toucher", argv=("/usr/bin/touch", str(proof)), folder=tmp_path), isolation)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        assert await process.reader.line() == ARMED
        await process.end(0)
    assert not proof.exists()
    assert isolation.leftovers() == []


@pytest.mark.parametrize("code", ["import time; time.sleep(3600)", ""], ids=["alive", "dead"])
def test_the_check_for_leftovers_finds_children_without_a_mark_and_ignores_older_ones(code):
    def start():
        return subprocess.Popen([sys.executable, "-ESc", code], start_new_session=True)

    with start() as unrelated:
        isolation = TrackedIsolation()
        isolation.launch(bot(), secrets.token_hex(16)).handle.release()
        assert isolation.leftovers() == []
        with start() as left:
            assert isolation.leftovers() == [left.pid]
            left.kill()
        unrelated.kill()


def test_nothing_runs_if_the_referee_dies_before_releasing_the_launcher(tmp_path):
    proof = tmp_path / "ran"
    toucher = Program(name="x", argv=("/usr/bin/touch", str(proof)), folder=tmp_path)
    launch = TrackedIsolation().launch(toucher, "m")
    done = subprocess.run(launch.argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    launch.handle.release()
    assert (done.returncode, done.stdout, proof.exists()) == (125, b"armed\n", False)


@trio_test
async def test_limits_and_environment_of_a_program():
    os.environ["SECRET_OF_THE_OPERATOR"] = "1"
    program = bot("reports_its_limits")
    async with started(program) as process:
        with pytest.raises(StreamEnd):
            await process.reader.line()
    del os.environ["SECRET_OF_THE_OPERATOR"]
    report = json.loads(process.log.text())
    assert report["core"] == 0
    assert report["files"] == 256
    assert report["written"] == 32 << 20
    assert report["leads"]
    assert report["open"] == [0, 1, 2]
    assert report["folder"] == str(bot().folder)
    assert set(report["environment"]) <= {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "ARBITER_BOT", "LC_CTYPE", "OLDPWD"}


@trio_test
async def test_a_program_has_its_own_scratch_folder_until_it_ends():
    isolation = TrackedIsolation()
    async with started(bot("fills_its_home"), isolation=isolation) as process:
        with pytest.raises(StreamEnd):
            await process.reader.line()
        (folder,) = isolation.folders
        assert (folder / "notes").exists()
        assert (await process.find_end()).how == Exited(0)
    assert isolation.leftovers() == []


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGTSTP])
@trio_test
async def test_a_stopped_process_is_ended(number):
    isolation = TrackedIsolation()
    async with started(bot("waits_for_eof"), isolation=isolation, grace_s=0.05) as process:
        assert await process.reader.line() == b"here"
        os.kill(isolation.children()[0], number)
    assert isolation.leftovers() == []


@trio_test
async def test_a_program_that_does_not_exit_is_killed_after_a_moment():
    async with started(bot("waits_for_eof"), grace_s=0) as process:
        assert await process.reader.line() == b"here"
        begun = trio.current_time()
    assert trio.current_time() - begun < 20


@trio_test
async def test_a_program_that_exits_early_is_not_waited_for():
    begun = trio.current_time()
    async with started(bot("fills_its_home"), grace_s=60):
        pass
    assert trio.current_time() - begun < 20


@trio_test
async def test_a_program_can_exit_when_its_stdin_is_closed():
    async with started(bot("waits_for_eof"), grace_s=0) as process:
        assert await process.reader.line() == b"here"
        assert not await process.exits_within(0)
        process.close_stdin()
        assert await process.exits_within(20)


@trio_test
async def test_processes_that_outlive_their_parent_are_listed(adopting):
    isolation = TrackedIsolation()
    async with started(bot("leaves_a_grandchild"), isolation=isolation, grace_s=0) as process:
        assert await process.reader.line() == b"here"
        alive = processes_with_mark(isolation.marks[0])
        process.kill()
        assert await process.exits_within(20)
        # Its child is killed with it, which may take a moment; its grandchild is not.
        remaining = process.remaining_processes()
        assert remaining
        assert set(remaining) < set(alive)
    assert isolation.leftovers() == []


@trio_test
async def test_an_exit_is_noticed_even_if_a_child_holds_the_pipes(adopting):
    isolation = TrackedIsolation()
    async with started(bot("leaves_a_grandchild"), isolation=isolation, grace_s=0) as process:
        assert await process.reader.line() == b"here"
        assert len(processes_with_mark(isolation.marks[0])) == 3
        os.kill(isolation.children()[0], signal.SIGKILL)
        with pytest.raises(StreamEnd):
            await process.reader.line()
        assert (await process.find_end()).how == Signalled("SIGKILL")
    assert isolation.leftovers() == []


def test_a_missing_folder_is_no_foul_and_leaves_nothing(tmp_path):
    isolation = TrackedIsolation()
    open_before = count_descriptors()
    lost = Program(name="lost", argv=("/bin/true",), folder=tmp_path / "nowhere")
    with pytest.raises(ExceptionGroup) as caught:
        trio.run(play_game, make_spec(bot(), lost), isolation)
    assert caught.group_contains(FileNotFoundError)
    assert isolation.leftovers() == []
    assert count_descriptors() <= open_before


def test_many_games_leave_no_descriptor_open_and_no_folder(adopting):
    isolation = TrackedIsolation()

    async def many():
        await play_game(make_spec(bot(), bot()), isolation)
        before = count_descriptors()
        for _ in range(3):
            async with trio.open_nursery() as nursery:
                for _ in range(3):
                    nursery.start_soon(play_game, make_spec(bot("logs_at_the_end"), bot("crashes")), isolation)
        return before, count_descriptors()

    before, after = trio.run(many)
    assert after <= before
    assert len(isolation.folders) == 20
    assert all(str(folder.parent) == tempfile.gettempdir() for folder in isolation.folders)
    assert isolation.leftovers() == []


@pytest.mark.parametrize(
    "name", ["sleeps_forever", "sleeps_forever setup", "never_ready", "forks_children", "stops_itself"]
)
@pytest.mark.heavy(keep=2)
def test_a_cancelled_game_leaves_nothing(adopting, name):
    isolation = TrackedIsolation()
    open_before = count_descriptors()

    async def cut_off():
        with trio.move_on_after(0.4):
            await play_game(make_spec(bot(*name.split()), bot("never_exits")), isolation)
            await trio.sleep_forever()

    trio.run(cut_off)
    assert len(isolation.marks) == 2
    assert isolation.leftovers() == []
    assert count_descriptors() <= open_before


INTERRUPTED = """
import signal, sys
sys.path[:0] = {path!r}
import trio
from referee.real_games import AMPLE, bot, children, make_spec
from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game
from arbiter.sandbox.process import adopt_orphans
from arbiter.sandbox.process import ProcessIsolation

async def main():
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            for name in ("sleeps_forever", "leaves_a_daemon", "stops_itself"):
                nursery.start_soon(play_game, make_spec(bot(name), bot("never_exits"), time=AMPLE), ProcessIsolation())
            nursery.start_soon(report_start)
            await anext(aiter(signals))
            nursery.cancel_scope.cancel()

async def report_start():
    with trio.fail_after(60):
        while len(children()) < 6:
            await trio.sleep(0.05)
    await trio.sleep(0.2)
    print("playing", flush=True)

adopt_orphans()
trio.run(main)
print("done", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.heavy(keep=1)
def test_an_interrupted_arbiter_leaves_no_bot(number, tmp_path):
    script = INTERRUPTED.format(path=sys.path)
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment, start_new_session=True
    ) as arbiter:
        assert arbiter.stdout.readline() == b"playing\n"
        bots = running_under(tmp_path)
        os.killpg(arbiter.pid, number)
        assert arbiter.stdout.read() == b"done\n"
        assert arbiter.wait() == 0
    assert len(bots) >= 4
    assert running_under(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def running_under(folder):
    """Return the processes whose home is in a folder: the bots of an arbiter that was given it for scratch."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if entry.name.isdigit() and f"HOME={folder}".encode() in environment:
            found.append(int(entry.name))
    return found


@pytest.mark.slow
def test_a_bot_may_think_longer_than_an_idle_thread_lives():
    played = play(bot("thinks", "13"), bot(), time=AMPLE, overrides=Overrides(max_plies=1))
    assert played.outcome == ("ply_limit", None)


def test_a_played_game_holds_its_duration_start_and_stderr(adopting, patient):
    isolation = TrackedIsolation()
    report = trio.run(play_game, make_spec(bot(), bot("logs_at_the_end")), isolation)
    check_game(report, isolation)
    assert report.seconds > 0
    assert report.unfinished.started.endswith("+00:00")
    assert report.log.stderr == {"blue": "dear diary: no_attack_limit\n"}

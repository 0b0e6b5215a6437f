"""Workers, coordinators and schedulers that are killed, frozen or cut off: no game is lost, repeated or forfeited."""

import json
import os
import random
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from cli.command_line import PATIENCE_S, StartedArbiter, bot_processes_in, call, call_ok, write_tournament
from cli.fast_bots import fast_tournament
from cli.sleeping_bot import linux_only, quick_bot, wait_until_asleep, wake
from cluster.dask_processes import DaskProcesses, kill_group, read_results
from cluster.dozing_bot import SHARED, dozing_tournament

from arbiter.cluster import coordinator
from arbiter.tournament.config.tournament import load_tournament

NO_WORKER = "no worker is left; the run continues when one joins the cluster, Ctrl-C stops it"
BOTS = Path(__file__).parent.parent / "bots"

pytestmark = [linux_only, pytest.mark.slow]


def check_complete(file):
    """Check that each game is stored once and that no bot has forfeited; return the voided attempts."""
    games, attempts = read_results(file)
    assert sorted(game.id for game in games) == sorted(
        fixture.id for fixture in load_tournament(file).schedule(17).fixtures
    )
    assert not [
        game for game in games if game.ending in {"crash", "timeout", "killed", "no_start", "protocol", "illegal_setup"}
    ]
    return attempts


def wait_until_gone(folder):
    """Wait until no bot runs; return the seconds that this took."""
    begun = time.monotonic()
    while bot_processes_in(folder):
        if time.monotonic() > begun + PATIENCE_S:
            raise TimeoutError(f"bots still run in {folder}")
        time.sleep(0.05)
    return time.monotonic() - begun


def wait_for_game(file):
    """Wait until the arbiter has noted a game in progress."""
    limit = time.monotonic() + PATIENCE_S
    while not json.loads(call("status", file, "--json").stdout or "{}").get("in_progress"):
        assert time.monotonic() < limit
        time.sleep(0.05)


def find_workers(arbiter):
    """List the worker processes that an arbiter has started."""
    ours = f"PPid:\t{arbiter.popen.pid}\n"
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if ours in (process / "status").read_text() and b"spawn_main" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found


@contextmanager
def meanwhile(function):
    """Call a function in a thread."""
    failures = []

    def work():
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - raised below
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    thread.join()
    assert failures == []


def test_kills_of_workers_at_any_moment_lose_and_repeat_no_game(tmp_path, fast_bot):
    file = fast_tournament(tmp_path, fast_bot, games=200, jobs=3)
    choose = random.Random(5)
    kills = 0
    with StartedArbiter("run", file, "--workers", 3) as running:
        running.read_until("game 1/")
        while running.popen.poll() is None and kills < 12:
            time.sleep(choose.uniform(0.05, 1))
            if workers := find_workers(running):
                os.kill(choose.choice(workers), signal.SIGKILL)
                kills += 1
        code, err = running.finish()
    assert code == 0
    assert set(err.splitlines()) <= {f"arbiter: {NO_WORKER}"}  # if all are killed before one is replaced
    assert kills > 3
    assert {attempt.reason for attempt in check_complete(file)} <= {"lost"}


def test_a_frozen_worker_loses_its_games_and_its_late_reports_are_dropped(folder, monkeypatch):
    monkeypatch.setattr(coordinator, "FROZEN_S", 3)
    file = dozing_tournament(folder, games=2)
    with DaskProcesses(folder.parent) as cluster:
        frozen = cluster.start_dask_worker()
        cluster.wait_for_workers()

        def freeze():
            wait_until_asleep(folder)
            os.kill(frozen.pid, signal.SIGSTOP)
            cluster.start_dask_worker()
            wake(folder)
            cluster.wait_until_logged("Remove worker")
            os.kill(frozen.pid, signal.SIGCONT)

        with meanwhile(freeze):
            call_ok("run", file, "--cluster", cluster.file)
        assert frozen.wait(PATIENCE_S) is not None
    (attempt, *_) = check_complete(file)
    assert attempt.reason == "lost"
    assert "did not answer" in attempt.why


class Proxy:
    """A TCP proxy whose connections can be cut."""

    def __init__(self, target):
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = socket.create_connection(self._target)
            self._sockets += [here, there]
            for source, sink in ((here, there), (there, here)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def _copy(source, sink):
        with source, suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)

    def cut(self):
        self._listener.close()
        for one in self._sockets:
            with suppress(OSError):  # it is closed
                one.shutdown(socket.SHUT_RDWR)


def test_a_dropped_connection_loses_no_game(folder):
    file = dozing_tournament(folder, games=2)
    with DaskProcesses(folder.parent) as cluster:
        cluster.wait_until_logged("Scheduler at")
        proxy = Proxy(cluster.address)
        cluster.start_dask_worker(scheduler=f"tcp://127.0.0.1:{proxy.port}")
        cluster.wait_for_workers()

        def cut():
            wait_until_asleep(folder)
            proxy.cut()
            wait_until_gone(folder)
            wake(folder)
            cluster.start_dask_worker()

        with meanwhile(cut):
            result = call("run", file, "--cluster", cluster.file)
    assert result.exit_code == 0
    assert result.stderr == f"arbiter: {NO_WORKER}\n"
    assert {attempt.reason for attempt in check_complete(file)} == {"lost"}


@pytest.mark.parametrize("place", ["--workers", "--cluster"])
def test_no_bot_survives_the_kill_of_the_coordinator(folder, place):
    thinker = [sys.executable, str(BOTS / "thinks.py"), "0.3"]
    bots = [{"name": name, "command": thinker} for name in ("one", "two")]
    settings = {"jobs": 2, "draws": {"max_plies": 8}, "time": {"start_s": 60}, "cluster": SHARED}
    file = write_tournament(folder, rules="original", bots=bots, games=2, **settings)
    with DaskProcesses(folder.parent) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        options = (place, "2" if place == "--workers" else cluster.file)
        with StartedArbiter("run", file, *options) as running:
            wait_for_game(file)
            running.popen.kill()
            running.popen.wait()
            assert wait_until_gone(BOTS) < 10
        with StartedArbiter("run", file, *options) as running:
            assert running.finish() == (0, "")
    assert {attempt.reason for attempt in check_complete(file)} == {"stopped"}


def test_the_end_of_the_scheduler_ends_the_run_with_one_line(folder):
    file = dozing_tournament(folder, games=2)
    with DaskProcesses(folder.parent) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        with StartedArbiter("run", file, "--cluster", cluster.file) as running:
            wait_until_asleep(folder)
            kill_group(cluster.scheduler)
            code, err = running.finish()
        assert code == 2
        assert err == (
            f"arbiter: {cluster.file}: the connection to the scheduler is lost; finished games are stored, "
            "run again to continue\n"
        )
        assert wait_until_gone(folder) < 10
    wake(folder)
    assert call("run", file).exit_code == 0
    assert {attempt.reason for attempt in check_complete(file)} <= {"lost", "stopped"}


@pytest.mark.parametrize("place", ["--workers", "--cluster"])
def test_ctrl_c_finishes_the_games_and_a_second_one_ends_them_at_once(folder, place):
    file = dozing_tournament(folder, games=2)
    with DaskProcesses(folder.parent) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        options = (place, "2" if place == "--workers" else cluster.file)
        with StartedArbiter("run", file, *options, start_new_session=True) as running:
            wait_until_asleep(folder)
            os.killpg(running.popen.pid, signal.SIGINT)  # as a terminal does
            time.sleep(1)
            assert bot_processes_in(folder)
            assert running.popen.poll() is None
            os.killpg(running.popen.pid, signal.SIGINT)
            code, err = running.finish()
            assert code == 130
            assert "arbiter: stopped: " in err
            assert wait_until_gone(folder) < 5
        (folder / "asleep.log").unlink()
        with StartedArbiter("run", file, *options, start_new_session=True) as running:
            wait_until_asleep(folder)
            os.killpg(running.popen.pid, signal.SIGINT)
            time.sleep(1)
            wake(folder)
            assert running.finish()[0] == 130
    games, _ = read_results(file)
    assert games
    assert not [game for game in games if game.ending in {"crash", "killed", "timeout"}]


def test_ctrl_c_while_workers_start_prints_nothing(folder):
    file = write_tournament(folder, bots=(quick_bot("one"), quick_bot("two")), games=200)
    with StartedArbiter("run", file, "--workers", "2", start_new_session=True) as running:
        while len(find_workers(running)) < 2:
            assert running.popen.poll() is None
            time.sleep(0.01)
        os.killpg(running.popen.pid, signal.SIGINT)
        code, err = running.finish()
    assert (code, err.strip()) == (130, "")
    assert find_workers(running) == []


def test_a_bot_of_a_worker_can_be_interrupted(folder):
    (folder / "mask.py").write_text(
        "import signal\nassert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())\n"
        f"exec(open({str(folder / 'player.py')!r}).read())\n"
    )
    bots = [{"name": name, "command": ["./mask.py"]} for name in ("one", "two")]
    call_ok("run", write_tournament(folder, bots=bots, games=2), "--workers", 2)
    games, _ = read_results(folder / "club.toml")
    assert {game.ending for game in games} & {"no_start", "crash"} == set()


def test_a_full_disk_on_a_worker_costs_no_bot_a_game(folder):
    full = folder.parent / "full"
    full.mkdir()
    if os.system(f"mount -t tmpfs -o size=64k,nr_inodes=8 none {full} 2>/dev/null") != 0:
        pytest.skip("allowed: only root can make a small disk")
    try:
        file = write_tournament(folder, bots=(quick_bot("one"), quick_bot("two")), games=2, jobs=2, cluster=SHARED)
        with DaskProcesses(folder.parent) as cluster:
            cluster.start_dask_worker(TMPDIR=full)
            cluster.start_dask_worker()
            cluster.wait_for_workers()
            for number in range(8):
                os.system(f"touch {full}/{number} 2>/dev/null")
            result = call("run", file, "--cluster", cluster.file, "--jobs", "4")
        assert result.exit_code == 0
        assert "does not play: [Errno 28] No space left on device: " in result.stderr
        assert check_complete(file) == []
    finally:
        os.system(f"umount -l {full}")

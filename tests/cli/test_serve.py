"""Web pages of a tournament: `arbiter run --serve` while it is played, `arbiter serve` later."""

import os
import re
import shutil
import signal
import socket
import time
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest
from cli.command_line import StartedArbiter, call_ok, call_refused, write_tournament
from cli.sleeping_bot import linux_only, wait_until_asleep, wake
from cli.waiting_bot import FIRST, run_until_waiting, waiting_tournament
from packed_data import unpack

from arbiter.resources import LOW_PRIORITY
from arbiter.serve import background

PATIENCE_S = 60


def address_of(running, words="watch it at"):
    running.read_until(words)
    return re.search(r"http://\S+/", running.lines[-1])[0]


def fetch(address):
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        return answer.read().decode()


def status_of(address):
    try:
        fetch(address)
    except HTTPError as answer:
        return answer.code
    return 200


def wait_until(is_true):
    """Wait until a condition is true.  Raises TimeoutError."""
    limit = time.monotonic() + PATIENCE_S
    while not is_true():
        if time.monotonic() > limit:
            raise TimeoutError
        time.sleep(0.02)


def viewer_data_on(page):
    packed = re.search(r'<script type="application/json" id="viewer-data">([^<]+)</script>', page)[1]
    return unpack(packed)


def is_answered(address):
    try:
        fetch(address)
    except OSError:
        return False
    return True


@linux_only
@pytest.mark.parametrize(
    ("words", "viewers", "frames"),
    [
        ((), ["spectator"], None),
        (("--delay", 2), ["spectator"], 5),
        (("--delay", 0, "--show-all"), ["arbiter", "red", "blue", "spectator"], 7),
    ],
)
@pytest.mark.slow(keep=1)
def test_a_game_in_progress_is_shown_by_the_options_and_completely_at_the_end(folder, words, viewers, frames):
    file = waiting_tournament(folder, "each")
    with run_until_waiting(file, "--serve", 0, *words) as running:
        address = address_of(running)
        assert f'href="games/{FIRST}.html"' in fetch(f"{address}index.html")
        page = fetch(f"{address}games/{FIRST}.html")
        if frames is None:
            assert "Shown with a delay of 10 plies" in page
            assert "There is nothing to show yet" in page
        else:
            assert viewer_data_on(page)["viewers"] == viewers
            assert len(viewer_data_on(page)["frames"]) == frames
        wake(folder)
        running.read_until("game 1/2")
        wait_until(lambda: "In progress" not in fetch(f"{address}games/{FIRST}.html"))
        page = fetch(f"{address}games/{FIRST}.html")
        assert viewer_data_on(page)["viewers"] == ["arbiter", "red", "blue", "spectator"]
        wait_until_asleep(folder)
        wake(folder)
        running.read_until(f"the pages stay at {address} until Ctrl-C")
        wait_until(lambda: "All 2 games are played" in fetch(f"{address}index.html"))
        assert "nobody" not in fetch(f"{address}index.html")
        assert "pid" not in call_ok("status", file)
        running.popen.send_signal(signal.SIGINT)
        code, err = running.finish()
    assert (code, err) == (0, "arbiter: bots outside a sandbox could read the games in progress\n")
    assert not is_answered(address)


@pytest.mark.heavy
@linux_only
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.slow(keep=1)
def test_the_server_ends_with_the_arbiter_and_its_port_is_free(folder, number):
    file = waiting_tournament(folder)
    with run_until_waiting(file, "--serve", 0) as running:
        address = address_of(running)
        assert is_answered(address)
        running.popen.send_signal(number)
        running.popen.wait(PATIENCE_S)
        with StartedArbiter("run", file, "--serve", address.rpartition(":")[2].strip("/")) as again:
            assert is_answered(address_of(again))


@pytest.mark.heavy
@linux_only
def test_the_server_yields_scarce_resources_to_the_games_and_survives_the_first_ctrl_c(folder):
    with run_until_waiting(waiting_tournament(folder), "--serve", 0) as running:
        address = address_of(running)
        assert is_answered(address)
        (server,) = children(running.popen.pid, b"serve")
        process = Path(f"/proc/{server}")
        assert os.getpriority(os.PRIO_PROCESS, server) >= LOW_PRIORITY
        assert (process / "oom_score_adj").read_text() == "1000\n"
        if (group := process / "autogroup").exists():
            assert group.read_text().endswith(f" nice {LOW_PRIORITY}\n")
        running.popen.send_signal(signal.SIGINT)
        running.read_until("stopping after the games in progress")
        assert is_answered(address)
        wake(folder)
        assert running.finish()[0] == 130


@linux_only
def test_games_go_on_if_the_server_fails(folder):
    with run_until_waiting(waiting_tournament(folder), "--serve", 0) as running:
        address = address_of(running)
        assert is_answered(address)
        (server,) = children(running.popen.pid, b"serve")
        os.kill(server, signal.SIGKILL)
        wake(folder)
        code, err = running.finish()
    assert code == 0
    assert "arbiter: the web server failed: no error message" in err


def children(parent, word):
    pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(pid) for pid in pids if word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")]


def test_results_are_served_without_a_running_arbiter(played):
    with StartedArbiter("serve", played, "--at", 0) as serving:
        page = fetch(address_of(serving, "is served at http://127.0.0.1:"))
        assert "All 12 games are played" in page
        assert "not running" in page
        serving.popen.send_signal(signal.SIGINT)
        assert serving.finish() == (0, "")


def test_results_are_served_without_the_programs_and_with_a_mistake_in_the_file_until_they_are_replaced(
    tmp_path, fast_bot
):
    program = Path(shutil.copy(fast_bot[-1], tmp_path / "mybot"))
    file = write_tournament(tmp_path, bots=[{"name": name, "command": [*fast_bot[:-1], "./mybot"]} for name in "ab"])
    call_ok("run", file)
    program.unlink()
    file.write_text(f"{file.read_text()}\n[poeple]\nallowed = true\n")
    results = tmp_path / "results" / "club.sqlite"
    with StartedArbiter("serve", file, "--at", 0) as serving:
        address = address_of(serving, "is served at")
        assert "All 2 games are played" in fetch(address)
        results.with_name("other").write_bytes(results.read_bytes())
        results.with_name("other").replace(results)
        wait_until(lambda: status_of(address) == 503)


@pytest.mark.parametrize("address", ["", "x", "70000", "-1", "host:", ":80", "1.2.3.4:5:6", "[::1]", "8e3"])
def test_a_wrong_address(tmp_path, address):
    told = call_refused("run", write_tournament(tmp_path), "--serve", address)
    assert f"{address!r} is neither a port such as 8000 nor an address such as 0.0.0.0:8000" in told


def test_a_port_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(background, "_PORT_WAIT_S", 0.1)
    file = write_tournament(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = call_refused("run", file, "--serve", port)
    assert told == f"arbiter: 127.0.0.1:{port}: cannot serve pages there: Address already in use; choose another port"
    assert call_ok("games", file, "--json") == ""


def test_missing_results(tmp_path):
    assert "there is no such file" in call_refused("serve", tmp_path / "none.sqlite", "--at", 0, "--delay", 0)

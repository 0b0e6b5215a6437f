"""The machines of a cluster, as their workers measure them."""

import platform
import socket
import subprocess
import sys

import pytest
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cluster.machines import (
    Machine,
    claim_cores,
    find_missing,
    list_interpreters,
    measure_machine,
    wait_until_idle,
)
from arbiter.resources import count_cores

DESK = Machine(
    id="desk 1",
    host="desk",
    cores=8,
    slots=4,
    speed=1.0,
    sandbox="full",
    python=platform.python_version(),
    arbiter=__version__,
    processor="fast",
)


def test_this_machine():
    here = measure_machine()
    assert here.host == socket.gethostname()
    assert here.id.startswith(here.host)
    assert here.speed > 0
    assert 1 <= here.slots <= here.cores
    assert here.sandbox == ("process" if here.missing else "full")
    assert all(version.startswith(name) or version for name, version in list_interpreters().items())
    assert find_missing(here) == list(here.missing)


CLAIM = """
import sys
from arbiter.cluster import machines
from arbiter.sandbox import cores
groups = [frozenset({0}), frozenset({1})]
machines.share_out = lambda slots: groups
print([sorted(own or ()) for own in machines.claim_cores(int(sys.argv[1]), 2)], flush=True)
sys.stdin.read()
"""


def claim(games):
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(games)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.skipif(sys.platform != "linux" or count_cores() < 2, reason="allowed: cores are claimed on Linux")
def test_processes_of_one_machine_claim_different_cores_until_they_end():
    with claim(1) as one:
        first = one.stdout.readline()
        with claim(2) as two:
            second = two.stdout.readline()
            with claim(1) as none:
                assert none.stdout.readline() == "[[]]\n"
                none.stdin.close()
            one.kill()
            one.wait()
            with claim(1) as again:
                assert again.stdout.readline() == first
                again.stdin.close()
            two.stdin.close()
    assert (first, second) == ("[[0]]\n", "[[1], []]\n")


def test_the_speed_is_measured_when_a_core_is_idle_or_after_a_while():
    loads = [100.0, 100.0, 0.0, 100.0]
    wait_until_idle(lambda _seconds: loads.pop(0), 60)
    assert loads == [100.0]
    wait_until_idle(lambda _seconds: 100.0, 0.01)


def test_a_machine_with_one_game_at_a_time_claims_no_cores():
    assert claim_cores(2, 1) == [None, None]


def test_other_versions_are_named():
    missing = find_missing(replace(DESK, arbiter="0.0.1", python="3.9.1", missing=("sandbox: no bwrap; install it",)))
    assert missing[0] == "sandbox: no bwrap; install it"
    assert missing[1] == f"arbiter {__version__}: it has 0.0.1; install the same version on all machines"
    assert missing[2].endswith("it has 3.9.1, so bots in Python run differently")
    assert find_missing(DESK) == []

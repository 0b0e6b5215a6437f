"""The machines of a cluster, as their workers measure them."""

import platform
import socket

from msgspec.structs import replace

from arbiter import __version__
from arbiter.sandbox.files.interpreters import list_interpreters
from arbiter.tournament.execution.machines import Machine, find_missing, measure_machine, wait_until_idle

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


def test_the_speed_is_measured_when_a_core_is_idle_or_after_a_while():
    loads = [100.0, 100.0, 0.0, 100.0]
    wait_until_idle(lambda _seconds: loads.pop(0), 60)
    assert loads == [100.0]
    wait_until_idle(lambda _seconds: 100.0, 0.01)


def test_other_versions_are_named():
    missing = find_missing(replace(DESK, arbiter="0.0.1", python="3.9.1", missing=("sandbox: no bwrap; install it",)))
    assert missing[0] == "sandbox: no bwrap; install it"
    assert missing[1] == f"arbiter {__version__}: it has 0.0.1; install the same version on all machines"
    assert missing[2].endswith("it has 3.9.1, so bots in Python run differently")
    assert find_missing(DESK) == []

"""The machines of a cluster, as their workers measure them."""

import platform
import socket

from msgspec.structs import replace

from arbiter import __version__
from arbiter.cluster.machines import Machine, find_missing, group_by_machine, measure_machine, merge_measurements

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
    here = measure_machine(list_interpreters=True)
    assert here.host == socket.gethostname()
    assert here.id.startswith(here.host)
    assert here.speed > 0
    assert 1 <= here.slots <= here.cores
    assert here.sandbox == ("process" if here.missing else "full")
    assert all(version == "" or version[0].isdigit() for version in here.interpreters.values())
    assert find_missing(here) == list(here.missing)


def test_processes_of_one_machine_are_one_machine_with_the_median_of_their_speeds():
    other = replace(DESK, id="attic 2", host="attic", speed=3.0)
    measured = {"a:1": DESK, "a:2": replace(DESK, speed=0.5), "a:3": replace(DESK, speed=1.4), "b:1": other}
    assert group_by_machine(measured) == {"desk 1": ("a:1", "a:2", "a:3"), "attic 2": ("b:1",)}
    assert merge_measurements(measured.values()) == [other, DESK]


def test_other_versions_are_named():
    missing = find_missing(replace(DESK, arbiter="0.0.1", python="3.9.1", missing=("sandbox: no bwrap; install it",)))
    assert missing[0] == "sandbox: no bwrap; install it"
    assert missing[1] == f"arbiter {__version__}: it has 0.0.1; install the same version on all machines"
    assert missing[2].endswith("it has 3.9.1, so bots in Python run differently")
    assert find_missing(DESK) == []

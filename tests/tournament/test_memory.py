"""The memory of concurrent bots, and that of the machine or of its control groups."""

import pytest

from arbiter.resources import find_memory_mb
from arbiter.tournament.machine import find_memory_warning

MIB = 1 << 20
VERSION_2 = ("0::/user.slice/run.scope\n", "sys/fs/cgroup/")
VERSION_1 = ("4:memory:/docker/1\n1:cpu,cpuacct:/docker/1\n0::/\n", "sys/fs/cgroup/memory/")
UNLIMITED = 9223372036854771712


def write_groups(root, groups, files):
    listed, mount = groups
    for name, text in {"proc/self/cgroup": listed, **{mount + name: text for name, text in files.items()}}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(
    ("groups", "files", "limit"),
    [
        (VERSION_2, {"user.slice/run.scope/memory.max": "max"}, None),
        (VERSION_2, {"user.slice/run.scope/memory.max": str(64 * MIB)}, 64),
        (VERSION_2, {"user.slice/memory.max": str(48 * MIB), "user.slice/run.scope/memory.max": "max"}, 48),
        (VERSION_2, {"memory.max": "damaged"}, None),
        (VERSION_1, {"docker/1/memory.limit_in_bytes": str(UNLIMITED)}, None),
        (VERSION_1, {"docker/1/memory.limit_in_bytes": str(32 * MIB)}, 32),
        (VERSION_1, {"memory.limit_in_bytes": str(16 * MIB)}, 16),  # as a container sees its group
    ],
)
def test_the_limits_of_control_groups_count(groups, files, limit, tmp_path):
    machine, file = find_memory_mb(tmp_path)
    assert machine > 100
    assert file is None
    write_groups(tmp_path, groups, files)
    found, file = find_memory_mb(tmp_path)
    assert found == (limit or machine)
    assert (file is not None) == (limit is not None)


@pytest.mark.parametrize(
    ("limits_mb", "jobs", "warning"),
    [
        ([50, 50], 1, ""),
        ([50, 51], 1, "1 game at a time may use 101 MiB of memory, and this machine has 100 MiB; "),
        ([10, 90, 10, 10], 1, ""),
        ([10, 2000, 10, 48], 2, "2 games at a time may use 4,096 MiB of memory, and this machine has 100 MiB; "),
        ([90], 1, ""),  # a person has no program
        ([], 1, ""),
    ],
)
def test_concurrent_bots_must_fit_into_memory(limits_mb, jobs, warning, tmp_path):
    write_groups(tmp_path, VERSION_2, {"memory.max": str(100 * MIB)})
    found = find_memory_warning(limits_mb, jobs, root=tmp_path)
    assert found == (warning and f"{warning}lower memory_mb of the bots, or use fewer --jobs")

"""Files of the kernel: their forms on different systems, and forms that no known kernel writes."""

import os
from pathlib import Path

import pytest

from arbiter.resources import list_control_groups, parse_groups
from arbiter.sandbox import usage
from arbiter.sandbox.cgroups import Cgroup, CgroupTree, NoCgroups, parse_mounts, parse_usage_us
from arbiter.sandbox.usage import find_parent, read_stat

GROUPS = [
    (b"", []),
    (b"\n", []),
    (b"0::/\n", [((), "/")]),
    (b"0::/user.slice/a:b\n", [((), "/user.slice/a:b")]),
    (b"3:cpu,cpuacct:/x\n1:name=systemd:/y\n", [(("cpu", "cpuacct"), "/x"), (("name=systemd",), "/y")]),
    (b"0::/a\x0bb\x1c\x85\xff\n", [((), os.fsdecode(b"/a\x0bb\x1c\x85\xff"))]),
    (b"no colon\n0::/x\n", [((), "/x")]),
    (b"0:\n", []),
]
MOUNT = b"30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
MOUNTS = [
    (b"", []),
    (b"\n", []),
    (MOUNT, [("/", "/sys/fs/cgroup")]),
    (MOUNT.replace(b" shared:9", b""), [("/", "/sys/fs/cgroup")]),
    (MOUNT.replace(b"/sys/fs/cgroup", b"/my\\040groups\\134"), [("/", "/my groups\\")]),
    (MOUNT.replace(b"/ /sys", b"/\x1c\x85\xff /sys"), [(os.fsdecode(b"/\x1c\x85\xff"), "/sys/fs/cgroup")]),
    (b"31 23 0:27 / /tmp rw - tmpfs tmpfs rw\n" + MOUNT, [("/", "/sys/fs/cgroup")]),
    (b"30 23 0:26 / /sys/fs/cgroup rw,nosuid\n", []),
    (b"30 - cgroup2 cgroup2 rw\n", []),
    (b" - \n", []),
]
STATS = [
    (b"usage_usec 12345\nuser_usec 5\nsystem_usec 7\n", 12345),
    (b"nr_periods 0\nusage_usec 7\n", 7),
    (b"user_usec 5\n", 0),
    (b"usage_usec ", 0),
    (b"", 0),
]


@pytest.mark.parametrize(("text", "groups"), GROUPS)
def test_control_groups_of_a_process(text, groups):
    assert parse_groups(text) == [(frozenset(controllers), path) for controllers, path in groups]


@pytest.mark.parametrize(("text", "mounts"), MOUNTS)
def test_mounted_trees_of_control_groups(text, mounts):
    assert list(parse_mounts(text)) == [(Path(root), Path(place)) for root, place in mounts]


@pytest.mark.parametrize(("text", "us"), STATS)
def test_processor_time_of_a_control_group(text, us):
    assert parse_usage_us(text) == us


@pytest.mark.parametrize(("text", "groups"), GROUPS)
def test_limits_are_searched_in_every_form_of_control_groups(tmp_path, text, groups):
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "self" / "cgroup").write_bytes(text)
    found = list(list_control_groups(tmp_path, "cpu"))
    for controllers, path in groups:
        if "cpu" in controllers:
            assert tmp_path / "sys/fs/cgroup/cpu" / path.lstrip("/") in found


@pytest.mark.parametrize(
    ("text", "kills"),
    [
        ("low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 1\n", 1),
        ("oom 2\noom_kill 5\nsock_throttled 0\n", 2),
        ("oom 2\n", 0),
        ("oom_kill 2\n", 0),
        ("", 0),
        ("oom\noom_kill x\n", 0),
    ],
)
def test_kills_for_memory_in_a_control_group(tmp_path, text, kills):
    (tmp_path / "cpu.stat").write_text("usage_usec 0\n")
    (tmp_path / "memory.events").write_text(text)
    group = Cgroup(tmp_path, frozenset({"memory"}), [])
    os.close(group._cpu_stat)
    assert group.count_out_of_memory() == kills


@pytest.mark.parametrize("missing", ["cgroup.freeze", "cpu.stat"])
def test_groups_that_cannot_be_stopped_or_measured_are_not_used(tmp_path, monkeypatch, missing):
    """Here folders stand for the groups of a kernel before 5.2."""
    for name in ("cgroup.procs", "cgroup.controllers", "cgroup.subtree_control"):
        (tmp_path / name).touch()
    mkdir = Path.mkdir

    def make_group(path, *arguments, **options):
        mkdir(path, *arguments, **options)
        for name in {"cgroup.freeze", "cpu.stat"} - {missing}:
            (path / name).touch()

    monkeypatch.setattr(Path, "mkdir", make_group)
    with pytest.raises(NoCgroups, match=r"needs Linux 5\.2"):
        CgroupTree(tmp_path)


@pytest.mark.parametrize(
    ("stat", "parent"),
    [(b"7 (sh) S 3 7 7 0", 3), (b"7 (a) b) (c) S 3 7 7 0", 3), (b"7 (\n) R 12", 12), (b"7 (sh) S", None), (b"", None)],
)
def test_the_parent_of_a_process_with_any_name(monkeypatch, stat, parent):
    monkeypatch.setattr(usage, "read_file", lambda _: stat)
    assert find_parent(7) == parent
    assert usage.reaped_ms(7) == 0


def test_the_parent_of_this_process():
    assert find_parent(os.getpid()) == os.getppid()
    assert read_stat(os.getpid())[0] == b"R"

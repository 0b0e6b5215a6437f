"""The number of games at a time: default, refusal, warning; the cores that control groups leave."""

import os

import pytest

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.resources import count_cores
from arbiter.tournament.machine import choose_jobs

WALL = TimeSettings()
ALONE = TimeSettings(pondering=False)
CPU = TimeSettings(clock="cpu", wall_factor=3)


@pytest.mark.parametrize(
    ("time", "cores", "number", "described"),
    [
        (WALL, 1, 1, "1 game at a time: the machine has one core"),
        (WALL, 2, 1, "1 game at a time: half of 2 cores, because bots may think on the opponent's time"),
        (WALL, 4, 2, "2 games at a time: half of 4 cores, because bots may think on the opponent's time"),
        (WALL, 5, 2, "2 games at a time: half of 5 cores, because bots may think on the opponent's time"),
        (ALONE, 4, 2, "2 games at a time: half of 4 cores"),
        (CPU, 4, 2, "2 games at a time: half of 4 cores, because bots may think on the opponent's time"),
    ],
)
def test_the_default_is_half_of_the_cores(time, cores, number, described):
    jobs = choose_jobs(None, time, cores=cores)
    assert (jobs.number, jobs.describe(), jobs.warning) == (number, described, None)


@pytest.mark.parametrize(
    ("asked", "time", "cores", "warned"),
    [
        (1, WALL, 1, False),
        (1, WALL, 2, False),
        (2, WALL, 2, True),
        (2, WALL, 4, False),
        (3, WALL, 4, True),
        (4, ALONE, 4, False),
        (4, CPU, 4, False),
        (12, CPU, 4, False),
    ],
)
def test_more_than_half_of_the_cores_cause_a_warning_if_bots_may_ponder(asked, time, cores, warned):
    jobs = choose_jobs(asked, time, cores=cores)
    assert jobs.number == asked
    assert (jobs.warning is not None and "on the opponent's time slow each other" in jobs.warning) == warned


@pytest.mark.parametrize(
    ("asked", "time", "cores"), [(12, WALL, 2), (2, WALL, 1), (5, ALONE, 4), (7, CPU, 2), (1024, WALL, 1023)]
)
def test_more_games_than_cores_are_refused_or_forced(asked, time, cores):
    with pytest.raises(
        ConfigError, match=f"^jobs: {asked} games at a time are too many for {cores} core.*--force-jobs$"
    ):
        choose_jobs(asked, time, setting="jobs", cores=cores)
    jobs = choose_jobs(asked, time, force=True, cores=cores)
    assert jobs.number == asked
    assert "may lose on time" in jobs.warning


TWO = ("0::/user.slice/run.scope\n", "sys/fs/cgroup/")
HYBRID = ("4:memory:/x\n1:cpu,cpuacct:/docker/1\n0::/\n", "sys/fs/cgroup/cpu,cpuacct/")


@pytest.mark.parametrize(
    ("groups", "files", "cores"),
    [
        (TWO, {}, 64),
        (TWO, {"user.slice/run.scope/cpu.max": "max 100000"}, 64),
        (TWO, {"user.slice/run.scope/cpu.max": "100000 100000"}, 1),
        (TWO, {"user.slice/cpu.max": "150000 100000", "user.slice/run.scope/cpu.max": "max 100000"}, 1),
        (TWO, {"cpu.max": "20000 100000"}, 1),
        (TWO, {"cpu.max": "damaged"}, 64),
        (HYBRID, {"docker/1/cpu.cfs_quota_us": "-1", "docker/1/cpu.cfs_period_us": "100000"}, 64),
        (HYBRID, {"docker/1/cpu.cfs_quota_us": "100000", "docker/1/cpu.cfs_period_us": "100000"}, 1),
        (HYBRID, {"cpu.cfs_quota_us": "50000", "cpu.cfs_period_us": "100000"}, 1),  # as a container sees its group
    ],
)
def test_the_limits_of_control_groups_count(groups, files, cores, tmp_path):
    listed, mount = groups
    for name, text in {"proc/self/cgroup": listed, **{mount + name: text for name, text in files.items()}}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert count_cores(tmp_path) == min(cores, len(os.sched_getaffinity(0)))


def test_a_quota_is_rounded_down_and_a_system_without_groups_has_no_limit(tmp_path):
    assert count_cores(tmp_path) == len(os.sched_getaffinity(0))

"""The cores of the machine, shared out among games and given to programs."""

import os
import subprocess
import sys
from itertools import combinations

import pytest
from referee.real_games import BOTS, started
from trio.testing import trio_test

from arbiter.resources import count_cores
from arbiter.sandbox import cores
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.process import ProcessIsolation

REPORT = "import os; print(sorted(os.sched_getaffinity(0)), flush=True)"


@pytest.mark.parametrize(
    ("count", "jobs", "each"),
    [(1, 1, None), (8, 1, None), (2, 2, None), (7, 4, None), (8, 4, 2), (9, 4, 2), (64, 3, 21)],
)
def test_each_game_gets_as_many_cores(monkeypatch, count, jobs, each):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(count)), raising=False)
    shares = cores.share_out(jobs)
    assert [share and len(share) for share in shares] == [each] * jobs
    if each:
        assert all(not one & other for one, other in combinations(shares, 2))


def test_games_share_no_part_of_the_processor_if_possible(monkeypatch):
    places = {core: (0, core % 4, core) for core in range(8)}  # cores 0 and 4 are one part with two threads, and so on
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(places), raising=False)
    monkeypatch.setattr(cores, "_place", places.get)
    assert set(cores.share_out(4)) == {frozenset({core, core + 4}) for core in range(4)}


def test_without_a_way_to_choose_cores_nothing_is_shared_out(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert cores.share_out(3) == [None] * 3


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="allowed: this system has no way to choose cores")
@trio_test
async def test_a_program_runs_on_its_cores_and_the_referee_on_all():
    every = os.sched_getaffinity(0)
    program = Program(name="reports", argv=(sys.executable, "-ESc", REPORT), folder=BOTS)
    for share in (None, frozenset({max(every)})):
        async with started(program, isolation=ProcessIsolation(), cores=share) as process:
            assert await process.reader.line() == str(sorted(share or every)).encode()
        assert os.sched_getaffinity(0) == every


# --- cores that processes claim -----------------------------------------------------------------------


CLAIM = """
import sys
from arbiter.sandbox import cores
cores._CORE = sys.argv[2] + "/{}"
groups = [frozenset({0}), frozenset({1})]
cores.share_out = lambda slots: groups
print([sorted(own or ()) for own in cores.claim_cores(int(sys.argv[1]), 2)], flush=True)
sys.stdin.read()
"""


def claim(games, folder):
    """Start a process that claims cores, by locks on files in a folder: no other test can have them."""
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(games), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.skipif(sys.platform != "linux" or count_cores() < 2, reason="allowed: cores are claimed on Linux")
def test_processes_of_one_machine_claim_different_cores_until_they_end(tmp_path):
    for core in "01":
        (tmp_path / core).touch()
    with claim(1, tmp_path) as one:
        first = one.stdout.readline()
        with claim(2, tmp_path) as two:
            second = two.stdout.readline()
            with claim(1, tmp_path) as none:
                assert none.stdout.readline() == "[[]]\n"
                none.stdin.close()
            one.kill()
            one.wait()
            with claim(1, tmp_path) as again:
                assert again.stdout.readline() == first
                again.stdin.close()
            two.stdin.close()
    assert (first, second) == ("[[0]]\n", "[[1], []]\n")


def test_a_machine_with_one_game_at_a_time_claims_no_cores():
    assert cores.claim_cores(2, 1) == [None, None]

"""`--jobs` and `--force-jobs`: more games at a time than the machine has cores for."""

import json
import os
import subprocess
import sys

import pytest
from cli.command_line import ARBITER, BOTS, NOTICE, PATIENCE_S, StartedArbiter, call_ok, write_tournament

USES_60_MS = [sys.executable, "-ES", str(BOTS / "uses_cpu.py"), "60"]
SIX = [{"name": f"bot{number}", "command": USES_60_MS} for number in range(6)]
linux_only = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="allowed: needs Linux")


def use_two_cores():
    """Restrict a new process to two cores."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def describe_two_cores():
    return "2 cores" if len(os.sched_getaffinity(0)) > 1 else "1 core"


@linux_only
@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("where", ["option", "file"])
def test_bots_that_would_lose_on_time_for_want_of_cores_are_not_started(where, tmp_path):
    """Six bots use 60 ms of processor time for each move and may take 300 ms; 12 games share two cores."""
    settings, words = ({"jobs": 12}, ()) if where == "file" else ({}, ("--jobs", "12"))
    file = write_tournament(tmp_path, rules="original", bots=SIX, time={"move_s": 0.3}, **settings)
    refused = subprocess.run(
        [ARBITER, "run", file, "--sandbox", "process", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        preexec_fn=use_two_cores,
    )
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"arbiter: {'jobs' if where == 'file' else '--jobs'}: 12 games at a time are too many for {describe_two_cores()}: bots would "
        "lose on time because they wait for each other; use 1, or add --force-jobs\n"
    )
    assert not (tmp_path / "results").exists()


@linux_only
def test_forced_jobs_cause_a_warning(tmp_path):
    file = write_tournament(tmp_path, rules="original", bots=SIX[:2])
    with StartedArbiter("run", file, "--jobs", "3", "--force-jobs", preexec_fn=use_two_cores) as forced:
        forced.read_until("Club night")
        assert forced.lines[0].endswith(f"; 3 games at a time: --jobs, on {describe_two_cores()}")
        notices = [forced.popen.stderr.readline() for _ in range(2)]
    warning = f"3 games at a time on {describe_two_cores()}: bots may lose on time because they wait for each other"
    assert notices == [f"arbiter: {warning}\n", NOTICE]


def test_the_first_line_and_the_first_event_show_the_number_of_games_at_a_time(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2])
    first, *_ = call_ok("run", file, "--events", tmp_path / "events.jsonl").splitlines()
    begin = json.loads((tmp_path / "events.jsonl").read_text().splitlines()[0])
    assert begin["event"] == "begin"
    assert (begin["total"], begin["jobs"], begin["warning"]) == (2, max(1, begin["cores"] // 2), None)
    games = f"{begin['jobs']} game{'s' * (begin['jobs'] > 1)}"
    assert first == f"Club night: 2 games; sandbox: process; processes: fresh; {games} at a time: {begin['why']}"

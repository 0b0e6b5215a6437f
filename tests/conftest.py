"""Settings of all tests, and fixtures of the tests that play games."""

import ctypes
import gc
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter

import pytest
from fork_server import Forked
from hypothesis import settings
from processor_times import ProcessorTimes

from arbiter.sandbox.process import adopt_orphans
from arbiter.sandbox.select import NoSandbox, open_sandbox

settings.register_profile("here", deadline=None, database=None)
settings.register_profile("ci", deadline=None, database=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# A shell script makes a background process ignore Ctrl-C, and every process that the tests start would inherit this.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if sys.platform == "linux":
    subprocess.Popen = Forked

ALLOWED = "allowed:"
COSTS = ("usual", "heavy", "slow")
SET_CHILD_SUBREAPER = 36


def pytest_collection():
    """Collect no garbage while the tests are collected: they stay, and looking through them takes a third of the time."""
    gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def stop_adopting():
    """Leave orphans to init after each test, so that no test finds those of a browser among its children."""
    yield
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture
def adopting():
    """Let this process adopt the orphaned processes of bots during one test."""
    if not adopt_orphans():
        pytest.skip("allowed: only Linux lets a process adopt orphans")


@pytest.fixture(scope="session")
def sandbox():
    """Return isolation `full`, if this machine can build sandboxes."""
    try:
        return open_sandbox()
    except NoSandbox as error:
        pytest.skip(f"no sandbox: {error}")


def pytest_addoption(parser):
    parser.addoption("--heavy", action="store_true", help="run the heavy tests too, as `.ci/run` does")
    parser.addoption("--only-heavy", action="store_true", help="run the heavy tests only")
    parser.addoption("--all", action="store_true", help="run all tests, the slow ones too")
    parser.addoption(
        "--chaos-seed", type=int, metavar="N", help="seed of the faults of a cluster; default: 1, with --all: random"
    )
    parser.addoption(
        "--part", metavar="K/N", help="run the first case of each test only, and only the K-th of N parts of the tests"
    )
    parser.addoption("--processor-times", type=int, metavar="N", help="list the N tests with the most processor time")
    parser.addoption("--no-skips", action="store_true", help=f"fail if a skipped test gives no reason '{ALLOWED} ...'")


def pytest_configure(config):
    """Choose the seed of the faults; with pytest-xdist, all processes get the same one."""
    if config.option.chaos_seed is None:
        config.option.chaos_seed = random.SystemRandom().randrange(10**6) if config.option.all else 1
    if config.option.processor_times is not None:
        config.pluginmanager.register(ProcessorTimes(config.option.processor_times))


def pytest_report_header(config):
    return f"seed of the faults of a cluster: --chaos-seed {config.option.chaos_seed}"


def pytest_terminal_summary(terminalreporter, config):
    """With `--no-skips`, list the skips that are not allowed."""
    if config.getoption("--no-skips"):
        for test, reason in list_forbidden_skips(terminalreporter):
            terminalreporter.write_line(f"SKIPPED although --no-skips: {test}: {reason}", red=True)


def pytest_collection_modifyitems(config, items):
    """Choose tests by their cost; run long tests first, so that no core waits for them at the end."""
    numbers = Counter()
    costs = {}
    for item in items:
        test = item.nodeid.partition("[")[0]
        numbers[test] += 1
        costs[item] = find_cost(item, numbers[test])
    if config.getoption("--only-heavy"):
        wanted = ["heavy"]
    elif config.getoption("--all") or any("::" in word for word in config.args):
        wanted = COSTS
    else:
        wanted = COSTS[:2] if config.getoption("--heavy") else COSTS[:1]
    config.hook.pytest_deselected(items=[item for item in items if costs[item] not in wanted])
    items[:] = [item for item in items if costs[item] in wanted]
    items.sort(key=lambda item: not has_long_limit(item))
    if part := config.getoption("--part"):
        number, parts = map(int, part.split("/"))
        firsts = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
        chosen = set([*reversed(firsts.values())][number - 1 :: parts])
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


def find_cost(item, number):
    """Return one of COSTS for a case of a test; `number` counts the cases from 1."""
    markers = {name: item.get_closest_marker(name) for name in COSTS[1:]}
    costly = [name for name, marker in markers.items() if marker and number > marker.kwargs.get("keep", 0)]
    return costly[-1] if costly else "usual"


def has_long_limit(item):
    """Return True if a test may take longer than others."""
    marker = item.get_closest_marker("timeout")
    return marker is not None and marker.args[0] > float(item.config.getini("timeout"))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """With `--no-skips`, fail if there is a skip that is not allowed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--no-skips") and reporter and list_forbidden_skips(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def list_forbidden_skips(reporter):
    """Return the skipped tests without an allowed reason, each with its reason."""
    skips = []
    for report in reporter.stats.get("skipped", []):
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = text.removeprefix("Skipped: ")
        if not reason.startswith(ALLOWED):
            skips.append((report.nodeid, reason))
    return skips

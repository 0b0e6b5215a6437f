"""Settings of all tests, and what those that play games need."""

import ctypes
import os
import signal
import threading

import pytest
from hypothesis import settings

from arbiter.sandbox.orphans import adopt_orphans
from arbiter.sandbox.probe import NoSandbox, open_sandbox

settings.register_profile("here", deadline=None, database=None)
settings.register_profile("ci", deadline=None, database=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# A shell that puts us into the background lets us ignore Ctrl-C, and all that we start would inherit that.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ALLOWED = "allowed:"
SET_CHILD_SUBREAPER = 36


@pytest.fixture
def adopting():
    """Let this process adopt what bots leave behind, for one test."""
    if not adopt_orphans():
        pytest.skip("allowed: only Linux lets a process adopt orphans")
    yield
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture(scope="session")
def sandbox():
    """Return isolation `full`, if this machine can build sandboxes."""
    try:
        return open_sandbox()
    except NoSandbox as lack:
        pytest.skip(f"no sandbox: {lack}")


def pytest_addoption(parser):
    """Add the options `--all` and `--no-skips`."""
    parser.addoption("--all", action="store_true", help="run the slow tests too: statistics and endurance")
    parser.addoption("--no-skips", action="store_true", help=f"fail where a test is skipped without '{ALLOWED} ...'")


def pytest_terminal_summary(terminalreporter, config):
    """Name the skips that are not allowed."""
    for where, reason in _skips(terminalreporter) if config.getoption("--no-skips") else ():
        terminalreporter.write_line(f"SKIPPED although --no-skips: {where}: {reason}", red=True)


def pytest_collection_modifyitems(config, items):
    """Leave out slow tests, or with `--all` run them first, so that no core waits for them at the end."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    others = [item for item in items if not item.get_closest_marker("slow")]
    if config.getoption("--all"):
        items[:] = slow + others
    else:
        config.hook.pytest_deselected(items=slow)
        items[:] = others


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fail where there are any."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--no-skips") and reporter and _skips(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _skips(reporter):
    skipped = ((report.nodeid, _reason(report)) for report in reporter.stats.get("skipped", []))
    return [(where, reason) for where, reason in skipped if not reason.startswith(ALLOWED)]


def _reason(report):
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")

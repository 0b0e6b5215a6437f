"""Measure the processor time of each test, of the processes that it starts too: `pytest --processor-times N`."""

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

KEY = "processor_s"
TICKS = os.sysconf("SC_CLK_TCK")


def measure(pid="self"):
    """Return the processor time in seconds of a process, and of all that it has started, ended or not."""
    used = 0.0
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        used = sum(map(int, fields[11:15])) / TICKS
        for task in Path(f"/proc/{pid}/task").iterdir():
            used += sum(map(measure, (task / "children").read_text().split()))
    return used


class ProcessorTimes:
    """A plugin of pytest.  What fixtures need counts for the test that needs them first."""

    def __init__(self, count):
        self._count = count
        self._before = measure()
        self._times = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        now = measure()
        report.user_properties.append((KEY, max(0, now - self._before)))  # less if a process has become another's child
        self._before = now
        return report

    def pytest_runtest_logreport(self, report):
        phases = [value for key, value in report.user_properties if key == KEY]
        self._times[report.nodeid] += phases[-1] if phases else 0

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section(f"processor time of {len(self._times)} tests: {self._times.total():.0f} s")
        for test, seconds in self._times.most_common(self._count):
            terminalreporter.write_line(f"{seconds:8.2f} s  {test}")

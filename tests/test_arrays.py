"""numpy in the arbiter: one thread, and no change of the environment that bots inherit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import os
before = dict(os.environ)
from arbiter.arrays import np
assert dict(os.environ) == before
np.ones((600, 600)) @ np.ones((600, 600))
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to count threads")
@pytest.mark.parametrize("settings", [{}, {"OPENBLAS_NUM_THREADS": "4"}])
def test_linear_algebra_starts_no_thread(settings):
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, **settings}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"

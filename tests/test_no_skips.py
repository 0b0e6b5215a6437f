"""The option `--no-skips`: a skip without an allowed reason fails the run."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RUN = "import sys, pytest; sys.path.insert(0, sys.argv[1]); sys.exit(pytest.main(['-p', 'conftest', *sys.argv[2:]]))"


def run_test(folder, body, *options):
    """Run a test with a given body and the settings of all tests; return the exit code and the output."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_one.py").write_text(f"import pytest\ndef test_one():\n    {body}\n")
    words = [sys.executable, "-c", RUN, TESTS, folder, "-p", "no:cacheprovider", *options]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("body", "options", "code"),
    [
        ("pytest.skip('no reason')", (), 0),
        ("pytest.skip('no reason')", ("--no-skips", "-n2"), 1),
        ("pytest.skip('allowed: no such machine')", ("--no-skips", "-n2"), 0),
    ],
)
@pytest.mark.slow(keep=1)
def test_only_forbidden_skips_fail_the_run(tmp_path, body, options, code):
    assert run_test(tmp_path, body, *options)[0] == code


def test_a_skip_that_is_not_allowed_is_reported(tmp_path):
    code, printed = run_test(tmp_path, "pytest.skip('no reason')", "--no-skips")
    assert code == 1
    assert "SKIPPED although --no-skips: test_one.py::test_one: no reason" in printed


def test_slow_tests_run_only_with_the_option_all(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow')\n"
    )
    body = "raise ValueError\ntest_one = pytest.mark.slow(test_one)"
    no_tests = pytest.ExitCode.NO_TESTS_COLLECTED
    assert run_test(tmp_path, body)[0] == no_tests
    assert run_test(tmp_path, body, "--all")[0] == pytest.ExitCode.TESTS_FAILED

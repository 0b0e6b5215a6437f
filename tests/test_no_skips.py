"""`--no-skips` fails a run that skipped a test without leave."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RUN = "import sys, pytest; sys.path.insert(0, sys.argv[1]); sys.exit(pytest.main(['-p', 'conftest', *sys.argv[2:]]))"


def exit_code_of(folder, body, *options):
    """Run a test of that body with the settings of all tests; return the exit code and what was printed."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_one.py").write_text(f"import pytest\ndef test_one():\n    {body}\n")
    words = [sys.executable, "-c", RUN, TESTS, folder, "-p", "no:cacheprovider", *options]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("body", "options", "code"),
    [
        ("pytest.skip('too lazy')", (), 0),
        ("pytest.skip('too lazy')", ("--no-skips",), 1),
        ("pytest.skip('allowed: no such machine')", ("--no-skips",), 0),
        ("pass", ("--no-skips",), 0),
        ("raise ValueError", ("--no-skips",), 1),
        ("pytest.skip('too lazy')", ("--no-skips", "-n2"), 1),
        ("pytest.skip('allowed: no such machine')", ("--no-skips", "-n2"), 0),
    ],
)
def test_the_exit_code(tmp_path, body, options, code):
    assert exit_code_of(tmp_path, body, *options)[0] == code


def test_the_skip_is_named(tmp_path):
    printed = exit_code_of(tmp_path, "pytest.skip('too lazy')", "--no-skips")[1]
    assert "SKIPPED although --no-skips: test_one.py::test_one: too lazy" in printed

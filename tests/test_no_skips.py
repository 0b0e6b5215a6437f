"""The options `--no-skips` and `--all`: a skip without an allowed reason fails the run, and slow tests run only if asked for."""

import pytest

pytest_plugins = "pytester"


@pytest.fixture
def run_test(pytester):
    """Return a function that runs a test with a given body and the settings of all tests."""
    pytester.makeini("[pytest]\nmarkers = slow")

    def run_test(body, *options):
        pytester.makepyfile(f"import pytest\ndef test_one():\n    {body}\n")
        return pytester.runpytest_inprocess("-p", "conftest", *options)

    return run_test


@pytest.mark.parametrize(
    ("body", "options", "code"),
    [
        ("pytest.skip('no reason')", (), 0),
        ("pytest.skip('no reason')", ("--no-skips", "-n2"), 1),
        ("pytest.skip('allowed: no such machine')", ("--no-skips", "-n2"), 0),
    ],
)
@pytest.mark.slow(keep=1)
def test_only_forbidden_skips_fail_the_run(run_test, body, options, code):
    assert run_test(body, *options).ret == code


def test_a_skip_that_is_not_allowed_is_reported(run_test):
    result = run_test("pytest.skip('no reason')", "--no-skips")
    assert result.ret == 1
    result.stdout.fnmatch_lines("SKIPPED although --no-skips: *.py::test_one: no reason")


def test_slow_tests_run_only_with_the_option_all(run_test):
    body = "raise ValueError\ntest_one = pytest.mark.slow(test_one)"
    assert run_test(body).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert run_test(body, "--all").ret == pytest.ExitCode.TESTS_FAILED

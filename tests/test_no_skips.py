"""The options of the tests: `--no-skips` fails if a skip has no allowed reason; others choose tests by their cost."""

import re

import pytest

pytest_plugins = "pytester"


@pytest.fixture
def run_test(pytester):
    """Return a function that runs a test with a given body and the settings of all tests."""

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


@pytest.mark.parametrize(
    ("options", "run"),
    [
        ((), "aA"),
        (("--heavy",), "aAB"),
        (("--only-heavy",), "B"),
        (("--all",), "aABc"),
        (("test_costs.py::test_b",), "AB"),
    ],
)
def test_the_options_choose_tests_by_their_cost(pytester, options, run):
    pytester.makepyfile(
        test_costs="""
            import pytest
            def test_a(): print("ran: a")
            @pytest.mark.heavy(keep=1)
            @pytest.mark.parametrize("case", "AB")
            def test_b(case): print("ran:", case)
            @pytest.mark.slow
            @pytest.mark.heavy
            def test_c(): print("ran: c")
        """
    )
    result = pytester.runpytest_inprocess("-p", "conftest", "-s", *options)
    assert "".join(re.findall("ran: (.)", result.stdout.str())) == run

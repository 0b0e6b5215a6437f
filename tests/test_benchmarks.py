"""The benchmarks: all are listed, and none uses a name that the project does not have any more."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.measured import Measured, write_table

FOLDER = Path(__file__).parent.parent / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_imported_and_is_listed_if_it_measures(name):
    assert hasattr(import_module(f"benchmarks.{name}"), "main") == (name in BENCHMARKS)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_benchmark_has_a_help(name):
    shown = CliRunner().invoke(main, [name, "--help"])
    assert shown.exit_code == 0
    assert shown.stdout.startswith(f"python -m benchmarks {name} [--full]\n\n")
    assert len(shown.stdout.splitlines()[2]) > 20


@pytest.mark.parametrize(
    ("words", "code"), [(["benchmarks/store.py", "--help"], 0), (["-m", "benchmarks.store", "--full"], 2)]
)
def test_a_module_that_is_run_as_a_script_shows_its_help(words, code):
    done = subprocess.run([sys.executable, *words], cwd=FOLDER.parent, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (code, b"")
    assert done.stdout.startswith(b"python -m benchmarks store [--full]\n\nThe store: ")


@pytest.mark.parametrize("words", [[], ["--help"], ["all", "--help"]])
def test_the_help_lists_all_benchmarks(words):
    assert "cluster_scale" in CliRunner().invoke(main, words).stdout


@pytest.mark.parametrize(
    ("row", "target", "measured", "reached"),
    [
        (Measured("speed", 0.61, "", "Python", at_least=0.6), "at least 0.6", "0.61", "yes"),
        (
            Measured("speed", 51336.2, "plies/s", "Python", at_least=100_000),
            "at least 100,000 plies/s",
            "51,336 plies/s",
            "no",
        ),
        (Measured("start", 6.04, "ms", "kernel", at_most=6), "at most 6 ms", "6.04 ms", "no"),
        (Measured("lost games", 0, "", "kernel", at_most=0), "at most 0", "0", "yes"),
        (Measured("speed", 12.0, "", "Python"), "", "12", ""),
    ],
)
def test_a_row_shows_target_and_value(row, target, measured, reached):
    *_, line = write_table([row]).splitlines()
    assert [cell.strip() for cell in line.split("|")[2:5]] == [target, measured, reached]

"""Output: broken pipes, full disks, terminals without colour, help."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from cli.command_line import ARBITER, NOTICE, PATIENCE_S, SECRET, call, call_ok, write_tournament

from arbiter.cli import COMMAND_NAMES as COMMANDS

FULL = "/dev/full"
GAME = "hunter~random~1"
GOLDEN = str(Path(__file__).parents[1] / "games" / "golden" / "duel.jsonl")


def piped(command):
    """Run a shell command with our `arbiter`; return the exit code of the first command of its pipe, stdout and stderr."""
    line = f'arbiter() {{ "{ARBITER}" "$@"; }}; {command}; exit "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr.replace(NOTICE, "")


@pytest.mark.parametrize(
    "words",
    [
        'run "{club}" --results "{folder}/new" --sandbox process',
        'run "{club}" --results "{folder}/new" --sandbox process --json',
        "match random random --rules duel --games 20 --sandbox process",
        'verify "{club}" "{club}" "{club}"',
        'replay "{club}" hunter~random~1 --speed 100',
    ],
)
@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=2)
def test_a_closed_pipe_is_not_reported(club, tmp_path, words):
    command = words.format(club=club, folder=tmp_path)
    code, out, err = piped(f"arbiter {command} | head -n 1")
    assert (len(out.splitlines()), err) == (1, "")
    assert code in {0, 1}


@pytest.mark.parametrize("closed", [">&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    "words", ["bots", 'replay "{club}" hunter~random~1', "match random random --rules duel --games 2 --sandbox process"]
)
@pytest.mark.heavy(keep=2)
@pytest.mark.slow(keep=4)
def test_a_closed_standard_stream_is_no_error(club, words, closed):
    code, _, err = piped(f"arbiter {words.format(club=club)} {closed}")
    assert (code, err) == (0, "")


def test_games_stored_before_the_pipe_closed_remain(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], games=6)
    piped(f'arbiter run "{file}" --sandbox process --secret {SECRET} | head -n 2')
    assert 1 <= len(call_ok("games", file, "--json").splitlines()) <= 6
    assert "6 games, " in call_ok("run", file)


@pytest.mark.skipif(not os.path.exists(FULL), reason="allowed: no /dev/full here")  # noqa: PTH110
@pytest.mark.parametrize("words", ["bots", "match random random --rules duel --games 2 --sandbox process"])
def test_a_full_disk_is_reported_in_one_line(words):
    code, _, err = piped(f"arbiter {words} > {FULL}")
    assert code == 2
    assert err == ("arbiter: cannot write the output: No space left on device; games stored before are safe\n")


def on_terminal(*words, **environment):
    """Run the arbiter on a terminal of 80 columns and return its output."""
    ours, its = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    env = {**plain, "TERM": "xterm", "COLUMNS": "80", **environment}
    with subprocess.Popen([ARBITER, *map(str, words)], stdout=its, stderr=its, env=env) as running:
        os.close(its)
        written = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert running.returncode == 0
    return written.decode()


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # so ends a terminal on Linux
        return b""


def test_colours_only_on_a_terminal_and_without_no_color(played):
    words = ("replay", played, GAME, "--at", "1")
    assert "\x1b[" in on_terminal(*words)
    assert "\x1b[" not in on_terminal(*words, NO_COLOR="1")
    assert "\x1b[" not in on_terminal(*words, "--plain")
    assert "\x1b[" not in call_ok(*words)


def test_a_run_on_a_terminal_shows_progress_and_then_the_tables(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], games=4)
    text = on_terminal("run", file, "--sandbox", "process")
    assert "4/4" in text
    assert "left" in text
    assert "Crosstable" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    text = call_ok(command, "--help")
    assert text.startswith(f"Usage: arbiter {command} ")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert command in call_ok("--help")


def test_without_a_command_help_is_shown():
    result = call()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip() == call_ok("--help").strip()


def test_version():
    assert call_ok("--version").startswith("arbiter, version ")


def loaded_by(*words):
    """Return the modules that a command imports."""
    code = "import sys; from arbiter.cli import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "unneeded"),
    [
        (
            ("--help",),
            {"trio", "textual", "rich", "tabulate", "sqlite3", "msgspec.json", "arbiter.games", "arbiter.tournament"},
        ),
        (("--version",), {"trio", "rich", "tabulate", "sqlite3", "arbiter.games"}),
        (("bots", "--json"), {"rich", "tabulate"}),
        (("replay", GOLDEN, "--at", "end"), {"textual", "rich", "tabulate", "trio"}),
    ],
)
def test_a_command_imports_only_what_it_needs(words, unneeded):
    assert loaded_by(*words) & unneeded == set()

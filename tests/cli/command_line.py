"""Call the command line in this process or as a separate process; write tournament files."""

import ctypes
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

from click.testing import CliRunner

from arbiter.cli import main
from arbiter.sandbox.process import MARK
from arbiter.sandbox.select import ASKED_FOR

NOTICE = f"arbiter: {ASKED_FOR}\n"
JOBS_NOTICE = re.compile(r"arbiter: \d+ games? at a time (?:on|may use) .*\n")
PEOPLE_NOTICE = re.compile(r"arbiter: without a sandbox, .* can read and change your files, .*\n")
PATIENCE_S = 300
SECRET = "5ec7" * 8
SET_CHILD_SUBREAPER = 36
ARBITER = Path(sys.executable).with_name("arbiter")
BOTS = Path(__file__).parent.parent / "bots"
TOLD, FOLDER = "told.txt", "<folder>"  # what a run printed that the fixture `play_once` made, and its folder there


class MainProgram:
    """Adapt `main` to click's runner: the whole program with its error messages and exit codes."""

    name = "arbiter"

    def main(self, args, prog_name, **_):
        assert prog_name == self.name
        main(args)


def call(*words):
    """Call `arbiter WORDS` in this process; the result has exit_code, stdout and stderr."""
    try:
        result = CliRunner().invoke(MainProgram(), with_usual_options(words))
    finally:
        _stop_adopting_orphans()
    result.stderr_bytes = without_notices(result.stderr_bytes.decode()).encode()
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def with_usual_options(words):
    """Add `--sandbox process` by default: not every machine has a sandbox, and test_sandboxed.py covers it.

    Add a secret to tournaments, so that they are the same each time; allow more jobs than cores.
    """
    words = [*map(str, words)]
    if words and words[0] in ("run", "match", "check", "rerun", "setups", "suite", "tune") and "--sandbox" not in words:
        words += ["--sandbox", "process"]
    if words and words[0] in ("run", "match"):
        words += ["--force-jobs"]  # the bots of tests need little time, and some machines have one core
    if words and words[0] == "run" and "--secret" not in words:
        words += ["--secret", SECRET]
    return words


def without_notices(text):
    """Remove the notices that follow from the options that `with_usual_options` adds."""
    return PEOPLE_NOTICE.sub("", JOBS_NOTICE.sub("", text.replace(NOTICE, "")))


def _stop_adopting_orphans():
    """Undo the process setting that playing games leaves behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def call_ok(*words):
    """Call `arbiter WORDS`, check that it succeeds without a message, and return its stdout."""
    result = call(*words)
    assert (result.exit_code, result.stderr) == (0, ""), result.stderr
    return result.stdout


def call_refused(*words):
    """Call `arbiter WORDS`, check that it fails with a one-line error, and return that line."""
    result = call(*words)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert result.stderr.startswith("arbiter: ")
    assert result.stderr.endswith("\n")
    assert len(result.stderr.splitlines()) == 1, result.stderr
    return result.stderr.strip()


class StartedArbiter:
    """`arbiter WORDS` in a separate process; its output is read line by line."""

    def __init__(self, *words, **options):
        self.popen = subprocess.Popen(
            [ARBITER, *with_usual_options(words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )
        self.lines = []
        self._time_limit = Timer(PATIENCE_S, self.popen.kill)  # ends a test that would hang
        self._time_limit.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._time_limit.cancel()
        self.popen.kill()
        self.popen.communicate()

    def read_until(self, text):
        """Read lines until one contains `text`."""
        for line in self.popen.stdout:
            self.lines.append(line.rstrip("\n"))
            if text in line:
                return
        raise AssertionError(f"no {text!r} in {self.lines}: {self.popen.stderr.read()}")

    def read_rest(self):
        """Read all other lines, so that the program never waits for a reader."""
        self.lines += [line.rstrip("\n") for line in self.popen.stdout]

    def finish(self):
        """Wait for the end; return the exit code and stderr."""
        out, err = self.popen.communicate(timeout=PATIENCE_S)
        self.lines += out.splitlines()
        return self.popen.returncode, without_notices(err)


def run_served(*words):
    """Call `arbiter run WORDS` with `--serve` to the last game, and Ctrl-C then; return its exit code."""
    with StartedArbiter("run", *words) as running:
        running.read_until("the pages stay at")
        running.popen.send_signal(signal.SIGINT)
        return running.finish()[0]


def write_tournament(folder, *, name="club", bots=("hunter", "random"), **settings):
    """Write a tournament file of duels between sample bots, or bots given as tables; return its path."""
    chosen = {"name": "Club night", "rules": "duel", "seed": 17} | settings
    lines = [f"{key} = {toml(value)}" for key, value in chosen.items()]
    entries = [bot if isinstance(bot, dict) else {"name": bot} for bot in bots]
    path = folder / f"{name}.toml"
    path.write_text("\n".join([*lines, f"bots = {toml(entries)}", ""]), encoding="utf-8")
    return path


def read_told(file):
    """Return what the run printed that the fixture `play_once` made."""
    return (file.parent / TOLD).read_text(encoding="utf-8").replace(FOLDER, str(file.parent))


def bot(program, *words, name=None):
    """Return the table of a bot that plays with a program of tests/bots."""
    command = [sys.executable, "-ES", str(BOTS / f"{program}.py"), *map(str, words)]
    return {"name": name or program.replace("_", "-"), "command": command}


def toml(value):
    """Write a value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value).lower()


def write_program(path, text, *, runs=True):
    """Write an executable file and return its path."""
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755 if runs else 0o644)
    return path


def bot_processes_in(folder):
    """List the running bot processes (by their mark) whose working folder is `folder`."""
    everything = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in everything if _is_bot(pid) and _works_in(pid, folder)]


def _is_bot(pid):
    try:
        words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(word.startswith(f"{MARK}=".encode()) for word in words)


def _works_in(pid, folder):
    try:
        return Path(f"/proc/{pid}/cwd").resolve() == folder.resolve()
    except OSError:
        return False

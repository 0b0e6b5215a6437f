"""A run keeps its locks on the results: the process loses them if it closes another file on the same inode."""

import subprocess
import sys
from pathlib import Path

from cli.command_line import PATIENCE_S, write_program, write_tournament

import sample_bots

CODE = """
import contextlib, os, pathlib, sys

from arbiter.cli import main

opened = set()

def notice(event, arguments):
    if event == "open" and not isinstance(arguments[0], int):
        name = os.path.basename(os.fsdecode(arguments[0]))
        if name in ("club.sqlite", "club.sqlite-wal", "club.sqlite-shm") and is_playing():
            opened.add(name)

def is_playing():
    with contextlib.suppress(OSError, ValueError, IndexError):
        return os.getpid() in [int(line.split()[4]) for line in pathlib.Path("/proc/locks").read_text().splitlines()]

sys.addaudithook(notice)
for _ in range(2):
    main(sys.argv[1:])
print("opened:", sorted(opened))
"""


def test_a_run_opens_its_results_only_with_sqlite(tmp_path):
    """The results are in the folder of a bot, which is read to find its files before and during the run."""
    text = Path(sample_bots.__file__).with_name("stdlib_player.py").read_text()
    write_program(tmp_path / "mine.py", text)
    bots = ({"name": "mine", "command": [sys.executable, "mine.py"]}, "random")
    file = write_tournament(tmp_path, bots=bots, keep_logs=True)
    words = ["run", file, "--results", tmp_path / "club.sqlite", "--live", "--sandbox", "process"]
    command = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "opened: []"
    assert (tmp_path / "club.sqlite").exists()

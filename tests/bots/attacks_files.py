"""Attacks files when it is asked for its first move, and continues to play; the result is on stderr.

Its arguments: the attack and the files, each with an @ in front if the arbiter is not to see that it is a file.
"""

import os
import sys
from pathlib import Path

from attacker import Attacker

MEBIBYTE = b"\0" * (1 << 20)
MAX_MEBIBYTES = 300
ATTACK = sys.argv[1]
FILES = [word.removeprefix("@") for word in sys.argv[2:]]


def list_successes(attempt):
    """Return the files for which an attempt succeeds."""
    got = []
    for file in FILES:
        try:
            attempt(Path(file))
        except OSError:
            continue
        got.append(file)
    return got


def fill_places():
    """Return how many MiB fit into each place, in files of 16 MiB."""
    return {place: fill(Path(place)) for place in FILES}


def fill(place):
    for piece in range(MAX_MEBIBYTES):
        try:
            with (place / f"filling{piece // 16}").open("ab") as file:
                file.write(MEBIBYTE)
        except OSError:
            return piece
    return MAX_MEBIBYTES


def leave_notes():
    """Write a note to each place; return the places that already had one."""
    found = list_successes(lambda path: (path / "note").stat())
    list_successes(lambda path: (path / "note").write_text("remember me"))
    return found


def overwrite(path):
    with path.open("r+b") as file:
        file.write(b"X")


Attacker(
    {
        "reads": lambda: list_successes(lambda path: os.open(path, os.O_RDONLY)),
        "lists": lambda: list_successes(os.listdir),
        "overwrites": lambda: list_successes(overwrite),
        "removes": lambda: list_successes(os.unlink),
        "renames": lambda: list_successes(lambda path: path.rename(path.with_name("gone"))),
        "makes": lambda: list_successes(lambda path: path.with_name("made").touch()),
        "opens_up": lambda: list_successes(lambda path: path.chmod(0o777)),
        "fills": fill_places,
        "leaves": leave_notes,
    }[ATTACK]
).run()

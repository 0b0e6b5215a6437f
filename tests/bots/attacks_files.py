"""Attacks files when it is asked for its first move, then plays on; what it got is on stderr.

Its arguments: the attack, and the files it is about.
"""

import os
import sys
from pathlib import Path

from attacker import Attacker

PIECE = b"\0" * (1 << 20)
MOST_PIECES = 300
_, ATTACK, *FILES = sys.argv


def each(attempt):
    """List the files with which an attempt came through."""
    got = []
    for file in FILES:
        try:
            attempt(Path(file))
        except OSError:
            continue
        got.append(file)
    return got


def fills():
    """Count how much fits into each place, in files of 16 MiB."""
    return {place: filled(Path(place)) for place in FILES}


def filled(place):
    for piece in range(MOST_PIECES):
        try:
            with (place / f"filling{piece // 16}").open("ab") as file:
                file.write(PIECE)
        except OSError:
            return piece
    return MOST_PIECES


def leaves_state():
    """Leave a note wherever one can; tell where one was."""
    found = each(lambda path: (path / "note").stat())
    each(lambda path: (path / "note").write_text("remember me"))
    return found


def overwrites(path):
    with path.open("r+b") as file:
        file.write(b"X")


Attacker(
    {
        "reads": lambda: each(lambda path: os.open(path, os.O_RDONLY)),
        "lists": lambda: each(os.listdir),
        "overwrites": lambda: each(overwrites),
        "removes": lambda: each(os.unlink),
        "renames": lambda: each(lambda path: path.rename(path.with_name("gone"))),
        "makes": lambda: each(lambda path: path.with_name("made").touch()),
        "opens_up": lambda: each(lambda path: path.chmod(0o777)),
        "fills": fills,
        "leaves": leaves_state,
    }[ATTACK]
).run()

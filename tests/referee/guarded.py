"""Isolation `full` under watch, and what an attacker told of its success."""

import json
from pathlib import Path

import trio
from referee.rig import carrying, checked, children, order, play_until_it_counts

from arbiter.sandbox.process import scratch_path

WALK = [f"{src}-{dst}" for src, dst in (("j7", "j6"), ("i7", "i6"), ("j6", "j7"), ("i6", "i7"))]


class Guarded:
    """Isolation `full`; it remembers what it started, so that a test can look for what is left."""

    name = "full"

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.marks = []
        self.folders = []

    def launch(self, program, mark):
        self.marks.append(mark)
        self.folders.append(scratch_path(mark))
        return self.sandbox.launch(program, mark)

    def left(self):
        """Return what is left of all that was started: processes, zombies of ours, folders."""
        folders = [folder for folder in self.folders if folder.exists()]
        return [pid for mark in self.marks for pid in carrying(mark)] + children() + folders


def play_guarded(sandbox, red, blue, **how):
    """Play a game in the sandbox and check what is true of every game: its record stands, and nothing is left."""
    isolation = Guarded(sandbox)
    return checked(trio.run(play_until_it_counts, order(red, blue, **how), isolation), isolation)


def undisturbed(played):
    """Check that the opponent played its own game to the end, in its own time."""
    assert played.verdict == ("no_attack_limit", None), played.result
    moves = [act.action for act in played.acts if act.seat == "blue"][1:]
    assert [f"{move.src}-{move.dst}" for move in moves] == (WALK * 2)[: len(moves)]
    return played


def got(played, seat="red"):
    """Return what an attacker told that it got."""
    lines = [line for line in played.report.log.stderr[seat].splitlines() if line.startswith('{"got"')]
    assert len(lines) == 1, played.report.log.stderr
    return json.loads(lines[0])["got"]


def running(word):
    """List the processes that have a word in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if word.encode() in words:
            found.append(int(entry.name))
    return found

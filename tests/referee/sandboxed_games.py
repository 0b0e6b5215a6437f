"""Games in the sandbox, and what an attacker reported of its success."""

import json
from contextlib import suppress
from pathlib import Path

from referee.real_games import play

WALK = [f"{src}-{dst}" for src, dst in (("j7", "j6"), ("i7", "i6"), ("j6", "j7"), ("i6", "i7"))]


def play_in_sandbox(sandbox, red, blue, **options):
    """Play a game in the sandbox and check it."""
    return play(red, blue, isolation=sandbox, **options)


def check_undisturbed(played):
    """Check that the opponent played its own game to the end, in its own time."""
    assert played.outcome == ("no_attack_limit", None), played.result
    moves = [act.action for act in played.acts if act.seat == "blue"][1:]
    assert [f"{move.src}-{move.dst}" for move in moves] == (WALK * 2)[: len(moves)]
    return played


def attack_report(played, seat="red"):
    """Return what an attacker reported that it got."""
    lines = [line for line in played.game.log.stderr[seat].splitlines() if line.startswith('{"got"')]
    assert len(lines) == 1, played.game.log.stderr
    return json.loads(lines[0])["got"]


def processes_with_argument(word):
    """Return the processes that have a word in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found

"""Bits that a bot carries from one game of a pair to the next by the time of day at which the first one ends.

No sandbox can prevent that: a bot decides when it ends its game, and the next game begins then.  Processes that stay
and new ones are measured, without another load.
"""

import json
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measured import Measured

STEP_S = 0.02
STEPS = 128
PAIRS, SHORT_PAIRS = 40, 8
BOTS = Path(__file__).parent.parent / "tests" / "bots"
ARBITER = Path(sys.executable).with_name("arbiter")


def play_pairs(pairs: int, *options: str) -> list[int]:
    """Play pairs of games in a sandbox; return by how many steps each game reads more than the game before it sent."""
    with TemporaryDirectory() as folder:
        results, records = Path(folder, "pairs.sqlite"), Path(folder, "records")
        carrier = f"carrier={sys.executable} -ES {BOTS / 'ends_on_time.py'} {STEP_S} {STEPS}"
        quiet = f"quiet={sys.executable} -ES {BOTS / 'base.py'}"
        match = ("match", carrier, quiet, "--games", str(2 * pairs), "--jobs", "1", "--sandbox", "full", *options)
        run(*match, "--results", str(results))
        run("games", str(results), "--export", str(records))
        order = [json.loads(line)["id"] for line in run("games", str(results), "--json").splitlines()]
        texts = [(records / f"{game_id}.jsonl").read_text() for game_id in order]
    numbers = [_read_note(text) for text in texts]
    return [(read - sent) % STEPS for (sent, _), (_, read) in pairwise(numbers)]


def _read_note(text: str) -> tuple[int, int]:
    """Return the number that a game ended with, and the one that was read at its start."""
    note = next(line["note"] for line in map(json.loads, text.splitlines()) if line.get("note"))
    sent, read = note.split()
    return int(sent), int(read)


def run(*words: str) -> str:
    """Run the arbiter; return its output."""
    return subprocess.run([ARBITER, *words], check=True, capture_output=True, text=True).stdout


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the table."""
    found = []
    print(f"{'processes':<12}{'most usual step':>16}{'within one step':>16}{'bits':>8}")
    for way, options in (("reused", ()), ("fresh", ("--fresh",))):
        late = play_pairs(PAIRS if is_full else SHORT_PAIRS, *options)
        usual = max(late, key=lambda step: sum((one - step) % STEPS in (0, 1, STEPS - 1) for one in late))
        share = sum((one - usual) % STEPS in (0, 1, STEPS - 1) for one in late) / len(late)
        bits = share * math.log2(STEPS / 3)
        print(f"{way:<12}{usual:>16}{share:>16.0%}{bits:>8.1f}")
        found.append(Measured(f"bits from game to game by its end, {way} processes", bits, "bits", "kernel"))
    return found

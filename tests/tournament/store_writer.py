"""Store games without end and print the number of each stored game, until the test kills this process.

usage: writer.py RESULTS FIRST
"""

import sys
from itertools import count
from pathlib import Path

from tournament.stored_games import game
from tournament.tournaments import manifest

from arbiter.tournament.results.store import Store

store = Store.create_or_resume(Path(sys.argv[1]), manifest())
print("ready", flush=True)  # noqa: T201 - its only voice
for number in count(int(sys.argv[2])):
    store.add(game("hunter", "random", "red", "flag_taken", pair=number), b"record " * 1000)
    print(number, flush=True)  # noqa: T201 - its only voice

"""Store games without end and print the number of each stored game, until the test kills this process.

usage: writer.py RESULTS FIRST TOGETHER
"""

import sys
from itertools import count
from pathlib import Path

from tournament.stored_games import game
from tournament.tournaments import manifest

from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store

store = Store.create_or_resume(Path(sys.argv[1]), manifest())
together = int(sys.argv[3])
print("ready", flush=True)  # noqa: T201 - its only voice
for first in count(int(sys.argv[2]), together):
    numbers = range(first, first + together)
    games = [game("hunter", "random", "red", "flag_taken", pair=number) for number in numbers]
    store.add([NewGame(one, b"record " * 1000) for one in games])
    for number in numbers:
        print(number, flush=True)  # noqa: T201 - its only voice

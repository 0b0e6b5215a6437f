"""Play a tournament, show its games and standings, write its report, and verify its results.

python examples/run_tournament.py tournaments/smoke.toml smoke.sqlite report
"""

import sys

from arbiter.api import Finished, load_tournament, read_results, run_tournament, verify_results, write_report


def main(file, results, folder):
    with run_tournament(load_tournament(file), results) as run:
        for event in run:
            if isinstance(event, Finished):
                print(event.game.id, event.game.winner, event.game.ending)
    with read_results(results) as stored:
        for row in stored.standings():
            print(row.rank, row.bot, row.points)
        print(write_report(stored, folder).page)
    print("ok" if verify_results(results).ok else "the results were changed")


if __name__ == "__main__":
    main(*sys.argv[1:])

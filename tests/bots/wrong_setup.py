"""Deploys illegally; the argument selects the fault."""

import sys

from base import Bot

FAULTS = {
    "forty_one": lambda pieces: pieces | {"a5": "scout"},
    "missing_flag": lambda pieces: {place: rank for place, rank in pieces.items() if rank != "flag"},
    "two_flags": lambda pieces: pieces | {"b1": "flag"},
    "enemy_rows": lambda pieces: {place[0] + str(11 - int(place[1:])): rank for place, rank in pieces.items()},
    "nothing": lambda pieces: {},
    "unknown_rank": lambda pieces: pieces | {"a1": "\x1b[31mdragon"},
    "no_square": lambda pieces: pieces | {"\x1b[31m": "scout"},
}


class WrongSetup(Bot):
    def choose_deployment(self):
        return FAULTS[sys.argv[1]](super().choose_deployment())


WrongSetup().run()

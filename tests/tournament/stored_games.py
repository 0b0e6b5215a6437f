"""Stored games read from lines: `red blue result`, result `1-0`, `0-1`, `1/2` or an ending with its winner."""

from itertools import count

from arbiter.tournament.standings.points import SYSTEMS, score
from arbiter.tournament.standings.stored_game import StoredGame

RESULTS = {"1-0": ("red", "flag_taken"), "0-1": ("blue", "flag_taken"), "1/2": (None, "agreed")}
WINNERS = {"red": "red", "blue": "blue", "-": None}


def game(red, blue, winner, ending, *, pair=1, round_=1, system="isf"):
    points = score(SYSTEMS[system], winner, ending)
    return StoredGame(
        id=f"{red}~{blue}~{pair}",
        round=round_,
        pair=pair,
        red=red,
        blue=blue,
        winner=winner,
        ending=ending,
        why=f"{ending}, as written",
        plies=100 + pair,
        red_points=points.get("red", 0),
        blue_points=points.get("blue", 0),
        started="2026-11-20T10:00:00Z",
        seconds=1.5,
    )


def games(text, system="isf"):
    numbers = count(1)
    return [_read(line, next(numbers), system) for line in text.strip().splitlines()]


def _read(line, number, system):
    red, blue, result, *rest = line.split()
    winner, ending = RESULTS[result] if result in RESULTS else (WINNERS[rest[0]], result)
    return game(red, blue, winner, ending, pair=number, system=system)

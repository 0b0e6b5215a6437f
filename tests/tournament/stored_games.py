"""Stored games read from lines: `red blue result`, result `1-0`, `0-1`, `1/2` or an ending with its winner."""

from itertools import count

from arbiter.tournament.events import Attempt, Void
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.machine import PlayingConditions
from arbiter.tournament.standings.stored_game import SYSTEMS, StoredGame, score
from protocol.reasons import ArbiterFailed, Resigned

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
        reason=Resigned("red") if ending == "resigned" else None,
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


CONDITIONS = PlayingConditions(host="desk", cores=2, jobs=1, load=0.5, lag_ms=12.5, speed=1.25)


FAILED = ArbiterFailed("why")


def attempt(game_id, cause="error", seat=None, *, reason=FAILED, plies=3):
    """Make a voided attempt to play a game with an id such as red~blue~1."""
    red, blue, _ = game_id.split("~")
    return Attempt(
        id=game_id,
        round=1,
        red=red,
        blue=blue,
        started="2026-01-01T00:00:00+00:00",
        seconds=2.5,
        cause=cause,
        reason=reason,
        seat=seat,
        plies=plies,
        conditions=CONDITIONS,
    )


def void(game_id, *args, **options):
    """Make the event of a voided attempt."""
    red, blue, number = game_id.split("~")
    return Void(make_fixture(red, blue, int(number), 1), attempt(game_id, *args, **options))

"""Fields of bots, schedules of them in any format, and games that are played in no time."""

from msgspec.structs import replace
from tournament.stored_games import RESULTS, game

from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.schedule.format import Entrants
from arbiter.tournament.schedule.stages import Plan, Schedule
from arbiter.tournament.standings.points import SYSTEMS

USUAL = ("points", "wins", "direct", "sonneborn-berger")


def field(bots, games=2, **settings):
    return Entrants(
        **{"bots": tuple(bots), "games": games, "points": SYSTEMS["isf"], "tie_breaks": USUAL, "seed": 17} | settings
    )


def schedule(form, bots, games=2, played=(), **settings):
    return Schedule([Plan(FORMATS[form], field(bots, games, **settings))], played)


def play(going, chance, most=None, how=None):
    """Play a schedule's games, several side by side, and have them finish in any order; return those played.

    `how` makes a fixture a finished game.
    """
    played, under_way = [], []
    while most is None or len(played) < most:
        while len(under_way) < 3 and (fixture := going.take()):
            under_way.append(fixture)
        if not under_way:
            break
        fixture = under_way.pop(chance.randrange(len(under_way)))
        played.append((how or result)(fixture))
        going.add(played[-1])
    return played


def result(fixture):
    """Make a fixture a game; how it ends depends on nothing but its id."""
    winner, ending = list(RESULTS.values())[sum(map(ord, fixture.id)) % 3]
    return finished(fixture, winner, ending)


def finished(fixture, winner, ending="flag_taken"):
    """Make a fixture a game that ended so."""
    made = game(fixture.red, fixture.blue, winner, ending, pair=fixture.pair, round_=fixture.round)
    return replace(made, id=fixture.id)


class Chance:
    """No chance: the first of several."""

    def randrange(self, _stop):
        return 0


def stronger(fixture):
    """Let the one win whose name comes first."""
    return finished(fixture, "red" if fixture.red < fixture.blue else "blue")


def without(*gone, after=0):
    """Let the one win whose name comes first, and give walkovers against those who are gone after so many rounds."""

    def how(fixture):
        there = [seat for seat in ("red", "blue") if getattr(fixture, seat) not in gone]
        if len(there) == 2 or fixture.round <= after:
            return stronger(fixture)
        return finished(fixture, there[0] if there else None, "walkover")

    return how

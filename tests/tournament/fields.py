"""Fields of bots, and schedules of them in any format."""

from arbiter.tournament.points import SYSTEMS
from arbiter.tournament.schedule import FORMATS, Field, Plan, Schedule

USUAL = ("points", "wins", "direct", "sonneborn-berger")


def field(bots, games=2, **settings):
    return Field(
        **{"bots": tuple(bots), "games": games, "points": SYSTEMS["isf"], "tie_breaks": USUAL, "seed": 17} | settings
    )


def schedule(form, bots, games=2, played=(), **settings):
    return Schedule([Plan(FORMATS[form], field(bots, games, **settings))], played)

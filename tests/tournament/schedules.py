"""Entrants, schedules of any format, and games that are played without programs."""

from msgspec.structs import replace
from tournament.stored_games import RESULTS, game

from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.schedule.format import Entrants, Plan
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import SYSTEMS

ROUND_FORMATS = sorted(name for name, form in FORMATS.items() if form.open is None)
DEFAULT_TIE_BREAKS = ("points", "wins", "direct", "sonneborn-berger")


def make_entrants(bots, games=2, form="round-robin", **given):
    """Make entrants of a format; its settings are among those given."""
    shape = FORMATS[form].settings
    settings = shape(**{name: given.pop(name) for name in shape.__struct_fields__ if name in given})
    defaults = {"points": SYSTEMS["isf"], "tie_breaks": DEFAULT_TIE_BREAKS, "seed": 17}
    return Entrants(bots=tuple(bots), games=games, settings=settings, **defaults | given)


def make_schedule(form, bots, games=2, played=(), **settings):
    return Schedule([Plan(FORMATS[form], make_entrants(bots, games, form, **settings))], History(tuple(played)))


def play_games(schedule, chance, most=None, how=None):
    """Play the games of a schedule, three at a time, in a random order; return those played.

    `how` turns a fixture into a finished game.
    """
    played = []
    in_progress = []
    while most is None or len(played) < most:
        while len(in_progress) < 3 and (fixture := schedule.take()):
            in_progress.append(fixture)
        if not in_progress:
            break
        fixture = in_progress.pop(chance.randrange(len(in_progress)))
        played.append((how or finish_by_id)(fixture))
        schedule.add(played[-1])
    return played


def finish(fixture, winner, ending="flag_taken"):
    """Turn a fixture into a finished game."""
    made = game(fixture.red, fixture.blue, winner, ending, pair=fixture.pair, round_=fixture.round)
    return replace(made, id=fixture.id)


def finish_by_id(fixture):
    """Finish a game with a result that depends only on its id."""
    winner, ending = list(RESULTS.values())[sum(map(ord, fixture.id)) % 3]
    return finish(fixture, winner, ending)


def first_name_wins(fixture):
    """Let the bot win whose name comes first in the alphabet."""
    return finish(fixture, "red" if fixture.red < fixture.blue else "blue")


def give_walkovers(*absent, after=0):
    """Let the first name win; after so many rounds the absent bots lose by walkover."""

    def how(fixture):
        present = [seat for seat in ("red", "blue") if getattr(fixture, seat) not in absent]
        if len(present) == 2 or fixture.round <= after:
            return first_name_wins(fixture)
        return finish(fixture, present[0] if present else None, "walkover")

    return how


class FirstChoice:
    """Random generator that always chooses the first element."""

    def randrange(self, _stop):
        return 0

"""The ranks at the end of a round, while later rounds are played."""

import random

import pytest
from msgspec.structs import replace
from tournament.stored_games import game
from tournament.tournaments import manifest

from arbiter.tournament.results.snapshot import Snapshot
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import Ruling
from arbiter.tournament.standings.table import rank_bots
from protocol.reasons import Stated

BOTS = tuple("abcde")
NO_CHANGE = Ruling(number=1, at="2026-01-01T00:00:00+00:00", by="ann", reason=Stated(""), kind="reinstate", bot="a")


def play(event, plan, chance):
    """Play the next game; return it, or None after the last one."""
    fixture = plan.take()
    if fixture is None:
        return None
    winner = chance.choice(["red", "blue", None])
    played = game(fixture.red, fixture.blue, winner, "flag_taken" if winner else "agreed", round_=fixture.round)
    played = replace(played, pair=fixture.pair, id=fixture.id)
    plan.extend([played])
    return played


@pytest.mark.parametrize(
    "settings", [{"format": "swiss", "rounds": 4}, {"format": "round-robin"}, {"format": "knockout"}]
)
def test_they_stay_the_same_while_other_games_are_played_and_ruled(settings):
    event = manifest(BOTS, games=2, **settings)
    plan, chance = event.schedule(), random.Random(1)
    known = {}
    while (played := play(event, plan, chance)) is not None:
        ruled = event.schedule(History(plan.history.as_played, (NO_CHANGE,)))
        for number in range(1, played.round):
            ranks = Snapshot(manifest=event, plan=plan).find_earlier_ranks(number)
            assert ranks == known.setdefault(number, ranks)
            assert Snapshot(manifest=event, plan=ruled).find_earlier_ranks(number) == ranks
    assert known
    if settings["format"] == "round-robin":
        tie_breaks = plan.stages[0].entrants.tie_breaks
        until = [one for one in plan.history.as_played if one.round <= max(known)]
        assert known[max(known)] == {one.bot: one.rank for one in rank_bots(BOTS, until, tie_breaks)}

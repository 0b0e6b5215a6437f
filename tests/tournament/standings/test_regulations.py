"""All tie-breaks on random events, compared with an implementation that shares no code with the arbiter's."""

import random
from itertools import groupby

import pytest
from tournament.schedules import finish, make_schedule, play_games
from tournament.standings.regulations import Regulations

from arbiter.games.base import FORFEITS
from arbiter.tournament.standings.tie_breaks import AMONG_TIED, TIE_BREAKS

EVENTS = 2000
TO_A_CASE = 10
ENDINGS = [
    *[("red", "flag_taken"), ("blue", "flag_taken")] * 4,
    *[(None, "agreed")] * 3,
    ("red", "timeout"),
    ("blue", "crash"),
    (None, "illegal_setup"),
    (None, "double_loss"),
    (None, "annulled"),
]
COMPARED = [name for name in TIE_BREAKS if name not in {*AMONG_TIED, "lots"}]


def play_event(chance, endings=ENDINGS, **given):
    """Play an event of a random format, in which bots are absent, leave in the middle of a round, and have byes."""
    form = chance.choice(["swiss", "swiss", "swiss", "round-robin", "gauntlet"])
    bots = "abcdefghi"[: chance.randint(3, 9)]
    size = chance.choice([2, 2, 4])
    settings = {"ratings": {bot: chance.randint(1000, 2000) for bot in bots}} | given
    if form == "swiss":
        rounds = chance.randint(1, 6)
        settings |= {
            "rounds": rounds,
            "half_byes": chance.randint(0, 2),
            "absences": {bot: tuple(chance.sample(range(1, rounds + 1), 1)) for bot in bots if chance.random() < 0.2},
        }
    elif form == "gauntlet":
        settings["challengers"] = list(bots[: chance.randint(1, 2)])
    leaves = {bot: chance.randint(0, 8) for bot in bots if chance.random() < 0.25}
    """For each bot that leaves, the number of games that it plays before."""
    played = dict.fromkeys(bots, 0)

    def how(fixture):
        gone = {seat for seat, bot in fixture.bots.items() if played[bot] >= leaves.get(bot, 1000)}
        if gone:
            return finish(fixture, next((seat for seat in ("red", "blue") if seat not in gone), None), "walkover")
        for bot in fixture.bots.values():
            played[bot] += 1
        return finish(fixture, *chance.choice(endings))

    schedule = make_schedule(form, bots, size, **settings)
    most = chance.choice([None, None, chance.randint(1, 60)])  # some events are not finished
    play_games(schedule, chance, most, how)
    return schedule


def compare(schedule, chance):
    stage = schedule.stages[0]
    entrants, games, byes = stage.entrants, schedule.games_in(stage), schedule.byes_in(stage)
    is_swiss = stage.format.name == "swiss"
    expected = Regulations(
        entrants.bots,
        games,
        byes,
        size=entrants.games if is_swiss else 2,
        rounds=entrants.settings.rounds if is_swiss else None,
        paired={(bot, fixture.round) for fixture in stage.fixtures for bot in fixture.bots.values()},
        forfeits=FORFEITS,
        ratings=entrants.ratings,
    )
    names = ["points", *chance.sample([*COMPARED[1:], "direct"], len(COMPARED))]
    table = entrants.rank(games, byes, tuple(names), total_rounds=expected.rounds)
    for one in table:
        assert one.points == pytest.approx(float(expected.points(one.bot)))
        for name in COMPARED[1:]:
            assert one.tie_breaks[name] == pytest.approx(float(expected.value(name, one.bot)), abs=1e-6), (
                name,
                one.bot,
            )
    ranked = [frozenset(one.bot for one in group) for _, group in groupby(table, key=lambda one: one.rank)]
    assert ranked == expected.rank(names), names


@pytest.mark.heavy(keep=2)
@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("case", range(EVENTS // TO_A_CASE))
def test_random_events(case):
    for number in range(TO_A_CASE):
        seed = case * TO_A_CASE + number
        chance = random.Random(seed)
        schedule = play_event(chance)
        try:
            compare(schedule, chance)
        except AssertionError as error:
            raise AssertionError(f"event {seed}: {error}") from error

"""Two games of a pair that reveal each other are never in progress at the same time, and no job is idle for it."""

import random

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from referee.real_games import AMPLE, bot
from tournament.schedules import ROUND_FORMATS, finish_by_id, make_schedule
from tournament.test_secrets import EXAMPLES

from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import load_tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher, Walkover
from arbiter.tournament.events import Began, Finished
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.results.manifest import new_manifest

BOTS = tuple("abcdefg")
SETTINGS = {"gauntlet": {"challengers": ("c", "a")}, "swiss": {"rounds": 3}, "knockout": {"further_pairs": 1}}


def find_pair(fixture):
    return fixture.stage, frozenset((fixture.red, fixture.blue)), fixture.pair


class Jobs:
    """Workers that take games from a dispatcher and finish, void or postpone them in a random order."""

    def __init__(self, dispatcher, jobs, chance):
        self._dispatcher = dispatcher
        self._jobs = jobs
        self._chance = chance
        self.in_progress = []
        self.order = []
        self.given_up = []

    def take_all(self):
        while len(self.in_progress) < self._jobs and (taken := self._dispatcher.take()) is not None:
            fixture = taken.fixture if isinstance(taken, Walkover) else taken
            self.in_progress.append(fixture)
            self.order.append(fixture)

    @property
    def is_idle(self):
        return len(self.in_progress) < self._jobs

    def end_one(self, share_voided=0.0):
        fixture = self.in_progress.pop(self._chance.randrange(len(self.in_progress)))
        if self._chance.random() < share_voided:
            self.given_up.append(fixture)
            self._chance.choice((self._dispatcher.void, self._dispatcher.postpone))(fixture)
        else:
            self._dispatcher.add(finish_by_id(fixture))


def begin(form, size, games):
    return make_schedule(form, BOTS[:size], games, **SETTINGS.get(form, {}))


@settings(max_examples=10)
@given(
    st.tuples(st.sampled_from(ROUND_FORMATS), st.integers(3, 7), st.sampled_from((2, 4, 6))),
    st.integers(1, 8),
    st.sampled_from((0.0, 0.0, 0.2)),
    st.randoms(use_true_random=False),
)
def test_games_of_a_pair_are_played_one_after_the_other(schedule, count, share_voided, chance):
    schedule = begin(*schedule)
    dispatcher = Dispatcher(schedule, pairs_apart=True)
    jobs = Jobs(dispatcher, count, chance)
    while True:
        jobs.take_all()
        pairs = [find_pair(fixture) for fixture in jobs.in_progress]
        assert len(pairs) == len(set(pairs))
        if jobs.is_idle:  # then each game that is left waits for the other one of its pair
            done = {fixture.id for fixture in [*jobs.order, *dispatcher.held]}
            assert all(find_pair(one) in pairs for one in schedule.fixtures if one.id not in done)
        if not jobs.in_progress:
            break
        jobs.end_one(share_voided)
    assert len(jobs.order) == len({fixture.id for fixture in jobs.order})
    assert schedule.finished == (not jobs.given_up)


@pytest.mark.parametrize("form", ROUND_FORMATS)
def test_one_job_plays_in_the_order_of_the_schedule(form):
    orders = []
    for apart in (False, True):
        jobs = Jobs(Dispatcher(begin(form, 6, 4), pairs_apart=apart), 1, random.Random(1))
        jobs.take_all()
        while jobs.in_progress:
            jobs.end_one()
            jobs.take_all()
        orders.append(jobs.order)
    assert orders[0] == orders[1]


def test_a_held_back_game_comes_first_as_soon_as_it_may():
    schedule = begin("round-robin", 4, 2)
    first, second, third, *_ = schedule.fixtures
    dispatcher = Dispatcher(schedule, pairs_apart=True)
    assert [dispatcher.take(), dispatcher.take()] == [first, third]
    dispatcher.add(finish_by_id(first))
    assert dispatcher.take() == second


def test_other_games_are_not_held_back():
    schedule = begin("round-robin", 4, 2)
    first, second, *_ = schedule.fixtures
    dispatcher = Dispatcher(schedule)
    assert [dispatcher.take(), dispatcher.take()] == [first, second]


def test_a_voided_or_postponed_game_releases_the_other():
    for end in (Dispatcher.void, Dispatcher.postpone):
        schedule = begin("round-robin", 2, 2)
        first, second = schedule.fixtures
        dispatcher = Dispatcher(schedule, pairs_apart=True)
        assert (dispatcher.take(), dispatcher.take()) == (first, None)
        end(dispatcher, first)
        assert second in (dispatcher.take(), *dispatcher.held)


@pytest.mark.parametrize(
    ("file", "revealing"),
    [("cards.toml", True), ("duplicate.toml", True), ("demo.toml", False), ("knockout.toml", False)],
)
def test_games_reveal_each_other_by_decks_and_by_deployments_from_a_book(file, revealing):
    tournament = load_tournament(EXAMPLES / file)
    assert tournament.has_revealing_pairs is revealing


def test_real_games_of_a_pair_do_not_overlap():
    """Two jobs play two pairs between two bots."""
    names = ("one", "two")
    entries = [BotConfig(name=name) for name in names]
    file = TournamentFile(name="pair", rules="card-game", games=4, time=AMPLE, bots=entries)
    programs = tuple(replace(bot("guesses_the_seed", *names, "-"), name=name) for name in names)
    tournament = replace(resolve_names(file), programs=programs)
    key = new_manifest(tournament, "process").key
    dispatcher = Dispatcher(tournament.schedule(key), pairs_apart=tournament.has_revealing_pairs)
    in_progress = set()
    most = []

    def follow(event):
        if isinstance(event, Began):
            in_progress.add(event.fixture)
            assert len({find_pair(fixture) for fixture in in_progress}) == len(in_progress)
            most.append(len(in_progress))
        elif isinstance(event, Finished):
            in_progress.difference_update([one for one in in_progress if one.id == event.game.id])

    trio.run(Arena(tournament, key, LocalExecutor(ProcessIsolation(), 2)).play, dispatcher, follow)
    assert len(most) == 4
    assert max(most) == 2

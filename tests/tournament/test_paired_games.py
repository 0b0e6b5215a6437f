"""Pairs of games that one machine plays: they are handed over together, and again if one of them was voided."""

from contextlib import asynccontextmanager
from types import MappingProxyType

import pytest
import trio
from tournament.stored_games import attempt
from tournament.test_audits import played

from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Void
from arbiter.tournament.fixture import make_fixture

# Outcomes of each call, and the games that each call is given; the games are 1 and 2 of a pair, and 3 has no pair.
CALLS = {
    "both are played": (["pp", "p"], ["12", "3"], "123", ""),
    "the first is voided": (["e-", "pp", "p"], ["12", "12", "3"], "123", ""),
    "the second is voided": (["pe", "p", "p"], ["12", "2", "3"], "123", ""),
    "one is voided three times": (["e-", "e-", "e-", "p", "p"], ["12", "12", "12", "2", "3"], "23", "1"),
    "the worker is lost too often": (["l-", "p", "p"], ["12", "2", "3"], "23", "1"),
}


class Source:
    """Source of three games: a pair, and a game of other bots."""

    def __init__(self):
        self._waiting = [make_fixture("three", "four", 1, 1), make_fixture("two", "one", 1, 1)]
        self._waiting.append(make_fixture("one", "two", 1, 1))
        self.ids = [one.id for one in reversed(self._waiting)]

    def take(self):
        return self._waiting.pop() if self._waiting else None

    def add(self, _game):
        pass


class PairPlayer:
    """An executor that plays pairs, with outcomes that are known before."""

    isolation = "process"
    capacity = 1
    plays_pairs = True
    restarts = MappingProxyType({})

    def __init__(self, outcomes):
        self._outcomes = [*outcomes]
        self.calls = []

    @asynccontextmanager
    async def open(self, _changed, _fail):
        yield

    async def try_games(self, tasks):
        await trio.lowlevel.checkpoint()
        self.calls.append([task.fixture.id for task in tasks])
        words = {"p": lambda _: played(), "e": self._void("error"), "l": self._void("lost"), "-": lambda _: None}
        return [words[letter](task) for letter, task in zip(self._outcomes.pop(0), tasks, strict=True)]

    @staticmethod
    def _void(reason):
        return lambda task: Void(task.fixture, attempt(task.fixture.id, reason))


@pytest.mark.parametrize(("outcomes", "calls", "stored", "voided"), CALLS.values(), ids=CALLS)
def test_a_pair_is_played_until_each_game_has_an_outcome(outcomes, calls, stored, voided):
    bots = [BotConfig(name=name) for name in ("one", "two", "three", "four")]
    executor, source, kept = PairPlayer(outcomes), Source(), []
    arena = Arena(resolve_names(TournamentFile(name="pair", bots=bots)), 17, executor, kept.extend)
    trio.run(arena.play, Dispatcher(source))
    numbers = {id_: str(number) for number, id_ in enumerate(source.ids, 1)}
    # The third game may be played at the same time as the pair.
    assert sorted("".join(numbers[id_] for id_ in call) for call in executor.calls) == sorted(calls)
    assert sorted(numbers[new.game.id] for new in kept) == sorted(stored)
    assert [numbers[void.attempt.id] for void in arena.voids] == [*voided]

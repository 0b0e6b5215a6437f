"""Games in which the arbiter stood still: noted, played again, kept only when one comes to its end."""

import time

import trio
from msgspec.structs import replace
from referee.rig import bot

from arbiter.clock import TimeSettings
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import Draws, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Finished
from arbiter.tournament.fixture import make_fixture
from protocol.words import SEATS

SLEEPY = TournamentFile(
    name="stalls",
    time=TimeSettings(move_s=0.3, margin_ms=50),
    draws=Draws(no_attack_plies=0, max_plies=60),
    bots=[BotEntry(name="one"), BotEntry(name="two")],
)


class One:
    """One game to play, and no more."""

    def __init__(self):
        self._waiting = [make_fixture("one", "two", 1, 1)]

    def take(self):
        return self._waiting.pop() if self._waiting else None

    def add(self, game):
        pass


def played(*, until):
    """Play a game of bots that think 0.03 s, and block the loop again and again until the arena has so many stalls."""
    kept, told = [], []
    programs = [replace(bot("thinks", "0.03"), name=entry.name) for entry in SLEEPY.bots]
    arena = Arena(
        replace(resolve_names(SLEEPY), programs=programs), 17, ProcessIsolation(), lambda game, *_: kept.append(game.id)
    )

    async def block():
        while len(arena.stalls) < until:
            await trio.sleep(0.5)
            time.sleep(0.6)  # noqa: ASYNC251 - this is the point

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(block)
            await arena.play(
                Dispatcher(One()),
                1,
                lambda event: told.append(event.game.ending) if isinstance(event, Finished) else None,
            )
            nursery.cancel_scope.cancel()

    trio.run(main)
    return arena, kept, told


def test_a_game_that_was_void_is_played_again_and_noted():
    arena, kept, told = played(until=1)
    assert (len(kept), told) == (1, ["ply_limit"])
    assert arena.voids == []
    assert {stall.fixture.id for stall in arena.stalls} == set(kept)
    assert "the arbiter stalled for" in arena.stalls[0].trace


def test_a_game_that_is_void_three_times_is_not_kept():
    arena, kept, told = played(until=99)
    assert kept == told == []
    assert len(arena.stalls) == 3
    assert [void.stalled for void in arena.voids] == [True]
    assert all(len(arena.voids[0].log.wire[seat].lines) > 5 for seat in SEATS)

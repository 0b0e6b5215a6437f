"""The arena: points of played games, and games in which the arbiter stalls."""

import time

import trio
from msgspec.structs import replace
from referee.real_games import AMPLE, bot

from arbiter.clock import TimeSettings
from arbiter.record import read_record
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import Draws, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Finished
from arbiter.tournament.fixture import make_fixture
from protocol.words import SEATS


class OneFixture:
    """Source of one fixture."""

    def __init__(self, red, blue):
        self._waiting = [make_fixture(red, blue, 1, 1)]

    def take(self):
        return self._waiting.pop() if self._waiting else None

    def add(self, game):
        pass


def test_the_stored_game_and_its_record_have_the_points():
    file = TournamentFile(name="pair", time=AMPLE, points="ucc", bots=[BotEntry(name="crashes"), BotEntry(name="base")])
    programs = tuple(replace(bot(name), name=name) for name in file.bot_names)
    tournament = replace(resolve_names(file), programs=programs)
    kept = []
    arena = Arena(tournament, 17, ProcessIsolation(), lambda *stored: kept.append(stored))
    trio.run(arena.play, Dispatcher(OneFixture("crashes", "base")), 1)
    ((game, record, _),) = kept
    assert (game.winner, game.ending) == ("blue", "crash")
    assert (game.red_points, game.blue_points) == (-1, 3)
    assert read_record(record).result.points == {"red": -1, "blue": 3}


def play_with_stalls(count):
    """Play a game of bots that think 0.03 s, and block the event loop until the arena has noted so many stalls.

    Return the arena, the ids of the stored games, and the endings in the `Finished` events.
    """
    file = TournamentFile(
        name="stalls",
        time=TimeSettings(move_s=0.3, margin_ms=50),
        draws=Draws(no_attack_plies=0, max_plies=60),
        bots=[BotEntry(name="one"), BotEntry(name="two")],
    )
    programs = tuple(replace(bot("thinks", "0.03"), name=name) for name in file.bot_names)
    kept = []
    endings = []
    arena = Arena(
        replace(resolve_names(file), programs=programs),
        17,
        ProcessIsolation(),
        lambda game, *_: kept.append(game.id),
    )

    async def block():
        while len(arena.stalls) < count:
            await trio.sleep(0.5)
            time.sleep(0.6)  # noqa: ASYNC251 - this is the point

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(block)
            await arena.play(
                Dispatcher(OneFixture("one", "two")),
                1,
                lambda event: endings.append(event.game.ending) if isinstance(event, Finished) else None,
            )
            nursery.cancel_scope.cancel()

    trio.run(main)
    return arena, kept, endings


def test_a_voided_game_is_played_again_and_noted():
    arena, kept, endings = play_with_stalls(1)
    assert (len(kept), endings) == (1, ["ply_limit"])
    assert arena.voids == []
    assert {stall.fixture.id for stall in arena.stalls} == set(kept)
    assert "the arbiter stalled for" in arena.stalls[0].trace


def test_a_game_voided_three_times_is_not_stored():
    arena, kept, endings = play_with_stalls(99)
    assert kept == endings == []
    assert len(arena.stalls) == 3
    assert [void.stalled for void in arena.voids] == [True]
    assert all(len(arena.voids[0].log.wire[seat].lines) > 5 for seat in SEATS)

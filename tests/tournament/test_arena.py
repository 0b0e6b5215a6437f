"""What the arena adds to the games that the referee plays."""

import trio
from msgspec.structs import replace
from referee.rig import AMPLE, bot

from arbiter.record import read_record
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.fixture import make_fixture

PAIR = TournamentFile(name="pair", time=AMPLE, points="ucc", bots=[BotEntry(name="crashes"), BotEntry(name="base")])


class OneGame:
    """A source of one fixture."""

    def __init__(self):
        self._waiting = [make_fixture("crashes", "base", 1, 1)]

    def take(self):
        return self._waiting.pop() if self._waiting else None

    def add(self, game):
        pass


def test_the_game_and_its_record_hold_the_points():
    kept = []
    programs = [replace(bot(entry.name), name=entry.name) for entry in PAIR.bots]
    arena = Arena(
        replace(resolve_names(PAIR), programs=programs), 17, ProcessIsolation(), lambda *stored: kept.append(stored)
    )
    trio.run(arena.play, Dispatcher(OneGame()), 1, lambda _: None)
    ((game, record, _),) = kept
    assert (game.winner, game.ending) == ("blue", "crash")
    assert (game.red_points, game.blue_points) == (-1, 3)
    assert read_record(record).result.points == {"red": -1, "blue": 3}

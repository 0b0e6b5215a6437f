"""Games between bots in memory, on a clock that jumps from one event to the next."""

import runpy
import sys
from contextlib import suppress
from importlib import import_module

import pytest
import trio
from referee.fake_bots import SILENT, Brain, FakeBot
from referee.real_games import BOTS, bot, make_spec
from trio.testing import MockClock

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides
from arbiter.record import read_record
from arbiter.referee.log import GameLogWriter
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.session import GameSession
from arbiter.referee.timer import LagMonitor, MoveTimer, lag_monitor
from protocol.words import SEATS

TIME = TimeSettings(start_s=5, setup_s=20, bank_s=10, increment_s=0, margin_ms=50)


class ProgramBrain:
    """A program of tests/bots in this process, if it only reads and writes lines."""

    def __init__(self, name, *words):
        self.words = [name, *words]
        self.written = []
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(BOTS)
            patch.setattr(sys, "argv", self.words)
            patch.setattr(import_module("base").Bot, "run", lambda program: setattr(self, "bot", program))
            runpy.run_path(str(BOTS / f"{name}.py"), run_name="__main__")
        self.bot.write = self.written.append

    def __call__(self, message):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", self.words)
            with suppress(SystemExit):
                self.bot.receive(message)
        lines, self.written[:] = b"".join(self.written), []
        return lines.removesuffix(b"\n") if lines else SILENT


def play_brains(red=None, blue=None, **options):
    """Play a game between two brains."""
    bots = {seat: FakeBot(brain or Brain(seat)) for seat, brain in zip(SEATS, (red, blue), strict=True)}
    return play_bots(bots, **options)


def play_bots(bots, *, plies=12, clock=None, with_lag_monitor=False, excuse=None, **options):
    """Play a game between two bots in memory."""
    spec = make_spec(bot(), bot(), **{"overrides": Overrides(no_attack_plies=plies), "time": TIME, "seed": 1} | options)

    async def play():
        timer = MoveTimer(spec.settings.time, lag_monitor() if with_lag_monitor else LagMonitor())
        log = GameLogWriter()
        players = {
            seat: SeatedPlayer(seat, fake, timer, log.bot_logs[seat], excuse=excuse) for seat, fake in bots.items()
        }
        session = GameSession(spec.settings, players, spec.header)
        begun = trio.current_time()
        result = await session.play()
        excused = {seat: player.excused_answers for seat, player in players.items()}
        return GameInMemory(session.record.finish(result), trio.current_time() - begun, bots, log.log().wire, excused)

    return trio.run(play, clock=clock or MockClock(autojump_threshold=0))


class GameInMemory:
    """A game that was played in memory."""

    def __init__(self, record, seconds, bots, wire, excused):
        self.data = record
        self.record = read_record(record)
        self.acts = self.record.acts
        self.result = self.record.result
        self.outcome = (self.result.ending, self.result.winner)
        self.seconds = seconds
        self.bots = bots
        self.wire = wire
        self.excused = excused

    def clocks(self, seat):
        """Return the clock in each question of the turns."""
        questions = [message for message in self.bots[seat].received() if message["type"] == "ask"]
        return [question["clock"] for question in questions if question["phase"] == "turn"]

    def over(self, seat):
        """Return the message with the result that a seat was sent."""
        return next(message for message in self.bots[seat].received() if message["type"] == "over")

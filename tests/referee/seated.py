"""Games between bots in memory, on a clock that jumps from one thing that happens to the next."""

import trio
from msgspec.structs import replace
from referee.fakes import Brain, FakeBot
from referee.rig import bot, game_of, order
from trio.testing import MockClock

from arbiter.clock import TimeSettings
from arbiter.record import read_record
from arbiter.referee.lag import LagMonitor, lag_monitor
from arbiter.referee.log import GameLogWriter
from arbiter.referee.player import Player
from arbiter.referee.session import GameSession, GameSettings
from arbiter.referee.timer import MoveTimer
from protocol.words import SEATS

TIME = TimeSettings(start_s=5, setup_s=20, bank_s=10, increment_s=0, margin_ms=50)


def sit(red=None, blue=None, *, time=TIME, plies=12, tries=0, rules="original"):
    """Let two brains play; return the sitting, its verdict and how many seconds it took."""
    bots = {seat: FakeBot(brain or Brain(seat)) for seat, brain in zip(SEATS, (red, blue), strict=True)}
    return sit_with(bots, time=time, plies=plies, tries=tries, rules=rules)


def sit_with(bots, *, time=TIME, plies=12, tries=0, rules="original", clock=None, beating=False):
    header = order(bot(), bot()).header
    terms = GameSettings(name="g", game=game_of(rules, no_attack_plies=plies), seed=1, time=time, tries=tries)

    async def play():
        watch = MoveTimer(time, lag_monitor() if beating else LagMonitor())
        tape = GameLogWriter()
        players = {seat: Player(seat, fake, watch, tape.bot_logs[seat]) for seat, fake in bots.items()}
        sitting = GameSession(terms, players, replace(header, time=time))
        begun = trio.current_time()
        verdict = await sitting.play()
        return Seated(sitting, verdict, trio.current_time() - begun, bots, tape.log().wire)

    return trio.run(play, clock=clock or MockClock(autojump_threshold=0))


class Seated:
    """A game that was played in memory."""

    def __init__(self, sitting, verdict, seconds, bots, wire):
        self.verdict = verdict
        self.lost = (verdict.ending, verdict.winner)
        self.seconds = seconds
        self.bots = bots
        self.wire = wire
        self.acts = read_record(sitting.record.finish(verdict)).acts

    def clocks(self, seat):
        """Return the clock of each question of the turns."""
        return [said["clock"] for said in self.bots[seat].heard() if said["type"] == "ask" and said["phase"] == "turn"]

    def over(self, seat):
        """Return how a seat was told that the game ended."""
        return next(said for said in self.bots[seat].heard() if said["type"] == "over")

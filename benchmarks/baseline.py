"""The baseline of referee.py: a bare trio loop that passes the same lines between two bots and does nothing else.

Low-level reads, a deadline for every answer, msgspec both ways; no rules, no record, no supervision.
"""

import os
import subprocess
from pathlib import Path

import msgspec
import trio

from arbiter.clock import TimeSettings, time_control
from arbiter.games.catalogue import find_game
from protocol.messages import Act, AnyBotMessage, Ask, Bye, ClockState, Hello, Start
from protocol.words import OPPONENT, SEATS, Moved, Seat

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(AnyBotMessage).decode


class Bot:
    """A process with non-blocking pipes."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.stdin = self.process.stdin.fileno()
        self.stdout = self.process.stdout.fileno()
        os.set_blocking(self.stdin, False)
        os.set_blocking(self.stdout, False)

    def send(self, message: object) -> None:
        """Write a message that fits into the pipe."""
        os.write(self.stdin, _encode(message) + b"\n")

    async def ask(self, message: object) -> Act:
        """Write a question and wait at most ten seconds for the answer."""
        self.send(message)
        buffer = b""
        with trio.fail_after(10):
            while not buffer.endswith(b"\n"):
                try:
                    buffer += os.read(self.stdout, 65536)
                except BlockingIOError:
                    await trio.lowlevel.wait_readable(self.stdout)
        return _decode(buffer)


async def play(program: Path, plies: int) -> None:
    """Pass the lines of one game with this number of plies."""
    bots = {seat: Bot(program) for seat in SEATS}
    rules = find_game("original").describe("red")
    clock = ClockState(60000.0, 60000.0, None, 0.1)
    for seat, bot in bots.items():
        await bot.ask(Hello(1, "baseline"))
        bot.send(Start("g", rules, seat, None, 1, time_control(TimeSettings())))
        await bot.ask(Ask(1, "setup", [], clock))
    seat: Seat = "red"
    moves: list[Moved] = []
    for ply in range(plies):
        act = await bots[seat].ask(Ask(2 + ply // 2, "turn", moves[-2:], clock))
        moves = [*moves[-1:], Moved(seat, act.action.src, act.action.dst)]
        seat = OPPONENT[seat]
    for bot in bots.values():
        bot.send(Bye())
        bot.process.wait()
        bot.process.stdin.close()
        bot.process.stdout.close()

"""The baselines of series.py: two kit bots play the games of a tournament without an arbiter.

The bots know nothing of each other, but nothing is timed, recorded, checked or isolated: a loop applies the rules and
passes the lines.  Either both bots are in the process of the loop, or each has a process of its own, as with an
arbiter.
"""

import multiprocessing
import os
import subprocess
from collections.abc import Callable
from itertools import islice
from typing import Protocol

from arbiter.games.base import Addressed
from arbiter.games.chance import SeededChance
from arbiter.languages.sentences import write_reason
from arbiter.referee.game import GameSpec
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.execution.executor import GameSpecs
from protocol.bot import new_session
from protocol.codec import decode_bot_line, decode_later_arbiter_line, encode
from protocol.messages import (
    Act,
    AnyArbiterMessage,
    AnyBotMessage,
    Ask,
    Bye,
    ClockState,
    Hello,
    Over,
    Start,
    TimeControl,
)
from protocol.words import SEATS, AnyFact, Seat
from sample_bots.kit_player import choose, deploy

KEY = "0" * 32
TIME = TimeControl(10, 60, 0.1, None, 50)
CLOCK = ClockState(60_000.0, 60_000.0, None, 0.1)


class Bot(Protocol):
    """A bot that has been greeted."""

    def send(self, message: AnyArbiterMessage) -> None:
        """Send a message that has no answer."""
        ...

    def ask(self, message: Ask) -> Act:
        """Ask a question; return the answer."""
        ...

    def end(self) -> None: ...


class BotInLoop:
    """A kit bot in this process; its messages are encoded and decoded as on a pipe."""

    def __init__(self, _program: Program) -> None:
        self._session = new_session(choose, name="kit", deploy=deploy, wants=["legal"])
        self._exchange(Hello(1, "bench"))

    def _exchange(self, message: AnyArbiterMessage) -> AnyBotMessage | None:
        received = decode_later_arbiter_line(encode(message))
        answer = None if received is None else self._session.receive(received)
        return None if answer is None else decode_bot_line(encode(answer))

    def send(self, message: AnyArbiterMessage) -> None:
        self._exchange(message)

    def ask(self, message: Ask) -> Act:
        answer = self._exchange(message)
        assert isinstance(answer, Act)
        return answer

    def end(self) -> None:
        """Do nothing: no process has been started."""


class BotInProcess:
    """A bot in a process of its own; the loop blocks until it answers."""

    def __init__(self, program: Program) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            program.argv, cwd=program.folder, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0
        )
        assert self._process.stdin
        assert self._process.stdout
        self._pipes = (self._process.stdin, self._process.stdout)
        self.send(Hello(1, "bench"))
        self._read()

    def send(self, message: AnyArbiterMessage) -> None:
        os.write(self._pipes[0].fileno(), encode(message))

    def _read(self) -> AnyBotMessage:
        return decode_bot_line(os.read(self._pipes[1].fileno(), 65536)[:-1])

    def ask(self, message: Ask) -> Act:
        self.send(message)
        answer = self._read()
        assert isinstance(answer, Act)
        return answer

    def end(self) -> None:
        """Let the process exit."""
        self.send(Bye())
        self._process.wait()
        for pipe in self._pipes:
            pipe.close()


def play_game(spec: GameSpec, bots: dict[Seat, Bot]) -> int:
    """Play the game of a specification; return the number of plies."""
    settings = spec.settings
    play = settings.game.start(SeededChance(settings.seed))
    news: dict[Seat, list[AnyFact]] = {seat: [] for seat in SEATS}
    asked = dict.fromkeys(SEATS, 0)
    for seat, bot in bots.items():
        bot.send(Start("g", settings.game.describe(play.first), seat, None, settings.bot_seeds[seat], TIME))

    def deliver(facts: tuple[Addressed, ...]) -> None:
        for one in facts:
            for seat in one.to:
                news[seat].append(one.fact)

    deliver(play.opening)
    while play.outcome is None:
        seat = play.to_act[0]
        asked[seat] += 1
        extra = {} if play.phase == "setup" else {"legal": play.legal_actions(seat)}
        answer = bots[seat].ask(Ask(asked[seat], play.phase, news[seat], CLOCK, **extra))
        news[seat] = []
        deliver(play.act(seat, answer.action))
    for seat, bot in bots.items():
        bot.send(Over("g", "draw", play.outcome.ending, write_reason(play.outcome.reason), news[seat]))
    return play.plies


def play_part(tournament: Tournament, new_bot: Callable[[Program], Bot], part: slice) -> int:
    """Play a part of the games one after another; return the number of plies."""
    specs = GameSpecs(tournament, KEY)
    bots = {program.name: new_bot(program) for program in tournament.programs}
    plies = 0
    for fixture in islice(tournament.schedule(KEY).fixtures, part.start, None, part.step):
        plies += play_game(specs.make(fixture), {"red": bots[fixture.red], "blue": bots[fixture.blue]})
    for bot in bots.values():
        bot.end()
    return plies


def play_alone(tournament: Tournament, new_bot: Callable[[Program], Bot], jobs: int = 1) -> int:
    """Play all games, with one process for the loops of each of `jobs` parts; return the number of plies."""
    if jobs == 1:
        return play_part(tournament, new_bot, slice(0, None, 1))
    context = multiprocessing.get_context("fork")  # so that a tournament need not be pickled
    plies = context.SimpleQueue()
    loops = [
        context.Process(target=lambda first=first: plies.put(play_part(tournament, new_bot, slice(first, None, jobs))))
        for first in range(jobs)
    ]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()
    return sum(plies.get() for _ in loops)

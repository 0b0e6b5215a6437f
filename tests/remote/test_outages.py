"""Programs that lose their connections together: what the arbiter's side explains is excused, once, and nothing else."""

import itertools
import json
import socket
import sys
import time
from contextlib import ExitStack

import pytest
import trio
from bots.base import Bot
from cli.command_line import StartedArbiter, call_ok, write_program, write_tournament
from ports import reserve_port
from referee.real_games import BOTS as FOLDER
from referee.real_games import TrackedIsolation, make_spec
from remote.network import connect_words, start_client
from tournament.tournaments import make_table
from trio.testing import MockClock

from arbiter.clock import TimeSettings
from arbiter.record import read_record
from arbiter.referee.fouls import BotKilled
from arbiter.referee.game import play_game
from arbiter.referee.timer import lag_monitor
from arbiter.remote.hub import Hub, NetworkPlayer
from arbiter.remote.link import Alive, AskAlive, Connected, Link, Lost, Measured, Order, Received, Send, Stalled
from arbiter.remote.outages import Outages
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.execution.executor import Excuses
from protocol.envelope import EnvelopeLine, PlayProgress, pack, unpack

TIME = TimeSettings(bank_s=1, increment_s=0)
TRIES = 6
QUESTION = 6
BOTS = ("deep", "hal", "friend")


class Program:
    """A program that answers what it is asked; at its sixth question, `trouble` comes first."""

    def __init__(self, gateway, name):
        self.name = name
        self.trouble = None
        self._gateway = gateway
        self._connected = trio.Event()
        self._player = Bot()
        self._game, self._received, self._written = "", 0, 0

    def connect(self):
        self.number = next(self._gateway.numbers)
        games = [PlayProgress(self._game, self._received)] if self._game else []
        self._gateway.send(Connected(self.name, self.number, games, 10))
        self._gateway.send(Measured(self.name, self.number, 1.0))
        self._connected.set()

    def drop(self):
        self._connected = trio.Event()
        self._gateway.send(Lost(self.name, self.number, self._gateway.now()))

    async def leave(self, seconds):
        """Lose the connection for a time."""
        self.drop()
        await trio.sleep(seconds)
        self.connect()

    def take(self, envelope, line, nursery):
        """Take a line, and answer it."""
        if envelope.game != self._game:
            self._game, self._received, self._written, self._player = envelope.game, 0, 0, Bot()
        if envelope.seq <= self._received:
            return
        self._received = envelope.seq
        message = json.loads(line)
        self._player.seat = message.get("seat", self._player.seat)
        if message["type"] not in ("hello", "ask"):
            return
        answer = self._player.build_ready() if message["type"] == "hello" else self._player.build_act(message)
        nursery.start_soon(self._answer, envelope.game, message, answer)

    async def _answer(self, game, message, answer):
        if message.get("ask") == QUESTION and self.trouble is not None:
            await self.trouble()
        await self._connected.wait()
        if game == self._game:
            self._written += 1
            place = EnvelopeLine(game, self._written, self._received)
            reply = pack(place, json.dumps(answer).encode())
            self._gateway.send(Received(self.name, self.number, reply, self._gateway.now()))


class Gateway:
    """The gateway with its programs, in this trio run."""

    def __init__(self, end):
        self.numbers = itertools.count(1)
        self.programs = {name: Program(self, name) for name in BOTS}
        self.works = trio.Event()
        self.works.set()
        self._link = Link(end, Order)
        self._shift_s = trio.current_time() - time.perf_counter()
        self.send = self._link.send

    def now(self):
        return trio.current_time() - self._shift_s

    async def run(self):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._link.carry)
            for program in self.programs.values():
                program.connect()
            while (order := await self._link.receive()) is not None:
                await self.works.wait()
                if isinstance(order, AskAlive):
                    self.send(Alive(order.number))
                elif isinstance(order, Send):
                    envelope, line = unpack(order.message)
                    named = {program.number: program for program in self.programs.values()}
                    if isinstance(envelope, EnvelopeLine) and order.connection in named:
                        named[order.connection].take(envelope, line, nursery)


def play(authors, trouble):
    """Play games of deep against hal; `trouble(gateway)` comes at the sixth question to deep.  Return their ends."""

    async def main(near, far):
        gateway, hub, excuses, ends = Gateway(far), Hub(near, authors=authors), Excuses(), []
        hub.on_stall = lag_monitor().note_stall
        gateway.programs["deep"].trouble = lambda: trouble(gateway)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hub.run, lambda: None)
            nursery.start_soon(gateway.run)
            for number in range(TRIES):
                while not all(map(hub.is_connected, BOTS)):  # noqa: ASYNC110 - the gateway changes it
                    await trio.sleep(0.5)
                spec = make_spec(NetworkPlayer("deep", hub), NetworkPlayer("hal", hub), time=TIME)

                def excuse(seat, evidence, game=f"g{number}"):
                    return excuses.use(game, {"red": "deep", "blue": "hal"}[seat], evidence)

                try:
                    played = await play_game(spec, TrackedIsolation(), excuse=excuse)
                    ends.append(read_record(played.record).result.ending)
                except BotKilled as killed:
                    ends.append(f"{killed.evidence} {killed.seat}")
            nursery.cancel_scope.cancel()
        return ends

    near, far = socket.socketpair()
    with near, far:
        return trio.run(main, near, far, clock=MockClock(autojump_threshold=0))


def leave(late_s=0.0, stall_s=0.0, **seconds):
    """Return the trouble that programs lose their connections for some seconds; deep then thinks for `late_s`."""

    async def trouble(gateway):
        if stall_s:
            begun, gateway.works = gateway.now(), trio.Event()
            await trio.sleep(stall_s)
            gateway.send(Stalled(begun, gateway.now()))
            gateway.works.set()
        async with trio.open_nursery() as nursery:
            for name, away_s in seconds.items():
                nursery.start_soon(gateway.programs[name].leave, away_s)
        await trio.sleep(late_s)

    return trouble


ONE, TWO = {"deep": "ada", "friend": "ada"}, {"deep": "ada", "friend": "bob"}
PLAYED, VOIDED = "no_attack_limit", "lost_connections red"
TROUBLES = {
    "an accomplice of the same author": (ONE, leave(deep=2, friend=2), "lost_connection"),
    "an accomplice of another author": (TWO, leave(deep=2, friend=2), "lost_connection"),
    "the accomplice is back": (TWO, leave(deep=2, friend=0.5), "lost_connection"),
    "alone": ({}, leave(deep=2), "lost_connection"),
    "in a stall that no program notices": ({}, leave(deep=20, stall_s=2), "lost_connection"),
    "of one author, back without an answer": (ONE, leave(deep=0.5, friend=0.5, late_s=2), "timeout"),
    "the accomplice is not back": (TWO, leave(deep=0.5, friend=2, late_s=2), "timeout"),
    "the server is cut, and all are back in time": ({}, leave(deep=0.5, hal=0.5, friend=0.5), PLAYED),
}
EXCUSED = {
    "two authors, back without an answer": (TWO, leave(deep=0.5, friend=0.5, late_s=2), "timeout"),
    "the server is cut, and it is too late to answer": ({}, leave(deep=0.5, hal=0.5, friend=0.5, late_s=1), "timeout"),
    "the gateway stalls for long": ({}, leave(deep=20, stall_s=12), "lost_connection"),
}


@pytest.mark.parametrize(("authors", "trouble", "ending"), TROUBLES.values(), ids=TROUBLES)
def test_no_game_is_voided_for_programs_that_stay_away(authors, trouble, ending):
    assert play(authors, trouble) == [ending] * TRIES


@pytest.mark.parametrize(("authors", "trouble", "ending"), EXCUSED.values(), ids=EXCUSED)
def test_what_the_arbiters_side_explains_is_excused_once(authors, trouble, ending):
    assert play(authors, trouble) == [VOIDED, *[ending] * (TRIES - 1)]


def test_a_program_that_connects_all_the_time_does_not_hide_that_the_server_was_cut():
    outages = Outages({})
    for name in BOTS:
        outages.note_loss(name, 10)
        outages.note_return(name, 11)
    for number in range(2000):
        outages.note_loss("friend", 20 + number / 100)
        outages.note_return("friend", 20 + number / 100)
    assert outages.explain("deep", 9, BOTS)
    assert not outages.explain("deep", 12, BOTS)


def test_programs_of_one_author_and_versions_of_one_program_count_once():
    bots = [
        BotConfig(name="deep", kind="remote", author="Ada"),
        BotConfig(name="friend", kind="remote", author="ada"),
        BotConfig(name="deep-2", kind="remote", parent="deep"),
        BotConfig(name="hal", kind="remote"),
        BotConfig(name="hal-2", kind="remote", parent="hal"),
    ]
    file = make_table(TournamentFile, name="club", format="ladder", bots=bots)
    assert file.authors == {"deep": "ada", "friend": "ada", "deep-2": "ada", "hal": "hal", "hal-2": "hal"}


DROPS = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from base import Bot

class Drops(Bot):
    def choose_action(self, ask):
        if ask["ask"] == 6:
            for client in (int(sys.argv[2]), os.getppid()):
                os.kill(client, signal.SIGKILL)
            sys.exit()
        return super().choose_action(ask)

Drops().run()
"""


@pytest.mark.heavy  # it waits for the end of the thinking time
def test_a_program_that_leaves_with_an_accomplice_loses_in_a_run(tmp_path):
    """Two authors end their clients together, at the sixth question to one of them, and do not come back."""
    bots = [
        {"name": "honest", "command": connect_words("base")},
        {"name": "deep", "kind": "remote", "author": "Ada"},
        {"name": "friend", "kind": "remote", "author": "Bob"},
    ]
    settings = {"format": "gauntlet", "challengers": ["honest"], "rules": "original"}
    file = write_tournament(tmp_path, bots=bots, time={"start_s": 60, "setup_s": 60, "bank_s": 3}, **settings)
    program = write_program(tmp_path / "drops.py", DROPS)
    with ExitStack() as stack:
        port = stack.enter_context(reserve_port())
        address = f"ws://127.0.0.1:{port}/"
        invited = [call_ok("invite", file, name, "--address", address).split() for name in ("deep", "friend")]
        deep, friend = (word for words in invited for word in words if word.startswith(address))
        running = stack.enter_context(StartedArbiter("run", file, "--gateway", port, "--jobs", "2", "--events", "-"))
        accomplice = stack.enter_context(start_client(friend, connect_words("never_ready"), "--games", "1"))
        stack.enter_context(start_client(deep, [sys.executable, str(program), str(FOLDER), str(accomplice.pid)]))
        running.read_until('"plies"')
        ended = json.loads(running.lines[-1])
    assert (ended["event"], ended["ending"], ended[ended["winner"]]) == ("finished", "lost_connection", "honest")

"""Games of bots in this process or over a pipe, without a referee's processes, clocks and records."""

import subprocess
import threading
from contextlib import contextmanager

import msgspec

from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import SeededChance, derive_seed
from arbiter.games.ruleset import Overrides
from arbiter.languages.sentences import write_reason
from protocol.bot import Game, new_session
from protocol.codec import decode_bot_line, encode
from protocol.dialogue import Dialogue
from protocol.messages import Ask, Bye, ClockState, Hello, Over, Start, TimeControl
from protocol.view import new_knowledge
from protocol.words import OPPONENT, RED, SEATS
from sample_bots.random_player import choose

NAMES = [ruleset.name for ruleset in RULE_SETS]
BOARD_GAMES = [name for name in NAMES if find_game(name).describe(RED).board is not msgspec.UNSET]
CARD_GAMES = [name for name in NAMES if name not in BOARD_GAMES]
TIME = TimeControl(10, 10, 0, None, 50)
CLOCK = ClockState(10_000, 10_000, None, 0)
LIMIT_S = 300
"""Limit for all games of a started program."""


class BotConnection:
    """One bot in these games; checks that the conversation follows the protocol."""

    def __init__(self, receive):
        self._receive = receive
        self._dialogue = Dialogue()
        self._wants = self.send(Hello(1, "test")).wants

    def send(self, message):
        self._dialogue.note_sent(message)
        answer = self._receive(message)
        if answer is not None:
            self._dialogue.note_received(answer)
        return answer

    def start_game(self, seat, game, play, seed):
        rules = game.describe(play.first)
        self._seat = seat
        self._asked = 0
        self._news = []
        self.knowledge = new_knowledge(rules, seat)
        self.send(Start("g", rules, seat, None, derive_seed(seed, seat), TIME))

    def add_fact(self, fact):
        self.knowledge.note_fact(fact)
        self._news.append(fact)

    def ask(self, play):
        self._asked += 1
        extras = {}
        if "legal" in self._wants and play.phase != "setup":
            extras["legal"] = play.legal_actions(self._seat)
        if "view" in self._wants:
            extras["view"] = msgspec.Raw(msgspec.json.encode(self.knowledge.view()))
        news, self._news = self._news, []
        return self.send(Ask(self._asked, play.phase, news, CLOCK, **extras)).action

    def accept(self, action):
        self.knowledge.note_action(action)

    def end_game(self, outcome):
        self.send(Over("g", "draw", outcome.ending, write_reason(outcome.reason), self._news))


def play_game(name, bots, seed, max_plies=4000, options=(), *, note=None):
    """Play a game to its end between the bots of both seats; an illegal action raises.

    `note` is called with the seat, the action and the facts of each act.
    """
    game = find_game(name, options, overrides=Overrides(max_plies=max_plies))
    play = game.start(SeededChance(seed))
    for seat, bot in bots.items():
        bot.start_game(seat, game, play, seed)
    deliver(play.opening, bots)
    while play.outcome is None:
        seat = play.to_act[0]
        action = bots[seat].ask(play)
        addressed = play.act(seat, action)
        bots[seat].accept(action)
        deliver(addressed, bots)
        if note is not None:
            note(seat, action, addressed)
    for bot in bots.values():
        bot.end_game(play.outcome)
    return play.outcome


def new_game(name="original", seat=RED, seed=1):
    """Return the game that a player receives, in an unchanged rule set."""
    return Game(Start("g", find_game(name).describe(RED), seat, None, seed, TIME))


def deliver(addressed, bots):
    for one in addressed:
        for seat in one.to:
            bots[seat].add_fact(one.fact)


def connect_in_process(bot, name):
    return BotConnection(new_session(bot, name=name, wants=["legal"]).receive)


@contextmanager
def start_program(command):
    """Start a program with pipes; it is killed at the end of the block, at the latest after LIMIT_S."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        timer = threading.Timer(LIMIT_S, process.kill)
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            process.kill()


def connect_by_pipe(process):
    def receive(message):
        process.stdin.write(encode(message))
        process.stdin.flush()
        return decode_bot_line(process.stdout.readline()) if isinstance(message, Hello | Ask) else None

    return BotConnection(receive)


def play_every_game(command, names=NAMES, max_plies=200):
    """Let a program play games of rule sets against random, alternating the seats; it must exit after `bye`."""
    with start_program(command) as process:
        program = connect_by_pipe(process)
        for number, name in enumerate(names):
            seat = SEATS[number % 2]
            bots = {seat: program, OPPONENT[seat]: connect_in_process(choose, "random")}
            play_game(name, bots, seed=number, max_plies=max_plies)
        program.send(Bye())
        output, errors = process.communicate(timeout=60)
    assert (output, process.returncode) == (b"", 0)
    assert b"Traceback" not in errors, errors.decode()

"""Games of bots in process or over a pipe, without a referee's processes, clocks and records."""

import subprocess

import msgspec

from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import Seeded, derive
from arbiter.games.overrides import Overrides
from protocol.bot import Game, new_session
from protocol.codec import decode_answer, encode
from protocol.dialogue import Dialogue
from protocol.messages import Ask, Bye, ClockState, Hello, Over, Start, TimeControl
from protocol.view import new_knowledge
from protocol.words import OPPONENT, RED, SEATS
from sample_bots.random_player import choose

NAMES = [ruleset.name for ruleset in RULE_SETS]
BOARD_GAMES = [name for name in NAMES if find_game(name).terms(RED).board is not msgspec.UNSET]
CARD_GAMES = [name for name in NAMES if name not in BOARD_GAMES]
TIME = TimeControl(10, 10, 0, None, 50)
CLOCK = ClockState(10_000, 10_000, None, 0)


class Chair:
    """Where a bot sits in these games: asks it in process or over a pipe, and holds it to the dialogue."""

    def __init__(self, receive):
        self._receive = receive
        self._dialogue = Dialogue()
        self._wants = self.say(Hello(1, "test")).wants

    def say(self, message):
        self._dialogue.say(message)
        answer = self._receive(message)
        if answer is not None:
            self._dialogue.hear(answer)
        return answer

    def sit_down(self, seat, game, play, seed):
        terms = game.terms(play.first)
        self._seat, self._asked, self._news = seat, 0, []
        self._fold = new_knowledge(terms, seat)
        self.say(Start("g", terms, seat, None, derive(seed, seat), TIME))

    def hear(self, fact):
        self._fold.hear(fact)
        self._news.append(fact)

    def ask(self, play):
        self._asked += 1
        extras = {}
        if "legal" in self._wants and play.phase != "setup":
            extras["legal"] = play.legal(self._seat)
        if "view" in self._wants:
            extras["view"] = msgspec.Raw(msgspec.json.encode(self._fold.view()))
        news, self._news = self._news, []
        return self.say(Ask(self._asked, play.phase, news, CLOCK, **extras)).action

    def accept(self, action):
        self._fold.did(action)

    def get_up(self, outcome):
        self.say(Over("g", "draw", outcome.ending, outcome.why, self._news))


def play_game(name, chairs, seed, max_plies=4000, options=()):
    """Play a game to its end; an illegal action raises."""
    game = find_game(name, options, overrides=Overrides(max_plies=max_plies))
    play = game.start(Seeded(seed))
    for seat, chair in chairs.items():
        chair.sit_down(seat, game, play, seed)
    tell(chairs, play.opening)
    while play.outcome is None:
        seat = play.to_act[0]
        action = chairs[seat].ask(play)
        told = play.act(seat, action)
        chairs[seat].accept(action)
        tell(chairs, told)
    for chair in chairs.values():
        chair.get_up(play.outcome)
    return play.outcome


def new_game(name="original", seat=RED, seed=1):
    """Make the game that a player is given, of a rule set as it is."""
    return Game(Start("g", find_game(name).terms(RED), seat, None, seed, TIME))


def tell(chairs, told):
    for one in told:
        for hearer in one.to:
            chairs[hearer].hear(one.fact)


def in_process(bot, name):
    return Chair(new_session(bot, name=name, wants=["legal"]).receive)


def over_pipe(process):
    def receive(message):
        process.stdin.write(encode(message))
        process.stdin.flush()
        return decode_answer(process.stdout.readline()) if isinstance(message, Hello | Ask) else None

    return Chair(receive)


def play_every_game(command, names=NAMES, max_plies=200):
    """Let a program play games of rule sets against random, in each seat in turn; it must leave at `bye`."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        chair = over_pipe(process)
        for number, name in enumerate(names):
            seat = SEATS[number % 2]
            chairs = {seat: chair, OPPONENT[seat]: in_process(choose, "random")}
            play_game(name, chairs, seed=number, max_plies=max_plies)
        chair.say(Bye())
        rest, logged = process.communicate(timeout=60)
    assert (rest, process.returncode) == (b"", 0)
    assert b"Traceback" not in logged, logged.decode()

"""Every sample bot plays whole games of every rule set without an illegal action."""

import ast
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import sample_bots
from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import Seeded, derive
from arbiter.games.overrides import Overrides
from protocol.bot import new_session
from protocol.codec import decode_answer, encode
from protocol.dialogue import Dialogue
from protocol.messages import Ask, Bye, ClockState, Hello, Over, Start, TimeControl
from protocol.view import new_fold
from protocol.words import OPPONENT, RED, SEATS
from sample_bots import SAMPLE_BOTS
from sample_bots.cards_player import Cards
from sample_bots.hunter import Hunter
from sample_bots.random_player import choose

FOLDER = Path(sample_bots.__file__).parent
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
        self._fold = new_fold(terms, seat)
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


def play_game(name, chairs, seed, max_plies=4000):
    """Play a game to its end; an illegal action raises."""
    game = find_game(name, overrides=Overrides(max_plies=max_plies))
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


@pytest.mark.parametrize("bot", SAMPLE_BOTS.values(), ids=SAMPLE_BOTS)
def test_a_bot_plays_every_rule_set_and_leaves_at_bye(bot):
    command = [sys.executable, "-I", "-m", bot.module]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        chair = over_pipe(process)
        for number, name in enumerate(NAMES):
            seat = SEATS[number % 2]
            chairs = {seat: chair, OPPONENT[seat]: in_process(choose, "random")}
            play_game(name, chairs, seed=number, max_plies=200)
        chair.say(Bye())
        rest, logged = process.communicate(timeout=20)
    assert (rest, process.returncode) == (b"", 0)
    assert b"Traceback" not in logged


@pytest.mark.parametrize("bot", SAMPLE_BOTS.values(), ids=SAMPLE_BOTS)
def test_a_bot_leaves_at_the_end_of_its_input(bot):
    ended = subprocess.run([sys.executable, "-I", "-m", bot.module], input=b"", capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def wins(bot, name, games):
    """Count the games of so many that a bot wins against random."""
    won = 0
    for seed in range(games):
        seat = SEATS[seed % 2]
        chairs = {seat: in_process(bot, "bot"), OPPONENT[seat]: in_process(choose, "random")}
        won += play_game(name, chairs, seed).winner == seat
    return won


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_hunter_beats_random(name):
    assert wins(Hunter, name, 6) >= 5


@pytest.mark.parametrize("name", CARD_GAMES)
def test_the_card_player_beats_random(name):
    assert wins(Cards, name, 40) >= 36


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_hunter_against_itself_comes_to_a_decision(name):
    for seed in range(2):
        chairs = {seat: in_process(Hunter, "hunter") for seat in SEATS}
        assert play_game(name, chairs, seed).winner is not None


@pytest.mark.parametrize("bot", [Hunter, choose])
def test_the_same_seed_is_the_same_game(bot):
    def ending():
        return play_game("duel", {seat: in_process(bot, "bot") for seat in SEATS}, seed=3)

    assert ending() == ending()


def test_a_copied_template_plays_too(tmp_path):
    copy = tmp_path / "mybot.py"
    copy.write_bytes((FOLDER / "stdlib_player.py").read_bytes())
    with subprocess.Popen([sys.executable, "-I", copy], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        play_game("barrage", {RED: over_pipe(process), "blue": in_process(choose, "random")}, seed=1)
        process.communicate(timeout=20)


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def test_the_template_imports_the_standard_library_only():
    assert set(imported(FOLDER / "stdlib_player.py")) <= sys.stdlib_module_names


def test_no_bot_has_the_name_of_a_standard_module():
    assert {bot.module.split(".")[-1] for bot in SAMPLE_BOTS.values()}.isdisjoint(sys.stdlib_module_names)


def test_every_bot_is_listed_and_described_in_the_readme():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    modules = {f"sample_bots.{path.stem}" for path in FOLDER.glob("*.py")} - {"sample_bots.__init__"}
    assert {bot.module for bot in SAMPLE_BOTS.values()} == modules
    for bot in SAMPLE_BOTS.values():
        assert f"`{bot.name}`" in readme
        assert bot.description

"""The messages to one seat do not depend on what that seat must not know: they are equal byte by byte.

The bots are in memory and the time is simulated, so that even the measured times are equal.
"""

from itertools import combinations

import msgspec
import pytest
import trio
from drawing import letters_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from referee.fake_bots import GONE, SILENT, Brain, FakeBot, deployment
from referee.real_games import bot, make_spec
from trio.testing import MockClock
from twins import ARMIES, make_twins

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.referee.log import GameLogWriter
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.session import GameSession, GameSettings
from arbiter.referee.timer import LagMonitor, MoveTimer
from protocol.words import OPPONENT, SEATS

TIME = TimeSettings(setup_s=5, bank_s=5, increment_s=0, margin_ms=0)
TELLING = ("no_moves", "no_pieces", "both_immobile")  # these count pieces that can move, which was hidden until then
WISHES = [list(words) for count in range(4) for words in combinations(("legal", "view", "news"), count)]
RESIGN = {"type": "resign"}
NOWHERE = {"type": "move", "src": "a1", "dst": "z9"}


class ScriptedBrain(Brain):
    """Plays the given actions, then repeats the last one."""

    def __init__(self, seat, actions, last, wants=(), name="puppet"):
        super().__init__(seat, wants)
        self.actions = list(actions)
        self.last = last
        self.name = name

    def __call__(self, message):
        if message["type"] == "hello":
            return super().__call__(message) | {"name": self.name}
        return super().__call__(message)

    def answer(self, message):
        if self.actions:
            return {"type": "act", "ask": message["ask"], "action": msgspec.to_builtins(self.actions.pop(0))}
        if isinstance(self.last, dict):
            return {"type": "act", "ask": message["ask"], "action": self.last}
        return self.last


def play_and_observe(observer, brains, game, seed, *, tries=0):
    """Let two brains play and return each line that the observer was sent, and how the game ended."""
    bots = {seat: FakeBot(brain) for seat, brain in brains.items()}

    async def play():
        log = GameLogWriter()
        timer = MoveTimer(TIME, LagMonitor())
        players = {seat: SeatedPlayer(seat, fake, timer, log.bot_logs[seat]) for seat, fake in bots.items()}
        settings = GameSettings(name="g", game=game, seed=seed, time=TIME, tries=tries)
        return await GameSession(settings, players, make_spec(bot(), bot()).header).play()

    result = trio.run(play, clock=MockClock(autojump_threshold=0))
    return bots[observer].sent, result


def game_of_twin(pair, which, wants, last):
    """Play one of two games that are equal for the observer, whatever the opponent wants to be sent."""
    acts = pair.acts(which)
    brains = {
        seat: ScriptedBrain(seat, [action for actor, action in acts if actor == seat], last, wants.get(seat, ()))
        for seat in SEATS
    }
    return play_and_observe(pair.observer, brains, pair.game, pair.seed)


LAST = {"resigns": RESIGN, "goes": GONE, "sleeps": SILENT, "illegal": NOWHERE, "nonsense": b"my marshal is on a4"}


@pytest.mark.parametrize("army", ARMIES.values(), ids=ARMIES)
@settings(max_examples=6)
@given(
    seed=st.integers(0, 2**32),
    observer=st.sampled_from(SEATS),
    wishes=st.tuples(st.sampled_from(WISHES), st.sampled_from(WISHES)),
    last=st.sampled_from(sorted(LAST)),
)
@example(seed=241928, observer="red", wishes=([], []), last="goes")  # an exchanged piece is captured and rescued
@example(seed=2381134998, observer="blue", wishes=([], []), last="goes")  # a known piece is rescued
@pytest.mark.slow(keep=5)
def test_an_exchange_of_unseen_pieces_changes_no_byte(army, seed, observer, wishes, last):
    pair = make_twins(seed, observer, **army)
    if pair is None:
        return
    first, ended = game_of_twin(pair, 0, {observer: wishes[0]}, LAST[last])
    second, ended_too = game_of_twin(pair, 1, {observer: wishes[0], OPPONENT[observer]: wishes[1]}, LAST[last])
    if ended.ending in TELLING or ended_too.ending in TELLING:
        shorter = min(len(first), len(second)) - 2
        first, second = first[:shorter], second[:shorter]
    assert first == second


def messages_after(seat, brain, *, tries=0, rules="original"):
    """Return all that the opponent of a misbehaving seat is sent."""
    other = OPPONENT[seat]
    brains = {seat: brain, other: Brain(other, WISHES[-1])}
    lines, result = play_and_observe(other, brains, find_game(rules), 1, tries=tries)
    return lines, result.ending


def move(src, dst):
    return {"type": "move", "src": src, "dst": dst}


ILLEGAL = [move("a4", "b5"), move("a4", "a6"), move("a1", "z9"), move("b4", "c4"), move("a5", "a6"), {"type": "stop"}]
BREACHES = [b"my marshal is on a4", b'{"type":"act","ask":2,"action":{"type":"move","src":"marshal"}}', b"\xff"]
SETUPS = [
    {"type": "deploy", "pieces": {"a1": "marshal"}},
    {"type": "deploy", "pieces": {"z9": "flag"}},
    {"type": "deploy", "pieces": deployment("red")["pieces"] | {"a4": "scout"}},
    {"type": "deploy", "line": ["hand:0"]},
]


@pytest.mark.parametrize(
    ("number", "wrongs", "ending"),
    [
        (1, SETUPS, "illegal_setup"),
        (2, ILLEGAL, "illegal_action"),
        (2, [move("a1", "a2"), move("b1", "b2"), move("c1", "h8")], "immovable_moved"),
        (2, BREACHES, "protocol"),
    ],
)
def test_the_opponent_does_not_see_details_of_a_foul(number, wrongs, ending):
    seen = [messages_after("red", Brain("red", at={number: wrong})) for wrong in wrongs]
    assert [how for _, how in seen] == [ending] * len(wrongs)
    assert all(lines == seen[0][0] for lines, _ in seen)


@pytest.mark.parametrize("rules", ["original-2000", "barrage"])
def test_the_opponent_does_not_see_whether_a_bomb_or_the_flag_was_moved(rules):
    game = find_game(rules)
    army = {"type": "deploy", "pieces": dict(zip(*army_and_squares(game), strict=False))}
    flag = next(place for place, rank in army["pieces"].items() if rank == "flag")
    others = [place for place, rank in army["pieces"].items() if rank not in ("flag", "bomb")]
    seen = []
    for src in (flag, others[0]):
        red = Brain("red", at={1: army, 2: move(src, src)})
        blue = Brain("blue", WISHES[-1], at={1: mirrored(army)})
        lines, result = play_and_observe("blue", {"red": red, "blue": blue}, game, 1)
        seen.append((lines, result.ending))
    assert seen[0] == seen[1]
    assert seen[0][1] == "illegal_action"


def army_and_squares(game):
    rules = game.describe("red")
    return rules.deploy["red"], [rank for rank, count in rules.army.items() for _ in range(count)]


def mirrored(army):
    return army | {"pieces": {f"{place[0]}{11 - int(place[1:])}": rank for place, rank in army["pieces"].items()}}


def test_the_opponent_does_not_see_a_refused_try():
    plain, _ = messages_after("red", Brain("red"), tries=3)
    tried, _ = messages_after("red", Brain("red", at={3: [move("a4", "b5"), move("a4", "a6")]}), tries=3)
    assert plain == tried


def test_the_opponents_name_changes_nothing():
    plain, _ = messages_after("red", Brain("red"))
    named, _ = messages_after("red", ScriptedBrain("red", [], RESIGN, wants=WISHES[-1], name="someone else"))
    assert plain[:4] == named[:4]


@pytest.mark.parametrize("field", [{"note": "my marshal is on a4"}, {"eval": 93.25}])
def test_the_opponent_does_not_see_a_note_or_an_evaluation(field):
    plain, _ = messages_after("red", Brain("red"))
    brain = Brain("red")
    walks = brain.answer
    brain.answer = lambda message: walks(message) | field
    seen, _ = messages_after("red", brain)
    assert plain == seen


POSITION = """
10 .. .. .. .. .. .. .. .. bB bF
 7 .. .. .. .. .. .. .. .. {} {}
 4 r4 r5 .. .. .. .. .. .. .. ..
 1 rF rB .. .. .. .. .. .. .. ..
"""


@pytest.mark.parametrize("wants", WISHES)
def test_a_position_shows_neither_side_the_ranks_of_the_other(wants):
    def play_with(*blues):
        game = find_game("original", position=letters_of(POSITION.format(*blues)))
        red = ScriptedBrain("red", [], {"type": "move", "src": "a4", "dst": "a5"}, wants)
        return play_and_observe("red", {"red": red, "blue": ScriptedBrain("blue", [], RESIGN, ["view"])}, game, 1)

    assert play_with("b5", "b4") == play_with("b4", "b5") == play_with("bM", "b1")


@pytest.mark.parametrize("seat", SEATS)
def test_a_deployment_is_reported_in_board_order(seat):
    backwards = {"type": "deploy", "pieces": dict(reversed(deployment(seat)["pieces"].items()))}
    plain, _ = messages_after(seat, Brain(seat))
    turned, _ = messages_after(seat, Brain(seat, at={1: backwards}))
    assert plain == turned

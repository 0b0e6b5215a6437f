"""Clocks, fouls and the messages to both players, with bots in memory and simulated time."""

import pytest
import trio
from msgspec.structs import replace
from referee.fake_bots import GONE, SILENT, Brain, FakeBot
from referee.games_in_memory import TIME, play_bots, play_brains
from referee.real_games import bot, game_of, make_spec
from trio.testing import MockClock

from arbiter.referee.log import GameLogWriter
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.session import GameSession, GameSettings
from arbiter.referee.timer import LagMonitor, MoveTimer
from protocol.codec import encode
from protocol.words import RED, SEATS

RESIGN = {"type": "resign"}
ILLEGAL = {"type": "move", "src": "a4", "dst": "b5"}


def test_thinking_empties_the_bank_and_then_loses():
    game = play_brains(Brain("red", takes_s={2: 4.0, 3: 4.0, 4: 4.0}))
    assert [clock["red_ms"] for clock in game.clocks("red")] == [10_000, 6_000, 2_000]
    assert [clock["last_ms"] for clock in game.clocks("red")] == [0, 4_000, 4_000]
    assert game.outcome == ("timeout", "blue")
    assert game.seconds == pytest.approx(10.05)


def test_the_opponent_sees_the_clock_but_not_the_last_time():
    game = play_brains(Brain("red", takes_s={2: 4.0}))
    assert [clock["red_ms"] for clock in game.clocks("blue")][:2] == [6_000, 6_000]
    assert [clock["last_ms"] for clock in game.clocks("blue")][:2] == [0, 0]


# question, seconds until its answer, settings of the time, ending
IN_TIME = [
    (2, 10.0, {}, "no_attack_limit"),
    (2, 10.049, {}, "no_attack_limit"),
    (2, 10.051, {}, "timeout"),
    (3, 2.04, {"move_s": 2}, "no_attack_limit"),
    (3, 2.06, {"move_s": 2}, "timeout"),
    (1, 20.04, {}, "no_attack_limit"),  # the setup has an allowance of its own
    (1, 20.06, {}, "timeout"),
]


@pytest.mark.parametrize(("ask", "seconds", "time", "ending"), IN_TIME)
def test_the_margin_is_forgiven_and_no_more(ask, seconds, time, ending):
    game = play_brains(Brain("red", takes_s={ask: seconds}), time=replace(TIME, **time))
    assert game.result.ending == ending
    first = game.clocks("red")[:1]
    assert all((clock["red_ms"], clock["move_ms"]) == (10_000, 2_000 if time else None) for clock in first)


def test_the_margin_does_not_make_the_bank_negative():
    game = play_brains(Brain("red", takes_s={2: 10.04}), time=replace(TIME, increment_s=1))
    assert [clock["red_ms"] for clock in game.clocks("red")][1] == 1_000


def test_an_answer_read_after_the_limit_is_late():
    clock = MockClock(autojump_threshold=0)
    brain = Brain("red")

    def busy(message):
        if message.get("ask") == 2:
            clock.jump(11)  # time passes, but the loop is busy and cancels nothing
            return brain.answer(message)
        return brain(message)

    game = play_bots({"red": FakeBot(busy), "blue": FakeBot(Brain("blue"))}, clock=clock)
    assert game.outcome == ("timeout", "blue")


def test_the_increment_is_credited_when_the_turn_is_over():
    game = play_brains(Brain("red", takes_s={2: 4.0}), time=replace(TIME, increment_s=1))
    assert [clock["red_ms"] for clock in game.clocks("red")][:3] == [10_000, 7_000, 8_000]
    assert [clock["blue_ms"] for clock in game.clocks("red")][:3] == [10_000, 11_000, 12_000]


def test_the_limit_of_a_move_does_not_extend_the_bank():
    game = play_brains(Brain("red", takes_s={2: 1.9, 3: 0.2}), time=replace(TIME, bank_s=2, move_s=2))
    assert game.outcome == ("timeout", "blue")
    assert game.seconds == pytest.approx(2.05)


def test_both_set_up_at_the_same_time():
    game = play_brains(Brain("red", takes_s={1: 15.0}), Brain("blue", takes_s={1: 15.0}))
    assert game.seconds == pytest.approx(15)


@pytest.mark.parametrize("seat", SEATS)
def test_starting_is_off_the_clock_and_has_a_limit(seat):
    shy = FakeBot(lambda _: SILENT)
    slow = FakeBot(lambda message: (4.9, Brain("red")(message)) if message["type"] == "hello" else SILENT)
    other = "blue" if seat == "red" else "red"
    game = play_bots({seat: shy, other: slow})
    assert game.outcome == ("no_start", other)
    assert game.seconds == pytest.approx(5)
    assert [message["type"] for message in slow.received()] == ["hello", "bye"]


def test_reading_the_question_late_is_charged():
    slow = FakeBot(Brain("red"))
    slow.write_takes_s = 4.0
    game = play_bots({"red": slow, "blue": FakeBot(Brain("blue"))}, time=replace(TIME, start_s=30))
    assert [clock["red_ms"] for clock in game.clocks("red")] == [10_000, 6_000, 2_000][: len(game.clocks("red"))]
    assert game.outcome == ("timeout", "blue")


def test_a_refusal_leaves_the_clock_running():
    brain = Brain("red", at={2: [ILLEGAL, ILLEGAL]}, takes_s={2: 3.0})
    game = play_brains(brain, tries=2)
    assert game.result.ending == "no_attack_limit"
    assert game.acts[2].ms == pytest.approx(9_000)
    assert game.clocks("red")[1]["red_ms"] == 1_000
    assert game.clocks("red")[1]["last_ms"] == 9_000


@pytest.mark.parametrize(("kind", "ending"), [("person", "no_attack_limit"), ("remote", "illegal_action")])
def test_only_people_in_browsers_may_always_take_back_illegal_actions(kind, ending):
    assert play_brains(Brain("red", at={2: [ILLEGAL, ILLEGAL]}), kind=kind).result.ending == ending


def test_time_runs_out_during_another_try():
    game = play_brains(Brain("red", at={2: [ILLEGAL, ILLEGAL]}, takes_s={2: 4.0}), tries=5)
    assert game.outcome == ("timeout", "blue")
    assert game.seconds == pytest.approx(10.05)
    assert len(game.acts) == 2


def test_another_try_may_use_the_margin_only_once():
    game = play_brains(Brain("red", at={2: [ILLEGAL]}, takes_s={2: 5.02}), tries=1)
    assert game.result.ending == "no_attack_limit"
    game = play_brains(Brain("red", at={2: [ILLEGAL]}, takes_s={2: 5.03}), tries=1)
    assert game.outcome == ("timeout", "blue")


def test_tries_are_counted_for_a_game_and_not_for_a_question():
    game = play_brains(Brain("red", at={2: [ILLEGAL], 3: [ILLEGAL]}), tries=1)
    assert game.outcome == ("illegal_action", "blue")


def test_each_seat_has_its_own_tries():
    game = play_brains(
        Brain("red", at={2: [ILLEGAL]}), Brain("blue", at={2: [{"type": "move", "src": "j7", "dst": "i6"}]}), tries=1
    )
    assert game.result.ending == "no_attack_limit"


def test_no_time_passes_between_the_turns():
    game = play_brains(Brain("red", takes_s=dict.fromkeys(range(1, 9), 1.0)), Brain("blue"))
    assert game.seconds == pytest.approx(7)


def test_a_bot_that_does_not_read_its_news_loses():
    deaf = FakeBot(Brain("red", wants=["news"]))
    write = deaf.write

    async def write_or_wait(data):
        if b'"news"' in data and b'"ask"' not in data:
            await trio.sleep_forever()
        await write(data)

    deaf.write = write_or_wait
    game = play_bots({"red": deaf, "blue": FakeBot(Brain("blue"))})
    assert game.outcome == ("timeout", "blue")
    assert "did not read" in game.result.why
    assert game.over("blue")["result"] == "win"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_bot_that_exits_loses_by_a_crash(number):
    game = play_brains(Brain("red", at={number: GONE}))
    assert game.outcome == ("crash", "blue")
    assert game.over("blue")["why"] == "red's program exited with status 1"


def test_unsolicited_output_is_quoted_to_its_author_only():
    early = FakeBot(Brain("red"))
    write = early.write

    async def write_and_speak(data):
        await write(data)
        if b'"ask":2' in data:
            early.early = b"my marshal is on a4"

    early.write = write_and_speak
    game = play_bots({"red": early, "blue": FakeBot(Brain("blue"))})
    assert game.outcome == ("protocol", "blue")
    assert "my marshal is on a4" in game.over("red")["why"]
    assert game.over("blue")["why"] == "red broke the protocol"


@pytest.mark.parametrize("blue_takes_s", [0.0, 1.0])
def test_of_two_refused_setups_the_record_holds_reds_first(blue_takes_s):
    wrong = {"type": "deploy", "pieces": {"a1": "marshal"}}
    game = play_brains(
        Brain("red", at={1: wrong}, takes_s={1: 0.5}), Brain("blue", at={1: wrong}, takes_s={1: blue_takes_s})
    )
    assert game.outcome == ("illegal_setup", None)
    assert [entry.seat for entry in game.acts] == ["red", "blue"]
    assert [game.over(seat)["result"] for seat in SEATS] == ["loss", "loss"]


@pytest.mark.parametrize("seat", SEATS)
def test_a_refused_setup_follows_an_accepted_one_in_the_record(seat):
    wrong = {"type": "deploy", "pieces": {"a1": "marshal"}}
    brains = {other: Brain(other, at={1: wrong} if other == seat else {}) for other in SEATS}
    game = play_brains(brains["red"], brains["blue"])
    assert [entry.seat for entry in game.acts] == ["blue" if seat == "red" else "red", seat]
    assert [entry.facts is None for entry in game.acts] == [False, False]
    assert not any(message["news"] for message in game.bots["red"].received() if "news" in message)


def test_no_deployment_is_reported_before_both_have_deployed():
    game = play_brains(Brain("red", wants=["news"]), Brain("blue", takes_s={1: 9.0}))
    heard = [message["type"] for message in game.bots["red"].received()]
    assert heard[:5] == ["hello", "start", "ask", "news", "ask"]
    assert game.seconds == pytest.approx(9)


def test_the_last_facts_are_sent_with_the_result():
    game = play_brains(plies=2)
    assert [fact["src"] for fact in game.over("red")["news"]] == ["a4", "j7"]
    assert [fact["src"] for fact in game.over("blue")["news"]] == ["j7"]


def test_an_answer_for_the_wrong_question_is_quoted():
    game = play_brains(Brain("red", at={2: b'{"type":"act","ask":7,"action":{"type":"stop"}}'}))
    assert game.outcome == ("protocol", "blue")
    assert '"ask":7' in game.result.why


def sit_twice(bots, renew=None, **player):
    """Let the same players sit down for two games, the second one with their seats changed.

    If it is given, `renew` makes another bot when that of the first red fails in the second game.
    """
    settings = GameSettings(name="g", game=game_of("original", no_attack_plies=4), seed=1, time=TIME, last=False)
    header = make_spec(bot(), bot()).header

    async def play():
        log = GameLogWriter()
        timer = MoveTimer(TIME, LagMonitor())
        players = {seat: SeatedPlayer(seat, bots[seat], timer, log.bot_logs[seat], **player) for seat in SEATS}
        first = await GameSession(settings, players, header).play()
        if renew:
            players[RED].take_seat("blue", log.bot_logs["blue"], None, renew)
            players[RED].earlier_games = 1
        turned = dict(zip(SEATS, reversed(players.values()), strict=True))
        return first, await GameSession(replace(settings, last=True), turned, header).play()

    return trio.run(play, clock=MockClock(autojump_threshold=0))


class Turncoat(Brain):
    """Plays the seat that each game gives it."""

    def __call__(self, message):
        if message["type"] == "start":
            self.seat, self.turns = message["seat"], 0
        return super().__call__(message)


def test_a_second_game_in_the_same_process_is_like_the_first():
    bots = {seat: FakeBot(Turncoat(seat, wants=["view"])) for seat in SEATS}
    first, second = sit_twice(bots)
    assert first.ending == second.ending == "no_attack_limit"
    heard = bots[RED].received()
    assert [message["type"] for message in heard].count("hello") == 1
    assert [message["seat"] for message in heard if message["type"] == "start"] == ["red", "blue"]
    assert [message["ask"] for message in heard if message["type"] == "ask"] == [1, 2, 3, 1, 2, 3]
    assert [message["type"] for message in heard if message["type"] in ("over", "bye")] == ["over", "over", "bye"]
    afresh = [message for message in heard if message.get("ask") == 1][1]
    assert (afresh["news"], afresh["view"]["pieces"]) == ([], [])


def test_a_bot_that_does_not_answer_in_its_second_game_is_started_again():
    again = FakeBot(Turncoat(RED))
    only_once = Turncoat(RED)
    silent = FakeBot(lambda message: SILENT if only_once.seat == "blue" else only_once(message))

    async def renew():
        return again

    first, second = sit_twice({RED: silent, "blue": FakeBot(Turncoat("blue"))}, renew)
    assert first.ending == second.ending == "no_attack_limit"
    kinds = [[message["type"] for message in fake.received()] for fake in (silent, again)]
    assert kinds[0][-3:] == ["over", "start", "ask"]
    assert kinds[1] == ["hello", "start", *["ask"] * 3, "over", "bye"]


def test_messages_may_be_encoded_in_another_way():
    bots = {seat: FakeBot(Turncoat(seat)) for seat in SEATS}
    sit_twice(bots, write=lambda message: encode(message).replace(b"{", b'{"later":1,', 1))
    assert all(message["later"] == 1 for message in bots[RED].received())

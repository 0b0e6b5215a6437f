"""Clocks, fouls and what both are told, with bots in memory and a clock that jumps."""

import pytest
import trio
from msgspec.structs import replace
from referee.fakes import GONE, SILENT, Brain, FakeBot
from referee.rig import bot, game_of, order
from referee.seated import TIME, sit, sit_with
from trio.testing import MockClock

from arbiter.referee.lag import LagMonitor
from arbiter.referee.log import GameLogWriter
from arbiter.referee.player import Player
from arbiter.referee.session import GameSession, GameSettings
from arbiter.referee.timer import MoveTimer
from protocol.codec import encode
from protocol.words import RED, SEATS

RESIGN = {"type": "resign"}
ILLEGAL = {"type": "move", "src": "a4", "dst": "b5"}


def test_thinking_empties_the_bank_and_then_loses():
    seated = sit(Brain("red", takes_s={2: 4.0, 3: 4.0, 4: 4.0}))
    assert [clock["red_ms"] for clock in seated.clocks("red")] == [10_000, 6_000, 2_000]
    assert [clock["last_ms"] for clock in seated.clocks("red")] == [0, 4_000, 4_000]
    assert seated.lost == ("timeout", "blue")
    assert seated.seconds == pytest.approx(10.05)


def test_the_opponent_sees_the_clock_but_not_the_last_time():
    seated = sit(Brain("red", takes_s={2: 4.0}))
    assert [clock["red_ms"] for clock in seated.clocks("blue")][:2] == [6_000, 6_000]
    assert [clock["last_ms"] for clock in seated.clocks("blue")][:2] == [0, 0]


@pytest.mark.parametrize(
    ("seconds", "ending"), [(10.0, "no_attack_limit"), (10.049, "no_attack_limit"), (10.051, "timeout")]
)
def test_the_margin_is_forgiven_and_no_more(seconds, ending):
    assert sit(Brain("red", takes_s={2: seconds})).verdict.ending == ending


def test_time_forgiven_does_not_make_a_debt():
    seated = sit(Brain("red", takes_s={2: 10.04}), time=replace(TIME, increment_s=1))
    assert [clock["red_ms"] for clock in seated.clocks("red")][1] == 1_000


def test_an_answer_read_after_the_limit_is_late_though_nobody_was_woken():
    clock = MockClock(autojump_threshold=0)
    brain = Brain("red")

    def busy(said):
        if said.get("ask") == 2:
            clock.jump(11)  # time passes, but the loop is busy and cancels nothing
            return brain.answer(said)
        return brain(said)

    seated = sit_with({"red": FakeBot(busy), "blue": FakeBot(Brain("blue"))}, clock=clock)
    assert seated.lost == ("timeout", "blue")


def test_the_increment_is_credited_when_the_turn_is_over():
    seated = sit(Brain("red", takes_s={2: 4.0}), time=replace(TIME, increment_s=1))
    assert [clock["red_ms"] for clock in seated.clocks("red")][:3] == [10_000, 7_000, 8_000]
    assert [clock["blue_ms"] for clock in seated.clocks("red")][:3] == [10_000, 11_000, 12_000]


@pytest.mark.parametrize(("seconds", "ending"), [(2.04, "no_attack_limit"), (2.06, "timeout")])
def test_one_move_may_be_capped(seconds, ending):
    seated = sit(Brain("red", takes_s={3: seconds}), time=replace(TIME, move_s=2))
    assert seated.verdict.ending == ending
    assert seated.clocks("red")[0]["move_ms"] == 2_000


def test_the_cap_does_not_lengthen_the_bank():
    seated = sit(Brain("red", takes_s={2: 1.9, 3: 0.2}), time=replace(TIME, bank_s=2, move_s=2))
    assert seated.lost == ("timeout", "blue")
    assert seated.seconds == pytest.approx(2.05)


@pytest.mark.parametrize(("seconds", "ending"), [(20.04, "no_attack_limit"), (20.06, "timeout")])
def test_the_setup_has_an_allowance_of_its_own(seconds, ending):
    seated = sit(Brain("red", takes_s={1: seconds}))
    assert seated.verdict.ending == ending
    assert all(clock["red_ms"] == 10_000 for clock in seated.clocks("red"))


def test_both_set_up_at_the_same_time():
    seated = sit(Brain("red", takes_s={1: 15.0}), Brain("blue", takes_s={1: 15.0}))
    assert seated.seconds == pytest.approx(15)


@pytest.mark.parametrize("seat", SEATS)
def test_starting_is_off_the_clock_and_bounded(seat):
    shy = FakeBot(lambda _: SILENT)
    slow = FakeBot(lambda said: (4.9, Brain("red")(said)) if said["type"] == "hello" else SILENT)
    other = "blue" if seat == "red" else "red"
    seated = sit_with({seat: shy, other: slow})
    assert seated.lost == ("no_start", other)
    assert seated.seconds == pytest.approx(5)
    assert [said["type"] for said in slow.heard()] == ["hello", "bye"]


def test_reading_the_question_late_is_thinking():
    slow = FakeBot(Brain("red"))
    slow.write_takes_s = 4.0
    seated = sit_with({"red": slow, "blue": FakeBot(Brain("blue"))}, time=replace(TIME, start_s=30))
    assert [clock["red_ms"] for clock in seated.clocks("red")] == [10_000, 6_000, 2_000][: len(seated.clocks("red"))]
    assert seated.lost == ("timeout", "blue")


def test_a_refusal_leaves_the_clock_running():
    brain = Brain("red", at={2: [ILLEGAL, ILLEGAL]}, takes_s={2: 3.0})
    seated = sit(brain, tries=2)
    assert seated.verdict.ending == "no_attack_limit"
    assert seated.acts[2].ms == pytest.approx(9_000)
    assert seated.clocks("red")[1]["red_ms"] == 1_000
    assert seated.clocks("red")[1]["last_ms"] == 9_000


def test_time_runs_out_during_another_try():
    seated = sit(Brain("red", at={2: [ILLEGAL, ILLEGAL]}, takes_s={2: 4.0}), tries=5)
    assert seated.lost == ("timeout", "blue")
    assert seated.seconds == pytest.approx(10.05)
    assert len(seated.acts) == 2


def test_another_try_may_use_the_margin_only_once():
    seated = sit(Brain("red", at={2: [ILLEGAL]}, takes_s={2: 5.02}), tries=1)
    assert seated.verdict.ending == "no_attack_limit"
    seated = sit(Brain("red", at={2: [ILLEGAL]}, takes_s={2: 5.03}), tries=1)
    assert seated.lost == ("timeout", "blue")


def test_tries_are_counted_a_game_and_not_a_question():
    seated = sit(Brain("red", at={2: [ILLEGAL], 3: [ILLEGAL]}), tries=1)
    assert seated.lost == ("illegal_action", "blue")


def test_tries_of_one_are_not_the_others():
    seated = sit(
        Brain("red", at={2: [ILLEGAL]}), Brain("blue", at={2: [{"type": "move", "src": "j7", "dst": "i6"}]}), tries=1
    )
    assert seated.verdict.ending == "no_attack_limit"


def test_no_moment_is_lost_between_the_turns():
    seated = sit(Brain("red", takes_s=dict.fromkeys(range(1, 9), 1.0)), Brain("blue"))
    assert seated.seconds == pytest.approx(7)


def test_news_to_a_bot_that_does_not_read_end_the_game():
    deaf = FakeBot(Brain("red", wants=["news"]))
    send = deaf.send

    async def send_or_wait(data):
        if b'"news"' in data and b'"ask"' not in data:
            await trio.sleep_forever()
        await send(data)

    deaf.send = send_or_wait
    seated = sit_with({"red": deaf, "blue": FakeBot(Brain("blue"))})
    assert seated.lost == ("timeout", "blue")
    assert "did not read" in seated.verdict.why
    assert seated.over("blue")["result"] == "win"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_who_goes_loses_by_a_crash(number):
    seated = sit(Brain("red", at={number: GONE}))
    assert seated.lost == ("crash", "blue")
    assert seated.over("blue")["why"] == "red's program exited with status 1"


def test_what_was_said_too_early_is_quoted_to_its_author_only():
    early = FakeBot(Brain("red"))
    send = early.send

    async def send_and_speak(data):
        await send(data)
        if b'"ask":2' in data:
            early.early = b"my marshal is on a4"

    early.send = send_and_speak
    seated = sit_with({"red": early, "blue": FakeBot(Brain("blue"))})
    assert seated.lost == ("protocol", "blue")
    assert "my marshal is on a4" in seated.over("red")["why"]
    assert seated.over("blue")["why"] == "red broke the protocol"


@pytest.mark.parametrize("blue_takes_s", [0.0, 1.0])
def test_of_two_refused_setups_reds_stands_first(blue_takes_s):
    wrong = {"type": "deploy", "pieces": {"a1": "marshal"}}
    seated = sit(Brain("red", at={1: wrong}, takes_s={1: 0.5}), Brain("blue", at={1: wrong}, takes_s={1: blue_takes_s}))
    assert seated.lost == ("illegal_setup", None)
    assert [entry.seat for entry in seated.acts] == ["red", "blue"]
    assert [seated.over(seat)["result"] for seat in SEATS] == ["loss", "loss"]


@pytest.mark.parametrize("seat", SEATS)
def test_a_refused_setup_stands_after_an_accepted_one(seat):
    wrong = {"type": "deploy", "pieces": {"a1": "marshal"}}
    brains = {other: Brain(other, at={1: wrong} if other == seat else {}) for other in SEATS}
    seated = sit(brains["red"], brains["blue"])
    assert [entry.seat for entry in seated.acts] == ["blue" if seat == "red" else "red", seat]
    assert [entry.facts is None for entry in seated.acts] == [False, False]
    assert not any(said["news"] for said in seated.bots["red"].heard() if "news" in said)


def test_nobody_sees_a_deployment_before_the_other_has_set_up():
    seated = sit(Brain("red", wants=["news"]), Brain("blue", takes_s={1: 9.0}))
    heard = [said["type"] for said in seated.bots["red"].heard()]
    assert heard[:5] == ["hello", "start", "ask", "news", "ask"]
    assert seated.seconds == pytest.approx(9)


def test_the_last_facts_are_told_with_the_end():
    seated = sit(plies=2)
    assert [fact["src"] for fact in seated.over("red")["news"]] == ["a4", "j7"]
    assert [fact["src"] for fact in seated.over("blue")["news"]] == ["j7"]


def test_who_resigns_is_told_that_it_lost():
    seated = sit(Brain("red", at={2: RESIGN}))
    assert [seated.over(seat)["result"] for seat in SEATS] == ["loss", "win"]
    assert [said["type"] for said in seated.bots["red"].heard()][-2:] == ["over", "bye"]


def test_an_answer_for_the_wrong_question_is_quoted():
    seated = sit(Brain("red", at={2: b'{"type":"act","ask":7,"action":{"type":"stop"}}'}))
    assert seated.lost == ("protocol", "blue")
    assert '"ask":7' in seated.verdict.why


def sit_twice(bots, **player):
    """Let the same players sit down for two games, the second one with their seats changed."""
    terms = GameSettings(name="g", game=game_of("original", no_attack_plies=4), seed=1, time=TIME, last=False)
    header = order(bot(), bot()).header

    async def play():
        tape, watch = GameLogWriter(), MoveTimer(TIME, LagMonitor())
        players = {seat: Player(seat, bots[seat], watch, tape.bot_logs[seat], **player) for seat in SEATS}
        first = await GameSession(terms, players, header).play()
        turned = dict(zip(SEATS, reversed(players.values()), strict=True))
        return first, await GameSession(replace(terms, last=True), turned, header).play()

    return trio.run(play, clock=MockClock(autojump_threshold=0))


class Turncoat(Brain):
    """Plays the seat that each game gives it."""

    def __call__(self, said):
        if said["type"] == "start":
            self.seat, self.turns = said["seat"], 0
        return super().__call__(said)


def test_who_is_not_sent_home_plays_another_game_as_if_it_were_the_first():
    bots = {seat: FakeBot(Turncoat(seat, wants=["view"])) for seat in SEATS}
    first, second = sit_twice(bots)
    assert first.ending == second.ending == "no_attack_limit"
    heard = bots[RED].heard()
    assert [said["type"] for said in heard].count("hello") == 1
    assert [said["seat"] for said in heard if said["type"] == "start"] == ["red", "blue"]
    assert [said["ask"] for said in heard if said["type"] == "ask"] == [1, 2, 3, 1, 2, 3]
    assert [said["type"] for said in heard if said["type"] in ("over", "bye")] == ["over", "over", "bye"]
    afresh = [said for said in heard if said.get("ask") == 1][1]
    assert (afresh["news"], afresh["view"]["pieces"]) == ([], [])


def test_lines_are_written_as_the_player_is_told_to():
    bots = {seat: FakeBot(Turncoat(seat)) for seat in SEATS}
    sit_twice(bots, write=lambda message: encode(message).replace(b"{", b'{"later":1,', 1))
    assert all(said["later"] == 1 for said in bots[RED].heard())

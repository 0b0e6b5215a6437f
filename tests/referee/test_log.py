"""The log of the lines between the referee and a bot: every line with its time, up to a limit."""

import json

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from referee.fake_bots import GONE, SILENT, Brain, FakeBot, act, walk
from referee.games_in_memory import play_bots, play_brains
from referee.local_conversations import player
from referee.real_games import AMPLE, SHORT, bot, make_spec, play

from arbiter.referee.game import play_game
from arbiter.referee.log import HEAD, OVERHEAD, TAIL, BotLog
from arbiter.sandbox.process import ProcessIsolation
from arbiter.transcript import LogLine
from protocol.words import MAX_LINE, SEATS


def kinds(lines):
    """Return the type of each message, in order; those of the bot in capitals."""
    types = [(line.sent, json.loads(line.text)["type"]) for line in lines]
    return [kind if sent else kind.upper() for sent, kind in types]


def last_heard(played, seat="red"):
    return [line for line in played.wire[seat].lines if not line.sent][-1]


def test_every_line_is_kept_in_order_with_its_time():
    game = play_brains(red=Brain("red", takes_s={1: 2.0, 2: 0.5}), plies=2)
    red = game.wire["red"].lines
    assert kinds(red) == ["hello", "READY", "start", "ask", "ACT", "ask", "ACT", "over", "bye"]
    assert kinds(game.wire["blue"].lines) == kinds(red)
    assert [line.ms for line in red] == [0, 0, 0, 0, 2000, 2000, 2500, 2500, 2500]
    assert all(line.whole and not line.cut and b"\n" not in line.text for line in red)


def test_the_log_holds_what_the_bot_was_sent():
    game = play_brains(plies=6)
    for seat in SEATS:
        kept = [json.loads(line.text) for line in game.wire[seat].lines if line.sent]
        assert kept == game.bots[seat].received()


WALK = json.dumps(act(2, walk("red", 1))).encode()


@pytest.mark.parametrize("answer", [b"my marshal is on a4", b"\xff\x00\x1b[2J"])
def test_a_line_that_broke_the_protocol_is_kept(answer):
    game = play_brains(red=Brain("red", at={2: answer}))
    assert game.outcome == ("protocol", "blue")
    assert last_heard(game) == LogLine(0, sent=False, text=answer)
    assert kinds(game.wire["red"].lines[-2:]) == ["over", "bye"]


@pytest.mark.parametrize("answer", [(11, WALK), SILENT, GONE])
def test_a_missing_answer_is_not_in_the_log(answer):
    game = play_brains(red=Brain("red", at={2: answer}))
    assert kinds(game.wire["red"].lines) == ["hello", "READY", "start", "ask", "ACT", "ask", "over", "bye"]


def test_unsolicited_output_is_kept():
    chatty = FakeBot(Brain("red"))
    chatty.early = b"Walker 1.0\nthinki"
    game = play_bots({"red": chatty, "blue": FakeBot(Brain("blue"))})
    assert game.wire["red"].lines[0] == LogLine(0, sent=False, text=b"Walker 1.0\nthinki", whole=False)


@pytest.mark.parametrize(
    ("name", "text", "whole"),
    [
        ("half_a_line", b'{"type":"act",', False),
        ("half_a_line_and_exit", b'{"type":"act",', False),
        ("prints_debug", b"thinking about 2", True),
        ("base", None, True),
    ],
)
def test_the_log_of_real_programs(patient, name, text, whole):
    played = play(bot(name), bot(), time=SHORT if name == "half_a_line" else AMPLE)
    heard = [line for line in played.game.log.wire["red"].lines if not line.sent]
    assert [line.whole for line in heard[:2]] == [True, True]
    if text is None:
        assert all(line.whole for line in heard)
    else:
        assert (text, whole) in [(line.text, line.whole) for line in heard[2:]]


def test_an_answer_that_comes_too_late_is_kept(patient):
    last = play(bot("late"), bot(), time=SHORT).game.log.wire["red"].lines[-1]
    assert (json.loads(last.text)["type"], last.sent, last.whole) == ("act", False, False)


@pytest.mark.parametrize(
    ("name", "ending", "seats"), [("floods_stderr", "no_attack_limit", []), ("crashes", "crash", ["red", "blue"])]
)
def test_messages_can_be_left_out_unless_a_bot_forfeits(name, ending, seats):
    spec = replace(make_spec(bot(name), bot()), keeps_messages=False)
    game = trio.run(play_game, spec, ProcessIsolation())
    assert game.result.ending == ending
    assert list(game.log.wire) == seats
    assert "red" in game.log.stderr


def test_of_endless_output_the_length_of_a_line_is_kept():
    lines = play(bot("floods_bytes"), bot()).game.log.wire["red"].lines
    flood = [line for line in lines if not line.whole]
    assert flood
    assert all(len(line.text) <= MAX_LINE for line in flood)
    assert any(line.cut for line in flood)


def wire_of(sizes):
    wire = BotLog(0.0)
    for number, size in enumerate(sizes):
        wire.note(b"x" * size + b"\n", number, sent=True)
    return wire.transcript()


def cost(lines):
    return sum(len(line.text) + OVERHEAD for line in lines)


@given(st.lists(st.sampled_from([0, 1, 100, 4000, 30_000, 70_000, 200_000]), max_size=60))
def test_lines_are_left_out_in_the_middle_and_counted(sizes):
    kept = wire_of(sizes)
    numbers = [int(line.ms) // 1000 for line in kept.lines]
    gap = range(len(kept.first), len(kept.first) + kept.lines_left_out)
    assert numbers == [number for number in range(len(sizes)) if number not in gap]
    assert kept.bytes_left_out == sum(sizes[number] + 1 for number in gap)
    assert cost(kept.first) <= HEAD
    assert cost(kept.last) <= TAIL


def test_nothing_is_left_out_if_all_fits():
    kept = wire_of([200] * 700)
    assert (len(kept.lines), kept.lines_left_out) == (700, 0)


def test_a_long_game_with_lists_is_bounded():
    kept = wire_of([4000, 80] * 4000)
    assert cost(kept.lines) <= HEAD + TAIL
    assert kept.lines_left_out + len(kept.lines) == 8000


def test_the_times_of_slow_answers_are_kept():
    """The bot in memory works all the time; its first answer is fast."""
    bots = {"red": FakeBot(Brain("red", takes_s={2: 0.5})), "blue": FakeBot(Brain("blue"))}
    game = play_bots(bots, plies=4, with_lag_monitor=True)
    (slow,) = game.wire["red"].answers
    assert (slow.ask, slow.elapsed_ms, slow.charged_ms, slow.stalled_ms) == (2, 500, 500, 0)
    assert slow.cpu_ms == pytest.approx(slow.measured_ms, abs=0.01)
    assert 470 < slow.measured_ms <= 500
    assert game.wire["blue"].answers == ()


def share_of_processor(*words, bank_s):
    """Let a bot lose on time; return which part of the time it used the processor, as the log shows it."""
    game = play(bot(*words), player(), time=replace(SHORT, bank_s=bank_s)).game
    assert game.result.ending == "timeout"
    for last in game.log.wire["red"].answers[-1:]:  # there is none if the arbiter stalled
        assert last.charged_ms is None
        assert last.elapsed_ms >= 1000 * bank_s
        return last.cpu_ms / max(last.measured_ms, 1)
    return 0


def test_the_log_shows_if_a_bot_that_lost_on_time_was_computing():
    # On a busy machine, a bot that computes waits too.
    assert any(
        2 * share_of_processor("late", bank_s=bank_s) < share_of_processor("uses_cpu", "30000", bank_s=bank_s) < 1.2
        for bank_s in (0.1, 1, 10)
    )

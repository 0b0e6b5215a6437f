"""The harness: evidence about a bot that does not answer in a game, and messages of a later protocol version."""

import sys
from pathlib import Path

import msgspec
import pytest
import trio

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.preflight.examination import CheckGame, Conditions, SelectedRules
from arbiter.preflight.harness import open_harness
from arbiter.preflight.mistakes import explain
from arbiter.preflight.opponents import RANDOM_OPPONENT
from arbiter.preflight.steps.lifecycle import encode_as_future_protocol
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.process import ProcessIsolation
from protocol.codec import decode_later_arbiter_line
from protocol.messages import Ask, Bye, ClockState, Hello, News, Over, Refused, Start, TimeControl
from protocol.words import Move, Moved

BOTS = Path(__file__).parent.parent / "bots"
TIME = TimeSettings(start_s=20, setup_s=0.2, bank_s=0.2, increment_s=0, margin_ms=1000)

# Class of the novice that does not deploy, and the expected mistake.
SILENT = [
    ("SleepsInSetup", "waits_for_something"),
    ("FlushesOnlyReady", "late_for_its_buffer"),
    ("SwallowsQuestions", "waits_in_vain"),
]


def make_conditions(name, time):
    program = Program(name="novice", argv=(sys.executable, "-ES", str(BOTS / "novice.py"), name), folder=BOTS)
    return Conditions(program=program, opponent=program, isolation=ProcessIsolation(), time=time, seed=1, games=1)


async def play_and_return_evidence(conditions):
    async with open_harness(conditions) as harness:
        game = CheckGame(rules=SelectedRules("duel"), seat="blue", label="test")
        played = await harness.play(game, RANDOM_OPPONENT)
        return played.evidence


@pytest.mark.usefixtures("adopting")
@pytest.mark.parametrize(("name", "mistake"), SILENT)
@pytest.mark.slow(keep=1)
@pytest.mark.heavy
def test_the_reason_for_a_missing_answer_is_found(name, mistake):
    evidence = trio.run(play_and_return_evidence, make_conditions(name, TIME))
    assert (evidence.fault, evidence.seat, evidence.question_object["phase"]) == ("timeout", "blue", "setup")
    assert explain(evidence).mistake == mistake


RULES = find_game("duel").describe("red")
CLOCK = ClockState(1.0, 2.0, None, 0.0)
NEWS = [Moved("red", "a4", "a5")]
VIEW = msgspec.Raw(b'{"pieces":[],"captured":{}}')
MESSAGES = [
    Hello(1, "arbiter"),
    Start("g", RULES, "red", None, 1, TimeControl(1, 1, 0, None, 50)),
    Ask(1, "turn", NEWS, CLOCK, [Move("a5", "a6")], VIEW),
    News(NEWS),
    Refused(1, "no"),
    Over("g", "win", "resigned", "why", []),
    Bye(),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.__struct_config__.tag)
def test_a_message_of_a_later_arbiter_is_read_without_its_unknown_parts(message):
    *unknown, line = encode_as_future_protocol(message).splitlines()
    read = decode_later_arbiter_line(line)
    assert [decode_later_arbiter_line(one) for one in unknown] == [None] * isinstance(message, Start)
    if isinstance(message, Ask):
        assert (read.news, read.legal, read.clock) == (message.news, message.legal, message.clock)
        assert b'"legal":[{"type":"move","src":"a5","dst":"a6"}]' in line
    else:
        assert read == message

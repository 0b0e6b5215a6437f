"""The order of messages in a conversation."""

from typing import get_args

import pytest

from protocol.codec import ProtocolError
from protocol.dialogue import ARBITER_TRANSITIONS, BOT_TRANSITIONS, PHASE_ACTIONS, Dialogue, DialogueState
from protocol.messages import (
    Act,
    AnyArbiterMessage,
    Ask,
    Bye,
    ClockState,
    Hello,
    News,
    Over,
    Ready,
    Refused,
    Rules,
    Start,
    TimeControl,
)
from protocol.words import AnyAction, Deploy, Move, Phase, Resign

CLOCK = ClockState(1, 1, None, None)
RULES = Rules(id="tiny", options=[], army={}, first="red", no_attack_plies=0, max_plies=0, ranks=[])
HELLO = Hello(1, "arbiter")
READY = Ready(1, "bot")
START = Start("g", RULES, "red", None, 1, TimeControl(1, 1, 1, None, 1))
OVER = Over("g", "win", "resigned", "blue resigned", [])


def ask(number):
    return Ask(number, "turn", [], CLOCK)


def act(number):
    return Act(number, Move("a4", "a5"))


# The messages that lead a new conversation into each state.
MESSAGES_TO_STATE = {
    "new": [],
    "greeted": [HELLO],
    "idle": [HELLO, READY],
    "playing": [HELLO, READY, START],
    "asked": [HELLO, READY, START, ask(1), act(1), ask(2)],
    "answered": [HELLO, READY, START, ask(1), act(1)],
    "gone": [HELLO, READY, Bye()],
}


def note(dialogue, message):
    if isinstance(message, Ready | Act):
        dialogue.note_received(message)
    else:
        dialogue.note_sent(message)


def dialogue_in(state):
    dialogue = Dialogue()
    for message in MESSAGES_TO_STATE[state]:
        note(dialogue, message)
    assert dialogue.state == state
    return dialogue


def test_the_tables_contain_every_state_phase_and_message():
    states = set(get_args(DialogueState))
    assert set(ARBITER_TRANSITIONS) == set(MESSAGES_TO_STATE) == states > set(BOT_TRANSITIONS)
    assert set(PHASE_ACTIONS) == set(get_args(Phase))
    assert {message for row in ARBITER_TRANSITIONS.values() for message in row} == set(get_args(AnyArbiterMessage))
    assert {action for actions in PHASE_ACTIONS.values() for action in actions} == set(get_args(AnyAction))


def test_two_games_in_one_conversation():
    dialogue = Dialogue()
    game = [START, ask(1), act(1), News([]), ask(2), act(2), Refused(2, "no"), act(2), OVER]
    for message in [HELLO, READY, *game, *game, Bye()]:
        note(dialogue, message)
    assert dialogue.state == "gone"


def test_a_game_may_end_while_a_question_is_open():
    dialogue = dialogue_in("asked")
    dialogue.note_sent(OVER)
    assert dialogue.state == "idle"


def test_an_action_of_another_phase_is_accepted_because_the_rules_decide():
    dialogue = dialogue_in("asked")
    dialogue.note_received(Act(2, Deploy(pieces={})))
    assert dialogue.state == "answered"


WRONG_ANSWERS = [
    ("new", READY, "'ready' before the arbiter's 'hello'"),
    ("new", act(1), "'act' before the arbiter's 'hello'"),
    ("greeted", act(1), "'act' in answer to 'hello'; the answer to 'hello' is 'ready'"),
    ("greeted", Ready(2, "bot"), "'ready' has protocol 2; this arbiter uses 1"),
    ("idle", READY, "'ready' a second time; send it once, in answer to 'hello'"),
    ("idle", act(1), "'act' for ask 1 while no question is open"),
    ("playing", act(1), "'act' for ask 1 while no question is open"),
    ("playing", READY, "'ready' a second time; send it once, in answer to 'hello'"),
    ("asked", act(1), "the answer is for ask 1, but the open question is ask 2"),
    ("asked", act(3), "the answer is for ask 3, but the open question is ask 2"),
    ("asked", READY, "'ready' in answer to ask 2; the answer to 'ask' is 'act'"),
    ("answered", act(1), "'act' for ask 1 while no question is open: ask 1 was answered already"),
    ("answered", act(2), "'act' for ask 2 while no question is open: ask 1 was answered already"),
    ("gone", act(1), "'act' for ask 1 while no question is open"),
]


@pytest.mark.parametrize(("state", "message", "why"), WRONG_ANSWERS)
def test_a_wrong_answer_is_a_protocol_error_and_changes_nothing(state, message, why):
    dialogue = dialogue_in(state)
    with pytest.raises(ProtocolError) as caught:
        dialogue.note_received(message)
    assert str(caught.value) == why
    assert dialogue.state == state


WRONG_MESSAGES = [
    ("new", START),
    ("new", ask(1)),
    ("greeted", HELLO),
    ("greeted", START),
    ("idle", ask(1)),
    ("idle", OVER),
    ("idle", Refused(1, "no")),
    ("playing", START),
    ("playing", Refused(1, "no")),
    ("playing", ask(2)),
    ("asked", ask(3)),
    ("asked", News([])),
    ("asked", Refused(2, "no")),
    ("answered", ask(1)),
    ("answered", ask(3)),
    ("answered", Refused(2, "no")),
    ("gone", HELLO),
    ("gone", Bye()),
]


@pytest.mark.parametrize(("state", "message"), WRONG_MESSAGES)
def test_a_wrong_message_of_the_arbiter_is_a_bug(state, message):
    dialogue = dialogue_in(state)
    with pytest.raises(RuntimeError, match="the arbiter"):
        dialogue.note_sent(message)
    assert dialogue.state == state


def test_a_second_answer_after_a_resignation_is_a_protocol_error():
    dialogue = dialogue_in("asked")
    dialogue.note_received(Act(2, Resign()))
    with pytest.raises(ProtocolError, match="answered already"):
        dialogue.note_received(act(2))

"""Which answer belongs to which question."""

from typing import get_args

import pytest

from protocol.codec import ProtocolError
from protocol.dialogue import ACTIONS, ANSWERED, SAID, Dialogue, State
from protocol.messages import (
    Act,
    AnySaid,
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


# What leads a new conversation into each state; what the bot says stands in answers.
ROADS = {
    "new": [],
    "greeted": [HELLO],
    "idle": [HELLO, READY],
    "playing": [HELLO, READY, START],
    "asked": [HELLO, READY, START, ask(1), act(1), ask(2)],
    "answered": [HELLO, READY, START, ask(1), act(1)],
    "gone": [HELLO, READY, Bye()],
}


def take(dialogue, message):
    if isinstance(message, Ready | Act):
        dialogue.hear(message)
    else:
        dialogue.say(message)


def brought_to(state):
    dialogue = Dialogue()
    for message in ROADS[state]:
        take(dialogue, message)
    assert dialogue.state == state
    return dialogue


def test_the_tables_know_every_state_phase_and_message():
    states = set(get_args(State))
    assert set(SAID) == set(ANSWERED) == set(ROADS) == states
    assert set(ACTIONS) == set(get_args(Phase))
    assert {message for row in SAID.values() for message in row} == set(get_args(AnySaid))
    assert {action for actions in ACTIONS.values() for action in actions} == set(get_args(AnyAction))


def test_two_games_of_one_conversation():
    dialogue = Dialogue()
    game = [START, ask(1), act(1), News([]), ask(2), act(2), Refused(2, "no"), act(2), OVER]
    for message in [HELLO, READY, *game, *game, Bye()]:
        take(dialogue, message)
    assert dialogue.state == "gone"


def test_a_game_may_end_while_a_question_is_open():
    dialogue = brought_to("asked")
    dialogue.say(OVER)
    assert dialogue.state == "idle"


def test_an_action_of_another_phase_passes_it_is_for_the_rules_to_refuse():
    dialogue = brought_to("asked")
    dialogue.hear(Act(2, Deploy(pieces={})))
    assert dialogue.state == "answered"


WRONG_ANSWERS = [
    ("new", READY, "'ready' before the arbiter's 'hello'"),
    ("new", act(1), "'act' before the arbiter's 'hello'"),
    ("greeted", act(1), "'act' as the answer to 'hello', which is 'ready'"),
    ("greeted", Ready(2, "bot"), "'ready' says protocol 2, this arbiter speaks 1"),
    ("idle", READY, "'ready' a second time: it is said once, as the answer to 'hello'"),
    ("idle", act(1), "'act' for ask 1 while no question is open"),
    ("playing", act(1), "'act' for ask 1 while no question is open"),
    ("playing", READY, "'ready' a second time: it is said once, as the answer to 'hello'"),
    ("asked", act(1), "the answer is to ask 1, the open question is ask 2"),
    ("asked", act(3), "the answer is to ask 3, the open question is ask 2"),
    ("asked", READY, "'ready' as the answer to ask 2, which is 'act'"),
    ("answered", act(1), "'act' for ask 1 while no question is open: ask 1 was answered already"),
    ("answered", act(2), "'act' for ask 2 while no question is open: ask 1 was answered already"),
    ("gone", act(1), "'act' for ask 1 while no question is open"),
]


@pytest.mark.parametrize(("state", "message", "why"), WRONG_ANSWERS)
def test_a_wrong_answer_is_the_bots_fault_and_changes_nothing(state, message, why):
    dialogue = brought_to(state)
    with pytest.raises(ProtocolError) as caught:
        dialogue.hear(message)
    assert str(caught.value) == why
    assert dialogue.state == state


WRONG_WORDS = [
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


@pytest.mark.parametrize(("state", "message"), WRONG_WORDS)
def test_a_wrong_word_of_the_arbiter_is_a_bug(state, message):
    dialogue = brought_to(state)
    with pytest.raises(RuntimeError, match="the arbiter"):
        dialogue.say(message)
    assert dialogue.state == state


def test_an_answer_after_a_resignation_is_refused_like_any_other():
    dialogue = brought_to("asked")
    dialogue.hear(Act(2, Resign()))
    with pytest.raises(ProtocolError, match="answered already"):
        dialogue.hear(act(2))

"""A bot tried by its author, without an arbiter."""

import pytest
from msgspec.structs import replace

from protocol.bot import Choice, Player
from protocol.bot.trial import CLASSIC, Trial, position
from protocol.words import BLUE, RED, Deployed, Move, Resign, Revealed

STEP = Move("a4", "a5")


def test_a_trial_asks_refuses_and_ends():
    ends = []

    class Stubborn(Player):
        def choose(self, turn):
            return Choice(turn.legal[0], note=turn.refused)

        def end(self, over):
            ends.append(over.result)

    trial = Trial(Stubborn)
    assert trial.ask([STEP, Resign()]).action == STEP
    again = trial.refuse("no")
    assert (again.ask, again.action, again.note) == (1, Resign(), "no")
    trial.end("win")
    assert ends == ["win"]
    with pytest.raises(ValueError, match="the game is over"):
        trial.ask([STEP])


def test_nothing_can_be_refused_before_it_was_asked():
    with pytest.raises(ValueError, match="nothing was asked"):
        Trial(lambda _turn: STEP).refuse("no")


def test_a_position_tells_each_rank_that_is_known():
    assert position({"a7": "spy"}, {"a4": "flag", "b4": None}, BLUE) == [
        Deployed(BLUE, ["a7"]),
        Deployed(RED, ["a4", "b4"]),
        Revealed(BLUE, "a7", "spy"),
        Revealed(RED, "a4", "flag"),
    ]


def test_a_trial_may_have_rules_of_its_own():
    tiny = replace(CLASSIC, army={"flag": 1})
    assert list(Trial(lambda _turn: STEP, rules=tiny).ask(phase="setup").action.pieces.values()) == ["flag"]


@pytest.mark.parametrize("answer", [None, {"type": "move"}, "a4-a5", Choice(None)])
def test_what_is_no_action_is_named(answer):
    with pytest.raises(TypeError, match=r"the bot returned .* in phase 'turn', where an action belongs"):
        Trial(lambda _turn: answer).ask([STEP])


def test_a_player_without_a_choice_is_named():
    class Idle(Player):
        pass

    with pytest.raises(NotImplementedError, match="Idle has no method choose"):
        Trial(Idle).ask([STEP])

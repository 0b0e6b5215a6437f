"""Testing a bot without an arbiter."""

import pytest
from msgspec.structs import replace

from protocol.bot import Choice, Player
from protocol.bot.trial import CLASSIC, Trial, position
from protocol.words import BLUE, RED, Deployed, Move, Resign, Revealed

STEP = Move("a4", "a5")


def test_a_trial_asks_refuses_and_ends():
    ends = []

    class FirstLegal(Player):
        def choose(self, turn):
            return Choice(turn.legal[0], note=turn.refused)

        def end(self, over):
            ends.append(over.result)

    trial = Trial(FirstLegal)
    assert trial.ask([STEP, Resign()]).action == STEP
    again = trial.refuse("no")
    assert (again.ask, again.action, again.note) == (1, Resign(), "no")
    trial.end("win")
    assert ends == ["win"]
    with pytest.raises(ValueError, match="the game is over"):
        trial.ask([STEP])


def test_there_is_nothing_to_refuse_before_the_first_answer():
    with pytest.raises(ValueError, match="there is no answer to refuse"):
        Trial(lambda _turn: STEP).refuse("no")


def test_a_position_reveals_each_known_rank():
    assert position({"a7": "spy"}, {"a4": "flag", "b4": None}, BLUE) == [
        Deployed(BLUE, ["a7"]),
        Deployed(RED, ["a4", "b4"]),
        Revealed(BLUE, "a7", "spy"),
        Revealed(RED, "a4", "flag"),
    ]


def test_a_trial_can_have_other_rules():
    tiny = replace(CLASSIC, army={"flag": 1})
    assert list(Trial(lambda _turn: STEP, rules=tiny).ask(phase="setup").action.pieces.values()) == ["flag"]


@pytest.mark.parametrize("answer", [None, {"type": "move"}, "a4-a5", Choice(None)])
def test_a_wrong_return_value_is_reported(answer):
    with pytest.raises(
        TypeError,
        match=r"returned .* in phase 'turn' from <lambda> \(line \d+ of .*test_trial.py\); it must return an action",
    ):
        Trial(lambda _turn: answer).ask([STEP])


def test_a_player_without_a_method_choose_is_reported():
    class Idle(Player):
        pass

    with pytest.raises(NotImplementedError, match="Idle needs a method choose"):
        Trial(Idle).ask([STEP])

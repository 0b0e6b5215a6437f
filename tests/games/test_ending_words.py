"""The endings in words: with the names of the bots and the numbers of the game, never as identifiers."""

import re
from typing import get_args

import pytest

from arbiter.games.base import FORFEITS, Ending
from arbiter.languages.sentences import describe_ending, describe_result, write_ending
from protocol.words import SEATS

NAMES = {"red": "hunter", "blue": "my_bot"}
ENDINGS = get_args(Ending)


@pytest.mark.parametrize(
    ("end", "written", "sentence"),
    [
        (("red", "flag_taken", "red took the flag on a10", 57), "flag taken", "hunter wins: it took the flag on a10"),
        (("blue", "flag_taken", "blue took the flag on line:2", 42), "flag taken", "my_bot wins: it took the flag on slot 2"),
        (("red", "flag_taken", "", None), "flag taken", "hunter wins: it took the flag"),
        (("blue", "no_pieces", "red has no movable piece left", 9), "no movable piece left", "my_bot wins: hunter has no movable piece left"),
        ((None, "no_attack_limit", "200 plies without an attack", 312), "200 plies without an attack", "Draw: 200 plies without an attack"),
        ((None, "ply_limit", "400 plies played", 400), "limit of 400 plies reached", "Draw: limit of 400 plies reached"),
        ((None, "agreed", "blue accepted the draw that red offered", 3), "draw agreed", "Draw: my_bot accepted the draw that hunter offered"),
        (("red", "timeout", "blue did not answer: red secret", 3), "out of time", "hunter wins: my_bot ran out of time"),
        ((None, "illegal_setup", "red: 0; blue: 0", 0), "illegal deployment", "Both lose: illegal deployment"),
        (("blue", "walkover", "hunter was withdrawn", 0), "walkover", "my_bot wins: hunter did not play"),
        (("blue", "ruling", "ruling 1: power cut", 5), "by a ruling", "my_bot wins by a ruling"),
        ((None, "double_loss", "ruling 2: both", 5), "both lose by a ruling", "Both lose by a ruling"),
        ((None, "void", "", 5), "voided", "The game does not count"),
    ],
)  # fmt: skip
def test_endings(end, written, sentence):
    assert write_ending(*end[1:]) == written
    assert describe_result(*end, NAMES) == sentence


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("winner", [*SEATS, None])
def test_no_ending_is_an_identifier(winner, ending):
    names = {"red": "one", "blue": "{winner}"}
    texts = [write_ending(ending), describe_ending(winner, ending, names=names), describe_result(winner, ending)]
    assert not any(re.search(r"[a-z]_[a-z]", text) for text in texts)
    assert all(texts)


@pytest.mark.parametrize("ending", sorted(FORFEITS))
def test_the_reason_of_a_forfeit_is_never_part_of_the_clause(ending):
    assert "marshal" not in describe_result("red", ending, "blue: the marshal on b7 cannot jump", 3, NAMES)


def test_bots_with_equal_names_are_called_by_their_seats():
    assert (
        describe_result("red", "resigned", "blue resigned", 3, {"red": "a", "blue": "a"}) == "red wins: blue resigned"
    )

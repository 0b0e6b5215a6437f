"""A person plays every rule set by typing, sees only what a player may know, and can always resign."""

import re
from random import Random

import pytest
import trio
from referee.local_conversations import any_action, player
from referee.real_games import TrackedIsolation, check_game, make_spec

from arbiter.games.catalogue import RULE_SETS
from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game
from arbiter.show.person.person import Person
from protocol.bot import Choice

BRIEF = Overrides(no_attack_plies=0, max_plies=30)
NUMBER = re.compile(r"^ *(\d+) ", re.MULTILINE)


class Typist:
    """A terminal; a function returns the next line for a prompt and the text shown since the last line."""

    def __init__(self, types):
        self._types = types
        self.shown = []
        self._since = []

    def show(self, text):
        self.shown.append(text)
        self._since.append(text)

    def ask(self, prompt):
        since, self._since = "\n".join(self._since), []
        self.shown.append(prompt)
        return self._types(prompt, since)


def script(*lines):
    """Type these lines, then end the input."""
    waiting = list(lines)

    def types(prompt, since):
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    return types


def played(types, *, rules="original", seat="red", overrides=BRIEF, lang="en", against=any_action):
    """Play a game of a person against a bot; return the game and the text shown to the person."""
    typist, isolation = Typist(types), TrackedIsolation()
    person = Person(typist, "somebody", lang, colour=False)
    programs = (person.converse, player(against)) if seat == "red" else (player(against), person.converse)
    report = trio.run(play_game, make_spec(*programs, rules=rules, overrides=overrides), isolation)
    return check_game(report, isolation), "\n".join(typist.shown)


def picker(seed):
    """Type random numbers from the list of all moves."""
    numbers = Random(seed)

    def types(prompt, since):
        if "Enter" in prompt:
            return ""
        if "list has" in since or not NUMBER.search(since):
            return "moves"
        return numbers.choice(NUMBER.findall(since))

    return types


@pytest.mark.parametrize("seat", ["red", "blue"])
@pytest.mark.parametrize("rules", [rules.name for rules in RULE_SETS])
def test_every_rule_set_can_be_played_by_numbers(rules, seat):
    game, shown = played(picker(5), rules=rules, seat=seat)
    assert game.result.ending not in {"crash", "protocol", "illegal_action"}
    assert f"{rules}: you are {seat}" in shown


def test_a_deployment_is_changed_until_enter():
    game, shown = played(script("a1 d4", "new", "a1-a2", "a1 e5", "a1", "zz", "", "resign"))
    drawn = re.findall(r"^ 1 .*$", shown, re.MULTILINE)
    assert len(set(drawn[:4])) == 4  # drawn, swapped, drawn again, swapped
    assert shown.count("type two of your squares such as: a1 b2; `help`") == 3
    assert game.outcome == ("resigned", "blue")


def test_swapping_swaps():
    first, _ = played(script("", "resign"))
    swapped, _ = played(script("a1 j4", "", "resign"))
    before, after = first.acts[0].action.pieces, swapped.acts[0].action.pieces
    assert (after["a1"], after["j4"]) == (before["j4"], before["a1"])
    assert {**after, "a1": 0, "j4": 0} == {**before, "a1": 0, "j4": 0}


def test_the_end_of_the_input_resigns():
    game, _ = played(script())
    assert game.outcome == ("resigned", "blue")
    assert [type(act.action).__name__ for act in game.acts] == ["Deploy", "Deploy", "Resign"]


def test_every_typed_line_gets_a_reply():
    lines = ("", "c1 c9", "nonsense", "help", "99", "accept", "moves zz", "board", "moves")
    game, shown = played(script(*lines, "resign"))
    assert "'c1 c9' is not possible now; `moves` lists your actions" in shown
    assert "a4 a5     move from a4 to a5, or attack a5" in shown
    assert re.search(r"the last list has the numbers 1 to \d+", shown)
    assert "there are no actions for 'zz'" in shown
    assert "there is no draw offer to accept" in shown
    assert game.outcome == ("resigned", "blue")


def test_a_draw_is_offered_with_the_next_move():
    game, _ = played(script("", "draw", "moves", "1"))
    assert [act.offer_draw for act in game.acts if act.seat == "red"][:2] == [False, True]


def test_pieces_have_the_names_of_the_language():
    _, shown = played(picker(1), rules="card-game", lang="de")
    assert "deine Hand: 0 " in shown
    assert any(name in shown for name in ("Mineur", "Aufklärer", "Bombe"))


def test_cards_are_laid_from_left_to_right():
    game, shown = played(script("0 1 2", "0 0 1 2 3", "7 6 5 4 99", "7 6 5 4 3"), rules="card-game")
    assert shown.count("type 5 different numbers from 0 to") == 3
    assert game.acts[0].action.line == ["hand:7", "hand:6", "hand:5", "hand:4", "hand:3"]


def test_the_persons_side_is_at_the_bottom_and_captured_pieces_are_listed():
    _, shown = played(picker(3), seat="blue", overrides=Overrides(no_attack_plies=0, max_plies=120))
    board = next(text for text in reversed(shown.split("\n  ")) if "lost" in text)
    assert board.split()[:2] == ["j", "i"]
    assert "lost  red blue" in shown
    assert re.search(r"all +\d", shown)
    assert max(map(len, shown.splitlines())) <= 130


def test_a_draw_offer_is_accepted():
    def offers(turn):
        return Choice(turn.legal[0], offer_draw=True)

    game, shown = played(script("", "accept"), seat="blue", against=offers)
    assert "red offers a draw" in shown
    assert game.outcome == ("agreed", None)

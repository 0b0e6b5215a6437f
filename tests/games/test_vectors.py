"""Hand-made positions and recorded games of other programs; see tests/data/vectors/README.md."""

import json
from pathlib import Path

import pytest
from drawing import drawn

from arbiter.games.base import IllegalAction
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from protocol.words import Attacked, Deploy, Move, Moved, Removed, Revealed

VECTORS = Path(__file__).parents[1] / "data" / "vectors"
# The other recorded games ended by an error of a program.
ENDINGS = {"Captured the flag": "flag_taken", "Destroyed all mobile enemy pieces": "no_pieces"}
NO_LIMITS = {"no_attack_plies": 0, "max_plies": 0}


def read_lines(name):
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def move_of(text):
    return Move(*text.replace("x", "-").split("-"))


def start_from(position, **overrides):
    game = find_game("original", overrides=Overrides(**NO_LIMITS | overrides), position=position)
    return game.start(SeededChance(0))


def act(play, text):
    """Play a move; if it is refused, fail with the ply and the position."""
    try:
        return play.act(play.to_act[0], move_of(text))
    except (IllegalAction, IndexError) as refused:
        pytest.fail(f"ply {play.plies + 1} {text}: {refused or play.outcome}\n{drawn(play)}")


def refusing_rule(play, text):
    try:
        play.copy().act(play.to_act[0], move_of(text))
    except IllegalAction as refused:
        return refused.rule
    return None


@pytest.mark.parametrize("case", json.loads((VECTORS / "repetition.json").read_text()), ids=lambda case: case["id"])
def test_hand_made_positions(case):
    play = start_from(case["position"], two_squares=case["limit"], more_squares=case["scope"])
    assert play.first == case["first"]
    for text in case["moves"]:
        act(play, text)
    for asked in case["probes"]:
        assert refusing_rule(play, asked["move"]) == asked["reason"], f"{asked}\n{drawn(play)}"
        assert (move_of(asked["move"]) in play.legal_actions(play.to_act[0])) == asked["legal"]


@pytest.mark.parametrize("game", read_lines("chase_games.jsonl"), ids=lambda game: Path(game["id"]).stem)
def test_chase_games_of_an_independent_engine(game):
    play = start_from(game["position"])
    without = start_from(game["position"], more_squares="off")
    for text in game["moves"]:
        act(play, text)
        act(without, text)
    assert refusing_rule(play, game["refused"]) == game["rule"] == "more_squares", drawn(play)
    assert move_of(game["refused"]) not in play.legal_actions(play.to_act[0])
    assert refusing_rule(without, game["refused"]) is None
    assert move_of(game["refused"]) in without.legal_actions(without.to_act[0])


@pytest.mark.parametrize("game", read_lines("recorded_games.jsonl"), ids=lambda game: game["id"])
def test_tournament_games_of_real_programs(game):
    overrides = Overrides(two_squares=0, more_squares="off", **NO_LIMITS)
    play = find_game("original", overrides=overrides).start(SeededChance(0))
    for seat in ("red", "blue"):
        play.act(seat, Deploy(pieces=game[seat]))
    for text, outcome in zip(game["moves"], game["outcomes"], strict=True):
        facts = [one.fact for one in act(play, text)]
        assert result_of(facts) == tuple(outcome), f"ply {play.plies} {text}\n{drawn(play)}"
    assert (play.outcome.ending if play.outcome else None) == ENDINGS.get(game["end"]), game["end"]


def result_of(facts):
    """Describe the result of a move in the words of the recorded games."""
    if isinstance(facts[0], Moved):
        return ("ok",)
    attack, *rest = facts
    assert isinstance(attack, Attacked)
    ranks = tuple(fact.rank for fact in rest if isinstance(fact, Revealed))
    lost = {fact.place for fact in rest if isinstance(fact, Removed)}
    if ranks[1] == "flag":
        return ("victory_flag",)
    word = "bothdie" if len(lost) > 1 else "kills" if attack.dst in lost else "dies"
    return (word, *ranks)

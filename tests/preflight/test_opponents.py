"""The traps: in every rule set with a repetition rule, a position tempts a bot to break it but has legal moves."""

from collections import Counter

import pytest
from referee.real_games import play

from arbiter.games.base import IllegalAction
from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import SeededChance
from arbiter.preflight.opponents import MORE_SQUARES_TRAP, RANDOM_OPPONENT, TWO_SQUARES_TRAP, make_opponent
from protocol.words import RED, Move

PLIES = 120
TRAPS = {trap.rule: trap for trap in (TWO_SQUARES_TRAP, MORE_SQUARES_TRAP)}
CASES = [
    (rule, ruleset.name)
    for rule, trap in TRAPS.items()
    for ruleset in RULE_SETS
    if trap.is_in(find_game(ruleset.name).describe(RED))
]
RULE_SETS_WITH_RULE = {
    "two_squares": {ruleset.name for ruleset in RULE_SETS} - {"card-game"},
    "more_squares": {ruleset.name for ruleset in RULE_SETS} - {"card-game", "us", "original-2000"},
}


def play_from_position(trap, rules, bot):
    return play(bot, trap.opponent, rules=rules, overrides=trap.overrides(PLIES), position=trap.position)


@pytest.mark.parametrize("rule", TRAPS)
def test_a_trap_recognises_the_rule_sets_that_have_its_rule(rule):
    assert {name for one, name in CASES if one == rule} == RULE_SETS_WITH_RULE[rule]


@pytest.mark.parametrize(("rule", "rules"), CASES)
def test_a_bot_that_plays_legal_moves_is_tempted_and_plays_to_the_end(rule, rules):
    trap = TRAPS[rule]
    played = play_from_position(trap, rules, RANDOM_OPPONENT)
    assert played.result.ending in ("ply_limit", "no_moves", "no_pieces")
    assert trap.count_temptations(played.game.record) > 0


@pytest.mark.parametrize("rule", TRAPS)
def test_the_army_fits_the_position(rule):
    trap = TRAPS[rule]
    game = find_game("original", (), trap.overrides(PLIES), trap.position, first=RED)
    start = game.start(SeededChance(0))
    for seat in ("red", "blue"):
        ranks = [piece.rank for piece in start.position.placed_pieces() if piece.seat == seat]
        assert dict(Counter(ranks)) == game.describe(RED).army


def chase(turn):
    """Chase the other piece around the ring; otherwise play any legal move."""
    ring = ["a1", "b1", "b2", "a2"]
    ahead = {Move(src, dst) for src, dst in zip(ring, ring[1:] + ring[:1], strict=True)}
    return next((action for action in turn.legal if action in ahead), turn.legal[0])


def test_a_chase_around_the_ring_returns_to_its_start():
    played = play_from_position(MORE_SQUARES_TRAP, "original", make_opponent(chase))
    assert MORE_SQUARES_TRAP.count_temptations(played.game.record) > PLIES // 20
    red = [(act.action.src, act.action.dst) for act in played.acts if act.seat == RED]
    assert red[:4] == [("a1", "b1"), ("b1", "b2"), ("b2", "a2"), ("a2", "a1")]
    assert red[4] != ("a1", "b1")


def test_there_are_no_temptations_if_the_rule_is_off():
    trap = TWO_SQUARES_TRAP
    played = play(RANDOM_OPPONENT, trap.opponent, overrides=MORE_SQUARES_TRAP.overrides(PLIES), position=trap.position)
    assert trap.count_temptations(played.game.record) == 0


def test_a_forbidden_step_is_refused_by_the_rule_of_the_trap():
    trap = TWO_SQUARES_TRAP
    game = find_game("original", (), trap.overrides(PLIES), trap.position, first=RED).start(SeededChance(0))
    for red, blue in (("a1-b1", "a10-b10"), ("b1-a1", "b10-c10"), ("a1-b1", "c10-b10")):
        game.act("red", Move(*red.split("-")))
        game.act("blue", Move(*blue.split("-")))
    with pytest.raises(IllegalAction) as refused:
        game.act("red", Move("b1", "a1"))
    assert refused.value.rule == "two_squares"

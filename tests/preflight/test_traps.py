"""The traps: in every rule set that knows a repetition rule its position tempts to break it, and can be played on."""

import pytest
from referee.rig import play

from arbiter.errors import IllegalAction
from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import Seeded
from arbiter.preflight.opponents import ANYTHING, opponent
from arbiter.preflight.traps import MORE_SQUARES, TWO_SQUARES
from protocol.words import RED, Move

PLIES = 120
TRAPS = {trap.rule: trap for trap in (TWO_SQUARES, MORE_SQUARES)}
CASES = [
    (rule, ruleset.name)
    for rule, trap in TRAPS.items()
    for ruleset in RULE_SETS
    if trap.is_in(find_game(ruleset.name).terms(RED))
]
KNOWN = {
    "two_squares": {ruleset.name for ruleset in RULE_SETS} - {"card-game"},
    "more_squares": {ruleset.name for ruleset in RULE_SETS} - {"card-game", "us", "original-2000"},
}


def from_position(trap, rules, bot):
    return play(bot, trap.opponent, rules=rules, overrides=trap.overrides(PLIES), position=trap.position)


@pytest.mark.parametrize("rule", TRAPS)
def test_the_rule_sets_that_know_a_rule_are_known(rule):
    assert {name for one, name in CASES if one == rule} == KNOWN[rule]


@pytest.mark.parametrize(("rule", "rules"), CASES)
def test_who_chooses_from_what_is_legal_is_tempted_and_plays_to_the_end(rule, rules):
    trap = TRAPS[rule]
    played = from_position(trap, rules, ANYTHING)
    assert played.result.ending in ("ply_limit", "no_moves", "no_pieces")
    assert trap.temptations(played.report.record) > 0


@pytest.mark.parametrize("rule", TRAPS)
def test_the_army_is_what_stands_there(rule):
    trap = TRAPS[rule]
    game = find_game("original", (), trap.overrides(PLIES), trap.position, first=RED)
    play_ = game.start(Seeded(0))
    for seat in ("red", "blue"):
        standing = [piece.rank for piece in play_.standings() if piece.seat == seat]
        assert {rank: standing.count(rank) for rank in set(standing)} == game.terms(RED).army


def chase(turn):
    """Go round after whoever runs; else anything."""
    ring = ["a1", "b1", "b2", "a2"]
    ahead = {Move(src, dst) for src, dst in zip(ring, ring[1:] + ring[:1], strict=True)}
    return next((action for action in turn.legal if action in ahead), turn.legal[0])


def test_a_chase_round_the_ring_comes_to_where_it_began():
    played = from_position(MORE_SQUARES, "original", opponent(chase))
    assert MORE_SQUARES.temptations(played.report.record) > PLIES // 20
    red = [(act.action.src, act.action.dst) for act in played.acts if act.seat == RED]
    assert red[:4] == [("a1", "b1"), ("b1", "b2"), ("b2", "a2"), ("a2", "a1")]
    assert red[4] != ("a1", "b1")


def test_no_temptation_is_seen_where_the_rule_is_off():
    trap = TWO_SQUARES
    played = play(ANYTHING, trap.opponent, overrides=MORE_SQUARES.overrides(PLIES), position=trap.position)
    assert trap.temptations(played.report.record) == 0


def test_a_forbidden_step_is_refused_by_the_trap_s_own_rule():
    trap = TWO_SQUARES
    game = find_game("original", (), trap.overrides(PLIES), trap.position, first=RED).start(Seeded(0))
    for red, blue in (("a1-b1", "a10-b10"), ("b1-a1", "b10-c10"), ("a1-b1", "c10-b10")):
        game.act("red", Move(*red.split("-")))
        game.act("blue", Move(*blue.split("-")))
    with pytest.raises(IllegalAction) as refused:
        game.act("red", Move("b1", "a1"))
    assert refused.value.rule == "two_squares"

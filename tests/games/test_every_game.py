"""Properties of every rule set of the catalogue, on random games from a seed."""

from collections import Counter
from itertools import combinations, permutations, product
from random import Random

import msgspec
import pytest
from drawing import SQUARES, draw, drawn, start
from games.play_state import all_ranks, freeze
from games.random_players import RepetitivePlayer, random_action, start_game
from games.reference import Reference

from arbiter.games.base import FORFEITS, IllegalAction
from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from protocol.words import (
    BLUE,
    OPPONENT,
    RED,
    SEATS,
    AcceptDraw,
    Attack,
    Dealt,
    Deploy,
    Fill,
    Filled,
    Infiltrate,
    Look,
    Move,
    PeekHand,
    PeekLine,
    Regroup,
    Rescue,
    Resign,
    Revealed,
    Stop,
    Strike,
)

every_rule_set = pytest.mark.parametrize("rules", [ruleset.name for ruleset in RULE_SETS])
BY_DEFAULT = Overrides(max_plies=1500)
ALL_MOVES = [Move(src, dst) for src, dst in product([*SQUARES, "k1", "a0", "a11", ""], repeat=2)]
LINE = [f"line:{slot}" for slot in range(6)]
HAND = [f"hand:{number}" for number in range(4)]
SLOTS = [[], *([slot] for slot in LINE), *(list(pair) for pair in combinations(LINE, 2)), LINE[:3]]
FILLS = [
    Fill(dict(zip(slots, places, strict=True)))
    for count in range(4)
    for slots in combinations(LINE, count)
    for places in permutations(HAND, count)
]
ALL_CARD_ACTS = [
    *(Attack(src, dst) for src, dst in product([*LINE, "hand:0", ""], repeat=2)),
    *(act(src) for act in (PeekHand, Regroup) for src in [*LINE, "hand:0"]),
    *(PeekLine(src, slots) for src in LINE for slots in SLOTS),
    *FILLS,
]
PLACES = [*SQUARES, *LINE]
CHECKED_PLIES = {1, 12, 60, 240}
written_as = msgspec.json.Encoder().encode


def games(rules, seeds, overrides=BY_DEFAULT):
    """Play random games to the end; yield the play before each action, the action and its facts."""
    for seed in seeds:
        play, _ = start_game(rules, seed, overrides=overrides)
        rng = Random(seed)
        while play.to_act:
            action = random_action(play, rng)
            yield play, action
            play.act(play.to_act[0], action)


@every_rule_set
def test_exactly_the_legal_moves_are_accepted_and_a_refusal_changes_nothing(rules):
    for number, (play, _) in enumerate(games(rules, range(1))):
        if number in CHECKED_PLIES:
            (seat,) = play.to_act
            assert_exactly_the_legal_actions_are_accepted(play, seat)


def assert_exactly_the_legal_actions_are_accepted(play, seat):
    listed = play.legal_actions(seat)
    legal = {written_as(action) for action in listed}
    assert len(legal) == len(listed), f"an action is listed twice\n{play!r}"
    before = freeze(play)
    for action in listed:
        play.copy().act(seat, action)
    for action in (*ALL_MOVES, *ALL_CARD_ACTS):
        if written_as(action) not in legal:
            refuses(play, seat, action)
        refuses(play, OPPONENT[seat], action)
    assert freeze(play) == before, f"a refusal changed something\n{play!r}"


def refuses(play, seat, action):
    try:
        play.act(seat, action)
    except IllegalAction as refused:
        assert refused.ending in FORFEITS  # noqa: PT017 - a raises block for each of ten thousand moves is slow
    else:
        pytest.fail(f"{seat} may not {action}\n{play!r}")


FOREIGN = [
    Deploy(pieces={"a1": "flag"}),
    Deploy(line=["hand:0"]),
    Look("a1", "a2"),
    Strike("a1", "a2"),
    Infiltrate("a1", "a2", "spy"),
    Infiltrate("a1", "a2", "nonsense"),
    Rescue("scout", "a1"),
    Stop(),
    Attack("line:0", "line:1"),
    PeekHand("line:0"),
    Resign(),
    AcceptDraw(),
]


@every_rule_set
@pytest.mark.parametrize("action", FOREIGN, ids=lambda action: type(action).__name__)
def test_an_action_that_is_not_listed_is_refused_in_any_phase(rules, action):
    waiting = find_game(rules).start(SeededChance(3))
    playing, _ = start_game(rules, 3)
    for play in (waiting, playing):
        before = freeze(play)
        for seat in SEATS:
            if action not in play.legal_actions(seat):
                with pytest.raises(IllegalAction):
                    play.act(seat, action)
        assert freeze(play) == before


@every_rule_set
def test_ranks_appear_only_in_revealed_facts_for_one_player_and_are_true(rules):
    """A player gets no facts about its own ranks except of new cards."""
    for play, action in games(rules, range(2)):
        (seat,) = play.to_act
        assert play.outcome is None
        assert play.legal_actions(OPPONENT[seat]) == []
        twin, before = play.copy(), all_ranks(play)
        facts = twin.act(seat, action)
        after = all_ranks(twin)
        is_deal = any(isinstance(one.fact, Dealt) for one in facts)
        for one in facts:
            if isinstance(one.fact, Revealed):
                piece = one.fact.seat, one.fact.place
                assert one.to in ((RED,), (BLUE,))
                is_own = one.to == (one.fact.seat,)
                assert not is_own or is_deal or piece not in before
                if one.fact.place.startswith("hand") and not is_own:  # a look shows a hand in alphabetical order
                    held = [rank for (owner, place), rank in before.items() if owner == piece[0] and "hand" in place]
                    assert one.fact.rank == sorted(held)[int(one.fact.place.partition(":")[2])]
                    continue
                assert one.fact.rank in ((after.get(piece),) if is_own else (before.get(piece), after.get(piece)))
            else:
                assert one.to == SEATS or isinstance(one.fact, Filled)
                assert not hasattr(one.fact, "rank") or one.fact.__struct_config__.tag == "guessed"
        assert twin.to_act or twin.outcome.ending not in FORFEITS
        assert twin.to_act or twin.legal_actions(RED) == twin.legal_actions(BLUE) == []
        assert twin.plies <= BY_DEFAULT.max_plies


@every_rule_set
def test_deployments_become_public_together_and_reveal_no_rank(rules):
    for seed in range(3):
        _, (first, second) = start_game(rules, seed)
        assert first == ()
        assert [(one.fact.seat, one.to) for one in second] == [(RED, SEATS), (BLUE, SEATS)]
        assert b"rank" not in msgspec.json.encode(second)
        for one in second:
            assert one.fact.places == sorted(one.fact.places, key=PLACES.index)


@every_rule_set
def test_the_same_seed_gives_the_same_facts(rules):
    assert played(rules, 5) == played(rules, 5)
    assert played(rules, 5) != played(rules, 6)


def played(rules, seed):
    play, facts = start_game(rules, seed, overrides=Overrides(max_plies=300))
    rng = Random(seed)
    while play.to_act:
        facts.append(play.act(play.to_act[0], random_action(play, rng)))
    return msgspec.json.encode((facts, play.outcome))


@every_rule_set
def test_a_copy_is_independent_and_continues_in_the_same_way(rules):
    for play, _ in games(rules, [8]):
        if play.plies % 150 == 0:
            assert_copy_is_independent(play, play.plies)
    assert_copy_is_independent(play, play.plies)


def assert_copy_is_independent(play, seed):
    before = freeze(play)
    twins = play.copy(), play.copy()
    assert freeze(twins[0]) == before
    assert further(twins[0], Random(seed), 30) == further(twins[1], Random(seed), 30)
    assert freeze(play) == before


def further(play, rng, plies):
    facts = []
    while play.to_act and len(facts) < plies:
        facts.append(play.act(play.to_act[0], random_action(play, rng)))
    return facts


# --- the engine against the slow reference --------------------------------------------------------


def reference_of(play, **limits):
    names = play.tables.ruleset.board.names
    pieces = {names[piece.square]: (piece.seat, piece.rank) for piece in play.position.placed_pieces()}
    return Reference(pieces, play.first, **limits)


def assert_agreed(play, reference, choose, refused):
    """Play to the end with both; compare legal moves, moves refused by repetition, removed pieces and the ending."""
    while play.to_act:
        (seat,) = play.to_act
        legal, forbidden = reference.sorted_moves()
        assert sorted((move.src, move.dst) for move in play.legal_actions(seat)) == legal, drawn(play)
        for (src, dst), rules in forbidden.items():
            assert refusing_rule(play, seat, Move(src, dst)) == rules[0], f"{src}-{dst}\n{drawn(play)}"
            refused[rules[0]] += 1
        move = choose(play)
        facts = play.act(seat, move)
        lost = reference.play(move.src, move.dst)
        assert sum(type(item.fact).__name__ == "Removed" for item in facts) == len(lost)
        outcome = play.outcome and (play.outcome.winner, play.outcome.ending)
        assert outcome == reference.ending(), drawn(play)


def refusing_rule(play, seat, move):
    with pytest.raises(IllegalAction) as caught:
        play.act(seat, move)
    return caught.value.rule


@pytest.mark.parametrize("rules", [ruleset.name for ruleset in RULE_SETS if not ruleset.powers])
@pytest.mark.slow(keep=1)
def test_whole_games_against_the_reference(rules):
    ruleset = find_game(rules)
    play, _ = start_game(rules, 11, overrides=Overrides(max_plies=150))
    limits = {"two_squares": ruleset.two_squares, "more_squares": ruleset.more_squares}
    reference = reference_of(play, no_attack_plies=ruleset.no_attack_plies, max_plies=150, **limits)
    rng = Random(11)
    assert_agreed(play, reference, lambda play: random_action(play, rng), Counter())


def skirmish(rng):
    """Put a few pieces close together in a corner, so that they meet, evade and return."""
    squares = [f"{file}{row}" for file in "abcdef" for row in (1, 2, 3, 4)]
    rng.shuffle(squares)
    pieces = {"j1": (RED, "flag"), "j10": (BLUE, "flag")}
    for _ in range(rng.choice((1, 2, 2, 3))):
        for seat in SEATS:
            pieces[squares.pop()] = seat, rng.choice(("sergeant", "sergeant", "scout", "lieutenant"))
    if rng.random() < 0.5:
        pieces[squares.pop()] = rng.choice(SEATS), "bomb"
    return pieces


FIRST = {(3, "chase"): 0, (1, "book"): 1, (2, "game"): 2, (0, "off"): 3}
LIMITS = sorted(product((0, 1, 2, 3, 5), ("off", "chase", "game", "book")), key=lambda limits: FIRST.get(limits, 4))


@pytest.mark.parametrize(("limit", "scope"), LIMITS)
@pytest.mark.heavy(keep=2)
@pytest.mark.slow(keep=len(FIRST))
def test_small_games_against_the_reference(limit, scope):
    refused = Counter()
    for seed in range(6):
        rng = Random(f"{limit} {scope} {seed}")
        limits = {"two_squares": limit, "more_squares": scope, "no_attack_plies": 0, "max_plies": 120}
        play = start(draw(skirmish(rng)), first=rng.choice(SEATS), **limits)
        assert_agreed(play, reference_of(play, **limits), RepetitivePlayer(rng, attacks=0.01).choose, refused)
    assert (refused["two_squares"] > 0) == (limit > 0), "these games do not test the two-squares rule"
    assert (refused["more_squares"] > 0) == (scope != "off"), "these games do not test the more-squares rule"

"""Properties of every game with powers and every combination of options, on random close positions from a seed."""

from itertools import combinations, product
from random import Random

import msgspec
import pytest
from drawing import SQUARES, drawn
from games.close_battles import every_game, start_battle
from games.play_state import freeze
from games.power_text import RANKS
from games.random_players import PowerPlayer, start_game

from arbiter.games.base import FORFEITS, IllegalAction
from arbiter.games.board.rulesets.us import US
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from arbiter.record import ActEntry, GameHeader, GameResult, RecordWriter
from arbiter.verify import verify
from protocol.view import new_knowledge
from protocol.words import OPPONENT, SEATS, Infiltrate, Look, Move, Placed, Rescue, Revealed, Stop, Strike

STRANGE = ["k1", "a0", "", "e\u00e9" * 30]
PLACES = [*SQUARES, *STRANGE]
GUESSES = [*RANKS, "admiral", ""]


def melees(rules, options, seeds):
    """Play games from close positions; yield the play before each action, the seat and the action."""
    for seed in seeds:
        play, _, _, rng = start_battle(rules, options, seed)
        chooser = PowerPlayer(rng)
        while play.to_act:
            (seat,) = play.to_act
            action = chooser.choose(play)
            yield play, seat, action
            play.act(seat, action)


def conceivable(play, seat, rng_place):
    """Return possible and impossible actions: from the seat's own pieces and some other places, and rescues of all kinds."""
    names = play.tables.ruleset.board.names
    own = [names[piece.square] for piece in play.position.placed_pieces() if piece.seat == seat]
    sources = [*own, rng_place, *STRANGE[:2]]
    for src, dst in product(sources, PLACES):
        yield Move(src, dst)
        yield Look(src, dst)
        yield Strike(src, dst)
        yield Infiltrate(src, dst, "spy")
    near = [(action.src, action.dst) for action in play.legal_actions(seat) if isinstance(action, Infiltrate)]
    yield from (Infiltrate(src, dst, rank) for (src, dst), rank in product(near, GUESSES))
    yield from (Rescue(rank, dst) for rank, dst in product(GUESSES, PLACES))
    yield Stop()


@every_game
def test_exactly_the_listed_actions_are_accepted_and_a_refusal_changes_nothing(rules, options):
    looked = set()
    for number, (play, seat, _) in enumerate(melees(rules, options, range(12))):
        if number % 100 == 0 or (play.phase, play.position.two_squares.limit) not in looked:
            looked.add((play.phase, play.position.two_squares.limit))
            assert_exactly_the_listed(play, seat, SQUARES[number % 100])
    assert {phase for phase, _ in looked} == {"turn", *(power.phase for power in play.tables.ruleset.powers)}


def assert_exactly_the_listed(play, seat, somewhere):
    listed = play.legal_actions(seat)
    keys = {msgspec.json.encode(action) for action in listed}
    assert len(keys) == len(listed), f"an act is listed twice\n{drawn(play)}"
    assert play.legal_actions(OPPONENT[seat]) == []
    before = freeze(play)
    for action in listed:
        play.copy().act(seat, action)
    for action in conceivable(play, seat, somewhere):
        if msgspec.json.encode(action) not in keys:
            refuses(play, seat, action)
    for action in listed:
        refuses(play, OPPONENT[seat], action)
    assert freeze(play) == before, f"a refusal changed something\n{drawn(play)}"


def refuses(play, seat, action):
    try:
        play.act(seat, action)
    except IllegalAction as refused:
        assert refused.ending in ("illegal_action", "immovable_moved")  # noqa: PT017 - thousands of raises blocks are slow
    else:
        pytest.fail(f"{seat} may not {action}\n{drawn(play)}")


@every_game
def test_ranks_appear_only_in_revealed_facts_for_the_opponent_and_are_true(rules, options):
    for play, seat, action in melees(rules, options, range(6)):
        twin = play.copy()
        before, facts = ranks_of(twin), twin.act(seat, action)
        for one in facts:
            if isinstance(one.fact, Revealed):
                standing = ranks_of(twin) if isinstance(facts[0].fact, Placed) else before
                assert standing[one.fact.place] == (one.fact.seat, one.fact.rank)
                assert one.to == (OPPONENT[one.fact.seat],)
            else:
                assert one.to == SEATS
                assert one.fact.__struct_config__.tag == "guessed" or not hasattr(one.fact, "rank")


def ranks_of(play):
    names = play.tables.ruleset.board.names
    return {names[piece.square]: (piece.seat, piece.rank) for piece in play.position.placed_pieces()}


@every_game
def test_a_copy_is_independent_in_every_phase(rules, options):
    for play, seat, _ in melees(rules, options, range(2)):
        before = freeze(play)
        one, other = play.copy(), play.copy()
        assert freeze(one) == before
        for action in play.legal_actions(seat)[:3]:
            assert one.copy().act(seat, action) == other.copy().act(seat, action)
        while one.to_act:
            one.act(one.to_act[0], one.legal_actions(one.to_act[0])[0])
        assert freeze(play) == freeze(other) == before


@every_game
def test_verify_agrees(rules, options):
    for seed in range(8):
        data = record_of(rules, options, seed)
        verdict = verify(data)
        assert verdict.ok, verdict
        assert record_of(rules, options, seed) == data


def record_of(rules, options, seed):
    """Write the record of a whole game."""
    play, _, limits, rng = start_battle(rules, options, seed)
    position, overrides = repr(play.position), Overrides(**limits)
    play = find_game(rules, options, overrides, position, first=play.first).start(SeededChance(seed))
    header = GameHeader(
        rules=rules,
        options=options,
        overrides=overrides,
        first=play.first,
        position=position,
        seed=seed,
        facts=play.opening,
    )
    writer, chooser = RecordWriter(header), PowerPlayer(rng)
    while play.to_act:
        (seat,) = play.to_act
        action = chooser.choose(play)
        writer.act(ActEntry(seat=seat, action=action, facts=play.act(seat, action)))
    outcome = play.outcome
    return writer.finish(
        GameResult(winner=outcome.winner, ending=outcome.ending, reason=outcome.reason, plies=play.plies)
    )


@pytest.mark.parametrize("options", [chosen for size in range(5) for chosen in combinations(US.offers, size)])
def test_whole_games_with_every_combination_of_options(options):
    play, _ = start_game("us", 3, options=options, overrides=Overrides(no_attack_plies=0, max_plies=600))
    chooser, phases = PowerPlayer(Random(3)), set()
    while play.to_act:
        phases.add(play.phase)
        play.act(play.to_act[0], chooser.choose(play))
    assert play.outcome.ending not in FORFEITS
    assert phases <= {"turn", *({"rescue"} & set(options))}


# --- what a player knows by the facts alone ---------------------------------------------------------


@every_game
def test_knowledge_never_contradicts_the_board(rules, options):
    for seed in range(12):
        play, _, _, rng = start_battle(rules, options, seed)
        chooser = PowerPlayer(rng)
        knowledge = {seat: new_knowledge(find_game(rules, options).describe(play.first), seat) for seat in SEATS}
        update(knowledge, play.opening)
        check(play, knowledge)
        while play.to_act:
            (seat,) = play.to_act
            action = chooser.choose(play)
            facts = play.act(seat, action)
            knowledge[seat].note_action(action)
            update(knowledge, facts)
            check(play, knowledge)


def update(knowledge, facts):
    for one in facts:
        for seat in one.to:
            knowledge[seat].note_fact(one.fact)


def check(play, knowledge):
    """Compare each view with the board: all own ranks are known, and exactly the revealed ranks of the enemy."""
    names = play.tables.ruleset.board.names
    standing = {names[square]: piece for square, piece in enumerate(play.position.board) if piece}
    for seat, viewed in knowledge.items():
        view = viewed.view()
        assert {piece.place for piece in view.pieces} == set(standing)
        for piece in view.pieces:
            number = standing[piece.place]
            known = piece.seat == seat or number in play.shown
            assert piece.rank == (play.position.rank_id(number) if known else None), f"{seat}: {piece}\n{drawn(play)}"
        for owner in SEATS:
            lost = [piece for piece in play.position.captured if (piece > 100) == (owner == "blue")]
            known = [
                play.position.rank_id(piece) if owner == seat or piece in play.shown else "unknown" for piece in lost
            ]
            assert view.captured[owner] == {rank: known.count(rank) for rank in known}

"""Games from what one seat knows: they agree with it, and each possibility has the same probability."""

import copy
import pickle
from collections import Counter
from contextlib import suppress
from itertools import combinations, permutations
from math import sqrt
from random import Random

import pytest
from games.random_players import PowerPlayer, RepetitivePlayer, random_action

from arbiter.api import GameState, IllegalAction, Overrides, start_game
from arbiter.beliefs.assignments import Assignments
from arbiter.games.catalogue import RULE_SETS
from arbiter.record import read_record
from arbiter.verify import verify_record
from protocol.words import OPPONENT, SEATS, Deploy, Infiltrate

VARIANTS = [
    pytest.param(ruleset.name, options, id="+".join((ruleset.name, *options)))
    for ruleset in RULE_SETS
    for count in range(len(ruleset.offers) + 1)
    for options in combinations(ruleset.offers, count)
]
SHORT = Overrides(max_plies=250)


class Seated:
    """A seat, with the knowledge from its facts and actions."""

    def __init__(self, state, seat):
        self.known = GameState.from_view(state.rules, seat, state.facts(seat))
        self.seat = seat
        self.noted = len(state.facts(seat))

    def look(self, state):
        facts = state.facts(self.seat)
        self.known.note_facts(facts[self.noted :])
        self.noted = len(facts)


def choose(state, player, rng):
    (seat, *_) = state.to_act
    if not state.legal_actions(seat):
        return state.random_deployment(seat, rng)
    play = state._contest.play
    return random_action(play, rng) if player is None or rng.random() < 0.1 else player.choose(play)


def play_game(rules, options, seed, look):
    """Play a random game; `look` is called with the game and what the seat to act knows."""
    rng = Random(seed)
    state = start_game(rules, options=options, overrides=SHORT, seed=seed)
    seats = {seat: Seated(state, seat) for seat in SEATS}
    player = rng.choice([None] if rules == "card-game" else [None, RepetitivePlayer(rng), PowerPlayer(rng)])
    while state.to_act:
        one = seats[state.to_act[0]]
        one.look(state)
        if state.plies:
            look(state, one, rng)
        action = choose(state, player, rng)
        one.known.note_action(action)
        state.act(one.seat, action, offer_draw=rng.random() < 0.1)


def memory(state):
    """Return what both repetition rules remember, by squares."""
    play = state._contest.play
    if not hasattr(play, "position"):
        return None
    position = play.position
    return [
        (
            [*position.two_squares.common],
            position.chases._last and [move and move[1:] for move in position.chases._last],
        ),
        [chase and (chase.evaded, len(chase.seen), sorted(chase.refuges)) for chase in position.chases._chases],
    ]


def check_sample(state, one, rng):
    """Compare a sample with the real game: all that the seat knows is equal, and it has the same actions."""
    sample = one.known.sample(rng)
    real, drawn = state._contest.play, sample._contest.play
    for name in ("to_act", "phase", "plies", "quiet_plies"):
        assert getattr(drawn, name) == getattr(real, name), name
    assert sample.legal_actions(one.seat) == state.legal_actions(one.seat)
    assert sample.view(one.seat) == state.view(one.seat)
    actions = [act.action for act in state._acts if act.seat == one.seat]
    at_once = GameState.from_view(state.rules, one.seat, state.facts(one.seat), actions).sample(rng)
    assert at_once.legal_actions(one.seat) == state.legal_actions(one.seat)
    assert memory(sample) == memory(state)
    before, seen = repr(drawn), [sample.view(seat) for seat in SEATS]
    played = 0
    while sample.to_act and played < 4:  # it can be played on, and taken back
        sample.act(sample.to_act[0], choose(sample, None, rng))
        played += 1
        assert sample.view(one.seat)
    for _ in range(played):
        sample.undo()
    assert (repr(sample._contest.play), [sample.view(seat) for seat in SEATS]) == (before, seen)


@pytest.mark.parametrize(
    ("rules", "options", "games"),
    [
        pytest.param(*variant.values, games, id=f"{variant.id}-{games}", marks=pytest.mark.heavy if options else ())
        for games in (1, 12)
        for variant in VARIANTS
        for options in [len(variant.values[1]) % 4]  # with none and with all four in each run of the tests
    ],
)
@pytest.mark.slow(keep=len(VARIANTS))
def test_a_sample_has_the_actions_of_the_real_game(rules, options, games):
    counts = Counter()

    def look(state, one, rng):
        counts["asked"] += 1
        if rng.random() < (0.2 if games > 1 else 0.03):
            counts["looked"] += 1
            check_sample(state, one, rng)

    for seed in range(games):
        play_game(rules, options, seed, look)
    assert counts["asked"] > 0


# --- the same probability for each possibility ----------------------------------------------------


def check_uniform(drawn, possible):
    """Test by chi-square that all possibilities were drawn, and nothing else, equally often: five standard deviations."""
    counts = Counter(drawn)
    assert counts.keys() == set(possible)
    expected = len(drawn) / len(possible)
    statistic = sum((counts[one] - expected) ** 2 / expected for one in possible)
    freedom = len(possible) - 1
    assert statistic < freedom + 5 * sqrt(2 * freedom) + 10


MASKS = {
    "any": ([0b111] * 4, [2, 1, 1]),
    "chain": ([0b001, 0b011, 0b011, 0b111, 0b111], [2, 2, 1]),
    "crossing": ([0b011, 0b110, 0b101, 0b111], [1, 2, 1]),
    "crossing and certain": ([0b0011, 0b0110, 0b1000, 0b1111, 0b1110], [1, 2, 1, 1]),
    "exhausted": ([0b110, 0b110, 0b111, 0b011], [2, 2, 0]),
}


@pytest.mark.parametrize(("masks", "counts"), MASKS.values(), ids=MASKS)
def test_all_ways_are_drawn_equally_often(masks, counts):
    ranks = [rank for rank, count in enumerate(counts) for _ in range(count)]
    possible = {
        way for way in permutations(ranks) if all(mask >> rank & 1 for mask, rank in zip(masks, way, strict=True))
    }
    assignments = Assignments(dict(enumerate(masks)), counts)
    rng = Random(1)

    def draw():
        found = {**dict(assignments.certain), **dict(zip(assignments.pieces, assignments.draw(rng), strict=True))}
        return tuple(found[piece] for piece in range(len(masks)))

    check_uniform([draw() for _ in range(60 * len(possible))], possible)


@pytest.mark.parametrize(
    ("masks", "counts"),
    [
        ([0b01, 0b01], [1, 1]),
        ([0b011, 0b011, 0b011, 0b111], [1, 1, 2]),
        ([0b100, 0b111], [1, 1, 0]),
        ([0b0011, 0b0011, 0b0011, 0b0110, 0b1100], [1, 1, 1, 2]),
    ],
)
def test_without_any_way_there_is_an_error(masks, counts):
    with pytest.raises(ValueError, match="no ranks agree"):
        Assignments(dict(enumerate(masks)), counts)


def small(**army):
    return Overrides(army={**dict.fromkeys(RANKS, 0), **army})


RANKS = ("marshal", "general", "colonel", "major", "captain", "lieutenant", "sergeant", "miner", "scout", "spy", "bomb")
SMALL_GAMES = {
    "original": ("original", (), small(flag=1, bomb=1, scout=2, miner=1, marshal=1)),
    "silent": ("us", ("silent-defence",), small(flag=1, bomb=1, scout=1, miner=1, marshal=1, major=1)),
    "guesses": ("infiltrator", (), small(flag=1, infiltrator=1, scout=1, bomb=1, captain=2)),
}


def deploy(state, seat, ranks):
    """Deploy an army on the squares nearest to the enemy."""
    squares = state.rules.deploy[seat]
    near = squares[-len(ranks) :] if seat == "red" else squares[: len(ranks)]
    return Deploy(pieces=dict(zip(near, ranks, strict=True)))


def find_possible(state, seat, acts, army, settings):
    """Return the deployments of the opponent with which the same acts show a seat the same facts."""
    possible = set()
    for ranks in set(permutations(army)):
        other = start_game(**settings)
        with suppress(IllegalAction):
            for one, action in acts:
                other.act(one, deploy(other, one, ranks) if one != seat and isinstance(action, Deploy) else action)
            if other.to_act == state.to_act and other.facts(seat) == state.facts(seat):
                possible.add(ranks)
    return possible


@pytest.mark.parametrize(
    ("game", "seed"), [pytest.param(game, seed) for seed in range(12) for game in SMALL_GAMES.values()]
)
@pytest.mark.heavy(keep=3)
@pytest.mark.slow(keep=9)
def test_samples_against_all_deployments(game, seed):
    """Every deployment of the opponent is played with the acts of a game; those with the same facts are possible."""
    rules, options, overrides = game
    settings = {"rules": rules, "options": options, "overrides": overrides, "seed": seed}
    rng = Random(seed)
    army = [rank for rank, count in overrides.army.items() for _ in range(count)]
    state = start_game(**settings)
    seat = rng.choice(SEATS)
    acts = [(one, deploy(state, one, rng.sample(army, len(army)))) for one in SEATS]
    for one, action in acts:
        state.act(one, action)
    plies = rng.randrange(4, 14)
    while state.to_act and (state.plies < plies or state.to_act != (seat,)):
        (one,) = state.to_act
        actions = state.legal_actions(one)
        wanted = [action for action in actions if isinstance(action, Infiltrate)]
        if one == seat and rules == "infiltrator" and wanted:
            actions = wanted
        acts.append((one, rng.choice(actions)))
        state.act(*acts[-1])
    if state.outcome is not None:
        pytest.skip("allowed: this game ended early")
    possible = find_possible(state, seat, acts, army, settings)
    own = [action for one, action in acts if one == seat]
    known = GameState.from_view(state.rules, seat, state.facts(seat), own)

    def draw():
        sample = known.sample(rng)
        sample._complete_acts()
        return tuple(next(act for act in sample._acts if act.seat != seat).action.pieces.values())

    check_uniform([draw() for _ in range(30 * len(possible))], possible)


# --- weights --------------------------------------------------------------------------------------


def test_weights_change_the_probabilities():
    """Of two hidden pieces, one is nine times as likely to be the marshal."""
    army = ("flag", "bomb", "marshal", "miner", "miner")
    overrides = small(flag=1, bomb=1, marshal=1, miner=2)
    state = start_game(overrides=overrides)
    for seat in SEATS:
        state.act(seat, deploy(state, seat, army))
    known = GameState.from_view(state.rules, "red", state.facts("red"), [deploy(state, "red", army)])
    places = [piece.place for piece in state.view("blue").pieces if piece.seat == "blue"]
    weights = {places[0]: {"flag": 1, "bomb": 1, "marshal": 9, "miner": 1}}
    rng = Random(3)
    counts = Counter()
    for _ in range(1500):
        sample = known.sample(rng, weights)
        counts[next(piece.rank for piece in sample.view("blue").pieces if piece.place == places[0])] += 1
    wanted = {"marshal": 9 / 13, "miner": 2 / 13, "flag": 1 / 13, "bomb": 1 / 13}
    for rank, share in wanted.items():
        assert abs(counts[rank] / 1500 - share) < 5 * sqrt(share * (1 - share) / 1500) + 0.01


# --- other facts ----------------------------------------------------------------------------------


def test_a_hand_that_was_seen_is_known_until_cards_are_laid():
    seen = Counter()

    def look(state, one, _rng):
        hand = one.known._belief._seen
        if hand:
            seen["looks"] += 1
            enemy = OPPONENT[one.seat]
            for game in (state, one.known.sample(Random(seen["looks"]))):
                assert hand <= Counter(game._contest.play.sides[enemy].hand)

    for seed in (57, 72, 82, 112, 126, 135):  # games in which a hand is seen
        play_game("card-game", (), seed, look)
    assert seen["looks"] > 3


def finish(state):
    play_on(state, Random(1), 5000)
    return state


def test_a_card_game_from_a_sample_has_no_record():
    samples = []
    play_game("card-game", (), 3, lambda _state, one, rng: samples.append(one.known.sample(rng)))
    with pytest.raises(ValueError, match="only a whole game has a record"):
        finish(samples[0]).record()


def test_a_game_from_a_position():
    position = "MaaBBBBBBB" + "a" * 20 + "EaaaaaaaaE" + "aa__aa__aa" * 2 + "QaaaaaaaaQ" + "a" * 20 + "YaaNNNNNNN"
    state = start_game(position=position, seed=2)
    known = GameState.from_view(state.rules, "red", state.facts("red"))
    sample = known.sample(Random(1))
    verify_record(read_record(finish(sample).record()))
    sample = known.sample(Random(1))
    assert sample.legal_actions("red") == state.legal_actions("red")
    assert sample.view("red") == state.view("red")
    assert len(sample.view("blue").pieces) == len(state.view("blue").pieces)


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("original", ()),
        ("us", ("silent-defence",)),
        ("us", ("rescue",)),
        ("clone-wars-powers", ()),
        ("infiltrator", ()),
    ],
)
def test_a_sample_is_a_whole_game_with_a_record(rules, options):
    samples = []
    play_game(
        rules, options, 5, lambda state, one, rng: samples.append(one.known.sample(rng)) if state.plies == 60 else None
    )
    rng = Random(1)
    for sample in samples:
        play_on(sample, rng, 1000)
        verify_record(read_record(sample.record()))
    assert samples


def test_facts_of_another_game_are_refused():
    state = start_game("duel")
    rng = Random(1)
    own = state.random_deployment("red", rng)
    state.act("red", own)
    state.act("blue", state.random_deployment("blue", rng))
    facts = state.facts("red")
    move = state.legal_actions("red")[0]
    state.act("red", move)
    with pytest.raises(ValueError, match="do not follow from the rules"):
        GameState.from_view(state.rules, "red", [*facts, *state.facts("red")[len(facts) :] * 2], [own])
    with pytest.raises(ValueError, match="note the deployment first"):
        GameState.from_view(state.rules, "red", facts)


# --- copies ---------------------------------------------------------------------------------------

COPIES = {
    "copy": GameState.copy,
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
}


def describe(state):
    """Return all that can be seen of a game, and its next actions."""
    seat = state.to_act[0] if state.to_act else None
    return (
        repr(state._contest.play),
        memory(state),
        state.to_act,
        state.phase,
        state.legal_actions(seat) if seat else [],
        [state.facts(one) for one in SEATS],
        [state.view(one) for one in SEATS],
    )


def play_on(state, rng, plies):
    for _ in range(plies):
        if state.to_act:
            state.act(state.to_act[0], choose(state, None, rng))


@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("rules", ["original", "us", "clone-wars-powers", "card-game"])
def test_copies_are_equal_and_independent(way, rules):
    state = start_game(rules, seed=4, options=("rescue",) if rules == "us" else ())
    play_on(state, Random(4), 60)
    before = describe(state)
    twin = way(state)
    assert describe(twin) == before
    play_on(twin, Random(5), 20)
    assert describe(state) == before
    played = way(state)
    play_on(played, Random(5), 20)
    assert describe(played) == describe(twin)


@pytest.mark.parametrize("way", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(("rules", "options"), [("original", ()), ("us", ("rescue",)), ("card-game", ())])
def test_copies_of_samples_are_equal_and_independent(way, rules, options):
    samples = []
    play_game(rules, options, 5, lambda _state, one, _rng: samples.append(one.known.sample(Random(2))))
    sample = samples[60] if len(samples) > 60 else samples[-1]
    twin = way(sample)
    before = describe(twin)
    play_on(twin, Random(5), 20)
    assert describe(sample) == before
    assert describe(way(sample)) == before


@pytest.mark.parametrize("rules", ["original", "us", "clone-wars-powers", "card-game"])
def test_acts_are_taken_back(rules):
    state = start_game(rules, seed=6, options=("rescue",) if rules == "us" else ())
    rng = Random(6)
    seen = []
    for _ in range(50):
        if state.to_act:
            seen.append(describe(state))
            play_on(state, rng, 1)
    twin = state.copy()
    for before in reversed(seen):
        twin.undo()
        assert describe(twin) == before
        if rng.random() < 0.2:  # another line, and back
            play_on(twin, rng, 1)
            twin.undo()
            assert describe(twin) == before
    with pytest.raises(ValueError, match="no act to take back"):
        twin.undo()
    assert len(state._acts) == len(seen)

"""The stable interface for games in process: all games, the knowledge of a seat, copies, seeds and records."""

import re
from pathlib import Path
from random import Random

import pytest
from twins import ARMIES, make_twins

import arbiter.api
from arbiter.api import RULE_SET_NAMES, ConfigError, GameState, IllegalAction, start_game
from arbiter.record import read_record
from arbiter.verify import verify
from protocol.view import new_knowledge
from protocol.words import OPPONENT, SEATS, AcceptDraw, DrawOffered, Move, Resign

DOCS = Path(__file__).parent.parent / "docs"
EVERY_GAME = [*((name, ()) for name in RULE_SET_NAMES), ("us", ("silent-defence", "rescue"))]
POSITION = """
.  .  .  .  .  .  .  .  .  bF
.  .  .  .  .  .  .  .  .  R3
.  .  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .  .
.  .  ~  ~  .  .  ~  ~  .  .
.  .  ~  ~  .  .  ~  ~  .  .
.  .  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .  .
RF b2 .  .  .  .  .  .  .  .
blue to move
"""


def choose(state, rng):
    """Return the seat to act and a random action of it."""
    seat = state.to_act[0]
    action = state.random_deployment(seat, rng) if state.phase == "setup" else rng.choice(state.legal_actions(seat))
    return seat, action


def play_on(state, rng, acts=10_000):
    """Play at random; return the actions with their seats."""
    played = []
    while state.to_act and len(played) < acts:
        played.append(choose(state, rng))
        state.act(*played[-1])
    return played


def snapshot(state):
    """Return everything that the interface shows of a game."""
    seats = [(state.view(seat), state.facts(seat), state.news(seat), state.legal_actions(seat)) for seat in SEATS]
    return state.to_act, state.phase, state.plies, state.outcome, seats


@pytest.mark.parametrize(("name", "options"), EVERY_GAME)
def test_every_game_is_played_to_its_end_and_its_record_is_correct(name, options):
    state = start_game(name, options=options, seed=5)
    assert state.to_act == SEATS
    play_on(state, Random(5))
    assert state.outcome is not None
    data = state.record("one", "two")
    report = verify(data)
    assert report.ok, report.why
    assert (report.winner, report.plies) == (state.outcome.winner, state.plies)
    assert {seat: player.name for seat, player in read_record(data).header.seats.items()} == {
        "red": "one",
        "blue": "two",
    }


@pytest.mark.parametrize(("name", "options"), EVERY_GAME)
def test_the_news_of_all_questions_are_all_facts_and_the_view_follows_from_them(name, options):
    state = start_game(name, options=options, seed=2)
    rng = Random(2)
    received = {seat: [] for seat in SEATS}
    knowledge = {seat: new_knowledge(state.rules, seat) for seat in SEATS}
    while state.to_act and state.plies < 150:
        seat, action = choose(state, rng)
        news = state.news(seat)
        received[seat] += news
        assert received[seat] == state.facts(seat)
        for fact in news:
            knowledge[seat].note_fact(fact)
        assert state.view(seat) == knowledge[seat].view()
        state.act(seat, action)
        knowledge[seat].note_action(action)
    assert state.plies >= 10


@pytest.mark.parametrize(("name", "options"), EVERY_GAME)
def test_a_copy_is_independent_and_plays_on_alike(name, options):
    state = start_game(name, options=options, seed=3)
    play_on(state, Random(3), acts=12)
    before = snapshot(state)
    twin = state.copy()
    acts = play_on(twin, Random(4), acts=60)
    assert acts
    assert snapshot(state) == before
    for act in acts:
        state.act(*act)
    assert snapshot(state) == snapshot(twin)


@pytest.mark.parametrize("seed", [7, "0123456789abcdef0123456789abcdef"])
def test_equal_seeds_give_equal_games(seed):
    games = [start_game("card-game", seed=seed) for _ in range(2)]
    for game in games:
        play_on(game, Random(1))
    assert snapshot(games[0]) == snapshot(games[1])
    assert start_game("card-game", seed=8).view("red") != start_game("card-game", seed=9).view("red")


@pytest.mark.parametrize("army", ARMIES.values(), ids=ARMIES)
@pytest.mark.slow(keep=3)
def test_games_that_differ_in_hidden_pieces_look_the_same_to_a_seat(army):
    pairs = [pair for seed in range(3) if (pair := make_twins(seed, "red", **army)) is not None]
    assert pairs
    for pair in pairs:
        states = [start_pair(pair, which, army) for which in (0, 1)]
        for state, actions in zip(states, pair.actions, strict=True):
            for seat, action in actions[: len(pair.actions[0]) // 2]:
                state.act(seat, action)
        if len(pair.actions[0]) == len(pair.actions[1]):  # no question about a rescue in only one of them
            assert states[0].view("red") == states[1].view("red")
            assert states[0].facts("red") == states[1].facts("red")
            assert states[0].legal_actions("red") == states[1].legal_actions("red")
        assert states[0].view("blue") != states[1].view("blue")


def start_pair(pair, which, army):
    """Start one of two twin games and deploy."""
    state = start_game(
        pair.game.name,
        options=army.get("options", ()),
        overrides=army.get("overrides", arbiter.api.Overrides()),
        seed=pair.seed,
    )
    for seat, deployment in pair.deployments[which].items():
        state.act(seat, deployment)
    return state


def test_a_refused_action_changes_nothing():
    state = start_game("duel")
    play_on(state, Random(1), acts=6)
    before = snapshot(state)
    with pytest.raises(IllegalAction):
        state.act(state.to_act[0], Move("a1", "j10"))
    with pytest.raises(IllegalAction):
        state.act(OPPONENT[state.to_act[0]], state.legal_actions(state.to_act[0])[0])
    assert snapshot(state) == before


def test_a_player_may_resign_or_accept_a_draw():
    state = start_game("duel")
    play_on(state, Random(1), acts=4)
    seat, action = choose(state, Random(1))
    agreed = state.copy()
    state.act(seat, Resign())
    assert (state.outcome.winner, state.outcome.ending) == (OPPONENT[seat], "resigned")
    assert state.legal_actions(seat) == []
    agreed.act(seat, action, offer_draw=True)
    assert DrawOffered(seat) in agreed.news(OPPONENT[seat])
    agreed.act(OPPONENT[seat], AcceptDraw())
    assert (agreed.outcome.winner, agreed.outcome.ending) == (None, "agreed")
    assert verify(agreed.record()).ok


def test_either_seat_may_move_first():
    state = start_game("duel", first="blue")
    assert state.rules.first == "blue"


def test_a_game_from_a_position_begins_with_its_turn():
    state = start_game("duel", position=POSITION)
    assert (state.to_act, state.phase) == (("blue",), "turn")
    assert Move("b1", "a1") in state.legal_actions("blue")
    assert state.legal_actions("red") == []


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"rules": "dual"}, "unknown rule set 'dual': did you mean 'duel'"),
        ({"rules": "us", "options": ["rescu"]}, "option"),
        ({"rules": "duel", "position": "?"}, "position"),
    ],
)
def test_a_wrong_setting_is_named(settings, fault):
    with pytest.raises(ConfigError, match=fault):
        start_game(**settings)


def test_a_game_in_progress_has_no_record():
    with pytest.raises(ValueError, match="in progress"):
        start_game("duel").record()


def test_the_pages_document_every_name():
    page = "".join((DOCS / name).read_text("utf-8") for name in ("learning.md", "organisers.md"))
    members = [name for name in vars(GameState) if not name.startswith("_")] + ["rules"]
    missing = [name for name in [*arbiter.api.__all__, *members] if not re.search(rf"`[^`]*\b{name}\b", page)]
    assert missing == []

"""Turning points of games from drawings: what is found, who may read it, and the clip that shows them."""

from pathlib import Path

import pytest
from bot_games import connect_in_process, play_game
from show.sample_record import record

from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.languages.catalogue import LANGUAGES
from arbiter.record import ActEntry, GameHeader, Record, read_record
from arbiter.show.replay.clip import LONGEST_MS, cut_story
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.replay import Replay
from arbiter.show.report.viewer_data import make_viewer_data
from protocol.words import SEATS
from sample_bots.random_player import choose

GOLDEN = sorted((Path(__file__).parents[1] / "games" / "golden").glob("*.jsonl"))
WON = {"winner": "red", "ending": "flag_taken", "plies": 1}
END = """
    10 .. .. .. .. .. .. .. .. bB bF
     9 .. .. .. .. .. .. .. .. r3 bB
     4 rM b4 .. r1 bM r9 .. b3 r5 ..
     3 bM .. .. .. .. .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. ..
"""
CHASE = """
    10 .. .. .. .. .. .. .. .. .. bF
     9 .. .. .. .. .. .. .. .. b6 ..
     2 r5 r2 b4 .. .. .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. r7
"""
BLUFF = """
    10 .. .. .. .. .. .. .. .. .. bF
     9 .. .. .. .. .. .. .. .. b6 ..
     4 r2 bM .. .. .. .. .. .. .. ..
     2 .. .. r6 .. .. .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. ..
"""


def tell(moves, drawing, viewer="arbiter", **more):
    replay = Replay(record(moves, drawing=drawing, **more))
    return [(replay.ply(number), point.describe(replay.sentences)) for number, point in replay.turning_points(viewer)]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("d4xe4", [(1, "blue's marshal is seen for the first time"), (1, "red's spy takes blue's marshal")]),
        ("a4xb4", [(1, "red's marshal is seen for the first time")]),
        (
            "a4xa3",
            [
                (1, "red's marshal is seen for the first time"),
                (1, "blue's marshal is seen for the first time"),
                (1, "red's marshal falls"),
                (1, "blue's marshal falls"),
            ],
        ),
        ("i9xi10", [(1, "red's miner opens the wall around blue's flag")]),
        ("i4xh4", [(1, "blue loses its last miner")]),
        ("i4-i3 a3-a2", []),
    ],
)
def test_fights_that_change_a_game(moves, expected):
    assert tell(moves, END) == expected


def test_the_winner_takes_the_lead_for_good_before_it_takes_the_flag():
    points = tell("i4xh4 a3-a2 i9xi10 a2-b2 i10xj10", END, result={**WON, "plies": 5})
    assert (1, "the decisive fight: red takes the lead for good") in points
    assert points[-1] == (5, "red's miner takes blue's flag")


@pytest.mark.parametrize(
    ("moves", "is_behind"),
    [
        ("f4xe4 a3-a2 i4xh4 a2-b2 i9xi10 b2-c2 i10xj10", True),  # its general fell first
        ("d4-d3 e4-e3 i4xh4 a3-a2 i9xi10 a2-b2 i10xj10", False),
    ],
)
def test_a_comeback_needs_a_loss_of_some_weight(moves, is_behind):
    points = tell(moves, END, result={**WON, "plies": 7})
    assert [(ply, "points of material behind" in text) for ply, text in points if "behind" in text] == [
        (1, True)
    ] * is_behind


def test_a_chase_of_three_escapes_is_one():
    moves = "b2-b1 i9-i8 a2-b2 c2-d2 b2-c2 d2-e2 c2-d2 e2-e3"
    assert tell(moves, CHASE) == [(4, "a chase: a piece of blue escapes red 3 times in a row")]
    assert tell("b2-b1 i9-i8 a2-b2 c2-d2", CHASE) == []


def test_who_may_read_a_turning_point():
    moves = "a4xb4 i9-i8"
    seen = tell(moves, BLUFF)
    assert seen == [(1, "blue's marshal is seen for the first time")]
    moves += " c2-c3 i8-i7 c3-c4 b4-b3"
    everything = tell(moves, BLUFF)
    assert everything[-1] == (5, "a bluff: red's captain, still hidden, drives blue's marshal away")
    for viewer, shown in {"red": everything, "blue": everything[:-1], "spectator": everything[:-1]}.items():
        assert tell(moves, BLUFF, viewer) == shown
    replay = Replay(record(moves, drawing=BLUFF))
    assert make_viewer_data(replay, ("blue",))["story"] == [(1, "blue's marshal is seen for the first time")]
    story = make_viewer_data(replay)["story"]
    assert [one[2] for one in story if len(one) > 2] == [["arbiter", "red"]]


@pytest.mark.parametrize("game", GOLDEN, ids=lambda path: path.stem)
def test_stories_of_golden_games_in_all_languages_are_short(game):
    found = read_record(game.read_bytes())
    for lang in LANGUAGES:
        replay = Replay(found, lang)
        for viewer in VIEWERS:
            shots = cut_story(replay, viewer)
            assert sum(shot.ms for shot in shots) <= LONGEST_MS
            numbers = [shot.number for shot in shots]
            assert numbers == sorted(set(numbers))
            assert (numbers[0], numbers[-1]) == (0, replay.last)


def test_a_story_of_a_game_without_acts_is_its_setup():
    assert [shot.number for shot in cut_story(Replay(record("")), "red")] == [0]


# --- the card game --------------------------------------------------------------------------------

CARDS = next(path for path in GOLDEN if path.stem == "card-game")


def play_cards(seed):
    """Play a random card game and return its record."""
    bots = {seat: connect_in_process(choose, "random") for seat in SEATS}
    acts = []
    play_game(
        "card-game",
        bots,
        seed,
        note=lambda seat, action, facts: acts.append(ActEntry(seat=seat, action=action, facts=tuple(facts))),
    )
    opening = find_game("card-game").start(SeededChance(seed)).opening
    return Record(GameHeader(rules="card-game", seed=seed, facts=tuple(opening)), tuple(acts), None)


def test_the_story_of_a_card_game():
    replay = Replay(read_record(CARDS.read_bytes()))
    stories = {viewer: replay.turning_points(viewer) for viewer in VIEWERS}
    assert [(replay.ply(number), point.describe(replay.sentences)) for number, point in stories["arbiter"]] == [
        (6, "blue's marshal is seen for the first time"),
        (8, "the first look: blue's spy looks at cards of red"),
        (15, "blue's marshal wins 5 fights in a row"),
        (16, "blue's marshal falls"),
        (28, "blue shuffles all of its cards and lays a new line"),
        (38, "blue loses its last strong card: general"),
        (40, "the decisive fight: blue takes the lead for good"),
        (42, "blue's major takes red's flag"),
    ]
    assert all(story == stories["arbiter"] for story in stories.values())


def test_a_line_is_broken_when_its_player_cannot_fill_it_any_more():
    """Counted again from the cards that everyone sees after each turn."""
    for seed in range(6):
        replay = Replay(play_cards(seed))
        found = {point.seat: number for number, point in replay.turning_points("spectator") if point.kind == "gap"}
        wanted = {}
        for number in range(1, replay.last):
            act, following = replay.act(number), replay.act(number + 1)
            seat = act.entry.seat
            is_last_of_turn = following.entry.seat != seat and following.ply > 1
            if is_last_of_turn and len(replay.view(number, "arbiter").line[seat]) < replay.rules.line:
                wanted.setdefault(seat, number)
        assert found == wanted, seed

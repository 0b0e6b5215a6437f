"""Moments of games, by drawn positions and the golden games, and the highlights that are chosen from them."""

import pytest
from msgspec.structs import replace
from show.report.sample_reports import GOLDEN, make_game
from show.sample_record import record

from arbiter.games.base import Addressed
from arbiter.record import ActEntry, read_record
from arbiter.show.boards import CardTable
from arbiter.show.replay.moments import Moment, Moments, find_moments
from arbiter.show.replay.replay import Replay
from arbiter.show.report.highlights import HighlightFinder
from arbiter.show.report.values import summarise
from arbiter.show.theme import find_value
from protocol.words import SEATS, Move, Moved

HUNT = """
    10 .. .. .. .. .. .. .. .. .. bF
     9 .. .. .. .. .. .. .. .. b6 ..
     2 r5 r2 b4 .. .. .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. r7
"""
TOWER = """
    10 .. .. .. .. .. .. .. .. .. bF
     9 .. .. .. .. .. .. .. .. b6 b7
     4 .. .. .. .. bM .. .. .. .. ..
     3 .. .. .. .. r2 .. .. .. .. ..
     2 .. .. r3 .. .. .. r1 .. .. ..
     1 rF .. .. .. .. .. .. .. .. ..
"""


def play(moves, drawing):
    """Return the record of moves from a drawing, with its facts."""
    return Replay(record(moves, drawing=drawing)).record


@pytest.mark.parametrize(
    ("moves", "length", "ply"),
    [
        ("b2-b1 i9-i8", 0, 0),  # nobody is next to anybody
        ("b2-b3 c2-d2", 0, 0),  # the piece that moves away was not threatened
        ("a2-a3 i9-i8 b2-b1 c2-d2", 0, 0),
        ("b2-b1 i9-i8 a2-b2 c2-d2", 1, 4),
        ("b2-b1 i9-i8 a2-b2 c2-d2 b2-c2 d2-e2 c2-d2 e2-e3", 3, 4),
        ("b2-b1 i9-i8 a2-b2 c2-d2 j1-j2 d2-e2 b2-c2 i8-i7 c2-d2 e2-f2", 1, 4),  # a pause ends the chase
        ("b2-b1 i9-i8 a2-b2 c2-d2 b2-c2 i8-i7 c2-c3 d2-e2", 1, 4),
        ("b2-b1 c2-b2 a2-a3 b2-c2", 1, 3),  # blue threatens too
    ],
)
def test_a_chase_is_counted_by_its_escapes(moves, length, ply):
    chase = find_moments(play(moves, HUNT)).chase
    assert (chase and (chase.value, chase.ply)) == ((length, ply) if length else None)


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("e3-e4 e4-e5", None),  # the scout attacked, and nobody has bluffed
        ("c2-d2 i9-i8", None),
        ("e3-e4 j9-j8 c2-d2 e4-e3 d2-d3 e3-e4", Moment("red", 7, 5, ("miner", "marshal"))),
        ("e3-e4 j9-j8 g2-f2 e4-e3 f2-f3 e3-e4", None),  # a spy next to a marshal would win
        ("c2-d2 e4-d4 d2-d3 d4-c4", None),  # red does not know the marshal
    ],
)
def test_a_bluff_is_a_hidden_piece_that_drives_away_a_known_stronger_one(moves, expected):
    assert find_moments(play(moves, TOWER)).bluff == expected


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
@pytest.mark.slow(keep=4)
def test_the_deficit_is_that_of_the_graph_of_the_material(path):
    game = read_record(path.read_bytes())
    replay = Replay(game)
    if isinstance(replay.view(0, "arbiter"), CardTable):
        assert summarise(game).moments == Moments()
        return
    expected = {}
    for number in range(len(replay)):
        lost = replay.view(number, "arbiter").captured
        red, blue = (sum(find_value(rank) * count for rank, count in lost[seat].items()) for seat in SEATS)
        for seat, points in (("red", red - blue), ("blue", blue - red)):
            if points > (expected[seat].value if seat in expected else 0):
                expected[seat] = Moment(seat, points, replay.ply(number))
    assert expected
    assert find_moments(game).behind == expected


def test_facts_that_do_not_fit_the_game_do_no_harm():
    game = play("b2-b1 i9-i8", HUNT)
    forged = ActEntry(seat="red", action=Move("", "??"), facts=(Addressed(Moved("red", "", "z99"), ("red",)),))
    acts = (forged, replace(forged, seat="blue", action=Move("line:0", "a1")))
    assert find_moments(replace(game, acts=acts, header=replace(game.header, facts=()))) == Moments()


def find(*games):
    finder = HighlightFinder()
    for game, moments in games:
        finder.add(game, moments)
    return {one.kind: (one.game.id, one.moment.value) for one in finder.found}


def test_the_most_remarkable_games_are_highlights():
    moments = [
        Moments(Moment("red", 4, 9), {"red": Moment("red", 20, 30)}, Moment("blue", 2, 3, ("scout", "sergeant"))),
        Moments(Moment("blue", 7, 2), {"blue": Moment("blue", 60, 4)}, Moment("red", 5, 8, ("spy", "captain"))),
        Moments(Moment("red", 7, 2), {"red": Moment("red", 20, 3)}),
    ]
    games = [make_game(number, "a", "b", id=str(number), plies=50 + number) for number in range(3)]
    expected = {"shortest": ("0", 50), "chase": ("1", 7), "comeback": ("0", 20), "bluff": ("1", 5)}
    pairs = list(zip(games, moments, strict=True))
    assert find(*pairs) == find(*reversed(pairs)) == expected


@pytest.mark.parametrize("ending", ["no_attack_limit", "resigned", "timeout", "walkover", "ruling"])
def test_only_games_won_on_the_board_are_shortest_or_comebacks(ending):
    moments = Moments(behind={"red": Moment("red", 20, 30)})
    winner = None if ending == "no_attack_limit" else "red"
    assert find((make_game(1, "a", "b", winner=winner, ending=ending), moments)) == {}


def test_a_short_chase_and_an_annulled_game_are_no_highlights():
    assert find((make_game(1, "a", "b", ending="agreed", winner=None), Moments(Moment("red", 2, 3)))) == {}
    assert find((make_game(1, "a", "b", ending="annulled", winner=None), Moments(Moment("red", 9, 3)))) == {}


def test_the_game_to_watch_first_is_one_of_a_leader():
    finder = HighlightFinder()
    assert finder.choose(["hunter"]) is None
    won = make_game(1, "hunter", "mine")
    finder.add(won, Moments(bluff=Moment("blue", 3, 5, ("scout", "miner"))))
    assert [finder.choose([bot]).kind for bot in (won.red, won.blue, "other")] == ["shortest", "bluff", "bluff"]

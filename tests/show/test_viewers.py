"""The view of each viewer: a spectator sees the pieces of each seat as the opponent does, and no secrets."""

from pathlib import Path

import pytest

from arbiter.games.base import Addressed
from arbiter.record import read_record
from arbiter.show.boards import CardTable
from arbiter.show.replay.knowledge import SPECTATOR, is_visible
from arbiter.show.replay.replay import Replay
from protocol.words import BLUE, OPPONENT, RED, SEATS, Attacked, Dealt, Revealed

GOLDEN = sorted((Path(__file__).parents[1] / "games" / "golden").glob("*.jsonl"))


def test_there_are_golden_games():
    assert GOLDEN


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_spectator_sees_each_seat_as_its_opponent_does(path):
    replay = Replay(read_record(path.read_bytes()))
    for number in range(len(replay)):
        seen = replay.frame(number, SPECTATOR).view
        for seat in SEATS:
            theirs = replay.frame(number, OPPONENT[seat]).view
            if isinstance(seen, CardTable):
                assert (seen.line[seat], seen.hands.get(seat)) == (theirs.line[seat], theirs.hands.get(seat))
            else:
                assert of(seen, seat) == of(theirs, seat)
                assert seen.captured[seat] == theirs.captured[seat]
        if isinstance(seen, CardTable):
            assert (seen.hand_counts, seen.deck_counts) == (theirs.hand_counts, theirs.deck_counts)


def of(view, seat):
    return [piece for piece in view.pieces if piece.seat == seat]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_spectator_learns_a_rank_when_the_opponent_does_and_reads_no_notes(path):
    replay = Replay(read_record(path.read_bytes()))
    for number in range(1, len(replay)):
        for one in replay.act(number).facts:
            if isinstance(one.fact, Revealed):
                assert is_visible(SPECTATOR, one) == (OPPONENT[one.fact.seat] in one.to)
        assert replay.frame(number, SPECTATOR).notes == {}


VISIBLE = [
    ("red", Addressed(Dealt(BLUE, ["hand:0"]), SEATS), True),
    ("red", Addressed(Revealed(BLUE, "a4", "spy"), (RED,)), True),
    ("red", Addressed(Revealed(RED, "a4", "spy"), (BLUE,)), False),
    ("arbiter", Addressed(Revealed(RED, "a4", "spy"), (BLUE,)), True),
    ("arbiter", Addressed(Revealed(RED, "hand:0", "spy"), (RED,)), True),
    ("spectator", Addressed(Attacked(RED, "a4", "a5"), SEATS), True),
    ("spectator", Addressed(Revealed(RED, "a4", "spy"), (BLUE,)), True),
    ("spectator", Addressed(Revealed(BLUE, "a4", "spy"), (RED,)), True),
    ("spectator", Addressed(Revealed(RED, "hand:0", "spy"), (RED,)), False),
    ("spectator", Addressed(Revealed(BLUE, "hand:0", "spy"), (BLUE,)), False),
]


@pytest.mark.parametrize(("viewer", "fact", "visible"), VISIBLE, ids=str)
def test_visible_facts(viewer, fact, visible):
    assert is_visible(viewer, fact) is visible

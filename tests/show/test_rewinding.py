"""A replay forward and back: the same frames in any order, and searches for acts and plies."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from games.random_players import random_deployment
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from show.sample_record import acts_of, record

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.record import ActEntry, GameHeader, Record, read_record
from arbiter.show.replay.knowledge import _KEEP_EVERY, VIEWERS, is_attack, is_capture
from arbiter.show.replay.replay import Replay
from protocol.words import SEATS

GOLDEN = Path(__file__).parents[1] / "games" / "golden"
RECORDS = [read_record((GOLDEN / f"{name}.jsonl").read_bytes()) for name in ("us", "clone-wars-powers", "card-game")]
LONG = record("a4-a5 e7-d7 a5-a4 d7-e7 a4-b4 e7-f7 b4-a4 f7-e7 " * (_KEEP_EVERY // 3))


REPLAYS = [Replay(shown) for shown in (*RECORDS, LONG)]


@cache
def play_forward(which, viewer):
    replay = Replay((*RECORDS, LONG)[which])
    return [replay.frame(number, viewer) for number in range(len(replay))]


@given(data=st.data())
@pytest.mark.parametrize("which", range(len(REPLAYS)))
def test_a_frame_is_the_same_whatever_was_shown_before(which, data):
    viewer = data.draw(st.sampled_from(VIEWERS))
    number = data.draw(st.integers(0, REPLAYS[which].last))
    assert REPLAYS[which].frame(number, viewer) == play_forward(which, viewer)[number]


def test_the_long_record_needs_copies_to_go_back_to():
    assert REPLAYS[-1].last > 2 * _KEEP_EVERY


def test_plies_are_found():
    replay = Replay(RECORDS[1])  # in a rage several acts are of one ply
    assert (replay.find_ply(0), replay.ply(0)) == (0, 0)
    plies = [replay.ply(number) for number in range(len(replay))]
    assert len(set(plies)) < len(plies)
    assert [replay.find_ply(ply) for ply in set(plies)] == [plies.index(ply) for ply in set(plies)]
    assert replay.find_ply(10**9) == replay.last


@pytest.mark.parametrize("wanted", [is_attack, is_capture])
def test_attacks_and_captures_are_found_both_ways(wanted):
    replay = Replay(RECORDS[0])
    there = [number for number in range(1, len(replay)) if wanted(replay.act(number))]
    assert there
    forth = [replay.find_nearest(number, wanted, 1) for number in (0, *there)]
    back = [replay.find_nearest(number, wanted, -1) for number in (*there, replay.last + 1)]
    assert forth == [*there, None]
    assert back == [None, *there]


def lost(frame):
    return sum(sum(counts.values()) for counts in frame.view.captured.values())


@pytest.mark.parametrize("shown", RECORDS)
def test_an_attack_is_what_the_frame_marks_and_a_capture_what_the_story_tells(shown):
    replay = Replay(shown)
    for number in range(1, len(replay)):
        frame, act = replay.frame(number, "arbiter"), replay.act(number)
        assert is_attack(act) == frame.marks.attack
        assert is_capture(act) == (lost(frame) > lost(replay.frame(number - 1, "arbiter")))


def test_a_game_in_progress_has_no_ending_yet():
    shown = record("a4-a5 e7-d7")
    over, in_progress = (Replay(shown, in_progress=what) for what in (False, True))
    assert over.frame(2, "red").ending == ("the record ends here, without a result",)
    assert in_progress.frame(2, "red") == replace(over.frame(2, "red"), ending=())


# --- clocks ---------------------------------------------------------------------------------------


DUEL = find_game("duel").describe("red")


def timed(text, *charges, **settings):
    """Make the record of moves that were charged so many milliseconds."""
    plain = record(text)
    acts = tuple(
        type(act)(seat=act.seat, action=act.action, ms=ms) for act, ms in zip(acts_of(text), charges, strict=True)
    )
    header = type(plain.header)(
        rules="original", position=plain.header.position, seats=plain.header.seats, time=TimeSettings(**settings)
    )
    return Record(header, acts, None)


def banks(shown):
    replay = Replay(shown)
    return [replay.frame(number, "red").banks for number in range(len(replay))]


def test_what_is_left_on_the_clocks():
    shown = banks(timed("a4-a5 e7-d7 a5-a6", 500, 10_000, 30, bank_s=5, increment_s=0.1))
    assert shown == [
        {"red": 5000, "blue": 5000},
        {"red": 4600, "blue": 5000},
        {"red": 4600, "blue": 100},
        {"red": 4670, "blue": 100},
    ]


def test_a_clock_that_cannot_be_known_is_not_told():
    assert banks(timed("a4-a5 e7-d7 a5-a6", 500, None, 30))[1:] == [{"red": 59_600, "blue": 60_000}, {}, {}]
    assert banks(record("a4-a5 e7-d7", ms=3.0)) == [{}, {}, {}]


def test_the_setup_costs_no_bank():
    setup = [ActEntry(seat=seat, action=random_deployment(DUEL, seat, Random(1)), ms=900) for seat in SEATS]
    header = GameHeader(rules="duel", time=TimeSettings(bank_s=1))
    assert banks(Record(header, tuple(setup), None)) == [{"red": 1000, "blue": 1000}]

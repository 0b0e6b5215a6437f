"""The first difference between two records of a game, in words."""

import pytest
from msgspec.structs import replace
from show.sample_record import record

from arbiter.games.base import Addressed
from arbiter.record import ActEntry, GameHeader, GameResult, Record
from arbiter.show.replay.difference import RecordDifference, find_difference
from arbiter.verify import begin
from protocol.words import SEATS, Deploy, Move, Moved

WON = {"winner": "red", "ending": "resigned", "plies": 2, "reason": {"code": "resigned", "seat": "blue"}}
LATE = {
    "winner": "red",
    "ending": "timeout",
    "plies": 2,
    "reason": {"code": "too_late", "seat": "blue", "limit_ms": 50},
}
LEFT = {
    "winner": "blue",
    "ending": "crash",
    "plies": 2,
    "reason": {"code": "program_ended", "seat": "red", "end": {"code": "exited", "status": 1}},
}


def test_the_same_is_no_difference():
    one = record("b6xb7 e7xe6", result=WON, ms=1.0, note="so")
    assert find_difference(one, one) is None
    assert (
        find_difference(one, record("b6xb7 e7xe6", result=WON | {"reason": {"code": "agreed", "seat": "red"}}, ms=2.0))
        is None
    )
    assert find_difference(record(""), record("")) is None


RESIGNED = "hunter wins: mine resigned"
SLOW = "hunter wins: mine ran out of time; blue did not answer within 50 ms"
CRASHED = "mine wins: the program of hunter crashed; red's program exited with status 1"
CUT_OFF = "the record ends here, without a result"
TAKEN, FALLEN = "red b6-b7; red's miner takes blue's bomb on b7", "blue e7-e6; blue's marshal takes red's scout on e6"


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        (("b6xb7", None), ("e6-e5", None), (1, 1, TAKEN, "red e6-e5")),
        (("b6xb7 e7xe6", None), ("b6xb7 e7-e8", None), (2, 2, FALLEN, "blue e7-e8")),
        (("a4-a5 c7-c8", WON), ("a4-a5 c7-c8", LATE), (3, 2, RESIGNED, SLOW)),
        (("a4-a5 c7-c8", LATE), ("a4-a5 c7-c8", LEFT), (3, 2, SLOW, CRASHED)),
        (("a4-a5 c7-c8", LATE), ("a4-a5 c7-c8 a5-a4", WON), (3, 3, SLOW, "red a5-a4")),
        (("a4-a5 c7-c8 a5-a4", WON), ("a4-a5 c7-c8", None), (3, 3, "red a5-a4", CUT_OFF)),
    ],
)
def test_acts_and_endings(one, other, difference):
    found = find_difference(record(one[0], result=one[1]), record(other[0], result=other[1]))
    assert found == RecordDifference(*difference)


def test_an_offer_of_a_draw_is_part_of_an_act():
    found = find_difference(record("a4-a5"), record("a4-a5", offer_draw=True))
    assert found == RecordDifference(1, 1, "red a4-a5", "red a4-a5; red offers a draw")


def test_an_act_against_the_rules_ends_a_record():
    refused = ActEntry(seat="red", action=Move("a4", "b5"))
    lost = GameResult(winner="blue", ending="illegal_action", plies=0)
    found = find_difference(record("a4-a5"), replace(record(""), acts=(refused,), result=lost))
    assert found == RecordDifference(1, 1, "red a4-a5", "red a4-b5, which was refused")


def test_the_same_act_to_which_something_else_is_written_to_have_come():
    one = record("a4-a5", facts=(Addressed(Moved("red", "a4", "a5"), SEATS),))
    assert find_difference(one, record("a4-a5")) is None
    found = find_difference(one, record("a4-a5", facts=()))
    assert found == RecordDifference(1, 1, "red a4-a5", "red a4-a5, but with other facts in the record")


def test_other_luck_at_the_start_is_told_before_any_act():
    one, decks = record("a4-a5"), {"red": ("spy", "scout"), "blue": ("bomb",) * 9}
    other = replace(one, header=replace(one.header, first="blue", decks=decks))
    cards = "red's deck begins with spy, scout; blue's deck begins with " + ", ".join(["bomb"] * 8)
    assert find_difference(one, other) == RecordDifference(0, 0, "nobody begins", f"blue begins; {cards}")


def duel(flag, other):
    """Make the record of two deployments of the duel that differ in red's."""
    header = GameHeader(rules="duel", seed=1, first="red")
    table, _ = begin(Record(header, (), None))
    rules = header.game().describe(table.play.first)
    army = [rank for rank, count in rules.army.items() for _ in range(count)]

    def deployment(seat, swaps=()):
        pieces = dict(zip(rules.deploy[seat], army, strict=False))
        for a, b in swaps:
            pieces[a], pieces[b] = pieces[b], pieces[a]
        return ActEntry(seat=seat, action=Deploy(pieces))

    return Record(header, (deployment("red", [(flag, other)] if flag else ()), deployment("blue")), None)


def test_of_a_deployment_only_what_differs_is_told():
    one = duel(None, None)
    pieces = one.acts[0].action.pieces
    a, b = "a1", next(place for place, rank in pieces.items() if rank != pieces["a1"])
    found = find_difference(one, duel(a, b))
    assert (found.act, found.ply) == (1, 0)
    there = f"{pieces[a]} on {a}, {pieces[b]} on {b}"
    now = f"{pieces[b]} on {a}, {pieces[a]} on {b}"
    assert (found.record, found.rerun) == (f"red deploys {there}", f"red deploys {now}")


def test_of_a_deployment_that_is_missing_not_all_is_told():
    one = duel(None, None)
    found = find_difference(one, replace(one, acts=()))
    assert found.record.endswith(" and 2 more")
    assert found.rerun == "the record ends here, without a result"

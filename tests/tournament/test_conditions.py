"""The conditions of games in memory."""

import msgspec
from msgspec.structs import replace
from tournament.stored_games import CONDITIONS

from arbiter.tournament.machine import PlayingConditions, share_conditions


def copy(conditions):
    """Return conditions that share nothing with others, as from another process."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(conditions), type=PlayingConditions)


def test_shared_conditions_are_equal_to_the_original_ones():
    for changes in ({}, {"lag_ms": 12.5}, {"excused": {"red": 2}}, {"earlier_games": {"blue": 3}, "load": None}):
        conditions = replace(CONDITIONS, **changes)
        assert share_conditions(copy(conditions)) == conditions


def test_the_conditions_of_many_games_share_what_is_equal():
    assert share_conditions(copy(CONDITIONS)) is share_conditions(copy(CONDITIONS))
    one, other = (share_conditions(copy(replace(CONDITIONS, lag_ms=lag_ms))) for lag_ms in (1.0, 2.0))
    assert one != other
    for name in ("host", "sandbox", "processor", "system", "python", "arbiter", "excused", "earlier_games"):
        assert getattr(one, name) is getattr(other, name)

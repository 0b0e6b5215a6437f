"""Spectators see nothing that a player hides: games that differ only in hidden pieces have the same viewer data."""

from itertools import count

import card_twins
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_twins import RecordedPlay, start_pair
from twins import ARMIES, TwinPlays, make_twins

from arbiter.record import GameHeader
from arbiter.serve.live_games import LiveGameData, make_spectator_settings
from protocol.words import OPPONENT, SEATS, Move, PeekLine, Stop

SPECTATORS = [make_spectator_settings(show_all=False, delay=delay, lang="en") for delay in (0, 3)]
COMPARE_EVERY = 40  # acts


def make_viewer_data(data, spectator):
    live = LiveGameData(spectator)
    live.update(data)
    return live.data


def all_viewer_data(play):
    return [make_viewer_data(play.written, each) for each in SPECTATORS]


@pytest.mark.parametrize("army", ARMIES.values(), ids=ARMIES)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), observer=st.sampled_from(SEATS))
@pytest.mark.slow(keep=3)
def test_exchanging_hidden_pieces_does_not_change_the_viewer_data(army, seed, observer):
    pair = make_twins(seed, observer, **army)
    if pair is None:
        return
    one, other = start_pair(pair, army)
    both = TwinPlays(one, other, observer)
    for number, (seat, action) in enumerate(pair.actions[0]):
        both.act(seat, action)
        if one.outcome or other.outcome:
            break
        if not number % COMPARE_EVERY:
            assert all_viewer_data(one) == all_viewer_data(other)
    assert all_viewer_data(one) == all_viewer_data(other)
    for written in (one, other):
        if written.to_act == (OPPONENT[observer],):
            written.refuse(OPPONENT[observer], Move("a1", "j10"))
    if len(one.play.to_act) == len(other.play.to_act) and one.phase == other.phase:
        assert all_viewer_data(one) == all_viewer_data(other)


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), observer=st.sampled_from(SEATS))
def test_exchanging_hidden_cards_does_not_change_the_viewer_data(seed, observer):
    pair = card_twins.make_twins(seed, observer)
    both = []
    for game in pair.games:
        play = game.start()
        both.append(RecordedPlay(play, GameHeader(rules="card-game", seed=seed, first=play.first, decks=game.decks)))
    for number, (seat, action) in enumerate(pair.actions):
        for written in both:
            written.act(seat, action)
        if not number % COMPARE_EVERY:
            assert all_viewer_data(both[0]) == all_viewer_data(both[1])
    assert all_viewer_data(both[0]) == all_viewer_data(both[1])
    for written in both:
        if written.to_act == (OPPONENT[observer],):
            written.refuse(OPPONENT[observer], PeekLine("line:0", ("line:9",)))
    assert all_viewer_data(both[0]) == all_viewer_data(both[1])


def test_a_declined_rescue_has_no_frame():
    army = ARMIES["us rescue"]
    pairs = (make_twins(seed, "red", **army) for seed in count())
    pair = next(pair for pair in pairs if pair and any(isinstance(action, Stop) for _, action in pair.actions[0]))
    one, _ = start_pair(pair, army)
    for seat, action in pair.actions[0]:
        if isinstance(action, Stop):
            before = all_viewer_data(one)[0]
            one.act(seat, action)
            break
        one.act(seat, action)
    after = all_viewer_data(one)[0]
    assert len(after["frames"]) == len(before["frames"])
    assert after["plies"] == before["plies"]
    assert "stops" not in [frame.get("act") for frame in after["frames"]]
    data = make_viewer_data(one.written, make_spectator_settings(show_all=True, delay=0, lang="en"))
    assert len(data["frames"]) == len(after["frames"]) + 1

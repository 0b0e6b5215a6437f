"""Viewer data of games in progress: it does not depend on the pieces in which the record arrives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serve.test_app import make_viewer_data
from show.report.sample_reports import GOLDEN

from arbiter.serve.live_games import LiveGameData, SpectatorSettings
from arbiter.show.replay.knowledge import SPECTATOR, VIEWERS

RECORDS = [path.read_bytes().splitlines(keepends=True)[:60] for path in GOLDEN]


@settings(max_examples=25, deadline=None)
@given(
    record=st.sampled_from(RECORDS),
    viewers=st.sampled_from([(SPECTATOR,), VIEWERS]),
    delay=st.integers(0, 6),
    cuts=st.lists(st.floats(0, 1), max_size=6),
)
def test_the_viewer_data_of_a_growing_record_is_that_of_the_whole_record(record, viewers, delay, cuts):
    spectator = SpectatorSettings(viewers=viewers, delay=delay)
    live = LiveGameData(spectator)
    shown = 0
    for cut in (*sorted(cuts), 1.0):
        written = b"".join(record[: round(cut * len(record))])
        live.update(written)
        assert live.data == make_viewer_data(written, spectator)
        if live.data is not None:
            assert len(live.data["frames"]) >= shown
            shown = len(live.data["frames"])


def test_a_game_with_a_second_deployment_continues():
    cards = next(path for path in GOLDEN if path.stem == "card-game").read_bytes().splitlines(keepends=True)
    for count in range(3, len(cards)):
        assert make_viewer_data(b"".join(cards[:count]), SpectatorSettings()) is not None


@pytest.mark.parametrize("between", [b"", b"half a li"])
def test_a_game_that_restarts_gets_new_viewer_data(between):
    first, second = (b"".join(lines) for lines in RECORDS[:2])
    live = LiveGameData(SpectatorSettings())
    live.update(first)
    if between:
        live.update(between)
        assert live.data is None
    live.update(second)
    assert live.data == make_viewer_data(second, SpectatorSettings())


def test_a_game_that_restarts_is_delayed_again():
    live = LiveGameData(SpectatorSettings(delay=5))
    live.update(b"".join(RECORDS[0]))
    assert live.data is not None
    live.update(b"".join(RECORDS[1][:5]))
    assert live.data is None


def test_viewer_data_that_was_handed_out_does_not_change():
    record = RECORDS[0]
    live = LiveGameData(SpectatorSettings())
    live.update(b"".join(record[:10]))
    handed_out = live.data
    count = len(handed_out["frames"])
    live.update(b"".join(record))
    assert len(handed_out["frames"]) == len(handed_out["ms"]) == len(handed_out["seats"]) == count

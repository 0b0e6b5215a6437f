"""Films that grow: however a record comes, in the end its film is the same; and another game's is another film."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serve.test_app import film_of
from show.report.reported import GOLDEN

from arbiter.serve.live_games import LiveGameData
from arbiter.serve.source import SpectatorSettings
from arbiter.show.replay.knowledge import SPECTATOR
from arbiter.show.report.viewer_data import ALL_SEATS

RECORDS = [path.read_bytes().splitlines(keepends=True)[:60] for path in GOLDEN]


@settings(max_examples=25, deadline=None)
@given(
    record=st.sampled_from(RECORDS),
    viewers=st.sampled_from([(SPECTATOR,), ALL_SEATS]),
    delay=st.integers(0, 6),
    cuts=st.lists(st.floats(0, 1), max_size=6),
)
def test_whatever_comes_when_the_film_is_that_of_the_whole(record, viewers, delay, cuts):
    terms = SpectatorSettings(viewers=viewers, delay=delay)
    live, shown = LiveGameData(terms), 0
    for cut in (*sorted(cuts), 1.0):
        written = b"".join(record[: round(cut * len(record))])
        live.take(written)
        assert live.film == film_of(written, terms)
        if live.film is not None:
            assert len(live.film["frames"]) >= shown
            shown = len(live.film["frames"])


def test_a_game_that_is_set_up_anew_goes_on():
    cards = next(path for path in GOLDEN if path.stem == "card-game").read_bytes().splitlines(keepends=True)
    for count in range(3, len(cards)):
        assert film_of(b"".join(cards[:count]), SpectatorSettings()) is not None


@pytest.mark.parametrize("between", [b"", b"half a li"])
def test_a_game_that_begins_again_is_another(between):
    first, second = (b"".join(lines) for lines in RECORDS[:2])
    live = LiveGameData(SpectatorSettings())
    live.take(first)
    if between:
        live.take(between)
        assert live.film is None
    live.take(second)
    assert live.film == film_of(second, SpectatorSettings())


def test_of_a_game_that_begins_again_nothing_is_shown_too_early():
    terms = SpectatorSettings(delay=5)
    live = LiveGameData(terms)
    live.take(b"".join(RECORDS[0]))
    assert live.film is not None
    live.take(b"".join(RECORDS[1][:5]))
    assert live.film is None


def test_a_film_that_was_given_away_does_not_grow():
    record, live = RECORDS[0], LiveGameData(SpectatorSettings())
    live.take(b"".join(record[:10]))
    given_away, count = live.film, len(live.film["frames"])
    live.take(b"".join(record))
    assert len(given_away["frames"]) == len(given_away["ms"]) == len(given_away["seats"]) == count

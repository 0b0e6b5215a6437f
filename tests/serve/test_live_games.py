"""Viewer data of games in progress: it does not depend on the pieces in which the record arrives."""

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from serve.test_app import make_viewer_data
from show.report.sample_reports import GOLDEN
from trio.testing import trio_test, wait_all_tasks_blocked

from arbiter.errors import ConfigError
from arbiter.serve.live_games import LiveGameData, LiveViewerData, SpectatorSettings
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


@trio_test
async def test_a_game_that_is_over_while_it_is_read_is_read():
    live = LiveViewerData(lambda _: b"".join(RECORDS[0]), SpectatorSettings())
    threads = trio.to_thread.current_default_thread_limiter()
    threads.total_tokens = 1
    await threads.acquire_on_behalf_of(live)
    read = []
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def read_game():
            read.append(await live.read("a"))

        await wait_all_tasks_blocked()
        live.forget_all_but(set())
        threads.release_on_behalf_of(live)
    assert read[0].data == make_viewer_data(b"".join(RECORDS[0]), SpectatorSettings())


@pytest.mark.parametrize("error", [ConfigError("the disk fails"), OSError("the disk fails")])
@trio_test
async def test_spectators_keep_what_they_saw_while_the_record_is_not_available(error, monkeypatch):
    monkeypatch.setattr("arbiter.serve.live_games.UPDATE_EVERY_S", 0)
    monkeypatch.setattr("arbiter.serve.live_games._REST", 0)
    answers = [b"".join(RECORDS[0]), error, b"".join(RECORDS[1])]

    def read_record(_):
        answer = answers.pop(0)
        if answer is error:
            raise error
        return answer

    live = LiveViewerData(read_record, SpectatorSettings())
    seen = (await live.read("a")).data
    assert (await live.read("a")).data == seen
    assert (await live.read("a")).data != seen
    assert answers == []

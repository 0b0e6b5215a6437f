"""The beat of a trio run, on a simulated clock."""

import pytest
import trio
import trio.testing

from arbiter.sandbox.beat import BEAT_S, find_beat


def test_each_listener_is_called_at_each_beat_until_it_is_removed():
    heard = {"first": [], "second": []}

    async def main():
        beat = find_beat()
        for times in heard.values():
            beat.add(times.append)
            beat.add(times.append)  # once is enough
        await trio.sleep(2.5 * BEAT_S)
        beat.remove(heard["first"].append)
        beat.remove(heard["first"].append)
        await trio.sleep(2 * BEAT_S)
        return [trio.current_time() - BEAT_S * beats for beats in (3.5, 2.5, 1.5, 0.5)]

    expected = trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert heard["first"] == pytest.approx(expected[:2])
    assert heard["second"] == pytest.approx(expected)


def test_a_listener_may_remove_itself_and_others():
    heard = []

    async def main():
        def listen(_now):
            heard.append("one")
            find_beat().remove(listen)
            find_beat().add(lambda _now: heard.append("two"))

        find_beat().add(listen)
        await trio.sleep(2.5 * BEAT_S)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert heard == ["one", "two"]


def test_there_is_one_beat_for_each_run():
    async def main():
        assert find_beat() is find_beat()
        return find_beat()

    assert trio.run(main) is not trio.run(main)

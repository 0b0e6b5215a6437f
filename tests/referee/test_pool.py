"""Processes that play several games: what they may play, what happens when they fail, and that none is left."""

import os
import signal

import pytest
import trio
from msgspec.structs import replace
from referee.real_games import AMPLE, TrackedIsolation, bot, make_spec, processes_with_mark

from arbiter.referee.game import play_game
from arbiter.referee.pool import SharedParts, open_pool
from arbiter.sandbox.usage import is_measurable
from arbiter.verify import verify
from protocol.words import SEATS

pytestmark = [
    pytest.mark.usefixtures("adopting"),
    pytest.mark.skipif(not is_measurable(), reason="allowed: no /proc that lists children"),
]
IS_SETTLED = {"prints": lambda bot: bot.reader.unsolicited(), "logs late": lambda bot: not bot.log.is_empty}
"""Signs that a bot is ready for another game."""
FAULTS = (
    "exits",
    "closes stdin",
    "exits at start",
    "exits late",
    "prints",
    "prints at start",
    "counts on",
    "kills itself",
)


class Series:
    """Games in one pool; red and blue change their bots after each game."""

    def __init__(self, fault="", *, games=3, shared=(), versions=(), most_idle=4):
        self.tracked = TrackedIsolation()
        self.games = []
        self.excuses = []
        bots = [replace(bot("second_game", fault), name="second"), replace(bot("second_game"), name="other")]

        async def main():
            async with open_pool(self.tracked, most_idle) as self.pool:
                for number in range(games):
                    spec = make_spec(*bots[:: 1 if number % 2 == 0 else -1])
                    parts = shared[number] if shared else None
                    version = versions[number] if versions else ""
                    spec = replace(spec, shared=parts, versions=dict.fromkeys(SEATS, version))
                    self.games.append(await play_game(spec, self.tracked, excuse=self._excuse, pool=self.pool))
                    if fault in IS_SETTLED:
                        await self._settle(IS_SETTLED[fault])

        trio.run(main)
        assert self.tracked.leftovers() == []
        assert all(verify(game.record).ok for game in self.games)

    async def _settle(self, is_settled):
        (process,) = [bot.process for bot in self.pool._idle if bot.kind.program.name == "second"]
        for pid in processes_with_mark(self.tracked.marks[0]):
            os.kill(pid, signal.SIGUSR1)
        with trio.fail_after(60):
            while not is_settled(process):  # noqa: ASYNC110 - a poll is clearer
                await trio.sleep(0.01)

    def _excuse(self, seat, evidence):
        self.excuses.append((seat, evidence))
        return False

    @property
    def starts(self):
        """The number of processes that were started."""
        return len(self.tracked.marks)

    @property
    def endings(self):
        return [game.result.ending for game in self.games]

    def stderr(self, number):
        """Return what the first bot wrote on stderr in a game."""
        return self.games[number].log.stderr[SEATS[number % 2]].splitlines()


def test_two_processes_play_all_games_of_a_series():
    series = Series(games=4)
    assert series.endings == ["no_attack_limit"] * 4
    assert series.starts == 2
    assert [game.earlier_games for game in series.games] == [{}, *(dict.fromkeys(SEATS, n) for n in (1, 2, 3))]
    for number in range(4):
        types = [line.text.split(b'"')[3] for line in series.games[number].log.wire["red"].lines if line.sent]
        assert types[0] == (b"hello" if number == 0 else b"start")
        assert types[-1] == b"over", "the second game begins without a new process"


def test_a_pool_that_keeps_nothing_starts_processes_for_each_game():
    series = Series(games=2, most_idle=0)
    assert series.starts == 4
    assert all(game.earlier_games == {} for game in series.games)


@pytest.mark.heavy(keep=3)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_program_for_one_game_is_started_again_and_loses_nothing(fault):
    series = Series(fault, games=3)
    assert series.endings == ["no_attack_limit"] * 3
    assert series.starts == 4, "the first bot three times, its opponent once"
    assert series.pool.restarts == {"second": 2}
    assert series.excuses == []
    assert [game.earlier_games.get(seat, 0) for game, seat in zip(series.games, SEATS * 2, strict=False)] == [0, 0, 0]


def test_a_program_that_can_never_play_a_second_game_gets_a_new_process_from_then_on():
    series = Series("exits", games=6)
    assert series.endings == ["no_attack_limit"] * 6
    assert series.starts == 7
    assert series.pool.restarts == {"second": 3}, "after the third time in a row, its processes are not kept"


@pytest.mark.parametrize(("fault", "ending"), [("crashes", "crash"), ("cheats", "illegal_action")])
def test_a_bot_that_fails_in_its_second_game_loses_only_that_one(fault, ending):
    series = Series(fault, games=4)
    assert series.endings == ["no_attack_limit", ending, "no_attack_limit", ending]
    assert [game.result.winner for game in series.games] == [None, "red", None, "red"]
    assert series.starts == 3
    assert series.pool.restarts == {}


LATE = ["game 1 is over", "(the lines above were written after the game before)"]


@pytest.mark.parametrize(
    ("fault", "lines"),
    [
        ("", [[f"game {number} begins", f"game {number} ends"] for number in (1, 2, 3)]),
        ("logs late", [["game 1 begins", "game 1 ends"], [*LATE, "game 2 begins", "game 2 ends"]]),
    ],
)
def test_stderr_belongs_to_the_game_in_which_it_was_written(monkeypatch, fault, lines):
    found = []
    for seconds in (0.05, 1, 10):  # the bot may wait for a core
        if found != lines:
            monkeypatch.setattr("arbiter.referee.pool._LAST_LINES_S", seconds)
            series = Series(fault, games=len(lines))
            found = [series.stderr(number) for number in range(len(lines))]
    assert found == lines


# --- games with the same hidden parts -------------------------------------------------------------


def pair(number):
    return SharedParts(number, frozenset({number}))


def earlier_games(series):
    return [game.earlier_games.get("red", 0) for game in series.games]


def deployments(*pairs):
    return [SharedParts(number // 2, frozenset(parts)) for number, parts in enumerate(pairs)]


# Between the games of a pair, a process could signal what it has seen to the process that plays the second one.
SERIES = {
    "decks of pairs": ({"shared": [*map(pair, (1, 1, 2, 2, 3, 3))]}, 4, [0, 0, 1, 1, 2, 2]),
    "the other game of a pair is not over": ({"shared": [*map(pair, (1, 2, 1, 2))]}, 6, [0, 0, 0, 1]),
    "the same deployment": ({"shared": deployments("ab", "ab", "bc", "cd")}, 6, [0, 0, 0, 1]),
    "another version": ({"versions": ["1", "1", "2", "2"]}, 4, [0, 1, 0, 1]),
}


@pytest.mark.parametrize(("options", "starts", "earlier"), SERIES.values(), ids=SERIES)
def test_a_process_plays_no_game_that_it_knows_something_about(options, starts, earlier):
    series = Series(games=len(earlier), **options)
    assert (series.starts, earlier_games(series)) == (starts, earlier)


def test_a_bot_that_waits_for_its_next_game_does_not_compute(sandbox):
    busy = bot("second_game", "computes")

    async def main():
        async with open_pool(sandbox, 4) as pool, trio.open_nursery() as nursery:
            await play_game(make_spec(busy, bot()), sandbox, pool=pool)
            (process,) = [one.process for one in pool._idle if one.kind.program == busy]
            with trio.fail_after(60):
                used_ms = None
                while used_ms != process.cpu_ms():
                    used_ms = process.cpu_ms()
                    await trio.sleep(0.1)
                nursery.start_soon(play_with, pool)
                while process.cpu_ms() < used_ms + 5:  # noqa: ASYNC110 - it continues in the next game
                    await trio.sleep(0.02)
            nursery.cancel_scope.cancel()

    async def play_with(pool):
        await play_game(make_spec(bot("thinks", "3600"), busy, time=AMPLE), sandbox, pool=pool)

    trio.run(main)


# --- the end --------------------------------------------------------------------------------------


def test_the_pool_ends_processes_that_wait_too_long_and_those_of_bots_that_left(sandbox):
    """In a sandbox they are stopped while they wait, which must not keep them from ending."""
    tracked = TrackedIsolation(sandbox)
    bots = [replace(bot(), name=name) for name in "abcd"]

    async def settle(expected):
        """Wait until the bots of the first and of the second game have processes, or not."""
        with trio.fail_after(20):
            while [any(map(processes_with_mark, tracked.marks[n : n + 2])) for n in (0, 2)] != expected:  # noqa: ASYNC110 - a poll is clearer
                await trio.sleep(0.02)

    async def main():
        async with open_pool(tracked, 2) as pool:
            await play_game(make_spec(bots[0], bots[1]), tracked, pool=pool)
            await settle([True, False])
            await play_game(make_spec(bots[2], bots[3]), tracked, pool=pool)
            await settle([False, True])
            await trio.sleep(0.1)  # so long that they are stopped
            pool.discard({"a", "c", "d"})
            await settle([False, False])

    trio.run(main)
    assert tracked.leftovers() == []


@pytest.mark.parametrize(("kind", "starts"), [("waiting", 2), ("playing", 3)])
def test_no_process_is_left_when_a_series_is_cancelled(sandbox, kind, starts):
    tracked = TrackedIsolation(sandbox)

    async def main():
        with trio.CancelScope() as scope:
            async with open_pool(tracked, 4) as pool, trio.open_nursery() as nursery:
                await play_game(make_spec(bot(), bot()), tracked, pool=pool)
                nursery.start_soon(cancel_later, scope)
                if kind == "playing":
                    await play_game(make_spec(bot("thinks", "3600"), bot()), tracked, pool=pool)
                await trio.sleep_forever()

    async def cancel_later(scope):
        with trio.fail_after(60):
            while len(tracked.marks) < starts:  # noqa: ASYNC110 - a poll is clearer
                await trio.sleep(0.02)
        await trio.sleep(0.1)
        scope.cancel()

    trio.run(main)
    assert len(tracked.marks) == starts
    assert tracked.leftovers() == []

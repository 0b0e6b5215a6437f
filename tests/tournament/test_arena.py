"""The arena: points and conditions of played games, and voided attempts."""

import signal
import socket

import pytest
import trio
from msgspec.structs import replace
from referee.real_games import AMPLE, bot
from tournament.stored_games import attempt
from trio.testing import MockClock

from arbiter.clock import TimeSettings
from arbiter.record import read_record
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena, ArenaSettings
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import ClusterTable, Draws, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Acted, Began, Finished, Void
from arbiter.tournament.execution.executor import GameSpecs
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.new_results import NewGame
from protocol.words import SEATS


class Fixtures:
    """Source of so many fixtures of two bots."""

    def __init__(self, red, blue, count):
        self._waiting = [make_fixture(red, blue, number, 1) for number in range(count, 0, -1)]

    def take(self):
        return self._waiting.pop() if self._waiting else None

    def add(self, game):
        pass


def test_the_stored_game_and_its_record_have_the_points():
    file = TournamentFile(
        name="pair", time=AMPLE, points="ucc", bots=[BotConfig(name="crashes"), BotConfig(name="base")]
    )
    programs = tuple(replace(bot(name), name=name) for name in file.bot_names)
    tournament = replace(resolve_names(file), programs=programs)
    kept = []
    arena = Arena(tournament, 17, LocalExecutor(ProcessIsolation(), 1), kept.extend)
    trio.run(arena.play, Dispatcher(Fixtures("crashes", "base", 1)))
    (stored,) = kept
    game = stored.game
    assert (game.winner, game.ending) == ("blue", "crash")
    assert (game.red_points, game.blue_points) == (-1, 3)
    assert read_record(stored.record).result.points == {"red": -1, "blue": 3}


TIME = TimeSettings(start_s=20, bank_s=20, move_s=10, margin_ms=50)


class RecordingArena:
    """An arena that notes what is stored and announced, in order."""

    def __init__(self, red, blue, *, jobs=1, draws=None, scale_time=False, speed=None, **options):
        draws = draws or Draws(no_attack_plies=0, max_plies=20)
        bots = [BotConfig(name="one"), BotConfig(name="two")]
        cluster = ClusterTable(scale_time=scale_time)
        file = TournamentFile(name="pair", time=TIME, draws=draws, bots=bots, cluster=cluster)
        programs = (replace(red, name="one"), replace(blue, name="two"))
        self.log = []
        self.acts = []
        self.games = []
        self.attempts = []
        self.tournament = replace(resolve_names(file), programs=programs)
        executor = LocalExecutor(ProcessIsolation(), jobs, speed)
        self.arena = Arena(self.tournament, 17, executor, self._keep, ArenaSettings(**options))

    def _keep(self, results):
        for result in results:
            if isinstance(result, NewGame):
                self.games.append(result.game)
                self.log.append(("stored", result.game.ending))
            else:
                self.attempts.append((result.attempt, result.log))
                self.log.append(("stored", result.attempt.cause))

    def _note(self, event):
        if isinstance(event, Finished):
            self.log.append(("finished", event.game.ending))
        elif isinstance(event, Void):
            self.log.append(("void", event.attempt.cause))
        elif isinstance(event, Acted):
            self.acts.append((event.game, event.line))

    def play(self, count=1, meanwhile=None, clock=None, **settings):
        async def main():
            async with trio.open_nursery() as nursery:
                if meanwhile is not None:
                    nursery.start_soon(meanwhile)
                await self.arena.play(Dispatcher(Fixtures("one", "two", count), **settings), self._note)
                nursery.cancel_scope.cancel()

        trio.run(main, clock=clock)


def test_a_game_with_stalls_is_played_to_the_end_and_its_conditions_are_stored():
    brief = Draws(no_attack_plies=0, max_plies=4)
    arena = RecordingArena(bot("thinks", "0.1"), bot("thinks", "0.1"), draws=brief, follows=True)
    clock = MockClock(rate=1)

    async def stall():
        """Let the clock jump once in each turn."""
        before = 2  # the header and a deployment
        while True:
            if len(arena.acts) > before:
                before = len(arena.acts)
                clock.jump(12)
            await trio.sleep(0.02)

    arena.play(meanwhile=stall, clock=clock)
    assert arena.log == [("stored", "ply_limit"), ("finished", "ply_limit")]
    (game,) = arena.games
    assert arena.arena.excused == [game]
    assert game.conditions.lag_ms > 12_000
    assert sum(game.conditions.excused.values()) > 0
    assert (game.conditions.jobs, game.conditions.host) == (1, socket.gethostname())
    assert arena.attempts == arena.arena.voids == []


def test_a_game_of_a_person_does_not_hold_up_those_of_programs():
    bots = [BotConfig(name="anna", kind="person"), BotConfig(name="one"), BotConfig(name="two")]
    draws = Draws(no_attack_plies=0, max_plies=6)
    file = TournamentFile(name="club", time=AMPLE, draws=draws, bots=bots)
    programs = tuple(replace(bot("thinks", "0.2") if name == "anna" else bot(), name=name) for name in file.bot_names)
    arena = Arena(replace(resolve_names(file), programs=programs), 17, LocalExecutor(ProcessIsolation(), 1))
    source = Fixtures("one", "two", 2)
    source._waiting.append(make_fixture("anna", "one", 1, 1))
    log = []

    def note(event):
        if isinstance(event, Began):
            log.append(("began", event.fixture.red))
        elif isinstance(event, Finished):
            log.append(("finished", event.game.red))

    trio.run(arena.play, Dispatcher(source), note)
    assert set(log[:2]) == {("began", "anna"), ("began", "one")}
    programs_only = [what for what, red in log if red == "one"]
    assert programs_only == ["began", "finished"] * 2  # they take the one place


@pytest.mark.parametrize(("scale_time", "bank_ms"), [(True, 5_000), (False, 20_000)])
def test_clocks_are_scaled_by_the_speed_of_the_machine_if_the_tournament_asks_for_that(scale_time, bank_ms):
    arena = RecordingArena(bot(), bot(), scale_time=scale_time, speed=4.0)
    spec = GameSpecs(arena.tournament, 17).make(make_fixture("one", "two", 1, 1), 4.0)
    assert spec.header.time == spec.settings.time
    assert spec.settings.time.bank_s * 1000 == bank_ms
    arena.play()
    (game,) = arena.games
    assert game.conditions.speed == 4.0


SUICIDE = bot("kills_itself", str(signal.SIGKILL.value))
LOST = [("stored", "killed"), ("finished", "killed")]
REPLAYED = [("stored", "killed"), ("void", "killed")]


def test_a_bot_that_kills_itself_gets_one_replay_and_loses_every_game():
    arena = RecordingArena(SUICIDE, bot())
    arena.play(3)
    assert arena.log == REPLAYED + LOST * 3
    assert {game.winner for game in arena.games} == {"blue"}
    ((attempt, log),) = arena.attempts
    assert (attempt.id, attempt.seat, attempt.bot, attempt.plies) == ("one~two~1", "red", "one", 0)
    assert "SIGKILL" in attempt.why
    assert all(len(log.wire[seat].lines) > 3 for seat in SEATS)


def test_an_excuse_is_used_up_by_an_earlier_run():
    arena = RecordingArena(SUICIDE, bot(), attempts=[attempt("one~two~9", "killed", "red")])
    arena.play(2)
    assert arena.log == LOST * 2


def test_two_games_at_a_time_share_one_excuse():
    arena = RecordingArena(SUICIDE, bot(), jobs=2)
    arena.play(4)
    assert sorted(arena.log) == sorted(REPLAYED + LOST * 4)


def test_a_game_that_a_stop_cuts_off_is_stored_as_an_attempt():
    long = Draws(no_attack_plies=0, max_plies=1000)
    arena = RecordingArena(bot("thinks", "0.05"), bot(), draws=long, follows=True)

    async def stop():
        while len(arena.acts) < 8:  # noqa: ASYNC110 - a poll is clearer
            await trio.sleep(0.02)
        raise KeyboardInterrupt

    with pytest.raises(BaseExceptionGroup):
        arena.play(meanwhile=stop)
    assert arena.log == [("stored", "stopped")]
    ((attempt, log),) = arena.attempts
    assert attempt.plies >= 4
    assert attempt.conditions.cores > 0
    assert log.wire["red"].lines


def test_a_game_is_played_again_when_the_programs_that_lost_their_connections_together_are_back():
    arena = RecordingArena(bot(), bot())
    executor, tries = arena.arena._executor, []

    async def try_games(tasks):
        tries.append(trio.current_time())
        if len(tries) > 1:
            return [await executor.try_game(task) for task in tasks]
        return [Void(task.fixture, attempt(task.fixture.id, "lost_connections")) for task in tasks]

    executor.try_games = try_games
    arena.play(is_ready=lambda _bot, _games: not tries or trio.current_time() > tries[0] + 1)
    assert [game.ending for game in arena.games] == ["ply_limit"]
    assert len(tries) == 2
    assert tries[1] > tries[0] + 1
    assert arena.arena.voids == []

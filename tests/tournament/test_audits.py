"""Audits: which games are chosen, how two plays of a game are compared, and when they take place."""

from contextlib import asynccontextmanager
from types import MappingProxyType

import pytest
import trio
from msgspec.structs import replace
from tournament.stored_games import CONDITIONS, attempt, game

from arbiter.record import GameResult, UnfinishedRecord
from arbiter.referee.game import PlayedGame
from arbiter.tournament.arena import Arena, ArenaSettings
from arbiter.tournament.audits import Audits, is_chosen, list_differences
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Audited, Finished, Void
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.new_results import NewAttempt
from arbiter.tournament.standings.stored_game import RuledGame, Ruling
from arbiter.transcript import GameLog
from protocol.reasons import Stated

SECRET = "0123456789abcdef" * 2
FIRST = replace(game("one", "two", "red", "flag_taken"), conditions=CONDITIONS, fingerprint="same")


def played(winner="red", ending="flag_taken", plies=101, fingerprint="same", host="attic"):
    """Make a game as an executor returns it."""
    unfinished = UnfinishedRecord(lines=b"", started="2026-11-20T11:00:00Z", fingerprint=fingerprint)
    result = GameResult(winner=winner, ending=ending, plies=plies)
    return Played(
        PlayedGame(
            result=result, unfinished=unfinished, seconds=2.0, used_ms={}, excused_answers={}, lag_ms=0.0, log=GameLog()
        ),
        replace(CONDITIONS, host=host),
    )


@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
def test_the_chosen_games_are_a_share_of_all_and_follow_from_the_secret(share):
    ids = [f"one~two~{number}" for number in range(1, 5001)]
    chosen = [one for one in ids if is_chosen(SECRET, one, share)]
    assert abs(len(chosen) - 5000 * share) < 4 * (5000 * share * (1 - share)) ** 0.5 + 1
    assert chosen == [one for one in ids if is_chosen(SECRET, one, share)]
    if share < 1:
        assert chosen != [one for one in ids if is_chosen(SECRET[::-1], one, share)]


@pytest.mark.parametrize(
    ("other", "differences"),
    [
        (played(), []),
        (played(fingerprint="other"), ["other actions"]),
        (played(winner="blue"), ["winner red, then blue"]),
        (
            played(winner=None, ending="agreed", plies=7, fingerprint="other"),
            ["winner red, then none", "ending flag_taken, then agreed", "plies 101, then 7", "other actions"],
        ),
        (played(ending="timeout"), ["ending flag_taken, then timeout"]),
    ],
)
def test_all_differences_are_listed(other, differences):
    assert list_differences(FIRST, other) == differences


def make_audits(games, attempts=(), replay=None):
    return Audits(1.0, SECRET, games, attempts, replay)


def test_games_that_cannot_show_a_difference_are_not_audited():
    ruling = Ruling(number=1, at="", by="", reason=Stated(""), kind="result", game=FIRST.id)
    values = {name: getattr(FIRST, name) for name in FIRST.__struct_fields__}
    games = [
        FIRST,
        replace(FIRST, id="one~two~2", ending="walkover"),
        replace(FIRST, id="one~two~3", conditions=None),
        replace(FIRST, id="one~two~4"),
        RuledGame(**values | {"id": "one~two~5"}, ruling=ruling, as_played=FIRST),
        RuledGame(**values | {"id": "one~two~6~r2"}, ruling=replace(ruling, kind="replay"), as_played=FIRST),
    ]
    audits = make_audits(games, [attempt("one~two~4", "audit")])
    taken = [audits.take() for _ in range(3)]
    assert [one and one.game.id for one in taken] == ["one~two~1", "one~two~6~r2", None]


class Machines:
    """Two machines that play one game each, at the same time; `second` is what the second play of a game gives."""

    isolation = "process"
    capacity = 2
    plays_pairs = False
    restarts = MappingProxyType({})

    def __init__(self, second):
        self._second = second
        self.calls = []

    @asynccontextmanager
    async def open(self, _changed, _fail):
        yield

    async def try_games(self, tasks):
        (task,) = tasks
        self.calls.append(("played", task.fixture.id))
        await trio.sleep(0.001 * task.fixture.pair)
        task.played_by(f"tcp://desk:{task.fixture.pair}")
        return [played(host="desk")]

    async def replay(self, task, host, worker):
        self.calls.append(("replayed", task.fixture.id, host, worker))
        await trio.lowlevel.checkpoint()
        if isinstance(self._second, Void):
            await task.note(self._second)
            return None
        task.played_by("tcp://attic:9")
        return self._second


class Source:
    """Source of four games of two bots; the last two can begin only after the first two."""

    def __init__(self):
        self._waiting = [make_fixture("one", "two", number, 1) for number in (4, 3, 2, 1)]
        self._finished = 0

    def take(self):
        if not self._waiting or (len(self._waiting) == 2 and self._finished < 2):
            return None
        return self._waiting.pop()

    def add(self, _game):
        self._finished += 1


def run_audits(second):
    """Play four games and their audits; return the calls, the events, the stored results and the audits."""
    file = TournamentFile(name="pair", bots=[BotConfig(name="one"), BotConfig(name="two")])
    machines = Machines(second)
    kept = []
    events = []
    games = []
    audits = make_audits(games, (), machines.replay)
    arena = Arena(resolve_names(file), SECRET, machines, kept.extend, ArenaSettings(audits=audits))

    def receive(event):
        events.append(event)
        if isinstance(event, Finished):
            games.append(event.game)

    trio.run(arena.play, Dispatcher(Source()), receive)
    return machines.calls, events, kept, audits


def test_audits_begin_after_the_last_game_and_are_stored_if_they_differ():
    calls, events, kept, audits = run_audits(played(winner="blue"))
    assert [call[0] for call in calls] == ["played"] * 4 + ["replayed"] * 4
    assert ("replayed", "one~two~3", "desk", "tcp://desk:3") in calls
    audited = [event for event in events if isinstance(event, Audited)]
    stored = [new.attempt for new in kept if isinstance(new, NewAttempt)]
    assert [event.attempt for event in audited] == stored == audits.differing
    assert {one.cause for one in stored} == {"audit"}
    assert {one.id: one.why for one in stored}["one~two~3"] == (
        "played by desk (tcp://desk:3), then by attic (tcp://attic:9): winner red, then blue"
    )
    assert [event.game.winner for event in events if isinstance(event, Finished)] == ["red"] * 4


def test_equal_games_are_counted_and_not_stored():
    _, events, kept, audits = run_audits(played())
    assert [event.attempt for event in events if isinstance(event, Audited)] == [None] * 4
    assert not any(isinstance(new, NewAttempt) for new in kept)
    assert (audits.same, audits.differing, audits.left) == (4, [], [])


def test_a_refused_second_play_is_stored_as_refused_and_the_game_is_left():
    refused = Void(make_fixture("one", "two", 1, 1), attempt("one~two~1", "refused"))
    _, events, kept, audits = run_audits(refused)
    assert {new.attempt.cause for new in kept if isinstance(new, NewAttempt)} == {"refused"}
    assert not any(isinstance(event, Audited) for event in events)
    assert len(audits.left) == 4

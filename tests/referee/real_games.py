"""Games between real programs, and a check that no process of theirs is left afterwards."""

import os
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import trio

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.record import GameHeader, PlayerName, read_record
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.session import GameSettings
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.isolation import ARMED, GO, Program
from arbiter.sandbox.process import MARK, ProcessIsolation, scratch_path
from arbiter.verify import verify
from protocol.words import SEATS

BOTS = Path(__file__).parent.parent / "bots"
AMPLE = TimeSettings(start_s=20, setup_s=20, bank_s=20, increment_s=0, margin_ms=50)
SHORT = TimeSettings(start_s=20, setup_s=20, bank_s=0.1, increment_s=0, margin_ms=20)
SHORT_GAME = Overrides(no_attack_plies=12)


class TrackedIsolation:
    """An isolation that remembers what it started, so that a test can look for leftovers."""

    def __init__(self, isolation=None):
        self.name = (isolation or ProcessIsolation()).name
        self.marks = []
        self._isolation = isolation or ProcessIsolation()
        self._old_sessions = set()

    def launch(self, program, mark):
        if not self.marks:
            self._old_sessions = _sessions(_all_processes())
        self.marks.append(mark)
        return self._isolation.launch(program, mark)

    @property
    def folders(self):
        """The scratch folders of the programs."""
        return [scratch_path(mark) for mark in self.marks]

    def children(self):
        """Return the living children of this process among the programs."""
        return [pid for mark in self.marks for pid in processes_with_mark(mark) if pid in children()]

    def leftovers(self):
        """Return all that is left of the programs: marked processes, unreaped children and scratch folders.

        A dead child has no mark, but it is in a session that began after the first launch: every bot starts in a
        session of its own.  Other children of the test, such as a browser, are in older sessions.
        """
        marked = [pid for mark in self.marks for pid in processes_with_mark(mark)]
        unreaped = [pid for pid in children() if self.marks and not _sessions([pid]) <= self._old_sessions]
        return marked + unreaped + [folder for folder in self.folders if folder.exists()]


def processes_with_mark(mark):
    """Return the processes that have the mark of a bot in their environment."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for pid in _all_processes():
        with suppress(OSError):
            if wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(pid)
    return found


def _all_processes():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _sessions(pids):
    found = set()
    for pid in pids:
        with suppress(ProcessLookupError):
            found.add(os.getsid(pid))
    return found


def children():
    """Return the children of this process, dead ones included."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
            found += map(int, (task / "children").read_text().split())
    return found


def count_descriptors():
    """Return the number of open descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def bot(name="base", *args):
    """Return a program from the folder of bots."""
    return Program(name=name, argv=(sys.executable, "-ES", f"{BOTS / name}.py", *args), folder=BOTS)


@asynccontextmanager
async def started(program, *, isolation=None, grace_s=5.0, cores=None):
    """Start a program, release its launcher, and end it."""
    process = BotProcess(program, isolation or TrackedIsolation(), cores)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        try:
            assert await process.reader.line() == ARMED
            await process.confine()
            await process.writer.send(GO)
            yield process
        finally:
            await process.end(grace_s)


def make_spec(
    red,
    blue,
    *,
    rules="original",
    options=(),
    overrides=SHORT_GAME,
    time=AMPLE,
    position=None,
    seed=17,
    kind="program",
    **settings,
):
    """Return the specification of a game between players of a kind."""
    programs = dict(zip(SEATS, (red, blue), strict=True))
    header = GameHeader(
        id="r1-red-blue-1",
        rules=rules,
        options=options,
        overrides=overrides,
        position=position,
        seed=seed,
        seats={seat: PlayerName(getattr(programs[seat], "name", "local player"), kind=kind) for seat in SEATS},
        time=time,
    )
    return GameSpec(
        header=header,
        settings=GameSettings(name="g1", game=header.game(), seed=seed, time=time, **settings),
        programs=programs,
    )


class CheckedGame:
    """A played game and its record as read again."""

    def __init__(self, game):
        self.game = game
        self.result = game.result
        self.outcome = (game.result.ending, game.result.winner)
        self.record = read_record(game.record)
        self.acts = self.record.acts


def play(red, blue, *, isolation=None, **options):
    """Play a game and check it."""
    tracked = TrackedIsolation(isolation)
    return check_game(trio.run(play_game, make_spec(red, blue, **options), tracked), tracked)


def check_game(game, tracked):
    """Check what is true of every game: its record is right, and nothing is left of its programs."""
    verification = verify(game.record)
    assert verification.ok, f"{verification.why}\n{game.result}"
    assert (verification.ending, verification.winner) == (game.result.ending, game.result.winner)
    assert tracked.leftovers() == []
    return CheckedGame(game)


def game_of(rules, **overrides):
    """Return the rules of a game with overrides."""
    return find_game(rules, (), Overrides(**overrides))

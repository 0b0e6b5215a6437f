"""Real programs, real games: what a test orders, and what must be gone when a game is over."""

import sys
from contextlib import suppress
from pathlib import Path

import trio

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.record import GameHeader, PlayerName, read_record
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.lag import RefereeStalled
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.orphans import MARK
from arbiter.sandbox.process import ProcessIsolation, scratch_path
from arbiter.verify import verify
from protocol.words import SEATS

BOTS = Path(__file__).parent.parent / "bots"
AMPLE = TimeSettings(start_s=20, setup_s=20, bank_s=20, increment_s=0, margin_ms=50)
SHORT = TimeSettings(start_s=20, setup_s=20, bank_s=0.4, increment_s=0, margin_ms=100)
SHORT_GAME = Overrides(no_attack_plies=12)
TRIES = 10


class Watched(ProcessIsolation):
    """Isolation `process`; it remembers what it started, so that a test can look for what is left."""

    def __init__(self):
        self.marks = []
        self.folders = []

    def launch(self, program, mark):
        self.marks.append(mark)
        self.folders.append(scratch_path(mark))
        return super().launch(program, mark)

    def left(self):
        """Return what is left of all that was started: processes, zombies of ours, folders."""
        folders = [folder for folder in self.folders if folder.exists()]
        return [pid for mark in self.marks for pid in carrying(mark)] + children() + folders


def carrying(mark):
    """Return the processes that carry a bot's mark, or any bot's where none is given."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in _processes() if wanted in _environment(pid)]


def _processes():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _environment(pid):
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def children():
    """Return the children of this process, zombies included."""
    tasks = Path("/proc/self/task").iterdir()
    return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]


def bot(name="base", *args):
    """Return a program of the folder of bots."""
    return Program(name=name, argv=(sys.executable, "-ES", f"{BOTS / name}.py", *args), folder=BOTS)


def order(red, blue, *, rules="original", overrides=SHORT_GAME, time=AMPLE, position=None, seed=17, **settings):
    """Order a game."""
    programs = dict(zip(SEATS, (red, blue), strict=True))
    header = GameHeader(
        id="r1-red-blue-1",
        rules=rules,
        overrides=overrides,
        position=position,
        seed=seed,
        seats={seat: PlayerName(getattr(programs[seat], "name", "guest")) for seat in SEATS},
        time=time,
    )
    return GameSpec(
        header=header,
        settings=GameSettings(name="g1", game=header.game(), seed=seed, time=time, **settings),
        programs=programs,
    )


class Played:
    """A game as it was played, read again from its record."""

    def __init__(self, report):
        self.report = report
        self.result = report.result
        self.verdict = (report.result.ending, report.result.winner)
        self.record = read_record(report.record)
        self.acts = self.record.acts


async def play_until_it_counts(orders, isolation):
    """Play a game, again where it was void because this process stood still, as it does on a busy machine."""
    for _ in range(TRIES - 1):
        with suppress(RefereeStalled):
            return await play_game(orders, isolation)
    return await play_game(orders, isolation)


def play(red, blue, **how):
    """Play a game and check what is true of every game: its record stands, and nothing is left."""
    isolation = Watched()
    return checked(trio.run(play_until_it_counts, order(red, blue, **how), isolation), isolation)


def checked(report, isolation):
    """Check what is true of every game."""
    verdict = verify(report.record)
    assert verdict.ok, f"{verdict.why}\n{report.result}"
    assert (verdict.ending, verdict.winner) == (report.result.ending, report.result.winner)
    assert isolation.left() == []
    return Played(report)


def descriptors():
    """Count what this process holds open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def game_of(rules, **overrides):
    """Return a rule set with overrides."""
    return find_game(rules, (), Overrides(**overrides))

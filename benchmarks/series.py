"""A series of short games: new processes for each game, processes that stay, and the bots alone in one process.

All three play the same games of `barrage` between two bots with the kit.  Elapsed time counts, so a busy machine changes
all of them; they are measured in turns.
"""

import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import trio
from msgspec.structs import replace

from arbiter.games.base import Addressed
from arbiter.games.chance import SeededChance
from arbiter.referee.game import GameSpec
from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.probe import NoSandbox, open_sandbox
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry, find_program
from arbiter.tournament.config.tournament import Tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.execution.specs import GameSpecs
from protocol.bot import new_session
from protocol.codec import decode_bot_line, decode_later_arbiter_line, encode
from protocol.messages import Ask, ClockState, Hello, Over, Start, TimeControl
from protocol.words import SEATS
from sample_bots.kit_player import choose, deploy

FRESH, REUSED = 20, 500  # games of a measurement
REPEATS = 3
KEY = "0" * 32
NAMES = ("one", "two")
TIME = TimeControl(10, 60, 0.1, None, 50)
CLOCK = ClockState(60_000.0, 60_000.0, None, 0.1)


def make_tournament(games: int) -> Tournament:
    """Make a tournament of two kit bots."""
    bots = [BotEntry(name=name) for name in NAMES]
    programs = [find_program(BotEntry(name="kit"), Path.cwd())] * len(NAMES)
    file = TournamentFile(name="series", rules="barrage", games=games, bots=bots)
    named = tuple(replace(program, name=name) for program, name in zip(programs, NAMES, strict=True))
    return replace(resolve_names(file), programs=named)


def play_series(games: int, isolation: Isolation, jobs: int = 1, *, keeps_processes: bool) -> int:
    """Play the games of the tournament, some at a time; return the number of plies."""
    tournament = make_tournament(games)
    plies = 0

    def note(event: object) -> None:
        nonlocal plies
        plies += game.plies if (game := getattr(event, "game", None)) else 0

    arena = Arena(tournament, KEY, LocalExecutor(isolation, jobs, keeps_processes=keeps_processes))
    trio.run(arena.play, Dispatcher(tournament.schedule(KEY)), note)
    return plies


# --- the bots alone -------------------------------------------------------------------------------


class LonelyBot:
    """A kit bot in this process; its messages are encoded and decoded as on a pipe."""

    def __init__(self) -> None:
        self._session = new_session(choose, name="kit", deploy=deploy, wants=["legal"])
        self.news: list[object] = []
        self.asked = 0
        self.send(Hello(1, "bench"))

    def send(self, message: object) -> object:
        """Send the bot a message; return its answer."""
        received = decode_later_arbiter_line(encode(message))
        answer = None if received is None else self._session.receive(received)
        return None if answer is None else decode_bot_line(encode(answer))


def play_alone(spec: GameSpec, bots: dict[str, LonelyBot]) -> int:
    """Play the game of a specification without an arbiter; return the number of plies."""
    settings = spec.settings
    play = settings.game.start(SeededChance(settings.seed))
    for seat, bot in bots.items():
        bot.news, bot.asked = [], 0
        bot.send(Start("g", settings.game.describe(play.first), seat, None, settings.bot_seeds[seat], TIME))

    def deliver(facts: tuple[Addressed, ...]) -> None:
        for one in facts:
            for seat in one.to:
                bots[seat].news.append(one.fact)

    deliver(play.opening)
    while play.outcome is None:
        seat = play.to_act[0]
        bot = bots[seat]
        bot.asked += 1
        extra = {} if play.phase == "setup" else {"legal": play.legal_actions(seat)}
        answer = bot.send(Ask(bot.asked, play.phase, bot.news, CLOCK, **extra))
        bot.news = []
        deliver(play.act(seat, answer.action))
    for bot in bots.values():
        bot.send(Over("g", "draw", play.outcome.ending, play.outcome.why, bot.news))
    return play.plies


def play_all_alone(games: int) -> int:
    """Play the games of the tournament without an arbiter; return the number of plies."""
    tournament = make_tournament(games)
    specs = GameSpecs(tournament, KEY)
    bots = {name: LonelyBot() for name in NAMES}
    plies = 0
    for fixture in tournament.schedule(KEY).fixtures:
        seated = dict(zip(SEATS, (bots[fixture.red], bots[fixture.blue]), strict=True))
        plies += play_alone(specs.make(fixture), seated)
    return plies


def main() -> None:
    """Measure and print the table."""
    isolations: list[Isolation] = [ProcessIsolation()]
    try:
        isolations.append(open_sandbox())
    except NoSandbox as error:
        print(f"no sandbox: {error}", file=sys.stderr)
    ways: dict[str, tuple[int, Callable[[int], int]]] = {"bots alone": (REUSED, play_all_alone)}
    for isolation in isolations:
        for word, games, keeps in (("fresh", FRESH, False), ("reused", REUSED, True)):
            ways[f"{word}, {isolation.name}"] = (
                games,
                partial(play_series, isolation=isolation, keeps_processes=keeps),
            )
    two = partial(play_series, isolation=isolations[-1], jobs=2, keeps_processes=True)
    ways["reused, 2 at a time"] = (REUSED, two)
    best = dict.fromkeys(ways, float("inf"))
    cpu_ms = dict.fromkeys(ways, float("inf"))
    played: dict[int, set[int]] = {FRESH: set(), REUSED: set()}
    for _ in range(REPEATS):
        for name, (games, run) in ways.items():
            started, used = time.perf_counter(), measure_cpu_s()
            played[games].add(run(games))
            best[name] = min(best[name], (time.perf_counter() - started) / games)
            cpu_ms[name] = min(cpu_ms[name], (measure_cpu_s() - used) / games * 1000)
    assert all(len(plies) == 1 for plies in played.values()), "the games differ"
    print(f"{'':<20}{'games/s':>10}{'of the bots alone':>20}{'times fresh':>14}{'CPU ms a game':>16}")
    for name, seconds in best.items():
        fresh = (
            best[f"fresh, {isolations[-1].name}"] if name.endswith("time") else best[name.replace("reused", "fresh")]
        )
        times = f"{fresh / seconds:.1f}" if name.startswith("reused") else ""
        print(f"{name:<20}{1 / seconds:>10.1f}{best['bots alone'] / seconds:>20.2f}{times:>14}", end="")
        is_known = name == "bots alone" or name.endswith("process")  # bwrap hides the time of the bots
        print(f"{cpu_ms[name]:>16.1f}" if is_known else "")


def measure_cpu_s() -> float:
    """Return the processor time that this process and its ended children have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()

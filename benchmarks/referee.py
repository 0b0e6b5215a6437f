"""The referee compared with the baseline: elapsed time per ply, many games at a time, clocks, start and end."""

import time

import trio

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.record import GameHeader, PlayerName
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.process import ProcessIsolation
from benchmarks.baseline import play
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler
from protocol.words import SEATS

PLIES = 4000
SHORT_PLIES = 2
REPEATS, SHORT_REPEATS = 5, 2
CLOCKS = (
    TimeSettings(),
    TimeSettings(clock="cpu"),
    TimeSettings(pondering=False),
    TimeSettings(clock="cpu", pondering=False),
)
PLAIN = ProcessIsolation()
GAMES_AT_ONCE = (1, 2, 8, 32)


def make_spec(plies: int, clock: TimeSettings) -> GameSpec:
    """Return a game between two native bots with this number of plies and all rules."""
    overrides = Overrides(no_attack_plies=0, max_plies=plies)
    native = build_shuffler()
    program = Program(name="shuffler", argv=(str(native),), folder=native.parent)
    seats = {seat: PlayerName("shuffler") for seat in SEATS}
    return GameSpec(
        header=GameHeader(id="bench", rules="original", overrides=overrides, seats=seats),
        settings=GameSettings(name="g", game=find_game("original", (), overrides), seed=1, time=clock),
        programs=dict.fromkeys(SEATS, program),
    )


async def play_games(
    plies: int, count: int, at_once: int, clock: TimeSettings = CLOCKS[0], isolation: Isolation = PLAIN
) -> None:
    """Play games, several at the same time."""
    waiting = iter(range(count))

    async def work() -> None:
        for _ in waiting:
            played = await play_game(make_spec(plies, clock), isolation)
            assert played.result.plies == plies, played

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(work)


async def play_baseline_games(plies: int, count: int, at_once: int) -> None:
    """Pass the lines of games, several at the same time."""
    waiting = iter(range(count))

    async def work() -> None:
        for _ in waiting:
            await play(build_shuffler(), plies)

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(work)


def time_run(run: object, *arguments: object) -> float:
    """Return the seconds that a run takes."""
    started = time.perf_counter()
    trio.run(run, *arguments)
    return time.perf_counter() - started


def main(*, is_full: bool) -> list[Measured]:
    """Measure baseline and referee alternately, and print the best of several runs."""
    repeats = REPEATS if is_full else SHORT_REPEATS
    print(f"{'games at once':>13}  {'baseline us/ply':>15}  {'referee us/ply':>14}  {'ratio':>5}  {'plies/s':>8}")
    for at_once in GAMES_AT_ONCE:
        count = max(2, at_once)
        runs = [
            (time_run(play_baseline_games, PLIES, count, at_once), time_run(play_games, PLIES, count, at_once))
            for _ in range(repeats)
        ]
        baseline, referee = (min(column) / count / PLIES * 1e6 for column in zip(*runs, strict=True))
        print(f"{at_once:>13}  {baseline:>15.1f}  {referee:>14.1f}  {referee / baseline:>5.2f}  {1e6 / referee:>8.0f}")
    print(f"\n{'clock':>13}  {'pondering':>9}  {'us/ply':>6}")
    runs = [[time_run(play_games, PLIES, 2, 1, clock) for clock in CLOCKS] for _ in range(repeats)]
    us = [min(column) / 2 / PLIES * 1e6 for column in zip(*runs, strict=True)]
    for clock, cost in zip(CLOCKS, us, strict=True):
        print(f"{clock.clock:>13}  {clock.pondering!s:>9}  {cost:>6.1f}")
    print(f"\n{'games at once':>13}  {'start and end, ms per game':>26}")
    starts = []
    for at_once in (1, 8):
        best = min(time_run(play_games, SHORT_PLIES, 100, at_once) for _ in range(repeats)) / 100
        starts.append(best * 1e3)
        print(f"{at_once:>13}  {starts[-1]:>26.2f}")
    return [
        Measured('clock = "cpu": time per ply more', us[1] - us[0], "us", "kernel", at_most=100),
        Measured("the same with pondering = false", us[3] - us[2], "us", "kernel", at_most=70),
        Measured("starting and ending a pair of native bots", max(starts), "ms", "kernel", at_most=6),
    ]

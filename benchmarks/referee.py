"""The referee compared with the baseline: elapsed time per ply, games at the same time, clocks, start and end."""

import time

import trio
from floor import play
from native import shuffler

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.overrides import Overrides
from arbiter.record import GameHeader, PlayerName
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.process import ProcessIsolation
from arbiter.sandbox.program import Program
from protocol.words import SEATS

PLIES, SHORT, REPEATS = 4000, 2, 5
CLOCKS = (TimeSettings(), TimeSettings(clock="cpu"), TimeSettings(pondering=False))
CLOCKS += (TimeSettings(clock="cpu", pondering=False),)
PLAIN = ProcessIsolation()
SIDE_BY_SIDE = (1, 2, 8, 32)


def order(plies: int, clock: TimeSettings) -> GameSpec:
    """Return a game between two native bots with this number of plies and all rules."""
    overrides = Overrides(no_attack_plies=0, max_plies=plies)
    native = shuffler()
    program = Program(name="shuffler", argv=(str(native),), folder=native.parent)
    seats = {seat: PlayerName("shuffler") for seat in SEATS}
    return GameSpec(
        header=GameHeader(id="bench", rules="original", overrides=overrides, seats=seats),
        settings=GameSettings(name="g", game=find_game("original", (), overrides), seed=1, time=clock),
        programs=dict.fromkeys(SEATS, program),
    )


async def games(plies: int, count: int, at_once: int, clock: TimeSettings = CLOCKS[0], tier: Isolation = PLAIN) -> None:
    """Play games, several at the same time."""
    waiting = iter(range(count))

    async def work() -> None:
        for _ in waiting:
            report = await play_game(order(plies, clock), tier)
            assert report.result.plies == plies, report

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(work)


async def floors(plies: int, count: int, at_once: int) -> None:
    """Pass the lines of games, several at the same time."""
    waiting = iter(range(count))

    async def work() -> None:
        for _ in waiting:
            await play(shuffler(), plies)

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(work)


def timed(run: object, *how: object) -> float:
    """Return the seconds that a run takes."""
    begun = time.perf_counter()
    trio.run(run, *how)
    return time.perf_counter() - begun


def main() -> None:
    """Measure baseline and referee alternately, and print the best of several runs."""
    print(f"{'games at once':>13}  {'floor us/ply':>12}  {'referee us/ply':>14}  {'ratio':>5}  {'plies/s':>8}")
    for at_once in SIDE_BY_SIDE:
        count = max(2, at_once)
        runs = [(timed(floors, PLIES, count, at_once), timed(games, PLIES, count, at_once)) for _ in range(REPEATS)]
        floor, referee = (min(column) / count / PLIES * 1e6 for column in zip(*runs, strict=True))
        print(f"{at_once:>13}  {floor:>12.1f}  {referee:>14.1f}  {referee / floor:>5.2f}  {1e6 / referee:>8.0f}")
    print(f"\n{'clock':>13}  {'pondering':>9}  {'us/ply':>6}")
    runs = [[timed(games, PLIES, 2, 1, clock) for clock in CLOCKS] for _ in range(REPEATS)]
    for clock, column in zip(CLOCKS, zip(*runs, strict=True), strict=True):
        print(f"{clock.clock:>13}  {clock.pondering!s:>9}  {min(column) / 2 / PLIES * 1e6:>6.1f}")
    print(f"\n{'games at once':>13}  {'start and end, ms a game':>24}")
    for at_once in (1, 8):
        best = min(timed(games, SHORT, 100, at_once) for _ in range(REPEATS)) / 100
        print(f"{at_once:>13}  {best * 1e3:>24.2f}")


if __name__ == "__main__":
    main()

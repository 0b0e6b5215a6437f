"""Slowdown of an honest bot by opponents that keep every core busy: its median move alone and under each attack.

The attacker is its opponent; in the full form, also a bot in another game at the same time.
"""

import statistics
import sys
from pathlib import Path

import trio

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.record import GameHeader, PlayerName, read_record
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.session import GameSettings
from arbiter.referee.timer import lag_monitor
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import open_sandbox
from benchmarks.measured import Measured
from protocol.words import SEATS

PLIES = 40
REPEATS, SHORT_REPEATS = 5, 1
MOVE_MS = "40"
ATTACKS = ("processes", "threads", "storm", "thrash")
BOTS = Path(__file__).parent.parent / "tests" / "bots"


def bot(name: str, *args: str) -> Program:
    """Return a bot of the tests."""
    return Program(name=name, argv=(sys.executable, "-ES", f"{BOTS / name}.py", *args), folder=BOTS)


HONEST = bot("uses_cpu", MOVE_MS)
QUIET = bot("base")


def make_spec(red: Program, blue: Program, plies: int = PLIES) -> GameSpec:
    """Return a game with the default time settings."""
    overrides = Overrides(no_attack_plies=0, max_plies=plies)
    seats = {seat: PlayerName("bot") for seat in SEATS}
    time = TimeSettings()
    return GameSpec(
        header=GameHeader(rules="original", overrides=overrides, seats=seats),
        settings=GameSettings(name="g", game=find_game("original", (), overrides), seed=1, time=time),
        programs=dict(zip(SEATS, (red, blue), strict=True)),
    )


async def measure(sandbox: Isolation, opponent: Program, neighbour: Program | None) -> tuple[float, float, bool]:
    """Play a game; return the honest bot's median move, the arbiter's longest stall, both in ms, and if it lost."""
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        if neighbour is not None:
            nursery.start_soon(play_game, make_spec(neighbour, HONEST, 100_000), sandbox)
            await trio.sleep(1)  # until it attacks
        played = await play_game(make_spec(opponent, HONEST), sandbox)
        nursery.cancel_scope.cancel()
    moves = [act.ms for act in read_record(played.record).acts[2:] if act.seat == "blue"]
    return statistics.median(moves), lag_monitor().longest_ms(begun), played.result.ending != "ply_limit"


def main(*, is_full: bool) -> list[Measured]:
    """Measure each attack next to a quiet game, in turn, and print the ratios."""
    sandbox = open_sandbox()
    found = []
    for place in ("opponent", "other game") if is_full else ("opponent",):
        print(
            f"attack by {place:<11}{'alone ms':>10}{'attacked ms':>12}{'ratio':>8}{'longest stall ms':>18}{'lost':>6}"
        )
        rows = [measure_attack(sandbox, name, place, REPEATS if is_full else SHORT_REPEATS) for name in ATTACKS]
        ratios, lost = zip(*rows, strict=True)
        found += [
            Measured(f"median move of 40 ms, attacked by {place} / alone", max(ratios), "", "kernel", at_most=1.2),
            Measured(f"games that it lost, attacked by {place}", sum(lost), "", "kernel", at_most=0),
        ]
    return found


def measure_attack(sandbox: Isolation, name: str, place: str, repeats: int) -> tuple[float, int]:
    """Measure one attack and print its line; return the ratio of the medians, and how many games were lost."""
    attacker = bot("hogs", name)
    opponent, neighbour = (attacker, None) if place == "opponent" else (QUIET, attacker)
    runs = []
    for _ in range(repeats):
        alone, _, _ = trio.run(measure, sandbox, QUIET, None)
        runs.append((alone, *trio.run(measure, sandbox, opponent, neighbour)))
    alone, attacked, stall, lost = zip(*runs, strict=True)
    ratio = statistics.median(after / before for before, after in zip(alone, attacked, strict=True))
    figures = f"{statistics.median(alone):>10.1f}{statistics.median(attacked):>12.1f}{ratio:>8.2f}{max(stall):>18.0f}"
    print(f"{name:<21}{figures}{sum(lost):>6}", flush=True)
    return ratio, sum(lost)

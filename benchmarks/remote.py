"""Games of remote programs over the loopback, in turn with the same games over pipes."""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import trio

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.record import GameHeader, PlayerName
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.session import GameSettings
from arbiter.remote.hub import Hub, NetworkPlayer
from arbiter.remote.invitations import Invitations
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.process import ProcessIsolation
from arbiter.serve.background import open_gateway
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler
from protocol.words import SEATS

PLIES = 1000
GAMES, SHORT_GAMES = 100, 2
PORT = 0
TICKS = os.sysconf("SC_CLK_TCK")
TIME = TimeSettings(start_s=120, setup_s=120, bank_s=3600)


def find_cpu_s(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def make_spec(programs: dict[str, Program | NetworkPlayer]) -> GameSpec:
    """Return a game of so many plies between two programs."""
    overrides = Overrides(no_attack_plies=0, max_plies=PLIES)
    seats = {seat: PlayerName(programs[seat].name) for seat in SEATS}
    return GameSpec(
        header=GameHeader(id="bench", rules="original", overrides=overrides, seats=seats, time=TIME),
        settings=GameSettings(name="g", game=find_game("original", (), overrides), seed=1, time=TIME),
        programs=programs,
    )


async def play_all(specs: list[GameSpec], hub: Hub | None) -> float:
    """Play games at the same time; return the elapsed seconds."""
    async with trio.open_nursery() as nursery:
        if hub is not None:
            nursery.start_soon(hub.run, lambda: None)
            names = [program.name for spec in specs for program in spec.programs.values()]
            while not all(map(hub.is_ready, names)):  # noqa: ASYNC110 - a benchmark may look now and then
                await trio.sleep(0.1)
        begun = time.perf_counter()
        async with trio.open_nursery() as games:
            for spec in specs:
                games.start_soon(play_game, spec, ProcessIsolation())
        seconds = time.perf_counter() - begun
        nursery.cancel_scope.cancel()
    return seconds


def measure_pipes(games: int) -> tuple[float, float]:
    """Return elapsed and processor time of the arbiter for a ply over pipes, in microseconds."""
    native = build_shuffler()
    program = Program(name="shuffler", argv=(str(native),), folder=native.parent)
    begun = time.process_time()
    seconds = trio.run(play_all, [make_spec(dict.fromkeys(SEATS, program)) for _ in range(games)], None)
    return seconds / games / PLIES * 1e6, (time.process_time() - begun) / games / PLIES * 1e6


def measure_remote(games: int) -> tuple[float, float]:
    """Return elapsed and processor time of the arbiter and the gateway for a ply over the network, in microseconds."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        invitations = Invitations(folder / "bench.invites")
        before = set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text(encoding="ascii").split())
        address, link = stack.enter_context(open_gateway(invitations.file, "127.0.0.1", PORT, []))
        children = set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text(encoding="ascii").split())
        (gateway,) = map(int, children - before)
        hub = Hub(link)
        specs = []
        for number in range(games):
            programs: dict[str, Program | NetworkPlayer] = {}
            for seat in SEATS:
                programs[seat] = NetworkPlayer(f"{seat}{number}", hub)
                token = invitations.add(programs[seat].name)
                words = [sys.executable, "-m", "protocol.connect", f"{address}#{token}", "--", str(build_shuffler())]
                client = stack.enter_context(subprocess.Popen(words, stderr=subprocess.DEVNULL))
                stack.callback(client.kill)
            specs.append(make_spec(programs))
        begun, used = time.process_time(), find_cpu_s(gateway)
        seconds = trio.run(play_all, specs, hub)
        cpu_s = time.process_time() - begun + find_cpu_s(gateway) - used
    return seconds / games / PLIES * 1e6, cpu_s / games / PLIES * 1e6


def main(*, is_full: bool) -> list[Measured]:
    """Measure pipes and network in turn."""
    games = GAMES if is_full else SHORT_GAMES
    single_pipe, _ = measure_pipes(1)
    single_remote, single_cpu = measure_remote(1)
    pipe, pipe_cpu = measure_pipes(games)
    remote, remote_cpu = measure_remote(games)
    print(f"{'games':>5}  {'':>8}  {'elapsed us/ply':>14}  {'server us/ply':>13}")
    print(f"{games:>5}  {'pipes':>8}  {pipe:>14.0f}  {pipe_cpu:>13.0f}")
    print(f"{games:>5}  {'network':>8}  {remote:>14.0f}  {remote_cpu:>13.0f}")
    print(f"{1:>5}  {'pipes':>8}  {single_pipe:>14.0f}")
    print(f"{1:>5}  {'network':>8}  {single_remote:>14.0f}  {single_cpu:>13.0f}")
    return [
        Measured("remote programs: processor time of the server per ply", remote_cpu, "us", "Python", at_most=600),
        Measured("round trip added to that of a pipe", (single_remote - single_pipe) / 1e3, "ms", "Python", at_most=2),
    ]

"""Live pages on a machine whose cores are all busy: the age of what spectators see, and the processor time."""

import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio

from arbiter.resources import count_cores
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from benchmarks.measured import Measured
from benchmarks.report import make_tournament, play_random_game

BOTS = 20
GAMES = 2000
PLIES = 60
SPECTATORS = 100
EVERY_S = 0.25
SECONDS, SHORT_SECONDS = 60, 30
START_S = 15
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = "index.html"
PLAYED = re.compile(rb"(\d+) of \d+ games are played")


@contextmanager
def keep_cores_busy() -> Iterator[None]:
    """Keep each core busy with another process."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count_cores())]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@contextmanager
def serve(path: Path) -> Iterator[tuple[int, int]]:
    """Serve results; yield the port and the id of the process."""
    command = [Path(sys.executable).with_name("arbiter"), "serve", path, "--at", "0"]
    # A session of its own: the server lowers the priority of its session.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+:(\d+)/", server.stdout.readline())
        assert found is not None
        try:
            yield int(found[1]), server.pid
        finally:
            server.send_signal(signal.SIGINT)


def read_processor_time(pid: int) -> float:
    """Return the processor time of a process so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Spectator:
    """A browser with the first page: it loads it once, and then as often as the server announces a change."""

    def __init__(self, port: int) -> None:
        self.seen: list[tuple[float, int]] = []  # when it saw how many games
        self._port = port
        self._shown = b""

    async def fetch(self) -> None:
        """Load the page, as a new connection."""
        stream = await trio.open_tcp_stream("127.0.0.1", self._port)
        async with stream:
            await stream.send_all(f"GET /{PAGE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            page = b"".join([part async for part in stream])
        if found := re.search(rb'data-news="(\d+)"', page):
            self._shown = found[1]
        self._note(page)

    def _note(self, text: bytes) -> None:
        if found := PLAYED.search(text):
            self.seen.append((time.monotonic(), int(found[1])))

    async def listen(self) -> None:
        """Follow the changes."""
        await self.fetch()
        has_text = False
        stream = await trio.open_tcp_stream("127.0.0.1", self._port)
        await stream.send_all(
            f"GET /events?boards&page={PAGE} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        received = b""
        async for part in stream:
            *events, received = (received + part).split(b"\n\n")
            for event in events:
                if found := re.search(rb'event: change\ndata: {"before":(\d+),"after":(\d+)', event):
                    if has_text and found[1] == self._shown:
                        self._shown = found[2]
                        self._note(event)
                        continue
                elif not (found := re.search(rb"event: news\r?\ndata: ()(\d+)", event)) or found[2] == self._shown:
                    continue
                await self.fetch()
                has_text = True


async def watch(store: Store, port: int, pid: int, games: list[NewGame], start: int) -> tuple[float, float, float]:
    """Store games while spectators watch; return the worst and the mean delay in seconds, and the share of a core."""
    spectators = [Spectator(port) for _ in range(SPECTATORS)]
    stored: list[float] = []
    async with trio.open_nursery() as nursery:
        for spectator in spectators:
            nursery.start_soon(spectator.listen)
        await trio.sleep(START_S)
        before, began = read_processor_time(pid), time.monotonic()
        for game in games:
            await trio.to_thread.run_sync(store.add, [game])
            stored.append(time.monotonic())
            await trio.sleep(EVERY_S)
        share = (read_processor_time(pid) - before) / (time.monotonic() - began)
        await trio.sleep(START_S)
        nursery.cancel_scope.cancel()
    delays = []
    for spectator in spectators:
        for number, at in enumerate(stored, start=start + 1):
            delays.append(next((when for when, count in spectator.seen if count >= number), math.inf) - at)
    return max(delays), sum(delays) / len(delays), share


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the results."""
    tournament = make_tournament(BOTS, GAMES)
    live = round((SECONDS if is_full else SHORT_SECONDS) / EVERY_S)
    games = [
        play_random_game(fixture, number, PLIES)
        for number, fixture in zip(range(GAMES), tournament.schedule(1).fixtures, strict=False)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.sqlite")
        with Store.create_or_resume(path, new_manifest(tournament, "process")) as store:
            store.add(games[:-live])
            with serve(path) as (port, pid), keep_cores_busy():
                worst, mean, share = trio.run(watch, store, port, pid, games[-live:], GAMES - live)
    print(f"{BOTS} bots, {GAMES} games, {SPECTATORS} spectators, {1 / EVERY_S:g} games a second, all cores busy:")
    print(f"a game is shown after {mean:.1f} s, the last spectator sees it after at most {worst:.1f} s")
    print(f"the server uses {100 * share:.1f} % of a core")
    what = (
        f"live pages with {SPECTATORS} spectators on busy cores: longest time from the end of a game until it is shown"
    )
    return [
        Measured(what, worst, "s", "Python", at_most=5),
        Measured("the same: share of a core that the server uses", 100 * share, "%", "Python", at_most=10),
    ]

"""The choice of the worker that plays a game: both games of a pair on one machine, and no machine too busy."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

import trio
from msgspec import Struct

from arbiter.tournament.execution.executor import GameTask
from arbiter.tournament.fixture import Fixture, find_stage
from arbiter.tournament.standings.stored_game import StoredGame

_MOST_PAIRS: Final = 10_000  # the last ones whose machine is remembered

_Pair = tuple[int, frozenset[str], int]


class Seats(Struct, eq=False):
    """The games that one worker may play at the same time, as numbers among those of its machine.

    As many more can wait on the worker, so that they begin at once when others end.
    """

    address: str
    machine: str
    numbers: tuple[int, ...]
    games: int = 0
    """Number of games that it has been given, with those that wait."""

    @property
    def load(self) -> float:
        """The share of its slots that have a game."""
        return self.games / len(self.numbers)

    @property
    def waiting(self) -> int:
        """The number of games that wait on the worker."""
        return max(0, self.games - len(self.numbers))


class Placement:
    """The workers of a run and the games that they have."""

    def __init__(self) -> None:
        self.workers: dict[str, Seats] = {}
        """By their addresses."""
        self._machines: dict[str, dict[str, Seats]] = {}
        """The workers with slots of each machine that is not excluded, by their addresses."""
        self._free: dict[float, dict[str, Seats]] = {}
        """Those of them that have room, by their loads."""
        self.capacity = 0
        """The number of games that all workers together can play at the same time."""
        self.waiting = 0
        """The number of games that wait on workers."""
        self._pairs: OrderedDict[_Pair, tuple[str, str]] = OrderedDict()
        """The machine of the first game of a pair, and its id."""
        self._forbidden: set[tuple[str, str]] = set()
        self._excluded: set[str] = set()

    # --- workers ----------------------------------------------------------------------------------

    def share(self, machine: str, slots: int, threads: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        """Share the free slots of a machine out among new workers on it, at most one for each thread of a worker."""
        used = {number for worker in self.workers.values() if worker.machine == machine for number in worker.numbers}
        free = [number for number in range(slots) if number not in used]
        return {
            address: tuple(free[place :: len(threads)][:most]) for place, (address, most) in enumerate(threads.items())
        }

    def add(self, address: str, machine: str, numbers: Iterable[int]) -> None:
        """Add a worker with its slots."""
        worker = self.workers[address] = Seats(address, machine, tuple(numbers))
        if worker.numbers and machine not in self._excluded:
            self._machines.setdefault(machine, {})[address] = worker
            self.capacity += len(worker.numbers)
            self._set_games(worker, 0)

    def remove(self, address: str) -> None:
        """Remove a worker; its games are taken back by the caller."""
        worker = self.workers.pop(address, None)
        if worker is not None and self._machines.get(worker.machine, {}).pop(address, None) is not None:
            self.capacity -= len(worker.numbers)
            self.waiting -= worker.waiting
            self._drop_free(worker)
            if not self._machines[worker.machine]:
                del self._machines[worker.machine]

    def forbid(self, machine: str, bot: str) -> None:
        """Give no more games of a bot to a machine."""
        self._forbidden.add((machine, bot))

    def note_game(self, game: StoredGame, machine: str) -> None:
        """Note that a machine has played a game in an earlier run; it is to play the other game of the pair too."""
        pair = find_stage(game.id), frozenset((game.red, game.blue)), game.pair
        self._pairs[pair] = machine, game.id

    def exclude(self, machine: str) -> None:
        """Give no more games to a machine."""
        self._excluded.add(machine)
        for worker in self._machines.pop(machine, {}).values():
            self.capacity -= len(worker.numbers)
            self.waiting -= worker.waiting
            self._drop_free(worker)

    def can_spare(self, machine: str, bots: Collection[str]) -> bool:
        """Return True if any two of the bots can meet on another machine too."""
        others = {worker.machine for worker in self.workers.values()} - self._excluded - {machine}
        places = {frozenset(one for one in others if (one, bot) not in self._forbidden) for bot in bots}
        return all(one & other for one in places for other in places)

    def is_playing(self, machine: str) -> bool:
        """Return True if a machine has workers with slots and was not excluded."""
        return machine in self._machines

    # --- games ------------------------------------------------------------------------------------

    def take(self, fixture: Fixture, failed: Collection[str] = ()) -> str | None:
        """Give a game to a worker with room and return its address; None if the game has to wait.

        The second game of a pair waits for the machine of the first one, unless that has left.  If the machine has only
        one worker, it waits there.  A game that has `failed` on workers goes to another worker if there is one.
        """
        if machine := self.find_wanted(fixture, failed):
            workers = self._machines[machine].values()
            most = 2 if len(workers) == 1 else 1
            room = [worker for worker in workers if worker.games < most * len(worker.numbers)]
            chosen = min(room, key=lambda worker: worker.load, default=None)
        else:
            avoided = failed if self.has_other(fixture, failed) else ()
            free = (worker for load in sorted(self._free) for worker in self._free[load].values())
            able = (one for one in free if one.address not in avoided and self._is_able(one.machine, fixture))
            chosen = next(able, None)
        if chosen is None:
            return None
        self._set_games(chosen, chosen.games + 1)
        pair = _find_pair(fixture)
        if self._pairs.get(pair, ("", fixture.id))[1] == fixture.id:
            self._pairs[pair] = chosen.machine, fixture.id
            if len(self._pairs) > _MOST_PAIRS:
                self._pairs.popitem(last=False)
        return chosen.address

    def give_back(self, address: str) -> None:
        """Note that a worker has one game less."""
        worker = self.workers.get(address)
        if worker is not None:
            self._set_games(worker, worker.games - 1)

    def has_other(self, fixture: Fixture, addresses: Collection[str]) -> bool:
        """Return True if a worker other than some could play a game, now or later."""
        return any(
            self._is_able(machine, fixture) and any(address not in addresses for address in workers)
            for machine, workers in self._machines.items()
        )

    def choose_avoided(self, fixture: Fixture, failed: Collection[str], address: str) -> set[str]:
        """Return the workers that should not get a game that failed on some workers, and now on another one.

        These are all workers of its machine, or only itself if no other machine can play the game.
        """
        worker = self.workers.get(address)
        machine = () if worker is None else self._machines.get(worker.machine, ())
        avoided = {*failed, address, *machine}
        return avoided if self.has_other(fixture, avoided) else {*failed, address}

    def find_wanted(self, fixture: Fixture, failed: Collection[str]) -> str:
        """Return the only machine that may play a game; '' if several may."""
        machine, first = self._pairs.get(_find_pair(fixture), ("", fixture.id))
        return machine if first != fixture.id and not failed and self._is_able(machine, fixture) else ""

    def _is_able(self, machine: str, fixture: Fixture) -> bool:
        """Return True if a machine has workers with slots and may play both bots of a game."""
        return self.is_playing(machine) and not any(
            (machine, bot) in self._forbidden for bot in (fixture.red, fixture.blue)
        )

    def _set_games(self, worker: Seats, games: int) -> None:
        """Set the number of games of a worker, and note its load if it has room."""
        self._drop_free(worker)
        waited, worker.games = worker.waiting, games
        if worker.address in self._machines.get(worker.machine, {}):
            self.waiting += worker.waiting - waited
            if games < len(worker.numbers):
                self._free.setdefault(worker.load, {})[worker.address] = worker

    def _drop_free(self, worker: Seats) -> None:
        """Take a worker out of those with room."""
        if worker.numbers and worker.address in self._free.get(worker.load, {}):
            del self._free[worker.load][worker.address]
            if not self._free[worker.load]:
                del self._free[worker.load]


def _find_pair(fixture: Fixture) -> _Pair:
    return fixture.stage, frozenset((fixture.red, fixture.blue)), fixture.pair


# --- games that wait for a worker with room -------------------------------------------------------


class _Waiting(Struct, eq=False):
    """A game that waits for a worker."""

    task: GameTask
    failed: Collection[str]
    number: int
    """Games with lower numbers have waited for longer."""
    wanted: str
    """The only machine that may play it; '' if several may."""
    given: trio.Event
    address: str = ""


class WaitingGames:
    """The games that wait for a worker.  Its length is their number."""

    def __init__(self, placement: Placement) -> None:
        """Begin without games."""
        self.changed: Callable[[], object] = lambda: None
        """Called when games begin to wait, and when workers may be free for them."""
        self._placement = placement
        self._games: dict[str, dict[int, _Waiting]] = {}
        """By the machine that they want, and by their numbers."""
        self._last = 0

    def __len__(self) -> int:
        return sum(map(len, self._games.values()))

    async def take_worker(self, task: GameTask, failed: Collection[str]) -> str:
        """Wait until a worker has room for a game that failed on others, and return its address.

        Return '' if the run is stopped before.
        """
        if not task.is_wanted():
            return ""
        if (address := self._placement.take(task.fixture, failed)) is not None:
            return address
        self._last += 1
        waiting = _Waiting(task, failed, self._last, "", trio.Event())
        self._add(waiting)
        self.changed()
        try:
            await waiting.given.wait()
        except trio.Cancelled:
            if not waiting.given.is_set():
                self._remove(waiting)
            elif waiting.address:
                self._placement.give_back(waiting.address)
            raise
        return waiting.address

    def give_workers(self, machine: str | None = None) -> None:
        """Give workers with room to the games that wait, the oldest one first.

        `machine` is the only one whose room has changed.  Default: any.
        """
        wanted = self._games if machine is None else (machine, "")
        found = [waiting for one in wanted for waiting in self._games.get(one, {}).values()]
        for waiting in sorted(found, key=lambda waiting: waiting.number):
            task = waiting.task
            address = self._placement.take(task.fixture, waiting.failed) if task.is_wanted() else ""
            if address is not None:
                waiting.address = address
                self._remove(waiting)
                waiting.given.set()
            elif machine is None:
                self._remove(waiting)
                self._add(waiting)  # its machine may have left
        self.changed()

    def _add(self, waiting: _Waiting) -> None:
        waiting.wanted = self._placement.find_wanted(waiting.task.fixture, waiting.failed)
        self._games.setdefault(waiting.wanted, {})[waiting.number] = waiting

    def _remove(self, waiting: _Waiting) -> None:
        del self._games[waiting.wanted][waiting.number]
        if not self._games[waiting.wanted]:
            del self._games[waiting.wanted]

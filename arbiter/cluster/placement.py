"""The choice of the worker that plays a game: both games of a pair on one machine, and no machine too busy."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from arbiter.tournament.fixture import Fixture, find_stage
from arbiter.tournament.standings.stored_game import StoredGame

_MOST_PAIRS: Final = 10_000  # the last ones whose machine is remembered

_Pair = tuple[int, frozenset[str], int]


class Seats:
    """The games that one worker may play at the same time, as numbers among those of its machine."""

    def __init__(self, address: str, machine: str, numbers: Iterable[int]) -> None:
        self.address = address
        self.machine = machine
        self.numbers = tuple(numbers)
        self.games = 0
        """Number of games that it has been given."""


class Placement:
    """The workers of a run and the games that they have."""

    def __init__(self) -> None:
        self._workers: dict[str, Seats] = {}
        self._pairs: OrderedDict[_Pair, tuple[str, str]] = OrderedDict()
        """The machine of the first game of a pair, and its id."""
        self._forbidden: set[tuple[str, str]] = set()
        self._excluded: set[str] = set()

    # --- workers ----------------------------------------------------------------------------------

    def share(self, machine: str, slots: int, threads: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        """Share the free slots of a machine out among new workers on it, at most one for each thread of a worker."""
        used = {number for worker in self._workers.values() if worker.machine == machine for number in worker.numbers}
        free = [number for number in range(slots) if number not in used]
        return {
            address: tuple(free[place :: len(threads)][:most]) for place, (address, most) in enumerate(threads.items())
        }

    def add(self, address: str, machine: str, numbers: Iterable[int]) -> None:
        """Add a worker with its slots."""
        self._workers[address] = Seats(address, machine, numbers)

    def remove(self, address: str) -> None:
        """Remove a worker; its games are taken back by the caller."""
        self._workers.pop(address, None)

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

    def can_spare(self, machine: str, bots: Collection[str]) -> bool:
        """Return True if any two of the bots can meet on another machine too."""
        others = {worker.machine for worker in self._workers.values()} - self._excluded - {machine}
        places = {frozenset(one for one in others if (one, bot) not in self._forbidden) for bot in bots}
        return all(one & other for one in places for other in places)

    @property
    def workers(self) -> Collection[str]:
        """The addresses of the workers."""
        return self._workers.keys()

    @property
    def capacity(self) -> int:
        """The number of games that can be given to all workers together."""
        workers = (one for one in self._workers.values() if one.numbers and one.machine not in self._excluded)
        return sum(len(worker.numbers) for worker in workers)

    # --- games ------------------------------------------------------------------------------------

    def take(self, fixture: Fixture, failed: Collection[str] = ()) -> str | None:
        """Give a game to a worker with room and return its address; None if the game has to wait.

        The second game of a pair waits for the machine of the first one, unless that has left.  A game that has `failed`
        on workers goes to another worker if there is one.
        """
        pair = _find_pair(fixture)
        machine, first = self._pairs.get(pair, ("", fixture.id))
        able = [worker for worker in self._workers.values() if self._is_able(worker, fixture)]
        able = [worker for worker in able if worker.address not in failed] or able
        if first != fixture.id and not failed:
            able = [worker for worker in able if worker.machine == machine] or able
        free = [worker for worker in able if worker.games < len(worker.numbers)]
        if not free:
            return None
        chosen = min(free, key=lambda worker: worker.games / len(worker.numbers))
        chosen.games += 1
        if first == fixture.id:
            self._pairs[pair] = chosen.machine, first
            if len(self._pairs) > _MOST_PAIRS:
                self._pairs.popitem(last=False)
        return chosen.address

    def give_back(self, address: str) -> None:
        """Note that a worker has one game less."""
        if address in self._workers:
            self._workers[address].games -= 1

    def _is_able(self, worker: Seats, fixture: Fixture) -> bool:
        if not worker.numbers or worker.machine in self._excluded:
            return False
        return not any((worker.machine, bot) in self._forbidden for bot in (fixture.red, fixture.blue))


def _find_pair(fixture: Fixture) -> _Pair:
    return fixture.stage, frozenset((fixture.red, fixture.blue)), fixture.pair

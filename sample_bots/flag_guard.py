"""Guarding the flag: enemies that may reach it, their shortest paths, and our pieces that can stop them in time."""

from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct

from protocol.words import Place
from sample_bots.beliefs import IMMOVABLE
from sample_bots.fights import Foe

ATTACK_ON_FLAG: Final = 200  # the cost of an enemy next to the flag that no piece of ours can stop
PER_STEP: Final = 0.85  # the part of this cost that remains for each step of distance
HORIZON: Final = 7  # steps; enemies further away are ignored
TOO_LATE: Final = 0.6  # the part of its effect that a defender keeps for each step that it comes too late
UNREACHABLE: Final = 99  # the distance of a square to which no path leads
NEGLIGIBLE: Final = 0.03  # smaller chances are ignored


Neighbours = Mapping[Place, tuple[Place, ...]]
Distances = dict[Place, int]


class Threat(Struct, frozen=True):
    """An enemy piece that may reach the flag."""

    foe: Foe
    at: Place
    path: list[Place]
    """From its square to the last one before the flag."""
    cost: float
    """The cost if no piece of ours stops it."""
    defenders: list[tuple[float, Place]]
    """Our two best defenders: the probability that it stops the enemy, and its square."""


class FlagGuard:
    """The threats to the flag in one turn."""

    def __init__(self, neighbours: Neighbours, own: dict[Place, str], foes: dict[Place, Foe]) -> None:
        self._neighbours = neighbours
        self._own = own
        self._foes = foes
        self._blocked = foes.keys() | {place for place, rank in own.items() if rank in IMMOVABLE}
        self._distances: dict[Place, Distances] = {}
        self.threats: list[Threat] = []
        home = next((place for place, rank in own.items() if rank == "flag"), None)
        if home is not None:
            passable_by_miners = {place for place, rank in own.items() if rank == "bomb"}
            self._add_threats(home, own.keys(), miners=False)
            self._add_threats(home, own.keys() - passable_by_miners, miners=True)

    def _add_threats(self, home: Place, walls: Collection[Place], *, miners: bool) -> None:
        onward = self._next_squares(home, walls)
        for at, foe in self._foes.items():
            miner = foe.chances.get("miner", 0.0)
            chance = miner if miners else foe.mobile - miner
            path = []
            place = at
            while place in onward and place != home:
                path.append(place)
                place = onward[place]
            if chance > NEGLIGIBLE and 0 < len(path) <= HORIZON:
                defenders = [(self._chance_to_stop(foe, path, rank, place), place) for place, rank in self._own.items()]
                cost = chance * ATTACK_ON_FLAG * PER_STEP ** len(path)
                self.threats.append(Threat(foe, at, path, cost, sorted(defenders, reverse=True)[:2]))

    def _next_squares(self, home: Place, walls: Collection[Place]) -> dict[Place, Place]:
        """Return the next square towards the flag, for each square from which it can be reached."""
        onward = {home: home}
        queue = [home]
        for place in queue:
            for neighbour in self._neighbours[place]:
                if neighbour not in onward and neighbour not in walls:
                    onward[neighbour] = place
                    if neighbour not in self._foes:
                        queue.append(neighbour)
        return onward

    def _chance_to_stop(self, foe: Foe, path: list[Place], rank: str, place: Place) -> float:
        """Return the probability that our piece on a square stops an enemy on its path."""
        if rank in IMMOVABLE:
            return 0.0
        delay = min(
            max(0, self._distances_to(square).get(place, UNREACHABLE) - steps) for steps, square in enumerate(path)
        )
        odds = foe.odds_as_target(rank)
        return (odds.win + odds.tie) * TOO_LATE**delay

    def _distances_to(self, square: Place) -> Distances:
        if square not in self._distances:
            self._distances[square] = count_steps(square, self._neighbours, self._blocked)
        return self._distances[square]

    def cost_of_move(self, rank: str, src: Place, dst: Place) -> float:
        """Return the expected cost of all threats after our piece has moved."""
        return sum(threat.cost * (1 - self._chance_stopped(threat, rank, src, dst)) for threat in self.threats)

    def _chance_stopped(self, threat: Threat, rank: str, src: Place, dst: Place) -> float:
        if dst == threat.at:
            odds = threat.foe.odds_as_target(rank)
            return odds.win + odds.tie
        others = next((chance for chance, place in threat.defenders if place != src), 0.0)
        return max(others, self._chance_to_stop(threat.foe, threat.path, rank, dst))


def count_steps(target: Place, neighbours: Neighbours, blocked: Collection[Place]) -> Distances:
    """Count the steps to a square from every other; no path leads through blocked squares."""
    steps = {target: 0}
    queue = [target]
    for place in queue:
        for neighbour in neighbours[place]:
            if neighbour not in steps:
                steps[neighbour] = steps[place] + 1
                if neighbour not in blocked:
                    queue.append(neighbour)
    return steps

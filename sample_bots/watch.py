"""Keeps watch over one's own flag: who may get there, on which way, and which piece of ours is there in time."""

from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct

from protocol.words import Place
from sample_bots.beliefs import STILL
from sample_bots.fights import Foe

PANIC: Final = 200  # what an enemy beside the flag costs where nobody stops him
HURRY: Final = 0.85  # the part of it for each step that he is further away
HORIZON: Final = 7  # steps; who is further away is nobody's care
LATE: Final = 0.6  # what a defender is worth for each step that he comes too late
FAR: Final = 99  # steps to where no way leads
UNLIKELY: Final = 0.03  # a chance that is not worth a thought


Neighbours = Mapping[Place, tuple[Place, ...]]
Steps = dict[Place, int]


class Alarm(Struct, frozen=True):
    """An enemy who may be on his way to the flag: the squares he passes, what it costs, who could stop him."""

    foe: Foe
    at: Place
    way: list[Place]
    loss: float
    defenders: list[tuple[float, Place]]  # the best two: how surely each stops him, where it stands


class Watch:
    """All alarms of one turn."""

    def __init__(self, beside: Neighbours, own: dict[Place, str], foes: dict[Place, Foe]) -> None:
        self._beside = beside
        self._own = own
        self._foes = foes
        self._blocked = foes.keys() | {place for place, rank in own.items() if rank in STILL}
        self._steps: dict[Place, Steps] = {}
        home = next((place for place, rank in own.items() if rank == "flag"), None)
        walls = own.keys() - {place for place, rank in own.items() if rank == "bomb"}
        self.alarms = [
            *self._alarms(home, own.keys(), miners=False),
            *self._alarms(home, walls, miners=True),  # they walk through bombs
        ]

    def _alarms(self, home: Place | None, walls: set[Place], *, miners: bool) -> list[Alarm]:
        if home is None:
            return []
        onward = self._ways_home(home, walls)
        alarms = []
        for at, foe in self._foes.items():
            miner = foe.chances.get("miner", 0.0)
            chance = miner if miners else foe.mobile - miner
            way = _walk(at, onward)
            if chance > UNLIKELY and 0 < len(way) <= HORIZON:
                defenders = [(self._stops(rank, place, way, foe), place) for place, rank in self._own.items()]
                loss = chance * PANIC * HURRY ** len(way)
                alarms.append(Alarm(foe, at, way, loss, sorted(defenders, reverse=True)[:2]))
        return alarms

    def _ways_home(self, home: Place, walls: set[Place]) -> dict[Place, Place]:
        """Return the next square towards the flag from each square from which it can be reached."""
        onward = {home: home}
        queue = [home]
        for place in queue:
            for neighbour in self._beside[place]:
                if neighbour not in onward and neighbour not in walls:
                    onward[neighbour] = place
                    if neighbour not in self._foes:
                        queue.append(neighbour)
        return onward

    def _stops(self, rank: str, place: Place, way: list[Place], foe: Foe) -> float:
        """Say how surely a piece stops an enemy on his way."""
        if rank in STILL:
            return 0.0
        late = min(max(0, self._way_to(square).get(place, FAR) - steps) for steps, square in enumerate(way))
        odds = foe.attacked_by(rank)
        return (odds.win + odds.tie) * LATE**late

    def _way_to(self, square: Place) -> Steps:
        if square not in self._steps:
            self._steps[square] = ways_to(square, self._beside, self._blocked)
        return self._steps[square]

    def cost(self, rank: str, src: Place, dst: Place) -> float:
        """Return what is to be feared for the flag once a piece has gone from one square to another."""
        return sum(alarm.loss * (1 - self._stopped(alarm, rank, src, dst)) for alarm in self.alarms)

    def _stopped(self, alarm: Alarm, rank: str, src: Place, dst: Place) -> float:
        if dst == alarm.at:
            odds = alarm.foe.attacked_by(rank)
            return odds.win + odds.tie
        others = next((stops for stops, place in alarm.defenders if place != src), 0.0)
        return max(others, self._stops(rank, dst, alarm.way, alarm.foe))


def _walk(start: Place, onward: dict[Place, Place]) -> list[Place]:
    """Return the squares from a start up to the last before the flag; none where no way leads there."""
    way = []
    place = start
    while place in onward and onward[place] != place:
        way.append(place)
        place = onward[place]
    return way


def ways_to(target: Place, beside: Neighbours, blocked: Collection[Place]) -> Steps:
    """Count the steps to a square from every other; nobody passes through what is blocked."""
    steps = {target: 0}
    queue = [target]
    for place in queue:
        for neighbour in beside[place]:
            if neighbour not in steps:
                steps[neighbour] = steps[place] + 1
                if neighbour not in blocked:
                    queue.append(neighbour)
    return steps

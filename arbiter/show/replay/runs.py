"""The pieces that have moved over several squares at once: everybody can see that they are runners."""

from collections.abc import Iterable

from arbiter.show.replay.knowledge import PlayedAct
from arbiter.show.replay.moments import are_neighbours
from protocol.words import Moved, Place, Removed


class RunHistory:
    """The places of these pieces after each act of a game on a board."""

    def __init__(self) -> None:
        self._after: list[frozenset[Place]] = [frozenset()]

    def __len__(self) -> int:
        return len(self._after) - 1

    def after(self, acts: int) -> frozenset[Place]:
        """Return the places after so many acts, or after all."""
        return self._after[min(acts, len(self))]

    def add(self, acts: Iterable[PlayedAct]) -> None:
        """Add the next acts."""
        for act in acts:
            places = self._after[-1]
            for one in act.facts:
                fact = one.fact
                if type(fact) is Moved:
                    if fact.src in places or not are_neighbours(fact.src, fact.dst):
                        places = places - {fact.src} | {fact.dst}
                elif type(fact) is Removed and fact.place in places:
                    places -= {fact.place}
            self._after.append(places)

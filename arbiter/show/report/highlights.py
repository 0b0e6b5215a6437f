"""Highlights of a tournament: the shortest game, the longest chase, the biggest comeback and the boldest bluff."""

from collections.abc import Collection
from typing import Literal, get_args

from msgspec import Struct

from arbiter.games.base import WON_ON_BOARD
from arbiter.show.replay.moments import SHORTEST_CHASE, Moment, Moments
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import OPPONENT

HighlightKind = Literal["shortest", "chase", "comeback", "bluff"]


class Highlight(Struct, frozen=True):
    """The game of a tournament that is the most remarkable of a kind."""

    kind: HighlightKind
    game: StoredGame
    moment: Moment

    @property
    def bot(self) -> str:
        """The bot on the seat."""
        return str(getattr(self.game, self.moment.seat))

    @property
    def opponent(self) -> str:
        return str(getattr(self.game, OPPONENT[self.moment.seat]))

    @property
    def sort_key(self) -> tuple[int, str, str]:
        """The smallest is the most remarkable."""
        value = self.moment.value
        return value if self.kind == "shortest" else -value, self.game.started, self.game.id


class HighlightFinder:
    """Finds the highlights of a tournament while its games are added, in any order.

    - `shortest`: the game with the fewest plies that was won on the board: by taking the flag, or because the opponent
      had no piece or no move left.  Draws, forfeits and resignations are not.
    - `chase`: the longest chase of at least three escapes (see `find_moments`).
    - `comeback`: the game won on the board whose winner had been behind by the most points of material.
    - `bluff`: the bluff with the largest difference between both ranks.

    Of several equal ones, the game that started first counts.  Games whose result is that of a ruling, and annulled
    ones, are left out.
    """

    def __init__(self) -> None:
        self._best: dict[HighlightKind, Highlight] = {}

    @property
    def found(self) -> tuple[Highlight, ...]:
        """The highlights found so far."""
        return tuple(self._best[kind] for kind in get_args(HighlightKind) if kind in self._best)

    def choose(self, leaders: Collection[str]) -> Highlight | None:
        """Return the highlight to watch first: of a leader if there is one; a comeback is worth more than a bluff."""
        worth: tuple[HighlightKind, ...] = ("comeback", "bluff", "chase", "shortest")
        return min(self.found, key=lambda one: (one.bot not in leaders, worth.index(one.kind)), default=None)

    def add(self, game: StoredGame, moments: Moments) -> None:
        """Add a game."""
        if not game.was_played or game.ending in {"ruling", "double_loss"}:
            return
        chase = moments.chase
        found: dict[HighlightKind, Moment | None] = {
            "chase": chase if chase and chase.value >= SHORTEST_CHASE else None,
            "bluff": moments.bluff,
        }
        if game.winner and game.ending in WON_ON_BOARD:
            found["shortest"] = Moment(game.winner, game.plies, game.plies)
            found["comeback"] = moments.behind.get(game.winner)
        for kind, moment in found.items():
            if moment is not None:
                new = Highlight(kind, game, moment)
                self._best[kind] = min(self._best.get(kind, new), new, key=lambda one: one.sort_key)

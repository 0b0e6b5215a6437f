"""Highlights of a tournament: the shortest game, the longest chase, the biggest comeback and the boldest bluff."""

from typing import Final, Literal

from msgspec import Struct

from arbiter.games.base import Ending
from arbiter.show.report.moments import Moments
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import OPPONENT, Seat

HighlightKind = Literal["shortest", "chase", "comeback", "bluff"]
_WON_ON_THE_BOARD: Final[frozenset[Ending]] = frozenset({"flag_taken", "no_pieces", "no_moves"})
_SHORTEST_CHASE: Final = 3  # escapes; two in a row are nothing special


class Highlight(Struct, frozen=True, kw_only=True):
    """The game of a tournament that is the most remarkable of a kind."""

    kind: HighlightKind
    game: StoredGame
    value: int
    """Plies, escapes, points of material, or the difference between two ranks."""
    ply: int
    seat: Seat
    """The winner, the chaser, or the player that bluffed."""
    ranks: tuple[str, ...] = ()
    """Ranks of the hidden piece and of the one that it drove away, for a bluff."""

    @property
    def bot(self) -> str:
        """The bot on the seat."""
        return str(getattr(self.game, self.seat))

    @property
    def opponent(self) -> str:
        return str(getattr(self.game, OPPONENT[self.seat]))


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
        return tuple(self._best[kind] for kind in HighlightKind.__args__ if kind in self._best)  # type: ignore[attr-defined]

    def add(self, game: StoredGame, moments: Moments) -> None:
        """Add a game."""
        if not game.was_played or game.ending in {"ruling", "double_loss"}:
            return
        chase, bluff = moments.chase, moments.bluff
        if game.winner and game.ending in _WON_ON_THE_BOARD:
            self._offer("shortest", game, game.winner, game.plies, game.plies)
            if behind := moments.behind.get(game.winner):
                self._offer("comeback", game, game.winner, behind.value, behind.ply)
        if chase and chase.value >= _SHORTEST_CHASE:
            self._offer("chase", game, chase.seat, chase.value, chase.ply)
        if bluff:
            self._offer("bluff", game, bluff.seat, bluff.value, bluff.ply, (bluff.rank, bluff.stronger))

    def _offer(  # noqa: PLR0917 - the fields of a highlight
        self, kind: HighlightKind, game: StoredGame, seat: Seat, value: int, ply: int, ranks: tuple[str, ...] = ()
    ) -> None:
        new = Highlight(kind=kind, game=game, value=value, ply=ply, seat=seat, ranks=ranks)
        best = self._best.get(kind)
        if best is None or _sort_key(new) < _sort_key(best):
            self._best[kind] = new


def _sort_key(one: Highlight) -> tuple[int, str, str]:
    value = one.value if one.kind == "shortest" else -one.value
    return value, one.game.started, one.game.id

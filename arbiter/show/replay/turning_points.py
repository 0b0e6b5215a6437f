"""Turning points of a game on a board, by the facts in its record: the story of the game in a few plies."""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

from arbiter.games.base import FORFEITS, WON_ON_BOARD, Addressed
from arbiter.record import GameResult
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.knowledge import PlayedAct, Viewer, sees_secrets_of
from arbiter.show.replay.moments import SHORTEST_CHASE, SIGN, Moment, MomentFinder, Moments, Piece, are_neighbours
from protocol.words import OPPONENT, Moved, Place, RankId, Removed, Seat

TurningPointKind = Literal[
    "flag",
    "spy",
    "decisive",
    "wall",
    "gap",
    "marshal_lost",
    "last_strong",
    "bluff",
    "streak",
    "marshal_seen",
    "last_miner",
    "regroup",
    "chase",
    "behind",
    "look",
]
_TOP: Final = "marshal"
_LEAST_BEHIND: Final = 5  # points of material, about a major piece; less is no comeback


class TurningPoint(Struct, frozen=True):
    """A ply at which a game changed."""

    kind: TurningPointKind
    act: int
    """The number of the act in the record, from 1."""
    seat: Seat
    """The owner of the piece that is seen, lost or attacks; the chaser; the player that is behind or takes the lead."""
    rank: RankId | None = None
    """The rank of this piece."""
    other: RankId | None = None
    """The rank of the other piece, which is the opponent's."""
    count: int = 0
    """The escapes of a chase, the fights of a streak, or the points of material that the player is behind."""
    secrets: frozenset[Seat] = frozenset()
    """The seats whose hidden ranks this names, so that only those who see these may read it."""

    def is_visible(self, viewer: Viewer) -> bool:
        """Return True if a viewer may read this."""
        return all(sees_secrets_of(viewer, seat) for seat in self.secrets)

    def describe(self, sentences: SentenceWriter) -> str:
        """Describe this in a sentence."""
        foe = OPPONENT[self.seat]
        piece, other = (sentences.write_piece(*one, "") for one in ((self.seat, self.rank), (foe, self.other)))
        return sentences.write(
            f"turning_{self.kind}",
            seat=sentences.write_seat(self.seat),
            foe=sentences.write_seat(foe),
            name=sentences.write_name(self.seat, self.rank),
            piece=piece,
            attacker=piece,
            defender=other,
            count=str(self.count),
        )


class Story(Struct, frozen=True):
    """The turning points of a game in their order, and its moments."""

    points: tuple[TurningPoint, ...]
    moments: Moments


def find_story(opening: Iterable[Addressed], acts: Iterable[PlayedAct], result: GameResult | None) -> Story:
    """Find the turning points and the moments of a game on a board; `opening` are the facts before the first act.

    - `marshal_seen`: the opponent learns for the first time which piece is a player's marshal.
    - `spy`: a spy takes a marshal; `marshal_lost`: a marshal falls in another way.
    - `wall`: the first bomb next to a flag falls; `flag`: a flag is taken.
    - `last_miner`: a player loses its last miner.
    - `bluff`, `chase`: the boldest bluff, and the longest chase of at least three escapes (see `find_moments`).
    - `behind`: the winner on the board is behind by the most points of material, at least five.
    - `decisive`: the fight in which the winner takes the lead in material for good, unless by the flag.
    """
    finder = _StoryFinder(opening)
    for act in acts:
        finder.add(act)
    return Story(finder.finish(result), finder.moments.moments)


class _StoryFinder:
    """Looks at each act together with the pieces before and after it."""

    def __init__(self, opening: Iterable[Addressed]) -> None:
        self.moments = MomentFinder(opening)
        self._found: list[TurningPoint] = []
        self._act = 0
        self._first_of_ply: dict[int, int] = {}
        self._balances = [0]  # after each act
        self._unseen_losses: set[Seat] = set()  # seats that lost a piece whose rank the opponent does not know
        self._has_flag_fallen = False

    def add(self, act: PlayedAct) -> None:
        """Add the next act."""
        self._act += 1
        self._first_of_ply.setdefault(act.ply, self._act)
        if len(act.facts) == 1 and type(act.facts[0].fact) is Moved:  # most acts: no piece is seen or lost
            self.moments.add(act)
            self._balances.append(self.moments.balance)
            return
        pieces = self.moments.pieces
        aimed = next((one.fact for one in act.facts if one.fact.is_attack), None)
        attacker = pieces.get(getattr(aimed, "src", ""))
        hidden_tops = [piece for piece in pieces.values() if piece.rank == _TOP and not piece.is_known]
        removed = [
            (one.fact.place, piece)
            for one in act.facts
            if isinstance(one.fact, Removed) and (piece := pieces.get(one.fact.place))
        ]
        self.moments.add(act)
        for piece in hidden_tops:
            if piece.is_known:
                self._note("marshal_seen", piece.seat, piece)
        for place, piece in removed:
            if not piece.is_known:
                self._unseen_losses.add(piece.seat)
            self._note_loss(place, piece, attacker if attacker and attacker.seat != piece.seat else None)
        self._balances.append(self.moments.balance)

    def _note_loss(self, place: Place, piece: Piece, attacker: Piece | None) -> None:
        taker = OPPONENT[piece.seat]
        match piece.rank:
            case "marshal":
                if attacker is not None and attacker.rank == "spy":
                    self._note("spy", taker, attacker, piece)
                else:
                    self._note("marshal_lost", piece.seat, piece)
            case "flag":
                self._has_flag_fallen = True
                piece.is_known = True  # the end of the game shows it
                self._note("flag", taker, attacker, piece)
            case "bomb":
                flags = [(at, one) for at, one in self.moments.pieces.items() if one.rank == "flag"]
                flag = next((one for at, one in flags if one.seat == piece.seat and are_neighbours(at, place)), None)
                if flag is not None and not self._has("wall", taker):
                    self._note("wall", taker, attacker, flag, piece)
            case "miner":
                left = (one for one in self.moments.pieces.values() if one.seat == piece.seat)
                if not any(one.rank == "miner" for one in left):
                    secrets = frozenset(self._unseen_losses & {piece.seat})
                    self._found.append(TurningPoint("last_miner", self._act, piece.seat, piece.rank, secrets=secrets))
            case _:
                pass

    def _has(self, kind: TurningPointKind, seat: Seat) -> bool:
        return any((one.kind, one.seat) == (kind, seat) for one in self._found)

    def _note(
        self, kind: TurningPointKind, seat: Seat, piece: Piece | None, other: Piece | None = None, *more: Piece
    ) -> None:
        """Note a turning point of the current act, once for each piece that is seen."""
        if kind == "marshal_seen" and self._has(kind, seat):
            return
        secrets = frozenset(one.seat for one in (piece, other, *more) if one is not None and not one.is_known)
        ranks = (None if piece is None else piece.rank, None if other is None else other.rank)
        self._found.append(TurningPoint(kind, self._act, seat, *ranks, secrets=secrets))

    def _add_moment(self, kind: TurningPointKind, moment: Moment, secrets: Iterable[Seat] = ()) -> None:
        rank, other = (*moment.ranks, None, None)[:2]
        act = self._first_of_ply[moment.ply]
        self._found.append(TurningPoint(kind, act, moment.seat, rank, other, moment.value, frozenset(secrets)))

    def finish(self, result: GameResult | None) -> tuple[TurningPoint, ...]:
        """Add what only the whole game shows, and return all turning points in their order."""
        moments = self.moments
        if moments.boldest is not None:
            self._add_moment("bluff", moments.boldest, {moments.boldest.seat})
        if moments.longest is not None and moments.longest.value >= SHORTEST_CHASE:
            self._add_moment("chase", moments.longest)
        if result is not None and result.winner is not None and result.ending not in FORFEITS:
            behind = moments.behind.get(result.winner)
            if behind is not None and behind.value >= _LEAST_BEHIND and result.ending in WON_ON_BOARD:
                self._add_moment("behind", behind, self._unseen_losses)
            sign = SIGN[OPPONENT[result.winner]]
            leads = [sign * balance for balance in self._balances]
            last = len(leads) - 1 - self._has_flag_fallen
            at = next((act for act in range(last, 0, -1) if leads[act - 1] <= 0 < leads[act]), None)
            if at is not None and leads[last] > 0:
                secrets = frozenset(self._unseen_losses)
                self._found.append(TurningPoint("decisive", at, result.winner, secrets=secrets))
        return tuple(sorted(self._found, key=lambda one: one.act))

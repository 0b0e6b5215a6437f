"""The likelihood of each rank of hidden pieces by counting, and when a rank became certain."""

from collections.abc import Collection, Mapping
from typing import Final, cast
from weakref import WeakKeyDictionary

from arbiter.games.ranks import RANKS, Trait
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import count_possible_ranks
from protocol.messages import BoardView, Rules
from protocol.words import OPPONENT, SEATS, Move, Place, RankId, Seat

Shares = Mapping[RankId, float]
"""The likelihood of each rank that a piece can have, from 0 to 1."""
_NOTHING: Final = 1e-9  # of a rank; sums of shares have rounding errors


def find_likelihoods(view: BoardView, rules: Rules, seat: Seat, ran: Collection[Place]) -> dict[Place, Shares]:
    """Return the likelihood of each rank for each hidden piece of a seat, for the player with a view.

    All arrangements of the ranks that are left are equally likely, so pieces that can have few ranks take their shares
    first.  `ran` are the squares of pieces that have moved over several squares at once.
    """
    left = cast("dict[RankId, float]", dict(count_possible_ranks(view, rules, seat)))
    hidden = [piece for piece in view.pieces if piece.seat == seat and piece.rank is None]
    found: dict[Place, Shares] = {}
    runners = {rank for rank in left if RANKS[rank].has(Trait.RUNNER)}
    movable = {rank for rank in left if not RANKS[rank].has(Trait.IMMOVABLE)}
    for kind, fitting in (("ran", runners), ("moved", movable), ("", {*left})):
        places = [piece.place for piece in hidden if kind == ("ran" if piece.place in ran else "moved" * piece.moved)]
        possible = {rank: count for rank, count in left.items() if count > _NOTHING and rank in fitting}
        whole = sum(possible.values())
        if not places or not whole:
            continue
        shares = {rank: count / whole for rank, count in possible.items()}
        found.update(dict.fromkeys(places, shares))
        for rank, share in shares.items():
            left[rank] -= min(left[rank], len(places) * share)
    return found


def list_doubted(viewer: Viewer) -> list[Seat]:
    """List the seats about whose hidden pieces a viewer can be shown a belief: that of each one's opponent."""
    return [seat for seat in SEATS if seat != viewer]


_Certain = Mapping[int, frozenset[Seat]]
_known: Final[WeakKeyDictionary[Replay, dict[tuple[Viewer, int], _Certain]]] = WeakKeyDictionary()


def find_certain_plies(replay: Replay, viewer: Viewer) -> _Certain:
    """Return the plies after which the rank of a piece became certain to its opponent, with the owners of the pieces.

    It was seen, or is the only one that is left.  A card game has none.
    """
    found = _known.setdefault(replay, {})
    key = viewer, replay.last
    if key not in found:
        found.clear()
        plies: dict[int, frozenset[Seat]] = {}
        for owner in list_doubted(viewer) if isinstance(replay.view(0, "red"), BoardView) else ():
            for number in _find_certain_frames(replay, owner):
                ply = replay.ply(number)
                plies[ply] = plies.get(ply, frozenset()) | {owner}
        found[key] = plies
    return found[key]


def _find_certain_frames(replay: Replay, owner: Seat) -> list[int]:
    """List the frames after which the opponent of an owner is certain of one more of its pieces."""
    certain: list[int] = []
    before: set[Place] = set()
    moved: set[Place] = set()
    for number in range(len(replay)):
        act = replay.act(number)
        action = None if act is None else act.entry.action
        src, dst = (action.src, action.dst) if isinstance(action, Move) else ("", "")
        is_own = act is not None and act.entry.seat == owner
        if replay.is_plain_move(number):
            runs = dst in replay.runner_places(number) and src not in replay.runner_places(number - 1)
            if not is_own or (src in moved and not runs):  # nothing can be concluded
                for places in (before, moved) if is_own else ():
                    if src in places:
                        places.remove(src)
                        places.add(dst)
                continue
        view = replay.view(number, OPPONENT[owner])
        assert isinstance(view, BoardView)  # noqa: S101 - the game has a board
        own = [piece for piece in view.pieces if piece.seat == owner]
        shares = find_likelihoods(view, replay.rules, owner, replay.runner_places(number))
        now = {one.place for one in own if one.rank is not None or len(shares.get(one.place, ())) == 1}
        carried = {dst} if is_own and src in before else set()
        if number and now - before - carried:
            certain.append(number)
        before = now
        moved = {one.place for one in own if one.moved}
    return certain

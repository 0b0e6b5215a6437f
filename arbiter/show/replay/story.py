"""Facts in words: what an act came to, as one who watches may tell it."""

from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any, Final

from msgspec import Struct

from arbiter.show.cards import CardTable, cards_of
from arbiter.show.names import Naming, by_rank
from arbiter.show.replay.knowledge import View, Viewer
from protocol.messages import ViewPiece
from protocol.words import (
    OPPONENT,
    AnyFact,
    Attacked,
    DrawOffered,
    Drew,
    Fact,
    Guessed,
    Looked,
    Peeked,
    Place,
    Placed,
    RankId,
    Regrouped,
    Removed,
    Revealed,
    Seat,
    Struck,
)

Piece = tuple[Seat, Place]


class _Scene(Struct, frozen=True):
    """Who watches, which ranks it knows, which it was shown just now, which pieces left; a piece is seat and place.

    `named` is what people call a seat's pieces of a rank.
    """

    viewer: Viewer
    named: Naming
    ranks: dict[Piece, RankId | None]
    shown: dict[Piece, RankId]
    gone: frozenset[Piece]

    def whose(self, seat: Seat) -> str:
        return whose(seat, self.viewer)

    def piece(self, seat: Seat, place: Place) -> str:
        rank = self.ranks.get((seat, place))
        return f"{self.whose(seat)} {self.named(seat, rank) if rank else 'unknown piece'}"


def whose(seat: Seat, viewer: Viewer) -> str:
    """Say whose a seat's piece is: `your`, or `red's`."""
    return "your" if seat == viewer else f"{seat}'s"


def tell(
    facts: Iterable[AnyFact], before: View, after: View, viewer: Viewer, named: Naming = by_rank
) -> tuple[str, ...]:
    """Tell what came of an act in sentences; `before` and `after` are what the watcher knew then.

    A plain move needs no words.
    """
    facts = tuple(facts)
    if not any(type(fact) in _TELLERS for fact in facts):
        return ()
    known = {(piece.seat, piece.place): piece.rank for view in (after, before) for piece in _pieces(view)}
    of_the_act = takewhile(lambda fact: not isinstance(fact, Drew), facts)  # then the next turn begins
    shown = {(fact.seat, fact.place): fact.rank for fact in of_the_act if isinstance(fact, Revealed)}
    gone = frozenset((fact.seat, fact.place) for fact in facts if isinstance(fact, Removed))
    scene = _Scene(viewer, named, {**known, **shown}, shown, gone)
    return tuple(_TELLERS[type(fact)](scene, fact) for fact in facts if type(fact) in _TELLERS)


def _pieces(view: View) -> list[ViewPiece]:
    return cards_of(view) if isinstance(view, CardTable) else view.pieces


def _attacked(scene: _Scene, fact: Attacked) -> str:
    attacker, defender = scene.piece(fact.seat, fact.src), scene.piece(OPPONENT[fact.seat], fact.dst)
    match (fact.seat, fact.src) in scene.gone, (OPPONENT[fact.seat], fact.dst) in scene.gone:
        case True, True:
            return f"{attacker} and {defender} both fall on {fact.dst}"
        case True, False:
            return f"{attacker} falls to {defender} on {fact.dst}"
        case False, True:
            return f"{attacker} takes {defender} on {fact.dst}"
        case _:
            return f"{attacker} attacks {defender} on {fact.dst}, and both stay"


def _struck(scene: _Scene, fact: Struck) -> str:
    attacker, defender = scene.piece(fact.seat, fact.src), scene.piece(OPPONENT[fact.seat], fact.dst)
    end = "which falls" if (OPPONENT[fact.seat], fact.dst) in scene.gone else "which stays"
    return f"{attacker} on {fact.src} strikes {defender} on {fact.dst}, {end}"


def _looked(scene: _Scene, fact: Looked) -> str:
    seen = scene.piece(OPPONENT[fact.seat], fact.dst)
    return f"{scene.piece(fact.seat, fact.src)} on {fact.src} looks at {seen} on {fact.dst}"


def _guessed(scene: _Scene, fact: Guessed) -> str:
    verdict = "rightly, and it falls" if fact.right else "wrongly"
    foe = OPPONENT[fact.seat]
    infiltrator, claim = scene.named(fact.seat, "infiltrator"), scene.named(foe, fact.rank)
    return (
        f"{scene.whose(fact.seat)} {infiltrator} on {fact.src} names {scene.whose(foe)} piece on {fact.dst} "
        f"a {claim}, {verdict}"
    )


def _placed(scene: _Scene, fact: Placed) -> str:
    return f"{scene.piece(fact.seat, fact.place)} comes back on {fact.place}"


def _peeked(scene: _Scene, fact: Peeked) -> str:
    foe = OPPONENT[fact.seat]
    places = "the hand" if fact.what == "hand" else " and ".join(fact.what)
    cards = [
        scene.named(seat, rank) for (seat, place), rank in scene.shown.items() if seat == foe and _is_seen(place, fact)
    ]
    sees = f", sees {', '.join(cards)}" if cards else ""
    return f"{scene.piece(fact.seat, fact.src)} on {fact.src} looks at {scene.whose(foe)} {places.removeprefix('the ')}{sees}"


def _is_seen(place: Place, fact: Peeked) -> bool:
    return place.startswith("hand:") if fact.what == "hand" else place in fact.what


def _regrouped(scene: _Scene, fact: Regrouped) -> str:
    return f"{scene.whose(fact.seat)} line, hand and deck are shuffled together"


def _drew(scene: _Scene, fact: Drew) -> str:
    who = "you draw" if fact.seat == scene.viewer else f"{fact.seat} draws"
    return f"{who} {len(fact.places)} card{'s' * (len(fact.places) > 1)}"


def _draw_offered(scene: _Scene, fact: DrawOffered) -> str:
    return "you offer a draw" if fact.seat == scene.viewer else f"{fact.seat} offers a draw"


_TELLERS: Final[dict[type[Fact], Callable[[_Scene, Any], str]]] = {
    Attacked: _attacked,
    Struck: _struck,
    Looked: _looked,
    Guessed: _guessed,
    Placed: _placed,
    Peeked: _peeked,
    Regrouped: _regrouped,
    Drew: _drew,
    DrawOffered: _draw_offered,
}

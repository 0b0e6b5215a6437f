"""Facts in words: what an act came to, as one who watches may tell it."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct

from arbiter.show.sight import Viewer
from protocol.messages import BoardView
from protocol.words import (
    OPPONENT,
    AnyFact,
    Attacked,
    DrawOffered,
    Fact,
    Guessed,
    Looked,
    Place,
    Placed,
    RankId,
    Removed,
    Revealed,
    Seat,
    Struck,
)


class _Scene(Struct, frozen=True):
    """Who watches, which ranks it knows, which pieces left."""

    viewer: Viewer
    ranks: dict[Place, RankId | None]
    gone: frozenset[Place]

    def whose(self, seat: Seat) -> str:
        return "your" if seat == self.viewer else f"{seat}'s"

    def piece(self, seat: Seat, place: Place) -> str:
        return f"{self.whose(seat)} {self.ranks.get(place) or 'unknown piece'}"


def tell(facts: Iterable[AnyFact], before: BoardView, after: BoardView, viewer: Viewer) -> tuple[str, ...]:
    """Tell what came of an act in sentences; `before` and `after` are what the watcher knew then.

    A plain move needs no words.
    """
    facts = tuple(facts)
    known = {piece.place: piece.rank for view in (after, before) for piece in view.pieces}
    shown = {fact.place: fact.rank for fact in facts if isinstance(fact, Revealed)}
    gone = frozenset(fact.place for fact in facts if isinstance(fact, Removed))
    scene = _Scene(viewer, {**known, **shown}, gone)
    return tuple(_TELLERS[type(fact)](scene, fact) for fact in facts if type(fact) in _TELLERS)


def _attacked(scene: _Scene, fact: Attacked) -> str:
    attacker, defender = scene.piece(fact.seat, fact.src), scene.piece(OPPONENT[fact.seat], fact.dst)
    match fact.src in scene.gone, fact.dst in scene.gone:
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
    end = "which falls" if fact.dst in scene.gone else "which stays"
    return f"{attacker} on {fact.src} strikes {defender} on {fact.dst}, {end}"


def _looked(scene: _Scene, fact: Looked) -> str:
    seen = scene.piece(OPPONENT[fact.seat], fact.dst)
    return f"{scene.piece(fact.seat, fact.src)} on {fact.src} looks at {seen} on {fact.dst}"


def _guessed(scene: _Scene, fact: Guessed) -> str:
    verdict = "rightly, and it falls" if fact.right else "wrongly"
    whose = scene.whose(OPPONENT[fact.seat])
    return (
        f"{scene.whose(fact.seat)} infiltrator on {fact.src} names {whose} piece on {fact.dst} a {fact.rank}, {verdict}"
    )


def _placed(scene: _Scene, fact: Placed) -> str:
    return f"{scene.piece(fact.seat, fact.place)} comes back on {fact.place}"


def _draw_offered(scene: _Scene, fact: DrawOffered) -> str:
    return "you offer a draw" if fact.seat == scene.viewer else f"{fact.seat} offers a draw"


_TELLERS: Final[dict[type[Fact], Callable[[_Scene, Any], str]]] = {
    Attacked: _attacked,
    Struck: _struck,
    Looked: _looked,
    Guessed: _guessed,
    Placed: _placed,
    DrawOffered: _draw_offered,
}

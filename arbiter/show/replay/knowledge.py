"""The acts of a record, and the views of a game after each of them.

The views are computed from the facts that were sent to each player, so they contain nothing else.
The arbiter sees each player's pieces as that player does, a spectator as the opponent does.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Final, Literal, cast

from msgspec import UNSET, Struct

from arbiter.clock import Clock
from arbiter.games.base import FORFEITS, Addressed, visible_to
from arbiter.record import ActEntry, Record
from arbiter.show.boards import CardTable, make_card_table
from protocol.messages import BoardView, CardView, LineCard, Rules, ViewPiece
from protocol.view import HAND, BoardKnowledge, Knowledge, board_order, hand_place, new_knowledge
from protocol.words import (
    BLUE,
    OPPONENT,
    RED,
    SEATS,
    AcceptDraw,
    AnyFact,
    Deploy,
    Move,
    Moved,
    Place,
    Regroup,
    Removed,
    Resign,
    Seat,
)

Banks = dict[Seat, float]


class PlayedAct(Struct, frozen=True, gc=False):
    """An accepted act and its facts."""

    entry: ActEntry
    facts: tuple[Addressed, ...]
    ply: int
    """Plies played after this act."""
    banks: Banks
    """Milliseconds left on both clocks after this act; empty if the record does not contain all times."""


def is_attack(act: PlayedAct) -> bool:
    """Return True for an attack, on a neighbour or from afar."""
    return any(one.fact.is_fight for one in act.facts)


def is_capture(act: PlayedAct) -> bool:
    """Return True if the act removed a piece."""
    return any(isinstance(one.fact, Removed) for one in act.facts)


_NO_PLIES: Final = (Resign, AcceptDraw)


def play_acts(record: Record) -> Iterator[PlayedAct]:
    """Yield the acts of a record up to the first one without facts, which the rules refused."""
    clock = None if record.header.time is None else Clock(record.header.time)
    ply = 0
    before = None
    for number, entry in enumerate(record.acts):
        if entry.facts is UNSET:
            return
        kind = type(entry.action)
        # A turn is one ply: rage, rescue, refill and a new line after a regroup are further acts of the same seat.
        goes_on = before is not None and before.seat == entry.seat and type(before.action) is not Deploy
        if "turn" in kind.phases and kind not in _NO_PLIES and not goes_on:
            ply += 1
        before = entry
        if clock is not None and (ply or kind is not Deploy):
            if entry.ms is None:
                clock = None
            else:
                clock.charge(entry.seat, "turn", entry.ms)
                if _ends_turn(record, number):
                    clock.finish_turn(entry.seat)
        yield PlayedAct(entry, entry.facts, ply, {} if clock is None else dict(clock.bank_ms))


def _ends_turn(record: Record, number: int) -> bool:
    """Return True if an act ended its seat's turn: then the seat did not act again, nor forfeit when asked again."""
    seat = record.acts[number].seat
    result = record.result
    if number + 1 < len(record.acts):
        return record.acts[number + 1].seat != seat
    if isinstance(record.acts[number].action, Regroup):
        return False
    return result is None or result.winner != OPPONENT[seat] or result.ending not in FORFEITS


Viewer = Literal["red", "blue", "arbiter", "spectator"]
SPECTATOR: Final[Viewer] = "spectator"
VIEWERS: Final[tuple[Viewer, ...]] = ("arbiter", *SEATS, SPECTATOR)
View = BoardView | CardTable


class KnownCards(CardView, frozen=True):
    """The view of one player of a card game, with both hands as this player knows them."""

    hands: dict[Seat, list[LineCard]]


SeatViews = Mapping[Seat, BoardView | KnownCards]

# The player by whose knowledge a viewer sees red's pieces, and blue's.
_SEEN_AS: Final[dict[Viewer, dict[Seat, Seat]]] = {
    "red": {RED: RED, BLUE: RED},
    "blue": {RED: BLUE, BLUE: BLUE},
    "arbiter": {RED: RED, BLUE: BLUE},
    "spectator": {RED: BLUE, BLUE: RED},
}
_NO_NAMES: Final = frozenset({"seat", "right"})  # fields of facts
_KEEP_EVERY: Final = 250  # acts between copies; going back replays at most as many, in a few milliseconds


def sees_secrets_of(viewer: Viewer, seat: Seat) -> bool:
    """Return True if a viewer sees what a seat hides from its opponent: pieces, notes, choices."""
    return _SEEN_AS[viewer][seat] == seat


def is_visible(viewer: Viewer, one: Addressed) -> bool:
    """Return True if a viewer sees a fact, because it was sent to a player whose knowledge the viewer shares."""
    return _is_visible(viewer, one.fact.seat, one.to)


@cache
def _is_visible(viewer: Viewer, owner: Seat, to: tuple[Seat, ...]) -> bool:
    return any(sees_secrets_of(viewer, seat) or _SEEN_AS[viewer][owner] == seat for seat in to)


def combine_views(viewer: Viewer, views: SeatViews, rules: Rules) -> View:
    """Combine the views of both players (or of the player who is the viewer) into what the viewer sees."""
    seen = {seat: views[player] for seat, player in _SEEN_AS[viewer].items()}
    if rules.line is not UNSET:
        cards = cast("Mapping[Seat, KnownCards]", seen)
        hands = {
            seat: view.hands[seat]
            for seat, view in cards.items()
            if sees_secrets_of(viewer, seat) or any(card.rank for card in view.hands[seat])
        }
        return make_card_table(cards, hands, rules.line)
    boards = cast("Mapping[Seat, BoardView]", seen)
    if boards[RED] is boards[BLUE]:
        return boards[RED]
    pieces = [piece for seat, view in boards.items() for piece in view.pieces if piece.seat == seat]
    return BoardView(
        sorted(pieces, key=lambda piece: board_order(piece.place)),
        {seat: view.captured[seat] for seat, view in boards.items()},
    )


def see(knowledge: Knowledge) -> BoardView | KnownCards:
    """Return what a player knows."""
    if isinstance(knowledge, BoardKnowledge):
        return knowledge.view()
    view = knowledge.view()
    hands = {seat: knowledge.hand_of(seat) for seat in SEATS}
    return KnownCards(view.line, view.hand, view.hand_counts, view.deck_counts, view.captured, hands)


def name_place(piece: ViewPiece) -> Place:
    """Return the name of a piece's place: both seats have cards on places of the same names."""
    return f"{piece.seat}/{piece.place}" if ":" in piece.place else piece.place


def list_known_places(viewer: Viewer, views: SeatViews) -> tuple[Place, ...]:
    """List the places of pieces whose rank the opponent knows, of the seats whose secrets a viewer sees.

    A player can infer this: the rules decide in public which pieces a fight or a power shows to the opponent.
    """
    return tuple(
        name_place(piece)
        for seat in SEATS
        if sees_secrets_of(viewer, seat)
        for piece in _list_pieces(views[OPPONENT[seat]], seat)
        if piece.rank is not None
    )


def _list_pieces(view: BoardView | KnownCards, seat: Seat) -> Iterable[ViewPiece]:
    """List the pieces or cards of a seat in the view of a player."""
    if isinstance(view, BoardView):
        return (piece for piece in view.pieces if piece.seat == seat)
    return (ViewPiece(card.place, seat, card.rank) for card in chain(view.line[seat], view.hands[seat]))


class KnowledgeHistory:
    """The knowledge of both players after each act of a game.

    Facts come from a file, so those that contradict earlier ones or name unknown places or ranks are refused.
    """

    def __init__(self, rules: Rules, opening: Iterable[Addressed]) -> None:
        """Start with the facts before the first act.  Raises ValueError or LookupError if they do not fit the game."""
        self._places = frozenset(_places(rules))
        self._ranks = frozenset(rank.id for rank in rules.ranks)
        self._acts: list[PlayedAct] = []
        self._newest = {seat: new_knowledge(rules, seat) for seat in SEATS}
        facts = tuple(opening)
        self._check_facts(facts)
        _note_facts(self._newest, facts)
        self._copies = [_copy(self._newest)]  # after 0, 250, 500, ... acts
        self._current = _copy(self._newest)
        self._position = 0
        self._views: dict[int, SeatViews] = {}  # of the two positions asked for last

    def __len__(self) -> int:
        return len(self._acts)

    def add(self, act: PlayedAct) -> None:
        """Add the next act.  Raises ValueError or LookupError if its facts do not fit."""
        action = act.entry.action
        if isinstance(action, Deploy) and action.pieces is not UNSET:
            self._check(action.pieces.values(), self._ranks)
        elif rank := getattr(action, "rank", None):
            self._check([rank], self._ranks)
        self._check_facts(act.facts)
        _note(self._newest, act)
        self._acts.append(act)
        if len(self._acts) % _KEEP_EVERY == 0:
            self._copies.append(_copy(self._newest))

    def views(self, position: int) -> SeatViews:
        """Return what both players knew after so many acts."""
        if position not in self._views:
            current = self.wind_to(position)
            while len(self._views) > 1:
                del self._views[next(iter(self._views))]
            self._views[position] = {seat: see(knowledge) for seat, knowledge in current.items()}
        return self._views[position]

    def _check_facts(self, facts: tuple[Addressed, ...]) -> None:
        for one in facts:
            fact = one.fact
            if type(fact) is Moved and fact.src in self._places and fact.dst in self._places:  # most facts
                continue
            for field in _list_fields(type(fact)):
                self._check(_flatten(getattr(fact, field)), self._ranks if field == "rank" else self._places)

    def _check(self, names: Iterable[str], known: frozenset[str]) -> None:
        for name in names:
            if name not in known:
                raise ValueError(f"{name!r} is not in this game")

    def wind_to(self, position: int) -> Mapping[Seat, Knowledge]:
        """Return the knowledge of both players after so many acts, which is valid until the next call."""
        copy = position // _KEEP_EVERY
        if not copy * _KEEP_EVERY <= self._position <= position:
            self._current = _copy(self._copies[copy])
            self._position = copy * _KEEP_EVERY
        for act in self._acts[self._position : position]:
            _note(self._current, act)
        self._position = position
        return self._current


def _copy(knowledge: Mapping[Seat, Knowledge]) -> dict[Seat, Knowledge]:
    return {seat: known.copy() for seat, known in knowledge.items()}


def _note(knowledge: Mapping[Seat, Knowledge], act: PlayedAct) -> None:
    action = act.entry.action
    if type(action) is not Move:  # most acts are moves: their facts are enough
        knowledge[act.entry.seat].note_action(action)
    _note_facts(knowledge, act.facts)


def _note_facts(knowledge: Mapping[Seat, Knowledge], facts: tuple[Addressed, ...]) -> None:
    if len(facts) == 1 and facts[0].to == SEATS:  # most acts
        fact = facts[0].fact
        for known in knowledge.values():
            known.note_fact(fact)
        return
    for seat, known in knowledge.items():
        for fact in visible_to(seat, facts):
            known.note_fact(fact)


def _places(rules: Rules) -> Iterator[str]:
    """List all places of a game that facts may name."""
    if rules.board is not UNSET:
        for file in range(rules.board.files):
            for row in range(rules.board.rows):
                yield f"{chr(ord('a') + file)}{row + 1}"
    elif rules.line is not UNSET:
        yield from (f"line:{slot}" for slot in range(rules.line))
        yield from (hand_place(number) for number in range(sum(rules.army.values())))
        yield HAND


def list_names(one: Addressed) -> Iterator[str]:
    """Yield the names in a fact: places, ranks and others."""
    for field in _list_fields(type(one.fact)):
        yield from _flatten(getattr(one.fact, field))


@cache
def _list_fields(fact: type[AnyFact]) -> tuple[str, ...]:
    return tuple(field for field in fact.__struct_fields__ if field not in _NO_NAMES)


def _flatten(value: str | list[str] | dict[str, str | None]) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    return chain(value, filter(None, value.values())) if isinstance(value, dict) else value

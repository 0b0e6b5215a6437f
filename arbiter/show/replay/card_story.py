"""Turning points of a card game, by the facts in its record."""

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET

from arbiter.games.base import FORFEITS
from arbiter.record import GameResult
from arbiter.show.replay.knowledge import PlayedAct
from arbiter.show.replay.moments import SIGN, Moments
from arbiter.show.replay.turning_points import Story, TurningPoint, TurningPointKind
from arbiter.show.theme import find_value
from protocol.messages import Rules
from protocol.words import (
    OPPONENT,
    SEATS,
    AnyFact,
    Attacked,
    Deployed,
    Filled,
    Peeked,
    Place,
    RankId,
    Regrouped,
    Removed,
    Revealed,
    Seat,
)

_STRONG: Final[tuple[RankId, ...]] = ("marshal", "general", "colonel")
_LINE: Final = "line:"
_LEAST_STREAK: Final = 3  # fights that a card wins in a row; two are nothing special
_Card = tuple[Seat, Place]


def find_card_story(acts: Iterable[PlayedAct], result: GameResult | None, rules: Rules) -> Story:
    """Find the turning points of a card game.  Both players see all of them, as fights show both cards.

    - `look`: the first look at cards of the opponent; `regroup`: a player shuffles all of its cards.
    - `marshal_seen`, `marshal_lost`: the first fight of a player's marshal, and its loss.
    - `last_strong`: a player loses the last of its marshal, general and colonels.
    - `streak`: a card wins at least three fights in a row; only the longest streak of the game.
    - `gap`: for the first time, a player cannot fill all slots of its line.
    - `decisive`: the fight in which the winner takes the lead in material for good.
    - `flag`: a flag is taken.
    """
    finder = _CardStoryFinder(rules)
    for act in acts:
        finder.add(act)
    return Story(finder.finish(result), Moments())


class _CardStoryFinder:
    def __init__(self, rules: Rules) -> None:
        self._slots = 0 if rules.line is UNSET else rules.line
        self._strong = {seat: sum(rules.army.get(rank, 0) for rank in _STRONG) for seat in SEATS}
        self._found: list[TurningPoint] = []
        self._act = 0
        self._lines: dict[Seat, set[Place]] = {seat: set() for seat in SEATS}
        self._streaks: dict[_Card, int] = {}
        self._longest: TurningPoint | None = None
        self._balances = [0]  # points that blue has lost, less those of red, after each act
        self._last_fight: tuple[Seat, RankId | None, RankId | None] | None = None
        self._last_seat: Seat | None = None

    def add(self, act: PlayedAct) -> None:
        """Add the next act."""
        before, self._last_seat = self._last_seat, act.entry.seat
        ends_turn = before != act.entry.seat and act.ply > 1
        if before and ends_turn and len(self._lines[before]) < self._slots and not self._has("gap", before):
            self._note("gap", before)
        self._act += 1
        ranks: dict[_Card, RankId] = {}
        for one in act.facts:
            if isinstance(one.fact, Revealed):
                ranks[one.fact.seat, one.fact.place] = one.fact.rank
        removed = {(one.fact.seat, one.fact.place) for one in act.facts if isinstance(one.fact, Removed)}
        self._balances.append(self._balances[-1])
        for one in act.facts:
            self._add_fact(one.fact, ranks, removed)

    def _add_fact(self, fact: AnyFact, ranks: dict[_Card, RankId], removed: set[_Card]) -> None:
        match fact:
            case Deployed(seat=seat, places=places):
                self._lines[seat] |= {place for place in places if place.startswith(_LINE)}
            case Filled(seat=seat, cards=cards):
                self._lines[seat] |= set(cards)
            case Regrouped(seat=seat):
                self._lines[seat].clear()
                self._streaks = {card: count for card, count in self._streaks.items() if card[0] != seat}
                self._note("regroup", seat)
            case Peeked(seat=seat, src=src) if not self._has("look"):
                self._note("look", seat, ranks.get((seat, src)))
            case Attacked(seat=seat, src=src, dst=dst):
                self._add_fight((seat, src), (OPPONENT[seat], dst), ranks, removed)
            case Removed(seat=seat, place=place):
                self._lines[seat].discard(place)
                self._streaks.pop((seat, place), None)
                self._balances[-1] -= SIGN[seat] * find_value(ranks.get((seat, place)))
                self._note_loss(seat, ranks.get((seat, place)))
            case _:
                pass

    def _add_fight(self, own: _Card, other: _Card, ranks: dict[_Card, RankId], removed: set[_Card]) -> None:
        self._last_fight = own[0], ranks.get(own), ranks.get(other)
        for card, foe in ((own, other), (other, own)):
            rank = ranks.get(card)
            if rank == _STRONG[0] and not self._has("marshal_seen", card[0]):
                self._note("marshal_seen", card[0], rank)
            if foe in removed and card not in removed:
                count = self._streaks[card] = self._streaks.get(card, 0) + 1
                if count >= max(_LEAST_STREAK, self._longest.count + 1 if self._longest else 0):
                    self._longest = TurningPoint("streak", self._act, card[0], rank, count=count)

    def _note_loss(self, seat: Seat, rank: RankId | None) -> None:
        if rank == _STRONG[0]:
            self._note("marshal_lost", seat, rank)
        if rank in _STRONG:
            self._strong[seat] -= 1
            if not self._strong[seat]:
                self._note("last_strong", seat, rank)

    def _has(self, kind: TurningPointKind, seat: Seat | None = None) -> bool:
        return any(one.kind == kind and seat in {None, one.seat} for one in self._found)

    def _note(
        self, kind: TurningPointKind, seat: Seat, rank: RankId | None = None, other: RankId | None = None
    ) -> None:
        self._found.append(TurningPoint(kind, self._act, seat, rank, other))

    def finish(self, result: GameResult | None) -> tuple[TurningPoint, ...]:
        """Add what only the whole game shows, and return all turning points in their order."""
        if self._longest is not None:
            self._found.append(self._longest)
        if result is not None and result.winner is not None and result.ending not in FORFEITS:
            leads = [SIGN[result.winner] * balance for balance in self._balances]
            at = next((act for act in range(len(leads) - 1, 0, -1) if leads[act - 1] <= 0 < leads[act]), None)
            if at is not None and leads[-1] > 0:
                self._found.append(TurningPoint("decisive", at, result.winner))
            if result.ending == "flag_taken" and self._last_fight is not None:
                self._note("flag", *self._last_fight)
        return tuple(sorted(self._found, key=lambda one: one.act))

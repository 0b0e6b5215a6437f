"""The knowledge of one player of a card game, as a game whose hidden cards can be drawn at random."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final, cast

from msgspec import Struct

from arbiter.beliefs.assignments import Assignments
from arbiter.beliefs.belief import FalseFacts, KnownAct, Sampled, Weights
from arbiter.games.cards.play import CardPlay, Side, line_place
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.chance import SeededChance
from arbiter.games.contest import Contest
from protocol.messages import CardView
from protocol.view import CardKnowledge, hand_place
from protocol.words import (
    OPPONENT,
    SEATS,
    AnyAction,
    AnyFact,
    Attacked,
    Deploy,
    Deployed,
    DrawOffered,
    Filled,
    Peeked,
    Phase,
    Place,
    RankId,
    Regrouped,
    Revealed,
    Seat,
)

_MOST_TRIES: Final = 10_000
_HAND: Final = "hand"


class CardBelief:
    """The knowledge of one seat of a card game.

    The cards that were seen in the opponent's hand are known until it lays some of the hand: then each card of that
    hand may be in the line or not.
    """

    def __init__(self, ruleset: CardRules, seat: Seat) -> None:
        self.acts: list[KnownAct] = []
        self._ruleset = ruleset
        self._seat: Seat = seat
        self._enemy: Seat = OPPONENT[seat]
        first = ruleset.first or "red"
        rules = ruleset.describe(first)
        self._mine = CardKnowledge(rules, seat)
        self._theirs = CardKnowledge(rules, self._enemy)  # without its own cards
        self._template = Contest(ruleset.start(SeededChance(0)))
        self._deployments: list[Deploy] = []
        self._deployed: set[Seat] = set()
        self._to_act: tuple[Seat, ...] = SEATS
        self._phase: Phase = "setup"
        self._plies = 0
        self._quiet = 0
        self._offered_by: Seat | None = None
        self._ready: _Prepared | None = None
        self._seen: Counter[RankId] = Counter()  # the cards of the opponent's hand, without those drawn since then

    # --- what the seat learns ---------------------------------------------------------------------

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat, before the facts that follow from it."""
        if isinstance(action, Deploy):
            self._deployments.append(action)

    def note_facts(self, facts: Sequence[AnyFact]) -> None:
        """Note the facts that the seat received up to a question.  Raises FalseFacts."""
        self._ready = None
        try:
            for number, fact in enumerate(facts):
                if isinstance(fact, DrawOffered):
                    self._offered_by = fact.seat
                    continue
                if isinstance(fact, Attacked | Peeked | Regrouped | Filled | Deployed):
                    self._note_act(fact, facts[number + 1 :])
                if isinstance(fact, Deployed) and fact.seat == self._seat:
                    self._mine.note_action(self._deployments.pop(0))
                self._mine.note_fact(fact)
                self._note_for_enemy(fact)
        except (LookupError, ValueError, TypeError) as error:
            if isinstance(error, FalseFacts):
                raise
            raise FalseFacts(f"the facts do not follow from the rules: {error!r}") from error

    def _note_act(self, fact: Attacked | Peeked | Regrouped | Filled | Deployed, later: Sequence[AnyFact]) -> None:
        """Note the turn that a fact belongs to, and what it and `later` facts show of the opponent's hand."""
        seat = fact.seat
        if self._offered_by != seat:
            self._offered_by = None
        if isinstance(fact, Attacked | Peeked | Regrouped):
            self._plies += 1
            self._quiet = 0 if isinstance(fact, Attacked) else self._quiet + 1
            self._to_act = (seat,)
            self._phase = "setup" if isinstance(fact, Regrouped) else "refill"  # if there is a gap, and a card for it
        else:
            self._deployed.add(seat)
            is_begun = len(self._deployed) == len(SEATS)
            self._phase = "turn" if is_begun else "setup"
            self._to_act = (OPPONENT[seat],) if self._plies else (self._ruleset.first or "red",)
        if isinstance(fact, Peeked) and fact.what == _HAND and seat == self._seat:
            hand = (one for one in later if isinstance(one, Revealed) and one.place.startswith(_HAND))
            self._seen = Counter(one.rank for one in hand if one.seat == self._enemy)
        elif isinstance(fact, Regrouped | Filled) and seat == self._enemy:
            self._seen.clear()

    def _note_for_enemy(self, fact: AnyFact) -> None:
        """Note what the opponent learns of this seat's cards; for its own cards there are stand-ins."""
        theirs = self._theirs
        match fact:
            case Filled(seat, cards) if seat == self._enemy:
                theirs.note_fact(Filled(seat, {slot: hand_place(number) for number, slot in enumerate(cards)}))
            case Filled(seat, cards):
                theirs.note_fact(Filled(seat, dict.fromkeys(cards)))
            case Deployed(seat, places) if seat == self._enemy:
                theirs.note_action(Deploy(line=[hand_place(number) for number in range(len(places))]))
                theirs.note_fact(fact)
            case Revealed(seat, _, _) if seat == self._seat:
                pass  # only this seat has received it
            case _:
                theirs.note_fact(fact)
        for place, rank in self._list_shown(fact):
            theirs.note_fact(Revealed(self._seat, place, rank))

    def _list_shown(self, fact: AnyFact) -> list[tuple[Place, RankId]]:
        """List the own cards that an act shows to the opponent."""
        if not isinstance(fact, Attacked | Peeked):
            return []
        view = self._mine.view()
        line = {card.place: cast("RankId", card.rank) for card in view.line[self._seat]}
        if isinstance(fact, Attacked):
            places = [fact.src if fact.seat == self._seat else fact.dst]
        elif fact.seat == self._seat:
            places = [fact.src]
        elif fact.what == _HAND:
            cards = sorted(cast("RankId", card.rank) for card in view.hand)
            return [(hand_place(number), card) for number, card in enumerate(cards)]
        else:
            places = [*fact.what]
        return [(place, line[place]) for place in places]

    # --- sampling ---------------------------------------------------------------------------------

    def sample(self, rng: Random, weights: Weights | None = None) -> Sampled:
        """Draw the hidden cards.  Raises FalseFacts if none agree with the facts."""
        if self._ready is None:
            self._ready = self._prepare()
        ready = self._ready
        random = rng.random
        for _ in range(_MOST_TRIES):
            drawn = ready.hidden.draw(rng, weights)
            contest = ready.contest.copy()
            play = contest.play
            assert isinstance(play, CardPlay)  # noqa: S101 - the rules are those of a card game
            play.chance = SeededChance(rng.getrandbits(53))
            play.sides[self._seat].deck.sort(key=lambda _: random())
            enemy = play.sides[self._enemy]
            ready.hidden.fill(enemy, drawn)
            is_enemys_turn = play.to_act == (self._enemy,) and play.phase == "turn"
            if not is_enemys_turn or play.attackers(self._enemy):  # else it would have lost
                knowledge = _SampleKnowledge(ready.mine, ready.theirs, self._enemy, tuple(enemy.line), (*enemy.hand,))
                return Sampled(contest, knowledge=knowledge.learn)
        raise FalseFacts("no cards agree with what was shown")

    def _prepare(self) -> "_Prepared":
        """Make the game with the cards that are known, and others in the place of hidden ones."""
        view = self._mine.view()
        hidden = _HiddenCards(self._ruleset, self._enemy, view, self._seen)
        contest = Contest(self._template.copy().play, self._offered_by)
        play = contest.play
        assert isinstance(play, CardPlay)  # noqa: S101 - as above
        play.opening = ()
        play.plies = self._plies
        play.quiet_plies = self._quiet
        play.outcome = None
        any_card = self._ruleset.ranks[0].id
        for seat, side in play.sides.items():
            cards = {card.place: card.rank or any_card for card in view.line[seat]}
            side.line = [cards.get(line_place(slot)) for slot in range(self._ruleset.line)]
        mine = play.sides[self._seat]
        mine.hand = [cast("RankId", card.rank) for card in view.hand]
        own = Counter({str(rank): count for rank, count in self._ruleset.army.items()})
        own.subtract(view.captured[self._seat])
        own.subtract(card.rank for card in (*view.line[self._seat], *view.hand) if card.rank is not None)
        mine.deck = cast("list[RankId]", [rank for rank, count in own.items() for _ in range(count)])
        hidden.fill(play.sides[self._enemy], [any_card] * hidden.count)
        play.phase = self._phase
        play.to_act = self._to_act
        if play.phase == "refill" and not play.sides[play.to_act[0]].count_fillable():
            play.phase = "turn"
            play.to_act = (OPPONENT[play.to_act[0]],)
        return _Prepared(contest, hidden, self._mine.copy(), self._theirs.copy())


class _Prepared(Struct, frozen=True):
    """The common parts of all samples between two questions."""

    contest: Contest
    hidden: "_HiddenCards"
    mine: CardKnowledge
    theirs: CardKnowledge
    """The knowledge of the opponent, without its own cards."""


class _SampleKnowledge(Struct, frozen=True):
    """The knowledge of both seats in a sample."""

    mine: CardKnowledge
    theirs: CardKnowledge
    enemy: Seat
    line: tuple[RankId | None, ...]
    """The cards of the opponent's line, and those of its hand."""
    hand: tuple[RankId, ...]

    def learn(self, seat: Seat) -> CardKnowledge:
        """Return what a seat knows."""
        if seat != self.enemy:
            return self.mine.copy()
        theirs = self.theirs.copy()
        for slot, card in enumerate(self.line):
            if card is not None:
                theirs.note_fact(Revealed(seat, line_place(slot), card))
        for number, card in enumerate(self.hand):
            theirs.note_fact(Revealed(seat, hand_place(number), card))
        return theirs


class _HiddenCards:
    """The hidden cards of the opponent, by their places."""

    def __init__(self, ruleset: CardRules, enemy: Seat, view: CardView, seen: Counter[RankId]) -> None:
        self._ranks = [rank.id for rank in ruleset.ranks]
        in_hand = [hand_place(number) for number in range(view.hand_counts.get(enemy, 0))]
        self._known = list(seen.elements())[: len(in_hand)]
        left = Counter({rank: ruleset.army.get(rank, 0) for rank in self._ranks})
        left.subtract({cast("RankId", rank): count for rank, count in view.captured[enemy].items()})
        left.subtract(card.rank for card in view.line[enemy] if card.rank is not None)
        left.subtract(seen)
        counts = [left[rank] for rank in self._ranks]
        slots = [card.place for card in view.line[enemy] if card.rank is None]
        self._slots = [int(place.partition(":")[2]) for place in slots]
        self._hand_end = len(slots) + len(in_hand) - len(self._known)
        deck = [f"deck:{number}" for number in range(view.deck_counts.get(enemy, 0))]
        self._places = [*slots, *in_hand[len(self._known) :], *deck]
        self.count = len(self._places)
        if min(counts) < 0 or sum(counts) != self.count:
            raise FalseFacts("no cards agree with what was shown")
        masks = dict.fromkeys(range(self.count), (1 << len(counts)) - 1)
        self._assignments = Assignments(masks, counts)
        self._certain = [kind for _, kind in self._assignments.certain]  # of all places, or of none

    def draw(self, rng: Random, weights: Weights | None) -> list[RankId]:
        """Draw the cards at all hidden places."""
        drawn = self._assignments.draw(rng)
        if weights is not None:

            def weigh(number: int, kind: int) -> float:
                given = weights.get(self._places[number])
                return 1.0 if given is None else given.get(self._ranks[kind], 0.0)

            drawn = self._assignments.reweigh(drawn, rng, weigh)
        return list(map(self._ranks.__getitem__, self._certain or drawn))

    def fill(self, side: Side, cards: list[RankId]) -> None:
        """Lay cards on the hidden places."""
        for slot, card in zip(self._slots, cards, strict=False):
            side.line[slot] = card
        side.hand = self._known + cards[len(self._slots) : self._hand_end]
        side.deck = cards[self._hand_end :]

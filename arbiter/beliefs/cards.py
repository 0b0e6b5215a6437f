"""The knowledge of one player of a card game, as a game whose hidden cards can be drawn at random."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, cast

from arbiter.beliefs.assignments import Assignments, Weigh
from arbiter.beliefs.belief import FalseFacts, KnownAct, Sampled, Weights
from arbiter.games.cards.play import CardPlay, line_place
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
        self._hidden: _HiddenCards | None = None
        self._view = self._mine.view()
        self._deck: list[str] = []
        self._seen: Counter[RankId] = Counter()  # the cards of the opponent's hand, without those drawn since then

    # --- what the seat learns ---------------------------------------------------------------------

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat, before the facts that follow from it."""
        if isinstance(action, Deploy):
            self._deployments.append(action)

    def note_facts(self, facts: Sequence[AnyFact]) -> None:
        """Note the facts that the seat received up to a question.  Raises FalseFacts."""
        self._hidden = None
        try:
            for number, fact in enumerate(facts):
                self._note_fact(fact, facts[number + 1 :])
        except (LookupError, ValueError, TypeError) as error:
            if isinstance(error, FalseFacts):
                raise
            raise FalseFacts(f"the facts do not follow from the rules: {error!r}") from error

    def _note_fact(self, fact: AnyFact, later: Sequence[AnyFact]) -> None:
        """Note a fact; `later` are the facts that follow it."""
        if isinstance(fact, DrawOffered):
            self._offered_by = fact.seat
            return
        if isinstance(fact, Attacked | Peeked | Regrouped | Filled | Deployed):
            self._note_act(fact, later)
        if isinstance(fact, Deployed) and fact.seat == self._seat:
            self._mine.note_action(self._deployments.pop(0))
        self._mine.note_fact(fact)
        self._note_for_enemy(fact)

    def _note_act(self, fact: Attacked | Peeked | Regrouped | Filled | Deployed, later: Sequence[AnyFact]) -> None:
        """Note the turn that a fact belongs to, and what it shows of the opponent's hand."""
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
        if self._hidden is None:
            view = self._view = self._mine.view()
            self._hidden = _HiddenCards(self._ruleset, self._enemy, view, self._seen)
            own = Counter({str(rank): count for rank, count in self._ruleset.army.items()})
            own.subtract(view.captured[self._seat])
            own.subtract(card.rank for card in (*view.line[self._seat], *view.hand) if card.rank is not None)
            self._deck = [rank for rank, count in own.items() for _ in range(count)]
        hidden, view, deck = self._hidden, self._view, self._deck
        for _ in range(_MOST_TRIES):
            drawn = hidden.draw(rng, weights)
            rng.shuffle(deck)
            contest = self._make_contest(view, drawn, deck, rng)
            play = contest.play
            assert isinstance(play, CardPlay)  # noqa: S101 - the rules are those of a card game
            is_enemys_turn = play.to_act == (self._enemy,) and play.phase == "turn"
            if not is_enemys_turn or play.attackers(self._enemy):  # else it would have lost
                return Sampled(contest, knowledge=self._make_knowledge(play))
        raise FalseFacts("no cards agree with what was shown")

    def _make_contest(
        self, view: CardView, drawn: "Mapping[Place, RankId]", deck: Sequence[str], rng: Random
    ) -> Contest:
        contest = Contest(self._template.copy().play, self._offered_by)
        play = contest.play
        assert isinstance(play, CardPlay)  # noqa: S101 - as above
        play.chance = SeededChance(rng.getrandbits(53))
        play.opening = ()
        play.plies, play.quiet_plies = self._plies, self._quiet
        play.outcome = None
        for seat, side in play.sides.items():
            cards = {card.place: card.rank or drawn[card.place] for card in view.line[seat]}
            side.line = [cards.get(line_place(slot)) for slot in range(self._ruleset.line)]
        mine, enemy = play.sides[self._seat], play.sides[self._enemy]
        mine.hand = [cast("RankId", card.rank) for card in view.hand]
        mine.deck = cast("list[RankId]", [*deck])
        enemy.hand = [drawn[hand_place(number)] for number in range(view.hand_counts.get(self._enemy, 0))]
        enemy.deck = [drawn[f"deck:{number}"] for number in range(view.deck_counts.get(self._enemy, 0))]
        play.phase, play.to_act = self._phase, self._to_act
        if play.phase == "refill" and not play.sides[play.to_act[0]].count_fillable():
            play.phase, play.to_act = "turn", (OPPONENT[play.to_act[0]],)
        return contest

    def _make_knowledge(self, play: CardPlay) -> dict[Seat, CardKnowledge]:
        """Return what each seat knows in a sample."""
        theirs = self._theirs.copy()
        side = play.sides[self._enemy]
        for slot in side.filled_slots():
            theirs.note_fact(Revealed(self._enemy, line_place(slot), cast("RankId", side.line[slot])))
        for number, card in enumerate(side.hand):
            theirs.note_fact(Revealed(self._enemy, hand_place(number), card))
        return {self._seat: self._mine.copy(), self._enemy: theirs}


class _HiddenCards:
    """The hidden cards of the opponent, by their places."""

    def __init__(self, ruleset: CardRules, enemy: Seat, view: CardView, seen: Counter[RankId]) -> None:
        self._ranks = [rank.id for rank in ruleset.ranks]
        in_hand = [hand_place(number) for number in range(view.hand_counts.get(enemy, 0))]
        self._known = dict(zip(in_hand, seen.elements(), strict=False))
        left = Counter({rank: ruleset.army.get(rank, 0) for rank in self._ranks})
        left.subtract({cast("RankId", rank): count for rank, count in view.captured[enemy].items()})
        left.subtract(card.rank for card in view.line[enemy] if card.rank is not None)
        left.subtract(seen)
        counts = [left[rank] for rank in self._ranks]
        slots = [card.place for card in view.line[enemy] if card.rank is None]
        deck = [f"deck:{number}" for number in range(view.deck_counts.get(enemy, 0))]
        self._places = [*slots, *in_hand[len(self._known) :], *deck]
        if min(counts) < 0 or sum(counts) != len(self._places):
            raise FalseFacts("no cards agree with what was shown")
        masks = dict.fromkeys(range(len(self._places)), (1 << len(counts)) - 1)
        self._assignments = Assignments(masks, counts)

    def draw(self, rng: Random, weights: Weights | None) -> dict[Place, RankId]:
        """Draw the cards at all hidden places."""
        drawn = self._assignments.draw(rng)
        if weights is not None:
            drawn = self._assignments.reweigh(drawn, rng, self._weigh(weights))
        found = self._known.copy()
        for number, kind in (*self._assignments.certain, *drawn):
            found[self._places[number]] = self._ranks[kind]
        return found

    def _weigh(self, weights: Weights) -> Weigh:
        def weigh(number: int, kind: int) -> float:
            given = weights.get(self._places[number])
            return 1.0 if given is None else given.get(self._ranks[kind], 0.0)

        return weigh

"""Pairs of card games that differ only in what one seat cannot know, for the tests of secrecy.

A pair is the same acts on two deals: two cards of the seat's opponent have changed places.  A card that has
acted was shown, so whichever two were never shown could have changed places.
"""

from random import Random
from typing import NamedTuple

from games.wanderers import line_of, wander

from arbiter.errors import IllegalAction
from arbiter.games.base import visible_to
from arbiter.games.catalogue import find_game
from arbiter.games.chance import Recorded, Seeded
from protocol.words import OPPONENT, Revealed

# Endings that count the cards that can attack: they tell what was hidden until then.
TELLING = frozenset({"no_moves", "both_immobile"})


class Dealt(NamedTuple):
    """The card game with decks of our choice."""

    game: object
    seed: int
    decks: dict

    @property
    def name(self):
        return self.game.name

    def terms(self, first):
        return self.game.describe(first)

    def start(self, _chance=None):
        return self.game.start(Recorded(self.seed, self.decks))


class Twins(NamedTuple):
    """Two games for one observer, and the acts up to which it is told the same: (seat, action)."""

    observer: str
    games: tuple
    actions: tuple


def deals(seed, observer):
    """Return a deal, and the same with two cards of the observer's opponent exchanged."""
    game, chance = find_game("card-game"), Seeded(seed)
    game.start(chance)
    decks, foe = dict(chance.shuffles), OPPONENT[observer]
    deck, rng = list(decks[foe]), Random(seed)
    one, other = rng.choice(
        [(one, other) for one in range(23) for other in range(one) if deck[one] != deck[other]],
    )
    deck[one], deck[other] = deck[other], deck[one]
    return Dealt(game, seed, decks), Dealt(game, seed, decks | {foe: tuple(deck)})


def twins(seed, observer, compare=lambda _plays: None):
    """Play two deals with the same random acts until one tells of the exchange; `compare` sees both before each."""
    games = deals(seed, observer)
    plays, rng, actions = [game.start() for game in games], Random(seed), []
    while plays[0].to_act:
        compare(plays)
        seat = plays[0].to_act[0]
        action = line_of(plays[0], seat, rng) if plays[0].phase == "setup" else wander(plays[0], rng)
        if tells(plays, observer, seat, action):
            break
        actions.append((seat, action))
    return Twins(observer, games, tuple(actions))


def tells(plays, observer, seat, action):
    """Carry an act out in both games and say whether it tells the observer of the exchange."""
    told = [plays[0].act(seat, action)]
    try:
        told.append(plays[1].act(seat, action))
    except IllegalAction:
        assert seat != observer, "what the observer may do depends on what it cannot know"
        return True  # the card that acts is one of the two, and shows itself
    heard = [visible_to(observer, facts) for facts in told]
    if heard[0] != heard[1]:
        assert_a_card_is_shown(observer, *heard)
        return True
    outcomes = [play.outcome for play in plays]
    assert outcomes[0] == outcomes[1] or any(outcome and outcome.ending in TELLING for outcome in outcomes)
    return outcomes[0] != outcomes[1]


def assert_a_card_is_shown(observer, one, other):
    """Check that two accounts of an act first differ in the card that they show."""
    facts = next(pair for pair in zip(one, other, strict=False) if pair[0] != pair[1])
    assert all(isinstance(fact, Revealed) and fact.seat == OPPONENT[observer] for fact in facts)
    assert facts[0].place == facts[1].place

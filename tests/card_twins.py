"""Pairs of card games that differ only in what one player cannot know, for the tests of secrecy.

In the second game two cards of the opponent's deck have exchanged their places.  A card that acts is shown, so both
games look the same as long as neither card was shown.
"""

from random import Random
from typing import NamedTuple

from games.random_players import random_action, random_line

from arbiter.games.base import IllegalAction, visible_to
from arbiter.games.catalogue import find_game
from arbiter.games.chance import RecordedChance, SeededChance
from protocol.words import OPPONENT, Revealed

# Endings that count the cards that can attack: they reveal what was hidden until then.
REVEALING = frozenset({"no_moves", "both_immobile"})


class Dealt(NamedTuple):
    """The card game with given decks."""

    game: object
    seed: int
    decks: dict

    @property
    def name(self):
        return self.game.name

    def describe(self, first):
        return self.game.describe(first)

    def start(self, _chance=None):
        return self.game.start(RecordedChance(self.seed, self.decks))


class Twins(NamedTuple):
    """Two games that one observer cannot distinguish, and their common actions: (seat, action)."""

    observer: str
    games: tuple
    actions: tuple


def make_deals(seed, observer):
    """Return a deal, and the same deal with two cards of the observer's opponent exchanged."""
    game = find_game("card-game")
    chance = SeededChance(seed)
    game.start(chance)
    decks = dict(chance.shuffles)
    foe = OPPONENT[observer]
    deck = list(decks[foe])
    rng = Random(seed)
    one, other = rng.choice([(one, other) for one in range(23) for other in range(one) if deck[one] != deck[other]])
    deck[one], deck[other] = deck[other], deck[one]
    return Dealt(game, seed, decks), Dealt(game, seed, decks | {foe: tuple(deck)})


def make_twins(seed, observer, compare=lambda _plays: None):
    """Play two deals with the same random actions until one reveals the exchange; `compare` gets both before each."""
    games = make_deals(seed, observer)
    plays = [game.start() for game in games]
    rng = Random(seed)
    actions = []
    while plays[0].to_act:
        compare(plays)
        seat = plays[0].to_act[0]
        action = random_line(plays[0], seat, rng) if plays[0].phase == "setup" else random_action(plays[0], rng)
        if reveals_exchange(plays, observer, seat, action):
            break
        actions.append((seat, action))
    return Twins(observer, games, tuple(actions))


def reveals_exchange(plays, observer, seat, action):
    """Carry out an action in both games; return True if it reveals the exchange to the observer."""
    facts = [plays[0].act(seat, action)]
    try:
        facts.append(plays[1].act(seat, action))
    except IllegalAction:
        assert seat != observer, "what the observer may do depends on what it cannot know"
        return True  # the card that acts is one of the two, and is shown
    visible = [visible_to(observer, addressed) for addressed in facts]
    if visible[0] != visible[1]:
        assert_a_card_is_shown(observer, *visible)
        return True
    outcomes = [play.outcome for play in plays]
    assert outcomes[0] == outcomes[1] or any(outcome and outcome.ending in REVEALING for outcome in outcomes)
    return outcomes[0] != outcomes[1]


def assert_a_card_is_shown(observer, one, other):
    """Check that the first difference between two lists of facts is the card that they reveal."""
    facts = next(pair for pair in zip(one, other, strict=False) if pair[0] != pair[1])
    assert all(isinstance(fact, Revealed) and fact.seat == OPPONENT[observer] for fact in facts)
    assert facts[0].place == facts[1].place

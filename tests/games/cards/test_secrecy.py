"""No player learns hidden facts: deals that differ only in cards never shown look the same."""

from random import Random

import msgspec
import pytest
from card_twins import make_deals, make_twins
from games.cards.card_text import action_of, table
from games.random_players import random_action, random_line
from hypothesis import given, note, settings
from hypothesis import strategies as st

from arbiter.games.base import IllegalAction, visible_to
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from protocol.words import OPPONENT, SEATS, Fill, Filled, PeekHand, Revealed

WORDS = (
    *("0x0", "1x4", "4x2", "0x5", "0?hand", "2?hand", "1?0,1", "3?4,0", "0?0"),
    *("2!", "4!", "+0=0", "+1=2", "+0=0,1=1", "=0,1,2"),
)
TRIES = [*map(action_of, WORDS)]


def seen(play, observer):
    """Return everything that the observer can find out by trying: its legal actions and its refusals, as bytes."""
    refusals = [refusal(play, observer, action) for action in TRIES]
    return msgspec.json.encode((play.to_act, play.phase, play.plies, play.legal_actions(observer), refusals))


def refusal(play, observer, action):
    try:
        play.copy().act(observer, action)
    except IllegalAction as refused:
        return str(refused), refused.rule, refused.ending, refused.final
    return None


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), observer=st.sampled_from(SEATS))
def test_the_opponent_cannot_notice_an_exchange_of_cards_until_one_is_shown(seed, observer):
    def compare(plays):
        assert seen(plays[0], observer) == seen(plays[1], observer)

    make_twins(seed, observer, compare)


@pytest.mark.parametrize("observer", SEATS)
def test_the_deal_reveals_nothing_of_the_opponents_cards(observer):
    openings = [visible_to(observer, game.start().opening) for game in make_deals(3, observer)]
    assert openings[0] == openings[1]


def test_the_pairs_have_common_actions():
    lengths = [len(make_twins(seed, "red").actions) for seed in range(40)]
    assert sum(length > 8 for length in lengths) > 20


def reorder_hand(play, seat, rng):
    """Put the cards of a hand into another order."""
    rng.shuffle(play.sides[seat].hand)


def translate(action, one, other, seat):
    """Return the action of a seat in another play in which its hand has another order."""
    if not isinstance(action, Fill):
        return action
    held = list(other.sides[seat].hand)
    cards = {}
    for slot, place in action.cards.items():
        number = held.index(one.sides[seat].hand[int(place.partition(":")[2])])
        cards[slot] = f"hand:{number}"
        held[number] = None
    return Fill(cards)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), observer=st.sampled_from(SEATS))
def test_the_opponent_cannot_notice_the_order_of_a_hand(seed, observer):
    """A hand that is reordered before each of its turns looks the same to the opponent, also in a look at the hand."""
    rng = Random(seed)
    game = find_game("card-game")
    plays = [game.start(SeededChance(seed)) for _ in range(2)]
    other = OPPONENT[observer]
    fills = 0
    while plays[0].to_act and plays[0].plies < 60:
        seat = plays[0].to_act[0]
        if plays[0].phase == "setup":
            actions = [random_line(plays[0], seat, rng)] * 2
        else:
            if seat == other:
                reorder_hand(plays[1], other, rng)
            action = random_action(plays[0], rng)
            actions = [action, translate(action, *plays, seat) if seat == other else action]
            fills += seat == other and isinstance(action, Fill)
        seen_facts = [visible_to(observer, play.act(seat, action)) for play, action in zip(plays, actions, strict=True)]
        assert seen_facts[0] == seen_facts[1]
        if plays[0].phase == "setup" and plays[0].plies:  # a regroup shuffles the cards in the order of the hand
            break
    note(f"{fills} fills")


def test_a_fill_names_no_place_of_the_hand_to_the_opponent():
    play = table("red line M 3 3 2\nred hand 4 5\nblue line 2 4", phase="refill")
    facts = play.act("red", Fill({"line:4": "hand:1"}))
    assert visible_to("blue", facts)[0] == Filled("red", {"line:4": None})
    assert visible_to("red", facts)[0] == Filled("red", {"line:4": "hand:1"})


def test_a_look_shows_the_hand_in_an_order_that_reveals_nothing():
    orders = ("5 4 B", "B 5 4")
    looks = []
    for order in orders:
        play = table(f"red line S 3 3 4 4\nblue line 2 4 4 4 4\nblue hand {order}")
        looks.append(visible_to("red", play.act("red", PeekHand("line:0"))))
    assert looks[0] == looks[1]
    assert [fact.rank for fact in looks[0] if isinstance(fact, Revealed)] == ["bomb", "lieutenant", "sergeant"]

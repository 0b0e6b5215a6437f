"""No player learns hidden facts: deals that differ only in cards never shown look the same."""

import msgspec
import pytest
from card_twins import make_deals, make_twins
from games.cards.card_text import action_of
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.errors import IllegalAction
from arbiter.games.base import visible_to
from protocol.words import SEATS

TRIES = [
    action_of(word)
    for word in [
        "0x0",
        "1x4",
        "4x2",
        "0x5",
        "0?hand",
        "2?hand",
        "1?0,1",
        "3?4,0",
        "0?0",
        "2!",
        "4!",
        "+0=0",
        "+1=2",
        "+0=0,1=1",
        "=0,1,2",
    ]
]


def seen(play, observer):
    """Return everything that the observer can find out by trying: its legal actions and its refusals, as bytes."""
    return msgspec.json.encode(
        (
            play.to_act,
            play.phase,
            play.plies,
            play.legal_actions(observer),
            [refusal(play, observer, try_) for try_ in TRIES],
        )
    )


def refusal(play, observer, action):
    try:
        play.copy().act(observer, action)
    except IllegalAction as refused:
        return str(refused), refused.rule, refused.ending, refused.final
    return None


@settings(max_examples=150)
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

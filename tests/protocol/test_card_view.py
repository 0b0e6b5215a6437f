"""The knowledge of a player of a card game comes from the facts that it received, and from nothing else."""

from random import Random

import pytest
from games.play_state import all_ranks
from games.random_players import random_action, random_line

from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from protocol.messages import CardView, LineCard
from protocol.view import CardKnowledge, new_knowledge
from protocol.words import (
    BLUE,
    OPPONENT,
    RED,
    SEATS,
    Attacked,
    Dealt,
    Deploy,
    Deployed,
    Drew,
    Filled,
    Peeked,
    Regrouped,
    Removed,
    Revealed,
)

GAME = find_game("card-game")
RULES = GAME.describe(RED)
HAND = [f"hand:{number}" for number in range(8)]
LINE = [f"line:{slot}" for slot in range(5)]
OWN = ["marshal", "bomb", "flag", "spy", "scout", "miner", "general", "bomb"]
DEALT = [Dealt(RED, HAND), *(Revealed(RED, *card) for card in zip(HAND, OWN, strict=True)), Dealt(BLUE, HAND)]
LAID = [Deployed(RED, LINE), Deployed(BLUE, LINE)]


def knowledge_after(*facts, laid=True):
    """Return red's knowledge: marshal, bomb, spy, scout and miner laid, flag, general and bomb in the hand."""
    knowledge = CardKnowledge(RULES, RED)
    for fact in DEALT:
        knowledge.note_fact(fact)
    knowledge.note_action(Deploy(line=["hand:0", "hand:1", "hand:3", "hand:4", "hand:5"]))
    for fact in (*LAID, *facts) if laid else facts:
        knowledge.note_fact(fact)
    return knowledge


def describe(knowledge, seat):
    return " ".join(f"{card.place[-1]}:{card.rank or '?'}" for card in knowledge.view().line[seat])


def hand(knowledge):
    return " ".join(card.rank or "?" for card in knowledge.view().hand)


def test_in_the_setup_phase_the_hand_is_known():
    assert knowledge_after(laid=False).view() == CardView(
        line={"red": [], "blue": []},
        hand=[LineCard(place, card) for place, card in zip(HAND, OWN, strict=True)],
        hand_counts={"red": 8, "blue": 8},
        deck_counts={"red": 15, "blue": 15},
        captured={"red": {}, "blue": {}},
    )


def test_a_line_is_laid_and_the_hand_closes_up():
    knowledge = knowledge_after()
    assert describe(knowledge, RED) == "0:marshal 1:bomb 2:spy 3:scout 4:miner"
    assert describe(knowledge, BLUE) == "0:? 1:? 2:? 3:? 4:?"
    assert hand(knowledge) == "flag general bomb"
    assert knowledge.view().hand_counts == {"red": 3, "blue": 3}


FIGHT = [Attacked(RED, "line:0", "line:2"), Revealed(BLUE, "line:2", "miner"), Removed(BLUE, "line:2")]
SEEN = [Revealed(BLUE, *card) for card in zip(HAND[:3], ["bomb", "major", "scout"], strict=True)]
FILLED = [Peeked(RED, "line:2", "hand"), *SEEN, *FIGHT, Filled(BLUE, {"line:2": None})]
OWN_LINE, ENEMY_LINE = "0:marshal 1:bomb 2:spy 3:scout 4:miner", "0:? 1:? 2:? 3:? 4:?"
STORIES = {
    "a captured card is counted and leaves a gap": (FIGHT, OWN_LINE, "0:? 1:? 3:? 4:?", "flag general bomb"),
    "an own gap is filled from the hand": (
        [Removed(RED, "line:1"), Filled(RED, {"line:1": "hand:1"})],
        *("0:marshal 1:general 2:spy 3:scout 4:miner", ENEMY_LINE, "flag bomb"),
    ),
    "drawn cards are added at the end": (
        [Filled(RED, {"line:1": "hand:1"}), Drew(RED, ["hand:2"]), Revealed(RED, "hand:2", "major")],
        *("0:marshal 1:general 2:spy 3:scout 4:miner", ENEMY_LINE, "flag bomb major"),
    ),
    "cards of the line stay known after a look": (
        [
            Peeked(RED, "line:3", ["line:0", "line:4"]),
            Revealed(BLUE, "line:0", "flag"),
            Revealed(BLUE, "line:4", "spy"),
        ],
        *(OWN_LINE, "0:flag 1:? 2:? 3:? 4:spy", "flag general bomb"),
    ),
    "a card seen in the hand is unknown again when it is laid": (FILLED, OWN_LINE, ENEMY_LINE, "flag general bomb"),
    "also after several fills and draws": (
        [
            *(*FILLED, Drew(BLUE, ["hand:2"]), Removed(BLUE, "line:2"), Removed(BLUE, "line:0")),
            Filled(BLUE, {"line:0": None, "line:2": None}),
        ],
        *(OWN_LINE, ENEMY_LINE, "flag general bomb"),
    ),
    "a regroup makes all cards unknown": (
        [
            *(Revealed(BLUE, place, "miner") for place in (*LINE, *HAND[:3])),
            *(Regrouped(BLUE), Revealed(BLUE, "line:1", "flag"), Dealt(BLUE, HAND)),
            *(Deployed(BLUE, LINE), Filled(BLUE, {"line:0": None})),
        ],
        *(OWN_LINE, ENEMY_LINE, "flag general bomb"),
    ),
}


@pytest.mark.parametrize(("facts", "own", "enemy", "held"), STORIES.values(), ids=STORIES)
def test_the_knowledge_of_red(facts, own, enemy, held):
    knowledge = knowledge_after(*facts)
    assert (describe(knowledge, RED), describe(knowledge, BLUE), hand(knowledge)) == (own, enemy, held)


def test_captured_cards_are_counted():
    assert knowledge_after(*FIGHT).view().captured == {"red": {}, "blue": {"miner": 1}}


def test_counts_of_zero_are_not_listed():
    view = knowledge_after(Filled(BLUE, dict.fromkeys(LINE[:3])), Drew(RED, HAND[3:8] * 3)).view()
    assert view.hand_counts == {"red": 18}
    assert view.deck_counts == {"blue": 15}


def test_later_facts_do_not_change_a_view():
    knowledge = knowledge_after()
    before = knowledge.view()
    knowledge.note_fact(Removed(RED, "line:0"))
    assert before.line[RED][0] == LineCard("line:0", "marshal")


@pytest.mark.parametrize("seed", range(8))
def test_the_views_follow_a_random_game(seed):
    rng = Random(seed)
    play = GAME.start(SeededChance(seed))
    knowledge_of = {seat: new_knowledge(RULES, seat) for seat in SEATS}
    deliver(knowledge_of, play.opening)
    while play.to_act:
        seat = play.to_act[0]
        action = random_line(play, seat, rng) if play.phase == "setup" else random_action(play, rng)
        addressed = play.act(seat, action)
        knowledge_of[seat].note_action(action)
        deliver(knowledge_of, addressed)
        if play.plies:
            compare_with_true_cards(play, knowledge_of)


def deliver(knowledge_of, addressed):
    for one in addressed:
        for seat in one.to:
            knowledge_of[seat].note_fact(one.fact)


def compare_with_true_cards(play, knowledge_of):
    """Compare each view with the true cards: all own ones are known, and none of the enemy's is wrong."""
    true = all_ranks(play)
    for seat, knowledge in knowledge_of.items():
        view = knowledge.view()
        foe = OPPONENT[seat]
        own = {(seat, card.place): card.rank for card in (*view.line[seat], *view.hand)}
        assert own == {key: card for key, card in true.items() if key[0] == seat}
        enemy = {(foe, card.place): card.rank for card in view.line[foe]}
        assert list(enemy) == [key for key in true if key[0] == foe and key[1].startswith("line")]
        assert all(card in (None, true[key]) for key, card in enemy.items())
        for either, side in play.sides.items():
            assert view.hand_counts.get(either, 0) == len(side.hand)
            assert view.deck_counts.get(either, 0) == len(side.deck)
            lost = sum(view.captured[either].values())
            assert lost == 23 - len(side.cards())

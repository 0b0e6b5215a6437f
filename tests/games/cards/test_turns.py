"""A turn of the card game: draw, act, fill; legal actions, facts and refusals."""

import pytest
from games.cards.card_text import act_on, drawn, ended, listed, news, refusal, table, tidy

from arbiter.games.base import IllegalAction
from protocol.words import Fill, PeekLine

TABLE = """
    red line  M 2 B S F
    red hand  3 4 5
    blue line 9 B 3 . 2
    blue hand 7 8
    blue deck 6 5 4
"""


def test_the_legal_actions_of_a_turn():
    assert listed(table(TABLE)) == (
        "0x0 0x1 0x2 0x4 1x0 1x1 1x2 1x4 3x0 3x1 3x2 3x4 3?hand 1?0,1 1?0,2 1?0,4 1?1,2 1?1,4 1?2,4 4!"
    )


FACTS = {
    "an attack that wins; the loser of a card fills later": (
        "0x0",
        (
            "attacked red line:0 line:0 / blue< revealed red line:0 marshal / red< revealed blue line:0 general / "
            "removed blue line:0 / drew blue hand:2 / blue< revealed blue hand:2 captain"
        ),
    ),
    "a lost attack is followed by a refill": (
        "1x0",
        "attacked red line:1 line:0 / blue< revealed red line:1 scout / red< revealed blue line:0 general / removed red line:1",
    ),
    "equals both leave, the attacker first": (
        "1x4",
        "attacked red line:1 line:4 / blue< revealed red line:1 scout / red< revealed blue line:4 scout / removed red line:1 / removed blue line:4",
    ),
    "a bomb stays": ("0x1", "attacked red line:0 line:1 / blue< revealed red line:0 marshal / red< revealed blue line:1 bomb / removed red line:0"),
    "the spy sees the hand as it was in the turn": (
        "3?hand",
        (
            "peeked red line:3 hand / blue< revealed red line:3 spy / red< revealed blue hand:0 colonel / "
            "red< revealed blue hand:1 major / drew blue hand:2 / blue< revealed blue hand:2 captain"
        ),
    ),
    "the scout sees two of the line": (
        "1?0,4",
        (
            "peeked red line:1 line:0,line:4 / blue< revealed red line:1 scout / red< revealed blue line:0 general / "
            "red< revealed blue line:4 scout / drew blue hand:2 / blue< revealed blue hand:2 captain"
        ),
    ),
    "slots are repeated as given": (
        "1?4,0",
        (
            "peeked red line:1 line:4,line:0 / blue< revealed red line:1 scout / red< revealed blue line:4 scout / "
            "red< revealed blue line:0 general / drew blue hand:2 / blue< revealed blue hand:2 captain"
        ),
    ),
    "a gap is filled in public": ("1x0 +1=2", "red< filled red line:1=hand:2 / blue< filled red line:1=? / drew blue hand:2 / blue< revealed blue hand:2 captain"),
}  # fmt: skip


@pytest.mark.parametrize(("acts", "facts"), FACTS.values(), ids=FACTS)
def test_the_facts_of_each_action_and_who_sees_them(acts, facts):
    assert news(act_on(table(TABLE), acts)) == facts


def test_a_hidden_winner_turns_face_down_in_its_own_slot():
    play = table(TABLE)
    facts = act_on(play, "0x0")
    assert "/ moved" not in news(facts)
    assert play.sides["red"].line[0] == "marshal"


def test_a_spy_may_look_at_an_empty_hand():
    play = table("red line S 4\nblue line 3 4")
    assert news(act_on(play, "0?hand")) == "peeked red line:0 hand / blue< revealed red line:0 spy"


def test_a_scout_looks_at_one_card_if_only_one_is_left():
    play = table("red line 2 4\nblue line . . 3")
    assert listed(play) == "0x2 1x2 0?2"
    assert refusal(play, "0?2,2") == ("power", "illegal_action")
    assert news(act_on(play, "0?2")).endswith("red< revealed blue line:2 miner")


# --- gaps -----------------------------------------------------------------------------------------

ONE_GAP = "red line 2 M 4\nred hand 3 4 5\nblue line 9 B 3\nblue hand 7"


def test_a_player_that_lost_a_card_is_asked_to_fill():
    play = table(ONE_GAP)
    act_on(play, "0x0")
    assert (play.to_act, play.phase, play.plies) == (("red",), "refill", 1)
    assert listed(play).split()[0] == "+0=0,3=1,4=2"
    act_on(play, "+0=2,4=0,3=1")
    assert drawn(play) == tidy("red line 5 M 4 4 3\nblue line 9 B 3\nblue hand 7")
    assert (play.to_act, play.phase, play.plies) == (("blue",), "turn", 1)


@pytest.mark.parametrize(
    ("line", "hand", "fills"),
    [
        ("M 3 3 3", "4", "+4=0"),
        ("M 3 3 3", "4 5 6", "+4=0 +4=1 +4=2"),
        ("M 3 3", "4", "+3=0 +4=0"),
        ("M 3 3", "4 5", "+3=0,4=1 +3=1,4=0"),
        ("M . 3", "4 5", "+1=0,3=1 +1=1,3=0 +1=0,4=1 +1=1,4=0 +3=0,4=1 +3=1,4=0"),
    ],
)
def test_all_refills_are_listed_even_if_there_is_only_one(line, hand, fills):
    play = table(f"red line {line}\nred hand {hand}\nblue line 2 4", phase="refill")
    assert listed(play) == fills


@pytest.mark.parametrize(
    "word", ["+", "+4=0", "+3=0", "+3=0,4=0", "+3=0,4=2", "+2=0,3=1", "+3=0,5=1", "+1=0,3=1,4=0", "0x0", "=0,1,2,3,4"]
)
def test_other_refills_are_refused(word):
    play = table("red line M 3 3\nred hand 4 5\nblue line 2 4", phase="refill")
    rule, ending = refusal(play, word)
    assert rule == ("turn" if word[0] in "0=" else "deployment")
    assert ending == "illegal_action"


def test_the_fact_of_a_refill_is_in_slot_order():
    play = table("red line M 3 3\nred hand 4 5\nblue line 2 4", phase="refill")
    facts = play.act("red", Fill({"line:4": "hand:0", "line:3": "hand:1"}))
    assert news(facts) == "red< filled red line:3=hand:1,line:4=hand:0 / blue< filled red line:3=?,line:4=?"


@pytest.mark.parametrize(
    "drawing",
    ["red line M 3 3 3 3\nred hand 4 5\nblue line 2 4", "red line M 3 3\nblue line 2 4"],
    ids=["no gap", "empty hand"],
)
def test_no_refill_if_nothing_can_be_filled(drawing):
    play = table(drawing)
    act_on(play, "0x0")
    assert (play.to_act, play.phase) == (("blue",), "turn")


def test_the_defenders_gap_stays_open_until_the_end_of_its_own_turn():
    play = table("red line M 3 3 3 3\nred hand 4 5 6\nblue line 2 4 S 3 3\nblue hand 7 8 9")
    act_on(play, "0x0")
    assert drawn(play).splitlines()[2] == "blue line . 4 S 3 3"
    act_on(play, "2?hand")
    assert (play.to_act, play.phase) == (("blue",), "refill"), "after a look too"
    act_on(play, "+0=1")
    assert drawn(play).splitlines()[2:4] == ["blue line 8 4 S 3 3", "blue hand 7 9"]


# --- drawing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "deck", "after", "drawn_cards"),
    [
        ("3 4 5", "6 7", "3 4 5", None),
        ("3 4", "6 7", "3 4 6", "hand:2"),
        ("", "6 7 8 9", "6 7 8", "hand:0,hand:1,hand:2"),
        ("3", "6", "3 6", "hand:1"),
        ("3", "", "3", None),
    ],
)
def test_the_hand_is_filled_to_three_at_the_start_of_a_turn(hand, deck, after, drawn_cards):
    play = table(f"red line S 4 4 4 4\nblue line 3 4 4 4 4\nblue hand {hand}\nblue deck {deck}")
    facts = news(act_on(play, "0?hand"))
    assert ("drew blue " + drawn_cards in facts) if drawn_cards else "drew" not in facts
    assert f"blue hand {after}".strip() in drawn(play)


# --- regrouping -----------------------------------------------------------------------------------


class Stacked:
    """A shuffle that puts the last card on top."""

    def draw_first(self):
        return "red"

    def shuffle(self, _seat, cards):
        return cards[::-1]

    def copy(self):
        return self


REGROUP = """
    red line  M 2 F S .
    red hand  3 4 5
    red deck  6 7 8 9 B
    blue line 9 B 3
"""


DEALT = ["bomb", "general", "colonel", "major", "captain", "lieutenant", "sergeant", "miner"]


def test_a_regroup_shows_the_flag_and_deals_again():
    play = table(REGROUP, chance=Stacked())
    facts = news(act_on(play, "2!"))
    assert facts == (
        "regrouped red / blue< revealed red line:2 flag / dealt red "
        + ",".join(f"hand:{number}" for number in range(8))
        + "".join(f" / red< revealed red hand:{number} {card}" for number, card in enumerate(DEALT))
    )
    assert (play.to_act, play.phase, play.plies) == (("red",), "setup", 1)
    assert play.legal_actions("red") == []


def test_the_deployment_after_a_regroup_ends_the_turn():
    play = table(REGROUP, chance=Stacked())
    facts = act_on(play, "2! =7,0,1,2,3")
    assert news(facts) == "deployed red line:0,line:1,line:2,line:3,line:4"
    assert drawn(play) == tidy("red line 3 B 9 8 7\nred hand 6 5 4\nred deck S F 2 M\nblue line 9 B 3")
    assert (play.to_act, play.phase, play.plies) == (("blue",), "turn", 1)


def test_removed_cards_stay_out_of_a_regroup():
    play = table("red line 2 F 4\nred hand 3 5 6\nred deck 7\nblue line 9 B 3", chance=Stacked())
    act_on(play, "0x0 +0=0,3=1,4=2 2x0 1!")
    assert sorted(play.sides["red"].cards()) == sorted(["flag", "sergeant", "lieutenant", "captain", "major"])


@pytest.mark.parametrize(
    ("cards", "word", "line"),
    [("F 3", "=0,1", "line:0,line:1"), ("F 3 4 5 6", "=0,1,2,3,4", "line:0,line:1,line:2,line:3,line:4")],
)
def test_with_few_cards_all_are_dealt_and_laid(cards, word, line):
    play = table(f"red line {cards}\nblue line 9 3")
    facts = news(act_on(play, "0!"))
    assert facts.count("revealed red hand:") == len(cards.split())
    assert news(act_on(play, word)) == f"deployed red {line}"


def test_a_wrong_line_after_a_regroup_is_an_illegal_setup():
    play = table(REGROUP)
    act_on(play, "2!")
    for word in ("=0,1,2,3", "=0,1,2,3,8", "=0,0,1,2,3"):
        assert refusal(play, word) == ("deployment", "illegal_setup")
    assert refusal(play, "0x0") == ("turn", "illegal_action")


def test_shuffling_in_a_copy_does_not_change_the_original():
    play = table(REGROUP)
    twin = play.copy()
    act_on(twin, "2!")
    act_on(play, "2!")
    assert drawn(twin) == drawn(play)


# --- refusals -------------------------------------------------------------------------------------

REFUSED = {
    "a bomb cannot attack": ("2x0", "immovable"),
    "the flag cannot attack": ("4x0", "immovable"),
    "a gap cannot be attacked": ("0x3", "movement"),
    "attack on a sixth slot": ("0x5", "movement"),
    "attack from a sixth slot": ("5x0", "movement"),
    "only the spy looks at the hand": ("1?hand", "power"),
    "only the scout looks at the line": ("3?0,1", "power"),
    "the scout looks at one card": ("1?0", "power"),
    "the scout looks at three cards": ("1?0,1,2", "power"),
    "the scout looks at one card twice": ("1?0,0", "power"),
    "the scout looks at a gap": ("1?0,3", "power"),
    "only the flag regroups": ("0!", "power"),
    "refill before the action": ("+3=0", "turn"),
    "deployment outside the setup phase": ("=0,1,2,3,4", "turn"),
}


@pytest.mark.parametrize(("word", "rule"), REFUSED.values(), ids=REFUSED)
def test_refused_actions(word, rule):
    assert refusal(table(TABLE), word) == (rule, "illegal_action")


def test_the_opponent_may_not_act():
    play = table(TABLE)
    assert play.legal_actions("blue") == []
    with pytest.raises(IllegalAction, match="not blue's turn"):
        play.act("blue", PeekLine("line:4", ["line:0", "line:1"]))


def test_places_that_do_not_exist_are_refused():
    play = table(TABLE)
    with pytest.raises(IllegalAction) as caught:
        play.act("red", PeekLine("line:1", ["line:\u06600", "\u001b[2J" * 20]))
    assert str(caught.value).isprintable()
    assert ended(play) is None

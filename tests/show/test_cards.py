"""Card games as people see them: the table from three seats, frame by frame, and what happened in words."""

import re
from pathlib import Path

import pytest
from games.cards.card_text import act_on, table
from games.play_state import all_ranks

from arbiter.games.catalogue import find_ruleset
from arbiter.games.notation import write_action
from arbiter.record import read_record
from arbiter.show.boards import CardTable
from arbiter.show.replay.frame import describe_facts
from arbiter.show.replay.plain_text import make_frames, write_frame
from arbiter.show.rules_page import rules_page
from arbiter.show.tables.rules import rules_object
from protocol.messages import LineCard
from protocol.words import BLUE, OPPONENT, RED, SEATS, Attack, Fill, PeekHand, PeekLine, Regroup

GOLDEN = read_record((Path(__file__).parents[1] / "games" / "golden" / "card-game.jsonl").read_bytes())

SETUP = """\
ply 0: the setup
blue hand  {blue_hand}   deck 15
blue line  {blue_line}
red line   {red_line}
red hand   {red_hand}   deck 15
            0     1     2     3     4
red lost nothing
blue lost nothing"""


def signs(cards, seat):
    """Write cards as they are drawn: six columns each."""
    short = {"marshal": "M", "general": "9", "colonel": "8", "major": "7", "captain": "6", "lieutenant": "5"}
    short |= {"sergeant": "4", "miner": "3", "scout": "2", "spy": "S", "bomb": "B", "flag": "F", None: "?"}
    return "  ".join(f"{seat}{short[card]}".ljust(4) for card in cards).rstrip()


def dealt(seat):
    """Return line and hand after the setup, from the record alone."""
    deploy = next(act.action for act in GOLDEN.acts if act.seat == seat)
    numbers = [int(place[5:]) for place in deploy.line]
    deck = GOLDEN.header.decks[seat][:8]
    return [deck[number] for number in numbers], [card for number, card in enumerate(deck) if number not in numbers]


@pytest.mark.parametrize("viewer", ["red", "blue", "arbiter"])
def test_the_table_from_three_seats(viewer):
    rows = {}
    for seat in SEATS:
        line, hand = dealt(seat) if viewer in (seat, "arbiter") else ([None] * 5, [None] * 3)
        letter = "R" if seat == RED else "b"
        rows |= {f"{seat}_line": signs(line, letter), f"{seat}_hand": signs(hand, letter)}
    shown = write_frame(next(make_frames(GOLDEN, viewer)))
    assert re.sub(" +", " ", shown) == re.sub(" +", " ", SETUP.format(**rows))


@pytest.mark.parametrize("viewer", ["red", "blue", "arbiter"])
def test_a_whole_game_is_shown_in_eighty_columns(viewer):
    shown = list(make_frames(GOLDEN, viewer))
    assert shown[-1].ply == GOLDEN.result.plies
    assert shown[-1].ending[0].startswith(f"{GOLDEN.result.winner} wins: it took the flag on slot 2")
    assert max(len(row) for frame in shown for row in write_frame(frame).splitlines() if "looks at" not in row) <= 80
    assert {frame.shape for frame in shown} == {None}


@pytest.mark.parametrize("viewer", SEATS)
def test_a_seat_sees_the_other_hand_only_after_a_look_and_until_some_of_it_is_laid(viewer):
    other, has_looked, looks = OPPONENT[viewer], False, 0
    for frame in make_frames(GOLDEN, viewer):
        if frame.seat == viewer and frame.action == "look hand":
            has_looked, looks = True, looks + 1
        elif frame.seat == other and frame.action.split()[0] in {"fill", "regroup", "deploys"}:
            has_looked = False
        assert list(frame.view.hands) == [seat for seat in SEATS if seat == viewer or has_looked]
        assert all(card.rank for card in frame.view.hands[viewer])
    assert viewer == RED or looks


def test_the_cards_that_the_opponent_knows_are_marked():
    frames = [list(make_frames(GOLDEN, viewer)) for viewer in ("arbiter", *SEATS)]
    marked = 0
    for arbiter, red, blue in zip(*frames, strict=True):
        views = {RED: red.view, BLUE: blue.view}
        for seat in SEATS:
            theirs = [piece for piece in views[OPPONENT[seat]].pieces if piece.seat == seat and piece.rank]
            assert {f"{seat}/{piece.place}" for piece in theirs} == {
                place for place in arbiter.known if place.startswith(seat)
            }
            marked += len(theirs)
    assert marked


NOTATION = [
    (Attack("line:3", "line:2"), "3\N{MULTIPLICATION SIGN}2", "3\N{MULTIPLICATION SIGN}2"),
    (PeekHand("line:1"), "look hand", "look hand"),
    (PeekLine("line:1", ["line:0", "line:4"]), "look 0 4 by 1", "look 0 4 by 1"),
    (Regroup("line:2"), "regroup", "regroup"),
    (Fill({"line:2": "hand:1", "line:0": "hand:2"}), "fill 0<2 2<1", "fill 0 2"),
]


@pytest.mark.parametrize(("action", "own", "public"), NOTATION)
def test_the_notation_of_acts(action, own, public):
    assert (write_action(action), write_action(action, hides_secrets=True)) == (own, public)


def test_colour_only_repeats_what_the_letters_say():
    frame = next(make_frames(GOLDEN, "red"))
    assert re.sub(r"\x1b\[[0-9;]*m", "", write_frame(frame, colour=True)).split() == write_frame(frame).split()


def test_an_attack_is_marked_on_both_lines():
    frame = next(frame for frame in make_frames(GOLDEN, "arbiter") if frame.marks.attack)
    blue, red = write_frame(frame).splitlines()[-6:-4]
    mine, theirs = (red, blue) if frame.seat == RED else (blue, red)
    assert ("[" in mine, "*" in mine) == (True, False)
    assert ("[" in theirs, "*" in theirs) == (False, True)


def test_a_regroup_has_a_frame_and_its_deployment_another():
    shown = list(make_frames(GOLDEN, "arbiter"))
    at = next(number for number, frame in enumerate(shown) if frame.action == "regroup")
    assert [frame.action.split()[-1] for frame in shown[at : at + 2]] == ["regroup", "deploys"]
    assert shown[at].ply == shown[at + 1].ply
    assert shown[at].view.line[shown[at].seat] == []


# --- in words -------------------------------------------------------------------------------------

TABLE = """
    red line  M 2 F S
    blue line 9 B 3 . 2
    blue hand 7 8
    blue deck 6 5 4
"""
STORIES = [
    ("0x0", "arbiter", "red's marshal takes blue's general on slot 0"),
    ("0x0", "blue", "red's marshal takes your general on slot 0"),
    ("1x0", "red", "your scout falls to blue's general on slot 0"),
    ("1x4", "red", "your scout and blue's scout both fall on slot 4"),
    ("3?hand", "red", "your spy on slot 3 looks at blue's hand, sees colonel, major"),
    ("3?hand", "blue", "red's spy on slot 3 looks at your hand"),
    ("3?hand", "arbiter", "red's spy on slot 3 looks at blue's hand, sees colonel, major"),
    ("1?0,4", "red", "your scout on slot 1 looks at blue's slot 0 and slot 4, sees general, scout"),
    ("1?0,4", "blue", "red's scout on slot 1 looks at your slot 0 and slot 4"),
    ("2!", "blue", "red's line, hand and deck are shuffled together"),
    ("2!", "red", "your line, hand and deck are shuffled together"),
]


@pytest.mark.parametrize(("act", "viewer", "sentence"), STORIES)
def test_what_happened_in_words(act, viewer, sentence):
    assert told(act, viewer)[0] == sentence


@pytest.mark.parametrize(("viewer", "sentence"), [("red", "blue draws 1 card"), ("blue", "you draw 1 card")])
def test_drawing_in_words(viewer, sentence):
    assert told("3?hand", viewer)[1:] == (sentence,)


def told(act, viewer):
    """Describe an act as the viewer sees it."""
    play = table(TABLE)
    before = seen(play, viewer)
    facts = [one.fact for one in act_on(play, act) if viewer == "arbiter" or viewer in one.to]
    return describe_facts(facts, before, seen(play, viewer), viewer)


def seen(play, viewer):
    """Return the table as a viewer sees it who was shown nothing."""
    cards = {"line": {}, "hand": {}}
    for (seat, place), card in all_ranks(play).items():
        known = card if viewer in (seat, "arbiter") else None
        cards[place.split(":")[0]].setdefault(seat, []).append(LineCard(place, known))
    hands = {seat: hand for seat, hand in cards["hand"].items() if viewer in (seat, "arbiter")}
    return CardTable(5, cards["line"], hands, {}, {}, {seat: {} for seat in SEATS})


def test_the_page_of_the_rules():
    page = rules_page(find_ruleset("card-game"), "de").splitlines()
    for line in (
        "Stratego: Das Kartenspiel (card-game)",
        "Armee: 23 Karten auf jeder Seite",
        "  4 2 Aufklärer",
        "  - einen Aufklärer (2) aufdecken und zwei Karten der gegnerischen Schlachtlinie",
        "  50 Züge beider Spieler zusammen, ohne dass eine Karte ausscheidet: remis.",
    ):
        assert line in page
    assert any("erschlossen" in line for line in page)


def test_the_json_of_the_rules_is_complete():
    described = rules_object(find_ruleset("card-game"))
    assert (described["line"], described["hand"], described["deal"], described["no_attack_plies"]) == (5, 3, 8, 50)
    assert described["powers"] == ["peek_hand", "peek_line", "regroup"]
    assert "board" not in described

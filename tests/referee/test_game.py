"""Whole games between programs: every ending, the record, and the messages to each side."""

import pytest
import trio
from drawing import letters_of
from referee import real_games
from referee.fake_bots import SILENT, Brain
from referee.games_in_memory import ProgramBrain, play_brains
from referee.real_games import AMPLE, TrackedIsolation, bot, check_game, make_spec

from arbiter.games.base import Addressed
from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game
from arbiter.verify import verify
from protocol.words import Attacked, Deployed, Removed, Revealed

# Each side's flag is in its corner behind bombs unless the drawing shows it elsewhere.
DUEL_OF_TWO = """
10 .. .. .. .. .. .. .. .. bB bF
 6 b9 .. ~~ ~~ .. .. ~~ ~~ .. ..
 5 r8 .. ~~ ~~ .. .. ~~ ~~ .. ..
 1 rF rB .. .. .. .. .. .. .. ..
"""
FLAG_IN_REACH = """
10 bF .. .. .. .. .. .. .. .. b5
 9 r5 .. .. .. .. .. .. .. .. ..
 1 rF rB .. .. .. .. .. .. .. ..
"""
LAST_MAN = """
10 .. .. .. .. .. .. .. .. bB bF
 6 b5 .. ~~ ~~ .. .. ~~ ~~ .. ..
 5 r8 .. ~~ ~~ .. .. ~~ ~~ .. ..
 1 rF rB .. .. .. .. .. .. .. ..
"""
WALLED_IN = """
10 bB bF .. .. .. .. .. .. .. ..
 9 b5 bB .. .. .. .. .. .. .. ..
 8 bB r6 .. .. .. .. .. .. .. ..
 1 rF rB .. .. .. .. .. .. .. ..
"""
EQUALS = """
10 .. .. .. .. .. .. .. .. bB bF
 6 b8 .. ~~ ~~ .. .. ~~ ~~ .. ..
 5 r8 .. ~~ ~~ .. .. ~~ ~~ .. ..
 1 rF rB .. .. .. .. .. .. .. ..
"""
ENCLOSED = """
10 b5 bB .. .. .. .. .. .. .. bF
 9 bB .. .. .. .. .. .. .. .. ..
 6 b8 .. ~~ ~~ .. .. ~~ ~~ .. ..
 5 r8 .. ~~ ~~ .. .. ~~ ~~ .. ..
 2 .. .. .. .. .. .. .. .. .. rB
 1 rF .. .. .. .. .. .. .. rB r4
"""
APART = """
10 .. .. .. .. .. .. .. .. .. bF
 7 .. .. .. .. .. .. .. .. b5 b4
 4 r4 r5 .. .. .. .. .. .. .. ..
 1 rF .. .. .. .. .. .. .. .. ..
"""

# position, red's acts, blue's acts, ending, winner
ENDINGS = [
    (FLAG_IN_REACH, ["a9-a10"], [], "flag_taken", "red"),
    (LAST_MAN, ["a5-a6"], [], "no_pieces", "red"),
    (WALLED_IN, ["b8-c8"], [], "no_moves", "red"),
    (EQUALS, ["a5-a6"], [], "both_immobile", None),
    (ENCLOSED, ["a5-a6"], [], "both_immobile", None),
    (APART, [], [], "no_attack_limit", None),
    (APART, ["offer:a4-a5"], ["accept"], "agreed", None),
    (APART, ["resign"], [], "resigned", "blue"),
    (APART, ["a4-a5"], ["resign"], "resigned", "red"),
    (APART, ["a4-a5", "a5-a6"], ["accept"], "illegal_action", "red"),
]


def scripted(*words):
    return ProgramBrain("scripted", *words)


def play(red=None, blue=None, **options):
    """Play a game between programs in this process and check its record."""
    played = play_brains(red, blue, **options)
    assert verify(played.data).ok
    return played


def messages_to(played, seat):
    return played.bots[seat].received()


@pytest.mark.parametrize(("drawing", "red", "blue", "ending", "winner"), ENDINGS, ids=lambda value: str(value)[:20])
def test_every_ending_by_the_rules(drawing, red, blue, ending, winner):
    played = play(scripted(*red), scripted(*blue), position=letters_of(drawing))
    assert played.outcome == (ending, winner), played.result
    overs = {seat: messages_to(played, seat)[-2]["result"] for seat in ("red", "blue")}
    results = {winner: "win"} if winner else {}
    assert overs == {seat: results.get(seat, "loss" if winner else "draw") for seat in overs}


def test_the_ply_limit_ends_a_game():
    played = play(overrides=Overrides(max_plies=7))
    assert played.outcome == ("ply_limit", None)
    assert played.result.plies == 7


def test_a_declined_offer_is_reported_once_and_lapses():
    played = play(scripted("offer:a4-a5"), scripted(), position=letters_of(APART))
    assert played.outcome == ("no_attack_limit", None)
    asked = [message["news"] for message in messages_to(played, "blue") if message["type"] == "ask"]
    assert [{"type": "draw_offered", "seat": "red"} in news for news in asked[:3]] == [True, False, False]
    assert [act.offer_draw for act in played.acts[:3]] == [True, False, False]


def test_an_offer_that_was_answered_with_a_move_cannot_be_accepted():
    played = play(scripted("offer:a4-a5", "a5-a4"), scripted("i7-i6", "accept"), position=letters_of(APART))
    assert played.outcome == ("illegal_action", "red")


def test_names_are_in_the_record_and_no_points():
    played = real_games.play(bot("scripted", "resign"), bot())
    assert played.record.result.points is None
    seats = played.record.header.seats
    assert (seats["red"].name, seats["red"].program) == ("scripted", "scripted")
    assert (seats["blue"].name, seats["blue"].program) == ("base", "walker")
    assert (played.record.header.sandbox, played.record.header.time) == ("process", AMPLE)
    assert played.record.header.first == "red"


def test_notes_are_in_the_record_and_hidden_from_the_opponent():
    played = play(scripted("a4-a5"), scripted())
    assert [act.note for act in played.acts[:3]] == [None, None, "note on a4-a5"]
    assert "note on" not in str(messages_to(played, "blue"))


def test_both_deployments_are_reported_together():
    acts = play().acts
    assert acts[0].facts == ()
    assert [(type(one.fact), one.fact.seat, len(one.fact.places)) for one in acts[1].facts] == [
        (Deployed, "red", 40),
        (Deployed, "blue", 40),
    ]


def test_names_are_hidden_by_default():
    hidden = messages_to(play(scripted()), "red")[1]
    assert hidden["opponent"] is None
    shown = messages_to(play(scripted(), opponents={"red": "the other", "blue": "the one"}), "red")[1]
    assert shown["opponent"] == "the other"


def test_a_bot_gets_its_own_seed_and_not_that_of_the_game():
    played = play(scripted(), scripted(), seed=123456789)
    starts = {seat: messages_to(played, seat)[1] for seat in ("red", "blue")}
    assert starts["red"]["seed"] != starts["blue"]["seed"]
    assert "123456789" not in str([messages_to(played, seat) for seat in ("red", "blue")])
    assert starts["red"]["game"] == "g1"


@pytest.mark.parametrize("wants", ["legal", "view", "news", "legal,view,news"])
def test_a_bot_is_sent_what_it_wants_and_nothing_else(wants):
    played = play(scripted(f"wants={wants}"))
    messages = messages_to(played, "red")
    turns = [message for message in messages if message["type"] == "ask" and message["phase"] == "turn"]
    assert all(("legal" in turn) == ("legal" in wants) for turn in turns)
    assert all(("view" in turn) == ("view" in wants) for turn in turns)
    assert all((turn["news"] == []) == ("news" in wants) for turn in turns)
    assert any(message["type"] == "news" for message in messages) == ("news" in wants)
    (setup,) = [message for message in messages if message["type"] == "ask" and message["phase"] == "setup"]
    assert "legal" not in setup


def test_every_fact_is_sent_once_with_news_and_without():
    facts = {}
    for wants in ("news", "legal"):
        messages = messages_to(play(scripted(f"wants={wants}")), "red")
        facts[wants] = [fact for message in messages for fact in message.get("news", [])]
    assert facts["news"] == facts["legal"]


def test_illegal_actions_may_be_taken_back_as_often_as_allowed():
    played = play(scripted("a4-b5", "a4-a6", "a4-a5"), tries=2)
    assert played.outcome == ("no_attack_limit", None)
    refusals = [message for message in messages_to(played, "red") if message["type"] == "refused"]
    assert [line["ask"] for line in refusals] == [2, 2]
    assert "a4-b5" in refusals[0]["why"]
    assert len([act for act in played.acts if act.facts is None]) == 0


def test_moving_a_bomb_loses_even_if_actions_may_be_taken_back():
    played = play(scripted("b1-b2", "a4-a5"), tries=2)
    assert played.outcome == ("immovable_moved", "blue")


def test_a_setup_cannot_be_taken_back():
    assert play(ProgramBrain("wrong_setup", "nothing"), tries=2).outcome == ("illegal_setup", "blue")


NOTHING = {"type": "deploy", "pieces": {}}
BOTH_FAIL = [
    (NOTHING, NOTHING, "illegal_setup", ["red", "blue"]),
    (NOTHING, SILENT, "timeout", ["red"]),
    (SILENT, NOTHING, "timeout", ["blue"]),
    (SILENT, SILENT, "timeout", []),
]


@pytest.mark.parametrize(("red", "blue", "ending", "acts"), BOTH_FAIL)
def test_nobody_wins_if_both_fail_before_the_first_move(red, blue, ending, acts):
    played = play(Brain("red", at={1: red}), Brain("blue", at={1: blue}))
    assert played.outcome == (ending, None)
    assert [act.seat for act in played.acts] == acts
    assert all(name in played.result.why for name in ("red", "blue"))


def test_a_bot_that_does_not_start_loses_to_one_that_would_deploy_illegally():
    played = real_games.play(bot("wrong_setup", "nothing"), bot("exits_at_once"))
    assert (played.outcome, played.acts) == (("no_start", "red"), ())
    assert "blue" in played.result.why


def test_each_side_is_sent_its_own_pieces_of_a_position():
    played = play(scripted(), scripted(), position=letters_of(APART))
    for seat, place in (("red", "a4"), ("blue", "i7")):
        (first,) = [
            message for message in messages_to(played, seat) if message.get("ask") == 1 and message["type"] == "ask"
        ]
        revealed = [fact for fact in first["news"] if fact["type"] == "revealed"]
        assert {fact["seat"] for fact in revealed} == {seat}
        assert place in {fact["place"] for fact in revealed}


def test_the_record_holds_the_audience_of_each_fact():
    played = play(scripted("a5-a6"), position=letters_of(DUEL_OF_TWO))
    assert played.acts[0].facts == (
        Addressed(Attacked("red", "a5", "a6"), ("red", "blue")),
        Addressed(Revealed("red", "a5", "colonel"), ("blue",)),
        Addressed(Revealed("blue", "a6", "general"), ("red",)),
        Addressed(Removed("red", "a5"), ("red", "blue")),
    )


def test_a_changed_record_fails_verification():
    data = play(scripted("a4-a5")).data
    assert not verify(data.replace(b'"dst":"a5"', b'"dst":"b5"')).ok
    assert not verify(data.replace(b'"plies":12', b'"plies":13')).ok


def test_games_do_not_disturb_each_other(patient):
    async def many():
        isolations = [TrackedIsolation() for _ in range(4)]
        reports = [None] * len(isolations)

        async def one(number):
            reports[number] = await play_game(make_spec(bot("logs_at_the_end"), bot()), isolations[number])

        async with trio.open_nursery() as nursery:
            for number in range(len(isolations)):
                nursery.start_soon(one, number)
        return reports, isolations

    for report, isolation in zip(*trio.run(many), strict=True):
        assert [pid for pid in isolation.leftovers() if not isinstance(pid, int)] == []
        assert report.result.ending == "no_attack_limit"
        assert report.log.stderr["red"] == "dear diary: no_attack_limit\n"
        assert check_game(report, isolation)

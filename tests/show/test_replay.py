"""Frames of records, from each of the three seats."""

import pytest
from drawing import letters_of
from show.sample_record import acts_of, record
from twins import make_twins

from arbiter.errors import ConfigError
from arbiter.record import ActEntry, GameHeader, GameResult, PlayerName, Record, RecordError
from arbiter.show.replay.plain_text import describe_players, make_frames, write_frame
from protocol.reasons import Both, NoPiecesGiven, RefusedDeployment
from protocol.words import AcceptDraw, Deploy, Resign

WON = {"winner": "red", "ending": "flag_taken", "plies": 311, "points": {"red": 6.0, "blue": 1.0}}
FROM_RED = """\
ply 1: red b6-b7 (12.3 ms)
your miner takes blue's bomb on b7
    a     b     c     d     e     f     g     h     i     j
10  .     .     .     .     .     .     .     .     .    b?
 9  .     .     .     .     .     .     .     .     .     .
 8  .     .     .     .     .     .     .     .     .     .
 7  .   *R3' * b?     .    b?     .     .     .     .     .
 6  .   [ .  ] ~~~~  ~~~~  R2     .    ~~~~  ~~~~   .     .
 5  .     .    ~~~~  ~~~~   .     .    ~~~~  ~~~~   .     .
 4 R9     .     .    RM     .     .     .     .     .     .
 3  .     .     .     .     .     .     .     .     .     .
 2  .     .     .     .     .     .     .     .     .     .
 1 RF     .     .     .     .     .     .     .     .     .
red lost nothing
blue lost 1: B
red notes: a bomb?\\x1b[2J
the record ends here, without a result"""
FROM_BLUE = """\
ply 1: red b6-b7 (12.3 ms)
red's miner takes your bomb on b7
    a     b     c     d     e     f     g     h     i     j
10  .     .     .     .     .     .     .     .     .    bF
 9  .     .     .     .     .     .     .     .     .     .
 8  .     .     .     .     .     .     .     .     .     .
 7  .   *R3' * bS     .    bM     .     .     .     .     .
 6  .   [ .  ] ~~~~  ~~~~  R?     .    ~~~~  ~~~~   .     .
 5  .     .    ~~~~  ~~~~   .     .    ~~~~  ~~~~   .     .
 4 R?     .     .    R?     .     .     .     .     .     .
 3  .     .     .     .     .     .     .     .     .     .
 2  .     .     .     .     .     .     .     .     .     .
 1 R?     .     .     .     .     .     .     .     .     .
red lost nothing
blue lost 1: B
the record ends here, without a result"""


def last(found, viewer="arbiter"):
    return list(make_frames(found, viewer))[-1]


@pytest.mark.parametrize(("viewer", "shown"), [("red", FROM_RED), ("blue", FROM_BLUE)])
def test_a_frame_of_either_seat(viewer, shown):
    found = record("b6xb7", ms=12.34, note="a bomb?\x1b[2J")
    assert write_frame(last(found, viewer)) == shown


def test_the_arbiter_sees_all():
    found = record("b6xb7 c7xb7", note="a bomb?")
    frame = last(found)
    assert frame.story == ("blue's spy falls to red's miner on b7",)
    assert {(piece.seat, piece.rank) for piece in frame.view.pieces} >= {("blue", "flag"), ("red", "flag")}
    assert all(piece.rank for piece in frame.view.pieces)
    assert frame.view.captured == {"red": {}, "blue": {"bomb": 1, "spy": 1}}
    assert [one.notes for one in make_frames(found, "arbiter")] == [{}, {"red": "a bomb?"}, {}]


def test_the_first_frame_is_the_position():
    first = next(make_frames(record("b6xb7"), "red"))
    assert (first.ply, first.seat, first.action, first.ending) == (0, None, "the setup", ())
    assert {piece.place for piece in first.view.pieces if piece.rank is None} == {"j10", "b7", "c7", "e7"}


def test_plies_are_chosen():
    found = record("a4-a5 e7-d7 a5-a6 d7-e7")
    assert [frame.ply for frame in make_frames(found, "red")] == [0, 1, 2, 3, 4]
    assert [frame.action for frame in make_frames(found, "red", first=2, last=3)] == ["e7-d7", "a5-a6"]
    assert [frame.ending for frame in make_frames(found, "red", first=4)] == [
        ("the record ends here, without a result",)
    ]
    assert [frame.ending for frame in make_frames(found, "red", first=2, last=2)] == [()]
    with pytest.raises(ConfigError, match="ply 5: the game has plies 0 to 4"):
        list(make_frames(found, "red", first=5, last=5))


# --- how a game ended -----------------------------------------------------------------------------


def test_the_last_frame_tells_the_result():
    found = record(
        "e6xe7", result=WON | {"ending": "timeout", "reason": {"code": "too_late", "seat": "blue", "limit_ms": 5000}}
    )
    assert last(found).ending == (
        "hunter wins: mine ran out of time",
        "blue did not answer within 5000 ms",
        "points: hunter 6, mine 1",
    )


def test_an_ending_by_the_rules_is_told_even_without_a_result():
    drawing = "10 bF .. .. .. .. .. .. .. .. b5\n9 r5 .. .. .. .. .. .. .. .. ..\n1 rF .. .. .. .. .. .. .. .. .."
    assert last(record("a9xa10", drawing=drawing), "blue").ending == ("hunter wins: it took the flag on a10",)


@pytest.mark.parametrize(
    ("viewer", "told"),
    [
        (
            "arbiter",
            (
                "hunter wins: mine moved an immovable piece",
                "blue's action is against the rules: b7-b6: the piece on b7 never moves",
            ),
        ),
        (
            "blue",
            (
                "hunter wins: mine moved an immovable piece",
                "blue's action is against the rules: b7-b6: the piece on b7 never moves",
            ),
        ),
        ("red", ("hunter wins: mine moved an immovable piece",)),
    ],
)
def test_why_a_game_was_forfeited_is_told_to_the_loser_and_the_arbiter(viewer, told):
    result = {
        "winner": "red",
        "ending": "immovable_moved",
        "reason": {
            "code": "refused_action",
            "seat": "blue",
            "refusal": {"code": "never_moves", "src": "b7", "dst": "b6"},
        },
    }
    found = record("a4-a5 b7-b8", result=result)
    frame = last(found, viewer)
    assert (frame.ply, frame.action) == (1, "a4-a5"), "the refused act changed nothing"
    assert frame.ending == told


NOTHING = "{}'s deployment is against the rules: a board game is deployed with `pieces`, square to rank"


def test_a_game_that_both_lost_in_the_setup():
    acts = (ActEntry(seat="red", action=Deploy(pieces={})), ActEntry(seat="blue", action=Deploy(pieces={})))
    result = GameResult(
        winner=None,
        ending="illegal_setup",
        reason=Both((RefusedDeployment("red", NoPiecesGiven()), RefusedDeployment("blue", NoPiecesGiven()))),
    )
    found = Record(GameHeader(rules="duel"), acts, result)
    (frame,) = make_frames(found, "arbiter")
    assert frame.view.pieces == []
    assert frame.ending == ("Both lose: illegal deployment", f"{NOTHING.format('red')}; {NOTHING.format('blue')}")
    assert last(found, "red").ending == ("Both lose: illegal deployment",)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (
            {"winner": None, "ending": "ply_limit", "reason": {"code": "ply_limit", "plies": 9}},
            "Draw: limit of 9 plies reached",
        ),
        ({"winner": None, "ending": "void"}, "The game does not count"),
    ],
)
def test_a_game_without_a_winner(result, told):
    assert last(record("a4-a5", result=result)).ending == (told,)


def test_a_draw_offered_and_accepted():
    found = record("a4-a5", offer_draw=True)
    found = Record(found.header, (*found.acts, ActEntry(seat="blue", action=AcceptDraw())), None)
    _, offered, accepted = make_frames(found, "blue")
    assert offered.story == ("red offers a draw",)
    assert (accepted.ply, accepted.action) == (1, "accepts the draw")
    assert accepted.ending == ("Draw: mine accepted the draw that hunter offered",)


def test_a_resignation():
    header = record("").header
    frame = last(Record(header, (ActEntry(seat="red", action=Resign()),), None))
    assert write_frame(frame).startswith("ply 0: red resigns\n")
    assert frame.ending == ("mine wins: hunter resigned",)


# --- records that cannot be shown -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("viewer", "why"),
    [
        ("arbiter", r"act 2 cannot be shown: \(blue b7-b8\) refused: .*never moves"),
        ("red", "act 2 .*: it is against the rules$"),
    ],
)
def test_a_record_against_the_rules_says_at_which_act_and_names_no_hidden_rank(viewer, why):
    with pytest.raises(RecordError, match=why):
        list(make_frames(record("a4-a5 b7-b8"), viewer))


@pytest.mark.parametrize(("ply", "shown"), [(0, 0), (1, 1)])
def test_what_comes_before_an_act_against_the_rules_is_shown(ply, shown):
    found = record("a4-a5 b7-b8")
    assert [frame.ply for frame in make_frames(found, "red", first=ply, last=ply)] == [shown]
    with pytest.raises(RecordError, match="act 2"):
        list(make_frames(found, "red", first=2, last=2))


def test_frames_before_an_act_against_the_rules_come_before_the_error():
    shown = make_frames(record("a4-a5 b7-b8"), "red")
    assert [next(shown).ply, next(shown).ply] == [0, 1]
    with pytest.raises(RecordError, match="act 2"):
        next(shown)


def test_a_record_of_unknown_rules_is_the_operators_to_mend():
    with pytest.raises(ConfigError, match="unknown rule set 'orignal': did you mean 'original'"):
        list(make_frames(Record(GameHeader(rules="orignal"), (), None), "red"))


def test_draw_limits_do_not_cut_a_replay_short():
    header = GameHeader(
        rules="original", position=letters_of("4 r5 .. .. .. .. .. .. .. .. ..\n10 b5 .. .. .. .. .. .. .. .. ..")
    )
    turns = "a4-b4 a10-b10 b4-c4 b10-c10 c4-d4 c10-d10 d4-c4 d10-c10 c4-b4 c10-b10 b4-a4 b10-a10 " * 20
    assert last(Record(header, acts_of(turns), None)).ply == 240


def test_pieces_are_named_in_a_language():
    assert [frame.story for frame in make_frames(record("b6xb7"), "red", first=1, lang="it")] == [
        ("artificiere di Rosso cattura bomba di Blu in b7",)
    ]


# --- what foreign text can do ---------------------------------------------------------------------


def test_names_are_made_fit_to_be_shown():
    seats = {"red": PlayerName("\x1b]0;gone\x07"), "blue": PlayerName("\u202ebot")}
    header = GameHeader(rules="duel", seats=seats, id="a\nb", started="2026-11-20T10:00:00Z")
    shown = r"\x1b]0;gone\x07 (red) against \u202ebot (blue), duel, a\nb, 2026-11-20T10:00:00Z"
    assert describe_players(Record(header, (), None)) == shown


def test_a_record_that_names_nobody():
    assert describe_players(Record(GameHeader(rules="duel"), (), None)) == "duel"


def test_no_escape_of_a_note_or_a_reason_reaches_the_terminal():
    result = {
        "winner": "red",
        "ending": "protocol",
        "reason": {"code": "broke_protocol", "seat": "blue", "detail": "\x1b[2J\r"},
    }
    shown = "\n".join(map(write_frame, make_frames(record("a4-a5", result=result, note="\x1b\x07\u202e"), "arbiter")))
    assert all(sign.isprintable() or sign == "\n" for sign in shown)


# --- secrecy --------------------------------------------------------------------------------------


def text_of(pair, which, viewer):
    acts = tuple(
        ActEntry(seat=seat, action=action, ms=1.0, note=None if seat == pair.observer else f"{which}")
        for seat, action in pair.acts(which)
    )
    shown = Record(GameHeader(rules=pair.game.name, seed=pair.seed), acts, None)
    return "\n".join(write_frame(frame, colour=True) for frame in make_frames(shown, viewer))


@pytest.mark.parametrize("rules", ["original", "duel", "barrage"])
@pytest.mark.parametrize("observer", ["red", "blue"])
@pytest.mark.slow(keep=1)
def test_a_seat_sees_no_difference_where_it_may_know_none(rules, observer):
    pairs = [pair for seed in range(8) if (pair := make_twins(seed, observer, rules=rules, plies=120))]
    assert len(pairs) > 2
    for pair in pairs:
        assert text_of(pair, 0, observer) == text_of(pair, 1, observer), f"seed {pair.seed}"
        assert text_of(pair, 0, "arbiter") != text_of(pair, 1, "arbiter")

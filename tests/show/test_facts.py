"""A replay is made of the facts of a record; only where they are missing, the rules are run to fill them in."""

from functools import partial
from pathlib import Path
from random import Random

import pytest
from games.play_state import all_ranks
from games.random_players import PowerPlayer, random_action, random_setup
from msgspec import UNSET
from msgspec.structs import replace
from show.sample_record import record

from arbiter.clock import Clock, TimeSettings
from arbiter.games.base import Addressed
from arbiter.games.catalogue import RULE_SETS, find_game
from arbiter.games.chance import SeededChance
from arbiter.games.contest import Contest
from arbiter.record import ActEntry, GameHeader, GameResult, Record, RecordError, RecordWriter, read_record
from arbiter.serve.live_games import LiveGameData, SpectatorSettings
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.plain_text import make_frames, write_frame
from arbiter.show.replay.replay import Replay
from arbiter.show.report.viewer_data import make_viewer_data
from arbiter.verify import verify, with_facts
from protocol.words import SEATS, Deploy, Drew, Move, Moved, Revealed

GOLDEN = sorted((Path(__file__).parents[1] / "games" / "golden").glob("*.jsonl"))
TIME = TimeSettings(bank_s=60, increment_s=0.5)


def play(rules, seed, plies=250):
    """Play a random game; return its record, and after each act the plies, the clock and what is true."""
    ruleset = next(one for one in RULE_SETS if one.name == rules)
    game = find_game(rules, tuple(ruleset.offers) if seed % 2 else ())
    rng, chance, clock = Random(seed), SeededChance(seed), Clock(TIME)
    contest = Contest(game.start(chance))
    header = GameHeader(
        rules=rules,
        options=tuple(ruleset.offers) if seed % 2 else (),
        first=contest.play.first,
        decks=dict(chance.shuffles) or UNSET,
        facts=contest.play.opening,
        time=TIME,
    )
    rules_sent = game.describe(contest.play.first)
    choose = partial(random_action, rng=rng) if rules_sent.board is UNSET else PowerPlayer(rng).choose
    acts, states = [], []
    while contest.outcome is None and contest.play.plies < plies:
        seat, phase = contest.to_act[0], contest.play.phase
        action = random_setup(contest.play, rules_sent, seat, rng) if phase == "setup" else choose(contest.play)
        before, ms = len(chance.shuffles), round(rng.random() * 100, 2)
        facts = contest.act(seat, action, offer_draw=rng.random() < 0.03)
        deck = chance.shuffles[-1][1] if len(chance.shuffles) > before else UNSET
        acts.append(ActEntry(seat=seat, action=action, ms=ms, deck=deck, facts=facts))
        if not (isinstance(action, Deploy) and not contest.play.plies):
            clock.charge(seat, "turn", ms)
            if seat not in contest.to_act:
                clock.finish_turn(seat)
        states.append((contest.play.plies, dict(clock.bank_ms), all_ranks(contest.play)))
    # The game is broken off after the turn that has begun, so that it is known whose turn was the last.
    return Record(header, tuple(acts), None), states


def pieces(view):
    found = view.pieces
    return {(piece.seat, piece.place): piece.rank for piece in found}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rules", [one.name for one in RULE_SETS])
def test_plies_clocks_and_pieces_are_those_of_the_referee(rules, seed):
    shown, states = play(rules, seed)
    replayed = Replay(shown)
    assert replayed.fault("arbiter") is None
    assert len(replayed) == len(states) - 1
    for number, (ply, banks, true) in enumerate(states[1:-1]):
        frame = replayed.frame(number, "arbiter")
        assert (frame.ply, frame.banks, pieces(frame.view)) == (ply, banks, true)


def without_facts(shown):
    acts = tuple(replace(act, facts=UNSET) for act in shown.acts)
    return Record(replace(shown.header, facts=None), acts, shown.result)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_facts_that_are_missing_are_filled_in(path):
    whole = read_record(path.read_bytes())
    assert with_facts(whole) == (whole, None)
    assert with_facts(without_facts(whole)) == (whole, None)
    half = replace(whole, acts=whole.acts[:20] + without_facts(whole).acts[20:])
    assert with_facts(half) == (whole, None)
    for viewer in VIEWERS:
        assert list(make_frames(without_facts(whole), viewer)) == list(make_frames(whole, viewer))


# --- records made under a rule that was changed since ---------------------------------------------


def written(shown):
    writer = RecordWriter(shown.header)
    for act in shown.acts:
        writer.act(act)
    return writer.finish(shown.result)


def act(seat, src, dst, *more):
    return ActEntry(seat=seat, action=Move(src, dst), facts=(Addressed(Moved(seat, src, dst), SEATS), *more), ms=1.0)


WON = GameResult(winner="red", ending="flag_taken", plies=3)


def old_record(*acts):
    """Return a record as an arbiter with other rules wrote it: all acts have facts."""
    opening, _ = with_facts(record(""))
    return replace(opening, acts=acts, result=WON)


# An act that today's rules refuse, and one that has other facts by today's rules.
REFUSED = old_record(act("red", "a4", "a5"), act("blue", "b7", "b8"), act("red", "a5", "a6"))
DIFFERENT = old_record(
    act("red", "a4", "a5"),
    act("blue", "e7", "d7", Addressed(Revealed("blue", "d7", "marshal"), ("red",))),
    act("red", "a5", "a6"),
)


@pytest.mark.parametrize(("shown", "rule"), [(REFUSED, "immovable"), (DIFFERENT, "facts")], ids=["refused", "facts"])
def test_a_record_of_other_rules_is_shown_by_every_viewer_and_reported_by_verify(shown, rule):
    data = written(shown)
    verification = verify(data)
    assert (verification.ok, verification.act, verification.rule) == (False, 2, rule)
    whole = read_record(data)
    for viewer in VIEWERS:
        found = list(make_frames(whole, viewer))
        assert [frame.action for frame in found] == [
            "the setup",
            "a4-a5",
            shown.acts[1].action.src + "-" + shown.acts[1].action.dst,
            "a5-a6",
        ]
        assert found[-1].ending == ("hunter wins: it took the flag",)
        assert all(map(write_frame, found))
    data_of_page = make_viewer_data(Replay(whole))
    assert (data_of_page["plies"], data_of_page["fault"]) == ("0111", "")
    live = LiveGameData(SpectatorSettings())
    lines = data.splitlines(keepends=True)
    live.update(b"".join(lines[:3]))
    live.update(b"".join(lines[:-1]))
    assert live.data["plies"] == "0111"


# --- facts that cannot be -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fact",
    [
        Moved("red", "c1", "c2"),
        Moved("red", "a4", "\x1b[2J"),
        Revealed("red", "a4", "berserker"),
        Revealed("red", "b4", "scout"),
        Drew("red", ["hand:0"]),
    ],
    ids=str,
)
def test_facts_that_cannot_be_are_an_error_of_the_record(fact):
    shown = old_record(act("red", "a4", "a5"), replace(act("blue", "e7", "d7"), facts=(Addressed(fact, SEATS),)))
    found = make_frames(shown, "arbiter")
    assert [next(found).ply, next(found).ply] == [0, 1]
    with pytest.raises(RecordError, match=r"act 2 cannot be shown: its facts do not fit"):
        next(found)
    assert make_viewer_data(Replay(shown))["fault"].startswith("act 2 cannot be shown")


def test_an_opening_that_cannot_be_is_an_error_of_the_record():
    header = GameHeader(rules="duel", facts=(Addressed(Moved("red", "a1", "a2"), SEATS),))
    with pytest.raises(RecordError, match="the facts of the header do not fit"):
        Replay(Record(header, (), None))


def test_words_of_an_action_are_escaped():
    strange = replace(act("red", "a4", "a5"), action=Move("\x1b[2J", "a5"))
    *_, frame = make_frames(old_record(strange), "arbiter")
    assert frame.action == "\\x1b[2J-a5"

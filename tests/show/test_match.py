"""A match as sheets."""

import json

from msgspec.structs import replace

from arbiter.show.tables.match import MatchResult, describe_llr, match_sheets
from arbiter.show.tables.sheet import FORMATS, write_sheets
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Estimate
from arbiter.tournament.standings.crosstable import Tally

RESULT = MatchResult(
    bot="mine",
    opponent="old",
    tally=Tally(wins=5, draws=1, losses=1, forfeits=1),
    elo=Estimate(121.3, -50.2, 301.9),
    superiority=0.9512,
    red_advantage=Estimate(3.2, -20, 30),
    pairs=(0, 0, 2, 1, 1),
)
NO_GAMES = MatchResult(
    bot="\x1b[2J", opponent="b", tally=Tally(), elo=None, superiority=None, red_advantage=None, pairs=(0,) * 5
)
REJECTED = "LLR -3.01 of -2.94 to 2.94 after 0 pairs; H0 is accepted: mine is ahead by -1.5 rather than by 2."


def test_a_match_for_people():
    assert write_sheets(match_sheets(RESULT, None), "table") == (
        "mine against old: Elo with 95 % interval\n\n"
        "  score    games    score %    Elo    low    high    LOS %\n"
        "-------  -------  ---------  -----  -----  ------  -------\n"
        "    5.5        8       68.8    121    -50     302     95.1\n\n"
        "Having red is worth 3 Elo (95 %: -20 to 30).\n\n"
        "Pairs of games: mine won (W), drew (D) or lost (L)\n\n"
        "  WW    WD    DD or WL    LD    LL\n"
        "----  ----  ----------  ----  ----\n"
        "   1     1           2     0     0"
    )


def test_a_match_for_programs_is_one_object():
    sprt = SprtRun(Sprt(elo0=0, elo1=10), "mine")
    line = json.loads(write_sheets(match_sheets(RESULT, sprt), "json"))
    assert line["elo"] == {"elo": 121.3, "low": -50.2, "high": 301.9}
    assert line["pairs"] == {"WW": 1, "WD": 1, "DD or WL": 2, "LD": 0, "LL": 0}
    assert line["sprt"] == {
        "elo0": 0,
        "elo1": 10,
        "alpha": 0.05,
        "beta": 0.05,
        "llr": 0,
        "lower": -2.9444,
        "upper": 2.9444,
        "pairs": dict.fromkeys(line["pairs"], 0),
        "verdict": None,
    }


def test_a_match_without_games():
    for form in FORMATS:
        shown = write_sheets(match_sheets(NO_GAMES, SprtRun(Sprt(elo0=0, elo1=10), "\x1b[2J")), form)
        assert all(sign.isprintable() or sign == "\n" for sign in shown)


def test_the_progress_of_an_sprt():
    run = SprtRun(Sprt(elo0=-1.5, elo1=2), "mine")
    assert describe_llr(run) == "LLR 0.00 (-2.94 to 2.94)"
    run.accepted, run.llr = "H0", -3.01
    assert describe_llr(run) == "LLR -3.01: H0 accepted"
    assert match_sheets(RESULT, run)[1].notes == (
        f"SPRT of -1.5 against 2 logistic Elo (alpha 0.05, beta 0.05): {REJECTED}",
    )


def test_repeated_pairs_are_reported_with_a_way_to_new_games():
    notes = match_sheets(replace(RESULT, repeated_pairs=1), None)[1].notes
    assert notes[0] == (
        "1 pair of games repeats an earlier one and counts only in the score: repeated games are no evidence."
    )
    assert notes[1].startswith("For new games, start from different deployments with --setups, or let the bots")
    assert len(notes) == 2
    ended = replace(RESULT, repeated_pairs=12, is_ended_by_repeats=True, deployments=3)
    notes = match_sheets(ended, None)[1].notes
    assert notes[0].startswith("12 pairs of games repeat earlier ones and count only")
    assert notes[1] == "The match ended early, because no new games are expected."
    assert notes[2].startswith("For new games, add deployments to the book, or")
    line = json.loads(write_sheets(match_sheets(ended, None), "json"))
    assert (line["repeated_pairs"], line["ended_by_repeats"]) == (12, True)

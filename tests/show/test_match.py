"""A match as sheets."""

import json

import pytest
from msgspec.structs import replace
from tournament.stored_games import game, games
from tournament.tournaments import manifest

from arbiter.show.results import make_match_sheets
from arbiter.show.tables.match import MatchResult, describe_llr, match_sheets
from arbiter.show.tables.sheet import FORMATS, write_sheets
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Estimate
from arbiter.tournament.results.snapshot import Matches
from arbiter.tournament.standings.crosstable import Tally

RESULT = MatchResult(
    bot="mine",
    opponent="old",
    as_red=Tally(wins=3, draws=1),
    as_blue=Tally(wins=2, losses=1, forfeits=1),
    elo=Estimate(121.3, -50.2, 301.9),
    normalized=Estimate(140.2, -60.2, 350),
    superiority=0.9512,
    red_advantage=Estimate(3.2, -20, 30),
    pairs=(0, 0, 2, 1, 1),
)
NO_GAMES = MatchResult(
    bot="\x1b[2J",
    opponent="b",
    as_red=Tally(),
    as_blue=Tally(),
    elo=None,
    superiority=None,
    red_advantage=None,
    pairs=(0,) * 5,
)
REJECTED = "LLR -3.01 of -2.94 to 2.94 after 0 pairs; H0 is accepted: mine is behind, or ahead by less than 2 Elo."


def test_a_match_for_people():
    assert write_sheets(match_sheets(RESULT, None), "table") == (
        "mine against old: Elo with 95 % interval\n\n"
        "  score    games    score %    Elo    low    high    nElo    nElo low    nElo high    LOS %\n"
        "-------  -------  ---------  -----  -----  ------  ------  ----------  -----------  -------\n"
        "    5.5        8       68.8    121    -50     302     140         -60          350       95\n\n"
        "mine scored 87.5 % as red and 50 % as blue.\n"
        "Having red is worth 3 Elo (95 %: -20 to 30).\n\n"
        "Pairs of games: mine won (W), drew (D) or lost (L)\n\n"
        "  WW    WD    DD or WL    LD    LL\n"
        "----  ----  ----------  ----  ----\n"
        "   1     1           2     0     0"
    )


FORFEITS = {
    "no others": (["a b crash blue"] * 4, "Forfeits (a 4, of 4 games) count as losses in Elo, LOS and the SPRT. There"),
    "others": (
        ["a b crash blue", "b a crash red", "a b 1-0", "b a 1/2"],
        "Forfeits (a 2, of 4 games) count as losses in Elo, LOS and the SPRT. Without them a scored 1.5 in 2 games, Elo ",
    ),
    "both": (["a b crash blue", "b a timeout blue", "a b 1-0"], "Forfeits (a 1, b 1, of 3 games) count"),
    "none": (["a b 1-0", "b a 1/2"], None),
}


@pytest.mark.parametrize(("results", "note"), FORFEITS.values(), ids=FORFEITS)
def test_forfeits_are_counted_beside_the_estimate(results, note):
    sheets = make_match_sheets(Matches(("a", "b"), None), manifest(("a", "b")), games("\n".join(results)))
    text = write_sheets(sheets, "table")
    assert ("Forfeits" in text) == (note is not None)
    assert note is None or note in text


@pytest.mark.parametrize(("forfeits", "doubted"), [(20, True), (8, False)])
def test_a_verdict_that_rests_on_forfeits_is_doubted(forfeits, doubted):
    endings = ["crash"] * forfeits + ["flag_taken"] * (20 - forfeits)
    played = [
        game(*bots, winner, endings[number], pair=number // 2 + 1)
        for number, (bots, winner) in enumerate([(("a", "b"), "blue"), (("b", "a"), "red")] * 10)
    ]
    matches = Matches(("a", "b"), Sprt(elo0=0, elo1=200))
    matches.restart(played)
    [note, *doubts] = make_match_sheets(matches, manifest(("a", "b")), played)[-1].notes
    assert "H0 is accepted" in note
    expected = f"This verdict shows little about strength: a forfeited {forfeits} of 20 games."
    assert (expected in doubts) == doubted


def test_an_early_stop_corrects_the_estimate_without_forfeits_too():
    forfeits = [game("a", "b", "blue", "crash", pair=1), game("b", "a", "red", "crash", pair=1)]
    wins = [game("a", "b", "red", "flag_taken", pair=pair) for pair in range(2, 30)]
    draws = [game("b", "a", None, "agreed", pair=pair) for pair in range(2, 30)]
    others = [one for both in zip(wins, draws, strict=True) for one in both]
    found = []
    for sprt in (None, Sprt(elo0=0, elo1=50)):
        matches = Matches(("a", "b"), sprt)
        matches.restart([*forfeits, *others])
        sheets = make_match_sheets(matches, manifest(("a", "b")), [*forfeits, *others])
        found.append(json.loads(write_sheets(sheets, "json")))
    fixed, stopped = found
    assert (fixed["corrected"], stopped["corrected"]) == (False, True)
    for key in ("elo", "low", "high"):
        shift = stopped["elo"][key] - fixed["elo"][key]
        assert shift != 0
        moved = stopped["elo_without_forfeits"][key] - fixed["elo_without_forfeits"][key]
        assert moved == pytest.approx(shift, abs=0.11)


def test_a_match_for_programs_is_one_object():
    sprt = SprtRun(Sprt(elo0=0, elo1=10), "mine")
    line = json.loads(write_sheets(match_sheets(RESULT, sprt), "json"))
    assert line["elo"] == {"elo": 121.3, "low": -50.2, "high": 301.9}
    assert line["normalized_elo"] == {"elo": 140.2, "low": -60.2, "high": 350}
    assert line["corrected"] is False
    assert line["pairs"] == {"WW": 1, "WD": 1, "DD or WL": 2, "LD": 0, "LL": 0}
    assert (
        json.dumps(line["sprt"])
        == '{"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.05, "model": "logistic", "llr": 0.0, "lower": -2.9444, "upper": 2.9444, "pairs": {"WW": 0, "WD": 0, "DD or WL": 0, "LD": 0, "LL": 0}, "verdict": null, "later_pairs": 0, "earlier": []}'
    )


def test_a_match_without_games():
    for form in FORMATS:
        shown = write_sheets(match_sheets(NO_GAMES, SprtRun(Sprt(elo0=0, elo1=10), "\x1b[2J")), form)
        assert all(sign.isprintable() or sign == "\n" for sign in shown)


def test_the_progress_of_an_sprt():
    run = SprtRun(Sprt(elo0=-1.5, elo1=2), "mine")
    assert describe_llr(run) == "LLR 0.00 [..........|..........] (-2.94 to 2.94)"
    run.llrs.append(1.5)
    assert describe_llr(run) == "LLR 1.50 [..........|=====.....] (-2.94 to 2.94)"
    run.llrs.append(-2.9)
    assert describe_llr(run) == "LLR -2.90 [==========|..........] (-2.94 to 2.94)"
    run.accepted = "H0"
    run.llrs.append(-3.01)
    assert describe_llr(run) == "LLR -3.01: H0 accepted"
    assert match_sheets(RESULT, run)[1].notes == (
        f"SPRT of -1.5 against 2 logistic Elo (alpha 0.05, beta 0.05): {REJECTED}",
    )


def test_distinct_games_are_reported_with_a_way_to_new_ones():
    notes = match_sheets(replace(RESULT, counted_games=20, distinct_games=18), None)[1].notes
    assert notes[0] == "Evidence: 18 distinct games of 20; a repeated game shows nothing new, so each counts once."
    assert notes[1].startswith("For new games, start from different deployments with --setups, or let the bots")
    assert len(notes) == 2
    ended = replace(RESULT, counted_games=40, distinct_games=1, is_ended_by_repeats=True, deployments=3)
    notes = match_sheets(ended, None)[1].notes
    assert notes[0].startswith("Evidence: 1 distinct game of 40;")
    assert notes[1] == "The match ended early, because no new games are expected."
    assert notes[2].startswith("For new games, add deployments to the book, or")
    line = json.loads(write_sheets(match_sheets(ended, None), "json"))
    assert (line["distinct_games"], line["ended_by_repeats"]) == (1, True)


# --- sentences for every result -------------------------------------------------------------------

RESULTS = {"W": ("red", "flag_taken"), "D": (None, "agreed"), "L": ("blue", "flag_taken")}
OPPOSITE = {"W": "L", "D": "D", "L": "W"}


def summarise(results, elo0=0, elo1=50):
    """Return the sheets of a match by the first bot's results, which is red in every other game."""
    played = []
    for number, result in enumerate(results):
        names = ("mine", "old") if number % 2 == 0 else ("old", "mine")
        winner = RESULTS[result if number % 2 == 0 else OPPOSITE[result]]
        played.append(game(*names, *winner, pair=number // 2 + 1))
    matches = Matches(("mine", "old"), Sprt(elo0=elo0, elo1=elo1))
    matches.restart(played)
    return make_match_sheets(matches, manifest(("mine", "old")), played)


@pytest.mark.parametrize(
    ("results", "share", "sentence"),
    [
        ("L" * 60, 0, "H0 is accepted: mine is behind, or ahead by less than 50 Elo."),
        ("LW" * 150, 50, "H0 is accepted: mine is behind, or ahead by less than 50 Elo."),
        ("D" * 300, 50, "H0 is accepted: mine is behind, or ahead by less than 50 Elo."),
        ("W" * 60, 100, "H1 is accepted: mine is ahead."),
        ("W", 100, "after 0 pairs; not decided yet."),
        ("L", 0, "after 0 pairs; not decided yet."),
        ("LL", 0, "after 1 pair; not decided yet."),
        ("", None, "after 0 pairs; not decided yet."),
    ],
)
def test_sentences_for_every_result(results, share, sentence):
    *_, summary, pairs = summarise(results)
    row = dict(zip(summary.head, summary.rows[0], strict=True))
    assert (row["score %"], row["games"]) == (share, len(results))
    assert sentence in pairs.notes[0]
    if not results:
        assert [row[name] for name in ("Elo", "low", "high", "LOS %")] == [None] * 4
    else:
        assert row["low"] < row["Elo"] < row["high"]
        assert (row["Elo"] > 0) - (row["Elo"] < 0) == (share > 50) - (share < 50)
        assert row["LOS %"] in {*range(1, 100), "<1", ">99"}
        assert ("Red's advantage" in "".join(summary.notes) or "Having red" in "".join(summary.notes)) == (
            len(results) > 1
        )


@pytest.mark.parametrize(
    ("elo", "won", "lost"),
    [
        ((0, 50), "ahead", "behind, or ahead by less than 50 Elo"),
        ((10, 50), "ahead by more than 10 Elo", "behind, or ahead by less than 50 Elo"),
        ((-50, 0), "ahead, or behind by less than 50 Elo", "behind"),
        ((-60.5, -10), "ahead, or behind by less than 60.5 Elo", "behind by more than 10 Elo"),
    ],
)
def test_a_test_claims_only_what_it_has_shown(elo, won, lost):
    assert f"H1 is accepted: mine is {won}." in summarise("W" * 80, *elo)[-1].notes[0]
    assert f"H0 is accepted: mine is {lost}. The verdict" in summarise("L" * 80, *elo)[-1].notes[0]

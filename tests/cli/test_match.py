"""`match`: its result, and an SPRT that ends it."""

import csv
import json
import re
import shlex
import shutil

import pytest
from cli.command_line import call_ok, call_refused

MATCH = ("match", "hunter", "random", "--rules", "duel", "--seed", "5")
TEST = ("--sprt", "0,300", "--alpha", "0.1", "--beta", "0.1")


def told(*words):
    """Return the games of a match as objects, and its result."""
    lines = [json.loads(line) for line in call_ok(*MATCH, *words, "--json").splitlines()]
    return [line for line in lines if "ending" in line], lines[-1]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Play four games without a test; return their results, and the objects that were printed."""
    kept = tmp_path_factory.mktemp("plain") / "kept.sqlite"
    return kept, [
        json.loads(line) for line in call_ok(*MATCH, "--games", "4", "--results", kept, "--json").splitlines()
    ]


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """Play an SPRT to its decision, one game at a time; return its results, and what was printed."""
    kept = tmp_path_factory.mktemp("decided") / "kept.sqlite"
    return kept, call_ok(*MATCH, *TEST, "--jobs", "1", "--results", kept)


def test_the_result_of_a_match_for_people(plain, tmp_path):
    kept, _ = plain
    text = call_ok(*MATCH, "--games", "4", "--results", kept)
    assert "hunter against random: Elo with 95 % interval" in text
    assert "Red's advantage is not known yet (95 %: " in text
    assert "Pairs of games: hunter won (W), drew (D) or lost (L)" in text
    assert "Ratings" not in text
    assert "LLR" not in text
    assert "SPRT" not in text + call_ok("standings", kept)
    call_ok("report", kept, "-o", tmp_path / "report")
    assert "Sequential test" not in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_the_result_of_a_match_as_an_object(plain):
    *games, _, _, match = plain[1]
    assert [line["type"] for line in plain[1]] == ["game"] * 4 + ["standing", "standing", "match"]
    won = sum(game["winner"] is not None and game[game["winner"]] == "hunter" for game in games)
    drawn = sum(game["winner"] is None for game in games)
    assert (match["bot"], match["opponent"], match["games"]) == ("hunter", "random", 4)
    assert match["score"] == won + drawn / 2
    assert sum(match["pairs"].values()) == 2
    assert list(match["pairs"]) == ["WW", "WD", "DD or WL", "LD", "LL"]
    assert match["elo"]["low"] < match["elo"]["elo"] < match["elo"]["high"]
    assert 0.5 < match["los"] < 1
    assert match["sprt"] is None


@pytest.mark.heavy
def test_several_candidates_share_the_error_and_end_one_by_one(tmp_path):
    words = ("match", "random", "hunter", "--baseline", "weak=random", "--rules", "duel", "--seed", "5", "--jobs", "1")
    kept = ("--results", tmp_path / "kept.sqlite")
    lines = [json.loads(line) for line in call_ok(*words, *TEST, "--games", "60", *kept, "--json").splitlines()]
    games = [line for line in lines if "ending" in line]
    random, hunter = (line for line in lines if line["type"] == "match")
    assert (hunter["bot"], hunter["opponent"], hunter["sprt"]["verdict"]) == ("hunter", "weak", "H1")
    assert hunter["sprt"]["alpha"] == random["sprt"]["alpha"] == 0.05
    assert hunter["sprt"]["upper"] == pytest.approx(2.8904, abs=1e-4)  # log((1 - beta) / (alpha / 2))
    played = [sum(bot in (game["red"], game["blue"]) for game in games) for bot in ("hunter", "random")]
    assert played == [hunter["games"], random["games"]]
    assert min(played) < max(played) < 60  # each test ends by itself
    again = call_ok(*words, *TEST, "--games", "60", *kept)
    assert "Candidates against weak: Elo with 95 % interval" in again
    assert "alpha 0.1 for all 2 candidates together (0.05 each, Bonferroni)" in again
    shown = call_ok("standings", kept[1])
    assert again[again.index("Candidates against") : again.index("\n\nresults:")] in shown
    call_ok("report", kept[1], "-o", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert page.count("Log-likelihood ratio of ") == 4  # two figures, each with a label


def test_another_match_of_candidates_is_a_further_series(tmp_path, fast_bot):
    one, two, three = (f"{name}={shlex.join(fast_bot)}" for name in ("one", "two", "three"))
    words = ("--baseline", f"base={shlex.join(fast_bot)}", "--rules", "duel", "--games", "2")
    kept = ("--results", tmp_path / "kept.sqlite")
    call_ok("match", one, two, *words, *kept)
    assert "series 2 begins" in call_ok("match", one, three, *words, *kept)
    call_ok("verify", kept[1])


@pytest.mark.parametrize("bots", [("hunter",), ("hunter", "random", "kit")])
def test_a_match_has_two_bots_or_a_baseline(bots):
    assert "name two bots, or several candidates and --baseline BOT" in call_refused("match", *bots)


def test_an_sprt_ends_a_match_when_it_is_decided(decided):
    kept, text = decided
    _, match = told(*TEST, "--results", kept)
    sprt = match["sprt"]
    assert (sprt["verdict"], sprt["elo0"], sprt["elo1"], sprt["alpha"], sprt["beta"]) == ("H1", 0, 300, 0.1, 0.1)
    assert sprt["llr"] >= sprt["upper"] > 0 > sprt["lower"]
    lines = text.partition("\n\nresults:")[0].splitlines()
    played = [line for line in lines if line.startswith("game ")]
    assert len(played) == 2 * sum(sprt["pairs"].values()) < 100
    assert played[1].endswith(" (-2.20 to 2.20)")
    assert played[-1].endswith(": H1 accepted")
    assert lines[-1].startswith("SPRT of 0 against 300 logistic Elo (alpha 0.1, beta 0.1): LLR 2.")
    assert lines[-1].endswith(" pairs; H1 is accepted: hunter is ahead.")


def test_a_resumed_match_has_the_same_decision_and_shows_the_scores_by_colour(tmp_path, decided):
    kept = ("--results", tmp_path / "kept.sqlite")
    _, begun = told(*TEST, *kept, "--games", "4")
    assert (begun["sprt"]["verdict"], sum(begun["sprt"]["pairs"].values())) == (None, 2)
    games, resumed = told(*TEST, *kept, "--games", "60", "--jobs", "3")
    _, match = told(*TEST, "--results", decided[0])
    assert resumed["sprt"] | {"later_pairs": 0} == match["sprt"]
    assert len(games) == resumed["games"] - 4
    again, same = told(*TEST, *kept, "--games", "60")
    assert (again, same) == ([], resumed)
    text = call_ok(*MATCH, *TEST, *kept, "--games", "60")
    assert "60 games" in text
    assert re.search(r"\nhunter scored [\d.]+ % as red and [\d.]+ % as blue\.\n", text)
    other = call_ok(*MATCH, "--sprt", "-300,300", *kept, "--games", "60")
    assert "pairs; H1 is accepted: hunter is ahead, or behind by less than 300 Elo. The verdict does not use " in other
    assert "had another test: SPRT of 0 against 300 logistic Elo (alpha 0.1, beta 0.1): LLR" in other
    assert "had another test: SPRT of 0 against 300" in call_ok("standings", kept[1])
    _, match = told("--games", "20", *kept)
    assert match["as_red"]["games"] + match["as_blue"]["games"] == match["games"]
    assert match["as_red"]["score"] + match["as_blue"]["score"] == match["score"]


def test_bots_that_repeat_their_games_prove_nothing(tmp_path, fast_bot):
    """Each pair that is drawn again brought H0 nearer before repeats were left out."""
    bots = [f"{name}={shlex.join(fast_bot)}" for name in ("one", "two")]
    words = ("match", *bots, "--sprt", "0,50", "--games", "400", "--set", "max_plies=6")
    kept = ("--results", tmp_path / "kept.sqlite")
    text = call_ok(*words, *kept)
    assert "LLR -0.15 [.........=|..........] (-2.94 to 2.94), 2 distinct games of 8" in text
    assert "The match ended early, because no new games are expected." in text
    match = json.loads(call_ok(*words, *kept, "--json").splitlines()[-1])
    assert (match["games"], match["distinct_games"], match["ended_by_repeats"]) == (22, 2, True)
    assert (match["sprt"]["verdict"], sum(match["sprt"]["pairs"].values())) == (None, 1)
    rows = csv.DictReader(call_ok("standings", tmp_path / "kept.sqlite", "--format", "csv").splitlines())
    assert [row["repeats"] for row in rows] == ["21", "21"]


@pytest.mark.heavy
def test_a_test_in_normalized_elo():
    lines = call_ok(*MATCH, *TEST, "--model", "normalized", "--jobs", "1").splitlines()
    assert lines[1].startswith("SPRT, expected games: ")
    assert "no result after 10000: 0 %)" in lines[1]
    assert lines[1].endswith("with no draws to half of the games drawn")
    assert lines[-1].startswith("SPRT of 0 against 300 normalized Elo (alpha 0.1, beta 0.1): LLR ")
    assert "Elo, nElo and LOS are corrected for the early stop of the SPRT." in lines


def test_results_remember_their_test(decided, tmp_path):
    kept, played = decided
    summary = played[played.index("hunter against random: Elo") : played.index("\n\nresults:")]
    assert summary in call_ok("standings", kept)
    call_ok("report", kept, "-o", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "<h2>Sequential test</h2>" in page
    assert "between the bounds of the test" in page
    assert "H1 is accepted: hunter is ahead." in page
    assert "SPRT, expected games" not in call_ok(*MATCH, *TEST, "--results", kept), "the test is decided"


def test_a_forecast_counts_earlier_draws_and_the_games_end_before_a_decision(plain, tmp_path):
    kept = shutil.copy(plain[0], tmp_path)
    assert "if no game is drawn" in call_ok(*MATCH, *TEST, "--games", "2").splitlines()[1]
    text = call_ok(*MATCH, "--sprt", "0,5", "--games", "6", "--results", kept)
    assert "with as many draws as so far" in text.splitlines()[1]
    assert text.partition("\n\nresults:")[0].endswith("after 3 pairs; not decided yet.")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--sprt", "5"), "--sprt 5: must be two Elo differences, the lower first, such as 0,20"),
        (("--sprt", ""), "--sprt : must be two Elo"),
        (("--sprt", "nan,5"), "--sprt nan,5: must be two Elo"),
        (("--sprt", "5,0"), "--sprt 5,0: must be two numbers of Elo from -1000 to 1000"),
        (("--sprt", "0,5", "--alpha", "1"), "--alpha 1: must be more than 0 and less than 0.5"),
        (("--sprt", "0,5", "--beta", "nan"), "--beta nan: must be more than 0"),
        (("--alpha", "0.1"), "--alpha: is a setting of --sprt"),
        (("--model", "normalized"), "--model: is a setting of --sprt"),
        (("--sprt", "0,5", "--model", "bayesian"), "Invalid value for '--model'"),
        (("--sprt", "0,5", "--games", "3"), "games: is 3, must be an even number"),
        (("--games", "0"), "games: is 0, must be an even number"),
    ],
)
def test_a_wrong_sprt(words, complaint):
    assert complaint in call_refused(*MATCH, *words)

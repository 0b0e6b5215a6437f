"""`match`: its result, and an SPRT that ends it."""

import csv
import json
from pathlib import Path

import pytest
from cli.command_line import call_ok, call_refused, write_tournament

BOTS = Path(__file__).parent.parent / "bots"
MATCH = ("match", "hunter", "random", "--rules", "duel", "--seed", "5")
TEST = ("--sprt", "0,300", "--alpha", "0.1", "--beta", "0.1")


def told(*words):
    """Return the games of a match as objects, and its result."""
    lines = [json.loads(line) for line in call_ok(*MATCH, *words, "--json").splitlines()]
    return [line for line in lines if "ending" in line], lines[-1]


@pytest.fixture(scope="module")
def decided():
    """Play an SPRT to its decision, one game at a time; return its games and its result."""
    return told(*TEST, "--jobs", "1")


def test_the_result_of_a_match_for_people():
    text = call_ok(*MATCH, "--games", "4")
    assert "hunter against random: Elo with 95 % interval" in text
    assert "Red's advantage is not known yet (95 %: " in text
    assert "Pairs of games: hunter won (W), drew (D) or lost (L)" in text
    assert "Ratings" not in text
    assert "LLR" not in text
    assert "SPRT" not in text


def test_the_result_of_a_match_as_an_object():
    games, match = told("--games", "4")
    won = sum(game["winner"] is not None and game[game["winner"]] == "hunter" for game in games)
    drawn = sum(game["winner"] is None for game in games)
    assert (match["bot"], match["opponent"], match["games"]) == ("hunter", "random", 4)
    assert match["score"] == won + drawn / 2
    assert sum(match["pairs"].values()) == 2
    assert list(match["pairs"]) == ["WW", "WD", "DD or WL", "LD", "LL"]
    assert match["elo"]["low"] < match["elo"]["elo"] < match["elo"]["high"]
    assert 0.5 < match["los"] < 1
    assert match["sprt"] is None


def test_a_match_shows_the_scores_by_parts_of_the_games(tmp_path):
    kept = ("--results", tmp_path / "kept.sqlite")
    assert "hunter: scores by parts of the games" in call_ok(*MATCH, "--games", "20", *kept)
    _, match = told("--games", "20", *kept)
    assert [one["part"] for one in match["scores"] if one["by"] == "colour"] == ["red", "blue"]
    assert any(one["by"] == "deployment" for one in match["scores"])  # read from the records


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


def test_another_match_of_candidates_is_a_further_series(tmp_path):
    words = ("match", "random", "hunter", "--baseline", "stdlib", "--rules", "duel", "--games", "2")
    kept = ("--results", tmp_path / "kept.sqlite")
    call_ok(*words, *kept)
    assert "series 2 begins" in call_ok("match", "random", "kit", "--baseline", "stdlib", "--games", "2", *kept)
    call_ok("verify", kept[1])


@pytest.mark.parametrize("bots", [("hunter",), ("hunter", "random", "kit")])
def test_a_match_has_two_bots_or_a_baseline(bots):
    assert "name two bots, or several candidates and --baseline BOT" in call_refused("match", *bots)


def test_each_object_of_a_match_names_its_type():
    lines = [json.loads(line) for line in call_ok(*MATCH, "--games", "2", "--json").splitlines()]
    assert [line["type"] for line in lines] == ["game", "game", "standing", "standing", "match"]


def test_an_sprt_ends_a_match_when_it_is_decided(decided):
    games, match = decided
    sprt = match["sprt"]
    assert (sprt["verdict"], sprt["elo0"], sprt["elo1"], sprt["alpha"], sprt["beta"]) == ("H1", 0, 300, 0.1, 0.1)
    assert sprt["llr"] >= sprt["upper"] > 0 > sprt["lower"]
    assert len(games) == 2 * sum(sprt["pairs"].values()) < 100


def test_the_decision_does_not_depend_on_jobs(decided):
    assert told(*TEST, "--jobs", "3")[1]["sprt"] | {"later_pairs": 0} == decided[1]["sprt"]


def test_a_resumed_match_has_the_same_decision(tmp_path, decided):
    kept = ("--results", tmp_path / "kept.sqlite")
    _, begun = told(*TEST, *kept, "--games", "4")
    assert (begun["sprt"]["verdict"], sum(begun["sprt"]["pairs"].values())) == (None, 2)
    games, resumed = told(*TEST, *kept, "--games", "200", "--jobs", "2")
    assert resumed["sprt"] | {"later_pairs": 0} == decided[1]["sprt"]
    assert len(games) == resumed["games"] - 4
    again, decided = told(*TEST, *kept, "--games", "200")
    assert (again, decided) == ([], resumed)
    assert "200 games" in call_ok(*MATCH, *TEST, *kept, "--games", "200")
    other = call_ok(*MATCH, "--sprt", "-300,300", *kept, "--games", "200")
    assert "pairs; H1 is accepted: hunter is ahead, or behind by less than 300 Elo. The verdict does not use " in other
    assert "had another test: SPRT of 0 against 300 logistic Elo (alpha 0.1, beta 0.1): LLR" in other
    assert "had another test: SPRT of 0 against 300" in call_ok("standings", kept[1])


def test_bots_that_repeat_their_games_prove_nothing(tmp_path):
    """Each pair that is drawn again brought H0 nearer before repeats were left out."""
    walker = BOTS / "base.py"
    words = ("match", f"one={walker}", f"two={walker}", "--sprt", "0,50", "--games", "400", "--sandbox", "process")
    kept = ("--results", tmp_path / "kept.sqlite")
    text = call_ok(*words, *kept)
    assert "LLR -0.15 [.........=|..........] (-2.94 to 2.94), 2 distinct games of 8" in text
    assert "The match ended early, because no new games are expected." in text
    match = json.loads(call_ok(*words, *kept, "--json").splitlines()[-1])
    assert (match["games"], match["distinct_games"], match["ended_by_repeats"]) == (22, 2, True)
    assert (match["sprt"]["verdict"], sum(match["sprt"]["pairs"].values())) == (None, 1)
    rows = csv.DictReader(call_ok("standings", tmp_path / "kept.sqlite", "--format", "csv").splitlines())
    assert [row["repeats"] for row in rows] == ["21", "21"]


def test_an_sprt_is_shown_during_the_match_and_at_the_end():
    lines = call_ok(*MATCH, *TEST, "--jobs", "1").splitlines()
    played = [line for line in lines if line.startswith("game ")]
    assert played[1].endswith(" (-2.20 to 2.20)")
    assert played[-1].endswith(": H1 accepted")
    assert lines[-1].startswith("SPRT of 0 against 300 logistic Elo (alpha 0.1, beta 0.1): LLR 2.")
    assert lines[-1].endswith(" pairs; H1 is accepted: hunter is ahead.")


def test_a_test_in_normalized_elo():
    lines = call_ok(*MATCH, *TEST, "--model", "normalized", "--jobs", "1").splitlines()
    assert lines[1].startswith("SPRT, expected games: ")
    assert "no result after 10000: 0 %)" in lines[1]
    assert lines[1].endswith("with no draws to half of the games drawn")
    assert lines[-1].startswith("SPRT of 0 against 300 normalized Elo (alpha 0.1, beta 0.1): LLR ")
    assert "Elo, nElo and LOS are corrected for the early stop of the SPRT." in lines


def test_results_remember_their_test(tmp_path):
    kept = tmp_path / "kept.sqlite"
    played = call_ok(*MATCH, *TEST, "--results", kept)
    summary = played[played.index("hunter against random: Elo") : played.index("\n\nresults:")]
    assert summary in call_ok("standings", kept)
    call_ok("report", kept, "-o", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "<h2>Sequential test</h2>" in page
    assert "between the bounds of the test" in page
    assert "H1 is accepted: hunter is ahead." in page
    assert "SPRT, expected games" not in call_ok(*MATCH, *TEST, "--results", kept), "the test is decided"


def test_a_forecast_counts_earlier_draws(tmp_path):
    kept = ("--results", tmp_path / "kept.sqlite")
    call_ok(*MATCH, "--games", "2", *kept)
    assert "if no game is drawn" in call_ok(*MATCH, *TEST, "--games", "2").splitlines()[1]
    assert "with as many draws as so far" in call_ok(*MATCH, *TEST, *kept, "--games", "4").splitlines()[1]


def test_a_plain_match_has_no_test(tmp_path):
    kept = tmp_path / "kept.sqlite"
    call_ok(*MATCH, "--games", "2", "--results", kept)
    assert "SPRT" not in call_ok("standings", kept)
    call_ok("report", kept, "-o", tmp_path / "report")
    assert "Sequential test" not in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_the_games_end_before_a_decision():
    text = call_ok(*MATCH, "--sprt", "0,5", "--games", "2")
    assert text.rstrip().endswith("after 1 pair; not decided yet.")


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


def test_a_tournament_shows_ratings_and_no_match(tmp_path):
    text = call_ok("run", write_tournament(tmp_path))
    assert "Ratings" in text
    assert "Pairs of games" not in text

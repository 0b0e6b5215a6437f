"""`ratings`: one fit to several results."""

import json
import re

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament

MATCH = ("--rules", "duel", "--games", "4", "--jobs", "1", "--seed", "5")


@pytest.fixture(scope="module")
def played(tmp_path_factory, quick_words):
    """Play two matches that connect three bots."""
    folder = tmp_path_factory.mktemp("matches")
    hunter, random, stdlib = quick_words
    for opponent in (hunter, stdlib):
        call_ok("match", random, opponent, *MATCH, "--results", folder / f"{opponent.partition('=')[0]}.sqlite")
    return folder / "hunter.sqlite", folder / "stdlib.sqlite"


ESTIMATED = ("--prior", "estimated")


def read(*words):
    return [json.loads(line) for line in call_ok("ratings", *words, "--json").splitlines()]


def test_bots_of_two_files_are_rated_together(played):
    lines = read(*played)
    assert {line["bot"] for line in lines} == {"hunter", "random", "stdlib"}
    assert {line["group"] for line in lines} == {1}
    assert all(line["ranks"][0] <= line["ranks"][1] <= 3 and 0 < line["first"] < 1 for line in lines)
    assert len(read(played[0])) == 2


def test_the_tables_for_people(played):
    text = call_ok("ratings", *played)
    for title in ("Ratings: Elo", "Largest residuals"):
        assert title in text
    assert "first %" in text
    anchored = call_ok("ratings", *played, "--anchor", "random=1000")
    assert "random is the anchor at 1000." in anchored


@pytest.mark.parametrize(
    ("table", "lines", "key"),
    [("differences", 3, "difference"), ("residuals", 2, "residual"), ("cycles", 0, "")],
)
def test_single_tables_for_programs(played, table, lines, key):
    found = read(*played, "--show", table)
    assert len(found) == lines
    assert all(key in line for line in found)


def test_scores_by_colour_and_opponent(played):
    lines = [line for line in read(*played, "--show", "scores") if line["bot"] == "random"]
    assert {line["opponent"]: (line["red_games"], line["blue_games"], line["games"]) for line in lines} == {
        "hunter": (2, 2, 4),
        "stdlib": (2, 2, 4),
        None: (4, 4, 8),
    }
    assert all(line["score"] == (line["red_score"] + line["blue_score"]) / 2 for line in lines)
    table = call_ok("ratings", *played, "--show", "scores")
    assert re.search(r"\nrandom +all +4 +[\d.]+ +4 +[\d.]+ +8 +[\d.]+\n", table)


def test_headers_are_exported(played, tmp_path):
    target = tmp_path / "games.pgn"
    done = call("ratings", *played, "--pgn", target)
    assert done.exit_code == 0
    assert f"8 games in {target}" in done.stderr
    text = target.read_text(encoding="utf-8")
    assert text.count("[White ") == text.count("[Result ") == 8


def test_a_normal_prior(played):
    default, given, estimated = (read(*played, *words)[0]["prior"] for words in ((), ("--prior", "80"), ESTIMATED))
    assert default == estimated
    assert (given["drawn_games"], given["spread"]) == (None, {"elo": 80, "low": 80, "high": 80})
    assert 5 <= estimated["spread"]["low"] < estimated["spread"]["elo"] < estimated["spread"]["high"] <= 2000
    assert "a spread of 80 Elo." in call_ok("ratings", *played, "--prior", "80")


def test_wrong_words(played, tmp_path):
    for spread in ("0", "-5", "x", "nan", "2001", "1e3"):
        message = f'--prior: is "{spread}", must be a spread in Elo from 1 to 2000, such as 150, or "estimated"'
        assert message in call_refused("ratings", *played, "--prior", spread)
    assert "Missing argument 'RESULTS...'" in call_refused("ratings")
    assert "no.sqlite: there is no such file" in call_refused("ratings", tmp_path / "no.sqlite")
    assert "--anchor: unknown bot 'huntr': did you mean 'hunter'?" in call_refused(
        "ratings", *played, "--anchor", "huntr=0"
    )


def test_games_of_different_rules_are_not_rated_together(played, tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], rules="barrage")
    call_ok("run", file)
    message = call_refused("ratings", played[0], file)
    assert f"has other rules than {played[0]}: rules" in message
    assert "rate them separately" in message

"""`standings`, `games`, `rules` and `bots`: every listing, in every format."""

import csv
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament

from arbiter.games.catalogue import RULE_SETS
from arbiter.verify import verify
from sample_bots.catalogue import SAMPLE_BOTS

BOTS = ("hunter", "random", "stdlib")
IDS = {f"{red}~{blue}~{n}" for red in BOTS for blue in BOTS if red != blue for n in (1, 2)}


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def results_of(tournament):
    return tournament.parent / "results" / "club.sqlite"


# --- results as file, folder and tournament file --------------------------------------------------


def test_results_are_named_by_file_folder_or_tournament(played):
    for command in ("standings", "games"):
        assert len({call_ok(command, path) for path in (results_of(played), results_of(played).parent, played)}) == 1


# --- standings ------------------------------------------------------------------------------------


def test_standings_as_objects(played):
    text = call_ok("standings", played, "--json")
    assert text == call_ok("standings", played, "--format", "json")
    table = objects(text)
    assert [row["rank"] for row in table] == [1, 2, 3]
    assert {row["bot"] for row in table} == set(BOTS)
    for row in table:
        keys = "type rank bot title kind points games wins draws losses forfeits"
        assert list(row)[:11] == keys.split()
        assert row["games"] == 8 == row["wins"] + row["draws"] + row["losses"] + row["forfeits"]
        assert row["points"] == 6 * row["wins"] + 3 * row["draws"] + row["losses"]


def test_standings_for_people_show_all_tables(played):
    text = call_ok("standings", played)
    assert [text.count(title) for title in ("Standings\n", "Crosstable:", "Ratings:", "Tournament\n")] == [1] * 4
    assert all(len(line) <= 80 for line in text.splitlines())


def test_standings_in_markdown(played):
    text = call_ok("standings", played, "--format", "markdown")
    assert text.startswith("## Standings\n\n|")
    tables, _, settings = text.partition("\n\n## Tournament\n\n")
    assert tables.count("\n|") == 4 * (3 + 2)
    assert settings.startswith("| setting ")


def test_web_pages_are_written_by_another_command(played):
    for command in ("standings", "games"):
        assert "`arbiter report RESULTS -o DIR` writes web pages" in call_refused(command, played, "--format", "html")


def test_only_the_crosstable(played):
    pairings = objects(call_ok("standings", played, "--show", "crosstable", "--json"))
    assert [pairing["games"] for pairing in pairings] == [4] * 6


# --- ratings --------------------------------------------------------------------------------------


def test_ratings_are_in_every_format(played):
    objects_of = objects(call_ok("standings", played, "--json"))
    assert sum(row["rating"]["elo"] for row in objects_of) == pytest.approx(0, abs=0.2)
    for row in objects_of:
        assert row["rating"]["low"] < row["rating"]["elo"] < row["rating"]["high"]
        assert row["as_red"]["low"] < row["as_red"]["high"]
        assert row["group"] == 1
    rows = list(csv.DictReader(call_ok("standings", played, "--format", "csv").splitlines()))
    assert [(row["rank"], row["games"]) for row in rows] == [("1", "8"), ("2", "8"), ("3", "8")]
    assert [float(row["rating"]) for row in rows] == pytest.approx(
        [row["rating"]["elo"] for row in objects_of], abs=0.6
    )
    for form in ("table", "markdown"):
        assert "Red's advantage is not known yet" in call_ok("standings", played, "--format", form)


def test_only_the_ratings(played):
    words = ("standings", played, "--show", "ratings", "--format", "csv")
    assert call_ok(*words) == call_ok(*words)
    rows = list(csv.reader(call_ok(*words).splitlines()))
    ratings, colours = ["bot", "rating", "low", "high", "LOS %", "first %", "ranks"], ["as red", "low", "high"]
    assert rows[0] == [*ratings, *colours, "as blue", "low", "high"]
    assert {row[0] for row in rows[1:]} == set(BOTS)
    assert {row["bot"] for row in objects(call_ok("standings", played, "--show", "ratings", "--json"))} == set(BOTS)


def test_the_likelihood_of_superiority(played):
    rows = objects(call_ok("standings", played, "--show", "los", "--json"))
    of = {(row["bot"], row["opponent"]): row["los"] for row in rows}
    assert len(of) == 6
    assert all(of[one, two] + of[two, one] == pytest.approx(1, abs=1e-3) for one, two in of)
    assert "Likelihood of superiority" in call_ok("standings", played, "--show", "los")


def test_an_anchor_on_the_command_line_and_in_the_file(played, club):
    anchored = objects(call_ok("standings", played, "--anchor", "random=1000", "--json"))
    assert {row["bot"]: row["rating"]["elo"] for row in anchored}["random"] == 1000
    assert "random is the anchor at 1000." in call_ok("standings", played, "--anchor", "random=1000")
    for bot, rating in (("hunter", 1500.5), ("random", -20)):  # it may change
        write_tournament(club.parent, bots=BOTS, games=4, seed=2026, anchor=f"{bot}={rating}")
        assert f"{bot} is the anchor at {rating}." in call_ok("run", club)
    assert "random is the anchor at 0." in call_ok("standings", club, "--anchor", "random=0")


@pytest.mark.parametrize(
    ("anchor", "complaint"), [("rando=1", "unknown bot 'rando': did you mean 'random'?"), ("", "must be a bot and its")]
)
def test_a_wrong_anchor(played, tmp_path, anchor, complaint):
    assert f"--anchor: {complaint}" in call_refused("standings", played, "--anchor", anchor).replace('is "", ', "")
    assert complaint in call_refused("run", write_tournament(tmp_path, anchor=anchor))


def test_numpy_is_imported_only_for_ratings(played):
    code = """
import sys; from arbiter.cli import main
for words in (["--show", "crosstable"], []):
    main(["standings", sys.argv[1], *words])
    print("numpy" in sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code, played], capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["False", "True"]


def test_foreign_text_does_not_reach_the_terminal_and_results_may_be_in_another_folder(tmp_path, quick):
    file, results = write_tournament(tmp_path, bots=quick[:2]), tmp_path / "elsewhere" / "deep"
    file.write_text(file.read_text().replace("Club night", r"x\u001b[31m\nred<b>"))
    told = [call_ok("run", file, "--results", results)]
    told += [call_ok("standings", results), call_ok("standings", results, "--format", "markdown")]
    assert len(objects(call_ok("games", results, "--json"))) == 2
    assert not (tmp_path / "results").exists()
    assert all("\x1b" not in text for text in told)
    assert told[0].startswith(r"x\x1b[31m\nred<b>: 2 games")
    assert "<b>" not in told[2]


# --- games ----------------------------------------------------------------------------------------


def test_games_as_objects(played):
    games = objects(call_ok("games", played, "--json"))
    assert {game["id"] for game in games} == IDS
    for game in games:
        assert list(game)[:7] == ["type", "number", "id", "round", "red", "blue", "winner"]
        assert list(game)[7:11] == ["ending", "reason", "why", "plies"]
        assert game["winner"] in {"red", "blue", None}
        assert set(game["points"]) == {"red", "blue"}
    assert len(call_ok("games", played).splitlines()) == 2 + 2 + len(IDS), "for people"


COUNTS = {
    "": 12,
    "--bot hunter": 8,
    "--bot hunter --bot random": 4,
    "--bot random --bot hunter": 4,
    "--round 1": 2,
    "--round 99": 0,
    "--id hunter~random~2": 1,
    "--bot stdlib --id hunter~random~2": 0,
    "--ending timeout": 0,
}


def test_games_filtered(played):
    assert {words: len(objects(call_ok("games", played, "--json", *words.split()))) for words in COUNTS} == COUNTS


def test_games_by_ending_are_all_games(played):
    games = objects(call_ok("games", played, "--json"))
    for ending in {game["ending"] for game in games}:
        listed = objects(call_ok("games", played, "--json", "--ending", ending))
        assert listed == [game for game in games if game["ending"] == ending]


@pytest.mark.parametrize(
    "game_id",
    ["../escaped", "../../../../../../tmp/escaped", "/tmp/escaped", "sub/folder", "\x1b[2J\n", "..", "a\\b", "", "-o"],
)
def test_crafted_ids_are_refused(played, tmp_path, game_id):
    results = tmp_path / "crafted.sqlite"
    shutil.copy(results_of(played), results)
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        connection.execute("UPDATE game SET id = ? WHERE id = 'hunter~random~1'", (game_id,))
    assert "has impossible values" in call_refused("games", results, "--export", tmp_path / "one" / "two")
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path != results] == []
    assert not Path("/tmp/escaped.jsonl").exists()


def test_an_export_replaces_symbolic_links(played, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "hunter~random~1.jsonl").symlink_to(victim)
    assert call("games", played, "--export", folder).exit_code == 0
    assert victim.read_text() == "precious"
    assert verify((folder / "hunter~random~1.jsonl").read_bytes()).ok


def test_exported_records_verify(played, tmp_path):
    result = call("games", played, "--bot", "random", "--export", tmp_path / "new" / "deep")
    assert (result.exit_code, result.stderr) == (0, f"8 records in {tmp_path}/new/deep\n")
    exported = sorted((tmp_path / "new" / "deep").iterdir())
    assert {path.name for path in exported} == {f"{game}.jsonl" for game in IDS if "random" in game}
    assert all(verify(path.read_bytes()).ok for path in exported)


# --- rules and bots -------------------------------------------------------------------------------


def test_rules_are_listed_and_described():
    names = [row["name"] for row in objects(call_ok("rules", "--json"))]
    assert names == [ruleset.name for ruleset in RULE_SETS]
    for name in names:
        assert f"({name})" in call_ok("rules", name).splitlines()[0]
        assert objects(call_ok("rules", name, "--json"))[0]["name"] == name
        assert name in call_ok("rules")


@pytest.mark.parametrize(("lang", "word"), [("en", "Miner"), ("de", "Mineur"), ("nl", "Mineur"), ("fr", "Démineur")])
def test_pieces_are_named_in_a_language(lang, word):
    assert word in call_ok("rules", "original", "--lang", lang)


def test_rules_are_described_as_played():
    page = call_ok("rules", "us", "--option", "rescue", "--options", "printed-army", "--set", "two_squares=0")
    assert "rescue (selected): " in page
    assert "Army: 39 pieces on each side" in page
    assert "Two squares: no limit." in page
    assert "The player that moves first is drawn at random." in call_ok("rules", "us", "--set", "first=lot")
    (described,) = objects(call_ok("rules", "us", "--option", "rescue", "--set", "army.scout=5", "--json"))
    assert (described["selected"], described["army"]["scout"]) == (["rescue"], 5)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("us", "--option", "rescu"), "unknown option of us 'rescu': did you mean 'rescue'?"),
        (("us", "--set", "clock=cpu"), "--set clock: is not a setting of the rules; leave it out"),
        (("us", "--set", "points=ucc"), "--set points: is not a setting of the rules; leave it out"),
        (("us", "--set", "two_squares=x"), '--set two_squares: is "x", must be a whole number'),
        (("us", "--set", "first=green"), '--set first: is "green", must be'),
        (("--option", "rescue"), "--option and --set: name the rule set that they change"),
    ],
)
def test_settings_that_are_not_of_the_rules_are_refused(arguments, why):
    assert why in call_refused("rules", *arguments)


def test_bots_are_listed():
    assert [row["name"] for row in objects(call_ok("bots", "--json"))] == list(SAMPLE_BOTS)
    assert all(name in call_ok("bots") for name in SAMPLE_BOTS)


# --- games that a bot lost ------------------------------------------------------------------------


def test_games_that_a_bot_lost(played):
    every = objects(call_ok("games", played, "--json"))
    lost = {bot: objects(call_ok("games", played, "--lost-by", bot, "--json")) for bot in BOTS}
    for bot, found in lost.items():
        others = [game for game in every if game["winner"] and game[game["winner"]] != bot]
        assert found == [game for game in others if bot in (game["red"], game["blue"])]
    assert lost["random"]
    both = objects(call_ok("games", played, "--lost-by", "random", "--bot", "hunter", "--json"))
    assert both == [game for game in lost["random"] if "hunter" in (game["red"], game["blue"])]
    endings = {game["ending"] for game in lost["random"]}
    words = ("games", played, "--lost-by", "random", "--json", "--ending")
    assert {game["ending"] for ending in endings for game in objects(call_ok(*words, ending))} == endings


def test_games_lost_by_a_wrong_name_or_with_attempts(played):
    assert "unknown bot 'huntr': did you mean 'hunter'?" in call_refused("games", played, "--lost-by", "huntr")
    assert "leave out --ending, --lost-by" in call_refused("games", played, "--lost-by", "hunter", "--show", "void")

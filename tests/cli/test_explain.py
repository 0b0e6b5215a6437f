"""`explain`: the diagnosis of `check` for a stored game, with its log or without."""

import json
import re
import sys

import pytest
from cli.command_line import BOTS, bot, call, call_ok, call_refused, read_told, write_program, write_tournament
from tournament.databases import database

from arbiter.languages.sentences import write_ending

NOVICE = BOTS / "novice.py"
PRINTS = f"{sys.executable} -ES {NOVICE} PrintsDebug"


def play(folder, *words, rules="duel", **settings):
    """Play two games of a bot against an honest one; return the tournament file."""
    file = write_tournament(folder, rules=rules, bots=[bot(*words, name="faulty"), "random"], **settings)
    call_ok("run", file)
    return file


@pytest.fixture(scope="session")
def stray(play_once):
    bots = [bot("novice", "PrintsDebug", name="faulty"), "random"]
    return play_once("stray", bots=bots, withdrawn_games="strike")


@pytest.fixture(scope="session")
def illegal(play_once):
    bots = [bot("wrong_act", "empty_square", name="faulty"), "random"]
    return play_once("illegal", bots=bots, rules="original")


def explain(file, game="faulty~random~1"):
    return [json.loads(line) for line in call_ok("explain", file, game, "--json").splitlines()]


# Arguments of the bot, rules, ending, mistake, words of the advice.
FAULTY = [
    (("novice", "HugeEvaluation"), "duel", "protocol", "wrong_evaluation", "from -10000 to 10000"),
    (("novice", "MovesBomb"), "duel", "immovable_moved", "immovable_moved", "never move"),
    (("novice", "WrongArmy"), "duel", "illegal_setup", "wrong_army", "which has 10"),
    (("crashes",), "original", "crash", "exception_raised", "KeyError: 'the best move'"),
    (("fails_to_start",), "original", "no_start", "module_missing", "not installed"),
    (("novice", "NeverFlushes"), "duel", "no_start", "late_for_its_buffer", "Flush after each line"),
    (("novice", "FlushesOnlyReady"), "duel", "timeout", "late_for_its_buffer", "Flush after each line"),
    (("novice", "SwallowsQuestions"), "duel", "timeout", "silent", "wrote nothing that arrived"),
    (("novice", "NumberAsText"), "duel", "protocol", "wrong_number", "as a number"),
    (("novice", "Computes"), "duel", "no_start", "still_computing", "Answer 'hello' first"),
]


def check_explained(file, ending, mistake, advice):
    red, blue = explain(file)
    assert (red["seat"], red["bot"], red["status"], red["mistake"]) == ("red", "faulty", "failed", mistake)
    assert red["says"] == f"forfeited ({write_ending(ending)})"
    assert advice in red["advice"]
    assert (blue["bot"], blue["status"], blue["says"]) == ("random", "ok", "broke no rule")
    other = explain(file, "random~faulty~1")
    assert [one["status"] for one in other] == ["ok", "failed"]


@pytest.mark.parametrize("case", FAULTY, ids=[f"{row[0][0]}-{row[3]}" for row in FAULTY])
@pytest.mark.slow(keep=3)
def test_a_forfeited_game_is_explained_as_in_a_check(tmp_path, case):
    words, rules, *expected = case
    check_explained(play(tmp_path, *words, rules=rules, time={"start_s": 6, "setup_s": 3}), *expected)


def test_words_that_are_no_message_are_explained_in_the_run_too(stray, copy_event):
    check_explained(stray, "protocol", "stray_print", "Print to stderr")
    game = "results/club.sqlite faulty~random~1\n"
    assert re.search(f"\nhow a game was lost: arbiter explain .*/{game}", read_told(stray))
    gone = copy_event(stray)
    database(
        gone.parent / "results" / "club.sqlite", "UPDATE series SET manifest = replace(manifest, 'novice', 'gone')"
    )
    assert explain(gone) == explain(stray), "the program is gone"


@pytest.mark.heavy
def test_a_bot_that_never_reads_is_explained_as_in_a_check(tmp_path):
    words = ("match", "sleep 1000", "random", "--rules", "duel", "--games", "2", "--start", "6", "--jobs", "2")
    told = call(*words, "--force-jobs", "--results", tmp_path / "m.sqlite").stdout
    assert "The bot did not read what it was sent, and did nothing." in told
    assert explain(tmp_path / "m.sqlite", "sleep~random~1")[0]["mistake"] == "never_reads"


def test_the_text_shows_advice_messages_and_position(illegal, copy_event):
    check_explained(illegal, "illegal_action", "board_out_of_date", "`news`")
    text = call_ok("explain", illegal, "faulty~random~1")
    results = illegal.parent / "results" / "club.sqlite"
    assert text.startswith(
        "faulty~random~1: random wins: faulty chose an illegal action\nred's action is against the rules: red has no piece on a5\n"
    )
    assert "red, faulty: forfeited (illegal action)\n      The bot moved a piece that is not there" in text
    assert "refused by the rule movement" in text
    assert f"watch it: arbiter replay {results} faulty~random~1 --as red --at end" in text
    assert f"debug it: arbiter feed {results} faulty~random~1 --as red | ./bot" in text
    file = copy_event(illegal)
    database(file.parent / "results" / "club.sqlite", "DELETE FROM wire", "DELETE FROM stderr")
    assert explain(file)[0]["mistake"] == "board_out_of_date"


def test_a_match_shows_the_diagnosis_of_a_bot_that_forfeits_again():
    time = "--time 20+0.5/4 --start 8 --set clock=cpu --set pondering=false --memory 500"
    more = f"--option rescue --set first=lot --set army.scout=7 {time} --seed 1 --read {NOVICE} --env"
    text = call_ok(
        "match", f"faulty={PRINTS}", "random", "--rules", "us", "--games", "2", *more.split(), "faulty:DEPTH=5 6"
    )
    _, _, shown = text.partition(f"\nfaulty: forfeited ({write_ending('protocol')}), 2 of 2 games\n")
    assert "Print to\n      stderr" in shown
    assert (
        f"\ncheck it: arbiter check '{PRINTS}' --rules us --option rescue --set army.scout=7 --set first=lot "
        f"{time} --read {NOVICE} --env 'DEPTH=5 6'\n"
    ) in shown


def test_the_command_that_checks_a_bot_names_the_position_of_a_match():
    position = f"M{29 * 'a'}KaaL{8 * 'a'}__aa__aaaE__Da__aaaNOaX{34 * 'a'}Y"
    text = call_ok("match", f"faulty={PRINTS}", "random", "--games", "2", "--position", position, "--read", NOVICE)
    assert f" --rules original --position {position} --read {NOVICE}\n" in text


@pytest.mark.slow
def test_the_end_of_the_input_is_not_taken_for_an_error_of_the_bot(tmp_path):
    program = write_program(tmp_path / "silent.py", "input()\ninput()\n")
    file = play(tmp_path, program, time={"start_s": 6})
    assert explain(file)[0]["mistake"] == "silent"


def test_a_loss_on_time_is_explained_by_the_times(tmp_path):
    file = play(tmp_path, "sleeps_forever", rules="original", time={"bank_s": 0.1})
    red, _ = explain(file)
    assert red["mistake"] == "out_of_time"
    assert "Before that it had used" in red["advice"]


def test_a_game_that_ended_by_the_rules_is_summarised(played):
    file = played
    hunter, random = explain(file, "hunter~random~1")
    assert {hunter["says"], random["says"]} == {"broke no rule"}
    for one in (hunter, random):
        summary = one["summary"]
        assert summary["answers"] > 5
        assert 0 < summary["mean_ms"] <= summary["longest_ms"]
    assert hunter["summary"]["largest_drop"]["after"] < hunter["summary"]["largest_drop"]["before"]
    assert random["summary"]["largest_drop"] is None
    text = call_ok("explain", file, "hunter~random~1")
    assert "its evaluation fell most at ply" in text


def test_a_walkover_and_an_unknown_game(tmp_path):
    file = play(tmp_path, "novice", "PrintsDebug", suspend_after=1)
    found = explain(file, "random~faulty~1")
    assert {one["says"] for one in found} == {"the game was not played"}
    assert "there is no game 'x'; `arbiter games" in call_refused("explain", file, "x")


def test_the_state_of_a_game_and_the_ruling_on_it_are_shown(stray, copy_event):
    file = copy_event(stray)
    assert {one["state"] for one in explain(file)} == {"counts"}
    assert "does not count" not in call_ok("explain", file, "faulty~random~1")
    call_ok("disqualify", file, "faulty", "--because", "it cheated", "--yes")
    assert {(one["state"], one["state_by"]) for one in explain(file)} == {("struck", "faulty")}
    assert "\ndoes not count: struck with faulty\n" in call_ok("explain", file, "faulty~random~1")
    call_ok("rule", file, "random~faulty~1", "--result", "replay", "--because", "the power failed")
    assert explain(file, "random~faulty~1")[0]["state_by"] == "random~faulty~1~r2"
    call_ok("disqualify", file, "faulty", "--undo", "--because", "it did not", "--yes")
    call_ok("rule", file, "faulty~random~1", "--result", "draw", "--because", "the power failed")
    text = call_ok("explain", file, "faulty~random~1")
    assert ": draw, before: blue wins: the power failed\n" in text
    assert "forfeited" in text


def test_a_game_must_be_named(played):
    results = played.parent / "results" / "club.sqlite"
    assert call_refused("explain", played) == f"arbiter: {results}: name a game; `arbiter games {results}` lists them"

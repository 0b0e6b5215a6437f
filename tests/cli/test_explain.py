"""`explain`: the diagnosis of `check` for a stored game, with its log or without."""

import json
import sys
from pathlib import Path

import pytest
from cli.command_line import call, call_ok, call_refused, write_program, write_tournament
from tournament.databases import database

from arbiter.games.ending_words import write_ending

BOTS = Path(__file__).parent.parent / "bots"
NOVICE = BOTS / "novice.py"


def entry(name, *words):
    return {"name": name, "command": [sys.executable, "-ES", *map(str, words)]}


def play(folder, *words, rules="duel", **settings):
    """Play two games of a bot against an honest one; return the tournament file."""
    file = write_tournament(folder, rules=rules, bots=[entry("faulty", *words), "random"], **settings)
    call_ok("run", file)
    return file


def explain(file, game="faulty~random~1"):
    return [json.loads(line) for line in call_ok("explain", file, game, "--json").splitlines()]


# Arguments of the bot, rules, ending, mistake, words of the advice.
FAULTY = [
    ((NOVICE, "PrintsDebug"), "duel", "protocol", "stray_print", "Print to stderr"),
    ((NOVICE, "HugeEvaluation"), "duel", "protocol", "wrong_evaluation", "from -10000 to 10000"),
    ((NOVICE, "MovesBomb"), "duel", "immovable_moved", "immovable_moved", "never move"),
    ((NOVICE, "WrongArmy"), "duel", "illegal_setup", "wrong_army", "which has 10"),
    ((BOTS / "crashes.py",), "original", "crash", "exception_raised", "KeyError: 'the best move'"),
    ((BOTS / "fails_to_start.py",), "original", "no_start", "module_missing", "not installed"),
    ((BOTS / "wrong_act.py", "empty_square"), "original", "illegal_action", "board_out_of_date", "`news`"),
    ((NOVICE, "NeverFlushes"), "duel", "no_start", "late_for_its_buffer", "Flush after each line"),
    ((NOVICE, "FlushesOnlyReady"), "duel", "timeout", "late_for_its_buffer", "Flush after each line"),
    ((NOVICE, "SwallowsQuestions"), "duel", "timeout", "silent", "wrote nothing that arrived"),
    ((NOVICE, "NumberAsText"), "duel", "protocol", "wrong_number", "as a number"),
    ((NOVICE, "Computes"), "duel", "no_start", "still_computing", "Answer 'hello' first"),
]


@pytest.mark.parametrize("case", FAULTY, ids=[f"{Path(row[0][0]).stem}-{row[3]}" for row in FAULTY])
@pytest.mark.slow(keep=4)
def test_a_forfeited_game_is_explained_as_in_a_check(tmp_path, case):
    words, rules, ending, mistake, advice = case
    file = play(tmp_path, *words, rules=rules, time={"start_s": 6, "setup_s": 3})
    red, blue = explain(file)
    assert (red["seat"], red["bot"], red["status"], red["mistake"]) == ("red", "faulty", "failed", mistake)
    assert red["says"] == f"forfeited ({write_ending(ending)})"
    assert advice in red["advice"]
    assert (blue["bot"], blue["status"], blue["says"]) == ("random", "ok", "broke no rule")
    other = explain(file, "random~faulty~1")
    assert [one["status"] for one in other] == ["ok", "failed"]


def test_a_bot_that_never_reads_is_explained_as_in_a_check(tmp_path):
    words = ("match", "sleep 1000", "random", "--rules", "duel", "--games", "2", "--start", "6", "--jobs", "2")
    told = call(*words, "--force-jobs", "--results", tmp_path / "m.sqlite").stdout
    assert "The bot did not read what it was sent, and did nothing." in told
    assert explain(tmp_path / "m.sqlite", "sleep~random~1")[0]["mistake"] == "never_reads"


def test_the_text_shows_advice_messages_and_position(tmp_path):
    file = play(tmp_path, BOTS / "wrong_act.py", "empty_square", rules="original")
    text = call_ok("explain", file, "faulty~random~1")
    results = tmp_path / "results" / "club.sqlite"
    assert text.startswith(
        "faulty~random~1: random wins: faulty chose an illegal action\nred: a5-a6: red has no piece on a5\n"
    )
    assert "red, faulty: forfeited (illegal action)\n      The bot moved a piece that is not there" in text
    assert "refused by the rule movement" in text
    assert f"watch it: arbiter replay {results} faulty~random~1 --as red --at end" in text
    assert f"debug it: arbiter feed {results} faulty~random~1 --as red | ./bot" in text


def test_a_match_shows_the_diagnosis_of_a_bot_that_forfeits_again():
    command = f"{sys.executable} -ES {NOVICE} PrintsDebug"
    more = (
        "--option",
        "rescue",
        "--set",
        "first=lot",
        "--set",
        "army.scout=7",
        "--read",
        NOVICE,
        "--env",
        "faulty:DEPTH=5 6",
        *("--time", "20+0.5/4", "--start", "8", "--set", "clock=cpu", "--set", "pondering=false", "--memory", "500"),
        *("--seed", "1"),
    )
    text = call_ok("match", f"faulty={command}", "random", "--rules", "us", "--games", "2", *more)
    _, _, shown = text.partition(f"\nfaulty: forfeited ({write_ending('protocol')}), 2 of 2 games\n")
    assert "Print to\n      stderr" in shown
    assert (
        f"\ncheck it: arbiter check '{command}' --rules us --option rescue --set army.scout=7 --set first=lot "
        "--time 20+0.5/4 --start 8 --set clock=cpu --set pondering=false --memory 500 "
        f"--read {NOVICE} --env 'DEPTH=5 6'\n"
    ) in shown


def test_the_command_that_checks_a_bot_names_the_position_of_a_match():
    position = f"M{29 * 'a'}KaaL{8 * 'a'}__aa__aaaE__Da__aaaNOaX{34 * 'a'}Y"
    command = f"{sys.executable} -ES {NOVICE} PrintsDebug"
    text = call_ok("match", f"faulty={command}", "random", "--games", "2", "--position", position, "--read", NOVICE)
    assert f" --rules original --position {position} --read {NOVICE}\n" in text


@pytest.mark.slow
def test_the_end_of_the_input_is_not_taken_for_an_error_of_the_bot(tmp_path):
    program = write_program(tmp_path / "silent.py", "input()\ninput()\n")
    file = play(tmp_path, program, time={"start_s": 6})
    assert explain(file)[0]["mistake"] == "silent"


def test_without_messages_a_refused_action_is_explained(tmp_path):
    file = play(tmp_path, BOTS / "wrong_act.py", "empty_square", rules="original")
    database(tmp_path / "results" / "club.sqlite", "DELETE FROM wire", "DELETE FROM stderr")
    assert explain(file)[0]["mistake"] == "board_out_of_date"


def test_a_loss_on_time_is_explained_by_the_times(tmp_path):
    file = play(tmp_path, BOTS / "sleeps_forever.py", rules="original", time={"bank_s": 0.5})
    red, _ = explain(file)
    assert red["mistake"] == "out_of_time"
    assert "Before that it had used" in red["advice"]


def test_a_game_that_ended_by_the_rules_is_summarised(tmp_path):
    file = write_tournament(tmp_path, bots=["hunter", "random"])
    call_ok("run", file)
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


def test_a_program_that_is_gone_changes_nothing(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_bytes(NOVICE.read_bytes())
    file = play(tmp_path, bot, "PrintsDebug")
    bot.unlink()
    assert explain(file)[0]["mistake"] == "stray_print"


def test_a_walkover_and_an_unknown_game(tmp_path):
    file = play(tmp_path, NOVICE, "PrintsDebug", suspend_after=1)
    found = explain(file, "random~faulty~1")
    assert {one["says"] for one in found} == {"the game was not played"}
    assert "there is no game 'x'; `arbiter games" in call_refused("explain", file, "x")


def test_the_state_of_a_game_and_the_ruling_on_it_are_shown(tmp_path):
    file = play(tmp_path, NOVICE, "PrintsDebug", withdrawn_games="strike")
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


def test_a_run_shows_the_command_that_explains_a_forfeit(tmp_path):
    file = write_tournament(tmp_path, bots=[entry("faulty", NOVICE, "PrintsDebug"), "random"])
    results = tmp_path / "results" / "club.sqlite"
    assert f"how a game was lost: arbiter explain {results} faulty~random~1\n" in call_ok("run", file)


def test_a_match_shows_the_command_that_explains_a_loss(tmp_path):
    results = tmp_path / "match.sqlite"
    told = call_ok("match", "random", "hunter", "--games", 2, "--seed", 1, "--rules", "duel", "--results", results)
    assert f"how a game was lost: arbiter explain {results} random~hunter~1\n" in told
    other = tmp_path / "2.sqlite"
    told = call_ok("match", "hunter", "random", "--games", 2, "--seed", 1, "--rules", "duel", "--results", other)
    assert "how a game was lost" not in told


def test_a_game_must_be_named(played):
    results = played.parent / "results" / "club.sqlite"
    assert call_refused("explain", played) == f"arbiter: {results}: name a game; `arbiter games {results}` lists them"

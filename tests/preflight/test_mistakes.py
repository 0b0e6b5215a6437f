"""Each mistake that authors make is told by its name, with what to do; the program that makes it does not pass."""

import json
import sys
from pathlib import Path

import pytest
from cli.desk import call

NOVICE = Path(__file__).parent.parent / "bots" / "novice.py"

# What the novice does wrong, the step that finds it, the mistake that is named, words of what is said to do.
NOVICES = [
    ("PrintsBanner", "handshake", "stray_print", "print to stderr"),
    ("PrintsDebug", "deployment", "stray_print", "'choosing among"),
    ("PrintsAfterwards", "deployment", "stray_print", "'done'"),
    ("Prompts", "handshake", "text_before", "'>' on its line"),
    ("Numbers", "deployment", "wrong_number", "copy `ask`"),
    ("NumberAsText", "deployment", "wrong_number", "as a number"),
    ("CountsOn", "second-game", "wrong_number", "from 1 in every game"),
    ("Capitals", "deployment", "capitals", "small letters"),
    ("CapitalRanks", "deployment", "capitals_in_act", "small letters"),
    ("CapitalSquares", "deployment", "capitals_in_act", "small letters"),
    ("SquaresAsNumbers", "deployment", "squares_as_numbers", "such as"),
    ("SquaresRowFirst", "deployment", "square_form", "'4a'"),
    ("RanksToSquares", "deployment", "ranks_for_squares", "from squares to ranks"),
    ("WrongVersion", "handshake", "wrong_version", "without quotes"),
    ("ArbitersTypes", "handshake", "arbiters_message", "'ready'"),
    ("BareAction", "deployment", "bare_action", '"type":"act"'),
    ("ActsAtOnce", "handshake", "other_kind", "'ready'"),
    ("PythonRepr", "handshake", "python_repr", "json.dumps"),
    ("PrettyPrints", "handshake", "pretty_printed", "one line"),
    ("TwoLines", "deployment", "two_answers", "ask 1 with more than one line"),
    ("AnswersStart", "deployment", "answer_to_no_question", "'start', which asks nothing"),
    ("UnknownField", "deployment", "unknown_field", "`comment`"),
    ("MissingField", "deployment", "missing_field", "`action`"),
    ("UnknownWish", "handshake", "unknown_wish", '"view"'),
    ("LongLine", "deployment", "too_long", "4096"),
    ("ByteOrderMark", "handshake", "foreign_encoding", "without a mark"),
    ("EmptyLine", "handshake", "empty_line", "one newline"),
    ("Text", "deployment", "out_of_form", "an answer looks like"),
    ("TraceOnStdout", "deployment", "trace_on_stdout", "KeyError"),
    ("Raises", "deployment", "exception_raised", "KeyError"),
    ("NeedsModule", "start", "module_missing", "no_such_module"),
    ("NeedsFile", "start", "file_missing", "no_such_book.json"),
    ("UsesNetwork", "start", "network_used", "no bot has"),
    ("EatsMemory", "start", "memory_exhausted", "memory_mb"),
    ("EndsEarly", "deployment", "gone_in_between", "in a loop"),
    ("OneGame", "second-game", "gone_after_a_game", "'start'"),
    ("OthersRows", "deployment", "others_rows", "the squares of red"),
    ("WrongArmy", "deployment", "wrong_army", "which has 10"),
    ("MovesBomb", "deployment", "immovable_moved", "never move"),
    ("LosesTrack", "deployment", "board_out_of_date", "`news`"),
    ("AcceptsDraws", "deployment", "draw_not_offered", "`draw_offered`"),
    ("MixesPhases", "deployment", "wrong_phase", "`phase`"),
    ("Jumps", "deployment", "against_the_rules", '"legal"'),
    ("TripsOverTheUnknown", "unknown", "stumbles_over_the_unknown", "skip"),
]
SILENT = [
    ("NeverFlushes", "start", "late_for_its_buffer", "flush"),
    ("EndsNoLine", "start", "half_a_line", "no newline"),
    ("ReadsToTheEnd", "start", "late_for_its_buffer", "line by line"),
    ("NeverReads", "start", "never_reads", "read stdin"),
    ("Sleeps", "start", "waits_in_vain", "for nothing else"),
    ("Computes", "start", "still_computing", "`clock`"),
    ("ReadsOn", "start", "waits_in_vain", "a second line"),
    ("IgnoresBye", "bye", "deaf_to_bye", "leave the loop"),
    ("IgnoresTheEnd", "end-of-input", "deaf_to_the_end", "gives no line"),
    ("LeavesOthers", "bye", "leaves_others", "outlives"),
]
"""Those that take seconds, because somebody must wait for what does not come."""


def examined(command, *words):
    """Examine a program in duels; return the exit code and what was found, by step."""
    result = call("check", command, "--rules", "duel", "--games", 1, "--json", *words)
    assert result.stderr == ""
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {one["name"]: one for one in found}


def novice(mistake):
    return f"{sys.executable} -ES {NOVICE} {mistake}"


def told(found, step, mistake, words):
    """Check that a step failed by a mistake, and that nothing failed before it."""
    assert next(name for name, one in found.items() if one["status"] == "failed") == step, found
    assert (found[step]["mistake"], words in found[step]["advice"]) == (mistake, True), found[step]


def test_who_makes_no_mistake_passes():
    code, found = examined(novice("none"))
    assert (code, {one["status"] for one in found.values()}) == (0, {"ok"})


@pytest.mark.parametrize(("name", "step", "mistake", "words"), NOVICES, ids=[row[0] for row in NOVICES])
def test_a_mistake_is_explained(name, step, mistake, words):
    code, found = examined(novice(name), "--stop")
    assert code == 1
    told(found, step, mistake, words)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "step", "mistake", "words"), SILENT, ids=[row[0] for row in SILENT])
def test_silence_is_explained(name, step, mistake, words):
    code, found = examined(novice(name), "--start", 3, "--stop")
    assert code == 1
    told(found, step, mistake, words)

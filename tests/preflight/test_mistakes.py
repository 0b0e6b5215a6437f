"""Each mistake that authors make is told by its name, with what to do; the program that makes it does not pass."""

import json
import sys
from pathlib import Path

import pytest
from cli.command_line import call, write_program
from hypothesis import given
from hypothesis import strategies as st

from arbiter.games.catalogue import find_game
from arbiter.preflight.evidence import Evidence, Silence
from arbiter.preflight.mistakes import MISTAKES, explain

TRIES = 5
NOVICE = Path(__file__).parent.parent / "bots" / "novice.py"

VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["act", "ready", "ask", "move"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "ask", "action", "pieces"]), inner)
    ),
    max_leaves=8,
)
LINE = st.binary(max_size=60) | VALUE.map(lambda value: json.dumps(value).encode())

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
    ("SquaresRowFirst", "deployment", "no_square", "a1 to j10"),
    ("RanksToSquares", "deployment", "ranks_for_squares", "from squares to ranks"),
    ("WrongVersion", "handshake", "wrong_version", "without quotes"),
    ("ArbitersTypes", "handshake", "arbiters_message", "'ready'"),
    ("BareAction", "deployment", "bare_action", '"type":"act"'),
    ("ActsAtOnce", "handshake", "other_kind", "'ready'"),
    ("PythonRepr", "handshake", "python_repr", "json.dumps"),
    ("PrettyPrints", "handshake", "pretty_printed", "one line"),
    ("SaysReadyTwice", "deployment", "two_answers", "'hello' with more than one line"),
    ("TwoLines", "deployment", "two_answers", "ask 1 with more than one line"),
    ("AnswersStart", "deployment", "answer_to_no_question", "'start', which asks nothing"),
    ("UnknownField", "deployment", "unknown_field", "`comment`"),
    ("MissingField", "deployment", "missing_field", "`action`"),
    ("UnknownWish", "handshake", "unknown_wish", '"view"'),
    ("LongLine", "deployment", "too_long", "4096"),
    ("ByteOrderMark", "handshake", "foreign_encoding", "without a mark"),
    ("EmptyLine", "handshake", "empty_line", "one newline"),
    ("UnknownType", "deployment", "unknown_type", "there is act, ready"),
    ("UnknownAction", "deployment", "unknown_type", "'walk'"),
    ("NullAction", "deployment", "out_of_form", "an answer looks like"),
    ("LongNote", "deployment", "long_note", "200 characters"),
    ("TwoOnALine", "deployment", "two_on_a_line", "a newline"),
    ("NotANumber", "deployment", "no_number", "leave it out"),
    ("TrailingComma", "handshake", "broken_json", "let a library write it"),
    ("InAList", "deployment", "no_object", "an answer looks like"),
    ("TraceOnStdout", "deployment", "trace_on_stdout", "KeyError"),
    ("Raises", "deployment", "exception_raised", "KeyError"),
    ("NeedsModule", "start", "module_missing", "no_such_module"),
    ("NeedsFile", "start", "file_missing", "no_such_book.json"),
    ("Writes", "start", "writes_beside_itself", "TMPDIR"),
    ("UsesNetwork", "start", "network_used", "no bot has"),
    ("EatsMemory", "start", "memory_exhausted", "memory_mb"),
    ("EndsEarly", "deployment", "gone_in_between", "in a loop"),
    ("EndsInError", "deployment", "ended_early", "its stderr may tell why"),
    ("Crashes", "deployment", "ended_by_signal", "SIGSEGV"),
    ("ClosesStdout", "deployment", "streams_closed", "leave both open"),
    ("OneGame", "second-game", "gone_after_a_game", "'start'"),
    ("OthersRows", "deployment", "others_rows", "the squares of red"),
    ("DeploysNothing", "deployment", "deployment_against_the_rules", "each piece of `army` once"),
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


# Programs of the referee's tests, their argument, the mistake that is named.
OTHERS = [
    ("exits_at_once", "", "ended_early"),
    ("fails_to_start", "", "module_missing"),
    ("wrong_version", "", "wrong_version"),
    ("acts_as_ready", "", "other_kind"),
    ("unknown_wish", "", "unknown_wish"),
    ("prints_banner", "", "stray_print"),
    ("wrong_setup", "forty_one", "wrong_army"),
    ("wrong_setup", "enemy_rows", "others_rows"),
    ("wrong_setup", "nothing", "deployment_against_the_rules"),
    ("wrong_setup", "no_square", "no_square"),
    ("wrong_setup_act", "cards", "deployment_against_the_rules"),
    ("wrong_setup_act", "move", "wrong_phase"),
    ("prints_debug", "", "stray_print"),
    ("floods_lines", "", "stray_print"),
    ("floods_bytes", "", "too_long"),
    ("closes_stdout", "", "streams_closed"),
    ("half_a_line_and_out", "", "ended_early"),
    ("crashes", "", "exception_raised"),
    ("answers_and_exits", "", "gone_in_between"),
    ("answers_ahead", "", "two_answers"),
    ("old_number", "", "wrong_number"),
    ("echoes", "", "arbiters_message"),
    ("kills_its_group", "", "ended_by_signal"),
    ("child_holds_the_pipes", "", "ended_early"),
    ("sneaks_a_code_in", "", "unknown_field"),
    ("wrong_line", "utf_16", "foreign_encoding"),
    ("wrong_line", "two_objects", "two_on_a_line"),
    ("wrong_line", "brackets", "no_object"),
    ("wrong_line", "lone_surrogate", "broken_json"),
    ("wrong_line", "long_number", "wrong_number"),
    ("wrong_line", "hello", "arbiters_message"),
    ("wrong_act", "bomb", "immovable_moved"),
    ("wrong_act", "off_the_board", "no_square"),
    ("wrong_act", "empty_square", "board_out_of_date"),
    ("wrong_act", "lake", "against_the_rules"),
    ("wrong_act", "power", "wrong_phase"),
    ("floods_stderr", "", "board_out_of_date"),
]
# How a program's file begins, what starts it, the mistake, words of what is said to do.
SCRIPTS = [
    ("#!/usr/bin/env python3\r\nprint(1)\r\n", "{}", "carriage_return_in_script", "LF line ends"),
    ("#!/usr/bin/env pythonn\n", "{}", "interpreter_missing", "#!/usr/bin/env python3"),
    ("#!/no/such/python\n", "{}", "interpreter_missing", "'#!/no/such/python'"),
    ("import sys\nprint('ready')\n", "{}", "no_interpreter_named", "begin it with"),
]
REPEATING = [("two-squares", "two_squares", "last 3 turns"), ("more-squares", "more_squares", "`more_squares`")]


def examined(command, *words):
    """Examine a program in duels; return the exit code and what was found, by step."""
    for _ in range(TRIES):
        result = call("check", command, "--rules", "duel", "--games", 1, "--json", *words)
        if not result.stderr.endswith("try again when this machine is less busy\n"):
            break
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


@pytest.mark.parametrize(("text", "command", "mistake", "words"), SCRIPTS, ids=[row[2] for row in SCRIPTS])
def test_what_is_wrong_with_a_script_is_explained(text, command, mistake, words, tmp_path):
    path = write_program(tmp_path / "bot", text)
    code, found = examined(command.format(path), "--stop")
    assert code == 1
    told(found, "start", mistake, words)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arg", "mistake"), OTHERS)
def test_each_way_to_misbehave_is_explained(name, arg, mistake):
    result = call("check", f"{sys.executable} -ES {NOVICE.with_name(f'{name}.py')} {arg}", "--stop", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout.splitlines()[-1])["mistake"] == mistake


def test_a_run_bit_that_only_shows_when_it_is_run_is_explained(tmp_path):
    path = write_program(tmp_path / "bot", "#!/bin/sh\n", runs=False)
    code, found = examined(f"/usr/bin/env {path}", "--stop")
    assert code == 1
    told(found, "start", "no_run_bit", f"chmod +x {path}")


def test_who_repeats_itself_is_led_to_both_rules():
    code, found = examined(novice("Wanders"))
    assert code == 1
    for step, mistake, words in REPEATING:
        assert (found[step]["mistake"], found[step]["rule"]) == (mistake, mistake)
        assert words in found[step]["advice"]


def test_luck_of_its_own_is_no_failure_but_told():
    code, found = examined(novice("Forgetful"))
    assert code == 0
    assert found["same-seed"]["status"] == "advice"
    assert "`seed`" in found["same-seed"]["says"]


def test_every_mistake_has_somebody_who_makes_it():
    made = {row[2] for row in NOVICES + SILENT + SCRIPTS} | {row[1] for row in REPEATING} | {"no_run_bit"}
    assert {mistake.__name__ for mistake in MISTAKES} == made | {"waits_for_something"}


@given(
    seen=st.builds(
        Evidence,
        fault=st.sampled_from(["no_start", "timeout", "crash", "protocol", "illegal_action", "illegal_setup", "stays"]),
        why=st.text(),
        before=LINE,
        question=LINE,
        lines=st.lists(LINE, max_size=3).map(tuple),
        stderr=st.text(),
        rule=st.sampled_from([None, "two_squares", "more_squares", "movement", "turn", "deployment"]),
        rules=st.sampled_from([None, find_game("duel").terms("red"), find_game("card-game").terms("red")]),
        silence=st.none() | st.builds(Silence, unread=st.integers(0, 9), reads=st.booleans(), busy=st.booleans()),
        command=st.just(("/bin/bot",)),
        beginning=st.binary(max_size=20) | st.just(b"#!/usr/bin/env python3\r\n"),
        games=st.integers(0, 1),
        later=st.booleans(),
    )
)
def test_whatever_is_seen_is_explained_or_not_but_never_fails(seen):
    found = explain(seen)
    assert found is None or found.says


def test_little_is_looked_through_however_much_was_written():
    seen = Evidence(fault="crash", stderr="x" * 1_000_000 + "\n" + "y\n" * 100_000 + "KeyError: 'a'")
    assert len(seen.output) < 100_000
    assert seen.output.endswith("KeyError: 'a'")

"""Every way to misbehave loses the game, names what was wrong, and leaves nothing behind."""

import re
import signal
import sys

import pytest
from msgspec.structs import replace
from referee.games_in_memory import ProgramBrain, play_brains
from referee.local_conversations import player
from referee.real_games import AMPLE, SHORT, bot, play

from arbiter.sandbox.isolation import Program
from arbiter.verify import verify

pytestmark = pytest.mark.usefixtures("adopting")
HERE = bot().folder
ANSWERS_NOTHING = "red broke the protocol: output that answers no question"
ASK_2 = "the open question is ask 2"


# program, its argument or None, ending, words of the verdict
AT_THE_START = [
    ("exits_at_once", None, "no_start", "exited with status 1; the last line on its stderr: 'nothing to do'"),
    ("fails_to_start", None, "no_start", "ModuleNotFoundError: No module named"),
    ("wrong_version", None, "protocol", "protocol 2; this arbiter uses 1"),
    ("acts_as_ready", None, "protocol", "'act' in answer to 'hello'"),
    ("unknown_wish", None, "protocol", "opponents_pieces"),
    ("prints_banner", None, "protocol", "Walker 1.0"),
]
AT_THE_SETUP = [
    ("wrong_setup", "forty_one", "illegal_setup", "a5"),
    ("wrong_setup", "missing_flag", "illegal_setup", "0 pieces of rank flag instead of 1"),
    ("wrong_setup", "two_flags", "illegal_setup", "5 pieces of rank bomb instead of 6"),
    ("wrong_setup", "enemy_rows", "illegal_setup", "deployment squares"),
    ("wrong_setup", "nothing", "illegal_setup", "0 pieces"),
    ("wrong_setup", "unknown_rank", "illegal_setup", "has no rank"),
    ("wrong_setup", "no_square", "illegal_setup", "deployment squares"),
    ("wrong_setup_act", "cards", "illegal_setup", "pieces"),
    ("wrong_setup_act", "empty", "illegal_setup", "pieces"),
    ("wrong_setup_act", "move", "illegal_action", "phase 'setup'"),
    ("wrong_setup_act", "resign", "illegal_action", "phase"),
]
IN_PLAY = [
    ("prints_debug", None, "protocol", "thinking about 2"),
    ("floods_lines", None, "protocol", "all work and no play"),
    ("floods_bytes", None, "protocol", "more than 4096 bytes"),
    ("closes_stdin", None, "crash", "closed its stdin or stdout"),
    ("closes_stdout", None, "crash", "closed its stdin or stdout"),
    ("half_a_line_and_exit", None, "crash", "exited with status 3 after part of a line"),
    ("crashes", None, "crash", "exited with status 1; the last line on its stderr: \"KeyError: 'the best move'\""),
    ("answers_and_exits", None, "crash", "exited with status 0"),
    ("answers_ahead", None, "protocol", ANSWERS_NOTHING),
    ("old_number", None, "protocol", ASK_2),
    ("echoes", None, "protocol", "ask"),
    ("kills_itself", str(signal.SIGSEGV.value), "crash", "SIGSEGV"),
    ("kills_itself", str(signal.SIGRTMIN + 3), "crash", f"signal {signal.SIGRTMIN + 3}"),
    ("kills_its_group", None, "killed", "SIGKILL"),
    ("child_holds_the_pipes", None, "crash", "exited with status 7"),
    ("unknown_field_with_escape_codes", None, "protocol", "unknown field"),
]
LINES = [
    ("nothing", "not a JSON object"),
    ("prose", "not a JSON object"),
    ("invalid_utf_8", "not valid UTF-8"),
    ("nul", "not a JSON object"),
    ("utf_16", "not a JSON object"),
    ("bom", "not a JSON object"),
    ("two_objects", "not a JSON object"),
    ("array", "Expected `object`, got `array`"),
    ("brackets", ""),
    ("many_brackets", "more than 4096 bytes"),
    ("long_number", ""),
    ("ten_thousand_digits", "more than 4096 bytes"),
    ("nan", "not a JSON object"),
    ("float", "Expected `int`, got `float`"),
    ("infinite", ""),
    ("text_for_number", "Expected `int`, got `str`"),
    ("true_for_number", "Expected `int`, got `bool`"),
    ("negative", "Expected `int` >= 1"),
    ("no_number", "missing required field `ask`"),
    ("no_action", "missing required field `action`"),
    ("null_action", "got `null`"),
    ("unknown_action", "teleport"),
    ("unknown_field", "unknown field `nonsense`"),
    ("unknown_field_in_action", "unknown field `speed`"),
    ("square_of_numbers", "$.action.src"),
    ("long_note", "$.note"),
    ("lone_surrogate", ""),
    ("ready_again", "'ready'"),
    ("hello", "hello"),
    ("over", "over"),
    ("one_byte_too_long", "more than 4096 bytes"),
]
ACTS = [
    ("opponents_piece", "illegal_action", "red has no piece on a7"),
    ("empty_square", "illegal_action", "red has no piece on a5"),
    ("bomb", "immovable_moved", "the piece on b1 never moves"),
    ("flag", "immovable_moved", "the piece on a1 never moves"),
    ("off_the_board", "illegal_action", "there is no square 'a0'"),
    ("no_square", "illegal_action", "there is no square"),
    ("lake", "illegal_action", "c5 is a lake"),
    ("jump", "illegal_action", "there is a piece in the way"),
    ("diagonal", "illegal_action", "not a straight line"),
    ("own_piece", "illegal_action", "your own piece is on b4"),
    ("too_far", "illegal_action", "the piece on a4 moves only one square"),
    ("stays", "illegal_action", "another square"),
    ("deploys_again", "illegal_action", "phase 'turn'"),
    ("another_game", "illegal_action", "phase 'turn'"),
    ("another_phase", "illegal_action", "phase 'turn'"),
    ("power", "illegal_action", "phase 'turn'"),
    ("accepts_nothing", "illegal_action", "blue has not just offered a draw"),
]
TOO_SLOW = ["sleeps_forever", "half_a_line", "one_byte_at_a_time", "stops_itself", "stops_reading"]
STRANGE = "spaces carriage_return escaped key_twice longest_line longest_note null_note nul_in_note"
LONG_LINES = ("many_brackets", "ten_thousand_digits", "one_byte_too_long")  # only the reader of a pipe refuses them
OUTSIDE = re.compile(r"[^ -~]")


def named(table):
    return [pytest.param(*row, id="-".join(word for word in row[:2] if word)) for row in table]


def program(name, arg):
    return bot(name, *([] if arg is None else [arg]))


def lost_by_red(played, ending, words):
    """Check a verdict against red: its ending, its words, and that they are fit for a terminal."""
    assert played.outcome == (ending, "blue"), played.result
    assert words in played.result.why
    assert not OUTSIDE.search(played.result.why)
    return played


@pytest.mark.parametrize(("name", "arg", "ending", "words"), named(AT_THE_START))
def test_a_bot_that_does_not_start_loses_before_any_act(name, arg, ending, words):
    played = lost_by_red(play(program(name, arg), bot()), ending, words)
    assert played.acts == ()


def lost_in_memory(name, arg, ending, words, **options):
    """Let a program of tests/bots play in this process, and check the verdict against it."""
    played = play_brains(ProgramBrain(name, arg), **options)
    assert verify(played.data).ok
    return lost_by_red(played, ending, words)


@pytest.mark.parametrize(("name", "arg", "ending", "words"), named(AT_THE_SETUP))
def test_a_refused_setup_follows_the_accepted_one_in_the_record(name, arg, ending, words):
    played = lost_in_memory(name, arg, ending, words)
    assert [act.seat for act in played.acts] == ["blue", "red"]


@pytest.mark.parametrize(("name", "arg", "ending", "words"), named(IN_PLAY))
def test_a_bot_that_fails_during_the_game_loses(name, arg, ending, words):
    lost_by_red(play(program(name, arg), bot()), ending, words)


@pytest.mark.parametrize(("name", "words"), LINES)
def test_an_invalid_message_loses_and_is_not_in_the_record(name, words):
    if name in LONG_LINES:
        played = lost_by_red(play(bot("wrong_line", name), bot()), "protocol", words)
    else:
        played = lost_in_memory("wrong_line", name, "protocol", words)
    assert len(played.acts) == 2
    assert len(played.result.why) < 500


@pytest.mark.parametrize(("name", "ending", "words"), ACTS)
def test_an_illegal_action_loses_and_is_in_the_record(name, ending, words):
    played = lost_in_memory("wrong_act", name, ending, words)
    assert [act.seat for act in played.acts] == ["red", "blue", "red"]


@pytest.mark.parametrize("name", ["bomb", "flag"])
def test_moving_a_bomb_is_only_illegal_in_some_rule_sets(name):
    lost_in_memory("wrong_act", name, "illegal_action", "never moves", rules="original-2000")


@pytest.mark.parametrize("name", TOO_SLOW)
def test_a_bot_that_is_too_slow_loses(name):
    lost_by_red(play(bot(name), bot(), time=SHORT), "timeout", "red did not answer within 120 ms")


@pytest.mark.parametrize(
    ("name", "setting", "ending"),
    [("never_ready", "start_s", "no_start"), ("sleeps_forever setup", "setup_s", "timeout")],
)
def test_a_bot_that_never_answers_loses_within_its_allowance(name, setting, ending):
    played = play(bot(*name.split()), player(), time=replace(AMPLE, **{setting: 0.3}))  # only red has a clock
    assert played.outcome == (ending, "blue")


def test_reading_a_question_slowly_is_charged():
    played = play(bot("slow_reader"), bot(), time=replace(AMPLE, bank_s=0.3))
    assert played.outcome == ("timeout", "blue")


@pytest.mark.parametrize("name", ["forks_children", "leaves_a_daemon", "never_exits"])
def test_a_bot_that_is_only_a_nuisance_plays_its_game(name):
    played = play(bot(name), bot())  # this checks that no process is left, dead or alive
    assert played.outcome == ("no_attack_limit", None)


@pytest.mark.parametrize("name", STRANGE.split())
def test_strange_but_valid_messages_are_accepted(name):
    assert play_brains(ProgramBrain("wrong_line", name)).outcome == ("no_attack_limit", None)


def test_the_middle_of_a_long_stderr_is_left_out(patient):
    played = play(bot("floods_stderr"), bot())
    assert played.outcome == ("no_attack_limit", None)
    text = played.game.log.stderr["red"]
    assert text.startswith("first words\n")
    assert "bytes left out" in text
    assert text.endswith("last words\n")
    assert len(text) < 100_000


def test_escape_codes_are_kept_but_escaped_in_the_record():
    played = play(bot("sends_escape_codes"), bot())
    assert played.record.header.seats["red"].program == "\x1b[2J\x1b[31mred\x07"
    assert b"\x1b" not in played.game.record


def test_memory_is_limited():
    greedy = replace(bot("allocates_memory"), memory_mb=100)
    lost_by_red(play(greedy, bot()), "crash", "MiB of memory, more than memory_mb = 100")


def test_both_may_lose():
    played = play(bot("exits_at_once"), bot("exits_at_once"))
    assert played.outcome == ("no_start", None)
    assert "red" in played.result.why
    assert "blue" in played.result.why


NOT_STARTED = {
    "missing": (("/no/such/program",), "not found"),
    "no_run_bit": ((str(HERE / "base.py"),), "Permission denied"),
    "a_folder": ((str(HERE),), "Permission denied"),
    "not_a_program": ((sys.executable, str(HERE / "no_such_file.py")), "No such file"),
}


@pytest.mark.parametrize("case", NOT_STARTED)
def test_a_program_that_cannot_be_started_does_not_start(case):
    argv, words = NOT_STARTED[case]
    lost_by_red(play(Program(name="ghost", argv=argv, folder=HERE), bot()), "no_start", words)


def test_a_wrong_interpreter_is_named(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    lost_by_red(play(Program(name="script", argv=(str(script),), folder=tmp_path), bot()), "no_start", "not found")

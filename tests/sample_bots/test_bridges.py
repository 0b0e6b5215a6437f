"""Bridges: programs of other arenas play complete games, and a failure is explained in one sentence."""

import os
import re
from pathlib import Path

import pytest
from bot_games import start_program
from drawing import letters_of
from referee.real_games import AMPLE, SHORT, bot, play

from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.tournament.config.bot_config import BotConfig, find_program
from protocol.bot import Game
from protocol.codec import decode_bot_line, encode
from protocol.messages import Ask, Bye, ClockState, Hello, Over, Start, TimeControl
from protocol.words import BLUE, RED, Attacked, Deployed, Removed, Revealed
from sample_bots.bridges import child
from sample_bots.bridges.bridge import ProgramMove
from sample_bots.bridges.child import ChildProgram, InputLines, ProgramFailure
from sample_bots.bridges.program_board import Point, ProgramBoard
from sample_bots.bridges.ucc import Ucc

pytestmark = pytest.mark.usefixtures("adopting")

FOREIGN = Path(__file__).parent.parent / "bots" / "foreign"
# These programs do not know the repetition rules.
NO_REPETITION_RULES = Overrides(two_squares=0, more_squares="off", max_plies=700)
RANDOM = find_program(BotConfig(name="random"), FOREIGN)
START = Start("g", find_game("original").describe(RED), RED, None, 17, TimeControl(10, 10, 0, None, 50))
NORMAL_ENDINGS = {"flag_taken", "no_pieces", "no_attack_limit", "ply_limit"}
RULES = {"ucc": "original", "infinibattle": "barrage"}
STYLES = [("ucc", ""), ("ucc", "sloppy"), ("infinibattle", ""), ("infinibattle", "wordy")]


def make_bridged_program(arena, *words, folder=FOREIGN):
    """Return a program that plays through a bridge."""
    return find_program(BotConfig(name="foreign", command=[f"{arena}-bridge", *words]), folder)


def make_checking_program(arena, seed, style=""):
    return make_bridged_program(arena, f"./{arena}.py", seed, style)


def play_complete_game(arena, red, blue, seed=3):
    """Play a game to its end; the programs check every line that they receive."""
    played = play(red, blue, rules=RULES[arena], overrides=NO_REPETITION_RULES, seed=seed)
    assert played.result.ending in NORMAL_ENDINGS, played.game
    assert "Traceback" not in str(played.game.log.stderr)


def read_program_stderr(played, seat):
    return without_dialogue(played.game.log.stderr[seat])


def without_dialogue(text):
    """Remove the lines that the bridge wrote to stderr."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(("> ", "< ")))


@pytest.mark.heavy
@pytest.mark.parametrize(("arena", "style"), STYLES)
def test_a_program_plays_red_and_blue(arena, style):
    play_complete_game(arena, make_checking_program(arena, "1", style), RANDOM)
    play_complete_game(arena, RANDOM, make_checking_program(arena, "2", style))


@pytest.mark.parametrize(("arena", "style"), [("ucc", "sloppy"), ("infinibattle", "wordy")])
def test_two_programs_play_each_other(arena, style):
    play_complete_game(arena, make_checking_program(arena, "3"), make_checking_program(arena, "4", style))


# --- the exact input ------------------------------------------------------------------------------

UCC_ROWS = "FB8sB479B8\nBB31555583\n6724898974\n967B669999\n"
# A program that sends the given answers and copies its input to stderr.
ECHOING = """
import sys
answers = {answers!r}
for line in sys.stdin:
    sys.stderr.write(line)
    if line.split()[0] in ("RED", "BLUE"):
        print(end={rows!r}, flush=True)
    rows = rows + 1 if len(line) == 11 and " " not in line else 0
    if rows == 10:
        print(answers.pop(0), flush=True)
"""


@pytest.fixture
def write_program(tmp_path):
    """Return a function that writes a short program and returns it with its bridge."""

    def write(arena, text, *options):
        path = tmp_path / f"{arena}.py"
        path.write_text(text)
        return make_bridged_program(arena, *options, f"./{path.name}", folder=tmp_path)

    return write


UCC_INPUT = """\
RED opponent 10 10
START
FB8sB479B8
BB31555583
6724898974
967B669999
..++..++..
..++..++..
##########
##########
##########
##########
0 3 down 3 DIES 9 8
9 6 UP OK
FB8sB479B8
BB31555583
6724898974
.67B669999
..++..++..
..++..++.#
#########.
##########
##########
##########
9 3 DOWN 2 BOTHDIE 9 9
8 6 UP OK
FB8sB479B8
BB31555583
6724898974
.67B66999.
..++..++..
..++..++#.
########..
##########
##########
##########
"""


def test_the_exact_input_of_a_ucc_program_and_its_log(write_program):
    answers = ["0 3 down 3 ", "9 3 DOWN 2", "surrender"]
    played = play(write_program("ucc", ECHOING.format(answers=answers, rows=UCC_ROWS)), bot())
    assert played.outcome == ("resigned", BLUE)
    assert played.acts[-1].note == "the program gave up"
    received, *_ = read_program_stderr(played, RED).partition("QUIT")  # it may have had no time to write this
    assert received == UCC_INPUT
    lines = played.game.log.stderr[RED].splitlines()
    sent = [line[2:] for line in lines if line.startswith("> ")]
    answered = [line[2:] for line in lines if line.startswith("< ")]
    assert "\n".join(sent).startswith(UCC_INPUT.rstrip("\n"))
    assert answered == [*UCC_ROWS.split(), *(answer.strip() for answer in answers)]
    order = [lines.index(line) for line in ("> RED opponent 10 10", "< 9 3 DOWN 2", "< surrender")]
    assert order == sorted(order)
    asks = {line.text: line.mark.ask for line in played.game.log.stderr_lines(RED)}
    assert [asks[f"< {answer}"] for answer in (UCC_ROWS[:10], "0 3 down 3", "surrender")] == [1, 2, 4]


QUITS = [
    ("flag_taken", "win", "player RED VICTORY"),
    ("flag_taken", "loss", "opponent BLUE VICTORY"),
    ("no_moves", "loss", "opponent BLUE VICTORY"),
    ("resigned", "loss", "player RED SURRENDER"),
    ("resigned", "win", "opponent BLUE SURRENDER"),
    ("timeout", "loss", "player RED ILLEGAL"),
    ("crash", "win", "opponent BLUE ILLEGAL"),
    ("illegal_setup", "win", "opponent BLUE BAD_SETUP"),
    ("ply_limit", "draw", "player RED DRAW_DEFAULT"),
    ("agreed", "draw", "player RED DRAW"),
    ("void", "void", "player RED INTERNAL_ERROR"),
]


@pytest.mark.parametrize(("ending", "result", "words"), QUITS)
def test_the_last_line_for_a_ucc_program(ending, result, words):
    bridge = Ucc(Game(START), child=None, repairs=False)
    deployed = [Deployed(RED, ["a4", "b1"]), Deployed(BLUE, ["a7"])]
    bridge.board.set_up(deployed, {"a4": "scout", "b1": "flag"})
    fight = [Attacked(RED, "a4", "a7"), Revealed(BLUE, "a7", "general"), Removed(RED, "a4")]
    bridge.note_move(ProgramMove("0 3 DOWN 3", Point(0, 3), Point(0, 6)))
    lines = list(bridge.closing_lines(Over("g", result, ending, "why", fight)))
    assert lines == ["0 3 DOWN 3 DIES 9 2", f"QUIT {words} 1 146 148"]


def test_the_input_of_an_infinibattle_program_after_a_fight(write_program):
    pieces = [("Scout", 0, 3), ("Scout", 9, 3), ("Marshal", 1, 0), ("General", 2, 0), ("Miner", 3, 0)]
    pieces += [("Spy", 4, 0), ("Bomb", 5, 0), ("Flag", 6, 0)]
    deployment = [{"Rank": rank, "Position": {"X": x, "Y": y}} for rank, x, y in pieces]
    text = f"""
import json, sys
print("bot-start", flush=True)
sys.stderr.write(input())
print(json.dumps({{"Pieces": {deployment}}}), flush=True)
for step in ((0, 3, 0, 6), (9, 3, 9, 4)):
    state = json.loads(input())
    while state["ActivePlayer"]:
        print(json.dumps(state["BattleResult"], separators=(",", ":")), file=sys.stderr)
        state = json.loads(input())
    x, y, to_x, to_y = step
    print(json.dumps({{"From": {{"X": x, "Y": y}}, "To": {{"X": to_x, "Y": to_y}}}}), flush=True)
"""
    setup = {"a7": "scout", "b7": "scout", "a10": "flag", "b10": "bomb", "c10": "spy", "d10": "miner"}
    setup |= {"e10": "general", "f10": "marshal"}
    other = f"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type":"ready","protocol":1,"name":"other"}}', flush=True)
    if message["type"] == "ask":
        deploy = {{"type": "deploy", "pieces": {setup}}}
        action = deploy if message["phase"] == "setup" else {{"type": "move", "src": "b7", "dst": "b6"}}
        print(json.dumps({{"type": "act", "ask": message["ask"], "action": action}}), flush=True)
"""
    red = write_program("infinibattle", text)
    (red.folder / "other.py").write_text(other)
    played = play(red, find_program(BotConfig(name="other", command=["./other.py"]), red.folder), rules="barrage")
    written = re.sub("[<>] .*\\n", "", played.game.log.stderr[RED])
    assert written.startswith(
        '{"You":0,"AvailablePieces":["Marshal","General","Miner","Scout","Scout","Spy","Bomb","Flag"]}'
        '{"Winner":null,"Attacker":{"Rank":"Scout","Player":0},"Defender":{"Rank":"Scout","Player":1},'
        '"Position":{"X":0,"Y":6}}\n'
    )


# --- moves that are not legal here ----------------------------------------------------------------

REPEATS_ILLEGAL_MOVE = (
    f"import time\ninput()\nprint(end={UCC_ROWS!r}, flush=True)\nwhile True:\n    print('0 0 UP', flush=True)\n"
)
BACK_AND_FORTH = f"""
input()
print(end={UCC_ROWS!r}, flush=True)
for turn in range(99):
    for row in range(11 if not turn else 12):
        input()
    print("0 4 UP" if turn % 2 else "0 3 DOWN", flush=True)
"""
SHORT_GAME = Overrides(max_plies=30)


def test_the_bridge_resigns_with_a_note_after_an_illegal_move(write_program):
    played = play(write_program("ucc", REPEATS_ILLEGAL_MOVE), bot())
    assert played.outcome == ("resigned", BLUE)
    assert played.acts[-1].note == "the program's '0 0 UP' is not legal here"
    assert "is not legal here; resigned" in played.game.log.stderr[RED]


def test_the_bridge_resigns_after_a_forbidden_repetition(write_program):
    played = play(write_program("ucc", BACK_AND_FORTH), bot(), overrides=SHORT_GAME)
    assert played.outcome == ("resigned", BLUE)
    assert "'0 4 UP' is not legal here" in played.acts[-1].note


def test_the_option_repair_plays_another_move(write_program):
    played = play(write_program("ucc", REPEATS_ILLEGAL_MOVE, "--repair"), RANDOM, overrides=SHORT_GAME)
    assert played.result.ending == "ply_limit"
    notes = [act.note for act in played.acts[2:] if act.seat == RED]
    assert len(notes) == 15
    assert all(note.startswith("the program's '0 0 UP' is not legal here; ") for note in notes)


def test_the_program_receives_the_move_played_instead(write_program):
    text = ECHOING.format(answers=["0 0 UP", "SURRENDER"], rows=UCC_ROWS)
    played = play(write_program("ucc", text, "--repair"), bot())
    first = played.acts[2].action
    x, y = "abcdefghij".index(first.src[0]), int(first.src[1:]) - 1
    assert f"\n{x} {y} DOWN" in read_program_stderr(played, RED)


# --- programs that fail ---------------------------------------------------------------------------

SET_UP = f"import os, subprocess, time\ninput()\nprint(end={UCC_ROWS!r}, flush=True)\n"
INIT = "import time\nprint('bot-start', flush=True)\ninput()\n"
IN_PLACE = "in place of X Y UP|DOWN|LEFT|RIGHT [N]"
FAILING = [
    ("ucc", SET_UP + "os.kill(os.getpid(), 40)", "the program was ended by signal 40"),
    ("ucc", SET_UP + "os.close(1); time.sleep(600)", "the program closed its stdin or stdout"),
    ("ucc", SET_UP + "print('hello'); time.sleep(600)", f"the program answered 'hello' {IN_PLACE}"),
    ("ucc", SET_UP + "print('x' * 99999, end=''); time.sleep(600)", "a line of more than 65536 bytes"),
    (
        "infinibattle",
        INIT + """print('{"Pieces":[{"Rank":"Spy","Position":{"X":9,"Y":10}}]}')""",
        "the program set up a piece on 9, 10, off the board",
    ),
    ("ucc", "raise SystemExit(3)", "ucc-bridge: the program ended with status 3"),
    ("ucc", "print('EXCEPTION: no'); import time; time.sleep(600)", "set up 'EXCEPTION: no': a row has 10 characters"),
    ("ucc", "print('FB8sB479Bx'); import time; time.sleep(600)", "set up 'FB8sB479Bx': 'X' is no piece"),
    ("ucc", "import sys; sys.stdout.buffer.write(bytes(10)); print()", "set up '\\x00\\x00"),
    ("ucc", SET_UP + "os.kill(os.getpid(), 9)", "the program was ended by SIGKILL"),
    ("ucc", SET_UP + "print('999999999999999999 0 UP'); time.sleep(600)", IN_PLACE),
    ("ucc", SET_UP + "print('0 0 UP -1'); time.sleep(600)", IN_PLACE),
    ("infinibattle", "print('hello')", "the program began with 'hello' in place of bot-start"),
    ("infinibattle", INIT + "print('{}')", "the program answered '{}': Object missing required field `Pieces`"),
    ("infinibattle", INIT + "print('[' * 9999)", "the program answered '[["),
]


@pytest.mark.heavy(keep=4)
@pytest.mark.parametrize(("arena", "text", "words"), FAILING, ids=[words[-30:] for _, _, words in FAILING])
def test_a_program_that_fails_loses_with_an_explanation(write_program, arena, text, words):
    played = play(write_program(arena, text), bot() if arena == "ucc" else RANDOM, rules=RULES[arena])
    assert played.outcome == ("crash", BLUE)
    assert words in played.game.log.stderr[RED].splitlines()[-1]
    assert f"{arena}-bridge: the program " in played.result.why.replace("\\'", "'")


def test_a_program_without_its_interpreter_does_not_start(tmp_path):
    path = tmp_path / "script"
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    played = play(make_bridged_program("ucc", "./script", folder=tmp_path), bot())
    assert played.outcome == ("no_start", BLUE)
    assert f"the program {path} cannot be started: No such file or directory" in played.result.why


SILENT = [
    ("ucc", "import time; time.sleep(600)"),
    ("ucc", SET_UP + "time.sleep(600)"),
    ("ucc", SET_UP + "while True: print()"),
    ("infinibattle", "import time; time.sleep(600)"),
]


@pytest.mark.parametrize(("arena", "text"), SILENT)
@pytest.mark.slow(keep=1)
def test_a_program_that_never_answers_loses_on_time(write_program, arena, text):
    time = type(SHORT)(
        start_s=20, setup_s=0.3 if text.startswith("import") else 1.5, bank_s=0.4, increment_s=0, margin_ms=100
    )
    played = play(write_program(arena, text), bot() if arena == "ucc" else RANDOM, rules=RULES[arena], time=time)
    assert played.outcome == ("timeout", BLUE)


@pytest.mark.heavy(keep=2)
@pytest.mark.parametrize(
    "text",
    [
        "subprocess.Popen(['sleep', '600'])\nprint('SURRENDER', flush=True)",
        "print('SURRENDER', flush=True)\nos.setsid()\nos.closerange(0, 3)\ntime.sleep(600)",
        "print('SURRENDER', flush=True)\nwhile True: time.sleep(600)",
        "print('no_move', flush=True)",
    ],
)
def test_no_process_of_a_program_is_left(write_program, text):
    assert play(write_program("ucc", SET_UP + text), bot()).outcome == ("resigned", BLUE)


@pytest.fixture
def arbiter(monkeypatch):
    """Return a reader of the arbiter's lines, and the descriptor to which the arbiter writes."""
    monkeypatch.setattr(child, "GRACE_S", 0.01)  # the programs do not exit by themselves
    source, sink = os.pipe()
    yield InputLines(source), sink
    os.close(source)
    os.close(sink)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda program: program.receive(), "the program did not answer while the arbiter waited"),
        (lambda program: program.send("x" * 1_000_000), "the program did not read while the arbiter waited"),
    ],
)
def test_the_bridge_stops_waiting_when_the_arbiter_sends_a_line(arbiter, ask, words):
    lines, sink = arbiter
    program = ChildProgram(["sleep", "600"], lines)
    os.write(sink, b"{}\n")
    with pytest.raises(ProgramFailure) as caught:
        ask(program)
    program.end("bye")
    assert str(caught.value) == words


def test_a_line_read_together_with_the_question_ends_the_wait(arbiter):
    lines, sink = arbiter
    os.write(sink, b"question\nover\n")
    assert next(iter(lines)) == b"question"
    program = ChildProgram(["sleep", "600"], lines)
    with pytest.raises(ProgramFailure):
        program.receive()
    program.end()


# --- several games --------------------------------------------------------------------------------


def test_each_game_has_its_own_program(write_program):
    bridge = write_program(
        "ucc", "import sys\nprint('began', file=sys.stderr)\n" + SET_UP + "print(input(), file=sys.stderr)"
    )
    game = (START, Ask(1, "setup", [], ClockState(10_000, 10_000, None, 0)), Over("g", "void", "void", "off", []))
    with start_program(bridge.argv) as process:
        answers = [exchange(process, message) for message in (Hello(1, "test"), *game, *game, Bye())]
        rest, logged = process.communicate(timeout=60)
    assert [type(answer).__name__ for answer in answers if answer] == ["Ready", "Act", "Act"]
    assert answers[2] == answers[5]
    assert (rest, process.returncode) == (b"", 0)
    assert without_dialogue(logged.decode()) == "began\nQUIT opponent BLUE INTERNAL_ERROR 0 148 148\n" * 2


def exchange(process, message):
    """Send a message to a bot, and wait for its answer if the message requires one."""
    process.stdin.write(encode(message))
    process.stdin.flush()
    return decode_bot_line(process.stdout.readline()) if isinstance(message, Hello | Ask) else None


# --- coordinates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "place", "point"),
    [(RED, "a1", Point(0, 0)), (RED, "j3", Point(9, 2)), (BLUE, "a10", Point(0, 0)), (BLUE, "j3", Point(9, 7))],
)
def test_the_first_player_is_at_the_top_of_the_board(first, place, point):
    board = ProgramBoard(find_game("original").describe(first), RED)
    assert (board.points[place], board.places[point], board.to_move) == (point, place, first)


# --- from a given position ------------------------------------------------------------------------

APART = """
10 .. .. .. .. .. .. .. .. .. bF
 7 .. .. .. .. .. .. .. .. b5 b4
 4 r4 r5 .. .. .. .. .. .. .. ..
 1 rF .. .. .. .. .. .. .. .. ..
"""
APART_INPUT = """\
BLUE opponent 10 10
1 3 DOWN OK
#.........
..........
..........
#.........
.#++..++..
..++..++..
........67
..........
..........
.........F
"""


def test_a_ucc_program_receives_a_given_position(write_program):
    blue = write_program("ucc", ECHOING.format(answers=["9 6 UP", "SURRENDER"], rows=UCC_ROWS))
    played = play(bot("scripted", "b4-b5"), blue, position=letters_of(APART))
    assert played.outcome == ("resigned", RED)
    assert [act.seat for act in played.acts] == [RED, BLUE, RED, BLUE]
    assert read_program_stderr(played, BLUE).startswith(APART_INPUT)


def test_an_infinibattle_program_receives_a_given_position(write_program):
    text = """
import json, sys
print("bot-start", flush=True)
input()
print('{"Pieces":[]}', flush=True)
state = json.loads(input())
for cell in state["Board"]:
    if cell["Rank"]:
        print(cell["Coordinate"]["X"], cell["Coordinate"]["Y"], cell["Rank"], cell["Owner"], file=sys.stderr)
print('{"From":{"X":1,"Y":3},"To":{"X":1,"Y":4}}', flush=True)
"""
    played = play(write_program("infinibattle", text), bot("scripted", "resign"), position=letters_of(APART))
    assert played.outcome == ("resigned", RED)
    lines = read_program_stderr(played, RED).splitlines()
    assert lines == ["0 0 Flag 0", "0 3 Sergeant 0", "1 3 Lieutenant 0", "8 6 ? 1", "9 6 ? 1", "9 9 ? 1"]


# --- rules that the programs do not know ----------------------------------------------------------


@pytest.mark.parametrize(
    ("arena", "rules", "words"),
    [
        ("ucc", "card-game", "card-game has no board of 10 by 10 squares"),
        ("infinibattle", "infiltrator", "infiltrator has pieces that the program does not know: infiltrator"),
    ],
)
def test_a_game_that_the_program_does_not_know_is_reported(arena, rules, words):
    played = play(make_checking_program(arena, "1"), RANDOM, rules=rules, overrides=Overrides(), time=AMPLE)
    assert played.outcome == ("crash", BLUE)
    assert words in played.result.why

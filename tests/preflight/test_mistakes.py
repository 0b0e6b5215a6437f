"""Each known mistake is recognised and explained; a bot that makes it does not pass the check."""

import json
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from cli.command_line import StartedArbiter, bot_processes_in, call, write_program
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.games.catalogue import find_game
from arbiter.preflight.evidence import BotActivity, Evidence
from arbiter.preflight.mistakes import MISTAKES, explain
from protocol.codec import ProtocolError, decode_bot_line
from protocol.reasons import BrokeProtocol, Exited, ProgramEnded, Signalled, UsedMemory

TRIES = 5
NOVICE = Path(__file__).parent.parent / "bots" / "novice.py"

LINE_OF_ERROR = 1 + NOVICE.read_text("utf-8").splitlines().index('        return self.rules["best move"]')

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

# Class of the novice, step that fails, mistake, words of the advice; first those of the short run, some of each kind.
IN_SHORT_RUN = 22
NOVICES = [
    ("PrintsBanner", "handshake", "stray_print", "Print to stderr"),
    ("PrintsDebug", "opening", "stray_print", "'choosing among"),
    ("WrongNumber", "opening", "wrong_number", "Copy `ask`"),
    ("CapitalTypes", "opening", "capitals", "lower case"),
    ("BareAction", "opening", "bare_action", '"type":"act"'),
    ("PythonRepr", "handshake", "python_repr", "json.dumps"),
    ("TwoLines", "opening", "two_answers", "ask 1 with more than one line"),
    ("MissingField", "opening", "missing_field", "`action`"),
    ("LongLine", "opening", "too_long", "4096"),
    ("RaisesException", "opening", "exception_raised", f"is in line {LINE_OF_ERROR} of '{NOVICE}'"),
    ("NeedsModule", "start", "module_missing", "no_such_module"),
    ("UsesNetwork", "start", "network_used", "no bot has"),
    ("ExitsAfterAnswer", "opening", "gone_in_between", "in a loop"),
    ("Crashes", "opening", "ended_by_signal", "SIGSEGV"),
    ("ClosesStdout", "opening", "streams_closed", "Leave both open"),
    ("OneGame", "second-game", "gone_after_a_game", "'start'"),
    ("OthersRows", "opening", "others_rows", "the squares of red"),
    ("WrongArmy", "opening", "wrong_army", "which has 10"),
    ("MovesBomb", "opening", "immovable_moved", "never move"),
    ("SwapsSquares", "opening", "swapped", "`src` is the square of its own piece"),
    ("ActsForAnotherPhase", "opening", "wrong_phase", "`phase`"),
    ("FailsOnUnknownFields", "unknown", "stumbles_over_the_unknown", "Skip"),
    ("PrintsAfterwards", "opening", "stray_print", "'done'"),
    ("WritesPrompt", "handshake", "text_before", "wrote '>' before"),
    ("NumberAsText", "opening", "wrong_number", "as a number"),
    ("NeverRestartsCount", "second-game", "wrong_number", "from 1 in every game"),
    ("CapitalRanks", "opening", "capitals_in_act", "lower case"),
    ("CapitalSquares", "opening", "capitals_in_act", "lower case"),
    ("SquaresAsNumbers", "opening", "squares_as_numbers", "such as"),
    ("SquaresRowFirst", "opening", "no_square", "a1 to j10"),
    ("RanksToSquares", "opening", "ranks_for_squares", "maps squares to ranks"),
    ("WrongVersion", "handshake", "wrong_version", "without quotes"),
    ("UsesArbiterTypes", "handshake", "arbiters_message", "'ready'"),
    ("ActsAtOnce", "handshake", "other_kind", "'ready'"),
    ("PrettyPrints", "handshake", "pretty_printed", "one line"),
    ("SendsReadyTwice", "opening", "second_ready", "in one line"),
    ("SendsReadyAtStart", "opening", "second_ready", "do not answer 'start'"),
    ("AnswersStart", "opening", "answer_to_no_question", "'start', which is not a question"),
    ("RepeatsLastAnswer", "opening", "two_answers", "ask 1 with more than one line"),
    ("AnswersOver", "second-game", "answer_to_no_question", "'over', which is not a question"),
    ("NumericRanks", "opening", "ranks_as_numbers", '"marshal" or "scout"'),
    ("NumericRanksAsText", "opening", "unknown_rank", "lists them: marshal, general"),
    ("UnknownField", "opening", "unknown_field", "`comment`"),
    ("UnknownWish", "handshake", "unknown_wish", '"view"'),
    ("ByteOrderMark", "handshake", "foreign_encoding", "without a byte order mark"),
    ("EmptyLine", "handshake", "empty_line", "one newline"),
    ("UnknownType", "opening", "unknown_type", "types: act, ready"),
    ("UnknownAction", "opening", "unknown_type", "'walk'"),
    ("NullAction", "opening", "no_action", "null as `action`"),
    ("LongNote", "opening", "long_note", "200 characters"),
    ("HugeEvaluation", "opening", "wrong_evaluation", "from -10000 to 10000"),
    ("EvaluationAsText", "opening", "wrong_evaluation", "a number"),
    ("TwoAnswersInOneLine", "opening", "two_on_a_line", "a newline"),
    ("NotANumber", "opening", "no_number", "leave the field out"),
    ("StopsInDebugger", "opening", "debugger", "breakpoint()"),
    ("TrailingComma", "handshake", "broken_json", "Use a JSON library"),
    ("AnswersWithList", "opening", "no_object", "An answer looks like"),
    ("TraceOnStdout", "opening", "trace_on_stdout", "KeyError"),
    ("NeedsKit", "start", "kit_missing", "Do not install the package `protocol` of PyPI"),
    ("NeedsFile", "start", "file_missing", "no_such_book.json"),
    ("WritesFile", "start", "writes_beside_itself", "TMPDIR"),
    ("RunsOutOfMemory", "start", "memory_exhausted", "memory_mb"),
    ("StartsTooManyThreads", "start", "threads_exhausted", "OMP_NUM_THREADS"),
    ("ExitsWithError", "opening", "ended_early", "The last line of its stderr is"),
    ("DeploysNothing", "opening", "deployment_against_the_rules", "each piece of `army` once"),
    ("MovesEmptySquare", "opening", "board_out_of_date", "`news`"),
    ("MirrorsBlue", "opening", "mirrored", "plays blue, seems to turn"),
    ("AttacksByName", "opening", "attack_for_move", "by a 'move'"),
    ("AcceptsDraws", "opening", "draw_not_offered", "`draw_offered`"),
    ("MovesTooFar", "opening", "against_the_rules", "can play "),
    ("Grows", "memory", "memory_grows", "limit its size"),
]
# Like NOVICES: mistakes in the text of a line, which the same code finds.
FORMS = [
    ("PiecesAsList", "opening", "list_of_pieces", '"pieces":{"f4":"marshal"'),
    ("DeploysNoPieces", "opening", "empty_deployment", "Object.fromEntries"),
    ("RanksAsObjects", "opening", "ranks_as_objects", "A rank is a string"),
    ("PrintsBytes", "handshake", "bytes_repr", "line.decode()"),
    ("FloatNumber", "opening", "wrong_number", "without a decimal point"),
    ("WishAsText", "handshake", "unknown_wish", "must be a list"),
    ("OffersDrawAsAction", "opening", "draw_as_action", '"offer_draw":true'),
    ("SendsAllLegalActions", "opening", "list_of_actions", "Choose one action"),
    ("SendsIndexOfAction", "opening", "number_of_action", "an index into `legal`"),
    ("ActionAsText", "opening", "text_as_action", "encode it as JSON once"),
    ("EncodesTwice", "handshake", "encoded_twice", "Encode it once"),
    ("WritesPythonWords", "handshake", "python_words", "true, false and null"),
    ("PrintsUnquotedNames", "handshake", "unquoted_names", "JSON.stringify"),
    ("PrintsObject", "handshake", "printed_object", "JSON.stringify"),
    ("PrintsNothingFound", "opening", "printed_value", "'undefined'"),
    ("OfferAsText", "opening", "wrong_type", "requires bool, not str, in `offer_draw`"),
    ("WritesFromAndTo", "opening", "unknown_field", "`from` into its action, but an action 'move' has only these"),
    ("HasNoName", "handshake", "missing_field", '"name":"mybot"'),
    ("EmptyName", "handshake", "empty_text", "`name` is empty"),
]
SILENT = [
    ("NeverFlushes", "start", "late_for_its_buffer", "flush"),
    ("NeverEndsLine", "start", "half_a_line", "without a newline"),
    ("ReadsAllInputFirst", "start", "late_for_its_buffer", "line by line"),
    ("Prompts", "start", "prompts", "'press a key'"),
    ("AnswersOnStderr", "start", "answers_on_stderr", "to stdout"),
    ("WaitsAfterError", "start", "waits_after_an_error", "TypeError"),
    ("NeverReads", "start", "never_reads", "Read stdin"),
    ("SleepsAtStart", "start", "waits_in_vain", "without waiting for anything else"),
    ("Computes", "start", "still_computing", "Answer 'hello' first"),
    ("WaitsForAnotherLine", "start", "waits_in_vain", "a second line"),
    ("IgnoresBye", "bye", "deaf_to_bye", "Leave the loop"),
    ("IgnoresEndOfInput", "end-of-input", "deaf_to_the_end", "returns no more lines"),
    ("LeavesProcess", "bye", "leaves_others", "outlives"),
]
"""Classes of the novice that take seconds, because the check waits for a timeout."""

# Program in tests/bots, argument if any, mistake.
MISBEHAVING_BOTS = """
exits_at_once:ended_early fails_to_start:module_missing wrong_version:wrong_version acts_as_ready:other_kind
unknown_wish:unknown_wish prints_banner:stray_print wrong_setup/forty_one:wrong_army
wrong_setup/enemy_rows:others_rows wrong_setup/nothing:deployment_against_the_rules wrong_setup/no_square:no_square
wrong_setup_act/cards:deployment_against_the_rules wrong_setup_act/move:wrong_phase prints_debug:stray_print
floods_lines:stray_print floods_bytes:too_long closes_stdout:streams_closed half_a_line_and_exit:ended_early
crashes:exception_raised answers_and_exits:gone_in_between answers_ahead:two_answers old_number:wrong_number
echoes:arbiters_message kills_its_group:not_killed_by_arbiter kills_itself/15:ended_by_signal
child_holds_the_pipes:ended_early unknown_field_with_escape_codes:unknown_field wrong_line/utf_16:foreign_encoding
wrong_line/two_objects:two_on_a_line wrong_line/brackets:stray_print wrong_line/lone_surrogate:broken_json
wrong_line/long_number:wrong_number wrong_line/hello:arbiters_message wrong_act/bomb:immovable_moved
wrong_act/off_the_board:no_square wrong_act/empty_square:board_out_of_date wrong_act/lake:against_the_rules
wrong_act/power:wrong_phase floods_stderr:board_out_of_date
"""
# Text of the program, command, mistake, words of the advice.
SCRIPTS = [
    ("#!/usr/bin/env python3\r\nprint(1)\r\n", "{}", "carriage_return_in_script", "LF line ends"),
    ("#!/usr/bin/env pythonn\n", "{}", "interpreter_missing", "#!/usr/bin/env python3"),
    ("#!/no/such/python\n", "{}", "interpreter_missing", "'#!/no/such/python'"),
    ("#!/bin/sh\nread line\nno-such-command\n", "{}", "command_missing", "'no-such-command'"),
    ("import sys\nprint('ready')\n", "{}", "no_interpreter_named", "Begin the file with"),
]
# Mistake, words of the advice, output of a real program with the escapes of Python.
ERRORS = r"""
exception_raised | 'called `Option::unwrap()` on a `None` value'. The error is in line 7 of 'src/main.rs' | \nthread 'main' (81) panicked at src/main.rs:7:5:\ncalled `Option::unwrap()` on a `None` value\nnote: run with
exception_raised | 'panic: assignment to entry in nil map'. The error is in line 9 of '/src/bot/main.go' | panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/bot/main.go:9 +0x12b\n
exception_raised | deadlock | fatal error: all goroutines are asleep - deadlock!\n
exception_raised | std::out_of_range | terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check\n
exception_raised | The error is in line 3 of 'bot.c' | bot: bot.c:3: main: Assertion `n == 7' failed.\n
exception_raised | The error is in line 2 of 'Bot.java' | Exception in thread "main" java.lang.NullPointerException\n\tat java.base/java.util.A.b(A.java)\n\tat Bot.main(Bot.java:2)\n
exception_raised | NullReference | Unhandled Exception:\nSystem.NullReferenceException: Object reference\n
exception_raised | The error is in line 4 of 'bot.pl' | no book at bot.pl line 4, <STDIN> line 1.\n
network_used | no bot has | OSError: [Errno 97] Address family not supported by protocol\n
network_used | not even to servers on this machine | Error: connect ECONNREFUSED 127.0.0.1:11434\n
network_used | no bot has | Exception in thread "main" java.net.UnknownHostException: example.org\n
exception_raised | line 12 of 'Bot.kt' | Exception in thread "main" kotlin.KotlinNullPointerException\n\tat BotKt.main(Bot.kt:12)\n
exception_raised | line 7 of 'Bot/main.swift' | Bot/main.swift:7: Fatal error: Index out of range\n
exception_raised | Bot.hs | bot: Prelude.head: empty list\nCallStack (from HasCallStack):\n  error, called at libraries/base/GHC/List.hs:1646:3 in base:GHC.List\n  badHead, called at libraries/base/GHC/List.hs:1643:28 in base:GHC.List\n  head, called at Bot.hs:9:12 in main:Main\n
exception_raised | Not_found | Fatal error: exception Not_found\nRaised at Stdlib__Hashtbl.find in file "hashtbl.ml", line 539, characters 13-28\n
exception_raised | line 14 of '/bot/bot.php' | PHP Fatal error:  Uncaught TypeError: count(): Argument #1 ($value) must be of type Countable|array, null given in /bot/bot.php:14\nStack trace:\n#0 {main}\n  thrown in /bot/bot.php on line 14\n
exception_raised | line 8 of 'bot.lua' | lua: bot.lua:8: attempt to index a nil value (local 'rules')\nstack traceback:\n\tbot.lua:8: in main chunk\n\t[C]: in ?\n
exception_raised | line 5 of 'bot.rb' | bot.rb:5:in `<main>': undefined method `size' for nil:NilClass (NoMethodError)\n
exception_raised | line 6 of '/bot/bot.jl' | ERROR: LoadError: KeyError: key "army" not found\nStacktrace:\n [1] getindex(h::Dict{String, Int64}, key::String)\n   @ Base ./dict.jl:498\n [2] top-level scope\n   @ /bot/bot.jl:6\nin expression starting at /bot/bot.jl:6\n
exception_raised | could not find function | Error in fromJSON(line) : could not find function "fromJSON"\nExecution halted\n
exception_raised | line 11 of 'bot.exs' | ** (KeyError) key :army not found in: %{id: 1}\n    bot.exs:11: (file)\n
exception_raised | line 9 of '/bot/bot.nim' | /bot/bot.nim(9)          bot\n/usr/lib/nim/system/fatal.nim(53) sysFatal\nError: unhandled exception: index 3 not in 0 .. 2 [IndexDefect]\n
exception_raised | line 9 of '/bot/bot.zig' | thread 21 panic: index out of bounds: index 3, len 3\n/bot/bot.zig:9:12: 0x1034b in main (bot)\n
exception_raised | line 8 of '/bot/bot.dart' | Unhandled exception:\nRangeError (index): Invalid value: Not in inclusive range 0..2: 3\n#0      List.[] (dart:core-patch/growable_array.dart:264:36)\n#1      main (file:///bot/bot.dart:8:5)\n
exception_raised | line 12 of '/bot/Bot.cs' | Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.\n   at Bot.Main() in /bot/Bot.cs:line 12\n
exception_raised | line 7 of 'bot.d' | core.exception.ArrayIndexError@bot.d(7): index [3] is out of bounds for array of length 3\n----------------\n??:? _d_arraybounds_index\n
exception_raised | no match of right hand side | escript: exception error: no match of right hand side value eof\n  in function  bot__escript__1__2:main/1 (/bot/bot, line 5)\n
exception_raised | NoSuchElement | java.util.NoSuchElementException: key not found: army\n\tat scala.collection.immutable.Map$Map1.apply(Map.scala:249)\n\tat Bot$.main(Bot.scala:9)\n
exception_raised | line 7 of '/bot/bot.ts' | error: Uncaught (in promise) TypeError: Cannot read properties of undefined (reading 'army')\n    at file:///bot/bot.ts:7:20\n
exception_raised | line 7 of '/bot/bot.ts' | 7 | const n = rules.army.length\n              ^\nTypeError: undefined is not an object (evaluating 'rules.army')\n      at /bot/bot.ts:7:17\n
module_missing | 'ws' | node:internal/errors:497\n    ErrorCaptureStackTrace(err);\n    ^\n\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'ws' imported from /bot/bot.mjs\n    at packageResolve\n
exception_raised | line 31 of '/src/bot/main.go' | panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.choose(...)\n\t/src/bot/main.go:31\nmain.main()\n\t/src/bot/main.go:12 +0x1d\nexit status 2\n
exception_raised | missing field | Error: Error("missing field `army`", line: 1, column: 20)\n
module_missing | com/google/gson/Gson | Exception in thread "main" java.lang.NoClassDefFoundError: com/google/gson/Gson\n\tat Bot.main(Bot.java:5)\n
file_missing | book.json | Exception in thread "main" java.nio.file.NoSuchFileException: book.json\n\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:92)\n\tat Bot.main(Bot.java:9)\n
exception_raised | parse_error | terminate called after throwing an instance of 'nlohmann::json_abi_v3_11_2::detail::parse_error'\n  what():  [json.exception.parse_error.101] parse error at line 1\n
memory_misused | heap-buffer-overflow | =================================================================\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018 at pc 0x\nREAD of size 4 at 0x602000000018 thread T0\n    #0 0x4011c5 in main /bot/bot.c:12:5\n
exception_raised | line 12 of 'bot.f90' | At line 12 of file bot.f90 (unit = 5, file = 'stdin')\nFortran runtime error: End of file\n
exception_raised | line 9 of 'bot.pas' | Runtime error 216 at $0000000000401A2F\n  $0000000000401A2F  main,  line 9 of bot.pas\n
exception_raised | is not of type NUMBER | Unhandled SIMPLE-TYPE-ERROR in thread #<SB-THREAD:THREAD "main thread" RUNNING>: The value NIL is not of type NUMBER\n
file_missing | book.json | PHP Warning:  file_get_contents(book.json): Failed to open stream: No such file or directory in /bot/bot.php on line 3\nPHP Fatal error:  Uncaught ValueError: empty in /bot/bot.php:4\n
file_missing | book.json | bot.rb:2:in `read': No such file or directory @ rb_sysopen - book.json (Errno::ENOENT)\n\tfrom bot.rb:2:in `<main>'\n
file_missing | book.json | panic: open book.json: no such file or directory\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/bot/main.go:9 +0x1d\n
command_missing | java | /usr/bin/env: 'java': No such file or directory\n
exception_raised | line 3 of '/bot/bot.js' | /bot/bot.js:3\nbest ??= move;\n     ^^^\n\nSyntaxError: Unexpected token '??='\n    at wrapSafe\n
module_missing | cjson | lua: bot.lua:1: module 'cjson' not found:\n\tno field package.preload['cjson']\n
memory_exhausted | eap exhausted | bot: Heap exhausted;\nbot: Current maximum heap size is 67108864 bytes (64 MB).\nbot: Use `+RTS -M<size>' to increase it.\n
endless_recursion | recursion | Fatal error: exception Stack_overflow\n
endless_recursion | recursion | runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n
endless_recursion | recursion | Exception in thread "main" java.lang.StackOverflowError\n\tat Bot.f(Bot.java:4)\n\tat Bot.f(Bot.java:4)\n
exception_raised | line 6 of 'bot.pl' | Global symbol "$rules" requires explicit package name (did you forget to declare "my $rules"?) at bot.pl line 6.\nExecution of bot.pl aborted due to compilation errors.\n
ended_early | stderr is 'quux: no way' | quux: no way\n\n
"""
# The same, after why the program ended; some wrote nothing.
ENDS = r"""
SIGKILL out_of_memory | not_killed_by_arbiter | This machine ran out of memory
SIGKILL sandbox_killed | not_killed_by_arbiter | Neither the arbiter nor the bot
used 64 | memory_exhausted | (it used more than memory_mb = 64)
SIGKILL 64 | memory_exhausted | `memory_mb`
SIGXFSZ | ended_by_signal | a file that is too large
SIGSEGV | ended_by_signal | an endless recursion
SIGABRT | memory_misused | 'free(): double free | free(): double free detected in tcache 2\n
SIGABRT | endless_recursion | recursion | thread 'main' (49) has overflowed its stack\n
exited 1 | other_kind_of_module | .mjs | /bot/a.cjs:1\nimport fs from 'fs';\n\nSyntaxError: Cannot use import statement outside a module\n    at wrapSafe\n
exited 2 | exception_raised | is in line 4 of 'bot.sh' | bot.sh: 4: Syntax error: end of file unexpected (expecting "done")\n
exited 2 | exception_raised | is in line 4 of 'bot.bash' | bot.bash: line 4: syntax error near unexpected token `done'\nbot.bash: line 4: `done'\n
exited 1 | class_missing | class path | Error: Could not find or load main class Bot\nCaused by: java.lang.ClassNotFoundException: Bot\n
exited 1 | older_java | --release 17 | java.lang.UnsupportedClassVersionError: Bot ... this version only recognizes class file versions up to 61.0\n
exited 1 | file_missing | the file 'no.jar' | Error: Unable to access jarfile no.jar\n
exited 126 | built_for_another_machine | another processor | bash: ./bot: cannot execute binary file: Exec format error\n
exited 1 | newer_library | -static | ./bot: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by ./bot)\n
"""
# Lines of bots in other languages than Python, mistake, words of the advice.
FOREIGN_LINES = [
    (b"HASH(0x558200396068)", "printed_object", "encode_json"),
    (b"Act@7ad041f3", "printed_object", "Gson"),
    (b"map[protocol:1 type:ready]", "printed_object", "json.Marshal"),
    (b"[object Promise]", "printed_object", "JSON.stringify"),
    (b'{"type"=>"act", "ask"=>1, "action"=>{"type"=>"resign"}}', "unquoted_names", "to_json"),
    (b"{type:act,ask:1,action:{type:resign}}", "unquoted_names", "single quotes"),
    (b'{"type":"act","ask":1,"action":{"type":"resign"},"eval":0,35}', "decimal_comma", "Locale.ROOT"),
    (b'{"type":"act","ask":1,"action":{}}', "empty_action", "await"),
    (b"[info: 3 moves]", "stray_print", "stderr"),
    (b'fromList [("type",String "act"),("ask",Number 1.0)]', "printed_object", "of its language"),
    (b"Act { ask: 1, action: Resign }", "unquoted_names", "of its language"),
    (b'%{type: "act", ask: 1, action: %{type: "resign"}}', "printed_object", "of its language"),
    (b'["type": "act", "ask": 1]', "printed_object", "of its language"),
    (b"Act(ask=1, action=Resign)", "printed_object", "of its language"),
    (b"Array", "printed_object", "of its language"),
    (b"(null)", "printed_value", "The bot prin"),
    (b'{"type":"act","ask":1,"action":{"type":"resign"},"eval":-nan}', "no_number", "The bot wrot"),
    (b'{"type":"act","ask":1,"action":{"type":"resign"},"eval":Infinity}', "no_number", "The bot wrot"),
    (b'{"Type":"act","Ask":1,"Action":{"Type":"resign"}}', "capitals", "lower case"),
    (b'{"Act":{"ask":1,"action":"Resign"}}', "missing_field", "type"),
    (b'{"type":"act","ask":1,"action":{"type":"move","src":"a4","dst":"a5","pieces":null}}', "unknown_field", "pieces"),
    (b"type: act", "stray_print", "The bot prin"),
]
REPEATING = [("two-squares", "two_squares", "last 3 turns"), ("more-squares", "more_squares", "`more_squares`")]


def run_check(command, *words):
    """Check a program in duels; return the exit code and the findings by step."""
    for _ in range(TRIES):
        result = call("check", command, "--rules", "duel", "--games", 1, "--json", *words)
        if not result.stderr.endswith("try again when this machine is less busy\n"):
            break
    assert result.stderr == ""
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {one["name"]: one for one in found}


def novice_command(name):
    return f"{sys.executable} -ES {NOVICE} {name}"


def assert_explained(command, step, mistake, words, *options):
    """Assert that a step fails by a mistake, and no step before it; return the advice."""
    code, found = run_check(command, "--stop", *options)
    assert code == 1
    assert next(name for name, one in found.items() if one["status"] == "failed") == step, found
    assert (found[step]["mistake"], words in found[step]["advice"]) == (mistake, True), found[step]
    return found[step]["advice"]


def assert_explanation(evidence, mistake, words):
    explanation = explain(evidence)
    assert (explanation.mistake, words in explanation.advice) == (mistake, True), explanation


def split_rows(table, count):
    """Split the lines of a table into fields; the last contains escapes."""
    rows = [[*line.split(" | ", count - 1), ""][:count] for line in table.strip().splitlines()]
    return [(*fields, text.encode().decode("unicode_escape")) for *fields, text in rows]


def test_a_bot_without_mistakes_passes():
    code, found = run_check(novice_command("none"))
    assert (code, {one["status"] for one in found.values()}) == (0, {"ok"})


@pytest.mark.heavy(keep=IN_SHORT_RUN)
@pytest.mark.parametrize(("name", "step", "mistake", "words"), NOVICES, ids=[row[0] for row in NOVICES])
def test_a_mistake_is_explained(name, step, mistake, words):
    assert_explained(novice_command(name), step, mistake, words)


@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(("name", "step", "mistake", "words"), FORMS, ids=[row[0] for row in FORMS])
def test_a_mistake_in_the_form_of_a_line_is_explained(name, step, mistake, words):
    assert_explained(novice_command(name), step, mistake, words)


# The arbiter waits as long again for the late answer, and the start of Python takes a part of this.
@pytest.mark.heavy
@pytest.mark.parametrize("name", ["StartsLate", pytest.param("ComputesLate", marks=pytest.mark.slow)])
def test_a_slow_start_is_explained(name):
    words = "to check the bot with it, use --start"
    advice = assert_explained(novice_command(name), "start", "late", words, "--start", 3)
    assert float(re.search(r"after ([\d.]+) s", advice)[1]) >= 3.2


@pytest.mark.heavy
def test_a_slow_answer_is_explained():
    words = "Read `clock` in the question"
    advice = assert_explained(novice_command("SleepsBeforeMoves"), "opening", "late", words, "--set", "move_s=1")
    assert 1.4 <= float(re.search(r"after ([\d.]+) s", advice)[1]) < 10


@pytest.mark.slow
@pytest.mark.parametrize(("name", "step", "mistake", "words"), SILENT, ids=[row[0] for row in SILENT])
def test_a_missing_answer_is_explained(name, step, mistake, words):
    assert_explained(novice_command(name), step, mistake, words, "--start", 2)


@pytest.mark.parametrize("ending", ["py", "js", "mjs"])
@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=2)
def test_the_line_of_a_syntax_error_is_shown(ending, tmp_path):
    bot = tmp_path / f"bot.{ending}"
    bot.write_text("x = 1\n\ndef f(:\n" if ending == "py" else "let x = 1;\n\nlet y = ;\n", encoding="utf-8")
    node = shutil.which("node")
    if ending != "py" and node is None:
        pytest.skip("there is no node here")
    command = f"{sys.executable if ending == 'py' else node} {bot}"
    assert_explained(command, "start", "exception_raised", f"The error is in line 3 of '{bot}'.")


KIT_USER = "from protocol.bot import run\nrun(None, name='x')\n"


@pytest.mark.parametrize(
    ("file", "command", "mistake", "words"),
    [
        ("protocol.py", "{}", "kit_hidden", "Rename the file"),
        ("protocol/__init__.py", f"{sys.executable} -ES {{}}", "kit_missing", "it is another project"),
    ],
)
def test_what_hides_the_kit_is_explained(tmp_path, file, command, mistake, words):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("class Step: ...\n", encoding="utf-8")
    assert_explained(command.format(write_program(tmp_path / "bot.py", KIT_USER)), "start", mistake, words)


# Text of the program after the import, mistake, words of the advice.
KIT_MISTAKES = [
    ("def choose(turn):\n    pass\nrun(choose, name='x')\n", "wrong_choice", "'choose (line 2 of "),
    ("def choose(turn):\n    return turn.legal[0]\nrun(choose, name='x')\n", "exception_raised", "is in line 3 of "),
]


@pytest.mark.parametrize(("text", "mistake", "words"), KIT_MISTAKES, ids=[row[1] for row in KIT_MISTAKES])
def test_the_line_of_a_bot_that_misuses_the_kit_is_shown(text, mistake, words, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(f"from protocol.bot import run\n{text}", encoding="utf-8")
    assert f"{bot}" in assert_explained(f"{sys.executable} {bot}", "opening", mistake, words)


def test_no_advice_installs_the_package_of_another_project():
    evidence = Evidence(fault="no_start", stderr="ModuleNotFoundError: No module named 'protocol'")
    assert "pip install protocol" not in explain(evidence).advice
    assert "Install it" not in explain(evidence).advice


def runs_its_program(pid):
    """Return True if the launcher of a process has started the program; False if the process has ended, too."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return len(words) > 1 and b"launcher" not in words


def test_a_kill_from_outside_is_explained(tmp_path):
    bot = write_program(tmp_path / "bot.py", NOVICE.read_text(encoding="utf-8"))
    with StartedArbiter("check", f"{bot} SleepsInSetup", "--rules", "duel", "--stop", "--json") as started:
        started.read_until("handshake")
        while not (pids := [pid for pid in bot_processes_in(tmp_path) if runs_its_program(pid)]):
            time.sleep(0.01)
        os.kill(pids[0], signal.SIGKILL)
        assert started.finish() == (1, "")
    found = json.loads(started.lines[-1])
    assert (found["name"], found["mistake"]) == ("opening", "not_killed_by_arbiter")
    assert "the arbiter did not send it" in found["advice"]


@pytest.mark.parametrize(("mistake", "words", "stderr"), split_rows(ERRORS, 3))
def test_the_errors_of_other_languages_are_found(stderr, mistake, words):
    assert_explanation(Evidence(fault="crash", reason=read_end("exited 1"), stderr=stderr), mistake, words)


def read_end(text):
    how, value, *_ = [*text.split(), ""]
    limit_mb = int(value) if value.isdecimal() else None
    if how == "exited":
        return ProgramEnded("red", Exited(limit_mb))
    end = UsedMemory(70, limit_mb) if how == "used" else Signalled(how, limit_mb)
    return ProgramEnded("red", end, kill=None if limit_mb or not value else value)


@pytest.mark.parametrize(("end", "mistake", "words", "stderr"), split_rows(ENDS, 4))
def test_the_ends_of_programs_are_explained(stderr, end, mistake, words):
    assert_explanation(Evidence(fault="crash", reason=read_end(end), stderr=stderr), mistake, words)


@pytest.mark.parametrize(("line", "mistake", "words"), FOREIGN_LINES, ids=[row[0].decode() for row in FOREIGN_LINES])
def test_the_lines_of_other_languages_are_explained(line, mistake, words):
    with pytest.raises(ProtocolError) as refused:
        decode_bot_line(line)
    question = b'{"type":"ask","ask":1,"phase":"turn"}'
    evidence = Evidence(
        fault="protocol", reason=BrokeProtocol("red", str(refused.value)), question=question, lines=(line,)
    )
    assert_explanation(evidence, mistake, words)


def test_a_line_of_white_space_is_explained():
    """65,000 spaces would take half a minute if a pattern tried each way to share them."""
    line = b'{"' + b" " * 65_000 + b"}x"
    question = b'{"type":"ask","ask":1,"phase":"turn"}'
    assert explain(Evidence(fault="protocol", question=question, lines=(line,))).mistake == "broken_json"


@pytest.mark.heavy
def test_a_prompt_before_moves_is_explained():
    assert_explained(novice_command("PromptsBeforeMoves"), "opening", "prompts", "'press a key'", "--set", "move_s=1")


@pytest.mark.parametrize(("text", "command", "mistake", "words"), SCRIPTS, ids=[row[2] for row in SCRIPTS])
def test_a_mistake_in_a_script_is_explained(text, command, mistake, words, tmp_path):
    path = write_program(tmp_path / "bot", text)
    assert_explained(command.format(path), "start", mistake, words)


@pytest.mark.slow
@pytest.mark.parametrize("row", MISBEHAVING_BOTS.split())
def test_the_mistake_of_a_misbehaving_bot_is_explained(row):
    name, arg, mistake = re.fullmatch(r"(\w+)/?(\w*):(\w+)", row).groups()
    result = call("check", f"{sys.executable} -ES {NOVICE.with_name(f'{name}.py')} {arg}", "--stop", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout.splitlines()[-1])["mistake"] == mistake


def test_a_missing_run_bit_found_only_at_the_start_is_explained(tmp_path):
    path = write_program(tmp_path / "bot", "#!/bin/sh\n", runs=False)
    assert_explained(f"/usr/bin/env {path}", "start", "no_run_bit", f"chmod +x {path}")


@pytest.mark.heavy
def test_a_bot_that_repeats_moves_breaks_both_rules():
    code, found = run_check(novice_command("IgnoresRepetitionRules"))
    assert code == 1
    for step, mistake, words in REPEATING:
        assert (found[step]["mistake"], found[step]["rule"]) == (mistake, mistake)
        assert words in found[step]["advice"]


@pytest.mark.heavy
def test_growth_that_ends_is_no_mistake():
    code, found = run_check(novice_command("GrowsAtFirst"))
    assert code == 0
    assert re.search(r"in \d{2,} turns in a row, it stopped growing$", found["memory"]["says"])


@pytest.mark.heavy
def test_own_random_numbers_give_advice_but_no_failure():
    code, found = run_check(novice_command("OwnRandomSeed"))
    assert code == 0
    assert found["same-seed"]["status"] == "advice"
    assert "`seed`" in found["same-seed"]["says"]


def test_every_mistake_is_made_by_some_test_bot():
    made = {row[2] for row in NOVICES + FORMS + SILENT + SCRIPTS} | {row[1] for row in REPEATING} | {"no_run_bit"}
    made |= {row[1] for row in [*split_rows(ENDS, 4), *FOREIGN_LINES]}
    made |= {row[1] for row in KIT_MISTAKES} | {"kit_hidden", "late", "not_killed_by_arbiter"}
    assert {name.partition("/")[0] for name in MISTAKES} == made | {
        "waits_for_something",
        "bank_runs_out",
        "out_of_time",
        "silent",
    }


@given(
    evidence=st.builds(
        Evidence,
        fault=st.sampled_from(
            ["no_start", "timeout", "crash", "protocol", "illegal_action", "illegal_setup", "ignores_bye"]
        ),
        reason=st.none() | st.builds(BrokeProtocol, st.just("red"), st.text()),
        line_before=LINE,
        question=LINE,
        lines=st.lists(LINE, max_size=3).map(tuple),
        stderr=st.text(),
        rule=st.sampled_from([None, "two_squares", "more_squares", "movement", "turn", "opening"]),
        rules=st.sampled_from([None, find_game("duel").describe("red"), find_game("card-game").describe("red")]),
        activity=st.none()
        | st.builds(BotActivity, unread_bytes=st.integers(0, 9), keeps_reading=st.booleans(), uses_cpu=st.booleans()),
        command=st.just(("/bin/bot",)),
        file_start=st.binary(max_size=20) | st.just(b"#!/usr/bin/env python3\r\n"),
        games_before=st.integers(0, 1),
        future_protocol=st.booleans(),
    )
)
@example(evidence=Evidence(fault="protocol", lines=(b'{"type":[]}',)))
def test_explaining_any_evidence_never_raises(evidence):
    explanation = explain(evidence)
    assert explanation is None or explanation.advice


def test_only_the_end_of_a_long_output_is_searched():
    evidence = Evidence(fault="crash", stderr="x" * 1_000_000 + "\n" + "y\n" * 100_000 + "KeyError: 'a'")
    assert len(evidence.output) < 100_000
    assert evidence.output.endswith("KeyError: 'a'")

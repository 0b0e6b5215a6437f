"""Mistakes of programs: they do not start, do not answer, end too early, or do not end."""

import re
from collections.abc import Callable, Container
from typing import Final

from arbiter.errors import write_count
from arbiter.preflight.evidence import ENDED, NO_ANSWER, BotActivity, BotFault, Evidence, Finder, Found
from protocol.codec import quote
from protocol.reasons import ClosedStreams, Exited, NotReady, Signalled

_NATIVE: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_MISSING: Final = (
    r"ModuleNotFoundError: No module named '([^']+)'",
    r"ImportError: .*?'([^']+)'",
    r"Cannot find (?:module|package) '([^']+)'",
    r"(?:NoClassDefFoundError|ClassNotFoundException): (\S+)",
    r"Can't locate (\S+) in @INC",
    r"cannot load such file -- (\S+)",
    r"error while loading shared libraries: ([^:]+)",
    r"module '([^']+)' not found:",  # Lua
)
_NO_FILE: Final = (
    r"FileNotFoundError: .*?'([^']+)'",
    r"ENOENT: .*?'([^']+)'",
    r"can't open file '([^']+)'",
    r"Unable to access jarfile (\S+)",
    r"NoSuchFileException: (\S+)",
    r"\((\S+)\): [Ff]ailed to open stream: No such file",  # PHP
    r"No such file or directory @ rb_sysopen - (\S+)",
    r"open (\S+): no such file or directory",  # Go
)
_CANNOT_WRITE: Final = (
    r"Read-only file system: '([^']+)'",
    r"PermissionError: .*?'([^']+)'",
    r"(?:EROFS|EACCES): .*?'([^']+)'",
)
_NO_NETWORK: Final = (
    r"Network is unreachable",
    r"Temporary failure in name resolution",
    r"ENETUNREACH|EAI_AGAIN|ENOTFOUND|EAFNOSUPPORT|ECONNREFUSED",
    r"(?i)Address family not supported|Protocol family unavailable",
    r"UnknownHostException|no such host|Connection refused",
)
_NO_MEMORY: Final = (
    r"(MemoryError)",
    r"(bad_alloc)",
    r"(heap out of memory)",
    r"(OutOfMemoryError)",
    r"(Cannot allocate memory)",
    r"(Could not reserve enough space)",
    r"(Could not (?:reserve|allocate) (?:compressed class|metaspace|code cache)[^\n]*)",
    r"(GC heap initialization failed)",
    r"([Hh]eap exhausted)",
)
_NO_THREADS: Final = (
    r"(unable to create (?:new )?native thread)",
    r"(can't start new thread)",
    r"(pthread_create failed)",
    r"(Resource temporarily unavailable)",
)
_MISUSED_MEMORY: Final = (  # messages of glibc before SIGABRT
    r"(?m)^((?:free|malloc|realloc|calloc|munmap_chunk)\(\): .*)$",
    r"(?m)^(.*(?:stack smashing detected|double free or corruption|corrupted size).*)$",
    r"(?m)^==\d+==(ERROR: AddressSanitizer: .*)$",
)
_CLASS_VERSION_OF_JAVA_0: Final = 44
_EXCEPTIONS: Final = (
    r"(?m)^Traceback \(most recent call last\)(?:.*\n)+?(\w[\w.]*(?:: .*)?)$",
    r"(?m)^(?:Uncaught )?(\w*Error: .*)$",
    r"(?m)^Exception in thread \"[^\"]*\" (.*)$",
    r"(?m)^thread '[^']*'(?: \(\d+\))? panicked at .*:\n(.*)$",
    r"(?m)^((?:panic|fatal error): .*)$",
    r"(?m)^terminate called after throwing an instance of (.*(?:\n +what\(\): .*)?)$",
    r"(?m)^Unhandled [Ee]xception[:.]\s*(.*)$",
    r"(?m)^(.*Assertion .* failed\.)$",
    r"(?m)^(.* at \S+ line \d+\b.*)$",
    r"(?m)^\S+: (?:line )?\d+: ([Ss]yntax error.*)$",  # shells
    r"(?m)^([\w.$]+(?:Exception|Error)\b.*)\n\s+at ",  # Java
    r"(?m)^error: (?:Uncaught )?(?:\(in promise\) )?(.*)$",  # Deno
    r"(?m)^\S+: (Fatal error: .*)$",  # Swift
    r"(?m)^(Fatal error: exception .*)$",  # OCaml
    r"(?m)^PHP (?:Fatal|Parse) error: +(.*)$",
    r"(?m)^lua\S*: (.*)$",
    r"(?m)^\S+\.rb:\d+:in .*?: (.*\([\w:]+\))$",
    r"(?m)^(.*)\nCallStack \(from HasCallStack\)",  # Haskell
    r"(?m)^ERROR: (.*)$",  # Julia
    r"(?m)^(Error in .*)$",  # R
    r"(?m)^(\*\* \(\w[\w.]*\) .*)$",  # Elixir
    r"(?m)^escript: (exception .*)$",  # Erlang
    r"(?m)^thread \d+ (panic: .*)$",  # Zig
    r"(?m)^([\w.]+@\S+\(\d+\): .*)$",  # D
    r"(?m)^(Fortran runtime error: .*)$",
    r"(?m)^(Runtime error \d+ at .*)$",  # Pascal
    r"(?m)^(Unhandled [A-Z][\w:-]+ in .*(?:\n +.*)?)$",  # Lisp
)
_PLACES: Final = (  # of errors: the first match is the place
    r"(?m)^(?:file://)?(/.*):(\d+)$",  # Node
    r"(?m)^thread .* panicked at (.*?):(\d+):\d+:$",  # Rust
    r"(?m)^\t(?!.*/src/(?:runtime|internal)/)(/.*\.go):(\d+)\b",
    r"(?m)^\s+at (?!(?:java|javax|jdk|sun|kotlin|scala)[./])[^\n(]+\(([^():]+\.(?:java|kt|scala)):(\d+)\)",
    r"(?m)^(?:\S+: )?(\S+):(\d+): .*Assertion ",  # C
    r"(?m) at (\S+) line (\d+)\b",  # Perl
    r"(?m)^(\S+): (?:line )?(\d+): [Ss]yntax error",  # shells
    r"(?m)^ +at (?:.*\()?(?:file://)?(/\S+\.[cm]?[jt]sx?):(\d+):\d+\)?$",
    r"(?m)^(\S+\.swift):(\d+): ",
    r"(?m) in (/\S+\.php)(?::| on line )(\d+)",
    r"(?m)^lua\S*: (\S+?):(\d+): ",
    r"(?m)^(\S+\.rb):(\d+):in ",
    r"called at (?!libraries/)(\S+\.hs):(\d+):",
    r"(?m)^in expression starting at (\S+):(\d+)$",  # Julia
    r"(?m)^ +(\S+\.exs?):(\d+): ",
    r"\((/\S+), line (\d+)\)",  # Erlang
    r"(?m)^(/\S+\.nim)\((\d+)\)",
    r"(?m)^(/\S+\.zig):(\d+):\d+: ",
    r"\(file://(/\S+\.dart):(\d+):",
    r"(?m) in (\S+\.cs):line (\d+)$",
    r"(?m)^[\w.]+@(\S+)\((\d+)\): ",  # D
    r"(?m)^At line (\d+) of file (\S+)",  # Fortran
    r"line (\d+) of (\S+\.pas)",
)


def search_output(*patterns: str, faults: Container[BotFault] = ENDED) -> Finder:
    """Return a search for the first pattern in the output of a program that ended, which quotes the groups."""

    def find(evidence: Evidence) -> Found:
        output = evidence.output if evidence.fault in faults else ""
        found = next((found for pattern in patterns if (found := re.search(pattern, output))), None)
        return found and (tuple(quote(group.encode()) for group in found.groups()) or True)

    return find


def read_interpreter_line(evidence: Evidence) -> bytes:
    """Return the line that names a script's interpreter, b"" if there is none."""
    line = evidence.file_start.split(b"\n")[0]
    return line if line.startswith(b"#!") else b""


def find_carriage_return(evidence: Evidence) -> Found:
    return evidence.fault in ENDED and read_interpreter_line(evidence).endswith(b"\r") and (evidence.command[0],)


def find_missing_interpreter(evidence: Evidence) -> Found:
    line = read_interpreter_line(evidence)
    is_missing = evidence.fault == "no_start" and re.search(r"not found|No such file", evidence.output) is not None
    return bool(line) and is_missing and (quote(line),)


def names_no_interpreter(evidence: Evidence) -> Found:
    is_script = bool(evidence.file_start) and not evidence.file_start.startswith((b"#!", *_NATIVE))
    at_start = evidence.question_object.get("type") in (None, "hello")
    return is_script and at_start and evidence.fault in (*ENDED, "protocol")


def find_file_without_run_bit(evidence: Evidence) -> Found:
    found = re.search(r"([^\s:\u2018\u2019'\"]+)[\u2019'\"]?: Permission denied", evidence.output)
    return evidence.fault == "no_start" and evidence.end == Exited(126) and found and (found[1], found[1])


def find_old_java(evidence: Evidence) -> Found:
    """Find the version of a Java that cannot run the classes of the bot."""
    found = re.search(r"UnsupportedClassVersionError.* up to (\d+)\.", evidence.output)
    java = int(found[1]) - _CLASS_VERSION_OF_JAVA_0 if found else 0
    return bool(found) and (str(java), str(java))


def find_lack_of_memory(evidence: Evidence) -> Found:
    limit_mb = getattr(evidence.end, "memory_mb", None)
    at_limit = limit_mb and (f"it used more than memory_mb = {limit_mb}",)
    return search_output(*_NO_MEMORY)(evidence) or at_limit


def find_signal(evidence: Evidence) -> Found:
    name = evidence.end.signal if isinstance(evidence.end, Exited | Signalled) else ""
    return bool(name) and (name.partition(" ")[0],)


def find_error(evidence: Evidence) -> Found:
    """Find an error in the output of a program that ended or does not answer, with its file and line."""
    error = search_output(*_EXCEPTIONS, faults=(*ENDED, *NO_ANSWER))(evidence)
    if not isinstance(error, tuple):
        return None
    frames: list[tuple[str, str]] = re.findall(r'(?m)^ +File "([^"<]+)", line (\d+)', evidence.output)
    own = [frame for frame in frames if not re.search(r"/(?:python3[\d.]*|site-packages|protocol)/", frame[0])]
    # The name of a file is no number, so it comes first.
    others = [
        sorted(found.groups(), key=str.isdigit) for pattern in _PLACES if (found := re.search(pattern, evidence.output))
    ]
    for file, line in (*own[-1:], *frames[-1:], *others[:1]):
        return *error, f"The error is in line {line} of {quote(file.encode())}"
    return *error, "Its traceback shows the line"


def find_last_words(evidence: Evidence) -> Found:
    """Find the last line of stderr of a program that ended with an error which is not known."""
    lines = [line.strip() for line in evidence.stderr.splitlines() if line.strip()]
    is_error = isinstance(evidence.end, Exited) and evidence.end.status > 0
    return is_error and bool(lines) and (quote(lines[-1].encode()),)


def silent(find: Callable[[BotActivity], Found]) -> Finder:
    """Return a search in what a bot does that does not answer."""
    return lambda evidence: evidence.fault in NO_ANSWER and evidence.activity is not None and find(evidence.activity)


def find_answer_on_stderr(evidence: Evidence) -> Found:
    return evidence.fault in NO_ANSWER and re.search(r'(?m)^\{"type": ?"(?:ready|act)"', evidence.stderr) is not None


def find_prompt(evidence: Evidence) -> Found:
    """Find text before which a bot that does not answer, or answers late, waited for input."""
    late = b"" if evidence.activity is None or evidence.activity.late_s is None else evidence.activity.output_at_end
    prompt = (evidence.lines[-1] if evidence.lines else late).partition(b"{")[0].strip()
    return evidence.fault in NO_ANSWER and bool(prompt) and (quote(prompt),)


def find_unfinished_line(evidence: Evidence) -> Found:
    return evidence.fault in NO_ANSWER and bool(evidence.lines) and (quote(evidence.lines[-1]),)


def is_silent_in_game(evidence: Evidence) -> Found:
    """Return True if a bot never answered in a stored game, and nothing is known about its process."""
    is_late = evidence.fault == "timeout" or isinstance(evidence.reason, NotReady)
    return is_late and evidence.activity is None and not evidence.answers_ms and not evidence.lines


def find_times(evidence: Evidence) -> Found:
    """Find the times of a stored game that was lost on time."""
    times_ms = evidence.answers_ms
    if evidence.fault != "timeout" or evidence.activity is not None or not times_ms:
        return None
    return f"{sum(times_ms) / 1000:.1f}", write_count(len(times_ms), "answer"), f"{max(times_ms) / 1000:.1f}"


_is_computing: Final = silent(lambda bot: bot.uses_cpu)
_is_late: Final = silent(lambda bot: bot.late_s is not None and (f"{bot.late_s:.1f}",))
_is_running: Final = silent(lambda _bot: True)

MISTAKES: Final[dict[str, Finder]] = {
    "carriage_return_in_script": find_carriage_return,
    "no_interpreter_named": names_no_interpreter,
    "command_missing": search_output(r"(?m)^\S+: (?:line )?\d+: (\S+): (?:command )?not found$"),
    "interpreter_missing": find_missing_interpreter,
    "command_missing/env": search_output(r"(?m)^\S*env: [\u2018'](\S+?)[\u2019']: No such file"),
    "no_run_bit": find_file_without_run_bit,
    "kit_hidden": search_output("'protocol' is not a package"),
    "kit_missing": search_output(r"(?:No module named|cannot import name '\w+' from) 'protocol(?:\.\w+)*'"),
    "built_for_another_machine": search_output(r"Exec format error|cannot execute binary file"),
    "newer_library": search_output(r"version `?((?:GLIBC|GLIBCXX|CXXABI)_[\d.]+)'? not found"),
    "class_missing": search_output(r"Could not find or load main class (\S+)"),
    "older_java": find_old_java,
    "other_kind_of_module": search_output(r"(Cannot use import statement outside a module|require is not defined)"),
    "module_missing": search_output(*_MISSING),
    "file_missing": search_output(*_NO_FILE),
    "network_used": search_output(*_NO_NETWORK),
    "writes_beside_itself": search_output(*_CANNOT_WRITE),
    "threads_exhausted": search_output(*_NO_THREADS),
    "memory_exhausted": find_lack_of_memory,
    "endless_recursion": search_output(r"overflowed its stack|[Ss]tack[ _]?[Oo]verflow|stack level too deep"),
    "wrong_choice": search_output(r"TypeError: the bot returned (.*) in phase '(\w+)' from (.*); it must return"),
    "waits_after_an_error": lambda evidence: (
        (evidence.fault == "timeout" or evidence.activity is not None) and find_error(evidence)
    ),
    "exception_raised": find_error,
    "answers_on_stderr": find_answer_on_stderr,
    "prompts": find_prompt,
    "late/start": lambda evidence: evidence.fault == "no_start" and _is_late(evidence),
    "late": _is_late,
    "half_a_line": find_unfinished_line,
    "late_for_its_buffer": silent(lambda bot: bool(bot.output_at_end) and (quote(bot.output_at_end),)),
    "never_reads": silent(lambda bot: not bot.uses_cpu and bot.unread_bytes > 0),
    "still_computing/start": lambda evidence: evidence.fault == "no_start" and _is_computing(evidence),
    "still_computing": _is_computing,
    "waits_for_something": silent(lambda bot: not bot.keeps_reading),
    "waits_in_vain": lambda evidence: not evidence.lines and _is_running(evidence),
    "silent": is_silent_in_game,
    "out_of_time": find_times,
    "gone_after_a_game": lambda evidence: evidence.fault in ("crash", "killed") and evidence.games_before > 0,
    "gone_in_between": lambda evidence: evidence.fault != "killed" and evidence.end == Exited(0),
    "deaf_to_bye": lambda evidence: evidence.fault == "ignores_bye",
    "deaf_to_the_end": lambda evidence: evidence.fault == "ignores_end_of_input",
    "memory_grows": lambda evidence: evidence.growth_mib > 0 and (f"{evidence.growth_mib:.2g} MiB",),
    "leaves_others": lambda evidence: evidence.fault == "leaves_processes",
    "not_killed_by_arbiter/memory": lambda evidence: evidence.kill == "out_of_memory",
    "not_killed_by_arbiter/sandbox": lambda evidence: evidence.kill == "sandbox_killed",
    "not_killed_by_arbiter": lambda evidence: evidence.kill is not None,
    "memory_misused": search_output(*_MISUSED_MEMORY),
    "ended_by_signal": find_signal,
    "streams_closed": lambda evidence: isinstance(evidence.end, ClosedStreams),
    "ended_early/error": find_last_words,
    "ended_early": lambda evidence: isinstance(evidence.end, Exited),
}

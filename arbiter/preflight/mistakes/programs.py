"""Mistakes of programs: what does not start, or falls over something that is not there where it is played."""

import re
from typing import Final

from arbiter.preflight.evidence import Evidence
from protocol.codec import quote

_FELL: Final = ("no_start", "crash")
_NATIVE: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_MISSING: Final = (
    r"ModuleNotFoundError: No module named '([^']+)'",
    r"ImportError: .*?'([^']+)'",
    r"Cannot find (?:module|package) '([^']+)'",
    r"(?:NoClassDefFoundError|ClassNotFoundException): (\S+)",
    r"Can't locate (\S+) in @INC",
    r"cannot load such file -- (\S+)",
    r"error while loading shared libraries: ([^:]+)",
)
_NO_FILE: Final = (
    r"FileNotFoundError: .*?'([^']+)'",
    r"ENOENT: .*?'([^']+)'",
    r"can't open file '([^']+)'",
)
_CANNOT_WRITE: Final = (
    r"Read-only file system: '([^']+)'",
    r"PermissionError: .*?'([^']+)'",
    r"(?:EROFS|EACCES): .*?'([^']+)'",
)
_NO_NETWORK: Final = (
    r"(Network is unreachable)",
    r"(Temporary failure in name resolution)",
    r"(ENETUNREACH|EAI_AGAIN|ENOTFOUND)",
)
_NO_MEMORY: Final = (
    r"(MemoryError)",
    r"(bad_alloc)",
    r"(heap out of memory)",
    r"(OutOfMemoryError)",
    r"(Cannot allocate memory)",
    r"(Could not reserve enough space)",
)
_EXCEPTIONS: Final = (
    r"(?m)^Traceback \(most recent call last\)(?:.*\n)+?(\w[\w.]*(?:: .*)?)$",
    r"(?m)^(?:Uncaught )?(\w*Error: .*)$",
    r"(?m)^Exception in thread \"[^\"]*\" (.*)$",
    r"(?m)^thread '[^']*' panicked at (.*)$",
)


def _found(patterns: tuple[str, ...], text: str) -> str | None:
    """Return what the first pattern that matches has found, fit to be quoted."""
    match = next((match for pattern in patterns if (match := re.search(pattern, text))), None)
    return quote(match[1].encode()) if match else None


def _first_line(seen: Evidence) -> bytes:
    """Return the line that names a script's interpreter; empty where there is none."""
    line = seen.beginning.split(b"\n")[0]
    return line if line.startswith(b"#!") else b""


def carriage_return_in_script(seen: Evidence) -> str | None:
    """Recognise a script that was saved with the line ends of another system."""
    if seen.fault not in _FELL or not _first_line(seen).endswith(b"\r"):
        return None
    return (
        "The first line of its program ends in CR LF, so the system looks for an interpreter whose name ends in a "
        f"carriage return: save the file with LF line ends, as by: sed -i 's/\\r$//' {seen.command[0]}"
    )


def interpreter_missing(seen: Evidence) -> str | None:
    """Recognise a script whose interpreter is not there."""
    first = _first_line(seen)
    if not first or seen.fault != "no_start" or not re.search(r"not found|No such file", seen.output):
        return None
    return (
        f"Its first line, {quote(first)}, names an interpreter that is not there: programs are looked for in "
        "/usr/local/bin, /usr/bin and /bin; name one that is, as in #!/usr/bin/env python3, or give a command in "
        'quotes that names it, as in "venv/bin/python mybot.py"'
    )


def no_interpreter_named(seen: Evidence) -> str | None:
    """Recognise a script that a shell has tried to run, for want of a first line."""
    is_script = bool(seen.beginning) and not seen.beginning.startswith((b"#!", *_NATIVE))
    if not is_script or seen.fault not in (*_FELL, "protocol") or seen.asked.get("type") not in (None, "hello"):
        return None
    return (
        "Its program does not begin with a line that names its interpreter, so a shell has run it: begin it with one "
        'such as #!/usr/bin/env python3, or name the interpreter in the command, as in "python3 mybot"'
    )


def no_run_bit(seen: Evidence) -> str | None:
    """Recognise a program that may not be run."""
    found = re.search(r"([^\s:\u2018\u2019'\"]+)[\u2019'\"]?: Permission denied", seen.output)
    if seen.fault != "no_start" or "status 126" not in seen.why or found is None:
        return None
    return f"The program {found[1]} may not be run: chmod +x {found[1]}"


def module_missing(seen: Evidence) -> str | None:
    """Recognise what is not installed where the bot is played."""
    if seen.fault not in _FELL or (name := _found(_MISSING, seen.output)) is None:
        return None
    return (
        f"It needs {name}, which is not there where it is played: install that for the very interpreter that runs the "
        'bot (one of a virtual environment is named in the command, as in "venv/bin/python mybot.py"), '
        "or put it into the bot's folder"
    )


def file_missing(seen: Evidence) -> str | None:
    """Recognise a file that the bot looks for in vain."""
    if seen.fault not in _FELL or (name := _found(_NO_FILE, seen.output)) is None:
        return None
    return (
        f"It looks for {name}, which is not there: a bot begins in its own folder and sees no other; "
        "put the file there, or let the organiser declare it with `read`"
    )


def network_used(seen: Evidence) -> str | None:
    """Recognise a bot that would speak to others."""
    if seen.fault not in _FELL or _found(_NO_NETWORK, seen.output) is None:
        return None
    return "It uses the network, which no bot has: put all that it needs into its folder"


def writes_beside_itself(seen: Evidence) -> str | None:
    """Recognise a bot that writes where it may not."""
    if seen.fault not in _FELL or (name := _found(_CANNOT_WRITE, seen.output)) is None:
        return None
    return f"It may not open {name}: a bot's folder can only be read; write into the folder that TMPDIR or /tmp names"


def memory_exhausted(seen: Evidence) -> str | None:
    """Recognise a bot that got no more memory."""
    if seen.fault not in _FELL or (what := _found(_NO_MEMORY, seen.output)) is None:
        return None
    return (
        f"It ran out of memory ({what}): let it keep less, or let the organiser give it more with `memory_mb`; "
        "what counts is address space, of which some runtimes reserve much unless told (node --max-old-space-size)"
    )


def ended_by_signal(seen: Evidence) -> str | None:
    """Recognise a program that the system has ended."""
    found = re.search(r"was ended by (\w+)|as (SIG\w+) makes it", seen.why)
    if seen.fault not in _FELL or found is None:
        return None
    return (
        f"The system has ended it, by {found[1] or found[2]}: SIGSEGV, SIGABRT and SIGBUS tell of memory that was not "
        "its own, SIGKILL of too much memory, SIGXFSZ of too long a file"
    )


def streams_closed(seen: Evidence) -> str | None:
    """Recognise a program that lives and has closed what it is to speak through."""
    if seen.fault not in _FELL or "closed its stdin or stdout" not in seen.why:
        return None
    return "It has closed its stdin or its stdout, and lives: leave both open until 'bye'"


def ended_early(seen: Evidence) -> str | None:
    """Say of any other program that has ended what may tell why."""
    if seen.fault not in _FELL or "exited with status" not in seen.why:
        return None
    return (
        "Its program ended in the middle of the conversation: its stderr may tell why; else start it by hand, and "
        "paste the lines that it was sent"
    )


def exception_raised(seen: Evidence) -> str | None:
    """Recognise a bot that fell over an error of its own."""
    if seen.fault not in _FELL or (what := _found(_EXCEPTIONS, seen.output)) is None:
        return None
    return f"It ended by an error of its own, {what}: its trace tells the line"

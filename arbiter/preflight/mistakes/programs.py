"""Mistakes in programs: they do not start, or they end with an error."""

import re
from typing import Final

from arbiter.preflight.evidence import Evidence
from protocol.codec import quote

_ENDED: Final = ("no_start", "crash", "killed")
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
    r"(Could not (?:reserve|allocate) (?:compressed class|metaspace|code cache)[^\n]*)",
    r"(GC heap initialization failed)",
)
_NO_THREADS: Final = (
    r"(unable to create (?:new )?native thread)",
    r"(can't start new thread)",
    r"(pthread_create failed)",
    r"(Resource temporarily unavailable)",
)
_KIT: Final = r"(?:No module named|cannot import name '\w+' from) '(protocol(?:\.\w+)*)'"
_EXCEPTIONS: Final = (
    r"(?m)^Traceback \(most recent call last\)(?:.*\n)+?(\w[\w.]*(?:: .*)?)$",
    r"(?m)^(?:Uncaught )?(\w*Error: .*)$",
    r"(?m)^Exception in thread \"[^\"]*\" (.*)$",
    r"(?m)^thread '[^']*' panicked at (.*)$",
)


def _search(patterns: tuple[str, ...], evidence: Evidence) -> str | None:
    """Return what the first pattern that matches found in the output of a program that ended, as quoted text."""
    if evidence.fault not in _ENDED:
        return None
    output = evidence.output
    found = next((found for pattern in patterns if (found := re.search(pattern, output))), None)
    return quote(found[1].encode()) if found else None


def _interpreter_line(evidence: Evidence) -> bytes:
    """Return the line that names a script's interpreter, b"" if there is none."""
    line = evidence.file_start.split(b"\n")[0]
    return line if line.startswith(b"#!") else b""


def carriage_return_in_script(evidence: Evidence) -> str | None:
    if evidence.fault not in _ENDED or not _interpreter_line(evidence).endswith(b"\r"):
        return None
    return (
        "The first line of the program ends in CR LF, so the system looks for an interpreter whose name ends in a "
        "carriage return. Save the file with LF line ends, for example with: "
        f"sed -i 's/\\r$//' {evidence.command[0]}"
    )


def interpreter_missing(evidence: Evidence) -> str | None:
    line = _interpreter_line(evidence)
    if not line or evidence.fault != "no_start" or not re.search(r"not found|No such file", evidence.output):
        return None
    return (
        f"The first line of the program, {quote(line)}, names an interpreter that does not exist. Programs are looked "
        "for in /usr/local/bin, /usr/bin and /bin. Name an installed interpreter, as in #!/usr/bin/env python3, or "
        'start the bot by a command in quotes that names it, as in "venv/bin/python mybot.py".'
    )


def no_interpreter_named(evidence: Evidence) -> str | None:
    is_script = bool(evidence.file_start) and not evidence.file_start.startswith((b"#!", *_NATIVE))
    at_start = evidence.question_object.get("type") in (None, "hello")
    if not is_script or not at_start or evidence.fault not in (*_ENDED, "protocol"):
        return None
    return (
        "The program does not begin with a line that names its interpreter, so a shell ran it. Begin the file with a "
        'line such as #!/usr/bin/env python3, or name the interpreter in the command, as in "python3 mybot".'
    )


def no_run_bit(evidence: Evidence) -> str | None:
    found = re.search(r"([^\s:\u2018\u2019'\"]+)[\u2019'\"]?: Permission denied", evidence.output)
    if evidence.fault != "no_start" or "status 126" not in evidence.why or found is None:
        return None
    return f"The program {found[1]} is not executable. Run: chmod +x {found[1]}"


def kit_hidden(evidence: Evidence) -> str | None:
    if evidence.fault not in _ENDED or "'protocol' is not a package" not in evidence.output:
        return None
    return (
        "A file protocol.py of the bot's own hides the kit, which is the package `protocol`. Rename the file, "
        "and delete its __pycache__."
    )


def kit_missing(evidence: Evidence) -> str | None:
    if evidence.fault not in _ENDED or not re.search(_KIT, evidence.output):
        return None
    return (
        "The bot needs the kit, the package `protocol`, which the interpreter that runs the bot does not have. "
        "`arbiter kit` writes the kit as a wheel and shows the command that installs it. "
        "Do not install the package `protocol` of PyPI: it is another project, and hides the kit."
    )


def module_missing(evidence: Evidence) -> str | None:
    name = _search(_MISSING, evidence)
    if name is None:
        return None
    return (
        f"The bot needs {name}, which is not installed where the bot runs. Install it for the interpreter that runs "
        'the bot (to use a virtual environment, name its interpreter in the command, as in "venv/bin/python mybot.py"),'
        " or put it into the bot's folder."
    )


def file_missing(evidence: Evidence) -> str | None:
    name = _search(_NO_FILE, evidence)
    if name is None:
        return None
    return (
        f"The bot needs the file {name}, which does not exist where the bot runs. A bot starts in its own folder and "
        "sees no other. Put the file there, or ask the organiser to list it under `read`."
    )


def network_used(evidence: Evidence) -> str | None:
    if _search(_NO_NETWORK, evidence) is None:
        return None
    return "The bot uses the network, but no bot has network access. Put everything that it needs into its folder."


def writes_beside_itself(evidence: Evidence) -> str | None:
    name = _search(_CANNOT_WRITE, evidence)
    if name is None:
        return None
    return (
        f"The bot may not open {name}. The folder of a bot is read-only: "
        "write into the folder that TMPDIR names, or into /tmp."
    )


def memory_exhausted(evidence: Evidence) -> str | None:
    error = _search(_NO_MEMORY, evidence)
    if error is None and evidence.fault in _ENDED:
        limit = re.search(r"used .*more .*than (memory_mb = \d+)", evidence.why)
        error = limit and f"it used more than {limit[1]}"
    if error is None:
        return None
    return (
        f"The bot ran out of memory ({error}). Make it use less, or ask for a higher limit: `--memory MIB` on the "
        "command line, `memory_mb` in a tournament file. Some runtimes collect garbage too late unless they know the "
        "limit: start them with less, as in java -Xmx1g, node --max-old-space-size=1024, DOTNET_GCHeapHardLimit."
    )


def threads_exhausted(evidence: Evidence) -> str | None:
    error = _search(_NO_THREADS, evidence)
    if error is None:
        return None
    return (
        f"The bot may not start so many processes and threads ({error}); `arbiter doctor` shows the limit. Start "
        "fewer: OPENBLAS_NUM_THREADS=1 and OMP_NUM_THREADS=1 for numpy and PyTorch (set them before the import), "
        "java -XX:+UseSerialGC -XX:ActiveProcessorCount=2, node --v8-pool-size=1."
    )


def exception_raised(evidence: Evidence) -> str | None:
    error = _search(_EXCEPTIONS, evidence)
    if error is None:
        return None
    place = _find_place(evidence.output)
    return f"The bot ended with an error: {error}. " + (
        "Its traceback shows the line."
        if place is None
        else f"The error is in line {place[1]} of {quote(place[0].encode())}."
    )


def _find_place(output: str) -> tuple[str, str] | None:
    """Return the file and the line of an error of Python or Node, None if the output does not show them."""
    frames: list[tuple[str, str]] = re.findall(r'(?m)^ +File "([^"<]+)", line (\d+)', output)
    own = [frame for frame in frames if not re.search(r"/(?:python3[\d.]*|site-packages)/", frame[0])]
    node: list[tuple[str, str]] = re.findall(r"(?m)^(?:file://)?(/.*):(\d+)$", output)
    return next(iter((*own[-1:], *frames[-1:], *node[:1])), None)


def not_killed_by_arbiter(evidence: Evidence) -> str | None:
    if evidence.fault not in _ENDED or "the arbiter did not send this signal" not in evidence.why:
        return None
    if "ran out of memory" in evidence.why:
        return (
            "This machine ran out of memory, and its kernel ended the bot with SIGKILL. Let the bot use less memory, "
            "or run fewer programs at the same time."
        )
    if "no bot can send it" in evidence.why:
        return (
            "SIGKILL ended the sandbox of the bot. Neither the arbiter nor the bot can have sent it: a person or a "
            "program of this machine did, such as a guard against low memory. Check again."
        )
    return (
        "SIGKILL ended the bot, and the arbiter did not send it. A crash or a limit of the arbiter does not end a bot "
        "in this way: the bot or one of its processes sent the signal (kill -9), or a person or a program of this "
        "machine did, such as a guard against low memory. Check again; if it happens again, look for what sends it."
    )


def ended_by_signal(evidence: Evidence) -> str | None:
    found = re.search(r"was ended by (\w+)|\((SIG\w+)\)", evidence.why)
    if evidence.fault not in _ENDED or found is None:
        return None
    return (
        f"The bot was ended by the signal {found[1] or found[2]}. SIGSEGV, SIGABRT and SIGBUS mean an invalid memory "
        "access, SIGXFSZ means a file that is too large."
    )


def streams_closed(evidence: Evidence) -> str | None:
    if evidence.fault not in _ENDED or "closed its stdin or stdout" not in evidence.why:
        return None
    return "The bot closed its stdin or stdout but is still running. Leave both open until 'bye'."


def ended_early(evidence: Evidence) -> str | None:
    if evidence.fault not in _ENDED or "exited with status" not in evidence.why:
        return None
    return (
        "The program ended in the middle of the conversation. Its stderr may show why. "
        "If it does not, start the program by hand and paste the lines that it was sent."
    )

"""Mistakes in lines: output of the bot that is not one JSON object on a line."""

import re
from typing import Final

from arbiter.preflight.evidence import Evidence, as_object
from protocol.codec import quote
from protocol.words import MAX_LINE

_BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
EXAMPLE: Final = 'An answer looks like this: {"type":"act","ask":2,"action":{"type":"move","src":"a4","dst":"a5"}}'


def too_long(evidence: Evidence) -> str | None:
    if f"more than {MAX_LINE} bytes" not in evidence.why:
        return None
    return (
        f"The bot wrote a line of more than {MAX_LINE} bytes, or no newline at all. "
        "An answer is short; write log output to stderr."
    )


def foreign_encoding(evidence: Evidence) -> str | None:
    line = evidence.bad_line
    if not (line.startswith(_BYTE_ORDER_MARKS) or b"\0" in line or "not valid UTF-8" in evidence.why):
        return None
    return (
        "The output of the bot is not plain UTF-8: it has a byte order mark, or it is in UTF-16 or another encoding. "
        "Open stdout as UTF-8 without a byte order mark, or write only ASCII."
    )


def empty_line(evidence: Evidence) -> str | None:
    if evidence.fault != "protocol" or not evidence.lines or evidence.bad_line.strip():
        return None
    return "The bot wrote an empty line. End each answer with one newline, and print nothing else to stdout."


def trace_on_stdout(evidence: Evidence) -> str | None:
    if b"Traceback (most recent call last)" not in evidence.bad_line:
        return None
    last_line = (evidence.lines[-1] or evidence.bad_line).strip().rsplit(b"\n", 1)[-1]
    return (
        f"The bot printed the traceback of an error to stdout; its last line is {quote(last_line)}. Fix the error, and "
        "let tracebacks go to stderr (no 2>&1, no traceback.print_exc(file=sys.stdout))."
    )


def python_repr(evidence: Evidence) -> str | None:
    if not re.match(rb"\s*\{\s*'", evidence.bad_line):
        return None
    return (
        "The bot printed a Python dict with single quotes, which is not JSON. "
        "Write json.dumps(message) instead of str(message) or print(message)."
    )


def pretty_printed(evidence: Evidence) -> str | None:
    line = evidence.bad_line
    if as_object(line) is not None or not re.fullmatch(rb"\s*[{\[](\s*\"[^{}]*)?\s*", line):
        return None
    return "The bot spread its answer over several lines. Each message is one line: write JSON without indentation."


def text_before(evidence: Evidence) -> str | None:
    found = re.fullmatch(rb"([^{]*\S)\s*(\{.*\})\s*", evidence.bad_line)
    if found is None or as_object(found[2]) is None:
        return None
    return (
        f"The bot wrote {quote(found[1])} before the answer, on the same line. Write only the answer; "
        "the prompt of Python's input('...') also goes to stdout."
    )


def two_on_a_line(evidence: Evidence) -> str | None:
    found = re.fullmatch(rb"\s*(\{.*\})\s*(\{.*\})\s*", evidence.bad_line)
    if found is None or as_object(found[1]) is None or as_object(found[2]) is None:
        return None
    return "The bot wrote two objects on one line. Write one answer for each question, and a newline after it."


def no_number(evidence: Evidence) -> str | None:
    line = evidence.bad_line
    if as_object(line) is not None or not re.search(rb":\s*-?(NaN|Infinity|inf|nan)\b", line):
        return None
    return "The bot wrote NaN or an infinity, which JSON does not have. Write a number, or leave the field out."


def broken_json(evidence: Evidence) -> str | None:
    line = evidence.bad_line
    if not line.lstrip().startswith(b"{") or as_object(line) is not None:
        return None
    return (
        "The bot wrote an answer that is not valid JSON. Use a JSON library to write it. Common errors are single "
        "quotes, a comma after the last item, half of a surrogate pair, and a number that is too large."
    )


def no_object(evidence: Evidence) -> str | None:
    line = evidence.bad_line
    if not re.match(rb"\s*[\[\"0-9]", line) or as_object(line) is not None:
        return None
    return f"The bot wrote JSON that is not an object. {EXAMPLE}"


def stray_print(evidence: Evidence) -> str | None:
    """Recognise output that is not JSON at all."""
    line = evidence.bad_line
    if not line.strip() or as_object(line) is not None:
        return None
    return (
        f"The bot printed {quote(line)} to stdout, where every line is read as an answer. "
        "Print to stderr instead: print(..., file=sys.stderr), console.error, std::cerr."
    )

"""Mistakes of lines: what a bot wrote that is no answer in the form of the protocol."""

import re
from typing import Any, Final, get_args

import msgspec

from arbiter.preflight.evidence import Evidence, as_act, as_object, is_answer
from protocol.codec import ProtocolError, decode_answer, quote
from protocol.messages import AnySaid
from protocol.words import MAX_LINE, PROTOCOL_VERSION, AnyAction

_OF_ARBITER: Final = {kind.__struct_config__.tag for kind in get_args(AnySaid)}
_OF_ACTIONS: Final = {kind.__struct_config__.tag for kind in get_args(AnyAction)}
_QUESTIONS: Final = ("hello", "ask", "refused")
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_SHAPE: Final = '{"type":"act","ask":2,"action":{"type":"move","src":"a4","dst":"a5"}}'


def python_repr(seen: Evidence) -> str | None:
    """Recognise an object written as Python prints it."""
    if not re.match(rb"\s*\{\s*'", seen.line):
        return None
    return (
        "It wrote a dict as Python prints it, with single quotes, which is not JSON: "
        "write json.dumps(message), not str(message) or print(message)"
    )


def pretty_printed(seen: Evidence) -> str | None:
    """Recognise an object that is spread over lines."""
    if as_object(seen.line) is not None or not re.fullmatch(rb"\s*[{\[](\s*\"[^{}]*)?\s*", seen.line):
        return None
    return "It spread its answer over several lines: each message is one line; write JSON without indentation"


def two_answers(seen: Evidence) -> str | None:
    """Recognise a second answer that follows the first."""
    number = _answered_twice(seen) if seen.fault == "protocol" and seen.said else None
    if number is None:
        return None
    return f"It answered {number} with more than one line: write one line for each question, and wait for the next one"


def _answered_twice(seen: Evidence) -> str | None:
    asked, before = seen.asked, as_object(seen.before) or {}
    if seen.said.get("type") == before.get("type") == "ready":
        return "'hello'"
    if len(seen.lines) > 1 and is_answer(seen.lines[0], asked):
        return f"ask {asked['ask']}" if "ask" in asked else "'hello'"
    return None


def answer_to_no_question(seen: Evidence) -> str | None:
    """Recognise an answer to what only tells something; the next question may have crossed it."""
    asked = seen.asked
    told = asked.get("type")
    if told in _QUESTIONS and any(is_answer(line, asked) for line in seen.lines[1:]):
        told = "start" if asked.get("ask") == 1 else "news"
    if told is None or told in _QUESTIONS or not seen.said:
        return None
    return f"It answered '{told}', which asks nothing: answer 'hello', 'ask' and 'refused', and nothing else"


def arbiters_message(seen: Evidence) -> str | None:
    """Recognise a message that is the arbiter's to send."""
    kind = seen.said.get("type")
    if kind not in _OF_ARBITER:
        return None
    return (
        f"It sent a message of type '{kind}', which is the arbiter's: "
        "answer 'hello' by one of type 'ready' and 'ask' by one of type 'act'"
    )


def bare_action(seen: Evidence) -> str | None:
    """Recognise an action without the message around it."""
    said = seen.said
    if said.get("type") not in _OF_ACTIONS and not ("action" in said and "type" not in said):
        return None
    return f"It sent an action without the whole message around it: an answer looks like {_SHAPE}"


def other_kind(seen: Evidence) -> str | None:
    """Recognise an answer of the wrong kind."""
    match seen.asked.get("type"), seen.said.get("type"):
        case "hello", "act":
            return "It answered 'hello' by 'act': its first answer is 'ready', with `protocol` and `name`"
        case "ask" | "refused", "ready":
            return "It said 'ready' again: that is said once, as the answer to 'hello'; 'ask' is answered by 'act'"
    return None


def wrong_number(seen: Evidence) -> str | None:
    """Recognise an answer under another number than the question's."""
    said, asked = seen.said, seen.asked
    if said.get("type") != "act" or "ask" not in asked or said.get("ask") == asked["ask"]:
        return None
    if "ask" not in said:
        return f"Its answer has no `ask`: copy the number of the question, as in {_SHAPE}"
    before = " (which it had answered before: write one line for each question)" if _is_answered(seen) else ""
    return (
        f"It answered under the number {quote(msgspec.json.encode(said['ask']))}{before}, the question was "
        f"{asked['ask']}: copy `ask` from the question, as a number; it counts from 1 in every game"
    )


def _is_answered(seen: Evidence) -> bool:
    return bool((as_object(seen.before) or {}).get("ask") == seen.said["ask"])


def wrong_version(seen: Evidence) -> str | None:
    """Recognise another version of the protocol."""
    said = seen.said
    if said.get("type") != "ready" or said.get("protocol") == PROTOCOL_VERSION:
        return None
    wrong = quote(msgspec.json.encode(said["protocol"])) if "protocol" in said else "nothing"
    return (
        f"Its 'ready' says {wrong} for `protocol`: write the number {PROTOCOL_VERSION}, without quotes, "
        "which is the version that it is written for"
    )


def capitals(seen: Evidence) -> str | None:
    """Recognise an answer that is one, but for its capitals."""
    if not seen.said:
        return None
    try:
        decode_answer(msgspec.json.encode(_lowered(seen.said)))
    except ProtocolError:
        return None
    try:
        decode_answer(seen.line)
    except ProtocolError:
        return "It wrote words of the protocol with capitals: types, fields, squares and ranks are in small letters"
    return None


def _lowered(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    match value:
        case str():
            return value.lower()
        case dict():
            return {key.lower(): _lowered(item) for key, item in value.items()}
        case list():
            return [_lowered(item) for item in value]
        case _:
            return value


def squares_as_numbers(seen: Evidence) -> str | None:
    """Recognise squares that are no texts."""
    if not re.search(r"Expected `(str|object)`, got `(int|float|array)` - at `\$\.action\.(src|dst|pieces)", seen.why):
        return None
    return 'It wrote a square as numbers: a square is a text of file and row, such as "a4" or "j10"'


def unknown_field(seen: Evidence) -> str | None:
    """Recognise a field that does not exist."""
    found = re.search(r"unknown field `([^`]*)", seen.why)
    if found is None:
        return None
    return (
        f"It wrote a field `{found[1]}`, which is not in the protocol: 'ready' has protocol, name, version, author, "
        "wants; 'act' has ask, action, note, offer_draw; an action has its own fields and no other"
    )


def missing_field(seen: Evidence) -> str | None:
    """Recognise a field that is left out."""
    found = re.search(r"missing required field `([^`]*)`", seen.why)
    return f"It left out the field `{found[1]}`: an answer looks like {_SHAPE}" if found else None


def unknown_wish(seen: Evidence) -> str | None:
    """Recognise a wish that nobody can grant."""
    if not re.search(r"\$\.wants", seen.why):
        return None
    return 'It wants what there is not: `wants` is a list of "legal", "view" and "news"'


def too_long(seen: Evidence) -> str | None:
    """Recognise a line that is too long."""
    if f"more than {MAX_LINE} bytes" not in seen.why:
        return None
    return f"It wrote a line of more than {MAX_LINE} bytes, or never ended one: an answer is short; log on stderr"


def foreign_encoding(seen: Evidence) -> str | None:
    """Recognise text that is not plain UTF-8."""
    line = seen.line
    if not (line.startswith(_MARKS) or b"\0" in line or "not valid UTF-8" in seen.why):
        return None
    return (
        "It writes no plain UTF-8, but a byte order mark, UTF-16 or another encoding: "
        "open its output as UTF-8 without a mark, or write ASCII"
    )


def empty_line(seen: Evidence) -> str | None:
    """Recognise a line with nothing in it."""
    if seen.fault != "protocol" or not seen.lines or seen.line.strip():
        return None
    return "It wrote an empty line: end each answer with one newline, and print nothing else"


def text_before(seen: Evidence) -> str | None:
    """Recognise an answer with something in front of it on its line."""
    found = re.fullmatch(rb"([^{]*\S)\s*(\{.*\})\s*", seen.line)
    if found is None or as_object(found[2]) is None:
        return None
    return (
        f"Before the answer stands {quote(found[1])} on its line: write the answer alone; "
        "a prompt, as of Python's input('...'), goes to stdout too"
    )


def trace_on_stdout(seen: Evidence) -> str | None:
    """Recognise an error's trace among the answers."""
    if b"Traceback (most recent call last)" not in seen.line:
        return None
    return (
        "It wrote the trace of an error on stdout: let traces go to stderr (no 2>&1, no traceback.print_exc(file="
        "sys.stdout)), and mend the error, whose last line is "
        + quote((seen.lines[-1] or seen.line).strip().rsplit(b"\n", 1)[-1])
    )


def two_on_a_line(seen: Evidence) -> str | None:
    """Recognise answers that stand on one line."""
    found = re.fullmatch(rb"\s*(\{.*\})\s*(\{.*\})\s*", seen.line)
    if found is None or as_object(found[1]) is None or as_object(found[2]) is None:
        return None
    return "It wrote two objects on one line: write one answer for each question, and a newline after it"


def no_number(seen: Evidence) -> str | None:
    """Recognise what JSON has no word for."""
    if as_object(seen.line) is not None or not re.search(rb":\s*-?(NaN|Infinity|inf|nan)\b", seen.line):
        return None
    return "It wrote NaN or an infinity, which JSON does not know: leave it out, or write a number"


def broken_json(seen: Evidence) -> str | None:
    """Recognise what was meant to be an answer, and is no JSON."""
    if not seen.line.lstrip().startswith(b"{") or as_object(seen.line) is not None:
        return None
    return (
        "It wrote an answer that is no JSON: let a library write it, with double quotes, and without commas at the "
        "end, halves of characters or numbers beyond measure"
    )


def no_object(seen: Evidence) -> str | None:
    """Recognise JSON that is not an object."""
    if not re.match(rb"\s*[\[\"0-9]", seen.line) or as_object(seen.line) is not None:
        return None
    return f"It wrote JSON that is no object: an answer looks like {_SHAPE}"


def stray_print(seen: Evidence) -> str | None:
    """Recognise what was never meant to be an answer."""
    if not seen.line.strip() or as_object(seen.line) is not None:
        return None
    return (
        f"It printed {quote(seen.line)} on stdout, where every line is an answer: "
        "print to stderr (print(..., file=sys.stderr), console.error, std::cerr)"
    )


def unknown_type(seen: Evidence) -> str | None:
    """Recognise a type that does not exist."""
    found = re.search(r"Invalid value '([^']*)' - at `\$(\.action)?\.type`", seen.why)
    if found is None:
        return None
    known = sorted(_OF_ACTIONS) if found[2] else ["act", "ready"]
    return f"It wrote '{found[1]}' for `type`, which is none: there is {', '.join(known)}"


def long_note(seen: Evidence) -> str | None:
    """Recognise a text that is too long."""
    found = re.search(r"length <= (\d+) - at `\$\.(\w+)`", seen.why)
    return f"Its `{found[2]}` is too long: it may have {found[1]} characters" if found else None


def out_of_form(seen: Evidence) -> str | None:
    """Say of any other line what is wrong with it."""
    if not seen.said or as_act(seen.line) is not None:
        return None
    return f"Its line is JSON, but no answer of the protocol: an answer looks like {_SHAPE}"

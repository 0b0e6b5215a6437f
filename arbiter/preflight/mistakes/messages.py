"""Mistakes in messages: JSON objects that are not the answer that the protocol requires."""

import re
from typing import Any, Final, get_args

import msgspec

from arbiter.preflight.evidence import Evidence, as_act, as_object, is_answer
from arbiter.preflight.mistakes.lines import EXAMPLE
from protocol.codec import ProtocolError, decode_bot_line, quote
from protocol.messages import AnyArbiterMessage
from protocol.words import MAX_EVAL, PROTOCOL_VERSION, AnyAction

# Tuples, because the `type` of a bot's message may be a list, which no set can look up.
_ARBITER_TYPES: Final = tuple(kind.__struct_config__.tag for kind in get_args(AnyArbiterMessage))
_ACTION_TYPES: Final = tuple(kind.__struct_config__.tag for kind in get_args(AnyAction))
_QUESTIONS: Final = ("hello", "ask", "refused")


def two_answers(evidence: Evidence) -> str | None:
    message = evidence.bad_object
    if not message:
        return None
    question = evidence.question_object
    answered = f"ask {question['ask']}" if "ask" in question else "'hello'"
    line_before = as_object(evidence.line_before) or {}
    if message.get("type") == line_before.get("type") == "ready":
        answered = "'hello'"
    elif _repeats(evidence, line_before):
        answered = f"ask {line_before['ask']}"
    elif len(evidence.lines) < 2 or not is_answer(evidence.lines[0], question):  # noqa: PLR2004 - a second line
        return None
    return (
        f"The bot answered {answered} with more than one line. "
        "Write one line for each question, then wait for the next question."
    )


def _repeats(evidence: Evidence, line_before: dict[str, Any]) -> bool:
    """Return True if the bot answered the question before a second time, and then the question too."""
    question = evidence.question_object
    message = evidence.bad_object
    return (
        message.get("type") == line_before.get("type") == "act"
        and message.get("ask") == line_before.get("ask")
        and question.get("ask") not in (None, 1)
        and any(is_answer(line, question) for line in evidence.lines[1:])
    )


def answer_to_no_question(evidence: Evidence) -> str | None:
    question = evidence.question_object
    answered = question.get("type")
    if answered in _QUESTIONS and any(is_answer(line, question) for line in evidence.lines[1:]):
        # The bot answered the message before the question, and then the question too.
        answered = "start" if question.get("ask") == 1 else "news"
    if answered == "start" and evidence.games_before:
        answered = "over"  # an answer to 'start' would have broken the first game
    if answered is None or answered in _QUESTIONS or not evidence.bad_object:
        return None
    return f"The bot answered '{answered}', which is not a question. Answer only 'hello', 'ask' and 'refused'."


def capitals(evidence: Evidence) -> str | None:
    """Recognise a message that would be an answer in lower case."""
    if not evidence.bad_object:
        return None
    try:
        decode_bot_line(msgspec.json.encode(_lower(evidence.bad_object)))
    except ProtocolError:
        return None
    try:
        decode_bot_line(evidence.bad_line)
    except ProtocolError:
        return (
            "The bot wrote words of the protocol with capital letters. "
            "Types, fields, squares and ranks are in lower case."
        )
    return None


def _lower(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    match value:
        case str():
            return value.lower()
        case dict():
            return {key.lower(): _lower(item) for key, item in value.items()}
        case list():
            return [_lower(item) for item in value]
        case _:
            return value


def arbiters_message(evidence: Evidence) -> str | None:
    kind = evidence.bad_object.get("type")
    if kind not in _ARBITER_TYPES:
        return None
    return (
        f"The bot sent a message of type '{kind}', which only the arbiter sends. "
        "Answer 'hello' with a message of type 'ready', and 'ask' with one of type 'act'."
    )


def bare_action(evidence: Evidence) -> str | None:
    message = evidence.bad_object
    if message.get("type") not in _ACTION_TYPES and not ("action" in message and "type" not in message):
        return None
    return f"The bot sent an action without the message around it. {EXAMPLE}"


def other_kind(evidence: Evidence) -> str | None:
    match evidence.question_object.get("type"), evidence.bad_object.get("type"):
        case "hello", "act":
            return "The bot answered 'hello' with 'act'. Its first answer must be 'ready', with `protocol` and `name`."
        case "ask" | "refused", "ready":
            return (
                "The bot sent 'ready' again. Send it only once, as the answer to 'hello', and answer 'ask' with 'act'."
            )
    return None


def wrong_version(evidence: Evidence) -> str | None:
    message = evidence.bad_object
    if message.get("type") != "ready" or message.get("protocol") == PROTOCOL_VERSION:
        return None
    found = f"{quote(msgspec.json.encode(message['protocol']))} as" if "protocol" in message else "no"
    return (
        f"The bot's 'ready' has {found} `protocol`. Write the number {PROTOCOL_VERSION}, without quotes: "
        "the version of the protocol that the bot is written for."
    )


def wrong_number(evidence: Evidence) -> str | None:
    message = evidence.bad_object
    question = evidence.question_object
    if message.get("type") != "act" or "ask" not in question or message.get("ask") == question["ask"]:
        return None
    if "ask" not in message:
        return f"The answer has no `ask`. Copy the number of the question. {EXAMPLE}"
    line_before = as_object(evidence.line_before) or {}
    repeated = (
        " The bot had already answered that one: write one line for each question."
        if line_before.get("ask") == message["ask"]
        else ""
    )
    return (
        f"The answer has the number {quote(msgspec.json.encode(message['ask']))} in `ask`, but the question has "
        f"{question['ask']}.{repeated} Copy `ask` from the question, as a number; it starts from 1 in every game."
    )


def unknown_wish(evidence: Evidence) -> str | None:
    if not re.search(r"\$\.wants", evidence.why):
        return None
    return '`wants` contains something unknown. It is a list that may contain "legal", "view" and "news".'


def squares_as_numbers(evidence: Evidence) -> str | None:
    # The keys of `pieces` are squares, but keys are strings in JSON: a number in `pieces` itself is a rank.
    wrong_type = r"Expected `(str|object)`, got `(int|float|array)` - at `\$\.action\.(src|dst|pieces`)"
    if not re.search(wrong_type, evidence.why):
        return None
    return 'The bot wrote a square as numbers. A square is a string of file and row, such as "a4" or "j10".'


def ranks_as_numbers(evidence: Evidence) -> str | None:
    if not re.search(r"Expected `str`, got `\w+` - at `\$\.action\.(pieces\[|rank`)", evidence.why):
        return None
    return (
        'The bot wrote a rank as a number. A rank is a word, such as "marshal" or "scout": '
        "`ranks` in the rules of 'start' lists the `id` of each rank."
    )


def unknown_type(evidence: Evidence) -> str | None:
    found = re.search(r"Invalid value '([^']*)' - at `\$(\.action)?\.type`", evidence.why)
    if found is None:
        return None
    known = sorted(_ACTION_TYPES) if found[2] else ["act", "ready"]
    return f"The bot wrote the unknown `type` '{found[1]}'. Known types: {', '.join(known)}."


def long_note(evidence: Evidence) -> str | None:
    found = re.search(r"length <= (\d+) - at `\$\.(\w+)`", evidence.why)
    return f"`{found[2]}` is too long. It may have at most {found[1]} characters." if found else None


def wrong_evaluation(evidence: Evidence) -> str | None:
    if not re.search(r"at `\$\.eval`", evidence.why):
        return None
    return (
        f"`eval` must be a number from -{MAX_EVAL} to {MAX_EVAL}. Limit it to these bounds, "
        "and leave the field out if there is no evaluation."
    )


def unknown_field(evidence: Evidence) -> str | None:
    found = re.search(r"unknown field `([^`]*)", evidence.why)
    if found is None:
        return None
    return (
        f"The bot wrote the field `{found[1]}`, which the protocol does not have. 'ready' has protocol, name, version, "
        "author, wants; 'act' has ask, action, note, eval, offer_draw; each action has only its own fields."
    )


def missing_field(evidence: Evidence) -> str | None:
    found = re.search(r"missing required field `([^`]*)`", evidence.why)
    return f"The field `{found[1]}` is missing. {EXAMPLE}" if found else None


def out_of_form(evidence: Evidence) -> str | None:
    """Recognise any other object that is not an answer."""
    if not evidence.bad_object or as_act(evidence.bad_line) is not None:
        return None
    return f"The bot wrote a JSON object that does not have the form of an answer. {EXAMPLE}"

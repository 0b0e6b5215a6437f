"""Mistakes in the output of a bot: lines that are no JSON objects, wrong answers, and acts that the rules forbid."""

import re
from collections import Counter
from typing import Any, Final, get_args

import msgspec
from msgspec import UNSET

from arbiter.preflight.evidence import Evidence, Finder, Found, as_object, is_answer, search_detail
from protocol.codec import ProtocolError, decode_bot_line, quote
from protocol.messages import AnyArbiterMessage
from protocol.reasons import NoPiece, RefusedAction
from protocol.words import (
    MAX_EVAL,
    MAX_LINE,
    OPPONENT,
    PROTOCOL_VERSION,
    AcceptDraw,
    AnyAction,
    Attack,
    Deploy,
    Move,
    Place,
)

_BYTE_ORDER_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_PRINTED_OBJECT: Final = re.compile(
    rb"\[object \w+\]|(?:HASH|ARRAY|\w+=HASH)\(0x\w+\)|\[?[\w.$;]+@[0-9a-f]{4,8}|&?map\[.*\]"
    rb"|System\.[\w.`]+(?:\[.*\])?|table: 0x\w+|#<.*>|<.* object at 0x\w+>"
    rb"|fromList \[.*\]|\w+\(\w+=.*\)|%\{.*\}|\[\"\w+\": .*\]|Array"
)
"""Objects as JavaScript, Perl, Java, Go, C#, Lua, Ruby, Python, Haskell, Kotlin, Elixir, Swift and PHP print them."""
_EMPTY_VALUES: Final = (b"undefined", b"null", b"(null)", b"None", b"nil", b"<nil>")
# Tuples, because the `type` of a bot's message may be a list, which no set can look up.
_ARBITER_TYPES: Final = tuple(kind.__struct_config__.tag for kind in get_args(AnyArbiterMessage))
_DRAW_ACTIONS: Final = ("offer_draw", "draw_offer", "draw")
_ACTION_TYPES: Final = tuple(kind.__struct_config__.tag for kind in get_args(AnyAction))
_SQUARE: Final = re.compile(r"[a-z][1-9][0-9]?")
_MOST_MOVES: Final = 6  # of a piece, that are listed
_QUESTIONS: Final = ("hello", "ask", "refused")

# --- lines ----------------------------------------------------------------------------------------


def is_encoded_otherwise(evidence: Evidence) -> bool:
    line = evidence.bad_line
    return line.startswith(_BYTE_ORDER_MARKS) or b"\0" in line or "not valid UTF-8" in evidence.detail


def is_empty(evidence: Evidence) -> bool:
    return evidence.fault == "protocol" and bool(evidence.lines) and not evidence.bad_line.strip()


def find_last_line_of_traceback(evidence: Evidence) -> Found:
    if b"Traceback (most recent call last)" not in evidence.bad_line:
        return None
    return (quote((evidence.lines[-1] or evidence.bad_line).strip().rsplit(b"\n", 1)[-1]),)


def find_text_before_answer(evidence: Evidence) -> Found:
    found = re.fullmatch(rb"([^{]*\S)\s*(\{.*\})\s*", evidence.bad_line)
    return found is not None and as_object(found[2]) is not None and (quote(found[1]),)


def is_two_objects(evidence: Evidence) -> bool:
    found = re.fullmatch(rb"\s*(\{.*\})\s*(\{.*\})\s*", evidence.bad_line)
    return found is not None and None not in (as_object(found[1]), as_object(found[2]))


def is_no_object(pattern: bytes, evidence: Evidence) -> bool:
    """Return True if a line that is not a JSON object matches a pattern."""
    return as_object(evidence.bad_line) is None and re.search(pattern, evidence.bad_line) is not None


def is_other_json(evidence: Evidence) -> bool:
    """Return True for a line that is JSON of another type than an object."""
    try:
        value = msgspec.json.decode(evidence.bad_line)
    except (ValueError, RecursionError):
        return False
    return value is not None and not isinstance(value, dict)


# --- messages -------------------------------------------------------------------------------------


def find_question_answered_twice(evidence: Evidence) -> Found:
    message, question = evidence.bad_object, evidence.question_object
    line_before = as_object(evidence.line_before) or {}
    if (  # the bot answered the question before a second time, and then this one too
        message
        and message.get("type") == line_before.get("type") == "act"
        and message.get("ask") == line_before.get("ask")
        and question.get("ask") not in (None, 1)
        and any(is_answer(line, question) for line in evidence.lines[1:])
    ):
        return (f"ask {line_before['ask']}",)
    if message and len(evidence.lines) > 1 and is_answer(evidence.lines[0], question):
        return (f"ask {question['ask']}" if "ask" in question else "'hello'",)
    return None


def find_message_that_is_no_question(evidence: Evidence) -> Found:
    question = evidence.question_object
    answered = question.get("type")
    if answered in _QUESTIONS and any(is_answer(line, question) for line in evidence.lines[1:]):
        # The bot answered the message before the question, and then the question too.
        answered = "start" if question.get("ask") == 1 else "news"
    if answered == "start" and evidence.games_before:
        answered = "over"  # an answer to 'start' would have broken the first game
    return answered is not None and answered not in _QUESTIONS and bool(evidence.bad_object) and (str(answered),)


def is_answer_in_lower_case(evidence: Evidence) -> bool:
    """Return True for a message that is an answer only in lower case."""
    if not evidence.bad_object:
        return False
    try:
        decode_bot_line(msgspec.json.encode(_lower(evidence.bad_object)))
    except ProtocolError:
        return False
    try:
        decode_bot_line(evidence.bad_line)
    except ProtocolError:
        return True
    return False


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


def find_arbiters_message(evidence: Evidence) -> Found:
    kind = evidence.bad_object.get("type")
    return kind in _ARBITER_TYPES and (str(kind),)


def is_second_ready(evidence: Evidence) -> bool:
    """Return True for 'ready' after 'ready', or after the question that is not 'hello'."""
    before = (as_object(evidence.line_before) or {}).get("type")
    asked = evidence.question_object.get("type")
    return evidence.bad_object.get("type") == "ready" and ("ready" in (before, asked) or asked in ("ask", "refused"))


def is_bare_action(evidence: Evidence) -> bool:
    message = evidence.bad_object
    return message.get("type") in _ACTION_TYPES or ("action" in message and "type" not in message)


def find_version(evidence: Evidence) -> Found:
    message = evidence.bad_object
    if message.get("type") != "ready" or message.get("protocol") == PROTOCOL_VERSION:
        return None
    found = f"{quote(msgspec.json.encode(message['protocol']))} as" if "protocol" in message else "no"
    return found, str(PROTOCOL_VERSION)


def has_no_number(evidence: Evidence) -> bool:
    message = evidence.bad_object
    return message.get("type") == "act" and "ask" in evidence.question_object and "ask" not in message


def find_numbers(evidence: Evidence) -> Found:
    """Find the number of an answer, that of its question, and what is known about the wrong one."""
    message, question = evidence.bad_object, evidence.question_object
    is_same = type(message.get("ask")) is int and message["ask"] == question.get("ask")
    if message.get("type") != "act" or "ask" not in question or is_same:
        return None
    line_before = as_object(evidence.line_before) or {}
    is_repeated = line_before.get("ask") == message["ask"]
    repeated = " The bot had already answered that one: write one line for each question." if is_repeated else ""
    return quote(msgspec.json.encode(message["ask"])), str(question["ask"]), repeated


def find_unknown_type(evidence: Evidence) -> Found:
    found = re.search(r"Invalid value '([^']*)' - at `\$(\.action)?\.type`", evidence.detail)
    return found and (found[1], ", ".join(sorted(_ACTION_TYPES)) if found[2] else "act, ready")


def find_unknown_field_of_action(evidence: Evidence) -> Found:
    found = re.search(r"unknown field `([^`]*)` - at `\$\.action`", evidence.detail)
    kind = evidence.bad_object["action"]["type"] if found else None
    fields = next(
        (action.__struct_fields__ for action in get_args(AnyAction) if action.__struct_config__.tag == kind), ()
    )
    return found and (found[1], str(kind), ", ".join(("type", *fields)))


def find_long_text(evidence: Evidence) -> Found:
    found = re.search(r"length <= (\d+) - at `\$\.(\w+)`", evidence.detail)
    return found and (found[2], found[1])


def answers_hello_with_act(evidence: Evidence) -> bool:
    return evidence.question_object.get("type") == "hello" and evidence.bad_object.get("type") == "act"


def names_draw_as_action(evidence: Evidence) -> bool:
    action = evidence.bad_object.get("action")
    kind = action.get("type") if isinstance(action, dict) else action
    return kind in _DRAW_ACTIONS


# --- acts, in the right form, that the rules forbid -----------------------------------------------


def _squares(evidence: Evidence) -> list[Place]:
    """List the squares of the act."""
    action = evidence.act and evidence.act.action
    if isinstance(action, Deploy):
        return [] if action.pieces is UNSET else list(action.pieces)
    return [place for name in ("src", "dst") if (place := getattr(action, name, None)) is not None]


def _ranks(evidence: Evidence) -> list[str]:
    """List the ranks of the act."""
    action = evidence.act and evidence.act.action
    if isinstance(action, Deploy):
        return [] if action.pieces is UNSET else list(action.pieces.values())
    return [rank] if (rank := getattr(action, "rank", None)) is not None else []


def _known_ranks(evidence: Evidence) -> list[str]:
    return [] if evidence.rules is None else [rank.id for rank in evidence.rules.ranks]


def find_capitals(evidence: Evidence) -> Found:
    squares = (word for word in _squares(evidence) if _SQUARE.fullmatch(word.lower()))
    ranks = (word for word in _ranks(evidence) if word.lower() in _known_ranks(evidence))
    wrong = next((word for word in (*squares, *ranks) if word != word.lower()), None)
    return wrong is not None and (quote(wrong.encode()),)


def maps_ranks_to_squares(evidence: Evidence) -> bool:
    ranks = _ranks(evidence)
    return bool(ranks) and all(map(_SQUARE.fullmatch, ranks)) and not any(map(_SQUARE.fullmatch, _squares(evidence)))


def find_no_square(evidence: Evidence) -> Found:
    """Find a square in another notation or off the board, and the last square of the board."""
    if evidence.rules is None or evidence.rules.board is UNSET:
        return None
    board = evidence.rules.board
    squares = [f"{chr(ord('a') + file)}{row + 1}" for file in range(board.files) for row in range(board.rows)]
    wrong = next((place for place in _squares(evidence) if place not in squares), None)
    return wrong is not None and (quote(wrong.encode()), squares[-1])


def find_seats_of_deployment(evidence: Evidence) -> Found:
    """Find the seat of a bot that deployed on the squares of the other one."""
    squares = _squares(evidence)
    rules = evidence.rules
    other = OPPONENT[evidence.seat]
    if evidence.fault != "illegal_setup" or not squares or rules is None or rules.deploy is UNSET:
        return None
    return set(squares) <= set(rules.deploy[other]) and (evidence.seat, other)


def find_unknown_rank(evidence: Evidence) -> Found:
    known = _known_ranks(evidence)
    wrong = next((word for word in _ranks(evidence) if word not in known), None)
    return bool(known) and wrong is not None and (quote(wrong.encode()), ", ".join(known))


def deploys_nothing(evidence: Evidence) -> bool:
    action = evidence.act and evidence.act.action
    return evidence.fault == "illegal_setup" and isinstance(action, Deploy) and action.pieces == {}


def find_wrong_army(evidence: Evidence) -> Found:
    ranks = Counter(_ranks(evidence))
    rules = evidence.rules
    if evidence.fault != "illegal_setup" or rules is None or not ranks or ranks == Counter(rules.army):
        return None
    return str(ranks.total()), rules.id, str(sum(rules.army.values()))


def is_swapped(evidence: Evidence) -> bool:
    """Return True for a move that is legal in the other direction."""
    action = evidence.act and evidence.act.action
    return isinstance(action, Move) and Move(action.dst, action.src) in evidence.legal


def find_mirrored(evidence: Evidence) -> Found:
    """Find the legal move that a bot meant if it turns or mirrors the board."""
    action = evidence.act and evidence.act.action
    if not isinstance(action, Move) or evidence.rules is None or evidence.rules.board is UNSET:
        return None
    board = evidence.rules.board
    if not all(map(_SQUARE.fullmatch, (action.src, action.dst))):
        return None
    for turns_files in (True, False):
        src, dst = (
            (chr(ord("a") + board.files - 1 - ord(place[0]) + ord("a")) if turns_files else place[0])
            + str(board.rows + 1 - int(place[1:]))
            for place in (action.src, action.dst)
        )
        if Move(src, dst) in evidence.legal:
            return evidence.seat, f"{src}-{dst}"
    return None


def find_two_squares(evidence: Evidence) -> Found:
    is_forbidden = evidence.rule == "two_squares"
    return is_forbidden and evidence.rules is not None and (str(evidence.rules.two_squares),)


def accepts_no_offer(evidence: Evidence) -> bool:
    act = evidence.act
    return evidence.fault == "illegal_action" and act is not None and isinstance(act.action, AcceptDraw)


def find_legal_moves(evidence: Evidence) -> Found:
    """Find the moves that the piece of a forbidden action could make."""
    if evidence.fault != "illegal_action":
        return None
    src = next(iter(_squares(evidence)), None)
    moves = [f"{move.src}-{move.dst}" for move in evidence.legal if isinstance(move, Move) and move.src == src]
    if src is None or not evidence.legal:
        return ("",)
    more = f" and {len(moves) - _MOST_MOVES} more" if len(moves) > _MOST_MOVES else ""
    can = f"can play {', '.join(moves[:_MOST_MOVES])}{more}" if moves else "cannot move now"
    return (f": the piece on {src} {can}",)


def has_no_piece(evidence: Evidence) -> bool:
    """Return True if the bot has moved a piece from a square on which it has none."""
    return isinstance(evidence.reason, RefusedAction) and isinstance(evidence.reason.refusal, NoPiece)


MISTAKES: Final[dict[str, Finder]] = {
    "too_long": lambda evidence: f"more than {MAX_LINE} bytes" in evidence.detail and (str(MAX_LINE),),
    "foreign_encoding": is_encoded_otherwise,
    "empty_line": is_empty,
    "trace_on_stdout": find_last_line_of_traceback,
    "bytes_repr": lambda evidence: re.match(rb"\s*b(?:'\s*[{\[]|\"\s*[{\[])", evidence.bad_line) is not None,
    "python_repr": lambda evidence: re.match(rb"\s*\{\s*'", evidence.bad_line) is not None,
    "pretty_printed": lambda evidence: is_no_object(rb"^\s*[{\[](?:\s*|\s*\"[^{}\]]*)\Z", evidence),
    "debugger": lambda evidence: (
        re.match(rb"--(?:Call|Return)--|> .+\(\d+\)|.*\(Pdb\) ", evidence.bad_line) is not None
    ),
    "text_before": find_text_before_answer,
    "two_on_a_line": is_two_objects,
    "no_number": lambda evidence: is_no_object(rb":\s*-?(NaN|Infinity|inf|nan)\b", evidence),
    "python_words": lambda evidence: is_no_object(rb"^\s*\{.*[:,]\s*(?:True|False|None)\b", evidence),
    "decimal_comma": lambda evidence: is_no_object(rb":\s*-?\d+,\d+\s*[,}]", evidence),
    "unquoted_names": lambda evidence: is_no_object(
        rb"^\s*(?:[A-Z]\w*\s*)?\{\s*(?:\w+\s*[:=]|:?\"?\w+\"?\s*=>)", evidence
    ),
    "printed_object": lambda evidence: (
        _PRINTED_OBJECT.fullmatch(evidence.bad_line.strip()) is not None and (quote(evidence.bad_line.strip()),)
    ),
    "broken_json": lambda evidence: is_no_object(rb"^\s*\{", evidence),
    "encoded_twice": lambda evidence: re.match(rb'\s*"\s*\{\s*\\"', evidence.bad_line) is not None,
    "no_object": is_other_json,
    "printed_value": lambda evidence: (
        evidence.bad_line.strip() in _EMPTY_VALUES and (quote(evidence.bad_line.strip()),)
    ),
    "stray_print": lambda evidence: is_no_object(rb"\S", evidence) and (quote(evidence.bad_line),),
    "second_ready": is_second_ready,
    "two_answers": find_question_answered_twice,
    "answer_to_no_question": find_message_that_is_no_question,
    "capitals": is_answer_in_lower_case,
    "arbiters_message": find_arbiters_message,
    "bare_action": is_bare_action,
    "other_kind": answers_hello_with_act,
    "wrong_version": find_version,
    "wrong_number/none": has_no_number,
    "wrong_number": find_numbers,
    "unknown_wish/form": search_detail(r"Expected `array`, got `\w+` - at `\$\.wants`"),
    "unknown_wish": search_detail(r"\$\.wants"),
    "draw_as_action": names_draw_as_action,
    "no_action": search_detail(r"got `null` - at `\$\.action`"),
    "empty_action": lambda evidence: evidence.bad_object.get("action") == {},
    "list_of_actions": search_detail(r"got `array` - at `\$\.action`"),
    "number_of_action": search_detail(r"got `(?:int|float)` - at `\$\.action`"),
    "text_as_action": search_detail(r"got `str` - at `\$\.action`"),
    "list_of_pieces": search_detail(r"Expected `object`, got `\w+` - at `\$\.action\.pieces`"),
    # The keys of `pieces` are squares, but keys are strings in JSON: a number in `pieces` is a rank.
    "squares_as_numbers": search_detail(r"Expected `str`, got `(?:int|float|array)` - at `\$\.action\.(?:src|dst)`"),
    "ranks_as_numbers": search_detail(r"Expected `str`, got `(?:int|float)` - at `\$\.action\.(?:pieces\[|rank`)"),
    "ranks_as_objects": search_detail(r"Expected `str`, got `(\w+)` - at `\$\.action\.(?:pieces\[|rank`)"),
    "unknown_type": find_unknown_type,
    "wrong_evaluation": lambda evidence: "at `$.eval`" in evidence.detail and (str(MAX_EVAL), str(MAX_EVAL)),
    "long_note": find_long_text,
    "unknown_field/action": find_unknown_field_of_action,
    "unknown_field": search_detail(r"unknown field `([^`]*)"),
    "missing_field/ready": lambda evidence: (
        evidence.bad_object.get("type") == "ready" and search_detail(r"missing required field `([^`]*)`")(evidence)
    ),
    "missing_field": search_detail(r"missing required field `([^`]*)`"),
    "empty_text": search_detail(r"length >= 1 - at `\$\.(\w+)`"),
    "wrong_type": search_detail(r"Expected `([^`]+)`, got `(\w+)` - at `\$\.([^`]+)`"),
    "capitals_in_act": find_capitals,
    "ranks_for_squares": maps_ranks_to_squares,
    "no_square": find_no_square,
    "others_rows": find_seats_of_deployment,
    "unknown_rank": find_unknown_rank,
    "wrong_army": find_wrong_army,
    "empty_deployment": deploys_nothing,
    "two_squares": find_two_squares,
    "more_squares": lambda evidence: evidence.rule == "more_squares",
    "immovable_moved": lambda evidence: evidence.rule == "immovable",
    "swapped": is_swapped,
    "mirrored": lambda evidence: has_no_piece(evidence) and find_mirrored(evidence),
    "board_out_of_date": lambda evidence: evidence.rule == "movement" and has_no_piece(evidence),
    "draw_not_offered": accepts_no_offer,
    "attack_for_move": lambda evidence: (
        evidence.rule == "turn"
        and evidence.act is not None
        and isinstance(evidence.act.action, Attack)
        and evidence.rules is not None
        and evidence.rules.board is not UNSET
    ),
    "wrong_phase": lambda evidence: evidence.rule == "turn" and (str(evidence.question_object.get("phase", "turn")),),
    "deployment_against_the_rules": lambda evidence: evidence.fault == "illegal_setup",
    "against_the_rules": find_legal_moves,
}

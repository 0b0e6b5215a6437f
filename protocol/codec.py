"""Messages to lines and lines to messages: the only place that decodes foreign bytes."""

from typing import Any, Final, get_args

import msgspec

from protocol.messages import AnyArbiterMessage, AnyBotMessage, BoardView, CardView
from protocol.reasons import AnyReason
from protocol.words import AnyAction, AnyFact

QUOTE_LIMIT: Final = 120
# Hostile JSON raises four kinds of errors; msgspec does not define two: UnicodeDecodeError and RecursionError.
_UNREADABLE: Final = (ValueError, RecursionError)

_encoder = msgspec.json.Encoder()
_bot_decoder: msgspec.json.Decoder[AnyBotMessage] = msgspec.json.Decoder(AnyBotMessage)
_arbiter_decoder: msgspec.json.Decoder[AnyArbiterMessage] = msgspec.json.Decoder(AnyArbiterMessage)

_ARBITER_TYPES: Final = {kind.__struct_config__.tag for kind in get_args(AnyArbiterMessage)}
# The fields of a message that are lists, and the items of each that this version knows.
_LISTS: Final[dict[str, Any]] = {"news": AnyFact, "legal": AnyAction}


class ProtocolError(Exception):
    """A line breaks the protocol; the text explains it to the author of the program that sent it."""


def encode(message: AnyArbiterMessage | AnyBotMessage) -> bytes:
    """Encode a message as one line, including the newline."""
    return _encoder.encode(message) + b"\n"


def encode_view(view: BoardView | CardView) -> msgspec.Raw:
    """Encode a view as a part of a question."""
    return msgspec.Raw(_encoder.encode(view))


def decode_bot_line(line: bytes) -> AnyBotMessage:
    """Decode a line of a bot (without its newline).

    Raises ProtocolError, and nothing else, for any bytes.
    """
    try:
        return _bot_decoder.decode(line)
    except _UNREADABLE as error:
        raise _describe(error, line) from None


def decode_arbiter_line(line: bytes) -> AnyArbiterMessage:
    """Decode a line of the arbiter (without its newline); unknown fields are skipped.

    Raises ProtocolError.
    """
    try:
        return _arbiter_decoder.decode(line)
    except _UNREADABLE as error:
        raise _describe(error, line) from None


def decode_later_arbiter_line(line: bytes) -> AnyArbiterMessage | None:
    """Decode a line of an arbiter of this or a later version, without the facts and actions that are unknown here.

    Returns None if the message itself is unknown.  Raises ProtocolError if the line is not a message at all.
    """
    try:
        return decode_arbiter_line(line)
    except ProtocolError:
        pass
    try:
        fields = msgspec.json.decode(line, type=dict[str, Any])
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a message of an arbiter ({error}): {quote(line)}") from None
    kind = fields.get("type")
    if not isinstance(kind, str) or kind not in _ARBITER_TYPES:
        return None
    for name, items in _LISTS.items():
        if isinstance(fields.get(name), list):
            fields[name] = [item for item in fields[name] if _is_known(item, items)]
    if not _is_known(fields.get("reason"), AnyReason | None):
        del fields["reason"]
    return decode_arbiter_line(msgspec.json.encode(fields))


def _is_known(item: object, kind: Any) -> bool:  # noqa: ANN401 - a union is not a type
    try:
        msgspec.convert(item, kind)
    except msgspec.ValidationError:
        return False
    return True


def _describe(error: Exception, line: bytes) -> ProtocolError:
    match error:
        case UnicodeDecodeError():
            why = "not valid UTF-8"
        case RecursionError():
            why = "nested too deeply"
        case msgspec.ValidationError():
            # The error may repeat names from the line, so escape control characters and cut long texts.
            text = str(error)
            shown = "".join(char if " " <= char <= "~" else ascii(char)[1:-1] for char in text[:QUOTE_LIMIT])
            why = shown if len(text) <= QUOTE_LIMIT else f"{shown}..."
        case _:
            why = f"not a JSON object on one line ({error})"
    return ProtocolError(f"{why}: {quote(line)}")


def quote(line: bytes, limit: int = QUOTE_LIMIT) -> str:
    """Return foreign bytes as printable ASCII in quotes, cut after `limit` bytes."""
    shown = ascii(line[:limit].decode("utf-8", "backslashreplace"))
    return shown if len(line) <= limit else f"{shown}... ({len(line)} bytes)"

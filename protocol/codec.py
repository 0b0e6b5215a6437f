"""Messages to lines and lines to messages: the one place where foreign bytes are decoded."""

from typing import Final, TypeVar

import msgspec

from protocol.messages import AnyAnswer, AnySaid, BoardView, CardView

QUOTE_LIMIT: Final = 120
T = TypeVar("T")

_encoder = msgspec.json.Encoder()
_answers: msgspec.json.Decoder[AnyAnswer] = msgspec.json.Decoder(AnyAnswer)
_said: msgspec.json.Decoder[AnySaid] = msgspec.json.Decoder(AnySaid)


class ProtocolError(Exception):
    """What was sent is not in the protocol; the text says what was wrong, for its author."""


def encode(message: AnySaid | AnyAnswer) -> bytes:
    """Write a message as one line, newline included."""
    return _encoder.encode(message) + b"\n"


def encode_view(view: BoardView | CardView) -> msgspec.Raw:
    """Write a view as the part of a question that it becomes."""
    return msgspec.Raw(_encoder.encode(view))


def decode_answer(line: bytes) -> AnyAnswer:
    """Read a bot's line (without its newline).

    Raises ProtocolError, and nothing else, on whatever bytes.
    """
    return _decode(_answers, line)


def decode_said(line: bytes) -> AnySaid:
    """Read an arbiter's line (without its newline); unknown fields are skipped.

    Raises ProtocolError.
    """
    return _decode(_said, line)


def _decode(decoder: "msgspec.json.Decoder[T]", line: bytes) -> T:
    try:
        return decoder.decode(line)
    # Hostile JSON raises four families, two of which are not msgspec's own (UnicodeDecodeError, RecursionError).
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"{_plainly(error)}: {quote(line)}") from None


def _plainly(error: Exception) -> str:
    match error:
        case UnicodeDecodeError():
            return "not valid UTF-8"
        case RecursionError():
            return "nested too deeply"
        case msgspec.ValidationError():
            return _printable(str(error))
        case _:
            return f"not a JSON object on one line ({error})"


def _printable(text: str) -> str:
    """Escape what a terminal would obey and cut what is long: an error may repeat names from the line."""
    shown = "".join(sign if " " <= sign <= "~" else ascii(sign)[1:-1] for sign in text[:QUOTE_LIMIT])
    return shown if len(text) <= QUOTE_LIMIT else f"{shown}..."


def quote(line: bytes, limit: int = QUOTE_LIMIT) -> str:
    """Show foreign bytes as printable ASCII in quotes, cut at `limit` bytes."""
    shown = ascii(line[:limit].decode("utf-8", "backslashreplace"))
    return shown if len(line) <= limit else f"{shown}... ({len(line)} bytes)"

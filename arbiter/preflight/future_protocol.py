"""The lines of a later arbiter: the same messages with fields, facts and a message that are not known today."""

from typing import Any, Final

import msgspec

from protocol.codec import encode
from protocol.messages import AnyArbiterMessage

_NEW: Final = {"weather": "fair"}
_MESSAGE: Final = msgspec.json.encode({"type": "weather", "sky": "clear", "clouds": [1, None, {"high": True}]}) + b"\n"
_FACT: Final = {"type": "weathered", "seat": "red", "sky": ["clear"]}
# Not among the actions of `legal`: a bot may send those back as they are.
_GROWING: Final = ("rules", "time", "clock", "view")


def write_as_later(message: AnyArbiterMessage) -> bytes:
    """Write a message as a later arbiter may; an unknown one goes before a game's beginning."""
    said: dict[str, Any] = msgspec.json.decode(encode(message)) | _NEW
    for field in _GROWING:
        if field in said:
            said[field] |= _NEW
    if "news" in said:
        said["news"] = [_FACT, *(fact | _NEW for fact in said["news"])]
    before = _MESSAGE if said["type"] == "start" else b""
    return before + msgspec.json.encode(said) + b"\n"

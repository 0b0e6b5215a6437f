"""Reading the lines of a later arbiter: what is not known here is left out."""

from typing import Any, Final, get_args

import msgspec

from protocol.codec import ProtocolError, decode_said, quote
from protocol.messages import AnySaid
from protocol.words import AnyAction, AnyFact

_TYPES: Final = {kind.__struct_config__.tag for kind in get_args(AnySaid)}
# The lists of a message whose items are left out one by one, and what is known of them.
_LISTS: Final[dict[str, Any]] = {"news": AnyFact, "legal": AnyAction}


def read_said(line: bytes) -> AnySaid | None:
    """Read an arbiter's line without the facts and actions not known here; None where the message is not.

    Raises ProtocolError where the line is no message at all.
    """
    try:
        return decode_said(line)
    except ProtocolError:
        return _without_unknown(line)


def _without_unknown(line: bytes) -> AnySaid | None:
    said = _object(line)
    kind = said.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return None
    for field, items in _LISTS.items():
        if isinstance(said.get(field), list):
            said[field] = [item for item in said[field] if _is_known(item, items)]
    return decode_said(msgspec.json.encode(said))


def _object(line: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"no message of an arbiter ({error}): {quote(line)}") from None


def _is_known(item: object, kind: Any) -> bool:  # noqa: ANN401 - a union is no type
    try:
        msgspec.convert(item, kind)
    except msgspec.ValidationError:
        return False
    return True

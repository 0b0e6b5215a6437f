"""The wire protocol of arbiter and bots.  Imports nothing of the arbiter."""

import sys

if "typing_extensions" not in sys.modules:
    # If it is installed, msgspec imports it, for what typing has too: a quarter of the time in which a bot starts.
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]

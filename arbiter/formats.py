"""Numbers of formats of stored files: each file contains one, and this arbiter reads one of each kind."""

from pathlib import Path

from msgspec import Struct

from arbiter.errors import ConfigError


class FormatNumber(Struct, frozen=True):
    """The number of its format that a stored file contains, whatever else is in it."""

    format: int | None = None


def check_format(found: int | None, known: int, file: Path | None = None, error: type[Exception] = ConfigError) -> None:
    """Refuse a stored file of another format than the one that this arbiter reads.

    Raises `error`; without the name of the file, its caller adds it.  A file without a number is not refused here.
    """
    if found not in (None, known):
        name = "" if file is None else f"{file}: "
        raise error(f"{name}has format {found}, but this arbiter reads format {known}; use the arbiter that wrote it")

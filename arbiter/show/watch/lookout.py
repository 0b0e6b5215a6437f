"""Looking from time to time at what changes elsewhere, so that keys need not wait and failures are told once."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.text import plain

_SHARE: Final = 20  # looking takes a twentieth of the time at the most


class Lookout:
    """Looks when it is time: the longer that takes, the more rarely."""

    def __init__(self, look: Callable[[], None], tell: Callable[[str], None]) -> None:
        self._look = look
        self._tell = tell
        self._failure = ""
        self._next = 0.0

    def look_at_times(self) -> None:
        """Look, unless it took so long before that it is not yet time."""
        begun = time.monotonic()
        if begun >= self._next:
            self._look()
            done = time.monotonic()
            self._next = done + (done - begun) * _SHARE

    @contextmanager
    def told(self) -> Iterator[None]:
        """Tell what cannot be read, once."""
        try:
            yield
        except (ConfigError, RecordError) as error:
            if str(error) != self._failure:
                self._tell(plain(str(error)))
            self._failure = str(error)

    def is_well(self) -> None:
        """Let what fails from now on be told again."""
        self._failure = ""

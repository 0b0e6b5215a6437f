"""Load the files of bots into memory before games, so that no game sees which of them another game has read."""

import mmap
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from arbiter.sandbox.files.entry import MOST_SIZE
from arbiter.sandbox.files.untrusted import open_to_read

_LOAD_SHARE: Final = 50  # loading takes at most a fiftieth of the time
_MADV_POPULATE_READ: Final = 22


class FilesInMemory:
    """The files that bots are shown of their own."""

    def __init__(self) -> None:
        self._files: dict[str, Sequence[Path]] = {}
        self._load_at: dict[str, float] = {}

    def show(self, bot: str, files: Sequence[Path]) -> None:
        """Note which files a bot is shown."""
        self._files[bot] = files

    def like(self, bot: str, other: str) -> None:
        """Note that a bot is shown the files of another one."""
        self._files[bot] = self._files[other]

    def load(self, bot: str) -> None:
        """Load the files of a bot, which may take seconds.

        This takes at most a fiftieth of the time; it is done again because the machine may need the memory.
        """
        if time.monotonic() < self._load_at.get(bot, 0):
            return
        begun = time.monotonic()
        left = MOST_SIZE
        for path in self._files.get(bot, ()):
            with suppress(OSError, ValueError), os.fdopen(open_to_read(path, follow=False), "rb", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                if 0 < size <= left:
                    left -= size
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)
                    with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as pages:
                        pages.madvise(_MADV_POPULATE_READ)
        self._load_at[bot] = time.monotonic() + _LOAD_SHARE * (time.monotonic() - begun)

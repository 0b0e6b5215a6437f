"""A table at which people play in their browsers: the gateway, the links of the people, and game after game."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arbiter.cli.play_options import LOCAL, Address, FrontOptions
from arbiter.errors import ConfigError
from arbiter.remote.hub import Hub
from arbiter.remote.invitations import SUFFIX, Invitations
from arbiter.tournament.fixture import Fixture, make_fixture
from arbiter.tournament.standings.stored_game import StoredGame

USUAL_PORT: Final = 8788
"""A page at the same address finds the deployments that the browser has saved."""


class Rematches:
    """A schedule of one game after the other between the same two players, who change their seats."""

    def __init__(self, red: str, blue: str) -> None:
        self._next = red, blue
        self._number = 0
        self._is_playing = False

    def take(self) -> Fixture | None:
        """Take the next game; None while one is played."""
        if self._is_playing:
            return None
        self._is_playing = True
        self._number += 1
        red, blue = self._next
        return make_fixture(red, blue, self._number, self._number)

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        self._next = game.blue, game.red
        self._is_playing = False


class Table(Struct, frozen=True):
    """A table in the browser."""

    hub: Hub
    links: dict[str, str]
    """The address with the invitation of each person."""


@contextmanager
def open_table(
    people: Sequence[str],
    settings: dict[str, object],
    at: Address | None,
    front: FrontOptions,
    public: str | None,
    *,
    insecure: bool,
) -> Iterator[Table]:
    """Open a table for people until the block ends; `settings` are those of its page.  Raises ConfigError.

    `public` is the address at which they reach it.  Default: the one at which it listens.
    """
    from arbiter.serve.background import open_gateway  # noqa: PLC0415 - a web server is slow to import

    front.check()
    words = ["--people", msgspec.json.encode(settings).decode(), *front.write_words()]
    with tempfile.TemporaryDirectory(prefix="arbiter-table-") as folder:
        file = Path(folder) / f"table{SUFFIX}"
        invitations = Invitations(file)
        tokens = {person: invitations.add(person, "play") for person in people}
        host, port = (LOCAL, USUAL_PORT) if at is None else (at.host, at.port)
        with ExitStack() as opened:
            try:
                gateway = open_gateway(file, host, port, words, option="--at", insecure=insecure)
                address, link = opened.enter_context(gateway)
            except ConfigError:
                if at is not None:
                    raise
                address, link = opened.enter_context(open_gateway(file, host, 0, words))  # another table is open
            base = (public or f"http{address.removeprefix('ws')}").rstrip("/")
            links = {person: f"{base}/play/#{token}" for person, token in tokens.items()}
            yield Table(Hub(link, people, is_shared=True), links)

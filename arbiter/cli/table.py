"""A table at which people play in their browsers: the gateway, the links of the people, and game after game."""

import os
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Thread, Timer
from typing import Final

import click
import msgspec
from msgspec import Struct

from arbiter.cli.options import group_options, rare_option
from arbiter.cli.play_options import LOCAL, Address, AddressType, FrontOptions
from arbiter.errors import ConfigError
from arbiter.remote.hub import Hub
from arbiter.remote.invitations import SUFFIX, Invitations
from arbiter.resources import lower_priority
from arbiter.sandbox.files.temporary import open_temporary
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.fixture import Fixture, make_fixture
from arbiter.tournament.standings.stored_game import StoredGame
from sample_bots.setups import LETTERS, read_book

_CHUNK: Final = 1 << 12
_ARRIVE_S: Final = 120.0  # for a guest to open the page
_GONE_S: Final = 300.0  # without a connection, after which a guest has left
USUAL_PORT: Final = 8788
"""A page at the same address finds the deployments that the browser has saved."""


AIDS: Final = ("none", "seen", "marks")
page_option = rare_option("Pages for people")


class TableOptions(Struct, frozen=True, kw_only=True):
    """The options of a table in the browser."""

    web: bool
    friend: bool
    timed: bool
    """Limit the time of the person too."""
    aids: str
    """The memory that the page lends: nothing, ranks that were shown, or the player's own marks too."""
    at: Address | None
    address: str | None
    insecure: bool


table_options = group_options(
    "table",
    TableOptions,
    click.option("--web", is_flag=True, help="Play in a browser on this machine: print the address to open."),
    click.option("--friend", is_flag=True, help="Play in browsers against another person, without a BOT."),
    page_option("--timed", is_flag=True, help="Limit your time too, by --time; always so against a friend."),
    page_option(
        "--aids",
        type=click.Choice(AIDS),
        default="marks",
        show_default=True,
        help="Memory that the page lends: none, ranks that were seen, or also your own marks on enemy pieces.",
    ),
    page_option(
        "--at",
        type=AddressType(),
        help="Address of the pages; a port alone is reachable only from this machine. Default: 8788, or a free port.",
    ),
    page_option("--address", metavar="URL", help="Address at which people reach the pages, for the links."),
    page_option("--insecure", is_flag=True, help="Allow browsers of other machines to connect without encryption."),
)


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


class GuestTable(Struct, frozen=True):
    """A table in the browser."""

    hub: Hub
    links: dict[str, str]
    """The address with the invitation of each person."""


def _watch_guest(hub: Hub) -> None:
    """End this process if the guest at a table does not come or stay, or if the server that started it ends."""
    waiting: list[Timer] = []

    def end() -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def wait(seconds: float) -> None:
        timer = Timer(seconds, end)
        timer.daemon = True
        timer.start()
        waiting.append(timer)

    def note(_guest: str, is_present: bool) -> None:
        while waiting:
            waiting.pop().cancel()
        if not is_present:
            wait(_GONE_S)

    def read_to_end() -> None:
        while os.read(0, _CHUNK):
            pass
        end()

    lower_priority()  # the games of the tournament come first
    hub.on_presence = note
    wait(_ARRIVE_S)
    Thread(target=read_to_end, daemon=True).start()


@contextmanager
def seat_guest(link: int, guest: str) -> Iterator[GuestTable]:
    """Seat a guest whose browser is connected with the web server, at the other end of an inherited link."""
    with socket.socket(fileno=link) as end:
        hub = Hub(end, [guest], is_shared=True)
        _watch_guest(hub)
        yield GuestTable(hub, {guest: ""})


@contextmanager
def open_table(tournament: Tournament, table: TableOptions, front: FrontOptions, lang: str) -> Iterator[GuestTable]:
    """Open the table of the people of a tournament until the block ends.  Raises ConfigError."""
    one, other = tournament.file.bot_names
    settings = {
        "title": tournament.file.name,
        "lang": lang,
        "aids": table.aids,
        "opponents": {one: other, other: one},
        "rematches": True,
        "timed": table.timed or table.friend,
        "presets": draw_book(),
    }
    people = tournament.file.list_players("person")
    with _open_pages(people, settings, table, front) as opened:
        yield opened


def draw_book() -> list[str]:
    """Draw the deployments of the book of the sample bots, the front row first."""
    signs = {rank: letter for letter, rank in LETTERS.items()}
    return ["\n".join("".join(signs[rank] for rank in row) for row in reversed(rows)) for rows in read_book()]


@contextmanager
def _open_pages(
    people: Sequence[str], settings: dict[str, object], table: TableOptions, front: FrontOptions
) -> Iterator[GuestTable]:
    """Serve the pages of a table, with settings, until the block ends.  Raises ConfigError."""
    from arbiter.serve.background import open_gateway  # noqa: PLC0415 - a web server is slow to import

    front.check()
    words = ["--people", msgspec.json.encode(settings).decode(), *front.write_words()]
    with open_temporary("arbiter-table-") as folder:
        file = folder / f"table{SUFFIX}"
        invitations = Invitations(file)
        tokens = {person: invitations.add(person, "play") for person in people}
        host, port = (LOCAL, USUAL_PORT) if table.at is None else (table.at.host, table.at.port)
        with ExitStack() as opened:
            try:
                gateway = open_gateway(file, host, port, words, option="--at", insecure=table.insecure)
                address, link = opened.enter_context(gateway)
            except ConfigError:
                if table.at is not None:
                    raise
                address, link = opened.enter_context(open_gateway(file, host, 0, words))  # another table is open
            base = (table.address or f"http{address.removeprefix('ws')}").rstrip("/")
            links = {person: f"{base}/play/#{token}" for person, token in tokens.items()}
            yield GuestTable(Hub(link, people, is_shared=True), links)

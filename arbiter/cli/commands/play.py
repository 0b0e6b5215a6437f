"""`arbiter play BOT`: play against a bot or a friend, at the terminal or in a browser."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_option, game_options, secret_option
from arbiter.cli.options import PATH, command, group_options, lang_option, rare_option
from arbiter.cli.output import report_voids
from arbiter.cli.play_options import Address, AddressType, FrontOptions, front_options
from arbiter.cli.playing import play_until_signal, prepare_bots
from arbiter.cli.table import Rematches, Table, open_table
from arbiter.cli.terminal import make_people
from arbiter.director.files import write_bytes
from arbiter.director.run import RunOutcome, make_unstored_run
from arbiter.errors import ConfigError, write_command
from arbiter.games.chance import Key, derive_seed
from arbiter.remote.hub import RemoteProgram
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.config.bot_entries import BotEntry, parse_bot
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.fixture import Fixture, make_fixture
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import RED, SEATS
from sample_bots.setups import LETTERS, read_book

YOU: Final = "you"
HOST: Final = "host"
FRIEND: Final = "friend"
RANDOM: Final = "lot"
AIDS: Final = ("none", "seen", "marks")
PEOPLE_TIME: Final = "900+5"  # of two people
SETUP_S: Final = 600  # for people to deploy

page_option = rare_option("Pages for people")


class SingleGame:
    """A schedule of one game."""

    def __init__(self, game: Fixture) -> None:
        self._waiting = [game]

    def take(self) -> Fixture | None:
        return self._waiting.pop() if self._waiting else None

    def add(self, game: StoredGame) -> None:
        """Do nothing: no other game depends on the result."""


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


@command
@click.argument("bot", metavar="[BOT]", required=False, shell_complete=complete_bot)
@game_options
@click.option(
    "--as",
    "seat",
    type=click.Choice((*SEATS, RANDOM)),
    default=RANDOM,
    show_default=True,
    help="Your seat; lot: chosen at random.",
)
@table_options
@game_option("--seed", type=click.IntRange(0, 2**63 - 1), help="Random seed; the same seed repeats the random choices.")
@secret_option
@click.option("--record", type=PATH, metavar="FILE", help="Write the record here. Default: played-DATE-TIME.jsonl.")
@lang_option
@front_options
def play(
    bot: str | None,
    game: GameOptions,
    seat: str,
    table: TableOptions,
    seed: int | None,
    secret: Key | None,
    record: Path | None,
    lang: str,
    front: FrontOptions,
) -> None:
    """Play a game against BOT at the terminal, or with --web in a browser.

    Type your moves as two squares, or pick them from a list; `help` shows all commands. The time control is for the
    bot; your time is not limited. BOT is given as for `arbiter match`. The game is recorded.
    """
    here = Path.cwd()
    in_browser = table.web or table.friend
    if (bot is None) != table.friend:
        raise ConfigError(
            "BOT: is missing; name a bot, or add --friend" if bot is None else f"{bot}: leave out --friend"
        )
    foe = BotEntry(name=FRIEND, human=True) if bot is None else parse_bot(bot, here)
    own = HOST if table.friend else YOU
    you = BotEntry(name=own, human=True) if in_browser else BotEntry(name=own, kind="human")
    if in_browser:
        game = _prepare_clock(game, table)
    file = game.make_file(f"{own} against {foe.name}", [you, foe], seed=seed, remote=in_browser)
    tournament = resolve(file, here)
    path = record or here / f"played-{datetime.now():%Y%m%d-%H%M%S}.jsonl"  # noqa: DTZ005 - local time in a file name
    bots = prepare_bots(game.sandbox, tournament.programs, HiddenFiles((path,)))
    tournament = replace(tournament, programs=bots.programs)
    manifest = new_manifest(tournament, bots.isolation.name, secret or (None if seed is None else NO_SECRET))
    paths = _number_paths(path)

    def keep(results: Sequence[NewResult]) -> None:
        for result in results:
            if isinstance(result, NewGame):
                written = next(paths)
                write_bytes(written, result.plain_record)
                if in_browser:
                    click.echo(_describe_record(written))

    chosen = SEATS[derive_seed(manifest.key, "seat of a person") % 2] if seat == RANDOM else seat
    red, blue = (own, foe.name) if chosen == RED else (foe.name, own)
    if not in_browser:
        source = SingleGame(make_fixture(red, blue, 1, 1))
        people = make_people([own], lang)
        run = make_unstored_run(tournament, bots.isolation, manifest, keep, source=source, people=people)
        play_until_signal(run)
        _conclude(run.conclude())
        click.echo(_describe_record(path))
        return
    with _open(tournament, table, front, lang) as opened:
        seated = {name: RemoteProgram(name, opened.hub, is_timed=table.timed or table.friend) for name in opened.links}
        run = make_unstored_run(
            tournament, bots.isolation, manifest, keep, source=Rematches(red, blue), remote=seated, hub=opened.hub
        )
        for name, link in opened.links.items():
            click.echo(f"{'open' if name == own else f'for your {name}:'} {link}")
        click.echo("each address is for one browser; Ctrl-C ends the table")
        play_until_signal(run)
        _conclude(run.conclude())


def _prepare_clock(game: GameOptions, table: TableOptions) -> GameOptions:
    """Return the options with a clock for people, unless they set one."""
    is_given = click.get_current_context().get_parameter_source("time") is ParameterSource.COMMANDLINE
    time = PEOPLE_TIME if (table.friend or table.timed) and not is_given else game.time
    return replace(game, time=time, changes=(f"setup_s={SETUP_S}", *game.changes))


@contextmanager
def _open(tournament: Tournament, table: TableOptions, front: FrontOptions, lang: str) -> Iterator[Table]:
    """Open the table of the people of a tournament.  Raises ConfigError."""
    one, other = tournament.file.bot_names
    settings = {
        "title": tournament.file.name,
        "lang": lang,
        "aids": table.aids,
        "opponents": {one: other, other: one},
        "rematches": True,
        "timed": table.timed or table.friend,
        "presets": _draw_book(),
    }
    people = tournament.file.people_names
    with open_table(people, settings, table.at, front, table.address, insecure=table.insecure) as opened:
        yield opened


def _draw_book() -> list[str]:
    """Draw the deployments of the book of the sample bots, the front row first."""
    signs = {rank: letter for letter, rank in LETTERS.items()}
    return ["\n".join("".join(signs[rank] for rank in row) for row in reversed(rows)) for rows in read_book()]


def _number_paths(path: Path) -> Iterator[Path]:
    """Yield the paths of the records of one game after the other."""
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")


def _describe_record(path: Path) -> str:
    return f"record: {path}\nwatch it: {write_command('replay', path)}"


def _conclude(outcome: RunOutcome) -> None:
    """Report voided games, and exit with an error code if the run was stopped or a game was voided."""
    if outcome.voids:
        report_voids(outcome.voids, None)
    if outcome.stopped or outcome.voids or outcome.postponed:
        raise SystemExit(EXIT_INTERRUPTED if outcome.stopped else EXIT_NEGATIVE)

"""`arbiter play BOT`: play against a bot or a friend, at the terminal or in a browser."""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource
from msgspec.structs import replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.files import results_option
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_option, game_options, secret_option
from arbiter.cli.options import PATH, command, lang_option
from arbiter.cli.output import report_voids
from arbiter.cli.play_options import FrontOptions, front_options
from arbiter.cli.playing import play_until_signal, prepare_bots
from arbiter.cli.table import Rematches, TableOptions, open_table, seat_guest, table_options
from arbiter.cli.terminal import make_people
from arbiter.director.files import results_file, write_bytes
from arbiter.director.run import RunOutcome, hide_files, make_unstored_run
from arbiter.errors import ConfigError, unknown_name, write_command
from arbiter.games.chance import Key, derive_seed
from arbiter.remote.hub import NetworkPlayer
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.submissions.versions import load_versions
from arbiter.tournament.config.bot_config import BotConfig, parse_bot
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.fixture import Fixture, make_fixture
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import RED, SEATS

YOU: Final = "you"
HOST: Final = "host"
FRIEND: Final = "friend"
RANDOM: Final = "lot"
PEOPLE_TIME: Final = "900+5"  # of two people
SETUP_S: Final = 600  # for people to deploy


class SingleGame:
    """A schedule of one game."""

    def __init__(self, game: Fixture) -> None:
        self._waiting = [game]

    def take(self) -> Fixture | None:
        return self._waiting.pop() if self._waiting else None

    def add(self, game: StoredGame) -> None:
        """Do nothing: no other game depends on the result."""


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
@click.option(
    "--in", "event", type=PATH, metavar="FILE", help="BOT is one of this tournament, with its rules and clocks."
)
@results_option
@click.option("--guest", type=int, hidden=True, help="Inherited link to the web server of an event: play one game.")
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
    event: Path | None,
    place: Path | None,
    seed: int | None,
    secret: Key | None,
    record: Path | None,
    lang: str,
    front: FrontOptions,
    guest: int | None,
) -> None:
    """Play a game against BOT at the terminal, or with --web in a browser.

    Type your moves as two squares, or pick them from a list; `help` shows all commands. The time control is for the
    bot; your time is not limited. BOT is given as for `arbiter match`. The game is recorded.
    """
    if (bot is None) != table.friend:
        raise ConfigError(
            "BOT: is missing; name a bot, or add --friend" if bot is None else f"{bot}: leave out --friend"
        )
    in_browser = table.web or table.friend
    own = HOST if table.friend else YOU
    you = BotConfig(name=own, kind="person" if in_browser else "terminal")
    path = record or Path.cwd() / f"played-{datetime.now():%Y%m%d-%H%M%S}.jsonl"  # noqa: DTZ005 - local time in a name
    if event is None:
        tournament = _plan_game(you, bot, game, table, seed)
        hidden = HiddenFiles((path,))
    else:
        results = results_file(event, place)
        known = load_versions(event, results)
        tournament = _plan_game_in(known, you, bot, seed)
        hidden = hide_files(results, path, *known.list_secret_files())
    bots = prepare_bots(game.sandbox, tournament.programs, hidden)
    tournament = replace(tournament, programs=bots.programs)
    manifest = new_manifest(tournament, bots.isolation.name, secret or (None if seed is None else NO_SECRET))
    paths = chain([path], (path.with_stem(f"{path.stem}-{number}") for number in count(2)))  # of one game each

    def keep(results: Sequence[NewResult]) -> None:
        for result in results:
            if isinstance(result, NewGame) and guest is None:
                written = next(paths)
                write_bytes(written, result.plain_record)
                if in_browser:
                    click.echo(_describe_record(written))

    chosen = SEATS[derive_seed(manifest.key, "seat of a person") % 2] if seat == RANDOM else seat
    foe = tournament.file.bot_names[1]
    red, blue = (own, foe) if chosen == RED else (foe, own)
    if not in_browser:
        source = SingleGame(make_fixture(red, blue, 1, 1))
        here = make_people([own], lang)
        run = make_unstored_run(tournament, bots.isolation, manifest, keep, source=source, at_terminal=here)
        play_until_signal(run)
        _conclude(run.conclude())
        click.echo(_describe_record(path))
        return
    with open_table(tournament, table, front, lang) if guest is None else seat_guest(guest, own) as opened:
        seated = {name: NetworkPlayer(name, opened.hub, is_timed=table.timed or table.friend) for name in opened.links}
        run = make_unstored_run(
            tournament,
            bots.isolation,
            manifest,
            keep,
            source=Rematches(red, blue) if guest is None else SingleGame(make_fixture(red, blue, 1, 1)),
            over_network=seated,
            hub=opened.hub,
        )
        if guest is None:
            for name, link in opened.links.items():
                click.echo(f"{'open' if name == own else f'for your {name}:'} {link}")
            click.echo("each address is for one browser; Ctrl-C ends the table")
        else:
            click.echo("ready")
        play_until_signal(run)
        _conclude(run.conclude())


def _plan_game(you: BotConfig, bot: str | None, game: GameOptions, table: TableOptions, seed: int | None) -> Tournament:
    """Plan a game under the rules and clocks of the options.  Raises ConfigError."""
    here = Path.cwd()
    foe = BotConfig(name=FRIEND, kind="person") if bot is None else parse_bot(bot, here)
    if you.kind == "person":
        is_given = click.get_current_context().get_parameter_source("time") is ParameterSource.COMMANDLINE
        time = PEOPLE_TIME if (table.friend or table.timed) and not is_given else game.time
        game = replace(game, time=time, changes=(f"setup_s={SETUP_S}", *game.changes))
    return resolve(game.make_file(f"{you.name} against {foe.name}", [you, foe], seed=seed), here)


def _plan_game_in(event: Tournament, you: BotConfig, bot: str | None, seed: int | None) -> Tournament:
    """Plan a game against a bot of a tournament, with its rules and clocks.  Raises ConfigError."""
    context = click.get_current_context()
    for param in context.command.params:
        is_given = context.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if is_given and param.name in GameOptions.__struct_fields__ and param.name != "sandbox":
            raise ConfigError(f"{param.opts[0]}: the tournament of --in sets it; leave it out")
    able = {one.name: one for one in event.file.bots if one.kind == "program"}
    if bot is None or bot not in able:
        raise ConfigError(f"BOT: {unknown_name('bot of the tournament on this machine', bot or '', able)}")
    foe = replace(able[bot], parent=None, absent=[])
    file = event.file.with_bots(f"{you.name} against {foe.name}", [you, foe], 2)
    time = replace(file.time, setup_s=max(file.time.setup_s or 0.0, SETUP_S))
    return resolve(replace(file, seed=seed, time=time), event.folder or Path())


def _describe_record(path: Path) -> str:
    return f"record: {path}\nwatch it: {write_command('replay', path)}"


def _conclude(outcome: RunOutcome) -> None:
    """Report voided games, and exit with an error code if the run was stopped or a game was voided."""
    if outcome.voids:
        report_voids(outcome.voids, None)
    if outcome.stopped or outcome.voids or outcome.postponed:
        raise SystemExit(EXIT_INTERRUPTED if outcome.stopped else EXIT_NEGATIVE)

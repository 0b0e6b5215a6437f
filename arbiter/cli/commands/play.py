"""`arbiter play BOT`: play against a bot at the terminal."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

import click
from msgspec.structs import replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_option, game_options, secret_option
from arbiter.cli.options import PATH, command, lang_option
from arbiter.cli.output import report_voids
from arbiter.cli.playing import play_until_signal, prepare_bots
from arbiter.cli.terminal import make_people
from arbiter.director.files import write_bytes
from arbiter.director.run import make_unstored_run
from arbiter.errors import write_command
from arbiter.games.chance import Key, derive_seed
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.config.bot_entries import BotEntry, parse_bot
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.fixture import Fixture, make_fixture
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import RED, SEATS

YOU: Final = "you"
RANDOM: Final = "lot"


class SingleGame:
    """A schedule of one game."""

    def __init__(self, game: Fixture) -> None:
        self._waiting = [game]

    def take(self) -> Fixture | None:
        return self._waiting.pop() if self._waiting else None

    def add(self, game: StoredGame) -> None:
        """Do nothing: no other game depends on the result."""


@command
@click.argument("bot", metavar="BOT", shell_complete=complete_bot)
@game_options
@click.option(
    "--as",
    "seat",
    type=click.Choice((*SEATS, RANDOM)),
    default=RANDOM,
    show_default=True,
    help="Your seat; lot: chosen at random.",
)
@game_option("--seed", type=click.IntRange(0, 2**63 - 1), help="Random seed; the same seed repeats the random choices.")
@secret_option
@click.option("--record", type=PATH, metavar="FILE", help="Write the record here. Default: played-DATE-TIME.jsonl.")
@lang_option
def play(
    bot: str,
    game: GameOptions,
    seat: str,
    seed: int | None,
    secret: Key | None,
    record: Path | None,
    lang: str,
) -> None:
    """Play a game against BOT at the terminal.

    Type your moves as two squares, or pick them from a list; `help` shows all commands. The time control is for the
    bot; your time is not limited. BOT is given as for `arbiter match`. The game is recorded.
    """
    here = Path.cwd()
    entry = parse_bot(bot, here)
    players = [BotEntry(name=YOU, kind="human"), entry]
    file = game.make_file(f"{YOU} against {entry.name}", players, seed=seed)
    tournament = resolve(file, here)
    path = record or here / f"played-{datetime.now():%Y%m%d-%H%M%S}.jsonl"  # noqa: DTZ005 - local time in a file name
    bots = prepare_bots(game.sandbox, tournament.programs, HiddenFiles((path,)))
    tournament = replace(tournament, programs=bots.programs)
    manifest = new_manifest(tournament, bots.isolation.name, secret or (None if seed is None else NO_SECRET))

    def keep(results: Sequence[NewResult]) -> None:
        for result in results:
            if isinstance(result, NewGame):
                write_bytes(path, result.plain_record)

    chosen = SEATS[derive_seed(manifest.key, "seat of a person") % 2] if seat == RANDOM else seat
    red, blue = (YOU, entry.name) if chosen == RED else (entry.name, YOU)
    source = SingleGame(make_fixture(red, blue, 1, 1))
    run = make_unstored_run(tournament, bots.isolation, manifest, keep, source=source, people=make_people([YOU], lang))
    play_until_signal(run)
    outcome = run.conclude()
    if outcome.voids:
        report_voids(outcome.voids, None)
    if outcome.stopped or outcome.voids or outcome.postponed:
        raise SystemExit(EXIT_INTERRUPTED if outcome.stopped else EXIT_NEGATIVE)
    click.echo(f"record: {path}\nwatch it: {write_command('replay', path)}")

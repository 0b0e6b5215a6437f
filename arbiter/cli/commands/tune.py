"""`arbiter tune BOT`: find values of parameters with which a bot plays better."""

import secrets
import sys
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.failures import EXIT_INTERRUPTED
from arbiter.cli.game_options import GameOptions, game_option, game_options, machine_option, secret_option
from arbiter.cli.options import PATH, command, format_options, group_options, rare_option
from arbiter.cli.play_options import force_jobs_option
from arbiter.cli.playing import prepare_bots
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.terminal import print_sheets
from arbiter.director.files import locate_file, write_bytes
from arbiter.errors import ConfigError
from arbiter.games.chance import KEY_BYTES, Key
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.show.text import json_line, plain
from arbiter.show.tuning import (
    describe_tuning,
    draw_plot,
    values_sheet,
    write_bot_table,
    write_iteration,
)
from arbiter.tournament.config.bot_entries import BotEntry, parse_bot, rename_bot
from arbiter.tournament.execution.tuning import MINUS, PLUS, SUFFIX, Settings, Tuning, TuningFile, with_values
from arbiter.tournament.machine import choose_jobs
from arbiter.tournament.tuning import DEFAULT_RATE, Iteration, Spsa, read_parameters, write_values

tuning_option = rare_option("Tuning")


class TuneOptions(Struct, frozen=True, kw_only=True):
    """The options of the search."""

    pairs: int | None
    """Pairs of games in an iteration."""
    seed: int
    rate: float
    jobs: int | None
    force_jobs: bool
    secret: Key | None
    setups: Path | None
    plot: Path | None
    finish: bool


@command
@click.argument("bot", shell_complete=complete_bot)
@click.option(
    "--param",
    "params",
    multiple=True,
    required=True,
    metavar="NAME=LOW..HIGH",
    help="Parameter and its range; may be repeated. @START and /STEP may follow, as in depth=1..8@3/1.",
)
@click.option(
    "--results",
    "place",
    type=PATH,
    metavar="PATH",
    required=True,
    help=f"File of the tuning (*{SUFFIX}), or its folder; a tuning that exists is continued.",
)
@click.option(
    "--games",
    default=1000,
    show_default=True,
    type=click.IntRange(2),
    help="Number of games, even; a tuning can continue with more.",
)
@game_options
@group_options(
    "search",
    TuneOptions,
    machine_option(
        "--jobs", type=click.IntRange(1, 1000), help="Number of games at a time. Default: one per two cores."
    ),
    force_jobs_option,
    secret_option,
    tuning_option(
        "--pairs",
        type=click.IntRange(1, 1000),
        help="Pairs of games per iteration. Default: half of --jobs, at least 1.",
    ),
    tuning_option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Random seed of the steps."),
    tuning_option(
        "--rate",
        default=DEFAULT_RATE,
        show_default=True,
        type=click.FloatRange(0, 10, min_open=True),
        help="How far the values move in the last iteration for one game more won than lost, in steps.",
    ),
    game_option("--setups", type=PATH, help="Use the deployments of this book."),
    tuning_option("--plot", type=PATH, metavar="FILE", help="Draw the course of the values as SVG."),
    tuning_option("--finish", is_flag=True, help="Play no more games: show the values after the stored ones."),
)
@format_options
def tune(
    bot: str, params: tuple[str, ...], place: Path, games: int, game: GameOptions, search: TuneOptions, form: str
) -> None:
    """Find values of parameters with which a bot plays better, by SPSA.

    In each iteration the bot plays pairs of games against itself with slightly different values. {NAME} in its
    command is replaced by the value; a parameter that the command does not contain is an environment variable.
    The same command continues after a stop, or ends with --finish. Test the values in a match then.
    """
    parameters = read_parameters(params, games)
    here = Path.cwd()
    entry = rename_bot(parse_bot(bot, here), PLUS, here)
    setups = None if search.setups is None else str(search.setups)
    base = game.make_file("tuning", [entry, replace(entry, name=MINUS)], setups=setups)
    jobs = choose_jobs(search.jobs, base.time, force=search.force_jobs)
    spsa = Spsa(parameters, games // 2, seed=search.seed, rate=search.rate)
    tuning = Tuning(base, here, spsa)
    shared = asdict(game) | {"rules": game.rules[0], "position": base.position}
    del shared["sandbox"]
    path = locate_file(place, "tuning", SUFFIX)
    written = HiddenFiles((path,) if search.plot is None else (path, search.plot))
    bots = prepare_bots(game.sandbox, tuning.first.programs, written)
    tuning.enter = bots.enter
    settings = Settings(
        bot=bot,
        params=params,
        setups=setups,
        games=games,
        seed=search.seed,
        rate=search.rate,
        secret=search.secret or secrets.token_hex(KEY_BYTES),
        program=bots.digests.digest(PLUS),
        **shared,
    )
    file = _open_file(path, settings, search)
    spsa.resume(file.iterations)
    if form == "table":
        about = describe_tuning(bot, entry.command or (), parameters, games)
        click.echo(plain(f"{about}; sandbox: {bots.isolation.name}; {jobs.describe()}"))
        if file.iterations:
            click.echo(f"continues after {2 * spsa.pairs} games")

    def report(iteration: Iteration) -> None:
        if form in ("table", "json"):
            text = json_line(iteration) if form == "json" else None
            click.echo(text or write_iteration(iteration, spsa.total_pairs))

    async def work(_stop: Stop) -> None:
        await tuning.play(file, bots.isolation, jobs.number, search.pairs or max(1, jobs.number // 2), report)

    finished = search.finish or run_until_signal(work)
    if form == "table":
        click.echo()
    _print_values(file, spsa, base.bots[0], search.plot, form)
    if not finished:
        click.echo("\narbiter: stopped; the same command continues", err=True)
        sys.exit(EXIT_INTERRUPTED)


def _open_file(path: Path, settings: Settings, search: TuneOptions) -> TuningFile:
    """Open or create the file of a tuning.  Raises ConfigError."""
    if search.finish and not path.exists():
        raise ConfigError(f"--finish: there is no tuning in {path}; leave --finish out to begin one")
    file = TuningFile(path, replace(settings, program=None) if search.finish else settings)
    if search.secret not in (None, file.settings.secret):
        raise ConfigError(f"--secret: is not that of the tuning in {path}; leave it out to continue")
    if not search.finish:
        file.extend(settings.games)
    return file


def _print_values(file: TuningFile, spsa: Spsa, entry: BotEntry, plot: Path | None, form: str) -> None:
    """Print the values so far and the table of the bot with them, and draw the plot.  Raises ConfigError."""
    print_sheets([values_sheet(spsa.parameters, file.iterations, spsa.values)], form)
    if plot is not None:
        write_bytes(plot, draw_plot(spsa.parameters, file.iterations).encode())
    if form == "table":
        tuned = with_values(entry, "tuned", write_values(spsa.parameters, spsa.values))
        click.echo("\nTo test these values, play a tournament of the bot with and without them:\n")
        click.echo(write_bot_table(tuned.name, tuned.command or (), tuned.read, tuned.env))

"""`arbiter tune BOT`: find values of parameters with which a bot plays better."""

import secrets
from collections import deque
from functools import partial
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.game_options import GameOptions, game_option, game_options, secret_option
from arbiter.cli.options import PATH, command, format_options, group_options, rare_option
from arbiter.cli.output import report_outcome
from arbiter.cli.play_options import place_options
from arbiter.cli.playing import exit_after, make_receiver, play_until_signal
from arbiter.cli.terminal import print_notice, print_sheets
from arbiter.director.files import locate_file, write_bytes
from arbiter.director.unstored import UnstoredRun, open_unstored_venue
from arbiter.director.venue import PlaySettings
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
from arbiter.tournament.config.bot_config import BotConfig, parse_bot, rename_bot
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.execution.tuning import (
    MINUS,
    PLUS,
    SUFFIX,
    TuningFile,
    TuningGames,
    TuningSettings,
    locate_tuned_files,
    with_parameters,
)
from arbiter.tournament.tuning import DEFAULT_RATE, Iteration, Spsa, read_parameters, write_values

tuning_option = rare_option("Tuning")


class TuneOptions(Struct, frozen=True, kw_only=True):
    """The options of the search."""

    pairs: int | None
    """Pairs of games in an iteration."""
    seed: int
    rate: float
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
    help="Number of games (even).",
)
@game_options
@group_options(
    "search",
    TuneOptions,
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
@group_options("play", PlaySettings, place_options, secret_option)
@format_options
def tune(
    bot: str,
    params: tuple[str, ...],
    place: Path,
    games: int,
    game: GameOptions,
    search: TuneOptions,
    play: PlaySettings,
    form: str,
) -> None:
    """Find values of parameters with which a bot plays better, by SPSA.

    In each iteration the bot plays pairs of games against itself with slightly different values. {NAME} in its
    command is replaced by the value; other parameters are environment variables. The same command continues after
    a stop. Test the values in a match then.
    """
    parameters = read_parameters(params, games)
    here = Path.cwd()
    entry = rename_bot(parse_bot(bot, here), PLUS, here)
    setups = None if search.setups is None else str(search.setups)
    sides = [entry, replace(entry, name=MINUS)]
    base = game.make_file("tuning", sides, setups=setups, seed=search.seed, processes="fresh", suspend_after=0)
    tournament = resolve(base, here)
    spsa = Spsa(parameters, games // 2, seed=search.seed, rate=search.rate)
    start = write_values(parameters, spsa.values)
    programs = tuple(locate_tuned_files(program, start) for program in tournament.programs)
    tournament = replace(tournament, programs=programs)
    shared = asdict(game) | {"rules": game.rules[0], "position": tournament.file.position}
    del shared["sandbox"]
    settings = TuningSettings(
        bot=bot,
        params=params,
        setups=setups,
        games=games,
        seed=search.seed,
        rate=search.rate,
        secret=play.secret or secrets.token_hex(KEY_BYTES),
        **shared,
    )
    path = locate_file(place, "tuning", SUFFIX)
    if search.finish:
        file = _open_file(path, settings, play.secret, is_finished=True)
        spsa.resume(file.iterations)
        if form == "table":
            _print_start(describe_tuning(bot, entry.command or (), parameters, games), file, spsa)
        _print_values(file, spsa, entry, search.plot, form)
        return

    hidden = HiddenFiles((path,) if search.plot is None else (path, search.plot))
    with open_unstored_venue(tournament, replace(play, sandbox=game.sandbox), hidden, print_notice) as opened:
        file = _open_file(path, replace(settings, program=opened.digests.digest(PLUS)), play.secret)
        spsa.resume(file.iterations)
        jobs = opened.venue.jobs
        if form == "table":
            about = describe_tuning(bot, entry.command or (), parameters, games)
            isolation = opened.venue.executor.isolation
            _print_start(f"{about}; sandbox: {isolation}; {jobs.describe()}", file, spsa)
        finished: deque[Iteration] = deque()
        source = TuningGames(file, spsa, search.pairs or max(1, jobs.number // 2), finished.append)
        run = UnstoredRun(opened, source, file.settings.secret)
        run.receive = make_receiver(partial(_print_finished, finished, spsa.total_pairs, form))
        play_until_signal(run)
        outcome = run.conclude()
    if form == "table":
        click.echo()
    _print_values(file, spsa, entry, search.plot, form)
    for change in outcome.changes:
        print_notice(f"{change} during the tuning")
    report_outcome(outcome, None)
    if spsa.pairs < spsa.total_pairs:
        if outcome.stopped:
            print_notice("stopped; the same command continues")
        exit_after(outcome)


def _print_finished(finished: deque[Iteration], total_pairs: int, form: str) -> None:
    """Print the iterations that have finished, and forget them."""
    while finished:
        iteration = finished.popleft()
        if form in ("table", "json"):
            click.echo(json_line(iteration) if form == "json" else write_iteration(iteration, total_pairs))


def _print_start(about: str, file: TuningFile, spsa: Spsa) -> None:
    """Print what is tuned, and how much of it is done."""
    click.echo(plain(about))
    if file.iterations:
        click.echo(f"continues after {2 * spsa.pairs} games")


def _open_file(path: Path, settings: TuningSettings, secret: Key | None, *, is_finished: bool = False) -> TuningFile:
    """Open or create the file of a tuning, or only open it if that is finished.  Raises ConfigError."""
    if is_finished and not path.exists():
        raise ConfigError(f"--finish: there is no tuning in {path}; leave --finish out to begin one")
    file = TuningFile(path, settings)
    if secret not in (None, file.settings.secret):
        raise ConfigError(f"--secret: is not that of the tuning in {path}; leave it out to continue")
    if not is_finished:
        file.extend(settings.games)
    return file


def _print_values(file: TuningFile, spsa: Spsa, entry: BotConfig, plot: Path | None, form: str) -> None:
    """Print the values so far and the table of the bot with them, and draw the plot.  Raises ConfigError."""
    print_sheets([values_sheet(spsa.parameters, file.iterations, spsa.values)], form)
    if plot is not None:
        write_bytes(plot, draw_plot(spsa.parameters, file.iterations).encode())
    if form == "table":
        tuned = with_parameters(entry, "tuned", write_values(spsa.parameters, spsa.values))
        click.echo("\nTo test these values, play a tournament of the bot with and without them:\n")
        click.echo(write_bot_table(tuned.name, tuned.command or (), tuned.read, tuned.env))

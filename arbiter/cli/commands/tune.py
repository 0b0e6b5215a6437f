"""`arbiter tune BOT`: find values of parameters with which a bot plays better."""

import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click
from msgspec.structs import replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.failures import EXIT_INTERRUPTED
from arbiter.cli.options import json_option, wide_option
from arbiter.cli.output import print_notice, print_sheets
from arbiter.cli.play_options import read_time, rule_change_option, rules_option, sandbox_option, time_option
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.tuning import Settings, TuningFile, list_arguments, with_values
from arbiter.director.files import locate_file, write_bytes
from arbiter.director.venue import find_isolation
from arbiter.errors import ConfigError
from arbiter.games.chance import KEY_BYTES, derive_key
from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.select import IsolationName
from arbiter.show.text import json_line, plain
from arbiter.show.tuning import draw_plot, iteration_object, values_sheet, write_iteration
from arbiter.tournament.config.bot_entries import BotEntry, parse_bot, rename_bot
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.execution.pairs import Score, play_pairs
from arbiter.tournament.jobs import choose_jobs
from arbiter.tournament.tuning import DEFAULT_RATE, Iteration, Parameter, Probe, Spsa, read_parameter, write_values

_PLUS: Final = "plus"
_MINUS: Final = "minus"
TUNING_SUFFIX: Final = ".jsonl"


@click.command
@click.argument("bot", shell_complete=complete_bot)
@click.option(
    "--param",
    "params",
    multiple=True,
    required=True,
    metavar="NAME=LOW..HIGH",
    help="Parameter and its range; may be repeated. @START and /STEP may follow, as in depth=1..8@3/1.",
)
@rules_option
@rule_change_option
@click.option("--games", default=1000, show_default=True, type=click.IntRange(2), help="Number of games, even.")
@click.option(
    "--pairs", type=click.IntRange(1, 1000), help="Pairs of games per iteration. Default: half of --jobs, at least 1."
)
@time_option
@click.option("--setups", type=click.Path(path_type=Path), help="Use the deployments of this book.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Random seed of the steps.")
@click.option(
    "--rate",
    default=DEFAULT_RATE,
    show_default=True,
    type=click.FloatRange(0, 10, min_open=True),
    help="How far the values move in the last iteration for one game more won than lost, in steps.",
)
@click.option("--jobs", type=click.IntRange(1, 1000), help="Number of games at a time. Default: one per two cores.")
@click.option(
    "--results",
    "place",
    type=click.Path(path_type=Path),
    metavar="PATH",
    required=True,
    help=f"File of the tuning (*{TUNING_SUFFIX}), or its folder; a tuning that exists is continued.",
)
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Draw the course of the values to this SVG file at the end."
)
@sandbox_option
@wide_option
@json_option
def tune(
    bot: str,
    params: tuple[str, ...],
    rules: str,
    options: tuple[str, ...],
    games: int,
    pairs: int | None,
    time: str,
    setups: Path | None,
    seed: int,
    rate: float,
    jobs: int | None,
    place: Path,
    plot: Path | None,
    sandbox: IsolationName | None,
    *,
    as_json: bool,
) -> None:
    """Find values of parameters with which a bot plays better, by SPSA.

    In each iteration the bot plays pairs of games against itself with slightly different values. {NAME} in its
    command is replaced by the value; parameters that the command does not contain are environment variables.
    Call it again with the same options to continue after a stop. Then test the values in a match.
    """
    parameters = _read_parameters(params, games)
    here = Path.cwd()
    entry = rename_bot(parse_bot(bot, here), _PLUS, here)
    base = TournamentFile(
        name="tuning",
        rules=rules,
        options=list(options),
        setups=None if setups is None else str(setups),
        time=read_time(time),
        bots=[entry, replace(entry, name=_MINUS)],
    )
    chosen_jobs = choose_jobs(jobs, base.time)
    spsa = Spsa(parameters, games // 2, seed=seed, rate=rate)
    settings = Settings(
        bot=bot,
        params=params,
        rules=rules,
        options=options,
        time=time,
        setups=base.setups,
        games=games,
        seed=seed,
        rate=rate,
        secret=secrets.token_hex(KEY_BYTES),
    )
    tournament = _resolve(base, entry, spsa.probe(1))  # reports faults before anything is written
    isolation = find_isolation(sandbox, tournament.programs, print_notice)
    file = TuningFile(locate_file(place, "tuning", TUNING_SUFFIX), settings)
    spsa.resume(file.iterations)
    if not as_json:
        arguments = list_arguments(entry, parameters)
        variables = [one.name for one in parameters if one.name not in arguments]
        click.echo(plain(_describe(bot, arguments, variables, games, chosen_jobs.describe(), isolation.name)))
        if file.iterations:
            click.echo(f"continues after {2 * spsa.pairs} games")

    def report(iteration: Iteration) -> None:
        click.echo(json_line(iteration_object(iteration)) if as_json else write_iteration(iteration, spsa.total_pairs))

    pairs = pairs or max(1, chosen_jobs.number // 2)
    finished = _play(spsa, file, base, entry, isolation, chosen_jobs.number, pairs, report)
    if not as_json:
        click.echo()
    print_sheets([values_sheet(parameters, file.iterations, spsa.values)], "json" if as_json else "table")
    if plot is not None:
        write_bytes(plot, draw_plot(parameters, file.iterations).encode())
    if not as_json and finished:
        click.echo(f"\n{_describe_match(entry, write_values(parameters, spsa.values))}")
    if not finished:
        click.echo("\narbiter: stopped; the same command continues", err=True)
        sys.exit(EXIT_INTERRUPTED)


def _read_parameters(params: tuple[str, ...], games: int) -> list[Parameter]:
    if games % 2:
        raise ConfigError(f"--games {games}: must be even, because games are played in pairs")
    parameters = [read_parameter(text) for text in params]
    if len({one.name for one in parameters}) < len(parameters):
        raise ConfigError("--param: a parameter is given twice; remove one of them")
    return parameters


def _play(
    spsa: Spsa,
    file: TuningFile,
    base: TournamentFile,
    entry: BotEntry,
    isolation: Isolation,
    jobs: int,
    pairs: int,
    report: Callable[[Iteration], None],
) -> bool:
    """Play the iterations that are left and store each.  Return False if a signal stopped them."""

    async def work(_stop: Stop) -> None:
        while spsa.pairs < spsa.total_pairs:
            probe = spsa.probe(pairs)
            seed = derive_key(file.settings.secret, "iteration", spsa.pairs)
            score = await play_pairs(_resolve(base, entry, probe), seed, probe.pairs, isolation, jobs)
            _check_score(score, probe)
            file.add(spsa.update(probe, score.won, score.drawn, score.lost))
            report(file.iterations[-1])

    return run_until_signal(work)


def _resolve(base: TournamentFile, entry: BotEntry, probe: Probe) -> Tournament:
    """Return the tournament of an iteration, with the values of both sides.  Raises ConfigError."""
    bots = [with_values(entry, _PLUS, probe.plus), with_values(entry, _MINUS, probe.minus)]
    return resolve(replace(base, bots=bots), Path.cwd())


def _check_score(score: Score, probe: Probe) -> None:
    """Raise ConfigError if a side lost all of its games by forfeit: then the values do not work at all."""
    for count, values in ((score.forfeited, probe.plus), (score.forfeited_by_opponent, probe.minus)):
        if count == 2 * probe.pairs:
            written = ", ".join(f"{name} {value}" for name, value in values.items())
            raise ConfigError(f"the bot lost all games of an iteration by forfeit with {written}: {score.why}")


def _describe(bot: str, arguments: list[str], variables: list[str], games: int, jobs: str, isolation: str) -> str:
    ways = [f"{', '.join(arguments)} as arguments"] if arguments else []
    ways += [f"{', '.join(variables)} as environment variables"] if variables else []
    return f"tuning {bot} in {games} games; {' and '.join(ways)}; sandbox: {isolation}; {jobs}"


def _describe_match(entry: BotEntry, values: dict[str, str]) -> str:
    """Describe how to test the values."""
    tuned = with_values(entry, "tuned", values)
    lines = [
        "To test these values, play a tournament of the bot with and without them:",
        "",
        "[[bots]]",
        'name = "tuned"',
    ]
    lines.append(f"command = [{', '.join(map(_quote, tuned.command or ()))}]")
    if tuned.env:
        pairs = ", ".join(f"{name} = {_quote(value)}" for name, value in tuned.env.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines)


def _quote(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'

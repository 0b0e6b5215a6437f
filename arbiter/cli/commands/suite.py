"""`arbiter suite FILE BOT`: score a bot on positions."""

import sys
from importlib.resources import as_file, files
from pathlib import Path

import click
from msgspec.structs import replace

from arbiter.cli.completion import SHIPPED_SUITE, complete_bot, complete_rules, complete_suite
from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_option, make_game_options, refuse_game_options
from arbiter.cli.options import PATH, command, format_options, group_options
from arbiter.cli.output import report_outcome
from arbiter.cli.play_options import place_options
from arbiter.cli.playing import exit_after, make_receiver, play_until_signal
from arbiter.cli.terminal import print_notice, print_sheets
from arbiter.director.files import TOML, write_file_into
from arbiter.director.unstored import UnstoredRun, open_unstored_venue
from arbiter.director.venue import PlaySettings
from arbiter.errors import write_count
from arbiter.games.ruleset import Overrides
from arbiter.preflight.suite import Suite, SuiteAnswer, SuiteFile, SuitePosition, check_suite
from arbiter.preflight.suite_games import RESIGNER, SuiteGames
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.show.tables.checks import answer_object, suite_sheet, write_answer
from arbiter.show.text import json_line, plain, safe
from arbiter.tournament.config.bot_config import parse_bots
from arbiter.tournament.config.tournament import locate_faults, resolve
from arbiter.tournament.config.typed_toml import read_toml


@command
@click.argument("file", metavar="FILE.toml|first", shell_complete=complete_suite)
@click.argument("bot", shell_complete=complete_bot)
@click.option("--only", multiple=True, metavar="NAME", help="Play only this position or theme; may be repeated.")
@click.option(
    "--opponent",
    default="hunter",
    show_default=True,
    shell_complete=complete_bot,
    help="Opponent in positions with a result.",
)
@click.option("--at-least", type=click.IntRange(0), metavar="N", help="Exit with 1 if fewer positions are passed.")
@click.option("--export", type=PATH, metavar="DIR", help="Write the records to DIR/NAME.jsonl.")
@make_game_options(
    game_option(
        "--rules",
        shell_complete=complete_rules,
        callback=lambda _ctx, _param, value: (value,) if value else (),
        metavar="NAME",
        help="Rule set. Default: that of each position.",
    ),
    offers_position=False,
)
@group_options("play", PlaySettings, place_options)
@game_option("--fresh", is_flag=True, help="Start a new process for each position. Default: one plays several.")
@game_option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Random seed.")
@format_options
def suite(
    file: str,
    bot: str,
    only: tuple[str, ...],
    opponent: str,
    at_least: int | None,
    export: Path | None,
    game: GameOptions,
    play: PlaySettings,
    fresh: bool,
    seed: int,
    form: str,
) -> None:
    """Score a bot on a suite of positions.

    In each position the bot must find a best action, avoid bad ones, or reach a result against an opponent. `first`
    is the suite of 30 positions that comes with the arbiter. The exit code is 0 unless --at-least asks for more.
    """
    here = Path.cwd()
    refuse_game_options(file, "position")
    game.list_rule_changes()  # refuses settings of tournaments
    bots = parse_bots((bot, opponent, RESIGNER), here)
    processes = "fresh" if fresh else "reused"
    made = game.make_file("suite", bots, rules="original", processes=processes, suspend_after=0)
    chosen = _read(file, game, made.merge_overrides()).select(only)
    has_result = {one.table.result is not None for one in chosen.positions}
    needed = [
        entry
        for entry, is_needed in zip(made.bots, (True, True in has_result, False in has_result), strict=True)
        if is_needed
    ]
    tournament = resolve(replace(made, rules="original", options=[], bots=needed), here)  # each position has its own
    hidden = HiddenFiles(folders=() if export is None else (export,))

    def report(position: SuitePosition, answer: SuiteAnswer) -> None:
        if export is not None and answer.record:
            write_file_into(export, f"{safe(position.table.name)}.jsonl", answer.record)
        if form in ("table", "json"):
            click.echo(json_line(answer_object(position, answer)) if form == "json" else write_answer(position, answer))

    games = SuiteGames(chosen, made.bot_names, seed, report)
    with open_unstored_venue(tournament, replace(play, sandbox=game.sandbox), hidden, print_notice) as opened:
        if form == "table":
            count = write_count(len(chosen.positions), "position")
            heading = f"{chosen.name}: {count} for {bots[0].name}; sandbox: {opened.venue.executor.isolation}"
            click.echo(plain(f"{heading}; {opened.venue.jobs.describe()}") + "\n")
        run = UnstoredRun(opened, games, NO_SECRET, games.keep)
        run.receive = make_receiver(games.report_ready)
        play_until_signal(run)
        outcome = run.conclude()
    games.report_rest()
    if form == "table":
        click.echo()
    print_sheets([suite_sheet(chosen, games.reported)], form)
    for change in outcome.changes:
        print_notice(f"{change} during the games")
    report_outcome(outcome, None)
    if len(games.reported) < len(chosen.positions):
        print_notice(f"stopped after {write_count(len(games.reported), 'position')}")
        exit_after(outcome)
    if at_least is not None and sum(answer.passed for _, answer in games.reported) < at_least:
        sys.exit(EXIT_NEGATIVE)


def _read(file: str, game: GameOptions, changes: Overrides) -> Suite:
    """Read the shipped suite or a file.  Raises ConfigError with all faults, each with its line."""
    path = Path(file)
    rules = next(iter(game.rules), None)
    if file == SHIPPED_SUITE and not path.exists():
        with as_file(files("arbiter.preflight") / "suites" / f"{SHIPPED_SUITE}{TOML}") as shipped:
            return check_suite(read_toml(shipped, SuiteFile), rules, game.options, changes)
    suite_file = read_toml(path, SuiteFile)
    with locate_faults(path):
        return check_suite(suite_file, rules, game.options, changes)

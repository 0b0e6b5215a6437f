"""`arbiter rerun RESULTS GAME`: play a stored game again and compare the records."""

import sys
from pathlib import Path

import click
from msgspec.structs import asdict

from arbiter.cli.completion import complete_game
from arbiter.cli.failures import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.files import open_results, results_option
from arbiter.cli.game_options import sandbox_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.output import report_voids
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.terminal import print_facts, print_log, print_notice
from arbiter.director.files import find_results, write_bytes
from arbiter.director.programs import Doubt
from arbiter.director.rerun import Rerun, open_rerun
from arbiter.errors import ConfigError, write_count
from arbiter.record import GameResult, RecordError, read_record
from arbiter.referee.game import PlayedGame
from arbiter.sandbox.select import IsolationName
from arbiter.show.replay.difference import RecordDifference, describe_rerun, find_difference
from arbiter.show.text import plain
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import SEATS


@command
@click.argument("named", metavar="RESULTS", type=PATH)
@click.argument("game", shell_complete=complete_game)
@click.option("--file", type=PATH, help="Start the bots as this tournament file does.")
@results_option
@click.option("--record", type=PATH, metavar="FILE", help="Write the new record to FILE.")
@click.option("--log", is_flag=True, help="Print the messages and stderr of the bots.")
@click.option(
    "--trust-commands",
    is_flag=True,
    help="Run the commands in RESULTS, with the files that they name.",
)
@sandbox_option
@format_options
def rerun(
    named: Path,
    game: str,
    file: Path | None,
    record: Path | None,
    place: Path | None,
    sandbox: IsolationName | None,
    form: str,
    *,
    log: bool,
    trust_commands: bool,
) -> None:
    """Play a GAME of RESULTS again with the same seed, rules, time control and bots, and compare.

    A bot plays the same game again if its random choices depend only on the given seed. RESULTS is not changed, but
    contains the commands that start the bots: they run only if the tournament file that you name contains the same, or
    after you agree. Exit code: 0 if actions and result are the same, 1 if not; then the first difference is shown.
    """
    results = find_results(named, place)
    agree = (lambda _: None) if trust_commands else _ask
    with open_results(results) as stored:
        ready = click.get_current_context().with_resource(
            open_rerun(
                stored, stored.find_id(game), file=file, named=named, sandbox=sandbox, notify=print_notice, agree=agree
            )
        )
    for notice in ready.notices:
        print_notice(notice)
    played = _play(ready)
    if record is not None:
        write_bytes(record, played.record)
    try:
        difference = find_difference(ready.record, read_record(played.record))
    except RecordError as error:
        raise ConfigError(f"{results}: {game} cannot be compared: {error}") from None
    _print_result(ready.game, played.result, difference, form)
    if log:
        print_log(played.log, form)
    if difference:
        sys.exit(EXIT_NEGATIVE)


def _ask(doubt: Doubt) -> None:
    """Ask on a terminal.  Raises ConfigError if the answer is no, or if there is nobody to ask."""
    can_ask = sys.stdin.isatty()
    if can_ask:
        click.echo("\n".join(map(plain, doubt.question.split("\n"))), err=True)
    if not can_ask or not click.confirm("Do you trust them?", err=True):
        raise ConfigError(doubt.fault)


def _print_result(game: StoredGame, result: GameResult, difference: RecordDifference | None, form: str) -> None:
    """Print the result of the rerun and the first difference, and what may have caused it."""
    played = {} if game.conditions is None else game.conditions.earlier_games
    bots = zip(SEATS, (game.red, game.blue), strict=True)
    earlier_games = {bot: played[seat] for seat, bot in bots if seat in played}  # of the processes that played several
    found: dict[str, object] = {"id": game.id, "same": difference is None}
    found |= {"winner": result.winner, "ending": result.ending, "plies": result.plies}
    if earlier_games:
        found["earlier_games"] = earlier_games
    found |= asdict(difference) if difference else {}
    print_facts("Rerun", [found], form, lambda: describe_rerun(game.id, result, difference))
    for bot, count in earlier_games.items() if difference else ():
        print_notice(
            f"in the stored game, the process of {bot} had already played {write_count(count, 'game')}; "
            "in the rerun it was new, and a difference may come from that"
        )


def _play(ready: Rerun) -> PlayedGame:
    """Play the game; exit if a signal stops it or it is voided."""
    outcome: list[Played | Void] = []

    async def work(_stop: Stop) -> None:
        outcome.append(await ready.play())

    if not run_until_signal(work):
        sys.exit(EXIT_INTERRUPTED)
    (played,) = outcome
    if isinstance(played, Void):
        report_voids([played], None)
        sys.exit(EXIT_ERROR)
    return played.game

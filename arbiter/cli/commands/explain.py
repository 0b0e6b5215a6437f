"""`arbiter explain RESULTS GAME`: explain how a stored game was lost."""

from contextlib import suppress
from pathlib import Path

import click

from arbiter.cli.completion import complete_game
from arbiter.cli.files import attempt_option, find_attempt, find_game_id, open_results, results_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import find_width, has_colour, print_facts, print_log
from arbiter.director.files import find_folder, find_results
from arbiter.errors import ConfigError, write_command, write_count
from arbiter.preflight.evidence import Finding
from arbiter.record import GameResult, RecordError, read_record
from arbiter.sandbox.isolation import Program
from arbiter.show.replay.log import log_objects
from arbiter.show.tables.explanation import explanation_objects, write_explanation
from arbiter.show.tables.run.incidents import attempt_object, describe_attempt
from arbiter.show.text import plain
from arbiter.tournament.config.tournament import find_programs
from arbiter.tournament.events import Attempt
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.game_status import COUNTS
from arbiter.tournament.standings.stored_game import RuledGame
from protocol.words import SEATS, Seat


@command
@click.argument("results", type=PATH)
@click.argument("game", required=False, metavar="GAME", shell_complete=complete_game)
@attempt_option
@results_option
@format_options
def explain(results: Path, game: str | None, attempt: int | None, place: Path | None, form: str) -> None:
    """Explain how a GAME of RESULTS was lost.

    A bot that forfeited gets the diagnosis of `arbiter check`: its mistake, how to fix it, the messages and the
    position. For a game that ended by the rules, the times and the largest drop of each bot's evaluation are shown.
    For a voided attempt, the reason and the messages are shown.
    """
    path = find_results(results, place)
    with open_results(path) as store:
        game = find_game_id(store, game)
        voided = find_attempt(store, game, attempt)
        if voided is not None:
            _explain_attempt(store, *voided, form)
            return
        data = store.record(game)
        try:
            record = read_record(data)
            if record.result is None:
                raise ConfigError(f"{store.path}: the record of {game} has no result")
            findings = {seat: _diagnose(store, game, seat, record.result, data) for seat in SEATS}
        except RecordError as error:
            raise ConfigError(f"{store.path}: {game}: {error}") from None
        store.select_series(store.series_of(game))
        plan = store.schedule()
        state = plan.uncounted.get(game, COUNTS)
        ruled = (found for found in plan.history.games if isinstance(found, RuledGame) and found.id == game)
        ruling = next((found.ruling for found in ruled), None)
    objects = list(explanation_objects(record, findings, state))
    print_facts(
        "Explanation",
        objects,
        form,
        lambda: "\n".join(write_explanation(record, findings, state, ruling, colour=has_colour(), width=find_width())),
    )
    if form != "table":
        return
    loser = next((seat for seat in SEATS if findings[seat].status == "failed"), None)
    shown: Seat = loser or ("blue" if record.result.winner == "red" else "red")
    click.echo(f"\nwatch it: {plain(write_command('replay', path, game, '--as', shown, '--at', 'end'))}")
    if record.result.ending != "walkover":
        click.echo(f"debug it: {plain(write_command('feed', path, game, '--as', shown))} | ./bot")


def _explain_attempt(store: Store, number: int, attempt: Attempt, form: str) -> None:
    """Print why an attempt was voided, and its log if it was kept."""
    log = store.attempt_log(number)
    if form != "table":
        objects = [{"type": "attempt", "attempt": number, **attempt_object(attempt)}, *log_objects(log)]
        print_facts("Voided attempt", objects, form, str)
        return
    click.echo(
        f"{plain(attempt.id)}: attempt {number} was voided after {write_count(attempt.plies, 'ply')}: "
        f"{describe_attempt(attempt)}"
    )
    for line in attempt.why.splitlines():
        click.echo(plain(line))
    if not log.wire and not log.stderr:
        click.echo("no log of this attempt is kept")
        return
    print_log(log, form)
    words = ("feed", store.path, attempt.id, "--attempt", str(number), "--as", attempt.seat or "red")
    click.echo(f"\ndebug it: {plain(write_command(*words))} | ./bot")


def _diagnose(store: Store, game: str, seat: Seat, result: GameResult, record: bytes) -> Finding:
    """Return the diagnosis of one bot.  Raises RecordError."""
    if result.ending == "walkover":
        return Finding("ok", "the game was not played")
    store.select_series(store.series_of(game))
    name = read_record(record).header.seats[seat].name
    entries = [bot for bot in store.manifest.tournament.bots if bot.name == name]
    program: Program | None = None  # of a person, or of a program that no longer exists
    with suppress(ConfigError):
        program = next(iter(find_programs(entries, Path(store.manifest.folder or find_folder(store.path)))), None)
    from arbiter.preflight.harness import diagnose  # noqa: PLC0415 - trio is slow to import

    return diagnose(program, seat, record, store.log(game))

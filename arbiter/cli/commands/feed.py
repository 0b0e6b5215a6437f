"""`arbiter feed RESULTS GAME --as SEAT`: write what a bot was sent."""

from pathlib import Path

import click

from arbiter.cli.completion import complete_game
from arbiter.cli.files import attempt_option, find_attempt, open_results, read_game, read_log, results_option
from arbiter.cli.options import PATH, command
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.terminal import print_notice, write_raw
from arbiter.clock import TimeSettings
from arbiter.director.files import find_source, is_results
from arbiter.errors import ConfigError, write_command
from arbiter.record import Record, RecordError
from arbiter.referee.feed import rebuild_lines
from arbiter.referee.thread_link import Converse
from arbiter.show.tables.run.incidents import describe_attempt
from arbiter.tournament.execution.executor import make_game_spec, strip_header
from arbiter.transcript import Transcript
from protocol.words import SEATS, Seat


@command
@click.argument("source", type=PATH, metavar="RECORD|RESULTS")
@click.argument("game", required=False, shell_complete=complete_game)
@click.option("--as", "seat", type=click.Choice(SEATS), required=True, help="The seat of the bot.")
@attempt_option
@results_option
def feed(source: Path, game: str | None, seat: Seat, attempt: int | None, place: Path | None) -> None:
    """Write to stdout exactly what the bot of a seat was sent in a game.

    Pipe it into the bot to answer the same questions again, under a debugger or a profiler:

    arbiter feed my-match.sqlite mybot~random~1 --as red | ./mybot.py

    The lines come from the log of the game if it was kept. Otherwise they are rebuilt from the record, which does not
    contain answers that were refused and taken back. A voided attempt has no record: its lines come from its log.
    """
    source = find_source(source, place)
    lines = _list_lines_of_attempt(source, game, attempt, seat)
    if lines is None:
        lines = _list_lines_of_game(source, game, seat)
    write_raw(b"".join(lines))


def _list_lines_of_attempt(source: Path, game: str | None, number: int | None, seat: Seat) -> list[bytes] | None:
    """List what the bot was sent in a voided attempt; None if none is meant.  Raises ConfigError."""
    if game is None or not is_results(source):
        if number is not None:
            raise ConfigError(f"--attempt {number}: name results and a game; a record file contains no voided attempts")
        return None
    with open_results(source) as store:
        found = find_attempt(store, game, number)
        if found is None:
            return None
        number, attempt = found
        kept = store.attempt_log(number).wire.get(seat)
        lines = [] if kept is None else _list_sent(kept)
        what = f"attempt {number} of {game!r}, which was voided ({describe_attempt(attempt)})"
        if kept is None or not lines:
            raise ConfigError(f"{store.path}: no messages to {seat} are kept of {what}")
        if kept.lines_left_out:
            command = write_command("games", store.path, "--show", "void", "--attempt", str(number), "--log")
            raise ConfigError(f"{store.path}: only a part of the log is kept of {what}; `{command}` shows it")
        return lines


def _list_lines_of_game(source: Path, game: str | None, seat: Seat) -> list[bytes]:
    """List what the bot was sent in a finished game.  Raises ConfigError."""
    record, in_progress = read_game(source, game)
    if in_progress:
        raise ConfigError(f"{game} is in progress; its messages can be written when it is over")
    kept = read_log(source, game).wire.get(seat)
    if kept is not None and not kept.lines_left_out:
        return _list_sent(kept)
    rebuilt = _rebuild(source, record, seat)
    if kept is None:
        return rebuilt
    first = [line.text + b"\n" for line in kept.first if line.sent]
    last = [line.text + b"\n" for line in kept.last if line.sent]
    gap = rebuilt[len(first) : len(rebuilt) - len(last)]
    if [*first, *gap, *last[:1]] != rebuilt[: len(first) + len(gap) + len(last[:1])]:
        raise ConfigError(f"{source}: a part of the log was not kept, and it cannot be rebuilt from the record")
    return [*first, *gap, *last]


def _list_sent(kept: Transcript) -> list[bytes]:
    return [line.text + b"\n" for line in kept.lines if line.sent]


def _rebuild(source: Path, record: Record, seat: Seat) -> list[bytes]:
    """Rebuild the lines from the record.  Raises ConfigError."""
    header = record.header
    if header.seed is None or seat not in header.seats:
        raise ConfigError(f"{source}: the record contains no seed or no names, so the messages cannot be rebuilt")
    if header.seats[seat].wants is None:
        print_notice(
            f"the record does not contain the `wants` of {header.seats[seat].name}; "
            "the messages are rebuilt without `legal`, `view` and `news`"
        )
    # Nobody takes the place of the programs, which are not started.
    players: dict[str, Converse] = {header.seats[each].name: lambda _source, _sink: None for each in SEATS}
    spec = make_game_spec(strip_header(header), header.game(), header.time or TimeSettings(), 0, players)
    lines: list[bytes] = []

    async def work(_stop: Stop) -> None:
        try:
            lines.extend(await rebuild_lines(record, spec, seat))
        except RecordError as error:
            raise ConfigError(f"{source}: {error}") from None

    run_until_signal(work)
    return lines

"""`arbiter play BOT`: a person plays a bot at the terminal."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from arbiter.cli.failures import ANSWER_IS_NO, INTERRUPTED
from arbiter.cli.files import write_bytes
from arbiter.cli.play_options import sandbox_option
from arbiter.cli.playing import find_isolation, play_through
from arbiter.cli.printing import lang_option
from arbiter.cli.terminal import seated
from arbiter.cli.timing import read_time, time_option
from arbiter.cli.voided_games import tell_voids
from arbiter.games.chance import derive_seed
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry, parse_bot
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.fixture import Fixture, make_fixture
from arbiter.tournament.results.manifest import Manifest, new_manifest
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog
from protocol.words import RED, SEATS, Seat

YOU: Final = "you"
BY_LOT: Final = "lot"


class OneGame:
    """A schedule of a single game."""

    def __init__(self, game: Fixture) -> None:
        self._waiting = [game]

    def take(self) -> Fixture | None:
        """Take the game, once."""
        return self._waiting.pop() if self._waiting else None

    def add(self, game: StoredGame) -> None:
        """Take note that it was played."""


@click.command
@click.argument("bot", metavar="BOT")
@click.option("--rules", default="original", show_default=True, help="The rule set (arbiter rules lists them).")
@click.option("--option", "options", multiple=True, help="An option of the rule set; may be given several times.")
@click.option("--as", "seat", type=click.Choice((*SEATS, BY_LOT)), default=BY_LOT, show_default=True, help="Your seat.")
@time_option
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Play with the same luck again.")
@click.option("--record", type=click.Path(path_type=Path), help="Write the record to this file.")
@lang_option
@sandbox_option
def play(
    bot: str,
    rules: str,
    options: tuple[str, ...],
    seat: str,
    time: str,
    seed: int | None,
    record: Path | None,
    lang: str,
    sandbox: IsolationName | None,
) -> None:
    """Play a game against BOT at the terminal.

    You type your moves, by two squares or out of a list; `help` tells more. The time is the bot's, yours is not
    counted. The game is recorded like any other.
    """
    here = Path.cwd()
    entry = parse_bot(bot, here)
    file = TournamentFile(
        name=f"{YOU} against {entry.name}",
        rules=rules,
        options=list(options),
        seed=seed,
        time=read_time(time),
        bots=[BotEntry(name=YOU, kind="human"), entry],
    )
    tournament = resolve(file, here)
    isolation = find_isolation(sandbox, tournament.programs)
    manifest = new_manifest(tournament, isolation.name)
    path = record or here / f"played-{datetime.now():%Y%m%d-%H%M%S}.jsonl"  # noqa: DTZ005 - a file's name is for here
    arena = Arena(tournament, manifest.seed, isolation, _keeper(path), people=seated([YOU], lang))
    gate = Dispatcher(OneGame(_game(manifest, seat, entry.name)))
    stopped = play_through(arena, gate, 1, lambda _event: None)
    if arena.voids:
        tell_voids(arena.voids, None)
    if stopped or arena.voids or gate.put_off:
        raise SystemExit(INTERRUPTED if stopped else ANSWER_IS_NO)
    click.echo(f"recorded: {path}\nwatch it: arbiter replay {path}")


def _game(manifest: Manifest, seat: str, opponent: str) -> Fixture:
    chosen: Seat | str = SEATS[derive_seed(manifest.seed, "seat of a person") % 2] if seat == BY_LOT else seat
    return make_fixture(*((YOU, opponent) if chosen == RED else (opponent, YOU)), 1, 1)


def _keeper(path: Path) -> Callable[[StoredGame, bytes, GameLog], object]:
    return lambda _game, record, _log: write_bytes(path, record)

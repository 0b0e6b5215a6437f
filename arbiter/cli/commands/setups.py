"""`arbiter setups`: make a book of deployments from records or from a bot."""

from collections.abc import Iterable
from pathlib import Path

import click

from arbiter.cli.completion import complete_bot
from arbiter.cli.files import read_records, results_option
from arbiter.cli.game_options import GameOptions, game_option, make_game_options, rules_option
from arbiter.cli.options import PATH, command
from arbiter.cli.playing import play_for_records
from arbiter.director.files import write_bytes
from arbiter.errors import ConfigError, write_count
from arbiter.tournament.config.bot_config import parse_bots
from arbiter.tournament.config.deployment_book import check_deploys, collect_deployments, write_book
from arbiter.tournament.config.tournament import resolve


@command
@click.argument("sources", nargs=-1, required=True, metavar="RESULTS|RECORD...|BOT", shell_complete=complete_bot)
@click.option("-o", "out", type=PATH, metavar="FILE", help="File to write. Default: stdout.")
@click.option("--count", type=click.IntRange(2, 100_000), help="Ask the BOT for this many deployments.")
@make_game_options(rules_option, offers_position=False)
@game_option(
    "--seed", type=click.IntRange(0), help="With --count: random seed; the same seed asks for the same deployments."
)
@results_option
def setups(
    sources: tuple[str, ...],
    out: Path | None,
    count: int | None,
    game: GameOptions,
    seed: int | None,
    place: Path | None,
) -> None:
    """Make a book of deployments without duplicates.

    The deployments come from the games in RESULTS and RECORDs or, with --count, from a BOT that plays as many games
    under the rules, limits and settings of the options.
    A tournament file uses a book with `setups = "FILE"`, a match with --setups FILE.
    """
    if count is None:
        for source in sources:
            if not Path(source).exists():
                raise ConfigError(f"{source}: there is no such file; to ask a bot for deployments, add --count 100")
        records: Iterable[tuple[str, bytes]] = read_records(list(map(Path, sources)), place)
    else:
        if len(sources) != 1:
            raise ConfigError(
                f"--count: {len(sources)} bots are named; name one, and join the books of several with `cat`"
            )
        here = Path.cwd()
        if game.position is not None:
            raise ConfigError("--position: no bot deploys in a game from a position; leave it out")
        file = game.make_file(  # the bot plays games of one ply against itself
            "deployments",
            parse_bots((sources[0], sources[0]), here),
            {"max_plies": 1},
            games=count + count % 2,  # both games of a pair have the same two deployments
            seed=seed,
            processes="reused",
        )
        tournament = resolve(file, here)
        check_deploys(tournament.game)
        records = sorted((new.game.id, new.plain_record) for new in play_for_records(tournament, game.sandbox))
    ruleset, book = collect_deployments(records)
    text = write_book(book[:count], ruleset)
    if out is None:
        click.echo(text, nl=False)
        return
    write_bytes(out, text.encode())
    click.echo(f"{write_count(len(book[:count]), 'deployment')} of {ruleset.name} in {out}", err=True)

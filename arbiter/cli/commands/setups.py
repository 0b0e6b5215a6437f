"""`arbiter setups`: a book of deployments, from records or from bots."""

from collections.abc import Iterable
from pathlib import Path

import click

from arbiter.cli.files import named_records, write_bytes
from arbiter.cli.play_options import sandbox_option
from arbiter.cli.playing import play_quietly
from arbiter.errors import ConfigError
from arbiter.games.board.ruleset import BoardRules
from arbiter.record import RecordError
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.config.bot_entries import parse_two_bots
from arbiter.tournament.config.deployment_book import check_deploys, extract_deployments, write_book
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.config.tournament_file import Draws, TournamentFile


@click.command
@click.argument("sources", nargs=-1, required=True, metavar="RESULTS|RECORD...|BOT")
@click.option("-o", "out", type=click.Path(path_type=Path), help="The file to write; unless given, it is printed.")
@click.option("--count", type=click.IntRange(2, 100_000), help="Ask the BOT for so many deployments.")
@click.option("--rules", default="original", show_default=True, help="With --count: the rule set.")
@click.option("--option", "options", multiple=True, help="With --count: an option of the rule set.")
@click.option("--seed", type=click.IntRange(0), help="With --count: ask for the same deployments again.")
@sandbox_option
def setups(
    sources: tuple[str, ...],
    out: Path | None,
    count: int | None,
    rules: str,
    options: tuple[str, ...],
    seed: int | None,
    sandbox: IsolationName | None,
) -> None:
    """Make a book of deployments, each of them once.

    They are those of the games in RESULTS and RECORDs or, with --count, those that a BOT chooses in as many games.
    A tournament file names the book with `setups = "FILE"`, a match with --setups FILE.
    """
    records = _kept(sources) if count is None else _asked(sources, count, rules, options, seed, sandbox)
    ruleset, book = _collected(records)
    text = write_book(book[:count], ruleset)
    if out is None:
        click.echo(text, nl=False)
        return
    write_bytes(out, text.encode())
    click.echo(f"{len(book[:count])} deployments of {ruleset.name} are in {out}", err=True)


def _kept(sources: Iterable[str]) -> Iterable[tuple[str, bytes]]:
    """Read the records of games that were played.  Raises ConfigError."""
    for source in sources:
        if not Path(source).exists():
            raise ConfigError(
                f"{source}: there is no such file; a bot is asked for deployments by --count, as in --count 100"
            )
    return named_records(map(Path, sources))


def _collected(records: Iterable[tuple[str, bytes]]) -> tuple[BoardRules, list[str]]:
    """Gather the deployments of records of one rule set, each once, in order.  Raises ConfigError."""
    book: dict[str, None] = {}
    first: BoardRules | None = None
    for name, data in records:
        try:
            ruleset, found = extract_deployments(data)
        except (ConfigError, RecordError) as error:
            raise ConfigError(f"{name}: {error}") from None
        first = first or ruleset
        if (ruleset.name, ruleset.army) != (first.name, first.army):
            raise ConfigError(
                f"{name}: is a game of {ruleset.name} with another army than those before; a book has one"
            )
        book |= dict.fromkeys(found)
    if first is None or not book:
        raise ConfigError("there is no deployment in these games")
    return first, list(book)


def _asked(
    sources: tuple[str, ...],
    count: int,
    rules: str,
    options: tuple[str, ...],
    seed: int | None,
    sandbox: IsolationName | None,
) -> list[tuple[str, bytes]]:
    """Have a bot play itself, games of one ply, and return the records.  Raises ConfigError."""
    if len(sources) != 1:
        raise ConfigError(f"--count: {len(sources)} bots are named; name one, and join the books of several with `cat`")
    here, records = Path.cwd(), list[tuple[str, bytes]]()
    file = TournamentFile(
        name="deployments",
        rules=rules,
        options=list(options),
        games=count + count % 2,  # the two games of a pair bring the same two deployments
        seed=seed,
        draws=Draws(max_plies=1),
        bots=parse_two_bots((sources[0], sources[0]), here),
    )
    tournament = resolve(file, here)
    check_deploys(tournament.game)
    play_quietly(tournament, sandbox, lambda game, record, _: records.append((game.id, record)))
    return sorted(records)

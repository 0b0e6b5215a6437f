"""`arbiter withdraw`, `rule`, `disqualify` and `reinstate`: rulings, also while the tournament is running."""

import sys
from pathlib import Path
from typing import Final, get_args

import click
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.completion import complete_entrant, complete_game
from arbiter.cli.files import results_argument
from arbiter.cli.options import command, format_options, group_options
from arbiter.cli.terminal import find_user, print_notice, print_sheets
from arbiter.errors import ConfigError, write_command
from arbiter.show.consequences import consequence_sheets
from arbiter.show.tables.run.incidents import describe_ruling, rulings_sheet
from arbiter.show.text import plain
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.rulings import Decision, Request, make_ruling, preview_ruling
from arbiter.tournament.schedule.consequences import find_consequences
from arbiter.tournament.standings.stored_game import RuledResult
from protocol.reasons import Stated

MOST_CHARACTERS: Final = 500

bot_argument = click.argument("bot", shell_complete=complete_entrant)


class Author(Struct, frozen=True):
    """The options of all rulings."""

    because: str | None
    by: str | None
    force: bool
    dry_run: bool
    yes: bool

    def decide(self) -> Decision:
        """Check who rules, and why.  Raises ConfigError."""
        if self.dry_run:
            return Decision(by=self.by or "", reason=Stated(self.because or ""), force=self.force)
        if self.because is None or not self.because.strip():
            raise ConfigError(
                "--because: is missing; give the reason of the ruling, such as --because 'the power failed'"
            )
        name = find_user() if self.by is None else self.by
        if not name.strip():
            raise ConfigError("--by: is empty; give the name of the person who rules")
        for option, text in (("--because", self.because), ("--by", name)):
            if len(text) > MOST_CHARACTERS:
                raise ConfigError(f"{option}: has {len(text)} characters; at most {MOST_CHARACTERS} are allowed")
        return Decision(by=name.strip(), reason=Stated(self.because.strip()), force=self.force)


author_options = group_options(
    "author",
    Author,
    click.option("--because", metavar="TEXT", help="Reason; it is shown with the standings."),
    click.option("--by", metavar="NAME", help="Name of the person who rules. Default: your login name."),
    click.option("--force", is_flag=True, help="Rule even if rounds that have begun are affected."),
    click.option("--dry-run", is_flag=True, help="Show what the ruling would change, and store nothing."),
    click.option("--yes", is_flag=True, help="Do not ask at a terminal if more than the named game or bot changes."),
)


def carry_out(results: Path, request: Request, author: Author, form: str) -> None:
    """Make a ruling, and print it with what it changes; at a terminal, ask first if it changes more than it names.

    Raises ConfigError.
    """
    decision = author.decide()
    preview = preview_ruling(results, request, decision)
    found = find_consequences(preview.before, preview.after)
    changes = list(consequence_sheets(found))
    if author.dry_run:
        if form == "table":
            click.echo(f"not stored: {plain(describe_ruling(preview.ruling))}\n")
            print_sheets(changes, form)
        else:
            print_sheets([rulings_sheet([preview.ruling]), *changes], form)
        if preview.objection is not None and not author.force:
            print_notice(preview.objection)
        return
    if preview.objection is not None and not author.force:
        raise ConfigError(preview.objection)
    asks = form == "table" and not author.yes and sys.stdin.isatty() and sys.stdout.isatty()
    if asks and found.go_beyond(preview.ruling):
        print_sheets(changes, form)
        if not click.confirm("\nThis changes more than the ruling names. Make it?"):
            raise ConfigError("the ruling was not made")
        changes = []
    ruling = make_ruling(results, request, decision, print_notice)
    if form != "table":
        print_sheets([rulings_sheet([ruling])], form)
        return
    click.echo(plain(describe_ruling(ruling)))
    if changes:
        click.echo()
        print_sheets(changes, form)


@command
@results_argument
@bot_argument
@click.option("--undo", is_flag=True, help="Let the bot play again; walkovers so far remain.")
@author_options
@format_options
def withdraw(results: Path, bot: str, author: Author, form: str, *, undo: bool) -> None:
    """Withdraw BOT from the tournament of RESULTS, which may be running.

    Its games of rounds that have begun are finished or won by its opponents by walkover; it is not paired again. The
    setting `withdrawn_games` of the tournament file decides if games already played count.
    """
    if not undo:
        with Results.read(results) as store:
            if store.schedule(condensed=True).finished:
                raise ConfigError("all games are played; there is nothing to withdraw from")
    author = replace(author, because=author.because or "no reason given")
    carry_out(results, Request(kind="withdraw", about=bot, undo=undo), author, form)


@command
@results_argument
@click.argument("game", required=False, shell_complete=complete_game)
@click.option(
    "--result",
    type=click.Choice(get_args(RuledResult)),
    metavar="RESULT",
    help="red, blue or draw; none: both bots lose; annulled: does not count; replay: is played again.",
)
@click.option("--undo", is_flag=True, help="Revert the last ruling on the game.")
@author_options
@format_options
def rule(results: Path, game: str | None, result: RuledResult | None, author: Author, form: str, *, undo: bool) -> None:
    """Rule on the result of GAME in the tournament of RESULTS, which may be running; without GAME, list all rulings.

    Nothing is erased: the game as played stays in RESULTS, and --undo reverts a ruling. BOT~bye3 is the bye of BOT
    in round 3, in which BOT is red.
    """
    if game is None:
        if result is not None or undo or author.because is not None:
            example = write_command("rule", results, "hunter~random~1", "--result", "annulled", "--because", "TEXT")
            raise ConfigError(f"GAME is missing; name the game, as in `{example}`")
        with Results.read(results) as store:
            print_sheets([rulings_sheet(store.rulings())], form)
        return
    if result is not None and undo:
        raise ConfigError("--result and --undo exclude each other; leave one of them out")
    if result is None and not undo:
        author.decide()
        raise ConfigError("the ruling is missing; add --result RESULT or --undo")
    with Results.read(results) as store:
        game = store.find_id(game)
    carry_out(results, Request(kind="result", about=game, result=result, undo=undo), author, form)


@command
@results_argument
@bot_argument
@click.option(
    "--from-round",
    "first_round",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Change only games from round N on; earlier results stay.",
)
@click.option("--undo", is_flag=True, help="Revert the disqualification; walkovers so far remain.")
@author_options
@format_options
def disqualify(results: Path, bot: str, first_round: int, author: Author, form: str, *, undo: bool) -> None:
    """Disqualify BOT from the tournament of RESULTS, which may be running.

    Its remaining games are walkovers. By the setting `withdrawn_games` of the tournament file, its games so far are
    struck, or its opponents win them.
    """
    carry_out(results, Request(kind="disqualify", about=bot, first_round=first_round, undo=undo), author, form)


@command
@results_argument
@bot_argument
@click.option("--undo", is_flag=True, help="Revert the reinstatement; walkovers not played again yet count.")
@author_options
@format_options
def reinstate(results: Path, bot: str, author: Author, form: str, *, undo: bool) -> None:
    """Lift the suspension of BOT in the tournament of RESULTS, which may be running.

    The games that it lost by walkover because of the suspension are played, and its forfeits are counted from zero.
    """
    carry_out(results, Request(kind="reinstate", about=bot, undo=undo), author, form)

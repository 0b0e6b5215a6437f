"""`arbiter ladder`: terms of a ladder."""

from functools import partial
from pathlib import Path

import click

from arbiter.cli.files import open_results, results_argument, results_option
from arbiter.cli.options import PATH, Command, Group, format_options
from arbiter.cli.terminal import print_facts, print_sheets
from arbiter.director.files import TOML, results_file
from arbiter.director.ladder import close_term, read_terms
from arbiter.errors import write_command, write_count
from arbiter.show.tables.ladder import matches_sheet, term_object, terms_sheet


@click.group(cls=Group)
def ladder() -> None:
    """Close the term of a ladder, and list those that are over, and unrated matches.

    A ladder is a tournament with format = "ladder", which `arbiter run` plays, and a term is all that it plays until it
    is closed. `arbiter match BOT BOT --ladder FILE` asks it for an unrated match.
    """


_subcommand = partial(ladder.command, cls=Command)


@_subcommand()
@results_argument
@format_options
def close(results: Path, form: str) -> None:
    """Close the term of a ladder: freeze its results, and let the next `arbiter run` begin another term.

    RESULTS is the tournament file, or the results file. The results move into the folder `terms` next to them, and
    nothing can be changed in them. Stop the run first. Invitations stay valid.
    """
    term = close_term(results)
    text = (
        f"term {term.number} is closed: {write_count(term.games, 'game')} in {term.results}\n"
        f"its standings: {write_command('standings', term.results)}"
    )
    print_facts("Term", [term_object(term)], form, lambda: text)


@_subcommand()
@click.argument("file", type=PATH)
@results_option
@format_options
def terms(file: Path, place: Path | None, form: str) -> None:
    """List the terms of the ladder of FILE that are over.

    FILE is the tournament file, or the results file of the present term.
    """
    results = results_file(file, place) if file.suffix == TOML else file
    print_sheets([terms_sheet(list(read_terms(results)))], form)


@_subcommand()
@results_argument
@format_options
def matches(results: Path, form: str) -> None:
    """List the unrated matches of the ladder of RESULTS.

    `arbiter match BOT BOT --ladder FILE` asks for one.
    """
    with open_results(results) as stored:
        found = stored.list_matches()
    print_sheets([matches_sheet(found)], form)

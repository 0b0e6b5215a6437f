"""`arbiter report RESULTS -o DIR`: write a tournament as web pages."""

from pathlib import Path
from typing import Final

import click

from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import PATH, Pattern, command, format_options, lang_option, rare_option
from arbiter.cli.terminal import print_facts, print_notice
from arbiter.errors import write_count
from arbiter.publish import MOST_PAGES, ReportSettings, write_report
from arbiter.show.pictures import require_pillow

PUBLISHED: Final = Pattern(
    "address", r"https?://[^\s/?#\"<>][^\s?#\"<>]*", "is not an address such as https://example.org/club/"
)


@command
@results_argument
@click.option("-o", "out", type=PATH, required=True, metavar="DIR", help="Folder to write.")
@click.option("--no-database", is_flag=True, help="Do not offer the results file for download.")
@click.option(
    "--stderr",
    "show_stderr",
    is_flag=True,
    help="Show what the bots wrote to stderr next to their plies. It may contain what an author wants to keep private.",
)
@click.option(
    "--pictures",
    "address",
    type=PUBLISHED,
    help="Write a picture of the end of each game, which previews of links show; ADDRESS is where the pages will be "
    "published.",
)
@rare_option("Signed digests")(
    "--signature", type=PATH, metavar="FILE", help="Offer a signed digest for download, FILE and FILE.sig."
)
@rare_option("Long ladders")(
    "--all-games", is_flag=True, help=f"Write a page for each game of results with more than {MOST_PAGES:,} games."
)
@lang_option
@format_options
def report(
    results: Path,
    out: Path,
    lang: str,
    address: str | None,
    signature: Path | None,
    form: str,
    *,
    no_database: bool,
    show_stderr: bool,
    all_games: bool,
) -> None:
    """Write RESULTS as web pages that a browser opens from disk or from a web server.

    The pages contain standings, crosstable, ratings, each bot, and a viewer for each game, and offer all records and
    tables for download; after the last game also the results file, which contains the secret of the event. If DIR
    holds an earlier report, it is updated.
    """
    if address is not None:
        require_pillow("--pictures")
        address = address.rstrip("/") + "/"
    settings = ReportSettings(
        lang=lang,
        with_database=not no_database,
        show_stderr=show_stderr,
        address=address,
        signature=signature,
        all_games=all_games,
    )
    with open_results(results) as stored:
        written = write_report(stored, out, settings)
    if written.why_no_database:
        print_notice(written.why_no_database)
    facts = {"page": str(written.page), "games": written.games}
    print_facts("Report", [facts], form, lambda: f"{write_count(written.games, 'game')} in {written.page}")

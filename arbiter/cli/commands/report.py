"""`arbiter report RESULTS -o DIR`: write a tournament as web pages."""

import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cli.downloads import may_publish, remove_results, write_records, write_results
from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import lang_option
from arbiter.cli.parallel import map_in_processes
from arbiter.director.files import report_write_errors, write_bytes, write_into
from arbiter.errors import ConfigError
from arbiter.show.pictures import require_pillow
from arbiter.show.report.data import make_report_data
from arbiter.show.report.games import GamePages, PageOrder, make_game_pages
from arbiter.show.report.index import NO_SUMMARY, GameSummary, read_summary
from arbiter.show.report.site import make_site

_MARK: Final = ".arbiter-report"
_HEAD: Final = 200  # the first bytes of a page, which contain its mark
_SUMMARIES: Final = ".arbiter-summaries"  # what the pages show of the records of games, so that a record is read once


class PublishedAddress(click.ParamType[str]):
    """The address of a folder on the web; a slash is added at its end."""

    name = "address"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not re.fullmatch(r"https?://[^\s/?#\"<>][^\s?#\"<>]*", value):
            self.fail(f"{value!r} is no address such as https://example.org/club/", param, ctx)
        return value.rstrip("/") + "/"


@click.command
@results_argument
@click.option("-o", "out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder to write.")
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
    type=PublishedAddress(),
    help="Write a picture of the end of each game, which previews of links show; ADDRESS is where the pages will be "
    "published.",
)
@lang_option
def report(results: Path, out: Path, lang: str, address: str | None, *, no_database: bool, show_stderr: bool) -> None:
    """Write RESULTS as web pages that a browser opens from disk or from a web server.

    The pages contain standings, crosstable, ratings, each bot, and a viewer for each game, and offer all records and
    tables for download; after the last game also the results file, which contains the secret of the event. If DIR
    holds an earlier report, it is updated.
    """
    if address is not None:
        require_pillow("--pictures")
    with open_results(results) as store:
        _claim_folder(out)
        data = make_report_data(store.snapshot())
        if data.finished:
            data = replace(data, seed=store.manifest.seed, secret=store.manifest.secret)
        downloads = [*data.downloads, write_records(out, [*data.games, *data.replaced], store.record)]
        if not no_database and may_publish(store):
            downloads.append(write_results(out, store))
        else:
            remove_results(out)
        data = replace(data, downloads=downloads)
        make_games = partial(_make_missing_pages, out)
        for page in make_site(
            data, store.record, store.log, lang, make_games, show_stderr=show_stderr, address=address
        ):
            write_into(out, page.path, page.content)
    click.echo(f"{len(data.games)} games are in {out / 'index.html'}")


def _claim_folder(folder: Path) -> None:
    """Mark a folder as a report.  Raises ConfigError if it contains other files."""
    with report_write_errors(folder):
        if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).exists():
            raise ConfigError(f"{folder}: is not empty and is not a report; name a new folder, or empty this one")
        folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / _MARK, f"written by arbiter {__version__}\n".encode())


class _Summary(Struct, frozen=True):
    """The summary of a game's record, with the mark of the page that was made from it."""

    mark: str
    summary: GameSummary


def _make_missing_pages(folder: Path, orders: Iterable[PageOrder]) -> Iterator[GamePages]:
    """Make the pages of games that do not exist yet; many games are shared among all processors."""
    known = _read_summaries(folder)
    kept: dict[str, _Summary] = {}
    existing: list[GamePages] = []

    def list_missing() -> Iterator[PageOrder]:
        for order in orders:
            game_id, mark = order.game.id, order.mark
            earlier = known.get(game_id)
            if not _has_mark(folder / order.path, mark):
                kept[game_id] = _Summary(mark, NO_SUMMARY)
                yield order
                continue
            if earlier is None or earlier.mark != mark:
                earlier = _Summary(mark, read_summary(order.record))
            kept[game_id] = earlier
            existing.append(GamePages(game_id, (), earlier.summary))

    for pages in map_in_processes(make_game_pages, list_missing()):
        kept[pages.game_id] = replace(kept[pages.game_id], summary=pages.summary)
        yield pages
    yield from existing
    write_bytes(folder / _SUMMARIES, zlib.compress(msgspec.msgpack.encode(kept), 1))


def _has_mark(page: Path, mark: str) -> bool:
    with suppress(OSError), page.open("rb") as file:
        return mark.encode() in file.read(_HEAD)
    return False


def _read_summaries(folder: Path) -> dict[str, _Summary]:
    """Read the summaries of an earlier report; none if they are damaged or from another version."""
    with suppress(OSError, zlib.error, msgspec.MsgspecError):
        return msgspec.msgpack.decode(zlib.decompress((folder / _SUMMARIES).read_bytes()), type=dict[str, _Summary])
    return {}

"""`arbiter report RESULTS -o DIR`: write a tournament as web pages."""

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Final

import click
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cli.files import open_results, report_write_errors, write_bytes, write_into
from arbiter.cli.options import lang_option
from arbiter.cli.results import report_data
from arbiter.errors import ConfigError
from arbiter.show.report.games import PageOrder, make_game_pages
from arbiter.show.report.site import make_site
from arbiter.show.report.values import PageFile

_MARK: Final = ".arbiter-report"
_FEW: Final = 40  # games; fewer are faster in this process
_BATCH: Final = 256
_CHUNK: Final = 8
_HEAD: Final = 200  # the first bytes of a page, which contain its mark


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.option("-o", "out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder to write.")
@lang_option
def report(results: Path, out: Path, lang: str) -> None:
    """Write RESULTS as web pages that a browser opens from disk or from a web server.

    The pages contain standings, crosstable, ratings, each bot, and a viewer for each game. If DIR holds an earlier
    report, it is updated.
    """
    with open_results(results) as store:
        _claim_folder(out)
        manifest = store.manifest
        data = report_data(manifest, store.games(), store.withdrawn())
        if data.finished:
            data = replace(data, seed=manifest.seed, secret=manifest.secret)
        for page in make_site(data, store.record, store.log, lang, partial(_make_missing_pages, out)):
            write_into(out, page.path, page.content)
    click.echo(f"{len(data.games)} games are in {out / 'index.html'}")


def _claim_folder(folder: Path) -> None:
    """Mark a folder as a report.  Raises ConfigError if it contains other files."""
    with report_write_errors(folder):
        if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).exists():
            raise ConfigError(f"{folder}: is not empty and is not a report; name a new folder, or empty this one")
        folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / _MARK, f"written by arbiter {__version__}\n".encode())


def _make_missing_pages(folder: Path, orders: Iterable[PageOrder]) -> Iterator[PageFile]:
    """Make the pages of games that do not exist yet; many games are shared among all processors."""

    def exists(order: PageOrder) -> bool:
        with suppress(OSError), (folder / order.path).open("rb") as file:
            return order.mark.encode() in file.read(_HEAD)
        return False

    missing = (order for order in orders if not exists(order))
    few = list(islice(missing, _FEW))
    yield from chain.from_iterable(map(make_game_pages, few))
    if len(few) < _FEW:
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=follow_parent) as pool:
        while batch := list(islice(missing, _BATCH)):  # in batches, to hold few records in memory
            yield from chain.from_iterable(pool.map(make_game_pages, batch, chunksize=_CHUNK))


def follow_parent() -> None:
    """Leave Ctrl-C to the parent process, and end when it ends."""
    signal(SIGINT, SIG_IGN)

    def wait_for_parent() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
        os._exit(1)

    Thread(target=wait_for_parent, daemon=True).start()

"""`arbiter report RESULTS -o DIR`: a tournament as a folder of pages."""

import multiprocessing
import os
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Final

import click

from arbiter import __version__
from arbiter.cli.files import open_results, write_bytes, writing
from arbiter.cli.printing import lang_option
from arbiter.cli.results import DETAILS, ratings_of
from arbiter.errors import ConfigError
from arbiter.games.catalogue import find_ruleset
from arbiter.show.report.games import PageOrder, game_pages
from arbiter.show.report.site import site
from arbiter.show.report.values import PageFile, Part, ReportData
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.schedule.stages import Schedule, Stage
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.game_statistics import count_repeats
from arbiter.tournament.standings.stored_game import StoredGame

_MARK: Final = ".arbiter-report"
_FEW: Final = 40  # games that are made sooner than other processes are started
_BATCH, _CHUNK = 256, 8
_HEAD: Final = 200  # bytes of a page in which its mark stands


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.option("-o", "out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The folder to write.")
@lang_option
def report(results: Path, out: Path, lang: str) -> None:
    """Write RESULTS as a folder of pages that any browser opens, from the disk or from a web server.

    Standings, crosstable, ratings, each bot, and each game to be stepped through from every seat.
    Written again into the same folder, it is brought up to date.
    """
    with open_results(results) as store:
        _claim(out)
        shown = results_of(store.manifest, store.games(), store.withdrawn())
        for page in site(shown, store.record, store.log, lang, partial(_make, out)):
            write_bytes(out / page.path, page.content)
    click.echo(f"{len(shown.games)} games are in {out / 'index.html'}")


def results_of(manifest: Manifest, games: Iterable[StoredGame], withdrawn: Collection[str] = ()) -> ReportData:
    """Work out what a report tells of a tournament; `withdrawn` are the bots that left it."""
    tournament, games = manifest.tournament, tuple(games)
    played = manifest.schedule(games, withdrawn)
    ruleset = find_ruleset(tournament.rule_set)
    return ReportData(
        name=tournament.name,
        rules=ruleset.title,
        options=tournament.options,
        format=", then ".join(stage.format for stage in tournament.stage_tables),
        total=played.total,
        finished=played.finished,
        created=manifest.created,
        arbiter=__version__,
        parts=[_part(played, stage, number) for number, stage in enumerate(played.stages, start=1)],
        final=played.rank_all(),
        ratings=ratings_of(manifest, games),
        games=games,
        counted=[game for stage in played.stages for game in played.counted_games_in(stage)],
        repeats=count_repeats(games),
    )


def _part(played: Schedule, stage: Stage, number: int) -> Part:
    ranking, games = played.rank(stage), played.games_in(stage)
    order = [one.bot for one in ranking]
    detail = stage.format.detail
    return Part(
        title=f"Stage {number}" if len(played.stages) > 1 else "",
        ranking=ranking,
        crosstable=build_crosstable(order, games, stage.byes),
        more=() if detail == "crosstable" else (DETAILS[detail](stage, games, order),),
    )


def _claim(folder: Path) -> None:
    """Mark a folder as a report's; one that holds anything else is left alone.  Raises ConfigError."""
    with writing(folder):
        if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).exists():
            raise ConfigError(f"{folder}: is not empty and holds no report; name a new folder, or empty this one")
        folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / _MARK, f"written by arbiter {__version__}\n".encode())


def _make(folder: Path, orders: Iterable[PageOrder]) -> Iterator[PageFile]:
    """Make the pages of games that are not there already, on all processors where they are many."""
    wanted = (order for order in orders if not _is_made(folder / order.path, order.mark))
    few = list(islice(wanted, _FEW))
    yield from chain.from_iterable(map(game_pages, few))
    if len(few) == _FEW:
        yield from _on_all_processors(wanted)


def _is_made(page: Path, mark: str) -> bool:
    with suppress(OSError), page.open("rb") as file:
        return mark.encode() in file.read(_HEAD)
    return False


def _lean_on_parent() -> None:
    """Leave Ctrl-C to the parent, and end where it has ended without a word."""
    signal(SIGINT, SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
    os._exit(1)


def _on_all_processors(orders: Iterator[PageOrder]) -> Iterator[PageFile]:
    """Make pages batch by batch, so that few records are held at a time; only this process heeds Ctrl-C."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=_lean_on_parent) as pool:
        while batch := list(islice(orders, _BATCH)):
            yield from chain.from_iterable(pool.map(game_pages, batch, chunksize=_CHUNK))

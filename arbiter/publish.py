"""Write the results of a tournament as web pages into a folder, with all records and a copy of the results."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.director.files import report_write_errors, write_bytes, write_into
from arbiter.director.parallel import map_in_processes
from arbiter.errors import ConfigError
from arbiter.show.language import DEFAULT_LANGUAGE
from arbiter.show.report.data import make_report_data
from arbiter.show.report.files import safe
from arbiter.show.report.games import GamePages, PageOrder, make_game_pages
from arbiter.show.report.index import NO_SUMMARY, GameSummary, read_summary
from arbiter.show.report.site import make_site
from arbiter.show.report.values import Download
from arbiter.tournament.results.database import backup
from arbiter.tournament.results.reader import Results
from arbiter.tournament.standings.stored_game import StoredGame

_RECORDS: Final = Download("downloads/records.zip", "All records (JSON Lines, zip)")
_RESULTS: Final = Download("downloads/results.sqlite", "Results with records, logs and secret (SQLite)")
_MODE: Final = 0o644 << 16  # of the files in the archive
_MARK: Final = ".arbiter-report"
_HEAD: Final = 200  # the first bytes of a page, which contain its mark
_SUMMARIES: Final = ".arbiter-summaries"  # what the pages show of the records of games, so that a record is read once


class ReportSettings(Struct, frozen=True, kw_only=True):
    """Settings of the pages."""

    lang: str = DEFAULT_LANGUAGE
    """Language of the piece names."""
    with_database: bool = True
    """Offer the results file for download after the last game."""
    show_stderr: bool = False
    """Show what the bots wrote to stderr."""
    address: str | None = None
    """Address of the pages on the web; if given, each game has a picture for previews of links."""


class WrittenReport(Struct, frozen=True):
    """A report in a folder."""

    page: Path
    """The first page."""
    games: int
    why_no_database: str = ""
    """The reason why the results are not offered for download although the tournament is over; empty if there is none."""


def write_report(results: Results, folder: Path | str, settings: ReportSettings = ReportSettings()) -> WrittenReport:  # noqa: B008 - it is frozen
    """Write results as web pages that a browser opens from disk or from a web server.

    If `folder` holds an earlier report, it is updated.  Raises ConfigError.
    """
    folder = Path(folder)
    _claim_folder(folder)
    data = make_report_data(results.snapshot())
    if data.finished:
        data = replace(data, seed=results.manifest.seed, secret=results.manifest.secret)
    downloads = [*data.downloads, _write_records(folder, [*data.games, *data.replaced], results.record)]
    is_offered = settings.with_database and _is_finished(results)
    fault = _find_fault(results) if is_offered else ""
    if is_offered and not fault:
        downloads.append(_write_results(folder, results))
    else:
        _remove_results(folder)
    data = replace(data, downloads=downloads)
    make_games = partial(_make_missing_pages, folder)
    for page in make_site(
        data,
        results.record,
        results.log,
        settings.lang,
        make_games,
        show_stderr=settings.show_stderr,
        address=settings.address,
    ):
        write_into(folder, page.path, page.content)
    return WrittenReport(folder / "index.html", len(data.games), fault)


def _write_records(folder: Path, games: Iterable[StoredGame], read_record: Callable[[str], bytes]) -> Download:
    """Write the records of games into an archive below a folder; one record is read at a time.  Raises ConfigError."""
    with _open_draft(folder / _RECORDS.path) as draft, ZipFile(draft, "w", ZIP_DEFLATED) as archive:
        for game in games:
            member = ZipInfo(f"{safe(game.id)}.jsonl")  # with a fixed date, so that equal records are equal archives
            member.compress_type = ZIP_DEFLATED
            member.external_attr = _MODE
            archive.writestr(member, read_record(game.id))
    return _RECORDS


def _write_results(folder: Path, results: Results) -> Download:
    """Write a copy of the results below a folder.  Raises ConfigError."""
    with _open_draft(folder / _RESULTS.path) as draft:
        backup(results.path, draft)
    return _RESULTS


def _is_finished(results: Results) -> bool:
    """Return True if all games of all series are played: the results contain the secrets of the event."""
    current = results.manifest.series
    try:
        for number in results.series():
            results.select_series(number)
            if not results.schedule().finished:
                return False
    finally:
        results.select_series(current)
    return True


def _find_fault(results: Results) -> str:
    """Return why results cannot be offered for download: a row was edited, and copying them would fail."""
    if not results.verify_chain().faults:
        return ""
    return (
        f"the report does not offer {results.path} for download, because it does not fit its hash chain; "
        "`arbiter verify` shows the faults"
    )


def _remove_results(folder: Path) -> None:
    """Remove the copy of an earlier report, for results that must not be published any more.  Raises ConfigError."""
    path = folder / _RESULTS.path
    with report_write_errors(path):
        path.unlink(missing_ok=True)


@contextmanager
def _open_draft(path: Path) -> Iterator[Path]:
    """Yield the path of a draft that replaces a file when it is complete.  Raises ConfigError."""
    with report_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".new-", dir=path.parent) as folder:
            draft = Path(folder) / path.name
            yield draft
            draft.replace(path)


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

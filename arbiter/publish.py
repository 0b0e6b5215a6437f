"""Write a tournament or a season as web pages into a folder, with all records and a copy of the results."""

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.director.files import read_bytes, read_head, report_write_errors, write_file_into
from arbiter.director.processes import map_in_processes
from arbiter.director.publication import find_signature, read_publication
from arbiter.errors import ConfigError
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.packing import unpack
from arbiter.show.report.games import GamePages, PageOrder, make_game_pages
from arbiter.show.report.season import make_season_site
from arbiter.show.report.site import make_site
from arbiter.show.report.values import NO_SUMMARY, Download, GameSummary, read_summary
from arbiter.show.results import make_report_data
from arbiter.tournament.results.database import backup
from arbiter.tournament.results.reader import Results
from arbiter.tournament.season import Season

_RESULTS: Final = Download("downloads/results.sqlite", "results_file")
_DIGEST: Final = Download("downloads/digest.json", "digest_file")
_SIGNATURE: Final = Download("downloads/digest.json.sig", "signature_file")
_MARK: Final = ".arbiter-report"
_HEAD: Final = 200  # the first bytes of a page, which contain its mark
_SUMMARIES: Final = ".arbiter-summaries"  # what the pages show of the records of games, so that a record is read once


MOST_PAGES: Final = 50_000  # of games


class ReportSettings(Struct, frozen=True, kw_only=True):
    """Settings of the pages."""

    lang: str = DEFAULT_LANGUAGE
    """Language of the pages."""
    with_database: bool = True
    """Offer the results file for download after the last game."""
    show_stderr: bool = False
    """Show what the bots wrote to stderr."""
    address: str | None = None
    """Address of the pages on the web; if given, each game has a picture for previews of links."""
    signature: Path | None = None
    """A published digest of the results to offer for download, with its signature."""
    all_games: bool = False
    """Write pages of more than MOST_PAGES games."""


class WrittenReport(Struct, frozen=True):
    """A report in a folder."""

    page: Path
    """The first page."""
    games: int
    why_no_database: str = ""
    """The reason not to offer the results for download although the tournament is over; empty if there is none."""


def write_report(
    results: Results,
    folder: Path | str,
    settings: ReportSettings = ReportSettings(),  # noqa: B008 - it is frozen
) -> WrittenReport:
    """Write results as web pages that a browser opens from disk or from a web server.

    If `folder` holds an earlier report, it is updated.  Raises ConfigError.
    """
    games = results.count_games()
    if games > MOST_PAGES and not settings.all_games:
        raise ConfigError(
            f"{results.path}: has {games:,} games, and a report has a page for each; show them with `arbiter serve`, "
            "which makes a page when it is asked for, or add --all-games"
        )
    out = ReportFolder(Path(folder))
    data = make_report_data(results.snapshot())
    if data.finished:
        data = replace(data, seed=results.manifest.seed, secret=results.manifest.secret)
    signed = [] if settings.signature is None else _read_signed(results, settings.signature)
    downloads = [*data.downloads]
    fault = ""
    is_offered = settings.with_database
    current = results.manifest.series
    for number in results.series():  # the results contain the secrets of the event
        results.select_series(number)
        is_offered &= results.schedule().finished
    results.select_series(current)
    if is_offered and results.verify_chain().faults:  # copying them would fail
        fault = (
            f"the report does not offer {results.path} for download, because it does not fit its hash chain; "
            "`arbiter verify` shows the faults"
        )
    if is_offered and not fault:
        downloads.append(out.write_results(results))
    else:
        out.remove(_RESULTS.path)
    for download, content in signed:
        write_file_into(out.path, download.path, content)
        downloads.append(download)
    data = replace(data, downloads=downloads, lang=settings.lang)
    for page in make_site(
        data,
        results.record,
        results.log,
        out.make_missing_pages,
        show_stderr=settings.show_stderr,
        address=settings.address,
    ):
        write_file_into(out.path, page.path, page.content)
    return WrittenReport(out.path / "index.html", len(data.games), fault)


def _read_signed(results: Results, file: Path) -> list[tuple[Download, bytes]]:
    """Read a published digest and its signature.  Raises ConfigError if they are not correct ones of the results."""
    found = read_publication(file)
    faults = [*found.faults]
    if results.verify_chain(found.publication.digest).unknown:
        faults.append(f"{file}: is not a digest of {results.path}")
    if faults:
        raise ConfigError(f"--signature {faults[0]}; publish the results again with `arbiter verify --publish`")
    return [(_DIGEST, read_bytes(file)), (_SIGNATURE, read_bytes(find_signature(file)))]


def write_season(season: Season, folder: Path, lang: str) -> Path:
    """Write the page of a season in a language; return its path.

    If `folder` holds an earlier report, it is updated.  Raises ConfigError.
    """
    out = ReportFolder(folder)
    for page in make_season_site(season, lang):
        write_file_into(out.path, page.path, page.content)
    return out.path / "index.html"


_Summaries = dict[str, tuple[str, GameSummary]]
"""For each game the mark of the page that was made from its record, and the summary of the record."""


class ReportFolder:
    """A folder with a report.  Every method may raise ConfigError."""

    def __init__(self, path: Path) -> None:
        """Make the folder, or claim one that is empty or a report.  Raises ConfigError if it holds other files."""
        self.path = path
        with report_write_errors(path):
            if path.is_dir() and any(path.iterdir()) and not (path / _MARK).exists():
                raise ConfigError(f"{path}: is not empty and is not a report; name a new folder, or empty this one")
            path.mkdir(parents=True, exist_ok=True)
        write_file_into(path, _MARK, f"written by arbiter {__version__}\n".encode())

    def write_results(self, results: Results) -> Download:
        """Write a copy of the results."""
        path = self.path / _RESULTS.path
        with report_write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(prefix=".new-", dir=path.parent) as folder:
                draft = Path(folder) / path.name
                backup(results.path, draft)
                draft.replace(path)  # which is complete now
        return _RESULTS

    def remove(self, file: str) -> None:
        """Remove a file of an earlier report, such as results that must not be published any more."""
        path = self.path / file
        with report_write_errors(path):
            path.unlink(missing_ok=True)

    def make_missing_pages(self, orders: Iterable[PageOrder]) -> Iterator[GamePages]:
        """Make the pages of games that do not exist yet; many games are shared among all processors."""
        known: _Summaries = {}  # of an earlier report; none if they are damaged
        with suppress(ConfigError, zlib.error, msgspec.MsgspecError):
            written = unpack(read_bytes(self.path / _SUMMARIES))
            known = msgspec.msgpack.decode(written, type=_Summaries)
        kept: _Summaries = {}
        existing: list[GamePages] = []

        def list_missing() -> Iterator[PageOrder]:
            for order in orders:
                game_id = order.game.id
                mark = order.mark
                if not self.has_page(order):
                    kept[game_id] = mark, NO_SUMMARY
                    yield order
                    continue
                earlier, summary = known.get(game_id, ("", NO_SUMMARY))
                kept[game_id] = mark, summary if earlier == mark else read_summary(order.record)
                existing.append(GamePages(game_id, (), kept[game_id][1]))

        for pages in map_in_processes(make_game_pages, list_missing()):
            kept[pages.game_id] = kept[pages.game_id][0], pages.summary
            yield pages
        yield from existing
        write_file_into(self.path, _SUMMARIES, zlib.compress(msgspec.msgpack.encode(kept)))

    def has_page(self, order: PageOrder) -> bool:
        """Return True if the page of a game is there, made from the same values."""
        return order.mark.encode() in read_head(self.path / order.path, _HEAD)

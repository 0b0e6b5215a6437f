"""Large files of a report: all records in one archive, and a copy of the results."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import click

from arbiter.director.files import report_write_errors
from arbiter.show.report.files import safe
from arbiter.show.report.values import Download
from arbiter.show.text import plain
from arbiter.tournament.results.copies import backup
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame

RECORDS: Final = Download("downloads/records.zip", "All records (JSON Lines, zip)")
RESULTS: Final = Download("downloads/results.sqlite", "Results with records, logs and secret (SQLite)")
_MODE: Final = 0o644 << 16  # of the files in the archive


def write_records(folder: Path, games: Iterable[StoredGame], read_record: Callable[[str], bytes]) -> Download:
    """Write the records of games into an archive below a folder; one record is read at a time.  Raises ConfigError."""
    with _open_draft(folder / RECORDS.path) as draft, ZipFile(draft, "w", ZIP_DEFLATED) as archive:
        for game in games:
            member = ZipInfo(f"{safe(game.id)}.jsonl")  # with a fixed date, so that equal records are equal archives
            member.compress_type = ZIP_DEFLATED
            member.external_attr = _MODE
            archive.writestr(member, read_record(game.id))
    return RECORDS


def write_results(folder: Path, store: Store) -> Download:
    """Write a copy of the results below a folder.  Raises ConfigError."""
    with _open_draft(folder / RESULTS.path) as draft:
        backup(store.path, draft)
    return RESULTS


def may_publish(store: Store) -> bool:
    """Return True if results may be published: all games are played, of all series, and no row was edited.

    The results contain the secrets of the event, and copying them fails if the hash chain does not fit.
    """
    current = store.manifest.series
    try:
        for number in store.series():
            store.select_series(number)
            if not store.schedule().finished:
                return False
    finally:
        store.select_series(current)
    if store.audit_chain().faults:
        click.echo(
            f"arbiter: the report does not offer {plain(str(store.path))} for download, because it does not fit its hash "
            f"chain; `arbiter verify` shows the faults",
            err=True,
        )
        return False
    return True


def remove_results(folder: Path) -> None:
    """Remove the copy of an earlier report, for results that must not be published any more.  Raises ConfigError."""
    path = folder / RESULTS.path
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

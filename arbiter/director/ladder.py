"""Terms of a ladder: close the one that is played, and list those that are over."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.director.files import SUFFIX
from arbiter.errors import ConfigError
from arbiter.tournament.results.database import LOG_SUFFIX
from arbiter.tournament.results.live_files import LOCK_SUFFIX, Lock
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.unrated import UnratedMatch, ask_for_match, find_file
from arbiter.tournament.standings.crosstable import PlainTable
from arbiter.tournament.standings.table import Standing

FOLDER: Final = "terms"
_FROZEN: Final = 0o444


class LadderTerm(Struct, frozen=True, kw_only=True):
    """A term of a ladder that is over."""

    number: int
    results: Path
    games: int
    first_at: str
    """Start of the first game, ISO 8601 in UTC."""
    last_at: str
    ranking: tuple[Standing, ...]
    table: PlainTable
    """The table of rating and activity."""


def list_term_files(results: Path) -> dict[int, Path]:
    """List the results of the terms of a ladder that are over, by their numbers."""
    pattern = re.compile(rf"{re.escape(results.stem)}-([1-9][0-9]*){re.escape(SUFFIX)}")
    found = {
        int(parts[1]): path
        for path in (results.parent / FOLDER).glob(f"*{SUFFIX}")
        if (parts := pattern.fullmatch(path.name))
    }
    return dict(sorted(found.items()))


def read_terms(results: Path) -> Iterator[LadderTerm]:
    """Read the terms of a ladder that are over.  Raises ConfigError."""
    for number, path in list_term_files(results).items():
        yield _read_term(number, path)


class ClosedTerms:
    """The terms of a ladder that are over; each is read once, because nothing changes in it."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._known: dict[Path, LadderTerm] = {}

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of the terms."""
        return list(list_term_files(self._results))

    def read(self) -> Sequence[LadderTerm]:
        """Read the terms, the last one first.  Raises ConfigError."""
        for number, path in list_term_files(self._results).items():
            if path not in self._known:
                self._known[path] = _read_term(number, path)
        return sorted(self._known.values(), key=lambda term: -term.number)


def close_term(results: Path) -> LadderTerm:
    """Freeze the results of a ladder as those of a term; the next run begins another one.

    Raises ConfigError if it is being played, has no games, or is no ladder.
    """
    with Results.read(results) as stored:
        if not stored.manifest.tournament.is_ladder:
            form = stored.manifest.tournament.format
            raise ConfigError(f'{results}: is a tournament with format "{form}"; only a ladder has terms')
        if not stored.history(condensed=True).count:
            raise ConfigError(f"{results}: has no games; a term needs at least one")
        manifest = stored.manifest
    number = max(list_term_files(results), default=0) + 1
    target = results.parent / FOLDER / f"{results.stem}-{number}{SUFFIX}"
    # Opening the results for writing takes their lock, and closing them moves all games into the file.
    with Store.create_or_resume(results, manifest):
        pass
    with Lock(results.with_name(results.name + LOCK_SUFFIX), "this ladder"):
        if results.with_name(results.name + LOG_SUFFIX).exists():
            raise ConfigError(f"{results}: another program reads it; close that program, such as `arbiter serve`")
        try:
            target.parent.mkdir(exist_ok=True)
            results.chmod(_FROZEN)
            results.rename(target)
            with suppress(FileNotFoundError):
                find_file(results).rename(find_file(target))
        except OSError as error:
            raise ConfigError(f"{target}: cannot be written: {error.strerror}") from None
    return _read_term(number, target)


def _read_term(number: int, path: Path) -> LadderTerm:
    with Results.read(path) as stored:
        schedule = stored.schedule(condensed=True)
    source = schedule.stages[0].source
    ranking = schedule.rank_all()
    bots = source.state.bots.values() if source is not None else ()
    return LadderTerm(
        number=number,
        results=path,
        games=schedule.played,
        first_at=min((one.first_at for one in bots if one.first_at), default=""),
        last_at=max((one.last_at for one in bots), default=""),
        ranking=ranking,
        table=PlainTable("", (), ()) if source is None else source.tabulate([one.bot for one in ranking]),
    )


# --- unrated matches ------------------------------------------------------------------------------


class AskedMatch(Struct, frozen=True):
    """An unrated match that was asked for."""

    match: UnratedMatch
    results: Path
    is_played: bool
    """True if the ladder is being played now."""


def ask_for_unrated_match(results: Path, bots: Sequence[str], games: int, by: str) -> AskedMatch:
    """Ask a ladder for an unrated match.  Raises ConfigError if it has no results or does not have these bots."""
    with Results.read(results) as stored:
        if not stored.manifest.tournament.is_ladder:
            form = stored.manifest.tournament.format
            raise ConfigError(f'{results}: is a tournament with format "{form}"; only a ladder plays unrated matches')
        names = stored.manifest.tournament.bot_names
        match = ask_for_match(results, bots, games, by=by, known=names, has=stored.has)
        return AskedMatch(match, results, stored.is_being_played)

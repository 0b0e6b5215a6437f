"""Journal of a run: results of earlier runs and of this one, files that show games in progress, and new decisions."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path

from msgspec import Struct

from arbiter.director.venue import PlaySettings
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Attempt, Event, EventHandler, Finished, Ruled
from arbiter.tournament.new_results import NewAttempt, NewGame, NewResult
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.result_writer import Keep
from arbiter.tournament.results.condensed import LEAST_GAMES
from arbiter.tournament.results.database import Patience
from arbiter.tournament.results.live_files import LiveGames, LiveStatusFile, remove_live_games
from arbiter.tournament.results.manifest import Manifest, NewSeries
from arbiter.tournament.results.rows import How, SeenProgram
from arbiter.tournament.results.snapshot import Matches
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import NO_HISTORY, History, find_kind
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from protocol.reasons import Disqualified, Withdrawn


class Journal(Struct):
    """The results of a tournament that is being played."""

    manifest: Manifest
    games: list[StoredGame] = []
    """Finished games, including those of earlier runs; it grows.  Of a long ladder, only the last ones."""
    attempts: list[Attempt] = []
    """Voided attempts, including those of earlier runs; it grows."""
    forfeits: dict[str, NewGame] = {}
    """The last game that each bot has forfeited in this run."""
    unannounced: set[str] = set()
    """Ids of games that are being stored, or are stored, and will be received as finished."""
    dropped: dict[str, int] = {}
    """Numbers of the games up to which logs were dropped, by table."""
    condense_at: float = inf
    """Number of games from which on they are summed up."""
    history: History = NO_HISTORY
    """The games and rulings of earlier runs."""
    programs: Sequence[SeenProgram] = ()
    """Programs of earlier runs."""
    new_series: NewSeries | None = None
    """Set if a further series begins."""
    store: Store | None = None
    reader: Store | None = None
    """A second connection, which does not wait for writes."""
    live_files: tuple[LiveStatusFile | LiveGames, ...] = ()
    lacks_results: bool = False
    """The last results could not be stored."""
    sink: Keep | None = None
    """Receives the results of games that are not stored."""

    def keep(self, results: Sequence[NewResult]) -> None:
        """Store results, if they are stored, and remember the voided attempts.  Raises ConfigError."""
        self.unannounced.update(result.game.id for result in results if isinstance(result, NewGame))
        keep = self.sink if self.store is None else self.store.add
        if keep is not None:
            self.lacks_results = True
            keep(results)
            self.lacks_results = False
        for result in results:
            if isinstance(result, NewGame):
                self.forfeits |= dict.fromkeys(result.game.forfeiters, result)
        self.attempts.extend(result.attempt for result in results if isinstance(result, NewAttempt))

    def receive(self, event: Event) -> None:
        """Note an event, and show it to other processes."""
        if isinstance(event, Finished):
            self.unannounced.discard(event.game.id)
            if not event.game.is_unrated:
                self.games.append(event.game)
        for file in self.live_files:
            file.receive(event)

    def note_addresses(self, gateway: str, pages: str) -> None:
        """Show other processes the addresses of the gateway and of the pages; empty without them."""
        for file in self.live_files:
            if isinstance(file, LiveStatusFile):
                file.note_addresses(gateway, pages)

    def add_bots(self, file: TournamentFile) -> None:
        """Store a tournament that more bots join.  Raises ConfigError."""
        if self.store is not None and self.reader is not None:
            self.store.add_bots(file)
            self.reader.manifest = self.manifest = self.store.manifest

    def drop_logs(self, now: datetime | None = None) -> bool:
        """Drop some of the logs that are too old by the tournament file; True if there may be more."""
        days = self.manifest.tournament.drop_logs_after
        if days is None or self.store is None:
            return False
        before = (now or datetime.now(UTC)) - timedelta(days=days)
        return self.store.drop_logs(before.isoformat(timespec="seconds"), self.dropped)

    def add_program(self, bot: str, found: ProgramDigest, how: How) -> None:
        """Store what was found of a bot's program, if results are stored."""
        if self.store is not None:
            self.store.add_program(bot, found, how)


@contextmanager
def open_journal(
    results: Path | None,
    manifest: Manifest,
    settings: PlaySettings,
    programs: Mapping[str, ProgramDigest] | None,
    patience: Patience,
) -> Iterator[Journal]:
    """Create or resume a results file; without one, games are not stored.

    A match is given by the `programs` of its bots.  `patience` is for other programs that write.  Raises ConfigError.
    """
    if results is None:
        yield Journal(manifest)
        return
    with (
        Store.create_or_resume(results, manifest, settings.secret, programs, patience) as store,
        Store.read(results) as reader,
        LiveGames(results) if settings.live else nullcontext() as live_games,
    ):
        if live_games is None:
            remove_live_games(results)
        status = LiveStatusFile(results)
        cut_off = status.take_cut_off()
        store.add([NewAttempt(attempt) for attempt in cut_off if not store.has(attempt.id)])
        is_condensed = settings.audit is None and store.manifest.tournament.is_ladder
        history = store.history(condensed=is_condensed)
        journal = Journal(
            manifest=store.manifest,
            games=list(history.games),
            attempts=list(store.attempts().values()),
            condense_at=len(history.as_played) + LEAST_GAMES if is_condensed else inf,
            history=history,
            programs=store.programs(),
            new_series=store.new_series,
            store=store,
            reader=reader,
            live_files=(status,) if live_games is None else (status, live_games),
        )
        try:
            yield journal
        finally:
            if not journal.lacks_results:  # otherwise the next run finds there which games are played again
                status.remove()


# --- decisions of the organiser -------------------------------------------------------------------


class RulingReader:
    """Reads rulings from the results, and applies them to a run."""

    def __init__(self, journal: Journal, plan: Schedule, matches: Matches | None) -> None:
        """Apply decisions to the games of `journal` and to `plan`."""
        self._journal = journal
        self._plan = plan
        self._matches = matches
        self._is_outdated = False  # the count of earlier games, by a ruling
        self.dispatcher: Dispatcher | None = None
        self.emit: EventHandler | None = None
        """Receives the events of new decisions.  Default: they are applied silently."""

    def ask_absent(self) -> Mapping[str, Withdrawn | Disqualified]:
        """Read new decisions, and return the bots that left, each with the reason."""
        reader = self._journal.reader
        known = self._plan.history.rulings
        if reader is not None and reader.count_rulings() != len(known):
            rulings = reader.rulings()
            kinds = {find_kind(one, rulings) for one in rulings[len(known) :]}
            if self._journal.condense_at == inf or "reinstate" in kinds:  # a bot that is let back loses no more games
                self.apply_rulings()
            else:
                self._is_outdated |= kinds != {"withdraw"}  # these change no earlier game of a ladder
                self._plan.follow(rulings)
                self._announce(rulings[len(known) :])
        history = self._plan.history
        gone: dict[str, Withdrawn | Disqualified] = {bot: Withdrawn(bot) for bot in history.withdrawn}
        return gone | {bot: Disqualified(bot) for bot in history.disqualified}

    def find_least(self) -> int | None:
        """Return how many games of a ladder are worth a new summary now; None if there are too few."""
        journal = self._journal
        if journal.store is None or journal.condense_at == inf:
            return None
        if self._is_outdated:
            return 1
        return LEAST_GAMES if len(journal.games) >= journal.condense_at else None

    def condense(self, least: int) -> None:
        """Sum up the games of a ladder, if there are so many; this takes long, in any thread."""
        if self._journal.store is not None:
            self._is_outdated = False
            self._journal.store.condense(least)

    def forget(self) -> None:
        """Forget the games that are summed up, and count the others again."""
        if not self._is_outdated:  # there is no ruling in the meantime that changes earlier games
            self._reload()

    def apply_rulings(self) -> None:
        """Count all games again if there are rulings, with an event for each new one."""
        if self._journal.reader is not None and self._journal.reader.count_rulings():
            self._reload()

    def enlarge(self) -> None:
        """Continue with the bots of the journal, which has more."""
        self._reload(self._journal.manifest.schedule())

    def _reload(self, enlarged: Schedule | None = None) -> None:
        """Read all games again that are not summed up, with an event for each new ruling.

        With an `enlarged` schedule, continue with its bots.
        """
        reader = self._journal.reader
        games = self._journal.games
        if reader is None:
            return
        known = len(self._plan.history.rulings)
        history = reader.history(condensed=self._journal.condense_at < inf)
        self._is_outdated = False
        games[:] = (game for game in history.games if game.id not in self._journal.unannounced)
        if enlarged is None:
            self._plan.restart(history)
        else:
            self._plan.enlarge(enlarged, history)
        if self.dispatcher is not None:
            self.dispatcher.restart(history)
        if self._matches is not None:
            self._matches.restart(games)
        if self._journal.condense_at < inf:
            self._journal.condense_at = len(games) + LEAST_GAMES
        self._announce(history.rulings[known:])

    def _announce(self, rulings: Sequence[Ruling]) -> None:
        if self.emit is not None:
            for ruling in rulings:
                self.emit(Ruled(ruling))

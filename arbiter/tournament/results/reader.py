"""One reader of results, for commands, pages and programs: finished games, and those that another process plays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError, check_known, write_command
from arbiter.record import NETWORK, Record, RecordError, read_record
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.events import Attempt, Began, LiveStatus
from arbiter.tournament.fixture import is_unrated_id
from arbiter.tournament.ratings.deployments import Deployments, count_few_deployments, find_deployments
from arbiter.tournament.ratings.pairs import merge_games, select_distinct_games
from arbiter.tournament.ratings.values import PoolAnalysis, Ratings, Spread, find_anchor
from arbiter.tournament.results.latest import LATEST
from arbiter.tournament.results.live_files import live_games_folder, read_live_game, read_live_status
from arbiter.tournament.results.manifest import Manifest, describe_other_rules, new_manifest, resume_manifest
from arbiter.tournament.results.snapshot import Snapshot
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.schedule.unrated import UnratedMatch, read_matches
from arbiter.tournament.standings.game_status import ANNULLED, UNRATED, GameStatus
from arbiter.tournament.standings.history import find_base, order_in_schedule
from arbiter.tournament.standings.stored_game import StoredGame, is_lost_by
from arbiter.tournament.standings.table import Standing

_MOST_READ: Final = 500  # records, to count deployments


class Selection(Struct, frozen=True, kw_only=True):
    """The games or voided attempts that somebody asks for."""

    bots: tuple[str, ...] = ()
    """One bot, or two for their games against each other."""
    lost_by: str | None = None
    ending: str | None = None
    round: int | None = None
    game: str | None = None
    """Id of the only game."""
    series: int | None = None
    """Default: all series of the file."""
    last: int | None = None
    """Only so many of the last ones.  Default: all."""

    def selects(self, game: StoredGame) -> bool:
        """Return True for a game with this id, this ending and this loser."""
        return (
            self.game in (None, game.id)
            and self.ending in (None, game.ending)
            and (self.lost_by is None or is_lost_by(game, self.lost_by))
        )


class Listing(Struct, frozen=True):
    """A list of games, or a part of it."""

    games: Mapping[int, StoredGame]
    """The games by their numbers."""
    uncounted: Mapping[str, GameStatus]
    """The states of games that do not count, by their ids."""
    has_rulings: bool = False
    """True if other parts of the list may have games that were ruled."""
    is_cut: bool = False
    """True if there are earlier games."""


class Results(Store):
    """Results that are read, maybe while another process writes them.  Every method may raise ConfigError.

    Open them with `Results.read`.
    """

    def __init__(self, *words: Any, **settings: Any) -> None:  # noqa: ANN401 - those of Store
        super().__init__(*words, **settings)
        self._file = _identify(self.path)

    @property
    def title(self) -> str:
        """The name of the tournament."""
        return self.manifest.tournament.name

    def version(self) -> int:
        """Return a number that changes when another program has written to the results.

        Raises ConfigError if the file was replaced.
        """
        if _identify(self.path) != self._file:
            raise ConfigError(f"{self.path}: the file was replaced; restart to show the new file")
        return super().version()

    def snapshot(self, *, condensed: bool = False) -> Snapshot:
        """Read all results of the series, without records and logs.

        `condensed`, of a long ladder only the latest games are read, and the summary of the first ones.
        """
        plan = self.schedule(condensed=condensed)
        latest = None
        if plan.history.earlier is not None:
            latest = sorted(self.latest_games(most=LATEST)[0].values(), key=order_in_schedule)
        return Snapshot(manifest=self.manifest, plan=plan, attempts=tuple(self.attempts().values()), latest=latest)

    def standings(self) -> Sequence[Standing]:
        """Rank all bots."""
        return self.snapshot().plan.rank_all()

    def ratings(self, anchor: str | None = None) -> Ratings:
        """Rate the bots by all games; `anchor` is BOT=RATING.  Default: the anchor of the tournament."""
        return self.snapshot().rate(anchor)

    def read_game(self, game_id: str) -> Record:
        """Read the record of a finished game.  Raises RecordError too."""
        return read_record(self.record(game_id))

    def read_deployments(self, game: StoredGame) -> Deployments:
        """Read the deployments that the bots of a finished game chose; none if its record cannot be read."""
        try:
            return find_deployments(self.read_game(game.id))
        except RecordError:
            return {}

    def list_games(self, asked: Selection, *, as_played: bool = False) -> Iterator[Listing]:
        """List the selected games: those that count, or all stored ones with their results before rulings.

        They are in the order of the schedule; those of a ladder are in the order in which they were stored, in parts.
        """
        bot, opponent = self._check_bots(asked)
        if asked.game is not None and is_unrated_id(asked.game):
            found = self.find_game(asked.game)
            yield Listing({} if found is None else dict([found]), {asked.game: UNRATED})
            return
        if self.manifest.tournament.is_ladder:
            stored = self.iterate_stored(bot=bot, opponent=opponent, round=asked.round)
            if asked.game is not None:
                stored = iter([self.find_numbered(asked.game)])
            yield from self._judge(stored, asked, as_played=as_played)
            return
        read = self.games_as_played if as_played else self.games
        numbers = self.game_numbers()
        games: dict[int, StoredGame] = {}
        uncounted: dict[str, GameStatus] = {}
        for series in self.series() if asked.series is None else [asked.series]:
            self.select_series(series)
            played = read(bot=bot, opponent=opponent, ending=asked.ending, round=asked.round)
            games |= {numbers[game.id]: game for game in played if asked.selects(game)}
            uncounted |= self.uncounted()
        yield Listing(games, uncounted)

    def list_last(self, asked: Selection, most: int, *, as_played: bool = False) -> Listing:
        """List the last of the selected games of the series, at most so many, in the order in which they were stored.

        Of a ladder, no other games are read than those that were stored after the first one of them.
        """
        bot, opponent = self._check_bots(asked)
        self.select_series(asked.series or self.series()[-1])
        stored = self.iterate_stored(backwards=True, bot=bot, opponent=opponent, round=asked.round)
        games: dict[int, StoredGame] = {}
        uncounted: dict[str, GameStatus] = {}
        is_cut = False
        for part in self._judge(stored, asked, as_played=as_played):
            games |= part.games
            uncounted |= part.uncounted
            if is_cut := len(games) > most:
                break
        chosen = {number: games[number] for number in sorted(games)[-most:]}
        return Listing(chosen, uncounted if self.manifest.tournament.is_ladder else self.uncounted(), is_cut=is_cut)

    def _judge(
        self, stored: Iterable[Mapping[int, StoredGame]], asked: Selection, *, as_played: bool
    ) -> Iterator[Listing]:
        """Apply rulings to the parts of a list of stored games, and find those that do not count."""
        history = self.rulings_on_games()
        for part in stored:
            games: dict[int, StoredGame] = {}
            uncounted: dict[str, GameStatus] = {}
            for number, played in part.items():
                counted = history.apply(played)
                game = played if as_played else counted
                if game is None or not asked.selects(game):
                    continue
                games[number] = game
                if counted is None:
                    uncounted[game.id] = GameStatus("replaced", history.find_current_id(find_base(game.id)))
                elif counted.ending == "annulled":
                    uncounted[game.id] = ANNULLED
            yield Listing(games, uncounted, has_rulings=bool(history.in_force))

    def uncounted(self) -> Mapping[str, GameStatus]:
        """Return the states of the stored games of the series that do not count, by their ids."""
        return self.schedule().uncounted

    def list_attempts(self, asked: Selection) -> dict[int, Attempt]:
        """List the selected attempts that were voided, by their numbers."""
        bot, opponent = self._check_bots(asked)
        found = self.attempts(bot=bot, opponent=opponent, round=asked.round)
        return {number: attempt for number, attempt in found.items() if asked.game in (None, attempt.id)}

    def _check_bots(self, asked: Selection) -> tuple[str | None, str | None]:
        known: dict[str, None] = {}
        for number in self.series():
            self.select_series(number)
            known |= dict.fromkeys(self.manifest.tournament.bot_names)
        for name in (*asked.bots, *([] if asked.lost_by is None else [asked.lost_by])):
            check_known("bot", name, known)
        if len(asked.bots) > 2:  # noqa: PLR2004 - a game has two
            raise ConfigError("--bot: a game has two bots; name one or two")
        one, two = (*asked.bots, None, None)[:2]
        return one, two

    def list_matches(self, most: int = 0) -> list[tuple[UnratedMatch, list[StoredGame]]]:
        """List the last unrated matches of a ladder that were asked for, each with its finished games; 0 for all."""
        found = []
        for match in read_matches(self.path)[-most:]:
            games = (self.find_game(fixture.id) for fixture in match.fixtures)
            found.append((match, [game[1] for game in games if game is not None]))
        return found

    # --- games in progress: the files that a killed arbiter left are valid only if the results are locked

    @property
    def is_being_played(self) -> bool:
        """True if an arbiter has the results open for writing."""
        return self.lock_owner() is not None

    def live_status(self) -> LiveStatus:
        """Return the state of the run in progress; an empty one if there is none."""
        return read_live_status(self.path) if self.is_being_played else LiveStatus()

    def games_in_progress(self) -> Sequence[Began] | None:
        """List the games in progress; None if nobody plays the tournament."""
        if not self.is_being_played:
            return None
        # A finished game is stored before it is removed from the live status.
        return [began for began in read_live_status(self.path).games if not self.has(began.fixture.id)]

    def list_presence(self) -> Mapping[str, bool]:
        """List the players over the network, each with True if it can play now; none if nobody plays."""
        names = self.manifest.tournament.list_players(*NETWORK)
        present = self.live_status().present if names and self.is_being_played else None
        return {} if present is None else {name: name in present for name in names}

    def can_be_watched(self) -> bool:
        """Return True if the records of games in progress are being written."""
        return live_games_folder(self.path).is_dir() and self.is_being_played

    def live_record(self, game_id: str) -> bytes:
        """Return the record of a game in progress, as far as it is written; b"" if there is none."""
        written = read_live_game(self.path, game_id)
        return written if written and self.is_being_played else b""

    def describe_watching(self) -> str:
        """Return the command that shows the games in progress; empty if none can be watched."""
        if not self.can_be_watched() or not self.games_in_progress():
            return ""
        return f"watch the games in progress: {write_command('replay', self.path)}"


class Pool(Struct, frozen=True):
    """The games of several results, rated together."""

    name: str
    """Name of the first tournament."""
    games: Sequence[StoredGame]
    ratings: Ratings
    analysis: PoolAnalysis


def rate_pool(
    pool: Iterable[Results],
    anchor: str | None = None,
    *,
    spread: Spread | None = None,
    merge_versions: bool = False,
) -> Pool:
    """Rate the bots of several results by one fit; `anchor` is BOT=RATING, `spread` that of a normal prior in Elo.

    Each version of the program of a bot is a player, unless they are merged.
    Raises ConfigError if the results have different rules.
    """
    from arbiter.tournament.ratings.comparisons import analyse  # noqa: PLC0415 - numpy is slow to import
    from arbiter.tournament.ratings.rate import rate_pool as rate  # noqa: PLC0415 - as above

    manifests: list[Manifest] = []
    sources = []
    few: dict[str, int] = {}
    paths = []
    for results in pool:
        for number in results.series():
            results.select_series(number)
            paths.append(results.path)
            if manifests and (difference := describe_other_rules(manifests[0], results.manifest)):
                raise ConfigError(f"{paths[-1]}: has other rules than {paths[0]}: {difference}; rate them separately")
            manifests.append(results.manifest)
            apart = results.manifest.tournament.rated_apart
            counted = results.snapshot().rated
            sources.append([game for game in counted if apart.isdisjoint((game.red, game.blue))])
            distinct = select_distinct_games(sources[-1])
            if len(distinct) < sum(game.was_played for game in sources[-1]):
                few |= count_few_deployments((game, results.read_deployments(game)) for game in distinct[:_MOST_READ])
    games = merge_games(sources, merge_versions=merge_versions)
    bots = sorted({name for game in games for name in (game.red, game.blue)})
    try:
        fixed = None if anchor is None else find_anchor(anchor, bots)
    except ConfigError as error:
        raise ConfigError(f"--anchor: {error}") from None
    rated, fit = rate(bots, games, manifests[0].seed, fixed, spread=spread)
    rated = replace(rated, bots=tuple(replace(one, few_deployments=few.get(one.bot)) for one in rated.bots))
    return Pool(manifests[0].tournament.name, games, rated, analyse(fit))


def read_schedule(tournament: Tournament, results: Path) -> tuple[Schedule, Sequence[StoredGame]]:
    """Make the schedule that a run of a tournament would have after the games in its results, if there are any.

    Raises ConfigError, for example if the tournament has changed so that it does not fit the games.
    """
    if not results.exists():
        return tournament.schedule(0), []
    with Results.read(results) as stored:
        history = stored.history()
        try:
            manifest = resume_manifest(stored.manifest, new_manifest(tournament, stored.manifest.sandbox), history)
        except ConfigError as error:
            raise ConfigError(f"{results}: {error}") from None
        return manifest.schedule(history), history.in_order


def _identify(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

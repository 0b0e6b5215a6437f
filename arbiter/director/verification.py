"""Verify whole results: the rows, their records, the schedule, the standings and the hash chain."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.director.processes import map_in_processes
from arbiter.director.publication import CheckedPublication
from arbiter.errors import ConfigError
from arbiter.games.base import Ending
from arbiter.tournament.audits import find_fixture
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.deals import Deal, draw_deal
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.results.integrity import ChainCheck, GameCheck, check_game, check_schedule, count_unchecked
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import find_base
from arbiter.tournament.standings.stored_game import UNRATED_SERIES, StoredGame, find_points

_MOST_ATTEMPTS: Final = 1000  # of one game; no arbiter tries as often


class VerifiedResults(Struct, frozen=True, kw_only=True):
    """The result of verifying results."""

    file: str
    tournament: str
    """Name of the tournament."""
    games: int
    faults: tuple[str, ...]
    unchecked: dict[Ending, int]
    """Number of games by endings that no record can prove."""
    missing: int
    """Games of the schedule that are not stored."""
    first: str
    """Winner by the standings that follow from the records."""
    links: int
    """Length of the hash chain."""
    digest: str
    dropped: int = 0
    """Number of games that have lost a log, which a run dropped after some days."""
    signature: CheckedPublication | None = None
    """The published digest that the results were compared with."""

    @property
    def ok(self) -> bool:
        """True if nothing was changed."""
        return not self.faults


def verify_results(
    path: Path | str,
    published: str | None = None,
    *,
    signature: CheckedPublication | None = None,
    draw_limits: bool = True,
) -> VerifiedResults:
    """Verify results.  `published` and `signature` are digests of them from an earlier time.  Raises ConfigError."""
    path = Path(path)
    faults: list[str] = []
    games = 0
    unchecked: Counter[Ending] = Counter()
    chain = ChainCheck(0, "", (), ())
    dropped: dict[str, bool] = {}
    first = ""
    missing = 0
    with Store.read(path) as store:
        store.freeze()
        tournament = store.manifest.tournament.name
        if store.incomplete:
            faults.append(store.incomplete)
        digests = [] if published is None else [published.lower()]
        if signature is not None:
            faults += signature.faults
            digests.append(signature.publication.digest)
        with _note_damage(faults):
            chain = store.verify_chain(*digests)
            faults += chain.faults
        with _note_damage(faults):
            dropped = store.find_dropped_logs()
            faults += [
                f"{game_id}: its log is gone, but `drop_logs_after` does not allow that"
                for game_id, is_allowed in dropped.items()
                if not is_allowed
            ]
        faults += [
            f"the digest {one} is not part of its history: rows that it covers were changed" for one in chain.unknown
        ]
        for series in store.series():
            with _note_damage(faults):
                store.select_series(series)
                replays = {replay for ruling in store.rulings() for replay in ruling.replacements.values()}
                known: dict[str, Fixture | StoredGame] = {**_find_replaced(store)}
                for plan in store.parts():
                    stored = plan.history.as_played
                    games += len(stored)
                    unchecked += count_unchecked(stored)
                    faults += _check_games(store, stored, draw_limits=draw_limits)
                    faults += check_schedule(stored, _list_schedules(store, plan), replays, known)
                    sources = (stage.source for stage in plan.stages if stage.source is not None)
                    known |= {fixture.id: fixture for source in sources for fixture in source.list_open()}
                missing += max(0, plan.total - plan.played)
                store.programs()
                faults += _check_summary(store, plan)
                first = " and ".join(one.bot for one in plan.rank_all() if one.rank == 1)
        with _note_damage(faults):
            for number in store.attempts():
                store.attempt_log(number)
        with _note_damage(faults):
            unrated = store.games_as_stored(UNRATED_SERIES)
            games += len(unrated)
            unchecked += count_unchecked(unrated)
            faults += _check_games(store, unrated, draw_limits=draw_limits)
    return VerifiedResults(
        file=str(path),
        tournament=tournament,
        games=games,
        faults=tuple(faults),
        unchecked=dict(sorted(unchecked.items())),
        missing=missing,
        first=first,
        links=chain.links,
        digest=chain.digest,
        dropped=len(dropped),
        signature=signature,
    )


def _find_replaced(store: Store) -> dict[str, StoredGame]:
    """Return the stored games that other games replace by rulings, by their ids in the schedule."""
    bases = {find_base(game_id) for ruling in store.rulings() for game_id in ruling.replacements}
    return {base: game for base in bases if (game := store.find_stored(base)) is not None}


def _list_schedules(store: Store, plan: Schedule) -> Iterator[Schedule]:
    """Yield a schedule, and then as it was before each ruling, the last one first."""
    yield plan
    history = plan.history
    for count in range(len(history.rulings) - 1, -1, -1):
        yield store.manifest.schedule(replace(history, rulings=history.rulings[:count]))


def _check_summary(store: Store, plan: Schedule) -> Iterator[str]:
    """Compare what the summary of a ladder's first games shows with what follows from all games; yield the fault."""
    if not store.has_summary():  # then the history has all games
        return
    history = store.history(condensed=True)
    try:
        is_same = _describe_ladder(store.manifest.schedule(history)) == _describe_ladder(plan)
    except (ArithmeticError, LookupError, TypeError, ValueError):  # another program has made it
        is_same = False
    if not is_same:
        yield "the summary of the first games does not fit them: standings may be wrong"


def _describe_ladder(plan: Schedule) -> tuple[object, ...]:
    (stage,) = plan.stages
    assert stage.source is not None  # noqa: S101 - it is a ladder
    return plan.rank_all(), plan.tabulate(stage), stage.source.rate_bots()


def _check_games(store: Store, games: Sequence[StoredGame], *, draw_limits: bool) -> Iterator[str]:
    """Referee the records of games and compare the rows with them; yields the faults."""
    manifest = store.manifest
    points = find_points(manifest.tournament.points)
    tournament = replace(resolve_names(manifest.tournament), deployments=manifest.deployments)
    # `deals` may change between two runs.
    settings = [replace(tournament, file=replace(tournament.file, deals=deals)) for deals in ("shared", "separate")]
    programs = tournament.file.list_players("program")
    attempts = Counter(attempt.id for attempt in store.attempts().values() if attempt.needs_deal(programs))

    def list_deals(game: StoredGame) -> list[list[Deal]]:
        numbers = range(min(_MOST_ATTEMPTS, attempts[game.id]) + 1)
        fixture = find_fixture(game)
        try:
            return [[draw_deal(one, manifest.key, fixture, number) for one in settings] for number in numbers]
        except (ArithmeticError, LookupError, ValueError):  # another program has written the deployments
            return [[]]

    checks = (GameCheck(game, _read_record(store, game.id), points, draw_limits, list_deals(game)) for game in games)
    for game, faults in zip(games, map_in_processes(check_game, checks), strict=True):
        yield from (f"{game.id}: {fault}" for fault in faults)


def _read_record(store: Store, game_id: str) -> bytes:
    """Return the record of a game; empty, which is no record, if it is missing or damaged."""
    with suppress(ConfigError):
        return store.record(game_id)
    return b""


@contextmanager
def _note_damage(faults: list[str]) -> Iterator[None]:
    """Add what cannot be read to the faults."""
    try:
        yield
    except ConfigError as error:
        faults.append(str(error))

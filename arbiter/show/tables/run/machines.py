"""The machines that play a tournament, and the games in progress: where they are played, and for how long."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from arbiter.clock import write_duration
from arbiter.languages.phrase import heading
from arbiter.show.tables.sheet import JSON, LISTED, Column, Sheet
from arbiter.tournament.events import Attempt, Began
from arbiter.tournament.standings.stored_game import StoredGame

_RECENT: Final = timedelta(minutes=10)
_MOST_GAMES: Final = 20  # rows of games in progress, outside JSON


class MachineGame(Struct, frozen=True):
    """A game in progress."""

    began: Began
    seconds: float | None
    """Time since it began; None if not known."""


class MachineState(Struct, frozen=True, kw_only=True):
    """A machine that plays or has played games of a tournament."""

    number: int
    """Number of the machine, in the order of the first games: pages show it instead of the name."""
    host: str
    playing: int
    """Number of games in progress."""
    games: int
    """Number of finished games."""
    void: int
    """Number of voided attempts."""
    speed: float | None
    """Speed of a core in its last game, 1 for the reference machine; None if it was not measured."""
    a_minute: float
    """Finished games a minute, in the last ten minutes or since its first game in them."""


_ONGOING: Final[tuple[Column[MachineGame], ...]] = (
    Column("id", "game", value=lambda one: one.began.fixture.id, align="left", width="keep"),
    Column("round", value=lambda one: one.began.fixture.round),
    Column("red", value=lambda one: one.began.fixture.red, align="left", width="spare"),
    Column("blue", value=lambda one: one.began.fixture.blue, align="left", width="spare"),
    Column("at", value=lambda one: one.began.at, on=JSON),
    Column(
        "seconds",
        "for",
        value=lambda one: None if one.seconds is None else round(one.seconds, 1),
        text=lambda one: None if one.seconds is None else write_duration(round(one.seconds)),
        width="keep",
    ),
    Column("host", "machine", value=lambda one: one.began.host, align="left"),
    Column("worker", value=lambda one: one.began.worker, align="left", is_optional=True),
)
_MACHINES: Final[tuple[Column[MachineState], ...]] = (
    Column("number", "machine", align="left"),
    Column("host", "name", align="left", on=LISTED),
    Column("playing"),
    Column("games"),
    Column("void", "voided", tone="warn"),
    Column("speed"),
    Column("a_minute", value=lambda one: round(one.a_minute, 1)),
)


def ongoing_sheet(games: Sequence[Began], seconds: Mapping[str, float]) -> Sheet:
    """Make the sheet of games in progress; `seconds` are the times since they began, by their ids."""
    more = len(games) - _MOST_GAMES
    return Sheet(
        title="Games in progress",
        columns=_ONGOING,
        items=[MachineGame(began, seconds.get(began.fixture.id)) for began in games],
        most_rows=_MOST_GAMES,
        notes=(f"And {more} more; --json lists all.",) if more > 0 else (),
    )


def number_hosts(
    games: Iterable[StoredGame], attempts: Iterable[Attempt], ongoing: Iterable[Began] = ()
) -> Mapping[str, int]:
    """Return the numbers of the machines by the names of their hosts, from 1 in the order of their first games."""
    played: list[StoredGame | Attempt] = [*games, *attempts]
    played.sort(key=lambda one: (one.started, one.id))
    hosts = [one.conditions.host for one in played if one.conditions is not None]
    hosts += [began.host for began in ongoing if began.host]
    return {host: number for number, host in enumerate(dict.fromkeys(hosts), 1)}


def machines_sheet(
    games: Sequence[StoredGame],
    attempts: Sequence[Attempt],
    ongoing: Sequence[Began],
    now: datetime,
    counts: Mapping[str, int] | None = None,
) -> Sheet:
    """Make the sheet of the machines that have played these games, or are playing.

    `counts` are the numbers of all games by host, in the order of the first ones, if `games` are only the latest.
    """
    by_host: dict[str, list[StoredGame]] = {}
    for game in sorted(games, key=lambda game: game.started):
        if game.conditions is not None:
            by_host.setdefault(game.conditions.host, []).append(game)
    playing = Counter(began.host for began in ongoing)
    void = Counter(one.conditions.host for one in attempts if one.conditions is not None and one.cause != "audit")
    states = []
    hosts = dict.fromkeys((*(counts or ()), *number_hosts(games, attempts, ongoing)))
    for number, host in enumerate(hosts, 1):
        played = by_host.get(host, [])
        begun = [datetime.fromisoformat(game.started) for game in played]
        recent = [
            at for at, game in zip(begun, played, strict=True) if at + timedelta(seconds=game.seconds) > now - _RECENT
        ]
        seconds = min(_RECENT, now - recent[0]).total_seconds() if recent else 0
        speeds = [game.conditions.speed for game in played if game.conditions is not None]
        states.append(
            MachineState(
                number=number,
                host=host,
                playing=playing[host],
                games=len(played) if counts is None else counts.get(host, 0),
                void=void[host],
                speed=speeds[-1] if speeds else None,
                a_minute=60 * len(recent) / seconds if seconds > 0 else 0.0,
            )
        )
    return Sheet(title=heading("machines"), columns=_MACHINES, items=states)

"""Status of a tournament, and its events as objects for programs: one description for every command."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from arbiter.clock import write_duration
from arbiter.errors import write_count
from arbiter.games.base import FORFEITS
from arbiter.languages.sentences import write_reason
from arbiter.show.tables.games import describe_forfeit, describe_game, describe_void, game_object
from arbiter.show.tables.run.incidents import describe_voids
from arbiter.show.tables.run.machines import machines_sheet, ongoing_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.show.tables.standings import standings_sheet
from arbiter.show.text import plain
from arbiter.tournament.events import (
    Acted,
    Attempt,
    Audited,
    Began,
    Closing,
    Event,
    Finished,
    LiveStatus,
    LockOwner,
    Notice,
    Presence,
    Progress,
    Ruled,
    RunBegan,
    Void,
)
from arbiter.tournament.standings.stored_game import StoredGame

_LATEST: Final = 3


class Status(Struct, frozen=True, kw_only=True):
    """A tournament at one moment."""

    name: str
    total: int
    played: int
    games: Sequence[StoredGame]
    """All games, whether they count or not."""
    rated: Sequence[StoredGame]
    """Those that ratings may use."""
    finished: bool
    seed: int
    secret: str | None
    """None while games remain."""
    holder: LockOwner | None
    """The process that plays the tournament; None if nobody does, and then there are no games in progress."""
    live_status: LiveStatus
    live: bool
    """True if the games in progress can be watched."""
    now: float | None
    """Now, on the monotonic clock of the machine that plays; None on another machine, which cannot read it."""
    by_host: Mapping[str, int] | None = None
    """Numbers of games by host, if `games` are only the latest of a long ladder."""
    attempts: Sequence[Attempt] = ()
    """Voided attempts of all runs."""
    forfeits: int = 0
    """Number of forfeited games."""
    rulings: int = 0
    """Number of rulings in force."""
    endless: bool = False
    """True if the number of games has no limit."""

    @property
    def last(self) -> StoredGame | None:
        """The latest finished game."""
        return max(self.rated, key=lambda game: (game.started, game.seconds), default=None)

    @property
    def waiting(self) -> int:
        """Number of games that have not begun, as far as they are known."""
        return max(0, self.total - self.played - len(self.live_status.games))

    @property
    def seconds(self) -> float:
        """Time since the arbiter was started; 0 if it is not known."""
        return 0.0 if self.now is None else self.now - self.live_status.since

    @property
    def speed(self) -> dict[str, float | None]:
        """The games a minute since the arbiter was started, and the seconds left; None if they are not known."""
        finished, left = self.live_status.finished, self.total - self.played
        is_known = finished > 0 and self.seconds > 0
        return {
            "games_a_minute": round(finished * 60 / self.seconds, 1) if is_known else None,
            "seconds_left": round(left * self.seconds / finished) if is_known and not self.endless else None,
        }

    @property
    def sheets(self) -> tuple[Sheet, Sheet]:
        """The games in progress, and the machines."""
        live = self.live_status
        seconds = {} if self.now is None else {game: self.now - begun for game, begun in live.begun.items()}
        return (
            ongoing_sheet(live.games, seconds),
            machines_sheet(self.games, self.attempts, live.games, datetime.now(UTC), self.by_host),
        )

    @property
    def anomalies(self) -> dict[str, int]:
        return {
            "forfeits": self.forfeits,
            "void": sum(attempt.cause != "audit" for attempt in self.attempts),
            "rulings": self.rulings,
        }


def write_status(status: Status) -> list[str]:
    """Write a status as lines of text."""
    games = write_count(status.played, "game") if status.endless else f"{status.played}/{status.total} games"
    head = f"{plain(status.name)}: {games}"
    if status.holder is None:
        lines = [head, "all games are played" if status.finished else "nobody is playing; run it again to continue"]
    else:
        holder = status.holder
        left = None if status.endless else status.total - status.played
        speed = describe_speed(status.live_status.finished, status.seconds, left)
        until = ", stopping after the games in progress" if status.live_status.closing else ""
        lines = [f"{head}{speed}", f"played by pid {holder.pid} on {plain(holder.host)} since {holder.since}{until}"]
        waiting = "" if status.endless else f", {status.waiting} waiting"
        lines.append(f"{write_count(len(status.live_status.games), 'game')} in progress{waiting}")
        if status.live_status.pages:
            lines.append(f"pages at {plain(status.live_status.pages)}")
        if status.live_status.gateway:
            lines.append(f"programs and people connect at {plain(status.live_status.gateway)}")
    if status.last:
        lines.append(f"last: {describe_game(status.last)}")
    if status.secret:
        lines.append(f"seed {status.seed}, secret {status.secret}")
    if forfeits := status.anomalies["forfeits"]:
        lines.append(write_count(forfeits, "forfeit"))
    if status.rulings:
        lines.append(f"{write_count(status.rulings, 'ruling')} in force")
    lines += map(plain, describe_voids(status.attempts, status.games))
    return lines


def status_object(status: Status) -> dict[str, Any]:
    """Return a status as an object for programs."""
    ongoing, machines = status.sheets
    return {
        "name": status.name,
        "played": status.played,
        "total": status.total,
        "finished": status.finished,
        "seed": status.seed if status.secret else None,
        "secret": status.secret,
        "playing": None if status.holder is None else {"pid": status.holder.pid, "host": status.holder.host},
        "since": None if status.holder is None else status.holder.since,
        "closing": status.live_status.closing,
        "live": status.live,
        "pages": status.live_status.pages or None,
        "gateway": status.live_status.gateway or None,
        **status.speed,
        "waiting": status.waiting,
        "in_progress": ongoing.objects,
        "machines": machines.objects,
        "last": None if status.last is None else game_object(status.last),
        **status.anomalies,
    }


def describe_speed(finished: int, seconds: float, left: int | None) -> str:
    """Describe the games per minute and, for a known number of games, the time left; empty before the first one."""
    if not finished or seconds <= 0:
        return ""
    remaining = "" if left is None else f", {write_duration(round(left * seconds / finished))} left"
    return f", {finished * 60 / seconds:.1f} games a minute{remaining}"


class Anomalies:
    """Counts forfeits, walkovers and voided games since the start of the arbiter."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._latest: deque[str] = deque(maxlen=_LATEST)

    def receive(self, event: Event) -> None:
        """Count an event if it is an anomaly."""
        if isinstance(event, Finished) and event.game.ending in FORFEITS:
            self._counts["walkovers" if event.game.ending == "walkover" else "forfeits"] += 1
            self._latest.append(describe_forfeit(event.game))
        elif isinstance(event, Void):
            self._counts["void"] += 1
            self._latest.append(describe_void(event))

    def describe(self) -> list[str]:
        """Return the counts and the latest anomalies as lines; none without anomalies."""
        if not self._counts:
            return []
        return [", ".join(f"{kind}: {count}" for kind, count in self._counts.items()), *self._latest]


# --- events ---------------------------------------------------------------------------------------


def event_object(event: Event) -> dict[str, Any]:
    """Return an event as an object for programs: `event` is its kind."""
    match event:
        case RunBegan(total, played, jobs):
            values = {"total": total, "played": played, **jobs.values()}
        case Ruled(ruling):
            values = asdict(ruling) | {"why": write_reason(ruling.reason)}
        case Progress(played, total, standings):
            table = [dict(row) for row in standings_sheet(standings).objects]
            values = {"played": played, "total": total, "standings": table}
        case Presence() | Notice() | Closing():
            values = asdict(event)
        case Began(fixture):
            names = {"id": fixture.id, "round": fixture.round, "red": fixture.red, "blue": fixture.blue}
            values = {**names, "at": event.at, "host": event.host, "worker": event.worker}
        case Acted(game_id, line):
            values = {"id": game_id, "line": msgspec.Raw(line)}
        case Finished(game):
            values = dict(game_object(game))
        case Void(fixture, attempt):
            values = {
                "id": fixture.id,
                "cause": attempt.cause,
                "reason": attempt.reason,
                "why": attempt.why.strip().splitlines()[-1],
                "seat": attempt.seat,
                "bot": attempt.bot,
                "plies": attempt.plies,
                "lag_ms": None if attempt.conditions is None else attempt.conditions.lag_ms,
            }
        case Audited(game, second):
            why = {} if second is None else {"reason": second.reason, "why": second.why}
            values = {"id": game.id, "same": second is None, **why}
    return {"event": event.__struct_config__.tag, **values}

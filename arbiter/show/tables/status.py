"""How a tournament stands at this moment, for whoever asks from another shell: who plays it, how far, how fast."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from arbiter.games.base import FORFEITS
from arbiter.show.tables.event_stream import event_object
from arbiter.show.tables.progress import pace, told
from arbiter.show.tables.standings import game_object
from arbiter.show.text import plain
from arbiter.tournament.events import Began
from arbiter.tournament.live_values import LiveStatus, LockOwner
from arbiter.tournament.standings.stored_game import StoredGame


class Status(Struct, frozen=True, kw_only=True):
    """A tournament at one moment; `holder` is who plays it, None where nobody does: then nothing is under way.

    `live` says whether the games under way can be watched.
    """

    name: str
    total: int
    games: Sequence[StoredGame]
    finished: bool
    holder: LockOwner | None
    under_way: LiveStatus
    live: bool
    now: datetime


def write_status(status: Status) -> list[str]:
    """Write a status in lines."""
    lines = [f"{plain(status.name)}: {len(status.games)}/{status.total} games{_pace(status)}", _playing(status)]
    lines += [f"under way: {_under_way(began, status.now)}" for began in status.under_way.games]
    if last := _last(status):
        lines.append(f"last: {told(last)}")
    lines += [f"{count} {what}" for what, count in _anomalies(status).items() if count]
    return lines


def status_object(status: Status) -> dict[str, Any]:
    """Write a status as an object for programs."""
    last = _last(status)
    return {
        "name": status.name,
        "played": len(status.games),
        "total": status.total,
        "finished": status.finished,
        "playing": None if status.holder is None else {"pid": status.holder.pid, "host": status.holder.host},
        "since": None if status.holder is None else status.holder.since,
        "closing": status.under_way.closing,
        "live": status.live,
        "under_way": [event_object(began) for began in status.under_way.games],
        "last": None if last is None else game_object(last),
        **_anomalies(status),
    }


def _pace(status: Status) -> str:
    if status.holder is None:
        return ""
    begun = datetime.fromisoformat(status.holder.since)
    finished = sum(datetime.fromisoformat(game.started) >= begun for game in status.games)
    return pace(finished, (status.now - begun).total_seconds(), status.total - len(status.games))


def _playing(status: Status) -> str:
    if status.holder is None:
        return "all games are played" if status.finished else "nobody is playing; run it again to go on"
    until = ", stopping after the games under way" if status.under_way.closing else ""
    return f"played by pid {status.holder.pid} on {plain(status.holder.host)} since {status.holder.since}{until}"


def _under_way(began: Began, now: datetime) -> str:
    game = began.fixture
    seconds = timedelta(seconds=round((now - datetime.fromisoformat(began.at)).total_seconds()))
    return f"{plain(game.red)} against {plain(game.blue)}, round {game.round}, for {seconds}"


def _last(status: Status) -> StoredGame | None:
    return max(status.games, key=lambda game: (game.started, game.seconds), default=None)


def _anomalies(status: Status) -> dict[str, int]:
    forfeits = sum(game.ending in FORFEITS for game in status.games)
    return {"forfeits": forfeits, "void": status.under_way.voids}

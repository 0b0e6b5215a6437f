"""The tournament that is served, and what spectators see of its games in progress."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.replay.knowledge import SPECTATOR, Viewer
from arbiter.show.report.values import ReportData
from arbiter.show.report.viewer_data import ALL_SEATS
from arbiter.tournament.events import Began
from arbiter.transcript import GameLog


class ServedTournament(Protocol):
    """The results and the games in progress of a tournament.

    Any call may block for a while, and may raise ConfigError or OSError.
    """

    def version(self) -> object:
        """Return a value that changes whenever the results change."""
        ...

    def under_way(self) -> Sequence[Began] | None:
        """List the games in progress; None if the tournament is not running."""
        ...

    def results(self) -> ReportData:
        """Return standings, ratings and finished games."""
        ...

    def record(self, game_id: str) -> bytes:
        """Return the record of a finished game."""
        ...

    def log(self, game_id: str) -> GameLog:
        """Return the log of a finished game."""
        ...

    def can_be_watched(self) -> bool:
        """Return True if the records of games in progress can be read."""
        ...

    def live(self, game_id: str) -> bytes:
        """Return the record of a game in progress, as far as it is written; b"" if there is none."""
        ...


class SpectatorSettings(Struct, frozen=True):
    """The view of spectators on games in progress."""

    viewers: tuple[Viewer, ...] = (SPECTATOR,)
    """Viewers that spectators may choose from."""

    delay: int = 0
    """Number of plies that spectators are behind."""

    lang: str = DEFAULT_LANGUAGE


def spectator_settings(*, show_all: bool, delay: int, lang: str) -> SpectatorSettings:
    """Make settings that show all pieces, or only what neither player hides from the other."""
    return SpectatorSettings(ALL_SEATS if show_all else (SPECTATOR,), delay, lang)

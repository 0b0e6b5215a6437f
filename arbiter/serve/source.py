"""Where what is served comes from, and how much of it spectators are shown."""

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
    """A tournament's results and its games under way; any call may take its time, or raise ConfigError or OSError."""

    def version(self) -> object:
        """Return something that is another thing when anything but the games under way has changed."""
        ...

    def under_way(self) -> Sequence[Began] | None:
        """List the games under way; None where nobody plays."""
        ...

    def results(self) -> ReportData:
        """Work out how the tournament stands."""
        ...

    def record(self, game_id: str) -> bytes:
        """Fetch the record of a finished game."""
        ...

    def log(self, game_id: str) -> GameLog:
        """Fetch what is kept of a finished game beside its record."""
        ...

    def can_be_watched(self) -> bool:
        """Say whether games are written down while they are played."""
        ...

    def live(self, game_id: str) -> bytes:
        """Fetch the record of a game under way as far as it has come; nothing where there is none."""
        ...


class SpectatorSettings(Struct, frozen=True):
    """What spectators are shown of games under way: from which seats, and how many plies behind."""

    viewers: tuple[Viewer, ...] = (SPECTATOR,)
    delay: int = 0
    lang: str = DEFAULT_LANGUAGE


def spectator_settings(*, show_all: bool, delay: int, lang: str) -> SpectatorSettings:
    """Make terms: a spectator's seat, or all three."""
    return SpectatorSettings(ALL_SEATS if show_all else (SPECTATOR,), delay, lang)

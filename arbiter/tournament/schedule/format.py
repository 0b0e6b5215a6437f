"""A tournament format as a value: pure functions of the entrants and the games of earlier rounds."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from arbiter.games.chance import Seed
from arbiter.tournament.fixture import Round, RoundBye
from arbiter.tournament.standings.points import Points
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing

Detail = Literal["crosstable", "rounds", "bracket"]


class Entrants(Struct, frozen=True, kw_only=True):
    """The bots of a stage and its settings. None and () mean that a setting is not set."""

    bots: tuple[str, ...]
    """In the order of their seeding."""
    games: int
    """Games of a meeting, an even number."""
    points: Points
    tie_breaks: tuple[str, ...]
    seed: Seed
    stage: int = 1
    first_round: int = 1
    """Number of the stage's first round."""
    late: tuple[str, ...] = ()
    """The bots that joined after the first game."""
    challengers: tuple[str, ...] = ()
    rounds: int | None = None
    absences: Mapping[str, tuple[int, ...]] = {}
    """Rounds in which a bot is absent, as it announced."""
    half_byes: int | None = None
    """Number of announced absences of a bot that count as draws."""
    playoff_pairs: int | None = None
    sudden_death: int | None = None
    """Single games after the playoff pairs; the first one with a winner decides."""
    third_place: bool = False
    """True if the losers of the semi-finals play for the third place."""
    early_stop: bool = False
    """True if a match ends when its loser cannot catch up any more."""


class Format(Struct, frozen=True, kw_only=True):
    """A tournament format."""

    settings: frozenset[str] = frozenset()
    """Keys of the tournament file that only this format has."""
    check: Callable[[Entrants], None] | None = None
    """Raises ConfigError if the format cannot be played by these entrants."""
    next_round: Callable[[Entrants, Sequence[Round], Sequence[StoredGame]], Round]
    """Returns the round after those that are complete, whatever the order of the games.

    A round without games and byes ends the stage.
    """
    warn: Callable[[Entrants], str | None] | None = None
    """Returns a warning for the organiser, if there is a reason."""
    least: Callable[[Entrants], int]
    """Counts the games that are played at least."""
    rank: Callable[[Entrants, Iterable[StoredGame], Sequence[RoundBye]], tuple[Standing, ...]]
    """Ranks the bots by the games so far, complete rounds or not."""
    tie_breaks: tuple[str, ...] = ("points", "wins", "direct", "sonneborn-berger")
    """Tie-breaks of a tournament file that lists none."""
    detail: Detail = "crosstable"
    """The table that shows the pairings best."""
    follows_results: bool = False
    """True if a ruling changes pairings that were made before it; otherwise they stay as they are."""
    is_closed: bool = False
    """True if no bot can join, leave or change places after the start."""

"""Values of an examination: its conditions, the games that the bot plays, and the results that later steps need."""

from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance, derive_seed
from arbiter.games.ruleset import NO_OVERRIDES, Overrides, RuleSet
from arbiter.preflight.evidence import Evidence
from arbiter.record import ActEntry, GameHeader, GameResult, PlayerName, read_record
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Isolation, Program
from protocol.messages import Ready
from protocol.words import OPPONENT, SEATS, Deploy, Seat

# Limit of plies for a bot whose median answer takes at most so many milliseconds: a game takes seconds, not minutes.
_MAX_PLIES: Final = ((5.0, 2000), (20.0, 600), (200.0, 200))
_MAX_PLIES_OF_SLOW_BOT: Final = 60
MOST_PLIES: Final = 2000  # of a game without a limit


class SelectedRules(Struct, frozen=True):
    """A rule set by name, with the options in force."""

    name: str
    options: tuple[str, ...] = ()
    overrides: Overrides = NO_OVERRIDES
    position: str | None = None
    """Position from which the games start with the bot to move.  Default: both players deploy."""
    first: Seat | Literal["lot"] | None = None
    """The seat that moves first in other games; `lot` draws it.  Default: that of the rule set."""

    def game(self) -> RuleSet:
        """Return the rules.  Raises ConfigError."""
        return find_game(self.name, self.options).with_overrides(self.overrides)


class CheckGame(Struct, frozen=True, kw_only=True):
    """A game that the bot is to play."""

    rules: SelectedRules
    seat: Seat
    label: str
    """Distinguishes the games of an examination; seeds are derived from it."""
    first: Seat | None = None
    """The seat that moves first if both players deploy.  Default: that of the rule set."""


class CheckedGame(Struct, frozen=True, kw_only=True):
    """A game that the bot has played."""

    seat: Seat
    result: GameResult
    record: bytes
    evidence: Evidence | None
    """Set if the bot lost by forfeit."""

    @property
    def acts(self) -> list[ActEntry]:
        """The acts of the bot."""
        return [act for act in read_record(self.record).acts if act.seat == self.seat]

    @property
    def move_times_ms(self) -> list[float]:
        """The times of the bot's answers, without the deployment."""
        return [act.ms or 0.0 for act in self.acts if not isinstance(act.action, Deploy)]

    @property
    def turn_times_ms(self) -> list[float]:
        """The times of the bot's turns, each with all of its answers, without the deployment."""
        times_ms: list[float] = []
        seat_before: Seat | None = None
        for act in read_record(self.record).acts:
            if isinstance(act.action, Deploy):
                continue
            if act.seat == self.seat:
                if seat_before != self.seat:
                    times_ms.append(0.0)
                times_ms[-1] += act.ms or 0.0
            seat_before = act.seat
        return times_ms


class Handshake(Struct, frozen=True):
    """The bot's answer to 'hello'."""

    seconds: float
    ready: Ready | None
    evidence: Evidence | None = None
    """Set if there was no valid answer."""


class Conditions(Struct, frozen=True, kw_only=True):
    """The bot to examine, and under which conditions."""

    program: Program
    opponent: Program
    isolation: Isolation
    time: TimeSettings
    seed: int
    games: int
    """Whole games by each rule set."""

    def header(self, game: CheckGame) -> GameHeader:
        """Make the header of a game's record."""
        names = {game.seat: PlayerName("bot"), OPPONENT[game.seat]: PlayerName("opponent")}
        return GameHeader(
            id=f"check-{game.label}",
            rules=game.rules.name,
            options=game.rules.options,
            overrides=game.rules.overrides,
            position=game.rules.position,
            first=game.first if game.rules.position is None else game.seat,
            seed=derive_seed(self.seed, game.label),
            seats={seat: names[seat] for seat in SEATS},
            time=self.time,
        )

    def settings(self, header: GameHeader, *, last: bool) -> GameSettings:
        """Make the referee's settings for the game of a header; `last` ends the programs after it."""
        seed = header.seed or 0
        name = f"g{derive_seed(seed, 'name'):014x}"
        return GameSettings(name=name, game=header.game(), seed=seed, time=self.time, last=last)


class Examination:
    """Results of earlier steps that later steps use; by name of the rule set if they depend on it."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.handshake: Handshake | None = None
        self.median_ms: dict[str, float] = {}
        """Median time of an answer."""
        self.games: dict[str, list[CheckedGame]] = {}
        """Whole games against the opponent."""
        self.peak_mib: dict[str, float | None] = {}
        """Most memory of the process of two games."""
        self.growth_mib: dict[str, float] = {}
        """Growth of this memory in MiB a turn."""

    def max_plies(self, rules: SelectedRules) -> int:
        """Return how many plies a game may have at the bot's speed."""
        median_ms = self.median_ms.get(rules.name, 0.0)
        return next((plies for within_ms, plies in _MAX_PLIES if median_ms <= within_ms), _MAX_PLIES_OF_SLOW_BOT)

    def make_game(
        self, rules: SelectedRules, seat: Seat, label: str, *, plies: int | None = None, begins: bool = False
    ) -> CheckGame:
        """Make a game of at most `plies` plies.  Default: as many as the bot's speed allows.

        If the seat that moves first is drawn, the bot moves first in a game that it `begins`.
        """
        max_plies = min(self.max_plies(rules), rules.game().max_plies or MOST_PLIES)
        overrides = replace(rules.overrides, max_plies=max_plies if plies is None else min(plies, max_plies))
        first = rules.first
        if first == "lot":
            first = seat if begins else SeededChance(derive_seed(self.conditions.seed, label)).draw_first()
        return CheckGame(rules=replace(rules, overrides=overrides), seat=seat, label=label, first=first)

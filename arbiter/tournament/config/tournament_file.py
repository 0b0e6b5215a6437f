"""A tournament as its organiser writes it, with the keys of the TOML file."""

from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.games.ruleset import Count, Overrides
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.schedule.stage import WithdrawnGames
from arbiter.tournament.standings.points import Points

FORMAT_SETTINGS: Final = (
    "rounds",
    "half_byes",
    "challengers",
    "further_pairs",
    "sudden_death",
    "third_place",
    "early_stop",
)  # settings that not every format has

Title = Annotated[str, Meta(min_length=1, max_length=200, description="text of 1 to 200 characters in quotes")]
SeedNumber = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Jobs = Annotated[int, Meta(ge=1, le=1024)]
EvenGames = Annotated[
    int,
    Meta(
        ge=2,
        le=1_000_000,
        multiple_of=2,
        description="an even number from 2 to 1,000,000: games come in pairs, colours swapped",
    ),
]
Rounds = Annotated[int, Meta(ge=1, le=1000)]
HalfByes = Annotated[int, Meta(ge=0, le=1000)]
FurtherGames = Annotated[int, Meta(ge=0, le=1000)]
FurtherPairs = Annotated[int, Meta(ge=0, le=1000)]
Best = Annotated[int, Meta(ge=2, le=1_000_000)]


class RulesTable(Overrides, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule set with the organiser's changes."""

    base: str


class Draws(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Plies after which a game is drawn (0 = never)."""

    no_attack_plies: Count | UnsetType = UNSET
    max_plies: Count | UnsetType = UNSET


class StageTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A stage with the settings of its format."""

    format: str
    best: Best | None = None
    """Number of bots of the stage before that qualify."""
    games: EvenGames | None = None
    rounds: Rounds | None = None
    half_byes: HalfByes | None = None
    challengers: list[str] = []
    further_pairs: FurtherPairs | None = None
    sudden_death: FurtherGames | None = None
    third_place: bool = False
    early_stop: bool = False


class ClusterTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings for several machines."""

    shared: bool = False
    """If True, the folders of the bots have the same paths on all machines, and are not sent to them."""
    scale_time: bool = False
    """If True, the clocks are scaled by the speed of the machine, also on a single one."""
    mix_sandboxes: bool = False
    """If True, machines with different isolations of bots may play in one tournament."""


class TournamentFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament file. The results store it as written."""

    name: Title
    rules: str | RulesTable = "original"
    options: list[str] = []
    format: str = "round-robin"
    games: EvenGames = 2
    rounds: Rounds | None = None
    half_byes: HalfByes | None = None
    challengers: list[str] = []
    further_pairs: FurtherPairs | None = None
    sudden_death: FurtherGames | None = None
    third_place: bool = False
    early_stop: bool = False
    stages: list[StageTable] = []
    seed: SeedNumber | None = None
    jobs: Jobs | None = None
    points: str | Points = "isf"
    tie_breaks: list[str] | None = None
    """None for those of the format."""
    anchor: str | None = None
    on_illegal: str = "forfeit"
    suspend_after: Annotated[int, Meta(ge=0, le=1000)] = 5
    withdrawn_games: WithdrawnGames = "half"
    position: str | None = None
    setups: str | None = None
    keep_logs: bool = False
    processes: Literal["fresh", "reused"] = "fresh"
    """New processes for each game, or processes that stay and play one game after another."""
    time: TimeSettings = TimeSettings()
    draws: Draws = Draws()
    cluster: ClusterTable = ClusterTable()
    event: EventTable = EventTable()
    bots: list[BotEntry]

    @property
    def rule_set(self) -> str:
        """The name of the rule set that the organiser's changes apply to."""
        return self.rules.base if isinstance(self.rules, RulesTable) else self.rules

    @property
    def bot_names(self) -> tuple[str, ...]:
        """The names of all bots, humans included, in their order in the file."""
        return tuple(bot.name for bot in self.bots)

    @property
    def humans(self) -> tuple[str, ...]:
        """The names of the humans, which play at the terminal."""
        return tuple(bot.name for bot in self.bots if bot.kind == "human")

    @property
    def stage_tables(self) -> list[StageTable]:
        """The stages, or the only one, whose settings are in the file itself."""
        only = {key: getattr(self, key) for key in ("format", "games", *FORMAT_SETTINGS)}
        return self.stages or [StageTable(**only)]

    def time_at(self, speed: float | None) -> TimeSettings:
        """Return the time settings on a machine, scaled if the file asks for that and the speed is known."""
        return self.time if speed is None or not self.cluster.scale_time else self.time.for_speed(speed)

    def book_path(self, folder: Path) -> Path | None:
        """Return the path of the deployment book, if there is one, for a file in `folder`."""
        return None if self.setups is None else folder / self.setups

    def merge_overrides(self) -> Overrides:
        """Merge the changes to the rule set in [rules] and [draws].  Raises ConfigError."""
        changes = structs.asdict(self.rules) if isinstance(self.rules, RulesTable) else {}
        changes.pop("base", None)
        for limit, plies in structs.asdict(self.draws).items():
            if plies is UNSET:
                continue
            if changes.get(limit, UNSET) not in (UNSET, plies):
                raise ConfigError(f"draws.{limit}: is {plies}, but rules.{limit} is {changes[limit]}; keep one of them")
            changes[limit] = plies
        return Overrides(**changes)

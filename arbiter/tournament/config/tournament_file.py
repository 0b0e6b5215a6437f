"""A tournament as its organiser writes it, with the keys of the TOML file."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, convert, field, to_builtins
from msgspec.structs import asdict, fields, replace

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError, ConfigErrors, unknown_name
from arbiter.games.chance import Seed
from arbiter.games.ruleset import Count, Overrides
from arbiter.record import PEOPLE, PlayerKind
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.config.typed_toml import OpenTable, list_faults
from arbiter.tournament.prizes import PrizeTable
from arbiter.tournament.schedule import FORMATS, find_format
from arbiter.tournament.schedule.format import AnyFormat, Entrants, FormatSettings, Plan, WithdrawnGames
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import NO_HISTORY, History
from arbiter.tournament.standings.stored_game import Points, find_points

_NOT_SET: Final[tuple[object, ...]] = ([], False)  # values of a setting that any format accepts
_LADDERS: Final = [name for name, form in FORMATS.items() if form.is_ladder]

Title = Annotated[str, Meta(min_length=1, max_length=200, description="text of 1 to 200 characters in quotes")]
SeedNumber = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Jobs = Annotated[int, Meta(ge=1, le=1024)]
Games = Annotated[
    int,
    Meta(
        ge=2,
        le=1_000_000,
        multiple_of=2,
        description="an even number from 2 to 1,000,000 (games come in pairs, colours swapped)",
    ),
]
FirstSeat = Literal["red", "blue", "lot"]
Best = Annotated[int, Meta(ge=2, le=1_000_000)]


class RulesTable(Overrides, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule set with the organiser's changes."""

    base: str


class Draws(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Plies after which a game is drawn (0 = never)."""

    no_attack_plies: Count | UnsetType = UNSET
    max_plies: Count | UnsetType = UNSET


class FormatTable(OpenTable, frozen=True, kw_only=True):
    """A table with a format; `settings` are the keys of the format."""

    @classmethod
    def list_settings(cls) -> Mapping[str, object]:
        """Return the types of the settings of all formats."""
        return {key.name: key.type for form in FORMATS.values() for key in fields(form.settings)}


class StageTable(FormatTable, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A stage with the settings of its format."""

    format: str
    best: Best | None = None
    """Number of bots of the stage before that qualify."""
    games: Games | None = None


class ClusterTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings for several machines."""

    shared: bool = False
    """If True, the folders of the bots have the same paths on all machines, and are not sent to them."""
    scale_time: bool = False
    """If True, the clocks are scaled by the speed of the machine, also on a single one."""
    mix_sandboxes: bool = False
    """If True, machines with different isolations of bots may play in one tournament."""


class PeopleTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings for people who play in browsers."""

    aids: Literal["none", "seen", "marks"] = "marks"
    """Memory that the page lends: nothing, ranks that were shown, or also a player's own marks on enemy pieces."""
    allowed: bool = False
    """Guests of the pages may play against the bots, in games that do not count."""
    tables: Annotated[int, Meta(ge=1, le=20)] = 2
    """Most guests who play at the same time."""


class SubmissionsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Programs that authors submit."""

    open: bool = False
    max_mb: Annotated[int, Meta(ge=1, le=200)] = 50
    """Most MiB of an archive."""
    per_day: Annotated[int, Meta(ge=1, le=1000)] = 5
    """Most versions of one author within 24 hours."""
    pairs: Annotated[int, Meta(ge=0, le=50)] = 2
    """Pairs of games against the version before it that a program plays first."""
    promote: Literal["author", "approve", "auto"] = "author"
    """Permission of a program that has passed to play: by its author, by the organiser, or without asking."""


class TournamentFile(FormatTable, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament file. The results store it as written."""

    name: Title
    rules: str | RulesTable = "original"
    options: list[str] = field(default_factory=list)
    format: str = "round-robin"
    games: Games = 2
    stages: list[StageTable] = field(default_factory=list)
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
    first: FirstSeat | None = None
    """The seat that moves first; None for that of the position, or of the rule set."""
    setups: str | None = None
    keep_logs: bool = False
    drop_logs_after: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    """Days after which the logs of games without a forfeit are dropped."""
    processes: Literal["fresh", "reused"] = "fresh"
    """New processes for each game, or processes that stay and play one game after another."""
    deals: Literal["shared", "separate"] = "shared"
    """Both games of a pair have the same decks, deployments of a book and random choices, or each has its own."""
    time: TimeSettings = TimeSettings()
    draws: Draws = Draws()
    cluster: ClusterTable = ClusterTable()
    event: EventTable = EventTable()
    people: PeopleTable = PeopleTable()
    prizes: PrizeTable | None = None
    submissions: SubmissionsTable = SubmissionsTable()
    entrants: str | None = None
    """File with the bots that several tournaments share."""
    bots: list[BotConfig]

    @property
    def rule_set(self) -> str:
        """The name of the rule set that the organiser's changes apply to."""
        return self.rules.base if isinstance(self.rules, RulesTable) else self.rules

    @property
    def bot_names(self) -> tuple[str, ...]:
        """The names of all players, in their order in the file."""
        return tuple(bot.name for bot in self.bots)

    def list_players(self, *kinds: PlayerKind) -> tuple[str, ...]:
        """List the names of the players of some kinds, in their order in the file."""
        return tuple(bot.name for bot in self.bots if bot.kind in kinds)

    @property
    def authors(self) -> dict[str, str]:
        """The author of each bot, or of the bot that it is a version of; else its own name."""
        bots = {bot.name: bot for bot in self.bots}
        found = {}
        for bot in self.bots:
            first = bot
            while first.author is None and first.parent is not None:
                first = bots[first.parent]
            found[bot.name] = (first.author or first.name).casefold()
        return found

    @property
    def rated_apart(self) -> frozenset[str]:
        """The people that are rated apart from programs, because they play a ladder."""
        return frozenset(self.list_players(*PEOPLE) if self.first_format.is_ladder else ())

    @property
    def first_format(self) -> AnyFormat:
        """The format of the first stage.  Raises ConfigError."""
        return find_format(self.stage_tables[0].format)

    @property
    def is_ladder(self) -> bool:
        """True for a ladder and nothing else, which may have more games than fit into memory."""
        return len(self.stage_tables) == 1 and self.first_format.is_ladder

    @property
    def stage_tables(self) -> list[StageTable]:
        """The stages, or the only one, whose settings are in the file itself."""
        return self.stages or [StageTable(format=self.format, games=self.games, settings=self.settings)]

    def write_tables(self) -> dict[str, Any]:
        """Return the file as its organiser writes it: the settings of a format are keys of their table."""
        tables: dict[str, Any] = to_builtins(self)
        for table in (tables, *tables["stages"]):
            table.update(table.pop("settings", {}))
        return tables

    def schedule(
        self,
        seed: Seed,
        history: History = NO_HISTORY,
        *,
        series: int = 1,
        late: tuple[str, ...] = (),
    ) -> Schedule:
        """Make the schedule after the games and rulings of a history.  Raises ConfigError."""
        plans = plan_stages(self, find_points(self.points), seed, series=series, late=late)
        return Schedule(plans, history, withdrawn_games=self.withdrawn_games)

    def with_bots(self, name: str, bots: list[BotConfig], games: int) -> "TournamentFile":
        """Make a tournament of other bots with the same rules, clocks and starts of games."""
        return TournamentFile(
            name=name,
            rules=self.rules,
            options=self.options,
            draws=self.draws,
            position=self.position,
            first=self.first,
            deals=self.deals,
            setups=self.setups,
            on_illegal=self.on_illegal,
            time=self.time,
            games=games,
            bots=bots,
        )

    def time_at(self, speed: float | None) -> TimeSettings:
        """Return the time settings on a machine, scaled if the file asks for that and the speed is known."""
        return self.time if speed is None or not self.cluster.scale_time else self.time.for_speed(speed)

    def book_path(self, folder: Path) -> Path | None:
        """Return the path of the deployment book, if there is one, for a file in `folder`."""
        return None if self.setups is None else folder / self.setups

    def list_entrants_files(self, folder: Path) -> tuple[Path, ...]:
        """Return the path of the file of entrants, if there is one, for a file in `folder`."""
        return () if self.entrants is None else (folder / self.entrants,)

    def list_secret_files(self, folder: Path) -> tuple[Path, ...]:
        """List the files in `folder` that no bot may read besides this one: the book and the entrants."""
        book = self.book_path(folder)
        return (*([] if book is None else [book]), *self.list_entrants_files(folder))

    def merge_overrides(self) -> Overrides:
        """Merge the changes to the rule set in [rules] and [draws].  Raises ConfigError."""
        changes = asdict(self.rules) if isinstance(self.rules, RulesTable) else {}
        changes.pop("base", None)
        for limit, plies in asdict(self.draws).items():
            if plies is UNSET:
                continue
            if changes.get(limit, UNSET) not in (UNSET, plies):
                raise ConfigError(f"draws.{limit}: is {plies}, but rules.{limit} is {changes[limit]}; keep one of them")
            changes[limit] = plies
        return Overrides(**changes)


def plan_stages(
    file: TournamentFile, points: Points, seed: Seed = 0, *, series: int = 1, late: tuple[str, ...] = ()
) -> tuple[Plan, ...]:
    """Plan the stages; all bots play the first one, and `late` are those that joined after the first game.

    Games of a further series have ids like those of a later stage; only matches, which have one stage, have several.
    Raises ConfigError.
    """
    if file.stages:
        for key, value in {"format": file.format, **file.settings}.items():
            if value not in ("round-robin", *_NOT_SET):
                raise ConfigError(f"{key}: the file has [[stages]] tables; move this key into one of them")
    absences = {bot.name: tuple(bot.absent) for bot in file.bots if bot.absent}
    by_round = [name for name, form in FORMATS.items() if form.takes_absences]
    if absences and not any(table.format in by_round for table in file.stage_tables):
        raise ConfigError(
            f"bots.{next(iter(absences))}.absent: is for format {_list_formats(by_round)}, in which rounds are paired "
            "one by one"
        )
    _check_parents(file)
    if file.submissions.open and not all(find_format(table.format).is_ladder for table in file.stage_tables):
        raise ConfigError(f"submissions.open: is for format {_list_formats(_LADDERS)}, in which bots have versions")
    bots = file.bot_names
    plans: list[Plan] = []
    for number, table in enumerate(file.stage_tables, start=1):
        try:
            _check_best(table, number, len(bots))
            bots = bots[: table.best]
            form = find_format(table.format)
            entrants = Entrants(
                bots=bots,
                games=table.games or file.games,
                settings=_read_settings(table, form),
                points=points,
                tie_breaks=form.tie_breaks if file.tie_breaks is None else tuple(file.tie_breaks),
                seed=seed,
                stage=max(series, number),
                late=late,
                absences=absences,
                parents={bot.name: bot.parent for bot in file.bots if bot.parent in bots and bot.name in bots},
                people=frozenset(file.list_players(*PEOPLE)),
                ratings={bot.name: bot.rating for bot in file.bots if bot.rating is not None},
            )
            if form.check is not None:
                form.check(replace(entrants, stage=number))  # one of a further series is not a later stage
        except ConfigError as error:
            raise ConfigError(f"stages.#{number}.{error}" if file.stages else str(error)) from None
        plans.append(Plan(form, entrants))
    return tuple(plans)


def _check_parents(file: TournamentFile) -> None:
    """Raise ConfigError if a bot is a new version of none of the others, or of itself through others."""
    parents = {bot.name: bot.parent for bot in file.bots if bot.parent is not None}
    if parents and not any(table.format in _LADDERS for table in file.stage_tables):
        raise ConfigError(f"bots.{next(iter(parents))}.parent: is for format {_list_formats(_LADDERS)}")
    for bot, parent in parents.items():
        if parent not in file.bot_names:
            raise ConfigError(f"bots.{bot}.parent: {unknown_name('bot', parent, file.bot_names)}")
        seen = [bot]
        while parent in parents and parent not in seen:
            seen.append(parent)
            parent = parents[parent]  # noqa: PLW2901 - its parent
        if parent in seen:
            raise ConfigError(f"bots.{bot}.parent: {' <- '.join([*seen, parent])} is a circle; remove one of the keys")


def _check_best(table: StageTable, number: int, bots: int) -> None:
    """Raise ConfigError if the stage of a number cannot follow one of so many bots."""
    if number == 1 and table.best is not None:
        raise ConfigError("best: all bots play the first stage; leave it out")
    if number > 1 and table.best is None:
        raise ConfigError("best: is missing, must be how many bots of the stage before qualify")
    if table.best is not None and table.best > bots:
        raise ConfigError(f"best: is {table.best}, but only {bots} bots play the stage before")


def _read_settings(table: StageTable, form: AnyFormat) -> FormatSettings:
    """Read the settings of a format.  Raises ConfigError if one is wrong, or is that of another format."""
    known = form.settings.__struct_fields__
    for key, value in table.settings.items():
        homes = [name for name, other in FORMATS.items() if key in other.settings.__struct_fields__]
        if key not in known and homes and value not in _NOT_SET:
            raise ConfigError(
                f'{key}: is a setting of format {_list_formats(homes)}, but the format is "{table.format}"'
            )
    own = {key: value for key, value in table.settings.items() if key in known}
    if faults := list(list_faults(own, form.settings)):
        raise ConfigErrors(faults)
    settings: FormatSettings = convert(own, form.settings)
    return settings


def _list_formats(names: Iterable[str]) -> str:
    return " or ".join(f'"{name}"' for name in names)

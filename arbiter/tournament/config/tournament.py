"""A tournament as its organiser writes it: typed, and checked as far as can be without running a bot."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType, field, structs

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.games.catalogue import find_game, find_ruleset
from arbiter.games.ruleset import Count, Overrides, RuleSet
from arbiter.sandbox.program import Program
from arbiter.sandbox.usage import check_clock
from arbiter.tournament.config.bot_entries import BotEntry, program
from arbiter.tournament.config.deployment_book import load_book
from arbiter.tournament.config.stage_tables import (
    NOT_SET,
    OF_FORMATS,
    EvenGames,
    FurtherPairs,
    Rounds,
    StageTable,
    check_stages,
    plans,
)
from arbiter.tournament.config.typed_toml import read_toml
from arbiter.tournament.ratings.values import find_anchor
from arbiter.tournament.schedule.format import Entrants
from arbiter.tournament.schedule.stages import Schedule, WithdrawnGames
from arbiter.tournament.standings.points import Points, find_points
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.tie_breaks import check_tie_breaks

MOST_RETRIES: Final = 1000
USUAL_TIE_BREAKS: Final = ("points", "wins", "direct", "sonneborn-berger")

Title = Annotated[str, Meta(min_length=1, max_length=200, description="text of 1 to 200 characters in quotes")]
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Jobs = Annotated[int, Meta(ge=1, le=1024)]


class RulesTable(Overrides, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule set with changes of the organiser's."""

    base: str


class Draws(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """When a game without progress is drawn, in plies (0 = never)."""

    no_attack_plies: Count | UnsetType = UNSET
    max_plies: Count | UnsetType = UNSET


class Tournament(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament: who plays whom, by which rules, how often, how fast and for how much."""

    name: Title
    rules: str | RulesTable = "original"
    options: list[str] = []
    format: str = "round-robin"
    games: EvenGames = 2
    rounds: Rounds | None = None
    challengers: list[str] = []
    further_pairs: FurtherPairs | None = None
    stages: list[StageTable] = []
    seed: Seed | None = None
    jobs: Jobs | None = None
    points: str | Points = "isf"
    tie_breaks: list[str] = field(default_factory=lambda: list(USUAL_TIE_BREAKS))
    anchor: str | None = None
    on_illegal: str = "forfeit"
    suspend_after: Annotated[int, Meta(ge=0, le=1000)] = 5
    withdrawn_games: WithdrawnGames = "half"
    position: str | None = None
    setups: str | None = None
    keep_logs: bool = False
    time: TimeSettings = TimeSettings()
    draws: Draws = Draws()
    bots: list[BotEntry]


def load(path: Path) -> Tournament:
    """Read and check a tournament file; its bots' paths are relative to its folder.

    Raises ConfigError: one line that names the file, the key and what would be right.
    """
    tournament = read_toml(path, Tournament)
    try:
        check(tournament, path.parent)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return tournament


def check(tournament: Tournament, folder: Path) -> None:
    """Check what the types leave open, down to the bots' programs.  Raises ConfigError."""
    tournament_game(tournament)
    check_clock(tournament.time)
    with _Key("points"):
        find_points(tournament.points)
    with _Key("tie_breaks"):
        check_tie_breaks(tournament.tie_breaks)
    if tournament.anchor is not None:
        with _Key("anchor"):
            find_anchor(tournament.anchor, [bot.name for bot in tournament.bots])
    with _Key("on_illegal"):
        retries(tournament.on_illegal)
    _check_field_of_bots([bot.name for bot in tournament.bots])
    _check_stages(tournament)
    _check_humans(tournament)
    book(tournament, folder)
    programs(tournament, folder)


class _Key:
    """Puts the key in front of what a ConfigError says."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ConfigError):
            raise ConfigError(f"{self.key}: {error}") from None


def _check_field_of_bots(names: list[str]) -> None:
    if len(names) < 2:  # noqa: PLR2004 - it takes two
        there = f"only {names[0]} is entered" if names else "none is entered"
        raise ConfigError(f"bots: {there}; a tournament needs two [[bots]] tables at least")
    name, times = Counter(name.casefold() for name in names).most_common(1)[0]
    if times > 1:
        twins = [other for other in names if other.casefold() == name]
        raise ConfigError(f"bots: {times} bots are named {' and '.join(dict.fromkeys(twins))}; give each its own name")


def tournament_game(tournament: Tournament) -> RuleSet:
    """Find the game a tournament plays, with its options, overrides, draw limits and position.  Raises ConfigError."""
    name, overrides = base_rules(tournament), overrides_of(tournament)
    with _Key("rules.base" if isinstance(tournament.rules, RulesTable) else "rules"):
        find_ruleset(name)
    with _Key("options"):
        find_game(name, tournament.options)
    with _Key("rules"):
        find_game(name, tournament.options, overrides)
    return find_game(name, tournament.options, overrides, tournament.position)


def base_rules(tournament: Tournament) -> str:
    """Name the rule set a tournament starts from."""
    return tournament.rules.base if isinstance(tournament.rules, RulesTable) else tournament.rules


def overrides_of(tournament: Tournament) -> Overrides:
    """Gather what a tournament changes of its rule set, in [rules] and in [draws].  Raises ConfigError."""
    changes = structs.asdict(tournament.rules) if isinstance(tournament.rules, RulesTable) else {}
    changes.pop("base", None)
    for limit, plies in structs.asdict(tournament.draws).items():
        if plies is UNSET:
            continue
        if changes.get(limit, UNSET) not in (UNSET, plies):
            raise ConfigError(f"draws.{limit}: is {plies}, but rules.{limit} is {changes[limit]}; keep one of them")
        changes[limit] = plies
    return Overrides(**changes)


def retries(on_illegal: str) -> int:
    """Count how many illegal actions a bot may take back in a game: none where it forfeits.  Raises ConfigError."""
    if on_illegal == "forfeit":
        return 0
    found = re.fullmatch(r"ask-again:([1-9][0-9]{0,3})", on_illegal)
    if found is None or int(found[1]) > MOST_RETRIES:
        raise ConfigError(f'is "{on_illegal}", must be "forfeit" or "ask-again:N" with N from 1 to {MOST_RETRIES}')
    return int(found[1])


def _check_humans(tournament: Tournament) -> None:
    """Refuse what cannot be played at one terminal.  Raises ConfigError."""
    people = humans(tournament)
    if len(people) > 1:
        raise ConfigError(f"bots: {' and '.join(people)} are human, but only one person can sit at the terminal")
    for bot in tournament.bots:
        if bot.kind == "human" and bot.command is not None:
            raise ConfigError(f'bots.{bot.name}.command: is for programs; leave it out where kind = "human"')


def book_file(tournament: Tournament, folder: Path) -> Path | None:
    """Name the file of the deployments that a tournament is played from, if it has any given."""
    return None if tournament.setups is None else folder / tournament.setups


def book(tournament: Tournament, folder: Path) -> tuple[str, ...]:
    """Read the deployments that a tournament is played from, if it has any given.  Raises ConfigError."""
    path = book_file(tournament, folder)
    if path is None:
        return ()
    with _Key("setups"):
        return load_book(path, tournament_game(tournament))


def programs(tournament: Tournament, folder: Path) -> tuple[Program, ...]:
    """Resolve the bots' programs, ready to start; their paths are relative to `folder`.  Raises ConfigError."""
    ready = []
    for bot in tournament.bots:
        if bot.kind == "program":
            with _Key(f"bots.{bot.name}"):
                ready.append(program(bot, folder))
    return tuple(ready)


def humans(tournament: Tournament) -> tuple[str, ...]:
    """Name those who play at the terminal."""
    return tuple(bot.name for bot in tournament.bots if bot.kind == "human")


def stages(tournament: Tournament) -> list[StageTable]:
    """List a tournament's stages: those of its file, or the only one, which stands in the file itself."""
    only = {key: getattr(tournament, key) for key in ("format", "games", *OF_FORMATS)}
    return tournament.stages or [StageTable(**only)]


def _check_stages(tournament: Tournament) -> None:
    if tournament.stages:
        for key in ("format", *OF_FORMATS):
            if getattr(tournament, key) not in (*NOT_SET, "round-robin"):
                raise ConfigError(f"{key}: belongs into a [[stages]] table where there are any")
    check_stages(stages(tournament), "stages." if tournament.stages else "", _first_field(tournament, 0))


def _first_field(tournament: Tournament, seed: int) -> Entrants:
    return Entrants(
        bots=tuple(bot.name for bot in tournament.bots),
        games=tournament.games,
        points=find_points(tournament.points),
        tie_breaks=tuple(tournament.tie_breaks),
        seed=seed,
    )


def schedule(
    tournament: Tournament, seed: int, games: Iterable[StoredGame] = (), withdrawn: Collection[str] = ()
) -> Schedule:
    """Make the schedule of a tournament of which some games were played.  Raises ConfigError."""
    return Schedule(
        plans(stages(tournament), _first_field(tournament, seed)),
        games,
        withdrawn=withdrawn,
        withdrawn_games=tournament.withdrawn_games,
    )

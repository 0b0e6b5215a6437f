"""A tournament ready to be played: every name in its file is looked up, once."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.catalogue import find_ruleset
from arbiter.games.chance import Seed
from arbiter.games.ruleset import Overrides, RuleSet
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.usage import check_clock
from arbiter.tournament.config.bot_entries import BotEntry, find_program
from arbiter.tournament.config.deployment_book import load_book
from arbiter.tournament.config.stage_plans import plan_stages
from arbiter.tournament.config.tournament_file import RulesTable, TournamentFile
from arbiter.tournament.config.typed_toml import first_fault, read_toml
from arbiter.tournament.ratings.values import find_anchor
from arbiter.tournament.schedule.stages import NO_HISTORY, Plan, Schedule, with_seed
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.points import Points, find_points
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.tie_breaks import check_tie_breaks

MOST_RETRIES: Final = 1000


class Tournament(Struct, frozen=True, kw_only=True):
    """A tournament with the values that the names in its file stand for."""

    file: TournamentFile
    """The tournament as written."""
    game: RuleSet
    """With options, changes to the rules, draw limits and position."""
    overrides: Overrides
    points: Points
    retries: int
    """Illegal actions that a bot may take back in a game."""
    stages: tuple[Plan, ...]
    folder: Path | None = None
    """Folder of the file; the paths in the file are relative to it."""
    deployments: tuple[str, ...] = ()
    """Deployments of its book, if it has one."""
    programs: tuple[Program, ...] = ()
    """Programs of its bots, without the humans."""

    def schedule(
        self,
        seed: Seed,
        games: Iterable[StoredGame] = (),
        withdrawn: Collection[str] = (),
        *,
        history: History = NO_HISTORY,
        series: int = 1,
        late: tuple[str, ...] = (),
    ) -> Schedule:
        """Make the schedule after the games that count; `withdrawn` may grow while it is in use."""
        return Schedule(
            with_seed(self.stages, seed, series, late),
            games,
            history=history,
            withdrawn=withdrawn,
            withdrawn_games=self.file.withdrawn_games,
            suspend_after=self.file.suspend_after,
        )

    def has_revealing_pairs(self, key: Seed) -> bool:
        """Return True if each game of a pair shows something hidden of the other: decks, deployments, or bot seeds.

        Events without a secret, whose key is a number, give the bots of both games the same seeds.
        """
        return bool(self.deployments) or self.game.is_dealt or isinstance(key, int)


def load(path: Path) -> Tournament:
    """Read and resolve a tournament file; paths in it are relative to its folder.

    Raises ConfigError: one line with the file, the key and what would be right.
    """
    file = read_toml(path, TournamentFile)
    try:
        return resolve(file, path.parent)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def load_names(path: Path) -> Tournament:
    """Read a tournament file, but not the files that it names: neither programs nor deployments.  Raises ConfigError."""
    file = read_toml(path, TournamentFile)
    try:
        _check_bots(file)
        return resolve_names(file)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def resolve(file: TournamentFile, folder: Path) -> Tournament:
    """Resolve a tournament with its programs and deployments; paths are relative to `folder`.  Raises ConfigError."""
    if fault := first_fault(msgspec.to_builtins(file), TournamentFile):
        raise ConfigError(fault)
    check_clock(file.time)
    with _prefix("tie_breaks"):
        check_tie_breaks(file.tie_breaks)
    _check_bots(file)
    if file.anchor is not None:
        with _prefix("anchor"):
            find_anchor(file.anchor, file.bot_names)
    tournament = resolve_names(file)
    path = file.book_path(folder)
    with _prefix("setups"):
        deployments = () if path is None else load_book(path, tournament.game)
    programs = find_programs(file.bots, folder)
    return replace(tournament, folder=folder, deployments=deployments, programs=programs)


def resolve_names(file: TournamentFile) -> Tournament:
    """Resolve a tournament as far as no other file is needed, as for stored results.  Raises ConfigError."""
    overrides = file.merge_overrides()
    with _prefix("rules.base" if isinstance(file.rules, RulesTable) else "rules"):
        game = find_ruleset(file.rule_set)
    with _prefix("options"):
        game = game.with_options(file.options)
    with _prefix("rules"):
        game = game.with_overrides(overrides)
    if file.position is not None:
        game = game.at_position(file.position)
    with _prefix("points"):
        points = find_points(file.points)
    with _prefix("on_illegal"):
        retries = parse_retries(file.on_illegal)
    return Tournament(
        file=file,
        game=game,
        overrides=overrides,
        points=points,
        retries=retries,
        stages=plan_stages(file, points),
    )


@contextmanager
def _prefix(key: str) -> Iterator[None]:
    """Put a key in front of the message of a ConfigError."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from None


def _check_bots(file: TournamentFile) -> None:
    """Raise ConfigError unless there are two bots or more, with different names, and at most one human."""
    names = file.bot_names
    if len(names) < 2:  # noqa: PLR2004 - a game takes two
        entered = f"only {names[0]} is entered" if names else "none is entered"
        raise ConfigError(f"bots: {entered}; a tournament needs at least two [[bots]] tables")
    name, count = Counter(name.casefold() for name in names).most_common(1)[0]
    if count > 1:
        twins = [other for other in names if other.casefold() == name]
        raise ConfigError(f"bots: {count} bots are named {' and '.join(dict.fromkeys(twins))}; give each its own name")
    if len(file.humans) > 1:
        raise ConfigError(f"bots: {' and '.join(file.humans)} are human, but only one person can sit at the terminal")
    for bot in file.bots:
        if bot.kind == "human" and bot.command is not None:
            raise ConfigError(f'bots.{bot.name}.command: is for programs; leave it out if kind = "human"')


def parse_retries(on_illegal: str) -> int:
    """Return how many illegal actions a bot may take back in a game.  Raises ConfigError."""
    if on_illegal == "forfeit":
        return 0
    found = re.fullmatch(r"ask-again:([1-9][0-9]{0,3})", on_illegal)
    if found is None or int(found[1]) > MOST_RETRIES:
        raise ConfigError(f'is "{on_illegal}", must be "forfeit" or "ask-again:N" with N from 1 to {MOST_RETRIES}')
    return int(found[1])


def find_programs(bots: Sequence[BotEntry], folder: Path) -> tuple[Program, ...]:
    """Find the programs of the bots that are not human; paths are relative to `folder`.  Raises ConfigError."""
    programs = []
    for bot in bots:
        if bot.kind == "program":
            with _prefix(f"bots.{bot.name}"):
                programs.append(find_program(bot, folder))
    return tuple(programs)

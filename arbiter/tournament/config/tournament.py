"""A tournament ready to be played: every name in its file is looked up, once."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError, ConfigErrors, list_messages
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import find_ruleset
from arbiter.games.chance import Seed
from arbiter.games.ruleset import NO_OVERRIDES, Overrides, RuleSet
from arbiter.record import NETWORK
from arbiter.sandbox.files.untrusted import read_text
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.usage import check_clock
from arbiter.tournament.config.bot_config import BotConfig, find_program
from arbiter.tournament.config.deployment_book import load_book
from arbiter.tournament.config.entrants import read_tournament_file
from arbiter.tournament.config.tournament_file import FirstSeat, RulesTable, TournamentFile, plan_stages
from arbiter.tournament.config.typed_toml import list_faults, place_fault
from arbiter.tournament.ratings.values import find_anchor
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import SYSTEMS, Points, find_points
from arbiter.tournament.standings.tie_breaks import BY_RATING, check_tie_breaks

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
    path: Path | None = None
    """Path of the file; None for a tournament that was made in another way."""
    folder: Path | None = None
    """Folder of the file; the paths in the file are relative to it."""
    deployments: tuple[str, ...] = ()
    """Deployments of its book, if it has one."""
    programs: tuple[Program, ...] = ()
    """Programs of its bots, without players of other kinds."""

    def schedule(self, seed: Seed) -> Schedule:
        """Make the schedule before the first game."""
        return self.file.schedule(seed)

    def list_secret_files(self) -> tuple[Path, ...]:
        """List the files that no bot may read: that of the tournament, the book and the entrants."""
        own = () if self.path is None else (self.path,)
        return own if self.folder is None else (*own, *self.file.list_secret_files(self.folder))

    @property
    def keeps_processes(self) -> bool:
        """True if processes play one game after another; not if each game would show them the pieces of the next."""
        return self.file.processes == "reused" and self.file.position is None

    def describe_processes(self) -> str:
        """Describe in a few words if processes are used for several games."""
        if self.keeps_processes:
            return "reused"
        return "fresh" if self.file.processes == "fresh" else "fresh, because all games begin from one position"

    @property
    def has_revealing_pairs(self) -> bool:
        """True if each game of a pair shows something hidden of the other: decks or deployments."""
        return self.file.deals == "shared" and (bool(self.deployments) or self.game.is_dealt)


def load_tournament(path: Path | str) -> Tournament:
    """Read and resolve a tournament file; paths in it are relative to its folder.

    Raises ConfigError: for each fault one line with the file, the line, the key and what would be right.
    """
    path = Path(path)
    file = read_tournament_file(path, lambda left: resolve(left, path.parent))
    with locate_faults(path, *file.list_entrants_files(path.parent)):
        return replace(resolve(file, path.parent), path=path)


def load_names(path: Path) -> Tournament:
    """Read a tournament file, but neither programs nor deployments that it names.  Raises ConfigError."""
    file = read_tournament_file(path)
    with locate_faults(path, *file.list_entrants_files(path.parent)):
        _check_bots(file)
        return resolve_names(file)


@contextmanager
def locate_faults(*paths: Path) -> Iterator[None]:
    """Put the path and the line in front of each message of a ConfigError: of a file, or of those that it includes."""
    try:
        yield
    except ConfigError as error:
        texts = {path: read_text(path) for path in paths}
        raise ConfigErrors(place_fault(texts, message) for message in list_messages(error)) from None


def resolve(file: TournamentFile, folder: Path) -> Tournament:
    """Resolve a tournament with its programs and deployments; paths are relative to `folder`.  Raises ConfigError."""
    if known := list(list_faults(file.write_tables(), TournamentFile)):
        raise ConfigErrors(known)
    faults: list[str] = []
    with _collect(faults):
        check_clock(file.time)
    with _collect(faults):
        check_time(file.time)
    if file.tie_breaks is not None:
        with _collect(faults), _prefix("tie_breaks"):
            check_tie_breaks(file.tie_breaks)
            unrated = [bot.name for bot in file.bots if bot.rating is None]
            needed = [name for name in file.tie_breaks if name in BY_RATING]
            if needed and unrated:
                raise ConfigError(
                    f'"{needed[0]}" needs a rating of each bot, and {", ".join(unrated)} '
                    f"{'has' if len(unrated) == 1 else 'have'} none; add a key such as rating = 1500 to [[bots]]"
                )
    with _collect(faults):
        _check_bots(file)
    if file.prizes is not None:
        faults += file.prizes.list_faults()
    if file.anchor is not None:
        with _collect(faults), _prefix("anchor"):
            find_anchor(file.anchor, file.bot_names)
    tournament: Tournament | None = None
    deployments: tuple[str, ...] = ()
    with _collect(faults):
        tournament = resolve_names(file)
    path = file.book_path(folder)
    if path is not None and tournament is not None:
        with _collect(faults), _prefix("setups"):
            deployments = load_book(path, tournament.game)
    programs: list[Program] = []
    for bot in file.bots:
        with _collect(faults):
            programs += find_programs([bot], folder)
    if faults or tournament is None:
        raise ConfigErrors(dict.fromkeys(faults))
    return replace(tournament, folder=folder, deployments=deployments, programs=tuple(programs))


def check_time(time: TimeSettings) -> None:
    """Raise ConfigError if no bot can start or make its first move in time."""
    for key, value in (("start_s", time.start_s), ("bank_s", time.bank_s)):
        if not value:
            raise ConfigError(f"time.{key}: is 0, must be more than 0: every bot would lose on time at once")


def resolve_names(file: TournamentFile) -> Tournament:
    """Resolve a tournament as far as no other file is needed, as for stored results.  Raises ConfigError."""
    faults: list[str] = []
    overrides = NO_OVERRIDES
    game: RuleSet | None = None
    points = retries = None
    with _collect(faults):
        overrides = file.merge_overrides()
    with _collect(faults), _prefix("rules.base" if isinstance(file.rules, RulesTable) else "rules"):
        game = find_ruleset(file.rule_set)
    if game is not None:
        with _collect(faults), _prefix("options"):
            game = game.with_options(file.options)
        with _collect(faults), _prefix("rules"):
            game = game.with_overrides(overrides)
        if file.position is not None:
            with _collect(faults):
                game = game.at_position(file.position)
                file = replace(file, position=game.write_start())
        if file.first is not None:
            with _collect(faults), _prefix("first"):
                game = choose_first(game, file.first)
    with _collect(faults), _prefix("points"):
        points = find_points(file.points)
    with _collect(faults), _prefix("on_illegal"):
        retries = parse_retries(file.on_illegal)
    with _collect(faults):
        plan_stages(file, points or SYSTEMS["simple"])
    if faults or game is None or points is None or retries is None:
        raise ConfigErrors(faults)
    return Tournament(file=file, game=game, overrides=overrides, points=points, retries=retries)


def choose_first(game: RuleSet, first: FirstSeat) -> RuleSet:
    """Return a game in which a given seat or one drawn at random moves first.  Raises ConfigError."""
    if isinstance(game, BoardRules) and game.position is not None and game.position.first is not None:
        raise ConfigError(f'is "{first}", but the position names {game.position.first}; remove one of them')
    return replace(game, first=None if first == "lot" else first)


@contextmanager
def _collect(faults: list[str]) -> Iterator[None]:
    """Add the messages of a ConfigError to a list, so that those of other keys are reported too."""
    try:
        yield
    except ConfigError as error:
        faults.extend(list_messages(error))


@contextmanager
def _prefix(key: str) -> Iterator[None]:
    """Put a key in front of the message of a ConfigError."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from None


def _check_bots(file: TournamentFile) -> None:
    """Raise ConfigError unless there are two bots or more, with different names, and at most one at the terminal."""
    names = file.bot_names
    faults: list[str] = []
    if len(names) < 2:  # noqa: PLR2004 - a game takes two
        entered = f"only {names[0]} is entered" if names else "none is entered"
        faults.append(f"bots: {entered}; a tournament needs at least two [[bots]] tables")
    for name, count in Counter(name.casefold() for name in names).items():
        if count > 1:
            twins = [other for other in names if other.casefold() == name]
            both = " and ".join(dict.fromkeys(twins))
            faults.append(f"bots.{twins[-1]}: {count} bots are named {both}; give each its own name")
    owners = {name.casefold(): name for name in names}
    for bot in file.bots:  # no bot has the title of another one, or its name as the title
        owner = owners.setdefault(normalize("NFKC", bot.title or bot.name).casefold(), bot.name)
        if bot.title is not None and owner != bot.name:
            faults.append(f'bots.{bot.name}.title: "{bot.title}" already names {owner}; give each its own title')
    faults += _list_kind_faults(file)
    if faults:
        raise ConfigErrors(faults)


def _list_kind_faults(file: TournamentFile) -> Iterator[str]:
    """List what does not go together with the kinds of the players."""
    here = file.list_players("terminal")
    if len(here) > 1:
        yield f"bots: {' and '.join(here)} are at the terminal, but only one person can sit there"
    for bot in file.bots:
        if bot.kind != "program" and bot.command is not None:
            yield f'bots.{bot.name}.command: is for programs of this machine; leave it out if kind = "{bot.kind}"'
    first = next((bot for bot in file.bots if bot.kind in NETWORK), None)
    if first is None:
        return
    key = f"bots.{first.name}.kind"
    players = "people in browsers" if first.kind == "person" else "remote programs"
    if file.time.clock == "cpu":
        yield f"{key}: nobody can measure the processor time of {players}; set time.clock to 'wall'"
    if not file.time.pondering:
        yield f"{key}: nobody can stop {players} from thinking; leave out time.pondering"


def parse_retries(on_illegal: str) -> int:
    """Return how many illegal actions a bot may take back in a game.  Raises ConfigError."""
    if on_illegal == "forfeit":
        return 0
    found = re.fullmatch(r"ask-again:([1-9][0-9]{0,3})", on_illegal)
    if found is None or int(found[1]) > MOST_RETRIES:
        raise ConfigError(f'is "{on_illegal}", must be "forfeit" or "ask-again:N" with N from 1 to {MOST_RETRIES}')
    return int(found[1])


def find_programs(bots: Sequence[BotConfig], folder: Path) -> tuple[Program, ...]:
    """Find the programs of the bots of this machine; paths are relative to `folder`.  Raises ConfigError."""
    programs = []
    for bot in bots:
        if bot.kind == "program":
            with _prefix(f"bots.{bot.name}"):
                programs.append(find_program(bot, folder))
    return tuple(programs)

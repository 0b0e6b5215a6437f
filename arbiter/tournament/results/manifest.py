"""The manifest of results: the tournament they were played under. Check that a changed tournament file still fits."""

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.errors import ConfigError, write_count
from arbiter.games.chance import KEY_BYTES, Key, Seed, derive_key
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.config.typed_toml import show_value
from arbiter.tournament.ratings.sprt import Sprt
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import NO_HISTORY, History
from arbiter.tournament.standings.stored_game import find_points

SEED_BITS: Final = 63


class Manifest(Struct, frozen=True, kw_only=True):
    """The tournament as its file had it, and what the file leaves open."""

    tournament: TournamentFile
    seed: int
    """The file's, or a random one."""
    secret: Key
    """Key of all random choices, which no bot can guess."""
    arbiter: str
    """Version of the arbiter in the first run; each record has its own."""
    sandbox: str
    """Sandbox in the first run; each record has its own."""
    created: str
    """ISO 8601 in UTC."""
    folder: str = ""
    """Folder that the bots' paths were relative to in the last run; empty if not known."""
    deployments: tuple[str, ...] = ()
    """Deployments of its book."""
    sprt: Sprt | None = None
    """The sequential test of a match in its last run."""
    earlier_sprts: tuple[Sprt, ...] = ()
    """Other tests of earlier runs, whose games are stored."""
    series: int = 1
    """Number of the series in its results file."""
    late: tuple[str, ...] = ()
    """The bots that joined after the first game, in this order."""
    earlier_log_days: int | None = None
    """The smallest `drop_logs_after` of earlier runs; None if none of them dropped logs."""

    @property
    def log_days(self) -> int | None:
        """Days after which a log may have been dropped, by the settings of all runs; None if it was never."""
        days = (self.earlier_log_days, self.tournament.drop_logs_after)
        return min((one for one in days if one is not None), default=None)

    @property
    def key(self) -> Seed:
        """The source of all random choices of the tournament."""
        return derive_key(self.secret, "tournament", self.seed)

    def schedule(self, history: History = NO_HISTORY) -> Schedule:
        """Make the schedule after the games and rulings of a history.  Raises ConfigError."""
        return self.tournament.schedule(self.key, history, series=self.series, late=self.late)


def new_manifest(tournament: Tournament, sandbox: str, secret: Key | None = None, sprt: Sprt | None = None) -> Manifest:
    """Make the manifest of a tournament that begins now; a seed or secret that is missing is chosen at random."""
    file = tournament.file
    return Manifest(
        tournament=file,
        seed=secrets.randbits(SEED_BITS) if file.seed is None else file.seed,
        secret=secret or secrets.token_hex(KEY_BYTES),
        arbiter=__version__,
        sandbox=sandbox,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        folder=str(tournament.folder.absolute()) if tournament.folder else "",
        deployments=tournament.deployments,
        sprt=sprt,
    )


def resume_manifest(old: Manifest, new: Manifest, history: History, secret: Key | None = None) -> Manifest:
    """Make the manifest of a tournament that is resumed: the file as it is now, the rest as it was.

    Name, jobs, tie-breaks, memory and trust may change, bots may join, games may be added: whatever leaves the stored
    games in the schedule and comparable with those to come.  `secret` is the one that the user asks for.
    Raises ConfigError.
    """
    count = history.count
    if not count:
        return new
    stored = write_count(count, "stored game")
    if secret not in (None, old.secret):
        raise ConfigError(
            f"--secret: is not that of the {stored}; leave it out to continue, "
            "or keep the new games elsewhere with --results"
        )
    changes = list(_list_changes(old, new, history))
    if changes:
        raise ConfigError(
            f"a change does not fit the {stored}: {'; '.join(changes)}; "
            "undo it, or keep the new games elsewhere with --results"
        )
    sprt = new.sprt or old.sprt
    tests = dict.fromkeys(test for test in (*old.earlier_sprts, old.sprt) if test not in (None, sprt))
    return replace(
        old,
        tournament=new.tournament,
        folder=new.folder,
        late=_list_late_bots(old, new),
        earlier_log_days=old.log_days,
        sprt=sprt,
        earlier_sprts=tuple(tests),
    )


def add_bots(old: Manifest, file: TournamentFile) -> Manifest:
    """Make the manifest of a tournament that more bots join while it is played."""
    return replace(old, tournament=file, late=_list_late_bots(old, replace(old, tournament=file)))


def _list_late_bots(old: Manifest, new: Manifest) -> tuple[str, ...]:
    """List the bots that joined after the first game, those that join now last."""
    names = new.tournament.bot_names
    stayed = [bot for bot in old.late if bot in names]
    return (*stayed, *(bot for bot in names if bot not in old.tournament.bot_names))


class NewSeries(Struct, frozen=True):
    """What makes a match another one than that of an earlier series: a sentence for each difference."""

    settings: Sequence[str]
    programs: Sequence[str]


def describe_other_match(old: Manifest, new: Manifest) -> Iterator[str]:
    """Describe what makes a match another one than that of a series: its bots, or settings that results depend on."""
    if old.tournament.bot_names != new.tournament.bot_names:
        yield _describe_change("bots", " and ".join(old.tournament.bot_names), " and ".join(new.tournament.bot_names))
        return
    yield from _list_setting_changes(old, new)
    for before, now in zip(old.tournament.bots, new.tournament.bots, strict=True):
        yield from _list_differences(_flatten_program(before), _flatten_program(now))


def describe_other_rules(one: Manifest, other: Manifest) -> str:
    """Describe how the rules of two tournaments differ; empty if they are the same."""
    before, now = (
        {key: value for key, value in settings.items() if key.partition(".")[0] in {"rules", "options"}}
        for settings in (_flatten_settings(one.tournament), _flatten_settings(other.tournament))
    )
    return "; ".join(_list_differences(before, now))


def _list_changes(old: Manifest, new: Manifest, history: History) -> Iterator[str]:
    """Describe the changes that do not fit the stored games."""
    yield from _list_setting_changes(old, new)
    bots = [*_list_changed_bots(old.tournament, new.tournament, history)]
    yield from bots
    if not bots and old.tournament.format == new.tournament.format:
        late = _list_late_bots(old, new)
        resumed = replace(new, seed=old.seed, secret=old.secret, series=old.series, late=late)
        schedule = resumed.schedule(history)
        left_out = [game.id for game in history.games if not schedule.has(game.id)]
        # Games that a ruling removed from the schedule are not in the old one either.
        lost = sum(map(old.schedule(history).has, left_out)) if left_out else 0
        if lost:
            causes = _list_schedule_changes(old.tournament, new.tournament)
            yield f"{' and '.join(causes)}, which leaves out {lost} of them"


def _list_setting_changes(old: Manifest, new: Manifest) -> Iterator[str]:
    """Describe the changes of settings that results depend on."""
    yield from _list_differences(_flatten_settings(old.tournament), _flatten_settings(new.tournament))
    if new.tournament.seed not in (None, old.seed):
        yield _describe_change("seed", old.seed, new.tournament.seed)
    if old.deployments != new.deployments:
        yield _describe_change("setups", _describe_book(old.deployments), _describe_book(new.deployments))


def _list_differences(before: Mapping[str, object], now: Mapping[str, object]) -> Iterator[str]:
    for key in dict.fromkeys((*before, *now)):
        if before.get(key) != now.get(key):
            shown = (show_value(settings[key]) if key in settings else "not set" for settings in (before, now))
            yield _describe_change(key, *shown)


def _describe_change(key: str, before: object, now: object) -> str:
    return f"{key}: {before} before, {now} now"


def _flatten_settings(file: TournamentFile) -> dict[str, object]:
    """List the settings that results depend on, by their keys in the file."""
    tables = {
        "rules": file.rule_set,
        "rules.": file.merge_overrides(),
        "options": file.options,
        "format": file.format,
        "points": find_points(file.points),
        "on_illegal": file.on_illegal,
        "time": file.time,
        "cluster": {"scale_time": file.cluster.scale_time},
        "position": file.position,
        "first": file.first,
    }
    return dict(sorted(_flatten(msgspec.to_builtins(tables))))


def _flatten(table: dict[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flatten(value, name if name.endswith(".") else f"{name}.")
        else:
            yield name, value


def _flatten_program(bot: BotConfig) -> dict[str, object]:
    """List how a bot is started, by the keys in the file: its command and its environment variables."""
    variables = {f"bots.{bot.name}.env.{name}": value for name, value in bot.env.items()}
    return {f"bots.{bot.name}.command": bot.command, **variables}


def _describe_book(deployments: tuple[str, ...]) -> str:
    """Describe a book so that two different ones look different."""
    if not deployments:
        return "none"
    digest = hashlib.sha256("\n".join(deployments).encode()).hexdigest()[:8]
    return f"{write_count(len(deployments), 'deployment')} ({digest})"


def _list_changed_bots(old: TournamentFile, new: TournamentFile, history: History) -> Iterator[str]:
    """Describe bots with stored games that are gone or are started otherwise, and changes that the format forbids."""
    played = history.count_games()
    now = {bot.name: bot for bot in new.bots}
    for bot in old.bots:
        if not played[bot.name]:
            continue
        if bot.name not in now:
            yield f"bots: {bot.name} is gone, but {played[bot.name]} of the games are its"
        else:
            yield from _list_differences(_flatten_program(bot), _flatten_program(now[bot.name]))
    last_round = history.last_round
    for bot in (bot for bot in old.bots if bot.name in now):
        changed = {*bot.absent} ^ {*now[bot.name].absent}
        if any(number <= last_round for number in changed):
            key = f"bots.{bot.name}.absent"
            (change,) = _list_differences({key: bot.absent}, {key: now[bot.name].absent})
            yield f"{change}, but round {last_round} has begun"
    form = old.first_format
    joined = [bot for bot in new.bot_names if bot not in old.bot_names]
    if form.is_closed and joined:
        yield (
            f'bots: {", ".join(joined)} cannot join: format "{form.name}" pairs all bots from the first round on, '
            "and that round has begun"
        )
    elif form.is_closed and old.bot_names != new.bot_names:
        yield (
            f"{_describe_change('bots', ', '.join(old.bot_names), ', '.join(new.bot_names))}, "
            f'but in format "{form.name}" no bot can leave or change places after the start'
        )


def _list_schedule_changes(old: TournamentFile, new: TournamentFile) -> Iterator[str]:
    """Describe the changes of settings that make the schedule."""
    keys = dict.fromkeys(("games", *old.settings, *new.settings, "stages"))
    before, now = (
        {key: tables[key] for key in keys if key in tables} for tables in (old.write_tables(), new.write_tables())
    )
    yield from _list_differences(before, now)
    if old.bot_names != new.bot_names:
        yield _describe_change("bots", ", ".join(old.bot_names), ", ".join(new.bot_names))

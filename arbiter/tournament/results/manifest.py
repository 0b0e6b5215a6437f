"""What a tournament's results were played under, and whether a changed tournament file still fits them."""

import hashlib
import secrets
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.errors import ConfigError
from arbiter.tournament.config.stage_tables import OF_FORMATS
from arbiter.tournament.config.tournament import Tournament, base_rules, book, overrides_of, schedule, stages
from arbiter.tournament.config.typed_toml import shown
from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.standings.points import find_points
from arbiter.tournament.standings.stored_game import StoredGame

SEED_BITS: Final = 63


class Manifest(Struct, frozen=True, kw_only=True):
    """The head of a tournament's results: the tournament as its file had it, and what the file leaves open.

    `seed` is the file's, or drawn from the operating system; `created` is ISO 8601 in UTC; `arbiter`
    and `sandbox` are the first run's: each record tells its own.  `folder` is what the bots' paths were relative to
    at the last run; empty where that was not written down.  `setups` are the deployments of its book.
    """

    tournament: Tournament
    seed: int
    arbiter: str
    sandbox: str
    created: str
    folder: str = ""
    setups: tuple[str, ...] = ()


def new_manifest(tournament: Tournament, sandbox: str, folder: Path | None = None) -> Manifest:
    """Head a tournament that begins now; draws its seed where the file names none.

    Its book of deployments is relative to `folder`.  Raises ConfigError.
    """
    return Manifest(
        tournament=tournament,
        seed=secrets.randbits(SEED_BITS) if tournament.seed is None else tournament.seed,
        arbiter=__version__,
        sandbox=sandbox,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        folder=str(folder.absolute()) if folder else "",
        setups=book(tournament, folder) if folder else (),
    )


def resumed(old: Manifest, new: Manifest, stored: Collection[StoredGame]) -> Manifest:
    """Head a tournament that goes on: the file as it is now, the rest as it was.

    Name, jobs, tie-breaks, memory and trust may change, bots may join, games may be added: whatever
    leaves the stored games in the schedule and comparable with those to come.  Raises ConfigError.
    """
    if not stored:
        return new
    changes = list(_differences(old, new, stored))
    if changes:
        count = f"{len(stored)} stored game{'s' * (len(stored) != 1)}"
        raise ConfigError(
            f"what is to be played no longer fits the {count}: {'; '.join(changes)}; "
            "change it back, or keep other games elsewhere with --results"
        )
    return replace(old, tournament=new.tournament, folder=new.folder)


def _differences(old: Manifest, new: Manifest, stored: Collection[StoredGame]) -> Iterator[str]:
    before, now = _settings(old.tournament), _settings(new.tournament)
    for key in sorted(before.keys() | now.keys()):
        if before.get(key) != now.get(key):
            yield f"{key}: {_value(before, key)} before, {_value(now, key)} now"
    if new.tournament.seed not in (None, old.seed):
        yield f"seed: {old.seed} before, {new.tournament.seed} now"
    if old.setups != new.setups:
        yield f"setups: {_deployments(old)} before, {_deployments(new)} now"
    bots = [*_differing_bots(old.tournament, new.tournament, stored), *_joined(old.tournament, new.tournament)]
    yield from bots
    if not bots and old.tournament.format == new.tournament.format:
        yield from _lost_games(old, new, stored)


def _deployments(manifest: Manifest) -> str:
    """Tell one book from another."""
    if not manifest.setups:
        return "none"
    mark = hashlib.sha256("\n".join(manifest.setups).encode()).hexdigest()[:8]
    return f"{len(manifest.setups)} deployments ({mark})"


def _value(settings: dict[str, object], key: str) -> str:
    return shown(settings[key]) if key in settings else "not set"


def _settings(tournament: Tournament) -> dict[str, object]:
    """List the settings that results depend on, by their keys in the file."""
    tables = {
        "rules": base_rules(tournament),
        "rules.": overrides_of(tournament),
        "options": tournament.options,
        "format": tournament.format,
        "points": find_points(tournament.points),
        "on_illegal": tournament.on_illegal,
        "time": tournament.time,
        "position": tournament.position,
    }
    return dict(_flat(msgspec.to_builtins(tables)))


def _flat(table: dict[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(value, name if name.endswith(".") else f"{name}.")
        else:
            yield name, value


def _differing_bots(old: Tournament, new: Tournament, stored: Collection[StoredGame]) -> Iterator[str]:
    """Tell of bots with stored games that are gone or are started otherwise than before."""
    played = Counter(name for game in stored for name in (game.red, game.blue))
    now = {bot.name: bot for bot in new.bots}
    for bot in old.bots:
        if not played[bot.name]:
            continue
        if bot.name not in now:
            yield f"bots: {bot.name} is gone, but {played[bot.name]} of the games are its"
        elif now[bot.name].command != bot.command:
            before, after = shown(bot.command), shown(now[bot.name].command)
            yield f"bots.{bot.name}.command: {before} before, {after} now"


def _joined(old: Tournament, new: Tournament) -> Iterator[str]:
    """Tell of bots that joined or changed places in a format that allows for neither."""
    form = stages(old)[0].format
    if FORMATS[form].is_closed and _names(old) != _names(new):
        yield (
            f"bots: {', '.join(_names(old))} before, {', '.join(_names(new))} now, "
            f'but in format "{form}" nobody joins, leaves or changes places once it has begun'
        )


def _names(tournament: Tournament) -> list[str]:
    return [bot.name for bot in tournament.bots]


def _lost_games(old: Manifest, new: Manifest, stored: Collection[StoredGame]) -> Iterator[str]:
    """Tell of stored games that the schedule no longer has."""
    scheduled = {fixture.id for fixture in schedule(new.tournament, old.seed, stored).fixtures}
    lost = sum(game.id not in scheduled for game in stored)
    if lost:
        yield f"{' and '.join(_differing_schedule(old.tournament, new.tournament))}, which leaves out {lost} of them"


def _differing_schedule(old: Tournament, new: Tournament) -> Iterator[str]:
    """Tell what a schedule is made of that differs."""
    for key in ("games", *OF_FORMATS, "stages"):
        before, now = (msgspec.to_builtins(getattr(tournament, key)) for tournament in (old, new))
        if before != now:
            yield f"{key}: {shown(before)} before, {shown(now)} now"
    if _names(old) != _names(new):
        yield f"bots: {', '.join(_names(old))} before, {', '.join(_names(new))} now"
